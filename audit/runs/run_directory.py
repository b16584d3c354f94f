"""A finished run as a folder: its manifest, its findings, and the note of files added to it later."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from audit.base.errors import UsageError
from audit.findings.table import read_findings
from audit.runs.staging import MANIFEST, sha256

SUPPLEMENT: Final = "supplement.json"
"""Names files that were added to a finished run (a signature, a report rendered again), each with its digest."""


Manifest = Mapping[str, Any]


def load_manifest(run_dir: Path) -> Manifest:
    """The manifest of a finished run.

    Raises UsageError for a directory that holds no run, or one whose manifest cannot be read.
    """
    file = run_dir / MANIFEST
    if not file.is_file():
        raise UsageError(f"{run_dir} holds no finished run ({MANIFEST} is missing)")
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{run_dir}: {MANIFEST} cannot be read ({type(error).__name__})") from None
    if not isinstance(content, dict):
        raise UsageError(f"{run_dir}: {MANIFEST} is not a manifest")
    return content


def add_supplement(run_dir: Path, name: str) -> None:
    """Note a file that was added to a finished run, with its digest, so that `verify` knows it.

    The supplement is a JSON object with `outputs` like the manifest's.
    """
    path = run_dir / SUPPLEMENT
    content = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {"outputs": []}
    file = run_dir / name
    entry = {"file": name, "sha256": sha256(file), "bytes": file.stat().st_size}
    content["outputs"] = sorted(
        [entry, *(each for each in content["outputs"] if each["file"] != name)], key=lambda each: str(each["file"])
    )
    fresh = run_dir / f".{SUPPLEMENT}"
    fresh.write_text(json.dumps(content, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    fresh.replace(path)


def findings_of(run_dir: Path) -> pa.Table:
    """The findings of a finished run.

    Raises UsageError where they are missing or cannot be read.
    """
    try:
        return read_findings(run_dir)
    except (OSError, ValueError) as error:
        raise UsageError(f"{run_dir}: findings.parquet cannot be read ({type(error).__name__})") from None
