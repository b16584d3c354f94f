from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from audit.base.canonical import EVENTS, ROUNDS
from audit.base.errors import InputRefused
from audit.formats.parquetfile import ParquetReader, split
from audit.source.placing import placed
from audit.stores import files
from audit.stores.files import SourceFile
from audit.stores.partition import keys_of
from audit.stores.pruning import prune, prune_inputs
from tests.conftest import ROUND, Read, csv_of

DAY = dt.date(2024, 3, 1)
WITHOUT = {name: value for name, value in ROUND.items() if name != "table_id"}


def write(folder: Path, *rows: Mapping[str, str], name: str = "part-0.parquet") -> Path:
    """A file of rows of text in a folder, by the ending of its name."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    if name.endswith(".parquet"):
        pq.write_table(pa.Table.from_pylist([dict(row) for row in rows]), path)
    elif name.endswith(".csv"):
        path.write_text(csv_of([dict(row) for row in rows]))
    elif name.endswith(".jsonl"):
        path.write_text("".join(f"{row}\n".replace("'", '"') for row in rows))
    else:
        import openpyxl

        book = openpyxl.Workbook()
        for line in (list(rows[0]), *(list(row.values()) for row in rows)):
            book.active.append(line)
        book.save(path)
    return path


@pytest.mark.parametrize("ending", [".parquet", ".csv", ".jsonl", ".xlsx"])
def test_columns_that_a_file_lacks_come_from_its_folders(tmp_path: Path, read_files: Read, ending: str) -> None:
    """House and table of the rows are those of the folders, decoded, whatever the kind of file and order of folders."""
    write(tmp_path / "casino=MGM%20Macau" / "day=2024-03-01" / "table=T%2F1", WITHOUT, name=f"part-0{ending}")
    write(tmp_path / "table_id=T2" / "casino=Galaxy", WITHOUT | {"round_id": "R2"}, name=f"part-1{ending}")

    read = read_files(tmp_path)
    assert [("MGM Macau", "T/1"), ("Galaxy", "T2")] == [(row["casino"], row["table_id"]) for row in read.rows]
    assert [] == read.reasons


def test_a_folder_of_nulls_gives_none(tmp_path: Path, read_files: Read) -> None:
    """Hive's word for null is null: a house then comes from the configuration, and a table is missing."""
    write(tmp_path / "casino=__HIVE_DEFAULT_PARTITION__", ROUND)
    write(tmp_path / "table=__HIVE_DEFAULT_PARTITION__", WITHOUT, name="other.parquet")

    read = read_files(tmp_path)
    assert [(None, "T1")] == [(row["casino"], row["table_id"]) for row in read.rows]
    assert [("missing_value", 1)] == read.reasons


@pytest.mark.parametrize("ending", [".parquet", ".csv", ".jsonl", ".xlsx"])
def test_a_row_that_contradicts_its_folder_is_quarantined(tmp_path: Path, read_files: Read, ending: str) -> None:
    """Another house or table than the folder's goes to quarantine with the reason; an empty cell takes the folder's."""
    rows = [
        ROUND | {"round_id": "R1", "casino": "MGM"},
        ROUND | {"round_id": "R2", "casino": "Galaxy"},
        ROUND | {"round_id": "R3", "casino": ""},
        ROUND | {"round_id": "R4", "casino": "MGM", "table_id": "T9"},
    ]
    write(tmp_path / "casino=MGM" / "table=T1", *rows, name=f"part-0{ending}")

    read = read_files(tmp_path)
    assert [("R1", "MGM"), ("R3", "MGM")] == [(row["round_id"], row["casino"]) for row in read.rows]
    assert [1, 3] == read.numbers
    assert [("folder_differs", 2)] == read.reasons
    wrong = read.rejects(tmp_path)
    assert [(2, "casino", "Galaxy"), (4, "table_id", "T9")] == [
        (row["source_row"], row["column"], row["value"]) for row in wrong
    ]
    assert 'casino = "Galaxy"' in wrong[0]["message_en"]


