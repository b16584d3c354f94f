"""PAY-001 to PAY-005 on whole logs: which wagers are looked at, which are open, and why."""

from __future__ import annotations

from pathlib import Path

import pytest

from audit.base.resources import resource_dir
from tests.audited import audited

BANKER_9 = {"player_cards": "3C 4S", "banker_cards": "9H KD"}
TIE = {"player_cards": "9C KS", "banker_cards": "9H KD"}
BANKER_37 = {"player_cards": "10S 2H 2D", "banker_cards": "KD 2C 5S"}
"""The banker wins with seven in three cards."""


@pytest.mark.parametrize(
    ("hand", "wager", "expected"),
    [
        (BANKER_9, {"bet": "player", "payout": "0"}, []),
        (BANKER_9, {"bet": "player", "payout": "0.01"}, ["PAY-001"]),
        (BANKER_9, {"bet": "player", "payout": "0", "commission": "0.01"}, ["PAY-003"]),
        (BANKER_9, {"bet": "player", "payout": "0", "stake_returned": "0.01"}, ["PAY-004"]),
        (BANKER_9, {"bet": "player", "payout": "0", "commission": "0", "stake_returned": "0"}, []),
        (BANKER_9, {"bet": "banker", "payout": "95"}, []),
        (BANKER_9, {"bet": "banker", "payout": "0"}, ["PAY-002"]),
        (BANKER_9, {"bet": "banker", "payout": "95", "commission": "5"}, []),
        (BANKER_9, {"bet": "banker", "payout": "95", "commission": "4.99"}, ["PAY-003"]),
        (BANKER_9, {"bet": "banker", "payout": "95", "stake_returned": "0"}, ["PAY-004"]),
        (BANKER_9, {"bet": "banker", "payout": "95", "stake_returned": "100"}, []),
        (TIE, {"bet": "banker", "payout": "0"}, []),
        (TIE, {"bet": "banker", "payout": "0.01"}, ["PAY-001"]),
        (TIE, {"bet": "banker", "payout": "0", "stake_returned": "0"}, ["PAY-004"]),
        (TIE, {"bet": "banker", "payout": "0", "stake_returned": "100"}, []),
        (TIE, {"bet": "tie", "payout": "0"}, ["PAY-002"]),
    ],
)
def test_each_sum_is_looked_at(
    hand: dict[str, str], wager: dict[str, str], expected: list[str], tmp_path: Path
) -> None:
    """Wagers won, lost and pushed: a sum that moved is judged, on a lost wager too; what is not recorded is not."""
    done = audited({**hand, **wager, "stake": "100"}, tmp_path)

    assert expected == done.codes
    assert {"violation" if expected else "conforming": 1} == done.verdicts


def test_what_a_finding_says(tmp_path: Path) -> None:
    """The wager, its sums, the article, and where it stands in the input."""
    rows = {"round_no": [1, 2], "wager_id": ["W1", "W2"], "bet": ["player", "banker"], "payout": ["0", "96"]}
    done = audited({**BANKER_9, **rows, "stake": "100", "currency": ["HKD", "MOP"]}, tmp_path)

    assert [("PAY-001", "W2", "R2", "95.00", "96.00", "1.00", "MOP", "wagers.csv", 2, "18(1)")] == done.told(
        "wager_id", "round_id", "expected", "observed", "amount", "currency", "source_file", "source_row", "article"
    )


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (BANKER_9 | {"started_at": "2004-05-17T12:00:00+08:00"}, "before_coverage"),
        ({"player_cards": "", "banker_cards": "", "player_points": 7, "banker_points": 9}, "cards_missing"),
        ({"player_cards": "3C", "banker_cards": "9H KD"}, "card_count"),
        (BANKER_9 | {"rounds": [{"commission": "other"}]}, "commission_word_unknown"),
        (BANKER_37 | {"rounds": [{"commission": "none"}]}, "unread_2_2009"),
        (BANKER_9 | {"bet": "jackpot"}, "bet_odds_unknown"),
        (BANKER_9 | {"bet": "dragon_seven"}, "unread_2_2009"),
        (BANKER_9 | {"bet": "panda"}, "bet_odds_unknown"),
    ],
)
def test_what_is_open(row: dict[str, object], reason: str, tmp_path: Path) -> None:
    """A wager that cannot be judged is counted by reason, and its round is not evaluated."""
    wagers = [{"round_id": "R1", "bet": row.get("bet", "banker"), "payout": "0"}, {"round_id": "R2", "payout": "100"}]
    first = {name: value for name, value in row.items() if name not in {"bet", "rounds"}}
    (more,) = row.get("rounds", [{}])  # type: ignore[attr-defined]
    done = audited({"rounds": [{**first, **more}, {}], "wagers": wagers, "shoe_id": ""}, tmp_path)

    assert [] == [code for code in done.codes if code.startswith("PAY")]
    assert done.counted["PAY-001", reason] == 1
    assert done.verdicts["conforming"] == 1


