"""What an audit comes to, in numbers that add: those of a part of the input, and of all parts together."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from audit.base.columns import UNRECORDED
from audit.base.days import MACAU_OFFSET
from audit.base.known_games import GAMES
from audit.checks.case import Case
from audit.evidence.hand_evidence import Evidence
from audit.evidence.table_days import Surroundings
from audit.findings.counts import HOUR, FindingCounts
from audit.replay.codes import STATUSES
from audit.replay.judging import NO_RULES

CELLS: Final = 5_000
"""Most table-hours that are listed; beyond, only those with findings, and no more than twice as many."""

Cell = tuple[str, str, int]
"""House (empty where unknown), table, hour of Macau since 1970."""


@dataclass
class BusyHours:
    """Rounds and findings by table and hour: `busy` counts the cells with rounds, `cells` holds those to be listed."""

    busy: int = 0
    cells: dict[Cell, tuple[str | None, int, int]] = field(default_factory=dict)

    @classmethod
    def of(cls, case: Case, counts: FindingCounts, known: int = 0) -> BusyHours:
        """The cells of one part, where other parts are `known` to have so many."""
        rounds, names, hours = case.rounds, case.rounds.names, cls()
        where = slice(None) if case.scope.all() else np.flatnonzero(case.scope)
        start = rounds.start[where]
        if not len(start):
            return hours
        hour = (start + MACAU_OFFSET) // HOUR
        first = int(hour.min())
        span = int(hour.max()) - first + 1
        busy, times = _counted(rounds.table[where].astype(np.int64) * span + (hour - first))
        hours.busy = len(busy)
        found = {
            table * span + hour_of - first: findings
            for place in counts.moments
            if (table := names.table_at(*place)) != UNRECORDED
            for hour_of, findings in counts.hours_of(place).items()
            if 0 <= hour_of - first < span
        }
        listed = np.arange(len(busy))
        if len(busy) + known > CELLS:
            listed = np.flatnonzero(np.isin(busy, np.array(list(found), np.int64)))
        for number, rounds_there in zip(busy[listed].tolist(), times[listed].tolist(), strict=True):
            table, place = divmod(number, span)
            casino, table_id = names.place(table)
            hours.cells[casino or "", table_id, first + place] = casino, rounds_there, found.get(number, 0)
        return hours

    def add(self, other: BusyHours) -> None:
        """Add the cells of another part; a table is in one part only."""
        self.busy += other.busy
        self.cells.update(other.cells)
        self._trim()

    def _trim(self) -> None:
        if self.busy <= CELLS:
            return
        listed = [key for key, (_, _, findings) in self.cells.items() if findings]
        if len(listed) < len(self.cells) or len(listed) > 2 * CELLS:
            self.cells = {key: self.cells[key] for key in sorted(listed)[: 2 * CELLS]}


def _counted(keys: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Distinct keys, ascending, with how often each occurs; by counting where they lie close, else by sorting."""
    if keys.max() <= 4 * len(keys):
        counted = np.bincount(keys)
        distinct = np.flatnonzero(counted)
        return distinct, counted[distinct]
    return np.unique(keys, return_counts=True)


@dataclass
class VersionUse:
    """Rounds judged by one version of a game's rules, and their first and last legal day (days since 1970)."""

    rounds: int
    first: int
    last: int

    def add(self, other: VersionUse) -> None:
        """Add the rounds of another part."""
        self.rounds += other.rounds
        self.first, self.last = min(self.first, other.first), max(self.last, other.last)


