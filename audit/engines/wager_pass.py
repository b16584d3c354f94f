"""The wagers, settled as they stream by: one pass in the usual log, a second one where ids do not rise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from audit.checks.case import Case, Tally
from audit.checks.limits import StakeLimits
from audit.checks.payouts import Payouts
from audit.checks.uses import Uses
from audit.checks.wagers import WagerBatch, WagerWords
from audit.engines.terms import Inputs, Law, Progress, Watch
from audit.findings import Sink
from audit.ingest.quarantine import Quarantine
from audit.ingest.read import Batch, open_wagers
from audit.model import Status
from audit.replay.identity import RoundIndex, ascending
from audit.replay.repeats import Repeats, repeated_ids, subset
from audit.replay.rounds import GAMES, STATUSES
from audit.replay.wagers import DueTable


class NotInOrder(Exception):
    """The wagers' ids do not rise: repeats must be looked for before anything is judged."""


def quarantine_conflicts(repeats: Repeats, table: str, quarantine: Quarantine) -> None:
    """Put the rows whose id an earlier row with other content has into quarantine."""
    for row, file, number in repeats.rejected:
        quarantine.add_conflicts(table, row, files=[file], source_rows=[number])


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


def audit_wagers(
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
        trial = replace(case, sink=sink, tally=tally)  # its answers go elsewhere, so that a pass can be given up
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
    quarantine_conflicts(work.repeats, "wagers", quarantine)
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
    """LOG-005, one for each id, placed at the round of the wager that was audited."""
    for name, (file, number) in sorted(work.repeats.conflicts.items()):
        row, kept_file, kept_number = work.repeats.kept[name]
        at = int(index.locate(row["round_id"])[0])
        subject = case.rounds.subject(at) if at >= 0 else {"round_id": row["round_id"][0].as_py()}
        if at < 0 or case.scope[at]:
            more = {"wager_id": name, "source_file": file, "source_row": number, "detail": f"{kept_file} {kept_number}"}
            case.sink.add("LOG-005", subject | more | {"expected": "one_content", "observed": "several"})
