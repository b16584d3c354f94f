"""Exact counts of every way a round can end, and the house edges that follow from them.

A round is dealt without replacement from `decks` decks; one that ends before the sixth card is padded to six, so that
all ways together are N! / (N - 6)!, N being the number of cards. Who receives the fifth and who the sixth card does not
matter to a count, since cards may change places. Which rounds are lawful is asked of the compiled draw table, and what
a bet is due of the settlement: nothing of the game stands here a second time. Integers and fractions only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import perm
from types import MappingProxyType
from typing import Final

import numpy as np
import numpy.typing as npt

from audit.base.model import RANKS, Card, DrawMethod, Outcome, Scheme
from audit.games.due import Due, WagerEnd
from audit.games.hand_facts import HandFacts
from audit.games.paytable import Paytable
from audit.games.settlement import due
from audit.games.steps import Points
from audit.replay.compile import NO_DEPARTURE, draw_table, every_state, points_of
from audit.replay.hands import NO_THIRD, PAIR_NONE, PAIR_PERFECT, PAIR_PLAIN
from audit.rulebook.rules import GameRules, Provision, TextUnknown

MOST_DECKS: Final = 24
"""Counts of more decks would come close to what 64 bits hold; the regulations allow twelve."""

_KINDS: Final = (PAIR_NONE, PAIR_PLAIN, PAIR_PERFECT)

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Ending:
    """One lawful way a round ends, as far as points and pairs go, and the number of `ways` the cards fall so."""

    points: Points
    facts: HandFacts
    ways: int


def total_ways(decks: int) -> int:
    """Every ordered fall of six cards.

    >>> total_ways(8)
    4998398275503360
    """
    return perm(52 * decks, 6)


@lru_cache(maxsize=8)
def _falls(decks: int) -> Counts:
    """Ways by (pair kinds, two-card points and next card of each side), shape (3, 3, 10, 10, 11, 11).

    The first two axes are the pair kinds of player and banker, the last two the next cards; their last place,
    NO_THIRD, is the sum over all cards: the padding of a side that takes none.
    """
    if not 1 <= decks <= MOST_DECKS:
        message = f"exact counts are made for 1 to {MOST_DECKS} decks, not {decks}"
        raise ValueError(message)
    ranks = np.indices((len(RANKS),) * 4).reshape(4, -1)
    value = np.array([Card(rank).points for rank in RANKS])[ranks]
    stock = 4 * decks * np.bincount([Card(rank).points for rank in RANKS], minlength=10)
    left = stock - sum((value[place][:, None] == np.arange(10)).astype(np.int64) for place in range(4))
    thirds = left[:, :, None] * (left[:, None, :] - np.eye(10, dtype=np.int64))
    two = (value[0] + value[1]) % 10 * 10 + (value[2] + value[3]) % 10
    order = np.argsort(two, kind="stable")
    starts = np.searchsorted(two[order], np.arange(100))
    thirds = thirds[order].reshape(-1, 100)
    out = np.zeros((3, 3, 10, 10, NO_THIRD + 1, NO_THIRD + 1), np.int64)
    for kinds, ways in _first_four(ranks, decks).items():
        summed = np.add.reduceat(ways[order][:, None] * thirds, starts, axis=0)
        out[kinds][:, :, :NO_THIRD, :NO_THIRD] = summed.reshape(10, 10, 10, 10)
    out[..., NO_THIRD, :] = out[..., :NO_THIRD, :].sum(axis=-2)
    out[..., NO_THIRD] = out[..., :NO_THIRD].sum(axis=-1)
    return out


def _first_four(ranks: npt.NDArray[np.int64], decks: int) -> dict[tuple[int, int], Counts]:
    """Ways of the first four cards by their ranks, split by the pair kinds of player and banker.

    `ranks` has shape (4, combinations): the player's two, then the banker's two.
    """
    same = 4 * decks
    ways = np.ones(ranks.shape[1], np.int64)
    for place in range(4):
        ways *= same - (ranks[:place] == ranks[place]).sum(axis=0)
    pairs = ranks[0] == ranks[1], ranks[2] == ranks[3]
    one_rank = pairs[0] & pairs[1] & (ranks[0] == ranks[2])
    out = {}
    for player in _KINDS:
        for banker in _KINDS:
            here = (pairs[0] == (player != PAIR_NONE)) & (pairs[1] == (banker != PAIR_NONE))
            split = np.where(here & ~one_rank, ways, 0)
            for kind in (player, banker):
                split = _of_kind(split, kind, decks)
            if PAIR_NONE not in {player, banker}:
                split[one_rank] = _four_of_a_rank(player, banker, decks)
            out[player, banker] = split
    return out


def _of_kind(ways: Counts, kind: int, decks: int) -> Counts:
    """The part of `ways` of a pair whose second card has, or has not, the suit of the first.

    Of the 4d - 1 cards of the rank that are left, d - 1 have the suit; the division is exact because the ways of a pair
    are a multiple of 4d - 1.
    """
    if kind == PAIR_NONE:
        return ways
    return ways // (4 * decks - 1) * (decks - 1 if kind == PAIR_PERFECT else 3 * decks)


def _four_of_a_rank(player: int, banker: int, decks: int) -> int:
    """Ways of four cards of one rank, by the pair kinds of the two sides: here one side's suits bind the other's."""
    everything = perm(4 * decks, 4)
    one_side = 4 * perm(decks, 2) * perm(4 * decks - 2, 2)
    both = 4 * perm(decks, 4) + 12 * perm(decks, 2) ** 2
    perfect = [player, banker].count(PAIR_PERFECT)
    return (everything - 2 * one_side + both, one_side - both, both)[perfect]


@lru_cache(maxsize=64)
def endings(rules: GameRules, method: DrawMethod | None, decks: int) -> tuple[Ending, ...]:
    """Every lawful ending of a round under `rules` (and, for Makccarat, `method`) with its number of ways.

    Raises ValueError for a number of decks outside 1 to MOST_DECKS, and where the rules do not lead each fall of the
    cards to exactly one ending.
    """
    ways = _falls(decks)
    lawful = (draw_table(rules, method).departure == NO_DEPARTURE).reshape(10, 10, NO_THIRD + 1, NO_THIRD + 1)
    third = slice(NO_THIRD)
    ends = lawful.astype(np.int8)
    covered = ends[:, :, third, third] + ends[:, :, NO_THIRD:, third] + ends[:, :, third, NO_THIRD:]
    if not (covered + ends[:, :, NO_THIRD:, NO_THIRD:] == 1).all():
        message = f"{rules.version}: a fall of the cards has no lawful ending, or several"
        raise ValueError(message)
    found = []
    for state in every_state():
        if not lawful[state]:
            continue
        points = points_of(state)
        for player in _KINDS:
            for banker in _KINDS:
                count = int(ways[(player, banker, *state)])
                if count:
                    found.append(Ending(points, _facts(points, player, banker), count))
    return tuple(found)


def _facts(points: Points, player: int, banker: int) -> HandFacts:
    return HandFacts(
        points.player_total,
        points.banker_total,
        2 if points.player_third is None else 3,
        2 if points.banker_third is None else 3,
        player != PAIR_NONE,
        banker != PAIR_NONE,
        player == PAIR_PERFECT,
        banker == PAIR_PERFECT,
    )


@lru_cache(maxsize=64)
def facts_counts(rules: GameRules, method: DrawMethod | None, decks: int) -> Mapping[HandFacts, int]:
    """Ways by what settlement looks at: final points, numbers of cards, pairs and perfect pairs jointly.

    Raises ValueError as :func:`endings`.
    """
    found: dict[HandFacts, int] = {}
    for ending in endings(rules, method, decks):
        found[ending.facts] = found.get(ending.facts, 0) + ending.ways
    return MappingProxyType(found)


def outcome_counts(rules: GameRules, method: DrawMethod | None, decks: int) -> dict[Outcome, int]:
    """Ways by outcome. Raises ValueError as :func:`endings`."""
    found = dict.fromkeys(Outcome, 0)
    for facts, ways in facts_counts(rules, method, decks).items():
        found[facts.outcome] += ways
    return found


def edge_of(
    bet: str,
    rules: GameRules,
    scheme: Scheme | None,
    method: DrawMethod | None,
    decks: int,
    *,
    without_commission: Provision | None = None,
    paytables: Mapping[str, Paytable] | None = None,
) -> Fraction:
    """The house edge of a bet: what a stake of one loses on average, pushed stakes included, nothing rounded.

    The bet is settled by :func:`audit.games.settlement.due`, whose arguments these are.

    Raises TextUnknown where what the bet is due is not known, ValueError as :func:`endings`.
    """
    gain = Fraction(0)
    for facts, ways in facts_counts(rules, method, decks).items():
        what = due(
            bet,
            facts,
            rules,
            scheme=scheme,
            method=method,
            without_commission=without_commission,
            paytables=paytables,
        )
        gain += ways * _gain(bet, what)
    return -gain / total_ways(decks)


def _gain(bet: str, what: Due) -> Fraction:
    if what.kind is WagerEnd.UNKNOWN:
        raise TextUnknown(f"what {bet!r} is due is not known: {what.reason}")
    if what.kind is WagerEnd.WIN:
        return what.odds * (1 - what.commission)
    return Fraction(0 if what.kind is WagerEnd.PUSH else -1)


def tier_ways(paytable: Paytable, rules: GameRules, decks: int, method: DrawMethod | None = None) -> tuple[int, ...]:
    """Ways in which each tier of a paytable pays, and last those in which none does.

    Raises ValueError as :func:`endings`.
    """
    found = [0] * (len(paytable.tiers) + 1)
    for facts, ways in facts_counts(rules, method, decks).items():
        found[paytable.place(facts)] += ways
    return tuple(found)


def edge(paytable: Paytable, rules: GameRules, decks: int, method: DrawMethod | None = None) -> Fraction:
    """The house edge of a paytable: what a stake of one loses on average. Raises ValueError as :func:`endings`."""
    *winning, losing = tier_ways(paytable, rules, decks, method)
    paid = sum((tier.pays * ways for tier, ways in zip(paytable.tiers, winning, strict=True)), Fraction(0))
    return (losing - paid) / total_ways(decks)
