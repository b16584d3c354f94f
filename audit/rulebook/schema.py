"""Read the parameters of a provision into its typed rules, whose fields say which there are and of which form.

A parameter that is no field is an error of the data file, so that a misspelt one cannot be ignored; and one that is
missing is an error too, unless the wording says in `unknown` that its text has not been read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cache
from types import MappingProxyType, NoneType
from typing import Any, Final, get_args, get_origin, get_type_hints

from audit.base import strict
from audit.base.strict import Value, YamlPath
from audit.rulebook.terms import FORMS, Terms

_DECIMAL: Final = re.compile(r"[0-9]+(\.[0-9]+)?")


def read_terms(key: str, value: Value, place: YamlPath, *, complete: bool) -> tuple[Mapping[str, object], Terms | None]:
    """The parameters of one wording of the provision `key`: as they are printed, unchangeable, and as typed rules.

    `complete` asks for every parameter; a wording of which something is unread may lack some, and then has no rules.

    Raises ConfigurationError naming the file and the path for an unknown, a missing or a malformed parameter.
    """
    form: Any = FORMS[key]
    wanted = required(form)
    parts = strict.mapping(value, place, required=wanted if complete else [], optional=[f.name for f in fields(form)])
    read = {name: _read(_hints(form)[name], item, place / name) for name, item in parts.items()}
    shown = MappingProxyType({name: strict.frozen(item) for name, item in parts.items()})
    return shown, _built(form, read, place) if set(wanted) <= set(parts) else None


def required(form: type) -> list[str]:
    """The names of the parameters that a complete wording states."""
    return [each.name for each in fields(form) if not _optional(each)]


def _optional(each: Field[Any]) -> bool:
    return each.default is not MISSING or each.default_factory is not MISSING


@cache
def _hints(form: Any) -> Mapping[str, Any]:
    return get_type_hints(form)


def _built(form: Callable[..., Any], read: Mapping[str, object], place: YamlPath) -> Any:
    try:
        return form(**read)
    except ValueError as error:
        place.fail(str(error))


def _read(form: Any, value: Value, place: YamlPath) -> object:
    """A value of the form that a field's type says."""
    outer, inner = get_origin(form), get_args(form)
    if NoneType in inner:
        return _read(next(each for each in inner if each is not NoneType), value, place)
    if outer in {tuple, frozenset}:
        return outer(_read(inner[0], item, place / index) for index, item in enumerate(strict.sequence(value, place)))
    if outer is not None:
        return _mapping(inner[0], inner[1], value, place)
    if is_dataclass(form):
        return _record(form, value, place)
    if issubclass(form, StrEnum):
        return form(strict.choice(value, place, [each.value for each in form]))
    return _SCALARS[form](value, place)


def _mapping(name: Any, form: Any, value: Value, place: YamlPath) -> Mapping[object, object]:
    if not isinstance(value, dict) or not value:
        place.fail("a mapping with entries is expected")
    return MappingProxyType(
        {_read(name, key, place / str(key)): _read(form, item, place / str(key)) for key, item in value.items()}
    )


def _record(form: Any, value: Value, place: YamlPath) -> object:
    parts = strict.mapping(value, place, required=required(form), optional=[each.name for each in fields(form)])
    return _built(form, {name: _read(_hints(form)[name], item, place / name) for name, item in parts.items()}, place)


def _number(value: Value, place: YamlPath) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        place.fail("a whole number is expected")
    return value


def _decimal(value: Value, place: YamlPath) -> Fraction:
    if not isinstance(value, str) or not _DECIMAL.fullmatch(value):
        place.fail("a decimal number in quotes is expected")
    return Fraction(value)


_SCALARS: Final[Mapping[type, Callable[[Value, YamlPath], object]]] = MappingProxyType(
    {bool: strict.flag, int: _number, str: strict.word, Fraction: _decimal}
)