SMALL_SIX = str(resource_dir("config") / "paytables" / "small_six.yaml")
"""A paytable of the house: the banker wins with six in two cards, 22 for 1."""


@pytest.mark.parametrize(
    ("game", "day", "judged"),
    [
        ("baccarat", "2007-08-01", False),
        ("baccarat", "2008-12-31", False),
        ("baccarat", "2009-01-01", False),
        ("baccarat", "2009-06-22", False),
        ("baccarat", "2009-06-23", True),
        ("baccarat", "2024-03-01", True),
        ("makccarat", "2024-03-01", False),
    ],
)
@pytest.mark.parametrize(("payout", "expected"), [("2200", []), ("100", ["PAY-002"]), ("2201", ["PAY-001"])])
def test_a_paytable_counts_once_the_director_may_authorise_it(
    game: str, day: str, judged: bool, payout: str, expected: list[str], tmp_path: Path
) -> None:
    """Before article 13(4) of 69/2009, and in Makccarat, what a bet of the house was due is not evaluated."""
    hand = {"player_cards": "KS 10D 10H", "banker_cards": "QH 6C", "draw_method": "method_1"}
    wager = {"bet": "small_six", "stake": "100", "payout": payout, "configuration": {"paytables": [SMALL_SIX]}}
    done = audited({**hand, **wager, "game": game, "started_at": f"{day}T12:00:00+08:00"}, tmp_path)

    assert (expected if judged else []) == [code for code in done.codes if code.startswith("PAY")]
    assert (not judged) == (("PAY-001", "bet_odds_unknown") in done.open)
    assert {"not_evaluated" if not judged else "violation" if expected else "conforming": 1} == done.verdicts


@pytest.mark.parametrize(
    ("payout", "expected"), [("0", None), ("100", None), ("50", "PAY-002"), ("95", "PAY-002"), ("101", "PAY-001")]
)
def test_three_card_seven_without_commission(payout: str, expected: str | None, tmp_path: Path) -> None:
    """Only the push is open, for 2/2009 is unread; any other wrong sum is wrong."""
    rows = {**BANKER_37, "rounds": [{"commission": "none"}], "bet": "banker", "payout": payout}
    done = audited(rows, tmp_path)

    assert ([expected] if expected else []) == done.codes
    assert (payout == "0") == (("PAY-001", "unread_2_2009") in done.open)


UNDECIDED = {"game": "makccarat", "player_cards": "9H KD", "banker_cards": "9C KS"}
"""A tie of naturals: both methods agree on the cards, and pay it 14 and 9 to 1."""


