"""The report as one page for a browser: every chapter, and a table of findings that filters and sorts without a server.

The page asks for nothing outside itself and its policy forbids it to: only its own script, known by digest, may run.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from audit.base.model import LANGUAGES, Severity
from audit.base.resources import resource_dir
from audit.catalogue import catalogue
from audit.export import FinishedRun
from audit.findings.table import SCHEMA, records
from audit.report import PRINTED_PER_CHECK
from audit.report.contents import ReportData, gather
from audit.report.i18n import HTML_LANG, Messages, load_messages
from audit.report.render import render_html

MOST: Final = 20_000
"""Findings on the page; of more, the gravest, and the page says so."""

SHOWN: Final = ("severity", "code", "occurred_at", "table_id", "round_id", "amount", "message")
"""Columns of the table; the rest of a finding shows when its row is opened."""

_TOKENS: Final = ("severity", "game", "side", "option", "value", "expected", "observed")


def write_html(run: FinishedRun, out: Path, language: str) -> None:
    """Write the page; `language` is the one it opens in, and it can be switched to each of the others."""
    from markupsafe import Markup

    folder = resource_dir("templates")
    script = (folder / "explorer.js").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    known = catalogue.load()
    data = gather(run.folder, run.manifest, known, limit=PRINTED_PER_CHECK)
    payload = json.dumps(_payload(run, data, language), ensure_ascii=False, separators=(",", ":"))
    also = {
        "policy": f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; "
        "base-uri 'none'; form-action 'none'",
        "payload": Markup(_inert(payload)),  # noqa: S704 - JSON in which no tag can begin
        "script": Markup(script),  # noqa: S704 - our own script
        "screen": Markup((folder / "explorer.css").read_text(encoding="utf-8")),  # noqa: S704 - our own style sheet
    }
    order = (language, *(each for each in LANGUAGES if each != language))
    out.write_text(render_html(data, order, name="explorer.html.j2", also=also), encoding="utf-8")


def _inert(text: str) -> str:
    """JSON that cannot end the element it stands in."""
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _payload(run: FinishedRun, data: ReportData, language: str) -> dict[str, Any]:
    messages = load_messages()
    findings = _gravest(run.findings)
    rows = [list(row.values()) for row in records(findings.select(SCHEMA.names))]
    cut = len(run.findings) - len(findings)
    digest = data.digests.get("findings.parquet", "")
    return {
        "lang": language,
        "html": HTML_LANG,
        "columns": SCHEMA.names,
        "shown": SHOWN,
        "rows": rows,
        "cut": cut,
        "words": {each: dict(_words(findings, data, each)) for each in LANGUAGES},
        "checks": {each: dict(_names(data, messages[each])) for each in LANGUAGES},
        "labels": {each: _labels(messages[each], len(findings), cut, digest) for each in LANGUAGES},
    }


def _gravest(findings: pa.Table) -> pa.Table:
    """The findings that fit the page, in their own order; of too many the gravest."""
    if len(findings) <= MOST:
        return findings
    ranks = pc.index_in(findings["severity"], value_set=pa.array([severity.value for severity in Severity]))
    order = pc.sort_indices(pa.table({"rank": ranks}), [("rank", "ascending")])
    return findings.take(pa.array(sorted(order[:MOST].to_pylist())))


def _words(findings: pa.Table, data: ReportData, language: str) -> Iterator[tuple[str, str]]:
    """Machine words that occur, in a language."""
    found = {token for name in _TOKENS for token in pc.unique(findings[name]).to_pylist() if token}
    for token in sorted(found):
        known = data.catalogue.words.get(token)
        if known is not None:
            yield token, known.in_language(language)


def _names(data: ReportData, messages: Messages) -> Iterator[tuple[str, str]]:
    for code in data.catalogue.checks:
        yield code, messages(f"check.{code}") if messages.has(f"check.{code}") else code


def _labels(t: Messages, shown: int, cut: int, digest: str) -> dict[str, str]:
    """The page's own words in a language; `{n}` and `{all}` are for the script to fill."""
    columns = {
        "finding_id": t("web.id"), "code": t("col.code"), "severity": t("col.severity"), "game": t("col.game"),
        "casino": t("col.casino"), "table_id": t("col.table"), "shoe_id": t("col.shoe"), "round_id": t("col.round"),
        "wager_id": t("col.wager"), "approval_id": t("col.approval"), "side": t("col.side"),
        "occurred_at": t("fin.when"), "legal_day": t("web.legal_day"), "instrument": t("col.act"),
        "article": t("fin.provision"), "option": t("col.option"), "value": t("col.value"),
        "expected": t("fin.expected"), "observed": t("fin.observed"), "amount": t("web.amount"),
        "currency": t("col.currency"), "rounds_affected": t("col.rounds"), "first_round_id": t("web.first"),
        "last_round_id": t("web.last"), "source_file": t("col.file"), "source_row": t("web.row"),
        "message": t("web.message"),
    }  # fmt: skip
    return {f"col_{name}": text for name, text in columns.items()} | {
        "findings": t("sum.findings"),
        "report": t("web.report"),
        "search": t("web.search"),
        "code": t("col.check"),
        "severity": t("col.severity"),
        "game": t("col.game"),
        "table": t("col.table"),
        "amount": t("web.amount"),
        "over": t("fin.over_short"),
        "under": t("fin.under_short"),
        "reset": t("web.reset"),
        "all": t("web.all"),
        "count": t("web.count", n="{n}", all="{all}"),
        "cut": t("web.cut", shown=shown, total=shown + cut, digest=digest),
    }
