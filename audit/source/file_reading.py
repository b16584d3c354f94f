"""One file of one table, batch by batch: shaped, derived, converted, proven; what cannot be read goes to quarantine."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from audit.base.canonical import CARD_COLUMNS, CanonicalTable, CellKind
from audit.base.columns import Mask
from audit.formats.csvfile import CsvReader
from audit.formats.jsonfile import JsonReader
from audit.formats.parquetfile import ParquetReader
from audit.formats.raw import Malformed, RawBatch, Reader
from audit.formats.xlsxfile import XlsxReader
from audit.source import card_text, raw_rows
from audit.source.cells import fault_if
from audit.source.convert import ColumnFault, Converter
from audit.source.joined_cards import CardTable
from audit.source.numbering import RunningNumbers
from audit.source.placing import placed
from audit.source.profiles import CANONICAL, SourceProfile
from audit.source.quarantine import Quarantine, Rejects
from audit.source.records import Aside, Shaped, heads, shape
from audit.source.table_layout import TableLayout, winning_points
from audit.stores.files import SourceFile

_FIRST: Final = -1


@dataclass(frozen=True, slots=True)
class Batch:
    """Some accepted rows of one file, or of several that follow one another.

    `rows`: typed rows in the table's schema; `file`: the file's name as findings print it; `file_index`: its place
    among the files of the call; `source_row`: int64, the number of each row in its file, from 1. Of several files,
    `files` are the names, the first of which `file` and `file_index` stand for, and `origin` (int32, ascending) is the
    place of each row's file among them; of one file `origin` is None.
    """

    rows: pa.RecordBatch
    file: str
    file_index: int
    source_row: NDArray[np.int64]
    origin: NDArray[np.int32] | None = None
    files: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.source_row)

    def file_at(self, place: int) -> str:
        """The name of the file of one row."""
        return self.file if self.origin is None else self.files[self.origin[place]]

    def at(self, places: NDArray[np.int64]) -> Batch:
        """The rows at ascending places; without copying where they follow one another."""
        if len(places) and places[-1] - places[0] + 1 == len(places):
            part = slice(int(places[0]), int(places[-1]) + 1)
            return self._of(self.rows.slice(part.start, len(places)), part)
        return self._of(self.rows.take(pa.array(places)), places)

    def where(self, stay: NDArray[np.bool_]) -> Batch:
        """The rows that are marked."""
        return self._of(self.rows.filter(pa.array(stay)), stay)

    def _of(self, rows: pa.RecordBatch, part: slice | NDArray[Any]) -> Batch:
        origin = None if self.origin is None else self.origin[part]
        return replace(self, rows=rows, source_row=self.source_row[part], origin=origin)


@dataclass(frozen=True, slots=True)
class ReadStep:
    """A batch and what the quarantine is to be told when the caller gets it.

    Batches are read ahead in another thread; the quarantine hears of their rows in the caller's thread and no sooner,
    so that what it knows is what the caller has seen.
    """

    batch: Batch
    notes: tuple[Callable[[], None], ...]


@dataclass(frozen=True, slots=True)
class ReadSettings:
    """What the files of one call have in common.

    `skip` are the canonical columns left unread; `cards` the joined cards, if any; `winners` gives, for an identity
    that was corrected, the place (file, row) of the row that counts.
    """

    table: CanonicalTable
    profile: SourceProfile
    quarantine: Quarantine
    skip: Collection[str] = ()
    numbers: RunningNumbers = field(default_factory=RunningNumbers)
    cards: CardTable | None = None
    winners: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def layout(self) -> TableLayout:
        """The layout of the table in the source."""
        return self.profile.table(self.table)


def open_file(file: SourceFile, profile: SourceProfile = CANONICAL) -> Reader:
    """A reader for one file, by the ending of its name."""
    match file.kind:
        case "parquet":
            return ParquetReader(file)
        case "json":
            return JsonReader(file)
        case "xlsx":
            return XlsxReader(file)
        case _:
            return CsvReader(file, profile.dialect)


def sources_of(layout: TableLayout, table: CanonicalTable, skip: Collection[str]) -> tuple[set[str], set[str]]:
    """The source columns that the table is made of without the columns `skip`, and those not read as dictionaries."""
    needed = layout.needed(table)
    sources = layout.sources(table) - {s for name, group in needed.items() if name in skip for s in group}
    sources |= {s for name, group in needed.items() if name not in skip for s in group if not s.startswith("@")}
    kinds = {CellKind.ID, CellKind.INSTANT}
    return sources, {s for name, group in needed.items() if table.column(name).kind in kinds for s in group}


def shaped_batches(
    file: SourceFile, profile: SourceProfile, table: CanonicalTable, skip: Collection[str] = ()
) -> Iterator[Shaped]:
    """The flat rows of a file with the source columns that the table is made of; InputRefused if one is missing."""
    layout = profile.table(table)
    reader = open_file(file, profile)
    layout.check(table, file.name, reader.names, sparse=reader.sparse)
    sources, plain = sources_of(layout, table, skip)
    flat = not reader.sparse and not layout.records.active and (layout.direct or sources <= set(reader.names))
    for raw in reader.batches(heads(sources, reader.names), plain):
        if not flat and len(raw):
            yield shape(raw, layout.records, sorted(sources), file.name)
        elif len(raw) or raw.malformed:
            yield Shaped(raw, (), 0)


class FileReading:
    """Reads one file of one table."""

    def __init__(self, common: ReadSettings, file: SourceFile, index: int) -> None:
        self._common = common
        self._table = common.table
        self._file = file
        self._index = index
        self._layout = common.layout
        # What a folder may contradict is read, whoever asks: the control totals do not depend on it.
        self._skip = set(common.skip) - set(file.partition)
        self._converter = Converter(
            _as_in_source(self._table, self._layout),
            file.name,
            zone=common.profile.zone,
            zones=self._layout.zones(),
            origins=self._layout.origins(),
            skip=self._skip,
        )

    def nothing(self) -> ReadStep:
        """A step without rows, by which the quarantine learns of the file."""
        return self._step(self._table.nothing, np.empty(0, np.int64), [self._note_read(0)])

    def _step(self, rows: pa.RecordBatch, numbers: NDArray[np.int64], notes: list[Callable[[], None]]) -> ReadStep:
        return ReadStep(Batch(rows, self._file.name, self._index, numbers), tuple(notes))

    def _note_read(self, rows: int) -> Callable[[], None]:
        return partial(self._common.quarantine.note_read, self._table.name, self._file.name, rows)

    def steps(self) -> Iterator[ReadStep]:
        """One step for each batch of rows that the file gives, perhaps with no row accepted."""
        for shaped in shaped_batches(self._file, self._common.profile, self._table, self._skip):
            yield self.read(self.joined(shaped))

    def joined(self, shaped: Shaped) -> Shaped:
        """The flat rows with their cards, where these are in files of their own."""
        if self._common.cards is None or not len(shaped.raw):
            return shaped
        columns = {**shaped.raw.columns, **self._common.cards.join(shaped.raw)}
        return replace(shaped, raw=replace(shaped.raw, columns=columns))

    def read(self, shaped: Shaped) -> ReadStep:
        """The step for the flat rows of one batch."""
        raw = shaped.raw
        malformed, footers = self._footers(raw.malformed)
        left = shaped.left + footers
        notes = [self._note_read(len(raw) + len(malformed))]
        if left:
            notes.append(partial(self._common.quarantine.note_left, self._table.name, self._file.name, left))
        lost = _malformed_rejects(malformed)
        if not len(raw):
            return self._step(self._table.nothing, raw.source_row, [*notes, self._note_rejects(lost)])
        columns, rows, faults = self.typed(raw)
        rows, more = self.settled(rows, raw, shaped.aside)
        faults += more
        faults += (ColumnFault(each.source, each.reason, each.mask) for each in shaped.aside if each.mask.any())
        if not faults:
            return self._step(rows, raw.source_row, [*notes, self._note_rejects(lost)])
        keep, rejects = self._rejects(raw, columns, rows, faults)
        # In their order in the file, wherever its batches end.
        notes.append(self._note_rejects(rejects.among(lost)))
        return self._step(rows.filter(pa.array(keep)), raw.source_row[keep], notes)

    def _note_rejects(self, rejects: Rejects) -> Callable[[], None]:
        return partial(self._common.quarantine.add, self._table.name, self._file.name, rejects)

    def typed(self, raw: RawBatch) -> tuple[Mapping[str, pa.Array], pa.RecordBatch, list[ColumnFault]]:
        """The canonical columns as the source has them, the typed rows, and what cannot be read."""
        columns = self._layout.derive(self._table, raw.columns, len(raw), self._file.name)
        return columns, *self._converter.convert(columns, len(raw))

    def settled(
        self, rows: pa.RecordBatch, raw: RawBatch, aside: Sequence[Aside] = ()
    ) -> tuple[pa.RecordBatch, list[ColumnFault]]:
        """Typed rows with what their folders and the profile say of them, and the rows that they contradict."""
        rows, misplaced = placed(self._file.partition, rows)
        rows, more = self._translated(rows, raw, aside)
        return rows, misplaced + more

    def _footers(self, malformed: Sequence[Malformed]) -> tuple[Sequence[Malformed], int]:
        """The malformed rows without those that the profile knows as lines of a summary."""
        dialect = self._common.profile.dialect
        stay = [each for each in malformed if not dialect.is_footer(each.text)]
        return stay, len(malformed) - len(stay)

    def _translated(
        self, rows: pa.RecordBatch, raw: RawBatch, aside: Sequence[Aside]
    ) -> tuple[pa.RecordBatch, list[ColumnFault]]:
        """What a profile says about typed values: the order of cards proven, rounds renumbered, payouts as due."""
        layout = self._layout
        faults: list[ColumnFault] = []
        if layout.cards is not None and self._table.name == "rounds":
            self._prove(rows, raw, aside)
        if layout.running:
            rows, early = self._common.numbers.renumber(rows)
            faults += (
                ColumnFault("round_no", each.reason, each.mask) for each in fault_if("number_before_shoe", early)
            )
        if not layout.money.canonical or (self._table.name == "wagers" and layout.money.push != "stake"):
            rows, lost = layout.money.settle(rows)
            faults += (ColumnFault("payout", each.reason, each.mask) for each in fault_if("loss_above_stake", lost))
        if self._common.winners and self._table.identity is not None:
            old = self._superseded(rows[self._table.identity], raw.source_row)
            faults += (ColumnFault(self._table.identity, f.reason, f.mask) for f in fault_if("superseded", old))
        return rows, faults

    def _superseded(self, ids: pa.StringArray, numbers: NDArray[np.int64]) -> Mask:
        winners = self._common.winners
        known = pc.is_in(ids, value_set=pa.array(list(winners), pa.string())).to_numpy(zero_copy_only=False)
        old = np.zeros(len(ids), np.bool_)
        for place in np.flatnonzero(known):
            old[place] = winners[ids[int(place)].as_py()] != (self._index, int(numbers[place]))
        return old

    def _prove(self, rows: pa.RecordBatch, raw: RawBatch, aside: Sequence[Aside]) -> None:
        """Compare the cards as read with what the rows record beside them; rows set aside say nothing."""
        out = np.zeros(len(raw), np.bool_)
        for each in aside:
            out |= each.mask
        keep = pa.array(~out)
        columns = raw.columns if not out.any() else {name: c.filter(keep) for name, c in raw.columns.items()}
        rows = rows.filter(keep) if out.any() else rows
        layout, file = self._layout, self._file.name

        def others() -> dict[str, tuple[pa.Array, pa.Array]]:
            read = layout.cards.alternatives() if layout.cards else {}
            hands = {name: each.hands(columns, file) for name, each in read.items()}
            return {name: (_spelt(h[CARD_COLUMNS[0]]), _spelt(h[CARD_COLUMNS[1]])) for name, h in hands.items()}

        winning = winning_points(layout.winning_points, columns, file) if layout.winning_points else None
        self._common.quarantine.proof.add(rows, winning, others, (file, self._common.profile.name))

    def rejected(
        self, raw: RawBatch, columns: Mapping[str, pa.Array], typed: pa.RecordBatch, faults: list[ColumnFault]
    ) -> tuple[NDArray[np.bool_], Callable[[], None]]:
        """The mask of the good rows, and the note about the others, each with its first fault in schema order."""
        keep, rejects = self._rejects(raw, columns, typed, faults)
        return keep, self._note_rejects(rejects)

    def _rejects(
        self, raw: RawBatch, columns: Mapping[str, pa.Array], typed: pa.RecordBatch, faults: list[ColumnFault]
    ) -> tuple[NDArray[np.bool_], Rejects]:
        order = {name: number for number, name in enumerate(self._table.names)}
        ranked = sorted(
            faults, key=lambda fault: _FIRST if fault.reason == "superseded" else order.get(fault.column, _FIRST)
        )
        owner = np.full(len(raw), -1, np.int64)
        for number, fault in enumerate(ranked):
            owner[(owner < 0) & fault.mask] = number
        rejected = owner >= 0
        rows = np.flatnonzero(rejected)
        owners = owner[rows]
        if raw.texts is not None:
            shown = pc.take(raw.texts, pa.array(rows))
        else:
            shown = raw_rows.json_rows(raw.columns, rows, raw.unread(raw.source_row[rows]))
        rejects = Rejects(
            source_rows=raw.source_row[rows],
            columns=[ranked[number].column for number in owners],
            keys=[ranked[number].reason for number in owners],
            values=_values({**raw.columns, **columns}, ranked, rows, owners),
            rows=shown,
            ids=self._ids(typed, rows),
        )
        return ~rejected, rejects

    def _ids(self, typed: pa.RecordBatch, rows: NDArray[np.intp]) -> pa.StringArray | None:
        if self._table.identity is None:
            return None
        return typed[self._table.identity].take(pa.array(rows))


def _malformed_rejects(malformed: Sequence[Malformed]) -> Rejects:
    return Rejects(
        source_rows=[each.row for each in malformed],
        columns=[None] * len(malformed),
        keys=[each.reason for each in malformed],
        values=pa.array(
            [f"{each.found}/{each.expected}" if each.expected else None for each in malformed], pa.string()
        ),
        rows=pa.array([each.text for each in malformed], pa.string()),
    )


def _spelt(hands: pa.StringArray) -> pa.DictionaryArray:
    column = hands.dictionary_encode()
    return pc.take(card_text.canonical_hands(column.dictionary)[0], column.indices).dictionary_encode()


def _as_in_source(table: CanonicalTable, layout: TableLayout) -> CanonicalTable:
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
            parts.append(raw_rows.as_text(columns[fault.column], rows[mine]))
        else:
            parts.append(pa.nulls(len(mine), pa.string()))
    order = np.argsort(np.concatenate(places), kind="stable")
    return pc.take(pa.concat_arrays(parts), pa.array(order))
