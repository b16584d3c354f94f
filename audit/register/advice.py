"""Advice before the event: the last day to apply for an adoption, the earliest adoption after an application.

Advice is cautious where a verdict is lenient: whole-day closures known to the calendar are not counted as worked.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TypedDict

from audit.base.errors import UsageError
from audit.register.calendar_file import shipped_calendar
from audit.register.notice import NoticeReading, deemed_day, macau
from audit.register.working_days import ONE_DAY, Calendar, CalendarUnknown, DayInfo


@dataclass(frozen=True, slots=True)
class LastApplication:
    """The last lawful application for an adoption: its `day`, and the closing `moment` of that day in Macau time.

    `counted` are the working days that make up the notice, `skipped` the days in between that do not count.
    """

    adopt: dt.date
    reading: NoticeReading
    day: dt.date
    moment: dt.datetime
    counted: tuple[DayInfo, ...]
    skipped: tuple[DayInfo, ...]


@dataclass(frozen=True, slots=True)
class EarliestAdoption:
    """The first day of adoption that an application allows: the calendar day after the last counted working day."""

    applied_at: dt.datetime
    reading: NoticeReading
    deemed_day: dt.date
    day: dt.date
    counted: tuple[DayInfo, ...]
    skipped: tuple[DayInfo, ...]


def last_application_day(
    adopt: dt.date,
    reading: NoticeReading | str = NoticeReading.STANDARD,
    *,
    needed: int,
    calendar: Calendar | None = None,
) -> LastApplication:
    """Walk back from the day of adoption, which is not counted, over the working days needed (clear days: one more).

    Raises CalendarUnknown where the walk leaves the calendar.
    """
    calendar, reading = calendar or shipped_calendar(), NoticeReading(reading)
    calendar.require(adopt)
    counted: list[DayInfo] = []
    skipped: list[DayInfo] = []
    # With clear days the day of application is one working day further back and is not itself counted.
    wanted = needed + (reading is NoticeReading.CLEAR_DAYS)
    day = adopt
    while len(counted) < wanted:
        day -= ONE_DAY
        working = calendar.is_working(day, closures_work=False)
        (counted if working else skipped).append(calendar.day(day))
    return LastApplication(
        adopt=adopt,
        reading=reading,
        day=day,
        moment=calendar.closing(day),
        counted=tuple(reversed(counted[:needed])),
        skipped=tuple(reversed(skipped)),
    )


def earliest_adoption_day(
    applied_at: dt.datetime,
    reading: NoticeReading | str = NoticeReading.STANDARD,
    *,
    needed: int,
    calendar: Calendar | None = None,
) -> EarliestAdoption:
    """Count the working days needed from the deemed day of application (clear days: after it); adoption may follow.

    Raises CalendarUnknown where the count leaves the calendar, ValueError for an instant without a zone.
    """
    calendar, reading = calendar or shipped_calendar(), NoticeReading(reading)
    deemed = deemed_day(applied_at, closures_work=False, calendar=calendar)
    counted: list[DayInfo] = []
    own = macau(applied_at).date()
    skipped = [calendar.day(own + dt.timedelta(days=n)) for n in range((deemed - own).days)]
    day = deemed if reading is NoticeReading.STANDARD else deemed + ONE_DAY
    while len(counted) < needed:
        working = calendar.is_working(day, closures_work=False)
        (counted if working else skipped).append(calendar.day(day))
        day += ONE_DAY
    return EarliestAdoption(applied_at, reading, deemed, day, tuple(counted), tuple(skipped))


class DayJson(TypedDict):
    """One day in machine-readable form, its name in each language."""

    day: str
    kind: str
    name_zh: str
    name_pt: str
    name_en: str


class NoticeJson(TypedDict, total=False):
    """What `approvals notice --json` prints; the last five keys only with an application time."""

    adopt: str
    reading: str
    last_application_day: str
    last_application_at: str
    working_days: list[str]
    counted: list[DayJson]
    skipped: list[DayJson]
    applied_at: str
    deemed_day: str
    earliest_adoption_day: str
    earliest_counted: list[DayJson]
    earliest_skipped: list[DayJson]


def day_json(info: DayInfo) -> DayJson:
    """One day in machine-readable form."""
    name = info.name
    return DayJson(day=info.day.isoformat(), kind=info.kind.value, name_zh=name.zh, name_pt=name.pt, name_en=name.en)


def notice_json(
    adopt: dt.date,
    apply: dt.datetime | None = None,
    reading: NoticeReading | str = NoticeReading.STANDARD,
    *,
    needed: int,
) -> NoticeJson:
    """The answer of `approvals notice` (contract: command shapes), days as ISO text, earliest first.

    Raises UsageError where a day lies outside the calendar.
    """
    try:
        last = last_application_day(adopt, reading, needed=needed)
        result = NoticeJson(
            adopt=adopt.isoformat(),
            reading=last.reading.value,
            last_application_day=last.day.isoformat(),
            last_application_at=last.moment.isoformat(),
            working_days=[info.day.isoformat() for info in last.counted],
            counted=[day_json(info) for info in last.counted],
            skipped=[day_json(info) for info in last.skipped],
        )
        if apply is not None:
            first = earliest_adoption_day(apply, reading, needed=needed)
            result["applied_at"] = macau(apply).isoformat()
            result["deemed_day"] = first.deemed_day.isoformat()
            result["earliest_adoption_day"] = first.day.isoformat()
            result["earliest_counted"] = [day_json(info) for info in first.counted]
            result["earliest_skipped"] = [day_json(info) for info in first.skipped]
    except CalendarUnknown as error:
        raise UsageError(str(error)) from None
    return result
