"""Source profiles: how the columns of a house's export become the canonical columns, as data and not as code.

A profile says, for each canonical table, which column of the source holds which canonical column, what its words
mean, what is the same in every row, how an identifier is put together, how cards are written and what its amounts
are. See ``config/sources/*.yaml`` for examples and CONTRIBUTING for adding one.
"""

from __future__ import annotations

import codecs
import hashlib
import re
import zoneinfo
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from audit.errors import ConfigurationError
from audit.ingest.canonical import CARD_COLUMNS, TABLES, Kind, Table
from audit.ingest.csvfile import Dialect
from audit.ingest.layout import CardLayout, CardText, Mapped, TableLayout
from audit.ingest.notations import NOTATIONS, ORDERS, Notation
from audit.ingest.numbering import NUMBERINGS
from audit.ingest.settlement import FORMS, Settlement
from audit.model import MONEY_SCALE, SUITS
from audit.resources import resource_dir
from audit.rulebook import strict

_SIDES: Final = dict(zip(("player", "banker"), CARD_COLUMNS, strict=True))
_SUFFIXES: Final = frozenset({".yaml", ".yml"})


@dataclass(frozen=True, slots=True)
class Profile:
    """One layout of source files: its name, the zone of timestamps without an offset, its CSV form and its tables.

    `digest` is the SHA-256 of the file it was read from, in hexadecimal; empty for the canonical layout in the code.
    """

    name: str
    zone: str = "Asia/Macau"
    tables: Mapping[str, TableLayout] = field(default_factory=dict)
    dialect: Dialect = field(default_factory=Dialect)
    digest: str = field(default="", compare=False)

    def table(self, table: Table) -> TableLayout:
        """How `table` is found in the source; a table that the profile leaves out has the canonical layout."""
        return self.tables.get(table.name, TableLayout(direct=True))


CANONICAL: Final = Profile("canonical")
"""The canonical layout, which needs no translation."""


def load_profile(name: str) -> Profile:
    """The profile called `name` among those that are shipped, or of the YAML file at the path `name`.

    Raises ConfigurationError naming file and key for an unknown profile or key and for a layout that cannot work.
    """
    path = _find(name)
    content, place = strict.load(path)
    parts = strict.mapping(content, place, required=("name",), optional=("description", "zone", "csv", *TABLES))
    return Profile(
        strict.word(parts["name"], place / "name"),
        _zone(parts.get("zone", CANONICAL.zone), place / "zone"),
        {
            table.name: _table(parts[table.name], place / table.name, table)
            for table in TABLES.values()
            if table.name in parts
        },
        _dialect(parts.get("csv", {}), place / "csv"),
        hashlib.sha256(path.read_bytes()).hexdigest(),
    )


def _find(name: str) -> Path:
    path = Path(name)
    if path.suffix in _SUFFIXES:
        if not path.is_file():
            raise ConfigurationError(f"the source profile {name} does not exist")
        return path
    folder = resource_dir("config") / "sources"
    shipped = {each.stem: each for each in folder.glob("*.yaml")}
    if name not in shipped:
        raise ConfigurationError(f"there is no source profile called {name!r}; there are: {', '.join(sorted(shipped))}")
    return shipped[name]


def _zone(value: strict.Value, place: strict.Place) -> str:
    zone = strict.word(value, place)
    try:
        zoneinfo.ZoneInfo(zone)
    except (ValueError, OSError, zoneinfo.ZoneInfoNotFoundError):
        place.fail(f"{zone!r} is not the name of a time zone")
    return zone


def _dialect(value: strict.Value, place: strict.Place) -> Dialect:
    parts = strict.mapping(value, place, required=(), optional=("delimiter", "encoding"))
    delimiter, encoding = parts.get("delimiter", ","), parts.get("encoding", "utf-8")
    if not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\r\n':
        (place / "delimiter").fail("one character is expected that is no quote and no line end")
    encoding = strict.word(encoding, place / "encoding")
    try:
        name = codecs.lookup(encoding).name
    except LookupError:
        (place / "encoding").fail(f"{encoding!r} is not the name of an encoding")
    return Dialect(delimiter, name)


def _table(value: strict.Value, place: strict.Place, table: Table) -> TableLayout:
    more = {"rounds": ("cards", "numbering"), "wagers": ("money",)}.get(table.name, ())
    parts = strict.mapping(value, place, required=(), optional=("columns", "constants", "templates", *more))

    def section(key: str) -> dict[str, strict.Value]:
        return strict.mapping(parts.get(key, {}), place / key, required=(), optional=table.names)

    layout = TableLayout(
        columns={name: _mapped(entry, place / "columns" / name) for name, entry in section("columns").items()},
        constants={name: _scalar(entry, place / "constants" / name) for name, entry in section("constants").items()},
        templates={
            name: strict.word(entry, place / "templates" / name) for name, entry in section("templates").items()
        },
        cards=_cards(parts["cards"], place / "cards") if "cards" in parts else None,
        money=_money(parts.get("money", {}), place / "money"),
        running=strict.choice(parts.get("numbering", "by_shoe"), place / "numbering", NUMBERINGS) == "running",
    )
    _check_complete(layout, place, table)
    return layout


