"""Findings made up for tests: any text, money and instants that a log could bring, and many at once."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any, Final

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

from audit.base.model import MACAU
from audit.findings.table import SCHEMA

_FEW: Final = st.sampled_from(
    [None, "", "a", "a\0", "a\0b", "ab", "é", "Z", "z", "莊", "𝄞", "=1+1", '"', "-5", "a,b", "\r"]
)
_TEXT: Final = st.one_of(_FEW, st.text(st.characters(exclude_categories=["Cs"]), max_size=8))
_INSTANT: Final = st.one_of(
    st.sampled_from([dt.datetime(2024, 3, 1, 21, minute, tzinfo=MACAU) for minute in range(3)]),
    st.datetimes(dt.datetime(1890, 1, 1), dt.datetime(2200, 1, 1), timezones=st.just(MACAU)),  # noqa: DTZ001 - given the zone
)
_BY_TYPE: Final = {
    pa.string(): _TEXT,
    SCHEMA.field("occurred_at").type: _INSTANT,
    pa.date32(): st.dates(),
    SCHEMA.field("amount").type: st.integers(-(10**19), 10**19).map(lambda n: Decimal(n).scaleb(-4)),
    pa.int64(): st.integers(-(2**63), 2**63 - 1),
}


def batch_of(rows: list[dict[str, Any]]) -> pa.RecordBatch:
    """Findings from rows that name some of the columns."""
    columns = [pa.array([row.get(f.name) for row in rows], f.type) for f in SCHEMA]
    return pa.RecordBatch.from_arrays(columns, schema=SCHEMA)


FINDINGS: Final = st.lists(
    st.fixed_dictionaries({}, optional={f.name: st.one_of(st.none(), _BY_TYPE[f.type]) for f in SCHEMA}), max_size=40
).map(batch_of)
"""Batches of findings, of which many agree in parts of their key."""


def many(rows: int, seed: int) -> pa.RecordBatch:
    """Findings of about 1,200 bytes each, in no order."""
    random = np.random.default_rng(seed)
    numbers = random.permutation(rows) + seed * rows
    ids = pa.array([f"{number:024x}" for number in numbers])
    constant = {"code": "PAY-001", "severity": "high", "table_id": "T1"}
    columns = {name: pa.array([text] * rows, pa.string()) for name, text in constant.items()}
    columns |= {"finding_id": ids, "round_id": pa.array([f"R{number % 977}" for number in numbers])}
    columns |= {f"message_{language}": pa.array(["x" * 350] * rows) for language in ("zh", "pt", "en")}
    columns["occurred_at"] = pa.array(random.integers(0, 10**15, rows), SCHEMA.field("occurred_at").type)
    arrays = [columns.get(f.name, pa.nulls(rows, f.type)) for f in SCHEMA]
    return pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)
