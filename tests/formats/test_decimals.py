"""The second decoder of decimals gives what Arrow's own gives: values, nulls, rejected rows, refusals."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from audit.base.canonical import WAGERS
from audit.base.errors import InputRefused
from audit.formats import parquetfile
from audit.formats.second_decoder import decimals, decoder
from audit.source.quarantine import Quarantine
from audit.source.read import open_wagers
from audit.stores.files import resolve

ROWS = 5_000


def wagers(kind: pa.DataType, seed: int = 1, **columns: pa.Array) -> pa.Table:
    """Made-up wagers whose sums have the type `kind`, some of them null, some below zero."""
    rng = np.random.default_rng(seed)
    unit = Decimal(1).scaleb(-kind.scale)

    def sums(low: int, nulls: float) -> pa.Array:
        most = min(10 ** (kind.precision) - 1, 10**13)
        values = rng.integers(low, most, ROWS)
        return pa.array([None if rng.random() < nulls else int(v) * unit for v in values], kind)

    return pa.table(
        {
            "wager_id": [f"W{i:06}" for i in range(ROWS)],
            "round_id": [f"R{i // 6:06}" for i in range(ROWS)],
            "bet": rng.choice(["player", "banker", "tie"], ROWS),
            "stake": sums(1, 0.01),
            "payout": sums(0, 0.0),
            "commission": sums(-(10**2), 0.5),
            "stake_returned": sums(0, 1.0),
        }
        | columns
    )


def read(path: Path, monkeypatch: pytest.MonkeyPatch, least: int) -> tuple[pa.Table, list[Any], bool]:
    """The typed rows, the quarantine, and whether the second decoder was at work."""
    used = []
    made = decimals.Decimals.take

    def take(self: decimals.Decimals, rows: int) -> dict[str, pa.Array]:
        used.append(rows)
        return made(self, rows)

    monkeypatch.setattr(decimals, "LEAST_ROWS", least)
    monkeypatch.setattr(decimals.Decimals, "take", take)
    with Quarantine() as quarantine:
        batches = [b.rows for b in open_wagers(resolve([str(path)], "wagers"), quarantine=quarantine)]
        quarantine.write_parquet(path.with_suffix(".q"))
        rejected = pq.read_table(path.with_suffix(".q")).to_pylist()
    return pa.Table.from_batches(batches, WAGERS.schema).unify_dictionaries(), rejected, bool(used)


@pytest.mark.parametrize(
    ("precision", "scale"), [(14, 2), (16, 4), (18, 4), (18, 2), (16, 0), (10, 0), (9, 9), (3, 1), (16, 3)]
)
def test_the_same_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, precision: int, scale: int) -> None:
    """Sums, nulls and rejected rows are the same by either decoder, whatever the scale, row groups and batches."""
    path = tmp_path / "wagers.parquet"
    pq.write_table(wagers(pa.decimal128(precision, scale)), path, row_group_size=1_234)
    monkeypatch.setattr(parquetfile, "BATCH_ROWS", 1_000)

    plain = read(path, monkeypatch, 10**9)
    fast = read(path, monkeypatch, 1)

    assert (plain[2], fast[2]) == (False, True)
    assert plain[0].equals(fast[0])
    assert plain[1] == fast[1]
    assert plain[1]


@pytest.mark.parametrize("good", [0, 1, 3])
def test_arrow_reads_on_where_the_second_decoder_cannot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, good: int
) -> None:
    """A file that the second decoder gives up, at once or in the middle, is read whole and the same by Arrow alone."""
    path = tmp_path / "wagers.parquet"
    pq.write_table(wagers(pa.decimal128(14, 2)), path, row_group_size=1_234)
    monkeypatch.setattr(parquetfile, "BATCH_ROWS", 1_000)
    plain = read(path, monkeypatch, 10**9)
    left = [good]
    whole = decimals.Decimals.take

    def take(self: decimals.Decimals, rows: int) -> dict[str, pa.Array]:
        left[0] -= 1
        if left[0] < 0:
            raise pa.ArrowInvalid("out of memory")
        return whole(self, rows)

    monkeypatch.setattr(decimals.Decimals, "take", take)
    fast = read(path, monkeypatch, 1)

    assert left[0] == -1
    assert plain[0].equals(fast[0])
    assert plain[1] == fast[1]


@pytest.mark.parametrize("kind", [pa.decimal128(19, 2), pa.decimal128(30, 6), pa.decimal256(40, 2)])
def test_wide_sums_are_left_to_arrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: pa.DataType) -> None:
    """Sums that 64 bits might not hold are read as before."""
    path = tmp_path / "wagers.parquet"
    pq.write_table(wagers(kind), path)

    assert not read(path, monkeypatch, 1)[2]


def test_names_and_paths_that_mislead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path with the marks of a pattern, and two names that differ in case only, are read as they are."""
    table = wagers(pa.decimal128(14, 2))
    twin = tmp_path / "twin.parquet"
    pq.write_table(table.append_column("STAKE", table["payout"]), twin)
    marked = tmp_path / "day[1].parquet"
    pq.write_table(table, marked)
    quoted = tmp_path / "casino=X" / "it's.parquet"
    quoted.parent.mkdir()
    pq.write_table(table, quoted)

    expected = read(marked, monkeypatch, 10**9)[0]

    assert read(twin, monkeypatch, 1)[0].equals(expected)
    assert read(quoted, monkeypatch, 1)[0].equals(expected)
    marked_rows, _, used = read(marked, monkeypatch, 1)
    assert marked_rows.equals(expected)
    assert not used


def test_a_name_that_the_decoder_would_give_to_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of names that differ in case alone it calls the second `…_1`, which may be the name of a third: Arrow reads."""
    table = wagers(pa.decimal128(14, 2))
    table = table.append_column("PAYOUT", table["stake"]).append_column("payout_1", table["payout"])
    path = tmp_path / "wagers.parquet"
    pq.write_table(table, path)

    assert {} == decoder.decimals_of(table.schema, table.schema.names)
    assert not read(path, monkeypatch, 1)[2]


def test_other_decimals_than_were_asked_for() -> None:
    """Whole numbers of another unit are not taken for those asked for."""
    cents = pa.array([Decimal("1.25")], pa.decimal64(18, 2))

    assert decoder.typed(cents, pa.decimal64(14, 2)).to_pylist() == [Decimal("1.25")]
    with pytest.raises(pa.ArrowInvalid, match="instead of"):
        decoder.typed(cents, pa.decimal64(14, 4))


def test_a_damaged_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bytes overwritten inside the pages end in one sentence that names the file."""
    path = tmp_path / "wagers.parquet"
    pq.write_table(wagers(pa.decimal128(14, 2)), path, compression="zstd")
    content = bytearray(path.read_bytes())
    column = pq.ParquetFile(path).metadata.row_group(0).column(3)
    start = column.dictionary_page_offset or column.data_page_offset
    content[start : start + column.total_compressed_size] = b"\xff" * column.total_compressed_size
    path.write_bytes(content)

    with pytest.raises(InputRefused, match=r"wagers\.parquet: cannot be read beyond row 0"):
        read(path, monkeypatch, 1)


def test_nothing_is_drawn_while_a_file_is_read() -> None:
    """DuckDB shows its progress on standard output when a reading lasts; that output is the program's own."""
    with decoder.connected() as connection:
        drawn = connection.execute("select current_setting('enable_progress_bar')").fetchone()

    assert drawn == (False,)
