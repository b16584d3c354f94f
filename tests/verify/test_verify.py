"""What `verify` notices of a finished run."""

from __future__ import annotations

import datetime as dt
import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from audit.base.errors import UsageError
from audit.base.model import MACAU, Severity
from audit.cli import call
from audit.runs.run_directory import add_supplement
from audit.runs.staging import sha256
from audit.store.ledger import Ledger, RunRecord
from audit.verify.verification import examine, run_id, verify
from tests.finished import demonstration


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of a finished run, whose inputs nobody remembers."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return Path(shutil.copytree(demonstration().run, tmp_path / "run"))


def _kinds(folder: Path) -> list[tuple[str, str]]:
    return [(problem.kind, problem.file) for problem in verify(folder)]


def _edit(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    file = folder / "manifest.json"
    manifest = json.loads(file.read_text("utf-8"))
    change(manifest)
    file.write_text(json.dumps(manifest), "utf-8")


def test_an_untouched_run_is_intact(run: Path) -> None:
    """Nothing is reported of a run as it was left, and its inputs are absent."""
    result = examine(run)

    assert result.problems == ()
    assert {"intact"} == {state for _, state in result.outputs}
    assert {"absent"} == {state for _, _, state in result.inputs}


@pytest.mark.parametrize("name", ["findings.csv", "findings.json", "quarantine.parquet", "evidence.json"])
def test_a_changed_output_is_named(run: Path, name: str) -> None:
    """One byte more in an output is noticed."""
    with (run / name).open("ab") as file:
        file.write(b" ")

    assert ("output_changed", name) in _kinds(run)


def test_missing_and_foreign_files_are_named(run: Path) -> None:
    """A file taken away and a file added are both noticed."""
    (run / "findings.csv").unlink()
    (run / "notes.txt").write_text("mine", "utf-8")

    assert _kinds(run) == [("output_missing", "findings.csv"), ("foreign_file", "notes.txt")]


def test_a_manifest_with_other_inputs_is_noticed(run: Path) -> None:
    """The run id no longer agrees where the digest of an input is changed in the manifest."""
    _edit(run, lambda manifest: manifest["inputs"][0].update(sha256="0" * 64))

    assert _kinds(run) == [("run_id", "manifest.json")]


def test_a_manifest_with_another_configuration_is_noticed(run: Path) -> None:
    """The run id no longer agrees where a setting is changed in the manifest."""
    _edit(run, lambda manifest: manifest["configuration"].update(cutoff="05:00:00"))

    assert _kinds(run) == [("run_id", "manifest.json")]


def test_totals_that_do_not_add_up_are_noticed(run: Path) -> None:
    """A verdict moved, a row lost and a finding fewer in the manifest are all noticed."""

    def change(manifest: dict[str, Any]) -> None:
        manifest["verdicts"]["violation"] -= 1
        manifest["totals"]["wagers"]["accepted"] -= 1
        manifest["findings"]["total"] -= 1

    _edit(run, change)

    assert [kind for kind, _ in _kinds(run)] == ["totals", "totals", "findings_count"]


def test_an_unreadable_manifest_is_a_problem(run: Path) -> None:
    """A manifest that is no longer JSON is reported as changed, not as a wrong command."""
    (run / "manifest.json").write_text("{", "utf-8")

    assert _kinds(run) == [("manifest_unreadable", "manifest.json")]


def test_an_input_changed_in_its_place_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An input that is still there with other content is a problem; untouched ones are intact."""
    demo = demonstration()
    inputs = Path(shutil.copytree(demo.folder / "input", tmp_path / "input"))
    note = tmp_path / "state" / "dicj-audit" / "inputs.json"
    note.parent.mkdir(parents=True)
    known = {item["sha256"]: str(inputs / item["file"]) for item in demo.manifest["inputs"]}
    note.write_text(json.dumps(known), "utf-8")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with (inputs / "rounds.csv").open("a") as file:
        file.write("\n")
    result = examine(demo.run)

    assert [("input_changed", "rounds.csv")] == [(problem.kind, problem.file) for problem in result.problems]
    assert {"rounds.csv": "changed", "wagers.csv": "intact", "approvals.csv": "intact", "events.csv": "intact"} == {
        file: state for _, file, state in result.inputs
    }


def test_a_supplement_is_verified_too(run: Path) -> None:
    """A file added by the program belongs to the run, and its later change is noticed."""
    (run / "again.pdf").write_bytes(b"one")
    add_supplement(run, "again.pdf")

    assert _kinds(run) == []
    (run / "again.pdf").write_bytes(b"two")
    assert _kinds(run) == [("output_changed", "again.pdf")]


@pytest.fixture
def recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of a finished run where the service would put it, recorded in the service's ledger."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    demo = demonstration()
    folder = Path(shutil.copytree(demo.run, tmp_path / "audits" / "DEMO" / "2024-03-01" / "1"))
    record = RunRecord(
        recorded_at=dt.datetime(2024, 3, 2, 7, tzinfo=MACAU),
        casino="DEMO",
        gaming_day=dt.date(2024, 3, 1),
        attempt=1,
        delivery="1" * 64,
        output="DEMO/2024-03-01/1",
        run_id=demo.manifest["run_id"],
        manifest=demo.manifest,
        manifest_sha256=sha256(folder / "manifest.json"),
        findings=folder / "findings.parquet",
        worst=Severity.CRITICAL,
    )
    with closing(Ledger.open(f"sqlite:///{tmp_path}/audits/ledger.sqlite")) as ledger:
        ledger.record_run(record)
    return folder


def test_the_ledger_vouches_for_the_manifest(recorded: Path) -> None:
    """A manifest that is changed so that it agrees with itself still differs from what the ledger recorded."""
    assert _kinds(recorded) == []
    _edit(recorded, lambda manifest: manifest["hours"].clear())

    assert _kinds(recorded) == [("ledger_manifest", "manifest.json")]


def test_a_changed_ledger_is_noticed(recorded: Path) -> None:
    """A finding changed in the ledger behind its back shows in every run that it recorded."""
    with closing(sqlite3.connect(recorded.parents[2] / "ledger.sqlite")) as connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("UPDATE findings SET severity = 'low' WHERE severity = 'critical'")
        connection.commit()

    assert {("ledger", "ledger.sqlite")} == set(_kinds(recorded))


def test_the_run_id_is_the_manifests() -> None:
    """The id is recomputed as the run computed it."""
    manifest = demonstration().manifest

    assert manifest["run_id"] == run_id(manifest)


def test_a_folder_without_run_is_wrong_usage(tmp_path: Path) -> None:
    """A directory without a manifest holds no run."""
    with pytest.raises(UsageError, match="no finished run"):
        verify(tmp_path)


def test_exit_codes(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """0 where the run is intact, 1 where it has changed, 2 where there is none."""
    assert call(["verify", str(run)]) == 0
    assert "intact: run" in capsys.readouterr().out
    (run / "evidence.json").write_text("{}", "utf-8")
    assert call(["verify", "--json", str(run)]) == 1
    said = json.loads(capsys.readouterr().out)
    assert not said["intact"]
    assert [("output_changed", "evidence.json")] == [(p["kind"], p["file"]) for p in said["problems"]]
    assert call(["verify", str(tmp_path / "nothing")]) == 2
