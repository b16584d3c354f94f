"""Columns of Arrow tables as arrays: text by bytes, words as codes, missing values as numbers that stand for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy import typing as npt
from numpy.typing import NDArray

Array = NDArray[Any]
Mask = NDArray[np.bool_]

NEVER: Final = np.iinfo(np.int64).min
"""Stands for a missing instant."""

UNRECORDED: Final = -1
"""Stands for a word, a code or a number that the log does not record."""


def as_mask(flags: pa.Array) -> Mask:
    """A Boolean Arrow column as a numpy mask, null read as false."""
    mask: Mask = pc.fill_null(flags, fill_value=False).to_numpy(zero_copy_only=False)
    return mask


def text_bytes(values: pa.StringArray) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """The bytes of a text column and the offsets of its rows in them (one more than rows, starting at 0)."""
    _, offsets_buffer, data_buffer = values.buffers()
    if len(values) == 0 or offsets_buffer is None:
        return np.empty(0, np.uint8), np.zeros(1, np.int32)
    offsets = np.frombuffer(offsets_buffer, np.int32)[values.offset : values.offset + len(values) + 1]
    if data_buffer is None:
        return np.empty(0, np.uint8), offsets - offsets[0]
    return np.frombuffer(data_buffer, np.uint8)[offsets[0] : offsets[-1]], offsets - offsets[0]


def _is_text(kind: pa.DataType) -> bool:
    """Text proper, or bytes, as which some writers store text; bytes that are not UTF-8 refuse the file later."""
    text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    return bool(text or pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_binary_view(kind))


def is_textual(kind: pa.DataType) -> bool:
    """Whether a type is text, encoded as a dictionary or not, or has nothing but nulls."""
    if pa.types.is_dictionary(kind):
        return _is_text(kind.value_type)
    return _is_text(kind) or bool(pa.types.is_null(kind))


class Words:
    """Text kept once, referred to by code."""

    def __init__(self) -> None:
        self._codes: dict[Any, int] = {}
        self.texts: list[Any] = []

    def code(self, word: Any) -> int:
        """The code of a word, a new one where it is new."""
        code = self._codes.setdefault(word, len(self.texts))
        if code == len(self.texts):
            self.texts.append(word)
        return code

    def find(self, word: Any) -> int:
        """The code of a word, UNRECORDED where it has none."""
        return self._codes.get(word, UNRECORDED)

    def encode(self, column: pa.Array) -> npt.NDArray[np.int32]:
        """Codes of a dictionary-encoded column, UNRECORDED where it is null."""
        if column.null_count == len(column):
            return np.full(len(column), UNRECORDED, np.int32)
        values, known = column.dictionary.to_pylist(), self._codes
        for word in values:
            if word is not None and word not in known:
                self.code(word)
        codes = [UNRECORDED if word is None else known[word] for word in values]
        look_up = np.array([*codes, UNRECORDED], np.int32)
        return np.asarray(look_up.take(numbers(column.indices, missing=len(values))), np.int32)

    def encode_pairs(self, first: Array, second: Array) -> npt.NDArray[np.int32]:
        """Codes of pairs of codes; runs of equal pairs (the usual order of a log) are looked up once."""
        if not len(first):
            return np.zeros(0, np.int32)
        key = (first.astype(np.int64) + 1) << 32 | (second.astype(np.int64) + 1)
        heads = np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1]]))
        distinct, back = np.unique(key[heads], return_inverse=True)
        codes = np.array([self.code(((k >> 32) - 1, (k & 0xFFFFFFFF) - 1)) for k in distinct.tolist()], np.int32)
        return np.repeat(codes[back], np.diff(np.concatenate([heads, [len(key)]])))

    def __getitem__(self, code: int) -> Any:
        return None if code == UNRECORDED else self.texts[code]


def closed_set(column: pa.Array, words: Sequence[str], other: int = UNRECORDED) -> npt.NDArray[np.int8]:
    """Codes of a dictionary-encoded column whose words are a closed set; `other` for a word outside it."""
    values = column.dictionary.to_pylist()
    known = {word: code for code, word in enumerate(words)}
    look_up = np.array([UNRECORDED if v is None else known.get(v, other) for v in values] + [UNRECORDED], np.int8)
    return np.asarray(look_up.take(numbers(column.indices, missing=len(values))), np.int8)


def numbers(column: pa.Array, kind: Any = None, missing: int = UNRECORDED) -> Array:
    """An integer or bool column as an array (of `kind`, if given), `missing` for null; shared where it can be."""
    if column.null_count == len(column):
        return np.full(len(column), missing, kind or np.int64)
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    whole = column.fill_null(missing) if column.null_count else column
    return np.asarray(whole.to_numpy(zero_copy_only=False), kind)


def instants(column: pa.Array) -> npt.NDArray[np.int64]:
    """A timestamp column as microseconds, NEVER for null."""
    return np.asarray(numbers(column.cast(pa.int64()), missing=NEVER), np.int64)


def regrouped(batches: Iterable[pa.RecordBatch], rows: int) -> Iterator[pa.RecordBatch]:
    """The same rows in batches of exactly so many, but for the last."""
    waiting: list[pa.RecordBatch] = []
    held = 0
    for batch in batches:
        at = 0
        while held + batch.num_rows - at >= rows:
            waiting.append(batch.slice(at, rows - held))
            at, held = at + waiting[-1].num_rows, 0
            yield joined(waiting)
        if at < batch.num_rows:
            waiting.append(batch.slice(at))
            held += batch.num_rows - at
    if waiting:
        yield joined(waiting)


def joined(waiting: list[pa.RecordBatch]) -> pa.RecordBatch:
    """The batches as one; the list is empty afterwards, so that nothing holds on to them."""
    whole = waiting[0] if len(waiting) == 1 else pa.concat_batches(waiting)
    waiting.clear()
    return whole
