"""Examples of the checks as an audit reads them: for each code a log that fails, and the nearest one that does not.

The catalogue tells each failing case in a few columns; `examples.yaml` beside this module has the counter-examples, and
the rows of those cases that the catalogue tells in other words. :func:`laid_out` adds what a log must have besides, so
that every one of them can be audited as it stands; the tests do so.
"""

from __future__ import annotations

import csv
import datetime as dt
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

from audit.base import strict
from audit.base.canonical import EVENTS, ROUNDS, WAGERS
from audit.base.known_games import GAMES
from audit.base.model import MACAU
from audit.catalogue.catalogue import Catalogue, FindingExample, load

Row = dict[str, str]

APPROVALS: Final = tuple(
    "approval_id casino game option value tables applied_at decision authorised_at planned_from ends_on".split()
)
"""The columns of the register."""

COLUMNS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {"rounds": ROUNDS.names, "wagers": WAGERS.names, "approvals": APPROVALS, "events": EVENTS.names}
)
"""The tables of an example and their columns."""

_SHARED: Final = frozenset("casino game round_id shoe_id table_id".split())
"""Columns of more than one table: one that is told holds in all of them and makes none."""

_EVERY: Final = frozenset(name for columns in COLUMNS.values() for name in columns)
_KEYS: Final = _EVERY | {"rows", "configuration", *COLUMNS}
"""What an example may tell: columns, rows and a configuration."""

_FIRST: Final = dt.datetime(2024, 3, 1, 21, 4, 5, tzinfo=MACAU)
_MINUTE: Final = dt.timedelta(minutes=1)
_PATH: Final = Path(__file__).with_name("examples.yaml")


@dataclass(frozen=True, slots=True)
class CheckExamples:
    """A failing case of one check and its nearest conforming neighbour."""

    example: FindingExample
    counter_example: FindingExample


