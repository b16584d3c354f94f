"""A log cut into windows, in any order of its rows, is audited as if it were read whole."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pytest

from audit.config.settings import load_settings
from audit.demo import DemoFiles, make_demo
from audit.demo.day import GAMING_DAY
from audit.engines import local, summary, windows
from audit.pipeline import RunRequest, run_audit
from tests.finished import NoGate

pytestmark = pytest.mark.slow

OUTPUTS = ("findings.parquet", "findings.csv", "findings.json", "quarantine.parquet", "evidence.json", "manifest.json")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> DemoFiles:
    """The made-up day with every fault."""
    return make_demo(tmp_path_factory.mktemp("demo"))


def audited(files: DemoFiles, out: Path, **other: Path) -> dict[str, bytes]:
    """Run the audit; the bytes of every output."""
    request = RunRequest(
        rounds=[other.get("rounds", files.rounds)],
        wagers=[other.get("wagers", files.wagers)],
        approvals=files.approvals,
        events=[files.events],
        config=load_settings(files.config),
        out=out,
        report=False,
    )
    run_audit(request, gate=NoGate())
    return {name: (out / name).read_bytes() for name in OUTPUTS}


@pytest.mark.parametrize("size", [1, 100, 700])
def test_any_size_of_window_gives_the_same_bytes(
    demo: DemoFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    """Windows of one table, of some and of all end in the same files, findings, evidence and totals alike."""
    whole = audited(demo, tmp_path / "whole")
    seen: list[int] = []
    inner = windows.windows

    def counted(*given: Any) -> Any:
        for rounds, last in inner(*given):
            seen.append(len(rounds))
            yield rounds, last

    monkeypatch.setattr(local, "WINDOW", size)
    monkeypatch.setattr(local, "windows", counted)

    assert audited(demo, tmp_path / "cut") == whole
    assert len(seen) > (5 if size == 1 else 1)


def test_hours_beyond_those_listed_are_the_same_in_windows(
    demo: DemoFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of more table-hours than are listed those with findings stay, however the log is cut."""
    everything = json.loads(audited(demo, tmp_path / "all")["manifest.json"])["hours"]
    monkeypatch.setattr(summary, "CELLS", len(everything) - 1)
    whole = audited(demo, tmp_path / "whole")
    monkeypatch.setattr(local, "WINDOW", 100)

    assert audited(demo, tmp_path / "cut") == whole
    listed = json.loads(whole["manifest.json"])["hours"]
    assert listed == [row for row in everything if row["findings"]]
    assert 0 < len(listed) < len(everything)


def test_files_of_other_days_are_counted(demo: DemoFiles, tmp_path: Path) -> None:
    """A folder of days far from the one asked for is not opened, and the manifest says how many files that were."""
    for name in (GAMING_DAY.isoformat(), "2020-01-01"):
        folder = tmp_path / "logs" / f"day={name}"
        folder.mkdir(parents=True)
        (folder / "rounds.csv").write_bytes(demo.rounds.read_bytes() if name != "2020-01-01" else b"not a log")
    request = RunRequest(
        rounds=[tmp_path / "logs"],
        config=load_settings(demo.config),
        day=GAMING_DAY,
        out=tmp_path / "run",
        report=False,
        max_quarantine=Decimal(1),
    )

    manifest = run_audit(request, gate=NoGate()).manifest

    assert manifest["files_of_other_days"] == {"rounds": 1}
    assert [entry["file"] for entry in manifest["inputs"]] == ["rounds.csv"]
    assert manifest["totals"]["rounds"]["accepted"] > 0


def test_wagers_that_begin_with_a_later_table_keep_the_log_in_step(
    demo: DemoFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That the first tables have no wagers is no reason to hold the whole log: it is still audited in windows."""
    lines = demo.wagers.read_text("utf-8").splitlines(keepends=True)
    later = tmp_path / "wagers.csv"
    later.write_text(lines[0] + "".join(lines[1 + len(lines) // 2 :]), "utf-8")
    whole = found(audited(demo, tmp_path / "whole", wagers=later))
    held: list[int] = []
    inner = windows.windows

    def counted(batches: Any, shared: Any, size: int | None) -> Any:
        held.append(0 if size is None else size)
        return inner(batches, shared, size)

    monkeypatch.setattr(local, "WINDOW", 100)
    monkeypatch.setattr(local, "windows", counted)

    assert found(audited(demo, tmp_path / "cut", wagers=later)) == whole
    # One attempt may find that ids repeat; none finds that the tables are mixed.
    assert set(held) == {100}


def reordered(path: Path, out: Path, places: np.ndarray[Any, Any]) -> Path:
    """A CSV file with its rows in another order."""
    text = path.read_text("utf-8").splitlines(keepends=True)
    out.write_text(text[0] + "".join(text[1 + place] for place in places), "utf-8")
    return out


def found(outputs: dict[str, bytes]) -> tuple[list[str], Any]:
    """What does not depend on the order of the rows: the findings' ids, and the verdicts."""
    manifest = json.loads(outputs["manifest.json"])
    rows = json.loads(outputs["findings.json"])
    return sorted(row["finding_id"] for row in rows), manifest["verdicts"]


@pytest.mark.parametrize("role", ["rounds", "wagers", "both"])
def test_rows_in_any_order_give_the_same_findings(
    demo: DemoFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, role: str
) -> None:
    """Tables mixed with one another and wagers far from their rounds are found out, and end in the same findings."""
    monkeypatch.setattr(local, "WINDOW", 100)
    monkeypatch.setattr(windows, "STRAY", 200)
    expected = found(audited(demo, tmp_path / "ordered"))
    other: dict[str, Path] = {}
    for name in ("rounds", "wagers"):
        if role in {name, "both"}:
            path = getattr(demo, name)
            table = pacsv.read_csv(path)
            ids = pa.array(table[f"{name[:-1]}_id"].cast(pa.string()).to_pylist())
            # Rows that share an id stay in their order: which of them is audited depends on it.
            mixed = np.random.default_rng(7).permutation(sorted(set(ids.to_pylist())))
            rank = {text: place for place, text in enumerate(mixed)}
            places = np.argsort([rank[text] for text in ids.to_pylist()], kind="stable")
            other[name] = reordered(path, tmp_path / path.name, places)

    assert found(audited(demo, tmp_path / "mixed", **other)) == expected


def test_shuffled_wagers_cost_one_fresh_start(demo: DemoFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That their ids do not rise and that they are not in step with the rounds is found out at once."""
    rounds, rising, last = demo.rounds.read_text("utf-8").splitlines(keepends=True), tmp_path / "rounds.csv", ""
    kept = [last := line for line in rounds[1:] if line.partition(",")[0] > last.partition(",")[0]]
    rising.write_text(rounds[0] + "".join(kept), "utf-8")
    wagers = demo.wagers.read_text("utf-8").splitlines()
    places = np.random.default_rng(7).permutation(len(wagers) - 1)
    mixed = reordered(demo.wagers, tmp_path / "wagers.csv", places)
    begun: list[local.Order] = []
    inner = local.LogAudit

    class Attempt(inner):  # type: ignore[misc, valid-type]
        def run(self) -> local.Audited:
            begun.append(self._order)
            return super().run()

    monkeypatch.setattr(local, "WINDOW", 100)
    monkeypatch.setattr(local, "LogAudit", Attempt)
    audited(demo, tmp_path / "run", rounds=rising, wagers=mixed)

    assert begun == [local.Order(), local.Order(wagers=False, tables=False, step=False)]
