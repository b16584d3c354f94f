"""One pass: look at the inbox, ask the ledger what is missing, audit that, oldest day first, and record it."""

from __future__ import annotations

import datetime as dt
import hashlib
import time
from collections.abc import Collection
from dataclasses import dataclass, field
from threading import Event, Lock
from typing import Final

from audit import __version__
from audit.base.errors import AuditError, ConfigurationError, ExitCode, InputRefused, MachineFailure
from audit.service import attempt, inbox
from audit.service.health import moment, read_health, tell_systemd
from audit.service.inbox import Delivery, DeliveryRefused, Folder
from audit.service.log import place, redact
from audit.service.news import News
from audit.service.runner import Runner
from audit.service.watch import MissedDays
from audit.store.ledger import LedgerEntry

EVERYTHING: Final = "*"
"""Forces every gaming day of the inbox."""

ACTIVE: Final[dict[str, Auditor]] = {}
"""Lock file -> the auditor of this process; the persistent job names its auditor by this key."""


def nightly(key: str) -> None:
    """The scheduled job: one pass of the auditor of this process that `key` names."""
    auditor = ACTIVE.get(key)
    if auditor is not None:
        auditor.run_pass()


@dataclass(slots=True)
class PassReport:
    """What one pass did, in numbers of gaming days; `stopped` where it was asked to stop before its end.

    `already` counts the days whose delivery has been audited before and is the same.
    """

    audited: int = 0
    already: int = 0
    refused: int = 0
    failed: int = 0
    waiting: int = 0
    alarms: int = 0
    stopped: bool = False

    @property
    def exit_code(self) -> ExitCode:
        """4 where a run failed, 3 where a delivery was newly refused, else 0: findings are no fault of the service."""
        if self.failed:
            return ExitCode.MACHINE
        return ExitCode.INPUT_REFUSED if self.refused else ExitCode.CLEAN