@pytest.mark.parametrize(
    ("bet", "payout", "expected"),
    [
        ("tie", "1400", None),
        ("tie", "900", None),
        ("tie", "1401", ("PAY-001", "1400.00", "1.00")),
        ("tie", "899", ("PAY-002", "900.00", "-1.00")),
        ("tie", "1000", None),
        ("player", "0", None),
        ("player", "1", ("PAY-001", "0.00", "1.00")),
    ],
)
def test_method_in_doubt(bet: str, payout: str, expected: tuple[str, ...] | None, tmp_path: Path) -> None:
    """Without a method what both find is told, against the nearer sum; where they differ the wager is open."""
    done = audited({**UNDECIDED, "bet": bet, "payout": payout}, tmp_path)
    unsure = bet == "tie" and expected is None

    assert ([expected] if expected else []) == done.told("expected", "amount")
    assert unsure == (("PAY-001", "draw_method_unknown") in done.open)
    assert {"violation" if expected else "not_evaluated" if unsure else "conforming": 1} == done.verdicts


def test_lost_bets_are_in_no_doubt(tmp_path: Path) -> None:
    """What both methods answer alike is answered, also where nothing moved."""
    done = audited({"game": "makccarat", **BANKER_9, "bet": ["tie", "player_pair"], "payout": "0"}, tmp_path)

    assert {"conforming": 1} == done.verdicts


@pytest.mark.parametrize(
    ("entry", "payout", "expected"),
    [
        ({}, "900", None),
        ({}, "700", "PAY-002"),
        ({"value": "player_pair"}, "900", "PAY-001"),
        ({"tables": "T9"}, "900", "PAY-001"),
        ({"planned_from": "2024-03-02"}, "900", "PAY-001"),
        ({"planned_from": "2024-03-01"}, "900", None),
        ({"ends_on": "2024-02-29"}, "900", "PAY-001"),
    ],
)
def test_prize(entry: dict[str, str], payout: str, expected: str | None, tmp_path: Path) -> None:
    """An authorised prize leaves a higher payment open on its bet, tables and days; a lower one is wrong."""
    register = [{"option": "prize", "value": "tie", **entry}]
    done = audited({**TIE, "bet": "tie", "payout": payout, "approvals": register}, tmp_path)

    assert ([expected] if expected else []) == done.codes
    assert (expected is None) == (("PAY-001", "prize_authorised") in done.open)


def test_no_prize_where_no_law_knows_one(tmp_path: Path) -> None:
    """In Makccarat no prize can be authorised."""
    register = [{"option": "prize", "value": "tie"}]
    done = audited(
        {**UNDECIDED, "draw_method": "method_2", "bet": "tie", "payout": "901", "approvals": register}, tmp_path
    )

    assert "PAY-001" in done.codes


@pytest.mark.parametrize(
    ("status", "wager", "expected"),
    [
        ("void", {"payout": "0"}, None),
        ("void", {"payout": "0", "stake_returned": "99"}, ("10", "-1.00")),
        ("void", {"payout": "100"}, ("10", "100.00")),
        ("demonstration", {"payout": "0", "stake_returned": "100"}, ("2(2)", "0.00")),
    ],
)
def test_unplayed(status: str, wager: dict[str, str], expected: tuple[str, str] | None, tmp_path: Path) -> None:
    """Void rounds give everything back; demonstrations have no wagers. Nothing else is asked of them."""
    rows = {**BANKER_9, "status": status, "void_reason": "spilt", "bet": "player", "stake": "100"}
    done = audited({**rows, **wager}, tmp_path)

    assert ([("PAY-005", *expected)] if expected else []) == done.told("article", "amount")
    assert {"violation" if expected else "conforming": 1} == done.verdicts


def test_settled_among_others(tmp_path: Path) -> None:
    """Rounds of every kind in one log: each wager is judged by its own round."""
    status = ["settled", "void", "demonstration", "settled"]
    rows = {"player_cards": "3C 4S", "banker_cards": "9H KD", "status": status, "void_reason": "spilt", "decks": ""}
    done = audited(
        {**rows, "bet": "banker", "payout": "94", "wager_id": ["W1", "W2", "W3", "W4"], "shoe_id": ""}, tmp_path
    )

    assert [("PAY-002", "W1"), ("PAY-002", "W4"), ("PAY-005", "W2"), ("PAY-005", "W3")] == sorted(
        row for row in done.told("wager_id") if row[0].startswith("PAY")
    )


