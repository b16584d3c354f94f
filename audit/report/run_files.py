"""What the report reads from a run directory, besides the findings: manifest, data gate, quarantine, hands, digests."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from audit.base.errors import InputRefused
from audit.base.model import LANGUAGES

EXAMPLES: Final = 3
_CHUNK: Final = 1 << 20
_ROLES: Final = ("rounds", "wagers", "approvals", "events")


def digest(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    found = hashlib.sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            found.update(chunk)
    return found.hexdigest()


def read_json(path: Path, *, required: bool) -> Mapping[str, Any]:
    """A JSON object; an absent file is an empty one unless `required`.

    Raises InputRefused naming the file where it cannot be read or is not an object.
    """
    if not required and not path.exists():
        return {}
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputRefused(f"{path.name} of the run cannot be read ({type(error).__name__})") from error
    if not isinstance(content, dict):
        raise InputRefused(f"{path.name} of the run is not a JSON object")
    return content


_NEEDED: Final = (
    "run_id software.name software.version period casinos games tables shoes inputs totals.rounds.read "
    "totals.rounds.accepted totals.rounds.quarantined totals.rounds.repeats verdicts.conforming verdicts.violation "
    "verdicts.not_evaluated by_game findings.by_severity rulebook.digest rulebook.verified_on configuration.digest"
).split()


def check_manifest(manifest: Mapping[str, Any]) -> Mapping[str, Any]:
    """The manifest itself, if it has every value that the report cannot do without; InputRefused names one missing."""
    for dotted in _NEEDED:
        node: Any = manifest
        for name in dotted.split("."):
            if not isinstance(node, Mapping) or name not in node:
                raise InputRefused(f"manifest.json of the run lacks a value that the report needs: {dotted}")
            node = node[name]
    return manifest


@dataclass(frozen=True, slots=True)
class Rejected:
    """Quarantined rows of one table and reason: how many, a sentence in each language, the first few rows."""

    table: str
    reason: str
    count: int
    message: Mapping[str, str]
    examples: tuple[str, ...]


def read_quarantine(path: Path) -> tuple[Rejected, ...]:
    """The quarantined rows grouped by table and reason, most frequent first.

    Raises InputRefused where the file cannot be read or lacks a column.
    """
    if not path.exists():
        return ()
    wanted = ["table", "reason", "source_file", "source_row", *(f"message_{language}" for language in LANGUAGES)]
    try:
        table = pq.read_table(path, columns=wanted)
    except (OSError, pa.ArrowException) as error:
        raise InputRefused(f"quarantine.parquet of the run cannot be read ({type(error).__name__})") from error
    if missing := [name for name in wanted if name not in table.column_names]:
        raise InputRefused(f"quarantine.parquet has no column {missing[0]!r}")
    if not table.num_rows:
        return ()
    groups = (
        table.select(["table", "reason"])
        .group_by(["table", "reason"], use_threads=False)
        .aggregate([([], "count_all")])
    )
    found = []
    for group in groups.to_pylist():
        mask = pc.and_(pc.equal(table["table"], group["table"]), pc.equal(table["reason"], group["reason"]))
        first = table.take(pc.indices_nonzero(mask)[:EXAMPLES]).to_pylist()
        found.append(
            Rejected(
                group["table"],
                group["reason"],
                group["count_all"],
                {language: first[0][f"message_{language}"] or group["reason"] for language in LANGUAGES},
                tuple(f"{row['source_file']}: {row['source_row']}" for row in first),
            )
        )
    return tuple(sorted(found, key=lambda item: (item.table, -item.count, item.reason)))


@dataclass(frozen=True, slots=True)
class GateRemark:
    """One expectation of the data gate that failed or could not run; `state` is `failed` or `error`."""

    suite: str
    severity: str
    state: str
    text: Mapping[str, str]
    observed: str


@dataclass(frozen=True, slots=True)
class GateSummary:
    """The data gate's outcome: counts, and the lines that need attention."""

    passed: int
    failed: int
    errors: int
    lines: tuple[GateRemark, ...]

    @property
    def ran(self) -> bool:
        """Say whether there is any result at all."""
        return bool(self.passed or self.failed or self.errors)


def read_gate(path: Path) -> GateSummary:
    """The results of the data gate from `expectations.json`; an absent file is a gate that did not run."""
    results = read_json(path, required=False).get("results", [])
    counts = {True: 0, False: 0, None: 0}
    lines = []
    for item in results:
        success = item.get("success")
        counts[success] += 1
        if success is True:
            continue
        text = item.get("text") or {}
        fallback = " ".join(str(item[key]) for key in ("expectation", "column") if item.get(key))
        lines.append(
            GateRemark(
                str(item.get("suite", "")),
                str(item.get("severity", "warning")),
                "error" if success is None else "failed",
                {language: text.get(language) or fallback for language in LANGUAGES},
                str(item.get("observed") or ""),
            )
        )
    return GateSummary(counts[True], counts[False], counts[None], tuple(lines))


def command(manifest: Mapping[str, Any]) -> str:
    """The command that repeats the run, from the files and arguments of its manifest.

    >>> command({"inputs": [{"role": "rounds", "file": "r.csv"}], "arguments": {"from": "2024-03-01", "report": True}})
    'dicj-audit run --rounds r.csv --from 2024-03-01 --out DIR'
    """
    files: dict[str, list[str]] = {}
    for item in manifest.get("inputs", []):
        files.setdefault(str(item["role"]), []).append(str(item["file"]))
    parts = [f"--{role} {' '.join(files[role])}" for role in _ROLES if role in files]
    arguments = dict(manifest.get("arguments", {}))
    first, last = arguments.get("from"), arguments.get("to")
    if first and first == last:
        arguments = {"day": first, **{key: value for key, value in arguments.items() if key not in {"from", "to"}}}
    if arguments.pop("report", True) is False:
        parts.append("--no-report")
    if arguments.get("source") == "canonical":
        del arguments["source"]
    parts += [f"--{name.replace('_', '-')} {value}" for name, value in arguments.items() if value is not None]
    return " ".join(["dicj-audit run", *parts, "--out DIR"])
