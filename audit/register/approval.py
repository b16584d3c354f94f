"""One entry of the house's register of what DICJ authorised."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Final

from audit.base.model import Game

ALL_TABLES: Final = ("*",)
"""The value of `tables` for an entry that covers every table."""


class Decision(StrEnum):
    """What DICJ decided on an application."""

    GRANTED = "granted"
    REFUSED = "refused"
    PENDING = "pending"


@dataclass(frozen=True, slots=True)
class Approval:
    """One entry; the columns are those of the README ("approvals").

    `casino` None means every casino of the input; `tables` is `ALL_TABLES` or table ids. `applied_at` is in Macau time;
    where the register gives only its day, it is the opening of that day and `applied_day_only` is true. `row` counts
    rows of data from 1 in the file `file` (base name).
    """

    approval_id: str
    casino: str | None
    game: Game
    option: str
    value: str
    tables: tuple[str, ...]
    applied_at: dt.datetime | None
    decision: Decision
    authorised_at: dt.date | None
    planned_from: dt.date | None
    ends_on: dt.date | None
    row: int
    file: str = ""
    applied_day_only: bool = False

    @property
    def content(self) -> tuple[object, ...]:
        """Everything but where it stands: equal for exact repeats."""
        return tuple(getattr(self, field.name) for field in fields(self) if field.name not in {"row", "file"})

    @property
    def start(self) -> dt.date | None:
        """First legal day that a granted entry covers: the later of `authorised_at` and `planned_from` of those given.

        None where neither is given, or where the entry ends before it would begin: it then covers nothing.
        """
        given = [day for day in (self.authorised_at, self.planned_from) if day is not None]
        if not given:
            return None
        start = max(given)
        return None if self.ends_on is not None and self.ends_on < start else start

    def names_table(self, casino: str | None, table: str) -> bool:
        """Say whether the entry is about that table of that casino."""
        if self.casino is not None and self.casino != casino:
            return False
        return self.tables == ALL_TABLES or table in self.tables

    def covers(self, day: dt.date) -> bool:
        """Say whether a granted entry covers the legal day."""
        start = self.start
        if self.decision is not Decision.GRANTED or start is None or day < start:
            return False
        return self.ends_on is None or day <= self.ends_on
