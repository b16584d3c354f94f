"""The stream of many small files gives the rows that each file gives by itself, or leaves the file to be read so."""

from __future__ import annotations

import tempfile
from collections.abc import Generator, Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any
from unittest import mock

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.base.errors import InputRefused
from audit.formats.second_decoder import decoder, filerun
from audit.formats.second_decoder.filerun import FileStretch
from audit.source import read, small_files
from audit.source.file_reading import ReadStep
from audit.source.profiles import SourceProfile
from audit.source.quarantine import Quarantine
from audit.source.table_layout import Mapped, TableLayout
from audit.stores.files import resolve
from tests.conftest import WAGER

Row = dict[str, Any]

SCHEMA = pa.schema([(name, pa.string()) for name in (*WAGER, "seat")])


def write(folder: Path, groups: Sequence[Sequence[Row]], schema: pa.Schema = SCHEMA, **options: Any) -> Path:
    """A folder with a file of wagers for each group of rows, each row with an id of its own."""
    folder.mkdir(exist_ok=True)
    for number, rows in enumerate(groups):
        named = [WAGER | {"wager_id": f"W{number}-{place}"} | row for place, row in enumerate(rows)]
        pq.write_table(pa.Table.from_pylist(named, schema), folder / f"{number:03}.parquet", **options)
    return folder


def wagers(folder: Path) -> tuple[list[Any], list[Any]]:
    """Every accepted wager with its file and number, and everything that went to quarantine."""
    with Quarantine() as quarantine:
        rows = [
            (batch.file_at(place), int(batch.source_row[place]), row)
            for batch in read.open_wagers(resolve([str(folder)], "wagers"), quarantine=quarantine)
            for place, row in enumerate(batch.rows.to_pylist())
        ]
        counts = [(name, count.rows, count.quarantined) for name, count in quarantine.files("wagers").items()]
        return rows, [counts, quarantine.by_reason(), quarantine.ids("wagers")]


class Pieces(list[FileStretch]):
    """The pieces of a stream, and the names of the files that were read by themselves after all."""

    def __init__(self) -> None:
        super().__init__()
        self.alone: list[str] = []

    def streamed(self) -> list[tuple[int, int]]:
        """The files of the pieces that the stream could read, none of them by itself."""
        assert not self.alone
        return [(piece.first, piece.past) for piece in self if piece.rows is not None]


@pytest.fixture
def pieces(monkeypatch: pytest.MonkeyPatch) -> Pieces:
    """What a stream gives, with so few files as a test has."""
    seen = Pieces()
    made, by_itself = filerun.FileRun.pieces, small_files.SmallFiles._alone

    def watched(self: filerun.FileRun) -> Iterator[FileStretch]:
        for piece in made(self):
            seen.append(piece)
            yield piece

    def alone(self: small_files.SmallFiles, numbered: small_files.Numbered) -> Generator[ReadStep, None, bool]:
        seen.alone.append(numbered[1].name)
        return by_itself(self, numbered)

    monkeypatch.setattr(small_files, "MANY", 1)
    monkeypatch.setattr(filerun.FileRun, "pieces", watched)
    monkeypatch.setattr(small_files.SmallFiles, "_alone", alone)
    return seen


def alone(folder: Path) -> tuple[list[Any], list[Any]]:
    """The same with each file read by itself."""
    with mock.patch.object(small_files, "MOST_BYTES", 0):
        return wagers(folder)


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ((2, 3, 0, 4, 2, 0, 3, 7, 1, 0), [(0, 2), (2, 4), (4, 7), (7, 8), (8, 9)]),
        ((3, 2, 8, 1), [(0, 2), (2, 3), (3, 4)]),  # the third file is of three batches
        ((4, 4, 4, 4), [(0, 2), (2, 4)]),
    ],
)
def test_files_of_all_sizes(
    tmp_path: Path,
    pieces: Pieces,
    monkeypatch: pytest.MonkeyPatch,
    sizes: Sequence[int],
    expected: list[tuple[int, int]],
) -> None:
    """A batch of the decoder that ends in the middle of a file makes a piece of that file alone."""
    monkeypatch.setattr(small_files, "BATCH_ROWS", 8)
    folder = write(tmp_path / "w", [[{}] * size for size in sizes])

    rows, told = wagers(folder)

    assert (rows, told) == alone(folder)
    assert expected == pieces.streamed()
    assert len(sizes) == pieces[-1].past
    assert [(f"{n:03}.parquet", k + 1) for n, size in enumerate(sizes) for k in range(size)] == [r[:2] for r in rows]


