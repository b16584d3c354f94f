"""The manifest: what was read, by what it was judged, what came out, with digests and totals that must balance."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import audit
from audit.engines.local import Audited
from audit.engines.terms import Inputs, Law
from audit.findings import count_by
from audit.ingest.files import SourceFile
from audit.ingest.sources import manifest_entry
from audit.model import MONEY_SCALE, money_text
from audit.replay.judge import NO_RULES
from audit.replay.rounds import GAMES, MACAU_OFFSET, STATUSES, day, instant
from audit.run_id import run_id

FORMAT: Final = 1
HOUR: Final = 3_600_000_000
CELLS: Final = 5_000
"""Most table-hours that the manifest lists; beyond, only those with findings."""

Json = dict[str, Any]


class OutOfBalance(Exception):
    """The control totals of a run do not add up: a defect of the program, never of the data."""


def build(
    audited: Audited, inputs: Inputs, law: Law, arguments: Json, register: tuple[SourceFile, ...], findings: pa.Table
) -> Json:
    """The manifest without its `outputs`.

    Raises OutOfBalance where rows read are not accepted, quarantined or repeats, or where the verdicts do not add up.
    """
    case = audited.case
    rounds, scope = case.rounds, case.scope
    totals = {role: _totals(audited, role) for role in ("rounds", "wagers", "events")}
    verdicts = _verdicts(audited, scope)
    if sum(verdicts.values()) != totals["rounds"]["accepted"]:
        raise OutOfBalance(f"verdicts {verdicts} against {totals['rounds']}")
    listed = [("rounds", inputs.rounds), ("wagers", inputs.wagers), ("events", inputs.events), ("approvals", register)]
    files = [_file(audited, role, file) for role, group in listed for file in group]
    configuration = law.settings.printed() | {"digest": law.settings.digest}
    configuration["source_profile"] = {"name": inputs.profile.name, "digest": inputs.profile.digest}
    configuration["paytables"] = [{"bet": p.bet, "digest": p.digest} for _, p in sorted(law.paytables.items())]
    start = rounds.start[scope]
    tables = _tables(audited, findings)
    manifest: Json = {
        "format": FORMAT,
        "software": {"name": "dicj-audit", "version": audit.__version__},
        "arguments": arguments,
        "period": {
            "from": arguments.get("from"),
            "to": arguments.get("to"),
            "first_started_at": instant(int(start.min())).isoformat() if len(start) else None,
            "last_started_at": instant(int(start.max())).isoformat() if len(start) else None,
        },
        "casinos": sorted({t["casino"] for t in tables if t["casino"]}),
        "games": sorted({GAMES[g].value for g in np.unique(rounds.game[scope])}),
        "tables": len({(t["casino"], t["table_id"]) for t in tables}),
        "shoes": len(np.unique(rounds.shoe[scope & (rounds.shoe >= 0)])),
        "inputs": files,
        "totals": totals,
        "verdicts": verdicts,
        "by_game": _by_game(audited),
        "statuses": {
            status.value: int(np.count_nonzero(scope & (rounds.status == code))) for code, status in enumerate(STATUSES)
        },
        "findings": _findings(findings),
        "not_evaluated": audited.tally.rows(),
        "notes": _notes(audited),
        "rules": _rules(audited, law),
        "options": audited.options,
        "register": audited.register,
        "tables_summary": tables,
        "hours": _hours(audited, findings),
        "rulebook": {"digest": law.rulebook.digest, "verified_on": law.rulebook.verified_on.isoformat()},
        "configuration": configuration,
        "sources": manifest_entry(inputs.profile, audited.quarantine),
        "quarantine": {"by_reason": [_reason(r) for r in audited.quarantine.by_reason()]},
    }
    return manifest | {"run_id": run_id(manifest)}


def _totals(audited: Audited, role: str) -> Json:
    """Control totals of one table; rows of other days are in the files but not read for this audit."""
    files = audited.quarantine.files(role)
    in_files = sum(count.rows for count in files.values())
    outside = audited.outside[role]
    totals = {
        "in_files": in_files,
        "outside_days": outside,
        "read": in_files - outside,
        "accepted": audited.accepted[role],
        "quarantined": audited.quarantine.count(role),
        "repeats": sum(audited.repeats[role].values()),
    }
    if totals["read"] != totals["accepted"] + totals["quarantined"] + totals["repeats"]:
        raise OutOfBalance(f"{role}: {totals}")
    return totals


def _file(audited: Audited, role: str, file: SourceFile) -> Json:
    row: Json = {"role": role, "file": file.name, "sha256": file.sha256(), "bytes": file.bytes}
    if role == "approvals":
        entries = sum(entry["source_file"] == file.name for entry in audited.register)
        return row | {"rows": entries, "accepted": entries, "quarantined": 0, "repeats": 0}
    count = audited.quarantine.files(role).get(file.name)
    repeats = audited.repeats[role][file.name]
    read, rejected = (count.rows, count.quarantined) if count else (0, 0)
    return row | {"rows": read, "accepted": read - rejected - repeats, "quarantined": rejected, "repeats": repeats}


def _verdicts(audited: Audited, mask: Any) -> Json:
    violation = mask & audited.case.violation
    unanswered = mask & audited.case.unanswered & ~audited.case.violation
    counts = [int(np.count_nonzero(m)) for m in (mask, violation, unanswered)]
    return {"conforming": counts[0] - counts[1] - counts[2], "violation": counts[1], "not_evaluated": counts[2]}


def _by_game(audited: Audited) -> Json:
    case = audited.case
    out: Json = {}
    for code, game in enumerate(GAMES):
        mask = case.scope & (case.rounds.game == code)
        if mask.any():
            out[game.value] = {"rounds": int(np.count_nonzero(mask)), **_verdicts(audited, mask)}
    return out


def _money(value: Any) -> int:
    return 0 if value is None else int(value.scaleb(MONEY_SCALE))


def _amounts(findings: pa.Table, *keys: str) -> dict[tuple[Any, ...], dict[str, int]]:
    """Sums paid too much and too little by the columns `keys`, in ten-thousandths."""
    known = findings.filter(pc.is_valid(findings["amount"]))
    sums: dict[tuple[Any, ...], dict[str, int]] = {}
    for sign, word in ((1, "overpaid"), (-1, "underpaid")):
        part = known.filter(pc.equal(pc.sign(known["amount"]), sign))
        for row in part.group_by(list(keys)).aggregate([("amount", "sum")]).to_pylist():
            key = tuple(row[k] for k in keys)
            sums.setdefault(key, {"overpaid": 0, "underpaid": 0})[word] += abs(_money(row["amount_sum"]))
    return sums


def _findings(findings: pa.Table) -> Json:
    amounts = [
        {
            "currency": currency,
            "overpaid": money_text(s["overpaid"]),
            "underpaid": money_text(s["underpaid"]),
            "net": money_text(s["overpaid"] - s["underpaid"]),
        }
        for (currency,), s in sorted(_amounts(findings, "currency").items(), key=str)
    ]
    return {
        "total": len(findings),
        "by_severity": count_by(findings["severity"].to_pylist()),
        "by_code": count_by(findings["code"].to_pylist()),
        "amounts": amounts,
    }


def _notes(audited: Audited) -> list[Json]:
    """Remarks for the population chapter: what is in the input but says nothing the checks can use."""
    counts: Counter[str] = Counter()
    for (_, reason), times in audited.tally.counts.items():
        if reason in {"deal_sequence_unaccounted", "suits_missing"}:
            counts[reason] += times
    return [{"kind": kind, "severity": "info", "count": n} for kind, n in sorted(counts.items())]


def _rules(audited: Audited, law: Law) -> list[Json]:
    """The versions applied, with the rounds judged by each; the rounds before coverage as a version of their own."""
    case = audited.case
    rows: list[Json] = []
    for code, game in enumerate(GAMES):
        mine = case.scope & (case.rounds.game == code)
        versions = law.rulebook.rules(game)
        starts = [version.in_force_from for version in versions]
        for number in np.unique(case.found.rules[mine]).tolist():
            days = case.rounds.legal_day[mine & (case.found.rules == number)]
            version = None if number == NO_RULES else case.found.rulesets[number]
            ends = [s for s in starts if version is not None and s > version.in_force_from]
            rows.append(
                {
                    "game": game.value,
                    "version": version.version if version else None,
                    "from": version.in_force_from.isoformat() if version else None,
                    "to": (day((ends[0] - day(0)).days - 1)).isoformat() if ends else None,
                    "first_legal_day": day(int(days.min())).isoformat(),
                    "last_legal_day": day(int(days.max())).isoformat(),
                    "rounds": len(days),
                }
            )
    return rows


def _tables(audited: Audited, findings: pa.Table) -> list[Json]:
    case = audited.case
    rounds, names = case.rounds, case.rounds.names
    size = len(names.table.texts) * len(GAMES)
    key = rounds.table[case.scope].astype(np.int64) * len(GAMES) + rounds.game[case.scope]
    counted = np.bincount(key, minlength=size)
    places = [findings[name].to_pylist() for name in ("casino", "table_id", "game")]
    found = Counter(zip(*places, strict=True))
    amounts = _amounts(findings, "casino", "table_id", "game", "currency")
    by_place: dict[tuple[Any, ...], list[Json]] = {}
    for (casino, table, game, currency), sums in sorted(amounts.items(), key=str):
        line = {"currency": currency} | {word: money_text(sums[word]) for word in sums}
        by_place.setdefault((casino, table, game), []).append(line)
    rows = []
    for number in np.flatnonzero(counted):
        table, code = divmod(int(number), len(GAMES))
        casino, table_id = names.place(table)
        game = GAMES[code].value
        rows.append(
            {
                "casino": casino,
                "table_id": table_id,
                "game": game,
                "rounds": int(counted[number]),
                "wagers": int(audited.wagers_of_table[number]),
                "findings": found[casino, table_id, game],
                "amounts": by_place.get((casino, table_id, game), []),
            }
        )
    return sorted(rows, key=lambda r: (r["casino"] or "", r["table_id"], r["game"]))


def _hours(audited: Audited, findings: pa.Table) -> list[Json]:
    """Rounds and findings by table and hour of Macau, for the heat map."""
    case = audited.case
    rounds, names = case.rounds, case.rounds.names
    if not case.scope.any():
        return []
    hour = (rounds.start[case.scope] + MACAU_OFFSET) // HOUR
    first = int(hour.min())
    span = int(hour.max()) - first + 1
    counted = (
        np.bincount(
            rounds.table[case.scope].astype(np.int64) * span + (hour - first), minlength=len(names.table.texts) * span
        )
        if len(names.table.texts) * span <= _DENSE
        else np.zeros(0, np.int64)
    )
    at = findings["occurred_at"].cast(pa.int64()).to_pylist()
    found = Counter(
        (c, t, (m + MACAU_OFFSET) // HOUR - first)
        for c, t, m in zip(findings["casino"].to_pylist(), findings["table_id"].to_pylist(), at, strict=True)
        if m is not None
    )
    busy = np.flatnonzero(counted)
    rows = []
    for number in busy.tolist():
        table, place = divmod(number, span)
        casino, table_id = names.place(table)
        times = found[casino, table_id, place]
        if len(busy) > CELLS and not times:
            continue
        moment = instant((first + place) * HOUR - MACAU_OFFSET)
        cell = {"casino": casino, "table_id": table_id, "hour": moment.isoformat()}
        rows.append(cell | {"rounds": int(counted[number]), "findings": times})
    return rows[: 2 * CELLS]


_DENSE: Final = 50_000_000


def _reason(row: Any) -> Json:
    examples = [
        {"file": e.source_file, "row": e.source_row, "column": e.column, "value": e.value} for e in row.examples
    ]
    return {"table": row.table, "reason": row.reason, "count": row.count, "examples": examples}


def dump(manifest: Mapping[str, Any]) -> str:
    """The manifest as text: sorted keys, so that the same run gives the same bytes."""
    return json.dumps(manifest, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
