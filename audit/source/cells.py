"""Cells as text, words, numbers and truth values: each converter works on a whole column at once.

A converter takes one column of one batch as the source has it and returns the typed column with the faults it found.
A fault marks rows by a mask; the rows are taken out later, so a typed value under a fault is never used. A column
whose *type* cannot carry what it should raises InputRefused: no row of it could be trusted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from audit.base.canonical import DICTIONARY
from audit.base.columns import Mask, as_mask, is_textual, text_bytes
from audit.base.errors import InputRefused

_FIRST_PRINTABLE: Final = 33
_LAST_PRINTABLE: Final = 126
_EXACT_IN_DOUBLE: Final = 2**53
_INTEGER: Final = r"^[+-]?0*[0-9]{1,18}$"


@dataclass(frozen=True, slots=True)
class SourceColumn:
    """Where a column comes from, for messages: file name and the column's name in the file."""

    file: str
    column: str

    def refuse(self, reason: str) -> InputRefused:
        """The exception that refuses the whole file because of this column."""
        return InputRefused(f"{self.file}: column {self.column} {reason}")


@dataclass(frozen=True, slots=True)
class CellFault:
    """Rows of one batch that cannot be read, with the key of the reason (reasons.yaml)."""

    reason: str
    mask: Mask


@dataclass(frozen=True, slots=True)
class Cells:
    """A typed column and what was wrong in it."""

    values: pa.Array
    faults: tuple[CellFault, ...] = ()


def fault_if(reason: str, mask: Mask) -> tuple[CellFault, ...]:
    """A fault for the marked rows, or none if no row is marked."""
    return (CellFault(reason, mask),) if mask.any() else ()


def trimmed(values: pa.StringArray) -> pa.StringArray:
    """Texts without white space at either end; an empty text becomes null.

    `values` itself is returned where nothing had to change, which is decided on the bytes without looking at rows.
    """
    data, offsets = text_bytes(values)
    there = offsets[1:] > offsets[:-1]
    if np.count_nonzero(there) == len(values) - values.null_count and (
        data.size == 0 or (data.max() <= _LAST_PRINTABLE and _no_space_at_ends(data, offsets, there))
    ):
        return values
    values.validate(full=True)  # a damaged Parquet file may hold bytes that are no text
    clean = pc.utf8_trim_whitespace(values)
    return pc.if_else(pc.equal(pc.binary_length(clean), 0), pa.scalar(None, pa.string()), clean)


def _no_space_at_ends(data: NDArray[np.uint8], offsets: NDArray[np.int32], there: Mask) -> bool:
    """Whether the texts, those marked `there` of ASCII and the others empty, begin and end with printable signs."""
    if data.min() >= _FIRST_PRINTABLE:
        return True
    firsts, lasts = offsets[:-1], offsets[1:] - 1
    if not there.all():
        firsts, lasts = firsts[there], lasts[there]
    return bool(data.take(firsts).min() >= _FIRST_PRINTABLE and data.take(lasts).min() >= _FIRST_PRINTABLE)


def as_strings(raw: pa.Array, place: SourceColumn) -> pa.StringArray:
    """A column of text (or of whole numbers, which name things as well as text does) as plain, trimmed strings."""
    kind = raw.type
    if not is_textual(kind) and not pa.types.is_integer(kind):
        raise place.refuse(f"is {kind}, where text is expected")
    if pa.types.is_dictionary(kind):
        return pc.take(_decoded(raw.dictionary, place), raw.indices)
    return _decoded(raw, place)


def _decoded(raw: pa.Array, place: SourceColumn) -> pa.StringArray:
    """A plain column as trimmed strings; bytes that are not UTF-8 refuse the file."""
    try:
        return trimmed(raw if raw.type == pa.string() else raw.cast(pa.string()))
    except pa.ArrowInvalid as error:
        raise place.refuse("is not UTF-8 text") from error


def as_dictionary(raw: pa.Array, place: SourceColumn) -> pa.DictionaryArray:
    """A column of text as a dictionary of trimmed, non-empty texts; anything but text refuses the file."""
    if not is_textual(raw.type):
        raise place.refuse(f"is {raw.type}, where text is expected")
    if not pa.types.is_dictionary(raw.type):
        return as_strings(raw, place).dictionary_encode()
    texts = _decoded(raw.dictionary, place)
    if raw.type != DICTIONARY:
        raw = pa.DictionaryArray.from_arrays(raw.indices.cast(pa.int32()), raw.dictionary.cast(pa.string()))
    return with_values(raw, texts)


def as_codes(raw: pa.Array, place: SourceColumn) -> pa.DictionaryArray:
    """A column of names and codes, where whole numbers name things as well as text does, as a dictionary."""
    if pa.types.is_integer(raw.type):
        return as_strings(raw, place).dictionary_encode()
    return as_dictionary(raw, place)


