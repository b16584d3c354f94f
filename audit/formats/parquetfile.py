"""Parquet files, read in batches of bounded size with text decoded once per distinct value."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import partial
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from audit.base.columns import is_textual
from audit.base.errors import InputRefused
from audit.base.read_ahead import ReadAhead
from audit.formats.folder_columns import constant, given
from audit.formats.raw import RawBatch, check_names
from audit.formats.second_decoder.decimals import WithArrow, open_decimals
from audit.stores.files import SourceFile

BATCH_ROWS: Final = 262_144
SPAN_ROWS: Final = 8 * BATCH_ROWS
"""Rows that a store is asked for at once, in whole row groups, so that memory does not grow with the file."""


class ParquetReader:
    """One Parquet file; raises InputRefused if it is empty, truncated, damaged or has two columns of one name."""

    sparse = False

    def __init__(self, file: SourceFile) -> None:
        self._file = file
        self._source = self._open(())
        self._schema = self._source.schema_arrow
        check_names(file.name, self._schema.names)
        self._given = given(file.partition, self._schema.names)

    def _open(self, dictionaries: Collection[str]) -> pq.ParquetFile:
        try:
            if self._file.bytes == 0:
                raise InputRefused(f"{self._file.name}: the file is empty")
            return pq.ParquetFile(self._file.source(), read_dictionary=list(dictionaries), pre_buffer=True)
        except PermissionError as error:
            said = self._file.trouble(error) or "cannot be read (permission denied)"
            raise InputRefused(f"{self._file.name}: {said}") from error
        except (pa.ArrowException, OSError, ValueError) as error:  # a name that is no text is a ValueError
            said = self._file.trouble(error) or "is not a whole Parquet file (truncated or damaged)"
            raise InputRefused(f"{self._file.name}: {said}") from error

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns in the file, and of those that its folders give."""
        return (*self._schema.names, *self._given)

    def _sizes(self) -> list[int]:
        """The rows of each row group of the file."""
        groups = self._source.metadata
        return [groups.row_group(index).num_rows for index in range(groups.num_row_groups)]

    def spans(self, rows: int) -> list[tuple[int, int]]:
        """The row groups to read as consecutive spans (first, past the last), each ended by the group that fills it."""
        sizes = self._sizes()
        first, past = self._file.groups or (0, len(sizes))
        found = []
        begin, held = first, 0
        for group in range(first, past):
            held += sizes[group]
            if held >= rows or group == past - 1:
                found.append((begin, group + 1))
                begin, held = group + 1, 0
        return found

    def batches(self, columns: Collection[str], plain: Collection[str]) -> Iterator[RawBatch]:
        """The rows, with only the columns asked for."""
        wanted = [name for name in self._schema.names if name in columns]
        textual = [n for n in wanted if n not in plain and is_textual(self._schema.field(n).type)]
        folders = {name: value for name, value in self._given.items() if name in columns}
        row = 1 + sum(self._sizes()[: self._file.groups[0]]) if self._file.groups else 1
        source = self._open(textual)
        try:
            with ExitStack() as stack:
                stack.callback(source.close)
                for rows, columns_read in self._columns(source, wanted, stack):
                    numbers = np.arange(row, row + rows, dtype=np.int64)
                    row += rows
                    made = {name: constant(value, rows, plain=name in plain) for name, value in folders.items()}
                    yield RawBatch(columns_read | made, numbers, unread=partial(self.unread, columns_read))
        except (pa.ArrowException, OSError, ValueError) as error:
            said = self._file.trouble(error) or "truncated or damaged Parquet"
            raise InputRefused(f"{self._file.name}: cannot be read beyond row {row - 1} ({said})") from error

    def _columns(
        self, source: pq.ParquetFile, wanted: list[str], stack: ExitStack
    ) -> Iterator[tuple[int, dict[str, pa.Array]]]:
        """The number of rows and the columns of each batch; what decodes them is closed with `stack`."""
        rows = sum(self._sizes())
        # Row groups are mostly as large as each other: both decoders' batches are then the same rows.
        usual = next((most for _, most in self._requests()), BATCH_ROWS)
        decimals, others = open_decimals(self._file, self._schema, wanted, rows, usual)
        beside: WithArrow | None = None
        if decimals is not None:
            stack.callback(decimals.close)
            left = [name for name in wanted if name not in others]
            beside = WithArrow(decimals, lambda: self._record_batches(stack.enter_context(self._open(())), left))
        batches = self._record_batches(source, others)
        if rows > BATCH_ROWS:
            batches = stack.enter_context(closing(ReadAhead(batches, 2, give_way=True)))
        for batch in batches:
            _check_dictionaries(batch)
            columns = dict(zip(batch.schema.names, batch.columns, strict=True))
            yield batch.num_rows, columns if beside is None else columns | beside.take(batch.num_rows)

    def _record_batches(self, source: pq.ParquetFile, wanted: list[str]) -> Iterator[pa.RecordBatch]:
        """The batches, span by span: what is read ahead of a span stays in memory until the span is done."""
        for groups, most in self._requests():
            yield from source.iter_batches(batch_size=most, columns=wanted, row_groups=groups)

    def _requests(self) -> Iterator[tuple[list[int], int]]:
        """The row groups to be read at once, and the rows of their batches.

        A batch ends where a row group does. From a file at hand, large row groups are read one by one, in batches as
        large as each other, so that none of them is a rest of some rows; a store is asked for more at a time.
        """
        sizes = self._sizes()
        for first, past in self.spans(BATCH_ROWS // 2 if self._file.remote is None else SPAN_ROWS):
            rows = max(sum(sizes[first:past]), 1)
            yield list(range(first, past)), -(-rows // -(-rows // BATCH_ROWS))

    def unread(self, known: Collection[str], numbers: NDArray[np.int64]) -> Mapping[str, pa.Array]:
        """The other columns of the rows with these numbers, read from the row groups that have them."""
        others = [name for name in self._schema.names if name not in known]
        if not others:
            return {}
        sizes = self._sizes()
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
        if pa.types.is_dictionary(column.type) and len(column) > column.null_count:
            indices = (column.indices.drop_null() if column.null_count else column.indices).to_numpy()
            # Without its sign an index below zero is beyond every dictionary.
            if indices.view(f"u{indices.itemsize}").max() >= len(column.dictionary):
                raise pa.ArrowInvalid("a dictionary index out of bounds")


def split(file: SourceFile, rows: int = 1_000_000) -> tuple[SourceFile, ...]:
    """A Parquet file as consecutive pieces of whole row groups, each of about `rows` rows; another file as it is.

    The numbers of the rows, the size and the digest stay those of the whole file. InputRefused if it cannot be read.
    """
    if file.kind != "parquet" or file.groups is not None:
        return (file,)
    spans = ParquetReader(file).spans(rows)
    return (file,) if len(spans) < 2 else tuple(replace(file, groups=span) for span in spans)
