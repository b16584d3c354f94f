"""Typed rows as the readers hand them over and the audit takes them."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa


class TypedRows(Protocol):
    """Typed rows, each with its file and its number in it."""

    @property
    def rows(self) -> pa.RecordBatch:
        """Typed rows in the table's schema."""

    @property
    def file(self) -> str:
        """The file's name as findings print it; of several files, the first one's."""

    @property
    def files(self) -> tuple[str, ...]:
        """The names of the files, where there are several."""

    @property
    def origin(self) -> npt.NDArray[np.int32] | None:
        """The place of each row's file among `files`, ascending; None where all rows are of `file`."""

    def file_at(self, place: int) -> str:
        """The name of the file of one row."""

    @property
    def source_row(self) -> npt.NDArray[np.int64]:
        """The number of each row in its file, from 1."""
