"""The tables that judge a hand by look-up: the games' own functions, run once over every state there is.

A hand is judged on two two-card totals (10 x 10) and two third cards (11 x 11, ``NO_THIRD`` included): 12,100 states.
There is no second copy of a rule here: a table is what :func:`audit.games.walk` said of each state.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from audit.base.model import DrawMethod, Outcome, Side
from audit.games import Points, departure_of, walk
from audit.replay.hands import NO_THIRD
from audit.rulebook.rules import GameRules

STATES: Final = 10 * 10 * 11 * 11

NO_DEPARTURE, DRAW_MISSING, DRAW_FORBIDDEN = range(3)
DEPARTURE_CODES: Final = ("", "DRW-001", "DRW-002")
SIDES: Final = (Side.PLAYER, Side.BANKER)
OUTCOMES: Final = (Outcome.PLAYER, Outcome.BANKER, Outcome.TIE)

Bytes = npt.NDArray[np.int8]


def state_of(player: Bytes, banker: Bytes, player_third: Bytes, banker_third: Bytes) -> npt.NDArray[np.int32]:
    """The number of a state from its four parts (arrays of points, NO_THIRD for no third card)."""
    return ((player.astype(np.int32) * 10 + banker) * 11 + player_third) * 11 + banker_third


def every_state() -> itertools.product[tuple[int, int, int, int]]:
    """Every state in the order of its number."""
    return itertools.product(range(10), range(10), range(11), range(11))


def parts_of(number: int) -> tuple[int, int, int, int]:
    """The four parts of a state by its number.

    >>> parts_of(int(state_of(*(np.array(part, np.int8) for part in (7, 3, 10, 4)))))
    (7, 3, 10, 4)
    """
    rest, banker_third = divmod(number, 11)
    rest, player_third = divmod(rest, 11)
    player, banker = divmod(rest, 10)
    return player, banker, player_third, banker_third


def points_of(state: tuple[int, int, int, int]) -> Points:
    """The points that a state stands for."""
    player, banker, player_third, banker_third = state
    return Points(
        player,
        banker,
        None if player_third == NO_THIRD else player_third,
        None if banker_third == NO_THIRD else banker_third,
    )


@dataclass(frozen=True, slots=True)
class DrawTable:
    """Answers by state: departure kind, its side, its article (an index into `articles`), required third-card order.

    `outcome`, `player_points` and `banker_points` are the result of the cards as they lie. `banker_first` says that
    the banker decides first, and so is the first to take a third card where both do.
    """

    departure: Bytes
    side: Bytes
    article: npt.NDArray[np.int16]
    articles: tuple[str, ...]
    outcome: Bytes
    player_points: Bytes
    banker_points: Bytes
    banker_first: npt.NDArray[np.bool_]


@lru_cache(maxsize=64)
def draw_table(rules: GameRules, method: DrawMethod | None) -> DrawTable:
    """Run the game's walk over all 12,100 states under `rules` (and, where it has a choice, `method`)."""
    departure, side, outcome = (np.zeros(STATES, np.int8) for _ in range(3))
    player_points, banker_points = (np.zeros(STATES, np.int8) for _ in range(2))
    article = np.zeros(STATES, np.int16)
    banker_first = np.zeros(STATES, np.bool_)
    articles: dict[str, int] = {"": 0}
    for number, state in enumerate(every_state()):
        points = points_of(state)
        steps = walk(points, rules, method)
        found = departure_of(steps)
        if found is not None:
            departure[number] = DEPARTURE_CODES.index(found.code)
            side[number] = SIDES.index(found.side)
            article[number] = articles.setdefault(found.article, len(articles))
        outcome[number] = OUTCOMES.index(points.outcome)
        player_points[number], banker_points[number] = points.player_total, points.banker_total
        banker_first[number] = steps[0].side is Side.BANKER
    return DrawTable(departure, side, article, tuple(articles), outcome, player_points, banker_points, banker_first)
