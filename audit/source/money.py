"""Amounts of money: decimal text or decimal columns become whole ten-thousandths, exactly or not at all."""

from __future__ import annotations

from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from audit.base.columns import as_mask, is_textual
from audit.base.model import MONEY_SCALE
from audit.source.cells import CellFault, Cells, SourceColumn, as_dictionary, fault_if, rows_of

_SAFE_DIGITS: Final = 18
"""Digits that always fit an int64."""

_AMOUNT: Final = r"^-?0*[0-9]{1,14}(?:\.[0-9]{1,4}0*)?$"
_FINER: Final = r"^-?[0-9]+\.[0-9]{5,}$"
_LARGER: Final = r"^-?[0-9]{15,}(?:\.[0-9]+)?$"
_EXACT: Final = pa.decimal128(_SAFE_DIGITS, MONEY_SCALE)


def amounts(raw: pa.Array, place: SourceColumn) -> Cells:
    """A column of money as int64 ten-thousandths.

    Text must be plain decimal: digits, a point, no more than four decimals that count. Binary floating point and bare
    integers are refused for the whole file: the first is not exact, the second does not say what its unit is.
    """
    kind = raw.type
    if is_textual(kind):
        return _of_text(raw, place)
    if pa.types.is_floating(kind):
        raise place.refuse(f"is {kind}: binary floating point cannot carry money; write decimal or text")
    if pa.types.is_integer(kind):
        raise place.refuse(f"is {kind}: whole cents or whole units cannot be told apart; write decimal or text")
    if not pa.types.is_decimal(kind):
        raise place.refuse(f"is {kind}, where decimal or text amounts are expected")
    if pa.types.is_decimal128(kind) and 0 <= kind.scale <= MONEY_SCALE:
        return _of_words(raw)
    if pa.types.is_decimal64(kind):
        if kind.scale <= MONEY_SCALE and kind.precision + MONEY_SCALE - kind.scale <= _SAFE_DIGITS:
            return _of_integers(raw)
        return amounts(raw.cast(pa.decimal128(kind.precision, kind.scale)), place)
    return _of_wide_decimals(raw)


def _of_words(raw: pa.Decimal128Array) -> Cells:
    """Decimal128 of a scale up to four, through the low word of each value: no value is formatted or parsed."""
    kind = raw.type
    factor = 10 ** (MONEY_SCALE - kind.scale)
    words = np.frombuffer(raw.buffers()[1], np.int64)[2 * raw.offset : 2 * (raw.offset + len(raw))]
    low = words[::2]
    scaled = low * factor
    validity = _validity(raw)
    if kind.precision + MONEY_SCALE - kind.scale <= _SAFE_DIGITS:
        return Cells(pa.Array.from_buffers(pa.int64(), len(raw), [validity, pa.py_buffer(scaled)]))
    limit = 10**_SAFE_DIGITS // factor
    wide = (words[1::2] != low >> 63) | (low > limit) | (low < -limit)
    if raw.null_count:
        wide &= ~as_mask(pc.is_null(raw))
    scaled[wide] = 0
    values = pa.Array.from_buffers(pa.int64(), len(raw), [validity, pa.py_buffer(scaled)])
    return Cells(values, fault_if("money_too_large", wide))


def _of_integers(raw: pa.Array) -> Cells:
    """64-bit decimals that have room for four places: each is a whole number of its smallest unit already."""
    factor = 10 ** (MONEY_SCALE - raw.type.scale)
    scaled = np.frombuffer(raw.buffers()[1], np.int64)[raw.offset : raw.offset + len(raw)] * factor
    return Cells(pa.Array.from_buffers(pa.int64(), len(raw), [_validity(raw), pa.py_buffer(scaled)]))


def _validity(raw: pa.Array) -> pa.Buffer | None:
    """The null bitmap of a column, moved so that it starts at its first row."""
    if not raw.null_count:
        return None
    return pc.is_valid(raw).buffers()[1] if raw.offset else raw.buffers()[0]


def _of_wide_decimals(raw: pa.Array) -> Cells:
    """Decimals of a larger scale or of 256 bits: cut to four places, and compared with what they were."""
    exact = raw.cast(pa.decimal256(76, max(raw.type.scale, MONEY_SCALE)), safe=False)
    cut = exact.cast(pa.decimal256(76, MONEY_SCALE), safe=False)
    finer = as_mask(pc.not_equal(cut.cast(exact.type, safe=False), exact))
    limit = pa.scalar(10 ** (_SAFE_DIGITS - MONEY_SCALE) - 1, pa.int64()).cast(pa.decimal256(76, MONEY_SCALE))
    wide = as_mask(pc.greater(pc.abs(cut), limit))
    small = pc.if_else(pa.array(wide), pa.scalar(None, cut.type), cut)
    values = _of_words(small.cast(_EXACT)).values
    return Cells(values, (*fault_if("money_too_precise", finer), *fault_if("money_too_large", wide & ~finer)))


def _of_text(raw: pa.Array, place: SourceColumn) -> Cells:
    column = as_dictionary(raw, place)
    texts = column.dictionary
    good = pc.match_substring_regex(texts, _AMOUNT)
    clean = pc.replace_substring_regex(texts, r"^(-?)0*([0-9])", r"\1\2")
    clean = pc.replace_substring_regex(clean, r"(\.[0-9]{4})0+$", r"\1")
    exact = pc.if_else(good, clean, pa.scalar(None, pa.string())).cast(_EXACT)
    numbers = _of_words(exact).values
    faults: list[CellFault] = []
    wrong = ~as_mask(good)
    if wrong.any():
        finer = wrong & as_mask(pc.match_substring_regex(texts, _FINER))
        larger = wrong & ~finer & as_mask(pc.match_substring_regex(texts, _LARGER))
        for reason, mask in (
            ("not_money", wrong & ~finer & ~larger),
            ("money_too_precise", finer),
            ("money_too_large", larger),
        ):
            faults.extend(fault_if(reason, rows_of(column, mask)))
    return Cells(pc.take(numbers, column.indices), tuple(faults))
