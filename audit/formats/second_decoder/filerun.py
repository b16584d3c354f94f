"""Many small Parquet files in a row, decoded in one stream instead of each by itself.

What a file costs beside its rows is then the decoder's opening of it and no call for each of its columns. Columns of
few different words, as bets and seats are, come as their places in a list of words that some of the files were found
to have: the decoder looks each word of a file's dictionary up once, where text would be copied and encoded row by row.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, takewhile, tee
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from audit.formats.second_decoder import decoder
from audit.formats.second_decoder.decoder import Types

if TYPE_CHECKING:
    from audit.stores.files import SourceFile

_TOGETHER: Final = 256
"""Files that the decoder is told of at once; it keeps something of each of them."""

_FEW: Final = 32
"""Words of a column up to which their places are asked for."""

_OWN: Final = ("file_index", "file_row_number")
"""What the decoder tells of each row: its file's place among the files, and its number there, both from 0.

A file with such a column of its own would be believed instead.
"""

Columns = Mapping[str, pa.Array]


@dataclass(frozen=True)
class Plan:
    """How files of one schema are read: their own columns `wanted`, those of them that come as dictionaries.

    `schema` is the one they are read with; `given` the names of columns that their folders give, among the `keys`;
    `plain` those not to come as dictionaries. `footer` is that of the file that the plan was made for.
    """

    schema: pa.Schema
    wanted: tuple[str, ...]
    dictionaries: tuple[str, ...]
    plain: frozenset[str]
    given: tuple[str, ...]
    keys: tuple[str, ...]
    footer: pq.FileMetaData = field(compare=False, repr=False)

    def streamed(self) -> Types | None:
        """The types in which the second decoder gives all that is wanted; None where it cannot."""
        if any(name.lower() in _OWN for name in self.schema.names):
            return None
        plain = pa.schema([(field.name, self._stored(field)) for field in self.schema])
        found = decoder.columns_of(plain, self.wanted)
        return found if len(found) == len(self.wanted) else None

    def _stored(self, field: pa.Field) -> pa.DataType:
        """The type of a column without the dictionary that it is made."""
        made = field.name in self.dictionaries and pa.types.is_dictionary(field.type)
        return field.type.value_type if made else field.type


@dataclass(frozen=True)
class FileStretch:
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

    def query(self) -> str:
        """What is asked for, with the place and the number of each row."""
        return decoder.query([*map(self._term, self.plan.wanted), *_OWN])

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
    """The rows of some files, in pieces of up to `rows` rows of whole files.

    `planned` makes the plan for a file, or None where it has to be read by itself.
    """

    def __init__(self, files: Sequence[SourceFile], planned: Callable[[SourceFile], Plan | None], rows: int) -> None:
        self._files = files
        self._planned = planned
        self._rows = rows
        self._asked: _Asked | None = None

    def pieces(self) -> Generator[FileStretch, None, None]:
        """Pieces that together are all the files, in their order."""
        place = 0
        with suppress(decoder.NoDecoderError), closing(decoder.connected()) as connection:
            while place < len(self._files):
                past = self._past(place)
                for piece in self._group(connection, place, past):
                    yield piece
                    place = piece.past
                if place < past:
                    yield FileStretch(place, past)
                    place = past
        if place < len(self._files):
            yield FileStretch(place, len(self._files))

    def _past(self, first: int) -> int:
        """The end of the files that the decoder can be told of at once, or cannot be told of."""
        group = self._files[first : first + _TOGETHER]
        kinds = [(decoder.can_open(file), tuple(file.partition)) for file in group]
        return first + sum(1 for _ in takewhile(lambda kind: kind == kinds[0], kinds))

    def _group(self, connection: Any, first: int, past: int) -> Iterator[FileStretch]:
        """The pieces of some files as far as the decoder can read them: what it cannot is for Arrow to judge."""
        files = self._files[first:past]
        plan = self._planned(files[0]) if decoder.can_open(files[0]) else None
        types = None if plan is None else plan.streamed()
        if plan is None or types is None:
            return
        with suppress(*decoder.failures()):
            if not _alike(plan.footer, files[1:]):
                return
            group = _FileGroup(connection, [str(file.path) for file in files])
            if self._asked is None or self._asked.plan != plan:
                self._asked = _Asked(plan, types, group.words(plan.dictionaries))
            yield from self._pieces(group, first)

    def _pieces(self, group: _FileGroup, first: int) -> Iterator[FileStretch]:
        done = 0
        while (asked := self._asked) is not None:
            try:
                for whole in group.whole_files(asked, done, self._rows):
                    past = done + len(whole.sizes)
                    sound = all(map(_sound, self._files[first + done : first + past], whole.sizes))
                    rows = (asked.plan, partial(asked.decoded, whole.columns)) if sound else None
                    yield FileStretch(first + done, first + past, whole.sizes, rows)
                    done = past
            except _NewWordError as new:  # the column comes as text for the rest of the call
                self._asked = replace(asked, words={n: w for n, w in asked.words.items() if n != str(new)})
            else:
                return


def _alike(first: pq.FileMetaData, others: Iterable[SourceFile]) -> bool:
    """Whether the others have the schema of the first file, in the file itself and as Arrow would read it.

    The former compares columns without the groups around them; the latter knows these, and the types that Arrow noted,
    which the decoder does not look at. Of what is there now the digest is known afterwards; `_sound` asks whether it is
    there still.
    """
    stored, read = first.schema, first.schema.to_arrow_schema()
    schemas = (pq.read_metadata(pa.BufferReader(file.whole())).schema for file in others)
    return all(schema.equals(stored) and schema.to_arrow_schema().equals(read) for schema in schemas)


def _sound(file: SourceFile, rows: int) -> bool:
    """Whether a file is the one that was looked at before, and one of which no row came has none."""
    return file.untouched() and (rows > 0 or int(pq.read_metadata(file.path).num_rows) == 0)


@dataclass(frozen=True)
class _Whole:
    """All the rows of some consecutive files, and how many each of them has."""

    sizes: list[int]
    columns: Columns


class _DecodedRows:
    """Some rows as the decoder gives them, with the places of their files (ascending, from 0) and their numbers."""

    def __init__(self, batch: pa.RecordBatch) -> None:
        self._batch = batch
        self.places, self.numbers = (column.to_numpy().view(np.int64) for column in batch.columns[-len(_OWN) :])

    def __len__(self) -> int:
        return len(self.places)

    @property
    def first(self) -> int:
        """The place of the first row's file."""
        return int(self.places[0])

    @property
    def last(self) -> int:
        """The place of the last row's file."""
        return int(self.places[-1])

    def start_of(self, place: int) -> int:
        """Where the rows of a file begin."""
        return int(self.places.searchsorted(place, "left"))

    def end_of(self, place: int) -> int:
        """Where they end."""
        return int(self.places.searchsorted(place, "right"))

    def cut(self, start: int, end: int) -> _DecodedRows:
        """The rows from one to before another."""
        return _DecodedRows(self._batch.slice(start, end - start))

    def columns(self) -> list[pa.Array]:
        """What was asked for of the files."""
        return list(self._batch.columns[: -len(_OWN)])


