"""The gate's helper process: the same answers and errors, and no orphan where its parent dies."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from audit.base.canonical import TABLES
from audit.base.errors import ConfigurationError
from audit.gate.gate_process import GateProcess
from audit.gate.validate import run_gate

pytestmark = pytest.mark.slow

PARENT = """
import os, signal, time
from audit.gate.gate_process import GateProcess
if __name__ == "__main__":
    gate = GateProcess()
    print(gate.pid, flush=True)
    time.sleep(60)
"""


def alive(process: int) -> bool:
    """Say whether a process exists and is no zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_helper_answers_as_the_gate_itself(tmp_path: Path) -> None:
    """The helper gives the same answers and errors, and where it is killed the gate runs in this process."""
    events = pa.Table.from_pylist([], schema=TABLES["events"].schema)
    with GateProcess() as gate:
        answers = gate.run({"events": events}, {})
        (tmp_path / "own.json").write_text(json.dumps({"name": "own"}), encoding="utf-8")
        with pytest.raises(ConfigurationError, match=r"own\.json"):
            gate.run({"events": events}, {}, tmp_path)
        os.kill(gate.pid, signal.SIGKILL)
        after = gate.run({"events": events}, {})

    assert run_gate({"events": events}, {}) == answers == after
    assert [False] == [line.success for line in answers.results if "row_count" in line.expectation]


def test_gate_runs_here_where_no_process_can_be_had(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the helper cannot be started, the gate runs in this process."""
    monkeypatch.setattr(sys, "executable", str(tmp_path / "nothing"))
    events = pa.Table.from_pylist([], schema=TABLES["events"].schema)
    with GateProcess() as gate:
        assert run_gate({"events": events}, {}) == gate.run({"events": events}, {})
        with pytest.raises(ProcessLookupError):
            _ = gate.pid


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes under /proc")
def test_helper_ends_with_its_parent(tmp_path: Path) -> None:
    """A parent that is killed leaves no helper behind."""
    script = tmp_path / "parent.py"
    script.write_text(PARENT, encoding="utf-8")
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        helper = int(parent.stdout.readline())
        time.sleep(1)
        parent.kill()
    deadline = time.monotonic() + 30
    while alive(helper) and time.monotonic() < deadline:
        time.sleep(0.1)

    assert not alive(helper)


def sample(rows: int) -> pa.Table:
    """Some wagers, of which one has a stake of nothing."""
    nothing = dict.fromkeys(TABLES["wagers"].names)
    made = [nothing | {"wager_id": f"W{n}", "round_id": f"R{n}", "stake": 10_000 * min(n, 1)} for n in range(rows)]
    return pa.Table.from_pylist(made, schema=TABLES["wagers"].schema)


def test_rows_judged_early_have_the_same_answers_in_the_same_order() -> None:
    """The answers about rows that were sent ahead are those of one question; other rows are judged afresh."""
    first, other = sample(3), sample(2)
    events = pa.Table.from_pylist([], schema=TABLES["events"].schema)
    profiles = {"wagers": {"rows": 3, "quarantined": 0}}
    asked: list[set[str]] = []

    class Heard(GateProcess):
        def _put(self, judged: Any, profiles: Any, suites_dir: Path | None) -> None:
            asked.append(set(judged))
            super()._put(judged, profiles, suites_dir)

    with Heard() as gate:
        gate.foresee("wagers", first)
        gate.foresee("wagers", other)  # the same role once more: not heard
        early = gate.run({"wagers": first, "events": events}, profiles)
        gate.foresee("wagers", first)
        differs = gate.run({"wagers": other, "events": events}, profiles)

    assert asked == [{"wagers"}, {"events"}, {"wagers"}, {"wagers", "events"}]
    assert early == run_gate({"wagers": first, "events": events}, profiles)
    assert differs == run_gate({"wagers": other, "events": events}, profiles)
    assert early != differs


def test_a_helper_killed_after_an_early_question_is_no_loss() -> None:
    """The gate then runs in this process, over all there is."""
    events = pa.Table.from_pylist([], schema=TABLES["events"].schema)
    with GateProcess() as gate:
        gate.foresee("wagers", sample(3))
        os.kill(gate.pid, signal.SIGKILL)
        answers = gate.run({"wagers": sample(3), "events": events}, {})

    assert answers == run_gate({"wagers": sample(3), "events": events}, {})


@pytest.mark.parametrize("killed", ["before", "after"])
def test_a_question_is_answered_when_the_answer_is_called_for(killed: str) -> None:
    """Until then this process does other things; a helper that was killed meanwhile is no loss."""
    events = pa.Table.from_pylist([], schema=TABLES["events"].schema)
    expected = run_gate({"events": events}, {})
    with GateProcess() as gate:
        assert expected == gate.ask({"events": events}, {})()
        if killed == "before":
            os.kill(gate.pid, signal.SIGKILL)
        answer = gate.ask({"events": events}, {})
        if killed == "after":
            os.kill(gate.pid, signal.SIGKILL)
        assert expected == answer()


def test_an_early_question_that_could_not_be_put_is_no_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for an answer to it; the gate runs in this process."""
    events = pa.Table.from_pylist([], schema=TABLES["events"].schema)

    def fail(*_: Any) -> None:
        raise MemoryError

    with GateProcess() as gate:
        monkeypatch.setattr(gate, "_put", fail)
        gate.foresee("wagers", sample(3))
        answers = gate.run({"wagers": sample(3), "events": events}, {})

    assert answers == run_gate({"wagers": sample(3), "events": events}, {})
