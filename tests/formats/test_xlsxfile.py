from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pytest

from audit.base.errors import InputRefused
from audit.formats import xlsxfile

TYPES = """<?xml version="1.0" encoding="UTF-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Override PartName="/xl/workbook.xml"
 ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>
<Override PartName="/xl/worksheets/sheet1.xml"
 ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>"""
RELS = """<?xml version="1.0" encoding="UTF-8"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/{kind}"
 Target="{target}"/></Relationships>"""
BOOK = """<?xml version="1.0" encoding="UTF-8"?>
<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"
 xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets>
<sheet name="log" sheetId="1" r:id="r1"/></sheets></workbook>"""
SHEET = """<?xml version="1.0" encoding="UTF-8"?>
<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">
<sheetData>{rows}</sheetData></worksheet>"""


def _cell(value: object, row: int, column: int) -> str:
    place = f"{chr(65 + column)}{row}"
    if value is None:
        return ""
    if isinstance(value, int | float):
        return f'<c r="{place}"><v>{value!r}</v></c>'
    return f'<c r="{place}" t="inlineStr"><is><t>{escape(str(value))}</t></is></c>'


def write_xlsx(path: Path, rows: list[list[object]]) -> None:
    """Write one sheet of texts and numbers."""
    lines = [
        f'<row r="{number}">{"".join(_cell(value, number, place) for place, value in enumerate(row))}</row>'
        for number, row in enumerate(rows, 1)
    ]
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("[Content_Types].xml", TYPES)
        archive.writestr("_rels/.rels", RELS.format(kind="officeDocument", target="xl/workbook.xml"))
        archive.writestr("xl/workbook.xml", BOOK)
        archive.writestr("xl/_rels/workbook.xml.rels", RELS.format(kind="worksheet", target="worksheets/sheet1.xml"))
        archive.writestr("xl/worksheets/sheet1.xml", SHEET.format(rows="".join(lines)))


def test_a_sheet_is_read_like_the_csv_of_it(tmp_path: Path, read_files: Any, a_wager: Any) -> None:
    """Numbers of a sheet come as Excel shows them, exact to the cent; empty rows keep the numbers of those below."""
    rows = [a_wager(), a_wager(wager_id="W2", stake="19.4", payout="0.07")]
    table: list[list[object]] = [list(rows[0]), list(rows[0].values()), [None], [*rows[1].values()]]
    table[3][3], table[3][4] = 19.4, 0.07000000000000001
    write_xlsx(tmp_path / "log.xlsx", table)

    reading = read_files(tmp_path / "log.xlsx", table="wagers")

    assert [("W1", 1_000_000, 1_000_000), ("W2", 194_000, 700)] == [
        (row["wager_id"], row["stake"], row["payout"]) for row in reading.rows
    ]
    assert [1, 3] == reading.numbers


def test_what_is_no_workbook_is_refused(tmp_path: Path, read_files: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is no workbook, one without a row and one that unpacks beyond measure are refused in a sentence."""
    path = tmp_path / "log.xlsx"
    path.write_bytes(b"PK\x03\x04 not a workbook")
    with pytest.raises(InputRefused, match=r"log\.xlsx: is not a whole Excel workbook"):
        read_files(path)
    write_xlsx(path, [[None]])
    with pytest.raises(InputRefused, match=r"log\.xlsx: the file is empty"):
        read_files(path)
    monkeypatch.setattr(xlsxfile, "UNPACKED", 100)
    with pytest.raises(InputRefused, match="holds more than"):
        read_files(path)
