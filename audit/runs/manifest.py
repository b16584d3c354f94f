"""The manifest: what was read, by what it was judged, what came out, with digests and totals that must balance."""

from __future__ import annotations

import datetime as dt
import json
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

import audit
from audit.base.days import MACAU_OFFSET, day, instant
from audit.base.errors import InputRefused
from audit.base.model import Game, money_text
from audit.engines.assignment import Inputs, Law
from audit.engines.local import Audited
from audit.engines.summary import Summary
from audit.findings.counts import HOUR, FindingCounts
from audit.replay.codes import STATUSES
from audit.runs.run_id import run_id
from audit.source.profiles import manifest_entry
from audit.stores.files import SourceFile

FORMAT: Final = 1
VERDICTS: Final = ("conforming", "violation", "not_evaluated")

Json = dict[str, Any]


class OutOfBalance(Exception):
    """The control totals of a run do not add up: a defect of the program, never of the data."""


def build(audited: Audited, inputs: Inputs, law: Law, arguments: Json, register: tuple[SourceFile, ...]) -> Json:
    """The manifest without its `outputs`.

    Raises OutOfBalance where rows read are not accepted, quarantined or repeats, or where the verdicts do not add up;
    InputRefused where a file was seen to change meanwhile.
    """
    summary = audited.summary
    totals = {role: _totals(audited, role) for role in ("rounds", "wagers", "events")}
    verdicts = {word: sum(counts[word] for counts in summary.verdicts.values()) for word in VERDICTS}
    if sum(verdicts.values()) != totals["rounds"]["accepted"]:
        raise OutOfBalance(f"verdicts {verdicts} against {totals['rounds']}")
    listed = [("rounds", inputs.rounds), ("wagers", inputs.wagers), ("events", inputs.events), ("approvals", register)]
    files = [_file(audited, role, file) for role, group in listed for file in group]
    configuration = law.settings.printed() | {"digest": law.settings.digest}
    configuration["source_profile"] = {"name": inputs.profile.name, "digest": inputs.profile.digest}
    configuration["paytables"] = [{"bet": p.bet, "digest": p.digest} for _, p in sorted(law.paytables.items())]
    manifest: Json = {
        "format": FORMAT,
        "software": {"name": "dicj-audit", "version": audit.__version__},
        "arguments": arguments,
        "period": {
            "from": arguments.get("from"),
            "to": arguments.get("to"),
            "first_started_at": None if summary.first_start is None else instant(summary.first_start).isoformat(),
            "last_started_at": None if summary.last_start is None else instant(summary.last_start).isoformat(),
        },
        "casinos": sorted({casino for casino, _, _ in summary.tables if casino}),
        "games": sorted(summary.verdicts),
        "tables": len({place[:2] for place in summary.tables}),
        "shoes": summary.shoes,
        "inputs": files,
        "totals": totals,
        "verdicts": verdicts,
        "by_game": _by_game(summary),
        "statuses": {status.value: summary.statuses[status.value] for status in STATUSES},
        "findings": _findings(summary.counts),
        "not_evaluated": [{"code": c, "reason": r, "count": n} for (c, r), n in sorted(summary.tally.items())],
        "notes": _notes(summary),
        "rules": _rules(summary, law),
        "options": summary.options,
        "register": audited.register,
        "tables_summary": _tables(summary),
        "hours": _hours(summary),
        "rulebook": {"digest": law.rulebook.digest, "verified_on": law.rulebook.verified_on.isoformat()},
        "configuration": configuration,
        "sources": manifest_entry(inputs.profile, audited.quarantine),
        "quarantine": {"by_reason": [_reason(r) for r in audited.quarantine.by_reason()]},
    }
    if inputs.pruned:
        manifest["files_of_other_days"] = dict(inputs.pruned)
    return manifest | {"run_id": run_id(manifest)}


def _totals(audited: Audited, role: str) -> Json:
    """Control totals of one table; rows of other days are in the files but not read for this audit."""
    files = audited.quarantine.files(role)
    in_files = sum(count.rows for count in files.values())
    outside = audited.summary.outside[role]
    totals = {
        "in_files": in_files,
        "outside_days": outside,
        "read": in_files - outside,
        "accepted": audited.summary.accepted[role],
        "quarantined": audited.quarantine.count(role),
        "repeats": sum(audited.repeats[role].values()),
    }
    if totals["read"] != totals["accepted"] + totals["quarantined"] + totals["repeats"]:
        raise OutOfBalance(f"{role}: {totals}")
    return totals


