"""Read one game's regulation file: its versions, and the dated wordings of its provisions."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final, TypeVar, cast

from audit.base import strict
from audit.base.known_games import GAMES
from audit.base.model import Game, Text
from audit.base.strict import Value, YamlPath
from audit.rulebook.instruments import MARKS, Instrument, read_instruments
from audit.rulebook.rules import Provision
from audit.rulebook.schema import read_terms
from audit.rulebook.terms import FORMS
from audit.rulebook.timeline import Span, Timeline

T = TypeVar("T")

_RULE_ID: Final = re.compile(r"[A-Z]{3}-[0-9]{2}")
_START: Final = ("from", "window", "certain")


@dataclass(frozen=True, slots=True)
class Version:
    """One version of a game's regulation: its name, its first day and the acts that made it.

    `known` is False where most of the text has not been read; `note` then says what is known.
    """

    identifier: str
    span: Span
    known: bool
    instrument: str
    acts: tuple[str, ...]
    note: Text | None


@dataclass(frozen=True, slots=True)
class GameFile:
    """One game's regulation: its versions in order, and for each provision key its wordings in order.

    A wording of None marks the day from which the provision no longer exists. `acts` are those of its own list, which
    no other game's regulation knows.
    """

    game: Game
    instrument: str
    verified_on: dt.date
    item_articles: frozenset[int]
    versions: Timeline[Version]
    provisions: Mapping[str, Timeline[Provision | None]]
    acts: Mapping[str, Instrument]


@dataclass(frozen=True, slots=True)
class _Context:
    game_versions: Timeline[Version]
    instruments: Mapping[str, Instrument]
    verified_on: dt.date


def load_game(path: Path, instruments: Mapping[str, Instrument]) -> GameFile:
    """One game's file.

    Raises ConfigurationError naming the file and the path in it for anything that is not as documented in
    docs/law-changes.md: unknown or missing keys, days out of order, an act that is neither in `instruments` nor in the
    file's own list, a wording that begins on a day on which no version begins.
    """
    value, place = strict.load(path)
    parts = strict.mapping(
        value,
        place,
        required=["game", "instrument", "verified_on", "item_articles", "versions", "provisions"],
        optional=["instruments"],
    )
    game = Game(strict.choice(parts["game"], place / "game", GAMES))
    if path.stem != game:
        (place / "game").fail(f"the file of {game} is {game}.yaml")
    acts = read_instruments(parts.get("instruments", []), place / "instruments", instruments)
    instruments = {**instruments, **acts}
    instrument = _act(parts["instrument"], place / "instrument", instruments)
    verified_on = strict.day(parts["verified_on"], place / "verified_on")
    versions = _timeline(
        parts["versions"],
        place / "versions",
        lambda item, where: _version(item, where, instrument, instruments),
        lambda version: version.span.first,
    )
    context = _Context(versions, instruments, verified_on)
    provisions: dict[str, Timeline[Provision | None]] = {}
    for index, item in enumerate(strict.sequence(parts["provisions"], place / "provisions")):
        where = place / "provisions" / index
        key, wordings = _record(item, where, context)
        if key in provisions:
            (where / "key").fail(f"the provision {key!r} stands twice")
        provisions[key] = wordings
    return GameFile(
        game=game,
        instrument=instrument,
        verified_on=verified_on,
        item_articles=_numbers(parts["item_articles"], place / "item_articles"),
        versions=versions,
        provisions=MappingProxyType(provisions),
        acts=acts,
    )


def _timeline(
    value: Value,
    place: YamlPath,
    read: Callable[[Value, YamlPath], T],
    first: Callable[[T], dt.date],
) -> Timeline[T]:
    items = [read(item, place / index) for index, item in enumerate(strict.sequence(value, place))]
    if not items:
        place.fail("the list is empty")
    try:
        return Timeline.of((first(item), item) for item in items)
    except ValueError as error:
        place.fail(f"the first days must rise: {error}")


def _numbers(value: Value, place: YamlPath) -> frozenset[int]:
    numbers = strict.sequence(value, place)
    for index, number in enumerate(numbers):
        if isinstance(number, bool) or not isinstance(number, int):
            (place / index).fail("a whole number is expected")
    return frozenset(cast("list[int]", numbers))


def _act(value: Value, place: YamlPath, instruments: Mapping[str, Instrument]) -> str:
    identifier = strict.word(value, place)
    if identifier not in instruments:
        place.fail(f"the act {identifier} is not in instruments.yaml")
    return identifier


def _span(parts: Mapping[str, Value], place: YamlPath) -> Span:
    if ("from" in parts) == ("window" in parts):
        place.fail("exactly one of the keys 'from' and 'window' is expected")
    if "window" in parts:
        if "certain" in parts:
            (place / "certain").fail("a window is never certain; leave the key out")
        window = strict.window(parts["window"], place / "window")
        return Span(window[0], certain=False, window=window)
    if "certain" not in parts:
        place.fail("the key 'certain' is missing")
    return Span(strict.day(parts["from"], place / "from"), strict.flag(parts["certain"], place / "certain"))


def _version(value: Value, place: YamlPath, instrument: str, instruments: Mapping[str, Instrument]) -> Version:
    parts = strict.mapping(value, place, required=["id", "known", "acts"], optional=[*_START, "instrument", "note"])
    known = strict.flag(parts["known"], place / "known")
    note = strict.optional_text(parts, "note", place)
    if not known and note is None:
        place.fail("a version whose text is not known needs a 'note' that says what is")
    acts = strict.sequence(parts["acts"], place / "acts")
    return Version(
        identifier=strict.word(parts["id"], place / "id"),
        span=_span(parts, place),
        known=known,
        instrument=_act(parts.get("instrument", instrument), place / "instrument", instruments),
        acts=tuple(_act(act, place / "acts" / index, instruments) for index, act in enumerate(acts)),
        note=note,
    )


def _record(value: Value, place: YamlPath, context: _Context) -> tuple[str, Timeline[Provision | None]]:
    parts = strict.mapping(value, place, required=["key", "rule_ids", "title", "versions"])
    key = strict.choice(parts["key"], place / "key", FORMS)
    rule_ids = strict.words(parts["rule_ids"], place / "rule_ids")
    for index, rule_id in enumerate(rule_ids):
        if not _RULE_ID.fullmatch(rule_id):
            (place / "rule_ids" / index).fail(f"{rule_id!r} is not a rule's id such as BAC-16")
    title = strict.text(parts["title"], place / "title")

    def read(item: Value, where: YamlPath) -> tuple[dt.date, Provision | None]:
        return _wording(item, where, context, (key, rule_ids, title))

    dated = _timeline(parts["versions"], place / "versions", read, lambda pair: pair[0])
    return key, Timeline(dated.days, tuple(wording for _, wording in dated.entries))


def _wording(
    value: Value,
    place: YamlPath,
    context: _Context,
    identity: tuple[str, tuple[str, ...], Text],
) -> tuple[dt.date, Provision | None]:
    if isinstance(value, dict) and "repealed" in value:
        return _repeal(value, place, context), None
    parts = strict.mapping(
        value,
        place,
        required=["act", "article", "article_zh", "article_pt", "mark", "summary", "parameters"],
        optional=[*_START, "interpretation", "unknown", "verified_on"],
    )
    key, rule_ids, title = identity
    span = _span(parts, place)
    parameters, terms = read_terms(key, parts["parameters"], place / "parameters", complete="unknown" not in parts)
    return span.first, Provision(
        key=key,
        rule_ids=rule_ids,
        instrument=_game_version(span, place, context).instrument,
        article=strict.word(parts["article"], place / "article"),
        article_zh=strict.word(parts["article_zh"], place / "article_zh"),
        article_pt=strict.word(parts["article_pt"], place / "article_pt"),
        act=_act(parts["act"], place / "act", context.instruments),
        in_force_from=span.first,
        certain=span.certain,
        mark=strict.choice(parts["mark"], place / "mark", MARKS),
        title=title,
        summary=strict.text(parts["summary"], place / "summary"),
        parameters=parameters,
        terms=terms,
        interpretation=strict.optional_text(parts, "interpretation", place),
        unknown=strict.optional_text(parts, "unknown", place),
        window=span.window,
        verified_on=strict.day(parts["verified_on"], place / "verified_on")
        if "verified_on" in parts
        else context.verified_on,
    )


def _repeal(value: Value, place: YamlPath, context: _Context) -> dt.date:
    parts = strict.mapping(value, place, required=["repealed", "act", "mark"], optional=_START)
    if not strict.flag(parts["repealed"], place / "repealed"):
        (place / "repealed").fail("true is expected")
    _act(parts["act"], place / "act", context.instruments)
    strict.choice(parts["mark"], place / "mark", MARKS)
    span = _span(parts, place)
    _game_version(span, place, context)
    return span.first


def _game_version(span: Span, place: YamlPath, context: _Context) -> Version:
    if span.first not in context.game_versions.days:
        place.fail(f"no version of the game begins on {span.first}")
    version = context.game_versions.at(span.first)
    if not version.known:
        place.fail(f"the version {version.identifier} that begins on {span.first} is marked as not known")
    return version
