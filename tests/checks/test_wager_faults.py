"""One wager against what it is due: each sum at, below and above the right one."""

from __future__ import annotations

from fractions import Fraction

import pytest

from audit.checks.wager_faults import Paid, faults, unplayed_fault
from audit.games.settlement import Due, WagerEnd
from audit.rulebook.rules import Citation

UNIT = 10_000
ARTICLE = Citation("55/2004", "18")
WON = Due(WagerEnd.WIN, ARTICLE, odds=Fraction(1), commission=Fraction(1, 20))
HALF = Due(WagerEnd.WIN, ARTICLE, odds=Fraction(1, 2), half=True, half_as_commission=Fraction(1, 2))
LOST = Due(WagerEnd.LOSE, ARTICLE)
PUSHED = Due(WagerEnd.PUSH, ARTICLE)


def paid(
    payout: float, commission: float | None = None, returned: float | None = None, choice: str | None = None
) -> Paid:
    """A wager of 100 on the banker, in whole units of money."""
    sums = [None if each is None else round(each * UNIT) for each in (payout, commission, returned)]
    assert sums[0] is not None
    return Paid("banker", 100 * UNIT, sums[0], sums[1], sums[2], choice)


def told(wager: Paid, what: Due) -> list[tuple[str, str, str, float]]:
    """Code, expected, observed and amount of each fault."""
    return [(f.code, f.expected, f.observed, f.amount / UNIT) for f in faults(wager, what)]


@pytest.mark.parametrize(
    ("wager", "what", "expected"),
    [
        (paid(95), WON, []),
        (paid(95, 5, 100), WON, []),
        (paid(95.0001), WON, [("PAY-001", "95.00", "95.0001", 0.0001)]),
        (paid(94.9999), WON, [("PAY-002", "95.00", "94.9999", -0.0001)]),
        (paid(0.01), LOST, [("PAY-001", "0.00", "0.01", 0.01)]),
        (paid(0.01), PUSHED, [("PAY-001", "0.00", "0.01", 0.01)]),
        # Only a right payout lets the commission be wrong by itself.
        (paid(95, 4), WON, [("PAY-003", "5.00", "4.00", 1)]),
        (paid(95, 6), WON, [("PAY-003", "5.00", "6.00", -1)]),
        (paid(96, 4), WON, [("PAY-001", "95.00", "96.00", 1)]),
        (paid(0, 1), LOST, [("PAY-003", "0.00", "1.00", -1)]),
        (paid(0, 0), PUSHED, []),
        # Half payment: none or half the stake may be called commission; the nearer of them is told.
        (paid(50, 0), HALF, []),
        (paid(50, 50), HALF, []),
        (paid(50, 24), HALF, [("PAY-003", "0.00", "24.00", -24)]),
        (paid(50, 26), HALF, [("PAY-003", "50.00", "26.00", 24)]),
        # The stake handed back is a question of its own.
        (paid(95, 5, 99), WON, [("PAY-004", "100.00", "99.00", -1)]),
        (paid(95, 5, 101), WON, [("PAY-004", "100.00", "101.00", 1)]),
        (paid(0, 0, 1), LOST, [("PAY-004", "0.00", "1.00", 1)]),
        (paid(0, 0, 0), LOST, []),
        (paid(96, 5, 99), WON, [("PAY-001", "95.00", "96.00", 1), ("PAY-004", "100.00", "99.00", -1)]),
    ],
)
def test_settled(wager: Paid, what: Due, expected: list[tuple[str, str, str, float]]) -> None:
    """Each sum is right or told with what is due, what was recorded and the difference to the bettor's advantage."""
    assert expected == told(wager, what)


@pytest.mark.parametrize(
    ("choice", "returned", "right"),
    [
        (None, 100, True),
        (None, 0, False),
        (None, 50, False),
        ("cancelled", 100, True),
        ("cancelled", 0, False),
        ("kept", 100, True),
        ("kept", 0, True),
        ("kept", 1, False),
        ("changed", 0, True),
        ("changed", 50, True),
        ("changed", 100, True),
        ("changed", 100.01, False),
        ("changed", -0.01, False),
    ],
)
def test_stake_of_a_tie(choice: str | None, returned: float, right: bool) -> None:
    """On a tie the stake comes back, stays, or is changed, by the choice made."""
    assert right == (told(paid(0, 0, returned, choice), PUSHED) == [])


@pytest.mark.parametrize("choice", ["kept", "changed"])
def test_the_choice_counts_on_a_tie_alone(choice: str) -> None:
    """A won wager's stake comes back whatever is said of a tie."""
    assert [("PAY-004", "100.00", "0.00", -100)] == told(paid(95, 5, 0, choice), WON)


@pytest.mark.parametrize(
    ("wager", "amount"),
    [
        (paid(0), None),
        (paid(0, 0, 100), None),
        (paid(0, 0, None), None),
        (paid(0, None, 100), None),
        (paid(1, 0, 100), 1),
        (paid(0, 1, 100), -1),
        (paid(0, 0, 99), -1),
        (paid(0, 0, 101), 1),
        (paid(3, 1, 100), 2),
        (paid(5, 5, 100), 0),
    ],
)
def test_void(wager: Paid, amount: float | None) -> None:
    """On a void round nothing is won and nothing taken, and the stake comes back; what is not recorded is taken so."""
    fault = unplayed_fault(wager, demonstration=False)

    assert amount == (None if fault is None else fault.amount / UNIT)
    assert fault is None or (fault.code, fault.expected) == ("PAY-005", "payout 0.00, commission 0.00, returned 100.00")


@pytest.mark.parametrize(("wager", "amount"), [(paid(0, 0, 100), 0), (paid(95, 5, 100), 90), (paid(0, 0, 0), -100)])
def test_demonstration(wager: Paid, amount: float) -> None:
    """Any wager on a demonstration round is a fault, however it was settled."""
    fault = unplayed_fault(wager, demonstration=True)

    assert fault is not None
    assert ("PAY-005", "no_wager", "100.00", amount) == (
        fault.code,
        fault.expected,
        fault.observed,
        fault.amount / UNIT,
    )
