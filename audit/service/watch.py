"""Which gaming days should have been audited by now and have not: a missing run is itself an alarm."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from threading import Lock

from audit.base.model import MACAU
from audit.config.service import ServiceSettings
from audit.service import inbox
from audit.service.health import moment
from audit.service.inbox import Delivery, Folder
from audit.service.news import News
from audit.store.ledger import Ledger


@dataclass(slots=True)
class MissedDays:
    """Raises the alarms of one service, each of them once: the ledger remembers them across restarts."""

    desk: News
    _guard: Lock = field(default_factory=Lock)

    def days(self) -> int:
        """Raise an alarm for each gaming day past its deadline without an audit; how many of them are new.

        Raises UsageError where the inbox cannot be read, MachineFailure where the ledger cannot.
        """
        desk = self.desk
        with self._guard:
            last = last_due(desk.clock(), desk.cutoff, desk.settings.deadline_hours)
            missing = overdue(desk.settings, desk.ledger, inbox.find(desk.settings.inbox).folders, last)
            new = sum(self._missing(casino, days) for casino, days in missing.items())
        alarm = "; ".join(f"{casino}: not audited: {ranges(days)}" for casino, days in missing.items())
        desk.report(alarm=alarm or None)
        return new

    def missed(self, due: dt.datetime) -> None:
        """Raise the alarm that a pass was due at `due` and the service was not there to make it."""
        desk, subject = self.desk, _subject("missed", moment(due))
        if desk.ledger.recorded("alarm", subject):
            return
        desk.log.warning("schedule.missed", reason=moment(due))
        desk.tell("missed", reason=moment(due))
        desk.record("alarm", subject, f"no pass was made at {moment(due)}")

    def hanging(self, delivery: Delivery, since: dt.datetime) -> None:
        """Raise the alarm for a run that takes longer than the configuration allows."""
        desk = self.desk
        if desk.clock() - since <= dt.timedelta(hours=desk.settings.alarm_hours):
            return
        casino, day, began = delivery.casino, str(delivery.gaming_day), moment(since)
        subject = _subject("hanging", delivery.digest, began)
        if desk.ledger.recorded("alarm", subject):
            return
        desk.log.fault("run.hanging", casino=casino, gaming_day=day, reason=began)
        desk.tell("hanging", casino=casino, gaming_day=day, reason=began)
        folder = Folder(casino, delivery.gaming_day, delivery.folder)
        desk.record("alarm", subject, f"the run that began at {began} had not finished", folder=folder)

    def _missing(self, casino: str, days: list[dt.date]) -> int:
        desk = self.desk
        fresh = [day for day in days if not desk.ledger.recorded("alarm", _subject("missing", casino, str(day)))]
        if not fresh:
            return 0
        desk.log.warning("days.missing", casino=casino, first_day=str(fresh[0]), last_day=str(fresh[-1]))
        desk.tell("missing", casino=casino, reason=ranges(fresh))
        for day in fresh:
            folder = Folder(casino, day, desk.settings.inbox / casino / str(day))
            subject = _subject("missing", casino, str(day))
            desk.record("alarm", subject, "not audited when its deadline passed", folder=folder)
        return len(fresh)


def overdue(
    settings: ServiceSettings, ledger: Ledger, folders: Iterable[Folder], last: dt.date
) -> dict[str, list[dt.date]]:
    """Casino -> its gaming days without an audit, oldest first, up to `last`, the latest one that is due.

    Expected are the casinos of the configuration, and those that delivered or were audited within the days watched. A
    casino is expected from the first day known of it; one that has never been seen, on the last day due.
    """
    first = last - dt.timedelta(days=settings.lookback_days - 1)
    delivered: dict[str, set[dt.date]] = {}
    for folder in folders:
        delivered.setdefault(folder.casino, set()).add(folder.gaming_day)
    result = {}
    for casino in sorted({*settings.casinos, *ledger.casinos(), *delivered}):
        done = ledger.days_done(casino)
        known = done | delivered.get(casino, set())
        if casino not in settings.casinos and not any(day >= first for day in known):
            continue
        start = max(first, min(known, default=last))
        days = [start + dt.timedelta(days=number) for number in range((last - start).days + 1)]
        if missing := [day for day in days if day not in done]:
            result[casino] = missing
    return result


def ranges(days: Iterable[dt.date]) -> str:
    """Days in words as short as they go.

    >>> ranges([dt.date(2024, 3, 1), dt.date(2024, 3, 2), dt.date(2024, 3, 3), dt.date(2024, 3, 9)])
    '2024-03-01…2024-03-03, 2024-03-09'
    """
    runs: list[list[dt.date]] = []
    for day in sorted(days):
        if runs and day - runs[-1][-1] == dt.timedelta(days=1):
            runs[-1].append(day)
        else:
            runs.append([day])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}…{run[-1]}" for run in runs)


def _subject(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def last_due(now: dt.datetime, cutoff: dt.time, deadline_hours: int) -> dt.date:
    """The latest gaming day that closed at least `deadline_hours` ago; it closes at the cut-off of the day after.

    >>> last_due(dt.datetime(2024, 3, 5, 6, tzinfo=MACAU), dt.time(6), 24)
    datetime.date(2024, 3, 3)
    """
    due = now.astimezone(MACAU) - dt.timedelta(hours=deadline_hours)
    return due.date() - dt.timedelta(days=1 if due.time() >= cutoff else 2)
