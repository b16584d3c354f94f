"""A supplementary run: what it says of the run that it supersedes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from audit.base.errors import UsageError
from audit.findings.table import read_findings
from audit.pipeline import RunRequest, run_audit
from audit.runs import superseding as module
from audit.runs.superseding import supplement
from audit.verify.verification import verify
from tests.finished import NoGate, demonstration

HEAD = "round_id,table_id,shoe_id,round_no,game,status,started_at,player_cards,banker_cards,outcome\n"
RIGHT = "{},T1,S1,{},baccarat,settled,2024-03-01T21:{:02}:00+08:00,9H KD,3C 4S,player\n"


def audit(folder: Path, name: str, wrong: set[int], previous: Path | None = None) -> Path:
    """Audit five rounds of which some have a wrong outcome; the run's directory."""
    rows = [RIGHT.format(f"r{n}", n, n) for n in range(1, 6)]
    text = [row.replace(",player\n", ",banker\n") if n in wrong else row for n, row in enumerate(rows, 1)]
    (folder / f"{name}.csv").write_text(HEAD + "".join(text))
    request = RunRequest(rounds=[folder / f"{name}.csv"], out=folder / name, report=False, previous=previous)
    run_audit(request, gate=NoGate())
    return folder / name


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the notes of where inputs were in the test's folder."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def test_supplement_names_what_is_new_unchanged_and_gone(tmp_path: Path) -> None:
    """Corrected data, one fault new, one left, one mended, are compared with the earlier run, and verify holds."""
    first = audit(tmp_path, "first", {1, 2})
    second = audit(tmp_path, "second", {2, 3}, previous=first)
    said = json.loads((second / "manifest.json").read_text())["supplement"]

    assert (1, 1, 1) == (said["new"], said["unchanged"], said["gone"])
    assert json.loads((first / "manifest.json").read_text())["run_id"] == said["supersedes"]
    assert (["r3"], ["r1"]) == tuple([row["round_id"] for row in said["lists"][name]] for name in ("new", "gone"))
    assert [] == verify(second)


def test_same_inputs_after_the_same_run_give_the_same_bytes(tmp_path: Path) -> None:
    """A supplementary run is as reproducible as any other; another predecessor makes it another run."""
    first, other = audit(tmp_path, "first", {1}), audit(tmp_path, "other", {4})
    runs = []
    for number, previous in enumerate((first, first, other)):
        out = tmp_path / f"again{number}"
        rounds = [tmp_path / "first.csv"]
        run_audit(RunRequest(rounds=rounds, out=out, report=False, previous=previous), gate=NoGate())
        runs.append((out / "manifest.json").read_bytes())

    assert runs[0] == runs[1] != runs[2]


def test_lists_are_capped_and_counts_are_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many findings the manifest lists the first and counts all."""
    monkeypatch.setattr(module, "LISTED", 3)
    run = demonstration().run
    first = audit(tmp_path, "first", set())
    said = supplement(run, read_findings(first))

    assert said["gone"] == len(demonstration().rows) > 3
    assert [row["finding_id"] for row in said["lists"]["gone"]] == [
        row["finding_id"] for row in demonstration().rows[:3]
    ]


def test_predecessor_that_is_no_run_is_refused_before_the_audit(tmp_path: Path) -> None:
    """A directory without a finished run is wrong usage, and nothing is written."""
    with pytest.raises(UsageError, match="holds no finished run"):
        audit(tmp_path, "second", {1}, previous=tmp_path)
    assert not (tmp_path / "second").exists()
