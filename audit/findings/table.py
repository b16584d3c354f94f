"""The table of findings: its columns, the digest that names a finding, and the three files it is written to.

Columns and their meaning are those of the README ("Findings"). Checks hand over columns without identity and words;
:func:`finish` adds both, so that every finding is named and worded in one place.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from audit.base.columns import regrouped
from audit.base.model import MONEY_SCALE, money_text
from audit.base.text_rows import TextRows, json_strings

if TYPE_CHECKING:
    from audit.catalogue.catalogue import Catalogue

SCHEMA: Final = pa.schema(
    [
        ("finding_id", pa.string()),
        ("code", pa.string()),
        ("severity", pa.string()),
        ("game", pa.string()),
        ("casino", pa.string()),
        ("table_id", pa.string()),
        ("shoe_id", pa.string()),
        ("round_id", pa.string()),
        ("wager_id", pa.string()),
        ("approval_id", pa.string()),
        ("side", pa.string()),
        ("occurred_at", pa.timestamp("us", tz="Asia/Macau")),
        ("legal_day", pa.date32()),
        ("instrument", pa.string()),
        ("article", pa.string()),
        ("option", pa.string()),
        ("value", pa.string()),
        ("expected", pa.string()),
        ("observed", pa.string()),
        ("amount", pa.decimal128(20, MONEY_SCALE)),
        ("currency", pa.string()),
        ("rounds_affected", pa.int64()),
        ("first_round_id", pa.string()),
        ("last_round_id", pa.string()),
        ("source_file", pa.string()),
        ("source_row", pa.int64()),
        ("message_zh", pa.string()),
        ("message_pt", pa.string()),
        ("message_en", pa.string()),
    ]
)
"""Every column of the findings table, in the order written."""

_SUBJECT: Final = (
    "game",
    "casino",
    "table_id",
    "shoe_id",
    "round_id",
    "wager_id",
    "approval_id",
    "side",
    "legal_day",
    "option",
    "value",
)
_OF_NO_DAY: Final = frozenset({"OPT-001", "OPT-002", "OPT-003"})
"""Findings about a choice of the house: the day on which it was first seen in use is no part of what they are about.

The day of OPT-004 is its subject, and that of an APR is the one that the register plans: both stay.
"""
_CITATION: Final = ("instrument", "article", "expected", "observed")
SORT_KEY: Final = (
    "code",
    "casino",
    "table_id",
    "occurred_at",
    "round_id",
    "wager_id",
    "approval_id",
    "shoe_id",
    "side",
    "option",
    "value",
    "finding_id",
)
"""The order in which findings are written: by check, then by place and time."""

Row = dict[str, Any]
"""A finding as a check hands it over: columns of `SCHEMA` (absent = null) and facts that its message speaks of."""

_BATCH: Final = 4_000
"""Findings are finished and handed on by so many: as rows of Python objects they are several times as large."""

_AT_ONCE: Final = 2_000
"""Rows put into words at once."""

_GROUP: Final = 5
"""A row group of findings.parquet is `_AT_ONCE` so many times: fixed, so that equal findings give equal bytes."""


class Batches(Protocol):
    """Findings that come batch by batch, in the order of `SORT_KEY`, as often as they are asked for."""

    def __len__(self) -> int: ...

    def batches(self, rows: int = ...) -> Iterator[pa.RecordBatch]:
        """All findings, so many at a time."""


def batches_of(findings: pa.Table | Batches, rows: int = _BATCH) -> Iterator[pa.RecordBatch]:
    """The findings of a table, or of anything that has batches, in batches of exactly so many rows but for the last."""
    if isinstance(findings, pa.Table):
        return regrouped(findings.to_batches(max_chunksize=rows), rows)
    return regrouped(findings.batches(rows), rows)


def finding_id(code: str, row: Mapping[str, Any]) -> str:
    """The digest that names a finding: code, subject, citation, expected and observed, so that a rerun gives it again.

    That an option is used without cover is the same finding on another night.

    >>> len(finding_id("DRW-001", {"round_id": "R1"}))
    24
    """
    return _finding_ids([code], {name: [row.get(name)] for name in (*_SUBJECT, *_CITATION)})[0]


def _finding_ids(codes: Sequence[str], columns: Mapping[str, Sequence[Any]]) -> list[str]:
    """The digests of many findings: each of a JSON list of what the finding is about."""
    parts: list[str | pa.StringArray] = ["[", json_strings(pa.array(codes, pa.string()))]
    for name in (*_SUBJECT, *_CITATION):
        values = columns[name]
        if name == "legal_day":
            values = [None if code in _OF_NO_DAY else v for code, v in zip(codes, values, strict=True)]
        texts = pa.array([None if v is None else str(v) for v in values], pa.string())
        parts += [", ", pc.coalesce(json_strings(texts), pa.scalar("null"))]
    lists = pc.binary_join_element_wise(*parts, "]", "").cast(pa.binary()).to_pylist()
    return [hashlib.sha256(text).hexdigest()[:24] for text in lists]


class Sink:
    """Collects findings; severities and words come from the catalogue.

    They are finished some thousands at a time and handed to `take`; without it they are kept, for :meth:`table`.
    """

    def __init__(self, catalogue: Catalogue, take: Callable[[pa.RecordBatch], None] | None = None) -> None:
        self._catalogue = catalogue
        self._rows: list[Row] = []
        self._worded: dict[tuple[str, str | None], list[int]] = {}
        self._batches: list[pa.RecordBatch] = []
        self._take = self._batches.append if take is None else take

    def add(self, code: str, row: Row) -> None:
        """Take one finding; a row may bring its own `severity` and a `variant` of the message.

        Raises KeyError for a code or a variant that the catalogue does not have.
        """
        words = code, row.get("variant")
        places = self._worded.get(words)
        if places is None:
            self._catalogue.templates[words]  # refused here, where it is known who asks
            places = self._worded[words] = []
        places.append(len(self._rows))
        self._rows.append({"severity": self._catalogue.checks[code].severity.value, **row, "code": code})
        if len(self._rows) >= _BATCH:
            self.flush()

    def extend(self, other: Sink) -> None:
        """Take everything that another sink kept."""
        other.flush()
        self.flush()
        for batch in other._batches:
            self._take(batch)

    def flush(self) -> None:
        """Finish what was added since the last batch, and hand it on."""
        if not self._rows:
            return
        columns: dict[str, Sequence[Any]] = {f.name: [row.get(f.name) for row in self._rows] for f in SCHEMA}
        columns["finding_id"] = _finding_ids(columns["code"], columns)
        columns["message_zh"], columns["message_pt"], columns["message_en"] = self._messages()
        arrays = [_money(columns[f.name]) if f.name == "amount" else pa.array(columns[f.name], f.type) for f in SCHEMA]
        self._rows.clear()
        self._worded.clear()
        self._take(pa.RecordBatch.from_arrays(arrays, schema=SCHEMA))

    def _messages(self) -> tuple[list[str], list[str], list[str]]:
        """The messages of all rows, in each language; worded together are those that share a template."""
        out = [""] * len(self._rows), [""] * len(self._rows), [""] * len(self._rows)
        for (code, variant), places in self._worded.items():
            rows = [self._rows[place] for place in places]
            sentences = self._catalogue.messages(code, _Printable(rows), variant)
            for column, said in zip(out, sentences, strict=True):
                for place, sentence in zip(places, said, strict=True):
                    column[place] = sentence
        return out

    def table(self) -> pa.Table:
        """All findings, sorted by `SORT_KEY`."""
        self.flush()
        table = pa.Table.from_batches(self._batches, SCHEMA)
        return table.sort_by([(name, "ascending") for name in SORT_KEY]) if len(table) else table


class _Printable:
    """The values of some rows as a message prints them: money as decimal text, the rest as it is."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def column(self, name: str) -> Sequence[object]:
        values = [row.get(name) for row in self._rows]
        if name not in _MONEY:
            return values
        printed = {value: money_text(value) for value in set(values) if value is not None}
        return [printed.get(value) for value in values]


