"""Parquet files, read in batches of bounded size with text decoded once per distinct value."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import partial
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from audit.errors import InputRefused
from audit.ingest.cells import is_textual
from audit.ingest.files import SourceFile
from audit.ingest.raw import RawBatch, check_names

BATCH_ROWS: Final = 262_144


class ParquetReader:
    """One Parquet file; raises InputRefused if it is empty, truncated, damaged or has two columns of one name."""

    sparse = False

    def __init__(self, file: SourceFile) -> None:
        self._file = file
        self._source = self._open(())
        self._schema = self._source.schema_arrow
        check_names(file.name, self._schema.names)

    def _open(self, dictionaries: Collection[str]) -> pq.ParquetFile:
        try:
            if self._file.bytes == 0:
                raise InputRefused(f"{self._file.name}: the file is empty")
            return pq.ParquetFile(self._file.path, read_dictionary=list(dictionaries), pre_buffer=True)
        except PermissionError as error:
            raise InputRefused(f"{self._file.name}: cannot be read (permission denied)") from error
        except (pa.ArrowException, OSError, ValueError) as error:  # a name that is no text is a ValueError
            raise InputRefused(f"{self._file.name}: is not a whole Parquet file (truncated or damaged)") from error

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns in the file."""
        return tuple(self._schema.names)

    def batches(self, columns: Collection[str], plain: Collection[str]) -> Iterator[RawBatch]:
        """The rows, with only the columns asked for."""
        wanted = [name for name in self._schema.names if name in columns]
        textual = [n for n in wanted if n not in plain and is_textual(self._schema.field(n).type)]
        source = self._open(textual)
        row = 1
        try:
            for batch in source.iter_batches(batch_size=BATCH_ROWS, columns=wanted):
                numbers = np.arange(row, row + batch.num_rows, dtype=np.int64)
                row += batch.num_rows
                _check_dictionaries(batch)
                columns_read = dict(zip(batch.schema.names, batch.columns, strict=True))
                yield RawBatch(columns_read, numbers, unread=partial(self._unread, columns_read))
        except (pa.ArrowException, OSError, ValueError) as error:
            raise InputRefused(
                f"{self._file.name}: cannot be read beyond row {row - 1} (truncated or damaged Parquet)"
            ) from error
        finally:
            source.close()

    def _unread(self, known: Collection[str], numbers: NDArray[np.int64]) -> Mapping[str, pa.Array]:
        """The other columns of the rows with these numbers, read from the row groups that have them."""
        others = [name for name in self._schema.names if name not in known]
        if not others:
            return {}
        groups = self._source.metadata
        sizes = [groups.row_group(index).num_rows for index in range(groups.num_row_groups)]
        ends = np.cumsum(sizes)
        group_of = np.searchsorted(ends, numbers, side="left")
        parts = []
        for group in range(int(group_of.min()), int(group_of.max()) + 1):
            rows = numbers[group_of == group] - 1 - (int(ends[group]) - sizes[group])
            parts.append(self._source.read_row_group(group, columns=others).take(pa.array(rows)))
        table = pa.concat_tables(parts).combine_chunks()
        return {name: table.column(name).combine_chunks() for name in others}


def _check_dictionaries(batch: pa.RecordBatch) -> None:
    """Refuse a batch that points beyond its dictionaries: the library decodes such pages of a damaged file."""
    for column in batch.columns:
        if pa.types.is_dictionary(column.type):
            reach = pc.min_max(column.indices)
            low, high = reach["min"].as_py(), reach["max"].as_py()
            if high is not None and (low < 0 or high >= len(column.dictionary)):
                raise pa.ArrowInvalid("a dictionary index out of bounds")
