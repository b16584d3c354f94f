"""The rules of one game on one day, as the engine reads them.

A :class:`GameRules` is a set of provisions, one text each, of the version in force. It holds no default: asking for a
provision that the day does not have, or whose text is unknown, raises, and the caller answers "not evaluated".
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from audit.base.model import Game, Text


class NotInForce(LookupError):
    """No version of the game's regulation whose text is known covers the day."""


class TextUnknown(LookupError):
    """The provision exists on that day, but its text has not been read."""


@dataclass(frozen=True, slots=True)
class Citation:
    """A pointer to a provision: base instrument and article, as findings print them."""

    instrument: str
    article: str


@dataclass(frozen=True, slots=True)
class Provision:
    """One provision in the wording of one version.

    `article` is the compact form of the code and the findings (``9(3)(2)``); `article_zh` and `article_pt` are the
    reference in each language's own form. `parameters` is empty where the provision states none; `unknown` says in
    words what of its text has not been read. `act` is the act that gave it this wording, `mark` the grade of evidence
    (O, S1, S2, T, P, C, I; explained in docs/law-changes.md), `certain` whether the first day in force is certain.
    `window` holds the first and the last day on which the wording may have begun, where only such bounds are known: on
    those days what the act changed is not judged. `verified_on` is the day its text was last compared with the sources.
    """

    key: str
    rule_ids: tuple[str, ...]
    instrument: str
    article: str
    article_zh: str
    article_pt: str
    act: str
    in_force_from: dt.date
    certain: bool
    mark: str
    title: Text
    summary: Text
    parameters: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    interpretation: Text | None = None
    unknown: Text | None = None
    window: tuple[dt.date, dt.date] | None = None
    verified_on: dt.date | None = None

    @property
    def citation(self) -> Citation:
        """Where a finding points to."""
        return Citation(self.instrument, self.article)


@dataclass(frozen=True, slots=True, eq=False)
class GameRules:
    """Every provision of one game on one day; `version` names the version (``BAC-2018``)."""

    game: Game
    version: str
    in_force_from: dt.date
    instrument: str
    provisions: Mapping[str, Provision]
    acts: tuple[str, ...] = ()
    certain: bool = True
    window: tuple[dt.date, dt.date] | None = None

    def provision(self, key: str) -> Provision:
        """The provision under `key`.

        Raises NotInForce where this version has none.
        """
        try:
            return self.provisions[key]
        except KeyError:
            message = f"{self.version} has no provision {key!r}"
            raise NotInForce(message) from None

    def parameter(self, key: str, name: str) -> Any:
        """One parameter of a provision.

        Raises NotInForce where the version has no such provision, TextUnknown where its text has not been read.
        """
        provision = self.provision(key)
        if name not in provision.parameters:
            message = f"{self.version} {key}: the text that would state {name!r} is unknown"
            raise TextUnknown(message)
        return provision.parameters[name]

    def has(self, key: str) -> bool:
        """Say whether the version has the provision at all."""
        return key in self.provisions

    def in_window(self, key: str, day: dt.date) -> bool:
        """Say whether `day` lies among the days on which the provision's wording may or may not have begun.

        False where the version has no such provision, or its first day is one day only.
        """
        provision = self.provisions.get(key)
        if provision is None or provision.window is None:
            return False
        first, last = provision.window
        return first <= day <= last
