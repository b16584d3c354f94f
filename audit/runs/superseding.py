"""What a supplementary run says of the run that it supersedes: findings new, unchanged and gone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from audit.base.errors import UsageError
from audit.findings.table import SCHEMA, Batches, batches_of, records, stored
from audit.runs.run_directory import load_manifest

LISTED: Final = 200
"""So many findings of each group are listed in the manifest; `diff` lists them all."""

_AT_ONCE: Final = 20_000
"""Findings of this run compared at once."""

_COLUMNS: Final = (
    *("finding_id", "code", "severity", "casino", "table_id", "shoe_id", "round_id", "wager_id", "approval_id", "side"),
    *("occurred_at", "expected", "observed", "amount", "currency", "message_zh", "message_pt", "message_en"),
)


def superseded_id(previous: Path) -> str:
    """The run id of the run in a directory.

    Raises UsageError where it holds no finished run.
    """
    return str(load_manifest(previous)["run_id"])


def supplement(previous: Path, findings: pa.Table | Batches) -> dict[str, Any]:
    """The manifest's `supplement`: the id of the superseded run, the size of each group, and the new and gone findings.

    A finding is the same where its id is: the same code, subject, citation, expected and observed. Of each of `lists`
    no more than `LISTED` are there, in the order of the findings file. In memory are the ids of the earlier run, and
    of both runs' findings a batch at a time. Raises UsageError where the earlier run or its findings cannot be read.
    """
    before = _Known(previous)
    new = _FindingGroup()
    for batch in batches_of(findings, _AT_ONCE):
        new.add(batch, ~before.meet(batch["finding_id"]))
    gone = _FindingGroup()
    for batch in earlier(previous):
        gone.add(batch, ~before.met(batch["finding_id"]))
    return {
        "supersedes": superseded_id(previous),
        "new": new.count,
        "unchanged": len(findings) - new.count,
        "gone": gone.count,
        "lists": {"new": new.listed(), "gone": gone.listed()},
    }


def earlier(run_dir: Path, columns: list[str] | None = None) -> Iterator[pa.RecordBatch]:
    """The findings of a finished run as batches; UsageError where they are missing or cannot be read."""
    try:
        yield from stored(run_dir, columns)
    except (OSError, ValueError) as error:
        raise UsageError(f"{run_dir}: findings.parquet cannot be read ({type(error).__name__})") from None


class _Known:
    """The ids of the earlier run's findings, and which of them this run found again."""

    def __init__(self, previous: Path) -> None:
        parts = [_bytes(batch["finding_id"]) for batch in earlier(previous, ["finding_id"])]
        self._ids = np.unique(np.concatenate([np.empty(0, "S24"), *parts]))
        self._again = np.zeros(len(self._ids), np.bool_)

    def meet(self, ids: pa.StringArray) -> npt.NDArray[np.bool_]:
        """Note findings of this run; true for those that the earlier run had."""
        places, there = self._find(ids)
        self._again[places[there]] = True
        return there

    def met(self, ids: pa.StringArray) -> npt.NDArray[np.bool_]:
        """True for those of the earlier run's findings that were noted."""
        return self._again[self._find(ids)[0]]

    def _find(self, ids: pa.StringArray) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.bool_]]:
        sought = _bytes(ids)
        if not len(self._ids):
            return np.zeros(len(sought), np.intp), np.zeros(len(sought), np.bool_)
        places = np.minimum(np.searchsorted(self._ids, sought), len(self._ids) - 1)
        return places, self._ids[places] == sought


def _bytes(ids: pa.StringArray) -> npt.NDArray[np.bytes_]:
    return np.array(ids.cast(pa.binary()).to_pylist(), np.bytes_)


@dataclass
class _FindingGroup:
    """How many findings a group has, and the first of them."""

    count: int = 0
    first: list[pa.RecordBatch] = field(default_factory=list)

    def add(self, batch: pa.RecordBatch, belong: npt.NDArray[np.bool_]) -> None:
        """Take the findings of a batch that belong to the group."""
        wanted = np.flatnonzero(belong)[: max(0, LISTED - self.count)]
        if len(wanted):
            self.first.append(batch.take(pa.array(wanted)))
        self.count += int(np.count_nonzero(belong))

    def listed(self) -> list[dict[str, Any]]:
        """The first of them, as the manifest lists them."""
        rows = records(pa.Table.from_batches(self.first, SCHEMA))
        return [{name: row[name] for name in _COLUMNS} for row in rows]
