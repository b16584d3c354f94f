"""Turns of `dicj-audit run` on a log: what they took, what they found, and where the time went."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any, Protocol

import pyarrow.parquet as pq
from logs import Log, files_of, warm
from measuring import Measure, measured

COMMAND = Path(sys.executable).parent / "dicj-audit"
PLANTED = {"draw": ("DRW-001", "DRW-002"), "outcome": ("RES-002",), "payout": ("PAY-001",)}
"""The checks that report each kind of planted fault."""


@dataclass
class Audit:
    """The turns of `run` on one log: the findings of the last, the times by step of those timed (none: not offered)."""

    log: Log
    measure: Measure = field(default_factory=Measure)
    found: dict[str, int] = field(default_factory=dict)
    ids: str = ""
    timings: list[dict[str, Any]] = field(default_factory=list)

    @property
    def findings(self) -> int:
        """How many findings there were."""
        return sum(self.found.values())

    @property
    def best_timings(self) -> dict[str, Any] | None:
        """The times by step of the quickest turn."""
        return self.timings[self.measure.best_turn] if self.timings else None

    def turn(self, work: Path, *, weigh: bool = False) -> None:
        """Audit the log once, timed or weighed, into a folder of `work` that is removed again."""
        out, times = work / "run", work / "timings.json"
        shutil.rmtree(out, ignore_errors=True)
        command: list[str | Path] = [COMMAND, "run", "--rounds", self.log.rounds, "--wagers", self.log.wagers]
        command += ["--no-report", "--quiet", "--out", out]
        if offers_timings():
            command += ["--timings", times]
        measured(command, self.measure, weigh=weigh, accept=(0, 1))
        if offers_timings():
            steps = json.loads(times.read_text("utf-8"))
            self.timings += [] if weigh else [steps]
            times.unlink()
        self.found = json.loads((out / "manifest.json").read_text("utf-8"))["findings"]["by_code"]
        ids = sorted(pq.read_table(out / "findings.parquet", columns=["finding_id"])["finding_id"].to_pylist())
        self.ids = hashlib.sha256("\n".join(ids).encode()).hexdigest()
        shutil.rmtree(out)


@cache
def offers_timings() -> bool:
    """Whether this version of the program writes the times of its steps."""
    done = subprocess.run([COMMAND, "run", "--help"], check=True, capture_output=True, text=True)
    return "--timings" in done.stdout


def mismatches(planted: Mapping[str, int], found: Mapping[str, int]) -> list[str]:
    """Every difference between planted faults and findings, in words.

    A wrong draw and a wrong outcome may fall on one round, which then has both findings: the numbers stay equal.
    """
    words = []
    for kind, number in planted.items():
        seen = sum(found.get(code, 0) for code in PLANTED[kind])
        if seen != number:
            words.append(f"{kind}: {number:,} planted, {seen:,} found")
    known = {code for kind in planted for code in PLANTED[kind]}
    words += [f"{code}: nothing planted, {n:,} found" for code, n in sorted(found.items()) if code not in known and n]
    return words


class Turn(Protocol):
    """One turn of a program, timed or weighed."""

    def __call__(self, *, weigh: bool) -> object:
        """Run the program."""


def in_turns(programs: Mapping[str, Turn], turns: int) -> None:
    """Run programs one after the other, once weighed and `turns` times timed; each time another one begins."""
    names = list(programs)
    for turn in range(turns + 1):
        print(f"  turn {turn} of {turns}" if turn else "  turn for memory", file=sys.stderr)
        for place in range(len(names)):
            programs[names[(turn + place) % len(names)]](weigh=not turn)


def audits_and_rivals(
    audits: Mapping[str, Audit], rivals: Mapping[str, tuple[list[str | Path], Measure]], turns: int, work: Path
) -> None:
    """Measure audits and rivals in turns, their files in the page cache."""
    for audit in audits.values():
        warm(files_of(audit.log))
    programs: dict[str, Turn] = {}
    for name, (command, measure) in rivals.items():
        programs[name] = partial(measured, command, measure)
    for name, audit in audits.items():
        programs[name] = partial(audit.turn, work)
    in_turns(programs, turns)
