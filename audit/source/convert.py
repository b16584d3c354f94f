"""One batch of canonical columns, as a source has them, becomes one batch of typed rows and a list of faults."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from audit.base.canonical import CARD_COLUMNS, ROUNDS, CanonicalTable, CellKind, Column
from audit.base.columns import Mask, as_mask
from audit.source import card_text, cells
from audit.source.cells import Cells, SourceColumn
from audit.source.instants import instants
from audit.source.money import amounts

_POINTS: Final = ("player_points", "banker_points")
_HIGHEST_POINTS: Final = 9


@dataclass(frozen=True, slots=True)
class ColumnFault:
    """Rows that cannot be read because of one column: canonical name, key of the reason, mask over the batch."""

    column: str
    reason: str
    mask: Mask


class Converter:
    """Reads the cells of one file's batches; remembers the hands of the last dictionary, which batches often share.

    `origins` gives the name a canonical column has in the file, `zones` the zone of its times where it is not `zone`,
    `skip` the canonical columns left unread (all null).
    """

    def __init__(
        self,
        table: CanonicalTable,
        file: str,
        *,
        zone: str,
        origins: Mapping[str, str],
        skip: Collection[str] = (),
        zones: Mapping[str, str] | None = None,
    ) -> None:
        self._table = table
        self._file = file
        self._zone = zone
        self._zones = zones or {}
        self._origins = origins
        self._skip = frozenset(skip)
        self._hands: dict[str, tuple[pa.StringArray, pa.StringArray, Mask | None]] = {}

    def convert(self, raw: Mapping[str, pa.Array], rows: int) -> tuple[pa.RecordBatch, list[ColumnFault]]:
        """Typed rows (the table's schema) and the faults, in schema order; a typed value under a fault means nothing.

        Raises InputRefused where the type of a column cannot carry what it should.
        """
        typed: dict[str, pa.Array] = {}
        faults: list[ColumnFault] = []
        for column in self._table.columns:
            if column.name not in raw or column.name in self._skip:
                typed[column.name] = pa.nulls(rows, column.type)
                if column.required and rows:
                    faults.append(ColumnFault(column.name, "missing_value", np.ones(rows, np.bool_)))
                continue
            read = self._read(column, raw[column.name])
            if column.required and read.values.null_count:
                read = _with_missing(read)
            typed[column.name] = read.values
            faults += (ColumnFault(column.name, fault.reason, fault.mask) for fault in read.faults)
        if self._table is ROUNDS and rows:
            faults += _cards_that_are_missing(typed, faults, rows)
        batch = pa.RecordBatch.from_arrays([typed[name] for name in self._table.names], schema=self._table.schema)
        return batch, faults

    def _read(self, column: Column, raw: pa.Array) -> Cells:
        place = SourceColumn(self._file, self._origins.get(column.name, column.name))
        match column.kind:
            case CellKind.ID:
                return Cells(cells.as_strings(raw, place))
            case CellKind.CODE:
                return Cells(cells.as_codes(raw, place))
            case CellKind.WORD:
                read = cells.words(raw, place, column.words)
            case CellKind.CURRENCY:
                read = cells.currencies(raw, place)
            case CellKind.CARDS:
                read = self._read_cards(column, raw, place)
            case CellKind.INTEGER:
                read = cells.integers(raw, place)
            case CellKind.BOOLEAN:
                read = cells.booleans(raw, place)
            case CellKind.MONEY:
                read = amounts(raw, place)
            case CellKind.INSTANT:
                read = instants(raw, place, self._zones.get(column.name, self._zone))
        return read if column.least is None else _not_below(read, column.least, column.below)

    def _read_cards(self, column: Column, raw: pa.Array, place: SourceColumn) -> Cells:
        hands = cells.as_dictionary(raw, place)
        known = self._hands.get(column.name)
        if known is None or not known[0].equals(hands.dictionary):
            known = (hands.dictionary, *card_text.canonical_hands(hands.dictionary))
            self._hands[column.name] = known
        _, spelt, wrong = known
        faults = cells.fault_if("unknown_card", cells.rows_of(hands, wrong)) if wrong is not None else ()
        return Cells(cells.with_values(hands, spelt), faults)


def _not_below(read: Cells, least: int, reason: str) -> Cells:
    smallest = pc.min(read.values).as_py()
    if smallest is None or smallest >= least:
        return read
    below = as_mask(pc.less(read.values, least))
    for fault in read.faults:
        below &= ~fault.mask
    return Cells(read.values, read.faults + cells.fault_if(reason, below))


def _with_missing(read: Cells) -> Cells:
    missing = as_mask(pc.is_null(read.values))
    for fault in read.faults:
        missing &= ~fault.mask
    return Cells(read.values, cells.fault_if("missing_value", missing) + read.faults)


def _cards_that_are_missing(typed: Mapping[str, pa.Array], faults: list[ColumnFault], rows: int) -> list[ColumnFault]:
    """Rounds without cards: both sides may lack them in a void round or where both totals are recorded (footnote 1).

    A side whose cards were there and could not be read is not one without cards.
    """
    player, banker = (_without_cards(typed[name], name, faults) for name in CARD_COLUMNS)
    found = [
        ColumnFault(name, "one_side_without_cards", alone)
        for name, alone in zip(CARD_COLUMNS, (player & ~banker, banker & ~player), strict=True)
        if alone.any()
    ]
    neither = player & banker
    if neither.any():
        allowed = as_mask(pc.equal(typed["status"], "void"))
        totals = np.ones(rows, np.bool_)
        for name in _POINTS:
            points = typed[name]
            totals &= as_mask(pc.and_(pc.greater_equal(points, 0), pc.less_equal(points, _HIGHEST_POINTS)))
        if (neither & ~allowed & ~totals).any():
            found.append(ColumnFault(CARD_COLUMNS[0], "no_cards", neither & ~allowed & ~totals))
    return found


def _without_cards(hands: pa.Array, name: str, faults: list[ColumnFault]) -> Mask:
    if not hands.null_count:
        return np.zeros(len(hands), np.bool_)
    missing = as_mask(pc.is_null(hands))
    for fault in faults:
        if fault.column == name:
            missing &= ~fault.mask
    return missing
