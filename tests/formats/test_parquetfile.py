from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from audit.base.errors import InputRefused
from audit.formats import parquetfile
from audit.stores.files import SourceFile


def _wagers(**columns: Any) -> pa.Table:
    base = {
        "wager_id": ["W1", "W2"],
        "round_id": ["R1", "R1"],
        "bet": ["player", "tie"],
        "stake": pa.array([Decimal("10.50"), Decimal(2)], pa.decimal128(14, 2)),
        "payout": pa.array([Decimal(0), Decimal(16)], pa.decimal128(38, 9)),
    }
    return pa.table(base | columns)


def _rounds(**columns: Any) -> pa.Table:
    base = {
        "round_id": ["R1", "R2"],
        "table_id": ["T1", "T1"],
        "round_no": pa.array([1, 2], pa.int32()),
        "game": ["baccarat", "makccarat"],
        "status": ["settled", "settled"],
        "started_at": pa.array([0, 60_000], pa.timestamp("ms", "Asia/Macau")).cast(pa.int64()),
        "player_cards": ["9H KD", "9H KD"],
        "banker_cards": ["3C 4S", "3C 4S"],
    }
    base["started_at"] = pa.array([1_709_298_245_000] * 2, pa.timestamp("ms", "Asia/Macau"))
    return pa.table(base | columns)


@pytest.fixture
def read_table(tmp_path: Path, read_files: Any) -> Any:
    """Write an Arrow table to Parquet and read it."""

    def run(content: pa.Table, table: str = "rounds", **options: Any) -> Any:
        pq.write_table(content, tmp_path / f"{table}.parquet", **options)
        return read_files(tmp_path / f"{table}.parquet", table=table)

    return run


def test_decimals_of_any_scale_are_exact(read_table: Any) -> None:
    """Decimal columns give exact ten-thousandths, through the word of the value or through a wider decimal."""
    rows = read_table(_wagers(), "wagers").rows

    assert [(105_000, 0), (20_000, 160_000)] == [(row["stake"], row["payout"]) for row in rows]


@pytest.mark.parametrize(
    ("column", "values", "said"),
    [
        ("stake", pa.array([10.5, 2.0]), "binary floating point cannot carry money"),
        ("stake", pa.array([1050, 200]), "whole cents or whole units"),
        ("payout", pa.array([True, False]), "decimal or text amounts"),
        ("bet", pa.array([1.5, 2.5]), "text is expected"),
        ("currency", pa.array([1, 2]), "text is expected"),
        ("placed_at", pa.array([1, 2]), "timestamps or text"),
    ],
)
def test_a_wager_column_of_another_type_refuses_the_file(
    read_table: Any, column: str, values: pa.Array, said: str
) -> None:
    """A column whose type cannot carry what it should is refused with the reason and the column."""
    with pytest.raises(InputRefused, match=rf"^wagers\.parquet: column {column} .*{said}"):
        read_table(_wagers(**{column: values}), "wagers")


@pytest.mark.parametrize(
    ("column", "values", "said"),
    [
        ("started_at", pa.array([1_709_298_245, 1]), "timestamps or text"),
        ("started_at", pa.array([1.5, 2.5]), "timestamps or text"),
        ("started_at", pa.array([dt.date(2024, 3, 1)] * 2), "timestamps or text"),
        ("round_no", pa.array([1.0, 2.5]), "with 2.5, where whole numbers"),
        ("round_no", pa.array([True, False]), "whole numbers"),
        ("player_pair", pa.array([0.5, 1.0]), "true or false"),
        ("game", pa.array([1, 2]), "text is expected"),
        ("player_cards", pa.array([[1], [2]]), "text is expected"),
    ],
)
def test_a_round_column_of_another_type_refuses_the_file(
    read_table: Any, column: str, values: pa.Array, said: str
) -> None:
    """Times as numbers or days, whole numbers with fractions and nested cards are refused with the reason."""
    with pytest.raises(InputRefused, match=rf"^rounds\.parquet: column {column} .*{said}"):
        read_table(_rounds(**{column: values}))


def test_whole_numbers_of_pandas_are_read(read_table: Any) -> None:
    """Integers with gaps, which pandas writes as doubles with NaN, are integers and nulls."""
    rows = read_table(_rounds(round_no=pa.array([1.0, 2.0]), decks=pa.array([8.0, float("nan")]))).rows

    assert [(1, 8), (2, None)] == [(row["round_no"], row["decks"]) for row in rows]


