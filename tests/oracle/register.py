"""Rules 9 and 10: what the house's register covers, and whether its entries were applied for in time."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable

from tests.oracle import workdays
from tests.oracle.rows import Found, Row, date, instant
from tests.oracle.settlement import FIRST_DAY


class Register:
    """The house's register: coverage (9) and authorised choices (4)."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self.rows = list(rows)

    def granted(self, casino: str, table: str, game: str, option: str) -> list[Row]:
        """Granted entries for the option that name the table."""
        return [
            row
            for row in self.rows
            if row["decision"] == "granted"
            and row["game"] == game
            and row["option"] == option
            and (not row.get("casino") or row["casino"] == casino)
            and (row["tables"] == "*" or table in row["tables"].split())
        ]

    @staticmethod
    def span(row: Row) -> tuple[dt.date, dt.date] | None:
        """9: first and last day covered; None where the entry gives no cover."""
        starts = [day for day in (date(row.get("authorised_at", "")), date(row.get("planned_from", ""))) if day]
        if not starts:
            return None
        first, last = max(starts), date(row.get("ends_on", "")) or dt.date.max
        return None if last < first else (first, last)

    def values(self, casino: str, table: str, game: str, option: str, day: dt.date) -> set[str]:
        """The values of an option authorised for a table on a day."""
        found = set()
        for row in self.granted(casino, table, game, option):
            span = self.span(row)
            if span and span[0] <= day <= span[1]:
                found.add(row["value"])
        return found

    def fault(
        self, casino: str, table: str, game: str, option: str, value: str, day: dt.date
    ) -> tuple[str, str | None] | None:
        """9: the code and entry for a use on a day, or None where it is covered."""
        entries = []
        for row in self.granted(casino, table, game, option):
            span = self.span(row)
            if row["value"] == value and span:
                entries.append((span[0], span[1], row["approval_id"]))
        if not entries:
            return ("OPT-001", None)
        if any(first <= day <= last for first, last, _ in entries):
            return None
        ended = [entry for entry in entries if entry[1] < day]
        if ended:
            latest = max(last for _, last, _ in ended)
            return ("OPT-003", min(ident for _, last, ident in ended if last == latest))
        earliest = min(first for first, _, _ in entries)
        return ("OPT-002", min(ident for first, _, ident in entries if first == earliest))


def notices(rows: Iterable[Row], *, clear_days: bool = False) -> list[Found]:
    """10: the notice of every entry of the register."""
    found = []
    for row in rows:
        ident, casino = row["approval_id"], row.get("casino") or None
        applied, planned = instant(row.get("applied_at", "")), date(row.get("planned_from", ""))
        if planned and planned < FIRST_DAY[row["game"]]:
            continue
        if not applied or not planned:
            if row["decision"] == "granted":
                found.append(Found("APR-002", casino, approval=ident, option=row["option"], value=row["value"]))
            continue
        if planned == FIRST_DAY[row["game"]]:
            continue  # the regulation's own first day needs no notice
        n = workdays.notice(applied, planned)
        counted, own_day = (n.clear, n.ignoring_hours_clear) if clear_days else (n.standard, n.ignoring_hours)
        if counted < 3:
            severity = "medium" if own_day >= 3 else "high"
            found.append(
                Found("APR-001", casino, approval=ident, option=row["option"], value=row["value"], severity=severity)
            )
        elif min(n.clear, n.open_only, n.open_only_clear) < 3:
            found.append(Found("APR-003", casino, approval=ident, option=row["option"], value=row["value"]))
    return found
