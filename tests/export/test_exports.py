from __future__ import annotations

import datetime as dt
import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow.parquet as pq
import pytest
from pydantic_sarif.model import StaticAnalysisResultsFormatSarifVersion210JsonSchema as Sarif

from audit.base.model import LANGUAGES
from audit.catalogue import catalogue
from audit.cli import call
from audit.export import export
from audit.export import html as page
from audit.export.xlsx import dictionary
from audit.findings.table import SCHEMA
from tests.report.sample import make_run

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run, one identifier of which a spreadsheet could take for a formula and a browser for markup."""
    folder = make_run(tmp_path_factory.mktemp("export") / "run")
    table = pq.read_table(folder / "findings.parquet")
    rows = table.to_pylist()
    rows[0]["round_id"] = '=HYPERLINK("x")'
    rows[1]["round_id"] = "</script><b>R-2</b>"
    pq.write_table(type(table).from_pylist(rows, schema=SCHEMA), folder / "findings.parquet")
    return folder


def _write(run: Path, form: str, tmp_path: Path, *more: str) -> Path:
    out = tmp_path / f"out.{form}"
    assert call(["export", "--run", str(run), "--format", form, "--out", str(out), *more]) == 0
    return out


# --- workbook


def test_the_workbook_has_real_numbers_days_and_times(run: Path, tmp_path: Path) -> None:
    """Amounts are numbers, the legal day a day, the round's time Macau's; the dictionary explains every column."""
    book = openpyxl.load_workbook(_write(run, "xlsx", tmp_path))
    heads, *rows = book["Findings"].iter_rows(values_only=True)
    paid = next(dict(zip(heads, row, strict=True)) for row in rows if row[1] == "PAY-001")
    explained = [row[0] for row in book["Data dictionary"].iter_rows(min_row=2, values_only=True)]

    assert SCHEMA.names == list(heads) == explained
    assert 50 == paid["amount"]
    assert isinstance(paid["amount"], int | float)
    assert ("2024-03-01 00:00:00", "2024-03-01 21:04:05") == (str(paid["legal_day"]), str(paid["occurred_at"]))
    assert isinstance(paid["occurred_at"], dt.datetime)
    assert len(catalogue.load().checks) == book["Checks"].max_row - 1


def test_no_cell_of_the_workbook_is_a_formula(run: Path, tmp_path: Path) -> None:
    """Text that begins like a formula stays text, unchanged and marked as quoted."""
    book = openpyxl.load_workbook(_write(run, "xlsx", tmp_path))
    cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row]
    odd = next(cell for cell in cells if cell.value == '=HYPERLINK("x")')

    assert "f" not in {cell.data_type for cell in cells if cell is not odd}
    assert "s" == odd.data_type or odd.quotePrefix
    assert odd.quotePrefix


def test_the_same_run_gives_the_same_bytes(run: Path, tmp_path: Path) -> None:
    """No export reads the clock."""
    for form in ("xlsx", "sarif", "html"):
        export(run, form, tmp_path / "a")
        export(run, form, tmp_path / "b")

        assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_the_dictionary_is_in_every_language() -> None:
    """Each column has its meaning in Chinese, Portuguese and English."""
    assert all(text.in_language(language) for text in dictionary().values() for language in LANGUAGES)


# --- static-analysis log


def _log(path: Path) -> dict[str, Any]:
    content = path.read_text("utf-8")
    Sarif.model_validate_json(content)
    found: dict[str, Any] = json.loads(content)["runs"][0]
    return found


def test_the_log_is_valid_and_has_a_rule_for_each_check(run: Path, tmp_path: Path) -> None:
    """The log satisfies the standard's schema; each result points at its rule, file and row, and has a fingerprint."""
    log = _log(_write(run, "sarif", tmp_path, "--lang", "pt"))
    rules = log["tool"]["driver"]["rules"]
    first = next(result for result in log["results"] if result["ruleId"] == "PAY-001")
    place = first["locations"][0]

    assert list(catalogue.load().checks) == [rule["id"] for rule in rules]
    assert all(rule["help"]["text"] and rule["fullDescription"]["text"] for rule in rules)
    assert "PAY-001" == rules[first["ruleIndex"]]["id"]
    assert ("error", "50.00") == (first["level"], first["properties"]["amount"])
    assert {"uri": "wagers.csv", "index": 1} == place["physicalLocation"]["artifactLocation"]
    assert 17 * 6 + 1 == place["physicalLocation"]["region"]["startLine"]
    assert "W000017" == place["logicalLocations"][-1]["name"]
    assert pq.read_table(run / "findings.parquet").num_rows == len(log["results"])
    assert "baselineState" not in first


