"""Raw rows as JSON text, so that a rejected row can be shown as it was; written for whole columns at once."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

_CONTROL: Final = r"[\x00-\x1f]"


def as_text(column: pa.Array, rows: NDArray[np.intp]) -> pa.StringArray:
    """The chosen rows of a column of any type as text; null stays null."""
    chosen = pc.take(column, pa.array(rows))
    if pa.types.is_dictionary(chosen.type):
        chosen = chosen.dictionary_decode()
    try:
        texts = chosen if chosen.type == pa.string() else chosen.cast(pa.string())
        texts.validate(full=True)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        # Lists, or bytes that are no text: Arrow has no words for them, and a rejected row is shown all the same.
        return pa.array([_cell_text(cell) for cell in chosen], pa.string())
    return texts


def _cell_text(cell: pa.Scalar) -> str | None:
    """A cell that Arrow cannot write as text: nested values as Python prints them, bytes with marks for wrong ones."""
    if not cell.is_valid:
        return None
    if pa.types.is_nested(cell.type):
        return str(cell.as_py())
    return bytes(cell.as_buffer()).decode("utf-8", "backslashreplace")


def json_rows(
    columns: Mapping[str, pa.Array], rows: NDArray[np.intp], chosen: Mapping[str, pa.Array] | None = None
) -> pa.StringArray:
    """The chosen rows as JSON objects of text, in the order of the columns.

    `chosen` are further columns that have the chosen rows only.

    >>> json_rows({"a": pa.array(["x", None]), "b": pa.array([1, 2])}, np.array([0, 1])).to_pylist()
    ['{"a": "x", "b": "1"}', '{"a": null, "b": "2"}']
    """
    texts = {name: as_text(column, rows) for name, column in columns.items()}
    every = np.arange(len(rows))
    texts.update({name: as_text(column, every) for name, column in (chosen or {}).items()})
    if not texts or len(rows) == 0:
        return pa.array(["{}"] * len(rows), pa.string())
    parts = []
    for number, (name, text) in enumerate(texts.items()):
        lead = ("{" if number == 0 else ", ") + json.dumps(name, ensure_ascii=False) + ": "
        value = pc.fill_null(_quoted(text), "null")
        parts.append(pc.binary_join_element_wise(pa.scalar(lead), value, ""))
    return pc.binary_join_element_wise(*parts, pa.scalar("}"), "")


def _quoted(texts: pa.StringArray) -> pa.StringArray:
    if pc.any(pc.match_substring_regex(texts, _CONTROL)).as_py():
        quoted = [None if text is None else json.dumps(text, ensure_ascii=False) for text in texts.to_pylist()]
        return pa.array(quoted, pa.string())
    escaped = pc.replace_substring(pc.replace_substring(texts, "\\", "\\\\"), '"', '\\"')
    return pc.binary_join_element_wise(pa.scalar('"'), escaped, pa.scalar('"'), "")
