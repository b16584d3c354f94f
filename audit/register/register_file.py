"""Read the register of authorisations from CSV, Parquet or YAML into typed entries.

A register that cannot be trusted is refused as a whole: which options were authorised is the ground of the gravest
findings, so no row of it is set aside in silence.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Final

from audit.base.known_games import GAMES
from audit.base.model import MACAU, Game
from audit.register.approval import ALL_TABLES, Approval, Decision
from audit.register.calendar_file import shipped_calendar
from audit.register.sheets import SheetRow, read_rows, register_files

REQUIRED: Final = ("approval_id", "game", "option", "value", "tables", "decision")
OPTIONAL: Final = ("casino", "applied_at", "authorised_at", "planned_from", "ends_on")

EARLIEST: Final = dt.date(1975, 10, 4)
LATEST: Final = dt.date(2099, 12, 31)
"""Days outside these bounds are taken for slips of the century."""

_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_INSTANT: Final = re.compile(
    r"(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})[T ](?P<time>[0-9]{2}:[0-9]{2}(:[0-9]{2})?)(?P<fraction>\.[0-9]{1,9})?"
    r" ?(?P<offset>Z|[+-][0-9]{2}:?[0-9]{2})?"
)


def load_register(path: str | Path | Iterable[str | Path], *, zone: dt.tzinfo = MACAU) -> tuple[Approval, ...]:
    """The entries of a register: one file, a folder or glob of files, or a list of these; exact repeats are dropped.

    CSV (also ``.csv.gz``, ``.csv.zst``), Parquet, or a YAML list. Timestamps without an offset are read in `zone`.
    Raises UsageError for a path that does not exist and InputRefused, naming file, row and column, for whatever is
    malformed: a column missing or written twice, a word outside the closed sets, a bad day, an approval id with two
    contradictory contents, an empty register. One reference may stand for several options or tables.
    """
    entries: list[Approval] = []
    first: dict[tuple[object, ...], Approval] = {}
    for file in register_files(path):
        for row in read_rows(file, required=REQUIRED, known=REQUIRED + OPTIONAL):
            entry = _entry(row, zone)
            named = (entry.approval_id, entry.casino, entry.game, entry.option, entry.value, entry.tables)
            earlier = first.setdefault(named, entry)
            if earlier is entry:
                entries.append(entry)
            elif earlier.content != entry.content:
                where = f"row {earlier.row}" + (f" of {earlier.file}" if earlier.file != entry.file else "")
                row.refuse(
                    "approval_id",
                    f"{entry.approval_id!r} contradicts {where}: the same option and tables with other content",
                )
    return tuple(entries)


def _entry(row: SheetRow, zone: dt.tzinfo) -> Approval:
    applied_at, day_only = _instant(row, "applied_at", zone)
    return Approval(
        approval_id=_word(row, "approval_id"),
        casino=_word(row, "casino") if row.cells.get("casino") is not None else None,
        game=Game(_choice(row, "game", GAMES)),
        option=_word(row, "option"),
        value=_word(row, "value"),
        tables=_tables(row),
        applied_at=applied_at,
        decision=Decision(_choice(row, "decision", tuple(Decision))),
        authorised_at=_day(row, "authorised_at"),
        planned_from=_day(row, "planned_from"),
        ends_on=_day(row, "ends_on"),
        row=row.number,
        file=row.file,
        applied_day_only=day_only,
    )


def _word(row: SheetRow, column: str) -> str:
    value = row.cells.get(column)
    if value is None:
        row.refuse(column, "empty; a text is expected")
    # A number is an id that another program stored as one; anything else would have to be guessed.
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        row.refuse(column, f"{value!r} is not a text")
    return value


def _choice(row: SheetRow, column: str, allowed: Collection[str]) -> str:
    value = _word(row, column)
    if value not in allowed:
        row.refuse(column, f"{value!r} is not one of {', '.join(allowed)}")
    return value


def _tables(row: SheetRow) -> tuple[str, ...]:
    value = row.cells.get("tables")
    if isinstance(value, list):
        words = [str(item) for item in value if item is not None]
        if not words or len(words) != len(value) or any(word.split() != [word] for word in words):
            row.refuse("tables", f"{value!r} is not a list of table ids")
    else:
        words = _word(row, "tables").split()
    if "*" in words and words != ["*"]:
        row.refuse("tables", "'*' stands for every table and is written alone")
    return ALL_TABLES if words == ["*"] else tuple(dict.fromkeys(words))


def _in_bounds(row: SheetRow, column: str, day: dt.date) -> dt.date:
    if not EARLIEST <= day <= LATEST:
        row.refuse(column, f"{day.isoformat()} is not between {EARLIEST} and {LATEST}")
    return day


def _day(row: SheetRow, column: str) -> dt.date | None:
    """A day, or the day in Macau of a timestamp (some programs store a day as its midnight, which has no zone)."""
    value = row.cells.get(column)
    if value is None:
        return None
    if isinstance(value, dt.date) and not isinstance(value, dt.datetime):
        return _in_bounds(row, column, value)
    if isinstance(value, str) and _DAY.fullmatch(value):
        try:
            return _in_bounds(row, column, dt.date.fromisoformat(value))
        except ValueError:
            row.refuse(column, f"{value!r} is not a day of the calendar")
    moment = _moment(value, MACAU)
    if moment is None:
        row.refuse(column, f"{_shown(value)} is not a day written YYYY-MM-DD")
    return _in_bounds(row, column, moment.date())


def _instant(row: SheetRow, column: str, zone: dt.tzinfo) -> tuple[dt.datetime | None, bool]:
    """An instant in Macau time, and whether the register gives its day only (then the opening of that day)."""
    value = row.cells.get(column)
    if value is None:
        return None, False
    if (isinstance(value, dt.date) and not isinstance(value, dt.datetime)) or (
        isinstance(value, str) and _DAY.fullmatch(value)
    ):
        day = _day(row, column)
        return (shipped_calendar().opening(day) if day is not None else None), True
    moment = _moment(value, zone)
    if moment is None:
        row.refuse(column, f"{_shown(value)} is not a timestamp written YYYY-MM-DDTHH:MM:SS, with or without an offset")
    _in_bounds(row, column, moment.date())
    return moment, False


def _moment(value: object, zone: dt.tzinfo) -> dt.datetime | None:
    """The instant in Macau time that a cell states, None where it states none."""
    if isinstance(value, str):
        match = _INSTANT.fullmatch(value)
        if match is None:
            return None
        # Digits beyond the microsecond are cut: no rule looks at them.
        fraction = (match["fraction"] or "")[:7]
        offset = (match["offset"] or "").replace("Z", "+00:00")
        padded = fraction.ljust(7, "0") if fraction else ""
        seconds = match["time"] if match["time"].count(":") == 2 else f"{match['time']}:00"
        try:
            value = dt.datetime.fromisoformat(f"{match['day']}T{seconds}{padded}{offset}")
        except ValueError:
            return None
    if not isinstance(value, dt.datetime):
        return None
    try:
        return (value if value.tzinfo is not None else value.replace(tzinfo=zone)).astimezone(MACAU)
    except OverflowError:
        return None


def _shown(value: object) -> str:
    return repr(value) if isinstance(value, str | int) else f"a value of type {type(value).__name__}"
