"""A folder of many small Parquet files is read as if each were read by itself."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from audit.base.errors import InputRefused
from audit.config.settings import load_settings
from audit.demo import DemoFiles, make_demo
from audit.pipeline import RunRequest, run_audit
from audit.source import read, small_files
from audit.source.file_reading import Batch
from audit.source.quarantine import Quarantine
from audit.stores import files
from tests.finished import NoGate

pytestmark = pytest.mark.slow

OPEN = {"rounds": read.open_rounds, "wagers": read.open_wagers}
OUTPUTS = ("findings.parquet", "findings.csv", "findings.json", "quarantine.parquet", "evidence.json", "manifest.json")
MONEY = pa.decimal128(14, 2)

Maker = Callable[..., dict[str, str]]


def all_of(folder: Path, scratch: Path, table: str = "rounds", **more: Any) -> tuple[list[Any], list[Any], list[Batch]]:
    """Every row with its file and number, everything the quarantine knows, and the batches."""
    found = files.resolve([str(folder)], table)
    with Quarantine() as quarantine:
        batches = list(OPEN[table](found, quarantine=quarantine, **more))
        rows = [
            (batch.file_at(place), int(batch.source_row[place]), row)
            for batch in batches
            for place, row in enumerate(batch.rows.to_pylist())
        ]
        quarantine.write_parquet(scratch / "quarantine.parquet")
        counts = [(name, count.rows, count.quarantined) for name, count in quarantine.files(table).items()]
        told = [pq.read_table(scratch / "quarantine.parquet").to_pylist(), counts, quarantine.by_reason()]
        told.append(quarantine.ids(table))
    return rows, told, batches


def same(
    folder: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch, table: str = "rounds", **more: Any
) -> tuple[list[Any], list[Any], list[Batch]]:
    """What the folder gives, proved to be the same when each file is read by itself."""
    together = all_of(folder, scratch, table, **more)
    with monkeypatch.context() as patch:
        patch.setattr(small_files, "MOST_BYTES", 0)
        alone = all_of(folder, scratch, table, **more)
    assert all(batch.origin is None for batch in alone[2])
    assert alone[0] == together[0]
    assert alone[1] == together[1]
    return together


def refused(folder: Path, victim: str, monkeypatch: pytest.MonkeyPatch, table: str = "rounds") -> list[str]:
    """The ids read before the file that is refused, which with the sentence is the same when each is read by itself."""
    told = []
    for most in (small_files.MOST_BYTES, 0):
        got: list[str] = []
        with monkeypatch.context() as patch, Quarantine() as quarantine:
            patch.setattr(small_files, "MOST_BYTES", most)
            batches = OPEN[table](files.resolve([str(folder)], table), quarantine=quarantine)
            with pytest.raises(InputRefused, match=rf"^{re.escape(victim)}: ") as caught:
                got.extend(name for batch in batches for name in batch.rows[f"{table[:-1]}_id"].to_pylist())
        told.append((got, str(caught.value)))
    assert told[0] == told[1]
    return told[0][0]


@pytest.fixture(autouse=True, params=["one by one", "in a stream"])
def _decoded(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Few files as they are read, and as if they were many."""
    if request.param == "in a stream":
        monkeypatch.setattr(small_files, "MANY", 1)


@pytest.fixture
def mixed(tmp_path: Path, a_round: Maker) -> Path:
    """Files of rounds: plain, a bad row in the middle, repeats, none, another order of columns, other types."""
    folder = tmp_path / "rounds"
    folder.mkdir()

    def write(name: str, rows: list[dict[str, str]], **columns: pa.Array) -> None:
        table = pa.Table.from_pylist(rows, pa.schema([(n, pa.string()) for n in a_round()]))
        for column, values in columns.items():
            table = table.set_column(table.schema.names.index(column), column, values)
        pq.write_table(table, folder / name)

    write("a.parquet", [a_round(round_id="R1"), a_round(round_id="R2", void_reason=None) | {"outcome": "tie"}])
    write("b.parquet", [a_round(round_id="R3"), a_round(round_id="R4", player_cards="9X"), a_round(round_id="R5")])
    write("c.parquet", [])
    write("d.parquet", [a_round(round_id="R1"), a_round(round_id="R6"), a_round(round_id="R3", status="void")])
    rows = [a_round(round_id="R7", game="whist"), a_round(round_id="R8")]
    table = pa.Table.from_pylist(rows, pa.schema([(n, pa.string()) for n in a_round()]))
    pq.write_table(table.select(table.schema.names[::-1]), folder / "e.parquet")
    write("f.parquet", [a_round(round_id="R9"), a_round(round_id="S1")], round_no=pa.array([1, -1], pa.int16()))
    write("g.parquet", [a_round(round_id="S2")])
    write("h.parquet", [a_round(round_id="S3", started_at="never")])
    return folder


