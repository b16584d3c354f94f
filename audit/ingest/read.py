"""The door of the ingest: canonical typed rows out of files, in batches, with rejected rows in quarantine.

Nothing is held beyond one batch: files of any size are read in bounded memory, in the order of the files and of their
rows. The rows of a batch that cannot be read are taken out and handed to the quarantine; the others keep their number.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from audit.errors import InputRefused
from audit.ingest import evidence
from audit.ingest.canonical import EVENTS, ROUNDS, WAGERS, Kind, Table
from audit.ingest.cells import fault_if
from audit.ingest.convert import ColumnFault, Converter
from audit.ingest.csvfile import CsvReader
from audit.ingest.files import SourceFile
from audit.ingest.layout import TableLayout
from audit.ingest.numbering import RunningNumbers
from audit.ingest.parquetfile import ParquetReader
from audit.ingest.proof import refuse_wrong_order
from audit.ingest.quarantine import Quarantine
from audit.ingest.raw import Malformed, RawBatch, Reader
from audit.ingest.sources import CANONICAL, Profile


@dataclass(frozen=True, slots=True)
class Batch:
    """Some accepted rows of one file.

    `rows`: typed rows in the table's schema; `file`: the file's name as findings print it; `file_index`: its place
    among the files of the call; `source_row`: int64, the number of each row in its file, from 1.
    """

    rows: pa.RecordBatch
    file: str
    file_index: int
    source_row: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.source_row)


def open_rounds(
    files: Sequence[SourceFile],
    *,
    profile: Profile = CANONICAL,
    quarantine: Quarantine,
    columns: Collection[str] | None = None,
) -> Iterator[Batch]:
    """The rounds of `files` as batches (schema of `canonical.ROUNDS`).

    `columns`, if given, names the canonical columns that are needed: text columns that may be null and are not among
    them come back as nulls without being read. A column whose content can reject a row is always read, so that the
    control totals do not depend on it.

    Raises InputRefused for a file that cannot be read or trusted, and when the files have no row at all.
    """
    return _open(ROUNDS, files, profile, quarantine, columns)


def open_wagers(
    files: Sequence[SourceFile],
    *,
    profile: Profile = CANONICAL,
    quarantine: Quarantine,
    columns: Collection[str] | None = None,
) -> Iterator[Batch]:
    """The wagers of `files` as batches (schema of `canonical.WAGERS`); else as :func:`open_rounds`."""
    return _open(WAGERS, files, profile, quarantine, columns)


def open_events(
    files: Sequence[SourceFile],
    *,
    profile: Profile = CANONICAL,
    quarantine: Quarantine,
    columns: Collection[str] | None = None,
) -> Iterator[Batch]:
    """The events of `files` as batches (schema of `canonical.EVENTS`); else as :func:`open_rounds`."""
    return _open(EVENTS, files, profile, quarantine, columns)


def open_file(file: SourceFile, profile: Profile = CANONICAL) -> Reader:
    """A reader for one file, by the ending of its name."""
    return ParquetReader(file) if file.suffix == ".parquet" else CsvReader(file, profile.dialect)


def _open(
    table: Table,
    files: Sequence[SourceFile],
    profile: Profile,
    quarantine: Quarantine,
    columns: Collection[str] | None,
) -> Iterator[Batch]:
    for step in _ahead(_steps(table, files, profile, quarantine, columns)):
        for note in step.notes:
            note()
        if len(step.batch):
            yield step.batch


@dataclass(frozen=True, slots=True)
class _Step:
    """A batch and what the quarantine is to be told when the caller gets it.

    Batches are read ahead in another thread; the quarantine hears of their rows in the caller's thread and no sooner,
    so that what it knows is what the caller has seen.
    """

    batch: Batch
    notes: tuple[Callable[[], None], ...]


def _ahead(steps: Iterator[_Step]) -> Iterator[_Step]:
    """The same steps, each made in another thread while the caller works on the one before it."""
    with ThreadPoolExecutor(1, "ingest") as pool:
        waiting = pool.submit(next, steps, None)
        while (step := waiting.result()) is not None:
            waiting = pool.submit(next, steps, None)
            yield step


def _steps(
    table: Table,
    files: Sequence[SourceFile],
    profile: Profile,
    quarantine: Quarantine,
    columns: Collection[str] | None,
) -> Iterator[_Step]:
    skip = {c.name for c in table.columns if columns is not None and c.skippable and c.name not in columns}
    if profile.table(table).running:
        skip.discard("shoe_id")
    numbers = RunningNumbers()
    read = False
    for index, file in enumerate(files):
        reading = _FileReading(table, file, index, profile, quarantine, skip, numbers)
        yield reading.nothing()
        for step in reading.steps():
            read = True
            yield step
    if not read:
        raise InputRefused(f"{', '.join(file.name for file in files)}: no row of data, only a header")


class _FileReading:
    """Reads one file of one table."""

    def __init__(
        self,
        table: Table,
        file: SourceFile,
        index: int,
        profile: Profile,
        quarantine: Quarantine,
        skip: Collection[str],
        numbers: RunningNumbers,
    ) -> None:
        self._table = table
        self._file = file
        self._index = index
        self._profile = profile
        self._layout = profile.table(table)
        self._proven = False
        self._quarantine = quarantine
        self._skip = skip
        self._numbers = numbers
        self._converter = Converter(
            _as_in_source(table, self._layout), file.name, zone=profile.zone, origins=self._layout.origins(), skip=skip
        )

    def nothing(self) -> _Step:
        """A step without rows, by which the quarantine learns of the file."""
        empty = pa.RecordBatch.from_pylist([], schema=self._table.schema)
        return self._step(empty, np.empty(0, np.int64), [self._note_read(0)])

    def _step(self, rows: pa.RecordBatch, numbers: NDArray[np.int64], notes: list[Callable[[], None]]) -> _Step:
        return _Step(Batch(rows, self._file.name, self._index, numbers), tuple(notes))

    def _note_read(self, rows: int) -> Callable[[], None]:
        return partial(self._quarantine.note_read, self._table.name, self._file.name, rows)

    def steps(self) -> Iterator[_Step]:
        """One step for each batch of rows that the file gives, perhaps with no row accepted."""
        reader = open_file(self._file, self._profile)
        self._layout.check(self._table, self._file.name, reader.names)
        needed = self._layout.needed(self._table)
        wanted = {source for name, sources in needed.items() if name not in self._skip for source in sources}
        plain = {
            source
            for name, sources in needed.items()
            if self._table.column(name).kind in {Kind.ID, Kind.INSTANT}
            for source in sources
        }
        for raw in reader.batches(wanted, plain):
            if len(raw) or raw.malformed:
                yield self._read(raw)

    def _read(self, raw: RawBatch) -> _Step:
        notes = [self._note_read(len(raw) + len(raw.malformed))]
        if raw.malformed:
            notes.append(self._rejected_malformed(raw.malformed))
        if not len(raw):
            return self._step(self.nothing().batch.rows, raw.source_row, notes)
        columns = self._layout.derive(self._table, raw.columns, len(raw), self._file.name)
        rows, faults = self._converter.convert(columns, len(raw))
        rows, more = self._translated(rows)
        faults += more
        if not faults:
            return self._step(rows, raw.source_row, notes)
        keep, note = self._rejected(raw, columns, rows, faults)
        return self._step(rows.filter(pa.array(keep)), raw.source_row[keep], [*notes, note])

    def _translated(self, rows: pa.RecordBatch) -> tuple[pa.RecordBatch, list[ColumnFault]]:
        """What a profile says about typed values: the order of cards proven, rounds renumbered, payouts as due."""
        layout = self._layout
        faults: list[ColumnFault] = []
        if layout.cards and not self._proven:
            refuse_wrong_order(rows, self._file.name, self._profile.name)
            self._proven = True
        if layout.running:
            rows, early = self._numbers.renumber(rows)
            faults += (
                ColumnFault("round_no", each.reason, each.mask) for each in fault_if("number_before_shoe", early)
            )
        if not layout.money.canonical:
            rows, lost = layout.money.settle(rows)
            faults += (ColumnFault("payout", each.reason, each.mask) for each in fault_if("loss_above_stake", lost))
        return rows, faults

    def _rejected(
        self, raw: RawBatch, columns: Mapping[str, pa.Array], typed: pa.RecordBatch, faults: list[ColumnFault]
    ) -> tuple[NDArray[np.bool_], Callable[[], None]]:
        """The mask of the good rows, and the note about the others, each with its first fault in schema order."""
        order = {name: number for number, name in enumerate(self._table.names)}
        ranked = sorted(faults, key=lambda fault: order[fault.column])
        owner = np.full(len(raw), -1, np.int64)
        for number, fault in enumerate(ranked):
            owner[(owner < 0) & fault.mask] = number
        rejected = owner >= 0
        rows = np.flatnonzero(rejected)
        owners = owner[rows]
        note = partial(
            self._quarantine.add,
            self._table.name,
            self._file.name,
            source_rows=raw.source_row[rows],
            columns=[ranked[number].column for number in owners],
            keys=[ranked[number].reason for number in owners],
            values=_values(columns, ranked, rows, owners),
            rows=evidence.json_rows(raw.columns, rows, raw.unread(raw.source_row[rows])),
            ids=self._ids(typed, rows),
        )
        return ~rejected, note

    def _ids(self, typed: pa.RecordBatch, rows: NDArray[np.intp]) -> pa.StringArray | None:
        if self._table.identity is None:
            return None
        return typed[self._table.identity].take(pa.array(rows))

    def _rejected_malformed(self, malformed: Sequence[Malformed]) -> Callable[[], None]:
        count = len(malformed)
        return partial(
            self._quarantine.add,
            self._table.name,
            self._file.name,
            source_rows=[each.row for each in malformed],
            columns=[None] * count,
            keys=["field_count"] * count,
            values=pa.array([f"{each.found}/{each.expected}" for each in malformed], pa.string()),
            rows=pa.array([each.text for each in malformed], pa.string()),
        )


def _as_in_source(table: Table, layout: TableLayout) -> Table:
    """The table with payouts that may be negative, where the source's payout is what was won minus what was lost."""
    if layout.money.form != "result":
        return table
    columns = (replace(each, least=None) if each.name == "payout" else each for each in table.columns)
    return replace(table, columns=tuple(columns))


def _values(
    columns: Mapping[str, pa.Array],
    faults: Sequence[ColumnFault],
    rows: NDArray[np.intp],
    owners: NDArray[np.int64],
) -> pa.StringArray:
    """For each rejected row the text of the column that rejected it."""
    parts = []
    places = []
    for number, fault in enumerate(faults):
        mine = np.flatnonzero(owners == number)
        if not len(mine):
            continue
        places.append(mine)
        if fault.column in columns:
            parts.append(evidence.as_text(columns[fault.column], rows[mine]))
        else:
            parts.append(pa.nulls(len(mine), pa.string()))
    order = np.argsort(np.concatenate(places), kind="stable")
    return pc.take(pa.concat_arrays(parts), pa.array(order))
