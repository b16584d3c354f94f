"""Many processes, on one machine or several: the same audit, part by part, at the workers of a Dask scheduler.

The workers read the files themselves, under the paths that are given here; the events, the register and the settings
are read here and sent. Where the folders of all files name their table, a part is made of whole files. Everything else
is brought together by the engine's own shuffle: each wager gets the table of its round by a merge, and both are
shuffled by the name of the table. A part is audited by the code of the local engine, and what is written is the same,
byte for byte.

Profiles whose rows need what other files say are refused: rounds numbered on from shoe to shoe, corrections, cards in
files of their own. Parquet files are cut at their row groups, plain CSV files at ends of rows; another file is read
whole by one worker.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from audit.base.canonical import TABLES
from audit.base.errors import InputRefused
from audit.engines.assignment import SAMPLE, Disordered, Inputs, Law, Progress
from audit.engines.cluster import layouts, pieces, tasks
from audit.engines.cluster.connect import Cluster, connected
from audit.engines.cluster.digests import Digests
from audit.engines.cluster.pieces import InputPiece, Seen
from audit.engines.cluster.worker_law import Context
from audit.engines.local import Audited, LogAudit, Order
from audit.engines.part import Days
from audit.engines.summary import Summary
from audit.replay.repeats import Conflicts, Repeats
from audit.source.file_reading import Batch
from audit.source.quarantine import Quarantine
from audit.source.read import open_rounds, open_wagers

if TYPE_CHECKING:
    from distributed import Client

_OPEN = {"rounds": open_rounds, "wagers": open_wagers}


def audit_all(
    inputs: Inputs, law: Law, days: Days, progress: Progress, where: Cluster, scratch: Path | None = None
) -> Audited:
    """Audit all inputs at the workers of a cluster; `days` and `scratch` as for the local engine.

    Raises UsageError for an address or a profile that cannot be meant, InputRefused for files that cannot be read, and
    MachineFailure for a scheduler or workers that cannot be had.
    """
    pieces.refuse_stateful(inputs.profile)
    with connected(where) as client:
        digests = Digests(client, list(dict.fromkeys((*inputs.rounds, *inputs.wagers))))
        together = layouts.is_colocated(inputs)
        while True:
            audit = _ClusterAudit(client, inputs, law, days, progress, scratch, together=together)
            try:
                audited = audit.run()
                digests.learn()
            except Disordered:
                audit.close()
                together = False
            except BaseException:
                audit.close()
                raise
            else:
                return audited


class _ClusterAudit(LogAudit):
    """One attempt at the whole log; `together`: the files of a table are taken for all that there is about it."""

    def __init__(
        self,
        client: Client,
        inputs: Inputs,
        law: Law,
        days: Days,
        progress: Progress,
        scratch: Path | None,
        *,
        together: bool,
    ) -> None:
        super().__init__(inputs, law, days, progress, Order(rounds=False, wagers=False, tables=False), scratch)
        self._client, self._together = client, together
        self._pieces: dict[str, list[InputPiece]] = {}
        self._looks: dict[str, list[pieces.Ids]] = {}

    def _conflicts(self, role: str, opener: Callable[..., Any]) -> Conflicts:
        """Look for repeated ids beforehand; their rows are settled here, and left out by the workers."""
        del opener
        files, profile = self._files(role), self._inputs.profile
        if self._together:
            listed = pieces.whole(role, files)
        else:
            listed = pieces.pieces_of(role, files, layouts.cut(self._client, files, profile.dialect))
        looks, suspects = layouts.repeated(self._client, listed, profile) if listed else ([], [])
        self._looks[role] = looks
        column = str(TABLES[role].identity)
        counts = Counter(name for batch in suspects for name in batch.rows[column].to_pylist())
        repeats = Repeats(column, frozenset(name for name, times in counts.items() if times > 1))
        left_out: dict[int, list[npt.NDArray[np.int64]]] = defaultdict(list)
        for batch in suspects:
            left_out[batch.file_index].append(batch.source_row[~repeats.keep(batch)])
        self._repeats[role] = repeats
        self._pieces[role] = pieces.without(listed, {i: np.concatenate(rows) for i, rows in left_out.items()})
        return Conflicts(repeats.kept, repeats.conflicts)

    def _parts(self) -> Summary:
        shared, client = self._shared, self._client
        shared.conflicts["wagers"] = self._conflicts("wagers", open_wagers)
        total, told, tables = Summary.empty(shared.most), list[Seen](), set[str]()
        strays: list[Batch] = []
        context = Context.of(self._inputs, shared)
        rounds, wagers = self._pieces["rounds"], self._pieces["wagers"]
        if self._together:
            work = layouts.colocated(client, rounds, wagers, context)
        else:
            work = layouts.shuffled(client, rounds, wagers, context, self._looks)
        for result in layouts.results(client, work):
            if isinstance(result, Seen):
                told.append(result)
                self._progress(result.role, result.accepted)
                continue
            told += result.seen
            strays += result.strays
            tables |= result.tables
            self._take(total, result)
        self._hear(told)
        if not total.accepted["rounds"] + total.outside["rounds"]:
            total.add(tasks.audit_nothing(shared))
        if strays:
            self._check_late(strays)
            self._orphans(total, strays)
        if elsewhere := shared.events.elsewhere(tables):
            total.tally["SHO-004", "event_not_placed"] += elsewhere
        return total

    def _take(self, total: Summary, outcome: tasks.PartOutcome) -> None:
        """Add what a part came to."""
        if outcome.findings is not None:
            self._sorted.add(outcome.findings)
        for role, facts in outcome.facts.items():
            self._progress(role, facts.rows)
            self._learn(role, facts)
        self._shared.steps.add(outcome.steps)
        if outcome.summary is not None:
            self._progress("replay", outcome.summary.accepted["rounds"])
            total.add(outcome.summary)

    def _learn(self, role: str, facts: Any) -> None:
        if role not in self._watch.facts and facts.rows:
            self._watch.facts[role] = facts
        elif facts.rows:
            self._watch.facts[role].merge(facts)

    def _hear(self, told: list[Seen]) -> None:
        """Take in what the reading of each piece told, in the order of reading, and the first rows for the data gate.

        Raises InputRefused where the files of a role have no row at all.
        """
        for role in ("rounds", "wagers"):
            mine = sorted((seen for seen in told if seen.role == role), key=lambda seen: seen.place)
            for seen in mine:
                self._quarantine.absorb(seen.quarantine)
                if seen.facts is not None:
                    self._learn(role, seen.facts)
            files = self._files(role)
            if files and not any(seen.rows_at_all for seen in mine):
                if not self._inputs.profile.table(TABLES[role]).embedded:
                    raise InputRefused(f"{', '.join(file.name for file in files)}: no row of data, only a header")
            elif files:
                self._sample(role)

    def _sample(self, role: str) -> None:
        """The first rows are read once more, here, as the local engine sees them."""
        if role not in self._watch.facts:
            return
        parts, room = self._watch.parts.setdefault(role, []), SAMPLE
        for batch in _OPEN[role](self._files(role), profile=self._inputs.profile, quarantine=Quarantine()):
            parts.append(batch.rows.slice(0, room))
            room -= parts[-1].num_rows
            if not room:
                break

    def _check_late(self, strays: list[Batch]) -> None:
        """Raise Disordered where a round of a wager that found none is in the files of another table."""
        if self._together:
            wanted = pa.chunked_array([batch.rows["round_id"] for batch in strays]).unique()
            said, ids = layouts.literal(self._inputs.profile), layouts.literal(wanted)
            listed = layouts.grouped(self._pieces["rounds"], layouts.threads(self._client))
            if any(layouts.in_order(self._client, [layouts.task(pieces.holds, each, said, ids) for each in listed])):
                raise Disordered("tables")
