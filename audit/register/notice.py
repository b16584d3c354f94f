"""Notice in working days: when an application counts, how many days it leaves, and what that means.

55/2004 art. 19 (67/2007 art. 18) asks that the authorisation be applied for some working days before the planned day
of adoption. The day of adoption is not counted and the day of application is; an application after closing time or on
a day that is not a working day counts from the next working day. Whole-day closures of the service are never the ground
of a breach, so the verdict counts them as worked; the stricter readings are reported as doubt.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from audit.base.model import MACAU
from audit.register.calendar_file import shipped_calendar
from audit.register.working_days import ONE_DAY, Calendar, CalendarUnknown, DayInfo


class NoticeReading(StrEnum):
    """How the notice is counted: the filing day counts, or three whole days must lie between."""

    STANDARD = "standard"
    CLEAR_DAYS = "clear_days"


class State(StrEnum):
    """What the notice of one application comes to."""

    OK = "ok"
    SHORT = "short"
    SHORT_AFTER_HOURS_ONLY = "short_after_hours_only"
    DOUBT = "doubt"
    NOT_EVALUATED = "not_evaluated"


class DecidedBy(StrEnum):
    """A question of reading on which the verdict turns."""

    CLEAR_DAYS = "clear_days"
    CLOSURES = "closures"
    AFTER_HOURS = "after_hours"


def macau(instant: dt.datetime) -> dt.datetime:
    """The instant in Macau time, fractions of a second dropped: closing time is judged to the second.

    Raises ValueError for an instant without a zone.
    """
    if instant.tzinfo is None:
        raise ValueError("an application needs a time with a zone")
    return instant.astimezone(MACAU).replace(microsecond=0)


def deemed_day(applied_at: dt.datetime, *, closures_work: bool, calendar: Calendar | None = None) -> dt.date:
    """The working day on which an application counts as made.

    That is its own day if that is a working day and the paper came by closing time, to the second; else the next
    working day. Raises CalendarUnknown outside the calendar, ValueError for an instant without a zone.
    """
    calendar = calendar or shipped_calendar()
    local = macau(applied_at)
    day = local.date()
    if calendar.is_working(day, closures_work=closures_work) and local.time() > calendar.closing_time(day):
        day += ONE_DAY
    return _working_from(day, closures_work=closures_work, calendar=calendar)


def _working_from(day: dt.date, *, closures_work: bool, calendar: Calendar) -> dt.date:
    """Return the day itself if it is a working day, else the next one that is."""
    while not calendar.is_working(day, closures_work=closures_work):
        day += ONE_DAY
    return day


def count(deemed: dt.date, adopt: dt.date, *, closures_work: bool, calendar: Calendar | None = None) -> int:
    """Working days from the deemed day, included, to the day of adoption, excluded.

    Raises CalendarUnknown outside the calendar.
    """
    return (calendar or shipped_calendar()).count(deemed, adopt, closures_work=closures_work)


def clear(deemed: dt.date, adopt: dt.date, *, closures_work: bool, calendar: Calendar | None = None) -> int:
    """Whole working days strictly between the deemed day and the day of adoption.

    Raises CalendarUnknown outside the calendar.
    """
    if adopt <= deemed:
        return 0
    return (calendar or shipped_calendar()).count(deemed + ONE_DAY, adopt, closures_work=closures_work)


@dataclass(frozen=True, slots=True)
class NoticeJudgement:
    """The notice of one application, counted in every reading.

    `needed` are the working days that the regulation asks for. `working_days` and `clear_days` count closures as
    worked, as the verdict does; the `_closures_off` pair does not.
    `own_day_count` counts in the verdict's own reading as if no application came after hours: one made on a working day
    counts on that day whatever the hour.
    `grades` has the grade of evidence of every year touched. Where the calendar does not reach, `state` is
    NOT_EVALUATED and everything counted is None.
    """

    applied_at: dt.datetime
    planned_from: dt.date
    reading: NoticeReading
    needed: int
    state: State
    deemed_day: dt.date | None = None
    deemed_day_closures_off: dt.date | None = None
    working_days: int | None = None
    clear_days: int | None = None
    working_days_closures_off: int | None = None
    clear_days_closures_off: int | None = None
    own_day_count: int | None = None
    decided_by: tuple[DecidedBy, ...] = ()
    grades: tuple[tuple[int, str], ...] = ()

    @property
    def decisive(self) -> int | None:
        """The number that the verdict's reading compares with `needed`."""
        return self.working_days if self.reading is NoticeReading.STANDARD else self.clear_days

    def _span(self) -> Iterator[DayInfo]:
        """Every day from the application's own to the day before adoption."""
        if self.deemed_day is None:
            return
        calendar = shipped_calendar()
        day = macau(self.applied_at).date()
        while day < self.planned_from:
            yield calendar.day(day)
            day += ONE_DAY

    @property
    def counted(self) -> tuple[DayInfo, ...]:
        """The working days that the standard reading counts, earliest first; closures are among them."""
        calendar, deemed = shipped_calendar(), self.deemed_day
        if deemed is None:
            return ()
        return tuple(
            info for info in self._span() if info.day >= deemed and calendar.is_working(info.day, closures_work=True)
        )

    @property
    def skipped(self) -> tuple[DayInfo, ...]:
        """The days between application and adoption that do not count, each with its reason if it has one.

        A working day is among them where the application came on it after closing time.
        """
        numbered = {info.day for info in self.counted}
        return tuple(info for info in self._span() if info.day not in numbered)


