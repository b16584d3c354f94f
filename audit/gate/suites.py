"""The suites of expectations as files: read strictly, without the library that runs them.

A suite is an ordinary great-expectations suite in JSON: `name`, `expectations` (each `type`, `kwargs`, `meta`) and
`meta`. Its `meta` says what it judges: `role` is a table, `of` is `rows` (the first rows of the table) or `profile`
(the facts about all rows). The `meta` of an expectation holds its `severity` and what it expects in zh, pt and en.
The library's suite parameters stand for the codes of the games there are: ``{"$PARAMETER": "games"}`` for a set of
values, ``games_listed`` for the pattern of a list of them with commas between.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from audit.base import strict
from audit.base.canonical import TABLES
from audit.base.errors import ConfigurationError
from audit.base.known_games import GAMES
from audit.base.model import Text
from audit.base.resources import resource_dir
from audit.gate.facts import TableFacts

SEVERITIES: Final = ("critical", "warning", "info")
"""Gravity of an expectation; a critical one that fails refuses the input."""

SUBJECTS: Final = ("rows", "profile")

REGISTER_COLUMNS: Final = (
    "approval_id",
    "casino",
    "game",
    "option",
    "value",
    "tables",
    "applied_at",
    "decision",
    "authorised_at",
    "planned_from",
    "ends_on",
)

ROLES: Final = (*TABLES, "register")

_PARAMETER: Final = "$PARAMETER"

_COLUMN_KEYS: Final = ("column", "column_A", "column_B", "column_list", "column_set")


@dataclass(frozen=True, slots=True)
class Expectation:
    """One expectation; `kwargs` goes to the library as it stands, `column` is what the results name."""

    type: str
    kwargs: Mapping[str, object]
    severity: str
    text: Text

    @property
    def column(self) -> str | None:
        """The column, or the two columns, that it is about; None for one about the whole table."""
        if "column" in self.kwargs:
            return str(self.kwargs["column"])
        if "column_A" in self.kwargs and "column_B" in self.kwargs:
            return f"{self.kwargs['column_A']}, {self.kwargs['column_B']}"
        return None


@dataclass(frozen=True, slots=True)
class Suite:
    """One file of expectations about the rows or the profile of a table."""

    name: str
    file: str
    role: str
    of: str
    expectations: tuple[Expectation, ...]


@cache
def columns_of(role: str, of: str) -> frozenset[str]:
    """The columns that a suite about `role` may name."""
    if role == "register":
        return frozenset(REGISTER_COLUMNS) if of == "rows" else frozenset()
    return frozenset(TABLES[role].names if of == "rows" else TableFacts(role).facts())


def list_suites(directory: Path | None = None) -> tuple[Suite, ...]:
    """Every suite of a folder (default: the shipped `expectations`), in the order of the file names.

    Raises ConfigurationError, naming file and path of the value, for a file that is not a suite, for unknown or
    duplicate keys and for a column that the judged table does not have.
    """
    folder = directory or resource_dir("expectations")
    suites = tuple(_suite(path) for path in sorted(folder.glob("*.json")))
    if not suites:
        raise ConfigurationError(f"{folder.name}: the folder holds no suite of expectations (*.json)")
    names = [suite.name for suite in suites]
    for suite in suites:
        if names.count(suite.name) > 1:
            raise ConfigurationError(f"{suite.file}: name: another suite is called {suite.name!r} too")
    return suites


def _suite(path: Path) -> Suite:
    place = strict.YamlPath(path.name)
    try:
        value = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=lambda pairs: _object(pairs, place))
    except (OSError, ValueError) as error:
        place.fail(f"cannot be read as JSON ({error})")
    parts = strict.mapping(value, place, required=("name", "expectations", "meta"))
    meta = strict.mapping(parts["meta"], place / "meta", required=("role", "of"))
    role = strict.choice(meta["role"], place / "meta" / "role", ROLES)
    of = strict.choice(meta["of"], place / "meta" / "of", SUBJECTS)
    known = columns_of(role, of)
    listed = strict.sequence(parts["expectations"], place / "expectations")
    return Suite(
        name=strict.word(parts["name"], place / "name"),
        file=path.name,
        role=role,
        of=of,
        expectations=tuple(
            _expectation(item, place / "expectations" / index, known) for index, item in enumerate(listed)
        ),
    )


def _object(pairs: list[tuple[str, strict.Value]], place: strict.YamlPath) -> dict[str | int, strict.Value]:
    found: dict[str | int, strict.Value] = {}
    for key, value in pairs:
        if key in found:
            place.fail(f"the key {key!r} stands twice in one object")
        found[key] = value
    return found


def _expectation(value: strict.Value, place: strict.YamlPath, known: frozenset[str]) -> Expectation:
    parts = strict.mapping(value, place, required=("type", "kwargs", "meta"))
    meta = strict.mapping(parts["meta"], place / "meta", required=("severity", "text"))
    kwargs = parts["kwargs"]
    if not isinstance(kwargs, dict):
        (place / "kwargs").fail("a mapping is expected")
    for key in _COLUMN_KEYS:
        named = kwargs.get(key, [])
        for column in named if isinstance(named, list) else [named]:
            if column not in known:
                (place / "kwargs" / key).fail(f"there is no column {column!r}; known: {', '.join(sorted(known))}")
    return Expectation(
        type=strict.word(parts["type"], place / "type"),
        kwargs={str(key): _given(item, place / "kwargs" / str(key)) for key, item in kwargs.items()},
        severity=strict.choice(meta["severity"], place / "meta" / "severity", SEVERITIES),
        text=strict.text(meta["text"], place / "meta" / "text"),
    )


def _given(value: strict.Value, place: strict.YamlPath) -> strict.Value:
    """A value as the library is handed it: the suite parameters are ours to fill in."""
    if isinstance(value, dict) and _PARAMETER in value:
        name = strict.choice(value[_PARAMETER], place / _PARAMETER, ("games", "games_listed"))
        one = f"({'|'.join(GAMES)})"
        return list(GAMES) if name == "games" else f"^({one}(,{one})*)?$"
    return value
