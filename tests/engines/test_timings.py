"""Where the time goes: asked for, it is written beside the run and changes nothing in it."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from audit.demo import make_demo
from audit.engines.timings import StepTimes

pytestmark = pytest.mark.slow


def busy(seconds: float) -> None:
    """Use the processor for a while."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def test_a_step_within_a_step_counts_once() -> None:
    """The inner step's time is not the outer's, and each thread keeps its own."""
    steps = StepTimes()

    def work() -> None:
        with steps.step("elsewhere", 5):
            busy(0.02)

    with steps.step("outer", 3):
        busy(0.02)
        other = threading.Thread(target=work)
        other.start()
        other.join()
        with steps.step("inner"):
            busy(0.2)

    listed = {row["step"]: (row["seconds"], row["rows"]) for row in steps.listed()}
    assert list(listed) == ["elsewhere", "inner", "outer"]
    assert listed["inner"][0] >= 0.2
    assert 0.02 <= listed["outer"][0] < 0.2
    assert [rows for _, rows in listed.values()] == [5, 0, 3]


def test_a_place_that_cannot_be_written_is_refused_before_the_audit(tmp_path: Path) -> None:
    """`--timings` into nowhere is wrong usage, said before anything is read or written."""
    command = [sys.executable, "-m", "audit.cli", "run", "--rounds", "pyproject.toml", "--out", str(tmp_path / "run")]
    done = subprocess.run(
        [*command, "--timings", str(tmp_path / "no" / "t.json")], capture_output=True, text=True, check=False
    )

    assert done.returncode == 2
    assert "t.json cannot be written (No such file or directory)" in done.stderr
    assert not (tmp_path / "run").exists()


def test_timings_are_written_beside_the_run(tmp_path: Path) -> None:
    """`run --timings` names the steps, the rows they looked at, and the processor's time altogether."""
    demo = make_demo(tmp_path / "demo", faults=False)
    command = [sys.executable, "-m", "audit.cli", "run", "--no-report", "--quiet", "--rounds", str(demo.rounds)]
    command += ["--wagers", str(demo.wagers), "--out", str(tmp_path / "run"), "--timings", str(tmp_path / "t.json")]

    assert subprocess.run(command, capture_output=True, check=False).returncode in {0, 1}

    taken = json.loads((tmp_path / "t.json").read_text("utf-8"))
    totals = json.loads((tmp_path / "run" / "manifest.json").read_text("utf-8"))["totals"]
    rows = {step["step"]: step["rows"] for step in taken["steps"]}
    assert rows["replay and checks of rounds"] == totals["rounds"]["accepted"]
    assert rows["settlement"] == totals["wagers"]["accepted"]
    assert 0 < sum(step["seconds"] for step in taken["steps"]) <= taken["cpu"]
    assert taken["children_cpu"] > 0
    assert not (tmp_path / "run" / "t.json").exists()
