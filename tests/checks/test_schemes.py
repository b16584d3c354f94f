"""OPT-004: when the payments of a table and day show the other scheme, and when they are wrong one by one."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from tests.audited import Audited, audited

WON = {"player_cards": "3C 4S", "banker_cards": "9H KD", "decks": "", "bet": "banker", "stake": "100"}
"""Banker wins with nine: 95 with commission, 100 without."""


def day_of(payouts: list[str], **more: object) -> dict[str, object]:
    """A round and a wager for each payout, commission recorded."""
    numbers = list(range(1, len(payouts) + 1))
    ids = [f"W{n}" for n in numbers]
    rounds = [{"commission": "standard"} for _ in numbers]
    return {**WON, "round_no": numbers, "rounds": rounds, "wager_id": ids, "payout": payouts, **more}


@pytest.mark.parametrize(
    ("payouts", "expected"),
    [
        (["100"] * 2, ["PAY-001"] * 2),
        (["100"] * 3, ["OPT-004"]),
        (["100"] * 8 + ["95"], ["PAY-001"] * 8),
        (["100"] * 9 + ["95"], ["OPT-004"]),
        (["100"] * 9 + ["90"], ["OPT-004", "PAY-002"]),
        (["100"] * 17 + ["95"] * 2, ["PAY-001"] * 17),
        (["100"] * 18 + ["95"] * 2, ["OPT-004"]),
    ],
)
def test_three_and_nine_in_ten(payouts: list[str], expected: list[str], tmp_path: Path) -> None:
    """At least three wagers, and nine in ten of those that tell, show the other scheme; else each is wrong."""
    assert expected == sorted(audited(day_of(payouts), tmp_path).codes)


def test_what_the_finding_says(tmp_path: Path) -> None:
    """The finding is about table and day: scheme recorded and shown, rounds in order, sum paid too much."""
    started = [f"2024-03-01T12:0{n}:00+08:00" for n in (3, 1, 2)]
    done = audited(day_of(["100"] * 3, started_at=started, shoe_id=""), tmp_path)
    sums = done.told("amount", "currency", "rounds_affected", "first_round_id", "last_round_id")
    scheme = done.told("expected", "observed", "option", "value", "article")

    assert [("OPT-004", "15.00", "HKD", 3, "R2", "R1")] == sums
    assert [("OPT-004", "standard", "none", "commission", "standard", "18(1)")] == scheme
    assert [(None, None)] == [(row["round_id"], row["shoe_id"]) for row in done.rows]
    assert {"conforming": 3} == done.verdicts


def test_two_currencies_have_no_sum(tmp_path: Path) -> None:
    """Sums of two currencies are not added."""
    done = audited(day_of(["100"] * 3, currency=["HKD", "MOP", "HKD"]), tmp_path)

    assert [("OPT-004", None, None)] == done.told("amount", "currency")


@pytest.mark.parametrize(
    "apart",
    [
        {"table_id": ["T1", "T1", "T2"]},
        {"started_at": ["2024-03-01T12:00:00+08:00", "2024-03-01T12:01:00+08:00", "2024-03-02T00:00:00+08:00"]},
        {"casino": ["Um", "Um", "Dois"]},
    ],
)
def test_groups(apart: dict[str, list[str]], tmp_path: Path) -> None:
    """Houses, tables and legal days are counted apart."""
    assert ["PAY-001"] * 3 == audited(day_of(["100"] * 3, shoe_id="", **apart), tmp_path).codes


def test_rounds_of_one_group_need_not_lie_together(tmp_path: Path) -> None:
    """The wagers of a table and day count together, though other tables' rounds lie between."""
    done = audited(day_of(["100", "95"] * 3, table_id=["T1", "T2"] * 3, shoe_id=""), tmp_path)

    assert [("OPT-004", "T1", 3)] == done.told("table_id", "rounds_affected")


def test_several_wagers_of_a_round(tmp_path: Path) -> None:
    """Wagers are counted, rounds are told."""
    done = audited(day_of(["100"] * 3) | {"round_no": [1], "rounds": [{"commission": "standard"}]}, tmp_path)

    assert [("OPT-004", 1, "R1", "R1")] == done.told("rounds_affected", "first_round_id", "last_round_id")


def test_towards_the_standard_scheme(tmp_path: Path) -> None:
    """Payments less commission where none is recorded: the sum is what the bettors did not get."""
    rounds = {"rounds": [{"commission": "none"}] * 3}
    done = audited(day_of(["95"] * 3) | rounds, tmp_path)

    assert [("OPT-004", "none", "standard", "-15.00")] == done.told("expected", "observed", "amount")


def test_wagers_that_do_not_tell(tmp_path: Path) -> None:
    """What both schemes pay alike, and bets on anything else, count for neither."""
    data = day_of(["100"] * 3 + ["100"] * 5, bet=["banker"] * 3 + ["player"] * 5)
    hands = {"player_cards": ["3C 4S"] * 3 + ["9H KD"] * 5, "banker_cards": ["9H KD"] * 3 + ["3C 4S"] * 5}

    assert ["OPT-004"] == audited(data | hands, tmp_path).codes


def test_a_scheme_that_no_register_could_allow(tmp_path: Path) -> None:
    """Before 73/2005 payments without commission are wrong one by one."""
    started = [f"2005-11-28T12:0{n}:00+08:00" for n in range(3)]

    assert ["PAY-001"] * 3 == audited(day_of(["100"] * 3, started_at=started), tmp_path).codes


