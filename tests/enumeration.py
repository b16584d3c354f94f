"""Exact counts of every way a round can fall, from any judge of hands.

A deck is known by its ten point values. Each ordered sequence of six cards has an integer weight, the number of ways
to draw it without replacement; a round that ends earlier is padded to six cards, so that all weights together are
N!/(N-6)!. Who takes the fifth and the sixth card does not matter to the weights, since cards may change places.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import perm

import numpy as np

NONE = 10
"""The place of "no third card" beside the ten point values."""

Judge = Callable[[int, int, int, int], bool]
"""Whether the hand with these two-card points and these third cards is lawful and complete."""


@functools.cache
def weights(decks: int | None) -> np.ndarray:
    """Weights by (player's two-card points, banker's, the player's next card, the banker's next card).

    Shape (10, 10, 10, 10), int64. `decks` None stands for the infinite deck, counted in thirteenths.
    """
    counts = np.array([4, *[1] * 9]) if decks is None else np.array([16, *[4] * 9]) * decks
    grid = np.indices((10,) * 6).reshape(6, -1)
    weight = np.ones(grid.shape[1], np.int64)
    for place in range(6):
        left = counts[grid[place]].astype(np.int64)
        if decks is not None:
            for earlier in range(place):
                left -= grid[earlier] == grid[place]
        weight *= np.maximum(left, 0)
    p1, b1, p2, b2, x, y = grid
    total = np.zeros((10,) * 4, np.int64)
    np.add.at(total, ((p1 + p2) % 10, (b1 + b2) % 10, x, y), weight)
    return total


def total(decks: int | None) -> int:
    """All weights together."""
    return 13**6 if decks is None else perm(52 * decks, 6)


@dataclass(frozen=True)
class Ending:
    """One way a round ends: both two-card points, both third cards (None where not drawn), and its weight."""

    player_two: int
    banker_two: int
    player_third: int | None
    banker_third: int | None
    weight: int

    @property
    def player(self) -> int:
        """The player's final points."""
        return (self.player_two + (self.player_third or 0)) % 10

    @property
    def banker(self) -> int:
        """The banker's final points."""
        return (self.banker_two + (self.banker_third or 0)) % 10

    @property
    def result(self) -> str:
        """Who wins."""
        return "tie" if self.player == self.banker else "player" if self.player > self.banker else "banker"


def endings(lawful: Judge, decks: int | None) -> list[Ending]:
    """Every lawful ending with its weight; each fall of the cards has exactly one of them, or this fails."""
    table = weights(decks)
    found = []
    falls = np.zeros(table.shape, np.int64)
    everything = slice(None)
    for p in range(10):
        for b in range(10):
            for x in range(11):
                for y in range(11):
                    if not lawful(p, b, x, y):
                        continue
                    place = (p, b, everything if x == NONE else x, everything if y == NONE else y)
                    falls[place] += 1
                    found.append(
                        Ending(p, b, None if x == NONE else x, None if y == NONE else y, int(table[place].sum()))
                    )
    assert falls.min() == 1
    assert falls.max() == 1
    return found


def count(found: list[Ending], condition: Callable[[Ending], bool]) -> int:
    """The weight of the endings for which `condition` holds."""
    return sum(e.weight for e in found if condition(e))


def mean(found: list[Ending], value: Callable[[Ending], Fraction | int], decks: int | None) -> Fraction:
    """The exact mean of `value` over all falls of the cards."""
    return sum((Fraction(value(e)) * e.weight for e in found), Fraction(0)) / total(decks)
