"""The service with the real audit: the same `run_audit()` as the command line."""

from __future__ import annotations

import hashlib
import json
from contextlib import closing
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from audit.config.service import ServiceSettings
from audit.config.settings import Settings
from audit.service.schedule import serve
from audit.store.ledger import Ledger

pytestmark = pytest.mark.slow

COLUMNS = "round_id,table_id,shoe_id,round_no,game,status,started_at,player_cards,banker_cards,outcome,commission\n"
LAWFUL = (
    "r1,T1,S1,1,baccarat,settled,2024-03-01T21:00:00+08:00,9H KD,3C 4S,player,standard\n"
    "r2,T1,S1,2,baccarat,settled,2024-03-01T21:02:00+08:00,2H 3D KC,7C KS,banker,standard\n"
)
WRONG_OUTCOME = LAWFUL.replace("7C KS,banker", "7C KS,player")


def deliver(base: Path, rows: str, declared: int) -> None:
    """Put a gaming day into the inbox."""
    folder = base / "inbox" / "grand" / "2024-03-01"
    folder.mkdir(parents=True, exist_ok=True)
    content = (COLUMNS + rows).encode()
    (folder / "rounds.csv").write_bytes(content)
    item = {"role": "rounds", "path": "rounds.csv", "sha256": hashlib.sha256(content).hexdigest()}
    item |= {"rows": declared, "bytes": len(content)}
    (folder / "manifest.json").write_text(json.dumps({"files": [item]}))
    (folder / "_SUCCESS").touch()


def one_pass(base: Path) -> int:
    """One pass of the service with the configuration's defaults."""
    return serve(Settings(service=ServiceSettings(inbox=base / "inbox", output=base / "audits")), once=True)


def test_gaming_day_is_audited_with_its_report_and_corrected_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A delivered day gets a whole run and its PDF; a corrected delivery a second one that supersedes it."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    deliver(tmp_path, WRONG_OUTCOME, 2)
    assert one_pass(tmp_path) == 0
    deliver(tmp_path, LAWFUL, 2)
    assert one_pass(tmp_path) == 0
    assert one_pass(tmp_path) == 0

    with closing(Ledger.open(f"sqlite:///{tmp_path}/audits/ledger.sqlite")) as ledger:
        assert ledger.verify_chain(tmp_path / "audits") == ()
        first, second = ledger.entries("run")
    day = tmp_path / "audits" / "grand" / "2024-03-01"
    assert (day / "1" / "report.pdf").read_bytes().startswith(b"%PDF-")
    found = pq.read_table(day / "1" / "findings.parquet").to_pylist()
    assert [(row["code"], row["round_id"], row["casino"]) for row in found] == [("RES-002", "r2", "grand")]
    assert (first.findings, first.worst, second.findings, second.supersedes) == (1, "high", 0, first.seq)
    assert first.run_id == json.loads((day / "1" / "manifest.json").read_text())["run_id"]


def test_rows_that_the_supplier_miscounted_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The real run's count of rows is compared with the supplier's."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    deliver(tmp_path, WRONG_OUTCOME, 3)

    assert one_pass(tmp_path) == 3
    with closing(Ledger.open(f"sqlite:///{tmp_path}/audits/ledger.sqlite")) as ledger:
        (refusal,) = ledger.entries()
    assert refusal.reason == "rounds.csv has 2 rows, the manifest says 3"


def test_quarantine_of_a_refused_delivery_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Too much quarantine refuses the delivery, and what could not be read is kept for the supplier."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    deliver(tmp_path, LAWFUL.replace("S1,1", "S1,0"), 2)

    assert one_pass(tmp_path) == 3
    assert (tmp_path / "audits" / "grand" / "2024-03-01" / "refused" / "quarantine.parquet").is_file()
