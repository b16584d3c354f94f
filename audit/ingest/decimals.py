"""Decimal columns of large Parquet files, read as whole numbers of their smallest unit by a second decoder.

Arrow turns each stored decimal into 128 bits, which costs more than all the rest of reading wagers. DuckDB reads the
same pages as 64-bit integers in a quarter of the time. The values are the same and exact; where DuckDB cannot help
(other types, stores, parts of a file, small files, not installed) Arrow reads alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from audit.ingest.ahead import Ahead

if TYPE_CHECKING:
    from audit.ingest.files import SourceFile

LEAST_ROWS: Final = 500_000
"""Rows of a file from which the second decoder earns what its start costs."""

LEAST_FILES: Final = 64
"""Small files in a row from which it does."""

_TOGETHER: Final = 256
_PATIENCE: Final = 8
_LEAST: Final = 10
_MOST: Final = 18
"""Digits of the decimals that the second decoder keeps in 64 bits; fewer are widened first."""

_GLOB: Final = frozenset("*?[]{}")
_SETTINGS: Final = (
    "threads = 1",  # the rows come in their order, and the other columns are decoded beside them
    "arrow_output_version = '1.5'",  # decimals in 64 bits, as it has them
    "preserve_insertion_order = true",
    "memory_limit = '128MB'",
    "enable_progress_bar = false",  # which would be drawn on the standard output of whoever runs us
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
        fits = pa.types.is_decimal128(kind) and kind.precision <= _MOST and 0 <= kind.scale <= kind.precision
        if fits and folded.count(name.lower()) == 1:
            found[name] = pa.decimal64(kind.precision, kind.scale)
    return found


class InStep:
    """The columns of some batches, any number of rows at a time."""

    def __init__(self, batches: Iterator[pa.RecordBatch]) -> None:
        self._batches = batches
        self._held: list[pa.RecordBatch] = []

    def _parts(self, rows: int) -> Iterator[pa.RecordBatch]:
        while rows:
            head = self._held.pop() if self._held else next(self._batches, None)
            if head is None:
                raise pa.ArrowInvalid("one column has fewer rows than another")
            if head.num_rows > rows:
                self._held.append(head.slice(rows))
            yield head.slice(0, rows)
            rows -= min(rows, head.num_rows)

    def skip(self, rows: int) -> None:
        """Pass over so many rows."""
        for _ in self._parts(rows):
            continue

    def take(self, rows: int) -> dict[str, pa.Array]:
        """The columns of the next `rows` rows, without copying where one batch has them; ArrowInvalid if it ends."""
        parts = list(self._parts(rows))
        names = parts[0].schema.names if parts else ()
        columns = [[part.column(place) for part in parts] for place in range(len(names))]
        return {n: c[0] if len(c) == 1 else pa.concat_arrays(c) for n, c in zip(names, columns, strict=True)}


class Decimals:
    """The decimal columns of some files, one after the other, taken in step with their other columns.

    Raises ArrowInvalid where it cannot go on, whatever the reason: the file is then for Arrow to read, and to judge.
    """

    def __init__(
        self, library: Any, files: Sequence[SourceFile], columns: Mapping[str, pa.DataType], rows: int
    ) -> None:
        self._columns = columns
        self._error: type[Exception] = library.Error
        self._connection = library.connect()
        listed = ", ".join(_term(name, kind) for name, kind in columns.items())
        query = f"select {listed} from read_parquet($files, hive_partitioning = false)"  # noqa: S608 - names are quoted
        try:
            for setting in _SETTINGS:
                self._connection.execute(f"set {setting}")
            relation = self._connection.sql(query, params={"files": [str(file.path) for file in files]})
            self._batches = Ahead(iter(relation.to_arrow_reader(rows)), 2, give_way=True)
        except self._error as error:
            raise pa.ArrowInvalid(str(error)) from error
        self._rows = InStep(self._batches)

    def take(self, rows: int) -> dict[str, pa.Array]:
        """The columns of the next `rows` rows."""
        try:
            columns = self._rows.take(rows)
        except (self._error, OSError) as error:
            raise pa.ArrowInvalid(str(error)) from error
        pairs = zip(self._columns.items(), columns.values(), strict=True)
        return {name: column.view(kind) for (name, kind), column in pairs}

    def close(self) -> None:
        """Let the files go."""
        self._batches.close()  # which waits for what is being read
        self._connection.close()


class WithArrow:
    """The decimal columns of a file by the second decoder, and by Arrow from where that cannot go on.

    `by_arrow` reads the same columns from the first row on. What is wrong with a file is for Arrow to say.
    """

    def __init__(self, decimals: Decimals, by_arrow: Callable[[], Iterator[pa.RecordBatch]]) -> None:
        self._source: Decimals | InStep = decimals
        self._by_arrow = by_arrow
        self._taken = 0

    def take(self, rows: int) -> dict[str, pa.Array]:
        """The columns of the next `rows` rows."""
        try:
            found = self._source.take(rows)
        except pa.ArrowInvalid:
            if isinstance(self._source, InStep):
                raise
            self._source = InStep(self._by_arrow())
            self._source.skip(self._taken)
            found = self._source.take(rows)
        self._taken += rows
        return found


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


def _term(name: str, kind: pa.DataType) -> str:
    quoted = '"' + name.replace('"', '""') + '"'
    return quoted if kind.precision >= _LEAST else f"{quoted}::decimal({_MOST}, {kind.scale})"


def open_decimals(
    file: SourceFile, schema: pa.Schema, names: list[str], rows: int, batch_rows: int
) -> tuple[Decimals | None, list[str]]:
    """The second decoder for a file of `rows` rows, or None; and the columns of `names` left for Arrow to read."""
    columns = readable(schema, names)
    if not columns or not _plain(file) or rows < LEAST_ROWS or len(columns) == len(names):
        return None, names
    try:
        import duckdb

        decimals = Decimals(duckdb, [file], columns, batch_rows)
    except (ImportError, pa.ArrowInvalid):
        return None, names
    return decimals, [name for name in names if name not in columns]
