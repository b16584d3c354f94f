"""The frozen calendar of the public service, and its comparison with an outside library."""

from __future__ import annotations

import datetime as dt

import holidays
import pytest

from audit.base.errors import ConfigurationError
from audit.register.calendar_file import FILE, read_calendar, shipped_calendar
from audit.register.working_days import CalendarUnknown, DayKind

YEARS = range(2004, 2031)
FULL_KINDS = {DayKind.HOLIDAY, DayKind.SUBSTITUTE}


def day(text: str) -> dt.date:
    """Read a day."""
    return dt.date.fromisoformat(text)


def frozen(year: int, kinds: set[DayKind]) -> set[dt.date]:
    """List the frozen weekdays of some kinds in a year."""
    return {date for date, entry in shipped_calendar().days.items() if date.year == year and entry.kind in kinds}


@pytest.mark.parametrize("year", YEARS)
def test_each_year_agrees_with_the_holidays_library(year: int) -> None:
    """The weekdays off and the half days of a year are those of the library's three categories together."""
    outside = holidays.MO(years=year, language="en_US", observed=True, categories=("public", "optional", "government"))
    weekdays = {date: name for date, name in outside.items() if date.weekday() < 5 and date.year == year}
    half = {date for date, name in weekdays.items() if "Afternoon" in name or "Half-Day" in name}

    assert set(weekdays) - half == frozen(year, FULL_KINDS)
    assert half == frozen(year, {DayKind.HALF_DAY})


@pytest.mark.parametrize("year", range(2013, 2031))
def test_years_from_2013_have_twenty_weekdays_off(year: int) -> None:
    """Since substitutes exist a year has twenty full weekdays off, and 2015 one more for the third of September."""
    assert (21 if year == 2015 else 20) == len(frozen(year, FULL_KINDS))


def test_2012_has_its_whole_last_day_off() -> None:
    """In 2012 the last day of the year was off entirely, which makes twenty-one."""
    assert len(frozen(2012, FULL_KINDS)) == 21
    assert shipped_calendar().day(day("2012-12-31")).kind is DayKind.SUBSTITUTE


@pytest.mark.parametrize(
    ("date", "kind", "working", "word"),
    [
        ("2026-03-09", DayKind.WORKING, True, "Monday"),
        ("2026-03-07", DayKind.WEEKEND, False, "Saturday"),
        ("2026-04-03", DayKind.HOLIDAY, False, "Good Friday"),
        ("2026-04-07", DayKind.SUBSTITUTE, False, "compensatory rest day: Ching Ming"),
        ("2019-04-22", DayKind.SUBSTITUTE, False, "first working day after"),
        ("2020-10-05", DayKind.SUBSTITUTE, False, "overlapping"),
        ("2026-02-16", DayKind.HALF_DAY, True, "afternoon off"),
        ("2023-10-09", DayKind.WORKING, True, "morning only"),
        ("2022-07-06", DayKind.WORKING, True, "limited services"),
    ],
)
def test_a_day_has_its_kind_and_reason(date: str, kind: DayKind, working: bool, word: str) -> None:
    """A day says what it is, why, and whether work is done on it, in three languages."""
    calendar = shipped_calendar()
    info = calendar.day(day(date))

    assert info.kind is kind
    assert working == calendar.is_working(day(date), closures_work=False)
    assert word in info.name.en
    assert info.name.zh
    assert info.name.pt


@pytest.mark.parametrize("date", ["2018-09-17", "2020-02-07", "2020-02-10", "2021-10-05", "2022-07-22", "2025-09-24"])
def test_a_closure_is_worked_only_if_asked(date: str) -> None:
    """A whole-day closure counts as a working day exactly where the caller counts closures as worked."""
    calendar = shipped_calendar()

    assert calendar.day(day(date)).kind is DayKind.CLOSURE
    assert calendar.is_working(day(date), closures_work=True)
    assert not calendar.is_working(day(date), closures_work=False)


def test_all_whole_day_closures_are_known() -> None:
    """Every whole-day closure of the notes is in the calendar: 35 weekdays of five years."""
    closures = [date for date, entry in shipped_calendar().days.items() if entry.kind is DayKind.CLOSURE]
    by_year = {year: sum(date.year == year for date in closures) for year in {date.year for date in closures}}

    assert by_year == {2018: 1, 2020: 10, 2021: 3, 2022: 20, 2025: 1}


