"""Reading the register: the formats it may come in, and every way in which it can be malformed."""

from __future__ import annotations

import datetime as dt
import gzip
from pathlib import Path
from zoneinfo import ZoneInfo

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from audit.base.errors import InputRefused, UsageError
from audit.base.model import MACAU, Game
from audit.register.register import Approval, Decision, load_register

HEADER = "approval_id,casino,game,option,value,tables,applied_at,decision,authorised_at,planned_from,ends_on"
ROW = "A1,GAL,baccarat,commission,none,T1 T2,2026-03-09T10:00:00+08:00,granted,2026-03-11,2026-03-13,2026-12-31"

FIRST = Approval(
    approval_id="A1",
    casino="GAL",
    game=Game("baccarat"),
    option="commission",
    value="none",
    tables=("T1", "T2"),
    applied_at=dt.datetime(2026, 3, 9, 10, tzinfo=MACAU),
    decision=Decision.GRANTED,
    authorised_at=dt.date(2026, 3, 11),
    planned_from=dt.date(2026, 3, 13),
    ends_on=dt.date(2026, 12, 31),
    row=1,
    file="register.csv",
)


def write(folder: Path, *rows: str, header: str = HEADER, name: str = "register.csv") -> Path:
    """Write a register into a folder."""
    path = folder / name
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path


def test_a_csv_register_is_read_with_types(tmp_path: Path) -> None:
    """Every column of a CSV row arrives with its type."""
    assert load_register(write(tmp_path, ROW)) == (FIRST,)


def test_byte_order_mark_and_crlf_are_accepted(tmp_path: Path) -> None:
    """A register saved by a spreadsheet, with a byte order mark and CRLF, reads the same."""
    path = tmp_path / "register.csv"
    path.write_bytes(f"\ufeff{HEADER}\r\n{ROW}\r\n\r\n".encode())

    assert load_register(path) == (FIRST,)


def test_compressed_csv_is_accepted(tmp_path: Path) -> None:
    """A compressed register reads the same but for its name."""
    content = f"{HEADER}\n{ROW}\n".encode()
    (tmp_path / "register.csv.gz").write_bytes(gzip.compress(content))
    (tmp_path / "register.csv.zst").write_bytes(pa.Codec("zstd").compress(content, asbytes=True))
    for suffix in ("gz", "zst"):
        (entry,) = load_register(tmp_path / f"register.csv.{suffix}")

        assert entry.content == FIRST.content


def test_parquet_types_are_accepted(tmp_path: Path) -> None:
    """Dates and timestamps of a Parquet register may have their own types or be text."""
    typed = {
        "approval_id": ["A1"],
        "casino": pa.array(["GAL"]).dictionary_encode(),
        "game": ["baccarat"],
        "option": ["commission"],
        "value": ["none"],
        "tables": pa.array([["T1", "T2"]]),
        "applied_at": pa.array([dt.datetime(2026, 3, 9, 2, tzinfo=dt.UTC)], pa.timestamp("ns", tz="UTC")),
        "decision": ["granted"],
        "authorised_at": pa.array([dt.date(2026, 3, 11)]),
        "planned_from": pa.array([dt.datetime(2026, 3, 13)], pa.timestamp("ms")),  # noqa: DTZ001 - as pandas writes days
        "ends_on": ["2026-12-31"],
        "remark": [1.5],
    }
    pq.write_table(pa.table(typed), tmp_path / "register.parquet")

    (entry,) = load_register(tmp_path / "register.parquet")
    assert entry.content == FIRST.content


def test_a_yaml_register_is_read_as_written(tmp_path: Path) -> None:
    """In YAML, too, a cell is what is written: an id keeps its zeros, a timestamp needs no quotes."""
    path = tmp_path / "register.yaml"
    path.write_text(
        "- approval_id: 007\n  casino: null\n  game: makccarat\n  option: draw_method\n  value: method_1\n"
        "  tables: [01, T2]\n  applied_at: 2026-03-09 10:00:00\n  decision: pending\n  ends_on:\n",
        encoding="utf-8",
    )

    (entry,) = load_register(path)
    assert (entry.approval_id, entry.casino, entry.tables) == ("007", None, ("01", "T2"))
    assert (entry.applied_at, entry.ends_on) == (dt.datetime(2026, 3, 9, 10, tzinfo=MACAU), None)


