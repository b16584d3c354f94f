"""What a reader of one kind of file hands over: columns as the file has them, with the number of each row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from audit.base.errors import InputRefused

MOST_COLUMNS: Final = 4096
"""Columns beyond which a file is not taken for a log."""


@dataclass(frozen=True, slots=True)
class Malformed:
    """A row that has not as many fields as the header: its number (1 = first row of data), the fields, its text.

    `expected` is 0 where the row is no row at all (a line that is not JSON).
    """

    row: int
    found: int
    expected: int
    text: str

    @property
    def reason(self) -> str:
        """The key of the reason (reasons.yaml)."""
        return "field_count" if self.expected else "not_a_record"


def nothing_unread(_: NDArray[np.int64]) -> Mapping[str, pa.Array]:
    """For a file of which every column is read: there is no further column."""
    return {}


@dataclass(frozen=True, slots=True)
class RawBatch:
    """Some rows of one file: columns by their name in the file, the row numbers, and malformed rows among them.

    `unread` gives, for row numbers of the batch, the columns of the file that were left out, as evidence. A reader of
    nested records gives `records` instead of columns, and their `texts` as evidence.
    """

    columns: Mapping[str, pa.Array]
    source_row: NDArray[np.int64]
    malformed: Sequence[Malformed] = ()
    unread: Callable[[NDArray[np.int64]], Mapping[str, pa.Array]] = nothing_unread
    records: Sequence[Mapping[str, Any]] | None = None
    texts: pa.StringArray | None = None

    def __len__(self) -> int:
        return len(self.source_row)


class Reader(Protocol):
    """One open file of any kind."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns in the file, in order."""

    @property
    def sparse(self) -> bool:
        """Whether a column may be absent from `names` and still come (records need not have every key)."""

    def batches(self, columns: Collection[str], plain: Collection[str]) -> Iterator[RawBatch]:
        """The rows of the file; at least `columns` of it, those of `plain` not as dictionaries."""


def check_names(file: str, names: Sequence[str]) -> None:
    """Refuse a file with two columns of one name, or with more columns than any log has."""
    if len(names) > MOST_COLUMNS:
        raise InputRefused(f"{file}: has {len(names)} columns; at most {MOST_COLUMNS} are read")
    for name, times in Counter(names).items():
        if times > 1:
            raise InputRefused(f"{file}: two columns are called {name!r}")
