"""The data gate on its own: read the files, look at every row, judge them as data, audit nothing."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa

from audit.base.canonical import TABLES
from audit.gate.answers import GateResult, register_table
from audit.gate.facts import Fact
from audit.gate.facts import TableFacts as Facts
from audit.gate.validate import SAMPLE_ROWS, run_gate
from audit.register.register import load_register
from audit.replay.identity import RoundIndex
from audit.replay.repeats import Repeats, repeated_ids
from audit.source import read
from audit.source.profiles import SourceProfile, load_profile
from audit.source.quarantine import Quarantine
from audit.stores.files import SourceFile, resolve

_OPEN: Final = {"rounds": read.open_rounds, "wagers": read.open_wagers, "events": read.open_events}


def judge_files(
    *,
    rounds: Sequence[str] = (),
    wagers: Sequence[str] = (),
    events: Sequence[str] = (),
    approvals: str | None = None,
    source: str = "canonical",
    suites: Path | None = None,
) -> GateResult:
    """The answers of the suites about the files given.

    Raises UsageError, ConfigurationError or InputRefused for files, profiles or suites that cannot be read.
    """
    profile = load_profile(source)
    given: dict[str, tuple[SourceFile, ...]] = {
        role: resolve(paths, role)
        for role, paths in (("rounds", rounds), ("wagers", wagers), ("events", events))
        if paths
    }
    for role in ("wagers", "events"):
        if profile.embeds(role) and "rounds" in given:
            given.setdefault(role, given["rounds"])
    samples: dict[str, pa.Table] = {}
    facts: dict[str, dict[str, Fact]] = {}
    index: RoundIndex | None = None
    for role, files in given.items():
        index = _judge(role, files, profile, samples, facts, index)
    if approvals is not None:
        samples["register"] = register_table(load_register(approvals))
    return run_gate(samples, facts, suites)


def _judge(
    role: str,
    files: Sequence[SourceFile],
    profile: SourceProfile,
    samples: dict[str, pa.Table],
    facts: dict[str, dict[str, Fact]],
    index: RoundIndex | None,
) -> RoundIndex | None:
    """One table's sample and facts; returns the index of the rounds, for counting wagers without one."""
    seen = Facts(role)
    identity = TABLES[role].identity
    twice: frozenset[str] = frozenset()
    if identity is not None:
        twice = repeated_ids(partial(read.open_ids, TABLES[role], files, profile))
    repeats = Repeats(identity or "", twice)
    parts: list[pa.RecordBatch] = []
    ids: list[pa.Array] = []
    room = SAMPLE_ROWS
    orphans = 0
    with Quarantine() as quarantine:
        for batch in _OPEN[role](files, profile=profile, quarantine=quarantine):
            seen.add(batch.rows)
            repeats.keep(batch)
            if room > 0:
                parts.append(batch.rows.slice(0, room))
                room -= parts[-1].num_rows
            if role == "rounds":
                ids.append(batch.rows["round_id"])
            elif role == "wagers" and index is not None:
                orphans += int(np.count_nonzero(index.locate(batch.rows["round_id"]) < 0))
        seen.put(quarantined=quarantine.count(role), repeats=sum(repeats.counts.values()), orphans=orphans)
    if parts:
        samples[role] = pa.Table.from_batches(parts).unify_dictionaries()
    facts[role] = dict(seen.facts())
    return RoundIndex(pa.chunked_array(ids, pa.string())) if role == "rounds" else index
