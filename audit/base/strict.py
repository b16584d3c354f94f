"""Read YAML so strictly that nothing in it can be overlooked.

A duplicate key, a binary floating-point number, a date that does not exist, an unknown key or a missing language is an
error that names the file and the path of the value in it. Nothing is guessed and nothing is ignored.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final, NoReturn, TypeAlias

import yaml

from audit.base.errors import ConfigurationError
from audit.base.model import LANGUAGES, Text

Value: TypeAlias = "bool | int | str | dt.date | list[Value] | dict[str | int, Value] | None"

_INTEGER: Final = re.compile(r"-?(0|[1-9][0-9]*)")
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TAG: Final = "tag:yaml.org,2002:"
_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class YamlPath:
    """A value's place: base name of the file and path in it, as error messages print them."""

    file: str
    path: str = ""

    def __truediv__(self, key: str | int) -> YamlPath:
        part = f"[{key}]" if isinstance(key, int) else f".{key}"
        return YamlPath(self.file, (self.path + part).removeprefix("."))

    def fail(self, what: str) -> NoReturn:
        """Raise ConfigurationError with the file, the path and `what` is wrong there."""
        message = f"{self.file}: {self.path or 'top level'}: {what}"
        raise ConfigurationError(message)


def load(path: Path) -> tuple[Value, YamlPath]:
    """The content of one YAML file, and the place of its top level.

    Raises ConfigurationError for a file that cannot be read, for YAML that is broken, and for whatever the strict
    reading forbids.
    """
    place = YamlPath(path.name)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        place.fail(f"cannot be read as UTF-8 text ({error.__class__.__name__})")
    try:
        node = yaml.compose(text, Loader=_LOADER)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" in line {mark.line + 1}" if mark else ""
        place.fail(f"not well-formed YAML{where}: {getattr(error, 'problem', None) or 'unreadable'}")
    if node is None:
        place.fail("the file is empty")
    return _construct(node, place), place


def _construct(node: yaml.Node, place: YamlPath) -> Value:
    if isinstance(node, yaml.MappingNode):
        return _construct_mapping(node, place)
    if isinstance(node, yaml.SequenceNode):
        return [_construct(item, place / index) for index, item in enumerate(node.value)]
    return _construct_scalar(node, place)


def _construct_mapping(node: yaml.MappingNode, place: YamlPath) -> dict[str | int, Value]:
    result: dict[str | int, Value] = {}
    for key_node, value_node in node.value:
        key = _construct(key_node, place)
        if isinstance(key, bool) or not isinstance(key, str | int) or key_node.tag == f"{_TAG}merge":
            place.fail(f"the key {key_node.value!r} is neither a word nor a whole number")
        if key in result:
            place.fail(f"the key {key!r} stands twice")
        result[key] = _construct(value_node, place / str(key))
    return result


def _construct_scalar(node: yaml.Node, place: YamlPath) -> Value:
    text = str(node.value)
    value: Value = text
    match node.tag.removeprefix(_TAG):
        case "str" | "merge":
            pass
        case "null":
            value = None
        case "bool" if text in {"true", "false"}:
            value = text == "true"
        case "int" if _INTEGER.fullmatch(text):
            value = int(text)
        case "timestamp" if _DATE.fullmatch(text):
            value = _calendar_day(text, place)
        case "float":
            place.fail(f"{text} is a binary floating-point number; write it in quotes")
        case _:
            place.fail(f"{text!r} is ambiguous here; write it in quotes")
    return value


def _calendar_day(text: str, place: YamlPath) -> dt.date:
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        place.fail(f"{text} is not a day of the calendar")


def mapping(
    value: Value, place: YamlPath, *, required: Collection[str], optional: Collection[str] = ()
) -> dict[str, Value]:
    """The mapping at `place`, which has every `required` key and beyond them only `optional` ones."""
    if not isinstance(value, dict):
        place.fail("a mapping is expected")
    allowed = sorted({*required, *optional})
    for key in value:
        if key not in allowed:
            place.fail(f"unknown key {key!r}; allowed: {', '.join(allowed)}")
    missing = [key for key in required if key not in value]
    if missing:
        place.fail(f"the key {missing[0]!r} is missing")
    return {str(key): item for key, item in value.items()}


def sequence(value: Value, place: YamlPath) -> list[Value]:
    """The list at `place`."""
    if not isinstance(value, list):
        place.fail("a list is expected")
    return value


def word(value: Value, place: YamlPath) -> str:
    """The non-empty string at `place`."""
    if not isinstance(value, str) or not value.strip():
        place.fail("a non-empty text is expected")
    return value


def words(value: Value, place: YamlPath) -> tuple[str, ...]:
    """The list of non-empty strings at `place`."""
    return tuple(word(item, place / index) for index, item in enumerate(sequence(value, place)))


def choice(value: Value, place: YamlPath, allowed: Collection[str]) -> str:
    """The string at `place`, which is one of `allowed`."""
    chosen = word(value, place)
    if chosen not in allowed:
        place.fail(f"{chosen!r} is not one of {', '.join(sorted(allowed))}")
    return chosen


def flag(value: Value, place: YamlPath) -> bool:
    """The `true` or `false` at `place`."""
    if not isinstance(value, bool):
        place.fail("true or false is expected")
    return value


def day(value: Value, place: YamlPath) -> dt.date:
    """The day at `place`, written YYYY-MM-DD."""
    if not isinstance(value, dt.date):
        place.fail("a day written YYYY-MM-DD is expected")
    return value


def window(value: Value, place: YamlPath) -> tuple[dt.date, dt.date]:
    """The first and the last day at `place`, in this order."""
    days = [day(item, place / index) for index, item in enumerate(sequence(value, place))]
    if len(days) != 2 or days[0] > days[1]:
        place.fail("a list of a first and a last day is expected")
    return days[0], days[1]


def text(value: Value, place: YamlPath) -> Text:
    """The sentence at `place` in all its languages."""
    parts = mapping(value, place, required=LANGUAGES)
    return Text(**{language: word(parts[language], place / language) for language in LANGUAGES})


def optional_text(parts: Mapping[str, Value], key: str, place: YamlPath) -> Text | None:
    """The sentence under `key` of `parts`, or None where the key is absent."""
    return text(parts[key], place / key) if key in parts else None


def frozen(value: Value) -> object:
    """The same value as something that nobody can change: tuples for lists, read-only views for mappings."""
    if isinstance(value, dict):
        return MappingProxyType({key: frozen(item) for key, item in value.items()})
    if isinstance(value, list):
        return tuple(frozen(item) for item in value)
    return value
