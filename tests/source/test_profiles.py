"""Every shipped profile reads its made-up sample as somebody who knows the notation reads it by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from audit.source import profiles

SAMPLES = Path(__file__).with_name("samples")

# Round: id, table, shoe, number, status, start in UTC, player's cards, banker's cards, result.
ROUNDS: dict[str, list[tuple[Any, ...]]] = {
    "allbet": [
        ("246497158", "B002", None, 1, "settled", "2017-10-24T03:25:58", "4D JC JC", "JD 4H", None),
        ("246497158", "B002", None, 1, "settled", "2017-10-24T03:25:58", "4D JC JC", "JD 4H", None),
        ("246497159", "B002", None, 1, "settled", "2017-10-24T03:27:58", "2S KH", "9S 10S", None),
        ("246497160", "B002", None, 1, "void", "2017-10-24T03:29:58", None, None, None),
    ],
    "asia_gaming": [
        ("GA001", "A003", "17477", 1, "settled", "2014-07-21T07:11:25", "KD 7D", "KS QH JS", None),
        ("GA002", "A003", "17477", 1, "settled", "2014-07-21T07:12:25", "AH AD 3S", "4C 5C", None),
    ],
    "awc_sexy": [
        ("GA559640024", "Mexico-04", None, 1, "settled", "2023-04-14T12:20:26.575000", "8D 10S", "9C 10C", "banker")
    ]
    * 2,
    "cards_apart": [
        ("1", "T1", "S1", 1, "settled", "2024-03-01T04:00:00", "9H KD", "3C 4S", "player"),
        ("2", "T1", "S1", 2, "settled", "2024-03-01T04:01:00", "2S 3S 10D", "QH 6H", "banker"),
    ],
    "dream_gaming": [("10101-20-11", "10101", "20", 11, "settled", "2020-03-20T02:00:40", "2D QD QD", "7D 7H", None)]
    * 2,
    "evolution": [
        ("r-1", "tb-7", None, 1, "settled", "2024-12-18T10:41:00.120000", "KH 2D", "10D 9S", "banker"),
        ("r-2", "tb-7", None, 1, "void", "2024-12-18T10:42:00", None, None, None),
    ],
    "ezugi": [
        ("1319785930", "32100", None, 1, "settled", "2024-03-01T04:00:00", "AH 7S", "QS QS", "player"),
        ("1319785931", "32100", None, 1, "settled", "2024-03-01T04:00:00", "2H KS 4D", "10S 5D 4C", "banker"),
        ("1319785931", "32100", None, 1, "settled", "2024-03-01T04:00:00", "2H KS 4D", "10S 5D 4C", "banker"),
    ],
    "house_pt": [
        ("J1", "M1", "S1", 1, "settled", "2024-04-03T13:04:05", "2S 3D 10C", "QH 6H", "banker"),
        ("J1", "M1", "S1", 1, "settled", "2024-04-03T13:04:05", "2S 3D 10C", "QH 6H", "banker"),
        ("J2", "M1", "S1", 2, "void", "2024-04-03T13:05:05", None, None, None),
    ],
    "house_zh": [
        ("1001", "B01", "7", 1, "settled", "2024-02-28T15:58:10", "2S 3D 10C", "QH 6H", "banker"),
        ("1001", "B01", "7", 1, "settled", "2024-02-28T15:58:10", "2S 3D 10C", "QH 6H", "banker"),
        ("1002", "B01", "7", 2, "settled", "2024-02-28T16:01:30", "KS 9D", "9H 10C", "tie"),
        ("1003", "B01", "7", 3, "settled", "2024-02-29T17:02:03", "KS 9D", "8H 10C", "player"),
    ],
    "mt_live": [
        ("BAG01-s9-1", "BAG01", "s9", 1, "settled", "2022-02-01T02:00:00", "KH KC AH", "7H 10H", "banker"),
        ("BAG01-s9-2", "BAG01", "s9", 2, "settled", "2022-02-01T02:01:00", "9S KS", "KD AS", "player"),
    ],
    "points_only": [
        ("1", "T", "S", 1, "settled", "2024-03-01T04:00:00", "10 9", "3 4", "player"),
        ("2", "T", "S", 2, "settled", "2024-03-01T04:01:00", None, None, "banker"),
        ("3", "T", "S", 3, "settled", "2024-03-01T04:02:00", "A A 4", "10 6", "tie"),
    ],
    "replay_api": [
        ("u-1", "replay", "replay", 1, "settled", "2023-11-14T22:13:20.123000", "KS 10C 4H", "AD 6H", None),
        ("u-2", "replay", "replay", 1, "settled", "2023-11-14T22:15:00", "KS 9C", "AD 5H", None),
    ],
    "sa_gaming": [
        ("G1", "601", "3", 14, "settled", "2019-10-08T05:32:12.520000", "JS 3D AH", "7C KC", "banker"),
        ("G2", "601", "3", 15, "settled", "2019-10-08T05:33:12.527000", "9S 9D", "8C 10C", "tie"),
    ],
    "stomp_feed": [("5501", "L1", None, 1, "settled", "2023-11-14T22:13:20", "KD 7S", "AH JC 4C", "player")],
    "totals_only": [
        ("H001", "table-1", None, 1, "settled", "2026-01-01T04:00:00", None, None, "banker"),
        ("H002", "table-1", None, 1, "settled", "2026-01-01T04:01:00", None, None, "tie"),
    ],
    "wm_casino": [
        ("112221640-17", "1", "112221640", 17, "settled", "2019-10-09T03:03:06", "QS 2S 2C", "6D QS", None),
        ("112221640-19", "1", "112221640", 19, "settled", "2019-10-09T03:05:06", "10C 8H", "9D JH", None),
        ("112221640-18", "1", "112221640", 18, "settled", "2019-10-09T03:09:00", "10S 7S", "8D QS", None),
    ],
}

# Wager: id, round, bet, stake, winnings, returned stake (None: not recorded), in ten-thousandths.
WAGERS: dict[str, list[tuple[Any, ...]]] = {
    "allbet": [
        ("N1", "246497158", "player", 1_000_000, 0, 1_000_000),
        ("N2", "246497158", "tie", 500_000, 4_000_000, 500_000),
        ("N3", "246497159", "banker", 1_000_000, 950_000, 1_000_000),
        ("N4", "246497160", "banker", 1_000_000, 0, 1_000_000),
    ],
    "asia_gaming": [
        ("B1", "GA001", "player", 1_000_000, 1_000_000, 1_000_000),
        ("B2", "GA001", "banker", 1_000_000, 0, 0),
        ("B3", "GA002", "banker", 1_000_000, 950_000, 1_000_000),
    ],
    "awc_sexy": [
        ("BAC-1", "GA559640024", "player", 50_000, 0, 0),
        ("BAC-2", "GA559640024", "banker", 100_000, 95_000, 100_000),
        ("BAC-3", "GA559640025", "tie", 50_000, 0, 0),
    ],
    "dream_gaming": [
        ("900-1", "10101-20-11", "banker", 600_000, 570_000, 600_000),
        ("900-4", "10101-20-11", "tie", 100_000, 0, None),
        ("901-6", "10101-20-11", "banker_pair", 50_000, 550_000, 50_000),
    ],
    "evolution": [
        ("t-1", "r-1", "banker", 100_000, 95_000, 100_000),
        ("t-3", "r-1", "tie", 55_000, 0, 0),
        ("t-4", "r-2", "player", 100_000, 0, 100_000),
    ],
    "house_pt": [
        ("A1", "J1", "banker", 10_000_000, 9_500_000, 10_000_000),
        ("A2", "J1", "player", 25_005_000, 0, 0),
    ],
    "house_zh": [
        ("W1", "1001", "banker", 10_000_000, 5_000_000, 10_000_000),
        ("W2", "1001", "player", 5_000_000, 0, None),
        ("W3", "1002", "player", 5_000_000, 0, None),
    ],
    "replay_api": [
        ("b1", "u-1", "banker", 1_000_000, 950_000, 1_000_000),
        ("b2", "u-1", "tie", 200_000, 0, 0),
    ],
    "wm_casino": [
        ("1", "112221640-17", "player", 20_000, 0, 0),
        ("3", "112221640-19", "banker", 100_000, 95_000, 100_000),
        ("2", "112221640-18", "banker", 100_000, 95_000, 100_000),
    ],
}

# What is kept out, with its reason, and the rows that belong to other tables: (table, reason, count), {table: rows}.
REJECTS: dict[str, tuple[set[tuple[str, str, int]], dict[str, int]]] = {
    "allbet": (set(), {"rounds": 1, "wagers": 1}),
    "asia_gaming": (
        {
            ("rounds", "open_in_source", 1),
            ("wagers", "cancelled_in_source", 1),
            ("wagers", "row_of_unknown_kind", 1),
        },
        {"rounds": 7, "wagers": 5},
    ),
    "awc_sexy": ({("rounds", "no_cards", 1)}, {}),
    "bbin": ({("rounds", "open_in_source", 1)}, {}),
    "cards_apart": ({("rounds", "unknown_card", 1)}, {}),
    "dream_gaming": (set(), {"rounds": 1}),
    "evolution": (set(), {"rounds": 1, "wagers": 1}),
    "house_pt": ({("wagers", "not_money", 1)}, {"rounds": 1, "wagers": 1}),
    "house_zh": ({("wagers", "missing_value", 1)}, {"rounds": 1, "wagers": 1}),
    "replay_api": ({("wagers", "cancelled_in_source", 1)}, {}),
    "stomp_feed": ({("rounds", "open_in_source", 1)}, {}),
    "wm_casino": ({("rounds", "superseded", 1), ("wagers", "superseded", 1)}, {"rounds": 1, "wagers": 1}),
}
SHIPPED = sorted(set(profiles.shipped()) - {"canonical", "xsgu_outcome_table"})


def _read(read_files: Any, name: str, table: str) -> Any:
    return read_files(*sorted(SAMPLES.glob(f"{name}*")), table=table, profile=profiles.load_profile(name))


def test_every_profile_has_a_sample() -> None:
    """No profile is shipped without a sample that shows its traps."""
    assert SHIPPED == [name for name in SHIPPED if list(SAMPLES.glob(f"{name}*"))]
    assert set(SHIPPED) == set(ROUNDS) | {"bbin", "mt_reseller"}


@pytest.mark.parametrize("name", sorted(ROUNDS))
def test_rounds_are_read_as_by_hand(read_files: Any, name: str) -> None:
    """Ids, places, times and cards of each sample are those that somebody decoded."""
    columns = ("round_id", "table_id", "shoe_id", "round_no", "status", "started_at", "player_cards", "banker_cards")

    rows = _read(read_files, name, "rounds").rows

    for row in rows:
        row["started_at"] = row["started_at"].isoformat().removesuffix("+00:00")
    assert ROUNDS[name] == [tuple(row[column] for column in (*columns, "outcome")) for row in rows]


@pytest.mark.parametrize("name", sorted(WAGERS))
def test_wagers_are_read_as_by_hand(read_files: Any, name: str) -> None:
    """Bets, stakes, winnings and returned stakes of each sample are those that somebody worked out."""
    columns = ("wager_id", "round_id", "bet", "stake", "payout", "stake_returned")

    rows = _read(read_files, name, "wagers").rows

    assert WAGERS[name] == [tuple(row[column] for column in columns) for row in rows]


@pytest.mark.parametrize("name", SHIPPED)
def test_nothing_of_a_sample_is_lost(read_files: Any, name: str) -> None:
    """What is kept out has its reason, rows of other tables are counted, and the totals balance."""
    profile = profiles.load_profile(name)
    reasons: set[tuple[str, str, int]] = set()
    left: dict[str, int] = {}
    for table in ["rounds", *(each for each in ("wagers", "events") if profile.embeds(each))]:
        reading = _read(read_files, name, table)
        reasons |= {(table, reason, count) for reason, count in reading.reasons}
        left |= reading.quarantine.left()
        read = sum(count.rows for count in reading.quarantine.files(table).values())
        assert read == len(reading.rows) + reading.quarantine.count(table)

    assert REJECTS.get(name, (set(), {})) == (reasons, left)


def test_the_winners_total_tells_alternating_hands_apart(read_files: Any) -> None:
    """Cards in alternating order are proved by the total of the winner, where the draws would allow a wrong reading."""
    reading = _read(read_files, "bbin", "rounds")
    proof = reading.quarantine.proof

    assert ("AD 10S AS", "10H 7C") == (reading.rows[0]["player_cards"], reading.rows[0]["banker_cards"])
    assert ("7C JH", "8C 7D 7C") == (reading.rows[1]["player_cards"], reading.rows[1]["banker_cards"])
    assert ("proved", "winning_total", 11, 11) == (proof.state, proof.basis, proof.rounds, proof.agree)


def test_both_ways_of_writing_one_source_agree(read_files: Any) -> None:
    """The feed and the reseller's table of the same hands give the same cards and results."""
    feed, table = (_read(read_files, name, "rounds").rows for name in ("mt_live", "mt_reseller"))

    columns = ("player_cards", "banker_cards", "outcome", "player_points", "banker_points", "round_no")
    assert [tuple(row[c] for c in columns) for row in feed] == [tuple(row[c] for c in columns) for row in table]
    assert [(True, False), (False, False)] == [(row["player_pair"], row["banker_pair"]) for row in table]


def test_burnt_and_withdrawn_cards_are_events_and_no_part_of_a_hand(read_files: Any) -> None:
    """Cards that were burnt or taken back come as events, and the hand has only the cards that counted."""
    rows = _read(read_files, "replay_api", "events").rows

    assert [("burn", "9S QC"), ("burn", "2D")] == [(row["event"], row["cards"]) for row in rows]


def test_points_alone_give_totals_where_a_pair_cannot_be_excluded(read_files: Any) -> None:
    """Two first cards without points lose their cards and keep the totals that they make; decks are not counted."""
    rows = _read(read_files, "points_only", "rounds").rows

    assert [(None, None), (1, 7), (None, None)] == [(row["player_points"], row["banker_points"]) for row in rows]
    assert {None} == {row["decks"] for row in rows}


def test_cards_without_a_round_are_counted(read_files: Any) -> None:
    """Rows of the table of cards that cannot be used or have no round are told."""
    proof = _read(read_files, "cards_apart", "rounds").quarantine.proof

    assert {"cards_rows": 16, "cards_unreadable": 1, "cards_without_round": 1} == proof.left
