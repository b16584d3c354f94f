from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.base.errors import InputRefused
from audit.formats import csvfile
from audit.source import read
from audit.source.quarantine import Quarantine
from audit.stores import files


def _csv(a_round: Any, *rows: dict[str, str]) -> str:
    return "\n".join([",".join(a_round()), *(",".join(row.values()) for row in rows)]) + "\n"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "the file is empty"),
        (b"\n \r\n", "the file is empty"),
        (b"\xef\xbb\xbf", "the file is empty"),
        (b"round_id;table_id;game\nR1;T1;baccarat\n", "semicolon"),
        (b"round_id\ttable_id\tgame\nR1\tT1\tbaccarat\n", "a tab"),
        (b"round_id,table_id,round_id\n1,2,3\n", "two columns are called 'round_id'"),
        (b"round_id,table_id,round_id \n1,2,3\n", "two columns are called 'round_id'"),
        ("round_id,table_id\n1,2\n".encode("utf-16"), "not UTF-8"),
        ("round_id,table_id\n1,2\n".encode("utf-16-le"), "not UTF-8"),
        ("round_id,桌\n1,2\n".encode("big5"), r"not UTF-8 text \(first wrong byte in line 1\)"),
    ],
)
def test_a_file_that_is_no_log_is_refused_with_the_reason(read_text: Any, content: bytes, said: str) -> None:
    """An empty file, a wrong delimiter, two columns of one name and another encoding are refused in one sentence."""
    with pytest.raises(InputRefused, match=rf"^log\.csv: .*{said}") as caught:
        read_text(content)

    assert "\n" not in str(caught.value)


def test_a_wrong_byte_is_refused_with_its_line(read_text: Any, a_round: Any) -> None:
    """A byte that is not UTF-8 refuses the file and names the line, also in a column that no check reads."""
    content = _csv(a_round, a_round(), a_round()) + ",".join(a_round(shoe_id="S#").values()) + "\n"

    with pytest.raises(InputRefused, match=r"first wrong byte in line 4"):
        read_text(content.encode().replace(b"S#", b"S\xff"))


def test_a_wrong_byte_in_a_malformed_row_is_refused(read_text: Any, a_round: Any) -> None:
    """A row with too few fields and bytes that are no text refuses the file, as such bytes do anywhere."""
    with pytest.raises(InputRefused, match=r"first wrong byte in line 3"):
        read_text(_csv(a_round, a_round()).encode() + b"\xff,\xfe\n")


def test_byte_order_mark_and_carriage_returns_change_nothing(read_text: Any, a_round: Any) -> None:
    """A UTF-8 byte order mark and CRLF line ends give the rows of the plain file."""
    content = _csv(a_round, a_round(), a_round(round_id="R2"))
    plain = read_text(content).rows

    assert plain == read_text(b"\xef\xbb\xbf" + content.replace("\n", "\r\n").encode()).rows


def test_rows_with_another_number_of_fields_are_quarantined_and_shift_no_number(
    read_text: Any, a_round: Any, tmp_path: Path
) -> None:
    """Too few or too many fields put a row in quarantine; the rows after it keep their numbers, quoted lines too."""
    good = [a_round(round_id=f"R{number}") for number in range(4)]
    good[2]["shoe_id"] = '"a\nb"'
    header, *lines = _csv(a_round, *good).replace('"a\nb"', '"a@b"').splitlines()
    lines = [line.replace("@", "\n") for line in lines]
    content = "\n".join([header, lines[0], "too,few", lines[1], lines[2], lines[3] + ",more", "", lines[3]])
    reading = read_text(content)

    assert [1, 3, 4, 6] == reading.numbers
    assert [(2, "2/12", "too,few"), (5, "13/12", lines[3] + ",more")] == [
        (reject["source_row"], reject["value"], reject["row"]) for reject in reading.rejects(tmp_path)
    ]


def test_numbers_hold_across_blocks(monkeypatch: pytest.MonkeyPatch, read_text: Any, a_round: Any) -> None:
    """Row numbers are right when the file is read in many blocks with malformed rows at any place."""
    monkeypatch.setattr(csvfile, "BLOCK_BYTES", 300)
    lines = [",".join(a_round(round_id=str(n)).values()) if n % 7 else f"bad{n}" for n in range(1, 101)]
    reading = read_text("\n".join([",".join(a_round()), *lines]))

    assert [n for n in range(1, 101) if n % 7] == reading.numbers
    assert [str(n) for n in reading.numbers] == [row["round_id"] for row in reading.rows]
    assert 14 == reading.quarantine.count("rounds")


