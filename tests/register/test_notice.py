"""Three working days' notice: the handed cases, the edges of closing time, closures and readings."""

from __future__ import annotations

import csv
import datetime as dt
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.base.model import MACAU
from audit.register.advice import earliest_adoption_day, last_application_day
from audit.register.notice import DecidedBy, NoticeReading, State, clear, count, deemed_day, judge

CASES = Path(__file__).resolve().parents[2].parent / "shared" / "working_days_cases.csv"


def at(text: str) -> dt.datetime:
    """Read a time of Macau."""
    return dt.datetime.fromisoformat(text).replace(tzinfo=MACAU)


def day(text: str) -> dt.date:
    """Read a day."""
    return dt.date.fromisoformat(text)


def cases() -> list[dict[str, str]]:
    """Read the handed cases."""
    if not CASES.exists():
        return []
    with CASES.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.skipif(not CASES.exists(), reason="the handed cases are not on this machine")
def test_there_are_thirty_handed_cases() -> None:
    """The handed file has thirty cases, so that none is lost unseen."""
    assert len(cases()) == 30


@pytest.mark.parametrize("case", cases(), ids=lambda case: case["application_datetime"] + "_" + case["adoption_date"])
def test_handed_case(case: dict[str, str]) -> None:
    """Deemed day, clear days, day count and strict verdict of a handed case come out as its note says."""
    applied, adopt, note = at(case["application_datetime"]), day(case["adoption_date"]), case["note"]
    deemed = deemed_day(applied, closures_work=False)

    assert f"Deemed filed {deemed}" in note
    assert int(case["clear_working_days"]) == clear(deemed, adopt, closures_work=False)
    assert f"adoption day does not) = {count(deemed, adopt, closures_work=False)}:" in note
    judgement = judge(applied, adopt, needed=3)
    assert judgement.working_days_closures_off == count(deemed, adopt, closures_work=False)
    # A strict pass is a pass in every reading; a strict failure is never simply ok.
    assert (case["compliant_strict"] == "yes") == (judgement.state is State.OK)
    if "If the closed day(s) count as working" in note:
        assert f"clear {judgement.clear_days}, day-count {judgement.working_days}." in note
        assert judgement.state is State.DOUBT
    if "HINGES ON: after-hours filing" in note:
        assert judgement.state is State.SHORT_AFTER_HOURS_ONLY
    if "HINGES ON: clear-days" in note:
        assert (judgement.state, judgement.decided_by) == (State.DOUBT, (DecidedBy.CLEAR_DAYS,))


@pytest.mark.parametrize(
    ("applied", "deemed"),
    [
        ("2026-03-09T00:00:00", "2026-03-09"),
        ("2026-03-09T13:30:00", "2026-03-09"),
        ("2026-03-09T17:45:00", "2026-03-09"),
        ("2026-03-09T17:45:00.900000", "2026-03-09"),
        ("2026-03-09T17:45:01", "2026-03-10"),
        ("2026-03-12T17:45:00", "2026-03-12"),
        ("2026-03-13T17:30:00", "2026-03-13"),
        ("2026-03-13T17:30:01", "2026-03-16"),
        ("2026-02-16T13:00:00", "2026-02-16"),
        ("2026-02-16T13:00:01", "2026-02-20"),
        ("2026-03-14T09:00:00", "2026-03-16"),
        ("2026-03-15T23:59:59", "2026-03-16"),
        ("2026-04-03T10:00:00", "2026-04-08"),
    ],
)
def test_the_deemed_day_is_decided_to_the_second(applied: str, deemed: str) -> None:
    """A paper at the closing second is in time; a second later, or on a day off, it waits for the next working day."""
    assert day(deemed) == deemed_day(at(applied), closures_work=True)


def test_the_deemed_day_is_macau_s_own() -> None:
    """An instant written in another zone counts by the clock of Macau."""
    late = dt.datetime(2026, 3, 9, 9, 45, 1, tzinfo=dt.UTC)

    assert day("2026-03-10") == deemed_day(late, closures_work=True)
    assert day("2026-03-09") == deemed_day(late - dt.timedelta(seconds=1), closures_work=True)
    with pytest.raises(ValueError, match="zone"):
        deemed_day(dt.datetime(2026, 3, 9, 9, 0), closures_work=True)  # noqa: DTZ001 - the fault under test


def test_an_application_on_a_closure_day_counts_that_day_for_the_verdict() -> None:
    """On a closure day the application counts as made that day where closures are worked, else on the next open day."""
    applied = at("2025-09-24T10:00:00")

    assert day("2025-09-24") == deemed_day(applied, closures_work=True)
    assert day("2025-09-25") == deemed_day(applied, closures_work=False)
    judgement = judge(applied, day("2025-09-29"), needed=3)
    assert (judgement.working_days, judgement.working_days_closures_off) == (3, 2)
    assert judgement.state is State.DOUBT
    assert judgement.decided_by == (DecidedBy.CLEAR_DAYS, DecidedBy.CLOSURES)


def test_both_readings_together_can_be_what_falls_short() -> None:
    """Where clear days alone and closures alone suffice but not both, the notice is in doubt by their conjunction."""
    judgement = judge(at("2025-09-22T10:00:00"), day("2025-09-26"), needed=3)

    assert (judgement.working_days, judgement.clear_days) == (4, 3)
    assert (judgement.working_days_closures_off, judgement.clear_days_closures_off) == (3, 2)
    assert judgement.state is State.DOUBT
    assert judgement.decided_by == (DecidedBy.CLEAR_DAYS, DecidedBy.CLOSURES)


