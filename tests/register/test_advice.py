"""Advice on notice: the last day to apply and the earliest day to adopt."""

from __future__ import annotations

import datetime as dt
import json

import pytest

from audit.base.errors import UsageError
from audit.base.model import MACAU
from audit.register.advice import earliest_adoption_day, last_application_day, notice_json


def day(text: str) -> dt.date:
    """Read a day."""
    return dt.date.fromisoformat(text)


@pytest.mark.parametrize(
    ("adopt", "reading", "last", "moment"),
    [
        ("2026-03-13", "standard", "2026-03-10", "17:45:00"),
        ("2026-03-13", "clear_days", "2026-03-09", "17:45:00"),
        ("2026-03-14", "standard", "2026-03-11", "17:45:00"),
        ("2026-03-11", "standard", "2026-03-06", "17:30:00"),
        ("2026-02-24", "standard", "2026-02-16", "13:00:00"),
        ("2025-12-29", "standard", "2025-12-18", "17:45:00"),
        ("2018-09-18", "standard", "2018-09-12", "17:45:00"),
    ],
)
def test_the_last_application_day(adopt: str, reading: str, last: str, moment: str) -> None:
    """The last lawful application is at closing time of the third working day before, closures not counted."""
    advice = last_application_day(day(adopt), reading, needed=3)

    assert day(last) == advice.day
    assert advice.moment == dt.datetime.fromisoformat(f"{last}T{moment}").replace(tzinfo=MACAU)


@pytest.mark.parametrize(
    ("applied", "reading", "earliest"),
    [
        ("2026-03-10T10:00", "standard", "2026-03-13"),
        ("2026-03-10T10:00", "clear_days", "2026-03-14"),
        ("2026-03-11T10:00", "standard", "2026-03-14"),
        ("2026-03-06T18:00", "standard", "2026-03-12"),
        ("2025-09-23T10:00", "standard", "2025-09-27"),
    ],
)
def test_the_earliest_adoption_day(applied: str, reading: str, earliest: str) -> None:
    """Adoption may follow on the calendar day after the third working day counted, be it a weekend."""
    applied_at = dt.datetime.fromisoformat(applied).replace(tzinfo=MACAU)

    assert day(earliest) == earliest_adoption_day(applied_at, reading, needed=3).day


def test_the_json_of_notice_has_the_agreed_keys() -> None:
    """The machine-readable answer has the last day and the days counted, and with an application two days more."""
    plain = notice_json(day("2026-03-13"), needed=3)
    both = notice_json(day("2026-03-13"), dt.datetime(2026, 3, 10, 17, 45, 1, tzinfo=MACAU), needed=3)

    assert (plain["adopt"], plain["last_application_day"]) == ("2026-03-13", "2026-03-10")
    assert plain["working_days"] == ["2026-03-10", "2026-03-11", "2026-03-12"]
    assert "deemed_day" not in plain
    assert (both["deemed_day"], both["earliest_adoption_day"]) == ("2026-03-11", "2026-03-14")
    assert json.loads(json.dumps(both)) == both


@pytest.mark.parametrize("adopt", ["2004-01-03", "2031-01-05"])
def test_a_day_outside_the_calendar_is_a_usage_error(adopt: str) -> None:
    """Advice that the calendar cannot give is refused in words."""
    with pytest.raises(UsageError, match="outside the calendar, which covers 2004-01-01 to 2030-12-31"):
        notice_json(day(adopt), needed=3)
