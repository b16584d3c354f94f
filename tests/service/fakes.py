"""A made-up audit for faults of scheduling, and the service in a process of its own that tests can stop and kill."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import os
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import BaseModel

from audit.base.errors import InputRefused
from audit.base.model import MACAU, Severity
from audit.config.service import ServiceSettings
from audit.findings.table import SCHEMA
from audit.service.inbox import Delivery
from audit.service.schedule import serve

NOW = dt.datetime(2024, 3, 6, 4, 30, tzinfo=MACAU)


class Settings(BaseModel):
    """What the service needs of the whole configuration."""

    service: ServiceSettings
    cutoff: dt.time = dt.time(6)


@dataclass
class Finished:
    """What a run returns."""

    run_id: str
    manifest: dict
    worst: Severity | None
    findings_total: int


def settings(base: Path, **service: object) -> Settings:
    """A configuration whose folders all lie under `base`."""
    (base / "inbox").mkdir(exist_ok=True)
    return Settings(service=ServiceSettings(inbox=base / "inbox", output=base / "audits", **service))


def deliver(
    base: Path, day: str, *, casino: str = "grand", content: str = "r1\n", mark: bool = True, **item: object
) -> Path:
    """Put one gaming day with one file into the inbox; `item` overrides what its manifest says of the file."""
    folder = base / "inbox" / casino / day
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "rounds.csv").write_text(f"{day} {content}")
    sha256 = hashlib.sha256((folder / "rounds.csv").read_bytes()).hexdigest()
    entry = {"role": "rounds", "path": "rounds.csv", "sha256": sha256} | item
    (folder / "manifest.json").write_text(json.dumps({"files": [entry]}))
    if mark:
        (folder / "_SUCCESS").touch()
    return folder


def finding(number: int, severity: str = "high") -> dict:
    """One row of findings.parquet."""
    return dict.fromkeys(SCHEMA.names) | {
        "finding_id": f"{number:064x}",
        "code": "PAY-001",
        "severity": severity,
        "occurred_at": dt.datetime(2024, 3, 1, 21, 4, 5, tzinfo=MACAU),
        "legal_day": dt.date(2024, 3, 1),
        "amount": pa.scalar("950.0050").cast(pa.decimal128(20, 4)).as_py(),
        "message_zh": "多付",
        "message_pt": "pago a mais",
        "message_en": "overpaid",
    }


class Runner:
    """Stands in for run_audit: writes what a run writes, and remembers which days it was asked for."""

    def __init__(self, findings: int = 1, refuse: str = "") -> None:
        self.days: list[str] = []
        self.findings = findings
        self.refuse = refuse

    def __call__(self, delivery: Delivery, out: Path, previous: Path | None = None) -> Finished:
        """Audit `delivery` into `out`."""
        self.previous = previous
        self.days.append(f"{delivery.casino}/{delivery.gaming_day}")
        if self.refuse:
            raise InputRefused(self.refuse)
        out.mkdir()
        rows = [finding(number) for number in range(self.findings)]
        pq.write_table(pa.Table.from_pylist(rows, schema=SCHEMA), out / "findings.parquet")
        worst = Severity.HIGH if rows else None
        manifest = {
            "software": {"name": "dicj-audit", "version": "0"},
            "inputs": [
                {"role": item.role, "file": item.path.name, "sha256": item.sha256, "bytes": 1, "rows": 1}
                for item in delivery.items
            ],
            "by_game": {"baccarat": {"rounds": 2, "wagers": 0, "conforming": 1, "violation": 1, "not_evaluated": 0}},
        }
        (out / "manifest.json").write_text(json.dumps(manifest))
        return Finished(hashlib.sha256(delivery.digest.encode()).hexdigest(), manifest, worst, len(rows))


class SlowRunner(Runner):
    """Says that it has begun, and takes its time."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.seconds = seconds

    def __call__(self, delivery: Delivery, out: Path, previous: Path | None = None) -> Finished:
        """Audit `delivery` into `out`, slowly."""
        (out.parent / "half").write_text("half a run")
        print("IN RUN", flush=True)  # noqa: T201
        time.sleep(self.seconds)
        return super().__call__(delivery, out, previous)


def main(mode: str, base: Path) -> int:
    """The service as a process of its own, on the folders under `base`."""
    from audit.base.errors import AuditError
    from audit.store import ledger

    if mode == "die-unrecorded":
        ledger.Ledger.record_run = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
    runner = SlowRunner({"slow": 2.0, "endless": 600.0}.get(mode, 0.0))
    once = mode in {"once", "endless", "die-unrecorded"}
    try:
        return serve(settings(base), once=once, runner=runner)
    except AuditError as error:
        print(error, flush=True)  # noqa: T201
        return int(error.exit_code)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