@pytest.mark.parametrize("block", [300, 900, csvfile.BLOCK_BYTES])
def test_rejected_rows_stand_in_the_order_of_the_file(
    monkeypatch: pytest.MonkeyPatch, read_text: Any, a_round: Any, tmp_path: Path, block: int
) -> None:
    """Rows that are no rows and rows with a wrong value are in the order of the file, wherever its blocks end."""
    monkeypatch.setattr(csvfile, "BLOCK_BYTES", block)
    kinds = ["bad", None, "round_no", None, None, "bad", "outcome"]
    rows = []
    for number in range(60):
        kind = kinds[number % 7]
        wrong = {} if kind in {None, "bad"} else {kind: "?"}
        rows.append("bad" if kind == "bad" else ",".join((a_round(round_id=f"R{number}") | wrong).values()))
    rejects = read_text("\n".join([",".join(a_round()), *rows])).rejects(tmp_path)

    assert [(n + 1, kinds[n % 7]) for n in range(60) if kinds[n % 7]] == [
        (each["source_row"], each["column"] or "bad") for each in rejects
    ]


@pytest.mark.parametrize("block", range(260, 330))
@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_a_line_break_in_a_cell_is_kept_wherever_a_block_ends(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, block: int, encoding: str
) -> None:
    """A carriage return and a line feed within quotes stay two, on both sides of the end of a block too."""
    monkeypatch.setattr(csvfile, "BLOCK_BYTES", block)
    cells = [f"{number}\r\n" + "\r\né" * (number % 9) for number in range(60)]
    path = tmp_path / "log.csv"
    path.write_bytes(("x,y\r\n" + "".join(f'"{cell}",1\r\n' for cell in cells)).encode(encoding))
    reader = csvfile.CsvReader(files.SourceFile(path, path.name), csvfile.Dialect(encoding=encoding))

    batches = list(reader.batches(reader.names, reader.names))

    assert cells == [cell for batch in batches for cell in batch.columns["x"].to_pylist()]
    assert list(range(1, 61)) == [int(number) for batch in batches for number in batch.source_row]


@pytest.mark.parametrize("where", [1, 400, 999])
@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "utf-16-le"])
def test_a_null_byte_is_no_text(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, where: int, encoding: str) -> None:
    """Behind one, Arrow may take a line break in a cell for the end of a row: the file is refused, the line named."""
    monkeypatch.setattr(csvfile, "BLOCK_BYTES", 2000)
    lines = [f'{number},"a{chr(0) if number == where else ""}"' for number in range(1000)]
    path = tmp_path / "log.csv"
    path.write_bytes("\n".join(["x,y", *lines]).encode(encoding))
    reader = csvfile.CsvReader(files.SourceFile(path, path.name), csvfile.Dialect(encoding=encoding))

    with pytest.raises(InputRefused, match=rf"log\.csv: is not .* text \(first wrong byte in line {where + 2}\)"):
        list(reader.batches(reader.names, reader.names))


def test_a_file_of_malformed_rows_only_is_all_quarantine(read_text: Any, a_round: Any) -> None:
    """Where no row has the right number of fields, all of them are quarantined and counted."""
    reading = read_text(",".join(a_round()) + "\na,b\nc\n")

    assert [] == reading.rows
    assert 2 == reading.quarantine.files("rounds")["log.csv"].rows


@pytest.mark.parametrize("cut", [1, 10, 40])
@pytest.mark.parametrize("kind", ["gz", "zst"])
def test_a_truncated_compressed_file_is_refused(
    tmp_path: Path, read_files: Any, a_round: Any, kind: str, cut: int
) -> None:
    """A compressed file that lacks its end is refused, though its rows up to there could be read."""
    content = _csv(a_round, *(a_round(round_id=f"R{n}") for n in range(500))).encode()
    codec = pa.compress(content, "zstd", asbytes=True) if kind == "zst" else gzip.compress(content)
    path = tmp_path / f"log.csv.{kind}"
    path.write_bytes(codec[:-cut])

    with pytest.raises(InputRefused, match=r"truncated or damaged"):
        read_files(path)