def test_encodings_of_text_make_no_difference(read_table: Any) -> None:
    """Plain, large, view and dictionary text, and whole numbers as ids, give the same rows."""
    plain = read_table(_rounds(shoe_id=["7", "7"])).rows
    other = _rounds(
        shoe_id=pa.array([7, 7]),
        table_id=pa.array(["T1", "T1"], pa.large_string()),
        game=pa.array(["baccarat", "makccarat"]).dictionary_encode().cast(pa.dictionary(pa.int8(), pa.string())),
        player_cards=pa.array(["9H KD", "9h  kd "], pa.string_view()),
    )

    assert plain == read_table(other).rows


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", ["Asia/Macau", "UTC", "+08:00", None])
def test_instants_of_any_unit_and_zone_are_read(read_table: Any, unit: str, zone: str | None) -> None:
    """Arrow timestamps of every unit are instants; one without a zone is read in that of the profile."""
    wall = dt.datetime(2024, 3, 1, 21, 4, 5, tzinfo=dt.timezone(dt.timedelta(hours=8)))
    value = wall.replace(tzinfo=None) if zone is None else wall
    rows = read_table(_rounds(started_at=pa.array([value] * 2, pa.timestamp(unit, zone)))).rows

    assert [wall, wall] == [row["started_at"] for row in rows]


def test_values_out_of_range_are_quarantined_row_by_row(read_table: Any) -> None:
    """A wrong century and an amount that is too large or too fine reject their row only."""
    late = pa.array([4_200_000_000_000, 1_709_298_245_000], pa.timestamp("ms", "UTC"))
    wide = pa.array([Decimal(10) ** 30, Decimal(1)], pa.decimal128(38, 2))
    fine = pa.array([Decimal("0.000001"), Decimal(1)], pa.decimal128(38, 6))

    assert [("wrong_century", 1)] == read_table(_rounds(started_at=late)).reasons
    assert [("money_too_large", 1)] == read_table(_wagers(stake=wide), "wagers").reasons
    assert [("money_too_precise", 1)] == read_table(_wagers(stake=fine), "wagers").reasons


def test_two_columns_of_one_name_refuse_the_file(read_table: Any) -> None:
    """A Parquet file with two columns of one name is refused."""
    doubled = pa.table([*_rounds().columns, _rounds()["game"]], names=[*_rounds().column_names, "game"])

    with pytest.raises(InputRefused, match=r"two columns are called 'game'"):
        read_table(doubled)


@pytest.mark.parametrize("keep", [0, 3, 4, 200, -1, -100])
def test_a_truncated_file_is_refused(tmp_path: Path, read_files: Any, keep: int) -> None:
    """A Parquet file that is empty or lacks its end is refused in one sentence."""
    pq.write_table(_rounds(), tmp_path / "whole.parquet")
    content = (tmp_path / "whole.parquet").read_bytes()
    (tmp_path / "cut.parquet").write_bytes(content[:keep])

    with pytest.raises(InputRefused, match=r"^cut\.parquet: .*(empty|truncated or damaged)"):
        read_files(tmp_path / "cut.parquet")


def test_a_file_damaged_in_the_middle_is_refused(tmp_path: Path, read_files: Any) -> None:
    """A Parquet file whose data pages are overwritten is refused and not half read."""
    pq.write_table(_rounds(), tmp_path / "bad.parquet")
    content = bytearray((tmp_path / "bad.parquet").read_bytes())
    content[4:60] = b"\xff" * 56
    (tmp_path / "bad.parquet").write_bytes(bytes(content))

    with pytest.raises(InputRefused, match=r"^bad\.parquet: "):
        read_files(tmp_path / "bad.parquet")


def test_rows_keep_their_numbers_over_batches_and_row_groups(
    monkeypatch: pytest.MonkeyPatch, read_table: Any, tmp_path: Path
) -> None:
    """Rows are numbered through the whole file; a rejected row shows its unread columns, whatever its row group."""
    monkeypatch.setattr(parquetfile, "BATCH_ROWS", 4)
    count = 23
    stakes = pa.array(["0" if n % 10 == 3 else "5" for n in range(count)])
    content = pa.table(
        {
            "wager_id": [f"W{n}" for n in range(count)],
            "round_id": ["R1"] * count,
            "bet": ["player"] * count,
            "stake": stakes,
            "payout": ["0"] * count,
            "note": [f"n{n}" for n in range(count)],
        }
    )
    reading = read_table(content, "wagers", row_group_size=5)

    assert [n + 1 for n in range(count) if n % 10 != 3] == reading.numbers
    rejects = reading.rejects(tmp_path)
    assert [4, 14] == [reject["source_row"] for reject in rejects]
    assert ['"note": "n3"}', '"note": "n13"}'] == [reject["row"].split(", ")[-1] for reject in rejects]


