"""Which games there are: the code of each, its names and the file of its regulation.

This is what words, law and readers ask of a game. How a hand of it goes is the business of ``audit.games``, whose
``GameSpec`` is a :class:`KnownGame` with its procedure; there a game is added too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final, overload

from audit.base import strict
from audit.base.model import Game, Text

REGULATIONS: Final = Path(__file__).resolve().parents[1] / "regulations"
"""Where the package keeps its dated data."""

_PREFIX: Final = re.compile("[A-Z]{3}")


@dataclass(frozen=True, kw_only=True, eq=False)
class KnownGame:
    """A game as words and law know it.

    `names` stand within a sentence. `regulation` is the file of its law, `item_prefix` begins the ids of its rules
    (``BAC`` of ``BAC-16``). `words` are the names of bets that no other game has.
    """

    code: Game
    names: Text
    regulation: Path
    item_prefix: str
    words: Mapping[str, Text] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def title(self) -> Text:
        """Its names as they begin a line."""
        return Text(*(name[:1].upper() + name[1:] for name in (self.names.zh, self.names.pt, self.names.en)))

    def regulation_in(self, directory: Path) -> Path:
        """The file of its law in a copy of the regulations; a game that was added keeps its own."""
        return directory / self.regulation.name if self.regulation.parent == REGULATIONS else self.regulation


@cache
def _shipped() -> Mapping[Game, KnownGame]:
    value, place = strict.load(Path(__file__).with_suffix(".yaml"))
    games, where = strict.mapping(value, place, required=["games"])["games"], place / "games"
    found = {}
    for code, item in games.items() if isinstance(games, dict) else ():
        here = where / str(code)
        parts = strict.mapping(item, here, required=["names", "item_prefix"])
        prefix = strict.word(parts["item_prefix"], here / "item_prefix")
        if not _PREFIX.fullmatch(prefix):
            (here / "item_prefix").fail("three capital letters are expected")
        found[Game(str(code))] = KnownGame(
            code=Game(str(code)),
            names=strict.text(parts["names"], here / "names"),
            regulation=REGULATIONS / f"{code}.yaml",
            item_prefix=prefix,
        )
    return MappingProxyType(found)


_ADDED: Final[dict[Game, KnownGame]] = {}


@cache
def _codes() -> tuple[Game, ...]:
    return (*_shipped(), *_ADDED)


class KnownCodes(Sequence[Game]):
    """The codes of the games known at the moment, in a fixed order: shipped ones first, then those added."""

    @overload
    def __getitem__(self, place: int) -> Game: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Game, ...]: ...
    def __getitem__(self, place: int | slice) -> Game | tuple[Game, ...]:
        """The code at a place."""
        return _codes()[place]

    def __len__(self) -> int:
        """How many games are known."""
        return len(_codes())

    def __reduce__(self) -> str:
        """As another process knows it: by name."""
        return "GAMES"


GAMES: Final = KnownCodes()
"""The games there are; what is made of it holds for as long as no other is added."""


def known_game(code: str) -> KnownGame:
    """What is known of a game.

    >>> known_game("baccarat").names.pt, known_game("baccarat").title.en
    ('Bacará', 'Baccarat')

    Raises KeyError for a code that no game has.
    """
    game = Game(code)
    return _ADDED[game] if game in _ADDED else _shipped()[game]


def known_games() -> tuple[KnownGame, ...]:
    """Every game known, in the order of `GAMES`."""
    return (*_shipped().values(), *_ADDED.values())


def added_games() -> tuple[KnownGame, ...]:
    """What a process of ours must be told: the games that do not ship, as plain data."""
    return tuple(
        KnownGame(
            code=game.code, names=game.names, regulation=game.regulation, item_prefix=game.item_prefix,
            words=dict(game.words),
        )
        for game in _ADDED.values()
    )  # fmt: skip


@cache
def spoken_words() -> Mapping[str, Text]:
    """The names of the games known and of the bets that are theirs alone, by machine word."""
    words: dict[str, Text] = {game.code: game.names for game in known_games()}
    words |= {word: text for game in known_games() for word, text in game.words.items()}
    return MappingProxyType(words)


@contextmanager
def known(*games: KnownGame) -> Iterator[None]:
    """Know of further games within the block.

    Raises ValueError for a code or a prefix that another game has already.
    """
    for game in games:
        taken = {each.item_prefix for each in known_games()} | set(GAMES)
        if game.code in taken or game.item_prefix in taken:
            message = f"another game has the code {game.code} or the prefix {game.item_prefix} already"
            raise ValueError(message)
    before = dict(_ADDED)
    _know(before | {game.code: game for game in games})
    try:
        yield
    finally:
        _know(before)


def _know(games: Mapping[Game, KnownGame]) -> None:
    added = dict(games)
    _ADDED.clear()
    _ADDED.update(added)
    _codes.cache_clear()
    spoken_words.cache_clear()