def judge(
    applied_at: dt.datetime,
    planned_from: dt.date,
    reading: NoticeReading | str = NoticeReading.STANDARD,
    *,
    needed: int,
    calendar: Calendar | None = None,
) -> NoticeJudgement:
    """Judge the notice of one application in the reading that the configuration asks for.

    Short: fewer than `needed` days though closures count as worked (APR-001); only by the after-hours rule if a late
    application counted on its own working day would reach them. Doubt: not short, but clear days, or closures not
    counted, or both together, fall short (APR-003). Raises ValueError for an instant without a zone.
    """
    calendar, reading = calendar or shipped_calendar(), NoticeReading(reading)
    try:
        return _judge(applied_at, planned_from, reading, needed, calendar)
    except CalendarUnknown:
        return NoticeJudgement(applied_at, planned_from, reading, needed, State.NOT_EVALUATED)


def _judge(
    applied_at: dt.datetime, planned_from: dt.date, reading: NoticeReading, needed: int, calendar: Calendar
) -> NoticeJudgement:
    calendar.require(planned_from)
    deemed = deemed_day(applied_at, closures_work=True, calendar=calendar)
    deemed_off = deemed_day(applied_at, closures_work=False, calendar=calendar)
    standard = count(deemed, planned_from, closures_work=True, calendar=calendar)
    between = clear(deemed, planned_from, closures_work=True, calendar=calendar)
    standard_off = count(deemed_off, planned_from, closures_work=False, calendar=calendar)
    between_off = clear(deemed_off, planned_from, closures_work=False, calendar=calendar)
    own = macau(applied_at).date()
    counting = count if reading is NoticeReading.STANDARD else clear
    same_day = _working_from(own, closures_work=True, calendar=calendar)
    own_day = counting(same_day, planned_from, closures_work=True, calendar=calendar)
    decisive = standard if reading is NoticeReading.STANDARD else between
    decided_by: tuple[DecidedBy, ...] = ()
    if decisive < needed:
        state = State.SHORT_AFTER_HOURS_ONLY if own_day >= needed else State.SHORT
        decided_by = (DecidedBy.AFTER_HOURS,) if own_day >= needed else ()
    elif between_off < needed:
        state = State.DOUBT
        decided_by = _decided_by(reading, clear_short=between < needed, off_short=standard_off < needed)
    else:
        state = State.OK
    years = range(min(own, deemed, planned_from).year, max(deemed_off, planned_from).year + 1)
    return NoticeJudgement(
        applied_at=applied_at,
        planned_from=planned_from,
        reading=reading,
        needed=needed,
        state=state,
        deemed_day=deemed,
        deemed_day_closures_off=deemed_off,
        working_days=standard,
        clear_days=between,
        working_days_closures_off=standard_off,
        clear_days_closures_off=between_off,
        own_day_count=own_day,
        decided_by=decided_by,
        grades=tuple((year, calendar.year_grade(year)) for year in years),
    )


def _decided_by(reading: NoticeReading, *, clear_short: bool, off_short: bool) -> tuple[DecidedBy, ...]:
    """The stricter readings that fall short by themselves; both where only their conjunction does."""
    alone = []
    if reading is NoticeReading.STANDARD and clear_short:
        alone.append(DecidedBy.CLEAR_DAYS)
    if off_short or reading is NoticeReading.CLEAR_DAYS:
        alone.append(DecidedBy.CLOSURES)
    return tuple(alone) or (DecidedBy.CLEAR_DAYS, DecidedBy.CLOSURES)
