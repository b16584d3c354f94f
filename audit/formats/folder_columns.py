"""Columns that the folders of a partitioned dataset give to files that lack them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import pyarrow as pa

from audit.base.canonical import DICTIONARY

FOLDER_COLUMNS: Final = ("casino", "table_id")
"""The columns that folders can give."""


def given(partition: Mapping[str, str | None], names: Sequence[str]) -> dict[str, str | None]:
    """The columns that a file with the columns `names` lacks and that its folders give."""
    return {name: partition[name] for name in FOLDER_COLUMNS if name in partition and name not in names}


def constant(value: str | None, rows: int, *, plain: bool = False) -> pa.Array:
    """A column with one text, or null, in every row."""
    if value is None:
        return pa.nulls(rows, pa.string() if plain else DICTIONARY)
    column = pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int32)), pa.array([value], pa.string()))
    return column.cast(pa.string()) if plain else column
