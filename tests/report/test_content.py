from __future__ import annotations

import json
import re
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from audit.base.errors import InputRefused
from audit.catalogue import catalogue
from audit.findings.table import SCHEMA
from audit.report.contents import gather
from audit.report.render import render_html
from audit.report.run_files import read_gate, read_quarantine
from audit.report.shown_findings import Unanswered, amounts_by, collect, verdict
from tests.report.sample import findings, make_run


def _html(run: Path, languages: tuple[str, ...] = ("zh", "pt"), limit: int = 10) -> str:
    return render_html(gather(run, None, catalogue.load(), limit=limit), languages)


def _table(rows: list[dict[str, object]]) -> pa.Table:
    return pa.Table.from_pylist(rows, schema=SCHEMA)


def test_amounts_keep_direction_and_currency() -> None:
    """Sums of what was paid too much and too little are exact and apart, by currency."""
    sums = amounts_by(_table(findings()), "code")

    assert [(a.currency, a.over, a.under) for a in sums["PAY-002",]] == [
        ("HKD", Decimal(0), Decimal(25)),
        ("MOP", Decimal(0), Decimal(5000)),
    ]
    assert sums["PAY-001",][0].net == Decimal(8050)
    assert ("DRW-001",) not in sums


def test_printed_findings_are_capped_and_numbered() -> None:
    """Only the first findings of a check are printed; their numbers run through the report without a gap."""
    checks = {code: (check.family, str(check.severity)) for code, check in catalogue.load().checks.items()}
    families = collect(_table(findings(many=50)), checks, [], limit=3)
    printed = [finding for family in families for check in family.checks for finding in check.printed]
    overpaid = next(check for family in families for check in family.checks if check.code == "PAY-001")

    assert (overpaid.count, len(overpaid.printed)) == (52, 3)
    assert [finding.number for finding in printed] == list(range(1, len(printed) + 1))


def test_silence_is_not_conformity() -> None:
    """A check without findings that could not be answered everywhere is never clear."""
    families = collect(_table([]), {"SHO-004": ("SHO", "medium")}, [Unanswered("SHO-004", "no_events", 7)], limit=1)

    assert [family.verdict for family in families] == ["partly"]
    assert (verdict(0, 0), verdict(3, 1)) == ("clear", "found_partly")


def test_a_code_that_the_catalogue_lacks_is_still_shown() -> None:
    """A finding never disappears because its code is unknown here."""
    row = findings()[0] | {"code": "XYZ-001"}
    families = collect(_table([row]), {"DRW-001": ("DRW", "high")}, [], limit=1)

    assert [(family.key, family.count) for family in families] == [("DRW", 0), ("XYZ", 1)]


def test_chapters_stand_in_order_in_each_language(run_dir: Path) -> None:
    """Each language part has chapters 0 to 14 and annexes A to F, in order, under its own language."""
    html = _html(run_dir)
    for language, lang in (("zh", "zh-Hant"), ("pt", "pt")):
        anchors = re.findall(rf'id="{language}-([0-9]+|[A-F])"', html)

        assert anchors == [*map(str, range(15)), *"ABCDEF"]
        assert f'<section class="part" lang="{lang}">' in html


def test_what_the_log_says_cannot_become_markup(tmp_path: Path) -> None:
    """Text of the log is escaped wherever it is printed."""
    run = make_run(tmp_path / "run")
    rows = findings()
    rows[0]["round_id"] = rows[0]["message_zh"] = '<script>alert("x")</script>'
    pq.write_table(_table(rows), run / "findings.parquet")

    html = _html(run)

    assert "<script>" not in html
    assert "&lt;script&gt;" in html


def test_wording_stays_neutral(run_dir: Path) -> None:
    """The report names no fine as due and speaks of apparent non-compliance."""
    html = _html(run_dir)

    assert "aparente desconformidade" in html
    assert "表面不符規" in html
    assert "Não verificáv" in html
    assert len(re.findall("multas", html)) == 1


def test_capped_list_names_the_rest(tmp_path: Path) -> None:
    """Where findings are not printed, the report says how many and in which file they are."""
    html = _html(make_run(tmp_path / "run", many=500), ("pt",))

    assert "Esta verificação tem 502 constatações" in html
    assert "As restantes 492 constam" in html


def test_run_without_findings(tmp_path: Path) -> None:
    """A clean run says so, within what could be evaluated, and has every chapter."""
    html = _html(make_run(tmp_path / "run", none=True), ("pt",))

    assert "não se apurou qualquer desconformidade" in html
    assert "Nenhuma linha foi posta em quarentena" in html
    assert re.findall(r'id="pt-([A-F])"', html) == [*"ABCDEF"]


def test_not_evaluated_is_listed_with_reason_and_count(run_dir: Path) -> None:
    """Chapter 12 gives each check that could not be answered its reason and how often."""
    html = _html(run_dir, ("pt",))
    part = html[html.index('id="pt-12"') : html.index('id="pt-13"')]

    assert "Depende do 2/2009, cujo texto não foi lido" in part
    assert "31\u00a0000" in part


def test_citation_names_act_and_article_in_the_language(run_dir: Path) -> None:
    """A finding cites instrument and article, with the provision's own reference in each language."""
    html = _html(run_dir)

    assert re.search(r"55/2004, 9\(1\)[^<]* — 增牌, 第九條", html)
    assert re.search(r"55/2004, 9\(1\)[^<]* — Cartas adicionais, art. 9.º", html)


def test_gate_that_could_not_run_is_not_a_failure(run_dir: Path) -> None:
    """The data gate counts apart what passed, what failed and what could not run."""
    gate = read_gate(run_dir / "expectations.json")

    assert (gate.passed, gate.failed, gate.errors) == (39, 1, 1)
    assert [line.state for line in gate.lines] == ["failed", "error"]


def test_quarantine_is_grouped_by_reason(run_dir: Path) -> None:
    """Rejected rows are counted by table and reason, with the first few as examples."""
    first, second = read_quarantine(run_dir / "quarantine.parquet")

    assert (first.table, first.reason, first.count) == ("rounds", "card", 8)
    assert first.examples == ("rounds.csv: 100", "rounds.csv: 101", "rounds.csv: 102")
    assert second.message["pt"] == "O valor apostado deve ser positivo."


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("manifest.json", "{", "manifest.json of the run cannot be read"),
        ("manifest.json", "[]", "not a JSON object"),
        ("findings.parquet", "nonsense", "findings.parquet of the run cannot be read"),
        ("expectations.json", '"text"', "not a JSON object"),
    ],
)
def test_broken_run_is_refused(tmp_path: Path, name: str, content: str, said: str) -> None:
    """A run directory with a broken file is refused in one sentence that names the file."""
    run = make_run(tmp_path / "run")
    (run / name).write_text(content, encoding="utf-8")

    with pytest.raises(InputRefused, match=said):
        gather(run, None, catalogue.load(), limit=1)


@pytest.mark.parametrize("key", ["shoes", "verdicts", "run_id"])
def test_manifest_without_a_value_is_refused(run_dir: Path, key: str) -> None:
    """A manifest that lacks a value is refused in a sentence that names it."""
    manifest = json.loads((run_dir / "manifest.json").read_text(encoding="utf-8"))
    del manifest[key]

    with pytest.raises(InputRefused, match=f"lacks a value that the report needs: {key}"):
        gather(run_dir, manifest, catalogue.load(), limit=1)
