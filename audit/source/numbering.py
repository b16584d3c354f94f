"""Round numbers that run on from shoe to shoe, counted again from 1 in each shoe.

Where a source numbers the rounds of a table without a break, the number a shoe starts after is the highest seen at the
table before it. A number that is missing anywhere in the row is still missing afterwards.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from audit.base.columns import Mask

NUMBERINGS: Final = ("by_shoe", "running")
"""`by_shoe`: the canonical numbering; `running`: one sequence over all shoes of a table."""


class RunningNumbers:
    """Counts anew in each shoe; remembers, from batch to batch, the highest number and the shoes of each table."""

    def __init__(self) -> None:
        self._highest: dict[str | None, int] = {}
        self._before: dict[tuple[str | None, str | None], int] = {}

    def renumber(self, rows: pa.RecordBatch) -> tuple[pa.RecordBatch, Mask]:
        """Typed rounds with `round_no` within the shoe; the mask marks numbers that lie before their shoe's first."""
        numbers = rows["round_no"]
        running = pc.fill_null(numbers, 0).to_numpy()
        tables, shoes = rows["table_id"], rows["shoe_id"]
        before = np.zeros(len(running), np.int64)
        for table, at_table in _groups(tables, np.arange(len(running))):
            reached = np.maximum.accumulate(np.concatenate([[self._highest.get(table, 0)], running[at_table]]))
            for shoe, in_shoe in _groups(shoes, at_table):
                first = int(reached[np.searchsorted(at_table, in_shoe[0])])
                before[in_shoe] = self._before.setdefault((table, shoe), first)
            self._highest[table] = int(reached[-1])
        within = running - before
        counted = pa.array(within, mask=pc.is_null(numbers).to_numpy(zero_copy_only=False))
        columns = [counted if name == "round_no" else rows[name] for name in rows.schema.names]
        wrong = (within < 1) & pc.is_valid(numbers).to_numpy(zero_copy_only=False)
        return pa.RecordBatch.from_arrays(columns, schema=rows.schema), wrong


def _groups(column: pa.DictionaryArray, places: NDArray[np.intp]) -> list[tuple[str | None, NDArray[np.intp]]]:
    """The places (ascending) of each distinct text of a column, among those given."""
    codes = column.indices.fill_null(-1).to_numpy()[places]
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-2))
    groups = np.split(places[order], starts[1:])
    return [(column[int(group[0])].as_py(), group) for group in groups if len(group)]
