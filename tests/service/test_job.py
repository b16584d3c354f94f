from __future__ import annotations

import datetime as dt
import json
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from audit.base.errors import MachineFailure
from audit.service.health import Health
from audit.service.inbox import Delivery
from audit.service.job import Auditor
from audit.service.news import News
from audit.service.notify import Notifier
from audit.store.ledger import Ledger


def test_second_pass_does_nothing(fakes: Any, one_pass: Any, entries: Any, tmp_path: Path) -> None:
    """A gaming day that was audited is not audited again, and the ledger gains no entry."""
    fakes.deliver(tmp_path, "2024-03-04")
    first, second = fakes.Runner(), fakes.Runner()

    assert one_pass(first) == 0
    assert one_pass(second) == 0

    assert first.days == ["grand/2024-03-04"]
    assert second.days == []
    assert [(entry.attempt, entry.output) for entry in entries("run")] == [(1, "grand/2024-03-04/1")]


def test_missing_days_are_healed_in_order(fakes: Any, one_pass: Any, entries: Any, tmp_path: Path) -> None:
    """Days that arrived while the service was away are audited oldest first, across casinos."""
    for day, casino in (("2024-03-04", "grand"), ("2024-03-02", "grand"), ("2024-03-03", "palace")):
        fakes.deliver(tmp_path, day, casino=casino)
    runner = fakes.Runner()

    assert one_pass(runner) == 0

    assert runner.days == ["grand/2024-03-02", "palace/2024-03-03", "grand/2024-03-04"]
    assert len(entries("run")) == 3


def test_day_that_arrives_during_the_pass_is_audited_in_it(fakes: Any, one_pass: Any, tmp_path: Path) -> None:
    """A pass looks again until nothing new is found, so that a long pass misses no arrival."""
    fakes.deliver(tmp_path, "2024-03-03")

    class Meanwhile(fakes.Runner):
        def __call__(self, delivery: Delivery, out: Path, previous: Path | None = None) -> object:
            fakes.deliver(tmp_path, "2024-03-02") if not self.days else None
            return super().__call__(delivery, out, previous)

    runner = Meanwhile()
    one_pass(runner)

    assert runner.days == ["grand/2024-03-03", "grand/2024-03-02"]


def test_corrected_delivery_supersedes(fakes: Any, one_pass: Any, entries: Any, tmp_path: Path) -> None:
    """Other content for an audited day is a second attempt beside the first, which stays as it was."""
    fakes.deliver(tmp_path, "2024-03-04")
    one_pass(fakes.Runner())
    fakes.deliver(tmp_path, "2024-03-04", content="corrected\n")
    one_pass(fakes.Runner())

    first, second = entries("run")

    assert (first.attempt, second.attempt, second.supersedes) == (1, 2, first.seq)
    assert (tmp_path / "audits" / first.output / "manifest.json").is_file()


def test_return_to_the_first_delivery_is_audited(fakes: Any, one_pass: Any, entries: Any, tmp_path: Path) -> None:
    """What decides is the run that stands for the day, not whether the same content was once audited."""
    for content in ("a\n", "b\n", "a\n"):
        fakes.deliver(tmp_path, "2024-03-04", content=content)
        one_pass(fakes.Runner())

    assert [entry.attempt for entry in entries("run")] == [1, 2, 3]


@pytest.mark.parametrize("name", ["*", "2024-03-04", "grand/2024-03-04"])
def test_force_makes_a_new_attempt_of_the_named_day(
    fakes: Any, one_pass: Any, entries: Any, tmp_path: Path, name: str
) -> None:
    """A forced day gets a new attempt; nothing is overwritten."""
    fakes.deliver(tmp_path, "2024-03-04")
    one_pass(fakes.Runner())
    one_pass(fakes.Runner(), force=[name])

    assert [(entry.attempt, entry.supersedes) for entry in entries("run")] == [(1, None), (2, 1)]


def test_half_copied_folder_waits(fakes: Any, one_pass: Any, entries: Any, tmp_path: Path) -> None:
    """Without the mark a folder is neither audited nor refused, however wrong its content still is."""
    fakes.deliver(tmp_path, "2024-03-04", mark=False, sha256="0" * 64)
    runner = fakes.Runner()

    assert one_pass(runner) == 0

    assert runner.days == []
    assert entries() == []
    health = json.loads((tmp_path / "audits" / "ledger.sqlite.health.json").read_text())
    assert health["last_pass"]["waiting"] == 1


def test_broken_delivery_is_refused_once_until_it_changes(
    fakes: Any, one_pass: Any, entries: Any, tmp_path: Path
) -> None:
    """A digest that differs is recorded once with its reason; the corrected delivery is audited."""
    fakes.deliver(tmp_path, "2024-03-04", sha256="0" * 64)
    runner = fakes.Runner()

    assert one_pass(runner) == 3
    assert one_pass(runner) == 0
    (refusal,) = entries("refused")
    assert "SHA-256" in refusal.reason
    assert runner.days == []

    fakes.deliver(tmp_path, "2024-03-04", content="as it should be\n")
    assert one_pass(runner) == 0
    assert runner.days == ["grand/2024-03-04"]


