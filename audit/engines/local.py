"""One process: read, replay, settle, check. Everything a run needs to know comes back as one :class:`Audited`."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from audit.checks.case import Case, Tally
from audit.checks.draws import check_draws
from audit.checks.events import Event, EventChecks, read_events
from audit.checks.logs import check_overlaps
from audit.checks.results import check_results
from audit.checks.shoes import Shoes, check_shoes
from audit.checks.uses import Uses, check_uses, options_not_shown, uses_of_rounds
from audit.config import Settings
from audit.engines.terms import Inputs, Law, Progress, Watch
from audit.engines.wager_pass import audit_wagers, quarantine_conflicts
from audit.findings import Sink
from audit.ingest.profile import Profile as Facts
from audit.ingest.quarantine import Quarantine
from audit.ingest.read import Batch, open_events, open_rounds
from audit.model import Game
from audit.register.checks import judge_register
from audit.replay.identity import RoundIndex, ascending, repeated
from audit.replay.judge import judge
from audit.replay.repeats import Repeats
from audit.replay.rounds import Names, Rounds, RoundsReader, day_number, gaming_day


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
    events = read_events(_events(inputs, quarantine, watch))
    uses = Uses()
    shoes = Shoes.of_case(case)
    _check_rounds(case, shoes, events, uses)
    progress("replay", len(rounds))
    index = RoundIndex(rounds.ids)
    _conflicting_rounds(case, repeats, index)
    wagers = audit_wagers(inputs, law, case, uses, index, quarantine, watch, progress)
    options = check_uses(case, uses)
    options += options_not_shown(case, uses, {event.event for event in events})
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
    quarantine_conflicts(repeats, "rounds", quarantine)
    return rounds, repeats


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


def _conflicting_rounds(case: Case, repeats: Repeats, index: RoundIndex) -> None:
    """LOG-001, one for each id; the first row of the id is the one that was audited."""
    for name, (file, row) in sorted(repeats.conflicts.items()):
        at = int(index.locate(pa.array([name]))[0])
        if case.scope[at]:
            audited = " ".join(map(str, repeats.kept[name][1:]))
            more = {"source_file": file, "source_row": row, "detail": audited}
            case.note("LOG-001", at, expected="one_content", observed="several", **more)
    index.rewind()


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
