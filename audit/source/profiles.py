"""Source profiles: how the columns of a house's export become the canonical columns, as data and not as code.

A profile says, for each canonical table, which column of the source holds which canonical column, what its words
mean, what is the same in every row, how an identifier is put together, how cards are written and what its amounts
are. See ``config/sources/*.yaml`` for examples and ``config/sources/canonical.yaml`` for every key.
"""

from __future__ import annotations

import codecs
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from audit.base import strict
from audit.base.canonical import TABLES, CanonicalTable
from audit.base.errors import ConfigurationError
from audit.base.resources import resource_dir
from audit.formats.csvfile import Dialect
from audit.source.profile_file import read_table, scalars, zone
from audit.source.quarantine import Quarantine
from audit.source.table_layout import TableLayout

_SUFFIXES: Final = frozenset({".yaml", ".yml"})
_TOP: Final = ("description", "zone", "csv", "nulls", "numbers", *TABLES)


@dataclass(frozen=True, slots=True)
class SourceProfile:
    """One layout of source files: its name, the zone of timestamps without an offset, its CSV form and its tables.

    `nulls` are the texts that stand for no value. `digest` is the SHA-256 of the file it was read from, in
    hexadecimal; empty for the canonical layout in the code.
    """

    name: str
    zone: str = "Asia/Macau"
    tables: Mapping[str, TableLayout] = field(default_factory=dict)
    dialect: Dialect = field(default_factory=Dialect)
    nulls: frozenset[str] = frozenset()
    description: str = field(default="", compare=False)
    digest: str = field(default="", compare=False)

    def table(self, table: CanonicalTable) -> TableLayout:
        """How `table` is found in the source; a table that the profile leaves out has the canonical layout."""
        return self.tables.get(table.name, TableLayout(direct=True))

    def embeds(self, table: str) -> bool:
        """Whether the files of the rounds carry `table` too."""
        return table in self.tables and self.tables[table].embedded


CANONICAL: Final = SourceProfile("canonical")
"""The canonical layout, which needs no translation."""


def load_profile(name: str) -> SourceProfile:
    """The profile called `name` among those that are shipped, or of the YAML file at the path `name`.

    Raises ConfigurationError naming file and key for an unknown profile or key and for a layout that cannot work.
    """
    path = _find(name)
    content, place = strict.load(path)
    parts = strict.mapping(content, place, required=("name",), optional=_TOP)
    nulls = frozenset(scalars(parts.get("nulls", []), place / "nulls"))
    marks = _marks(parts.get("numbers", {}), place / "numbers")
    tables = {
        table.name: read_table(parts[table.name], place / table.name, table, nulls, marks)
        for table in TABLES.values()
        if table.name in parts
    }
    return SourceProfile(
        strict.word(parts["name"], place / "name"),
        zone(parts.get("zone", CANONICAL.zone), place / "zone"),
        tables,
        _dialect(parts.get("csv", {}), place / "csv"),
        nulls,
        " ".join(strict.word(parts["description"], place / "description").split()) if "description" in parts else "",
        hashlib.sha256(path.read_bytes()).hexdigest(),
    )


def shipped() -> dict[str, Path]:
    """The files of the shipped profiles by name, in the order of names."""
    folder = resource_dir("config") / "sources"
    return {each.stem: each for each in sorted(folder.glob("*.yaml"))}


def manifest_entry(profile: SourceProfile, quarantine: Quarantine) -> dict[str, Any]:
    """What the manifest says of the source: the profile, and whether the order of its cards is proved or trusted."""
    return {
        "profile": profile.name,
        "digest": profile.digest,
        "zone": profile.zone,
        "proof": quarantine.proof.as_json(),
        "rows_of_other_tables": quarantine.left(),
        "cards": dict(quarantine.proof.left),
    }


def _find(name: str) -> Path:
    path = Path(name)
    if path.suffix in _SUFFIXES:
        if not path.is_file():
            raise ConfigurationError(f"the source profile {name} does not exist")
        return path
    known = shipped()
    if name not in known:
        raise ConfigurationError(f"there is no source profile called {name!r}; there are: {', '.join(known)}")
    return known[name]


def _marks(value: strict.Value, place: strict.YamlPath) -> tuple[str, str]:
    """The decimal mark and the mark between groups of three digits."""
    parts = strict.mapping(value, place, required=(), optional=("decimal", "grouping"))
    decimal, grouping = parts.get("decimal", "."), parts.get("grouping", "")
    if decimal not in {".", ","}:
        (place / "decimal").fail("'.' or ',' is expected")
    if grouping not in {"", ".", ",", " ", "'", "\u00a0", "\u202f"} or grouping == decimal:
        (place / "grouping").fail("a mark other than the decimal one is expected")
    return str(decimal), str(grouping)


def _dialect(value: strict.Value, place: strict.YamlPath) -> Dialect:
    parts = strict.mapping(value, place, required=(), optional=("delimiter", "encoding", "footer"))
    delimiter, encoding = parts.get("delimiter", ","), parts.get("encoding", "utf-8")
    if not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\r\n':
        (place / "delimiter").fail("one character is expected that is no quote and no line end")
    encoding = strict.word(encoding, place / "encoding")
    try:
        name = codecs.lookup(encoding).name
        codecs.getincrementaldecoder(name)
    except LookupError:
        (place / "encoding").fail(f"{encoding!r} is not the name of an encoding")
    footer = strict.word(parts["footer"], place / "footer") if "footer" in parts else ""
    try:
        re.compile(footer)
    except re.error as error:
        (place / "footer").fail(f"not a pattern: {error}")
    return Dialect(delimiter, name, footer)