def _file(audited: Audited, role: str, file: SourceFile) -> Json:
    row: Json = {"role": role, "file": file.name, "sha256": file.sha256(), "bytes": file.bytes}
    if file.changed:
        raise InputRefused(f"{file.name}: was changed while it was read; audit it again when it is whole")
    if role == "approvals":
        entries = sum(entry["source_file"] == file.name for entry in audited.register)
        return row | {"rows": entries, "accepted": entries, "quarantined": 0, "repeats": 0}
    count = audited.quarantine.files(role).get(file.name)
    repeats = audited.repeats[role][file.name]
    read, rejected = (count.rows, count.quarantined) if count else (0, 0)
    return row | {"rows": read, "accepted": read - rejected - repeats, "quarantined": rejected, "repeats": repeats}


def _by_game(summary: Summary) -> Json:
    return {
        game: {"rounds": sum(counts.values()), **{word: counts[word] for word in VERDICTS}}
        for game, counts in sorted(summary.verdicts.items())
    }


def _findings(counts: FindingCounts) -> Json:
    by_currency: dict[str | None, list[int]] = {}
    for (*_, currency), (over, under) in counts.amounts.items():
        sums = by_currency.setdefault(currency, [0, 0])
        sums[:] = sums[0] + over, sums[1] + under
    amounts = [
        {
            "currency": currency,
            "overpaid": money_text(over),
            "underpaid": money_text(under),
            "net": money_text(over - under),
        }
        for currency, (over, under) in sorted(by_currency.items(), key=str)
    ]
    return {
        "total": counts.total,
        "by_severity": dict(sorted(counts.by_severity.items())),
        "by_code": dict(sorted(counts.by_code.items())),
        "amounts": amounts,
    }


def _notes(summary: Summary) -> list[Json]:
    """Remarks for the population chapter: what is in the input but says nothing the checks can use."""
    counts: Counter[str] = Counter()
    for (_, reason), times in summary.tally.items():
        if reason in {"deal_sequence_unaccounted", "suits_missing"}:
            counts[reason] += times
    return [{"kind": kind, "severity": "info", "count": n} for kind, n in sorted(counts.items())]


def _rules(summary: Summary, law: Law) -> list[Json]:
    """The versions applied, with the rounds judged by each; the rounds before coverage as a version of their own."""
    rows: list[Json] = []
    for (game, first), applied in sorted(summary.rules.items(), key=lambda item: (item[0][0], item[0][1] or "")):
        versions = law.rulebook.rules(Game(game))
        starts = [version.in_force_from.isoformat() for version in versions]
        version = None if first is None else versions[starts.index(first)]
        ends = [] if version is None else [v.in_force_from for v in versions if v.in_force_from > version.in_force_from]
        rows.append(
            {
                "game": game,
                "version": version.version if version else None,
                "from": first,
                "to": (ends[0] - dt.timedelta(days=1)).isoformat() if ends else None,
                "first_legal_day": day(applied.first).isoformat(),
                "last_legal_day": day(applied.last).isoformat(),
                "rounds": applied.rounds,
            }
        )
    return rows


def _tables(summary: Summary) -> list[Json]:
    by_place: dict[tuple[Any, ...], list[Json]] = {}
    for (*place, currency), (over, under) in sorted(summary.counts.amounts.items(), key=str):
        line = {"currency": currency, "overpaid": money_text(over), "underpaid": money_text(under)}
        by_place.setdefault(tuple(place), []).append(line)
    rows = [
        {
            "casino": place[0],
            "table_id": place[1],
            "game": place[2],
            "rounds": rounds,
            "wagers": wagers,
            "findings": summary.counts.places[place],
            "amounts": by_place.get(place, []),
        }
        for place, (rounds, wagers) in summary.tables.items()
    ]
    return sorted(rows, key=lambda r: (r["casino"] or "", r["table_id"], r["game"]))


def _hours(summary: Summary) -> list[Json]:
    """Rounds and findings by table and hour of Macau, for the heat map."""
    return [
        {
            "casino": casino,
            "table_id": table_id,
            "hour": instant(hour * HOUR - MACAU_OFFSET).isoformat(),
            "rounds": rounds,
            "findings": findings,
        }
        for (_, table_id, hour), (casino, rounds, findings) in sorted(summary.hours.cells.items())
    ]


def _reason(row: Any) -> Json:
    examples = [
        {"file": e.source_file, "row": e.source_row, "column": e.column, "value": e.value} for e in row.examples
    ]
    return {"table": row.table, "reason": row.reason, "count": row.count, "examples": examples}


def dump(manifest: Mapping[str, Any]) -> str:
    """The manifest as text: sorted keys, a row of a list on a line, so that the same run gives the same bytes."""
    parts = (f" {json.dumps(key)}: {_shown(manifest[key])}" for key in sorted(manifest))
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _shown(value: Any) -> str:
    if isinstance(value, list) and value:
        rows = (json.dumps(row, ensure_ascii=False, sort_keys=True) for row in value)
        return "[\n  " + ",\n  ".join(rows) + "\n ]"
    if isinstance(value, dict) and value:
        return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True).replace("\n", "\n ")
    return json.dumps(value, ensure_ascii=False)
