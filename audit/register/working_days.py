"""The calendar of Macau's public service: which days are working days, until when, and how well that is proved.

The days are frozen data (``audit/regulations/working_days.yaml``): weekends, the holidays of Ordem Executiva 60/2000,
compensatory rest days (ETAPM art. 79(4)) and full days of *tolerância de ponto* are not working days; half days are,
until 13:00. Whole-day closures of the service (typhoon, epidemic) are working days or not as the caller asks, because
they are never the ground of a breach (contract: notice). Office hours are those of Despacho 21/GM/95.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate
from types import MappingProxyType
from typing import Final

from audit.base.model import MACAU, Text

SATURDAY: Final = 5
FRIDAY: Final = 4
ONE_DAY: Final = dt.timedelta(days=1)


class CalendarUnknown(LookupError):
    """A day lies outside the years that the calendar covers; what depends on it is not evaluated."""


class DayKind(StrEnum):
    """What a day is for the public service."""

    WORKING = "working"
    HALF_DAY = "half_day"
    WEEKEND = "weekend"
    HOLIDAY = "holiday"
    SUBSTITUTE = "substitute"
    CLOSURE = "closure"


WORKING_KINDS: Final = frozenset({DayKind.WORKING, DayKind.HALF_DAY})

WEEKDAYS: Final = (
    Text("星期一", "segunda-feira", "Monday"),
    Text("星期二", "terça-feira", "Tuesday"),
    Text("星期三", "quarta-feira", "Wednesday"),
    Text("星期四", "quinta-feira", "Thursday"),
    Text("星期五", "sexta-feira", "Friday"),
    Text("星期六", "sábado", "Saturday"),
    Text("星期日", "domingo", "Sunday"),
)
"""Names of the days of the week, Monday first."""


@dataclass(frozen=True, slots=True)
class CalendarEntry:
    """What the data says of one weekday: its kind, why, and the keys of the sources."""

    kind: DayKind
    reason: Text
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DayInfo:
    """One day: `reason` says why it is not (or only partly) a working day, None for an ordinary working day."""

    day: dt.date
    kind: DayKind
    reason: Text | None
    grade: str
    sources: tuple[str, ...] = ()

    @property
    def weekday(self) -> Text:
        """The name of the day of the week."""
        return WEEKDAYS[self.day.weekday()]

    @property
    def name(self) -> Text:
        """Day of the week and, where there is one, the reason: "Monday, Lunar New Year's Eve (afternoon off)"."""
        if self.reason is None or self.kind is DayKind.WEEKEND:
            return self.weekday
        return Text(
            f"{self.weekday.zh}，{self.reason.zh}",
            f"{self.weekday.pt}, {self.reason.pt}",
            f"{self.weekday.en}, {self.reason.en}",
        )


@dataclass(frozen=True, slots=True)
class OfficeHours:
    """Office hours of the public service, to the second; `closes_friday` differs from the other days."""

    opens: dt.time
    closes: dt.time
    closes_friday: dt.time
    closes_half_day: dt.time
    lunch_from: dt.time
    lunch_to: dt.time
    source: str


@dataclass(frozen=True, slots=True)
class Source:
    """Where a piece of the calendar comes from; `address` is None where the text itself was not reached."""

    title: str
    address: str | None


WEEKEND: Final = Text("週末", "fim-de-semana", "weekend")


@dataclass(frozen=True)
class Calendar:
    """The whole calendar, from `first` to `last`, both included."""

    first: dt.date
    last: dt.date
    verified_on: dt.date
    hours: OfficeHours
    grades: Mapping[int, str]
    grade_texts: Mapping[str, Text]
    sources: Mapping[str, Source]
    days: Mapping[dt.date, CalendarEntry]
    notes: Mapping[dt.date, CalendarEntry]

    def __post_init__(self) -> None:
        span = [self.first + dt.timedelta(days=n) for n in range((self.last - self.first).days + 1)]
        tables = {}
        for closures_work in (False, True):
            flags = (int(self._works(day, closures_work=closures_work)) for day in span)
            tables[closures_work] = (0, *accumulate(flags))
        # Prefix sums make the count between two days one subtraction, however far apart they are.
        object.__setattr__(self, "_sums", MappingProxyType(tables))

    def covers(self, day: dt.date) -> bool:
        """Say whether the calendar knows the day."""
        return self.first <= day <= self.last

    def require(self, day: dt.date) -> None:
        """Raise CalendarUnknown for a day that the calendar does not know."""
        if not self.covers(day):
            message = f"{day.isoformat()} is outside the calendar, which covers {self.first} to {self.last}"
            raise CalendarUnknown(message)

    def day(self, day: dt.date) -> DayInfo:
        """What the day is and why.

        Raises CalendarUnknown outside the years covered.
        """
        self.require(day)
        grade = self.grades[day.year]
        if day.weekday() >= SATURDAY:
            return DayInfo(day, DayKind.WEEKEND, WEEKEND, grade)
        entry = self.days.get(day) or self.notes.get(day)
        if entry is None:
            return DayInfo(day, DayKind.WORKING, None, grade)
        return DayInfo(day, entry.kind, entry.reason, grade, entry.sources)

    def is_working(self, day: dt.date, *, closures_work: bool) -> bool:
        """Say whether the day is a working day; `closures_work` counts whole-day closures as worked.

        Raises CalendarUnknown outside the years covered.
        """
        self.require(day)
        return self._works(day, closures_work=closures_work)

    def _works(self, day: dt.date, *, closures_work: bool) -> bool:
        if day.weekday() >= SATURDAY:
            return False
        entry = self.days.get(day)
        return entry is None or entry.kind in WORKING_KINDS or (closures_work and entry.kind is DayKind.CLOSURE)

    def count(self, first: dt.date, before: dt.date, *, closures_work: bool) -> int:
        """Working days from `first`, included, to `before`, excluded; 0 where `before` is not later.

        Raises CalendarUnknown where either day is not covered (`before` may be the day after the last).
        """
        self.require(first)
        if before <= first:
            return 0
        self.require(before - ONE_DAY)
        sums: Mapping[bool, tuple[int, ...]] = self._sums  # type: ignore[attr-defined]
        table = sums[closures_work]
        return table[(before - self.first).days] - table[(first - self.first).days]

    def closing_time(self, day: dt.date) -> dt.time:
        """The time until which, to the second, a paper is still received on the day (Despacho 21/GM/95).

        Meaningful for working days; a closure day has the hours that it would have had.
        """
        entry = self.days.get(day)
        if entry is not None and entry.kind is DayKind.HALF_DAY:
            return self.hours.closes_half_day
        return self.hours.closes_friday if day.weekday() == FRIDAY else self.hours.closes

    def closing(self, day: dt.date) -> dt.datetime:
        """The closing moment of the day, in Macau time."""
        return dt.datetime.combine(day, self.closing_time(day), MACAU)

    def opening(self, day: dt.date) -> dt.datetime:
        """The opening moment of the day, in Macau time."""
        return dt.datetime.combine(day, self.hours.opens, MACAU)

    def year_grade(self, year: int) -> str:
        """How well the year is proved: a key of `grade_texts`, from A (official list) to E (projection).

        Raises CalendarUnknown for a year that is not covered.
        """
        if year not in self.grades:
            message = f"the year {year} is outside the calendar, which covers {self.first} to {self.last}"
            raise CalendarUnknown(message)
        return self.grades[year]
