"""SHO-001 to SHO-003 and LOG-002: each shoe as a whole."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from tests.audited import audited

DAY_BEFORE = "2004-05-17T12:00:00+08:00"
FIRST_DAY = "2004-05-18T12:00:00+08:00"


@pytest.mark.parametrize(
    ("decks", "found"),
    [
        ([5], "5"),
        ([6], None),
        ([12], None),
        ([13], "13"),
        ([0], "0"),
        ([8, 8, 8], None),
        ([8, 7, 8], "7,8"),
        ([8, None, 8], None),
        ([None, None], None),
        ([None, 5], "5"),
        ([6, 12], "6,12"),
    ],
)
def test_decks(decks: list[int | None], found: str | None, tmp_path: Path) -> None:
    """Six and twelve decks are lawful, five and thirteen are not, and the number stays the same within a shoe."""
    done = audited({"round_no": list(range(1, len(decks) + 1)), "decks": decks}, tmp_path)
    wrong = [row for row in done.told("expected", "observed", "article", "round_id") if row[0] == "SHO-001"]

    assert ([("SHO-001", "6..12", found, "1(1)", None)] if found else []) == wrong


def test_decks_before_the_first_text(tmp_path: Path) -> None:
    """Only the rounds from the first text on are asked for their decks, and named."""
    rows = {"started_at": [DAY_BEFORE, FIRST_DAY, FIRST_DAY], "round_no": [1, 2, 3], "decks": [4, 5, 5]}
    done = audited(rows, tmp_path)

    assert [("SHO-001", "5", "R2", "R3", 2)] == done.told(
        "observed", "first_round_id", "last_round_id", "rounds_affected"
    )


def test_decks_of_several_shoes(tmp_path: Path) -> None:
    """Each shoe has a number of its own; the shoe that is wrong is named."""
    rows = {"shoe_id": ["S1", "S2", "S2", "S3"], "round_no": [1, 1, 2, 1], "decks": [6, 8, 8, 13]}

    assert [("SHO-001", "S3", "13", 1)] == audited(rows, tmp_path).told("shoe_id", "observed", "rounds_affected")


@pytest.mark.parametrize("skipped", [{"shoe_id": ""}, {"dealing": "auto_shuffler"}])
def test_rounds_without_a_shoe(skipped: dict[str, str], tmp_path: Path) -> None:
    """Without a shoe, or by a shuffler, there is no shoe to judge."""
    rows = {"round_no": [1, 5], "decks": [4, 5], "player_cards": "9H 9H", "status": "demonstration"}

    assert [] == audited({**rows, **skipped}, tmp_path).codes


def voided(cards: list[tuple[str, str]], **more: object) -> dict[str, object]:
    """Void rounds with these cards, one shoe of six decks."""
    players, bankers = zip(*cards, strict=True)
    numbers = list(range(1, len(cards) + 1))
    rows = {"player_cards": players, "banker_cards": bankers, "status": "void", "void_reason": "spilt", "decks": 6}
    return {**rows, "round_no": numbers, **more}


@pytest.mark.parametrize(
    ("cards", "found"),
    [
        ([("7S 7S 7S", "7S 7S 7S")], []),
        ([("7S 7S 7S", "7S 7S 7S"), ("7S 2D", "3H 4C")], [("7S", "6", "7")]),
        ([("7S 7S 7S 7S 7S", "7S 7S")], [("7S", "6", "7")]),
        ([("7S 7S 7S 7S", "7S 7S")], []),
        ([("7S 7S", "7S 7S 7S 7S 7S 7S")], [("7S", "6", "8")]),
        ([("7S 7S 7S", "KD KD KD"), ("7S 7S 7S", "KD KD KD"), ("7S 2D", "KD")], [("7S", "6", "7"), ("KD", "6", "7")]),
    ],
)
def test_copies_of_a_card(cards: list[tuple[str, str]], found: list[tuple[str, ...]], tmp_path: Path) -> None:
    """A shoe may show as many copies of a card as it has decks, on either side and in any place, not one more."""
    done = audited(voided(cards), tmp_path)

    assert {("SHO-002", "card", *each) for each in found} == set(done.told("option", "value", "expected", "observed"))
    assert len(found) == len(done.codes)


SEVENS = [("7S 7H 7D", "7C 7S 7H")] * 3 + [("7S 7H 7D", "7C 7 2")]
"""23 sevens, one of them without a suit."""


@pytest.mark.parametrize(
    ("more", "found"),
    [
        (("7S 2D", "3H 4C"), []),
        (("7S 7H", "3H 4C"), [("7", "24", "25")]),
        (("7 7", "3H 4C"), [("7", "24", "25")]),
        (("7 7 7", "3H 4C"), [("7", "24", "26")]),
    ],
)
def test_copies_of_a_rank(more: tuple[str, str], found: list[tuple[str, ...]], tmp_path: Path) -> None:
    """Where a suit is missing ranks are counted: a full rank, four times the decks, is no surplus; one more is."""
    done = audited(voided([*SEVENS, more]), tmp_path)

    assert [("SHO-002", *each) for each in found] == done.told("value", "expected", "observed")


def test_suits_are_not_counted_where_one_is_missing(tmp_path: Path) -> None:
    """Seven of one card pass in six decks where another card of the shoe has no suit."""
    assert [] == audited(voided([("7S 7S 7S", "7S 7S 7S"), ("7S 2", "3H 4C")]), tmp_path).codes


def test_shoes_are_counted_apart(tmp_path: Path) -> None:
    """Cards of one shoe are no surplus in another, and the one without a suit changes no other shoe."""
    cards = [("7S 7S 7S", "7S 7S 7S"), ("7S 2D", "3H 4C"), ("9 KD", "3H 4C")]
    rows = voided(cards, shoe_id=["S1", "S2", "S3"]) | {"round_no": [1, 1, 1]}
    over = voided([*cards, ("AS AS AS", "AS AS AS"), ("AS 2D", "3H")], shoe_id=["S1", "S2", "S3", "S4", "S4"])
    other = tmp_path / "other"
    other.mkdir()

    assert [] == audited(rows, tmp_path).codes
    assert [("SHO-002", "S4", "AS", 2)] == audited(over | {"round_no": [1, 1, 1, 1, 2]}, other).told(
        "shoe_id", "value", "rounds_affected"
    )


@pytest.mark.parametrize(
    ("decks", "open_shoes"), [([6, 6], 0), ([None, None], 1), ([6, 7], 1), ([6, None], 0), ([0, 0], 1)]
)
def test_copies_need_the_number_of_decks(decks: list[int | None], open_shoes: int, tmp_path: Path) -> None:
    """Without a number of decks, or with two, the question is open."""
    done = audited(voided([("7S 7S 7S", "7S 7S 7S"), ("7S 2D", "3H 4C")], decks=decks), tmp_path)

    assert open_shoes == done.open.get(("SHO-002", "decks_unknown"), 0)
    assert (open_shoes == 0) == ("SHO-002" in done.codes)


def test_copies_before_the_first_text(tmp_path: Path) -> None:
    """A surplus card needs no text in force; no article is cited then."""
    rows = voided([("7S 7S 7S", "7S 7S 7S"), ("7S 2D", "3H 4C")], started_at=[DAY_BEFORE] * 2)
    done = audited(rows, tmp_path)

    assert [("SHO-002", None, None)] == done.told("instrument", "article")


@pytest.mark.parametrize("cards", ["7S", "7S 2D"])
def test_burnt_cards_are_of_the_shoe(cards: str, tmp_path: Path) -> None:
    """A card that was seen when it was burnt is one more copy."""
    rows = voided([("7S 7S 7S", "7S 7S 7S")])
    done = audited(rows | {"event": "burn", "cards": cards, "count": 6, "burn_rule": "decks"}, tmp_path)

    assert [("SHO-002", "7S", "7")] == done.told("value", "observed")


def test_burnt_cards_of_another_shoe(tmp_path: Path) -> None:
    """A card burnt from one shoe is not in the next."""
    rows = voided([("7S 2D", "3H 4C"), ("7S 7S 7S", "7S 7S 7S")], shoe_id=["S1", "S2"]) | {"round_no": [1, 1]}
    burn = {"event": "burn", "shoe_id": "S1", "cards": "7S", "count": 6, "burn_rule": "decks"}

    assert [] == audited(rows | {"events": [burn]}, tmp_path).codes


DEMO, PLAYED, VOID = "demonstration", "settled", "void"


@pytest.mark.parametrize(
    ("statuses", "found"),
    [
        ([DEMO] * 3 + [PLAYED], None),
        ([DEMO] * 4 + [PLAYED], "4"),
        ([DEMO] * 4, "4"),
        ([PLAYED, DEMO], "1 after_settled"),
        ([DEMO, PLAYED, DEMO], "2 after_settled"),
        ([DEMO] * 3 + [PLAYED, DEMO], "4 after_settled"),
        ([VOID, DEMO, PLAYED], None),
        ([PLAYED, VOID], None),
    ],
)
def test_demonstrations(statuses: list[str], found: str | None, tmp_path: Path) -> None:
    """Three demonstrations may open a shoe; a fourth, or one after a settled round, may not."""
    done = audited(
        {"status": statuses, "void_reason": "spilt", "round_no": list(range(1, len(statuses) + 1))}, tmp_path
    )
    expected = [("SHO-003", "0..3 at_start", found, "2(2)", statuses.count(DEMO))] if found else []

    assert expected == done.told("expected", "observed", "article", "rounds_affected")


def test_demonstrations_of_two_shoes(tmp_path: Path) -> None:
    """Demonstrations are counted by the shoe, in the order of its numbers."""
    rows = {"status": [PLAYED, DEMO, DEMO, DEMO, DEMO], "shoe_id": ["S1", "S2", "S2", "S2", "S1"]}
    done = audited({**rows, "round_no": [2, 1, 2, 3, 1]}, tmp_path)

    assert [] == done.codes


def test_demonstrations_before_the_first_text(tmp_path: Path) -> None:
    """Neither demonstrations nor settled rounds before the first text count."""
    started = [DAY_BEFORE] * 2 + [FIRST_DAY] * 3
    rows = {"status": [DEMO, PLAYED, DEMO, DEMO, DEMO], "started_at": started, "round_no": [1, 2, 3, 4, 5]}

    assert [] == audited(rows, tmp_path).codes


@pytest.mark.parametrize(
    ("shoes", "numbers", "found"),
    [
        (["S1"] * 3, [1, 2, 3], []),
        (["S1"] * 3, [5, 6, 7], []),
        (["S1"] * 3, [5, 6, 8], [("S1", "5..8", "missing 7")]),
        (["S1"] * 3, [1, 4, 9], [("S1", "1..9", "missing 2-3,5-8")]),
        (["S1"] * 3, [1, 2, 2], []),
        (["S1"] * 4, [1, 2, 2, 4], [("S1", "1..4", "missing 3")]),
        (["S1"] * 3, [3, 1, 2], []),
        (["S1", "S2", "S2"], [7, 1, 2], []),
        (["S1", "S2", "S2"], [7, 2, 3], [("S2", "1..3", "missing 1")]),
        (["S1", "S2", "S2"], [7, 3, 4], [("S2", "1..4", "missing 1-2")]),
    ],
)
def test_numbers(shoes: list[str], numbers: list[int], found: list[tuple[str, ...]], tmp_path: Path) -> None:
    """Numbers run on without a gap, from 1 but for the first shoe of the table."""
    done = audited({"shoe_id": shoes, "round_no": numbers}, tmp_path)

    assert [("LOG-002", *each) for each in found] == done.told("shoe_id", "expected", "observed")


def test_first_shoe_of_each_table(tmp_path: Path) -> None:
    """The first shoe is that of the earliest round at its table, not the first in the file."""
    started = [f"2024-03-01T12:0{n}:00+08:00" for n in (5, 1, 3)]
    rows = {"started_at": started, "table_id": ["T1", "T1", "T2"], "shoe_id": ["S2", "S1", "S3"], "round_no": [2, 9, 4]}

    assert [("LOG-002", "S2", "missing 1")] == audited(rows, tmp_path).told("shoe_id", "observed")


def test_a_long_gap_is_not_listed(tmp_path: Path) -> None:
    """A number that is a slip leaves a gap that nobody wants to read."""
    done = audited({"round_no": [1, 1_000_000]}, tmp_path)
    other = tmp_path / "other"
    other.mkdir()

    assert [("LOG-002", "missing ...")] == done.told("observed")
    assert [("LOG-002", "missing 2-999998")] == audited({"round_no": [1, 999_999]}, other).told("observed")
    assert "(rounds missing: 999998)" in done.rows[0]["message_en"]


def test_a_shoe_of_two_days(tmp_path: Path) -> None:
    """A shoe is judged on all its rounds, where one of them is of the day asked for; other shoes are left alone."""
    started = ["2024-03-02T05:00:00+08:00", "2024-03-02T05:10:00+08:00", "2024-03-02T06:00:00+08:00"]
    rows = {"started_at": started, "shoe_id": ["S1", "S2", "S2"], "round_no": [1, 1, 2], "decks": [5, 6, 7]}
    done = audited(rows, tmp_path, day=dt.date(2024, 3, 2))

    assert [("SHO-001", "S2", "6,7")] == done.told("shoe_id", "observed")
