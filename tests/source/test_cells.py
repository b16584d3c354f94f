from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.base.errors import InputRefused
from audit.source import cells

PLACE = cells.SourceColumn("log.parquet", "x")


@given(st.lists(st.none() | st.text(max_size=5), max_size=20), st.integers(0, 3))
def test_trimming_is_that_of_each_text(texts: list[str | None], offset: int) -> None:
    """Trimming takes white space off both ends and makes empty texts null, also in a slice."""
    column = pa.array(texts, pa.string())[offset:]
    trimmed = cells.trimmed(column).to_pylist()

    blank = [None if text is None or not text.strip() else text for text in texts[offset:]]
    assert [text is None for text in blank] == [text is None for text in trimmed]
    assert all(
        a is None or b is None or (b in a and not b[0].isspace() and not b[-1].isspace())
        for a, b in zip(blank, trimmed, strict=True)
    )


def test_clean_text_is_not_copied() -> None:
    """A column with nothing to trim is handed back as it is."""
    for column in (pa.array(["R1", None, "R2"]), pa.array(["9H KD", None, "a  b"]), pa.array([None], pa.string())):
        assert cells.trimmed(column) is column


def test_words_outside_the_set_are_marked_by_row() -> None:
    """Rows with a word outside the set are marked; white space around a word does not count."""
    read = cells.words(pa.array([" tie", "Tie", None, "banker"]), PLACE, ("tie", "banker"))

    assert ["tie", "Tie", None, "banker"] == read.values.to_pylist()
    assert [[False, True, False, False]] == [fault.mask.tolist() for fault in read.faults]


def test_whole_numbers_are_read_from_text_exactly() -> None:
    """Plain integers with a sign or leading zeros are read; points, blanks inside and letters are faults."""
    read = cells.integers(pa.array(["8", "-08", "+7", "8.0", "1 2", "0x1", "9" * 19, None]), PLACE)

    assert [8, -8, 7, None, None, None, None, None] == read.values.to_pylist()
    assert [3, 4, 5, 6] == np.flatnonzero(read.faults[0].mask).tolist()


def test_integers_too_large_for_the_column_are_faults() -> None:
    """Unsigned and floating values that an int64 cannot hold exactly are faults of their row."""
    unsigned = cells.integers(pa.array([1, 2**64 - 1], pa.uint64()), PLACE)
    floating = cells.integers(pa.array([1.0, 1e300]), PLACE)

    assert [[False, True]] * 2 == [read.faults[0].mask.tolist() for read in (unsigned, floating)]


def test_an_infinite_number_refuses_the_file() -> None:
    """A floating column with infinity is no column of whole numbers."""
    with pytest.raises(InputRefused, match=r"^log.parquet: column x is double with inf"):
        cells.integers(pa.array([1.0, float("inf")]), PLACE)


@pytest.mark.parametrize("values", [["TRUE", "0", "maybe", None], [1, 0, 2, None]])
def test_truth_values_are_read_from_words_and_digits(values: list[object]) -> None:
    """true, false, 1 and 0 in any case are truth values; anything else is a fault."""
    read = cells.booleans(pa.array(values), PLACE)

    assert [True, False, None, None] == read.values.to_pylist()
    assert [[False, False, True, False]] == [fault.mask.tolist() for fault in read.faults]


def test_texts_that_become_equal_are_merged() -> None:
    """Two spellings of one name become one distinct text, and a blank one becomes null."""
    column = cells.as_codes(pa.array([" T1", "T1", " ", "T2 "]), PLACE)

    assert ["T1", "T1", None, "T2"] == column.to_pylist()
    assert ["T1", "T2"] == column.dictionary.to_pylist()


def test_currencies_have_three_capital_letters() -> None:
    """A currency is any three capital letters, and nothing else."""
    read = cells.currencies(pa.array(["HKD", "MOP", "hkd", "HK", None]), PLACE)

    assert [[False, False, True, True, False]] == [fault.mask.tolist() for fault in read.faults]