def test_a_file_of_which_no_row_came(tmp_path: Path) -> None:
    """It is sound if it says that it has none."""
    full, empty = resolve([str(write(tmp_path / "w", [[{}], []]))], "wagers")
    for file in (full, empty):
        file.whole()

    assert [True, False, True] == [filerun._sound(full, 1), filerun._sound(full, 0), filerun._sound(empty, 0)]


@pytest.mark.parametrize("claim", [0, 14, 63])
@pytest.mark.parametrize("liar", [0, 2, 4])
def test_the_number_of_rows_that_a_footer_gives_is_not_relied_on(
    tmp_path: Path, pieces: Pieces, liar: int, claim: int
) -> None:
    """What is read are the rows that are there, each of its own file, also where one file says another number."""
    folder = write(tmp_path / "w", [[{}] * 60] * 5)
    path = folder / f"{liar:03}.parquet"
    content = path.read_bytes()
    true, false = (b"\x16" + bytes([2 * rows]) + b"\x19" for rows in (60, claim))  # the field before the row groups
    assert content.count(true) == 1
    path.write_bytes(content.replace(true, false))
    assert pq.read_metadata(path).num_rows == claim

    rows, told = wagers(folder)

    assert (rows, told) == alone(folder)
    assert 300 == len(rows)
    assert pieces


def test_every_wager_keeps_its_own_cells(tmp_path: Path, pieces: Pieces) -> None:
    """Sums of few digits, nulls, words of every kind and a row that is rejected stay with their rows."""
    narrow = pa.decimal128(7, 2)
    schema = pa.schema([(n, narrow if n in {"stake", "payout"} else pa.string()) for n in SCHEMA.names])
    groups: list[list[Row]] = [
        [
            {"stake": Decimal(10 * number + place), "payout": Decimal(place), "seat": None if place % 2 else f"{place}"}
            for place in range(1, 5)
        ]
        for number in range(6)
    ]
    groups[4][2]["payout"] = Decimal(-1)
    folder = write(tmp_path / "w", groups, schema)

    rows, told = wagers(folder)

    assert (rows, told) == alone(folder)
    assert [("004.parquet", 4, 1)] == [count for count in told[0] if count[2]]
    assert [(number, place, 10_000 * (10 * number + place)) for number in range(6) for place in range(1, 5)] == sorted(
        [(int(file[:3]), number, row["stake"]) for file, number, row in rows] + [(4, 3, 430_000)]
    )
    assert [(0, 6)] == pieces.streamed()


@pytest.mark.parametrize("cell", ["tie", None, "", "b a n k e r", "player"])
def test_a_word_that_was_not_known(tmp_path: Path, pieces: Pieces, cell: str | None) -> None:
    """A bet that none of the files looked at has is read all the same, and a cell without one stays without."""
    usual = [{"bet": "banker"}, {"bet": "player"}]
    folder = write(tmp_path / "w", [usual, usual, [{"bet": cell}, {"bet": "banker"}], usual, usual, usual])

    rows, told = wagers(folder)

    assert (rows, told) == alone(folder)
    assert pieces.streamed()[-1] == (0, 6)
    assert len(rows) == (12 if cell else 11)


def test_words_are_asked_for_by_their_places(tmp_path: Path, pieces: Pieces) -> None:
    """Columns of few words are not copied as text; one that has new words in every file is."""
    folder = write(tmp_path / "w", [[{"bet": "banker", "seat": f"S{number}"}] * 3 for number in range(5)])
    queries: list[str] = []
    asked = filerun._Asked.query

    with mock.patch.object(filerun._Asked, "query", lambda self: queries.append(asked(self)) or queries[-1]):
        rows, _ = wagers(folder)

    assert 'list_position($words0::varchar[], "bet")' in queries[0]
    assert '"seat"' in queries[0]
    assert 'varchar[], "seat"' not in queries[0]
    assert [f"S{number}" for number in range(5) for _ in range(3)] == [row["seat"] for _, _, row in rows]
    assert [(0, 5)] == pieces.streamed()


