"""Rows that could not be read: kept with file, row, reason and content, counted, never dropped.

Memory is bounded: beyond `memory` bytes the rows collected so far go to temporary Arrow files. What is written is in a
fixed order (table, then the order of reading), so that the same inputs give the same bytes.
"""

from __future__ import annotations

import json
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from audit.base import strict
from audit.base.canonical import TABLES, CanonicalTable, CellKind
from audit.base.columns import regrouped
from audit.base.model import LANGUAGES, Text, money_text
from audit.source import card_text
from audit.source.proof import OrderProof

SCHEMA: Final = pa.schema(
    [
        ("table", pa.string()),
        ("source_file", pa.string()),
        ("source_row", pa.int64()),
        ("column", pa.string()),
        ("value", pa.string()),
        ("reason", pa.string()),
        ("message_zh", pa.string()),
        ("message_pt", pa.string()),
        ("message_en", pa.string()),
        ("row", pa.string()),
    ]
)
"""Columns of the quarantine file; `value` is cut at 200 characters, `row` is the raw row as JSON."""

SET_ASIDE: Final = frozenset({"superseded", "cancelled_in_source", "open_in_source"})
"""Reasons of rows that can be read and do not count, because the source says so."""

VALUE_LENGTH: Final = 200
_EXAMPLES: Final = 3
_WRITTEN_AT_ONCE: Final = 65_536
_MEMORY: Final = 64 << 20
_KEPT: Final = pa.schema(
    [SCHEMA.field(name) for name in ("source_file", "source_row", "column", "value", "reason", "row")]
)


@cache
def reasons() -> Mapping[str, Text]:
    """The catalogue of reasons, by key; ConfigurationError if its file is malformed."""
    content, place = strict.load(Path(__file__).with_name("reasons.yaml"))
    keys = [str(key) for key in content] if isinstance(content, dict) else []
    entries = strict.mapping(content, place, required=keys)
    return {key: strict.text(value, place / key) for key, value in entries.items()}


@dataclass(frozen=True, slots=True)
class RejectExample:
    """One rejected row, as an example of its reason."""

    source_file: str
    source_row: int
    column: str | None
    value: str | None


@dataclass(frozen=True, slots=True)
class ReasonCount:
    """How many rows of one table were rejected for one reason, with the first three."""

    table: str
    reason: str
    count: int
    examples: tuple[RejectExample, ...]


@dataclass(frozen=True, slots=True)
class Rejects:
    """Rejected rows of one file, as equally long columns.

    `keys` are reasons of the catalogue, `rows` the raw rows as JSON; `ids` are the identities that can be read, in any
    number.
    """

    source_rows: Sequence[int] | NDArray[np.int64]
    columns: Sequence[str | None]
    keys: Sequence[str]
    values: pa.StringArray
    rows: pa.StringArray
    ids: pa.StringArray | None = None

    def __len__(self) -> int:
        return len(self.rows)

    def among(self, others: Rejects) -> Rejects:
        """These and others of the same file, in the order of the rows there."""
        numbers = np.concatenate([np.asarray(each.source_rows, np.int64) for each in (self, others)])
        order = np.argsort(numbers, kind="stable")
        columns, keys = [*self.columns, *others.columns], [*self.keys, *others.keys]
        values = pa.concat_arrays([self.values, others.values])
        rows = pa.concat_arrays([self.rows, others.rows])
        ids = [each.ids for each in (self, others) if each.ids is not None]
        places = pa.array(order)
        return Rejects(
            numbers[order],
            [columns[place] for place in order],
            [keys[place] for place in order],
            values.take(places),
            rows.take(places),
            pa.concat_arrays(ids) if ids else None,
        )


@dataclass(slots=True)
class FileCount:
    """Control totals of one file: rows read = accepted + quarantined (+ repeats, which the caller takes out later)."""

    rows: int = 0
    quarantined: int = 0

    @property
    def accepted(self) -> int:
        """Rows read and not quarantined."""
        return self.rows - self.quarantined


@dataclass(slots=True)
class _Kept:
    """The rejected rows of one table."""

    parts: list[pa.RecordBatch | Path] = field(default_factory=list)
    ids: list[pa.StringArray] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[RejectExample]] = field(default_factory=dict)
    files: dict[str, FileCount] = field(default_factory=dict)


