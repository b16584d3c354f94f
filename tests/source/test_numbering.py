from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.base.canonical import ROUNDS
from audit.formats import csvfile
from audit.source import profiles
from audit.source.numbering import RunningNumbers

PROFILE = """\
name: vendor
rounds:
  columns: {round_id: n, round_no: n, table_id: table, shoe_id: shoe, player_points: p, banker_points: p}
  constants: {game: baccarat, status: void, started_at: "2024-01-15 12:00"}
  numbering: running
"""


@pytest.fixture
def numbers(tmp_path: Path, read_text: Any) -> Any:
    """Read (table, shoe, running number) rows; gives the reading."""

    def run(rows: list[tuple[str, str, int]], **more: Any) -> Any:
        (tmp_path / "vendor.yaml").write_text(PROFILE)
        lines = ["table,shoe,n,p", *(f"{table},{shoe},{n}," for table, shoe, n in rows)]
        return read_text("\n".join(lines), profile=profiles.load_profile(str(tmp_path / "vendor.yaml")), **more)

    return run


def _seen(reading: Any) -> list[int]:
    return [row["round_no"] for row in reading.rows]


def test_each_shoe_counts_from_one(numbers: Any) -> None:
    """Numbers that run on are counted again in each shoe, and a missing number leaves its gap."""
    rows = [("T", "a", 1), ("T", "a", 2), ("T", "b", 3), ("T", "b", 5), ("T", "c", 7)]

    assert [1, 2, 1, 3, 2] == _seen(numbers(rows))


def test_tables_count_by_themselves(numbers: Any) -> None:
    """Each table has its own sequence, also where its rows lie among those of others and shoes share names."""
    rows = [("T", "a", 1), ("U", "a", 50), ("T", "b", 2), ("U", "a", 51), ("U", "b", 52), ("T", "b", 3)]

    assert [1, 50, 1, 51, 1, 2] == _seen(numbers(rows))


def test_the_count_goes_on_from_block_to_block(monkeypatch: pytest.MonkeyPatch, numbers: Any) -> None:
    """A file read in many blocks gives the numbers of one read at once, also without the text columns."""
    rows = [("T", f"s{n // 7}", n + 1) for n in range(60)]
    at_once = _seen(numbers(rows))
    monkeypatch.setattr(csvfile, "BLOCK_BYTES", 64)

    assert [n % 7 + 1 for n in range(60)] == at_once == _seen(numbers(rows)) == _seen(numbers(rows, columns=()))


def test_a_number_before_its_shoe_is_rejected(numbers: Any) -> None:
    """A row out of sequence that lies before the first round of its shoe is quarantined."""
    reading = numbers([("T", "a", 1), ("T", "a", 9), ("T", "b", 10), ("T", "b", 4)])

    assert [1, 9, 1] == _seen(reading)
    assert [("number_before_shoe", 1)] == reading.reasons


@given(st.lists(st.integers(1, 5), min_size=1, max_size=8), st.integers(1, 9))
def test_any_cut_into_batches_gives_the_same_numbers(sizes: list[int], cut: int) -> None:
    """Shoes of any size, read in batches of any size, count from one to their size."""
    import pyarrow as pa

    expected = [n for size in sizes for n in range(1, size + 1)]
    base = dict.fromkeys(ROUNDS.names)
    rows = [base | {"table_id": "T", "shoe_id": str(shoe)} for shoe, size in enumerate(sizes) for _ in range(size)]
    rows = [row | {"round_no": number} for number, row in enumerate(rows, 1)]
    running, found = RunningNumbers(), []
    for start in range(0, len(rows), cut):
        batch = pa.RecordBatch.from_pylist(rows[start : start + cut], schema=ROUNDS.schema)
        found += running.renumber(batch)[0]["round_no"].to_pylist()

    assert expected == found
