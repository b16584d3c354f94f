"""One process: read, replay, settle, check. Everything a run needs to know comes back as one :class:`Audited`."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from audit.checks.case import Case, Tally
from audit.checks.catalogue import Catalogue
from audit.checks.draws import check_draws
from audit.checks.events import Event, EventChecks, read_events
from audit.checks.limits import StakeLimits
from audit.checks.logs import check_overlaps
from audit.checks.payouts import Payouts
from audit.checks.results import check_results
from audit.checks.shoes import Shoes, check_shoes
from audit.checks.uses import Uses, check_uses, uses_of_rounds
from audit.checks.wagers import WagerBatch, WagerWords
from audit.config import Settings
from audit.findings import Sink
from audit.games.paytable import Paytable
from audit.ingest.files import SourceFile
from audit.ingest.profile import Profile as Facts
from audit.ingest.quarantine import Quarantine
from audit.ingest.read import Batch, open_events, open_rounds, open_wagers
from audit.ingest.sources import Profile
from audit.model import Game, Status
from audit.register.checks import judge_register
from audit.register.register import Register
from audit.replay.identity import RoundIndex, ascending, repeated
from audit.replay.judge import judge
from audit.replay.repeats import Repeats, repeated_ids, subset
from audit.replay.rounds import GAMES, STATUSES, Names, Rounds, RoundsReader, day_number, gaming_day
from audit.replay.wagers import DueTable
from audit.rulebook import Rulebook

SAMPLE: Final = 100_000
"""Rows of each table that the row-level expectations look at."""

Progress = Callable[[str, int], None]
"""Told the step and the rows just done."""


@dataclass(frozen=True)
class Inputs:
    """The files of a run by role, and how to read them."""

    rounds: tuple[SourceFile, ...]
    wagers: tuple[SourceFile, ...]
    events: tuple[SourceFile, ...]
    profile: Profile


@dataclass(frozen=True)
class Law:
    """What the data is judged by."""

    rulebook: Rulebook
    register: Register | None
    paytables: Mapping[str, Paytable]
    settings: Settings
    catalogue: Catalogue


@dataclass
class Audited:
    """Everything an audit found out, before it is written."""

    case: Case
    sink: Sink
    tally: Tally
    quarantine: Quarantine
    options: list[dict[str, Any]]
    register: list[Any]
    repeats: dict[str, Counter[str]]
    outside: dict[str, int]
    accepted: dict[str, int]
    wagers_of_table: npt.NDArray[np.int64]
    facts: dict[str, Facts]
    samples: dict[str, pa.Table]
    orphans: int = 0


@dataclass
class Watch:
    """Looks at every accepted row as it streams by, for the data gate."""

    facts: dict[str, Facts] = field(default_factory=dict)
    parts: dict[str, list[pa.RecordBatch]] = field(default_factory=dict)

    def see(self, role: str, batch: Batch) -> Batch:
        """Note a batch and hand it on."""
        self.facts.setdefault(role, Facts(role)).add(batch.rows)
        parts = self.parts.setdefault(role, [])
        room = SAMPLE - sum(part.num_rows for part in parts)
        if room > 0:
            parts.append(batch.rows.slice(0, room))
        return batch

    def samples(self) -> dict[str, pa.Table]:
        """The first rows of each table."""
        return {role: pa.Table.from_batches(parts).unify_dictionaries() for role, parts in self.parts.items() if parts}


class NotInOrder(Exception):
    """The wagers' ids do not rise: repeats must be looked for before anything is judged."""


def audit_all(inputs: Inputs, law: Law, days: tuple[dt.date | None, dt.date | None], progress: Progress) -> Audited:
    """Audit all inputs; `days` are the first and last gaming day asked for (None: no bound).

    Raises InputRefused for files that cannot be read.
    """
    quarantine, watch, names = Quarantine(), Watch(), Names()
    sink, tally = Sink(law.catalogue), Tally()
    rounds, repeats = _read_rounds(inputs, law, quarantine, watch, names, progress)
    scope = _scope(rounds, law.settings, days)
    found = judge(rounds, law.rulebook, law.register)
    case = Case(rounds, found, law.rulebook, law.register, law.settings, sink, tally, scope)
    events = read_events(_events(inputs, quarantine, watch), law.settings.casino)
    uses = Uses()
    shoes = Shoes.of_case(case)
    _check_rounds(case, shoes, events, uses)
    progress("replay", len(rounds))
    index = RoundIndex(rounds.ids)
    _conflicting_rounds(case, repeats, index)
    wagers = _audit_wagers(inputs, law, case, uses, index, quarantine, watch, progress)
    options = check_uses(case, uses)
    entries = _check_register(case, law)
    accepted = {"rounds": int(np.count_nonzero(scope)), "wagers": wagers.accepted, "events": len(events)}
    outside = {"rounds": len(rounds) - accepted["rounds"], "wagers": wagers.outside, "events": 0}
    counted = {"rounds": repeats.counts, "wagers": wagers.repeats.counts, "events": _event_repeats(quarantine, events)}
    return Audited(
        case,
        sink,
        tally,
        quarantine,
        options,
        entries,
        counted,
        outside,
        accepted,
        wagers.of_table,
        watch.facts,
        watch.samples(),
        wagers.orphans,
    )


