"""Test vectors of a paytable: for each tier a hand that it pays, and one that it almost pays, with the winnings due.

A house can deal them on its own system, or a reader check them by eye against the authorisation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple, dataclass
from fractions import Fraction
from itertools import product
from typing import Final

from audit.base.model import SUITS, Card, DrawMethod
from audit.games.due import Due, WagerEnd
from audit.games.hand_facts import HandFacts
from audit.games.paytable import Paytable
from audit.games.settlement import amounts
from audit.odds.enumeration import Ending, endings
from audit.rulebook.rules import Citation, GameRules

STAKE: Final = 1_000_000
"""The stake of a test vector: 100, in ten-thousandths."""

_NOWHERE: Final = Citation("", "")
"""A paytable is no provision: its winnings cite none."""

_FIRST_SUITS: Final = "SDHC"
_THIRD_SUITS: Final = "HS"
"""Where each card starts to look for its suit: the player's two, the banker's two; the player's third, the banker's."""


@dataclass(frozen=True, slots=True)
class Vector:
    """Two hands in the order dealt, and the winnings that a stake of `STAKE` is due (ten-thousandths).

    `unmet` names the conditions of the tier that the hand does not meet: none where the tier pays.
    """

    player: tuple[Card, ...]
    banker: tuple[Card, ...]
    winnings: int
    unmet: tuple[str, ...] = ()


def vectors(
    paytable: Paytable, rules: GameRules, decks: int, method: DrawMethod | None = None
) -> tuple[tuple[Vector, ...], ...]:
    """For each tier the commonest hand that it pays and the hand that misses it most narrowly; none if it never pays.

    Narrowly: the fewest conditions unmet, then losing, then most like the paid hand, then the commonest.

    Raises ValueError as :func:`audit.odds.enumeration.endings`.
    """
    commonest: dict[HandFacts, Ending] = {}
    for ending in endings(rules, method, decks):
        known = commonest.get(ending.facts)
        if known is None or ending.ways > known.ways:
            commonest[ending.facts] = ending
    return tuple(_of_tier(paytable, number, commonest, decks) for number in range(len(paytable.tiers)))


def _of_tier(paytable: Paytable, number: int, commonest: Mapping[HandFacts, Ending], decks: int) -> tuple[Vector, ...]:
    tier = paytable.tiers[number]
    paid = [ending for facts, ending in commonest.items() if paytable.place(facts) == number]
    if not paid:
        return ()
    win = max(paid, key=lambda ending: ending.ways)
    missed = {facts: len(unmet) for facts in commonest if (unmet := tier.failing(facts))}
    if not missed:
        return (_vector(paytable, number, win, decks),)
    near = min(
        missed,
        key=lambda facts: (
            missed[facts],
            paytable.odds(facts) != 0,
            _unlike(facts, win.facts),
            -commonest[facts].ways,
        ),
    )
    return _vector(paytable, number, win, decks), _vector(paytable, number, commonest[near], decks)


def _unlike(one: HandFacts, other: HandFacts) -> int:
    """In how many facts two hands differ."""
    return sum(a != b for a, b in zip(astuple(one), astuple(other), strict=True))


def _vector(paytable: Paytable, number: int, ending: Ending, decks: int) -> Vector:
    player, banker = cards_of(ending, decks)
    return Vector(player, banker, winnings(paytable, ending.facts), paytable.tiers[number].failing(ending.facts))


def winnings(paytable: Paytable, facts: HandFacts, stake: int = STAKE) -> int:
    """What a stake is due under a paytable, in ten-thousandths; the suits that decide must be known."""
    odds = paytable.odds(facts) or Fraction(0)
    return amounts(Due(WagerEnd.WIN, _NOWHERE, odds=odds), stake).payout


def cards_of(ending: Ending, decks: int) -> tuple[tuple[Card, ...], tuple[Card, ...]]:
    """Cards of player and banker that make an ending, none of them oftener than there are decks."""
    facts = ending.facts
    ranks, thirds = _ranks(ending, decks)
    perfect = (facts.player_perfect, facts.banker_perfect)
    dealt: list[Card] = []
    for place, rank in enumerate(ranks):
        suits = _rotated(_FIRST_SUITS[place])
        if place % 2 and ranks[place - 1] == rank:
            suit = str(dealt[-1].suit)
            suits = suit if perfect[place // 2] else suits.replace(suit, "")
        dealt.append(_free(rank, suits, dealt, decks))
    hands = [tuple(dealt[:2]), tuple(dealt[2:])]
    for side, third in enumerate(thirds):
        if third is not None:
            card = _free(third, _rotated(_THIRD_SUITS[side]), dealt, decks)
            dealt.append(card)
            hands[side] += (card,)
    return hands[0], hands[1]


def _ranks(ending: Ending, decks: int) -> tuple[tuple[str, ...], tuple[str | None, ...]]:
    """Ranks of the first four cards and of the thirds, none oftener than the decks have it."""
    points, facts = ending.points, ending.facts
    thirds = tuple(None if third is None else _rank(third, "J") for third in (points.player_third, points.banker_third))
    player = _two(points.player, "K", pair=facts.player_pair)
    banker = _two(points.banker, "Q", pair=facts.banker_pair)
    for first, second in product(player, banker):
        every = (*first, *second, *thirds)
        if all(every.count(rank) <= 4 * decks for rank in first + second):
            return first + second, thirds
    message = f"no cards of {decks} decks make {ending}"
    raise ValueError(message)


def _two(points: int, court: str, *, pair: bool) -> tuple[tuple[str, str], ...]:
    """Ranks of two cards with this total, in the order to try."""
    if not pair:
        return ((court, _rank(points, "10")),)
    return tuple((rank, rank) for rank in (_rank(points // 2, court), _rank(points // 2 + 5, court)))


def _rank(points: int, court: str) -> str:
    """A rank with these points; `court` stands for zero."""
    return court if points == 0 else "A" if points == 1 else str(points)


def _rotated(start: str) -> str:
    """All suits, from `start` on."""
    suits = "".join(SUITS)
    place = suits.index(start)
    return suits[place:] + suits[:place]


def _free(rank: str, suits: str, dealt: list[Card], decks: int) -> Card:
    """The first card of the rank of which a copy is left."""
    return next(card for card in (Card(rank, suit) for suit in suits) if dealt.count(card) < decks)
