from __future__ import annotations

from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.source.cells import SourceColumn
from audit.source.money import amounts

PLACE = SourceColumn("log.parquet", "stake")
_AMOUNTS = st.none() | st.decimals(-(10**13), 10**13, places=4, allow_nan=False)


def _expected(values: list[Decimal | None]) -> list[int | None]:
    return [None if value is None else int(value.scaleb(4)) for value in values]


@given(st.lists(_AMOUNTS, min_size=1, max_size=20), st.sampled_from([4, 5, 12, 20]), st.integers(0, 2))
def test_decimals_and_text_are_exact(values: list[Decimal | None], scale: int, offset: int) -> None:
    """Any amount of four decimals is the same number of ten-thousandths from text and from every decimal type."""
    text = pa.array([None if value is None else f"{value:f}" for value in values], pa.string())
    narrow = pa.array(values, pa.decimal128(38, scale))
    wide = pa.array(values, pa.decimal256(60, scale))

    for column in (text, text.dictionary_encode(), narrow, wide):
        read = amounts(column[offset:], PLACE)
        assert _expected(values)[offset:] == read.values.to_pylist()
        assert () == read.faults


@pytest.mark.parametrize("precision", [3, 14, 18, 30, 38])
def test_decimals_of_two_places_are_exact_at_any_precision(precision: int) -> None:
    """The precision of the type does not change the amount, nor do nulls or a slice."""
    values = [Decimal("9.50"), None, Decimal("-0.05"), Decimal(0)]

    assert [None, -500, 0] == amounts(pa.array(values, pa.decimal128(precision, 2))[1:], PLACE).values.to_pylist()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1,000", "not_money"),
        ("1 000", "not_money"),
        ("$5", "not_money"),
        ("5.", "not_money"),
        (".5", "not_money"),
        ("1e3", "not_money"),
        ("nan", "not_money"),
        ("-inf", "not_money"),
        ("１", "not_money"),
        ("0.12345", "money_too_precise"),
        ("100000000000000", "money_too_large"),
    ],
)
def test_text_that_is_no_plain_amount_is_a_fault(text: str, reason: str) -> None:
    """Separators, signs, exponents and names of no number are faults, as are too many digits on either side."""
    read = amounts(pa.array(["1", text, None, text]), PLACE)

    assert [(reason, [1, 3])] == [(fault.reason, np.flatnonzero(fault.mask).tolist()) for fault in read.faults]
    assert 10_000 == read.values[0].as_py()


def test_zeros_beyond_four_decimals_do_not_count() -> None:
    """Trailing zeros and leading zeros change nothing."""
    read = amounts(pa.array(["0001500.000000", "-0.0", "2.50000"]), PLACE)

    assert [15_000_000, 0, 25_000] == read.values.to_pylist()


def test_a_decimal_beyond_the_range_is_a_fault() -> None:
    """An amount that an int64 of ten-thousandths cannot hold is a fault, in either representation."""
    huge = [Decimal(1), Decimal(10) ** 25, Decimal(-(10**25))]
    for column in (pa.array(huge, pa.decimal128(38, 2)), pa.array(huge, pa.decimal128(38, 6))):
        read = amounts(column, PLACE)
        assert [("money_too_large", [1, 2])] == [(f.reason, np.flatnonzero(f.mask).tolist()) for f in read.faults]