def test_the_count_between_days_agrees_with_walking() -> None:
    """Counting by prefix sums gives what walking day by day gives, with closures worked and not."""
    calendar = shipped_calendar()
    first, last = day("2022-06-01"), day("2022-08-01")
    span = [first + dt.timedelta(days=n) for n in range((last - first).days)]
    for closures_work in (True, False):
        walked = sum(calendar.is_working(date, closures_work=closures_work) for date in span)

        assert walked == calendar.count(first, last, closures_work=closures_work)
    assert calendar.count(last, first, closures_work=True) == 0


@pytest.mark.parametrize("date", ["2003-12-31", "2031-01-01"])
def test_days_outside_the_calendar_are_unknown(date: str) -> None:
    """A day that the calendar does not cover raises instead of passing for a working day."""
    calendar = shipped_calendar()

    assert not calendar.covers(day(date))
    with pytest.raises(CalendarUnknown, match="outside the calendar"):
        calendar.day(day(date))
    with pytest.raises(CalendarUnknown):
        calendar.is_working(day(date), closures_work=True)


def test_the_edges_of_the_calendar_are_known() -> None:
    """The first and the last day of the calendar can be asked for, and the count may end after the last."""
    calendar = shipped_calendar()

    assert calendar.day(day("2004-01-01")).kind is DayKind.HOLIDAY
    assert calendar.day(day("2030-12-31")).kind is DayKind.HALF_DAY
    assert calendar.count(day("2030-12-30"), day("2031-01-01"), closures_work=True) == 2


@pytest.mark.parametrize(("year", "grade"), [(2004, "C-"), (2016, "A"), (2023, "B+"), (2025, "A-"), (2030, "E")])
def test_a_year_has_its_grade(year: int, grade: str) -> None:
    """Each year says how well it is proved, in words of three languages."""
    calendar = shipped_calendar()

    assert grade == calendar.year_grade(year)
    assert calendar.grade_texts[grade].zh
    with pytest.raises(CalendarUnknown):
        calendar.year_grade(2031)


BROKEN = [
    ("verified_on: 2026-11-29", "verified_on: soon", "verified_on"),
    ("verified_on: 2026-11-29", "verified_on: 2026-11-29\nextra: 1", "unknown key 'extra'"),
    ('friday: "17:30:00"', 'friday: "25:30:00"', "closes.friday"),
    ("  2005:\n    grade: C\n", "  2005:\n    grade: Z\n", "years.2005.grade"),
    ("  2005:\n    grade: C\n", "  2004:\n    grade: C\n", "stands twice"),
    ("  2005:\n    grade: C\n", "  2035:\n    grade: C\n", "years"),
    ("      02-09: [lunar_new_year_1]", "      02-30: [lunar_new_year_1]", "'02-30' is not a day of 2005"),
    ("      02-09: [lunar_new_year_1]", "      02-12: [lunar_new_year_1]", "weekend"),
    ("      02-09: [lunar_new_year_1]", "      02-09: [nobody_knows]", "'nobody_knows' is not one of"),
    ("      02-09: [lunar_new_year_1]", "      02-09: []", "a name is expected"),
    ("ground: ragasa", "ground: unknown", "closures[9].ground"),
    ("{from: 2025-09-24, to: 2025-09-24", "{from: 2025-12-24, to: 2025-12-24", "already holiday"),
    ("{from: 2020-02-08, to: 2020-02-16", "{from: 2020-02-07, to: 2020-02-16", "listed twice"),
    ("{from: 2020-02-08, to: 2020-02-16", "{from: 2020-02-08, to: 2020-02-06", "a first and a last day"),
]


@pytest.mark.parametrize(("good", "bad", "words"), BROKEN)
def test_a_malformed_calendar_is_refused(tmp_path, good: str, bad: str, words: str) -> None:  # noqa: ANN001
    """Each fault of the data file is an error that names the file and the place."""
    text = FILE.read_text(encoding="utf-8")
    assert text.count(good) >= 1
    broken = tmp_path / "working_days.yaml"
    broken.write_text(text.replace(good, bad, 1), encoding="utf-8")

    with pytest.raises(ConfigurationError) as caught:
        read_calendar(broken)
    assert str(caught.value).startswith("working_days.yaml: ")
    assert words in str(caught.value)
