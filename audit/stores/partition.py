"""What the folders of a partitioned dataset say of the files in them.

A dataset is laid out as `casino=MGM/day=2024-03-01/table=T1/part-0.parquet`, with any of these folders in any order
(also `gaming_day`, `table_id`). A day is the gaming day, named by its opening. The folders fill what the rows leave
empty; a row that says something else than its folder is quarantined.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final
from urllib.parse import unquote

_KEYS: Final = {"casino": "casino", "day": "day", "gaming_day": "day", "table": "table_id", "table_id": "table_id"}
_NULL: Final = "__HIVE_DEFAULT_PARTITION__"
_NOTHING: Final[Mapping[str, str | None]] = MappingProxyType({})


def keys_of(folders: Iterable[str]) -> Mapping[str, str | None]:
    """What folders called `key=value` say, by `casino`, `day`, `table_id`; null where the value is Hive's word for it.

    >>> dict(keys_of(["data", "casino=MGM%20Macau", "gaming_day=2024-03-01", "table=__HIVE_DEFAULT_PARTITION__"]))
    {'casino': 'MGM Macau', 'day': '2024-03-01', 'table_id': None}
    """
    found: dict[str, str | None] = {}
    for folder in folders:
        key, sign, value = folder.partition("=")
        if sign and (name := _KEYS.get(key.lower())) is not None:
            found[name] = None if value == _NULL else unquote(value).strip() or None
    return found or _NOTHING


def day_of(partition: Mapping[str, str | None]) -> dt.date | None:
    """The gaming day that the folders name; None where they name none, or no whole date (`day=01` below a month)."""
    try:
        return dt.date.fromisoformat(partition.get("day") or "")
    except ValueError:
        return None
