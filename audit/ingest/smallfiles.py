"""Many small Parquet files: read one by one, each opened once, and made typed rows of many files at a time.

What a file costs beside its rows (a schema to compare, an empty batch, a call for every column) would otherwise be most
of the work. Whatever is not plain, a damaged file or a column that cannot be trusted among them, is left to
:class:`audit.ingest.filereading.FileReading`, which says what is wrong with which file.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from audit.errors import InputRefused
from audit.ingest.canonical import EVENTS, ROUNDS
from audit.ingest.cells import is_textual
from audit.ingest.convert import ColumnFault
from audit.ingest.decimals import DecimalRun, readable
from audit.ingest.filereading import Batch, FileReading, Reading, Step, sources_of
from audit.ingest.files import SourceFile
from audit.ingest.parquetfile import BATCH_ROWS, ParquetReader
from audit.ingest.placing import constant, given
from audit.ingest.quarantine import Quarantine
from audit.ingest.raw import RawBatch, check_names
from audit.ingest.records import heads

MOST_BYTES: Final = 1 << 20
"""Size up to which a file is read whole."""

MOST_ROWS: Final = BATCH_ROWS // 2
_MOST_HELD: Final = 16 << 20
"""Bytes of files beyond which no further one is waited for."""

_TROUBLE: Final = (InputRefused, pa.ArrowException, OSError, ValueError, KeyError)
"""What may go wrong with a file; reading it by itself tells what it means."""

MANY: Final = 64
"""Files from which reading is so many calls that another thread for it would only contend for the interpreter."""

Columns = Mapping[str, pa.Array]
Take = Callable[[Mapping[str, pa.DataType], int], Columns | None]


@dataclass(frozen=True)
class _Plan:
    """How files of one schema are read: their own columns `wanted`, those of them that come as dictionaries.

    `schema` is the one they are read with; `given` the names of columns that their folders give, among the `keys`;
    `decimals` what the second decoder can read.
    """

    schema: pa.Schema
    wanted: tuple[str, ...]
    dictionaries: tuple[str, ...]
    plain: frozenset[str]
    given: tuple[str, ...]
    keys: tuple[str, ...]
    decimals: Mapping[str, pa.DataType]


@dataclass(frozen=True)
class _Held:
    """One file that was read and waits for others."""

    index: int
    file: SourceFile
    size: int
    table: pa.Table
    plan: _Plan


def are_many(files: Sequence[SourceFile]) -> bool:
    """Whether there are many files, to judge by the first of them small ones."""
    if len(files) < MANY or files[0].kind != "parquet":
        return False
    try:
        return files[0].bytes <= MOST_BYTES
    except OSError:
        return False


class SmallFiles:
    """The small files of one call, which has so many `files`."""

    def __init__(self, common: Reading, files: int) -> None:
        self._common = common
        self._table = common.table
        layout = self._layout = common.layout
        # What looks beyond one row (numbers that run on, cards elsewhere, corrections) depends on the file.
        self._off = (
            files == 1
            or common.table is EVENTS
            or common.cards is not None
            or layout.running
            or layout.records.active
            or layout.corrections is not None
            or (layout.cards is not None and common.table is ROUNDS)
        )
        self._plan: _Plan | None = None

    def fits(self, file: SourceFile) -> bool:
        """Whether a file may be read together with others."""
        if self._off or file.kind != "parquet" or file.groups is not None:
            return False
        try:
            return 0 < file.bytes <= MOST_BYTES
        except OSError:
            return False

    def steps(self, files: Iterable[tuple[int, SourceFile]]) -> Generator[Step, None, bool]:
        """Steps for consecutive files, each with its place among those of the call; answers whether there was a row."""
        listed = list(files)
        decimals = DecimalRun([file for _, file in listed], BATCH_ROWS)
        try:
            return (yield from self._steps(listed, decimals))
        finally:
            decimals.close()

    def _steps(self, files: Sequence[tuple[int, SourceFile]], decimals: DecimalRun) -> Generator[Step, None, bool]:
        held: list[_Held] = []
        rows = size = 0
        read = False
        for place, (index, file) in enumerate(files):
            fresh = self._read(index, file, partial(decimals.take, place))
            if held and (fresh is None or fresh.plan is not held[0].plan or rows + len(fresh.table) > BATCH_ROWS):
                read |= yield from self._flush(held)
                held, rows, size = [], 0, 0
            if fresh is None:
                read |= yield from self._alone(index, file)
                continue
            held.append(fresh)
            rows, size = rows + len(fresh.table), size + fresh.size
            if size > _MOST_HELD:
                read |= yield from self._flush(held)
                held, rows, size = [], 0, 0
        if held:
            read |= yield from self._flush(held)
        return read

    def _alone(self, index: int, file: SourceFile) -> Generator[Step, None, bool]:
        reading = FileReading(self._common, file, index)
        yield reading.nothing()
        read = False
        for step in reading.steps():
            read = True
            yield step
        return read

    def _flush(self, held: list[_Held]) -> Generator[Step, None, bool]:
        try:
            step = self._together(held)
        except _TROUBLE:
            read = False
            for each in held:
                read |= yield from self._alone(each.index, each.file)
            return read
        yield step
        return any(len(each.table) for each in held)

    def _read(self, index: int, file: SourceFile, take: Take) -> _Held | None:
        """The columns wanted of a file; None where it has to be read by itself. A new schema makes a new plan."""
        try:
            body = pa.py_buffer(file.whole())
            plan = self._plan
            keys = tuple(file.partition)
            source = _open(body, plan) if plan is not None and plan.keys == keys else None
            if source is None:
                plan = self._plan = self._planned(file, body, keys)
                source = None if plan is None else _open(body, plan)
            if plan is None or source is None or source.metadata.num_rows > MOST_ROWS:
                return None
            known = take(plan.decimals, source.metadata.num_rows) or {}
            columns = [name for name in plan.wanted if name not in known]
            table = source.read(columns=None if len(columns) == len(plan.schema) else columns, use_threads=False)
            if known:
                table = pa.table({n: known[n] if n in known else table.column(n) for n in plan.wanted})
            return _Held(index, file, body.size, table, plan)
        except _TROUBLE:
            return None

    def _planned(self, file: SourceFile, body: pa.Buffer, keys: tuple[str, ...]) -> _Plan | None:
        schema = pq.ParquetFile(pa.BufferReader(body)).schema_arrow
        check_names(file.name, schema.names)
        folders = given(file.partition, schema.names)
        names = (*schema.names, *folders)
        self._layout.check(self._table, file.name, names)
        sources, plain = sources_of(self._layout, self._table, set(self._common.skip) - set(keys))
        if not self._layout.direct and not sources <= set(names):
            return None
        columns = heads(sources, names)
        wanted = tuple(name for name in schema.names if name in columns)
        textual = tuple(name for name in wanted if name not in plain and is_textual(schema.field(name).type))
        read = pq.ParquetFile(pa.BufferReader(body), read_dictionary=list(textual)).schema_arrow
        decimals = readable(schema, list(wanted))
        if len(decimals) == len(wanted):
            decimals = {}
        return _Plan(read, wanted, textual, frozenset(plain), tuple(n for n in folders if n in columns), keys, decimals)

    def _together(self, held: Sequence[_Held]) -> Step:
        """The rows of all the files, converted at once."""
        quarantine, table = self._common.quarantine, self._table
        sizes = [len(each.table) for each in held]
        first = held[0]
        told = [(each.file.name, size) for each, size in zip(held, sizes, strict=True)]
        notes: list[Callable[[], None]] = [partial(_note_read, quarantine, table.name, told)]
        numbers = np.concatenate([np.arange(1, size + 1, dtype=np.int64) for size in sizes])
        if not len(numbers):
            return Step(Batch(table.nothing, first.file.name, first.index, numbers), tuple(notes))
        reading = FileReading(self._common, first.file, first.index)
        raw = RawBatch(self._columns(held), numbers)
        columns, rows, faults = reading.typed(raw)
        ends = np.cumsum(sizes)
        spans = [slice(int(end) - size, int(end)) for end, size in zip(ends, sizes, strict=True)]
        if first.file.partition:
            rows, more = self._settled(held, spans, rows, raw)
        else:
            rows, more = reading.settled(rows, raw)
        faults += more
        if len(held) == 1:
            batch = Batch(rows, first.file.name, first.index, numbers)
        else:
            origin = np.repeat(np.arange(len(held), dtype=np.int32), sizes)
            batch = Batch(rows, first.file.name, first.index, numbers, origin, tuple(e.file.name for e in held))
        if faults:
            keep, rejected = self._rejected(held, spans, (raw, columns, rows), faults)
            batch = batch.where(keep)
            notes += rejected
        return Step(batch, tuple(notes))

    @staticmethod
    def _columns(held: Sequence[_Held]) -> dict[str, pa.Array]:
        plan, whole = held[0].plan, pa.concat_tables([each.table for each in held])
        columns = {name: _joined(whole.column(place)) for place, name in enumerate(whole.schema.names)}
        for name in plan.given:
            parts = [constant(e.file.partition[name], len(e.table), plain=name in plan.plain) for e in held]
            columns[name] = _joined(pa.chunked_array(parts))
        return columns

    def _settled(
        self, held: Sequence[_Held], spans: Sequence[slice], rows: pa.RecordBatch, raw: RawBatch
    ) -> tuple[pa.RecordBatch, list[ColumnFault]]:
        """Typed rows with what the folders of each file say of its rows."""
        parts, faults = [], []
        for each, span in zip(held, spans, strict=True):
            part, found = self._reading(each).settled(_part(rows, span), raw)
            parts.append(part)
            for fault in found:
                mask = np.zeros(len(rows), np.bool_)
                mask[span] = fault.mask
                faults.append(ColumnFault(fault.column, fault.reason, mask))
        whole = pa.Table.from_batches(parts)
        columns = [_joined(column) for column in whole.columns]
        return pa.RecordBatch.from_arrays(columns, schema=rows.schema), faults

    def _reading(self, held: _Held) -> FileReading:
        return FileReading(self._common, held.file, held.index)

    def _rejected(
        self,
        held: Sequence[_Held],
        spans: Sequence[slice],
        read: tuple[RawBatch, Columns, pa.RecordBatch],
        faults: Sequence[ColumnFault],
    ) -> tuple[NDArray[np.bool_], list[Callable[[], None]]]:
        """The mask of the good rows, and the notes about the others, file by file."""
        raw, columns, rows = read
        keep = np.ones(len(raw), np.bool_)
        notes = []
        for each, span in zip(held, spans, strict=True):
            mine = [ColumnFault(f.column, f.reason, f.mask[span]) for f in faults if f.mask[span].any()]
            if mine:
                own = _sliced(raw.columns, span)
                unread = partial(_unread, each.file, own)
                part = RawBatch(own, raw.source_row[span], unread=unread)
                stay, note = self._reading(each).rejected(part, _sliced(columns, span), _part(rows, span), mine)
                keep[span] = stay
                notes.append(note)
        return keep, notes


def _open(body: pa.Buffer, plan: _Plan) -> pq.ParquetFile | None:
    """The file, opened as the plan has it; None where it has another schema."""
    try:
        # All of it is in memory: fetching ahead would only wake another thread for every file.
        source = pq.ParquetFile(pa.BufferReader(body), read_dictionary=plan.dictionaries, pre_buffer=False)
    except KeyError:  # a column that the file does not have
        return None
    return source if source.schema_arrow.equals(plan.schema) else None


def _unread(file: SourceFile, known: Columns, numbers: NDArray[np.int64]) -> Columns:
    return ParquetReader(file).unread(known, numbers)


def _note_read(quarantine: Quarantine, table: str, files: Sequence[tuple[str, int]]) -> None:
    for name, rows in files:
        quarantine.note_read(table, name, rows)


def _part(rows: pa.RecordBatch, span: slice) -> pa.RecordBatch:
    return rows.slice(span.start, span.stop - span.start)


def _sliced(columns: Columns, span: slice) -> dict[str, pa.Array]:
    return {name: column.slice(span.start, span.stop - span.start) for name, column in columns.items()}


def _joined(column: pa.ChunkedArray) -> pa.Array:
    """A column in one piece; ArrowInvalid where it points beyond a dictionary, as in a damaged file."""
    if pa.types.is_dictionary(column.type):
        column.validate(full=True)
        column = column.unify_dictionaries()
    return column.combine_chunks()
