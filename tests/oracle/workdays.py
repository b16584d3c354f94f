"""A small counter of the working days of Macau's public administration, for judging rule 10.

Feriados, substitutes and whole-day tolerâncias come from the `holidays` package (all its categories for Macau, half
days taken out); the extraordinary closures are listed here. An answer is a set of counts, one per reading.
"""

from __future__ import annotations

import datetime as dt
import functools
from dataclasses import dataclass
from zoneinfo import ZoneInfo

import holidays

MACAU = ZoneInfo("Asia/Macau")
DAY = dt.timedelta(days=1)


def _span(first: str, last: str) -> set[dt.date]:
    day, end = dt.date.fromisoformat(first), dt.date.fromisoformat(last)
    return {day + DAY * n for n in range((end - day).days + 1)}


CLOSURES = frozenset(
    _span("2018-09-17", "2018-09-17")
    | _span("2020-02-03", "2020-02-16")
    | _span("2021-10-05", "2021-10-07")
    | _span("2022-06-20", "2022-06-24")
    | _span("2022-06-27", "2022-07-01")
    | _span("2022-07-11", "2022-07-15")
    | _span("2022-07-18", "2022-07-22")
    | _span("2025-09-24", "2025-09-24")
)


@functools.cache
def _year(year: int) -> tuple[frozenset[dt.date], frozenset[dt.date]]:
    days = holidays.country_holidays(
        "MO", years=year, language="en_US", observed=True, categories=("public", "optional", "government")
    )
    half = {day for day, name in days.items() if "Afternoon" in name or "Half-Day" in name}
    return frozenset(set(days) - half), frozenset(half)


def off(day: dt.date) -> bool:
    """A day on which the administration rests by the calendar: weekend, feriado, substitute, whole tolerância."""
    return day.weekday() >= 5 or day in _year(day.year)[0]


def working(day: dt.date, *, closures_work: bool) -> bool:
    """Whether the day counts."""
    return not off(day) and (closures_work or day not in CLOSURES)


def closing(day: dt.date) -> dt.time:
    """Closing time of a working day."""
    if day in _year(day.year)[1]:
        return dt.time(13, 0)
    return dt.time(17, 30) if day.weekday() == 4 else dt.time(17, 45)


def deemed(applied: dt.datetime, *, closures_work: bool = True, hours: bool = True) -> dt.date:
    """The day on which an application counts as received."""
    local = applied.astimezone(MACAU)
    day = local.date()
    late = working(day, closures_work=closures_work) and hours and local.time().replace(microsecond=0) > closing(day)
    if late:
        day += DAY
    while not working(day, closures_work=closures_work):
        day += DAY
    return day


def count(first: dt.date, before: dt.date, *, closures_work: bool = True) -> int:
    """Working days from `first`, included, to `before`, excluded."""
    total, day = 0, first
    while day < before:
        total += working(day, closures_work=closures_work)
        day += DAY
    return total


@dataclass(frozen=True)
class Notice:
    """The notice of one application: the day it counts from and the working days of each reading."""

    deemed: dt.date
    standard: int
    clear: int
    open_only: int
    open_only_clear: int
    ignoring_hours: int
    ignoring_hours_clear: int


def notice(applied: dt.datetime, adopted: dt.date) -> Notice:
    """Count the working days from application to planned adoption in each reading of rule 10."""
    day = deemed(applied)
    open_day = deemed(applied, closures_work=False)
    own_day = deemed(applied, hours=False)
    return Notice(
        deemed=day,
        standard=count(day, adopted),
        clear=count(day + DAY, adopted),
        open_only=count(open_day, adopted, closures_work=False),
        open_only_clear=count(open_day + DAY, adopted, closures_work=False),
        ignoring_hours=count(own_day, adopted),
        ignoring_hours_clear=count(own_day + DAY, adopted),
    )