def _read_rounds(
    inputs: Inputs, law: Law, quarantine: Quarantine, watch: Watch, names: Names, progress: Progress
) -> tuple[Rounds, Repeats]:
    """All rounds of the input; rows that share an id are settled in a second pass, which a clean log never needs."""
    reader = RoundsReader(names, law.settings.casino)
    last: str | None = None
    rising = True
    for batch in open_rounds(inputs.rounds, profile=inputs.profile, quarantine=quarantine):
        watch.see("rounds", batch)
        ids = batch.rows["round_id"]
        rising = rising and ascending(ids, last)
        last = ids[-1].as_py() if len(ids) else last
        reader.add(batch)
        progress("rounds", len(batch))
    rounds = reader.finish()
    again = partial(open_rounds, inputs.rounds, profile=inputs.profile)
    twice = frozenset() if rising else frozenset(rounds.ids.take(pa.array(repeated(rounds.ids))).to_pylist())
    repeats = Repeats("round_id", twice)
    if twice:
        stay = [repeats.keep(batch) for batch in again(quarantine=Quarantine())]
        rounds = rounds.keep(np.concatenate(stay))
    _quarantine_conflicts(repeats, "rounds", quarantine)
    return rounds, repeats


def _quarantine_conflicts(repeats: Repeats, table: str, quarantine: Quarantine) -> None:
    for row, file, number in repeats.rejected:
        quarantine.add_conflicts(table, row, files=[file], source_rows=[number])


def _scope(rounds: Rounds, settings: Settings, days: tuple[dt.date | None, dt.date | None]) -> npt.NDArray[np.bool_]:
    """The rounds of the gaming days asked for; the day is that of its opening."""
    scope = np.ones(len(rounds), np.bool_)
    business = gaming_day(rounds.start, settings.cutoff.hour * 60 + settings.cutoff.minute)
    first, last = days
    if first is not None:
        scope &= business >= day_number(first)
    if last is not None:
        scope &= business <= day_number(last)
    return scope


def _events(inputs: Inputs, quarantine: Quarantine, watch: Watch) -> Iterator[Batch]:
    if inputs.events:
        for batch in open_events(inputs.events, profile=inputs.profile, quarantine=quarantine):
            yield watch.see("events", batch)


def _event_repeats(quarantine: Quarantine, events: list[Event]) -> Counter[str]:
    kept = Counter(event.source_file for event in events)
    return Counter({file: count.accepted - kept[file] for file, count in quarantine.files("events").items()})


def _check_rounds(case: Case, shoes: Shoes, events: list[Event], uses: Uses) -> None:
    check_draws(case)
    check_results(case)
    uses_of_rounds(case, uses)
    eventful = EventChecks(case, shoes, events, uses)
    check_shoes(case, shoes, eventful.burnt)
    eventful.check()
    check_overlaps(case)
    if not events:
        for code in ("SHO-004", "SHO-005", "SHO-006", "SHO-007"):
            case.tally.add(code, "no_events", int(np.count_nonzero(shoes.asked)))


def _conflicting_rounds(case: Case, repeats: Repeats, index: RoundIndex) -> None:
    """LOG-001, one for each id; the first row of the id is the one that was audited."""
    for name, (file, row) in sorted(repeats.conflicts.items()):
        at = int(index.locate(pa.array([name]))[0])
        if case.scope[at]:
            case.note("LOG-001", at, expected="one_content", observed="several", source_file=file, source_row=row)
    index.rewind()


@dataclass
class WagerPass:
    """What one pass over the wagers counted."""

    payouts: Payouts
    limits: StakeLimits
    repeats: Repeats
    of_table: npt.NDArray[np.int64]
    accepted: int = 0
    outside: int = 0
    orphans: int = 0


def _audit_wagers(
    inputs: Inputs,
    law: Law,
    case: Case,
    uses: Uses,
    index: RoundIndex,
    quarantine: Quarantine,
    watch: Watch,
    progress: Progress,
) -> WagerPass:
    """Settle every wager. In the usual log ids rise and one pass is enough; else repeats are looked for first."""
    missing = quarantine.ids("rounds")
    again = partial(open_wagers, inputs.wagers, profile=inputs.profile)
    twice: frozenset[str] | None = None
    while True:
        sink, tally, seen, uses_here = Sink(law.catalogue), Tally(), Watch(), Uses()
        trial = replace_case(case, sink, tally)
        dues = DueTable(law.rulebook, case.found.rulesets, law.paytables, law.settings.rounding_unit)
        work = WagerPass(
            Payouts(trial, dues, uses_here),
            StakeLimits(trial, law.settings.limits),
            Repeats("wager_id", twice or frozenset()),
            np.zeros(len(case.rounds.names.table.texts) * len(GAMES), np.int64),
        )
        try:
            if inputs.wagers:
                batches = again(quarantine=quarantine)
                _wager_pass(work, batches, trial, dues, index, missing, seen, twice is None, progress)
        except NotInOrder:
            quarantine.discard("wagers")
            index.rewind()
            twice = repeated_ids(again(quarantine=Quarantine()), "wager_id")
            continue
        break
    work.payouts.finish()
    work.limits.finish()
    _conflicting_wagers(work, trial, index)
    _quarantine_conflicts(work.repeats, "wagers", quarantine)
    case.violation |= trial.violation
    case.unanswered |= trial.unanswered
    case.unanswered &= case.rounds.status == STATUSES.index(Status.SETTLED)  # judging rule 14
    case.sink.extend(sink)
    case.tally.counts.update(tally.counts)
    for key, parts in uses_here.seen.items():
        uses.seen[key].extend(parts)
    watch.facts.update(seen.facts)
    watch.parts.update(seen.parts)
    return work


