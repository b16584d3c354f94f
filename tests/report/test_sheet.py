from __future__ import annotations

from pathlib import Path
from typing import Any

import pypdf
import pytest

from audit.base.errors import InputRefused
from audit.report.sheet import render_sheet, render_sheet_html
from tests.report.sample import RUN_ID, evidence, findings


def payload(*names: str) -> dict[str, Any]:
    """An investigation of the named rounds of the made-up run."""
    rows, hands = findings(), evidence()
    return {
        "run_id": RUN_ID,
        "software": {"name": "dicj-audit", "version": "0.1.0"},
        "rounds": [
            {
                "round": {
                    "round_id": name, "casino": "Casino Exemplo", "table_id": "B-07", "shoe_id": "B-07-12",
                    "round_no": 17, "game": "baccarat", "status": "settled", "started_at": "2024-03-01T21:04:05+08:00",
                    "draw_method": None, "commission": "standard", "source_file": "rounds.csv", "source_row": 101,
                },
                "evidence": hands[name],
                "wagers": [
                    {"wager_id": "W1", "bet": "banker", "stake": "1000.00", "currency": "HKD", "due": "950.00",
                     "payout": "1000.00", "commission_due": "50.00", "commission": None, "stake_returned": None,
                     "article": "18(1)", "reason": None},
                    {"wager_id": "W2", "bet": "dragon_seven", "stake": "100.00", "currency": "HKD", "due": None,
                     "payout": "0.00", "commission_due": None, "commission": None, "stake_returned": None,
                     "article": None, "reason": "unread_2_2009"},
                ],
                "findings": [row for row in rows if row["round_id"] == name],
            }
            for name in names
        ],
    }  # fmt: skip


def test_one_round_is_one_page_in_both_languages(tmp_path: Path) -> None:
    """The sheet of a round is one page that has its hand, wagers and findings in Chinese and in Portuguese."""
    out = tmp_path / "sheet.pdf"
    render_sheet(payload("R-1"), out)
    reader = pypdf.PdfReader(out)
    text = " ".join(reader.pages[0].extract_text().split())

    assert len(reader.pages) == 1
    assert "爭議單 / Folha de reclamação" in text
    assert "+50.00" in text
    assert "Depende do 2/2009" in text
    assert list(reader.attachments) == ["investigation.json"]


def test_same_investigation_same_bytes(tmp_path: Path) -> None:
    """Rendering again gives the same bytes."""
    render_sheet(payload("R-2", "R-8"), tmp_path / "a.pdf")
    render_sheet(payload("R-2", "R-8"), tmp_path / "b.pdf")

    assert (tmp_path / "a.pdf").read_bytes() == (tmp_path / "b.pdf").read_bytes()


def test_payload_without_a_value_is_refused() -> None:
    """A payload that lacks a value, or has no round, is refused in a sentence."""
    broken = payload("R-1")
    del broken["rounds"][0]["round"]["game"]

    with pytest.raises(InputRefused, match="lacks a value"):
        render_sheet_html(broken, ("zh", "pt"))
    with pytest.raises(InputRefused, match="no round"):
        render_sheet_html({**broken, "rounds": []}, ("zh", "pt"))