@dataclass(slots=True, kw_only=True)
class Auditor:
    """What makes the passes. `circumstances` is the digest of the configuration."""

    desk: News
    runner: Runner
    circumstances: str
    stop: Event = field(default_factory=Event)
    _running: tuple[Delivery, dt.datetime] | None = None
    _one_pass: Lock = field(default_factory=Lock)
    _watch: MissedDays = field(init=False)

    def __post_init__(self) -> None:
        self._watch = MissedDays(self.desk)

    def check_ledger(self) -> None:
        """Recompute the chain, and compare it with what the health file last said of it.

        Raises MachineFailure where something was changed: nothing is appended to a ledger that cannot be trusted.
        """
        desk = self.desk
        faults = list(desk.ledger.verify_chain())
        anchor = (read_health(desk.health.path) or {}).get("ledger")
        if isinstance(anchor, dict) and anchor.get("entries"):
            number = anchor["entries"]
            if desk.ledger.digest_of(number) != anchor.get("head"):
                faults.append(f"entry {number} is not the one that {desk.health.path.name} vouches for")
        if faults:
            desk.log.fault("ledger.changed", reason=faults[0])
            desk.tell("tampered", reason=faults[0])
            desk.send()
            # The anchor stays in the health file, so that the next start finds the same.
            desk.report(state="failed", alarm=faults[0], ledger=anchor)
            raise MachineFailure(f"the ledger is not as it was written: {faults[0]}")
        desk.report_head()

    def missed(self, due: dt.datetime) -> None:
        """Raise the alarm that no pass was made when one was due."""
        self._watch.missed(due)

    def run_pass(self, force: Collection[str] = ()) -> PassReport:
        """Audit what is complete and not audited yet; look again until a look finds nothing new. Never raises.

        `force` names gaming days that are audited although they have been: `*`, a day, or casino/day.
        """
        desk = self.desk
        with self._one_pass:
            report = PassReport()
            desk.log.info("pass.started")
            desk.report(state="running")
            tried: set[str] = set()
            try:
                desk.hold()
                while self._look(report, tried, force) and not self.stop.is_set():
                    pass
                if not self.stop.is_set():
                    report.alarms = self._watch.days()
            except AuditError as error:
                report.failed += 1
                self._failed(None, error)
            report.stopped = self.stop.is_set()
            desk.send()
            self._close_pass(report)
            return report

    def beat(self) -> None:
        """Show a sign of life, raise the alarms that have become due, send what waits in the outbox. Never raises."""
        try:
            if running := self._running:
                self._watch.hanging(*running)
            elif not self._one_pass.locked():
                self._watch.days()
        except AuditError as error:
            self.desk.log.fault("watch.failed", error=type(error).__name__, reason=redact(str(error)))
        self.desk.report()
        tell_systemd("WATCHDOG=1")
        self.desk.send()

    def _look(self, report: PassReport, tried: set[str], force: Collection[str]) -> bool:
        """Go through the inbox once; whether anything was audited, so that another look is worth its while."""
        audited_before = report.audited
        report.waiting = report.already = 0
        found = inbox.find(self.desk.settings.inbox)
        for casino in found.unreadable:
            if casino not in tried:
                tried.add(casino)
                report.failed += 1
                self._failed(None, MachineFailure("the folder in the inbox cannot be read"), casino)
        for folder in found.folders:
            if self.stop.is_set():
                break
            if folder.complete:
                self._attend(folder, report, tried, forced=_named(folder, force))
            else:
                report.waiting += 1
        return report.audited > audited_before

    def _attend(self, folder: Folder, report: PassReport, tried: set[str], *, forced: bool) -> None:
        ledger = self.desk.ledger
        state = subject = folder.state
        try:
            if state in tried or (not forced and ledger.recorded("refused", state)):
                return
            delivery = inbox.read(self.desk.settings.inbox, folder)
            last = ledger.last_run(folder.casino, folder.gaming_day)
            if not forced and last and last.subject == delivery.digest:
                report.already += 1
                return
            subject = self._within(state)
            if not forced and ledger.recorded("refused", subject):
                return
            tried.add(state)
            inbox.verify(delivery)
            self._audit(delivery, last)
            report.audited += 1
        except InputRefused as error:
            tried.add(state)
            report.refused += 1
            # What the delivery alone explains is refused until it changes; what the audit refused may be owed to our
            # configuration or register, and is tried again when one of them changes.
            self._refuse(folder, state if isinstance(error, DeliveryRefused) else subject, error)
        except Exception as error:  # noqa: BLE001  one bad day must not keep the others from being audited
            tried.add(state)
            report.failed += 1
            self._failed(folder, error)
        finally:
            self._running = None

    def _audit(self, delivery: Delivery, last: LedgerEntry | None) -> None:
        desk = self.desk
        number = (last.attempt or 0) + 1 if last else 1
        casino, day = delivery.casino, str(delivery.gaming_day)
        began, clocked = desk.clock(), time.monotonic()
        self._running = (delivery, began)
        desk.log.info("run.started", casino=casino, gaming_day=day, attempt=number)
        desk.report(running={"casino": casino, "gaming_day": day, "since": moment(began)})
        entry = attempt.make(desk, self.runner, delivery, number)
        desk.log.info(
            "run.finished",
            casino=casino,
            gaming_day=day,
            attempt=number,
            run_id=entry.run_id or "",
            findings=entry.findings or 0,
            worst=entry.worst,
            seconds=round(time.monotonic() - clocked, 3),
            entry=entry.seq,
            head=entry.digest,
        )
        desk.report_head()

    def _refuse(self, folder: Folder, subject: str, error: InputRefused) -> None:
        reason, day = redact(str(error)), str(folder.gaming_day)
        self.desk.log.warning("delivery.refused", casino=folder.casino, gaming_day=day, reason=reason)
        self.desk.tell("refused", casino=folder.casino, gaming_day=day, reason=reason)
        self.desk.record("refused", subject, str(error), folder=folder)

    def _failed(self, folder: Folder | None, error: Exception, casino: str = EVERYTHING) -> None:
        known = isinstance(error, AuditError)
        kind = type(error).__name__
        reason = redact(str(error)) if known else f"internal error ({kind})"
        trace = [] if known else place(error)
        casino, day = (folder.casino, str(folder.gaming_day)) if folder else (casino, EVERYTHING)
        self.desk.log.fault("run.failed", casino=casino, gaming_day=day, error=kind, reason=reason, trace=trace)
        self.desk.tell("failed", casino=casino, gaming_day=day, reason=reason)
        if folder:
            self.desk.record("failed", folder.state, " < ".join([reason, *reversed(trace)]), folder=folder)

    def _within(self, state: str) -> str:
        """A folder's state together with everything else that decides whether it can be audited."""
        register = self.desk.settings.approvals
        try:
            status = register.stat() if register else None
        except OSError as error:
            raise ConfigurationError(f"service.approvals: the register cannot be read: {error.strerror}") from error
        content = [state, self.circumstances, __version__, status and (status.st_size, status.st_mtime_ns)]
        return hashlib.sha256(repr(content).encode()).hexdigest()

    def _close_pass(self, report: PassReport) -> None:
        counts = {
            "audited": report.audited,
            "already_audited": report.already,
            "refused": report.refused,
            "failed": report.failed,
            "waiting": report.waiting,
            "alarms": report.alarms,
        }
        self.desk.log.info("pass.finished", **counts, stopped=report.stopped)  # type: ignore[arg-type]
        self.desk.report(state="idle", running=None, last_pass={"at": moment(self.desk.clock()), **counts})


def _named(folder: Folder, force: Collection[str]) -> bool:
    day = folder.gaming_day.isoformat()
    return any(name in force for name in (EVERYTHING, day, f"{folder.casino}/{day}"))
