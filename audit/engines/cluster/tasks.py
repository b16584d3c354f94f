"""What a worker does: pure functions of their arguments and of the files, so that each may be done again elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from audit.base.errors import InputRefused
from audit.engines.cluster import pieces
from audit.engines.cluster.frames import BUCKET, batches_of, bundled, numbers_frame, table_of, to_pandas
from audit.engines.cluster.pieces import InputPiece, Seen
from audit.engines.cluster.worker_law import Context, packed, shared_of
from audit.engines.part import SharedState, audit_partition
from audit.engines.summary import Summary
from audit.engines.timings import StepTimes
from audit.gate.facts import TableFacts as Facts
from audit.replay.identity import RoundIndex
from audit.replay.rounds_reader import RoundsReader
from audit.source.file_reading import Batch
from audit.source.profiles import SourceProfile
from audit.source.quarantine import Quarantine
from audit.stores.files import Digest, SourceFile

PRINT: Final = "print"
"""The column of fingerprints."""

_NOWHERE: Final = np.zeros(0, np.int64)

PLACES: Final = ["round_id", BUCKET]
"""What gives each wager the bucket of its round."""


@dataclass
class PartOutcome:
    """What the audit of a part comes to: numbers, findings, wagers whose rounds are not here, names of its tables.

    `seen` and `facts` (by role) are those of the files that the task itself read.
    """

    summary: Summary | None = None
    findings: pa.RecordBatch | None = None
    strays: list[Batch] = field(default_factory=list)
    tables: frozenset[str] = frozenset()
    steps: StepTimes = field(default_factory=StepTimes)
    seen: list[Seen] = field(default_factory=list)
    facts: dict[str, Facts] = field(default_factory=dict)


def digests_of(files: Sequence[SourceFile]) -> list[Digest | None]:
    """The digests of some files; None for one that cannot be read here, which is the business of who reads its rows."""
    found: list[Digest | None] = []
    for file in files:
        try:
            found.append(file.digest())
        except InputRefused:
            found.append(None)
    return found


def read_frame(piece: InputPiece, keys: Sequence[int], context: Context) -> tuple[Any, Any, Seen]:
    """The rows of a piece and what its reading told.

    Rounds come in bundles, with a frame of their ids and buckets; wagers, whose buckets are not known yet, as a frame.
    """
    seen = Seen(piece.role, (piece.index, piece.number), Quarantine(), Facts(piece.role))
    table = table_of(piece.role, pieces.read(piece, context.profile, seen))
    if piece.role == "rounds":
        return bundled(table, keys), to_pandas(table.select(PLACES)), seen
    return None, to_pandas(table), seen


def read_beside(piece: InputPiece, places: Sequence[Any], keys: Sequence[int], context: Context) -> tuple[Any, Seen]:
    """The wagers of a piece in bundles, and what their reading told; `places` has all the rounds they can name."""
    seen = Seen(piece.role, (piece.index, piece.number), Quarantine(), Facts(piece.role))
    table = table_of(piece.role, pieces.read(piece, context.profile, seen))
    rounds = pa.concat_tables([pa.Table.from_pandas(frame, preserve_index=False) for frame in places])
    index = RoundIndex(rounds["round_id"])
    at = np.concatenate([_NOWHERE, *map(index.locate, table["round_id"].chunks)])
    buckets = rounds[BUCKET].combine_chunks().take(pa.array(at, mask=at < 0))
    return bundled(table.append_column(BUCKET, buckets), keys), seen


def bundle_frame(frame: Any, keys: Sequence[int]) -> Any:
    """A partition of wagers that have their buckets, in bundles."""
    return bundled(pa.Table.from_pandas(frame, preserve_index=False), keys)


def audit_frames(rounds: Any, wagers: Any, context: Context) -> PartOutcome:
    """Audit one partition: all rounds of some tables, and their wagers (None: there are none in the input)."""
    files = context.files
    given: Iterable[Batch] = () if wagers is None else batches_of("wagers", wagers, files["wagers"])
    if not len(rounds):
        return PartOutcome(strays=list(given))
    return _audited(context, batches_of("rounds", rounds, files["rounds"]), given)


def audit_files(rounds: Sequence[InputPiece], wagers: Sequence[InputPiece], context: Context) -> PartOutcome:
    """Audit one part that is in files of its own: all rounds of some tables, and their wagers."""
    seen: list[Seen] = []
    facts: dict[str, Facts] = {}

    def rows(role: str, files: Sequence[InputPiece]) -> Iterator[Batch]:
        for piece in files:
            known = facts.setdefault(role, Facts(role))
            seen.append(Seen(role, (piece.index, piece.number), Quarantine(), known))
            yield from pieces.read(piece, context.profile, seen[-1])

    outcome = _audited(context, rows("rounds", rounds), rows("wagers", wagers))
    outcome.seen = [replace(each, facts=None) for each in seen]
    outcome.facts = facts
    return outcome


def _audited(context: Context, rounds: Iterable[Batch], wagers: Iterable[Batch]) -> PartOutcome:
    shared, findings = shared_of(context)
    reader = RoundsReader(shared.names(), context.settings.casino)
    for batch in rounds:
        reader.add(batch)
    part = reader.finish()
    tables = frozenset(table for _, table in part.names.places)
    summary, strays = audit_partition(shared, part, wagers)
    # Of use in the part alone.
    summary.counts.moments, summary.counts.shoes = {}, type(summary.counts.shoes)()
    return PartOutcome(summary, packed(findings), strays, tables, shared.steps)


def audit_nothing(shared: SharedState) -> Summary:
    """What a log without any round that takes part comes to."""
    return audit_partition(shared, RoundsReader(shared.names(), None).finish(), ())[0]


def prints_frame(listed: Sequence[InputPiece], profile: SourceProfile) -> Any:
    """The fingerprints of the ids of some pieces as a frame."""
    return numbers_frame(PRINT, np.concatenate([pieces.prints_of(piece, profile) for piece in listed]))


def shared_prints(frame: Any) -> npt.NDArray[np.uint64]:
    """The fingerprints that occur more than once in a partition of all of them."""
    prints = np.sort(frame[PRINT].to_numpy())
    return np.unique(prints[1:][prints[1:] == prints[:-1]])
