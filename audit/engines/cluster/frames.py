"""Rows as they travel: frames of plain columns that the engine merges, bundles that it shuffles, typed batches again.

Columns with few distinct texts travel as one: each combination of their texts is written out once as JSON, since the
engine moves plain text and not dictionaries. What is to be shuffled goes in bundles, one for each partition that rows
go to, so that the engine moves some thousands of bundles and not every row by itself.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from audit.base.canonical import CARD_COLUMNS, DICTIONARY, TABLES
from audit.replay.order import order_of
from audit.source.file_reading import Batch

BUCKET: Final = "bucket"
"""The column by which rows come together: a number made of the name of their table."""

KEY: Final = "key"
"""The column of bundles by which they are shuffled."""

_BUNDLE: Final = "rows"
_WORDS: Final = "words"
_FILE: Final = "file"
_ROW: Final = "source_row"
_BATCH: Final = 131_072
_RUN: Final = 256
"""Rows that follow one another, on average, from which on they are copied run by run."""

_ALONE: Final = frozenset({*CARD_COLUMNS, "deal_sequence"})
"""Columns of few texts that have too many combinations with the others."""


def _together(role: str) -> list[str]:
    schema = TABLES[role].schema
    return [field.name for field in schema if field.type == DICTIONARY and field.name not in _ALONE]


def schema_of(role: str) -> pa.Schema:
    """The columns of a role as they travel."""
    together = set(_together(role))
    fields = [(f.name, pa.string() if f.type == DICTIONARY else f.type) for f in TABLES[role].schema]
    plain = [(name, kind) for name, kind in fields if name not in together]
    own = [(_WORDS, pa.string()), (_FILE, pa.int32()), (_ROW, pa.int64())]
    return pa.schema([*plain, *own, *([(BUCKET, pa.int64())] if role == "rounds" else [])])


def table_of(role: str, batches: Iterable[Batch]) -> pa.Table:
    """The rows as a table of plain columns."""
    return pa.Table.from_batches([_plain(role, batch) for batch in batches], schema_of(role))


def _plain(role: str, batch: Batch) -> pa.RecordBatch:
    rows, schema = batch.rows, schema_of(role)
    own: dict[str, pa.Array] = {
        _WORDS: _combined([rows[name] for name in _together(role)]),
        _FILE: pa.array(np.full(len(batch), batch.file_index, np.int32)),
        _ROW: pa.array(batch.source_row),
    }
    if role == "rounds":
        own[BUCKET] = _buckets(rows["table_id"])
    columns = [own[f.name] if f.name in own else rows[f.name].cast(f.type) for f in schema]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _buckets(tables: pa.DictionaryArray) -> pa.Array:
    names = [0 if name is None else zlib.crc32(name.encode()) for name in tables.dictionary.to_pylist()]
    return pc.take(pa.array(names, pa.int64()), tables.indices).fill_null(0)


def _combined(columns: Sequence[pa.DictionaryArray]) -> pa.StringArray:
    """For each row the texts of all columns, as one JSON list."""
    rows = len(columns[0])
    code, sizes, size_of_all = np.zeros(rows, np.int64), list[int](), 1
    for column in columns:
        size = len(column.dictionary) + 1
        indices = column.indices.fill_null(size - 1) if column.null_count else column.indices
        size_of_all *= size
        if size_of_all >= 1 << 62:
            raise OverflowError("too many combinations of words")
        code = code * size + indices.to_numpy(zero_copy_only=False)
        sizes.append(size)
    distinct, back = _distinct(code, size_of_all)
    known = [[*column.dictionary.to_pylist(), None] for column in columns]
    texts = []
    for number in distinct.tolist():
        words, rest = [], number
        for size, texts_of in zip(reversed(sizes), reversed(known), strict=True):
            rest, place = divmod(rest, size)
            words.append(texts_of[place])
        texts.append(json.dumps(words[::-1], ensure_ascii=False))
    return pc.take(pa.array(texts, pa.string()), pa.array(back))


def _distinct(code: npt.NDArray[np.int64], size: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The distinct codes, ascending, and each row's place among them; without sorting where there are few."""
    if size > 4 * len(code) + 65_536:
        distinct, back = np.unique(code, return_inverse=True)
        return distinct, back
    used = np.zeros(size, np.bool_)
    used[code] = True
    return np.flatnonzero(used), (np.cumsum(used) - 1)[code]


def to_pandas(table: pa.Table) -> Any:
    """A table of plain columns as a frame of pandas on Arrow's memory."""
    import pandas as pd

    text = pd.StringDtype("pyarrow")
    return table.to_pandas(types_mapper=lambda kind: text if pa.types.is_string(kind) else pd.ArrowDtype(kind))


