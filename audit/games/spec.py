"""What a game of player and banker is: its names, its law, and the functions that say how a hand of it goes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any, Self, TypeAlias

from audit.base.known_games import KnownGame, known_game
from audit.base.model import DrawMethod, Text
from audit.games.due import BetRule
from audit.games.steps import Points, Step
from audit.rulebook.terms import DrawRules

Walk: TypeAlias = Callable[[Points, DrawRules, DrawMethod | None], Iterator[Step]]
"""Points of a hand, what the drawing article states and the method in; the decisions in their order out."""


@dataclass(frozen=True, kw_only=True, eq=False)
class GameSpec(KnownGame):
    """A game: what words and law know of it, and its procedure.

    `walk` yields the decisions of a hand up to the first departure; who decides first takes a third card first.
    `methods` are the ways of drawing between which a house chooses, none where there is nothing to choose.
    `order_by_hand` says that who is first depends on the cards, so that the article of the first decision sets the
    order, else the body of the drawing article does. `bets` settles the bets that other games do not have; those on the
    sides, the tie and the pairs follow from the law's data. `steps` are the reasons for its drawing rules in words,
    with `{faces}`, beside those of ``audit/explanation/explain.yaml``.
    """

    walk: Walk
    methods: tuple[DrawMethod, ...] = ()
    order_by_hand: bool = False
    bets: Mapping[str, BetRule] = field(default_factory=lambda: MappingProxyType({}))
    steps: Mapping[str, Text] = field(default_factory=lambda: MappingProxyType({}))

    def __post_init__(self) -> None:
        if self.methods not in {(), tuple(DrawMethod)}:
            message = f"{self.code}: a game leaves either no choice of drawing or one between the methods of the logs"
            raise ValueError(message)

    @classmethod
    def shipped(cls, code: str, **procedure: Any) -> Self:
        """The specification of a game whose names stand in ``audit/base/known_games.yaml``."""
        known = known_game(code)
        return cls(**{each.name: getattr(known, each.name) for each in fields(KnownGame)}, **procedure)
