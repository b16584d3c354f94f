"""The oracle against what was worked out by hand: it must be right before it may judge anything."""

from __future__ import annotations

import csv
import datetime as dt
import random
import re
from decimal import Decimal
from pathlib import Path

import pytest

from tests.oracle import auditor, dealer, drawing, settlement, slips, tables, workdays


def _random(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 - a repeatable game, no secret


SHARED = Path(__file__).resolve().parents[3] / "shared"


def test_each_position_has_a_sentence() -> None:
    """Art. 9 of the baccarat regulation says must or must not of every position, and never both but for naturals."""
    for player in range(10):
        for banker in range(10):
            drawing.baccarat_player(player, banker)
            thirds = [*range(10), None]
            for third in thirds:
                duty = drawing.baccarat_banker(player, banker, third)
                at = drawing.Position(player, banker, third)
                both = any(f(at) for _, f in drawing.BANKER_MUST) and any(f(at) for _, f in drawing.BANKER_MUST_NOT)

                assert not both or player in (8, 9)
                assert duty.articles


@pytest.mark.parametrize("game", ["baccarat", "makccarat"])
def test_one_lawful_ending(game: str) -> None:
    """Whatever the next two cards, a hand has exactly one lawful ending."""
    for method in drawing.METHODS:
        for player, banker, x, y in tables.states():
            if tables.NONE in (x, y):
                continue
            endings = [(10, 10), (x, 10), (10, y), (x, y)]

            assert sum(tables.rule(game, player, banker, *end, method).code is None for end in endings) == 1


def test_first_departure_stands_alone() -> None:
    """A player who missed a card and a banker who then drew wrongly are one finding, of the player."""
    ruling = drawing.judge("baccarat", [2, 3], [0, 7, 1])

    assert (ruling.code, ruling.side) == ("DRW-001", "player")


def test_makccarat_lower_side_first() -> None:
    """In Makccarat the banker draws first where it is lower, and the sequence says so."""
    assert drawing.sequence("makccarat", [0, 5, 1], [0, 2, 4], "method_1") == "PBPBBP"
    assert drawing.sequence("baccarat", [0, 5, 1], [0, 2, 4]) == "PBPBPB"


def test_makccarat_equal_after_first_draw() -> None:
    """Equal after the first draw: the other side draws in method 1 and the round is a tie in method 2."""
    assert drawing.judge("makccarat", [0, 5], [0, 2, 3], "method_1").code == "DRW-001"
    assert drawing.judge("makccarat", [0, 5], [0, 2, 3], "method_2") == drawing.Ruling(None, None, frozenset(), "tie")


@pytest.mark.parametrize(
    ("stake", "commission"),
    [("100", "5.00"), ("0.30", "0.01"), ("0.50", "0.02"), ("333.05", "16.65"), ("0.10", "0"), ("0.70", "0.03")],
)
def test_commission_to_the_cent(stake: str, commission: str) -> None:
    """Five per cent to the cent, the odd half-cent left to the bettor (judging rule 8)."""
    assert settlement.commission_of(Decimal(stake)) == Decimal(commission)


def test_half_pay_rounds_up() -> None:
    """Half of an odd number of cents is rounded in the bettor's favour (judging rule 5)."""
    assert settlement.half_of(Decimal("333.05")) == Decimal("166.53")


def test_working_day_cases() -> None:
    """The thirty worked cases of notice give the clear days that were worked out by hand."""
    path = SHARED / "working_days_cases.csv"
    if not path.is_file():
        pytest.skip("the handed material is not beside the repository")
    with path.open(encoding="utf-8", newline="") as stream:
        cases = list(csv.DictReader(stream))

    assert len(cases) == 30
    for case in cases:
        applied = dt.datetime.fromisoformat(case["application_datetime"]).replace(tzinfo=workdays.MACAU)
        counted = workdays.notice(applied, dt.date.fromisoformat(case["adoption_date"]))
        day_count = re.search(r"= (\d+): (?:pass|fail); strict", case["note"])

        assert day_count is not None
        assert counted.open_only_clear == int(case["clear_working_days"]), case
        assert counted.open_only == int(day_count[1]), case


def test_appendix_of_working_days() -> None:
    """The days off that the oracle takes from the package are those of the handed appendix, 2004 to 2030."""
    path = SHARED / "working_days.md"
    if not path.is_file():
        pytest.skip("the handed material is not beside the repository")
    rows = re.findall(
        r"^\| (20[0-3]\d) \| [A-E][^|]*\|([^|]*)\|([^|]*)\|([^|]*)\|", path.read_text("utf-8"), re.MULTILINE
    )

    assert len(rows) == 31
    for year, *cells in rows:
        listed = {
            dt.date.fromisoformat(f"{year}-{day}") for cell in cells[:2] for day in re.findall(r"\d\d-\d\d", cell)
        }
        first = dt.date(int(year), 1, 1)
        days = [first + dt.timedelta(days=n) for n in range(366) if (first + dt.timedelta(days=n)).year == int(year)]

        assert {d for d in days if d.weekday() < 5 and workdays.off(d)} == listed, year


@pytest.mark.parametrize("seed", range(40))
def test_lawful_log_has_no_finding(seed: int) -> None:
    """A dealt log has no finding and every round of it is conforming."""
    log = dealer.deal(seed, dealer.random_house(_random(seed)))
    found = auditor.audit(log.rounds, log.wagers, log.approvals, log.events)

    assert found.findings == ()
    assert set(found.verdicts.values()) == {auditor.CONFORMING}


@pytest.mark.parametrize("name", slips.MUTATORS)
def test_each_change_is_seen(name: str) -> None:
    """Each mutator finds a place in some log and the finding that the contract promises appears."""
    places = 0
    for seed in range(30):
        log = dealer.deal(seed, dealer.random_house(_random(seed)))
        change = slips.MUTATORS[name](log, _random(seed))
        if change is None:
            continue
        places += 1
        new, keys = change
        found = auditor.audit(new.rounds, new.wagers, new.approvals, new.events)

        assert set(keys) <= {f.key() for f in found.findings}
    assert places
