"""The games as the regulations walk them: one small scalar function each, and what a wager is due.

Everything fast is compiled from these functions (``audit.replay.compile``); ``explain`` and ``investigate`` call them
as they are.
"""

from __future__ import annotations

from audit.base.model import DrawMethod
from audit.games.registry import added, game_of, methods_of
from audit.games.spec import GameSpec
from audit.games.steps import Act, Departure, Points, Step, departure_of
from audit.rulebook.rules import GameRules
from audit.rulebook.terms import DrawRules

__all__ = [
    "Act",
    "Departure",
    "GameSpec",
    "Points",
    "Step",
    "added",
    "departure_of",
    "game_of",
    "methods_of",
    "walk",
]


def walk(points: Points, rules: GameRules, method: DrawMethod | None = None) -> tuple[Step, ...]:
    """Walk one hand of the game that `rules` belongs to, up to and including the first departure.

    `method` is needed where the game leaves a choice of methods, and ignored where it does not.
    """
    game = game_of(rules.game)
    return tuple(game.walk(points, rules.terms(DrawRules), method if game.methods else None))
