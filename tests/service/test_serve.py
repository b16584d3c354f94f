from __future__ import annotations

import datetime as dt
import json
import signal
import socket
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from audit.base.errors import ExitCode, LockHeld, MachineFailure, UsageError
from audit.service.health import problem, tell_systemd
from audit.service.lock import LedgerLock
from audit.service.schedule import _on_missed, serve, usable_job_store

pytestmark = pytest.mark.slow


def wait_for(process: subprocess.Popen[str], word: str) -> None:
    """Read the child's output up to the line `word`."""
    for line in process.stdout:
        if line.strip() == word:
            return
    pytest.fail(f"the service never said {word}: {process.stderr.read()}")


def test_sigterm_finishes_the_day_in_hand_and_exits_cleanly(
    fakes: Any, child: Any, entries: Any, tmp_path: Path
) -> None:
    """SIGTERM lets the audit in hand be recorded, starts no other, and the exit code is 0."""
    fakes.deliver(tmp_path, "2024-03-03")
    fakes.deliver(tmp_path, "2024-03-04")
    process = child("slow")
    wait_for(process, "IN RUN")
    process.send_signal(signal.SIGTERM)
    _, log = process.communicate(timeout=60)

    assert process.returncode == 0, log
    assert [str(entry.gaming_day) for entry in entries("run")] == ["2024-03-03"]
    events = [json.loads(line)["event"] for line in log.splitlines()]
    assert events[-1] == "service.stopped"
    assert events.index("service.stopping") < events.index("run.finished")
    assert "library" not in events
    health = json.loads((tmp_path / "audits" / "ledger.sqlite.health.json").read_text())
    assert health["state"] == "stopped"


def test_a_single_pass_that_is_told_to_stop_ends_with_the_day_in_hand(
    fakes: Any, one_pass: Any, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """SIGTERM in the middle of `--once`: that day is recorded, no other begun, and the log says why."""

    class Told(fakes.Runner):
        def __call__(self, *given: Any) -> Any:
            signal.raise_signal(signal.SIGTERM)
            return super().__call__(*given)

    for day in ("2024-03-03", "2024-03-04"):
        fakes.deliver(tmp_path, day)

    assert one_pass(Told()) == 0

    events = [json.loads(line)["event"] for line in capsys.readouterr().err.splitlines()]
    assert events.count("run.finished") == 1
    assert events[-3:] == ["pass.finished", "service.stopping", "service.stopped"]


def test_job_is_persistent_and_in_macau_time(fakes: Any, child: Any, tmp_path: Path) -> None:
    """After a stop the job store still says when the nightly job is due: at 04:30 in Macau."""
    fakes.deliver(tmp_path, "2024-03-03")
    process = child("idle")
    wait_for(process, "IN RUN")
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)

    with closing(sqlite3.connect(tmp_path / "audits" / "ledger.sqlite.jobs")) as connection:
        ((name, due),) = connection.execute("SELECT id, next_run_time FROM apscheduler_jobs").fetchall()
    assert name == "nightly"
    assert f"{dt.datetime.fromtimestamp(due, tz=fakes.MACAU):%H:%M}" == "04:30"
    missed = usable_job_store(
        tmp_path / "audits" / "ledger.sqlite.jobs", dt.datetime.fromtimestamp(due + 60, tz=fakes.MACAU)
    )
    assert missed.timestamp() == due


def test_killed_in_mid_run_heals_without_a_doubled_entry(
    fakes: Any, child: Any, one_pass: Any, entries: Any, tmp_path: Path
) -> None:
    """After kill -9 in the middle of a run the next start audits the day, once, and half a run is gone."""
    fakes.deliver(tmp_path, "2024-03-04")
    process = child("endless")
    wait_for(process, "IN RUN")
    process.kill()
    process.communicate(timeout=60)
    assert not (tmp_path / "audits" / "grand").exists()

    assert one_pass(fakes.Runner()) == 0

    assert [entry.attempt for entry in entries()] == [1]
    assert not (tmp_path / "audits" / ".work" / "half").exists()


def test_killed_before_the_record_heals_without_a_doubled_entry(
    fakes: Any, child: Any, one_pass: Any, entries: Any, tmp_path: Path
) -> None:
    """An output that was finished but not recorded steps aside for the run that is recorded."""
    fakes.deliver(tmp_path, "2024-03-04")
    process = child("die-unrecorded")
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    assert (tmp_path / "audits" / "grand" / "2024-03-04" / "1").is_dir()

    assert one_pass(fakes.Runner()) == 0

    assert [entry.attempt for entry in entries()] == [1]
    assert sorted(each.name for each in (tmp_path / "audits/grand/2024-03-04").iterdir()) == ["1", "unrecorded"]


