"""What can go wrong under the service: it is killed, the disk is full, the database is locked, the clock jumps."""

from __future__ import annotations

import datetime as dt
import gc
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from audit.base.errors import MachineFailure
from audit.service.schedule import serve
from audit.store import opening

pytestmark = pytest.mark.slow

KILLER = Path(__file__).with_name("killer.py")
DAY = "2024-03-04"


def test_killed_at_any_step_loses_and_doubles_nothing(tmp_path: Path) -> None:
    """Kill -9 at a step, whichever: nothing half-written stands in its place, and the next start heals all.

    CI walks every step, a developer's machine one in five.
    """
    stride = 1 if os.environ.get("CI") == "true" else 5
    command = [sys.executable, str(KILLER), str(tmp_path), str(stride)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=900)

    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["faults"] == {}
    assert report["last"] == 0
    assert report["steps"] > 80


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of one megabyte; only root can make one."""
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("a small file system takes root to mount")
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", place], check=False, capture_output=True
    )
    if mounted.returncode:
        pytest.skip("this machine lets nobody mount a file system")
    yield place
    gc.collect()  # what a failed run has open goes with its error
    subprocess.run(["umount", place], check=True)


def fill(disk: Path, free: int) -> Path:
    """Fill a small disk but for `free` KiB; the file that does it."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while file.write(b"\0" * 4096):
            pass
    os.truncate(filler, filler.stat().st_size - free * 1024)
    return filler


@pytest.mark.parametrize("free", [0, 8, 24, 48, 96, 200])
def test_disk_that_fills_up_in_mid_run(
    fakes: Any, tmp_path: Path, small_disk: Path, entries: Callable[..., Any], free: int
) -> None:
    """With any room left (in KiB) the day is recorded whole or not at all; with enough of it, the next pass heals."""
    (tmp_path / "audits").symlink_to(small_disk)
    settings = fakes.settings(tmp_path)
    fakes.deliver(tmp_path, DAY)

    class Filling(fakes.Runner):
        def __call__(self, *arguments: Any) -> Any:
            fill(small_disk, free)
            try:
                return super().__call__(*arguments)
            except OSError as error:
                # As the real run does, which writes through audit.runs.staging.
                raise MachineFailure("writing failed") from error

    code = serve(settings, once=True, runner=Filling(findings=300), clock=lambda: fakes.NOW)
    (small_disk / "filler").unlink()
    recorded = [(entry.attempt, entry.findings) for entry in entries("run")]
    assert (code, recorded) in [(4, []), (0, [(1, 300)])]
    assert code == 4 or free > 0

    assert serve(settings, once=True, runner=fakes.Runner(findings=300), clock=lambda: fakes.NOW) == 0
    assert [(entry.attempt, entry.findings) for entry in entries("run")] == [(1, 300)]


def test_disk_that_is_full_at_the_start_is_told_in_words(fakes: Any, tmp_path: Path, small_disk: Path) -> None:
    """Without room for the ledger the service does not start, and says why."""
    (tmp_path / "audits").symlink_to(small_disk)
    fill(small_disk, 0)

    with pytest.raises(MachineFailure, match=r"full|No space|I/O|cannot be"):
        serve(fakes.settings(tmp_path), once=True, runner=fakes.Runner(), clock=lambda: fakes.NOW)


def test_locked_ledger_is_a_failure_and_heals_when_it_is_free(
    fakes: Any, one_pass: Any, entries: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While another program holds the SQLite file, the day is not recorded; the next pass audits it once."""
    monkeypatch.setattr(opening, "BUSY_SECONDS", 0.2)
    assert one_pass(fakes.Runner()) == 0
    fakes.deliver(tmp_path, DAY)
    with closing(sqlite3.connect(tmp_path / "audits" / "ledger.sqlite", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert one_pass(fakes.Runner()) == 4
        other.execute("ROLLBACK")
    assert entries("run") == []

    assert one_pass(fakes.Runner()) == 0
    assert [entry.attempt for entry in entries("run")] == [1]


def test_ledger_that_went_away_stops_nothing_else(fakes: Any, one_pass: Any, entries: Any, tmp_path: Path) -> None:
    """A ledger whose file cannot be opened is a failure in words, and the day is audited once it is back."""
    assert one_pass(fakes.Runner()) == 0
    fakes.deliver(tmp_path, DAY)
    ledger, away = tmp_path / "audits" / "ledger.sqlite", tmp_path / "away"
    ledger.rename(away)
    ledger.mkdir()
    with pytest.raises(Exception, match="the ledger cannot be opened"):
        one_pass(fakes.Runner())
    ledger.rmdir()
    away.rename(ledger)

    assert one_pass(fakes.Runner()) == 0
    assert [entry.attempt for entry in entries("run")] == [1]


class Jumping:
    """A clock that shows one time after another, and then stays."""

    def __init__(self, *times: dt.datetime) -> None:
        self.times = list(times)

    def __call__(self) -> dt.datetime:
        """The time."""
        return self.times.pop(0) if len(self.times) > 1 else self.times[0]


@pytest.mark.parametrize("hours", [20, -20, -24 * 40, 24 * 40])
@pytest.mark.parametrize("ticks", [1, 4, 8])
def test_clock_that_jumps_doubles_and_loses_no_day(
    fakes: Any, tmp_path: Path, entries: Any, hours: int, ticks: int
) -> None:
    """The clock jumps over midnight, back, or by weeks, in the middle of a pass: each day is audited once."""
    days = ["2024-03-03", "2024-03-04"]
    for day in days:
        fakes.deliver(tmp_path, day)
    settings = fakes.settings(tmp_path)
    then = fakes.NOW + dt.timedelta(hours=hours)
    for clock in (Jumping(*[fakes.NOW] * ticks, then), Jumping(then), Jumping(*[then] * ticks, fakes.NOW)):
        assert serve(settings, once=True, runner=fakes.Runner(), clock=clock) == 0

    assert [str(entry.gaming_day) for entry in entries("run")] == days
    alarms = [(entry.casino, entry.gaming_day) for entry in entries("alarm")]
    assert len(alarms) == len(set(alarms))


def test_clock_that_was_set_back_raises_no_alarm_twice(fakes: Any, tmp_path: Path, entries: Any) -> None:
    """A day told as missing is not told again when the clock shows the same night a second time."""
    settings = fakes.settings(tmp_path, casinos=("palace",))
    for now in (fakes.NOW, fakes.NOW + dt.timedelta(days=1), fakes.NOW - dt.timedelta(hours=3), fakes.NOW):
        serve(settings, once=True, runner=fakes.Runner(), clock=lambda now=now: now)

    alarms = [entry.gaming_day for entry in entries("alarm")]
    assert len(alarms) == len(set(alarms))
    assert dt.date(2024, 3, 3) in alarms


def test_folder_copied_while_it_is_read_is_refused_and_audited_when_whole(
    fakes: Any, one_pass: Any, entries: Any, tmp_path: Path
) -> None:
    """A folder whose mark came before its last file is refused; whole, it is audited without a hand."""
    folder = fakes.deliver(tmp_path, DAY)
    whole = (folder / "rounds.csv").read_bytes()
    (folder / "rounds.csv").write_bytes(whole[:5])
    assert one_pass(fakes.Runner()) == 3
    (folder / "rounds.csv").write_bytes(whole)

    assert one_pass(fakes.Runner()) == 0
    assert [entry.kind for entry in entries()] == ["refused", "run"]
