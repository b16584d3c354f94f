"""The alternatives that the regulations leave to the house, as data: since when, which value, how a log shows them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Final

from audit.base import strict
from audit.base.known_games import GAMES, REGULATIONS
from audit.base.model import Game, Text
from audit.base.strict import Value, YamlPath
from audit.rulebook.loader import Rulebook
from audit.rulebook.terms import FORMS

ANY_VALUE: Final = "*"
"""Value of an option that takes any bet code."""

_KEYS: Final = ("game", "option", "values", "provision", "article", "rule_itself", "visible", "seen_by")


class Availability(StrEnum):
    """Whether the law of a day knows an option's value."""

    AVAILABLE = "available"
    UNCERTAIN = "uncertain"
    UNAVAILABLE = "unavailable"


@dataclass(frozen=True, slots=True)
class OptionValue:
    """One value of one option of one game.

    `since` is the first day on which the law may have known it; `window`, where given, holds the first and last day on
    which that may have begun. `until` is the last day, None while open. `rule_itself` marks what the article states as
    the rule, which needs no authorisation; `authorisation` is the article that asks for one otherwise. `visible` says
    whether a log can show its use, `seen_by` how, or why not. `coded` is False for alternatives that the register has
    no code for.
    """

    game: Game
    option: str
    value: str
    provision: str
    article: str
    since: dt.date
    window: tuple[dt.date, dt.date] | None
    until: dt.date | None
    rule_itself: bool
    authorisation: str | None
    visible: bool
    seen_by: Text
    coded: bool

    def on(self, day: dt.date) -> Availability:
        """Whether the law of `day` knows this value; uncertain on the days of its window."""
        if day < self.since or (self.until is not None and day > self.until):
            return Availability.UNAVAILABLE
        if self.window is not None and day <= self.window[1]:
            return Availability.UNCERTAIN
        return Availability.AVAILABLE


def load_options(directory: Path | None = None) -> tuple[OptionValue, ...]:
    """Every value that the register knows by a code, in the file's order.

    Raises ConfigurationError naming the file and the path in it for anything malformed.
    """
    return tuple(option for option in load_alternatives(directory) if option.coded)


def load_alternatives(directory: Path | None = None) -> tuple[OptionValue, ...]:
    """Every alternative of the regulations, those without a code in the register (`coded` False) included."""
    return _load((directory or REGULATIONS).resolve())


def find_option(game: Game, option: str, value: str, options: tuple[OptionValue, ...]) -> OptionValue | None:
    """The entry for a value, a bet code matching the open value; None where no regulation ever knew it."""
    for entry in options:
        if entry.game == game and entry.option == option and entry.value in {value, ANY_VALUE}:
            return entry
    return None


@cache
def _load(directory: Path) -> tuple[OptionValue, ...]:
    rulebook = Rulebook.load(directory)
    value, place = strict.load(directory / "options.yaml")
    parts = strict.mapping(value, place, required=["options", "uncoded"])
    found: dict[tuple[Game, str, str], OptionValue] = {}
    for section in ("options", "uncoded"):
        where = place / section
        for index, item in enumerate(strict.sequence(parts[section], where)):
            for option in _entry(item, where / index, rulebook, coded=section == "options"):
                identity = (option.game, option.option, option.value)
                if identity in found:
                    (where / index / "values").fail(f"the value {option.value!r} of {option.option} stands twice")
                found[identity] = option
    return tuple(found.values())


def _entry(value: Value, place: YamlPath, rulebook: Rulebook, *, coded: bool) -> list[OptionValue]:
    parts = strict.mapping(value, place, required=_KEYS, optional=["from", "window", "until"])
    since, window = _start(parts, place)
    game = Game(strict.choice(parts["game"], place / "game", GAMES))
    until = strict.day(parts["until"], place / "until") if "until" in parts else None
    rule_itself = strict.flag(parts["rule_itself"], place / "rule_itself")
    rules = rulebook.on(game, since)
    return [
        OptionValue(
            game=game,
            option=strict.word(parts["option"], place / "option"),
            value=name,
            provision=strict.choice(parts["provision"], place / "provision", FORMS),
            article=strict.word(parts["article"], place / "article"),
            since=since,
            window=window,
            until=until,
            rule_itself=rule_itself,
            authorisation=None if rule_itself else rules.provision("authorisation").article,
            visible=strict.flag(parts["visible"], place / "visible"),
            seen_by=strict.text(parts["seen_by"], place / "seen_by"),
            coded=coded,
        )
        for name in strict.words(parts["values"], place / "values")
    ]


def _start(parts: Mapping[str, Value], place: YamlPath) -> tuple[dt.date, tuple[dt.date, dt.date] | None]:
    if ("from" in parts) == ("window" in parts):
        place.fail("exactly one of the keys 'from' and 'window' is expected")
    if "window" in parts:
        window = strict.window(parts["window"], place / "window")
        return window[0], window
    return strict.day(parts["from"], place / "from"), None