def test_second_instance_exits_5_and_names_the_holder(fakes: Any, child: Any, tmp_path: Path) -> None:
    """A second service on the same ledger stops with exit code 5 and says which process has it."""
    fakes.deliver(tmp_path, "2024-03-04")
    first = child("endless")
    wait_for(first, "IN RUN")
    second = child("once")
    out, _ = second.communicate(timeout=60)

    assert second.returncode == 5
    assert f"process {first.pid} on " in out


def test_lock_of_a_dead_process_is_free(tmp_path: Path) -> None:
    """What a dead holder left in the lock file does not hold anything."""
    path = tmp_path / "ledger.lock"
    path.write_text("process 1 on elsewhere since the flood")

    with (
        LedgerLock(path, "process 2 on this machine"),
        pytest.raises(LockHeld, match="in use by process 2 on this machine"),
        LedgerLock(path, "process 3"),
    ):
        pass


def test_damaged_job_store_steps_aside(tmp_path: Path, fakes: Any) -> None:
    """A job store that is no database is kept under another name and a new one can be made."""
    path = tmp_path / "ledger.jobs"
    path.write_bytes(b"not a database, however long one looks at it" * 100)

    assert usable_job_store(path, fakes.NOW) is None

    assert not path.exists()
    assert (tmp_path / "ledger.jobs.damaged-1").exists()


def test_service_starts_with_a_damaged_job_store(fakes: Any, child: Any, entries: Any, tmp_path: Path) -> None:
    """A damaged job store costs nothing: the days are audited and the nightly job is there again."""
    fakes.deliver(tmp_path, "2024-03-04")
    (tmp_path / "audits").mkdir()
    (tmp_path / "audits" / "ledger.sqlite.jobs").write_bytes(b"nonsense" * 1000)
    process = child("idle")
    wait_for(process, "IN RUN")
    process.send_signal(signal.SIGTERM)
    _, log = process.communicate(timeout=60)

    assert process.returncode == 0
    assert "jobs.replaced" in log
    assert len(entries("run")) == 1


def test_changed_ledger_stops_the_service(fakes: Any, one_pass: Any, tmp_path: Path) -> None:
    """A ledger row that was changed is found at the next start: exit code 4, nothing is appended."""
    fakes.deliver(tmp_path, "2024-03-04")
    one_pass(fakes.Runner())
    with closing(sqlite3.connect(tmp_path / "audits" / "ledger.sqlite")) as connection:
        connection.executescript("DROP TRIGGER findings_update; UPDATE findings SET amount = 0;")

    with pytest.raises(MachineFailure, match="findings of entry 1 were changed"):
        one_pass(fakes.Runner())


def test_ledger_cut_short_is_found_by_the_health_file(fakes: Any, one_pass: Any, tmp_path: Path) -> None:
    """A ledger replaced by an empty one does not have the entry that the health file vouches for."""
    fakes.deliver(tmp_path, "2024-03-04")
    one_pass(fakes.Runner())
    for file in (tmp_path / "audits").glob("ledger.sqlite*"):
        if "health" not in file.name:
            file.unlink()

    for _ in range(2):
        with pytest.raises(MachineFailure, match="entry 1 is not the one"):
            one_pass(fakes.Runner())


def test_inbox_must_exist(fakes: Any, tmp_path: Path) -> None:
    """A mistyped inbox is a mistake of usage, not an empty night."""
    settings = fakes.settings(tmp_path)
    (tmp_path / "inbox").rmdir()

    with pytest.raises(UsageError, match="does not exist"):
        serve(settings, once=True, runner=fakes.Runner())


def test_monitor_reads_the_health_file(fakes: Any, one_pass: Any, tmp_path: Path) -> None:
    """A monitor is told that the service has stopped, and that there is none where it never ran."""
    path = tmp_path / "audits" / "ledger.sqlite.health.json"
    assert problem(path, fakes.NOW) == "the service has left no health file"

    one_pass(fakes.Runner())

    assert problem(path, fakes.NOW) == "the service has stopped"
    content = json.loads(path.read_text()) | {"state": "idle"}
    path.write_text(json.dumps(content))
    assert problem(path, fakes.NOW) is None
    assert "no sign of life" in problem(path, fakes.NOW + dt.timedelta(minutes=6))


