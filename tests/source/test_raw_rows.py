from __future__ import annotations

import datetime as dt
import json

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from audit.source.raw_rows import json_rows


@given(st.lists(st.none() | st.text(st.characters(codec="utf-8"), max_size=6), min_size=1, max_size=8), st.data())
def test_rows_are_json_that_reads_back(texts: list[str | None], data: st.DataObject) -> None:
    """Whatever characters the cells have, the chosen rows are JSON objects with exactly those texts."""
    rows = data.draw(st.lists(st.integers(0, len(texts) - 1), unique=True).map(sorted))
    column = pa.array(texts, pa.string())
    written = json_rows({'a "name"': column, "b": column.dictionary_encode()}, np.array(rows, np.intp))

    assert [{'a "name"': texts[row], "b": texts[row]} for row in rows] == [json.loads(r) for r in written.to_pylist()]


def test_further_columns_stand_at_the_end() -> None:
    """Columns that have the chosen rows only follow the others, and typed cells are shown as text."""
    columns = {"day": pa.array([dt.date(2024, 3, 1), None])}
    (row,) = json_rows(columns, np.array([0]), {"note": pa.array(["x"])}).to_pylist()

    assert '{"day": "2024-03-01", "note": "x"}' == row


def test_no_column_gives_empty_objects() -> None:
    """Rows of no column are empty objects."""
    assert ["{}", "{}"] == json_rows({}, np.array([0, 1])).to_pylist()
