"""What a reader of one kind of file hands over: columns as the file has them, with the number of each row."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from audit.errors import InputRefused


@dataclass(frozen=True, slots=True)
class Malformed:
    """A row that has not as many fields as the header: its number (1 = first row of data), the fields, its text."""

    row: int
    found: int
    expected: int
    text: str


def nothing_unread(_: NDArray[np.int64]) -> Mapping[str, pa.Array]:
    """For a file of which every column is read: there is no further column."""
    return {}


@dataclass(frozen=True, slots=True)
class RawBatch:
    """Some rows of one file: columns by their name in the file, the row numbers, and malformed rows among them.

    `unread` gives, for row numbers of the batch, the columns of the file that were left out, as evidence.
    """

    columns: Mapping[str, pa.Array]
    source_row: NDArray[np.int64]
    malformed: Sequence[Malformed] = ()
    unread: Callable[[NDArray[np.int64]], Mapping[str, pa.Array]] = nothing_unread

    def __len__(self) -> int:
        return len(self.source_row)


class Reader(Protocol):
    """One open file of any kind."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns in the file, in order."""

    def batches(self, columns: Collection[str], plain: Collection[str]) -> Iterator[RawBatch]:
        """The rows of the file; at least `columns` of it, those of `plain` not as dictionaries."""


def check_names(file: str, names: Sequence[str]) -> None:
    """Refuse a file with two columns of one name."""
    for name in names:
        if names.count(name) > 1:
            raise InputRefused(f"{file}: two columns are called {name!r}")
