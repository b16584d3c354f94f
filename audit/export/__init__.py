"""A finished run in the formats of other programs: a workbook, a static-analysis log, a page that filters offline.

Each export is made from the run directory alone, and the same run gives the same bytes.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from audit.base.errors import MachineFailure
from audit.report.run_files import check_manifest, read_json
from audit.runs.run_directory import findings_of, load_manifest

FORMATS: Final = ("xlsx", "sarif", "html")

__all__ = ["FORMATS", "FinishedRun", "export", "read_run"]


@dataclass(frozen=True)
class FinishedRun:
    """What an export is made of; `moment` is the last one of the data, which dates the file."""

    folder: Path
    manifest: Mapping[str, Any]
    findings: pa.Table
    evidence: Mapping[str, Any]
    moment: dt.datetime


def read_run(folder: Path) -> FinishedRun:
    """Read a finished run.

    Raises UsageError for a directory that holds none, InputRefused for a manifest that lacks a value.
    """
    manifest = check_manifest(load_manifest(folder))
    last = manifest["period"].get("last_started_at")
    moment = dt.datetime.fromisoformat(last) if last else dt.datetime(2004, 5, 18, tzinfo=dt.UTC)
    evidence = read_json(folder / "evidence.json", required=False)
    return FinishedRun(folder, manifest, findings_of(folder), evidence, moment)


def export(folder: Path, form: str, out: Path, *, language: str = "en", baseline: Path | None = None) -> int:
    """Write a run to `out` as `xlsx`, `sarif` or `html`; the number of findings written.

    `language` is that of the words (all three stand in the workbook; the page can be switched); `baseline` is an
    earlier run, with which a SARIF log compares. Raises UsageError for a directory that holds no run, MachineFailure
    where `out` cannot be written.
    """
    run = read_run(folder)
    try:
        if form == "xlsx":
            from audit.export.xlsx import write_xlsx

            write_xlsx(run, out)
        elif form == "sarif":
            from audit.export.sarif import write_sarif

            write_sarif(run, out, language, None if baseline is None else read_run(baseline))
        else:
            from audit.export.html import write_html

            write_html(run, out, language)
    except OSError as error:
        raise MachineFailure(f"{out.name} cannot be written: {error.strerror or error}") from error
    return len(run.findings)