@pytest.mark.parametrize(
    ("applied", "adopt", "standard", "strict"),
    [
        ("2026-03-09T10:00:00", "2026-03-13", State.OK, State.OK),
        ("2026-03-10T10:00:00", "2026-03-13", State.DOUBT, State.SHORT),
        ("2026-03-10T17:45:01", "2026-03-13", State.SHORT_AFTER_HOURS_ONLY, State.SHORT),
        ("2026-03-09T17:45:01", "2026-03-13", State.DOUBT, State.SHORT_AFTER_HOURS_ONLY),
        ("2026-03-11T17:46:00", "2026-03-13", State.SHORT, State.SHORT),
        ("2026-02-16T14:00:00", "2026-02-24", State.SHORT_AFTER_HOURS_ONLY, State.SHORT),
        ("2026-03-14T10:00:00", "2026-03-18", State.SHORT, State.SHORT),
        ("2026-03-14T10:00:00", "2026-03-19", State.DOUBT, State.SHORT),
        ("2026-03-13T18:00:00", "2026-03-19", State.DOUBT, State.SHORT_AFTER_HOURS_ONLY),
        ("2026-03-13T10:00:00", "2026-03-13", State.SHORT, State.SHORT),
        ("2026-03-20T10:00:00", "2026-03-13", State.SHORT, State.SHORT),
        ("2025-09-22T10:00:00", "2025-09-26", State.DOUBT, State.DOUBT),
        ("2022-06-17T10:00:00", "2022-06-23", State.DOUBT, State.DOUBT),
        ("2003-12-30T10:00:00", "2004-06-01", State.NOT_EVALUATED, State.NOT_EVALUATED),
        ("2030-12-20T10:00:00", "2031-01-02", State.NOT_EVALUATED, State.NOT_EVALUATED),
    ],
)
def test_the_state_in_both_readings(applied: str, adopt: str, standard: State, strict: State) -> None:
    """The state of a notice follows the reading that the configuration asks for."""
    assert standard is judge(at(applied), day(adopt), "standard", needed=3).state
    assert strict is judge(at(applied), day(adopt), "clear_days", needed=3).state


def test_a_judgement_lists_the_days_by_name() -> None:
    """The days counted and those passed over account for every day from application to adoption."""
    judgement = judge(at("2026-02-16T14:45:00"), day("2026-02-25"), needed=3)

    assert [str(info.day) for info in judgement.counted] == ["2026-02-20", "2026-02-23", "2026-02-24"]
    assert len(judgement.counted) == judgement.working_days
    assert [str(info.day)[8:] for info in judgement.skipped] == ["16", "17", "18", "19", "21", "22"]
    assert "Lunar New Year" in judgement.skipped[1].name.en
    assert judgement.grades == ((2026, "A"),)


MOMENTS = st.datetimes(
    dt.datetime(2004, 2, 1),  # noqa: DTZ001 - the zone comes with the next argument
    dt.datetime(2030, 11, 1),  # noqa: DTZ001 - as above
    timezones=st.just(MACAU),
)
DAYS = st.dates(min_value=dt.date(2004, 2, 1), max_value=dt.date(2030, 11, 30))


@given(adopt=DAYS, reading=st.sampled_from(NoticeReading))
def test_advice_and_verdict_agree(adopt: dt.date, reading: NoticeReading) -> None:
    """The last application moment is in time in every sense asked for, and one second later it is not."""
    last = last_application_day(adopt, reading, needed=3)

    assert len(last.counted) == 3
    assert judge(last.moment, adopt, reading, needed=3).state in {State.OK, State.DOUBT}
    late = last.moment + dt.timedelta(seconds=1)
    deemed = deemed_day(late, closures_work=False)
    left = (count if reading is NoticeReading.STANDARD else clear)(deemed, adopt, closures_work=False)
    assert left == 2
    earliest = earliest_adoption_day(last.moment, reading, needed=3)
    assert earliest.day <= adopt
    assert earliest.day == earliest.counted[-1].day + dt.timedelta(days=1)


@given(applied=MOMENTS)
def test_the_earliest_adoption_is_the_earliest(applied: dt.datetime) -> None:
    """Adoption on the advised day has three working days' notice, and the day before has not."""
    earliest = earliest_adoption_day(applied, needed=3)

    assert count(earliest.deemed_day, earliest.day, closures_work=False) == 3
    assert count(earliest.deemed_day, earliest.day - dt.timedelta(days=1), closures_work=False) == 2


@given(applied=MOMENTS, gap=st.integers(-3, 30))
def test_the_strictest_count_is_the_lowest(applied: dt.datetime, gap: int) -> None:
    """Clear days with closures off never exceed any other count, and doubt lies between ok and short."""
    judgement = judge(applied, applied.date() + dt.timedelta(days=gap), needed=3)
    counts = (judgement.working_days, judgement.clear_days, judgement.working_days_closures_off)

    assert judgement.clear_days_closures_off == min(*counts, judgement.clear_days_closures_off)
    assert (judgement.state is State.OK) == (judgement.clear_days_closures_off >= 3)
    assert len(judgement.counted) == judgement.working_days