def test_a_drawing_error_does_not_hide_a_wrong_payment(tmp_path: Path) -> None:
    """Wagers of a hand with a departure are judged on the cards as dealt."""
    done = audited({"player_cards": "2H 3S", "banker_cards": "KD 7C", "bet": "banker", "payout": "100"}, tmp_path)

    assert ["DRW-001", "PAY-001"] == sorted(done.codes)


def test_scheme_of_the_register(tmp_path: Path) -> None:
    """Where a round records no scheme, the only one that the register authorises decides what is due."""
    register = [{"option": "commission", "value": "none"}]
    done = audited({**BANKER_9, "bet": "banker", "payout": "100", "approvals": register}, tmp_path)

    assert [] == done.codes


def test_rounding_unit(tmp_path: Path) -> None:
    """A house that rounds commission to whole units is judged by its unit."""
    rows = {**BANKER_9, "bet": "banker", "stake": "30", "configuration": {"rounding_unit": "1"}}
    done = audited({**rows, "wager_id": ["W1", "W2"], "payout": ["29", "28"]}, tmp_path)

    assert [("PAY-002", "W2")] == done.told("wager_id")


BANKER_6 = {"player_cards": "10S 2H 3D", "banker_cards": "KD 6C", "rounds": [{"commission": "none"}]}


@pytest.mark.parametrize(
    ("hand", "stake", "payout", "commission", "expected"),
    [
        # Five per cent of 130 are 6.50: a tie, to the bettor; the exact sum is right too.
        (BANKER_9, "130", "124", "6", None),
        (BANKER_9, "130", "123.50", "6.50", None),
        (BANKER_9, "130", "123.50", "", None),
        (BANKER_9, "130", "123", "7", ("PAY-002", "-1.00")),
        (BANKER_9, "130", "123.49", "", ("PAY-002", "-0.51")),
        (BANKER_9, "130", "123.51", "", ("PAY-002", "-0.49")),
        (BANKER_9, "130", "124.01", "", ("PAY-001", "0.01")),
        (BANKER_9, "130", "124", "7", ("PAY-003", "-0.50")),
        (BANKER_9, "130", "123.50", "6.51", ("PAY-003", "-0.01")),
        # 6.75 are nearest to 7, 6.25 to 6: to the nearest multiple, whoever gains by it.
        (BANKER_9, "135", "128", "7", None),
        (BANKER_9, "135", "128.25", "6.75", None),
        (BANKER_9, "135", "129", "6", ("PAY-001", "1.00")),
        (BANKER_9, "125", "119", "6", None),
        (BANKER_9, "125", "118.75", "6.25", None),
        (BANKER_9, "125", "118", "7", ("PAY-002", "-1.00")),
        # Half a payment: 65.50 is a tie.
        (BANKER_6, "131", "66", "0", None),
        (BANKER_6, "131", "65.50", "0", None),
        (BANKER_6, "131", "65", "0", ("PAY-002", "-1.00")),
        (BANKER_6, "130.50", "65", "0", None),
        (BANKER_6, "130.50", "66", "0", ("PAY-001", "1.00")),
    ],
)
def test_the_exact_sum_is_right_beside_the_rounded_one(
    hand: dict[str, object],
    stake: str,
    payout: str,
    commission: str,
    expected: tuple[str, str] | None,
    tmp_path: Path,
) -> None:
    """With a rounding unit of 1 both the sum rounded to it and the one exact to the cent are right, and no other."""
    wager = {"bet": "banker", "stake": stake, "payout": payout, "commission": commission, "stake_returned": stake}
    rows = {"wagers": [wager], "configuration": {"rounding_unit": "1"}}
    done = audited({**hand, **rows}, tmp_path)

    assert ([expected] if expected else []) == done.told("amount")


def test_without_a_unit_nothing_is_rounded(tmp_path: Path) -> None:
    """What a unit would allow is wrong where the house has none."""
    done = audited({**BANKER_9, "bet": "banker", "stake": "130", "payout": "124"}, tmp_path)

    assert [("PAY-001", "123.50", "0.50")] == done.told("expected", "amount")
