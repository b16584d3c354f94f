"""One wager against what it is due: the scalar judge behind every PAY finding (judging rules 2 and 5 to 8)."""

from __future__ import annotations

from dataclasses import dataclass

from audit.base.model import CENT, money_text
from audit.games.due import Due, WagerEnd
from audit.games.settlement import Amounts, amounts

KEPT, CHANGED = "kept", "changed"


@dataclass(frozen=True, slots=True)
class Paid:
    """What a log says of one wager; money in ten-thousandths, None where it is not recorded."""

    bet: str
    stake: int
    payout: int
    commission: int | None
    returned: int | None
    tie_choice: str | None = None


@dataclass(frozen=True, slots=True)
class PaymentFault:
    """One departure of a payment; `amount` is positive where it went to the bettor's advantage."""

    code: str
    expected: str
    observed: str
    amount: int


def faults(paid: Paid, what: Due, unit: int = CENT) -> tuple[PaymentFault, ...]:
    """Every departure of a wager on a settled round whose due is known.

    A wrong payout is PAY-001 or PAY-002; only where it is right can the commission be wrong by itself (PAY-003). The
    stake handed back is judged on its own (PAY-004). Where the house rounds to a `unit` the sum exact to the cent is
    right too (judging rule 8); a wrong payout is measured against the rounded one, a commission against the nearest.
    """
    owed, exact = amounts(what, paid.stake, unit), amounts(what, paid.stake)
    commission = owed.commission | exact.commission
    found: list[PaymentFault] = []
    if paid.payout not in {owed.payout, exact.payout}:
        code = "PAY-001" if paid.payout > owed.payout else "PAY-002"
        found.append(PaymentFault(code, money_text(owed.payout), money_text(paid.payout), paid.payout - owed.payout))
    elif paid.commission is not None and paid.commission not in commission:
        nearest = min(sorted(commission), key=lambda c: abs(c - (paid.commission or 0)))
        found.append(
            PaymentFault("PAY-003", money_text(nearest), money_text(paid.commission), nearest - paid.commission)
        )
    if paid.returned is not None and not _returned_right(paid, what, owed):
        amount = paid.returned - owed.returned
        found.append(PaymentFault("PAY-004", money_text(owed.returned), money_text(paid.returned), amount))
    return tuple(found)


def _returned_right(paid: Paid, what: Due, owed: Amounts) -> bool:
    """On a tie the stake comes back, stays (``kept``) or is changed, by the choice that was made (judging rule 6)."""
    returned = paid.returned or 0
    if returned == owed.returned:
        return True
    if what.kind is not WagerEnd.PUSH:
        return False
    if paid.tie_choice == KEPT:
        return returned == 0
    return paid.tie_choice == CHANGED and 0 <= returned <= paid.stake


def unplayed_fault(paid: Paid, *, demonstration: bool) -> PaymentFault | None:
    """PAY-005: a wager on a void round not wholly returned, or any wager on a demonstration round (judging rule 7)."""
    returned = paid.stake if paid.returned is None else paid.returned
    commission = paid.commission or 0
    amount = paid.payout - commission + returned - paid.stake
    whole = paid.payout == 0 and commission == 0 and returned == paid.stake
    if demonstration:
        return PaymentFault("PAY-005", "no_wager", money_text(paid.stake), amount)
    if whole:
        return None
    observed = f"payout {money_text(paid.payout)}, commission {money_text(commission)}, returned {money_text(returned)}"
    return PaymentFault("PAY-005", f"payout 0.00, commission 0.00, returned {money_text(paid.stake)}", observed, amount)