def test_rows_numbers_and_rejects_are_those_of_each_file(
    mixed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bad rows, empty files, other orders and types of columns: rows, totals and quarantine are as read one by one."""
    rows, told, batches = same(mixed, tmp_path, monkeypatch)

    several = [("a.parquet", "b.parquet", "c.parquet", "d.parquet"), (), (), ("g.parquet", "h.parquet")]
    assert several == [batch.files for batch in batches]
    assert ("d.parquet", 3, "R3") == next((f, n, r["round_id"]) for f, n, r in rows if r["status"] == "void")
    assert [("b.parquet", 2), ("e.parquet", 1), ("f.parquet", 2), ("h.parquet", 1)] == [
        (each["source_file"], each["source_row"]) for each in told[0]
    ]
    assert ("c.parquet", 0, 0) in told[1]


def test_columns_left_unread_are_shown_of_a_rejected_row(
    mixed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A rejected row shows all its columns, also those that the caller had no use for."""
    _, told, _ = same(mixed, tmp_path, monkeypatch, columns=("round_id",))

    assert '"shoe_id": "S1"' in told[0][0]["row"]


def test_a_batch_is_filled_over_several_files(mixed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch takes whole files as long as they fit, and a file with more rows is read by itself."""
    monkeypatch.setattr(small_files, "BATCH_ROWS", 5)
    assert (("a.parquet", "b.parquet", "c.parquet"), 4) == _first(same(mixed, tmp_path, monkeypatch)[2])

    monkeypatch.setattr(small_files, "MOST_ROWS", 2)
    assert ((), 2) == _first(same(mixed, tmp_path, monkeypatch)[2])


def _first(batches: list[Batch]) -> tuple[tuple[str, ...], int]:
    return batches[0].files, len(batches[0])


def test_folders_speak_for_their_own_files(tmp_path: Path, a_round: Maker, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a partitioned dataset each file gets the house and table of its folders, and a contradiction is its own."""
    bare = {name: text for name, text in a_round().items() if name != "table_id"}
    for number, (casino, table, day) in enumerate(
        [("A", "T1", "2024-03-01"), ("A", "T2", "2024-03-01"), ("B", "T1", "2024-02-01"), ("B", "T3", "2024-03-01")]
    ):
        folder = tmp_path / "data" / f"casino={casino}" / f"day={day}" / f"table={table}"
        folder.mkdir(parents=True)
        row = bare | {"round_id": f"R{number}", "casino": "A" if number == 3 else ""}
        pq.write_table(
            pa.Table.from_pylist([row, bare | {"round_id": f"S{number}", "casino": ""}]), folder / "x.parquet"
        )

    rows, told, batches = same(tmp_path / "data", tmp_path, monkeypatch)

    assert 4 == len(batches[0].files)
    assert [("A", "T1"), ("A", "T1"), ("A", "T2"), ("A", "T2"), ("B", "T3")] == [
        (row["casino"], row["table_id"]) for _, _, row in rows
    ]
    assert [("started_at", 1), ("started_at", 2), ("casino", 1)] == [(e["column"], e["source_row"]) for e in told[0]]


@pytest.mark.parametrize("damage", ["cut", "text", "missing", "float"])
def test_a_file_that_cannot_be_read_is_named(mixed: Path, monkeypatch: pytest.MonkeyPatch, damage: str) -> None:
    """What is wrong with one of the files is said of that file, after the rows before it."""
    victim = mixed / "d.parquet"
    if damage == "cut":
        victim.write_bytes(victim.read_bytes()[:-9])
    elif damage == "text":
        victim.write_text("round_id\n", encoding="utf-8")
    else:
        table = pq.read_table(victim)
        place = table.schema.names.index("round_no")
        table = table.remove_column(place)
        if damage == "float":
            table = table.append_column("round_no", pa.array([1.5] * len(table)))
        pq.write_table(table, victim)
    assert ["R1", "R2", "R3", "R5"] == refused(mixed, "d.parquet", monkeypatch)


def test_a_dictionary_pointed_beyond_is_refused() -> None:
    """A column that points beyond its dictionary, as damaged pages give it, is not put together with others."""
    good = pa.array(["a", "b"]).dictionary_encode()
    bad = pa.DictionaryArray.from_arrays(pa.array([0, 7], pa.int32()), pa.array(["a"]), safe=False)

    with pytest.raises(pa.ArrowInvalid):
        small_files._joined(pa.chunked_array([good, bad]))


def test_empty_files_alone_are_refused(tmp_path: Path, a_round: Maker) -> None:
    """A folder of files without a row is no log."""
    for name in ("a.parquet", "b.parquet"):
        pq.write_table(pa.Table.from_pylist([a_round()]).slice(1), tmp_path / name)

    with Quarantine() as quarantine, pytest.raises(InputRefused, match="no row of data"):
        list(read.open_rounds(files.resolve([str(tmp_path)], "rounds"), quarantine=quarantine))


KINDS = {
    "round_no": [pa.int64(), pa.int8(), pa.uint16(), pa.string()],
    "started_at": [pa.timestamp("ms", "Asia/Macau"), pa.timestamp("us", "UTC"), pa.timestamp("ns", "UTC")],
    "player_points": [pa.int8(), pa.float64()],
    "status": [pa.dictionary(pa.int32(), pa.string()), pa.large_string(), pa.binary(), pa.string_view()],
    "player_pair": [pa.bool_(), pa.string()],
}


@pytest.mark.parametrize(("column", "kind"), [(name, kind) for name, kinds in KINDS.items() for kind in kinds], ids=str)
def test_columns_of_any_type_are_as_when_read_alone(
    tmp_path: Path, a_round: Maker, monkeypatch: pytest.MonkeyPatch, column: str, kind: pa.DataType
) -> None:
    """Numbers, instants, text in every guise, with nulls: the same rows, or the same refusal."""
    moment = dt.datetime(2024, 3, 1, 21, 4, 5, 678_000, dt.UTC)
    value = {"round_no": 7, "started_at": moment, "player_points": 9, "player_pair": True, "status": "settled"}[column]
    folder = tmp_path / "rounds"
    folder.mkdir()
    for number in range(4):
        rows = [a_round(round_id=f"R{number}-{row}") for row in range(3)]
        table = pa.Table.from_pylist(rows, pa.schema([(name, pa.string()) for name in a_round()]))
        shown = str(value).lower() if pa.types.is_string(kind) else value
        given = [shown, None if number else shown, shown]
        cells = pa.array(given, pa.string()).cast(kind) if column == "status" else pa.array(given, kind)
        names = table.schema.names
        table = (
            table.set_column(names.index(column), column, cells)
            if column in names
            else table.append_column(column, cells)
        )
        pq.write_table(table, folder / f"{number}.parquet")

    said = []
    for most in (small_files.MOST_BYTES, 0):
        monkeypatch.setattr(small_files, "MOST_BYTES", most)
        try:
            said.append(repr(all_of(folder, tmp_path)[:2]))
        except InputRefused as refused:
            said.append(str(refused))

    assert said[0] == said[1]


@pytest.mark.parametrize("text", [False, True])
def test_a_damaged_file_among_others(
    tmp_path: Path, a_wager: Maker, monkeypatch: pytest.MonkeyPatch, text: bool
) -> None:
    """Pages overwritten, or bytes that are no text: the files before it are read, and it is named."""
    folder = tmp_path / "wagers"
    folder.mkdir()
    for number in range(6):
        ids = pa.array([f"W{number}-{row}".encode() for row in range(40)])
        if text and number == 3:
            ids = pa.array([b"\xff\xfe"] * 40)
        table = pa.Table.from_pylist([a_wager() for _ in range(40)]).set_column(0, "wager_id", ids.view(pa.string()))
        pq.write_table(table, folder / f"{number}.parquet", use_dictionary=False, compression="zstd")
    if not text:
        path = folder / "3.parquet"
        content = bytearray(path.read_bytes())
        chunk = pq.ParquetFile(path).metadata.row_group(0).column(0)
        content[chunk.data_page_offset : chunk.data_page_offset + chunk.total_compressed_size] = (
            b"\xff" * chunk.total_compressed_size
        )
        path.write_bytes(content)
    before = [f"W{number}-{row}" for number in range(3) for row in range(40)]
    assert before == refused(folder, "3.parquet", monkeypatch, "wagers")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> DemoFiles:
    """The made-up day with every fault."""
    return make_demo(tmp_path_factory.mktemp("demo"))


def _cut(path: Path, folder: Path, rows: int) -> Path:
    """The rows of a file in many, among them an empty one, and the first of them once more at the end."""
    folder.mkdir()
    table = pq.read_table(path) if path.suffix == ".parquet" else _as_text(path)
    parts = [table.slice(start, rows) for start in range(0, len(table), rows)]
    for number, part in enumerate([*parts, table.slice(0, 0), table.slice(0, 2)]):
        pq.write_table(part, folder / f"{number:04}.parquet")
    return folder


def _as_text(path: Path) -> pa.Table:
    import pyarrow.csv as pacsv

    with pacsv.open_csv(path) as reader:
        types = dict.fromkeys(reader.schema.names, pa.string())
    return pacsv.read_csv(path, convert_options=pacsv.ConvertOptions(column_types=types, strings_can_be_null=True))


def test_an_audit_of_many_files_names_the_right_ones(
    demo: DemoFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Findings, quarantine, totals and repeats of a folder of small files are as when each file is read by itself."""
    rounds, wagers = (_cut(path, tmp_path / name, 7) for name, path in (("r", demo.rounds), ("w", demo.wagers)))

    def audited(out: Path) -> dict[str, bytes]:
        request = RunRequest(
            rounds=[rounds],
            wagers=[wagers],
            approvals=demo.approvals,
            events=[demo.events],
            config=load_settings(demo.config),
            out=out,
            report=False,
        )
        run_audit(request, gate=NoGate())
        return {name: (out / name).read_bytes() for name in OUTPUTS}

    together = audited(tmp_path / "together")
    monkeypatch.setattr(small_files, "MOST_BYTES", 0)

    assert audited(tmp_path / "alone") == together
    assert 20 < len(set(pq.read_table(tmp_path / "together" / "findings.parquet")["source_file"].to_pylist()))
