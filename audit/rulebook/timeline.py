"""What holds from which day: an ordered list of first days, with no last day and no default."""

from __future__ import annotations

import datetime as dt
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Generic, TypeVar

from audit.rulebook.unknown import NotInForce

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Span:
    """The first day of something: one day, or the first and last day on which it may have begun.

    `first` is the day from which its name is used; `certain` says whether that day is known for certain.
    """

    first: dt.date
    certain: bool
    window: tuple[dt.date, dt.date] | None = None


@dataclass(frozen=True, slots=True)
class Timeline(Generic[T]):
    """Entries in the order of their first days; each holds until the next begins.

    >>> line = Timeline((dt.date(2004, 5, 18), dt.date(2005, 11, 29)), ("first", "second"))
    >>> line.at(dt.date(2005, 11, 28)), line.at(dt.date(2005, 11, 29))
    ('first', 'second')
    """

    days: tuple[dt.date, ...]
    entries: tuple[T, ...]

    @classmethod
    def of(cls, pairs: Iterable[tuple[dt.date, T]]) -> Timeline[T]:
        """A timeline of (first day, entry).

        Raises ValueError where the days do not rise.
        """
        listed = tuple(pairs)
        days = tuple(day for day, _ in listed)
        for earlier, later in pairwise(days):
            if later <= earlier:
                message = f"{later} does not come after {earlier}"
                raise ValueError(message)
        return cls(days, tuple(entry for _, entry in listed))

    def at(self, day: dt.date) -> T:
        """The entry that holds on `day`.

        Raises NotInForce before the first.
        """
        index = bisect_right(self.days, day)
        if index == 0:
            message = f"nothing is in force on {day}"
            raise NotInForce(message)
        return self.entries[index - 1]
