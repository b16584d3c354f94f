"""Wrong payments that a habit explains: the finding then names the habit, not only the sum.

Makccarat's odds follow its drawing method (67/2007 art. 16) and its commission reaches both sides (art. 17); tables
run by people who know baccarat tend to get these wrong in a few typical ways.
"""

from __future__ import annotations

from audit.base.model import Game, Outcome, Scheme
from audit.catalogue.catalogue import load
from audit.checks.case import Case
from audit.checks.wager_faults import Paid, PaymentFault
from audit.games.hand_facts import HandFacts
from audit.games.settlement import SIDE_BETS
from audit.replay.codes import SCHEMES

_NONE: tuple[None, None] = (None, None)


def habit(paid: Paid, fault: PaymentFault, facts: HandFacts, case: Case, at: int) -> tuple[str | None, str | None]:
    """The habit (a variant of the message) that explains a wrong payout exactly, and its detail; or nothing."""
    variant, detail = _habit(paid, fault, facts, case, at)
    known = variant is not None and load().has_variant(fault.code, variant)
    return (variant, detail) if known else _NONE


def _habit(paid: Paid, fault: PaymentFault, facts: HandFacts, case: Case, at: int) -> tuple[str | None, str | None]:
    rules = case.found.rules_of(at)
    if rules is None or fault.code not in {"PAY-001", "PAY-002"}:
        return _NONE
    if paid.bet == "tie" and rules.game is Game.MAKCCARAT and facts.outcome is Outcome.TIE:
        return _method_odds(paid, case, at)
    if paid.bet not in SIDE_BETS or case.found.scheme[at] >= len(SCHEMES):
        return _NONE
    side, scheme = SIDE_BETS[paid.bet], SCHEMES[case.found.scheme[at]]
    key = "commission.none" if rules.has("commission.none") else None
    if key is None or facts.outcome.value != side.value:
        return _NONE
    half = facts.points(side) in rules.parameter(key, "half_points") and side.value in rules.parameter(key, "sides")
    charged = facts.points(side) in rules.parameter("commission.standard", "points")
    charged &= side.value in rules.parameter("commission.standard", "sides")
    if scheme is Scheme.STANDARD:
        return _in_commission_table(paid, rules.game, half=half, charged=charged), None
    if half and paid.payout == paid.stake:
        return "half_pay_missing", None
    return ("both_forms", None) if charged and _net_of_five(paid) else _NONE


def _in_commission_table(paid: Paid, game: Game, *, half: bool, charged: bool) -> str | None:
    if half and 2 * paid.payout == paid.stake:
        return "half_pay_in_standard"
    if game is not Game.MAKCCARAT:
        return None
    spared = paid.bet == "player" and charged and paid.payout == paid.stake
    overcharged = paid.bet == "banker" and not charged and _net_of_five(paid)
    return "mak_banker_only_commission" if spared or overcharged else None


def _net_of_five(paid: Paid) -> bool:
    """Say whether the payout is the stake less five in a hundred."""
    return 20 * paid.payout == 19 * paid.stake


def _method_odds(paid: Paid, case: Case, at: int) -> tuple[str | None, str | None]:
    rules = case.found.rules_of(at)
    if rules is None:
        return _NONE
    applied = case.found.methods(at)[0]
    for method in ("method_1", "method_2"):
        odds = rules.parameter("odds.tie", method)
        if applied is not None and applied.value != method and paid.payout == odds * paid.stake:
            return f"mak_method_odds_{odds}", method
    return _NONE
