"""One process: the log streams by in windows of whole tables, each of them audited as a part.

The usual log is in order: the ids rise, the rounds of a table follow one another, and the wagers keep step with the
rounds. This is taken for granted until the log shows otherwise; then the audit begins again without it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from audit.base.canonical import TABLES
from audit.base.columns import instants
from audit.base.days import instant
from audit.base.read_ahead import ReadAhead
from audit.checks.applications import judge_register
from audit.checks.events import ShoeEvent, read_events
from audit.checks.options_in_use import options_not_shown
from audit.engines.assignment import Disordered, FactsWatch, Foresee, Inputs, Law, Progress, nothing_foreseen
from audit.engines.part import Days, EventBook, PartAudit, SharedState, conflicting_wager
from audit.engines.summary import Summary
from audit.engines.timings import StepTimes
from audit.engines.windows import WINDOW, WagerStream, in_step, late, windows
from audit.findings.sorted_runs import SortedFindings
from audit.findings.table import Sink
from audit.gate.facts import TableFacts as Facts
from audit.replay.identity import ascending
from audit.replay.repeats import Conflicts, Repeats, repeated_ids
from audit.source.quarantine import Quarantine
from audit.source.read import Batch, open_events, open_ids, open_rounds, open_wagers

Open = Callable[..., Iterator[Batch]]

Settled = tuple[frozenset[str], Conflicts]
"""Ids that occur more than once, and what is in conflict among them."""


@dataclass
class Audited:
    """Everything an audit found out, before it is written; closing it removes its temporary files."""

    summary: Summary
    findings: SortedFindings
    quarantine: Quarantine
    register: list[Any]
    repeats: dict[str, Counter[str]]
    facts: dict[str, Facts]
    samples: dict[str, pa.Table]
    steps: StepTimes

    def close(self) -> None:
        """Remove the temporary files."""
        self.findings.close()
        self.quarantine.close()


@dataclass(frozen=True)
class Order:
    """What is taken for granted about a log: rising ids of rounds and of wagers, tables that come one by one.

    `step`: the wagers come in the order of their rounds.
    """

    rounds: bool = True
    wagers: bool = True
    tables: bool = True
    step: bool = True


def audit_all(
    inputs: Inputs,
    law: Law,
    days: Days,
    progress: Progress,
    scratch: Path | None = None,
    foresee: Foresee = nothing_foreseen,
) -> Audited:
    """Audit all inputs; `days` are the first and last gaming day asked for (None: no bound).

    What does not fit in memory waits in the folder `scratch` (None: the system's for temporary files). `foresee` is
    told of the first rows of a table as soon as they are known.

    Raises InputRefused for files that cannot be read.
    """
    order, settled = Order(), dict[str, Settled]()
    while True:
        audit = LogAudit(inputs, law, days, progress, order, scratch, settled, foresee)
        try:
            return audit.run()
        except Disordered as found:
            audit.close()
            order = replace(order, **dict.fromkeys(found.what, False))
        except BaseException:
            audit.close()
            raise


class LogAudit:
    """One attempt at the whole log."""

    def __init__(
        self,
        inputs: Inputs,
        law: Law,
        days: Days,
        progress: Progress,
        order: Order,
        scratch: Path | None,
        settled: dict[str, Settled] | None = None,
        foresee: Foresee = nothing_foreseen,
    ) -> None:
        """Get ready; `settled` is what earlier attempts found out about repeated ids, and takes what this one does."""
        self._settled = {} if settled is None else settled
        self._inputs, self._law, self._order, self._progress = inputs, law, order, progress
        self._quarantine, self._watch, self._sorted = (
            Quarantine(),
            FactsWatch(foresee=foresee),
            SortedFindings(folder=scratch),
        )
        self._scratch = scratch
        self._repeats: dict[str, Repeats] = {}
        self._shared = SharedState(law, days, self._sorted.add, bool(inputs.wagers))

    def close(self) -> None:
        """Remove the temporary files."""
        self._sorted.close()
        self._quarantine.close()

    def run(self) -> Audited:
        """Read, audit part by part, add up."""
        shared, quarantine = self._shared, self._quarantine
        events = read_events(self._events())
        shared.events = EventBook(events)
        shared.conflicts["rounds"] = self._conflicts("rounds", open_rounds)
        summary = self._parts()
        counted = {role: repeats.counts for role, repeats in self._repeats.items()}
        counted["events"] = _event_repeats(quarantine, events)
        for role, repeats in self._repeats.items():
            quarantine_conflicts(repeats, role, quarantine)
        summary.accepted["events"] = len(events)
        summary.options.sort(key=_option_order)
        summary.options += options_not_shown(summary.recorded, shared.events.kinds, summary.tally)
        register = self._check_register(summary)
        return Audited(
            summary, self._sorted, quarantine, register, counted, self._watch.facts, self._watch.samples(), shared.steps
        )

    def _events(self) -> Iterator[Batch]:
        if self._inputs.events:
            batches = open_events(self._inputs.events, profile=self._inputs.profile, quarantine=self._quarantine)
            for batch in batches:
                yield self._watch.see("events", batch)

    def _files(self, role: str) -> Any:
        return self._inputs.rounds if role == "rounds" else self._inputs.wagers

    def _conflicts(self, role: str, opener: Open) -> Conflicts:
        """Look for repeated ids beforehand, where they do not rise; the rows of each are settled in a further pass."""
        column = f"{role[:-1]}_id"
        if role not in self._settled and not getattr(self._order, role):
            self._settled[role] = self._settle(role, column, opener)
        twice, conflicts = self._settled.get(role, (frozenset(), Conflicts()))
        self._repeats[role] = Repeats(column, twice)
        return conflicts

    def _settle(self, role: str, column: str, opener: Open) -> Settled:
        files, profile = self._files(role), self._inputs.profile
        twice = repeated_ids(partial(open_ids, TABLES[role], files, profile), self._scratch)
        if not twice:
            return twice, Conflicts()
        settled = Repeats(column, twice)
        for batch in opener(files, profile=profile, quarantine=Quarantine()):
            settled.keep(batch)
        return twice, Conflicts(settled.kept, settled.conflicts)

    def _stream(self, role: str, opener: Open) -> Iterator[Batch]:
        """The rows that take part: repeats and conflicting rows are kept out, and everything read is looked at."""
        column, repeats, last = f"{role[:-1]}_id", self._repeats[role], None
        for batch in opener(self._files(role), profile=self._inputs.profile, quarantine=self._quarantine):
            ids = batch.rows[column]
            with self._shared.steps.step(f"order and facts of {role}", len(batch)):
                if getattr(self._order, role) and not ascending(ids, last):
                    raise Disordered(role, *self._out_of_step(role, batch))
                last = ids[-1].as_py()
                self._watch.see(role, batch)
                stay = repeats.keep(batch)
            self._progress(role, len(batch))
            if stay.all():
                yield batch
            elif stay.any():
                yield batch.where(stay)

    def _out_of_step(self, role: str, batch: Batch) -> tuple[str, ...]:
        """What more does not hold where the ids of a batch do not rise, so that it is not found out one by one."""
        order = self._order
        wanting = role == "wagers" and order.rounds and order.tables and not in_step(batch)
        return ("tables", "step") if wanting else ()

    def _wagers(self) -> Iterator[Batch]:
        """The wagers that take part; what is to be known of all of them first is found out beside the rounds."""
        self._shared.conflicts["wagers"] = self._conflicts("wagers", open_wagers)
        if self._inputs.wagers:
            yield from self._stream("wagers", open_wagers)

    def _begun(self) -> Iterator[tuple[PartAudit, bool]]:
        """The parts as their rounds are read and judged; True with the last one."""
        shared, order = self._shared, self._order
        for rounds, last in windows(self._stream("rounds", open_rounds), shared, WINDOW if order.tables else None):
            part = PartAudit(shared, rounds)
            if not order.step:
                part.expect_any_order()
            yield part, last

    def _parts(self) -> Summary:
        shared, order = self._shared, self._order
        total = Summary.empty(shared.most)
        tables: set[str] = set()
        # Nothing reads on when this is left, whatever for: what was read is then let go.
        with closing(ReadAhead(self._begun())) as parts, closing(ReadAhead(self._wagers())) as source:
            wagers = WagerStream(source, partial(self._orphans, total), rising=order.rounds)
            for part, last in parts:
                rounds = part.case.rounds
                tables.update(table for _, table in rounds.names.places)
                wagers.feed(part, None if last else rounds.ids[-1].as_py(), last=last)
                total.add(part.finish(total))
                self._progress("replay", len(rounds))
        if elsewhere := shared.events.elsewhere(tables):
            total.tally["SHO-004", "event_not_placed"] += elsewhere
        return total

    def _orphans(self, total: Summary, strays: list[Batch]) -> None:
        """LOG-004: the round of a wager is not in the input; a round in quarantine leaves its wagers "not evaluated".

        Raises Disordered where the round is in the input after all, in a window that was closed too early.
        """
        if self._order.tables:
            again = open_rounds(self._inputs.rounds, profile=self._inputs.profile, quarantine=Quarantine(), columns=())
            if late(strays, again):
                raise Disordered("tables")
        missing = self._quarantine.ids("rounds")
        conflicts = self._shared.conflicts["wagers"]
        sink = self._sink(total)
        for batch in strays:
            total.accepted["wagers"] += len(batch)
            for place, row in enumerate(batch.rows.to_pylist()):
                if row["wager_id"] in conflicts.other:
                    sink.add("LOG-005", {"round_id": row["round_id"]} | conflicting_wager(conflicts, row["wager_id"]))
                if row["round_id"] in missing:
                    total.tally["PAY-001", "round_quarantined"] += 1
                    continue
                total.orphans += 1
                sink.add("LOG-004", _orphan(batch, place, row))
        sink.flush()

    def _sink(self, total: Summary) -> Sink:
        def take(batch: pa.RecordBatch) -> None:
            total.counts.note(batch)
            self._sorted.add(batch)

        return Sink(self._law.catalogue, take)

    def _check_register(self, total: Summary) -> list[Any]:
        """APR: the entries of the register on their own."""
        law = self._law
        if law.register is None:
            total.tally["APR-001", "no_register"] += 1
            return []
        sink = self._sink(total)
        rows, entries = judge_register(law.register.approvals, law.rulebook, law.settings.notice)
        for row in rows:
            plain = dict(row)
            facts = plain.pop("facts", None) or {}
            sink.add(str(plain["code"]), plain | (facts if isinstance(facts, dict) else {}))
        sink.flush()
        for entry in entries:
            if entry["state"] == "not_evaluated":
                total.tally["APR-001", str(entry["reason"] or "register_entry_undated")] += 1
        return list(entries)


def quarantine_conflicts(repeats: Repeats, table: str, quarantine: Quarantine) -> None:
    """Put the rows whose id an earlier row with other content has into quarantine."""
    for row, file, number in repeats.rejected:
        quarantine.add_conflicts(table, row, files=[file], source_rows=[number])


def _event_repeats(quarantine: Quarantine, events: list[ShoeEvent]) -> Counter[str]:
    kept = Counter(event.source_file for event in events)
    return Counter({file: count.accepted - kept[file] for file, count in quarantine.files("events").items()})


def _option_order(row: dict[str, Any]) -> tuple[str, ...]:
    names = ("option", "value", "casino", "table_id", "game", "first_day", "state", "approval_id")
    return tuple(str(row[name] or "") for name in names)


def _orphan(batch: Batch, place: int, row: dict[str, Any]) -> dict[str, Any]:
    """The finding about a wager whose round is not in the input."""
    finding = {
        "wager_id": row["wager_id"],
        "currency": row["currency"],
        "source_file": batch.file_at(place),
        "source_row": int(batch.source_row[place]),
        "bet": row["bet"],
        "stake": row["stake"],
        "round_id": row["round_id"],
        "expected": "round_in_input",
        "observed": "not_in_input",
    }
    if row["placed_at"] is not None:
        placed = instant(int(instants(batch.rows["placed_at"].slice(place, 1))[0]))
        finding |= {"occurred_at": placed, "legal_day": placed.date()}
    return finding
