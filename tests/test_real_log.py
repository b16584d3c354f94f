"""A log that was not written here: 500 rounds of an independent simulation, read through a source profile."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from audit.findings.table import read_findings
from audit.pipeline import RunRequest, RunResult, run_audit
from tests.finished import NoGate

SAMPLE = Path(__file__).resolve().parents[2] / "shared" / "samples" / "xsgu_sample_outcome_table_shoe.csv"
POINTS = {rank: points % 10 for points, rank in enumerate("A 2 3 4 5 6 7 8 9 10".split(), 1)} | dict.fromkeys("JQK", 0)

pytestmark = pytest.mark.skipif(not SAMPLE.exists(), reason="the handed samples are not beside the checkout")


def audited(log: Path, out: Path) -> RunResult:
    """Audit a log of the sample's layout."""
    return run_audit(RunRequest([log], out, source="xsgu_outcome_table", report=False), gate=NoGate())


def test_a_real_log_is_clean(tmp_path: Path) -> None:
    """All 500 rounds are read, none is quarantined, and none has a drawing or result finding, pair words included."""
    done = audited(SAMPLE, tmp_path / "out")

    totals = done.manifest["totals"]["rounds"]
    assert (500, 500, 0, 0) == tuple(totals[k] for k in ("read", "accepted", "quarantined", "repeats"))
    assert {"conforming": 500, "violation": 0, "not_evaluated": 0} == done.manifest["verdicts"]
    assert done.findings_total == 0


def test_one_wrong_card_gives_exactly_that_finding(tmp_path: Path) -> None:
    """A king added to a player that had to stand on 6 or 7 changes no total: one finding, of that round."""
    with SAMPLE.open(encoding="utf-8", newline="") as source:
        rows = list(csv.DictReader(source))
    row = next(row for row in rows if _stood_on_six_or_seven(row))
    row["Player card 3"] = "K"
    log = tmp_path / "log.csv"
    with log.open("w", encoding="utf-8", newline="") as target:
        writer = csv.DictWriter(target, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)

    audited(log, tmp_path / "out")

    (finding,) = read_findings(tmp_path / "out").to_pylist()
    assert ("DRW-002", "player", "9(2)") == (finding["code"], finding["side"], finding["article"])
    assert f"{row['Shoe']}-{row['Coup']}" == finding["round_id"]
    assert rows.index(row) + 1 == finding["source_row"]


def _stood_on_six_or_seven(row: dict[str, str]) -> bool:
    """A player with 6 or 7 in two cards against a banker that stood too, so that the added king moves nothing else."""
    player = sum(POINTS[row[f"Player card {n}"]] for n in (1, 2)) % 10
    banker = sum(POINTS[row[f"Banker card {n}"]] for n in (1, 2)) % 10
    return row["Player card 3"] == row["Banker card 3"] == "NA" and player in {6, 7} and banker in {6, 7}
