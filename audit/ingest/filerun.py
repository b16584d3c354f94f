"""Many small Parquet files in a row, decoded in one stream instead of each by itself.

What a file costs beside its rows is then the decoder's opening of it and no call for each of its columns. Columns of
few different words, as bets and seats are, come as their places in a list of words that some of the files were found
to have: the decoder looks each word of a file's dictionary up once, where text would be copied and encoded row by row.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate, takewhile
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from audit.ingest import decoder
from audit.ingest.decoder import InStep, Types

if TYPE_CHECKING:
    from audit.ingest.files import SourceFile

_TOGETHER: Final = 256
"""Files that the decoder is told of at once; it keeps something of each of them."""

_FEW: Final = 32
"""Words of a column up to which their places are asked for."""

_NUMBER: Final = "file_row_number"
"""By this name the decoder gives the number of a row in its file, from 0."""

Columns = Mapping[str, pa.Array]


@dataclass(frozen=True)
class Plan:
    """How files of one schema are read: their own columns `wanted`, those of them that come as dictionaries.

    `schema` is the one they are read with; `given` the names of columns that their folders give, among the `keys`;
    `plain` those not to come as dictionaries.
    """

    schema: pa.Schema
    wanted: tuple[str, ...]
    dictionaries: tuple[str, ...]
    plain: frozenset[str]
    given: tuple[str, ...]
    keys: tuple[str, ...]

    def streamed(self) -> Types | None:
        """The types in which the second decoder gives all that is wanted; None where it cannot."""
        types = {name: self.schema.field(name).type for name in self.wanted}
        plain = {name: kind.value_type if name in self.dictionaries else kind for name, kind in types.items()}
        found = decoder.columns_of(pa.schema([(n, plain.get(n, pa.null())) for n in self.schema.names]), self.wanted)
        return found if len(found) == len(self.wanted) else None


@dataclass(frozen=True)
class Piece:
    """Consecutive files, from the place `first` to before `past` among all, and their rows one after the other.

    `sizes` says how many each has, `rows` the plan and how to get its columns. Without `rows` the files are left to be
    read one by one.
    """

    first: int
    past: int
    sizes: Sequence[int] = ()
    rows: tuple[Plan, Callable[[], Columns]] | None = None


class _NewWordError(Exception):
    """The column of this name has a word that was not among those known of it."""


@dataclass(frozen=True)
class _Asked:
    """What is asked for of files of one plan: the `types` of its columns, and the `words` of those of few words."""

    plan: Plan
    types: Types
    words: Mapping[str, Sequence[str]]

    def terms(self) -> str:
        """The list of a query."""
        return ", ".join([*(self._term(name) for name in self.plan.wanted), _NUMBER])

    def _term(self, name: str) -> str:
        if name not in self.words:
            return decoder.term(name, self.types[name])
        return f"list_position($words{list(self.words).index(name)}::varchar[], {decoder.quoted(name)})"

    def parameters(self) -> dict[str, list[str | None]]:
        """The lists of words for the query; a cell without text is looked for as well."""
        return {f"words{place}": [*words, None] for place, words in enumerate(self.words.values())}

    def check(self, columns: Columns) -> None:
        """Raise _NewWordError where a word was not found."""
        for name in self.words:
            if columns[name].null_count:
                raise _NewWordError(name)

    def decoded(self, columns: Columns) -> Columns:
        """The columns in the types of the plan, from those that were asked for."""
        return {name: self._decoded(name, column) for name, column in columns.items()}

    def _decoded(self, name: str, column: pa.Array) -> pa.Array:
        if name in self.words:
            words = self.words[name]
            places = column.to_numpy() - np.int32(1)
            none = places == len(words)
            indices = pa.array(places, mask=none if none.any() else None)
            return pa.DictionaryArray.from_arrays(indices, pa.array(words, pa.string()))
        if name in self.plan.dictionaries:
            return column.dictionary_encode()
        return decoder.typed(column, self.types[name])


class FileRun:
    """The rows of some files, in pieces of up to `rows` rows of whole files, each of which has up to `most` rows.

    `planned` makes the plan for a file, or None where it has to be read by itself.
    """

    def __init__(
        self, files: Sequence[SourceFile], planned: Callable[[SourceFile], Plan | None], rows: int, most: int
    ) -> None:
        self._files = files
        self._planned = planned
        self._rows = rows
        self._most = most
        self._asked: _Asked | None = None

    def pieces(self) -> Generator[Piece, None, None]:
        """Pieces that together are all the files, in their order."""
        place = 0
        with suppress(decoder.NoDecoderError), closing(decoder.connected()) as connection:
            while place < len(self._files):
                past = self._past(place)
                for piece in self._group(connection, place, past):
                    yield piece
                    place = piece.past
                if place < past:
                    yield Piece(place, past)
                    place = past
        if place < len(self._files):
            yield Piece(place, len(self._files))

    def _past(self, first: int) -> int:
        """The end of the files that the decoder can be told of at once, or cannot be told of."""
        group = self._files[first : first + _TOGETHER]
        kinds = [(decoder.can_open(file), tuple(file.partition)) for file in group]
        return first + sum(1 for _ in takewhile(lambda kind: kind == kinds[0], kinds))

    def _group(self, connection: Any, first: int, past: int) -> Iterator[Piece]:
        """The pieces of some files as far as the decoder can read them: what it cannot is for Arrow to judge."""
        files = self._files[first:past]
        plan = self._planned(files[0]) if decoder.can_open(files[0]) else None
        types = None if plan is None else plan.streamed()
        if plan is None or types is None:
            return
        with suppress(*decoder.failures()):
            reading = _Group(connection, [str(file.path) for file in files])
            sizes = reading.sizes()
            if sizes is None or max(sizes) > self._most:
                return
            for file in files:
                file.whole()  # which makes its digest known, and what is read next be at hand
            if self._asked is None or self._asked.plan != plan:
                self._asked = _Asked(plan, types, reading.words(plan.dictionaries))
            yield from self._pieces(reading, first, sizes)

    def _pieces(self, reading: _Group, first: int, sizes: Sequence[int]) -> Iterator[Piece]:
        done = 0
        while (asked := self._asked) is not None:
            try:
                for end, columns in reading.columns(asked, sizes, done, self._rows):
                    yield Piece(
                        first + done, first + end, sizes[done:end], (asked.plan, partial(asked.decoded, columns))
                    )
                    done = end
            except _NewWordError as new:  # the column comes as text from here on
                self._asked = replace(asked, words={n: w for n, w in asked.words.items() if n != str(new)})
            else:
                return


class _Group:
    """Some files of which the decoder is told at once, by their paths."""

    def __init__(self, connection: Any, paths: Sequence[str]) -> None:
        self._connection = connection
        self._paths = paths

    def sizes(self) -> list[int] | None:
        """The rows of each file; None where not all have the schema of the first, as Parquet itself knows schemas."""
        alike = "select count(*) from (select distinct * exclude (file_name) from parquet_schema($files))"
        counts = {self._answer(alike, files)[0][0] for files in (self._paths, self._paths[:1])}
        if len(counts) > 1:
            return None
        rows = dict(self._answer("select file_name, num_rows from parquet_file_metadata($files)", self._paths))
        return [rows[path] for path in self._paths]

    def words(self, names: Sequence[str]) -> dict[str, list[str]]:
        """The words of the columns that have few of them: a third file, far from two others, brings none."""
        if not names:
            return {}
        listed = ", ".join(f"list(distinct {decoder.quoted(name)})" for name in names)
        query = f"select {listed} from read_parquet($files, hive_partitioning = false)"  # noqa: S608 - names are quoted
        middle = len(self._paths) // 2
        two, third = (
            [set(words or ()) - {None} for words in self._answer(query, files)[0]]
            for files in ([self._paths[0], self._paths[middle]], self._paths[-1:])
        )
        return {n: sorted(a) for n, a, b in zip(names, two, third, strict=True) if b <= a and 0 < len(a) <= _FEW}

    def columns(self, asked: _Asked, sizes: Sequence[int], done: int, rows: int) -> Iterator[tuple[int, Columns]]:
        """The columns of the files after the first `done`, each time of those before the place that comes with them.

        A piece is of the files that are whole in one batch, or of one that is not: so that hardly a row is copied.
        """
        query = f"select {asked.terms()} from read_parquet($files, hive_partitioning = false)"  # noqa: S608 - names are quoted
        parameters = asked.parameters() | {"files": self._paths[done:]}
        batch_rows = sum(sizes[done : done + _fitting(sizes[done:], rows)])
        batches = InStep(self._connection.sql(query, params=parameters).to_arrow_reader(max(batch_rows, 1)))
        while done < len(sizes):
            past = done + _fitting(sizes[done:], batches.ready())
            here = sizes[done:past]
            if not any(here):  # the files at the end have none
                return
            taken = batches.take(sum(here))
            _check_numbers(taken.pop(_NUMBER).to_numpy(), here)
            columns = dict(zip(asked.plan.wanted, taken.values(), strict=True))
            asked.check(columns)
            yield past, columns
            done = past

    def _answer(self, query: str, files: Sequence[str]) -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = self._connection.execute(query, {"files": list(files)}).fetchall()
        return rows


def _fitting(sizes: Sequence[int], rows: int) -> int:
    """How many files, at least one, have together up to so many rows."""
    return max(sum(1 for _ in takewhile(lambda total: total <= rows, accumulate(sizes))), 1)


def _check_numbers(numbers: NDArray[np.int64], sizes: Sequence[int]) -> None:
    """Refuse rows that are not those of files of these sizes, numbered from 0 in each."""
    if not np.array_equal(numbers, np.concatenate([np.arange(size) for size in sizes])):
        raise pa.ArrowInvalid("files have not as many rows as they say")
