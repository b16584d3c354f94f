"""Timestamps: text with or without an offset, or Arrow timestamps, as instants in UTC.

A timestamp without an offset is wall-clock time in the source's zone; where that wall clock showed the time twice, or
never, the row cannot be read. Text of several forms may be mixed in one column.
"""

from __future__ import annotations

import datetime as dt
import re
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from audit.base.canonical import INSTANT
from audit.base.columns import Mask, as_mask, is_textual, text_bytes
from audit.source.cells import CellFault, Cells, SourceColumn, as_dictionary, as_strings, fault_if

# A log that names an instant outside these days has the wrong century or a broken clock, and the law of no such day
# is known; the bounds are of reading, not of law.
EARLIEST: Final = dt.datetime(1975, 10, 4, tzinfo=dt.UTC)
LATEST: Final = dt.datetime(2100, 1, 1, tzinfo=dt.UTC)

_PER_SECOND: Final = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_DAY: Final = r"^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
_CLOCK: Final = r"[T ](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,9})?)?"
_OFFSET: Final = r"(?:Z|[+-](?:0[0-9]|1[0-4]):?[0-5][0-9])$"
_WITH_OFFSET: Final = _DAY + _CLOCK + _OFFSET
_WITHOUT_OFFSET: Final = _DAY + _CLOCK + "$"
_FORM: Final = re.compile(
    r"(?:19|20)[0-9]{2}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?"
    r"(?P<offset>Z|[+-](?:0[0-9]|1[0-4]):?[0-5][0-9])?"
)
_CENTURY: Final = 2
_ZERO: Final = np.uint8(ord("0"))
_NINE: Final = np.uint8(9)
_NAIVE: Final = pa.timestamp("us")
_DAYS: Final = np.array([0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])


def instants(raw: pa.Array, place: SourceColumn, zone: str) -> Cells:
    """A column of timestamps as instants; `zone` names the zone of those without an offset."""
    kind = raw.type
    if pa.types.is_timestamp(kind):
        return _of_timestamps(raw, zone)
    if not is_textual(kind):
        raise place.refuse(f"is {kind}, where timestamps or text are expected")
    if not pa.types.is_dictionary(kind):
        return _of_text(as_strings(raw, place), zone)
    column = as_dictionary(raw, place)
    distinct = _of_text(column.dictionary, zone)
    faults = tuple(CellFault(f.reason, as_mask(pc.take(pa.array(f.mask), column.indices))) for f in distinct.faults)
    return Cells(pc.take(distinct.values, column.indices), faults)


def _of_timestamps(raw: pa.Array, zone: str) -> Cells:
    per_second = _PER_SECOND[raw.type.unit]
    low, high = (int(bound.timestamp()) * per_second for bound in (EARLIEST, LATEST))
    extremes = pc.min_max(raw.cast(pa.int64()))
    faults: tuple[CellFault, ...] = ()
    lowest, highest = extremes["min"].as_py(), extremes["max"].as_py()
    if lowest is not None and (lowest < low or highest >= high):
        numbers = raw.cast(pa.int64())
        outside = as_mask(pc.or_(pc.less(numbers, low), pc.greater_equal(numbers, high)))
        faults = fault_if("wrong_century", outside)
        raw = pc.if_else(pa.array(outside), pa.scalar(None, raw.type), raw)
    micro = raw.cast(pa.timestamp("us", tz=raw.type.tz), safe=False)
    if raw.type.tz is not None:
        return Cells(micro.cast(INSTANT), faults)
    placed = _in_zone(micro, zone)
    return Cells(placed.values, faults + placed.faults)


def _in_zone(wall: pa.Array, zone: str) -> Cells:
    """Wall-clock times as instants; a time the clock showed never or twice is a fault."""
    early = pc.assume_timezone(wall, zone, ambiguous="earliest", nonexistent="earliest")
    second = pc.assume_timezone(wall, zone, ambiguous="latest", nonexistent="earliest")
    after = pc.assume_timezone(wall, zone, ambiguous="earliest", nonexistent="latest")
    twice = as_mask(pc.not_equal(early, second))
    never = as_mask(pc.not_equal(early, after))
    faults = fault_if("time_that_never_was", never) + fault_if("time_that_was_twice", twice)
    return Cells(early.cast(INSTANT), faults)


