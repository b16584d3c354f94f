from __future__ import annotations

import numpy as np
import pytest

from audit.base.errors import InputRefused
from audit.formats.raw import Malformed, RawBatch, check_names


def test_a_batch_is_as_long_as_its_row_numbers() -> None:
    """Malformed rows do not count among the rows of a batch, and by default no column is left unread."""
    batch = RawBatch({}, np.array([1, 3]), (Malformed(2, 1, 3, "x"),))

    assert 2 == len(batch)
    assert {} == batch.unread(np.array([1]))


def test_names_that_differ_are_accepted_and_a_repeated_one_is_named() -> None:
    """Column names must differ from each other, in letters and case."""
    check_names("log.csv", ["a", "A", "b"])
    with pytest.raises(InputRefused, match=r"log\.csv: two columns are called 'a'"):
        check_names("log.csv", ["a", "b", "a"])
