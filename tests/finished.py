"""One demonstration with faults and one without, each audited once for all tests that look at finished runs."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import pyarrow as pa
import pytest

from audit.demo import DemoFiles, Planted, make_demo, run_demo
from audit.findings.table import read_findings, records
from audit.gate.answers import Answer, GateResult


class NoGate:
    """Stands in for the data gate where a test is not about it: importing the library takes seconds."""

    def foresee(self, role: str, sample: pa.Table) -> None:
        """Nothing is expected."""

    def ask(self, samples: Mapping[str, pa.Table], profiles: Mapping[str, Mapping[str, Any]]) -> Answer:
        """Nothing is expected."""
        assert samples
        assert profiles
        return lambda: GateResult(())


@dataclass(frozen=True)
class Demonstration:
    """A finished demonstration: its folder (`input`, `run`), the state folder it was noted in, what was planted."""

    folder: Path
    state: Path
    files: DemoFiles
    planted: tuple[Planted, ...]
    manifest: dict[str, Any]
    rows: list[dict[str, Any]]

    @property
    def run(self) -> Path:
        """The run directory."""
        return self.folder / "run"

    def planted_as(self, code: str) -> list[Planted]:
        """The faults of one check."""
        return [fault for fault in self.planted if fault.code == code]

    def round_of(self, code: str) -> str:
        """The round of the first fault of one check."""
        return str(self.planted_as(code)[0].subject["round_id"])


def remembered(monkeypatch: pytest.MonkeyPatch) -> Demonstration:
    """The demonstration with faults, its inputs remembered for as long as the test lasts."""
    made = demonstration()
    monkeypatch.setenv("XDG_STATE_HOME", str(made.state))
    return made


@cache
def demonstration(*, faults: bool = True) -> Demonstration:
    """The demonstration with or without faults, made once in a session."""
    base = Path(tempfile.mkdtemp(prefix="demonstration-"))
    atexit.register(shutil.rmtree, base, ignore_errors=True)
    out, state = base / "demo", base / "state"
    with mock.patch.dict(os.environ, {"XDG_STATE_HOME": str(state)}):
        result, _ = run_demo(out, gate=NoGate(), report=False, faults=faults)
    files = make_demo(base / "again", faults=faults)
    rows = list(records(read_findings(out / "run")))
    return Demonstration(out, state, files, files.planted, result.manifest, rows)
