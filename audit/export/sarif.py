"""The findings as SARIF 2.1.0, the interchange format of static analysers: one rule a check, one result a finding.

A finding's id is its partial fingerprint, so that tools which follow results over time recognise it; against an
earlier run every result says whether it is new or unchanged, and what is gone is listed as absent.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import pyarrow as pa
import pyarrow.compute as pc

from audit.catalogue.catalogue import Catalogue, Check, load
from audit.export import FinishedRun
from audit.findings.table import SCHEMA, records
from audit.report.i18n import HTML_LANG

VERSION: Final = "2.1.0"
SCHEMA_URI: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
FINGERPRINT: Final = "findingId/v1"

LEVELS: Final = {"critical": "error", "high": "error", "medium": "warning", "low": "note", "info": "note"}

_PLACES: Final = (
    ("casino", "namespace"), ("table_id", "module"), ("shoe_id", "object"), ("round_id", "member"),
    ("wager_id", "member"), ("approval_id", "object"),
)  # fmt: skip
_PLACED: Final = frozenset(name for name, _ in _PLACES)
_APART: Final = _PLACED | {"finding_id", "code", "source_file", "source_row"}

Json = dict[str, Any]


def write_sarif(run: FinishedRun, out: Path, language: str, baseline: FinishedRun | None = None) -> None:
    """Write the log; `baseline` is an earlier run with which the results are compared."""
    catalogue = load()
    files = {item["file"]: number for number, item in enumerate(run.manifest["inputs"])}
    results = _Results(catalogue, files, language)
    head = {
        "tool": {"driver": _driver(run, catalogue, language)},
        "language": HTML_LANG[language],
        "columnKind": "unicodeCodePoints",
        "automationDetails": {"id": f"dicj-audit/{run.manifest['run_id']}"},
        "invocations": [{"executionSuccessful": True, "properties": {"arguments": run.manifest.get("arguments", {})}}],
        "artifacts": [_artifact(item) for item in run.manifest["inputs"]],
        "properties": _properties(run, baseline),
    }
    with out.open("w", encoding="utf-8", newline="\n") as stream:
        stream.write(f'{{"$schema":{json.dumps(SCHEMA_URI)},"version":"{VERSION}","runs":[{{')
        stream.write(",\n".join(f"{json.dumps(name)}:{_text(value)}" for name, value in head.items()))
        stream.write(',\n"results":[')
        lead = "\n"
        for result in results.all(run.findings, None if baseline is None else baseline.findings):
            stream.write(lead + _text(result))
            lead = ",\n"
        stream.write("\n]}]}\n")


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _properties(run: FinishedRun, baseline: FinishedRun | None) -> Json:
    manifest = run.manifest
    found: Json = {name: manifest[name] for name in ("run_id", "period", "totals", "verdicts", "rulebook")}
    found["not_evaluated"] = manifest.get("not_evaluated", [])
    if baseline is not None:
        found["baseline_run_id"] = baseline.manifest["run_id"]
    return found


def _driver(run: FinishedRun, catalogue: Catalogue, language: str) -> Json:
    software = run.manifest["software"]
    return {
        "name": software["name"],
        "version": software["version"],
        "rules": [_rule(check, catalogue, language) for check in catalogue.checks.values()],
    }


def _rule(check: Check, catalogue: Catalogue, language: str) -> Json:
    """A check as a rule: its criterion, how it compares, its limits and the corrective step as help."""
    family = catalogue.families[check.family]
    parts = [check.compared, check.limits, family.corrective_step]
    text = "\n\n".join(part.in_language(language) for part in parts)
    return {
        "id": check.code,
        "name": "".join(word.capitalize() for word in check.slug.split("-")),
        "shortDescription": {"text": check.slug.replace("-", " ")},
        "fullDescription": {"text": check.criterion.in_language(language)},
        "help": {"text": text},
        "defaultConfiguration": {"level": LEVELS[check.severity.value]},
        "properties": {
            "severity": check.severity.value,
            "family": family.name.in_language(language),
            "articles": {str(game): str(criterion) for game, criterion in check.articles.items()},
            "tags": ["macau", check.family],
        },
    }


def _artifact(item: Mapping[str, Any]) -> Json:
    return {
        "location": {"uri": quote(str(item["file"]))},
        "length": item["bytes"],
        "hashes": {"sha-256": item["sha256"]},
        "roles": ["analysisTarget"],
        "properties": {"role": item["role"], "rows": item["rows"]},
    }


class _Results:
    """Turns findings into results."""

    def __init__(self, catalogue: Catalogue, files: Mapping[str, int], language: str) -> None:
        self._rules = {code: number for number, code in enumerate(catalogue.checks)}
        self._files = files
        self._language = language

    def all(self, findings: pa.Table, before: pa.Table | None) -> Iterator[Json]:
        """The findings, then those of the earlier run that are gone."""
        if before is None:
            yield from (self._result(row, None) for row in records(findings))
            return
        known = pc.is_in(findings["finding_id"], value_set=before["finding_id"].combine_chunks()).to_pylist()
        for row, same in zip(records(findings), known, strict=True):
            yield self._result(row, "unchanged" if same else "new")
        kept = pc.is_in(before["finding_id"], value_set=findings["finding_id"].combine_chunks())
        for row in records(before.filter(pc.invert(kept))):
            yield self._result(row, "absent")

    def _result(self, row: Mapping[str, Any], state: str | None) -> Json:
        result: Json = {
            "ruleId": row["code"],
            "level": LEVELS.get(row["severity"], "warning"),
            "message": {"text": row[f"message_{self._language}"] or row["code"]},
            "locations": [self._location(row, gone=state == "absent")],
            "partialFingerprints": {FINGERPRINT: row["finding_id"]},
            "properties": {name: row[name] for name in SCHEMA.names if name not in _APART and row[name] is not None},
        }
        if row["code"] in self._rules:
            result["ruleIndex"] = self._rules[row["code"]]
        if state is not None:
            result["baselineState"] = state
        return result

    def _location(self, row: Mapping[str, Any], *, gone: bool) -> Json:
        place: Json = {}
        if row["source_file"]:
            artifact: Json = {"uri": quote(row["source_file"])}
            if not gone and row["source_file"] in self._files:
                artifact["index"] = self._files[row["source_file"]]
            place["physicalLocation"] = {"artifactLocation": artifact}
            if row["source_row"]:
                # The heading is the first line, so row 1 stands in line 2 wherever no cell holds a line break.
                place["physicalLocation"]["region"] = {"startLine": int(row["source_row"]) + 1}
        path: list[str] = []
        names = []
        for name, kind in _PLACES:
            if row[name]:
                path.append(str(row[name]))
                names.append({"name": str(row[name]), "kind": kind, "fullyQualifiedName": "/".join(path)})
        if names:
            place["logicalLocations"] = names
        return place
