from __future__ import annotations

import datetime as dt
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pikepdf
import pypdf
import pytest

from audit.base.errors import MachineFailure
from audit.report import pdf
from tests.report.sample import RUN_ID

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def pages(pdf_path: Path) -> list[str]:
    """The text of each page as a reader's program extracts it."""
    return [page.extract_text() for page in pypdf.PdfReader(pdf_path).pages]


@pytest.fixture(scope="module")
def text(pages: list[str]) -> str:
    """The text of the whole report."""
    return "\n".join(pages)


def _fonts(document: pikepdf.Pdf) -> list[pikepdf.Dictionary]:
    objects = [item for item in document.objects if isinstance(item, pikepdf.Dictionary)]
    return [item for item in objects if item.get("/Type") == "/FontDescriptor"]


def test_only_the_named_families_are_embedded(pdf_path: Path) -> None:
    """Every font is embedded, and Chinese is set in the Traditional Chinese family, never in a Japanese fallback."""
    with pikepdf.open(pdf_path) as document:
        names = {str(font.FontName).partition("+")[2] for font in _fonts(document)}

        assert all("/FontFile2" in font or "/FontFile3" in font for font in _fonts(document))
    assert names == {"Noto-Sans", "Noto-Sans-Bold", "Noto-Sans-CJK-TC", "Noto-Sans-CJK-TC-Bold"}


def test_it_claims_pdf_a_3b_and_is_tagged(pdf_path: Path) -> None:
    """The file has what PDF/A-3b asks of it, as far as it can be checked here, and is tagged with its languages."""
    with pikepdf.open(pdf_path) as document:
        metadata = document.open_metadata()
        elements = [item for item in document.objects if isinstance(item, pikepdf.Dictionary) and "/S" in item]
        figures = [item for item in elements if item.S == "/Figure"]

        assert (metadata["pdfaid:part"], metadata["pdfaid:conformance"]) == ("3", "B")
        assert len(document.Root.OutputIntents) == 1
        assert document.Root.Lang == "zh-Hant"
        assert document.Root.MarkInfo.Marked
        assert {str(item.Lang) for item in elements if "/Lang" in item} == {"zh-Hant", "pt"}
        assert len(figures) > 20
        assert all("/Alt" in figure for figure in figures)
        assert {"/Row", "/Column"} == {str(item.A.Scope) for item in elements if item.S == "/TH"}
        assert document.Root.ViewerPreferences.DisplayDocTitle
        assert not document.is_encrypted
        assert "/JavaScript" not in document.Root.get("/Names", {})


def test_attachments_are_data_with_a_date_of_the_run(pdf_path: Path, run_dir: Path) -> None:
    """Findings, manifest and catalogue are attached as data, unchanged and dated by the data."""
    with pikepdf.open(pdf_path) as document:
        assert sorted(document.attachments) == ["catalogue.yaml", "findings.csv", "findings.json", "manifest.json"]
        assert len(document.Root.AF) == 4
        assert {str(item.AFRelationship) for item in document.Root.AF} == {"/Data"}
        assert (run_dir / "findings.csv").read_bytes() == document.attachments["findings.csv"].get_file().read_bytes()
        params = document.attachments["findings.csv"].obj.EF.F.Params
        manifest = json.loads(document.attachments["manifest.json"].get_file().read_bytes())

        assert str(params.CreationDate) == "D:20240301215841Z"
        assert manifest["run_id"] == RUN_ID
        assert "outputs" not in manifest


def test_text_comes_back_in_both_languages(text: str) -> None:
    """A reader can search the report in Chinese and in Portuguese; no glyph is a box."""
    assert "發現詳述" in text
    assert "博彩監察協調局" in text
    assert "Constatações pormenorizadas" in text
    assert "Direcção de Inspecção e Coordenação de Jogos" in text
    assert "\ufffd" not in text
    assert "□" not in text


def test_each_page_has_number_and_run(pages: list[str]) -> None:
    """Every page says which page of how many it is, and of which run."""
    for number, content in enumerate(pages, start=1):
        assert f"{number} / {len(pages)}" in content
        assert RUN_ID[:16] in content


def test_bookmarks_lead_to_the_chapters(pdf_path: Path) -> None:
    """The outline has a part for each language, with its chapters and annexes below."""
    with pikepdf.open(pdf_path) as document, document.open_outline() as outline:
        parts = [(part.title, len(part.children)) for part in outline.root]

    assert parts == [("中文本", 21), ("Versão em língua portuguesa", 21)]


def test_same_run_same_bytes(run_dir: Path, pdf_path: Path, tmp_path: Path) -> None:
    """Another process, in another time zone and with other hashes, writes the same bytes."""
    out = tmp_path / "again.pdf"
    code = (
        "import sys; from pathlib import Path; from audit.report import render_report; "
        "render_report(Path(sys.argv[1]), Path(sys.argv[2]))"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "7", "TZ": "America/Lima"}
    subprocess.run([sys.executable, "-c", code, str(run_dir), str(out)], check=True, env=environment)

    assert pdf_path.read_bytes() == out.read_bytes()


@pytest.mark.skipif(shutil.which("qpdf") is None, reason="qpdf is not installed")
def test_structure_is_sound(pdf_path: Path) -> None:
    """An independent reader finds no fault in the file's structure."""
    said = subprocess.run(["qpdf", "--check", str(pdf_path)], check=True, capture_output=True, text=True).stdout

    assert "No syntax or stream encoding errors found" in said


@pytest.mark.skipif(shutil.which("verapdf") is None, reason="veraPDF is not installed")
def test_verapdf_accepts_it(pdf_path: Path) -> None:
    """The reference validator finds the file to be PDF/A-3b."""
    said = subprocess.run(
        ["verapdf", "--flavour", "3b", "--format", "text", str(pdf_path)], check=False, capture_output=True, text=True
    ).stdout

    assert said.startswith("PASS")


def test_missing_font_names_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the Traditional Chinese family the report stops and names the Debian package."""
    monkeypatch.setattr(pdf, "_families", lambda: {"Noto Sans", "Noto Sans CJK JP"})

    with pytest.raises(MachineFailure, match="fonts-noto-cjk"):
        pdf.require_fonts()


@pytest.mark.parametrize("address", ["https://example.org/x.png", "file:///etc/hostname", "data:text/html,x"])
def test_nothing_is_fetched_from_outside(tmp_path: Path, address: str) -> None:
    """The typesetter reads neither the network nor a file outside the templates."""
    from weasyprint.urls import FatalURLFetchingError

    with pytest.raises(FatalURLFetchingError):
        pdf._fetcher(tmp_path).fetch(address)


def test_a_picture_left_out_is_a_failure(tmp_path: Path) -> None:
    """A report that lacks a picture is not written, rather than written without it."""
    html = '<html lang="pt"><title>x</title><p id="a">x<img alt="x" src="data:image/svg+xml;base64,eA=="></p></html>'

    with pytest.raises(MachineFailure, match="could not be typeset completely"):
        pdf.write_pdf(
            html,
            tmp_path / "x.pdf",
            templates=tmp_path,
            moment=dt.datetime(2024, 3, 1, tzinfo=dt.UTC),
            parts={"a": "pt"},
        )
    assert not (tmp_path / "x.pdf").exists()
