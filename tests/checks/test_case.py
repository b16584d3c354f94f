"""What all checks share: counts of what was not answered, and the verdict of each round."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

from audit.checks.case import Tally, cited
from audit.rulebook.rules import Citation
from tests.audited import audited


def test_tally() -> None:
    """Counts add up by code and reason, in order; nothing is counted for nothing."""
    tally = Tally()
    tally.add("RES-002", "cards_missing")
    tally.add("DRW-001", "cards_missing", 3)
    tally.add("DRW-001", "before_coverage", 2)
    tally.add("DRW-001", "cards_missing", 4)
    tally.add("DRW-003", "cards_missing", 0)

    assert [
        {"code": "DRW-001", "reason": "before_coverage", "count": 2},
        {"code": "DRW-001", "reason": "cards_missing", "count": 7},
        {"code": "RES-002", "reason": "cards_missing", "count": 1},
    ] == tally.rows()


def test_citation() -> None:
    """A citation is two columns of a finding."""
    assert {"instrument": "55/2004", "article": "9(1)"} == cited(Citation("55/2004", "9(1)"))


def test_a_finding_outweighs_an_open_question(tmp_path: Path) -> None:
    """A round is in violation if anything names it, else not evaluated if anything is open, else conforming."""
    wagers = [
        {"round_id": "R1", "bet": "jackpot", "payout": "0"},
        {"round_id": "R1", "bet": "player", "payout": "101"},
        {"round_id": "R2", "bet": "jackpot", "payout": "0"},
        {"round_id": "R3", "bet": "player", "payout": "100"},
    ]
    done = audited({"round_no": [1, 2, 3], "wagers": wagers}, tmp_path)

    assert {"violation": 1, "not_evaluated": 1, "conforming": 1} == done.verdicts


def test_findings_of_the_log_leave_the_verdict(tmp_path: Path) -> None:
    """Findings about shoes and the log do not change the verdict of a round."""
    done = audited({"round_no": [1, 3], "decks": 5}, tmp_path)

    assert {"LOG-002", "SHO-001"} == set(done.codes)
    assert {"conforming": 2} == done.verdicts


def test_scope(tmp_path: Path) -> None:
    """Only rounds of the days asked for are accused or open."""
    started = ["2024-03-02T05:59:59+08:00", "2024-03-02T06:00:00+08:00", "2024-03-03T06:00:00+08:00"]
    rows = {"player_cards": "2H 3S", "banker_cards": "KD 7C", "started_at": started, "shoe_id": ""}
    done = audited(rows, tmp_path, day=dt.date(2024, 3, 2))

    assert [("DRW-001", "R2")] == done.told("round_id")
