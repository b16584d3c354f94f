"""Times as vendors write them, rewritten as the day and clock that the reader of instants knows.

What is not of the form that the profile promises stays as it is, and is rejected for what it is.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from audit.base.columns import is_textual
from audit.source.cells import SourceColumn, as_strings

FORMS: Final = ("iso", "year_first", "month_first", "day_first", "compact", "epoch_s", "epoch_ms")
"""`iso`: 2024-03-01 21:04:05; `year_first`, `month_first`, `day_first`: three numbers in that order, with `/`, `-` or
`.` between; `compact`: 20240301210405; `epoch_s`, `epoch_ms`: seconds or milliseconds since 1970 in UTC."""

_TWO: Final = "([0-9]{1,2})"
_SEP: Final = "[/.-]"
_DATES: Final = {
    "year_first": (rf"^([0-9]{{4}}){_SEP}{_TWO}{_SEP}{_TWO}", r"\1-0\2-0\3"),
    "month_first": (rf"^{_TWO}{_SEP}{_TWO}{_SEP}([0-9]{{4}})", r"\3-0\1-0\2"),
    "day_first": (rf"^{_TWO}{_SEP}{_TWO}{_SEP}([0-9]{{4}})", r"\3-0\2-0\1"),
    "compact": (r"^([0-9]{4})([0-9]{2})([0-9]{2})T?([0-9]{2})([0-9]{2})([0-9]{2})", r"\1-\2-\3 \4:\5:\6"),
}
_PADDED: Final = r"^([0-9]{4})-0*([0-9]{2})-0*([0-9]{2})"
_DIGITS: Final = {"epoch_s": "^[0-9]{9,11}$", "epoch_ms": "^[0-9]{12,14}$"}
_MORNING: Final = r"(?i)\s*(?:AM|上午)$"
_EVENING: Final = r"(?i)\s*(?:PM|下午)$"


def as_iso(raw: pa.Array, form: str, place: SourceColumn) -> pa.Array:
    """A column of times of one form as text that `instants` reads; columns that are timestamps stay.

    >>> as_iso(pa.array(["4/14/2023 8:20:26.575 PM"]), "month_first", SourceColumn("a.csv", "x")).to_pylist()
    ['2023-04-14 20:20:26.575']
    """
    if form in _DIGITS:
        return _epoch(raw, form, place)
    if not is_textual(raw.type):
        return raw
    texts = as_strings(raw, place)
    if form in _DATES:
        pattern, written = _DATES[form]
        texts = pc.replace_substring_regex(texts, pattern, written)
        texts = pc.replace_substring_regex(texts, _PADDED, r"\1-\2-\3")
    texts = pc.replace_substring_regex(texts, r"^([0-9-]{10})[T ]+([0-9]):", r"\1 0\2:")
    return _of_half_days(texts)


def _epoch(raw: pa.Array, form: str, place: SourceColumn) -> pa.Array:
    if not (is_textual(raw.type) or pa.types.is_integer(raw.type)):
        raise place.refuse(f"is {raw.type}, where whole numbers of an epoch are expected")
    texts = as_strings(raw, place)
    good = pc.match_substring_regex(texts, _DIGITS[form])
    numbers = pc.if_else(good, texts, pa.scalar(None, pa.string())).cast(pa.int64())
    unit = "s" if form == "epoch_s" else "ms"
    moments = pc.cast(numbers, pa.timestamp(unit)).cast(pa.timestamp("us"))
    written = pc.binary_join_element_wise(pc.strftime(moments, format="%Y-%m-%dT%H:%M:%S"), pa.scalar("Z"), "")
    return pc.coalesce(written, texts)


def _of_half_days(texts: pa.StringArray) -> pa.StringArray:
    """Clocks of twelve hours as clocks of twenty-four."""
    morning = pc.match_substring_regex(texts, _MORNING)
    evening = pc.match_substring_regex(texts, _EVENING)
    if not (pc.any(morning).as_py() or pc.any(evening).as_py()):
        return texts
    bare = pc.replace_substring_regex(texts, r"(?i)\s*(?:AM|PM|上午|下午)$", "")
    hour = pc.utf8_slice_codeunits(bare, 11, 13)
    readable = pc.match_substring_regex(hour, "^(?:0[1-9]|1[0-2])$")
    number = pc.if_else(readable, hour, pa.scalar(None, pa.string())).cast(pa.int64())
    twelve = pc.equal(number, 12)
    number = pc.if_else(pc.and_(evening, pc.invert(twelve)), pc.add(number, 12), number)
    number = pc.if_else(pc.and_(morning, twelve), pa.scalar(0, pa.int64()), number)
    padded = pc.utf8_lpad(number.cast(pa.string()), 2, "0")
    whole = pc.binary_join_element_wise(
        pc.utf8_slice_codeunits(bare, 0, 11), padded, pc.utf8_slice_codeunits(bare, 13, 64), ""
    )
    return pc.if_else(pc.or_(morning, evening), pc.coalesce(whole, texts), texts)


def of_business_day(
    days: pa.Array, clocks: pa.Array, form: str, starts: str, places: tuple[SourceColumn, SourceColumn]
) -> pa.Array:
    """The vendor's day and a clock as a time: a clock before the day starts belongs to the next calendar day.

    >>> place = SourceColumn("a.csv", "x")
    >>> of_business_day(pa.array(["2024-03-01"] * 2), pa.array(["13:00:00", "02:00:00"]), "iso", "12:00",
    ...                 (place, place)).to_pylist()
    ['2024-03-01 13:00:00', '2024-03-02 02:00:00']
    """
    day = pc.utf8_slice_codeunits(as_iso(days, form, places[0]), 0, 10)
    clock = pc.replace_substring_regex(as_strings(clocks, places[1]), r"^([0-9]):", r"0\1:")
    good = pc.and_(
        pc.match_substring_regex(day, r"^(?:19|20)[0-9]{2}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])$"),
        pc.match_substring_regex(clock, r"^[0-2][0-9]:[0-5][0-9]"),
    )
    late = pc.match_substring_regex(day, r"^(?:19|20)[0-9]{2}-(?:0[1-9]|1[0-2])-(?:29|3[01])$")
    start = pc.if_else(good, day, pa.scalar(None, pa.string()))
    following = pc.strftime(
        pc.add(start.cast(pa.timestamp("s")), pa.scalar(86400, pa.duration("s"))), format="%Y-%m-%d"
    )
    # The last days of a month are looked at one by one: not every month has them.
    following = pc.coalesce(following, pc.if_else(late, _next_days(day), pa.scalar(None, pa.string())))
    shifted = pc.if_else(pc.less(clock, starts), following, day)
    return pc.binary_join_element_wise(shifted, clock, " ")


def _next_days(days: pa.StringArray) -> pa.StringArray:
    import datetime as dt

    known: dict[str | None, str | None] = {None: None}
    for text in pc.unique(days).to_pylist():
        try:
            known[text] = (dt.date.fromisoformat(text) + dt.timedelta(days=1)).isoformat() if text else None
        except ValueError:
            known[text] = text
    return pa.array([known[text] for text in days.to_pylist()], pa.string())
