from __future__ import annotations

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.source.cells import SourceColumn
from audit.source.instants import instants

PLACE = SourceColumn("log.csv", "started_at")
MOMENT = dt.datetime(2024, 3, 1, 13, 4, 5, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    "text",
    [
        "2024-03-01T21:04:05+08:00",
        "2024-03-01T21:04:05+0800",
        "2024-03-01 21:04:05+08:00",
        "2024-03-01T13:04:05Z",
        "2024-03-01T13:04:05.000Z",
        "2024-03-01T08:04:05.000000000-05:00",
        "2024-03-01T21:04:05",
        " 2024-03-01 21:04:05.0 ",
    ],
)
@pytest.mark.parametrize("encoded", [False, True])
def test_every_form_is_the_same_instant(text: str, encoded: bool) -> None:
    """Offsets, fractions, the T or a space, and local time in Macau all give the one instant."""
    column = pa.array([text, None, "2024-03-01T13:04:05Z"])
    read = instants(column.dictionary_encode() if encoded else column, PLACE, "Asia/Macau")

    assert [MOMENT, None, MOMENT] == read.values.to_pylist()
    assert () == read.faults


def test_minutes_without_seconds_are_enough() -> None:
    """A time without seconds is that minute's beginning."""
    read = instants(pa.array(["2024-03-01T21:04+08:00", "2024-03-01 21:04"]), PLACE, "Asia/Macau")

    assert [MOMENT.replace(second=0)] * 2 == read.values.to_pylist()


@pytest.mark.parametrize(
    "text",
    [
        "2024-02-30T00:00:00Z",
        "2023-02-29T00:00:00Z",
        "2024-13-01T00:00:00Z",
        "2024-04-31 00:00:00",
        "2024-03-01T24:00:00Z",
        "2024-03-01T23:60:00Z",
        "2024-03-01T23:59:60Z",
        "2024-03-01T21:04:05+25:00",
        "2024-03-01T21+08",
        "2024-03-01",
        "1709298245",
        "01/03/2024 21:04:05",
        "today",
    ],
)
def test_text_that_is_no_time_is_a_fault(text: str) -> None:
    """Days that no month has, hours beyond the day, bare days, numbers and other orders are faults."""
    read = instants(pa.array(["2024-02-29T13:04:05Z", text]), PLACE, "Asia/Macau")

    assert [("not_timestamp", [1])] == [(f.reason, np.flatnonzero(f.mask).tolist()) for f in read.faults]


@pytest.mark.parametrize("zone", [None, "UTC"])
def test_wall_clock_times_that_never_were_or_were_twice_are_faults(zone: str | None) -> None:
    """In a zone with summer time the skipped hour and the repeated hour cannot be read, from text or from Arrow."""
    texts = ["2024-03-31T01:30:00", "2024-06-01T12:00:00", "2024-10-27T01:30:00"]
    column = pa.array(texts) if zone else pa.array(texts).cast(pa.timestamp("us"))
    read = instants(column, PLACE, "Europe/Lisbon")

    assert {"time_that_never_was": [0], "time_that_was_twice": [2]} == {
        fault.reason: np.flatnonzero(fault.mask).tolist() for fault in read.faults
    }
    assert dt.datetime(2024, 6, 1, 11, tzinfo=dt.UTC) == read.values[1].as_py()


@pytest.mark.parametrize(
    ("text", "good"),
    [
        ("1975-10-03T23:59:59Z", False),
        ("1975-10-04T00:00:00Z", True),
        ("2099-12-31T23:59:59.999999Z", True),
        ("2100-01-01T00:00:00Z", False),
        ("0001-01-01T00:00:00Z", False),
        ("9999-12-31T00:00:00Z", False),
    ],
)
def test_only_the_accepted_years_can_be_read(text: str, good: bool) -> None:
    """An instant outside the years accepted is a fault, and the bounds are exact."""
    read = instants(pa.array([text, "2024-03-01T13:04:05Z"]), PLACE, "Asia/Macau")

    assert ([] if good else [("wrong_century", [0])]) == [
        (f.reason, np.flatnonzero(f.mask).tolist()) for f in read.faults
    ]


@given(
    st.lists(
        st.tuples(
            st.datetimes(dt.datetime(1980, 1, 1), dt.datetime(2099, 1, 1)),  # noqa: DTZ001
            st.none() | st.integers(-14 * 60, 14 * 60),
            st.sampled_from("T "),
        ),
        min_size=1,
        max_size=20,
    )
)
def test_mixed_forms_in_one_column_are_read_each_by_itself(times: list[tuple[dt.datetime, int | None, str]]) -> None:
    """Any mixture of offsets and local times gives the instants that the standard library reads."""
    zones = [dt.timezone(dt.timedelta(minutes=480 if offset is None else offset)) for _, offset, _ in times]
    moments = [time.replace(tzinfo=zone) for (time, _, _), zone in zip(times, zones, strict=True)]
    texts = [
        (time if offset is None else moment).isoformat(separator)
        for (time, offset, separator), moment in zip(times, moments, strict=True)
    ]

    assert moments == instants(pa.array(texts), PLACE, "Etc/GMT-8").values.to_pylist()


_DIGITS = st.integers(0, 9).map(str)


@given(
    st.sampled_from(
        [
            "2024-03-01 08:00:00.000+0800",
            "2024-02-28T23:59:59Z",
            "1999-12-31 23:59",
            "2024-03-01T08:00:00.123456",
            "1999-10-31T02:30:00-05:00",
        ]
    ),
    st.lists(st.tuples(st.integers(0, 27), _DIGITS | st.sampled_from("-+:T Z.9")), max_size=3),
    st.sampled_from(["Asia/Macau", "Europe/Lisbon"]),
)
def test_a_column_of_one_form_is_read_as_each_text_by_itself(
    text: str, changes: list[tuple[int, str]], zone: str
) -> None:
    """Reading a whole column of one form at once gives the instants and faults that each text gives alone."""
    texts = [text]
    for place, sign in changes:
        place = place % len(text)  # noqa: PLW2901 - within the text
        texts.append(text[:place] + sign + text[place + 1 :])
    together = instants(pa.array(texts), PLACE, zone)

    for number, each in enumerate(texts):
        alone = instants(pa.array([each, "no time at all"]), PLACE, zone)
        marked = [fault.reason for fault in alone.faults if fault.mask[0]]
        assert marked == [fault.reason for fault in together.faults if fault.mask[number]], each
        if not marked:
            assert alone.values[0] == together.values[number], each