def test_a_damaged_compressed_file_is_refused(tmp_path: Path, read_files: Any) -> None:
    """A file that is called .csv.gz and is not gzip is refused."""
    (tmp_path / "log.csv.gz").write_text("round_id,table_id\n1,2\n")

    with pytest.raises(InputRefused, match=r"log\.csv\.gz: .*damaged"):
        read_files(tmp_path / "log.csv.gz")


def test_a_row_longer_than_a_block_is_refused(monkeypatch: pytest.MonkeyPatch, read_text: Any, a_round: Any) -> None:
    """A quote that is never closed ends in a refusal and not in a crash or in memory without bound."""
    monkeypatch.setattr(csvfile, "BLOCK_BYTES", 1000)
    rows = [a_round(void_reason=""), a_round(void_reason='"' + "x" * 3000)]

    with pytest.raises(InputRefused, match=r"^log\.csv: "):
        read_text("\n".join([",".join(rows[0]), *(",".join(row.values()) for row in rows)]))


_CELLS = st.text(st.sampled_from('ab9H ,"\n\r\t=é閒\0'), max_size=6)


@settings(max_examples=60)
@given(
    data=st.binary(max_size=200) | _CELLS.map(str.encode) | st.lists(_CELLS, max_size=30).map(",".join).map(str.encode)
)
def test_no_row_is_lost_and_nothing_crashes_on_any_bytes(tmp_path: Path, data: bytes) -> None:
    """Whatever follows a good header, the file is refused or every row is accepted or quarantined."""
    header = b"round_id,table_id,round_no,game,status,started_at,player_cards,banker_cards\n"
    good = b"R1,T1,1,baccarat,settled,2024-03-01T21:04:05Z,9H KD,3C 4S\n"
    path = tmp_path / "fuzz.csv"
    path.write_bytes(header + good + data)
    with Quarantine() as quarantine:
        try:
            batches = list(read.open_rounds(files.resolve([str(path)], "rounds"), quarantine=quarantine))
        except InputRefused:
            return
        counts = quarantine.files("rounds")["fuzz.csv"]
        quarantine.write_parquet(tmp_path / "q.parquet")

        assert counts.rows == sum(map(len, batches)) + quarantine.count("rounds")
        assert counts.accepted == sum(map(len, batches)) >= 1


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
@pytest.mark.parametrize("block", [150, 400, 1 << 20])
@pytest.mark.parametrize("where", [0, 11, 39])
def test_a_cell_of_several_lines_stays_one_cell_wherever_a_block_ends(
    tmp_path: Path, a_round: Any, monkeypatch: pytest.MonkeyPatch, eol: str, block: int, where: int
) -> None:
    """Line ends within quotes do not end a row, and no row is lost, repeated or numbered anew when a block ends there.

    Rows with too many fields before and after keep their own numbers.
    """
    rows = [
        ",".join(a_round(round_id=f"R{number}", shoe_id="澳" if number > 20 else "S").values()) for number in range(40)
    ]
    rows[where] = rows[where].replace(f"R{where},", f'"R{where}{eol} ""x""{eol}",', 1)
    rows[5], rows[30] = rows[5] + ",5", rows[30] + ",30"
    path = tmp_path / "log.csv"
    path.write_text(eol.join([",".join(a_round()), *rows, ""]), encoding="utf-8", newline="")
    monkeypatch.setattr(csvfile, "BLOCK_BYTES", block)
    with Quarantine() as quarantine:
        batches = list(read.open_rounds(files.resolve([str(path)], "rounds"), quarantine=quarantine))
        quarantine.write_parquet(tmp_path / "quarantine.parquet")
    rejected = pq.read_table(tmp_path / "quarantine.parquet").to_pylist()

    good = [number for number in range(40) if number not in {5, 30}]
    assert [number + 1 for number in good] == [int(n) for batch in batches for n in batch.source_row]
    assert [f'R{where}{eol} "x"' if number == where else f"R{number}" for number in good] == [
        name for batch in batches for name in batch.rows["round_id"].to_pylist()
    ]
    assert [(6, "field_count", rows[5]), (31, "field_count", rows[30])] == [
        (each["source_row"], each["reason"], each["row"]) for each in rejected
    ]
    assert "澳" == batches[-1].rows["shoe_id"][-1].as_py()
