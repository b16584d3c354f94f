"""Days and instants as whole numbers: microseconds since 1970 UTC, days since 1970-01-01 in Macau."""

from __future__ import annotations

import datetime as dt
from typing import Final

import numpy as np
import numpy.typing as npt

from audit.base.model import MACAU

DAY: Final = 86_400_000_000


MACAU_OFFSET: Final = 8 * 3_600_000_000
"""Macau has kept UTC+8 without summer time since 1979, before the first regulation that the auditor knows."""


EPOCH: Final = dt.date(1970, 1, 1)


def instant(microseconds: int) -> dt.datetime:
    """An instant in Macau's time."""
    return (dt.datetime(1970, 1, 1, tzinfo=dt.UTC) + dt.timedelta(microseconds=microseconds)).astimezone(MACAU)


def day(number: int) -> dt.date:
    """The calendar day behind its number since 1970-01-01."""
    return EPOCH + dt.timedelta(days=number)


def day_number(value: dt.date) -> int:
    """Days since 1970-01-01."""
    return (value - EPOCH).days


def gaming_day(start: npt.NDArray[np.int64], cutoff_minutes: int) -> npt.NDArray[np.int32]:
    """The house's business day of each instant: a new one opens `cutoff_minutes` after midnight in Macau."""
    return ((start + MACAU_OFFSET - cutoff_minutes * 60_000_000) // DAY).astype(np.int32)
