"""Many small Parquet files: read together and made typed rows of many files at a time.

What a file costs beside its rows (a schema to compare, an empty batch, a call for every column) would otherwise be most
of the work. They come in one stream where :class:`audit.formats.second_decoder.filerun.FileRun` can read them, and else
each is opened once. Whatever is not plain, a damaged file or a column that cannot be trusted among them, is left to
:class:`audit.source.file_reading.FileReading`, which says what is wrong with which file. Measured: 2 x 2,000 files take
3.5 times as long one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from audit.base.canonical import EVENTS, ROUNDS
from audit.base.columns import is_textual
from audit.base.errors import InputRefused
from audit.base.read_ahead import ReadAhead
from audit.formats.folder_columns import constant, given
from audit.formats.parquetfile import BATCH_ROWS, ParquetReader
from audit.formats.raw import RawBatch, check_names
from audit.formats.second_decoder.filerun import Columns, FileRun, Plan
from audit.source.convert import ColumnFault
from audit.source.file_reading import Batch, FileReading, ReadSettings, ReadStep, sources_of
from audit.source.quarantine import Quarantine
from audit.source.records import heads
from audit.stores.files import SourceFile

MOST_BYTES: Final = 1 << 20
"""Size up to which a file is read whole."""

MOST_ROWS: Final = BATCH_ROWS // 2
_MOST_HELD: Final = 16 << 20
"""Bytes of files beyond which no further one is waited for."""

_TROUBLE: Final = (InputRefused, pa.ArrowException, OSError, ValueError, KeyError)
"""What may go wrong with a file; reading it by itself tells what it means."""

MANY: Final = 64
"""Files from which a stream of them earns what its start costs."""

Numbered = tuple[int, SourceFile]
"""A file with its place among those of the call."""


@dataclass(frozen=True)
class _Held:
    """One file that was read and waits for others."""

    file: Numbered
    size: int
    table: pa.Table
    plan: Plan


@dataclass(frozen=True)
class _Bundle:
    """Files that become typed rows together: how many rows each has, and how to get the columns of all of them."""

    files: Sequence[Numbered]
    sizes: Sequence[int]
    plan: Plan
    columns: Callable[[], Columns]

    def spans(self) -> list[slice]:
        """The rows of each file among those of all."""
        ends = accumulate(self.sizes)
        return [slice(end - size, end) for end, size in zip(ends, self.sizes, strict=True)]


def are_many(files: Sequence[SourceFile]) -> bool:
    """Whether there are many files, to judge by the first of them small ones, which bring a thread of their own."""
    if len(files) < MANY or files[0].kind != "parquet":
        return False
    try:
        return files[0].bytes <= MOST_BYTES
    except OSError:
        return False


class SmallFiles:
    """The small files of one call, which has so many `files`."""

    def __init__(self, common: ReadSettings, files: int) -> None:
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
        self._plan: Plan | None = None

    def fits(self, file: SourceFile) -> bool:
        """Whether a file may be read together with others."""
        if self._off or file.kind != "parquet" or file.groups is not None:
            return False
        try:
            return 0 < file.bytes <= MOST_BYTES
        except OSError:
            return False

    def steps(self, files: Iterable[Numbered]) -> Generator[ReadStep, None, bool]:
        """Steps for consecutive files; answers whether there was a row."""
        listed = list(files)
        if len(listed) < MANY:
            return (yield from self._one_by_one(listed))
        run = FileRun([file for _, file in listed], self._plan_of, BATCH_ROWS)
        read = False
        # Rounds are ahead of their wagers, of which there are more to decode: the rounds' thread makes room.
        with closing(ReadAhead(run.pieces(), 2, give_way=self._table is ROUNDS)) as pieces:
            for piece in pieces:
                part = listed[piece.first : piece.past]
                if piece.rows is None:
                    read |= yield from self._one_by_one(part)
                else:
                    plan, columns = piece.rows
                    read |= yield from self._flush(_Bundle(part, piece.sizes, plan, columns))
        return read

    def _one_by_one(self, files: Sequence[Numbered]) -> Generator[ReadStep, None, bool]:
        held: list[_Held] = []
        rows = size = 0
        read = False
        for numbered in files:
            fresh = self._read(numbered)
            if held and (fresh is None or fresh.plan is not held[0].plan or rows + len(fresh.table) > BATCH_ROWS):
                read |= yield from self._flush(_bundled(held))
                held, rows, size = [], 0, 0
            if fresh is None:
                read |= yield from self._alone(numbered)
                continue
            held.append(fresh)
            rows, size = rows + len(fresh.table), size + fresh.size
            if size > _MOST_HELD:
                read |= yield from self._flush(_bundled(held))
                held, rows, size = [], 0, 0
        if held:
            read |= yield from self._flush(_bundled(held))
        return read

    def _alone(self, numbered: Numbered) -> Generator[ReadStep, None, bool]:
        reading = self._reading(numbered)
        yield reading.nothing()
        read = False
        for step in reading.steps():
            read = True
            yield step
        return read

    def _flush(self, bundle: _Bundle) -> Generator[ReadStep, None, bool]:
        try:
            step = self._together(bundle)
        except _TROUBLE:
            read = False
            for numbered in bundle.files:
                read |= yield from self._alone(numbered)
            return read
        yield step
        return any(bundle.sizes)

    def _plan_of(self, file: SourceFile) -> Plan | None:
        """The plan for a file, made anew (in the thread of the stream); None where it has to be read by itself."""
        try:
            return self._planned(file, pa.py_buffer(file.whole()), tuple(file.partition))
        except _TROUBLE:
            return None

    def _read(self, numbered: Numbered) -> _Held | None:
        """The columns wanted of a file; None where it has to be read by itself. A new schema makes a new plan."""
        _, file = numbered
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
            columns = None if len(plan.wanted) == len(plan.schema) else list(plan.wanted)
            return _Held(numbered, body.size, source.read(columns=columns, use_threads=False), plan)
        except _TROUBLE:
            return None

    def _planned(self, file: SourceFile, body: pa.Buffer, keys: tuple[str, ...]) -> Plan | None:
        opened = pq.ParquetFile(pa.BufferReader(body))
        schema = opened.schema_arrow
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
        placed = tuple(name for name in folders if name in columns)
        return Plan(read, wanted, textual, frozenset(plain), placed, keys, opened.metadata)

    def _together(self, bundle: _Bundle) -> ReadStep:
        """The rows of all the files, converted at once."""
        quarantine, table = self._common.quarantine, self._table
        names = tuple(file.name for _, file in bundle.files)
        index, first = bundle.files[0]
        told = tuple(zip(names, bundle.sizes, strict=True))
        notes: list[Callable[[], None]] = [partial(_note_read, quarantine, table.name, told)]
        numbers = np.concatenate([np.arange(1, size + 1, dtype=np.int64) for size in bundle.sizes])
        if not len(numbers):
            return ReadStep(Batch(table.nothing, first.name, index, numbers), tuple(notes))
        reading = self._reading(bundle.files[0])
        raw = RawBatch(_columns(bundle), numbers)
        columns, rows, faults = reading.typed(raw)
        spans = bundle.spans()
        if first.partition:
            rows, more = self._settled(bundle.files, spans, rows, raw)
        else:
            rows, more = reading.settled(rows, raw)
        faults += more
        if len(names) == 1:
            batch = Batch(rows, first.name, index, numbers)
        else:
            origin = np.repeat(np.arange(len(names), dtype=np.int32), bundle.sizes)
            batch = Batch(rows, first.name, index, numbers, origin, names)
        if faults:
            keep, rejected = self._rejected(bundle.files, spans, (raw, columns, rows), faults)
            batch = batch.where(keep)
            notes += rejected
        return ReadStep(batch, tuple(notes))

    def _settled(
        self, files: Sequence[Numbered], spans: Sequence[slice], rows: pa.RecordBatch, raw: RawBatch
    ) -> tuple[pa.RecordBatch, list[ColumnFault]]:
        """Typed rows with what the folders of each file say of its rows."""
        parts, faults = [], []
        for numbered, span in zip(files, spans, strict=True):
            part, found = self._reading(numbered).settled(_part(rows, span), raw)
            parts.append(part)
            for fault in found:
                mask = np.zeros(len(rows), np.bool_)
                mask[span] = fault.mask
                faults.append(ColumnFault(fault.column, fault.reason, mask))
        whole = pa.Table.from_batches(parts)
        columns = [_joined(column) for column in whole.columns]
        return pa.RecordBatch.from_arrays(columns, schema=rows.schema), faults

    def _reading(self, numbered: Numbered) -> FileReading:
        index, file = numbered
        return FileReading(self._common, file, index)

    def _rejected(
        self,
        files: Sequence[Numbered],
        spans: Sequence[slice],
        read: tuple[RawBatch, Columns, pa.RecordBatch],
        faults: Sequence[ColumnFault],
    ) -> tuple[NDArray[np.bool_], list[Callable[[], None]]]:
        """The mask of the good rows, and the notes about the others, file by file."""
        raw, columns, rows = read
        keep = np.ones(len(raw), np.bool_)
        notes = []
        for numbered, span in zip(files, spans, strict=True):
            mine = [ColumnFault(f.column, f.reason, f.mask[span]) for f in faults if f.mask[span].any()]
            if mine:
                own = _sliced(raw.columns, span)
                unread = partial(_unread, numbered[1], own)
                part = RawBatch(own, raw.source_row[span], unread=unread)
                stay, note = self._reading(numbered).rejected(part, _sliced(columns, span), _part(rows, span), mine)
                keep[span] = stay
                notes.append(note)
        return keep, notes


def _bundled(held: Sequence[_Held]) -> _Bundle:
    plan, tables = held[0].plan, [each.table for each in held]
    return _Bundle([each.file for each in held], [len(table) for table in tables], plan, partial(_concatenated, tables))


def _concatenated(tables: Sequence[pa.Table]) -> Columns:
    whole = pa.concat_tables(tables)
    return {name: _joined(column) for name, column in zip(whole.schema.names, whole.columns, strict=True)}


def _columns(bundle: _Bundle) -> Columns:
    """The columns of all the files, those that their folders give among them."""
    columns = dict(bundle.columns())
    for name in bundle.plan.given:
        plain = name in bundle.plan.plain
        sized = zip(bundle.files, bundle.sizes, strict=True)
        parts = [constant(file.partition[name], size, plain=plain) for (_, file), size in sized]
        columns[name] = _joined(pa.chunked_array(parts))
    return columns


def _open(body: pa.Buffer, plan: Plan) -> pq.ParquetFile | None:
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
