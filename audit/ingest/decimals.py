"""Decimal columns of large Parquet files, read as whole numbers of their smallest unit by a second decoder.

Arrow turns each stored decimal into 128 bits, which costs more than all the rest of reading wagers. DuckDB reads the
same pages as 64-bit integers in a quarter of the time. The values are the same and exact; where DuckDB cannot help
(other types, stores, parts of a file, small files, not installed) Arrow reads alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from audit.ingest.ahead import ahead

if TYPE_CHECKING:
    from audit.ingest.files import SourceFile

LEAST_ROWS: Final = 500_000
"""Rows of a file from which the second decoder earns what its start costs."""

LEAST_FILES: Final = 64
"""Small files in a row from which it does."""

_TOGETHER: Final = 256
_PATIENCE: Final = 8
_PRECISION: Final = 16
"""Digits up to which the arithmetic of the query cannot leave 64 bits."""

_GLOB: Final = frozenset("*?[]{}")
_SETTINGS: Final = (
    "threads = 1",  # the rows come in their order, and the other columns are decoded beside them
    "preserve_insertion_order = true",
    "memory_limit = '128MB'",
    "temp_directory = ''",  # nothing beside the inputs, nothing from the network
    "autoinstall_known_extensions = false",
    "autoload_known_extensions = false",
)


def readable(schema: pa.Schema, names: list[str]) -> dict[str, pa.DataType]:
    """Those of the columns that the second decoder can read, with their types as 64-bit decimals."""
    folded = [name.lower() for name in schema.names]
    found = {}
    for name in names:
        kind = schema.field(name).type
        fits = pa.types.is_decimal128(kind) and kind.precision <= _PRECISION and 0 <= kind.scale <= kind.precision
        if fits and folded.count(name.lower()) == 1:
            found[name] = pa.decimal64(kind.precision, kind.scale)
    return found


class Decimals:
    """The decimal columns of some files, one after the other, taken in step with their other columns.

    Raises ArrowInvalid, as Arrow itself does, where the file is damaged.
    """

    def __init__(
        self, library: Any, files: Sequence[SourceFile], columns: Mapping[str, pa.DataType], rows: int
    ) -> None:
        self._columns = columns
        self._error: type[Exception] = library.Error
        self._connection = library.connect()
        for setting in _SETTINGS:
            self._connection.execute(f"set {setting}")
        listed = ", ".join(f'("{_quoted(n)}" * {10**kind.scale})::bigint' for n, kind in columns.items())
        query = f"select {listed} from read_parquet($files, hive_partitioning = false)"  # noqa: S608 - names are quoted
        try:
            relation = self._connection.sql(query, params={"files": [str(file.path) for file in files]})
            self._batches = ahead(iter(relation.to_arrow_reader(rows)))
        except self._error as error:
            raise pa.ArrowInvalid(str(error)) from error
        self._held: list[pa.RecordBatch] = []

    def take(self, rows: int) -> dict[str, pa.Array]:
        """The columns of the next `rows` rows."""
        parts = []
        while rows:
            if not self._held:
                self._held.append(self._next())
            head = self._held.pop()
            parts.append(head.slice(0, rows))
            if head.num_rows > rows:
                self._held.append(head.slice(rows))
            rows -= parts[-1].num_rows
        found = {}
        for place, (name, kind) in enumerate(self._columns.items()):
            columns = [part.column(place) for part in parts]
            found[name] = (columns[0] if len(columns) == 1 else pa.concat_arrays(columns)).view(kind)
        return found

    def _next(self) -> pa.RecordBatch:
        try:
            batch = next(self._batches, None)
        except (self._error, OSError) as error:
            raise pa.ArrowInvalid(str(error)) from error
        if batch is None:
            raise pa.ArrowInvalid("the file has fewer rows of decimals than of other columns")
        return batch

    def close(self) -> None:
        """Let the files go."""
        self._batches.close()  # which waits for what is being read
        self._connection.close()


class DecimalRun:
    """The decimal columns of many small files in a row, each file's when its turn comes; off where it does not work."""

    def __init__(self, files: Sequence[SourceFile], batch_rows: int) -> None:
        self._files = files
        self._batch_rows = batch_rows
        self._columns: Mapping[str, pa.DataType] = {}
        self._stream: Decimals | None = None
        self._next = self._end = 0
        self._patience = _PATIENCE

    def take(self, place: int, columns: Mapping[str, pa.DataType], rows: int) -> dict[str, pa.Array] | None:
        """The `columns` of the file at `place`, which has so many rows; None where Arrow has to read them.

        Every file must have these columns, with these types, if its answer is to be used.
        """
        if not columns or self._patience <= 0:
            return None
        try:
            if self._stream is None or self._next != place or self._columns is not columns:
                self._open(place, columns)
            if self._stream is None:
                return None
            found = self._stream.take(rows) if rows else None
        except (pa.ArrowInvalid, ImportError):
            self._patience = 0
            self.close()
            return None
        self._next = place + 1
        if self._next == self._end:
            self.close()
        return found

    def _open(self, place: int, columns: Mapping[str, pa.DataType]) -> None:
        if self._stream is not None:  # files of several kinds take turns
            self._patience -= 1
            self.close()
        end = place
        while end < min(len(self._files), place + _TOGETHER) and _plain(self._files[end]):
            end += 1
        if end - place < LEAST_FILES:
            return
        import duckdb

        self._stream = Decimals(duckdb, self._files[place:end], columns, self._batch_rows)
        self._next, self._end, self._columns = place, end, columns

    def close(self) -> None:
        """Let the files go."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None


def _plain(file: SourceFile) -> bool:
    """Whether the second decoder can be told of a file: whole, at hand, its path no pattern."""
    return file.remote is None and file.groups is None and not _GLOB & set(str(file.path))


def _quoted(name: str) -> str:
    return name.replace('"', '""')


def open_decimals(
    file: SourceFile, schema: pa.Schema, names: list[str], rows: int, batch_rows: int
) -> tuple[Decimals | None, list[str]]:
    """The second decoder for a file of `rows` rows, or None; and the columns of `names` left for Arrow to read."""
    columns = readable(schema, names)
    if not columns or not _plain(file) or rows < LEAST_ROWS or len(columns) == len(names):
        return None, names
    try:
        import duckdb
    except ImportError:
        return None, names
    return Decimals(duckdb, [file], columns, batch_rows), [name for name in names if name not in columns]
