"""A CSV file that is read in parts gives the rows, numbers and malformed rows that it gives as a whole."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.base.errors import InputRefused
from audit.formats import csv_cuts, csvfile
from audit.formats.csvfile import CsvReader, Dialect
from audit.stores.files import SourceFile

COMMA = Dialect()


def parts_of(file: SourceFile, stretch: int, dialect: Dialect = COMMA) -> tuple[SourceFile, ...]:
    """The file cut by stretches of so many bytes, however small it is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_cuts, "STRETCH", stretch)
        if not csv_cuts.can_be_cut(file, dialect):
            return (file,)
        looks = [csv_cuts.look(file, *each, dialect.delimiter) for each in csv_cuts.stretches(file)]
        return csv_cuts.cut(file, looks)


def read(files: Iterable[SourceFile], dialect: Dialect = COMMA) -> tuple[list[Any], list[Any]]:
    """The rows with their numbers, and the malformed rows."""
    rows: list[Any] = []
    malformed: list[Any] = []
    for file in files:
        reader = CsvReader(file, dialect)
        for batch in reader.batches(reader.names, reader.names):
            cells = (column.to_pylist() for column in batch.columns.values())
            rows += zip(batch.source_row.tolist(), *cells, strict=True) if len(batch) else ()
            malformed += [(each.row, each.text, each.found, each.expected) for each in batch.malformed]
    return rows, malformed


def read_or_refused(files: Iterable[SourceFile]) -> tuple[list[Any], list[Any]] | None:
    """The same, None if any part is refused."""
    try:
        return read(files)
    except InputRefused:
        return None


def written(folder: Path, content: bytes) -> SourceFile:
    """A file with some content."""
    path = folder / "rounds.csv"
    path.write_bytes(content)
    return SourceFile(path, path.name)


CELL = st.lists(st.sampled_from([*'ab,;"\n é澳', "\r\n"]), max_size=6).map("".join)
END = st.sampled_from(["\n", "\r\n"])


@st.composite
def tables(draw: st.DrawFn) -> bytes:
    """A CSV file as a program would write it, with blank lines and rows of another length among the others."""
    out = io.StringIO(newline="")
    out.write(draw(st.sampled_from(["", "\ufeff", "\n", "\r\n\n"])))
    styles = st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
    rows = draw(st.lists(st.lists(CELL, min_size=3, max_size=3) | st.lists(CELL, min_size=1, max_size=4), max_size=12))
    for row in [["x", "y", "z"], *rows]:
        csv.writer(out, quoting=draw(styles), lineterminator=draw(END)).writerow(row)
        out.write(draw(st.sampled_from(["", "", "", "\n", "\r\n"])))
    return out.getvalue().removesuffix(draw(st.sampled_from(["", "\n"]))).encode()


ANYTHING = st.lists(
    st.sampled_from(["a", "bc", ",", '"', "\n", "\r\n", "\r", "x,y,z\n", '"é"', "澳,", " ", "\0"]), max_size=40
)


@settings(max_examples=300)
@given(content=tables(), stretch=st.integers(4, 40), block=st.integers(400, 600))
def test_any_table_in_parts_is_the_table(tmp_path: Path, content: bytes, stretch: int, block: int) -> None:
    """Quotes, line breaks in cells, blank lines, rows of another length, wherever the stretches and blocks end."""
    file = written(tmp_path, content)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csvfile, "BLOCK_BYTES", block)
        assert read_or_refused(parts_of(file, stretch)) == read_or_refused([file])


@settings(max_examples=300)
@given(content=ANYTHING, stretch=st.integers(4, 40))
def test_any_text_in_parts_is_the_text(tmp_path: Path, content: list[str], stretch: int) -> None:
    """Text that is no CSV is read, or refused, as it is as a whole."""
    file = written(tmp_path, ("x,y,z\n" + "".join(content)).encode())

    assert read_or_refused(parts_of(file, stretch)) == read_or_refused([file])


ROWS = [["x", "y", "z"], *([str(n), 'a "b"\n\n, c' if n % 3 else "", "é\r\n" if n % 5 else "d"] for n in range(60))]


