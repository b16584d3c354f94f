"""Text of chosen pages as a reader's program extracts it, kept and compared; DICJ_AUDIT_GOLDEN=write makes it anew."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pypdf
import pytest

pytestmark = pytest.mark.slow

GOLDEN = Path(__file__).parents[1] / "golden" / "report"
CHAPTERS = {"summary": 0, "overview": 5, "findings": 6, "coverage": 20}
"""Pages on which chapters begin, by the place of their bookmark within a language's part."""


@pytest.fixture(scope="module")
def pages(pdf_path: Path) -> dict[str, int]:
    """The number of the page, from 1, of each kept page of each language."""
    reader = pypdf.PdfReader(pdf_path)
    parts = [item for item in reader.outline if isinstance(item, list)]
    found = {}
    for language, part in zip(("zh", "pt"), parts, strict=True):
        chapters = [item for item in part if not isinstance(item, list)]
        for name, place in CHAPTERS.items():
            found[f"{language}-{name}"] = (reader.get_destination_page_number(chapters[place]) or 0) + 1
    return found


def _text(pdf: Path, number: int) -> str:
    """The page's text without its number, which moves with every page added before it."""
    if shutil.which("pdftotext") is None:
        pytest.skip("pdftotext (poppler-utils) is not installed")
    command = ["pdftotext", "-f", str(number), "-l", str(number), str(pdf), "-"]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    lines = [line.strip() for line in said.splitlines()]
    return "\n".join(line for line in lines if line and not re.fullmatch(r"\d+ / \d+", line)) + "\n"


def _words(text: str) -> str:
    """The text without the breaks of its lines, which another version of a font may move."""
    return re.sub(r"\s+", "", text)


@pytest.mark.parametrize("name", [f"{language}-{name}" for language in ("zh", "pt") for name in CHAPTERS])
def test_the_page_says_what_it_said(pdf_path: Path, pages: dict[str, int], name: str) -> None:
    """Nobody changes what the report says without seeing it in review."""
    found = _text(pdf_path, pages[name])
    kept = GOLDEN / f"{name}.txt"
    if os.environ.get("DICJ_AUDIT_GOLDEN") == "write":
        GOLDEN.mkdir(parents=True, exist_ok=True)
        kept.write_text(found, "utf-8")

    assert len(found) > 200
    assert _words(kept.read_text("utf-8")) == _words(found)
