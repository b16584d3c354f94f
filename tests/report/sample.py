"""A made-up finished run: every family of checks has findings, both games, both directions of money."""

from __future__ import annotations

import csv
import datetime as dt
import hashlib
import json
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa
import pyarrow.parquet as pq

from audit.base.model import parse_hand, total
from audit.catalogue import catalogue
from audit.findings.table import SCHEMA

MACAU = ZoneInfo("Asia/Macau")
RUN_ID = hashlib.sha256(b"a made-up run").hexdigest()
DAY = dt.date(2024, 3, 1)


def _at(clock: str) -> dt.datetime:
    return dt.datetime.combine(DAY, dt.time.fromisoformat(clock), MACAU)


def _finding(code: str, **values: Any) -> dict[str, Any]:
    check = catalogue.load().checks[code]
    mak = values.get("game") == "makccarat"
    row: dict[str, Any] = dict.fromkeys(SCHEMA.names)
    row |= {
        "code": code,
        "severity": str(check.severity),
        "game": "baccarat",
        "casino": "Casino Exemplo",
        "legal_day": DAY,
        "occurred_at": _at(values.pop("clock", "21:04:05")),
        "instrument": "67/2007" if mak else "55/2004",
        "source_file": "rounds.csv",
    }
    extra = values.pop("facts", {})
    row |= values
    said = catalogue.message(code, {**row, **extra})
    row |= {"message_zh": said.zh, "message_pt": said.pt, "message_en": said.en}
    row["finding_id"] = hashlib.sha256(json.dumps(row, default=str, sort_keys=True).encode()).hexdigest()
    return row


def _wager(code: str, number: int, expected: str, observed: str, amount: str, **values: Any) -> dict[str, Any]:
    return _finding(
        code,
        table_id=values.pop("table_id", "B-07"),
        shoe_id="B-07-12",
        round_id=values.pop("round_id", f"B-07-12-{number:03d}"),
        wager_id=f"W{number:06d}",
        expected=expected,
        observed=observed,
        amount=Decimal(amount),
        currency=values.pop("currency", "HKD"),
        source_file="wagers.csv",
        source_row=number * 6,
        article=values.pop("article", "17(1)"),
        facts={"bet": values.pop("bet", "banker"), "stake": "1000.00"},
        **values,
    )


