"""Decimal columns of large Parquet files, read as whole numbers of their smallest unit by the second decoder.

Arrow's way with decimals costs more than all the rest of reading wagers. Where the second decoder cannot help (other
types, stores, parts of a file, small files, not installed) Arrow reads alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from audit.base.read_ahead import ReadAhead
from audit.formats.second_decoder import decoder
from audit.formats.second_decoder.decoder import Types

if TYPE_CHECKING:
    from audit.stores.files import SourceFile

LEAST_ROWS: Final = 500_000
"""Rows of a file from which the second decoder earns what its start costs."""


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
    """The decimal columns of a file, taken in step with its other columns.

    Raises ArrowInvalid where it cannot go on, whatever the reason: the file is then for Arrow to read, and to judge.
    """

    def __init__(self, file: SourceFile, columns: Types, rows: int) -> None:
        """Begin with the first batch, of up to so many `rows`; NoDecoderError where there is no decoder."""
        self._columns = columns
        self._connection = decoder.connected()
        self._failures = decoder.failures()
        query = decoder.query(decoder.term(name, kind) for name, kind in columns.items())
        try:
            relation = self._connection.sql(query, params={"files": [str(file.path)]})
            self._batches = ReadAhead(iter(relation.to_arrow_reader(rows)), 2, give_way=True)
        except self._failures as error:
            self._connection.close()
            raise pa.ArrowInvalid(str(error)) from error
        self._rows = InStep(self._batches)

    def take(self, rows: int) -> dict[str, pa.Array]:
        """The columns of the next `rows` rows."""
        try:
            columns = self._rows.take(rows)
        except self._failures as error:
            raise pa.ArrowInvalid(str(error)) from error
        pairs = zip(self._columns.items(), columns.values(), strict=True)
        return {name: decoder.typed(column, kind) for (name, kind), column in pairs}

    def close(self) -> None:
        """Let the file go."""
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


def open_decimals(
    file: SourceFile, schema: pa.Schema, names: list[str], rows: int, batch_rows: int
) -> tuple[Decimals | None, list[str]]:
    """The second decoder for a file of `rows` rows, or None; and the columns of `names` left for Arrow to read."""
    columns = decoder.decimals_of(schema, names)
    if not columns or not decoder.can_open(file) or rows < LEAST_ROWS or len(columns) == len(names):
        return None, names
    try:
        decimals = Decimals(file, columns, batch_rows)
    except (decoder.NoDecoderError, pa.ArrowInvalid):
        return None, names
    return decimals, [name for name in names if name not in columns]
