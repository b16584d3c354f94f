from __future__ import annotations

import datetime as dt
from typing import Any

import pyarrow as pa
import pytest

from audit.base import canonical


def test_rows_equal_in_value_have_equal_keys(read_rows: Any, a_wager: Any) -> None:
    """Amounts with other zeros and the same instant in another zone make no difference to the key."""
    more = {"placed_at": "2024-03-01T21:04:05+08:00", "tie_choice": ""}
    less = {"placed_at": "2024-03-01 13:04:05.000Z", "tie_choice": " "}
    reading = read_rows(
        a_wager(payout="0") | more,
        a_wager(payout="0.00", stake="100.0000", bet=" player") | less,
        a_wager(payout="0.01") | less,
        table="wagers",
    )
    rows = pa.RecordBatch.from_pylist(reading.rows, schema=canonical.WAGERS.schema)
    keys = [canonical.row_key(rows, index) for index in range(3)]

    assert keys[0] == keys[1]
    assert keys[1] != keys[2]


def test_a_ten_is_a_ten_in_the_key(read_rows: Any, a_round: Any) -> None:
    """T and 10, and cards in small letters, are the same card in the key."""
    reading = read_rows(a_round(player_cards="TS 9h"), a_round(player_cards="10S  9H"), a_round(player_cards="9H 10S"))
    rows = pa.RecordBatch.from_pylist(reading.rows, schema=canonical.ROUNDS.schema)
    keys = [canonical.row_key(rows, index) for index in range(3)]

    assert keys[0] == keys[1] != keys[2]


def test_an_instant_in_the_key_is_a_whole_number() -> None:
    """The key holds instants as microseconds, which compare without a zone."""
    row = dict.fromkeys(canonical.EVENTS.names) | {"at": dt.datetime(1980, 1, 1, tzinfo=dt.UTC)}
    batch = pa.RecordBatch.from_pylist([row], schema=canonical.EVENTS.schema)

    assert 315_532_800_000_000 in canonical.row_key(batch, 0)


def test_only_free_text_that_may_be_null_can_be_left_unread() -> None:
    """Columns that can reject a row cannot be skipped."""
    skippable = {c.name for table in canonical.TABLES.values() for c in table.columns if c.skippable}

    assert {"casino", "shoe_id", "void_reason", "deal_sequence", "commission", "seat"} == skippable


def test_an_unknown_column_has_no_declaration() -> None:
    """Asking for a column that the table does not have is a KeyError."""
    with pytest.raises(KeyError):
        canonical.ROUNDS.column("stake")
