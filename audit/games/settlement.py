"""What a wager is due: bet, facts of the hand, scheme and method in; an exact ratio with its article out.

55/2004 arts 12, 13, 17 and 18 and 67/2007 arts 11, 12, 16 and 17, read from the data of the version in force. The
settlement follows the cards on the table (never the recorded outcome); money is rounded in :func:`amounts` alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from audit.base.model import CENT, DrawMethod, Outcome, Scheme, Side
from audit.games.due import Due, WagerEnd, flat
from audit.games.hand_facts import HandFacts
from audit.games.paytable import Paytable
from audit.games.registry import game_of
from audit.rulebook.rules import GameRules, Provision
from audit.rulebook.terms import Bets, NoCommission, PairOdds, SideOdds, StandardCommission, TieOdds

PAIR_BETS: Final = {"player_pair": Side.PLAYER, "banker_pair": Side.BANKER}
SIDE_BETS: Final = {"player": Side.PLAYER, "banker": Side.BANKER}


@dataclass(frozen=True, slots=True)
class Amounts:
    """Sums due in ten-thousandths: `payout` net of commission; every value of `commission` is right."""

    payout: int
    commission: frozenset[int]
    returned: int


def due(
    bet: str,
    facts: HandFacts,
    rules: GameRules,
    *,
    scheme: Scheme | None,
    method: DrawMethod | None = None,
    without_commission: Provision | None = None,
    paytables: Mapping[str, Paytable] | None = None,
) -> Due:
    """What a wager on `bet` is due under the version `rules`.

    `scheme` is None where the round names a scheme that the regulation does not know. `without_commission` is the
    wording to apply for the scheme without commission where the version itself has none (it is then judged by the
    scheme recorded). `paytables` are the bets that the house's own file describes, those that the version lets
    decide (:func:`audit.games.paytable.judged_paytables`).
    """
    if bet in SIDE_BETS:
        return _side_bet(SIDE_BETS[bet], facts, rules, scheme, without_commission)
    game, bets = game_of(rules.game), rules.terms(Bets)
    gazetted = bet in bets.gazetted
    if gazetted and bet == "tie":
        return _tie(facts, rules, method if game.methods else None)
    if gazetted and bet in PAIR_BETS:
        side, pairs = PAIR_BETS[bet], rules.terms(PairOdds)
        won = facts.player_pair if side is Side.PLAYER else facts.banker_pair
        return flat(rules.cite(pairs.key), pairs.of(side), won=won)
    if gazetted and bet in game.bets:
        return game.bets[bet](facts, rules)
    if paytables and bet in paytables:
        return _by_paytable(facts, rules, paytables[bet])
    reason = "unread_2_2009" if bet in bets.unread else "bet_odds_unknown"
    return Due(WagerEnd.UNKNOWN, rules.cite(bets.key), reason=reason)


def _tie(facts: HandFacts, rules: GameRules, method: DrawMethod | None) -> Due:
    odds = rules.terms(TieOdds)
    return flat(rules.cite(odds.key, method=method), odds.of(method), won=facts.outcome is Outcome.TIE)


def _side_bet(
    side: Side, facts: HandFacts, rules: GameRules, scheme: Scheme | None, without_commission: Provision | None
) -> Due:
    if scheme is None:
        return Due(WagerEnd.UNKNOWN, rules.cite(StandardCommission.key), reason="commission_word_unknown")
    if facts.outcome is Outcome.TIE:
        return Due(WagerEnd.PUSH, rules.cite("tie_option"))
    even, odds = Fraction(rules.terms(SideOdds).of(side)), rules.cite(SideOdds.key)
    if facts.outcome.value != side.value:
        return Due(WagerEnd.LOSE, odds)
    points = facts.points(side)
    if scheme is Scheme.STANDARD:
        standard = rules.terms(StandardCommission)
        if standard.reaches(side, points):
            return Due(WagerEnd.WIN, rules.cite(standard.key), odds=even, commission=standard.rate)
        return Due(WagerEnd.WIN, odds, odds=even)
    provision = rules.provision(NoCommission.key) if rules.has(NoCommission.key) else _given(without_commission)
    none = provision.stating(NoCommission)
    if none.reaches(side, points):
        share = none.as_commission or Fraction(0)
        return Due(WagerEnd.WIN, provision.cite(), odds=even * none.pays, half=True, half_as_commission=share)
    unread = none.unread_push
    hand = (points, facts.banker_cards)
    pushed = unread is not None and side is Side.BANKER and hand == (unread.points, unread.cards)
    return Due(WagerEnd.WIN, odds, odds=even, unread_push=pushed)


def _given(provision: Provision | None) -> Provision:
    if provision is None:
        message = "the version has no scheme without commission and none was given to judge by"
        raise ValueError(message)
    return provision


def _by_paytable(facts: HandFacts, rules: GameRules, paytable: Paytable) -> Due:
    citation = rules.cite("bets.other" if rules.has("bets.other") else "bets")
    odds = paytable.odds(facts)
    if odds is None:
        return Due(WagerEnd.UNKNOWN, citation, reason="suits_missing")
    return Due(WagerEnd.WIN, citation, odds=odds) if odds else Due(WagerEnd.LOSE, citation)


def amounts(what: Due, stake: int, unit: int = CENT) -> Amounts:
    """Turn a ratio into money: commission to the nearest `unit`, halves in the bettor's favour.

    `stake` and `unit` are in ten-thousandths; a half payment is rounded to the same unit, halves up.

    >>> from audit.rulebook.rules import Citation
    >>> won = Due(WagerEnd.WIN, Citation("55/2004", "18"), odds=Fraction(1), commission=Fraction(1, 20))
    >>> amounts(won, 10_000_000).payout, amounts(won, 5_000).payout, sorted(amounts(won, 5_000).commission)
    (9500000, 4800, [200])
    """
    if what.kind is WagerEnd.UNKNOWN:
        message = "an unknown due has no amount"
        raise ValueError(message)
    if what.kind is WagerEnd.LOSE:
        return Amounts(0, frozenset({0}), 0)
    if what.kind is WagerEnd.PUSH:
        return Amounts(0, frozenset({0}), stake)
    gross = stake * what.odds
    if what.half:
        taken = {0}
        if what.half_as_commission:
            share = stake * what.half_as_commission
            taken |= {_half_down(share, unit), _half_up(share, unit)}
        return Amounts(_half_up(gross, unit), frozenset(taken), stake)
    commission = _half_down(gross * what.commission, unit)
    payout = _half_up(gross, 1) - commission
    return Amounts(payout, frozenset({commission}), stake)


def _half_up(value: Fraction, unit: int) -> int:
    return (value / unit + Fraction(1, 2)).__floor__() * unit


def _half_down(value: Fraction, unit: int) -> int:
    return (value / unit - Fraction(1, 2)).__ceil__() * unit
