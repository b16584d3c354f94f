"""Which rule is judged by which check, from which data; and which rules no log can show, with the reason."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Final

from audit.base import strict
from audit.base.known_games import REGULATIONS
from audit.base.model import Text
from audit.base.strict import Value, YamlPath

_CODE: Final = re.compile(r"[A-Z]{3}-[0-9]{3}")
_COLUMN: Final = re.compile(r"(rounds|wagers|approvals|events)\.[a-z_]+")


class CoverageStatus(StrEnum):
    """How far a rule can be judged."""

    CHECKED = "checked"
    NOT_CHECKABLE = "not_checkable"
    TEXT_UNKNOWN = "text_unknown"


STATUS_TEXT: Final[Mapping[CoverageStatus, Text]] = {
    CoverageStatus.CHECKED: Text("有核實", "verificado", "checked"),
    CoverageStatus.NOT_CHECKABLE: Text("紀錄未能顯示", "não verificável pelo registo", "not checkable from logs"),
    CoverageStatus.TEXT_UNKNOWN: Text("條文未能查閱", "texto desconhecido", "text unknown"),
}
"""The status in words."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """What is done about one rule.

    `subject` is a rule's id (``BAC-16``) or, for what has none, a provision's key. `codes` are the checks that judge
    it, `data` the columns they read as ``table.column``. `limit` says what even so is not judged, or why nothing is.
    """

    subject: str
    status: CoverageStatus
    codes: tuple[str, ...]
    data: tuple[str, ...]
    limit: Text | None


def coverage_table(directory: Path | None = None) -> tuple[Coverage, ...]:
    """The coverage of every rule, in the order of the regulations.

    Raises ConfigurationError naming the file and the path in it for anything malformed, a checked rule without a
    check, and one that is not checked without its reason.
    """
    return _load((directory or REGULATIONS).resolve())


@cache
def _load(directory: Path) -> tuple[Coverage, ...]:
    value, place = strict.load(directory / "coverage.yaml")
    parts = strict.mapping(value, place, required=["limits", "rules"])
    limits = {
        name: strict.text(item, place / "limits" / name)
        for name, item in _named(parts["limits"], place / "limits").items()
    }
    found: dict[str, Coverage] = {}
    where = place / "rules"
    for index, item in enumerate(strict.sequence(parts["rules"], where)):
        entry = _entry(item, where / index, limits)
        if entry.subject in found:
            (where / index / "subject").fail(f"the rule {entry.subject} stands twice")
        found[entry.subject] = entry
    return tuple(found.values())


def _named(value: Value, place: YamlPath) -> dict[str, Value]:
    if not isinstance(value, dict):
        place.fail("a mapping is expected")
    return {str(name): item for name, item in value.items()}


def _entry(value: Value, place: YamlPath, limits: Mapping[str, Text]) -> Coverage:
    parts = strict.mapping(value, place, required=["subject", "status", "codes", "data"], optional=["limit"])
    status = CoverageStatus(strict.choice(parts["status"], place / "status", list(CoverageStatus)))
    codes = _matching(parts["codes"], place / "codes", _CODE, "a check's code such as DRW-001")
    limit = limits[strict.choice(parts["limit"], place / "limit", limits)] if "limit" in parts else None
    if (status is CoverageStatus.CHECKED) != bool(codes):
        (place / "codes").fail("a checked rule has checks, and any other has none")
    if not codes and limit is None:
        (place / "limit").fail("a rule without a check needs its reason")
    return Coverage(
        subject=strict.word(parts["subject"], place / "subject"),
        status=status,
        codes=codes,
        data=_matching(parts["data"], place / "data", _COLUMN, "a column such as rounds.outcome"),
        limit=limit,
    )


def _matching(value: Value, place: YamlPath, pattern: re.Pattern[str], what: str) -> tuple[str, ...]:
    found = strict.words(value, place)
    for index, item in enumerate(found):
        if not pattern.fullmatch(item):
            (place / index).fail(f"{item!r} is not {what}")
    return found