def test_against_an_earlier_run_each_result_has_its_state(run: Path, tmp_path: Path) -> None:
    """What both runs have is unchanged, what only the later has is new, what only the earlier had is absent."""
    before = tmp_path / "before"
    shutil.copytree(run, before)
    rows = pq.read_table(run / "findings.parquet").to_pylist()
    rows[2]["finding_id"] = "f" * 24
    pq.write_table(
        pq.read_table(run / "findings.parquet").from_pylist(rows, schema=SCHEMA), before / "findings.parquet"
    )
    log = _log(_write(run, "sarif", tmp_path, "--baseline", str(before)))
    states = [result["baselineState"] for result in log["results"]]

    assert ["new", "absent"] == [state for state in states if state != "unchanged"]
    assert "absent" == states[-1]


# --- page


def test_the_page_asks_for_nothing_outside_itself(run: Path, tmp_path: Path) -> None:
    """There is no address of a network in the page, and its policy lets nothing load but its own pictures."""
    text = _write(run, "html", tmp_path).read_text("utf-8")
    sources = re.findall(r"""(?:src|href|action|srcset)\s*=\s*["']([^"']*)""", text)

    assert {"data", "#"} >= {"data" if one.startswith("data:") else one[:1] for one in sources}
    assert "url(" not in text
    assert "default-src 'none'" in html.unescape(text)
    assert "</script><b>" not in text


def test_too_many_findings_are_cut_to_the_gravest(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that cannot hold all findings keeps the gravest ones."""
    monkeypatch.setattr(page, "MOST", 3)
    table = pq.read_table(run / "findings.parquet")
    kept = page._gravest(table)["severity"].to_pylist()

    assert ["critical"] * 2 == sorted(kept)[:2]
    assert 3 == len(kept)


@pytest.fixture(scope="module")
def opened(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page as a file."""
    folder = tmp_path_factory.mktemp("page")
    export(run, "html", folder / "page.html", language="zh")
    return folder / "page.html"


def _dom(file: Path, state: str, folder: Path) -> str:
    if CHROMIUM is None:
        pytest.skip("no chromium is installed")
    said = subprocess.run(
        [
            *(CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=2000"),
            *(f"--user-data-dir={folder}", "--dump-dom", f"{file.as_uri()}#/{state}"),
        ],
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return said.stdout


def _rows(dom: str) -> list[list[str]]:
    body = dom[dom.index("<tbody>") : dom.index("</tbody>")]
    rows = re.findall(r'<tr class="row".*?</tr>', body, re.DOTALL)
    return [[re.sub("<[^>]+>", "", cell) for cell in re.findall(r"<td.*?</td>", row, re.DOTALL)] for row in rows]


def test_a_browser_filters_and_sorts_the_page_offline(opened: Path, tmp_path: Path) -> None:
    """In a real browser the table shows one check only, by falling amount, in the language asked for."""
    dom = _dom(opened, "lang=pt&code=PAY-001&sort=amount&desc=1", tmp_path)

    assert ["HKD&nbsp;8&nbsp;000,00", "HKD&nbsp;50,00"] == [row[5] for row in _rows(dom)]
    assert {"PAY-001"} == {row[1] for row in _rows(dom)}
    assert 'aria-sort="descending"' in dom
    assert re.search(r"2 constatações \(de 2[0-9]\)", dom)
    assert '<html lang="pt">' in dom


def test_a_browser_searches_text_and_runs_no_markup_of_the_data(opened: Path, tmp_path: Path) -> None:
    """A search finds the finding by any of its words; an identifier that looks like markup is shown as text."""
    dom = _dom(opened, "lang=zh&q=%3Cb%3ER-2", tmp_path)

    assert 1 == len(_rows(dom))
    assert "&lt;/script&gt;&lt;b&gt;R-2&lt;/b&gt;" in _rows(dom)[0]
    assert "<b>R-2</b>" not in dom


def test_a_browser_shows_the_whole_report_in_one_language(opened: Path, tmp_path: Path) -> None:
    """The other half of the page is the report itself, the languages not chosen hidden."""
    dom = _dom(opened, "view=report", tmp_path)
    shown = re.findall(r'data-part="(\w+)"(?! hidden)', dom)

    assert ["zh"] == shown
    assert "發現詳述" in dom


# --- refusals


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--format", "xlsx", "--baseline", "RUN", "--out", "OUT"], "--baseline belongs to --format sarif"),
        (["--format", "sarif", "--out", "RUN/x.sarif"], "lies in the finished run"),
        (["--format", "sarif", "--out", "NOWHERE/x.sarif"], "does not exist"),
    ],
)
def test_wrong_usage_is_refused(
    run: Path, tmp_path: Path, more: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """An export that cannot be is refused with a sentence."""
    names = {"RUN": str(run), "OUT": str(tmp_path / "out"), "NOWHERE": str(tmp_path / "nowhere")}
    words = [re.sub("|".join(names), lambda found: names[found[0]], word) for word in more]

    assert 2 == call(["export", "--run", str(run), *words])
    assert said in capsys.readouterr().err