@dataclass
class Summary:
    """The numbers of one part of the input, or of several.

    `verdicts` are rounds in scope by game and verdict; `rules` the versions applied, by game and first day in force
    (None: before coverage); `tables` rounds and wagers by (house, table, game); `recorded` the options that rounds of
    each game record. `evidence` and `surroundings` are kept for the findings that a report shows, and no more.
    """

    counts: FindingCounts
    evidence: Evidence
    surroundings: Surroundings = field(default_factory=Surroundings)
    accepted: Counter[str] = field(default_factory=Counter)
    outside: Counter[str] = field(default_factory=Counter)
    verdicts: dict[str, Counter[str]] = field(default_factory=dict)
    statuses: Counter[str] = field(default_factory=Counter)
    first_start: int | None = None
    last_start: int | None = None
    shoes: int = 0
    rules: dict[tuple[str, str | None], VersionUse] = field(default_factory=dict)
    tables: dict[tuple[str | None, str, str], list[int]] = field(default_factory=dict)
    hours: BusyHours = field(default_factory=BusyHours)
    tally: Counter[tuple[str, str]] = field(default_factory=Counter)
    options: list[dict[str, Any]] = field(default_factory=list)
    recorded: dict[str, set[str]] = field(default_factory=dict)
    orphans: int = 0

    @classmethod
    def empty(cls, most: int) -> Summary:
        """The summary of nothing; evidence is kept of the first `most` findings of each check."""
        return cls(FindingCounts(most), Evidence(most))

    def of_rounds(self, case: Case, wagers_of_table: Any, known: int) -> None:
        """Count the rounds of a case whose findings are all in `counts`; `known` table-hours are those of others."""
        rounds, scope, names = case.rounds, case.scope, case.rounds.names
        self.accepted["rounds"] += int(np.count_nonzero(scope))
        self.outside["rounds"] += int(np.count_nonzero(~scope))
        start = rounds.start[scope]
        if len(start):
            self.first_start, self.last_start = int(start.min()), int(start.max())
        self.shoes += int(np.count_nonzero(np.bincount(rounds.shoe[scope & (rounds.shoe >= 0)])))
        for code, status in enumerate(STATUSES):
            self.statuses[status.value] += int(np.count_nonzero(scope & (rounds.status == code)))
        for code, game in enumerate(GAMES):
            mine = scope & (rounds.game == code)
            if mine.any():
                self.verdicts[game] = _verdicts(case, mine)
                self._versions(case, game, mine)
        size = len(names.table.texts) * len(GAMES)
        counted = np.bincount(rounds.table[scope].astype(np.int64) * len(GAMES) + rounds.game[scope], minlength=size)
        for number in np.flatnonzero(counted).tolist():
            table, code = divmod(number, len(GAMES))
            casino, table_id = names.place(table)
            self.tables[casino, table_id, GAMES[code]] = [int(counted[number]), int(wagers_of_table[number])]
        self.hours = BusyHours.of(case, self.counts, known)

    def _versions(self, case: Case, game: str, mine: Any) -> None:
        for number in (np.flatnonzero(np.bincount(case.found.rules[mine] - NO_RULES)) + NO_RULES).tolist():
            days = case.rounds.legal_day[mine & (case.found.rules == number)]
            version = None if number == NO_RULES else case.found.rulesets[number].in_force_from.isoformat()
            self.rules[game, version] = VersionUse(len(days), int(days.min()), int(days.max()))

    def add(self, other: Summary) -> None:
        """Add the numbers of another part."""
        self.counts.add(other.counts)
        self.evidence.add(other.evidence)
        self.surroundings.add(other.surroundings)
        self.accepted.update(other.accepted)
        self.outside.update(other.outside)
        self.statuses.update(other.statuses)
        self.tally.update(other.tally)
        for game, verdicts in other.verdicts.items():
            self.verdicts.setdefault(game, Counter()).update(verdicts)
        starts = [s for s in (self.first_start, other.first_start) if s is not None]
        ends = [s for s in (self.last_start, other.last_start) if s is not None]
        self.first_start, self.last_start = min(starts, default=None), max(ends, default=None)
        self.shoes += other.shoes
        for key, version in other.rules.items():
            if key in self.rules:
                self.rules[key].add(version)
            else:
                self.rules[key] = version
        for place, numbers in other.tables.items():
            mine = self.tables.setdefault(place, [0, 0])
            mine[:] = [a + b for a, b in zip(mine, numbers, strict=True)]
        self.hours.add(other.hours)
        self.options += other.options
        for game, options in other.recorded.items():
            self.recorded.setdefault(game, set()).update(options)
        self.orphans += other.orphans


def _verdicts(case: Case, mask: Any) -> Counter[str]:
    """Verdicts of the rounds of `mask` (contract, judging rule 14)."""
    rounds = int(np.count_nonzero(mask))
    violation = int(np.count_nonzero(mask & case.violation))
    unanswered = int(np.count_nonzero(mask & case.unanswered & ~case.violation))
    return Counter(conforming=rounds - violation - unanswered, violation=violation, not_evaluated=unanswered)