def _whole(asked: _Asked, rows: Sequence[_DecodedRows], first: int) -> _Whole:
    """Whole files, the first of them at the place `first`.

    Raises ArrowInvalid where a row is missing or not in its place, and _NewWordError as `check`.
    """
    places, numbers = (np.concatenate(each) for each in zip(*((r.places, r.numbers) for r in rows), strict=True))
    sizes = np.bincount(places - first)
    starts = np.cumsum(sizes) - sizes
    if (places[1:] < places[:-1]).any() or (numbers != np.arange(len(numbers)) - starts.repeat(sizes)).any():
        raise pa.ArrowInvalid("rows are missing, or in another order")
    pieces = zip(*(each.columns() for each in rows), strict=True)
    columns = [each[0] if len(each) == 1 else pa.concat_arrays(each) for each in pieces]
    found = dict(zip(asked.plan.wanted, columns, strict=True))
    asked.check(found)
    return _Whole(sizes.tolist(), found)


class _FileGroup:
    """Some files of which the decoder is told at once, by their paths."""

    def __init__(self, connection: Any, paths: Sequence[str]) -> None:
        self._connection = connection
        self._paths = paths

    def words(self, names: Sequence[str]) -> dict[str, list[str]]:
        """The words of the columns that have few of them: a third file, far from two others, brings none."""
        if not names:
            return {}
        query = decoder.query(f"list(distinct {decoder.quoted(name)})" for name in names)
        middle = len(self._paths) // 2
        two, third = (
            [set(words or ()) - {None} for words in self._answer(query, files)[0]]
            for files in ([self._paths[0], self._paths[middle]], self._paths[-1:])
        )
        return {n: sorted(a) for n, a, b in zip(names, two, third, strict=True) if b <= a and 0 < len(a) <= _FEW}

    def whole_files(self, asked: _Asked, done: int, rows: int) -> Iterator[_Whole]:
        """The files after the first `done`, up to the last of which a row comes; ArrowInvalid if one has over `rows`.

        They come as they are whole in one batch, or one by itself that is not: so that hardly a row is copied. That a
        file is whole is known when the next row is another's: what its footer says is not relied on.
        """
        paths = self._paths[done:]
        parameters = asked.parameters() | {"files": paths}
        reader = self._connection.sql(asked.query(), params=parameters).to_arrow_reader(
            self._batch_rows(paths[0], rows)
        )
        batches, next_ones = tee(_DecodedRows(batch) for batch in reader if batch.num_rows)
        next(next_ones, None)
        begun: list[_DecodedRows] = []  # what there is of a file that is not whole yet
        first = 0
        for batch, following in zip(batches, chain(next_ones, [None]), strict=False):
            goes_on = following is not None and following.first == batch.last
            start = batch.end_of(begun[0].last) if begun else 0
            end = batch.start_of(batch.last) if goes_on else len(batch)
            if begun:
                begun.append(batch.cut(0, start))
                if sum(map(len, begun)) > rows:
                    raise pa.ArrowInvalid("a file of many rows")
                if end < start:  # all of the batch, and more, is this file's
                    continue
                yield _whole(asked, begun, first)
                first = begun[0].last + 1
            if start < end:
                whole = batch.cut(start, end)
                yield _whole(asked, [whole], first)
                first = whole.last + 1
            begun = [batch.cut(end, len(batch))] if goes_on else []

    def _batch_rows(self, path: str, rows: int) -> int:
        """About so many rows, so that batches end with files where these are as long as the first."""
        size = int(self._answer("select num_rows from parquet_file_metadata($files)", [path])[0][0])
        return rows // size * size if 0 < size <= rows else rows

    def _answer(self, query: str, files: Sequence[str]) -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = self._connection.execute(query, {"files": list(files)}).fetchall()
        return rows