def test_a_contradiction_counts_whatever_columns_are_asked_for(tmp_path: Path, read_files: Read) -> None:
    """The control totals do not depend on the columns that the caller needs."""
    write(tmp_path / "casino=MGM", ROUND | {"casino": "Galaxy"}, ROUND | {"casino": "MGM", "round_id": "R2"})

    assert [("folder_differs", 1)] == read_files(tmp_path, columns=()).reasons


@pytest.mark.parametrize(
    ("moment", "stays"),
    [
        ("2024-02-29T23:59:59+08:00", False),
        ("2024-02-29T16:00:00+00:00", True),
        ("2024-03-02T23:59:59+08:00", True),
        ("2024-03-02T16:00:00+00:00", False),
    ],
)
def test_a_row_of_another_day_than_its_folder_is_quarantined(
    tmp_path: Path, read_files: Read, moment: str, *, stays: bool
) -> None:
    """A moment may lie on the folder's calendar day in Macau and on the next, and nowhere else."""
    write(tmp_path / "gaming_day=2024-03-01", ROUND | {"started_at": moment}, ROUND | {"round_id": "R2"})

    assert ([] if stays else [("folder_differs", 1)]) == read_files(tmp_path).reasons


def test_typed_rows_take_what_their_folders_say() -> None:
    """Typed batches keep their schema, whether nothing, a part or everything of a column was filled."""
    batch = pa.RecordBatch.from_pylist(
        [{"round_id": "a", "casino": None}, {"round_id": "b", "casino": "MGM"}], schema=ROUNDS.schema
    )
    filled, faults = placed({"casino": "MGM", "table_id": None, "day": "2024-03-01"}, batch)

    assert ROUNDS.schema.equals(filled.schema)
    assert ["MGM", "MGM"] == filled["casino"].to_pylist()
    assert [] == faults
    event = pa.RecordBatch.from_pylist([{"at": dt.datetime(2024, 3, 9, tzinfo=dt.UTC)}], schema=EVENTS.schema)
    (fault,) = placed({"day": "2024-03-01"}, event)[1]
    assert ("at", [True]) == (fault.column, fault.mask.tolist())


def test_folders_that_say_nothing_are_no_partition() -> None:
    """Other keys, and parts of a date, say nothing of a file; the folder nearest to it counts."""
    assert {} == keys_of(["year=2024", "MGM", "casino"])
    assert {"day": "01", "casino": "B"} == keys_of(["Casino=A", "day=01", "casino=B"])
    assert {"casino": None} == SourceFile(Path("/x/casino=/log.csv"), "log.csv").partition


def filed(*days: int | str | None, name: str = "log.csv") -> tuple[SourceFile, ...]:
    """Files of days of March 2024, None for one without a day."""
    folders = ["" if d is None else f"day=2024-03-{d:02d}" if isinstance(d, int) else f"day={d}" for d in days]
    return files.named([SourceFile(Path("/data") / folder / name, name) for folder in folders])


def numbers(kept: Sequence[SourceFile]) -> list[Any]:
    """The days of the files."""
    return sorted(int(str(file.partition["day"])[-2:]) if file.partition else 0 for file in kept)


def test_a_period_needs_its_days_and_their_neighbours() -> None:
    """Files of the days asked for, the day before and the day after stay, and those that name no day."""
    dataset, vague = filed(None, 4, 5, 6, 7, 8, 9), filed("05", "__HIVE_DEFAULT_PARTITION__")

    def kept(first: int | None, last: int | None) -> Sequence[SourceFile]:
        dates = [None if day is None else dt.date(2024, 3, day) for day in (first, last)]
        return prune(dataset, *dates)

    assert [0, 5, 6, 7] == numbers(kept(6, 6))
    assert [0, 7, 8, 9] == numbers(kept(8, None))
    assert [0, 4, 5, 6] == numbers(kept(None, 5))
    assert dataset == kept(None, None)
    assert vague == prune(vague, DAY, DAY)