def test_one_broken_day_does_not_keep_the_next_from_being_audited(
    fakes: Any, one_pass: Any, entries: Any, tmp_path: Path
) -> None:
    """Refused and failed days are passed over."""
    fakes.deliver(tmp_path, "2024-03-03", sha256="0" * 64)
    fakes.deliver(tmp_path, "2024-03-04")

    class Fails(fakes.Runner):
        def __call__(self, delivery: Delivery, out: Path, previous: Path | None = None) -> object:
            if delivery.gaming_day == dt.date(2024, 3, 2):
                raise RuntimeError("Chan Tai Man")
            return super().__call__(delivery, out, previous)

    fakes.deliver(tmp_path, "2024-03-02")

    assert one_pass(Fails()) == 4
    assert [entry.kind for entry in entries()] == ["failed", "refused", "run", "alarm", "alarm"]
    failed = entries("failed")[0]
    assert "RuntimeError" in failed.reason
    assert "Chan" not in failed.reason


def test_failed_day_is_tried_again(fakes: Any, one_pass: Any, entries: Any, tmp_path: Path) -> None:
    """A failure of the machine is no verdict on the delivery: the next pass audits it."""
    fakes.deliver(tmp_path, "2024-03-04")

    class Full(fakes.Runner):
        def __call__(self, *_: object) -> object:
            raise MachineFailure("no space left on the disk")

    assert one_pass(Full()) == 4
    assert one_pass(fakes.Runner()) == 0
    assert [entry.kind for entry in entries()] == ["failed", "run"]


def test_what_the_audit_refuses_is_tried_again_when_the_register_changes(
    fakes: Any, one_pass: Any, entries: Any, tmp_path: Path
) -> None:
    """A refusal that a configured register may have caused does not outlive that register."""
    register = tmp_path / "register.csv"
    register.write_text("broken")
    fakes.deliver(tmp_path, "2024-03-04")
    runner = fakes.Runner(refuse="register.csv: row 1, column game: 'Chan Tai Man' is not a game")

    assert one_pass(runner, approvals=register) == 3
    assert one_pass(runner, approvals=register) == 0
    register.write_text("mended at last")
    assert one_pass(fakes.Runner(), approvals=register) == 0
    assert [entry.kind for entry in entries()] == ["refused", "run"]


def test_rows_other_than_the_manifest_says_are_refused(fakes: Any, one_pass: Any, entries: Any, tmp_path: Path) -> None:
    """The supplier's control total must be met by what the run read."""
    fakes.deliver(tmp_path, "2024-03-04", rows=7)

    assert one_pass(fakes.Runner()) == 3
    assert entries("refused")[0].reason == "rounds.csv has 1 rows, the manifest says 7"


def test_file_changed_between_check_and_run_is_refused(fakes: Any, one_pass: Any, entries: Any, tmp_path: Path) -> None:
    """A run that read other bytes than the manifest vouches for is not recorded as an audit."""
    fakes.deliver(tmp_path, "2024-03-04")

    class Swapped(fakes.Runner):
        def __call__(self, delivery: Delivery, out: Path, previous: Path | None = None) -> object:
            finished = super().__call__(delivery, out, previous)
            finished.manifest["inputs"][0]["sha256"] = "1" * 64
            return finished

    assert one_pass(Swapped()) == 3
    assert "changed while it was being read" in entries("refused")[0].reason
    assert not (tmp_path / "audits" / "grand").exists()


def test_inbox_that_went_away_is_a_failure_not_an_empty_night(fakes: Any, one_pass: Any, tmp_path: Path) -> None:
    """An inbox that cannot be read during the pass makes the pass fail."""
    folder = fakes.deliver(tmp_path, "2024-03-04")

    class Unmounts(fakes.Runner):
        def __call__(self, delivery: Delivery, out: Path, previous: Path | None = None) -> object:
            finished = super().__call__(delivery, out, previous)
            shutil.rmtree(folder.parent.parent)
            return finished

    assert one_pass(Unmounts()) == 4


