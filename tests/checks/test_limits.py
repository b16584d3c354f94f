"""LIM-001: stakes against the limits of the configuration."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.audited import audited


def limits(*sections: dict[str, object]) -> dict[str, object]:
    """A configuration with these limits."""
    return {"configuration": {"limits": tuple(sections)}}


def stake(amount: str, **more: object) -> dict[str, object]:
    """A losing wager on the player."""
    lost = {"player_cards": "3C 4S", "banker_cards": "9H KD", "bet": "player", "stake": amount, "payout": "0"}
    return lost | more


RANGE = {"min": "100", "max": "500"}


@pytest.mark.parametrize(
    ("limit", "amount", "expected"),
    [
        (RANGE, "99.9999", "100.00..500.00"),
        (RANGE, "100", None),
        (RANGE, "500", None),
        (RANGE, "500.0001", "100.00..500.00"),
        ({"min": "100"}, "1000000", None),
        ({"min": "100"}, "99", "100.00.."),
        ({"max": "500"}, "0.0001", None),
        ({"max": "500"}, "501", "0.00..500.00"),
    ],
)
def test_both_ends(limit: dict[str, object], amount: str, expected: str | None, tmp_path: Path) -> None:
    """The least and the greatest stake are within the limits; a limit may have one end only."""
    done = audited(stake(amount) | limits(limit), tmp_path)

    assert ([("LIM-001", expected, "14")] if expected else []) == done.told("expected", "article")
    assert ("LIM-001", "no_limits") not in done.open
    assert {"conforming": 1} == done.verdicts


@pytest.mark.parametrize(
    ("limit", "judged"),
    [
        ({"tables": "T1"}, True),
        ({"tables": "T2"}, False),
        ({"tables": "T2 T1"}, True),
        ({"casino": "Casa"}, True),
        ({"casino": "Outra"}, False),
        ({"bet": "player"}, True),
        ({"bet": "banker"}, False),
        ({"currency": "HKD"}, True),
        ({"currency": "MOP"}, False),
    ],
)
def test_whom_a_limit_is_for(limit: dict[str, object], judged: bool, tmp_path: Path) -> None:
    """A limit is for its house, tables, bet and currency; a wager that none is for is open."""
    done = audited(stake("1") | limits({**RANGE, **limit}), tmp_path)

    assert (["LIM-001"] if judged else []) == done.codes
    assert ({} if judged else {("LIM-001", "no_limits"): 1}) == done.open


def test_currency_that_is_not_recorded(tmp_path: Path) -> None:
    """A stake without a currency is not held against the limit of one."""
    done = audited(stake("1", currency="") | limits({**RANGE, "currency": "HKD"}), tmp_path)

    assert [] == done.codes
    assert done.open["LIM-001", "no_limits"] == 1


def test_no_limits_at_all(tmp_path: Path) -> None:
    """Without limits every wager is open."""
    assert {("LIM-001", "no_limits"): 2} == audited(stake("1", wager_id=["W1", "W2"]), tmp_path).open


def test_the_first_limit_that_fits_decides(tmp_path: Path) -> None:
    """A wager is judged once, by the first limit for it; a limit of the difference alone judges no stake."""
    first = {"bet": "player", "min": "10"}
    done = audited(stake("50", wager_id=["W1"]) | limits({"differential": "1000"}, first, RANGE), tmp_path)
    other = tmp_path / "other"
    other.mkdir()

    assert [] == done.codes
    assert {} == done.open
    assert [("LIM-001", "100.00..500.00")] == audited(stake("50") | limits(RANGE, first), other).told("expected")


@pytest.mark.parametrize(
    ("player", "banker", "found"),
    [("300", "200", None), ("300.01", "200", "100.01"), ("200", "300", None), ("200", "300.01", "100.01")],
)
def test_difference(player: str, banker: str, found: str | None, tmp_path: Path) -> None:
    """All stakes on one side may exceed those on the other by the limit, not by more, whichever side it is."""
    wagers = [
        {"round_id": "R1", "bet": "player", "stake": "1", "payout": "0"},
        {"round_id": "R1", "bet": "player", "stake": player, "payout": "0"},
        {"round_id": "R1", "bet": "banker", "stake": banker, "payout": "0"},
        {"round_id": "R1", "bet": "banker", "stake": "1", "payout": "0"},
        {"round_id": "R1", "bet": "tie", "stake": "9000", "payout": "72000"},
    ]
    tie = {"player_cards": "9C KH", "banker_cards": "9H KD", "wagers": wagers}
    done = audited(tie | limits({"differential": "100"}), tmp_path)

    assert ([("LIM-001", "<= 100.00", found, "R1")] if found else []) == done.told("expected", "observed", "round_id")
    assert all("between the stakes on player and banker" in row["message_en"] for row in done.rows)


def test_difference_of_each_round(tmp_path: Path) -> None:
    """The difference is that of a round: two rounds do not add up."""
    wagers = [{"round_id": f"R{n}", "bet": "player", "stake": "100", "payout": "0"} for n in (1, 2)]
    rounds = {"player_cards": "3C 4S", "banker_cards": "9H KD", "round_no": [1, 2], "wagers": wagers}

    assert [] == audited(rounds | limits({"differential": "100"}), tmp_path).codes


def test_differences_of_two_limits(tmp_path: Path) -> None:
    """Each limit of the difference is for its own tables and currency."""
    wagers = [
        {"round_id": "R1", "bet": "player", "stake": "100", "payout": "0", "currency": "HKD"},
        {"round_id": "R1", "bet": "player", "stake": "100", "payout": "0", "currency": "MOP"},
    ]
    rounds = {"player_cards": "3C 4S", "banker_cards": "9H KD", "wagers": wagers}
    sections = limits({"currency": "HKD", "differential": "99"}, {"currency": "MOP", "differential": "100"})
    done = audited(rounds | sections, tmp_path)

    assert [("LIM-001", "<= 99.00", "100.00")] == done.told("expected", "observed")


@pytest.mark.parametrize(
    ("game", "day", "article"),
    [("makccarat", "2024-03-01", "13"), ("baccarat", "2024-03-01", "14"), ("baccarat", "2004-05-17", None)],
)
def test_article(game: str, day: str, article: str | None, tmp_path: Path) -> None:
    """The article that speaks of a limit is cited; before the first text nothing is found."""
    done = audited(stake("1", game=game, started_at=f"{day}T12:00:00+08:00") | limits(RANGE), tmp_path)

    assert ([("LIM-001", article)] if article else []) == done.told("article")