def replace_case(case: Case, sink: Sink, tally: Tally) -> Case:
    """The same case with answers going elsewhere, so that a pass can be given up."""
    trial = replace(case, sink=sink, tally=tally)
    trial.drawing_at = case.drawing_at
    return trial


def _wager_pass(
    work: WagerPass,
    batches: Iterator[Batch],
    case: Case,
    dues: DueTable,
    index: RoundIndex,
    missing: frozenset[str],
    watch: Watch,
    must_rise: bool,
    progress: Progress,
) -> None:
    words = WagerWords()
    last: str | None = None
    for batch in batches:
        ids = batch.rows["wager_id"]
        if must_rise and not ascending(ids, last):
            raise NotInOrder
        last = ids[-1].as_py() if len(ids) else last
        watch.see("wagers", batch)
        stay = work.repeats.keep(batch)
        rows, numbers = (batch.rows, batch.source_row) if stay.all() else subset(batch, stay)
        kept = Batch(rows, batch.file, batch.file_index, numbers)
        wagers = WagerBatch.read(kept, words, dues, index.locate(rows["round_id"]))
        _settle(work, wagers, case, missing)
        progress("wagers", len(batch))


def _settle(work: WagerPass, wagers: WagerBatch, case: Case, missing: frozenset[str]) -> None:
    known = wagers.at >= 0
    if not known.all():
        _orphans(work, wagers.take(np.flatnonzero(~known)), case, missing)
        wagers = wagers.take(np.flatnonzero(known))
    inside = case.scope[wagers.at]
    if not inside.all():
        work.outside += int(np.count_nonzero(~inside))
        wagers = wagers.take(np.flatnonzero(inside))
    work.accepted += len(wagers)
    place = case.rounds.table[wagers.at].astype(np.int64) * len(GAMES) + case.rounds.game[wagers.at]
    work.of_table += np.bincount(place, minlength=len(work.of_table))
    work.payouts.add(wagers)
    work.limits.add(wagers)


def _orphans(work: WagerPass, wagers: WagerBatch, case: Case, missing: frozenset[str]) -> None:
    """LOG-004: the round of a wager is not in the input; a round in quarantine leaves its wagers "not evaluated"."""
    work.accepted += len(wagers)
    for place in range(len(wagers)):
        round_id = wagers.round_ids[place].as_py()
        if round_id in missing:
            case.tally.add("PAY-001", "round_quarantined")
            continue
        work.orphans += 1
        row = wagers.subject(place) | {"round_id": round_id, "expected": "round_in_input", "observed": "not_in_input"}
        placed = wagers.placed_at(place)
        if placed is not None:
            row |= {"occurred_at": placed, "legal_day": placed.date()}
        case.sink.add("LOG-004", row)


def _conflicting_wagers(work: WagerPass, case: Case, index: RoundIndex) -> None:
    """LOG-005, one for each id, placed at the round that the conflicting row names."""
    for row, _, _ in work.repeats.rejected:
        name, round_id = row["wager_id"][0].as_py(), row["round_id"][0].as_py()
        source = work.repeats.conflicts.pop(name, None)
        if source is None:
            continue
        at = int(index.locate(row["round_id"])[0])
        subject = case.rounds.subject(at) if at >= 0 else {"round_id": round_id}
        if at < 0 or case.scope[at]:
            more = {"wager_id": name, "source_file": source[0], "source_row": source[1]}
            case.sink.add("LOG-005", subject | more | {"expected": "one_content", "observed": "several"})


def _check_register(case: Case, law: Law) -> list[Any]:
    """APR: the entries of the register on their own."""
    if law.register is None:
        case.tally.add("APR-001", "no_register")
        return []
    first = {game: law.rulebook.first_day(game) for game in Game}
    rows, entries = judge_register(law.register.approvals, first, law.settings.notice)
    for row in rows:
        plain = dict(row)
        facts = plain.pop("facts", None) or {}
        case.sink.add(str(plain["code"]), plain | (facts if isinstance(facts, dict) else {}))
    for entry in entries:
        if entry["state"] == "not_evaluated":
            case.tally.add("APR-001", str(entry["reason"] or "register_entry_undated"))
    return list(entries)