def test_a_new_word_in_the_middle_costs_no_row(tmp_path: Path, pieces: Pieces, monkeypatch: pytest.MonkeyPatch) -> None:
    """The stream goes on where it was, with that column as text from there on."""
    monkeypatch.setattr(small_files, "BATCH_ROWS", 4)
    usual = [{"bet": "banker"}, {"bet": "player"}]
    groups = [usual] * 3 + [[{"bet": "tie"}] * 2] + [usual] * 3 + [[{"bet": "lucky_six", "currency": "MOP"}]] + [usual]
    folder = write(tmp_path / "w", groups)

    rows, told = wagers(folder)

    assert (rows, told) == alone(folder)
    assert [(0, 2), (2, 4), (4, 6), (6, 8), (8, 9)] == pieces.streamed()


def test_another_schema_is_left_to_arrow(tmp_path: Path, pieces: Pieces, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that differ are not read in a stream; those that follow are again."""
    monkeypatch.setattr(filerun, "_TOGETHER", 3)
    folder = write(tmp_path / "w", [[{}] * 2] * 7)
    table = pq.read_table(folder / "004.parquet")
    pq.write_table(
        table.set_column(
            table.schema.names.index("stake"), "stake", pa.array([Decimal(7), Decimal(8)], pa.decimal128(9, 2))
        ),
        folder / "004.parquet",
    )

    rows, told = wagers(folder)

    assert (rows, told) == alone(folder)
    assert [(0, 3), (6, 7)] == pieces.streamed()
    assert [70_000, 80_000] == [row["stake"] for file, _, row in rows if file == "004.parquet"]


@pytest.mark.parametrize("column", ["seat", "file_row_number", "File_Index", "STAKE"])
def test_columns_the_decoder_might_mistake(tmp_path: Path, pieces: Pieces, column: str) -> None:
    """A type it is not asked for, its own name for a file or a row, names alike but for case: Arrow reads."""
    folder = tmp_path / "w"
    folder.mkdir()
    for number in range(3):
        table = pa.Table.from_pylist([WAGER | {"wager_id": f"W{number}"}], SCHEMA)
        if column in table.schema.names:
            table = table.drop_columns([column])
        pq.write_table(table.append_column(column, pa.array([0], pa.uint8())), folder / f"{number}.parquet")

    assert wagers(folder) == alone(folder)
    assert [] == pieces.streamed()


def test_files_that_give_themselves_out_for_another(tmp_path: Path, pieces: Pieces) -> None:
    """Columns by the names under which the decoder tells file and row are not believed."""
    folder = write(tmp_path / "w", [[{}] * 6] * 2)
    paths = [folder / "000.parquet", folder / "001.parquet"]
    told = [[(0, row) for row in range(6)], [(0, 6), (0, 7), (0, 8), (1, 0), (1, 1), (1, 2)]]
    for path, cells in zip(paths, told, strict=True):
        table = pq.read_table(path).append_column("file_index", pa.array([file for file, _ in cells]))
        pq.write_table(table.append_column("file_row_number", pa.array([row for _, row in cells])), path)

    assert wagers(folder) == alone(folder)
    assert [] == pieces.streamed()


def test_names_that_the_decoder_would_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where names differ in case alone it calls one of them otherwise, perhaps as a third that is asked for."""
    monkeypatch.setattr(small_files, "MANY", 1)
    mapped = {name: Mapped("seat_1" if name == "seat" else name) for name in SCHEMA.names}
    profile = SourceProfile("house", tables={"wagers": TableLayout(columns=mapped)})
    folder = write(tmp_path / "w", [[{}] * 2] * 3)
    for path in folder.iterdir():
        table = pq.read_table(path).drop_columns(["seat"])
        for name in ("seat", "SEAT", "seat_1"):
            table = table.append_column(name, pa.array([name] * 2))
        pq.write_table(table, path)

    with Quarantine() as quarantine:
        batches = read.open_wagers(resolve([str(folder)], "wagers"), profile=profile, quarantine=quarantine)
        assert {"seat_1"} == {seat for batch in batches for seat in batch.rows["seat"].to_pylist()}


def test_columns_of_nothing(tmp_path: Path, pieces: Pieces) -> None:
    """A column without any cell, which some writers give a type of its own, is as empty as when read alone."""
    schema = SCHEMA.set(SCHEMA.names.index("seat"), pa.field("seat", pa.null()))
    folder = write(tmp_path / "w", [[{}] * 2] * 3, schema)

    rows, told = wagers(folder)

    assert (rows, told) == alone(folder)
    assert [None] * 6 == [row["seat"] for _, _, row in rows]
    assert not pieces.alone


OTHER = {
    "scale": pa.array([Decimal("0.0051")], pa.decimal128(16, 4)),
    "text": pa.array(["1.005"]),
    "binary": pa.array([1.5]),
}


@pytest.mark.parametrize("victim", [0, 2])
@pytest.mark.parametrize("cells", OTHER.values(), ids=OTHER)
def test_a_file_that_is_replaced_while_it_is_read(
    tmp_path: Path, pieces: Pieces, monkeypatch: pytest.MonkeyPatch, victim: int, cells: pa.Array
) -> None:
    """The decoder would convert the new file's cells to the type of the others: it is read by itself instead."""
    kinds = {"stake": pa.decimal128(14, 2), "payout": pa.decimal128(14, 2)}
    schema = pa.schema([(name, kinds.get(name, pa.string())) for name in SCHEMA.names])
    folder = write(tmp_path / "w", [[{"stake": Decimal(1), "payout": Decimal(2)}]] * 4, schema)
    fresh = pq.read_table(folder / f"{victim:03}.parquet")
    pq.write_table(fresh.set_column(fresh.schema.names.index("payout"), "payout", cells), tmp_path / "fresh.parquet")
    alike = filerun._alike

    def replaced(*given: Any) -> bool:
        found = alike(*given)
        if (tmp_path / "fresh.parquet").exists():
            (tmp_path / "fresh.parquet").replace(folder / f"{victim:03}.parquet")
        return found

    monkeypatch.setattr(filerun, "_alike", replaced)
    if "double" in str(cells.type):
        with pytest.raises(InputRefused, match=f"{victim:03}.parquet: column payout is double"):
            wagers(folder)
    else:
        assert wagers(folder) == alone(folder)
    assert all(piece.rows is None for piece in pieces)


@pytest.mark.parametrize("scale", [0, 4])
def test_a_type_of_which_arrow_noted_nothing(tmp_path: Path, pieces: Pieces, scale: int) -> None:
    """Another program wrote the files, one of them with other decimals, which the decoder would convert."""
    kinds = {"stake": pa.decimal128(14, 2), "payout": pa.decimal128(14, 2)}
    schema = pa.schema([(name, kinds.get(name, pa.string())) for name in SCHEMA.names])
    folder = write(tmp_path / "w", [[{"stake": Decimal(1), "payout": Decimal(2)}]] * 4, schema, store_schema=False)
    other = pq.read_table(folder / "002.parquet")
    place = schema.names.index("payout")
    cells = pa.array([Decimal("3.0000")], pa.decimal128(16, scale))
    pq.write_table(other.set_column(place, "payout", cells), folder / "002.parquet", store_schema=False)

    assert wagers(folder) == alone(folder)
    assert [] == pieces.streamed()


@pytest.mark.parametrize("grouped", [0, 2])
def test_a_column_within_a_group(tmp_path: Path, pieces: Pieces, grouped: int) -> None:
    """A column that one file has within another, and the others by themselves, is not the same."""
    folder = write(tmp_path / "w", [[{"seat": "1"}]] * 4, store_schema=False)
    path = folder / f"{grouped:03}.parquet"
    table = pq.read_table(path)
    seat = pa.StructArray.from_arrays([table["seat"].combine_chunks()], fields=[pa.field("seat", pa.string())])
    around = pa.field("around", seat.type, nullable=False)
    pq.write_table(table.drop_columns(["seat"]).append_column(around, seat), path, store_schema=False)

    assert wagers(folder) == alone(folder)
    assert [] == pieces.streamed()


def test_a_type_that_only_arrow_noted(tmp_path: Path, pieces: Pieces) -> None:
    """A length of time is stored as a number, and is none."""
    schema = SCHEMA.set(SCHEMA.names.index("seat"), pa.field("seat", pa.int64()))
    folder = write(tmp_path / "w", [[{"seat": 1}]] * 4, schema)
    fresh = pq.read_table(folder / "002.parquet")
    times = pa.array([1], pa.duration("ms"))
    pq.write_table(fresh.set_column(fresh.schema.names.index("seat"), "seat", times), folder / "002.parquet")

    with pytest.raises(InputRefused, match=r"002\.parquet: column seat is duration"):
        wagers(folder)
    assert [False] == [piece.rows is not None for piece in pieces]


def test_what_arrow_noted_of_the_types(tmp_path: Path, pieces: Pieces) -> None:
    """Notes that say the same in other words, or say nothing new, are the same; a damaged one is for Arrow to judge."""
    folder = write(tmp_path / "w", [[{}] * 2] * 4)
    for number, path in enumerate(sorted(folder.iterdir())):
        pq.write_table(pq.read_table(path).replace_schema_metadata({"rows": str(number)}), path)
    assert wagers(folder) == alone(folder)
    assert [(0, 4)] == pieces.streamed()

    pieces.clear()
    pq.write_table(pq.read_table(folder / "002.parquet"), folder / "002.parquet", store_schema=False)
    assert wagers(folder) == alone(folder)
    assert [(0, 4)] == pieces.streamed()

    content = (folder / "003.parquet").read_bytes()
    place = content.index(b"ARROW:schema") + 60
    (folder / "003.parquet").write_bytes(content[:place] + b"!" + content[place + 1 :])
    with pytest.raises(InputRefused, match=r"003\.parquet: is not a whole Parquet file"):
        wagers(folder)


@pytest.mark.parametrize("good", [0, 1, 2])
def test_arrow_goes_on_where_the_decoder_fails(
    tmp_path: Path, pieces: Pieces, monkeypatch: pytest.MonkeyPatch, good: int
) -> None:
    """What was read stays read once; the rest is read file by file."""
    monkeypatch.setattr(small_files, "BATCH_ROWS", 4)
    folder = write(tmp_path / "w", [[{}] * 2] * 6)
    left = [good]
    whole = filerun._whole

    def failing(*given: Any) -> filerun._Whole:
        left[0] -= 1
        if left[0] < 0:
            raise OSError("no memory left")
        return whole(*given)

    monkeypatch.setattr(filerun, "_whole", failing)

    assert wagers(folder) == alone(folder)
    assert [(2 * place, 2 * place + 2) for place in range(good)] == pieces.streamed()


WRITERS: dict[str, dict[str, Any]] = {
    "snappy": {"compression": "snappy"},
    "gzip": {"compression": "gzip"},
    "not compressed": {"compression": "none"},
    "pages of version 2": {"data_page_version": "2.0"},
    "row groups": {"row_group_size": 3},
    "tiny pages": {"data_page_size": 16, "write_batch_size": 4, "dictionary_pagesize_limit": 8},
    "deltas": {"use_dictionary": False, "column_encoding": {"wager_id": "DELTA_BYTE_ARRAY", "bet": "PLAIN"}},
    "whole decimals": {"store_decimal_as_integer": True},
    "no types of Arrow": {"store_schema": False},
}


@pytest.mark.parametrize("options", WRITERS.values(), ids=WRITERS)
def test_however_the_files_are_written(tmp_path: Path, pieces: Pieces, options: dict[str, Any]) -> None:
    """Compression, pages, encodings and row groups are the writer's choice."""
    kinds = {"stake": pa.decimal128(14, 2), "payout": pa.decimal128(18, 4)}
    schema = pa.schema([(name, kinds.get(name, pa.string())) for name in SCHEMA.names])
    cells = [
        {"stake": Decimal(n), "payout": Decimal(n) / 4, "seat": str(n % 3) if n % 5 else None} for n in range(1, 9)
    ]
    folder = write(tmp_path / "w", [cells, cells[:3], [], cells[2:]], schema, **options)

    rows, told = wagers(folder)

    assert (rows, told) == alone(folder)
    assert [(0, 4)] == pieces.streamed()
    assert [25_00 * n for n in range(1, 9)] == [row["payout"] for _, _, row in rows[:8]]


def test_without_the_decoder(tmp_path: Path, pieces: Pieces, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it is not installed, or has not the settings that are asked for, Arrow reads everything."""
    folder = write(tmp_path / "w", [[{}] * 2] * 3)
    monkeypatch.setattr(decoder, "SETTINGS", ("no_such_setting = 1",))

    with pytest.raises(decoder.NoDecoderError):
        decoder.connected()
    assert wagers(folder) == alone(folder)

    monkeypatch.setitem(__import__("sys").modules, "duckdb", None)
    with pytest.raises(decoder.NoDecoderError):
        decoder.connected()
    assert wagers(folder) == alone(folder)
    assert [] == pieces.streamed()


def test_a_path_like_a_pattern_is_left_to_arrow(tmp_path: Path, pieces: Pieces) -> None:
    """The decoder would take the marks of a pattern in a path as one."""
    folder = write(tmp_path / "day[1]", [[{}] * 2] * 3)

    assert wagers(folder) == alone(folder)
    assert [(0, 3)] == [(piece.first, piece.past) for piece in pieces]
    assert [] == pieces.streamed()


def test_a_file_of_many_rows_is_left_alone(tmp_path: Path, pieces: Pieces, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that would fill more than a batch by itself is no small one, however few its bytes."""
    monkeypatch.setattr(small_files, "BATCH_ROWS", 3)
    monkeypatch.setattr(small_files, "MOST_ROWS", 3)
    folder = write(tmp_path / "w", [[{}] * 2, [{}] * 8, [{}]])

    assert wagers(folder) == alone(folder)
    assert [(0, 1, True), (1, 3, False)] == [(piece.first, piece.past, piece.rows is not None) for piece in pieces]
    assert ["001.parquet"] == pieces.alone


@pytest.mark.parametrize(
    ("places", "numbers", "good"),
    [
        ([4, 4, 6, 6, 6], [0, 1, 0, 1, 2], True),
        ([4, 4, 4, 6, 6], [0, 1, 0, 1, 2], False),
        ([4, 4, 6, 6, 6], [0, 1, 1, 2, 3], False),
        ([4, 4, 6, 6, 6], [0, 1, 0, 1, 3], False),
        ([4, 6, 4, 6, 6], [0, 0, 1, 1, 2], False),
    ],
)
def test_rows_that_are_missing_or_in_another_order(places: list[int], numbers: list[int], *, good: bool) -> None:
    """Rows are those of whole files, one after the other, or they are refused; files between them have none."""
    plan = filerun.Plan(pa.schema([]), ("a",), (), frozenset(), (), (), footer=None)
    asked = filerun._Asked(plan, {"a": pa.string()}, {})
    columns = [pa.array(list("abcde")), pa.array(places, pa.uint64()), pa.array(numbers, pa.int64())]
    rows = filerun._DecodedRows(pa.RecordBatch.from_arrays(columns, ["a", "place", "number"]))
    if good:
        part = filerun._whole(asked, [rows], 3)
        assert [0, 2, 0, 3] == part.sizes
        assert list("abcde") == part.columns["a"].to_pylist()
        return
    with pytest.raises(pa.ArrowInvalid):
        filerun._whole(asked, [rows], 3)


CELLS = st.fixed_dictionaries(
    {
        "bet": st.sampled_from(["banker", "player", "tie", "lucky_six", None]),
        "seat": st.sampled_from(["1", "2", " 2", "", None]),
        "currency": st.sampled_from(["HKD", "HKD", "MOP", "hkd", None]),
        "stake": st.sampled_from(["100", "0", "-1", "x", None]),
    }
)


@settings(max_examples=40)
@given(
    st.lists(st.lists(CELLS, max_size=4), min_size=1, max_size=7), st.integers(1, 6), st.integers(1, 8), st.booleans()
)
def test_any_files_are_as_when_read_alone(
    groups: list[list[Row]], rows: int, together: int, dictionaries: bool
) -> None:
    """Whatever words, gaps and sizes: the same rows and the same quarantine, however the files fall into pieces."""
    groups.append([{}])  # a log without a row is refused
    with tempfile.TemporaryDirectory() as scratch:
        folder = write(Path(scratch) / "w", groups, use_dictionary=dictionaries)
        expected = alone(folder)
        with (
            mock.patch.object(small_files, "MANY", 1),
            mock.patch.object(small_files, "BATCH_ROWS", rows),
            mock.patch.object(filerun, "_TOGETHER", together),
        ):
            assert wagers(folder) == expected
