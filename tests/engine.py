"""Run the program on a log of the dealer and read back what it wrote."""

from __future__ import annotations

import datetime as dt
import json
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from audit.config.settings import load_settings
from audit.pipeline import RunRequest, run_audit
from tests.oracle.dealer import Log
from tests.oracle.rows import Audit, Found

CONTRACT_CODES = frozenset(
    "DRW-001 DRW-002 DRW-003 DRW-004 RES-001 RES-002 RES-003 RES-004 PAY-001 PAY-002 PAY-003 PAY-004 PAY-005 OPT-001 "
    "OPT-002 OPT-003 OPT-004 APR-001 APR-002 APR-003 SHO-001 SHO-002 SHO-003 SHO-004 SHO-005 SHO-006 SHO-007 LIM-001 "
    "LOG-001 LOG-002 LOG-003 LOG-004 LOG-005".split()
)
"""The checks that the oracle knows; the program may have more."""


@dataclass(frozen=True)
class Run:
    """What a run left behind."""

    total: int
    folder: Path
    manifest: dict[str, Any]
    rows: list[dict[str, Any]]

    @property
    def findings(self) -> dict[tuple[object, ...], dict[str, Any]]:
        """The findings under the oracle's codes by the oracle's key."""
        known = [row for row in self.rows if row["code"] in CONTRACT_CODES]
        return {as_found(row).key(): row for row in known}

    @property
    def doubled(self) -> list[tuple[object, ...]]:
        """Keys that more than one finding has, though the contract wants one."""
        keys = Counter(as_found(row).key() for row in self.rows if row["code"] in CONTRACT_CODES)
        return [key for key, times in keys.items() if times > 1]


def as_found(row: dict[str, Any]) -> Found:
    """A row of the findings in the oracle's form."""
    day = row["legal_day"]
    return Found(
        row["code"],
        row["casino"],
        row["table_id"],
        row["shoe_id"],
        row["round_id"],
        row["wager_id"],
        row["approval_id"],
        row["side"],
        row["option"],
        row["value"],
        None if row["amount"] is None else Decimal(row["amount"]),
        day=None if day is None else dt.date.fromisoformat(day),
        game=row["game"],
    )


def _split(log: Log, folder: Path, parts: int) -> dict[str, Path]:
    """Write each part of the rounds and wagers to a folder of its table; whole rows, in order."""
    for number in range(parts):
        piece = Log()
        for name in ("rounds", "wagers"):
            rows = getattr(log, name)
            setattr(piece, name, rows[len(rows) * number // parts : len(rows) * (number + 1) // parts])
        for name, path in piece.write(folder / f"part{number}").items():
            target = folder / name / f"{number}.csv"
            target.parent.mkdir(exist_ok=True)
            path.rename(target)
    return {name: folder / name for name in ("rounds", "wagers")}


def run(
    log: Log,
    folder: Path,
    *,
    register: bool = True,
    wagers: bool = True,
    events: bool = True,
    settings: str = "",
    day: dt.date | None = None,
    parts: int = 1,
) -> Run:
    """Audit a log as the command `run` does; tables that are switched off are not given to it.

    `day` asks for one gaming day; `parts` spreads rounds and wagers over so many files.
    """
    paths = log.write(folder / "in")
    if parts > 1:
        paths |= _split(log, folder, parts)
    config = folder / "audit.yaml"
    config.write_text(f'max_quarantine: "100%"\n{settings}', encoding="utf-8")
    out = folder / "out"
    request = RunRequest(
        rounds=[paths["rounds"]],
        out=out,
        wagers=[paths["wagers"]] if wagers else (),
        approvals=paths["approvals"] if register else None,
        events=[paths["events"]] if events else (),
        config=load_settings(config),
        day=day,
        report=False,
    )
    done = run_audit(request)
    manifest = json.loads((out / "manifest.json").read_text("utf-8"))
    return Run(done.findings_total, out, manifest, json.loads((out / "findings.json").read_text("utf-8")))


def differences(expected: Audit, done: Run) -> list[str]:
    """Every difference between the oracle's audit and the run's, in words; empty where they agree."""
    wanted = {found.key(): found for found in expected.findings}
    seen = done.findings
    words = [f"doubled: {key}" for key in done.doubled]
    words += [f"missing: {key} {wanted[key]}" for key in wanted.keys() - seen.keys()]
    words += [f"too much: {key} {seen[key]['message_en']}" for key in seen.keys() - wanted.keys()]
    for key in wanted.keys() & seen.keys():
        found, row = wanted[key], seen[key]
        if found.amount is not None and Decimal(row["amount"]) != found.amount:
            words.append(f"amount: {key} {row['amount']} instead of {found.amount}")
        if found.severity is not None and row["severity"] != found.severity:
            words.append(f"severity: {key} {row['severity']} instead of {found.severity}")
        if found.code in ("OPT-001", "OPT-002", "OPT-003") and found.option not in ("burn", "last_round"):
            period = (row["rounds_affected"], row["first_round_id"], row["last_round_id"])
            if period != (found.affected, found.first, found.last):
                words.append(f"period: {key} {period} instead of {(found.affected, found.first, found.last)}")
    return sorted(words)