def test_pass_missed_by_more_than_the_grace_is_made_up(fakes: Any) -> None:
    """A nightly job that APScheduler gave up as too late is alarmed once and made up for at once."""
    added = []
    alarms: list[dt.datetime] = []
    scheduler = SimpleNamespace(add_job=lambda function, **options: added.append((function, options["id"])))
    auditor = SimpleNamespace(run_pass="pass", missed=alarms.append)

    _on_missed(scheduler, auditor, SimpleNamespace(job_id="watch", scheduled_run_time=fakes.NOW))
    _on_missed(scheduler, auditor, SimpleNamespace(job_id="nightly", scheduled_run_time=fakes.NOW))

    assert alarms == [fakes.NOW]
    assert added == [("pass", "make-up")]


def test_service_that_was_down_when_a_pass_was_due_says_so(
    fakes: Any, child: Any, entries: Any, tmp_path: Path
) -> None:
    """The job store knows that the nightly job came due while the service was down: an alarm, and the day is healed."""
    fakes.deliver(tmp_path, "2024-03-04")
    first = child("idle")
    wait_for(first, "IN RUN")
    first.send_signal(signal.SIGTERM)
    first.communicate(timeout=60)
    with closing(sqlite3.connect(tmp_path / "audits" / "ledger.sqlite.jobs")) as connection:
        connection.execute("UPDATE apscheduler_jobs SET next_run_time = 1709670600")
        connection.commit()
    fakes.deliver(tmp_path, "2024-03-05")
    second = child("idle")
    wait_for(second, "IN RUN")
    second.send_signal(signal.SIGTERM)
    second.communicate(timeout=60)

    (alarm,) = entries("alarm")
    assert alarm.reason == "no pass was made at 2024-03-06T04:30:00+08:00"
    assert len(entries("run")) == 2


def test_systemd_is_told_of_start_beat_and_stop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where systemd listens it is told; where it does not, or its socket is gone, nothing happens."""
    path = str(tmp_path / "notify")
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    tell_systemd("READY=1")
    monkeypatch.setenv("NOTIFY_SOCKET", path)
    tell_systemd("READY=1")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(path)
        tell_systemd("WATCHDOG=1")

        assert listener.recv(64) == b"WATCHDOG=1"


def test_unit_restarts_on_failure_but_not_for_mistakes_of_the_operator() -> None:
    """The systemd unit starts the service again unless the exit code says that it would not help."""
    unit = (Path(__file__).parents[2] / "deploy" / "dicj-audit.service").read_text(encoding="utf-8")

    assert f"RestartPreventExitStatus={int(ExitCode.USAGE)} {int(ExitCode.LOCKED)}" in unit
    assert "Restart=on-failure" in unit
    assert "dicj-audit serve --config" in unit


STOPPED = """
import os, signal, sys, threading, time, types
from audit.service import schedule


class Twice(threading.Event):
    def set(self):
        signal.raise_signal(signal.SIGINT)  # while the first signal is being answered
        super().set()


def elsewhere():  # a signal that comes in another thread, as one just before sleep, interrupts no call of this one
    signal.pthread_kill(threading.get_ident(), signal.SIGTERM)


def early():
    signal.raise_signal(signal.SIGTERM)


def asleep():
    time.sleep(0.5)
    os.kill(os.getpid(), signal.SIGTERM)


def asleep_elsewhere():
    time.sleep(0.5)
    elsewhere()


auditor = types.SimpleNamespace(
    stop=Twice(), desk=types.SimpleNamespace(log=types.SimpleNamespace(info=lambda *_, **__: None))
)
before = signal.getsignal(signal.SIGTERM)
with schedule._stopping(auditor) as stop:
    if sys.argv[1] == "early":
        early()
    else:
        threading.Thread(target=globals()[sys.argv[1]]).start()
    stop.wait()
    assert auditor.stop.is_set()
assert signal.getsignal(signal.SIGTERM) is before
assert signal.set_wakeup_fd(-1) == -1
"""


@pytest.mark.parametrize("moment", ["early", "elsewhere", "asleep", "asleep_elsewhere"])
def test_a_signal_stops_the_service_at_any_moment(moment: str) -> None:
    """One that comes before the waiting, in the middle of it, in whatever thread, or during another hangs nothing."""
    done = subprocess.run(
        [sys.executable, "-c", STOPPED, moment], timeout=60, capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stderr) == (0, "")
