"""Where a value stands in a nested record: `result.player.cards[0]`, `bets[].stake`, `play.".Game".burnt`.

A path starts with the name of a column. A point goes into a record, `[2]` takes one place of a list (from 0), `[]`
every place; a key with points or brackets in it stands in quotes. On the way, text that holds JSON is read as what it
holds.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

_PART: Final = re.compile(r'\.?"(?P<quoted>[^"]+)"|\.?(?P<key>[^.\[\]"]+)|\[(?P<index>[0-9]{0,6})\]')
_ALL: Final = "[]"


@dataclass(frozen=True, slots=True)
class Path:
    """A path as its parts: `head` is the column; then texts are keys, numbers places, and None every place."""

    text: str
    head: str
    steps: tuple[str | int | None, ...]

    @property
    def many(self) -> bool:
        """Whether the path leads to a list of values."""
        return None in self.steps


@lru_cache(maxsize=4096)
def parse(text: str) -> Path:
    """The parts of a path.

    >>> parse('a."b.c"[0][]').steps
    ('b.c', 0, None)

    Raises ValueError for a text that is no path.
    """
    steps: list[str | int | None] = []
    end = 0
    for match in _PART.finditer(text):
        if match.start() != end:
            break
        end = match.end()
        if match["index"] is not None:
            steps.append(int(match["index"]) if match["index"] else None)
        else:
            steps.append(match["quoted"] or match["key"])
    if end != len(text) or not steps or not isinstance(steps[0], str):
        raise ValueError(f"{text!r} is not a path")
    return Path(text, steps[0], tuple(steps[1:]))


def exact_json(text: str) -> Any:
    """JSON with its numbers as the text that stands in it, so that no amount passes through binary floating point.

    Raises ValueError for text that is not JSON, RecursionError for JSON that is nested beyond all measure.
    """
    return json.loads(text, parse_float=str, parse_int=str, parse_constant=_refuse)


def _refuse(word: str) -> Any:
    raise ValueError(f"{word} is not a value of JSON")


def opened(value: Any) -> Any:
    """A value one can step into: text that holds a JSON record or list is read, anything else is returned."""
    if isinstance(value, str) and value.lstrip()[:1] in {"{", "["}:
        try:
            return exact_json(value)
        except (ValueError, RecursionError):
            return None
    return value


def find(value: Any, steps: tuple[str | int | None, ...]) -> Any:
    """What stands at the end of the steps, None where the way ends before; a list where a step takes every place.

    >>> find({"bets": [{"stake": "5"}, {}]}, ("bets", None, "stake"))
    ['5', None]
    """
    for number, step in enumerate(steps):
        value = opened(value)
        if step is None:
            value = list(value.values()) if isinstance(value, dict) else value
            if not isinstance(value, list):
                return None
            rest = steps[number + 1 :]
            return [find(each, rest) for each in value]
        if isinstance(step, str):
            value = value.get(step) if isinstance(value, dict) else None
        elif isinstance(value, list):
            value = value[step] if step < len(value) else None
        elif isinstance(value, dict):
            value = value.get(str(step))
        else:
            return None
        if value is None:
            return None
    return value


def scalar_text(value: Any) -> str | None:
    """A value as the text of a cell: truth values as `true` and `false`, records and lists as JSON.

    >>> [scalar_text(value) for value in (True, "x", None, {"a": "1"})]
    ['true', 'x', None, '{"a": "1"}']
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False, default=str)
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
