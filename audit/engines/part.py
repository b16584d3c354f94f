"""The unit of work: the rounds of whole tables with their wagers, audited on their own.

Everything that a check needs to know about a table, a shoe or a day of a table is in one part, so that parts are
audited in any order, anywhere; what they find is merged by sorting, what they count by adding.
"""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from audit.base.columns import Words
from audit.base.days import day_number, gaming_day
from audit.base.known_games import GAMES
from audit.base.model import Status
from audit.checks.case import Case, Tally
from audit.checks.draws import check_draws
from audit.checks.events import EventChecks, ShoeEvent
from audit.checks.limits import StakeLimits
from audit.checks.logs import check_overlaps
from audit.checks.options_in_use import Uses, check_uses, recorded_options, uses_of_rounds
from audit.checks.payouts import Payouts
from audit.checks.results import check_results
from audit.checks.shoes import Shoes, check_shoes
from audit.checks.wager_columns import WagerBatch, WagerWords
from audit.config.settings import Settings
from audit.engines.assignment import Law
from audit.engines.summary import Summary
from audit.engines.timings import StepTimes
from audit.evidence.hand_evidence import Evidence
from audit.evidence.table_days import Surroundings
from audit.findings.counts import FindingCounts
from audit.findings.table import Sink
from audit.replay.codes import STATUSES
from audit.replay.dues import DueTable
from audit.replay.hands import HandBook
from audit.replay.identity import RoundIndex
from audit.replay.judging import judge
from audit.replay.repeats import Conflicts
from audit.replay.rounds import Names, Rounds
from audit.rulebook.rules import GameRules
from audit.source.file_reading import Batch

Days = tuple[dt.date | None, dt.date | None]
"""First and last gaming day asked for; None: no bound."""

Take = Callable[[pa.RecordBatch], None]


class EventBook:
    """The events of the input by the name of their table."""

    def __init__(self, events: Iterable[ShoeEvent]) -> None:
        self._by_table: dict[str, list[ShoeEvent]] = defaultdict(list)
        self.kinds: set[str] = set()
        for event in events:
            self._by_table[event.table_id].append(event)
            self.kinds.add(event.event)

    def __len__(self) -> int:
        return sum(len(events) for events in self._by_table.values())

    def at(self, tables: Collection[str]) -> list[ShoeEvent]:
        """The events at tables of these names."""
        return [event for table in sorted(tables) for event in self._by_table.get(table, ())]

    def elsewhere(self, tables: Collection[str]) -> int:
        """How many events are at none of these tables."""
        return sum(len(events) for table, events in self._by_table.items() if table not in tables)


@dataclass
class SharedState:
    """What one process keeps from part to part: the law, what is compiled from it, and the hands decoded once.

    `conflicts` are the ids that have rows of different content, by role.
    """

    law: Law
    days: Days
    take: Take
    with_wagers: bool
    events: EventBook = field(default_factory=lambda: EventBook(()))
    conflicts: dict[str, Conflicts] = field(default_factory=dict)
    rulesets: list[GameRules] = field(default_factory=list)
    hands: HandBook = field(default_factory=HandBook)
    houses: Words = field(default_factory=Words)
    words: WagerWords = field(default_factory=WagerWords)
    steps: StepTimes = field(default_factory=StepTimes)
    dues: DueTable = field(init=False)

    def __post_init__(self) -> None:
        law = self.law
        self.dues = DueTable(law.rulebook, self.rulesets, law.paytables, law.settings.rounding_unit)

    def names(self) -> Names:
        """Names for the rounds of a new part; hands and houses are those of all parts."""
        return Names(casino=self.houses, hands=self.hands)

    @property
    def most(self) -> int:
        """Findings of each check that get evidence."""
        return self.law.settings.report.findings_per_check


