"""Rows in the folders of a partitioned dataset: what the folders give them, and where the two disagree."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from audit.base.columns import as_mask
from audit.base.model import MACAU
from audit.formats.folder_columns import FOLDER_COLUMNS
from audit.source.convert import ColumnFault
from audit.stores.partition import day_of

_INSTANTS: Final = ("started_at", "placed_at", "at")
_TWO_DAYS: Final = dt.timedelta(days=2)


def placed(partition: Mapping[str, str | None], rows: pa.RecordBatch) -> tuple[pa.RecordBatch, list[ColumnFault]]:
    """Typed rows with what their folders say where they say nothing, and the rows that say something else.

    A moment agrees with a folder's day on that calendar day in Macau and on the next: whatever the cut-off, its gaming
    day is then no more than one away, so that :func:`audit.stores.pruning.prune` keeps every row of the days asked
    for.
    """
    faults: list[ColumnFault] = []
    for name in FOLDER_COLUMNS:
        if name not in partition or name not in rows.schema.names:
            continue
        column, value = rows[name], partition[name]
        other = pc.not_equal(column.dictionary, value) if value is not None else pc.is_valid(column.dictionary)
        if pc.any(other).as_py():
            faults += _fault(name, pc.take(other, column.indices))
        if value is not None and column.null_count:
            filled = pc.fill_null(column.cast(pa.string()), value).dictionary_encode()
            rows = rows.set_column(rows.schema.get_field_index(name), rows.schema.field(name), filled)
    day = day_of(partition)
    name = next((each for each in _INSTANTS if each in rows.schema.names), "")
    if day is not None and name:
        begin = dt.datetime.combine(day, dt.time(), MACAU)
        early = pc.less(rows[name], pa.scalar(begin, rows[name].type))
        late = pc.greater_equal(rows[name], pa.scalar(begin + _TWO_DAYS, rows[name].type))
        faults += _fault(name, pc.or_(early, late))
    return rows, faults


def _fault(name: str, wrong: pa.BooleanArray) -> list[ColumnFault]:
    mask = as_mask(wrong)
    return [ColumnFault(name, "folder_differs", mask)] if mask.any() else []