def findings(*, many: int = 0) -> list[dict[str, Any]]:
    """The rows of the findings table; `many` adds that many overpaid wagers."""
    hand = {"player_cards": "2H 3S", "banker_cards": "KD 7C", "exposed": "HKD 5200.00"}
    rows = [
        _finding("DRW-001", table_id="B-07", shoe_id="B-07-12", round_id="R-1", side="player", article="9(1)",
                 expected="draw", observed="stand", source_row=101, facts=hand),
        _finding("DRW-002", table_id="B-08", shoe_id="B-08-03", round_id="R-2", side="banker", article="9(4)(1)",
                 expected="stand", observed="draw", source_row=245, clock="22:10:41",
                 facts=hand | {"player_cards": "2C 2D 8S", "banker_cards": "KH 3C 5D"}),
        _finding("DRW-002", game="makccarat", table_id="M-01", shoe_id="M-01-02", round_id="R-3", side="player",
                 article="9(2) method_2 (3)(2)", expected="stand", observed="draw", source_row=399, clock="23:15:00",
                 facts=hand | {"player_cards": "3C 4D 9H", "banker_cards": "2H AC 4S"}),
        _finding("DRW-003", table_id="B-07", shoe_id="B-07-12", round_id="R-4", article="7(1)", expected="PBPB",
                 observed="PPBB", source_row=77, clock="20:00:09", facts=hand),
        _finding("DRW-004", table_id="B-07", shoe_id="B-07-13", round_id="R-5", side="player", article="9",
                 expected="3", observed="4", source_row=502, clock="23:59:59.250", facts=hand),
        _finding("RES-001", table_id="B-08", shoe_id="B-08-03", round_id="R-6", side="banker", article="5",
                 expected="7", observed="6", source_row=260, facts=hand),
        _finding("RES-002", table_id="B-08", shoe_id="B-08-03", round_id="R-7", article="11", expected="banker",
                 observed="player", source_row=261, facts=hand),
        _finding("RES-004", table_id="B-08", shoe_id="B-08-03", round_id="R-8", article="10", expected="settled",
                 observed="void", source_row=262, facts=hand),
        _wager("PAY-001", 17, "950.00", "1000.00", "50.00", article="18(1)"),
        _wager("PAY-001", 18, "0.00", "8000.00", "8000.00", bet="tie", article="17(2)"),
        _wager("PAY-002", 19, "475.00", "450.00", "-25.00", article="18(2)", table_id="B-08"),
        _wager("PAY-002", 20, "14000.00", "9000.00", "-5000.00", bet="tie", game="makccarat", table_id="M-01",
               article="16(1)", currency="MOP"),
        _wager("PAY-003", 21, "50.00", "0.00", "50.00", article="18(1)"),
        _wager("PAY-004", 22, "1000.00", "0.00", "-1000.00", round_id="R-7"),
        _wager("PAY-005", 23, "1000.00", "500.00", "-500.00", article="10"),
        _finding("OPT-001", table_id="B-09", option="commission", value="none", article="19", expected="authorised",
                 observed="unauthorised", rounds_affected=812, first_round_id="B-09-01-001",
                 last_round_id="B-09-09-071", source_row=9),
        _finding("OPT-002", table_id="B-10", option="burn", value="first_card", article="19", approval_id="AP-2024-011",
                 expected="2024-03-04", observed="2024-03-01", rounds_affected=91, first_round_id="B-10-01-001",
                 last_round_id="B-10-02-011", source_row=11),
        _finding("OPT-004", game="makccarat", table_id="M-02", option="commission", value="none", article="17",
                 expected="standard", observed="none", rounds_affected=33, first_round_id="M-02-01-001",
                 last_round_id="M-02-01-070", source_row=12, facts={"scheme": "standard"}),
        _finding("APR-001", option="commission", value="none", article="19", approval_id="AP-2024-012", expected="3",
                 observed="2", source_file="approvals.csv", source_row=4, occurred_at=_at("17:46:00"),
                 facts={"applied_at": "2024-02-29 17:46", "planned_from": "2024-03-05", "deemed_day": "2024-03-01"}),
        _finding("SHO-001", table_id="B-11", shoe_id="B-11-01", article="1(1)", expected="6-12", observed="13",
                 source_row=31),
        _finding("SHO-002", table_id="B-11", shoe_id="B-11-01", article="1(1)", option="card", value="9H", expected="8",
                 observed="9", source_row=32, clock="18:30:00"),
        _finding("LIM-001", table_id="B-11", round_id="R-9", wager_id="W000931", expected="300.00-500000.00",
                 observed="600000.00", currency="HKD", source_file="wagers.csv", source_row=931,
                 facts={"bet": "player"}, instrument=None),
        _finding("LOG-001", round_id="R-10", table_id="B-11", expected="1", observed="2", source_row=41,
                 instrument=None),
        _finding("LOG-002", table_id="B-11", shoe_id="B-11-01", expected="17-19", observed="3", source_row=42,
                 instrument=None),
        _finding("LOG-004", wager_id="W777777", round_id="R-404", source_file="wagers.csv", source_row=43,
                 instrument=None, expected="round", observed="none"),
    ]  # fmt: skip
    rows += [
        _wager("PAY-001", 1000 + index, "950.00", "1000.00", "50.00", article="18(1)", table_id=f"C-{index % 40:02d}")
        for index in range(many)
    ]
    return rows


def _step(side: str, required: str, done: str, article: str) -> dict[str, Any]:
    return {"side": side, "required": required, "done": done, "article": article}


