"""`serve`: one process, one scheduler in Macau's time, one lock per ledger, and a clean stop."""

from __future__ import annotations

import datetime as dt
import hashlib
import os
import signal
import socket
import sqlite3
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, Final

from audit import __version__
from audit.base.errors import ExitCode, UsageError
from audit.base.model import MACAU
from audit.service import log
from audit.service.health import Health, moment, tell_systemd
from audit.service.job import ACTIVE, Auditor
from audit.service.lock import LedgerLock
from audit.service.news import News
from audit.service.notify import Notifier
from audit.service.runner import Runner, pipeline_runner
from audit.store.ledger import Ledger

if TYPE_CHECKING:
    from audit.config.settings import Settings

JOB_ID: Final = "nightly"
MISFIRE_SECONDS: Final = 6 * 3600
"""How late a pass may start and still be made; APScheduler's own default is one second."""

BEAT_SECONDS: Final = 60


def now_in_macau() -> dt.datetime:
    """The time, in Macau."""
    return dt.datetime.now(tz=MACAU)


def serve(
    settings: Settings,
    *,
    once: bool = False,
    force: Collection[str] = (),
    runner: Runner | None = None,
    clock: Callable[[], dt.datetime] = now_in_macau,
) -> int:
    """Run the service until SIGTERM or SIGINT, or make one pass with `once`; the exit code.

    A pass is made at the start, which heals what was missed, and at each time of the schedule. `force` names gaming
    days (`*`, a day, casino/day) that the first pass audits again. `runner` and `clock` are replaced in tests only.

    Raises LockHeld where another instance has the ledger, UsageError where the inbox does not exist, ConfigurationError
    for a ledger that cannot be one, and MachineFailure where the ledger cannot be opened or was changed.
    """
    log.configure()
    service = settings.service
    if not service.inbox.is_dir():
        raise UsageError(f"service.inbox: the folder {str(service.inbox)!r} does not exist")
    holder = f"process {os.getpid()} on {socket.gethostname()} since {moment(clock())}"
    with (
        LedgerLock(service.beside_ledger("lock"), holder),
        closing(Ledger.open(service.ledger_url)) as ledger,
        ledger.claimed(holder) as hold,
    ):
        desk = News(
            settings=service,
            ledger=ledger,
            notifier=Notifier(service.notify, service.beside_ledger("outbox")),
            health=Health(service.beside_ledger("health.json"), clock()),
            clock=clock,
            cutoff=settings.cutoff,
            hold=hold,
        )
        auditor = Auditor(
            desk=desk,
            runner=runner or pipeline_runner(settings),
            circumstances=hashlib.sha256(settings.model_dump_json().encode()).hexdigest(),
        )
        desk.log.info("service.started", pid=os.getpid(), host=socket.gethostname(), version=__version__)
        auditor.check_ledger()
        with _stopping(auditor) as stop:
            if once:
                code = auditor.run_pass(force).exit_code
                _say_why(auditor, stop)
            else:
                code = _forever(auditor, stop, force)
        desk.report(state="stopped")
        desk.log.info("service.stopped")
        return int(code)


def _forever(auditor: Auditor, stop: _Stop, force: Collection[str]) -> ExitCode:
    from apscheduler.events import EVENT_JOB_MISSED
    from apscheduler.executors.pool import ThreadPoolExecutor
    from apscheduler.jobstores.memory import MemoryJobStore
    from apscheduler.jobstores.sqlalchemy import SQLAlchemyJobStore
    from apscheduler.schedulers.background import BackgroundScheduler
    from apscheduler.triggers.combining import OrTrigger
    from apscheduler.triggers.cron import CronTrigger

    jobs = auditor.desk.settings.beside_ledger("jobs")
    missed = usable_job_store(jobs, auditor.desk.clock())
    if missed is not None:
        auditor.missed(missed)
    scheduler: Any = BackgroundScheduler(
        timezone=MACAU,
        jobstores={"default": SQLAlchemyJobStore(url=f"sqlite:///{jobs}"), "memory": MemoryJobStore()},
        # One worker: a pass that comes due while another runs waits for it.
        executors={"default": ThreadPoolExecutor(1), "watch": ThreadPoolExecutor(1)},
        job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": MISFIRE_SECONDS},
    )
    key = str(auditor.desk.settings.beside_ledger("lock").resolve())
    ACTIVE[key] = auditor
    times = [CronTrigger(hour=at.hour, minute=at.minute, timezone=MACAU) for at in auditor.desk.settings.schedule]
    try:
        scheduler.add_job(auditor.run_pass, id="start-up", jobstore="memory", args=[tuple(force)])
        scheduler.add_job(
            auditor.beat, "interval", seconds=BEAT_SECONDS, id="watch", jobstore="memory", executor="watch"
        )
        scheduler.add_job("audit.service.job:nightly", OrTrigger(times), args=[key], id=JOB_ID, replace_existing=True)
        scheduler.add_listener(lambda event: _on_missed(scheduler, auditor, event), EVENT_JOB_MISSED)
        scheduler.start()
        due = scheduler.get_job(JOB_ID).next_run_time
        auditor.desk.report(next_run_at=due.isoformat())
        auditor.desk.log.info("schedule.set", next_run_at=due.isoformat())
        tell_systemd("READY=1")
        stop.wait()
        _say_why(auditor, stop)
        tell_systemd("STOPPING=1")
        # Paused first: a job that comes due during the shutdown would be submitted to an executor that is gone.
        scheduler.pause()
        scheduler.shutdown(wait=True)
    finally:
        ACTIVE.pop(key, None)
        _dispose(scheduler)
    return ExitCode.CLEAN