def of_rows(folder: Path, *, end: str = "\n", before: str = "", quoting: int = csv.QUOTE_MINIMAL) -> SourceFile:
    """A file of `ROWS`, each followed by a blank line."""
    out = io.StringIO(newline="")
    for row in ROWS:
        csv.writer(out, lineterminator=end * 2, quoting=quoting).writerow(row)  # type: ignore[arg-type]
    return written(folder, (before + out.getvalue()).encode())


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("before", ["", "\ufeff", "\r\n\n", "\ufeff\n"])
@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
def test_a_file_is_cut_into_parts_that_are_whole(tmp_path: Path, end: str, before: str, quoting: int) -> None:
    """The parts follow one another, each behind the header with the number of its first row; the file stays one."""
    file = of_rows(tmp_path, end=end, before=before, quoting=quoting)

    parts = parts_of(file, 100)

    lines = [part.lines for part in parts if part.lines]
    assert len(lines) == len(parts) > 10
    assert all(one.end == other.start and one.rows < other.rows for one, other in pairwise(lines))
    assert (lines[0].start, lines[0].rows, lines[-1].end) == (lines[0].head, 0, file.bytes)
    assert {(part.bytes, part.name, part.sha256()) for part in parts} == {(file.bytes, file.name, file.sha256())}
    rows, malformed = read(parts)
    assert [[cell or "" for cell in row[1:]] for row in rows] == ROWS[1:]
    assert [row[0] for row in rows] == list(range(1, len(ROWS)))
    assert not malformed


UNCERTAIN = {
    "returns": ("x,y\n" + "1,2\r" * 50, COMMA),
    "a quote in a cell": ("x,y\n" + "1,2\n" * 50 + '3,4" of wood\n' + "5,6\n" * 50, COMMA),
    "two of them": ("x,y\n" + ("1,2\n" * 50 + '3,4" of wood\n') * 2 + "5,6\n" * 50, COMMA),
    "a quote left open": ("x,y\n" + "1,2\n" * 50 + '3,"4\n' + "5,6\n" * 50, COMMA),
    "encoding": ("x,y\n" + "1,2\n" * 50, Dialect(encoding="cp1252")),
    "delimiter": ("x§y\n" + "1§2\n" * 50, Dialect(delimiter="§")),
    "a late header": ("\n" * 60 + "x,y\n" + "1,2\n" * 50, COMMA),
    "one row": ("x,y\n" + "1" * 300, COMMA),
    "small": ("x,y\n1,2\n", COMMA),
}


@pytest.mark.parametrize(("content", "dialect"), UNCERTAIN.values(), ids=UNCERTAIN)
def test_a_file_whose_rows_are_not_certain_is_left_whole(tmp_path: Path, content: str, dialect: Dialect) -> None:
    """Whoever reads the file as it is decides what its rows are."""
    file = written(tmp_path, content.encode())

    assert parts_of(file, 50, dialect) == (file,)


@pytest.mark.parametrize("stretch", range(8, 30))
def test_a_carriage_return_by_itself_is_seen_wherever_a_stretch_ends(tmp_path: Path, stretch: int) -> None:
    """It ends a row as a line feed does; with a line feed behind it, in the next stretch or not, the two do."""
    alone = written(tmp_path, b"x,y\n" + b"1,2\n" * 5 + b"3,4\r" + b"5,6\n" * 5)
    assert parts_of(alone, stretch) == (alone,)

    paired = written(tmp_path, b"x,y\r\n" + b"1,2\r\n" * 10)
    parts = parts_of(paired, stretch)
    assert len(parts) > 1
    assert all(part.lines.start < part.lines.end for part in parts if part.lines)
    assert read(parts) == read([paired])


def test_a_compressed_file_and_a_part_are_not_cut(tmp_path: Path) -> None:
    """The place of a row in a compressed file cannot be known without all before it."""
    file = of_rows(tmp_path)
    packed = SourceFile(tmp_path / "rounds.csv.gz", "rounds.csv.gz")
    packed.path.write_bytes(file.path.read_bytes())

    assert parts_of(packed, 50) == (packed,)
    assert [parts_of(part, 10) for part in parts_of(file, 200)] == [(part,) for part in parts_of(file, 200)]


def test_a_file_that_is_gone_is_refused(tmp_path: Path) -> None:
    """In a sentence, by whoever looks at it or reads a part of it."""
    file = of_rows(tmp_path)
    part = parts_of(file, 100)[1]
    file.path.unlink()

    assert parts_of(file, 100) == (file,)
    with pytest.raises(InputRefused, match=r"rounds\.csv: cannot be read \(No such file or directory\)"):
        csv_cuts.look(file, 0, 100, ",")
    with pytest.raises(InputRefused, match=r"rounds\.csv: cannot be opened"):
        read([part])


def test_what_a_part_cannot_read_is_said_of_the_file(tmp_path: Path) -> None:
    """The line of a wrong byte is counted from the begin of the file, and a row beyond a limit by its number there."""
    file = written(tmp_path, b"x,y\n" + b"1,2\n" * 50 + b"3,\xff\n" + b"5,6\n" * 50)
    parts = parts_of(file, 50)

    assert len(parts) > 5
    with pytest.raises(InputRefused, match=r"rounds\.csv: is not UTF-8 text \(first wrong byte in line 52\)"):
        read(parts)
