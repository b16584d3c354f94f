"""The configuration: the documented file is complete and holds the defaults; what is malformed is refused in words."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import BaseModel

from audit.base.errors import ConfigurationError, UsageError
from audit.base.model import Severity
from audit.base.resources import resource_dir
from audit.cli import call
from audit.config.service import SmtpSettings
from audit.config.settings import Limit, Settings, load_settings, money, share
from audit.games.paytable_files import load_paytables

DOCUMENTED = resource_dir("config") / "audit.yaml"

Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a configuration and return its path."""

    def into(content: str) -> Path:
        path = tmp_path / "audit.yaml"
        path.write_text(content, encoding="utf-8")
        return path

    return into


# --- the documented file


def keys_of(model: type[BaseModel], path: str = "") -> Iterator[str]:
    """Every key of a model and of the models in it, with dots; of lists of models, the list alone."""
    for name, field in model.model_fields.items():
        key = f"{path}{field.alias or name}"
        yield key
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from keys_of(field.annotation, f"{key}.")


def keys_in(content: dict[str, Any], path: str = "") -> Iterator[str]:
    """Every key of a file, with dots."""
    for name, value in content.items():
        yield f"{path}{name}"
        if isinstance(value, dict):
            yield from keys_in(value, f"{path}{name}.")


def examples() -> dict[str, Any]:
    """The examples in the comments of the documented file, by their key."""
    found: dict[str, Any] = {}
    lines = DOCUMENTED.read_text("utf-8").splitlines()
    for place, line in enumerate(lines):
        if line.strip() != "# Example:":
            continue
        margin = line.index("#")
        block = []
        for after in lines[place + 1 :]:
            if not after.startswith(" " * margin + "#   "):
                break
            block.append(after[margin + 4 :])
        found |= yaml.safe_load("\n".join(block))
    return found


def test_documented_file_holds_the_defaults() -> None:
    """The file that ships loads, and changes nothing but the folder that the service's paths are taken from."""
    plain = Settings()
    expected = plain.model_copy(update={"service": plain.service.within(DOCUMENTED.parent)})

    assert expected == load_settings(DOCUMENTED)
    assert plain.printed() == load_settings(DOCUMENTED).printed()


def test_documented_file_has_every_key() -> None:
    """Every key there is stands in the file, and no other."""
    content = yaml.safe_load(DOCUMENTED.read_text("utf-8"))

    assert sorted(keys_of(Settings)) == sorted(keys_in(content))


def test_every_key_has_its_comment() -> None:
    """Right above each key, or above the section that it opens, stands a comment."""
    lines = DOCUMENTED.read_text("utf-8").splitlines()
    bare = [
        line
        for before, line in pairwise(lines)
        if re.match(r" *[a-z_]+:", line) and not before.lstrip().startswith("#")
    ]

    assert ["report:", "  notify:"] == bare


def test_examples_in_comments_are_complete_and_load(write: Write) -> None:
    """The commented examples name every key of a limit and of the mail settings, and are accepted as they stand."""
    found = examples()
    rows, smtp = found["limits"], found["smtp"]

    assert set(Limit.model_fields) == set().union(*rows)
    assert {field.alias or name for name, field in SmtpSettings.model_fields.items()} == set(smtp)

    whole = {
        "paytables": found["paytables"],
        "limits": rows,
        "service": {"sources": found["sources"], "notify": {"smtp": smtp}},
    }
    settings = load_settings(write(json.dumps(whole)))

    assert (("BAC-01", "BAC-02"), ("*",)) == tuple(limit.tables for limit in settings.limits)
    assert (1_000_000, 100_000_000) == (settings.limits[0].min, settings.limits[0].max)
    assert settings.service.notify.smtp is not None
    assert "audit@example.org" == settings.service.notify.smtp.sender


def test_examples_name_paytables_that_ship() -> None:
    """The paytables that the comment names lie beside the file."""
    tables = load_paytables(DOCUMENTED.parent / name for name in examples()["paytables"])

    assert {"small_six", "big_six"} == set(tables)


# --- loading


def test_no_file_is_the_defaults() -> None:
    """Without a configuration the defaults hold."""
    settings = load_settings(None)

    assert Settings() == settings
    assert (dt.time(6), Decimal("0.01"), "standard", 100, Severity.MEDIUM) == (
        settings.cutoff,
        settings.max_quarantine,
        settings.notice,
        settings.rounding_unit,
        settings.fail_on,
    )


def test_a_file_names_only_what_differs(write: Write) -> None:
    """Keys that a file does not name keep their defaults; paths are taken from its folder."""
    path = write(
        'cutoff: "07:30"\nrounding_unit: "0.50"\npaytables: [x/tiger.yaml]\nlimits: [{tables: "A B", max: "500"}]\n'
    )
    settings = load_settings(path)

    assert (dt.time(7, 30), 5_000) == (settings.cutoff, settings.rounding_unit)
    assert (path.parent / "x" / "tiger.yaml",) == settings.paytables
    assert (("A", "B"), "*") == (settings.limits[0].tables, settings.limits[0].bet)
    assert Settings().report == settings.report


