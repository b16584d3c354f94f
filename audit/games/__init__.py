"""The two games as the regulations walk them: one small scalar function each, and what a wager is due.

Everything fast is compiled from these functions (``audit.replay.compile``); ``explain`` and ``investigate`` call them
as they are.
"""

from __future__ import annotations

from audit.base.model import DrawMethod, Game
from audit.games.baccarat import walk as walk_baccarat
from audit.games.makccarat import walk as walk_makccarat
from audit.games.steps import Act, Departure, Points, Step, departure_of
from audit.rulebook.rules import GameRules

__all__ = ["Act", "Departure", "Points", "Step", "departure_of", "methods_of", "walk"]


def methods_of(game: Game) -> tuple[DrawMethod | None, ...]:
    """The drawing methods that a game knows: two for Makccarat (67/2007 art. 9(2)), none to choose in baccarat."""
    return tuple(DrawMethod) if game is Game.MAKCCARAT else (None,)


def walk(points: Points, rules: GameRules, method: DrawMethod | None = None) -> tuple[Step, ...]:
    """Walk one hand of the game that `rules` belongs to, up to and including the first departure.

    `method` is needed for Makccarat and ignored for baccarat.
    """
    provision = rules.provision("draw").parameters
    if rules.game is Game.MAKCCARAT:
        if method is None:
            message = "a Makccarat hand cannot be walked without its drawing method"
            raise ValueError(message)
        return tuple(walk_makccarat(points, provision, method))
    return tuple(walk_baccarat(points, provision))
