"""The same table written as CSV and as Parquet gives the same typed rows."""

from __future__ import annotations

import csv
import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.base.canonical import row_key
from audit.source import read
from audit.source.quarantine import Quarantine
from audit.stores import files

_IDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zs", "Zl", "Zp"]), min_size=1, max_size=8)
_CARDS = st.sampled_from([r + s for r in ("A", "2", "9", "10", "T", "J", "K") for s in ("S", "h", "")])
_HANDS = st.lists(_CARDS, min_size=1, max_size=4).map(" ".join)
_MONEY = st.decimals(0, 10**9, places=4, allow_nan=False, allow_infinity=False)
_TIMES = st.datetimes(dt.datetime(1990, 1, 1), dt.datetime(2090, 1, 1), timezones=st.just(dt.UTC))  # noqa: DTZ001
_OFFSETS = st.integers(-12 * 60, 14 * 60).map(lambda minutes: dt.timezone(dt.timedelta(minutes=minutes)))
_SETTINGS = settings(max_examples=40)

_ROUNDS = st.fixed_dictionaries(
    {
        "round_id": _IDS,
        "table_id": _IDS,
        "shoe_id": st.none() | _IDS,
        "round_no": st.integers(1, 10**6),
        "game": st.sampled_from(["baccarat", "makccarat", "poker"]),
        "status": st.sampled_from(["settled", "void", "demonstration"]),
        "started_at": _TIMES,
        "player_cards": st.none() | _HANDS,
        "banker_cards": st.none() | _HANDS,
        "player_points": st.none() | st.integers(-2, 11),
        "banker_points": st.none() | st.integers(-2, 11),
        "player_pair": st.none() | st.booleans(),
    }
)
_WAGERS = st.fixed_dictionaries(
    {
        "wager_id": _IDS,
        "round_id": _IDS,
        "bet": _IDS,
        "stake": _MONEY,
        "payout": _MONEY,
        "commission": st.none() | _MONEY,
        "tie_choice": st.sampled_from([None, "kept", "changed", "other"]),
        "placed_at": st.none() | _TIMES,
    }
)


def _read(path: Path, table: str) -> tuple[list[Any], list[int], list[tuple[str, int]]]:
    opened = {"rounds": read.open_rounds, "wagers": read.open_wagers}[table]
    keys: list[Any] = []
    numbers: list[int] = []
    with Quarantine() as quarantine:
        for batch in opened(files.resolve([str(path)], table), quarantine=quarantine):
            keys += (row_key(batch.rows, index) for index in range(len(batch)))
            numbers += batch.source_row.tolist()
        return keys, numbers, [(each.reason, each.count) for each in quarantine.by_reason()]


def _cell(value: Any, zone: dt.timezone) -> str:
    if value is None:
        return ""
    if isinstance(value, dt.datetime):
        return value.astimezone(zone).isoformat()
    return str(value).upper() if isinstance(value, bool) else str(value)


def _write(
    folder: Path, rows: list[dict[str, Any]], types: dict[str, pa.DataType], zone: dt.timezone
) -> tuple[Path, Path]:
    with (folder / "t.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(rows[0])
        writer.writerows([_cell(row[name], zone) for name in rows[0]] for row in rows)
    columns = {name: pa.array([row[name] for row in rows], types.get(name)) for name in rows[0]}
    pq.write_table(pa.table(columns), folder / "t.parquet", row_group_size=7)
    return folder / "t.csv", folder / "t.parquet"


@_SETTINGS
@given(rows=st.lists(_ROUNDS, min_size=1, max_size=20), zone=_OFFSETS)
def test_rounds_are_the_same_from_csv_and_parquet(
    tmp_path: Path, rows: list[dict[str, Any]], zone: dt.timezone
) -> None:
    """Rounds written both ways give the same keys, numbers and reasons, whatever offset the text has."""
    text = {name: pa.string() for name in ("shoe_id", "player_cards", "banker_cards")}
    numbers = {name: pa.int16() for name in ("player_points", "banker_points")}
    types = text | numbers | {"player_pair": pa.bool_(), "started_at": pa.timestamp("us", "UTC")}
    csv_path, parquet_path = _write(tmp_path, rows, types, zone)

    assert _read(csv_path, "rounds") == _read(parquet_path, "rounds")


@_SETTINGS
@given(rows=st.lists(_WAGERS, min_size=1, max_size=20), zone=_OFFSETS, scale=st.sampled_from([4, 6, 20]))
def test_wagers_are_the_same_from_csv_and_parquet(
    tmp_path: Path, rows: list[dict[str, Any]], zone: dt.timezone, scale: int
) -> None:
    """Wagers written both ways give the same keys, numbers and reasons, whatever scale the decimals have."""
    money: dict[str, pa.DataType] = {name: pa.decimal128(38, scale) for name in ("stake", "payout", "commission")}
    types = money | {"tie_choice": pa.string(), "placed_at": pa.timestamp("us", "UTC")}
    csv_path, parquet_path = _write(tmp_path, rows, types, zone)
    keys, numbers, reasons = _read(csv_path, "wagers")

    assert (keys, numbers, reasons) == _read(parquet_path, "wagers")
    assert len(rows) == len(numbers) + sum(count for _, count in reasons)
    accepted = [int(rows[number - 1]["stake"] * Decimal(10_000)) for number in numbers]
    assert accepted == [key[4] for key in keys]