_MONEY: Final = frozenset({"amount", "stake"})


def _money(values: Sequence[Any]) -> pa.Array:
    """Whole ten-thousandths as decimals."""
    try:
        whole = pa.array(values, pa.int64()).cast(pa.decimal128(20, 0))
    except (pa.ArrowException, OverflowError, TypeError):
        # Beyond what 64 bits hold, or not given as a whole number.
        exact = [None if v is None else Decimal(v).scaleb(-MONEY_SCALE) for v in values]
        return pa.array(exact, SCHEMA.field("amount").type)
    return whole.view(SCHEMA.field("amount").type)


def write_all(findings: pa.Table | Batches, folder: Path) -> None:
    """Write findings.parquet, findings.csv and findings.json into `folder`; the same rows in each, read once."""
    with (
        pq.ParquetWriter(folder / "findings.parquet", SCHEMA, compression="zstd") as table,
        (folder / "findings.csv").open("wb") as sheet,
        (folder / "findings.json").open("wb") as objects,
    ):
        sheet.write((",".join(SCHEMA.names) + "\n").encode())
        lead, group = b"[\n", []
        for batch in batches_of(findings, _AT_ONCE):
            lines = TextRows(batch)
            sheet.write(lines.csv())
            objects.write(lead)
            objects.write(memoryview(lines.json())[len(",\n") :])
            lead = b",\n"
            group.append(batch)
            if len(group) == _GROUP:
                table.write_table(pa.Table.from_batches(group), row_group_size=_GROUP * _AT_ONCE)
                group.clear()
        if group:
            table.write_table(pa.Table.from_batches(group), row_group_size=_GROUP * _AT_ONCE)
        objects.write(b"[]\n" if lead == b"[\n" else b"\n]\n")


def records(findings: pa.Table | Batches) -> Iterator[dict[str, Any]]:
    """Findings as plain values, as JSON and CSV print them: money and instants as text."""
    for batch in batches_of(findings, _AT_ONCE):
        for row in batch.to_pylist():
            if row["amount"] is not None:
                row["amount"] = money_text(int(row["amount"].scaleb(MONEY_SCALE)))
            for name in ("occurred_at", "legal_day"):
                if row[name] is not None:
                    row[name] = row[name].isoformat()
            yield row


def read_findings(folder: Path) -> pa.Table:
    """The findings of a finished run."""
    return pq.read_table(folder / "findings.parquet", schema=SCHEMA)


def stored(folder: Path, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
    """The findings of a finished run, or some columns of them, as batches in the order of the file.

    Columns that an earlier version of the program did not write are null.
    """
    schema = SCHEMA if columns is None else pa.schema([SCHEMA.field(name) for name in columns])
    with pq.ParquetFile(folder / "findings.parquet") as file:
        there = [name for name in schema.names if name in file.schema_arrow.names]
        for batch in file.iter_batches(_AT_ONCE, columns=there):
            given = {name: batch[name].cast(schema.field(name).type) for name in there}
            arrays = [given.get(f.name, pa.nulls(batch.num_rows, f.type)) for f in schema]
            yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def count_by(values: Iterable[str]) -> dict[str, int]:
    """How often each word occurs, in the order of the words."""
    counts: dict[str, int] = {}
    for value in values:
        counts[value] = counts.get(value, 0) + 1
    return dict(sorted(counts.items()))
