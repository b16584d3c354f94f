"""What of a table the suites look at: the rest need not be sent, converted or held."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import pyarrow as pa

from audit.gate.suites import Suite

_NAMES_ONLY: Final = "column_set"
"""The kwarg that asks whether columns exist and never looks into them."""


def cut(samples: Mapping[str, pa.Table], suites: Iterable[Suite], rows: int) -> dict[str, pa.Table]:
    """The first `rows` rows of each table that a suite of `suites` judges.

    A column that no expectation names keeps its name and its place, and holds `false`: whether it exists is judged,
    what it holds is not.
    """
    named: dict[str, list[str]] = {}
    for suite in suites:
        if suite.of == "rows":
            texts = named.setdefault(suite.role, [])
            texts.extend(text for item in suite.expectations for text in _texts(item.kwargs))
    return {role: _blanked(table.slice(0, rows), named[role]) for role, table in samples.items() if role in named}


def _blanked(table: pa.Table, texts: list[str]) -> pa.Table:
    nothing = pa.repeat(pa.scalar(value=False), len(table))
    for place, field in enumerate(table.schema):
        # Part of a text is enough: a condition names its columns within a sentence.
        if not any(field.name in text for text in texts):
            table = table.set_column(place, field.name, nothing)
    return table


def _texts(value: object) -> Iterator[str]:
    """Every text in the kwargs of an expectation that may name a column whose values count."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from (text for key, item in value.items() if key != _NAMES_ONLY for text in _texts(item))
    elif isinstance(value, list):
        yield from (text for item in value for text in _texts(item))