def test_nullable_columns_may_be_absent_and_others_are_ignored(tmp_path: Path) -> None:
    """A register with only the columns that must be there, and a column of its own, is accepted."""
    header = "approval_id,game,option,value,tables,decision,remark"
    (entry,) = load_register(write(tmp_path, "A1,baccarat,tie,kept,*,refused,see file", header=header))

    assert entry.tables == ("*",)
    assert (entry.casino, entry.applied_at, entry.authorised_at, entry.planned_from) == (None, None, None, None)


def test_a_timestamp_without_offset_is_read_in_the_profile_s_zone(tmp_path: Path) -> None:
    """An application time without an offset belongs to the zone of the source."""
    path = write(tmp_path, ROW.replace("T10:00:00+08:00", "T10:00:00"))

    assert load_register(path)[0].applied_at == dt.datetime(2026, 3, 9, 10, tzinfo=MACAU)
    assert load_register(path, zone=ZoneInfo("UTC"))[0].applied_at == dt.datetime(2026, 3, 9, 18, tzinfo=MACAU)


def test_a_day_of_application_stands_for_the_opening_and_says_so(tmp_path: Path) -> None:
    """An application of which only the day is recorded counts from nine o'clock, and the entry tells."""
    (entry,) = load_register(write(tmp_path, ROW.replace("T10:00:00+08:00", "")))

    assert entry.applied_at == dt.datetime(2026, 3, 9, 9, tzinfo=MACAU)
    assert entry.applied_day_only


def test_exact_repeats_are_dropped(tmp_path: Path) -> None:
    """A row that says the same again, however it writes the instant, is dropped."""
    again = ROW.replace("2026-03-09T10:00:00+08:00", "2026-03-09T02:00:00Z")

    assert load_register(write(tmp_path, ROW, again)) == (FIRST,)


def test_a_folder_and_a_glob_name_several_files(tmp_path: Path) -> None:
    """A register may be kept in several files; each entry knows its own."""
    write(tmp_path, ROW, name="a.csv")
    write(tmp_path, ROW.replace("A1", "A2"), name="b.csv")
    expected = [("A1", "a.csv"), ("A2", "b.csv")]

    assert expected == [(entry.approval_id, entry.file) for entry in load_register(tmp_path)]
    assert expected == [(entry.approval_id, entry.file) for entry in load_register(str(tmp_path / "*.csv"))]


def test_a_path_that_does_not_exist_is_wrong_usage(tmp_path: Path) -> None:
    """A register that is not there is the operator's mistake, not the data's."""
    with pytest.raises(UsageError, match="no such file"):
        load_register(tmp_path / "nowhere.csv")