def test_missing_file_is_wrong_usage(tmp_path: Path) -> None:
    """A path that does not exist is refused by name."""
    with pytest.raises(UsageError, match=r"none\.yaml: the configuration file does not exist"):
        load_settings(tmp_path / "none.yaml")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "audit.yaml: top level: the file is empty"),
        ("- a", "audit.yaml: keys and values are expected"),
        ("a: [", "audit.yaml: top level: not well-formed YAML in line 2"),
        ("casino: A\ncasino: B", "audit.yaml: top level: the key 'casino' stands twice"),
        ("casion: A", "audit.yaml: casion: the key is unknown; known are casino, cutoff,"),
        ("casino: 3", "audit.yaml: casino: "),
        ('cutoff: "6:00"', 'audit.yaml: cutoff: a time of day is expected, as "04:30"'),
        ("cutoff: 16:00", "audit.yaml: cutoff: '16:00' is ambiguous here; write it in quotes"),
        ('max_quarantine: "2"', "audit.yaml: max_quarantine: a share of at most 100% is expected, not '2'"),
        ('max_quarantine: "-1%"', "audit.yaml: max_quarantine: a share such as"),
        ("max_quarantine: 0.01", "audit.yaml: max_quarantine: 0.01 is a binary floating-point number"),
        ("notice: clear", "audit.yaml: notice: Input should be 'standard' or 'clear_days'"),
        ("rounding_unit: 0", 'audit.yaml: rounding_unit: a positive sum such as "0.50" is expected, not 0'),
        ('rounding_unit: "0.00001"', "audit.yaml: rounding_unit: a positive sum"),
        ('rounding_unit: "NaN"', "audit.yaml: rounding_unit: a positive sum"),
        ("rounding_unit: 0.5", "audit.yaml: rounding_unit: 0.5 is a binary floating-point number"),
        ("fail_on: grave", "audit.yaml: fail_on: Input should be 'critical', 'high'"),
        ("paytables: tiger.yaml", "audit.yaml: paytables: "),
        ("paytables: [3]", "audit.yaml: paytables.0: "),
        ("limits: [{bett: tie}]", "audit.yaml: limits.0.bett: the key is unknown; known are bet, casino,"),
        ("limits: {bet: tie}", "audit.yaml: limits: "),
        ('limits: [{bet: tie, max: "500"}, {min: "-1"}]', "audit.yaml: limits.1.min: a positive sum"),
        ("report: {languages: [fr]}", "audit.yaml: report.languages.0: Input should be 'zh', 'pt' or 'en'"),
        ("report: {findings_per_check: 0}", "audit.yaml: report.findings_per_check: "),
        ("report: {pages: 3}", "audit.yaml: report.pages: the key is unknown; known are findings_per_check, languages"),
        ("service: {inbx: a}", "audit.yaml: service.inbx: the key is unknown; known are alarm_hours, approvals,"),
        ('service: {schedule: "4:30"}', "audit.yaml: service.schedule.0: a time of day is expected"),
        ('service: {schedule: ["04:30", "04:30"]}', "audit.yaml: service: schedule: the same time stands twice"),
        ("service: {timezone: Asia/Tokyo}", "audit.yaml: service.timezone: "),
        ("service: {notify: {smtp: {host: a}}}", "audit.yaml: service.notify.smtp.from: Field required"),
        ("service: {notify: {webhook: 'ftp://a'}}", "audit.yaml: service.notify.webhook: an address that starts with"),
    ],
)
def test_malformed_configuration_is_one_sentence(
    write: Write, capsys: pytest.CaptureFixture[str], content: str, words: str
) -> None:
    """Whatever is wrong is one sentence that names the file and the key, and the command ends with exit code 2."""
    path = write(content)

    with pytest.raises(ConfigurationError) as raised:
        load_settings(path)
    assert str(raised.value).startswith(words)

    hand = ["--game", "baccarat", "--on", "2024-03-01", "--player", "9H KD", "--banker", "3C 4S"]
    code = call(["explain", *hand, "--wager", "tie=100", "--config", str(path)])
    said = capsys.readouterr()

    assert (2, "") == (code, said.out)
    assert f"dicj-audit: {raised.value}\n" == said.err
    assert 1 == said.err.count("\n")


@pytest.mark.parametrize(("text", "value"), [("1%", "0.01"), ("0.1 %", "0.001"), ("0", "0"), ("100%", "1"), ("1", "1")])
def test_shares(text: str, value: str) -> None:
    """A share is a percentage or a fraction."""
    assert Decimal(value) == share(text)


@pytest.mark.parametrize(("text", "value"), [("0.50", 5_000), ("1", 10_000), (100, 1_000_000), ("0.0001", 1)])
def test_sums(text: object, value: int) -> None:
    """A sum of money is exact decimal text, or a whole number."""
    assert value == money(text)


def test_settings_that_change_an_audit_change_the_digest(write: Write) -> None:
    """The digest covers what can change an audit, and not the service's own business."""
    plain = Settings().digest

    assert plain == load_settings(write("service: {inbox: elsewhere}")).digest
    for content in ("notice: clear_days", 'cutoff: "05:00"', 'rounding_unit: "1"', "paytables: [a.yaml]"):
        assert plain != load_settings(write(content)).digest


def test_configured_paytable_settles_a_wager(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    """A bet that a configured paytable describes is settled by it; without the file nobody knows its odds."""
    source = DOCUMENTED.parent / "paytables" / "small_six.yaml"
    path = write("paytables: [small_six.yaml]")
    (path.parent / "small_six.yaml").write_bytes(source.read_bytes())
    hand = ["--game", "baccarat", "--on", "2024-06-01", "--player", "KS 10D JH", "--banker", "QH 6C"]
    arguments = ["explain", *hand, "--wager", "small_six=100", "--json"]

    assert 0 == call([*arguments, "--config", str(path)])
    (wager,) = json.loads(capsys.readouterr().out)["wagers"]
    assert ("win", "2200.00", "13(4)") == (wager["kind"], wager["payout"], wager["article"])

    assert 0 == call(arguments)
    (wager,) = json.loads(capsys.readouterr().out)["wagers"]
    assert ("unknown", None) == (wager["kind"], wager["payout"])