class PartAudit:
    """Audits one part: give it the rounds, then their wagers batch by batch, then ask for the summary."""

    def __init__(self, shared: SharedState, rounds: Rounds) -> None:
        with shared.steps.step("replay and checks of rounds", len(rounds)):
            self._begin(shared, rounds)

    def _begin(self, shared: SharedState, rounds: Rounds) -> None:
        law = shared.law
        self._shared = shared
        # Nothing here refers back to the part, so that its arrays go as soon as it is done with.
        self._counts = counts = FindingCounts(shared.most)

        def take(batch: pa.RecordBatch) -> None:
            counts.note(batch)
            shared.take(batch)

        self._sink = Sink(law.catalogue, take)
        scope = scope_of(rounds, law.settings, shared.days)
        found = judge(rounds, law.rulebook, law.register, shared.rulesets)
        case = Case(rounds, found, law.rulebook, law.register, law.settings, self._sink, Tally(), scope)
        self.case, self._index, self._uses = case, RoundIndex(rounds.ids), Uses()
        self._check_rounds()
        self._payouts = Payouts(case, shared.dues, self._uses, given=shared.with_wagers)
        self._limits = StakeLimits(case, law.settings.limits)
        self._place_of = rounds.table.astype(np.int64) * len(GAMES) + rounds.game
        self._of_table = np.zeros(len(rounds.names.table.texts) * len(GAMES), np.int64)
        self._wagers = self._outside = 0
        self._all_inside = bool(scope.all())

    def _check_rounds(self) -> None:
        case, uses = self.case, self._uses
        check_draws(case)
        check_results(case)
        uses_of_rounds(case, uses)
        shoes = Shoes.of_case(case)
        events = self._shared.events.at({table for _, table in case.rounds.names.places})
        eventful = EventChecks(case, shoes, events, uses)
        check_shoes(case, shoes, eventful.burnt)
        eventful.check()
        check_overlaps(case)
        self._conflicting_rounds()

    def _conflicting_rounds(self) -> None:
        """LOG-001, one for each id; the first row of the id is the one that is audited."""
        conflicts = self._shared.conflicts.get("rounds")
        if not conflicts:
            return
        names = sorted(conflicts.other)
        for name, at in zip(names, self._index.locate(pa.array(names, pa.string())).tolist(), strict=True):
            if at >= 0 and self.case.scope[at]:
                file, row = conflicts.other[name]
                more = {"source_file": file, "source_row": row, "detail": conflicts.place(name)}
                self.case.note("LOG-001", at, expected="one_content", observed="several", **more)
        self._index.rewind()

    def expect_any_order(self) -> None:
        """Get ready for wagers that do not come in the order of their rounds."""
        self._index.prepare()

    def settle(self, batch: Batch) -> Batch | None:
        """Judge the wagers whose rounds are here; answer the others, None where there are none."""
        return self.judge(batch, self.locate(batch))

    def locate(self, batch: Batch) -> npt.NDArray[np.int64]:
        """The place of the round of each wager, -1 where it is not here; one thread at a time."""
        with self._shared.steps.step("wagers to rounds", len(batch)):
            return self._index.locate(batch.rows["round_id"])

    def judge(self, batch: Batch, at: npt.NDArray[np.int64]) -> Batch | None:
        """As :meth:`settle`, for wagers whose rounds have been located."""
        with self._shared.steps.step("settlement", len(batch)):
            return self._judge(batch, at)

    def _judge(self, batch: Batch, at: npt.NDArray[np.int64]) -> Batch | None:
        left = None
        if len(at) and at.min() < 0:
            left, here = batch.at(np.flatnonzero(at < 0)), np.flatnonzero(at >= 0)
            batch, at = batch.at(here), at[here]
        if len(at):
            self._settle(WagerBatch.read(batch, self._shared.words, self._shared.dues, at))
        return left

    def _settle(self, wagers: WagerBatch) -> None:
        case = self.case
        if not self._all_inside:
            inside = case.scope[wagers.at]
            self._outside += len(wagers) - int(np.count_nonzero(inside))
            self._payouts.vote(wagers.take(np.flatnonzero(~inside)))
            wagers = wagers.take(np.flatnonzero(inside))
        self._wagers += len(wagers)
        self._of_table += np.bincount(self._place_of.take(wagers.at), minlength=len(self._of_table))
        self._payouts.add(wagers)
        self._limits.add(wagers)

    def finish(self, known: Summary) -> Summary:
        """Settle what needs all wagers; `known` is what other parts came to, so that less evidence need be kept."""
        with self._shared.steps.step("summary of parts"):
            return self._finish(known)

    def _finish(self, known: Summary) -> Summary:
        case = self.case
        self._payouts.finish()
        self._limits.finish()
        self._conflicting_wagers()
        # Judging rule 14: rounds that were not played are conforming, but before the first known version (rule 3).
        case.unanswered &= case.rounds.status == STATUSES.index(Status.SETTLED)
        case.unanswered |= ~case.covered
        options = check_uses(case, self._uses)
        self._sink.flush()
        surroundings = Surroundings.of(case, self._counts, known.surroundings)
        evidence = Evidence.of(case, self._index, self._counts, known.evidence)
        summary = Summary(self._counts, evidence, surroundings, options=options, tally=case.tally.counts)
        summary.recorded = recorded_options(case, self._uses)
        summary.accepted["wagers"] = self._wagers
        summary.outside["wagers"] = self._outside
        summary.of_rounds(case, self._of_table, known.hours.busy)
        return summary

    def _conflicting_wagers(self) -> None:
        """LOG-005, one for each id, placed at the round of the wager that was audited."""
        conflicts = self._shared.conflicts.get("wagers")
        if not conflicts:
            return
        self._index.rewind()
        names = sorted(conflicts.other)
        at_of = self._index.locate(pa.array([conflicts.round_of(name) for name in names], pa.string()))
        for name, at in zip(names, at_of.tolist(), strict=True):
            if at >= 0 and self.case.scope[at]:
                self._sink.add("LOG-005", self.case.rounds.subject(at) | conflicting_wager(conflicts, name))


def conflicting_wager(conflicts: Conflicts, name: str) -> dict[str, object]:
    """What a LOG-005 says of one wager id."""
    file, row = conflicts.other[name]
    more = {"wager_id": name, "source_file": file, "source_row": row, "detail": conflicts.place(name)}
    return more | {"expected": "one_content", "observed": "several"}


def scope_of(rounds: Rounds, settings: Settings, days: Days) -> npt.NDArray[np.bool_]:
    """The rounds of the gaming days asked for; the day is that of its opening."""
    scope = np.ones(len(rounds), np.bool_)
    first, last = days
    if first is None and last is None:
        return scope
    business = gaming_day(rounds.start, settings.cutoff.hour * 60 + settings.cutoff.minute)
    if first is not None:
        scope &= business >= day_number(first)
    if last is not None:
        scope &= business <= day_number(last)
    return scope


def audit_partition(shared: SharedState, rounds: Rounds, wagers: Iterable[Batch]) -> tuple[Summary, list[Batch]]:
    """Audit one part; findings go to `shared.take`. The second answer are wagers whose rounds are not here."""
    part = PartAudit(shared, rounds)
    left = [rest for batch in wagers if (rest := part.settle(batch)) is not None]
    return part.finish(Summary.empty(shared.most)), left