def with_values(column: pa.DictionaryArray, values: pa.StringArray) -> pa.DictionaryArray:
    """The column with another text for each of its distinct texts; texts that became equal or null are merged."""
    if values is column.dictionary or values.equals(column.dictionary):
        return column
    return pc.take(values, column.indices).dictionary_encode()


def rows_of(column: pa.DictionaryArray, wrong: Mask) -> Mask:
    """The rows of a dictionary column whose distinct text is marked in `wrong`."""
    return as_mask(pc.take(pa.array(wrong), column.indices))


def words(raw: pa.Array, place: SourceColumn, allowed: Sequence[str]) -> Cells:
    """A column whose texts must be of a closed set."""
    column = as_dictionary(raw, place)
    wrong = ~as_mask(pc.is_in(column.dictionary, value_set=pa.array(list(allowed), pa.string())))
    if not wrong.any():
        return Cells(column)
    return Cells(column, fault_if("unknown_word", rows_of(column, wrong)))


def currencies(raw: pa.Array, place: SourceColumn) -> Cells:
    """A column of three-letter currency codes."""
    column = as_dictionary(raw, place)
    wrong = ~as_mask(pc.match_substring_regex(column.dictionary, "^[A-Z]{3}$"))
    if not wrong.any():
        return Cells(column)
    return Cells(column, fault_if("currency_malformed", rows_of(column, wrong)))


def integers(raw: pa.Array, place: SourceColumn) -> Cells:
    """A column of whole numbers: text, any integer type, or a floating type that holds nothing but whole numbers.

    The last is how pandas writes integers with gaps; its NaN is read as null. A fraction refuses the file.
    """
    kind = raw.type
    if is_textual(kind):
        return _integers_of_text(raw, place)
    if pa.types.is_floating(kind):
        return _integers_of_floats(raw, place)
    if pa.types.is_uint64(kind):
        wide = as_mask(pc.greater(raw, pa.scalar(2**63 - 1, pa.uint64())))
        return Cells(raw.cast(pa.int64(), safe=False), fault_if("not_integer", wide))
    if pa.types.is_integer(kind):
        return Cells(raw.cast(pa.int64()))
    raise place.refuse(f"is {kind}, where whole numbers are expected")


def _integers_of_text(raw: pa.Array, place: SourceColumn) -> Cells:
    column = as_dictionary(raw, place)
    good = pc.match_substring_regex(column.dictionary, _INTEGER)
    clean = pc.replace_substring_regex(column.dictionary, r"^\+?(-?)0*([0-9])", r"\1\2")
    numbers = pc.if_else(good, clean, pa.scalar(None, pa.string())).cast(pa.int64())
    wrong = ~as_mask(good)
    faults = fault_if("not_integer", rows_of(column, wrong)) if wrong.any() else ()
    return Cells(pc.take(numbers, column.indices), faults)


def _integers_of_floats(raw: pa.Array, place: SourceColumn) -> Cells:
    column = raw.cast(pa.float64())
    numbers = pc.if_else(pc.is_nan(column), pa.scalar(None, pa.float64()), column)
    broken = as_mask(pc.not_equal(numbers, pc.floor(numbers))) | as_mask(pc.is_inf(numbers))
    if broken.any():
        raise place.refuse(f"is {raw.type} with {raw[int(broken.argmax())]}, where whole numbers are expected")
    wide = as_mask(pc.greater(pc.abs(numbers), float(_EXACT_IN_DOUBLE)))
    small = pc.if_else(pa.array(wide), pa.scalar(None, pa.float64()), numbers)
    return Cells(small.cast(pa.int64()), fault_if("not_integer", wide))


_TRUTH: Final = {"true": True, "1": True, "false": False, "0": False}


def booleans(raw: pa.Array, place: SourceColumn) -> Cells:
    """A column of truth values: Boolean, or `true`, `false`, `1`, `0` in any case."""
    if pa.types.is_boolean(raw.type):
        return Cells(raw)
    if pa.types.is_integer(raw.type):
        raw = raw.cast(pa.string())
    elif not is_textual(raw.type):
        raise place.refuse(f"is {raw.type}, where true or false is expected")
    column = as_dictionary(raw, place)
    position = pc.index_in(pc.utf8_lower(column.dictionary), value_set=pa.array(list(_TRUTH)))
    truth = pc.take(pa.array(list(_TRUTH.values())), position)
    wrong = as_mask(pc.is_null(position))
    faults = fault_if("not_boolean", rows_of(column, wrong)) if wrong.any() else ()
    return Cells(pc.take(truth, column.indices), faults)
