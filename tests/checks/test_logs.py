"""LOG-003: rounds of a table follow one another."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from tests.audited import audited

NOON = "2024-03-01T12:00:{}+08:00"


def starts(*seconds: int) -> list[str]:
    """Starts of rounds, in seconds after noon."""
    return [NOON.format(f"{second:02}") for second in seconds]


@pytest.mark.parametrize(
    ("ended", "tables", "found"),
    [
        (("29", "59"), ("T1", "T1"), False),
        (("30", "59"), ("T1", "T1"), False),
        (("31", "59"), ("T1", "T1"), True),
        (("31", "59"), ("T1", "T2"), False),
        ((None, "59"), ("T1", "T1"), False),
    ],
)
def test_overlap(ended: tuple[str | None, ...], tables: tuple[str, str], found: bool, tmp_path: Path) -> None:
    """A round may start when the one before it at its table ends, not sooner; without an end nothing is said."""
    ends = [None if second is None else NOON.format(second) for second in ended]
    rows = {"started_at": starts(0, 30), "ended_at": ends, "table_id": tables, "shoe_id": ""}
    done = audited(rows, tmp_path)
    expected = [("LOG-003", "R2", ">= 2024-03-01T12:00:31+08:00", "2024-03-01T12:00:30+08:00", "R1", "R2")]

    assert (expected if found else []) == done.told(
        "round_id", "expected", "observed", "first_round_id", "last_round_id"
    )
    assert {"conforming": 2} == done.verdicts


def test_only_the_round_before_counts(tmp_path: Path) -> None:
    """Rounds are compared in the order of time, each with the one before it."""
    rows = {"started_at": starts(20, 0, 40), "ended_at": [NOON.format(s) for s in ("30", "50", "59")], "shoe_id": ""}
    done = audited(rows, tmp_path)

    assert [("LOG-003", "R1", "R2")] == done.told("round_id", "first_round_id")


def test_day_asked_for(tmp_path: Path) -> None:
    """The finding is about the later round: it stands where that one's day is asked for."""
    rows = {
        "started_at": ["2024-03-02T05:59:00+08:00", "2024-03-02T06:00:00+08:00", "2024-03-02T06:01:00+08:00"],
        "ended_at": ["2024-03-02T06:00:10+08:00", "2024-03-02T06:01:10+08:00", None],
        "shoe_id": "",
    }
    later = audited(rows, tmp_path, day=dt.date(2024, 3, 2))

    assert [("LOG-003", "R2"), ("LOG-003", "R3")] == later.told("round_id")


def test_the_day_before_is_not_accused(tmp_path: Path) -> None:
    """An overlap of a round of the next day is no finding of the day asked for."""
    rows = {
        "started_at": ["2024-03-02T05:59:00+08:00", "2024-03-02T06:00:00+08:00"],
        "ended_at": ["2024-03-02T06:00:10+08:00", "2024-03-02T06:01:10+08:00"],
        "shoe_id": "",
    }

    assert [] == audited(rows, tmp_path, day=dt.date(2024, 3, 1)).codes
