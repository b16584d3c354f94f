"""The acts: what the gazette published, when it began, and what of it has been read."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

from audit.base import strict
from audit.base.known_games import GAMES
from audit.base.model import Game, Text
from audit.base.strict import Value, YamlPath

MARKS: Final = {
    "O": "official page",
    "S1": "handed copy of 67/2007",
    "S2": "handed copy of 55/2004 and 70/2000",
    "T": "third-party copy of the official text",
    "P": "press",
    "C": "computed by exact enumeration",
    "I": "inference",
}
"""Grades of evidence, from the gazette itself down to inference."""

KINDS: Final = {
    "law": Text("法律", "Lei", "Law"),
    "regulation": Text("行政法規", "Regulamento Administrativo", "Administrative Regulation"),
    "executive_order": Text("行政命令", "Ordem Executiva", "Executive Order"),
    "chief_executive_order": Text("行政長官批示", "Despacho do Chefe do Executivo", "Order of the Chief Executive"),
    "portaria": Text("訓令", "Portaria", "Portaria"),
    "external_order": Text(
        "經濟財政司司長對外規範性批示",
        "Despacho Regulamentar Externo do Secretário para a Economia e Finanças",
        "External Regulatory Order of the Secretary for Economy and Finance",
    ),
    "secretary_order": Text(
        "經濟財政司司長批示",
        "Despacho do Secretário para a Economia e Finanças",
        "Order of the Secretary for Economy and Finance",
    ),
}
"""Kinds of act, by their names of law."""


@dataclass(frozen=True, slots=True)
class Instrument:
    """One act.

    `identifier` is how citations name it (``55/2004``, ``Lei 16/2001``). Days that nobody has found are None, and
    `published_certain` and `in_force_certain` tell a day that was read from one that was worked out. `gazette` is the
    number of the Boletim Oficial with its pages. `changed` says in our own words what the act did, `unread` what of
    it has not been read.
    """

    identifier: str
    kind: Text
    title: Text
    games: tuple[Game, ...]
    signed: dt.date | None
    published: dt.date | None
    published_certain: bool
    gazette: str | None
    in_force_from: dt.date | None
    in_force_certain: bool
    window: tuple[dt.date, dt.date] | None
    articles: tuple[str, ...]
    repeals: tuple[str, ...]
    repealed_from: dt.date | None
    mark: str
    changed: Text
    unread: Text | None
    sources: tuple[str, ...]


def load_instruments(path: Path) -> Mapping[str, Instrument]:
    """The acts of `instruments.yaml` by identifier, in the file's order.

    Raises ConfigurationError for a malformed file, a repeated identifier, and a repeal of an act that is not there.
    """
    value, place = strict.load(path)
    parts = strict.mapping(value, place, required=["instruments"])
    return read_instruments(parts["instruments"], place / "instruments", {})


def read_instruments(value: Value, where: YamlPath, others: Mapping[str, Instrument]) -> Mapping[str, Instrument]:
    """A list of acts by identifier, in its order; none of them is among the `others`, and it may repeal those.

    Raises ConfigurationError as :func:`load_instruments` does.
    """
    acts: dict[str, Instrument] = {}
    for index, item in enumerate(strict.sequence(value, where)):
        act = _instrument(item, where / index)
        if act.identifier in acts or act.identifier in others:
            (where / index / "id").fail(f"the act {act.identifier} stands twice")
        acts[act.identifier] = act
    for index, act in enumerate(acts.values()):
        for repealed in act.repeals:
            if repealed not in acts and repealed not in others:
                (where / index / "repeals").fail(f"the act {repealed} is not in the list")
    return MappingProxyType(acts)


def _instrument(value: Value, place: YamlPath) -> Instrument:
    parts = strict.mapping(
        value,
        place,
        required=["id", "kind", "title", "mark", "changed"],
        optional=[
            "games", "signed", "published", "published_certain", "gazette", "in_force", "certain", "window", "articles",
            "repeals", "repealed_from", "unread", "sources",
        ],
    )  # fmt: skip

    def day(key: str) -> dt.date | None:
        return strict.day(parts[key], place / key) if key in parts else None

    def words(key: str) -> tuple[str, ...]:
        return strict.words(parts[key], place / key) if key in parts else ()

    window = strict.window(parts["window"], place / "window") if "window" in parts else None
    if window and "in_force" in parts:
        (place / "window").fail("an act begins on one day (in_force) or within a window, not both")
    if "in_force" in parts and "certain" not in parts:
        (place / "in_force").fail("the key 'certain' is missing beside it")
    if "published" in parts and "published_certain" not in parts:
        (place / "published").fail("the key 'published_certain' is missing beside it")
    return Instrument(
        identifier=strict.word(parts["id"], place / "id"),
        kind=KINDS[strict.choice(parts["kind"], place / "kind", KINDS)],
        title=strict.text(parts["title"], place / "title"),
        games=tuple(Game(strict.choice(name, place / "games", GAMES)) for name in words("games")),
        signed=day("signed"),
        published=day("published"),
        published_certain=strict.flag(parts.get("published_certain", False), place / "published_certain"),
        gazette=strict.word(parts["gazette"], place / "gazette") if "gazette" in parts else None,
        in_force_from=window[0] if window else day("in_force"),
        in_force_certain=strict.flag(parts.get("certain", False), place / "certain"),
        window=window,
        articles=words("articles"),
        repeals=words("repeals"),
        repealed_from=day("repealed_from"),
        mark=strict.choice(parts["mark"], place / "mark", MARKS),
        changed=strict.text(parts["changed"], place / "changed"),
        unread=strict.optional_text(parts, "unread", place),
        sources=words("sources"),
    )
