"""What `diff` says of two runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from audit.base.errors import UsageError
from audit.cli import call
from audit.runs.difference import diff, diff_lines
from tests.finished import demonstration


def test_faults_are_new_and_their_absence_gone() -> None:
    """Findings of one run alone are new in one direction and gone in the other."""
    clean, faulty = demonstration(faults=False), demonstration()
    forth, back = diff(clean.run, faulty.run), diff(faulty.run, clean.run)

    assert faulty.rows == forth["new"]
    assert forth["new"] == back["gone"]
    assert {"new": len(faulty.rows), "unchanged": 0, "gone": 0} == forth["counts"]
    assert ["inputs"] == forth["because"]


def test_a_run_has_nothing_new_against_itself() -> None:
    """Every finding of a run is unchanged against the same run."""
    demo = demonstration()
    result = diff(demo.run, demo.run)

    assert demo.rows == result["unchanged"]
    assert result["new"] == result["gone"] == result["because"] == []


@pytest.mark.parametrize("language", ["zh", "pt", "en"])
def test_text_lists_new_and_gone(language: str) -> None:
    """The text counts each group and has a line for each new finding in the language asked for."""
    demo = demonstration()
    lines = list(diff_lines(diff(demonstration(faults=False).run, demo.run), language))

    assert len(demo.rows) + 2 == len(lines)
    assert demo.rows[0][f"message_{language}"] in lines[2]


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command prints JSON and answers 0; a folder without run is wrong usage."""
    demo = demonstration()
    assert call(["diff", "--json", str(demo.run), str(demo.run)]) == 0
    assert len(demo.rows) == json.loads(capsys.readouterr().out)["counts"]["unchanged"]
    assert call(["diff", str(demo.run), str(tmp_path)]) == 2
    with pytest.raises(UsageError):
        diff(tmp_path, demo.run)
