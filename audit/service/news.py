"""Where the service's news goes: ledger, log, outbox and health file, of which none may bring the service down."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass, field

from audit.base.errors import AuditError, MachineFailure
from audit.config.service import ServiceSettings
from audit.service.health import Health
from audit.service.inbox import Folder
from audit.service.log import EventLog
from audit.service.notify import Message, Notifier
from audit.store.ledger import Ledger


@dataclass(slots=True, kw_only=True)
class News:
    """What every part of the service shares; `clock` tells the time, with its zone, `cutoff` when a gaming day ends.

    `hold` makes sure that this is still the one process that writes to the ledger.
    """

    settings: ServiceSettings
    ledger: Ledger
    notifier: Notifier
    health: Health
    clock: Callable[[], dt.datetime]
    cutoff: dt.time
    hold: Callable[[], None] = lambda: None
    log: EventLog = field(default_factory=EventLog)

    def tell(self, kind: str, **facts: str | int) -> None:
        """File a message for people, with the ledger's last digest as its anchor. Never raises."""
        try:
            head = self.ledger.head()[1]
        except AuditError:
            head = "—"
        self.notifier.file(Message(kind, self.clock(), {**facts, "head": head}))

    def report(self, **facts: object) -> None:
        """Write the health file. Never raises."""
        try:
            self.health.report(self.clock(), **facts)
        except MachineFailure as error:
            self.log.fault("health.failed", reason=str(error))

    def send(self) -> None:
        """Send what waits in the outbox, and report how many messages could not be sent. Never raises."""
        self.report(undelivered=self.notifier.flush())

    def report_head(self) -> None:
        """Write into the health file how far the ledger goes. Never raises."""
        try:
            number, digest = self.ledger.head()
        except AuditError as error:
            self.log.fault("ledger.failed", reason=str(error))
        else:
            self.report(ledger={"entries": number, "head": digest})

    def record(self, kind: str, subject: str, reason: str, *, folder: Folder | None = None) -> None:
        """Append to the ledger what is no run. Never raises."""
        try:
            self.ledger.record_event(
                kind,
                at=self.clock(),
                subject=subject,
                reason=reason,
                casino=folder.casino if folder else None,
                gaming_day=folder.gaming_day if folder else None,
            )
        except MachineFailure as error:
            self.log.fault("ledger.failed", reason=str(error))
        else:
            self.report_head()
