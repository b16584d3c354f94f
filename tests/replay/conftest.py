"""Typed batches as ingest hands them over, from a few words."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest

from audit.base.canonical import ROUNDS


@dataclass(frozen=True)
class TypedBatch:
    """Typed rows of one file with their numbers."""

    rows: pa.RecordBatch
    file: str
    source_row: npt.NDArray[np.int64]
    files: tuple[str, ...] = ()
    origin: npt.NDArray[np.int32] | None = None

    def file_at(self, place: int) -> str:
        """The file of a row."""
        return self.file if self.origin is None else self.files[self.origin[place]]


MakeBatch = Callable[..., TypedBatch]

PLAIN: dict[str, Any] = {
    "round_id": "R",
    "table_id": "T",
    "round_no": 1,
    "game": "baccarat",
    "status": "settled",
    "started_at": dt.datetime(2024, 3, 1, 4, tzinfo=dt.UTC),
}


@pytest.fixture
def batch() -> MakeBatch:
    """Make a batch of rounds: each row is the plain one with what it names changed."""

    def make(*rows: dict[str, Any], file: str = "rounds.csv", first: int = 1) -> TypedBatch:
        whole = [PLAIN | {"round_id": f"R{number}"} | row for number, row in enumerate(rows, first)]
        columns = []
        for column in ROUNDS.columns:
            values = [row.get(column.name) for row in whole]
            if pa.types.is_dictionary(column.type):
                columns.append(pa.array(values, pa.string()).dictionary_encode().cast(column.type))
            else:
                columns.append(pa.array(values, column.type))
        record = pa.RecordBatch.from_arrays(columns, schema=ROUNDS.schema)
        return TypedBatch(record, file, np.arange(first, first + len(rows)))

    return make