@dataclass(frozen=True, slots=True)
class LaidOut:
    """An example as files: rows of each table (no key: the run is not given the table) and the configuration."""

    tables: Mapping[str, Sequence[Row]]
    configuration: Mapping[str, object]

    def csv(self, table: str) -> str:
        """One table as CSV: the columns that any row has, all of them where there is no row."""
        rows = self.tables[table]
        columns = [name for name in COLUMNS[table] if not rows or any(name in row for row in rows)]
        text = io.StringIO()
        writer = csv.DictWriter(text, columns, restval="", extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        return text.getvalue()


def laid_out(data: Mapping[str, object]) -> LaidOut:
    """The rows that the data of an example stands for, what it leaves open filled in.

    A column holds for every row of its table, a list in it gives each row its own. `rows`, or the name of a table,
    tells rows one by one (beside them, only lists of as many hold). Rounds are always there: a natural 9 of the player
    unless told otherwise.
    """
    tables: dict[str, list[Row]] = {}
    counts: list[Row] = []
    for table, columns in COLUMNS.items():
        told = {name: data[name] for name in columns if name in data and _belongs(name, data[name], table)}
        single = _rows_of(data, table)
        if single is not None:
            told = {name: v for name, v in told.items() if not isinstance(v, tuple) or len(v) == len(single)}
        if table != "rounds" and single is None and told.keys() <= _SHARED:
            continue
        lengths = [len(value) for value in told.values() if isinstance(value, tuple)]
        number = max([*lengths, 1]) if single is None else len(single)
        rows = []
        for place in range(number):
            row = _default(table, place, counts) | {name: _cell(value, place) for name, value in told.items()}
            rows.append(row | {name: _cell(value, 0) for name, value in (single[place] if single else {}).items()})
        tables[table] = rows
        counts = tables["rounds"]
    return LaidOut(MappingProxyType(tables), _mapping(data.get("configuration", {})))


def _belongs(column: str, value: object, table: str) -> bool:
    """Say whether a column told once is meant in the table: a round's commission is a word, a wager's is a sum."""
    if column != "commission":
        return True
    return (table == "wagers") == str(value).replace(".", "").isdigit()


def _rows_of(data: Mapping[str, object], table: str) -> Sequence[Mapping[str, object]] | None:
    """The rows told one by one: under the table's name, or under `rows` if it is the first that has their columns."""
    if table in data:
        rows = data[table]
    else:
        rows = data.get("rows", ())
        names = {name for row in _sequence(rows) for name in row}
        first = next(name for name, columns in COLUMNS.items() if names <= set(columns))
        rows = rows if names and first == table else None
    return None if rows is None else _sequence(rows)


def _sequence(rows: object) -> Sequence[Mapping[str, object]]:
    return [_mapping(row) for row in rows] if isinstance(rows, tuple) else []


def _mapping(value: object) -> Mapping[str, object]:
    return {str(key): item for key, item in value.items()} if isinstance(value, Mapping) else {}


def _default(table: str, place: int, rounds: Sequence[Row]) -> Row:
    """What a row holds where the example says nothing."""
    number = str(place + 1)
    at_table = {"casino": "Casa", "table_id": "T1", "shoe_id": "S1"}
    match table:
        case "rounds":
            started = (_FIRST + place * _MINUTE).isoformat()
            lawful = {"player_cards": "9H KD", "banker_cards": "3C 4S", "decks": "8"}
            order = {"round_id": f"R{number}", "round_no": number, "started_at": started}
            return at_table | order | lawful | {"game": GAMES[0], "status": "settled"}
        case "wagers":
            on = rounds[min(place, len(rounds) - 1)]["round_id"]
            paid = {"bet": "player", "stake": "100", "payout": "100", "currency": "HKD"}
            return {"wager_id": f"W{number}", "round_id": on} | paid
        case "approvals":
            granted = {"decision": "granted", "applied_at": "2024-01-02T10:00:00+08:00", "planned_from": "2024-01-15"}
            option = {"game": rounds[0]["game"], "option": "commission", "value": "none", "tables": "*"}
            return {"approval_id": f"A{number}"} | option | granted
        case _:
            here = {name: rounds[0].get(name, "") for name in at_table}
            return here | {"at": (dt.datetime.fromisoformat(rounds[0]["started_at"]) - _MINUTE).isoformat()}


def _cell(value: object, place: int) -> str:
    if isinstance(value, tuple):
        value = value[place]
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def load_examples(path: Path | None = None, catalogue: Catalogue | None = None) -> Mapping[str, CheckExamples]:
    """The examples of every check, in the order of the catalogue.

    Raises ConfigurationError, naming file and path of the value, for a check without its counter-example, an unknown
    check, key or column, and a missing language.
    """
    return _load_examples(path or _PATH) if catalogue is None else _read(path or _PATH, catalogue)


@cache
def _load_examples(path: Path) -> Mapping[str, CheckExamples]:
    return _read(path, load())


def _read(path: Path, catalogue: Catalogue) -> Mapping[str, CheckExamples]:
    value, top = strict.load(path)
    parts = strict.mapping(value, top, required=tuple(catalogue.checks))
    found = {}
    for code, check in catalogue.checks.items():
        place = top / code
        case = strict.mapping(parts[code], place, required=("counter_example",), optional=("example",))
        told = check.example
        if "example" in case:
            told = FindingExample(_data(case["example"], place / "example"), told.text)
        elif odd := sorted(told.data.keys() - _KEYS):
            place.fail(f"the catalogue's example tells {odd[0]!r}, which is no column: `example` must have the rows")
        where = place / "counter_example"
        counter = strict.mapping(case["counter_example"], where, required=("data", "text"))
        text = strict.text(counter["text"], where / "text")
        found[code] = CheckExamples(told, FindingExample(_data(counter["data"], where / "data"), text))
    return MappingProxyType(found)


def _data(value: strict.Value, place: strict.YamlPath) -> Mapping[str, object]:
    data = strict.mapping(value, place, required=(), optional=_KEYS)
    for name, columns in {"rows": tuple(_EVERY), **COLUMNS}.items():
        for number, row in enumerate(strict.sequence(data.get(name, []), place / name)):
            strict.mapping(row, place / name / number, required=(), optional=columns)
    if not isinstance(data.get("configuration", {}), dict):
        (place / "configuration").fail("a mapping is expected")
    return MappingProxyType({name: strict.frozen(item) for name, item in data.items()})