def evidence() -> dict[str, dict[str, Any]]:
    """The hands of the findings about hands."""
    hands: dict[str, tuple[str, str, str, str, str, list[dict[str, Any]]]] = {
        "R-1": ("2H 3S", "KD 7C", "banker", "banker", "baccarat", [
            _step("player", "draw", "stand", "9(1)"), _step("banker", "stand", "stand", "9(4)(5)")]),
        "R-2": ("2C 2D 8S", "KH 3C 5D", "banker", "banker", "baccarat", [
            _step("player", "draw", "draw", "9(1)"), _step("banker", "stand", "draw", "9(4)(1)")]),
        "R-3": ("3C 4D 9H", "2H AC 4S", "banker", "banker", "makccarat", [
            _step("banker", "draw", "draw", "9(2) method_2 (3)"),
            _step("player", "stand", "draw", "9(2) method_2 (3)(2)")]),
        "R-4": ("9H KD", "8C 10S", "player", "player", "baccarat", []),
        "R-5": ("AS 2S 3S 4S", "KH 6C", "tie", "player", "baccarat", []),
        "R-6": ("2H 4S", "KD 7C", "banker", "banker", "baccarat", []),
        "R-7": ("2H 4S", "KD 7C", "banker", "player", "baccarat", []),
        "R-8": ("9 K", "7 Q", "player", "player", "baccarat", []),
        "B-07-12-018": ("9H KD", "8C 10S", "player", "player", "baccarat", []),
    }  # fmt: skip
    return {
        name: {
            "player_cards": player, "banker_cards": banker, "player_points": total(parse_hand(player)),
            "banker_points": total(parse_hand(banker)), "outcome": outcome,
            "recorded_outcome": recorded, "game": game, "draw_method": "method_2" if game == "makccarat" else None,
            "steps": steps,
        }
        for name, (player, banker, outcome, recorded, game, steps) in hands.items()
    }  # fmt: skip


def surroundings() -> dict[str, Any]:
    """The day of two tables and the results of a shoe, as evidence.json keeps them."""
    shoes = [
        {"shoe_id": "B-07-12", "from": "2024-03-01T06:10:00+08:00", "to": "2024-03-01T12:00:00+08:00", "rounds": 70},
        {"shoe_id": "B-07-13", "from": "2024-03-01T13:05:00+08:00", "to": "2024-03-02T05:40:00+08:00", "rounds": 60},
    ]
    day = {
        "casino": "Casino Exemplo", "table_id": "B-07", "day": "2024-03-01", "first": "2024-03-01T06:10:00+08:00",
        "last": "2024-03-02T05:40:00+08:00", "rounds": 130, "shoes": shoes,
        "pauses": [{"from": "2024-03-01T12:00:00+08:00", "to": "2024-03-01T13:05:00+08:00"}],
        "voids": ["2024-03-01T09:00:00+08:00"], "findings": ["2024-03-01T21:04:05+08:00"],
        "totals": {"shoes": 2, "pauses": 1, "voids": 1, "findings": 1},
    }  # fmt: skip
    road = {
        "casino": "Casino Exemplo", "table_id": "B-07", "shoe_id": "B-07-12", "rounds": 9,
        "numbers": [1, 2, 3, 4, 5, 6, 7, 8, 9], "results": "PPTBB-PBT", "states": "ccvccconn",
    }  # fmt: skip
    return {"_timeline": [day], "_roads": [road]}


