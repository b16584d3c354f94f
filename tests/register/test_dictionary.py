from __future__ import annotations

import datetime as dt
import zipfile
from pathlib import Path

import pytest

from audit.base.errors import InputRefused, UsageError
from audit.base.resources import resource_dir
from audit.cli import call
from audit.register.dictionary import columns, data_dictionary, template_csv, write_template
from audit.register.register_file import OPTIONAL, REQUIRED, load_register

ZH = (
    "批准編號,博彩,選項,選項值,賭檯,決定,批准日期,擬採用日期\n"
    "A-1,百家樂,commission,none,B01 B02,批准,2024-02-27,2024-03-01\n"
)
PT = (
    "Referência;Jogo;Opção;Valor;Mesas;Decisão;Data da autorização;Adopção prevista\n"
    "A-1;bacará;commission;none;B01 B02;autorizado;2024-02-27;2024-03-01\n"
)
YAML = (
    "- 批准編號: A-1\n  博彩: 百家樂\n  選項: commission\n  選項值: none\n  賭檯: [B01, B02]\n  決定: 批准\n"
    "  批准日期: 2024-02-27\n  擬採用日期: 2024-03-01\n"
)


def _one(folder: Path, name: str, content: bytes) -> tuple[object, ...]:
    (folder / name).write_bytes(content)
    (entry,) = load_register(folder / name)
    return (
        entry.approval_id,
        entry.game,
        entry.tables,
        entry.decision.value,
        entry.authorised_at,
        entry.planned_from,
    )


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("zh.csv", ZH.encode()),
        ("zh.csv", ZH.encode("utf-16")),
        ("pt.csv", PT.encode("utf-8-sig")),
        ("zh.yaml", YAML.encode()),
    ],
)
def test_a_register_may_be_headed_in_the_official_languages(tmp_path: Path, name: str, content: bytes) -> None:
    """Chinese and Portuguese headings and words give the entry that canonical ones give."""
    expected = ("A-1", "baccarat", ("B01", "B02"), "granted", dt.date(2024, 2, 27), dt.date(2024, 3, 1))

    assert expected == _one(tmp_path, name, content)


def test_two_headings_of_one_column_are_refused(tmp_path: Path) -> None:
    """A column that stands under its Chinese and its canonical name is refused and not chosen from."""
    (tmp_path / "r.csv").write_text(ZH.replace("選項值", "值,選項值").replace("none", "none,none"), encoding="utf-8")

    with pytest.raises(InputRefused, match="'value' stands 2 times"):
        load_register(tmp_path / "r.csv")


def test_a_workbook_is_read_like_the_csv_of_it(tmp_path: Path) -> None:
    """A register kept in Excel, with texts and an empty row, gives its entries and their row numbers."""
    space = "http://schemas.openxmlformats.org"
    rows = [line.split(",") for line in ZH.splitlines()]
    cells = "".join(
        f'<row r="{number}">'
        + "".join(
            f'<c r="{chr(65 + place)}{number}" t="inlineStr"><is><t>{cell}</t></is></c>'
            for place, cell in enumerate(row)
        )
        + "</row>"
        for number, row in ((1, rows[0]), (3, rows[1]))
    )
    relation = (
        f'<Relationships xmlns="{space}/package/2006/relationships"><Relationship Id="r1" '
        f'Type="{space}/officeDocument/2006/relationships/%s" Target="%s"/></Relationships>'
    )
    with zipfile.ZipFile(tmp_path / "r.xlsx", "w") as archive:
        archive.writestr("_rels/.rels", relation % ("officeDocument", "xl/workbook.xml"))
        archive.writestr("xl/_rels/workbook.xml.rels", relation % ("worksheet", "worksheets/sheet1.xml"))
        archive.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{space}/spreadsheetml/2006/main" xmlns:r="{space}/officeDocument/2006/relationships">'
            '<sheets><sheet name="a" sheetId="1" r:id="r1"/></sheets></workbook>',
        )
        archive.writestr(
            "xl/worksheets/sheet1.xml",
            f'<worksheet xmlns="{space}/spreadsheetml/2006/main"><sheetData>{cells}</sheetData></worksheet>',
        )

    (entry,) = load_register(tmp_path / "r.xlsx")

    assert ("A-1", ("B01", "B02"), 2) == (entry.approval_id, entry.tables, entry.row)


def test_the_dictionary_explains_every_column() -> None:
    """The data dictionary has the columns of the register and every text in each language."""
    assert {*REQUIRED, *OPTIONAL} == {column.name for column in columns()}
    assert set(REQUIRED) == {column.name for column in columns() if column.required}
    assert all(column["meaning"].keys() == {"zh", "pt", "en"} for column in data_dictionary())


@pytest.mark.parametrize("language", ["zh", "pt", "en"])
@pytest.mark.parametrize("name", ["register.csv", "register.yaml"])
def test_a_template_is_a_register(tmp_path: Path, language: str, name: str) -> None:
    """What the template shows can be read back, in each language and form."""
    assert 0 == call(["approvals", "template", "--out", str(tmp_path / name), "--lang", language])

    (entry,) = load_register(tmp_path / name)

    assert ("DICJ-2024-001", "commission", "none") == (entry.approval_id, entry.option, entry.value)


def test_a_template_overwrites_nothing(tmp_path: Path) -> None:
    """A file that is there, and a kind that no template has, are refused."""
    write_template(tmp_path / "a.csv", "zh")
    for name in ("a.csv", "b.docx"):
        with pytest.raises(UsageError, match=name):
            write_template(tmp_path / name, "zh")


def test_the_shipped_templates_are_those_that_would_be_made() -> None:
    """The templates beside the configuration are what the dictionary says today."""
    folder = resource_dir("config")

    assert template_csv("zh") == (folder / "register_template.csv").read_text(encoding="utf-8-sig")
    assert 1 == len(load_register(folder / "register_template.yaml"))
