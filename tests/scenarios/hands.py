"""Rules 1, 2 and 12: hands, results and repeats."""

from __future__ import annotations

import datetime as dt

from tests.oracle.dealer import Log, stamp
from tests.scenarios.base import (
    BANKER_9,
    Keys,
    entry_of,
    row_of,
    scenario,
    wager_of,
)


@scenario(verdicts={"violation": 1})
def second_departure_is_not_reported(table: str) -> tuple[Log, Keys]:
    """The player missed a card; what the banker then did is not judged again."""
    row = row_of(table, 1, "2S 3H", "KD 7C AS", deal_sequence="PBPBB")
    return Log([row]), {("DRW-001", row["round_id"], "player")}


@scenario(verdicts={"violation": 1})
def four_cards_stand_before_everything(table: str) -> tuple[Log, Keys]:
    """A side with four cards has no result: no RES, and its wagers are not evaluated."""
    row = row_of(table, 1, "2S 3H 4D 5C", "KD 7C", outcome="tie", player_points="9", banker_pair="true")
    return Log([row], [wager_of(row, "banker", "100", "7777")]), {("DRW-004", row["round_id"], None)}


@scenario(verdicts={"violation": 1})
def one_card_is_too_few(table: str) -> tuple[Log, Keys]:
    """A side with a single card: DRW-004."""
    row = row_of(table, 1, "10S 7H", "KD")
    return Log([row]), {("DRW-004", row["round_id"], None)}


@scenario(verdicts={"not_evaluated": 1})
def a_sequence_that_does_not_account_for_the_cards(table: str) -> tuple[Log, Keys]:
    """Five letters for four cards: not evaluated."""
    return Log([row_of(table, 1, *BANKER_9, deal_sequence="PBPBP")]), set()


@scenario(verdicts={"violation": 1})
def the_payment_follows_the_cards_not_the_outcome(table: str) -> tuple[Log, Keys]:
    """The outcome is recorded wrongly and the wager paid by the record."""
    row = row_of(table, 1, *BANKER_9, outcome="player")
    wagers = [wager_of(row, "player", "100", "100", stake_returned="100"), wager_of(row, "banker", "100", "0")]
    keys: Keys = {
        ("RES-002", row["round_id"]),
        *((c, w["wager_id"]) for c, w in zip(("PAY-001", "PAY-002"), wagers, strict=True)),
    }
    return Log([row], wagers), keys | {("PAY-004", wagers[0]["wager_id"])}


@scenario(verdicts={"violation": 2, "conforming": 3})
def voids_and_demonstrations_get_no_drawing_finding(table: str) -> tuple[Log, Keys]:
    """A void or demonstration round with a wrong hand is no DRW; a complete void hand without reason is RES-004."""
    wrong = ("2S 3H", "KD 7C AS")
    rows = [
        row_of(table, 1, *wrong, status="demonstration", outcome="player"),
        row_of(table, 2, *wrong, status="void", outcome="player", player_points="1"),
        row_of(table, 3, *BANKER_9, status="void", void_reason="card on the floor"),
        row_of(table, 4, *BANKER_9, status="void"),
        row_of(table, 5, "", "", status="void"),
    ]
    rows[1]["void_reason"] = ""
    wager = wager_of(rows[2], "banker", "100", "0", stake_returned="99")
    keys: Keys = {("RES-004", rows[3]["round_id"]), ("PAY-005", wager["wager_id"])}
    return Log(rows, [wager], [entry_of(table, "demonstration", "allowed")]), keys


@scenario(verdicts={"violation": 1, "not_evaluated": 1})
def a_log_without_cards(table: str) -> tuple[Log, Keys]:
    """Points alone let the outcome be compared, and nothing else."""
    rows = [
        row_of(table, 1, "", "", player_points="7", banker_points="9", outcome="player", player_pair="true"),
        row_of(table, 2, "", "", player_points="7", banker_points="9", outcome="banker"),
    ]
    return Log(rows, [wager_of(rows[1], "banker", "100", "1")]), {("RES-002", rows[0]["round_id"])}


@scenario(register=False, verdicts={"conforming": 1})
def equal_in_value_is_a_repeat(table: str) -> tuple[Log, Keys]:
    """`0` is `0.00`, `T` is `10`, and an instant is an instant: dropped and counted, no finding."""
    row = row_of(table, 1, "10S 7H", "KD 9C")
    again = dict(row) | {"player_cards": "TS 7H", "banker_cards": "kd 9c"}
    for column in ("started_at", "ended_at"):
        again[column] = stamp(dt.datetime.fromisoformat(row[column]).astimezone(dt.UTC))
    wager = wager_of(row, "player", "100", "0", stake_returned="0")
    return Log([row, again], [wager, wager | {"stake": "100.00", "payout": "0.00", "stake_returned": "0.0"}]), set()


@scenario(register=False, verdicts={"violation": 1})
def the_first_of_two_versions_is_audited(table: str) -> tuple[Log, Keys]:
    """Three rows of one id with two contents: one LOG-001, and the first is judged."""
    row = row_of(table, 1, *BANKER_9, outcome="player")
    right = row | {"outcome": "banker"}
    return Log([row, right, dict(right)]), {("LOG-001", row["round_id"]), ("RES-002", row["round_id"])}


@scenario(register=False, verdicts={"conforming": 1})
def an_orphan_wager(table: str) -> tuple[Log, Keys]:
    """Its round is not in the input."""
    row = row_of(table, 1, *BANKER_9)
    wager = wager_of(row, "player", "100", "55") | {"round_id": f"{table}-nowhere"}
    return Log([row], [wager]), {("LOG-004", wager["wager_id"])}