def _of_text(texts: pa.StringArray, zone: str) -> Cells:
    """Text, in one pass where all rows are of one form, else each form by itself."""
    uniform = _of_one_form(texts)
    if uniform is not None:
        return _of_timestamps(uniform, zone)
    texts = pc.replace_substring_regex(texts, r"(\.[0-9]{6})[0-9]+", r"\1") if _has_fine_fractions(texts) else texts
    with_offset = as_mask(pc.match_substring_regex(texts, _WITH_OFFSET))
    present = ~as_mask(pc.is_null(texts))
    without = np.zeros(len(texts), np.bool_)
    if not (with_offset | ~present).all():
        without = as_mask(pc.match_substring_regex(texts, _WITHOUT_OFFSET))
    shaped = with_offset | without
    shaped &= _existing_days(texts, shaped)
    wrong = present & ~shaped
    century = shaped & ~_known_century(texts, shaped)
    shaped &= ~century
    faults = fault_if("not_timestamp", wrong) + fault_if("wrong_century", century)
    values = _cast_where(texts, with_offset & shaped, INSTANT)
    if without.any():
        naive = _in_zone(_cast_where(texts, without & shaped, _NAIVE), zone)
        values = pc.coalesce(values, naive.values)
        faults += naive.faults
    checked = _of_timestamps(values, zone)
    return Cells(checked.values, faults + checked.faults)


def _of_one_form(texts: pa.StringArray) -> pa.Array | None:
    """The timestamps, where all texts have the form, the century and the offset of the first; else None.

    Which characters are digits and what the others are is compared as bytes for all rows at once; that the digits are
    a day and a time of day is left to Arrow.
    """
    if len(texts) == 0 or texts.null_count:
        return None
    first = texts[0].as_py()
    form = _FORM.fullmatch(first)
    data, offsets = text_bytes(texts)
    if form is None or (np.diff(offsets) != len(first)).any():
        return None
    signs = data.reshape(len(texts), len(first))
    model = signs[0]
    fixed = (model - _ZERO) > _NINE
    fixed[:_CENTURY] = True
    if form["offset"]:
        fixed[form.start("offset") :] = True
    varying = np.flatnonzero(~fixed)
    if (signs[:, fixed] != model[fixed]).any() or ((signs[:, varying] - _ZERO) > _NINE).any():
        return None
    try:
        return texts.cast(INSTANT if form["offset"] else _NAIVE)
    except pa.ArrowInvalid:
        return None


def _has_fine_fractions(texts: pa.StringArray) -> bool:
    longest = pc.max(pc.binary_length(texts)).as_py()
    return longest is not None and longest > len("2024-03-01T21:04:05.123456")


def _cast_where(texts: pa.StringArray, rows: Mask, kind: pa.DataType) -> pa.Array:
    if rows.all():
        return texts.cast(kind)
    return pc.if_else(pa.array(rows), texts, pa.scalar(None, pa.string())).cast(kind)


def _part(texts: pa.StringArray, rows: Mask, start: int, stop: int) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    """Digits `start` to `stop` of the marked rows as numbers; zero elsewhere."""
    digits = pc.utf8_slice_codeunits(texts, start, stop)
    digits = pc.if_else(pa.array(rows), digits, pa.scalar("0", pa.string()))
    numbers: np.ndarray[tuple[int], np.dtype[np.int32]] = digits.cast(pa.int32()).to_numpy(zero_copy_only=False)
    return numbers


def _existing_days(texts: pa.StringArray, shaped: Mask) -> Mask:
    """Rows whose day is one of their month; only days after the 28th are looked at."""
    late = shaped & as_mask(pc.match_substring_regex(texts, r"^[0-9]{4}-[0-9]{2}-(?:29|3[01])"))
    good = np.ones(len(texts), np.bool_)
    if late.any():
        year, month, day = (_part(texts, late, *span) for span in ((0, 4), (5, 7), (8, 10)))
        leap = (month == 2) & (year % 4 == 0) & ((year % 100 != 0) | (year % 400 == 0))
        good[late] = (day <= _DAYS[month] + leap)[late]
    return good


def _known_century(texts: pa.StringArray, shaped: Mask) -> Mask:
    """Rows whose year Arrow can hold and the auditor accepts; the exact bounds are looked at on the instants."""
    known = as_mask(pc.match_substring_regex(texts, "^(?:19|20)[0-9]{2}"))
    if (known | ~shaped).all():
        return known
    return known & shaped
