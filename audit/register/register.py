"""The register as a whole: whether the use of an option on a day was covered by an authorisation.

55/2004 art. 19 and 67/2007 art. 18 make the house's choices depend on prior authorisation; 55/2004 arts 13(4) and
17(13) do so for further bets and prizes.
"""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from audit.base.model import Game
from audit.register.approval import Approval, Decision
from audit.register.register_file import load_register

__all__ = ["Approval", "Cover", "Decision", "Register", "load_register"]


class Cover(StrEnum):
    """How a use stands to the register."""

    COVERED = "covered"
    NEVER = "never"
    EXPIRED = "expired"
    EARLY = "early"


_Key = tuple[Game, str, str]
_Place = tuple[str | None, str, Game, str, str]

_OPEN: Final = dt.date.max
"""Stands for the last day of an open entry, in comparisons only."""


class Register:
    """The granted entries of a register, indexed for many questions; the entries themselves stay in `approvals`."""

    def __init__(self, approvals: Iterable[Approval]) -> None:
        """Index the entries by game, option and value; entries that give no cover are left out of the index."""
        self.approvals = tuple(approvals)
        self._index: dict[_Key, list[Approval]] = defaultdict(list)
        self._values: dict[tuple[Game, str], list[str]] = defaultdict(list)
        self._places: dict[_Place, tuple[tuple[dt.date, Approval], ...]] = {}
        for entry in self.approvals:
            if entry.decision is Decision.GRANTED and entry.start is not None:
                self._index[entry.game, entry.option, entry.value].append(entry)
        for game, option, value in self._index:
            self._values[game, option].append(value)

    def _entries(
        self, casino: str | None, table: str, game: Game, option: str, value: str
    ) -> tuple[tuple[dt.date, Approval], ...]:
        """The entries that give cover at the table some day, by first day and then id, each with its first day."""
        place = (casino, table, game, option, value)
        found = self._places.get(place)
        if found is None:
            entries = [
                (entry.start, entry)
                for entry in self._index.get((game, option, value), ())
                if entry.start is not None and entry.names_table(casino, table)
            ]
            found = tuple(sorted(entries, key=lambda pair: (pair[0], pair[1].approval_id)))
            self._places[place] = found
        return found

    def covering(
        self, casino: str | None, table: str, game: Game, option: str, value: str, day: dt.date
    ) -> Approval | None:
        """The entry that covers the legal day, None where there is none; of several the one that starts first."""
        for start, entry in self._entries(casino, table, game, option, value):
            if start > day:
                break
            if (entry.ends_on or _OPEN) >= day:
                return entry
        return None

    def authorised_values(self, casino: str | None, table: str, game: Game, option: str, day: dt.date) -> set[str]:
        """The values of an option that the register covers at the table on the legal day."""
        return {
            value
            for value in self._values.get((game, option), ())
            if self.covering(casino, table, game, option, value, day) is not None
        }

    def judge_use(
        self, casino: str | None, table: str, game: Game, option: str, value: str, day: dt.date
    ) -> tuple[Cover, Approval | None]:
        """How the use of a value at the table on the legal day stands to the register, and the entry that decides.

        COVERED with the covering entry; NEVER where no granted entry gives any cover; EXPIRED with the last one that
        ended before the day; EARLY with the one that starts first. Of several equal ones the smallest `approval_id`.
        """
        covering = self.covering(casino, table, game, option, value, day)
        if covering is not None:
            return Cover.COVERED, covering
        entries = self._entries(casino, table, game, option, value)
        if not entries:
            return Cover.NEVER, None
        ended = [(entry.ends_on, entry) for _, entry in entries if entry.ends_on is not None and entry.ends_on < day]
        if ended:
            last = max(end for end, _ in ended)
            return Cover.EXPIRED, min((e for end, e in ended if end == last), key=lambda entry: entry.approval_id)
        return Cover.EARLY, entries[0][1]

    def in_force(self, day: dt.date) -> tuple[Approval, ...]:
        """The granted entries that hold on the legal day, in the order of the register."""
        return tuple(entry for entry in self.approvals if entry.covers(day))
