"""Wrong payments that a habit explains: the finding then names the habit, not only the sum.

Makccarat's odds follow its drawing method (67/2007 art. 16) and its commission reaches both sides (art. 17); tables
run by people who know baccarat tend to get these wrong in a few typical ways. A habit of one game begins with the
prefix of its rules (``mak_``); the catalogue says which habits have words.
"""

from __future__ import annotations

from audit.base.model import Outcome, Scheme
from audit.catalogue.catalogue import load
from audit.checks.case import Case
from audit.checks.wager_faults import Paid, PaymentFault
from audit.games import GameSpec, game_of
from audit.games.hand_facts import HandFacts
from audit.games.settlement import SIDE_BETS
from audit.replay.codes import SCHEMES
from audit.rulebook.terms import NoCommission, StandardCommission, TieOdds

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
    game = game_of(rules.game)
    if paid.bet == "tie" and game.methods and facts.outcome is Outcome.TIE:
        return _method_odds(paid, game, case, at)
    if paid.bet not in SIDE_BETS or case.found.scheme[at] >= len(SCHEMES):
        return _NONE
    side, scheme = SIDE_BETS[paid.bet], SCHEMES[case.found.scheme[at]]
    none, standard = rules.known_terms(NoCommission), rules.terms(StandardCommission)
    if none is None or facts.outcome.value != side.value:
        return _NONE
    half = none.reaches(side, facts.points(side))
    charged = standard.reaches(side, facts.points(side))
    net = paid.payout == paid.stake * (1 - standard.rate)
    if scheme is Scheme.STANDARD:
        reduced = half and paid.payout == paid.stake * none.pays
        return _in_commission_table(paid, game, reduced=reduced, charged=charged, net=net), None
    if half and paid.payout == paid.stake:
        return "half_pay_missing", None
    return ("both_forms", None) if charged and net else _NONE


def _in_commission_table(paid: Paid, game: GameSpec, *, reduced: bool, charged: bool, net: bool) -> str | None:
    """The habit behind a payout under the scheme with commission.

    `reduced` says that it is what the scheme without commission would pay, `net` that it is the stake less commission.
    """
    if reduced:
        return "half_pay_in_standard"
    spared = paid.bet == "player" and charged and paid.payout == paid.stake
    overcharged = paid.bet == "banker" and not charged and net
    return _own(game, "banker_only_commission") if spared or overcharged else None


def _own(game: GameSpec, habit: str) -> str:
    return f"{game.item_prefix.lower()}_{habit}"


def _method_odds(paid: Paid, game: GameSpec, case: Case, at: int) -> tuple[str | None, str | None]:
    rules = case.found.rules_of(at)
    if rules is None:
        return _NONE
    applied = case.found.methods(at)[0]
    for method in game.methods:
        odds = rules.terms(TieOdds).of(method)
        if applied is not None and applied is not method and paid.payout == odds * paid.stake:
            return _own(game, f"method_odds_{odds}"), method.value
    return _NONE
