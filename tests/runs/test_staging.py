"""The output directory: nobody's files are touched, two runs never mix, nothing unfinished looks finished."""

from __future__ import annotations

from pathlib import Path

import pytest

from audit.base.errors import MachineFailure, UsageError
from audit.runs.staging import MANIFEST, staged


def test_foreign_files_are_left_alone(tmp_path: Path) -> None:
    """A directory with files of its own, even under a run's names, is refused and stays as it is."""
    (tmp_path / "report.pdf").write_text("mine", encoding="utf-8")

    with pytest.raises(UsageError, match=r"report\.pdf"), staged(tmp_path):
        pass

    assert {"report.pdf": "mine"} == {p.name: p.read_text(encoding="utf-8") for p in tmp_path.iterdir()}


def test_two_runs_never_share_a_directory(tmp_path: Path) -> None:
    """While one run holds the directory, a second one is refused at once."""
    with staged(tmp_path / "out") as first:
        with pytest.raises(UsageError, match="in use"), staged(tmp_path / "out"):
            pass
        first.path(MANIFEST).write_text("{}", encoding="utf-8")
        first.publish((MANIFEST,))

    assert [MANIFEST] == [p.name for p in (tmp_path / "out").iterdir()]


def test_what_a_killed_run_left_is_cleared(tmp_path: Path) -> None:
    """A stage that nobody holds any more, with what was published of it, makes way for the next run."""
    out = tmp_path / "out"
    (out / ".unfinished").mkdir(parents=True)
    (out / "findings.csv").write_text("half", encoding="utf-8")

    with staged(out) as stage:
        stage.path(MANIFEST).write_text("{}", encoding="utf-8")
        stage.publish((MANIFEST,))

    assert [MANIFEST] == [p.name for p in out.iterdir()]


def test_a_refused_run_leaves_no_directory(tmp_path: Path) -> None:
    """A run that is refused before it wrote anything leaves nothing; one that failed to write says so."""
    with pytest.raises(UsageError, match="asked"), staged(tmp_path / "a"):
        raise UsageError("asked for nothing")
    with pytest.raises(MachineFailure, match="No space left"), staged(tmp_path / "b"):
        raise OSError(28, "No space left on device")

    assert [] == list(tmp_path.iterdir())


def test_a_finished_run_is_never_written_over(tmp_path: Path) -> None:
    """A directory with a manifest holds a run, and keeps it."""
    (tmp_path / MANIFEST).write_text("{}", encoding="utf-8")

    with pytest.raises(UsageError, match="another run"), staged(tmp_path):
        pass