def test_rounds_are_kept_for_every_wager_that_is_read() -> None:
    """No wager loses its round by pruning: rounds go a day further, and stay whole beside wagers without a day."""
    days = filed(*range(1, 10))
    five = dt.date(2024, 3, 5)

    rounds, wagers, events = prune_inputs(days, filed(*range(1, 9)), filed(4, 7), five, five)
    assert ([3, 4, 5, 6, 7], [4, 5, 6], [4]) == (numbers(rounds), numbers(wagers), numbers(events))
    assert [4, 5, 6] == numbers(prune_inputs(days, (), (), five, five)[0])
    assert days == prune_inputs(days, filed(5, None), (), five, five)[0]
    assert [4, 5, 6] == numbers(prune_inputs(days, days, (), five, five)[0])


def test_names_do_not_depend_on_the_files_passed_over() -> None:
    """Whether the dataset has a day or a month, the files of the days asked for have the same names."""
    five = dt.date(2024, 3, 5)
    for others in ((), (20,), (1, 9, 20)):
        dataset = files.named(
            [SourceFile(Path(f"/data/day=2024-03-{d:02d}/table={t}/log.csv"), "") for d in (5, *others) for t in "AB"]
        )
        kept, _, _ = prune_inputs(dataset, (), (), five, five)
        assert ["table=A/log.csv", "table=B/log.csv"] == [file.name for file in kept]


def test_days_that_no_folder_has_are_refused() -> None:
    """A day outside the dataset is refused with the days that there are."""
    with pytest.raises(InputRefused, match="their folders are of 2024-03-01 to 2024-03-03"):
        prune_inputs(filed(1, 2, 3), (), (), dt.date(2024, 4, 1), None)


@pytest.fixture
def grouped(tmp_path: Path) -> SourceFile:
    """A Parquet file of ten rows in row groups of 3, 3, 3 and 1."""
    pq.write_table(
        pa.table({"a": list(range(1, 11)), "b": [str(n) for n in range(1, 11)]}),
        tmp_path / "x.parquet",
        row_group_size=3,
    )
    return files.resolve([str(tmp_path / "x.parquet")], "rounds")[0]


@pytest.mark.parametrize(("rows", "pieces"), [(1, 4), (4, 2), (5, 2), (6, 2), (7, 2), (100, 1)])
def test_pieces_are_the_file(grouped: SourceFile, rows: int, pieces: int) -> None:
    """The pieces of a file have all its rows once, in order, with the numbers and the evidence of the whole file."""
    parts = split(grouped, rows=rows)
    assert pieces == len(parts)
    seen: list[int] = []
    for part in parts:
        assert (grouped.name, grouped.bytes, grouped.sha256()) == (part.name, part.bytes, part.sha256())
        for raw in ParquetReader(part).batches({"a"}, ()):
            assert raw.source_row.tolist() == raw.columns["a"].to_pylist()
            last = np.array(raw.source_row[-1:])
            assert [str(last[0])] == raw.unread(last)["b"].to_pylist()
            seen += raw.source_row.tolist()
    assert list(range(1, 11)) == seen


def test_what_cannot_be_cut_is_one_piece(tmp_path: Path, grouped: SourceFile) -> None:
    """A CSV, a Parquet file without rows and a piece stay as they are."""
    (tmp_path / "x.csv").write_text("a\n1\n")
    pq.write_table(pa.table({"a": pa.array([], pa.int64())}), tmp_path / "empty.parquet")

    for file in (*files.resolve([f"{tmp_path}/x.csv", f"{tmp_path}/empty.parquet"], "x"), split(grouped, 1)[1]):
        assert (file,) == split(file, rows=1)