def _mapped(value: strict.Value, place: strict.Place) -> Mapped:
    if isinstance(value, str):
        return Mapped(strict.word(value, place))
    entry = strict.mapping(value, place, required=("from", "words"))
    known = entry["words"]
    if not isinstance(known, dict):
        (place / "words").fail("a mapping is expected")
    return Mapped(
        strict.word(entry["from"], place / "from"),
        {str(word): _scalar(meaning, place / "words" / str(word)) for word, meaning in known.items()},
    )


def _scalar(value: strict.Value, place: strict.Place) -> str:
    """A word, whole number or truth value as the text that a cell would have."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    return strict.word(value, place)


def _cards(value: strict.Value, place: strict.Place) -> CardLayout:
    optional = ("notation", "suits", "none", "separator", "order", "both", *_SIDES)
    parts = strict.mapping(value, place, required=(), optional=optional)
    together = {"both", "order"} & parts.keys()
    if (together and together != {"both", "order"}) or bool(together) == bool(_SIDES.keys() & parts.keys()):
        place.fail("either both and order, or player and banker say where the cards are")
    suits = strict.word(parts.get("suits", "SHDC"), place / "suits")
    if sorted(suits) != sorted(SUITS):
        (place / "suits").fail("the four letters S, H, D and C are expected, in the order of the source's numbers")
    none = strict.sequence(parts.get("none", []), place / "none")
    separator = parts.get("separator", "")
    if not isinstance(separator, str):
        (place / "separator").fail("a text is expected")
    sides = {_SIDES[side]: _side(parts[side], place / side) for side in _SIDES if side in parts}
    if not together and len(sides) != len(_SIDES):
        place.fail("the cards of both player and banker are needed")
    return CardLayout(
        Notation(
            strict.choice(parts.get("notation", "rank_suit"), place / "notation", NOTATIONS),
            suits,
            tuple(_scalar(each, place / "none" / index) for index, each in enumerate(none)),
        ),
        separator,
        strict.choice(parts["order"], place / "order", ORDERS) if together else "",
        sides,
        _card_text(parts["both"], place / "both") if together else None,
    )


def _side(value: strict.Value, place: strict.Place) -> tuple[str, ...] | CardText:
    return strict.words(value, place) if isinstance(value, list) else _card_text(value, place)


def _card_text(value: strict.Value, place: strict.Place) -> CardText:
    if isinstance(value, str):
        return CardText(strict.word(value, place))
    parts = strict.mapping(value, place, required=("from",), optional=("match",))
    match = strict.word(parts["match"], place / "match") if "match" in parts else ""
    try:
        groups = re.compile(match).groupindex
        pc.match_substring_regex(pa.array([""]), match)  # Arrow's patterns have no look-around and no back-references
    except (re.error, pa.ArrowInvalid) as error:
        (place / "match").fail(f"not a pattern: {error}")
    if match and list(groups) != ["cards"]:
        (place / "match").fail("the pattern needs one named group, (?P<cards>...)")
    return CardText(strict.word(parts["from"], place / "from"), match)


def _money(value: strict.Value, place: strict.Place) -> Settlement:
    parts = strict.mapping(value, place, required=(), optional=("payout", "before_commission", "minor_units"))
    units = parts.get("minor_units")
    if units is not None and (isinstance(units, bool) or not isinstance(units, int) or not 0 <= units <= MONEY_SCALE):
        (place / "minor_units").fail(f"a whole number from 0 to {MONEY_SCALE} is expected")
    return Settlement(
        strict.choice(parts.get("payout", "winnings"), place / "payout", FORMS),
        strict.flag(parts.get("before_commission", False), place / "before_commission"),
        units,
    )


def _check_complete(layout: TableLayout, place: strict.Place, table: Table) -> None:
    """Every canonical column comes from one place, and those that may not be null from somewhere."""
    cards: Collection[str] = layout.cards.needed() if layout.cards else ()
    origins = [*layout.columns, *layout.constants, *layout.templates, *cards]
    for name in origins:
        if origins.count(name) > 1:
            place.fail(f"the column {name!r} is defined twice")
    for column in table.columns:
        if column.required and column.name not in origins:
            place.fail(f"the column {column.name!r} is needed and nothing says where it comes from")
    if layout.money.minor_units is not None:
        for name in layout.constants:
            if table.column(name).kind is Kind.MONEY:
                (place / "constants" / name).fail(
                    "a constant amount is written in the currency's unit, not in minor units"
                )
