"""The oracle's judgement of all 12,100 states of a hand, for comparison with any compiled table."""

from __future__ import annotations

import functools
from collections.abc import Iterator

from tests.oracle import drawing

NONE = 10


def two_cards(points: int) -> list[int]:
    """Two card values with these two-card points."""
    return [0, points]


def hand(points: int, third: int) -> list[int]:
    """A hand with these two-card points and this third card (10: none)."""
    return two_cards(points) + ([] if third == NONE else [third])


@functools.cache
def rule(game: str, player: int, banker: int, x: int, y: int, method: str | None = None) -> drawing.Ruling:
    """The oracle's ruling of one state."""
    return drawing.judge(game, hand(player, x), hand(banker, y), method)


def states() -> Iterator[tuple[int, int, int, int]]:
    """All 12,100 states."""
    for player in range(10):
        for banker in range(10):
            for x in range(11):
                for y in range(11):
                    yield player, banker, x, y
