"""The dispute sheet of a round: the answer of an investigation, brought into the shape of the one-page form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from audit.report.sheet import render_sheet

Json = dict[str, Any]

WAGERS: Final = 14
"""Wagers on the page, those at fault first; the attached data has them all."""

FINDINGS: Final = 4
"""Findings on the page."""


def write_sheet(data: Mapping[str, Any], out: Path, languages: Sequence[str] = ("zh", "pt")) -> None:
    """Write the dispute sheet of an investigated round to `out`, the whole answer attached.

    Raises MachineFailure where a font or library is missing or `out` cannot be written.
    """
    render_sheet(payload(data), out, languages=languages, attached=data)


def payload(data: Mapping[str, Any]) -> Json:
    """What the sheet prints of an investigation of a round."""
    recorded, applied = data["round"], data["applied"]
    wagers = sorted(data["wagers"], key=lambda wager: wager["answer"] != "fault")
    facts = {
        name: recorded.get(name)
        for name in ("round_id", "casino", "table_id", "shoe_id", "round_no", "game", "status", "started_at")
    }
    return {
        "run_id": data["run_id"],
        "software": data["software"],
        "rounds": [
            {
                "round": facts
                | {"draw_method": applied.get("draw_method"), "commission": applied.get("commission")}
                | {"source_file": recorded["file"], "source_row": recorded["row"]},
                "evidence": data["replay"],
                "wagers": [_wager(wager) for wager in wagers[:WAGERS]],
                "more_wagers": max(len(wagers) - WAGERS, 0),
                "findings": data["findings"][:FINDINGS],
                "more_findings": max(len(data["findings"]) - FINDINGS, 0),
                "law": data["law"],
                "approvals": [entry for entry in data["approvals"] or () if entry["state"] == "authorised"],
            }
        ],
    }


def _wager(wager: Mapping[str, Any]) -> Json:
    due = wager["due"] or {}
    commissions = due.get("commission") or []
    names = ("wager_id", "bet", "stake", "currency", "payout", "commission", "stake_returned", "article")
    return {name: wager[name] for name in names} | {
        "due": due.get("payout"),
        "commission_due": commissions[0] if commissions else None,
        "reason": wager["reason"],
    }
