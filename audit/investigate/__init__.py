"""One round, table or shoe of a finished run, replayed step by step from the run's own inputs.

The inputs are found again by digest; what differs from what the run read is refused. The rounds around are judged by
the functions that judge a whole log, and the answer says whether they give the run's findings again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from audit.base.errors import UsageError
from audit.investigate.content import round_content
from audit.investigate.scene import Target, read_scene
from audit.investigate.shoe_view import table_content
from audit.investigate.traced_inputs import find_inputs
from audit.runs.run_directory import findings_of, load_manifest

__all__ = ["Target", "investigate"]

CONFLICTING: Final = "conflicting_id"
"""The reason for which a row is in quarantine although an earlier row of its id was audited."""


def investigate(
    run_dir: Path,
    target: Target,
    *,
    inputs: Mapping[str, Sequence[str | Path]] | None = None,
    source: str | None = None,
    config: Path | None = None,
) -> dict[str, Any]:
    """Everything there is to say about a round, a table or a shoe, its sentences in every language.

    `inputs` are paths by role (rounds, wagers, approvals, events) where the files are no longer where the run read
    them; `config` is the run's configuration file, needed for paytables. Raises UsageError for a directory without a
    run and for a round, table or shoe that its input does not have, InputRefused naming an input that is not at hand or
    has changed.
    """
    manifest = load_manifest(run_dir)
    findings = findings_of(run_dir)
    aside = None if target.round_id is None else _set_aside(run_dir, target.round_id)
    if aside is not None:
        raise UsageError(aside)
    scene = read_scene(manifest, find_inputs(manifest, inputs, source), target, config)
    if target.round_id is not None:
        kind, content = "round", round_content(scene, findings)
    else:
        kind = "table" if target.shoe is None else "shoe"
        content = table_content(scene, findings, one_shoe=target.shoe is not None)
    return {
        "kind": kind,
        "run_id": manifest["run_id"],
        "software": manifest["software"],
        "notes": [{"note": name} | facts for name, facts in scene.notes],
        **content,
    }


def _ids_in(raw: str) -> set[str]:
    """What could be the round id of a row in quarantine: its cell of that name, or any field of an unparsed line."""
    try:
        cells = json.loads(raw)
    except ValueError:
        return set(raw.split(","))
    if not isinstance(cells, dict):
        return set(map(str, cells)) if isinstance(cells, list) else {str(cells)}
    known = {str(cells[name]) for name in ("round_id",) if cells.get(name) is not None}
    return known or {str(value) for name, value in cells.items() if value is not None and name.endswith("id")}


def _set_aside(run_dir: Path, round_id: str) -> str | None:
    """Where and why the only row of a round was set aside, in a sentence; None where it was read."""
    try:
        table = pq.read_table(run_dir / "quarantine.parquet", filters=[("table", "=", "rounds")])
    except (OSError, pa.ArrowException):
        return None
    for row in table.to_pylist():
        named = round_id in _ids_in(row["row"])
        if named and row["reason"] != CONFLICTING:
            where = f"row {row['source_row']} of {row['source_file']}"
            return f"round {round_id!r} was not audited: {where} is in quarantine. {row['message_en']}"
    return None
