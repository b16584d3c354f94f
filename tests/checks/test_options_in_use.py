"""OPT-001 to OPT-003: what counts as use, and on which days the register covers it."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from tests.audited import audited

OTHER = [{"option": "tie", "value": "kept", "tables": "T9"}]
"""A register that covers nothing in use."""

TIE = {"player_cards": "9H KD", "banker_cards": "9C KS", "payout": "0"}


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ({"rounds": [{"commission": "none"}]}, [("commission", "none", "18(2)")]),
        ({"rounds": [{"commission": "standard"}]}, []),
        ({"rounds": [{"commission": "other"}]}, []),
        ({"status": "demonstration"}, [("demonstration", "allowed", "2(2)")]),
        (
            {"status": "void", "void_reason": "spilt", "dealing": "auto_shuffler"},
            [("dealing", "auto_shuffler", "2(3)")],
        ),
        ({"dealing": "shoe"}, []),
        ({"draw_method": "method_1"}, []),
        ({"game": "makccarat", "draw_method": "method_1"}, [("draw_method", "method_1", "9(2)")]),
        ({"game": "makccarat", "draw_method": "method_2"}, [("draw_method", "method_2", "9(2)")]),
        ({"bet": "panda", "payout": "0"}, [("bet", "panda", "13(4)")]),
        ({"bet": "player_pair", "payout": "0"}, []),
        ({"bet": "dragon_seven", "payout": "0"}, []),
        ({**TIE, "bet": "player", "tie_choice": "kept"}, [("tie", "kept", "12")]),
        ({**TIE, "bet": "banker", "tie_choice": "cancelled"}, [("tie", "cancelled", "12")]),
        ({**TIE, "bet": "tie", "payout": "800", "tie_choice": "kept"}, []),
        ({"bet": "player", "tie_choice": "kept"}, []),
        ({**TIE, "bet": "player", "tie_choice": "kept", "status": "void", "stake_returned": "100"}, []),
        ({"event": "burn", "burn_rule": "decks", "count": 8}, []),
        ({"event": "burn", "burn_rule": "first_card", "count": 7, "cards": "7D"}, [("burn", "first_card", "2(1)")]),
        ({"event": "burn", "burn_rule": "fixed", "count": 3}, [("burn", "fixed_3", "2(1)")]),
    ],
)
def test_use(rows: dict[str, object], found: list[tuple[str, str, str]], tmp_path: Path) -> None:
    """Every choice that rounds, wagers or events show is in use; what the articles state as the rule needs nothing."""
    done = audited({"approvals": OTHER, "void_reason": "spilt", **rows}, tmp_path)
    uses = [row for row in done.told("option", "value", "article") if row[0].startswith("OPT")]

    assert [("OPT-001", *each) for each in found] == uses


@pytest.mark.parametrize(
    ("game", "day", "bet", "expected"),
    [
        ("baccarat", "2009-06-23", "panda", ("OPT-001", "authorised")),
        ("baccarat", "2009-06-22", "panda", None),
        ("baccarat", "2009-01-01", "panda", None),
        ("baccarat", "2008-12-31", "panda", ("OPT-001", "not_permitted")),
        ("makccarat", "2024-03-01", "panda", ("OPT-001", "not_permitted")),
        ("baccarat", "2009-01-01", "dragon_seven", None),
        ("baccarat", "2008-12-31", "dragon_seven", ("OPT-001", "not_permitted")),
        ("baccarat", "2018-04-23", "lucky_six", ("OPT-001", "authorised")),
        ("baccarat", "2018-04-24", "lucky_six", None),
        ("baccarat", "2007-02-22", "jackpot", ("OPT-001", "not_permitted")),
        ("baccarat", "2007-02-23", "jackpot", None),
    ],
)
@pytest.mark.parametrize("register", [True, False])
def test_bets(game: str, day: str, bet: str, expected: tuple[str, str] | None, register: bool, tmp_path: Path) -> None:
    """A bet outside the list of its day needs the register, or no register could allow it."""
    rows = {"game": game, "started_at": f"{day}T12:00:00+08:00", "bet": bet, "payout": "0"}
    done = audited(rows | ({"approvals": OTHER} if register else {}), tmp_path)
    needs_register = expected is not None and expected[1] == "authorised"

    assert ([expected] if expected and (register or not needs_register) else []) == done.told("expected")


@pytest.mark.parametrize(
    ("day", "register", "expected"),
    [
        ("2005-11-28", False, "not_permitted"),
        ("2005-11-28", True, "not_permitted"),
        ("2005-11-29", False, None),
        ("2005-11-29", True, "authorised"),
    ],
)
def test_no_commission_before_its_law(day: str, register: bool, expected: str | None, tmp_path: Path) -> None:
    """Before 73/2005 no register could allow the scheme without commission."""
    rows = {"started_at": f"{day}T12:00:00+08:00", "rounds": [{"commission": "none"}]}
    done = audited(rows | ({"approvals": OTHER} if register else {}), tmp_path)

    assert ([("OPT-001", expected, "unauthorised")] if expected else []) == done.told("expected", "observed")


def test_days_before_and_after_the_law_are_one_finding(tmp_path: Path) -> None:
    """One finding for both kinds of days: a register could allow one of them."""
    days = ["2005-11-28T12:00:00+08:00", "2005-11-29T12:00:00+08:00"]
    rows = {"started_at": days, "rounds": [{"commission": "none"}] * 2, "shoe_id": ""}
    done = audited(rows | {"approvals": OTHER}, tmp_path)

    assert [("OPT-001", "authorised", 2, "R1", "R2")] == done.told(
        "expected", "rounds_affected", "first_round_id", "last_round_id"
    )


def used_on(*days: int, **entry: str) -> dict[str, object]:
    """Method 1 at a Makccarat table on days of March 2024, and one entry of the register."""
    started = [f"2024-03-{d:02}T12:00:00+08:00" for d in days]
    approval = {"option": "draw_method", "value": "method_1", **entry}
    rows = {"game": "makccarat", "draw_method": "method_1", "shoe_id": "", "round_no": 1, "started_at": started}
    return rows | {"approvals": [approval]}


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (used_on(7, 8, 9, planned_from="2024-03-08"), [("OPT-002", "A1", "early", "R1", "R1", 1)]),
        (used_on(5, 7, 8, planned_from="2024-03-08"), [("OPT-002", "A1", "early", "R1", "R2", 2)]),
        (used_on(8, 9, 10, planned_from="2024-03-01", authorised_at="2024-03-10"),
         [("OPT-002", "A1", "early", "R1", "R2", 2)]),
        (used_on(8, 9, 10, ends_on="2024-03-09"), [("OPT-003", "A1", "expired", "R3", "R3", 1)]),
        (used_on(8, 9, 10, ends_on="2024-03-07"), [("OPT-003", "A1", "expired", "R1", "R3", 3)]),
        (used_on(8, tables="T9"), [("OPT-001", None, "unauthorised", "R1", "R1", 1)]),
        (used_on(8, casino="Outra"), [("OPT-001", None, "unauthorised", "R1", "R1", 1)]),
        (used_on(8, casino="Casa"), []),
        (used_on(8, decision="refused"), [("OPT-001", None, "unauthorised", "R1", "R1", 1)]),
        (used_on(8, value="method_2"), [("OPT-001", None, "unauthorised", "R1", "R1", 1)]),
        (used_on(8, game="baccarat"), [("OPT-001", None, "unauthorised", "R1", "R1", 1)]),
        (used_on(3, 12, planned_from="2024-03-05", ends_on="2024-03-10"), [
            ("OPT-002", "A1", "early", "R1", "R1", 1), ("OPT-003", "A1", "expired", "R2", "R2", 1)]),
    ],
)  # fmt: skip
def test_cover(rows: dict[str, object], expected: list[tuple[object, ...]], tmp_path: Path) -> None:
    """Each day of use is covered, early, expired or never authorised; one finding for the days of a kind."""
    done = audited(rows, tmp_path)
    columns = ("approval_id", "observed", "first_round_id", "last_round_id", "rounds_affected")

    assert expected == sorted(row for row in done.told(*columns) if row[0].startswith("OPT"))


def test_tables_are_judged_apart(tmp_path: Path) -> None:
    """One finding for each table, its rounds in the order of time, number and id."""
    noon = "2024-03-01T12:00:00+08:00"
    rows = {
        "rounds": [{"commission": "none"}] * 5,
        "table_id": ["T2", "T1", "T1", "T1", "T1"],
        "started_at": [noon, noon, noon, noon, "2024-03-01T11:59:59+08:00"],
        "round_no": [1, 2, 1, 2, 7],
        "round_id": ["R1", "R3", "R9", "R2", "R7"],
        "shoe_id": "",
    }
    done = audited(rows | {"approvals": OTHER}, tmp_path)

    assert [("OPT-001", "T1", "R7", "R3", 4, None), ("OPT-001", "T2", "R1", "R1", 1, None)] == sorted(
        done.told("table_id", "first_round_id", "last_round_id", "rounds_affected", "round_id")
    )


def test_games_at_one_table_are_judged_apart(tmp_path: Path) -> None:
    """The same choice in two games is two uses."""
    rows = {"game": ["baccarat", "makccarat"], "rounds": [{"commission": "none"}] * 2, "shoe_id": ""}
    done = audited(rows | {"approvals": OTHER}, tmp_path)

    assert {("OPT-001", "baccarat"), ("OPT-001", "makccarat")} == set(done.told("game"))


def test_without_a_register(tmp_path: Path) -> None:
    """Uses are counted as open by their rounds, and stand in the table of options."""
    done = audited({"rounds": [{"commission": "none"}] * 3, "shoe_id": ""}, tmp_path)
    (used,) = [row for row in done.manifest["options"] if row["rounds"]]

    assert [] == done.codes
    assert done.counted["OPT-001", "no_register"] == 3
    assert ("commission", "none", 3, "not_evaluated", None) == tuple(
        used[name] for name in ("option", "value", "rounds", "state", "approval_id")
    )


@pytest.mark.parametrize(
    ("rows", "shown"),
    [
        ({}, set()),
        ({"rounds": [{"commission": "standard"}]}, {"commission"}),
        ({"dealing": "shoe"}, {"dealing"}),
        ({"event": "burn", "burn_rule": "decks", "count": 8}, {"burn"}),
        ({"event": "cut_card_out"}, {"last_round"}),
        ({"event": "cut_card_placed", "count": 12}, set()),
        ({**TIE, "bet": "player", "tie_choice": "cancelled"}, {"tie"}),
        ({"game": "makccarat", "draw_method": "method_1"}, {"draw_method"}),
    ],
)
def test_options_that_the_input_shows(rows: dict[str, object], shown: set[str], tmp_path: Path) -> None:
    """The others are named as open, each once; baccarat has no drawing method to show."""
    done = audited(rows, tmp_path)
    every = {"dealing", "commission", "burn", "last_round", "tie"}
    every |= {"draw_method"} if rows.get("game") == "makccarat" else set()
    silent = [row["option"] for row in done.manifest["options"] if not row["rounds"]]

    assert sorted(every - shown) == silent
    assert done.counted["OPT-001", "option_not_shown"] == len(every - shown)


def test_the_day_asked_for(tmp_path: Path) -> None:
    """Uses of other days are not told."""
    done = audited(used_on(7, 8, 9, tables="T9"), tmp_path, day=dt.date(2024, 3, 8))

    assert [("OPT-001", "R2", 1)] == done.told("first_round_id", "rounds_affected")


def test_the_rows_of_the_table_of_options(tmp_path: Path) -> None:
    """Each use is a row with its days, rounds and state."""
    done = audited(used_on(3, 6, 8, planned_from="2024-03-05", ends_on="2024-03-10"), tmp_path)
    rows = [row for row in done.manifest["options"] if row["rounds"]]

    assert [("2024-03-03", "2024-03-03", 1, "early", "A1"), ("2024-03-06", "2024-03-08", 2, "authorised", "A1")] == [
        tuple(row[name] for name in ("first_day", "last_day", "rounds", "state", "approval_id")) for row in rows
    ]


def test_an_option_and_an_entry_are_the_same_finding_on_two_nights(tmp_path: Path) -> None:
    """Another day, other rounds and more of them: the house's choice without cover has the id that it had."""
    entries = [
        {"option": "commission", "value": "none", "planned_from": "2024-02-01", "ends_on": "2024-02-20"},
        {"option": "tie", "value": "kept", "applied_at": "2024-03-11T10:00:00+08:00", "planned_from": "2024-03-12"},
        {"option": "burn", "value": "first_card", "applied_at": ""},
    ]
    nights = []
    for day, numbers in (("2024-03-01", [1]), ("2024-03-02", [1, 2])):
        started = [f"{day}T12:0{n}:00+08:00" for n in numbers]
        rows = {"rounds": [{"commission": "none"} for _ in numbers], "round_no": numbers, "started_at": started}
        bets = {**TIE, "wager_id": [f"W{n}" for n in numbers], "bet": ["panda", "player"][: len(numbers)]}
        folder = tmp_path / day
        folder.mkdir()
        nights.append(audited({**rows, **bets, "tie_choice": "kept", "approvals": entries}, folder))
    first, second = ({row["finding_id"]: row["code"] for row in night.rows} for night in nights)

    assert {"APR-001", "APR-002", "OPT-001", "OPT-003"} == set(first.values())
    assert first.items() <= second.items()
    assert ["OPT-002"] == [second[name] for name in second.keys() - first.keys()]
