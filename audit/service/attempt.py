"""One audit of one delivery: run it apart, compare it with what was delivered, put it in its place, record it."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from audit.base.errors import InputRefused, MachineFailure
from audit.base.model import Severity
from audit.runs.staging import sha256
from audit.service.inbox import Delivery, DeliveryRefused
from audit.service.news import News
from audit.service.runner import Runner
from audit.store.ledger import LedgerEntry, RunRecord

WORK: Final = ".work"
"""Where a run is written until it is whole; what a killed run leaves there is cleared by the next one."""

UNRECORDED: Final = "unrecorded"
"""Where an output goes that was finished but, the process having died, never recorded."""

REFUSED: Final = "refused"
"""Where the rows that a refused run could not read are kept, for the supplier."""


def make(desk: News, runner: Runner, delivery: Delivery, attempt: int) -> LedgerEntry:
    """Audit a delivery into `<output>/<casino>/<gaming_day>/<attempt>` and return its new entry in the ledger.

    The entry is made last: whatever happens before, the ledger still says that the day is to be audited. Raises what
    the run raises, DeliveryRefused where the run did not read what was delivered, and MachineFailure where the result
    can be neither placed nor recorded.
    """
    work = desk.settings.output / WORK
    _clear(work)
    try:
        finished = runner(delivery, work / "run", _previous(desk, delivery))
    except InputRefused:
        _keep_refused(work / "run", desk.settings.output / delivery.casino / str(delivery.gaming_day) / REFUSED)
        raise
    _reconcile(delivery, finished.manifest)
    output = f"{delivery.casino}/{delivery.gaming_day}/{attempt}"
    final = desk.settings.output / output
    digest = _put(work / "run", final)
    if finished.worst and finished.worst.at_least(desk.settings.notify.threshold):
        desk.tell(
            "findings",
            casino=delivery.casino,
            gaming_day=str(delivery.gaming_day),
            attempt=attempt,
            findings=finished.findings_total,
            worst=finished.worst.value,
            counts=_counts(finished.manifest),
            output=f"{output}/report.pdf",
            link=f"{(desk.settings.notify.link or '').rstrip('/')}/{quote(output)}/report.pdf".lstrip("/"),
            sha256=_digest(final / "report.pdf"),
            run_id=finished.run_id,
        )
    return desk.ledger.record_run(
        RunRecord(
            recorded_at=desk.clock(),
            casino=delivery.casino,
            gaming_day=delivery.gaming_day,
            attempt=attempt,
            delivery=delivery.digest,
            output=output,
            run_id=finished.run_id,
            manifest=finished.manifest,
            manifest_sha256=digest,
            findings=final / "findings.parquet",
            worst=finished.worst,
        )
    )


def _previous(desk: News, delivery: Delivery) -> Path | None:
    """The output of the run that the new one supersedes, as long as it is there as it was recorded."""
    last = desk.ledger.last_run(delivery.casino, delivery.gaming_day)
    if last is None or last.output is None:
        return None
    folder = desk.settings.output / last.output
    if _digest(folder / "manifest.json") == last.manifest:
        return folder
    # The ledger still says what is superseded; only the comparison is lost.
    desk.log.warning("supplement.without_comparison", output=last.output, supersedes=last.seq)
    return None


def _counts(manifest: Mapping[str, Any]) -> str:
    """How many findings there are of each severity, gravest first, in the codes of the findings file."""
    found = manifest.get("findings", {}).get("by_severity", {})
    return " · ".join(f"{severity.value} {found[severity.value]}" for severity in Severity if severity.value in found)


def _digest(file: Path) -> str:
    try:
        return sha256(file)
    except OSError:
        return "—"


def _clear(work: Path) -> None:
    try:
        if work.exists():
            shutil.rmtree(work)
        work.mkdir(parents=True)
    except OSError as error:
        raise MachineFailure(f"the output folder cannot be written: {error.strerror}") from error


def _put(made: Path, final: Path) -> str:
    """Move a whole run to its place, and return the SHA-256 of its manifest.

    What stands there without an entry steps aside, since the ledger is the truth.
    """
    try:
        digest = hashlib.sha256((made / "manifest.json").read_bytes()).hexdigest()
        if final.exists():
            _replace(final, final.with_name(UNRECORDED))
        _replace(made, final)
    except OSError as error:
        raise MachineFailure(f"the finished run cannot be put in its place: {error.strerror}") from error
    return digest


def _keep_refused(made: Path, place: Path) -> None:
    """Keep the quarantine that a refused run leaves; the refusal matters more than a copy that cannot be kept."""
    if made.is_dir() and any(made.iterdir()):
        with suppress(OSError):
            _replace(made, place)


def _replace(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.exists():
        shutil.rmtree(target)
    source.rename(target)


def _reconcile(delivery: Delivery, manifest: Mapping[str, Any]) -> None:
    """Make sure that what was audited is what was delivered, and is of that gaming day.

    Raises DeliveryRefused naming the first difference.
    """
    read = {(item["role"], item["sha256"]): item for item in manifest["inputs"]}
    for item in delivery.items:
        found = read.get((item.role, item.sha256))
        if found is None:
            raise DeliveryRefused(f"{item.path} was changed while it was being read")
        if item.rows is not None and found["rows"] != item.rows:
            raise DeliveryRefused(f"{item.path} has {found['rows']} rows, the manifest says {item.rows}")
    if not any(counts["rounds"] for counts in manifest["by_game"].values()):
        raise DeliveryRefused(f"none of the rounds belongs to the gaming day {delivery.gaming_day}")
