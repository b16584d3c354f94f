"""A site from `init` to `verify`: laid out, audited twice, asked through the command line."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from audit import pipeline
from audit.base.model import Severity
from audit.cli import call
from audit.config.settings import Settings, load_settings
from audit.service.schedule import serve
from audit.service.site import lay_out, look_over, shown
from tests.finished import NoGate

DAY = "DEMO/2024-03-01"
Ask = Callable[..., Any]


def without_report(settings: Settings) -> Any:
    """The service's runner, without the gate and the PDF, which take seconds and are tested elsewhere."""
    from audit.service.runner import pipeline_runner

    run = pipeline_runner(settings)

    def quick(*arguments: Any) -> Any:
        def audit(request: pipeline.RunRequest) -> Any:
            parts = {name: getattr(request, name) for name in request.__dataclass_fields__} | {"report": False}
            return REAL(pipeline.RunRequest(**parts), gate=NoGate())

        with mock.patch("audit.pipeline.run_audit", audit):
            return run(*arguments)

    return quick


REAL = pipeline.run_audit


def correct(site: Path) -> None:
    """Deliver the day again with the recorded outcome of one round corrected and the last wagers gone."""
    folder = site / "inbox" / DAY
    manifest = json.loads((folder / "manifest.json").read_text())
    for item in manifest["files"]:
        path = folder / item["path"]
        if item["role"] == "events":
            path.write_text("\n".join(path.read_text().splitlines()[:4]) + "\n")
        item["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
        item["bytes"] = path.stat().st_size
    (folder / "manifest.json").write_text(json.dumps(manifest))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A site whose sample day was audited, delivered again corrected, and audited again."""
    base = tmp_path_factory.mktemp("site")
    with mock.patch.dict(os.environ, {"XDG_STATE_HOME": str(base / "state")}):
        assert call(["init", str(base / "site"), "--sample"]) == 0
        settings = load_settings(base / "site" / "config" / "audit.yaml")
        assert serve(settings, once=True, runner=without_report(settings)) == 0
        correct(base / "site")
        assert serve(settings, once=True, runner=without_report(settings)) == 0
        yield base / "site"


@pytest.fixture
def ask(site: Path, capsys: pytest.CaptureFixture[str]) -> Ask:
    """Run a command on the site's ledger with --json; its exit code must be `code`."""

    def run(*words: str, code: int = 0) -> Any:
        capsys.readouterr()
        assert code == call([*words, "--json", "--config", str(site / "config" / "audit.yaml")])
        return json.loads(capsys.readouterr().out)

    return run


# --- init


def test_site_is_sound_and_its_configuration_says_where_things_are(tmp_path: Path) -> None:
    """A new site passes its own check, and its paths lead to its own folders."""
    lay_out(tmp_path / "new")
    settings = load_settings(tmp_path / "new" / "config" / "audit.yaml")

    assert [] == [point for point in look_over(settings) if point.problem]
    assert (tmp_path / "new" / "inbox").samefile(settings.service.inbox)
    assert (tmp_path / "new" / "audits").samefile(settings.service.output)
    assert settings.service.approvals is not None
    assert settings.service.approvals.is_file()
    assert settings.printed() == Settings().printed()


def test_sample_register_is_lawful(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The sample register raises no finding, so that a new user is not greeted by a breach."""
    lay_out(tmp_path / "new")
    assert call(["approvals", "check", "--json", "--approvals", str(tmp_path / "new" / "config" / "register.csv")]) == 0

    assert [] == json.loads(capsys.readouterr().out)["findings"]


def test_site_is_made_in_an_empty_folder_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is in a folder already is never overwritten."""
    (tmp_path / "mine").write_text("x")

    assert call(["init", str(tmp_path)]) == 2
    assert "is not empty" in capsys.readouterr().err
    assert ["mine"] == [path.name for path in tmp_path.iterdir()]


def test_service_works_in_a_site_without_deliveries(tmp_path: Path) -> None:
    """`serve --once` on a fresh site finds nothing to do and ends well."""
    lay_out(tmp_path / "new")
    command = [sys.executable, "-m", "audit.cli", "serve", "--once", "--config", "new/config/audit.yaml"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert (tmp_path / "new" / "audits" / "ledger.sqlite").is_file()


# --- runs, findings, diff


def test_runs_are_listed_with_what_superseded_them(ask: Ask) -> None:
    """Both attempts stand in the list, the first as superseded by the second; filters leave others out."""
    first, second = ask("runs", "list")

    assert (1, "DEMO", "2024-03-01", 2) == (
        first["attempt"],
        first["casino"],
        first["gaming_day"],
        first["superseded_by"],
    )
    assert (2, 1, None) == (second["attempt"], second["supersedes"], second["superseded_by"])
    assert [] == ask("runs", "list", "--casino", "OTHER")
    assert [] == ask("runs", "list", "--since", "2024-03-02")
    assert [] == ask("runs", "list", "--kind", "refused")


def test_run_is_shown_by_number_and_by_the_beginning_of_its_id(ask: Ask) -> None:
    """One entry comes with inputs, verdicts, the register as it was, and findings by check."""
    by_number = ask("runs", "show", "2")

    assert by_number == ask("runs", "show", by_number["run_id"][:10])
    assert {"rounds", "wagers", "events", "approvals"} == {item["role"] for item in by_number["inputs"]}
    assert "D-001" in {row["approval_id"] for row in by_number["approvals"]}
    assert by_number["findings"] == sum(row["findings"] for row in by_number["by_code"])
    assert {"conforming", "violation", "not_evaluated"} == {row["verdict"] for row in by_number["verdicts"]}


@pytest.mark.parametrize(
    ("name", "words"),
    [("9", "the ledger has no entry 9"), ("ffffffff", "the ledger has no entry"), ("abc", "neither an entry's number")],
)
def test_unknown_run_is_told(site: Path, capsys: pytest.CaptureFixture[str], name: str, words: str) -> None:
    """A run that is not there is wrong usage, in one sentence."""
    assert call(["runs", "show", name, "--config", str(site / "config" / "audit.yaml")]) == 2
    assert words in capsys.readouterr().err


def test_findings_are_those_of_the_runs_that_stand(ask: Ask) -> None:
    """Each filter narrows the list; those of the superseded run are there on request."""
    standing, everything = ask("findings", "list"), ask("findings", "list", "--superseded")

    assert {2} == {row["run_seq"] for row in standing}
    assert {1, 2} == {row["run_seq"] for row in everything}
    one = ask("findings", "list", "--code", "PAY-001", "--casino", "DEMO", "--since", "2024-03-01")
    assert one
    assert one == [row for row in standing if row["code"] == "PAY-001"]
    table = next(row["table_id"] for row in standing if row["table_id"])
    assert [r for r in standing if r["table_id"] == table] == ask("findings", "list", "--table", table)
    grave = ask("findings", "list", "--severity", "high")
    assert grave == [row for row in standing if Severity(row["severity"]).at_least(Severity.HIGH)]
    assert standing[:3] == ask("findings", "list", "--limit", "3")
    assert [] == ask("findings", "list", "--since", "2024-03-03")


def test_findings_of_the_ledger_are_those_of_the_file(ask: Ask, site: Path) -> None:
    """What the ledger holds of a finding is what the run's own file says, sums of money included."""
    file = {row["finding_id"]: row for row in json.loads((site / "audits" / DAY / "2" / "findings.json").read_text())}
    rows = ask("findings", "list")

    assert {row["finding_id"] for row in rows} == set(file)
    for row in rows:
        for name in ("code", "amount", "round_id", "article", "expected", "legal_day", "source_row"):
            assert file[row["finding_id"]][name] == row[name]


def test_diff_takes_runs_of_the_ledger(ask: Ask, site: Path) -> None:
    """A run may be named by directory or by its number; the supplementary run's manifest says the same."""
    named = ask("diff", "1", "2")

    assert named == ask("diff", str(site / "audits" / DAY / "1"), "2")
    manifest = json.loads((site / "audits" / DAY / "2" / "manifest.json").read_text())
    said = manifest["supplement"]
    assert named["counts"] == {name: said[name] for name in ("new", "unchanged", "gone")}
    assert said["gone"] > 0
    assert named["run_a"] == said["supersedes"] == manifest["arguments"]["supersedes"]
    assert [row["finding_id"] for row in named["gone"]] == [row["finding_id"] for row in said["lists"]["gone"]]
    first = json.loads((site / "audits" / DAY / "1" / "manifest.json").read_text())
    assert "supplement" not in first


def test_text_output_is_aligned_and_complete(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without --json each command prints its rows for a reader."""
    ledger = ["--ledger", str(site / "audits" / "ledger.sqlite")]
    for words, expected in (
        (["runs", "list"], "superseded by"),
        (["runs", "show", "1"], "wagers.csv"),
        (["findings", "list", "--severity", "critical"], "SHO-002"),
        (["diff", "1", "2"], "unchanged"),
        (["verify"], "intact: ledger of 2 entries"),
    ):
        assert call([*words, *ledger]) == 0
        assert expected in capsys.readouterr().out


# --- verify


def test_sound_ledger_is_intact_though_a_delivery_was_corrected_in_place(ask: Ask, site: Path) -> None:
    """An input in whose place a corrected one stands, which a later run has read, is replaced and not changed."""
    whole = ask("verify")

    assert whole["intact"]
    states = {item["file"]: item["state"] for item in whole["runs"][0]["inputs"]}
    assert {
        "rounds.csv": "intact",
        "wagers.csv": "intact",
        "approvals.csv": "intact",
        "events.csv": "replaced",
    } == states
    one = ask("verify", str(site / "audits" / DAY / "2"))
    assert (True, 2) == (one["intact"], one["runs"][0]["entry"])


@pytest.fixture
def damaged(site: Path) -> Iterator[Callable[[Path, bytes], None]]:
    """Change a file of the site; put back after the test."""
    before: dict[Path, bytes] = {}

    def change(path: Path, content: bytes) -> None:
        before[path] = path.read_bytes()
        path.write_bytes(content)

    yield change
    for path, content in before.items():
        path.write_bytes(content)
    assert site.is_dir()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("audits/DEMO/2024-03-01/2/findings.csv", "findings.csv was changed"),
        ("audits/DEMO/2024-03-01/1/findings.json", "findings.json was changed"),
        ("audits/DEMO/2024-03-01/2/manifest.json", "the manifest of entry 2"),
        ("inbox/DEMO/2024-03-01/rounds.csv", "The input rounds.csv was changed"),
    ],
)
def test_any_change_behind_the_ledger_is_found(
    site: Path, damaged: Callable[..., None], capsys: pytest.CaptureFixture[str], name: str, words: str
) -> None:
    """A changed output, manifest or input shows, with exit code 1, by the ledger alone."""
    damaged(site / name, (site / name).read_bytes() + b" ")

    assert call(["verify", "--config", str(site / "config" / "audit.yaml")]) == 1
    assert words in capsys.readouterr().out


def test_changed_entry_is_found(site: Path, ask: Ask, damaged: Callable[..., None]) -> None:
    """A finding changed inside the ledger's file shows."""
    file = site / "audits" / "ledger.sqlite"
    damaged(file, file.read_bytes())
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("DROP TRIGGER findings_update")
        connection.execute("UPDATE findings SET severity = 'info' WHERE entry = 2 AND position = 0")
        connection.commit()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    faults = ask("verify", code=1)["ledger"]["faults"]
    assert "the findings of entry 2 were changed after they were recorded" in faults
    assert any("findings_update" in fault for fault in faults)


def test_run_that_the_ledger_does_not_know_is_told(ask: Ask, site: Path, tmp_path: Path) -> None:
    """A sound run that was made beside the service is no part of the ledger."""
    for file in (site / "audits" / DAY / "2").iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    content = (tmp_path / "manifest.json").read_text()
    (tmp_path / "manifest.json").write_text(content + "\n")

    assert any(
        "no run with the manifest" in fault for fault in ask("verify", str(tmp_path), code=1)["ledger"]["faults"]
    )


def test_verify_needs_something_to_verify(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a directory and without a ledger it is wrong usage."""
    assert call(["verify"]) == 2
    assert "--ledger" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["runs", "list"], ["findings", "list"], ["verify"], ["diff", "1", "2"]])
def test_no_ledger_is_wrong_usage_and_makes_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    """To ask a ledger that is not there is told, and leaves nothing behind."""
    assert call([*words, "--ledger", str(tmp_path / "none.sqlite")]) == 2
    assert "there is no ledger" in capsys.readouterr().err
    assert [] == list(tmp_path.iterdir())


# --- config


def test_check_names_what_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each thing that the configuration names and that is not there is told with its key, with exit code 2."""
    path = tmp_path / "audit.yaml"
    notify = {"webhook_env": "H13_NONE", "ca_file": "none.pem"}
    service = {"inbox": "none", "approvals": "none.csv", "source": "none.yaml", "notify": notify}
    path.write_text(json.dumps({"paytables": ["none.yaml"], "service": service}))

    assert call(["config", "check", "--json", "--config", str(path)]) == 2
    points = json.loads(capsys.readouterr().out)["points"]
    wrong = {point["key"] for point in points if point["problem"]}
    assert {"paytables", "service.inbox", "service.approvals", "service.source", "service.notify"} == wrong


def test_show_masks_what_is_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is printed names where secrets come from, and neither they nor the path of a webhook."""
    monkeypatch.setenv("H13_PASSWORD", "topsecret")
    smtp = {"host": "mail", "from": "a@example.org", "to": "b@example.org", "user_env": "H13_PASSWORD"}
    notify = {"smtp": smtp | {"password_env": "H13_PASSWORD"}, "webhook": "https://hooks.example.org/T0/secretpath"}
    path = tmp_path / "audit.yaml"
    path.write_text(json.dumps({"service": {"ledger": "postgresql+psycopg://me@db/audit", "notify": notify}}))
    text = json.dumps(shown(load_settings(path)))

    assert "topsecret" not in text
    assert "secretpath" not in text
    assert "https://hooks.example.org/***" in text
    assert "H13_PASSWORD" in text


@pytest.mark.parametrize(
    "service",
    [
        {"ledger": "postgresql+psycopg://me:secret@db/audit"},
        {"ledger": "postgresql+psycopg://db/audit?password=secret"},
        {"notify": {"webhook": "https://me:secret@example.org/"}},
    ],
)
def test_password_in_the_configuration_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], service: dict[str, object]
) -> None:
    """A password in the file is refused in words that do not repeat it."""
    path = tmp_path / "audit.yaml"
    path.write_text(json.dumps({"service": service}))

    assert call(["config", "show", "--config", str(path)]) == 2
    said = capsys.readouterr().err
    assert "a password does not belong in this file" in said
    assert "secret" not in said