def test_large_row_groups_are_read_in_batches_as_large_as_each_other(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """No row group leaves a rest of a few rows; groups that are small are not read one by one."""
    monkeypatch.setattr(parquetfile, "BATCH_ROWS", 10)
    path = tmp_path / "wagers.parquet"
    with pq.ParquetWriter(path, _wagers().schema) as writer:
        for rows in (22, 10, 11, 0, 2, 2, 1):
            writer.write_table(pa.concat_tables([_wagers()] * 11).slice(0, rows))
    reader = parquetfile.ParquetReader(SourceFile(path, path.name))

    batches = list(reader.batches({"wager_id"}, {"wager_id"}))

    assert [8, 8, 6, 10, 6, 5, 5] == [len(batch) for batch in batches]
    assert list(range(1, 49)) == [number for batch in batches for number in batch.source_row.tolist()]


def test_a_file_without_rows_is_refused(read_table: Any) -> None:
    """A Parquet file with columns and no row is refused."""
    with pytest.raises(InputRefused, match=r"no row of data"):
        read_table(_rounds().slice(0, 0))


@pytest.mark.parametrize("column", ["wager_id", "bet", "stake", "tie_choice", "currency", "placed_at"])
def test_text_that_is_not_utf8_refuses_the_file(read_table: Any, column: str) -> None:
    """Bytes in a text column that are not UTF-8 refuse the file and name the column; good bytes are text."""
    assert 2 == len(read_table(_wagers(bet=pa.array([b"player", b"tie"])), "wagers").rows)
    with pytest.raises(InputRefused, match=rf"^wagers\.parquet: column {column} is not UTF-8 text"):
        read_table(_wagers(**{column: pa.array([b"a", b"\xff"])}), "wagers")


@pytest.mark.parametrize(
    ("extra", "shown"),
    [
        (pa.array([{"a": 1}, None]), '"note": "{\'a\': 1}"'),
        (pa.array([[1, 2], None]), '"note": "[1, 2]"'),
        (pa.array([b"\xff", None]), '"note": "\\\\xff"'),
        (pa.array([1.5, None]), '"note": "1.5"'),
    ],
)
def test_evidence_of_any_type_is_shown(read_table: Any, tmp_path: Path, extra: pa.Array, shown: str) -> None:
    """Unknown columns of any type can be shown as evidence of a rejected row."""
    rejects = read_table(_wagers(stake=["x", "1"], note=extra), "wagers").rejects(tmp_path)

    assert shown in rejects[0]["row"]


@pytest.mark.parametrize("kind", [pa.null(), pa.string(), pa.decimal128(14, 2), pa.decimal128(38, 9)])
def test_a_column_of_nulls_only_is_read(read_table: Any, kind: pa.DataType) -> None:
    """A nullable column without any value is null, and a required one rejects its rows, whatever the type."""
    assert [None] * 2 == [row["commission"] for row in read_table(_wagers(commission=pa.nulls(2, kind)), "wagers").rows]
    assert [("missing_value", 2)] == read_table(_wagers(stake=pa.nulls(2, kind)), "wagers").reasons


@pytest.mark.parametrize("indices", [[0, 2], [0, -1], [None, 2], [-(2**31), None]])
def test_an_index_beyond_the_dictionary_is_damage(indices: list[int | None]) -> None:
    """The library decodes such pages; the text that they point to is none of the file's."""

    def batch(values: list[int | None]) -> pa.RecordBatch:
        column = pa.DictionaryArray.from_arrays(pa.array(values, pa.int32()), pa.array(["a", "b"]), safe=False)
        return pa.record_batch({"bet": column})

    with pytest.raises(pa.ArrowInvalid, match="out of bounds"):
        parquetfile._check_dictionaries(batch(indices))
    for fine in ([0, 1], [None, 1], [None, None], []):
        parquetfile._check_dictionaries(batch(fine))