def test_day_that_did_not_arrive_is_an_alarm_once(
    fakes: Any, one_pass: Any, entries: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A gaming day past its deadline without an audit is alarmed, recorded and shown in the health file, once."""
    fakes.deliver(tmp_path, "2024-03-02")
    now = dt.datetime(2024, 3, 5, 6, 0, tzinfo=fakes.MACAU)

    one_pass(fakes.Runner(), now=now)
    one_pass(fakes.Runner(), now=now)

    assert [entry.gaming_day for entry in entries("alarm")] == [dt.date(2024, 3, 3)]
    events = [json.loads(line) for line in capfd.readouterr().err.splitlines()]
    assert sum(event["event"] == "days.missing" for event in events) == 1
    health = json.loads((tmp_path / "audits" / "ledger.sqlite.health.json").read_text())
    assert health["alarm"] == "grand: not audited: 2024-03-03"


def test_deadline_counts_from_the_close_of_the_gaming_day(
    fakes: Any, one_pass: Any, entries: Any, tmp_path: Path
) -> None:
    """One second before the deadline there is no alarm yet."""
    fakes.deliver(tmp_path, "2024-03-02")

    one_pass(fakes.Runner(), now=dt.datetime(2024, 3, 5, 5, 59, 59, tzinfo=fakes.MACAU))

    assert entries("alarm") == []


def test_expected_casino_never_seen_is_an_alarm(fakes: Any, one_pass: Any, entries: Any) -> None:
    """A house that should deliver and never has is missed from the last day due."""
    one_pass(fakes.Runner(), casinos=("palace",))

    assert [(entry.casino, str(entry.gaming_day)) for entry in entries("alarm")] == [("palace", "2024-03-03")]


def test_old_days_raise_no_alarm(fakes: Any, one_pass: Any, entries: Any, tmp_path: Path) -> None:
    """Auditing a past year does not raise alarms for every day since."""
    fakes.deliver(tmp_path, "2019-03-02")

    one_pass(fakes.Runner())

    assert [entry.kind for entry in entries()] == ["run"]


def test_log_has_one_json_object_a_line_and_no_quoted_data(
    fakes: Any, one_pass: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Log lines are JSON with an event, and what a refusal quotes from the data is left out."""
    fakes.deliver(tmp_path, "2024-03-04")
    one_pass(fakes.Runner(refuse="rounds.csv: row 1, column seat: 'Chan Tai Man' is not a seat"))

    written = capfd.readouterr().err
    events = [json.loads(line) for line in written.splitlines()]

    assert [event["event"] for event in events] == [
        "service.started",
        "pass.started",
        "run.started",
        "delivery.refused",
        "pass.finished",
        "service.stopped",
    ]
    assert events[3]["reason"] == "rounds.csv: row 1, column seat: '…' is not a seat"
    assert "Chan" not in written
    assert str(tmp_path) not in written


def test_output_that_cannot_be_written_is_a_failure(fakes: Any, one_pass: Any, entries: Any, tmp_path: Path) -> None:
    """An output that cannot be put in its place fails the day in words and records no run."""
    fakes.deliver(tmp_path, "2024-03-04")
    (tmp_path / "audits").mkdir()
    (tmp_path / "audits" / "grand").write_text("in the way")

    assert one_pass(fakes.Runner()) == 4
    (failed,) = entries()
    assert (failed.kind, failed.reason[:38]) == ("failed", "the finished run cannot be put in its ")


def test_casino_folder_that_cannot_be_read_keeps_no_other_from_being_audited(
    fakes: Any, one_pass: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An unreadable casino makes the pass fail; the days of the others are audited."""
    fakes.deliver(tmp_path, "2024-03-04", casino="closed")
    fakes.deliver(tmp_path, "2024-03-05", casino="grand")
    listed = Path.iterdir

    def iterdir(path: Path) -> Iterator[Path]:
        if path.name == "closed":
            raise PermissionError(13, "Permission denied")
        return listed(path)

    monkeypatch.setattr(Path, "iterdir", iterdir)
    runner = fakes.Runner()

    assert one_pass(runner) == 4
    assert runner.days == ["grand/2024-03-05"]


def test_findings_are_filed_before_they_are_recorded(fakes: Any, one_pass: Any, entries: Any, tmp_path: Path) -> None:
    """A crash between the message and the ledger costs a message twice, never one not at all."""
    fakes.deliver(tmp_path, "2024-03-04")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("audit.store.ledger.Ledger.record_run", _die)
        with pytest.raises(KeyboardInterrupt):
            one_pass(fakes.Runner(), notify={"webhook": "http://127.0.0.1:1/hook"})
    outbox = tmp_path / "audits" / "ledger.sqlite.outbox"
    assert len(list(outbox.glob("*.json"))) == 1

    one_pass(fakes.Runner(), notify={"webhook": "http://127.0.0.1:1/hook"})

    assert len(entries("run")) == 1
    assert len(list(outbox.glob("*.json"))) == 1


def _die(*_: object) -> None:
    raise KeyboardInterrupt


def test_run_that_takes_too_long_is_an_alarm_once(fakes: Any, tmp_path: Path, entries: Any) -> None:
    """While a run goes on beyond the hours allowed, the watch raises one alarm for it."""
    folder = fakes.deliver(tmp_path, "2024-03-04")
    configured = fakes.settings(tmp_path).service
    now = fakes.NOW
    with closing(Ledger.open(configured.ledger_url)) as ledger:
        desk = News(
            settings=configured,
            ledger=ledger,
            notifier=Notifier(configured.notify, configured.beside_ledger("outbox")),
            health=Health(configured.beside_ledger("health.json"), now),
            clock=lambda: now,
            cutoff=dt.time(6),
        )
        auditor = Auditor(desk=desk, runner=fakes.Runner(), circumstances="")
        auditor._running = (Delivery("grand", dt.date(2024, 3, 4), folder, ()), fakes.NOW)
        now = fakes.NOW + dt.timedelta(hours=6)
        auditor.beat()
        assert list(ledger.entries()) == []
        now += dt.timedelta(seconds=1)
        auditor.beat()
        auditor.beat()

    assert [str(entry.gaming_day) for entry in entries("alarm")] == ["2024-03-04"]
