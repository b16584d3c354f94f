from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.source import profiles
from audit.source.cells import SourceColumn
from audit.source.clock import as_iso, of_business_day

PLACE = SourceColumn("a.csv", "time")


@pytest.mark.parametrize(
    ("form", "text", "iso"),
    [
        ("month_first", "04/14/2023 20:20:26.575", "2023-04-14 20:20:26.575"),
        ("month_first", "4/5/2023 1:02:03", "2023-04-05 01:02:03"),
        ("day_first", "4.5.2023 01:02", "2023-05-04 01:02"),
        ("day_first", "14/04/2023 12:00:00 AM", "2023-04-14 00:00:00"),
        ("year_first", "2023/4/5 12:30:00 下午", "2023-04-05 12:30:00"),
        ("compact", "20230405010203", "2023-04-05 01:02:03"),
        ("epoch_ms", "1700000000123", "2023-11-14T22:13:20.123000Z"),
        ("epoch_s", "1700000000", "2023-11-14T22:13:20.000000Z"),
        ("iso", "2023-04-05T01:02:03+08:00", "2023-04-05T01:02:03+08:00"),
        ("month_first", "2023-04-05 01:02:03", "2023-04-05 01:02:03"),
        ("epoch_ms", "17000000001", "17000000001"),
        ("month_first", "yesterday", "yesterday"),
    ],
)
def test_each_form_is_rewritten_and_other_text_stays(form: str, text: str, iso: str) -> None:
    """A time in the form that the profile promises is rewritten, whatever is not stays to be rejected."""
    assert [iso, None] == as_iso(pa.array([text, None]), form, PLACE).to_pylist()


@given(st.dates(dt.date(1990, 1, 1), dt.date(2090, 12, 30)), st.times(), st.times())
def test_a_clock_before_the_start_belongs_to_the_next_day(day: dt.date, clock: dt.time, starts: dt.time) -> None:
    """The vendor's day and a clock make the calendar moment, at the end of any month and year."""
    text, start = clock.strftime("%H:%M:%S"), starts.strftime("%H:%M")
    expected = day + dt.timedelta(days=text < start)

    made = of_business_day(pa.array([day.isoformat()]), pa.array([text]), "iso", start, (PLACE, PLACE))

    assert [f"{expected} {text}"] == made.to_pylist()


def test_two_columns_may_have_two_zones(tmp_path: Path, read_text: Any) -> None:
    """A column that names a zone is read in it, the others in that of the profile."""
    (tmp_path / "v.yaml").write_text(
        "name: v\nzone: Asia/Macau\nrounds:\n"
        "  columns: {round_id: id, table_id: t, started_at: a, ended_at: {from: b, zone: Etc/GMT+4}}\n"
        "  constants: {game: baccarat, status: settled, round_no: 1}\n  cards: {player: p, banker: q}\n"
    )
    log = "id,t,a,b,p,q\n1,T,2024-03-01 12:00:00,2024-03-01 00:00:30,9H KD,3C 4S\n"

    row = read_text(log, profile=profiles.load_profile(str(tmp_path / "v.yaml"))).rows[0]

    assert 30 == (row["ended_at"] - row["started_at"]).total_seconds()