def manifest(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The manifest that goes with the rows."""
    by_code: dict[str, int] = {}
    by_severity: dict[str, int] = {}
    for row in rows:
        by_code[row["code"]] = by_code.get(row["code"], 0) + 1
        by_severity[row["severity"]] = by_severity.get(row["severity"], 0) + 1
    tables = ["B-07", "B-08", "B-09", "B-10", "B-11", "M-01", "M-02"]
    return {
        "format": 1,
        "software": {"name": "dicj-audit", "version": "0.1.0"},
        "run_id": RUN_ID,
        "arguments": {"source": "canonical", "from": "2024-03-01", "to": "2024-03-01", "report": True,
                      "max_quarantine": None},
        "period": {"from": "2024-03-01", "to": "2024-03-01", "first_started_at": "2024-03-01T06:00:12+08:00",
                   "last_started_at": "2024-03-02T05:58:41+08:00"},
        "casinos": ["Casino Exemplo"],
        "games": ["baccarat", "makccarat"],
        "tables": len(tables),
        "shoes": 63,
        "inputs": [
            {"role": "rounds", "file": "rounds.csv", "sha256": hashlib.sha256(b"r").hexdigest(), "bytes": 1_200_345,
             "rows": 6510, "accepted": 6500, "quarantined": 8, "repeats": 2},
            {"role": "wagers", "file": "wagers.csv", "sha256": hashlib.sha256(b"w").hexdigest(), "bytes": 5_200_345,
             "rows": 39_060, "accepted": 39_055, "quarantined": 5, "repeats": 0},
            {"role": "approvals", "file": "approvals.csv", "sha256": hashlib.sha256(b"a").hexdigest(), "bytes": 2345,
             "rows": 14, "accepted": 14, "quarantined": 0, "repeats": 0},
        ],
        "totals": {
            "rounds": {"read": 6510, "accepted": 6500, "quarantined": 8, "repeats": 2, "outside_days": 0},
            "wagers": {"read": 39_060, "accepted": 39_055, "quarantined": 5, "repeats": 0, "outside_days": 0},
        },
        "verdicts": {"conforming": 6470, "violation": 14, "not_evaluated": 16},
        "by_game": {
            "baccarat": {"rounds": 5100, "conforming": 5075, "violation": 12, "not_evaluated": 13},
            "makccarat": {"rounds": 1400, "conforming": 1395, "violation": 2, "not_evaluated": 3},
        },
        "findings": {"total": len(rows), "by_severity": by_severity, "by_code": by_code, "amounts": []},
        "not_evaluated": [
            {"code": "PAY-001", "reason": "unread_2_2009", "count": 13},
            {"code": "LIM-001", "reason": "no_limits", "count": 31_000},
            {"code": "SHO-004", "reason": "no_events", "count": 63},
            {"code": "SHO-005", "reason": "no_events", "count": 63},
        ],
        "notes": [{"kind": "deal_sequence_unaccounted", "severity": "info", "count": 2}],
        "rules": [
            {"game": "baccarat", "version": "BAC-2018", "from": "2018-04-24", "to": None,
             "first_legal_day": "2024-03-01", "last_legal_day": "2024-03-02", "rounds": 5100},
            {"game": "makccarat", "version": "MAK-2007-07-10", "from": "2007-07-10", "to": None,
             "first_legal_day": "2024-03-01", "last_legal_day": "2024-03-02", "rounds": 1400},
        ],
        "options": [
            {"casino": "Casino Exemplo", "table_id": "B-07", "game": "baccarat", "option": "commission",
             "value": "standard", "first_day": "2024-03-01", "last_day": "2024-03-02", "rounds": 980, "state": "rule",
             "approval_id": None},
            {"casino": "Casino Exemplo", "table_id": "B-09", "game": "baccarat", "option": "commission",
             "value": "none", "first_day": "2024-03-01", "last_day": "2024-03-02", "rounds": 812,
             "state": "unauthorised", "approval_id": None},
            {"casino": "Casino Exemplo", "table_id": "B-10", "game": "baccarat", "option": "burn",
             "value": "first_card", "first_day": "2024-03-01", "last_day": "2024-03-01", "rounds": 91,
             "state": "early", "approval_id": "AP-2024-011"},
            {"casino": "Casino Exemplo", "table_id": "M-01", "game": "makccarat", "option": "draw_method",
             "value": "method_2", "first_day": "2024-03-01", "last_day": "2024-03-02", "rounds": 700,
             "state": "authorised", "approval_id": "AP-2023-002"},
        ],
        "register": [
            {"approval_id": "AP-2023-002", "game": "makccarat", "deemed_day": "2023-05-02",
             "planned_from": "2023-05-10", "applied_at": "2023-05-02T10:00:00+08:00",
             "working_days": 6, "clear_days": 5, "state": "ok"},
            {"approval_id": "AP-2024-012", "game": "baccarat", "deemed_day": "2024-03-01",
             "planned_from": "2024-03-05", "applied_at": "2024-02-29T17:46:00+08:00",
             "working_days": 2, "clear_days": 1, "state": "short"},
        ],
        "tables_summary": [
            {"casino": "Casino Exemplo", "table_id": table, "game": "makccarat" if table[0] == "M" else "baccarat",
             "rounds": 900, "wagers": 5400, "findings": sum(row["table_id"] == table for row in rows),
             "amounts": [{"currency": "HKD", "overpaid": "50.00", "underpaid": "25.00"}]}
            for table in tables
        ],
        "hours": [
            {"casino": "Casino Exemplo", "table_id": table, "hour": f"2024-03-01T{hour:02d}:00:00+08:00", "rounds": 41,
             "findings": sum(row["table_id"] == table and row["occurred_at"].hour == hour for row in rows)}
            for table in tables for hour in range(6, 24) if (table, hour) != ("B-09", 12)
        ],
        "rulebook": {"digest": hashlib.sha256(b"rulebook").hexdigest(), "verified_on": "2026-11-29"},
        "configuration": {"digest": hashlib.sha256(b"configuration").hexdigest(), "gaming_day_cutoff": "06:00",
                          "notice": "standard", "rounding_unit": None, "max_quarantine": "0.01"},
        "quarantine": {"by_reason": []},
        "expectations": {"passed": 41, "failed": 1},
        "outputs": [],
    }  # fmt: skip


def quarantine() -> pa.Table:
    """A few rejected rows."""
    text = {
        "card": ("紙牌「1S」並不存在。", "A carta «1S» não existe.", "There is no card 1S."),
        "stake": ("投注額須大於零。", "O valor apostado deve ser positivo.", "The stake must be above zero."),
    }
    rows = [("rounds", "rounds.csv", 100 + index, "card") for index in range(8)]
    rows += [("wagers", "wagers.csv", 900 + index, "stake") for index in range(5)]
    return pa.table(
        {
            "table": [row[0] for row in rows],
            "source_file": [row[1] for row in rows],
            "source_row": [row[2] for row in rows],
            "reason": [row[3] for row in rows],
            "message_zh": [text[row[3]][0] for row in rows],
            "message_pt": [text[row[3]][1] for row in rows],
            "message_en": [text[row[3]][2] for row in rows],
        }
    )


def gate() -> dict[str, Any]:
    """The outcome of the data gate: 39 passed, one failed, one could not run."""
    lines: list[dict[str, Any]] = [
        {"suite": "rounds", "expectation": "expect_x", "column": "round_id", "success": True, "severity": "critical",
         "observed": "", "text": {"zh": "x", "pt": "x", "en": "x"}}
        for _ in range(39)
    ]  # fmt: skip
    said: Mapping[str, str] = {
        "zh": "貨幣應為港元或澳門元", "pt": "A moeda deve ser HKD ou MOP", "en": "The currency is HKD or MOP",
    }  # fmt: skip
    lines.append({"suite": "wagers", "expectation": "expect_column_values_to_be_in_set", "column": "currency",
                  "success": False, "severity": "warning", "observed": "USD (3)", "text": said})  # fmt: skip
    lines.append({"suite": "profile_rounds", "expectation": "expect_z", "column": "decks", "success": None,
                  "severity": "info", "observed": "", "text": None})  # fmt: skip
    return {"results": lines}


def make_run(folder: Path, *, many: int = 0, none: bool = False) -> Path:
    """Write a run directory; `none` makes one without findings, `many` one with a long list of one check."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [] if none else findings(many=many)
    table = pa.Table.from_pylist(rows, schema=SCHEMA)
    pq.write_table(table, folder / "findings.parquet")
    with (folder / "findings.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, SCHEMA.names)
        writer.writeheader()
        writer.writerows(rows)
    (folder / "findings.json").write_text(json.dumps(rows, default=str, ensure_ascii=False), encoding="utf-8")
    content = manifest(rows)
    if none:
        content["verdicts"] = {"conforming": 6500, "violation": 0, "not_evaluated": 0}
        content["not_evaluated"] = []
    (folder / "manifest.json").write_text(json.dumps(content, ensure_ascii=False, indent=1), encoding="utf-8")
    (folder / "expectations.json").write_text(json.dumps(gate(), ensure_ascii=False), encoding="utf-8")
    (folder / "evidence.json").write_text(
        json.dumps(evidence() | ({} if none else surroundings()), ensure_ascii=False), encoding="utf-8"
    )
    if not none:
        pq.write_table(quarantine(), folder / "quarantine.parquet")
    return folder
