"""Where a CSV file can be cut, so that several readers share it: at ends of rows, of which the number is known.

A line break within quotes ends no row. Whether a quote is open can be told of a place in the middle of a file only by
all quotes before it. So each stretch of a file is looked at by itself, for both cases; put together, the looks show
which case holds where. A file that this does not decide for certain is not cut.
"""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from audit.formats.spans import SpanReader
from audit.stores.files import RowSpan

if TYPE_CHECKING:
    from audit.formats.csvfile import Dialect
    from audit.stores.files import SourceFile

STRETCH: Final = 32 << 20
"""Bytes of a stretch."""

_LINE_FEED, _RETURN, _QUOTE = b'\n\r"'


@dataclass(frozen=True, slots=True)
class Ends:
    """The ends of rows in a stretch, as the places in the file past them; `first` is None where there is none.

    `rows` are the rows between the first and the last of them that are not blank, `filled` is the end of the first
    such row. The row that ends at `first` begins in an earlier stretch; `returns`: it ends with a carriage return too.
    The begin of the file is an end.
    """

    first: int | None = None
    last: int = 0
    rows: int = 0
    filled: int | None = None
    returns: bool = False


@dataclass(frozen=True, slots=True)
class Look:
    """What a stretch shows: whether its quotes are odd in number, and the ends of rows in it.

    `ends` are those if no quote is open at its begin, and those if one is; None where that cannot be.
    """

    odd: bool
    ends: tuple[Ends | None, Ends | None]


def can_be_cut(file: SourceFile, dialect: Dialect) -> bool:
    """Whether a file is worth the looking: plain UTF-8 of several stretches."""
    if file.kind != "csv" or file.compression is not None or file.lines is not None:
        return False
    try:
        return dialect.utf8 and dialect.delimiter.isascii() and file.bytes > STRETCH
    except OSError:  # who reads it says so
        return False


def stretches(file: SourceFile) -> list[tuple[int, int]]:
    """The file in stretches (first byte, past the last)."""
    size = file.bytes
    return [(start, min(start + STRETCH, size)) for start in range(0, size, STRETCH)]


def look(file: SourceFile, start: int, stop: int, delimiter: str) -> Look:
    """What one stretch of a file shows; InputRefused if it cannot be read."""
    try:
        with SpanReader(file, (max(start - 1, 0), stop + 1)) as part:
            content = part.read()
    except (pa.ArrowException, OSError) as error:
        raise file.unread(error) from error
    begins = start == 0
    if begins:  # as if a row had ended before
        start = len(codecs.BOM_UTF8) if content.startswith(codecs.BOM_UTF8) else 0
        content = b"\n" + content[start:]
    if len(content) < stop - start + 2:
        content += b"\n"  # which stands for the end of the file
    data = np.frombuffer(content, np.uint8)
    inner = data[1:-1]
    quotes = np.flatnonzero(inner == _QUOTE) + 1
    odd = bool(len(quotes) % 2)
    if (data[np.flatnonzero(inner == _RETURN) + 2] != _LINE_FEED).any():  # one by itself ends a row as well
        return Look(odd, (None, None))
    feeds = np.flatnonzero(data[:-1] == _LINE_FEED) if begins else np.flatnonzero(inner == _LINE_FEED) + 1
    outside, inside = (_ends(data, quotes, feeds, start, delimiter, inside=each) for each in (False, True))
    return Look(odd, (outside, None if begins else inside))


def _ends(
    data: NDArray[np.uint8],
    quotes: NDArray[np.intp],
    feeds: NDArray[np.intp],
    start: int,
    delimiter: str,
    *,
    inside: bool,
) -> Ends | None:
    """The ends of rows, if a quote is open at the begin (`inside`) or not; None where that cannot be.

    A quote opens a cell where the cell begins. One just after a quote that closes makes it one that closes nothing, in
    a cell that is still open. Anywhere else it is a letter like others, and the counting of quotes is in error.
    """
    opening = quotes[int(inside) :: 2]
    if not np.isin(data[opening - 1], np.frombuffer(f'{delimiter}\n\r"'.encode(), np.uint8)).all():
        return None
    ends = feeds[(np.searchsorted(quotes, feeds) + int(inside)) % 2 == 0]
    if not len(ends):
        return Ends()
    lengths = np.diff(ends)
    filled = _filled(lengths, data[ends[1:] - 1] == _RETURN)
    places = ends + start
    first_filled = int(places[1 + int(filled.argmax())]) if filled.any() else None
    returns = bool(data[ends[0] - 1] == _RETURN)
    return Ends(int(places[0]), int(places[-1]), int(filled.sum()), first_filled, returns)


def _filled(length: Any, returns: Any) -> Any:
    """Whether a row of so many bytes, with a carriage return before its line feed or not, is more than its end."""
    return length > 1 + np.asarray(returns, np.int64)


def cut(file: SourceFile, looks: Sequence[Look]) -> tuple[SourceFile, ...]:
    """The file as consecutive parts of whole rows by what its stretches show, or as it is where they do not decide.

    The numbers of the rows, the size and the digest stay those of the whole file.
    """
    begins: list[tuple[int, int]] = []
    inside, head, last, rows = False, 0, 0, 0
    for each in looks:
        ends = each.ends[int(inside)]
        inside ^= each.odd
        if ends is None:
            return (file,)
        if ends.first is None:
            continue
        if not begins:
            if ends.filled is None:
                return (file,)
            head, rows = ends.filled, ends.rows - 1
            begins.append((head, 0))
        else:
            rows += int(_filled(ends.first - last, ends.returns))
            begins.append((ends.first, rows))
            rows += ends.rows
        last = ends.last
    if inside:
        return (file,)
    ways = zip(begins, [*(start for start, _ in begins[1:]), file.bytes], strict=True)
    parts = [RowSpan(head, start, end, before) for (start, before), end in ways if start < end]
    return tuple(replace(file, lines=part) for part in parts) if len(parts) > 1 else (file,)
