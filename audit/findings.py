"""The table of findings: its columns, the digest that names a finding, and the three files it is written to.

Columns and their meaning are those of the README ("Findings"). Checks hand over columns without identity and words;
:func:`finish` adds both, so that every finding is named and worded in one place.
"""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from audit.model import MONEY_SCALE, money_text

if TYPE_CHECKING:
    from audit.checks.catalogue import Catalogue

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

_BATCH: Final = 20_000


def finding_id(code: str, row: Mapping[str, Any]) -> str:
    """The digest that names a finding: code, subject, citation, expected and observed, so that a rerun gives it again.

    >>> len(finding_id("DRW-001", {"round_id": "R1"}))
    24
    """
    parts = [code, *(None if row.get(k) is None else str(row[k]) for k in (*_SUBJECT, *_CITATION))]
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()[:24]


class Sink:
    """Collects findings column by column; severities and words come from the catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._rows: list[Row] = []
        self._batches: list[pa.RecordBatch] = []

    def add(self, code: str, row: Row) -> None:
        """Take one finding; a row may bring its own `severity` and a `variant` of the message."""
        full = row | {"code": code}
        full.setdefault("severity", self._catalogue.checks[code].severity.value)
        full["finding_id"] = finding_id(code, row)
        words = self._catalogue.message(code, _printable(full), row.get("variant"))
        full["message_zh"], full["message_pt"], full["message_en"] = words
        if full.get("amount") is not None:
            full["amount"] = Decimal(full["amount"]).scaleb(-MONEY_SCALE)
        self._rows.append(full)
        if len(self._rows) >= _BATCH:
            self._flush()

    def extend(self, other: Sink) -> None:
        """Take everything that another sink collected."""
        other._flush()
        self._flush()
        self._batches.extend(other._batches)

    def _flush(self) -> None:
        if self._rows:
            columns = [pa.array([row.get(f.name) for row in self._rows], f.type) for f in SCHEMA]
            self._batches.append(pa.RecordBatch.from_arrays(columns, schema=SCHEMA))
            self._rows.clear()

    def table(self) -> pa.Table:
        """All findings, sorted by `SORT_KEY`."""
        self._flush()
        table = pa.Table.from_batches(self._batches, SCHEMA)
        return table.sort_by([(name, "ascending") for name in SORT_KEY]) if len(table) else table


def _printable(row: Row) -> dict[str, object]:
    """The values as a message prints them: money as decimal text, the rest as it is."""
    out: dict[str, object] = dict(row)
    if row.get("amount") is not None:
        out["amount"] = money_text(row["amount"])
    if row.get("stake") is not None:
        out["stake"] = money_text(row["stake"])
    return out


def write_all(table: pa.Table, folder: Path) -> None:
    """Write findings.parquet, findings.csv and findings.json into `folder`; the same rows in each."""
    write_parquet(table, folder / "findings.parquet")
    write_csv(table, folder / "findings.csv")
    write_json(table, folder / "findings.json")


def write_parquet(table: pa.Table, path: Path) -> None:
    """Write a table as Parquet; the same rows give the same bytes."""
    pq.write_table(table, path, compression="zstd")


def records(table: pa.Table) -> Iterator[dict[str, Any]]:
    """Findings as plain values, as JSON and CSV print them: money and instants as text."""
    for batch in table.to_batches(max_chunksize=_BATCH):
        for row in batch.to_pylist():
            if row["amount"] is not None:
                row["amount"] = money_text(int(row["amount"].scaleb(MONEY_SCALE)))
            for name in ("occurred_at", "legal_day"):
                if row[name] is not None:
                    row[name] = row[name].isoformat()
            yield row


def write_json(table: pa.Table, path: Path) -> None:
    """Write findings as one JSON array, a finding a line."""
    with path.open("w", encoding="utf-8", newline="\n") as out:
        lead = "[\n"
        for row in records(table):
            out.write(lead + json.dumps(row, ensure_ascii=False))
            lead = ",\n"
        out.write("\n]\n" if lead == ",\n" else "[]\n")


def write_csv(table: pa.Table, path: Path) -> None:
    """Write findings as UTF-8 CSV; text that a spreadsheet could take for a formula is neutralised."""
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(SCHEMA.names)
        for row in records(table):
            writer.writerow([row[n] if n in _NUMERIC else harmless(row[n]) for n in SCHEMA.names])


_NUMERIC: Final = frozenset({"amount", "rounds_affected", "source_row"})


def harmless(value: object) -> str:
    """Text that no spreadsheet runs as a formula: a leading = + - @, tab or return gets an apostrophe before it.

    >>> harmless("=1+1"), harmless("R-17"), harmless(None)
    ("'=1+1", 'R-17', '')
    """
    text = "" if value is None else str(value)
    return "'" + text if text[:1] in {"=", "+", "-", "@", "\t", "\r"} else text


def read_findings(folder: Path) -> pa.Table:
    """The findings of a finished run."""
    return pq.read_table(folder / "findings.parquet", schema=SCHEMA)


def count_by(values: Iterable[str]) -> dict[str, int]:
    """How often each word occurs, in the order of the words."""
    counts: dict[str, int] = {}
    for value in values:
        counts[value] = counts.get(value, 0) + 1
    return dict(sorted(counts.items()))