def _on_missed(scheduler: Any, auditor: Auditor, event: Any) -> None:
    """Make up at once for a pass that came more than the grace too late, as after a machine was suspended."""
    if event.job_id == JOB_ID:
        auditor.missed(event.scheduled_run_time)
        scheduler.add_job(auditor.run_pass, id="make-up", jobstore="memory", replace_existing=True)


def usable_job_store(path: Path, now: dt.datetime) -> dt.datetime | None:
    """Make sure that the job store can be opened, and return when its nightly job was due if that lies in the past.

    A file that is damaged steps aside and a new one is made: the ledger alone says what has been audited.
    """
    if not path.exists():
        return None
    try:
        with closing(sqlite3.connect(path, timeout=5)) as connection:
            if connection.execute("PRAGMA quick_check").fetchone() != ("ok",):
                raise sqlite3.DatabaseError("the file is damaged")
            rows = connection.execute("SELECT next_run_time, job_state FROM apscheduler_jobs WHERE id = ?", (JOB_ID,))
            due = [float(moment) for moment, _state in rows.fetchall() if moment is not None]
    except (sqlite3.Error, TypeError, ValueError) as error:
        number = 1
        while (aside := path.with_name(f"{path.name}.damaged-{number}")).exists():
            number += 1
        path.rename(aside)
        log.EventLog().fault("jobs.replaced", file=aside.name, error=type(error).__name__)
        return None
    if not due or due[0] >= now.timestamp():
        return None
    return dt.datetime.fromtimestamp(due[0], tz=MACAU)


class _Stop:
    """Signals that asked the service to stop, and the waiting for them.

    Python's own handler of a signal only notes it, for the main thread to answer when it next runs code. One that comes
    just before that thread goes to sleep, or in another thread, would not wake it from a lock, a queue or an event. So
    that handler writes to a socket as well (`signal.set_wakeup_fd`), and who waits reads from it.
    """

    def __init__(self) -> None:
        self.signals: list[int] = []
        self._bell, self.wire = socket.socketpair()
        self.wire.settimeout(0)  # a signal's handler must not wait

    def wait(self) -> None:
        """Wait until a signal has been answered; at once where one has been."""
        while not self.signals:
            self._bell.recv(64)

    def close(self) -> None:
        """Give the socket back."""
        self._bell.close()
        self.wire.close()


@contextmanager
def _stopping(auditor: Auditor) -> Iterator[_Stop]:
    """Have SIGTERM and SIGINT ask the service to stop after the gaming day in hand."""

    def ask(number: int, _frame: FrameType | None) -> None:
        if stop.signals:  # a second signal may come while this one is being answered
            return
        stop.signals.append(number)
        auditor.stop.set()  # no word of it here: the signal may have come in the middle of another word

    with closing(_Stop()) as stop:
        if threading.current_thread() is not threading.main_thread():
            yield stop
            return
        # A socket that is full has woken whoever waits already.
        wire = signal.set_wakeup_fd(stop.wire.fileno(), warn_on_full_buffer=False)
        before = {number: signal.signal(number, ask) for number in (signal.SIGTERM, signal.SIGINT)}
        try:
            yield stop
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
            signal.set_wakeup_fd(wire)


def _say_why(auditor: Auditor, stop: _Stop) -> None:
    """Log the signal for which the service stops, if it is one."""
    for number in stop.signals:
        auditor.desk.log.info("service.stopping", signal=signal.Signals(number).name)


def _dispose(scheduler: Any) -> None:
    """Close the job store's database, which APScheduler leaves to the garbage collector when it never started."""
    for store in scheduler._jobstores.values():  # noqa: SLF001  there is no public way to its engine
        engine = getattr(store, "engine", None)
        if engine is not None:
            engine.dispose()
