from __future__ import annotations

import json
from pathlib import Path

import pypdf
import pytest

from audit.cli import call
from audit.investigate import Target, investigate
from audit.investigate.dispute import FINDINGS, WAGERS, payload
from audit.report.sheet import render_sheet_html
from tests.finished import Demonstration, remembered


@pytest.fixture
def demo(monkeypatch: pytest.MonkeyPatch) -> Demonstration:
    """The demonstration with faults, its inputs remembered."""
    return remembered(monkeypatch)


def test_a_round_of_a_finished_run_gives_its_sheet(demo: Demonstration, tmp_path: Path) -> None:
    """One bilingual page with hand, wagers, rules and authorisations in force."""
    name, out = demo.round_of("PAY-001"), tmp_path / "sheet.pdf"

    assert 0 == call(["investigate", "--run", str(demo.run), "--round", name, "--sheet", str(out), "--json"])

    reader = pypdf.PdfReader(out)
    text = " ".join(reader.pages[0].extract_text().split())
    attached = json.loads(reader.attachments["investigation.json"][0])

    assert 1 == len(reader.pages)
    assert name in text
    assert "Regras e autorizações em vigor" in text
    assert "逐注結算" in text
    assert attached["round"]["round_id"] == name
    assert "neighbours" in attached


def test_a_misdealt_hand_shows_what_was_required(demo: Demonstration) -> None:
    """The sheet of a drawing fault draws the hand twice, as dealt and as required, with the wrong step in bold."""
    data = investigate(demo.run, Target(demo.round_of("DRW-001")))
    html = render_sheet_html(payload(data), ("zh", "pt"))

    assert html.count('class="wrong"') == 2
    assert "DRW-001" in html


def test_a_round_with_many_wagers_stays_on_its_page(demo: Demonstration) -> None:
    """Wagers at fault come first, and what does not fit is counted and left to the attached data."""
    data = investigate(demo.run, Target(demo.round_of("PAY-002")))
    data["wagers"] = [*[w | {"answer": "right"} for w in data["wagers"]] * 9, *data["wagers"]]
    data["findings"] = data["findings"] * 9
    (item,) = payload(data)["rounds"]
    html = render_sheet_html(payload(data), ("zh", "pt"))

    assert (WAGERS, FINDINGS) == (len(item["wagers"]), len(item["findings"]))
    assert len(data["wagers"]) == WAGERS + item["more_wagers"]
    assert item["wagers"][0]["due"] != item["wagers"][0]["payout"]
    assert f"Mais {item['more_wagers']} nos dados anexos" in html


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--table", "B01", "--sheet", "x.pdf"], "--sheet belongs to --round"),
        (["--round", "x", "--sheet", "RUN/x.pdf"], "lies in"),
    ],
)
def test_wrong_usage_is_refused(
    demo: Demonstration, words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A sheet is of one round, and is not written into the run."""
    words = [word.replace("RUN", str(demo.run)) for word in words]

    assert 2 == call(["investigate", "--run", str(demo.run), *words])
    assert said in capsys.readouterr().err
