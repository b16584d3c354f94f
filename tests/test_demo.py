"""The demonstration finds what was planted in it, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from audit.base.errors import UsageError
from audit.catalogue.catalogue import load
from audit.demo import make_demo, run_demo
from audit.demo.planted import SUBJECT
from tests.finished import NoGate, demonstration


def test_findings_are_exactly_the_planted_faults() -> None:
    """Each planted fault gives its finding by code and subject, and there is no finding beside them."""
    demo = demonstration()
    found = [(row["code"], {name: row[name] for name in SUBJECT if row[name] is not None}) for row in demo.rows]
    planted = [(fault.code, dict(fault.subject)) for fault in demo.planted]

    assert sorted(planted, key=str) == sorted(found, key=str)


def test_a_day_without_faults_has_no_finding() -> None:
    """Without faults every round is conforming, nothing is set aside and nothing is left open."""
    demo = demonstration(faults=False)
    rounds = demo.manifest["totals"]["rounds"]["accepted"]

    assert demo.rows == []
    assert demo.manifest["verdicts"] == {"conforming": rounds, "violation": 0, "not_evaluated": 0}
    assert demo.manifest["not_evaluated"] == []
    assert demo.manifest["quarantine"]["by_reason"] == []
    assert rounds > 400


def test_every_check_is_shown() -> None:
    """The demonstration has a fault for every check that the program makes."""
    built = {check.code for check in load().checks.values() if check.built}

    assert built == {fault.code for fault in demonstration().planted}


def test_makccarat_habits_are_named() -> None:
    """Wrong payments that follow a habit are reported as that habit."""
    messages = {row["wager_id"]: row["message_en"] for row in demonstration().rows if row["code"].startswith("PAY")}
    table = {"M01": "habit of charging the banker only", "M02": "paid in full", "B01": "half pay of tables without"}
    for name, words in table.items():
        assert any(wager.startswith(name) and words in text for wager, text in messages.items()), name
    assert any("method 2's 9 to 1" in text for text in messages.values())


def test_the_same_files_every_time(tmp_path: Path) -> None:
    """Two demonstrations have the same bytes."""
    one, two = make_demo(tmp_path / "one"), make_demo(tmp_path / "two")
    for name in ("rounds", "wagers", "approvals", "events", "config", "faults"):
        assert getattr(one, name).read_bytes() == getattr(two, name).read_bytes()


def test_faults_are_listed_with_a_sentence_in_each_language(tmp_path: Path) -> None:
    """faults.json names code, subject and a filled sentence in each language for every fault."""
    files = make_demo(tmp_path)
    assert files.faults is not None
    content = json.loads(files.faults.read_text("utf-8"))

    assert [fault.to_json() for fault in files.planted] == content["faults"]
    for fault in content["faults"]:
        sentences = [fault[f"sentence_{language}"] for language in ("zh", "pt", "en")]
        assert len(set(sentences)) == 3
        assert not any("{" in sentence for sentence in sentences)


def test_rows_without_finding_are_set_aside_or_dropped() -> None:
    """The unreadable row, the two contradicting rows and the exact repeat are counted, not reported."""
    totals = demonstration().manifest["totals"]

    assert (1, 0) == (totals["rounds"]["quarantined"], totals["rounds"]["repeats"])
    assert (2, 1) == (totals["wagers"]["quarantined"], totals["wagers"]["repeats"])


def test_a_second_demonstration_needs_a_folder_of_its_own() -> None:
    """A folder that holds a demonstration is refused."""
    with pytest.raises(UsageError, match="another demonstration"):
        run_demo(demonstration().folder, gate=NoGate(), report=False)
