"""The demonstration: a made-up gaming day with known faults, audited end to end.

The same functions that judge a log deal the cards and pay the wagers here; then faults of every family are planted,
each with the finding that it must give.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from audit.base.errors import UsageError
from audit.base.model import Status
from audit.config.settings import load_settings
from audit.demo.day import CASINO, GAMING_DAY, deal_day
from audit.demo.planted import Planted, Planter
from audit.demo.rows import rows_of
from audit.pipeline import DataGate, RunRequest, RunResult, run_audit
from audit.rulebook import Rulebook
from audit.runs.staging import MANIFEST

__all__ = ["DemoFiles", "Planted", "make_demo", "run_demo"]

CONFIGURATION: Final = """\
# Configuration of the demonstration: the house's name, the stake limits of its tables, the languages of the report.
casino: DEMO
limits:
  - {tables: "*", bet: player, min: "500", max: "20000", currency: HKD}
  - {tables: "*", bet: banker, min: "500", max: "20000", currency: HKD}
  - {tables: "*", bet: "*", min: "100", max: "5000", currency: HKD}
report:
  languages: [zh, pt]
"""

LAWFUL_VOID: Final = ("B02", 20)
"""Table and place of a round that is void for a good reason."""


@dataclass(frozen=True)
class DemoFiles:
    """The files of a demonstration and what was planted in them; `faults` is None for a day without faults."""

    rounds: Path
    wagers: Path
    approvals: Path
    events: Path
    config: Path
    faults: Path | None
    planted: tuple[Planted, ...]


def make_demo(folder: Path, *, faults: bool = True) -> DemoFiles:
    """Write the day into `folder`: rounds, wagers, register, events, configuration and, with faults, ``faults.json``.

    The same bytes every time. Raises UsageError where the folder cannot be written.
    """
    rulebook = Rulebook.load()
    day = deal_day(rulebook)
    table, place = LAWFUL_VOID
    void = day.at(table)[place]
    void.status, void.void_reason = Status.VOID, "card exposed while dealing"
    planter = Planter(day, rulebook)
    if faults:
        planter.plant_cards()
    rows = rows_of(day, rulebook)
    if faults:
        planter.plant_rows(rows)
    planted = tuple(planter.planted)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        paths = rows.write(folder)
        config = folder / "audit.yaml"
        config.write_text(CONFIGURATION, encoding="utf-8")
        listed = folder / "faults.json" if faults else None
        if listed is not None:
            content = {
                "casino": CASINO,
                "gaming_day": GAMING_DAY.isoformat(),
                "faults": [fault.to_json() for fault in planted],
                "without_finding": planter.harmless,
            }
            listed.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error.strerror or error}") from None
    return DemoFiles(paths["rounds"], paths["wagers"], paths["approvals"], paths["events"], config, listed, planted)


def run_demo(
    out: Path,
    progress: Callable[[str, int], None] | None = None,
    *,
    gate: DataGate | None = None,
    report: bool = True,
    faults: bool = True,
) -> tuple[RunResult, list[dict[str, Any]]]:
    """Make the day in ``out/input`` and audit it into ``out/run``.

    The answer is the result of the run and what was planted, as ``faults.json`` has it. Raises UsageError where `out`
    holds a demonstration already or cannot be written.
    """
    if (out / "run" / MANIFEST).exists():
        raise UsageError(f"{out} holds another demonstration already; name a new directory")
    files = make_demo(out / "input", faults=faults)
    request = RunRequest(
        rounds=[files.rounds],
        out=out / "run",
        wagers=[files.wagers],
        approvals=files.approvals,
        events=[files.events],
        config=load_settings(files.config),
        day=GAMING_DAY,
        report=report,
    )
    result = run_audit(request, progress or (lambda _step, _rows: None), gate)
    return result, [fault.to_json() for fault in files.planted]
