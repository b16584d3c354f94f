"""What a supplementary run says of the run that it supersedes: findings new, unchanged and gone."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from audit.diff import findings_of
from audit.findings import records
from audit.verify import load_manifest

LISTED: Final = 200
"""So many findings of each group are listed in the manifest; `diff` lists them all."""

_COLUMNS: Final = (
    *("finding_id", "code", "severity", "casino", "table_id", "shoe_id", "round_id", "wager_id", "approval_id", "side"),
    *("occurred_at", "expected", "observed", "amount", "currency", "message_zh", "message_pt", "message_en"),
)


def superseded_id(previous: Path) -> str:
    """The run id of the run in a directory.

    Raises UsageError where it holds no finished run.
    """
    return str(load_manifest(previous)["run_id"])


def supplement(previous: Path, findings: pa.Table) -> dict[str, Any]:
    """The manifest's `supplement`: the id of the superseded run, the size of each group, and the new and gone findings.

    A finding is the same where its id is: the same code, subject, citation, expected and observed. Of each of `lists`
    no more than `LISTED` are there, in the order of the findings file. Raises UsageError where the earlier run or its
    findings cannot be read.
    """
    before = findings_of(previous)
    new = findings.filter(pc.invert(_among(findings, before)))
    gone = before.filter(pc.invert(_among(before, findings)))
    return {
        "supersedes": superseded_id(previous),
        "new": len(new),
        "unchanged": len(findings) - len(new),
        "gone": len(gone),
        "lists": {"new": _listed(new), "gone": _listed(gone)},
    }


def _among(these: pa.Table, those: pa.Table) -> pa.ChunkedArray:
    """Which of these findings are among those, as booleans."""
    return pc.is_in(these["finding_id"], value_set=those["finding_id"].combine_chunks())


def _listed(findings: pa.Table) -> list[dict[str, Any]]:
    return [{name: row[name] for name in _COLUMNS} for row in records(findings.slice(0, LISTED))]