class Quarantine:
    """Collects the rejected rows of a run; several threads may hand rows in, each those of a table of its own."""

    def __init__(self, *, memory: int = _MEMORY) -> None:
        self._tables = {name: _Kept() for name in TABLES}
        self._memory = memory
        self._held = 0
        self._spill: tempfile.TemporaryDirectory[str] | None = None
        self._spilled = 0
        self._lock = threading.RLock()
        self.proof = OrderProof()
        self._left: dict[tuple[str, str], int] = {}

    def note_left(self, table: str, file: str, rows: int) -> None:
        """Count `rows` rows of `file` that the profile says belong to another table."""
        self._left[table, file] = self._left.get((table, file), 0) + rows

    def left(self) -> dict[str, int]:
        """By table, the rows of its files that belong to another table."""
        counts: Counter[str] = Counter()
        for (table, _), rows in sorted(self._left.items()):
            counts[table] += rows
        return dict(counts)

    def note_read(self, table: str, file: str, rows: int) -> None:
        """Count `rows` more rows as read from `file`, whether they can be read or not."""
        self._tables[table].files.setdefault(file, FileCount()).rows += rows

    def add(self, table: str, file: str, rejects: Rejects) -> None:
        """Take in rejected rows of one file."""
        count = len(rejects)
        if not count:
            return
        part = pa.record_batch(
            [
                pa.array([file] * count, pa.string()),
                pa.array(rejects.source_rows, pa.int64()),
                pa.array(rejects.columns, pa.string()),
                pc.utf8_slice_codeunits(rejects.values, 0, VALUE_LENGTH),
                pa.array(rejects.keys, pa.string()),
                rejects.rows,
            ],
            schema=_KEPT,
        )
        with self._lock:
            kept = self._tables[table]
            kept.parts.append(part)
            kept.files.setdefault(file, FileCount()).quarantined += count
            if rejects.ids is not None:
                kept.ids.append(rejects.ids.drop_null())
            for reason, number in Counter(rejects.keys).items():
                kept.counts[reason] += number
                self._note_examples(kept, part, reason)
            self._held += part.nbytes
            if self._held > self._memory:
                self._spill_parts()

    @staticmethod
    def _note_examples(kept: _Kept, part: pa.RecordBatch, reason: str) -> None:
        examples = kept.examples.setdefault(reason, [])
        if len(examples) == _EXAMPLES:
            return
        rows = part.filter(pc.equal(part["reason"], reason)).slice(0, _EXAMPLES - len(examples)).to_pylist()
        examples += (RejectExample(row["source_file"], row["source_row"], row["column"], row["value"]) for row in rows)

    def add_conflicts(
        self, table: str, rows: pa.RecordBatch, *, files: Sequence[str], source_rows: Sequence[int]
    ) -> None:
        """Take in typed rows whose identity an earlier row with different content has; each with its file and row."""
        schema = TABLES[table]
        column = schema.identity
        if column is None:
            raise KeyError(table)
        for index, (file, row) in enumerate(zip(files, source_rows, strict=True)):
            value = pa.array([rows[column][index].as_py()], pa.string())
            text = pa.array([_typed_json(schema, rows, index)], pa.string())
            self.add(table, file, Rejects([row], [column], ["conflicting_id"], value, text))

    def absorb(self, later: Quarantine) -> None:
        """Take over what another has of a piece of the input that follows in the order of reading."""
        for name, theirs in later._tables.items():
            mine = self._tables[name]
            for part in later._parts(name):
                mine.parts.append(part)
                self._held += part.nbytes
            mine.ids += theirs.ids
            mine.counts.update(theirs.counts)
            for reason, examples in theirs.examples.items():
                known = mine.examples.setdefault(reason, [])
                known += examples[: _EXAMPLES - len(known)]
            for file, count in theirs.files.items():
                total = mine.files.setdefault(file, FileCount())
                total.rows += count.rows
                total.quarantined += count.quarantined
        for (table, file), rows in later._left.items():
            self.note_left(table, file, rows)
        self.proof.absorb(later.proof)
        if self._held > self._memory:
            self._spill_parts()

    def __getstate__(self) -> dict[str, Any]:
        """Everything in one piece, as it travels to another process; the rows as an Arrow stream."""
        tables = {}
        for name, kept in self._tables.items():
            parts = pa.Table.from_batches(self._parts(name), _KEPT)
            ids = [pa.concat_arrays(kept.ids)] if kept.ids else []
            tables[name] = (_packed(parts) if len(parts) else b"", replace(kept, parts=[], ids=ids))
        return {"memory": self._memory, "tables": tables, "proof": self.proof, "left": self._left}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(Quarantine(memory=state["memory"]).__dict__)
        self.proof, self._left = state["proof"], state["left"]
        for name, (packed, kept) in state["tables"].items():
            if packed:
                with pa.ipc.open_stream(packed) as reader:
                    kept.parts = list(reader)
            self._tables[name] = kept
            self._held += sum(part.nbytes for part in kept.parts)

    def count(self, table: str) -> int:
        """Rows of `table` rejected so far."""
        return sum(self._tables[table].counts.values())

    def unreadable(self, table: str) -> int:
        """Rows of `table` rejected because they could not be read, without those that the source itself took back."""
        return sum(count for reason, count in self._tables[table].counts.items() if reason not in SET_ASIDE)

    def files(self, table: str) -> Mapping[str, FileCount]:
        """Control totals of each file of `table`, by its name."""
        return self._tables[table].files

    def by_reason(self) -> tuple[ReasonCount, ...]:
        """Counts and examples by table and reason, in a fixed order."""
        return tuple(
            ReasonCount(name, reason, kept.counts[reason], tuple(kept.examples[reason]))
            for name, kept in self._tables.items()
            for reason in sorted(kept.counts)
        )

    def ids(self, table: str) -> frozenset[str]:
        """Identities of the rejected rows of `table` that could be read, conflicting rows left out."""
        return frozenset(str(each) for part in self._tables[table].ids for each in part.to_pylist())

    def _spill_parts(self) -> None:
        """Move what is held in memory to temporary files, one a table."""
        if self._spill is None:
            self._spill = tempfile.TemporaryDirectory(prefix="quarantine-")
        for name, kept in self._tables.items():
            held = [part for part in kept.parts if isinstance(part, pa.RecordBatch)]
            if not held:
                continue
            path = Path(self._spill.name) / f"{name}-{self._spilled}.arrow"
            options = pa.ipc.IpcWriteOptions(compression="zstd")
            with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, _KEPT, options=options) as writer:
                for part in held:
                    writer.write_batch(part)
            kept.parts = [part for part in kept.parts if isinstance(part, Path)] + [path]
        self._spilled += 1
        self._held = 0

    def _parts(self, table: str) -> Iterator[pa.RecordBatch]:
        for part in self._tables[table].parts:
            if isinstance(part, Path):
                with pa.OSFile(str(part), "rb") as source, pa.ipc.open_stream(source) as reader:
                    yield from reader
            else:
                yield part

    def write_parquet(self, path: Path) -> int:
        """Write every rejected row to one Parquet file (`SCHEMA`), also when there is none; returns the rows."""
        written = 0
        with pq.ParquetWriter(path, SCHEMA, compression="zstd") as writer:
            for name in TABLES:
                for part in regrouped(self._parts(name), _WRITTEN_AT_ONCE):
                    writer.write_table(pa.Table.from_batches([_finished(name, part)], SCHEMA))
                    written += part.num_rows
        return written

    def close(self) -> None:
        """Remove the temporary files; nothing can be written afterwards."""
        if self._spill is not None:
            self._spill.cleanup()
            self._spill = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _packed(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def _finished(table: str, part: pa.RecordBatch) -> pa.RecordBatch:
    """The part with table and messages; each distinct combination of column, reason and value is worded once."""
    known: dict[tuple[str | None, str, str | None], Text] = {}
    keys = list(zip(part["column"].to_pylist(), part["reason"].to_pylist(), part["value"].to_pylist(), strict=True))
    for key in keys:
        if key not in known:
            known[key] = message(table, *key)
    columns = {name: part[name] for name in part.schema.names}
    columns["table"] = pa.array([table] * part.num_rows, pa.string())
    for language in LANGUAGES:
        columns[f"message_{language}"] = pa.array([known[key].in_language(language) for key in keys], pa.string())
    return pa.record_batch([columns[name] for name in SCHEMA.names], schema=SCHEMA)


def message(table: str, column: str | None, reason: str, value: str | None) -> Text:
    """What is wrong with a row, in each language; KeyError for a reason that the catalogue does not have."""
    detail = ""
    if reason == "unknown_card":
        detail = card_text.first_unknown(value or "")
    elif reason == "unknown_word" and column:
        detail = ", ".join(TABLES[table].column(column).words)
    return reasons()[reason].format(column=column or "", value=value or "", detail=detail)


def _typed_json(table: CanonicalTable, rows: pa.RecordBatch, index: int) -> str:
    content: dict[str, str | None] = {}
    for column in table.columns:
        value = rows[column.name][index].as_py()
        if value is None:
            content[column.name] = None
        elif column.kind is CellKind.MONEY:
            content[column.name] = money_text(value)
        elif column.kind is CellKind.INSTANT:
            content[column.name] = value.isoformat()
        elif column.kind is CellKind.BOOLEAN:
            content[column.name] = "true" if value else "false"
        else:
            content[column.name] = str(value)
    return json.dumps(content, ensure_ascii=False)