def numbers_frame(name: str, numbers: npt.NDArray[Any]) -> Any:
    """A frame of one column of numbers."""
    import pandas as pd

    return pd.DataFrame({name: numbers})


def bundled(table: pa.Table, keys: Sequence[int]) -> Any:
    """The rows as a frame of bundles, at most one for each of `keys`, which stand for the partitions.

    Rows go by their bucket; those without one, which belong nowhere, are spread.
    """
    import pandas as pd

    buckets = table[BUCKET]
    spread = np.arange(len(table), dtype=np.int64)
    part = (np.where(buckets.is_null(), spread, buckets.fill_null(0)) % len(keys)).astype(np.int64)
    bundles = {number: _written(rows) for number, rows in _parts(table.drop_columns([BUCKET]), part)}
    rows = pd.Series(list(bundles.values()), dtype=pd.ArrowDtype(pa.large_binary()))
    return pd.DataFrame({KEY: np.array([keys[number] for number in bundles], np.int64), _BUNDLE: rows})


def _parts(table: pa.Table, part: npt.NDArray[np.int64]) -> Iterator[tuple[int, pa.Table]]:
    """The rows of each part, in their order; where the rows of a table follow one another, none is moved by itself."""
    if not len(part):
        return
    heads = np.concatenate([[0], np.flatnonzero(part[1:] != part[:-1]) + 1, [len(part)]])
    if len(heads) * _RUN < len(part):
        runs: dict[int, list[pa.Table]] = {}
        for start, end in pairwise(heads.tolist()):
            runs.setdefault(int(part[start]), []).append(table.slice(start, end - start))
        yield from ((number, pa.concat_tables(runs[number]).combine_chunks()) for number in sorted(runs))
        return
    order = np.argsort(part, kind="stable")
    numbers, starts = np.unique(part[order], return_index=True)
    table = table.combine_chunks().take(pa.array(order))
    for number, start, end in zip(numbers.tolist(), starts, [*starts[1:], len(part)], strict=True):
        yield number, table.slice(start, end - start)


def _written(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression="lz4")) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue().to_pybytes())


def batches_of(role: str, bundles: Any, files: Sequence[str]) -> Iterator[Batch]:
    """The rows of bundles in the order of reading, as typed batches; `files` are the names of the role's files."""
    if not len(bundles):
        return
    parts = []
    for bundle in pa.array(bundles[_BUNDLE], pa.large_binary()):
        with pa.ipc.open_stream(bundle.as_buffer()) as reader:
            parts.append(reader.read_all())
    table = pa.concat_tables(parts).combine_chunks()
    file, row = (table[name].to_numpy().astype(np.int64) for name in (_FILE, _ROW))
    order = order_of(file, row)
    moved = bool((order[1:] < order[:-1]).any())
    file = file[order]
    ends = [*np.flatnonzero(file[1:] != file[:-1]) + 1, len(file)] if len(file) else []
    start = 0
    for end in ends:
        for at in range(start, int(end), _BATCH):
            places = order[at : min(at + _BATCH, int(end))]
            chosen = table.take(pa.array(places)) if moved else table.slice(at, len(places))
            rows = _typed(role, chosen)
            yield Batch(rows, files[file[at]], int(file[at]), row[places])
        start = int(end)


def _typed(role: str, table: pa.Table) -> pa.RecordBatch:
    schema, together = TABLES[role].schema, _together(role)
    words = _parted(_one(table[_WORDS]), len(together))
    columns = []
    for field in schema:
        if field.name in together:
            columns.append(words[together.index(field.name)])
        elif field.type == DICTIONARY:
            columns.append(_one(table[field.name]).cast(pa.string()).dictionary_encode())
        else:
            columns.append(_one(table[field.name]).cast(field.type))
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _one(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _parted(combined: pa.Array, columns: int) -> list[pa.DictionaryArray]:
    """The columns again out of their combinations."""
    encoded = combined.cast(pa.string()).dictionary_encode()
    lists = [json.loads(text) for text in encoded.dictionary.to_pylist()]
    parted = []
    for number in range(columns):
        texts: dict[str, int] = {}
        codes = [None if each[number] is None else texts.setdefault(each[number], len(texts)) for each in lists]
        indices = pc.take(pa.array(codes, pa.int32()), encoded.indices)
        parted.append(pa.DictionaryArray.from_arrays(indices, pa.array(list(texts), pa.string())))
    return parted
