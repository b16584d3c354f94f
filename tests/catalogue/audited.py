"""Audit an example of the catalogue from end to end."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from audit.catalogue.examples import laid_out
from audit.config.settings import Settings
from audit.findings.table import read_findings, records
from audit.pipeline import RunRequest, run_audit
from tests.finished import NoGate


def audited(data: Mapping[str, object], folder: Path) -> list[dict[str, Any]]:
    """The findings of a run on the rows that the data of an example stands for."""
    example = laid_out(data)
    paths = {table: folder / f"{table}.csv" for table in example.tables}
    for table, path in paths.items():
        path.write_text(example.csv(table), encoding="utf-8")
    request = RunRequest(
        [paths["rounds"]],
        folder / "out",
        wagers=[paths["wagers"]] if "wagers" in paths else (),
        approvals=paths.get("approvals"),
        events=[paths["events"]] if "events" in paths else (),
        config=Settings.model_validate(_thawed(example.configuration)),
        report=False,
    )
    run_audit(request, gate=NoGate())
    return list(records(read_findings(folder / "out")))


def _thawed(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: _thawed(item) for key, item in value.items()}
    return [_thawed(item) for item in value] if isinstance(value, tuple) else value