THE_DAY = dt.date(2024, 3, 1)
"""Rounds of this calendar day before six in the morning are of the gaming day before."""


def around_six(before: list[str], after: list[str], **more: object) -> dict[str, object]:
    """Rounds in the minutes before six o'clock and from it on, each with one wager."""
    minutes = [*range(-len(before), 0), *range(len(after))]
    six = dt.datetime.fromisoformat("2024-03-01T06:00:00+08:00")
    started = [(six + dt.timedelta(minutes=n)).isoformat() for n in minutes]
    return day_of([*before, *after], started_at=started, shoe_id="", **more)


def on_day(data: dict[str, object], folder: Path, day: dt.date | None) -> Audited:
    """A run for one day, in a folder of its own."""
    own = folder / str(day)
    own.mkdir()
    return audited(data, own, day=day)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        # Neither day alone has three.
        (["100"] * 2, ["100"], ["OPT-004"]),
        (["100"], ["100"] * 2, ["OPT-004"]),
        (["100"], ["100"], ["PAY-001"]),
        # Nine in ten are counted over both days.
        (["95"], ["100"] * 9, ["OPT-004"]),
        (["95"], ["100"] * 8, ["PAY-001"] * 8),
        (["95"] * 2, ["100"] * 9, ["PAY-001"] * 9),
        # A wager paid as recorded tells the schemes apart too, and so the finding stands.
        (["100"] * 9, ["95"], ["OPT-004"]),
        (["100"] * 9, ["42"], ["OPT-004", "PAY-002"]),
    ],
)
def test_votes_are_those_of_the_whole_input(
    before: list[str], after: list[str], expected: list[str], tmp_path: Path
) -> None:
    """The wagers of a table and legal day are answered alike, whichever gaming day is asked for."""
    assert expected == sorted(audited(around_six(before, after), tmp_path, day=THE_DAY).codes)


def test_no_finding_where_no_wager_of_the_days_tells(tmp_path: Path) -> None:
    """OPT-004 is left to the run of the day whose wagers tell the schemes apart."""
    lost = around_six(["100"] * 3, ["0"], bet=["banker"] * 3 + ["player"])

    assert [] == on_day(lost, tmp_path, THE_DAY).codes
    assert ["OPT-004"] == on_day(lost, tmp_path, THE_DAY - dt.timedelta(days=1)).codes


def test_the_finding_is_the_same_whatever_the_days(tmp_path: Path) -> None:
    """It tells of all rounds of the table and legal day, so that both nights name one finding."""
    data = around_six(["100"] * 2, ["100"] * 2)
    days = [None, THE_DAY - dt.timedelta(days=1), THE_DAY]
    (row, *_), *others = (on_day(data, tmp_path, day).rows for day in days)

    assert [[row], [row]] == others
    assert ("R1", "R4", 4) == (row["first_round_id"], row["last_round_id"], row["rounds_affected"])


def test_votes_of_another_legal_day_do_not_count(tmp_path: Path) -> None:
    """The gaming day ends on the next legal day, whose wagers are a group of their own."""
    started = ["2024-03-01T23:58:00+08:00", "2024-03-01T23:59:00+08:00", "2024-03-02T00:00:00+08:00"]

    assert ["PAY-001"] * 3 == audited(day_of(["100"] * 3, started_at=started, shoe_id=""), tmp_path, day=THE_DAY).codes


@pytest.mark.parametrize(("before", "expected"), [(3, []), (2, ["PAY-002"])])
def test_a_push_that_other_days_leave_open(before: int, expected: list[str], tmp_path: Path) -> None:
    """Whether a pushed three-card 7 is open is decided by the whole table and legal day, also without OPT-004 here."""
    data = around_six(["100"] * before, ["0"])
    hands = {
        "player_cards": ["3C 4S"] * before + ["10S 2H 2D"],
        "banker_cards": ["9H KD"] * before + ["KD 2C 5S"],
    }
    done = audited(data | hands, tmp_path, day=THE_DAY)

    assert expected == done.codes
    assert (not expected) == (("PAY-001", "unread_2_2009") in done.open)
    assert {"violation" if expected else "not_evaluated": 1} == done.verdicts


@pytest.mark.parametrize(
    ("recorded", "stake", "payout", "expected"),
    [
        ("none", "130", "124", ["OPT-004"]),
        ("none", "130", "123.50", ["OPT-004"]),
        ("none", "130", "123", ["PAY-002"] * 3),
        ("standard", "130", "130", ["OPT-004"]),
        ("standard", "130", "123.50", []),
        # Rounded, five per cent of 6 are nothing: what is due does not tell the schemes apart.
        ("none", "6", "5.70", ["PAY-002"] * 3),
        ("standard", "6", "5.70", []),
    ],
)
def test_a_rounding_unit_leaves_the_exact_sum_a_vote(
    recorded: str, stake: str, payout: str, expected: list[str], tmp_path: Path
) -> None:
    """A wager paid exactly, by a house that rounds to whole units, shows the scheme as one paid in round sums does."""
    rounds = {"rounds": [{"commission": recorded}] * 3, "configuration": {"rounding_unit": "1"}}

    assert expected == audited(day_of([payout] * 3) | rounds | {"stake": stake}, tmp_path).codes
