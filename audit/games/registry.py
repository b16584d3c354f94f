"""The games by their code: the shipped ones, and those that somebody adds for a while."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Final

from audit.base.known_games import known
from audit.base.model import DrawMethod, Game
from audit.games import baccarat, makccarat
from audit.games.spec import GameSpec

_SPECS: Final[dict[Game, GameSpec]] = {spec.code: spec for spec in (baccarat.SPEC, makccarat.SPEC)}


def game_of(code: Game) -> GameSpec:
    """The specification of a game; KeyError for a code that no game has."""
    return _SPECS[code]


def methods_of(game: Game) -> tuple[DrawMethod | None, ...]:
    """The drawing methods that a game knows, None alone where it leaves nothing to choose."""
    return game_of(game).methods or (None,)


@contextmanager
def added(*specs: GameSpec) -> Iterator[None]:
    """Know of further games within the block, from the command line to the report.

    Processes on other machines (the engine ``dask``) know only the games that ship.

    Raises ValueError for a code or a prefix that another game has already.
    """
    with ExitStack() as stack:
        stack.enter_context(known(*specs))
        stack.callback(lambda: [_SPECS.pop(spec.code) for spec in specs])
        _SPECS.update({spec.code: spec for spec in specs})
        yield