MALFORMED = [
    ("A1", "", "row 2, column approval_id: empty"),
    ("baccarat", "roulette", "row 2, column game: 'roulette' is not one of baccarat, makccarat"),
    ("baccarat", "", "row 2, column game: empty"),
    ("granted", "yes", "row 2, column decision: 'yes' is not one of granted, refused, pending"),
    ("commission", "", "row 2, column option: empty"),
    (",none,", ",  ,", "row 2, column value: empty"),
    ("T1 T2", "", "row 2, column tables: empty"),
    ("T1 T2", "T1 *", "row 2, column tables: '*' stands for every table"),
    ("2026-03-13", "2026-02-30", "row 2, column planned_from: '2026-02-30' is not a day of the calendar"),
    ("2026-03-13", "13/03/2026", "row 2, column planned_from: '13/03/2026' is not a day written YYYY-MM-DD"),
    ("2026-03-13", "20260313", "row 2, column planned_from: '20260313'"),
    ("2026-03-11", "1026-03-11", "row 2, column authorised_at: 1026-03-11 is not between 1975-10-04 and 2099-12-31"),
    ("2026-12-31", "2100-01-01", "row 2, column ends_on: 2100-01-01 is not between"),
    ("2026-03-09T10:00:00+08:00", "yesterday", "row 2, column applied_at: 'yesterday' is not a timestamp"),
    ("2026-03-09T10:00:00+08:00", "2026-03-09T25:00:00", "row 2, column applied_at"),
    ("2026-03-09T10:00:00+08:00", "2026-03-09T10:00:00+99:00", "row 2, column applied_at"),
    ("2026-03-09T10:00:00+08:00", "1975-10-03T10:00:00", "row 2, column applied_at: 1975-10-03 is not between"),
    ("2026-03-09T10:00:00+08:00", "0001-01-01T00:00:00+14:00", "row 2, column applied_at"),
    (",2026-12-31", "", "row 2: 11 columns are expected and 10 found"),
    ("2026-12-31", "2026-12-31,", "row 2: 11 columns are expected and 12 found"),
    ("T1 T2", '"T1', "row 2: not well-formed CSV"),
]


@pytest.mark.parametrize(("good", "bad", "words"), MALFORMED)
def test_a_malformed_cell_refuses_the_register(tmp_path: Path, good: str, bad: str, words: str) -> None:
    """A cell that cannot be read refuses the whole register and is named by file, row and column."""
    path = write(tmp_path, ROW.replace("A1", "A0"), ROW.replace(good, bad, 1))

    with pytest.raises(InputRefused) as caught:
        load_register(path)
    assert f"register.csv, {words}" in str(caught.value)


def test_one_id_with_two_contents_refuses_the_register(tmp_path: Path) -> None:
    """The same approval id with other content is refused, naming both rows."""
    path = write(tmp_path, ROW, ROW.replace("granted", "refused"))

    with pytest.raises(InputRefused, match=r"row 2, column approval_id: 'A1' contradicts row 1"):
        load_register(path)


@pytest.mark.parametrize(
    ("header", "words"),
    [
        (HEADER.replace("decision", "verdict"), "the column 'decision' is missing"),
        (HEADER.replace("casino", "game"), "the column 'game' stands 2 times"),
        (HEADER.replace(",", ";"), "11 columns are expected and 1 found"),
        ("", "the file is empty"),
    ],
)
def test_a_wrong_header_refuses_the_register(tmp_path: Path, header: str, words: str) -> None:
    """A header with a column missing or doubled is refused."""
    with pytest.raises(InputRefused, match=words):
        load_register(write(tmp_path, ROW, header=header))


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("register.csv", b"", "the file is empty"),
        ("register.csv", HEADER.encode() + b"\n", "no row of data"),
        ("register.csv", HEADER.encode() + b"\n\xff\xfe", "line 2 is not UTF-8"),
        ("register.csv.gz", b"not compressed", "cannot be read"),
        ("register.parquet", b"PAR1", "not a readable Parquet file"),
        ("register.yaml", b"", "the file is empty"),
        ("register.yaml", b"[]", "no row of data"),
        ("register.yaml", b"a: 1", "a list of entries is expected"),
        ("register.yaml", b"- 1", "row 1: an entry"),
        ("register.yaml", b"- {game: baccarat, game: makccarat}", "row 1: the column 'game' stands 2 times"),
        ("register.yaml", b"- {game: baccarat}", "row 1: the column 'approval_id' is missing"),
        ("register.yaml", b"- {game: [", "not well-formed YAML"),
        ("register.txt", b"x", "a register is one of"),
    ],
)
def test_an_unreadable_file_is_refused(tmp_path: Path, name: str, content: bytes, words: str) -> None:
    """A file that is empty, damaged or of another kind is refused by name."""
    path = tmp_path / name
    path.write_bytes(content)

    with pytest.raises(InputRefused, match=words) as caught:
        load_register(path)
    assert str(caught.value).startswith(name)
