"""What people ask of a ledger: its runs, one of them with all that belongs to it, and findings across runs."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import sqlalchemy as sa

from audit.base.errors import UsageError
from audit.base.model import Severity, money_text
from audit.store.ledger import Ledger
from audit.store.models import APPROVALS, ENTRIES, FINDINGS, INPUTS, VERDICTS

KINDS: Final = ("run", "refused", "failed", "alarm")
LEAST_DIGITS: Final = 6
"""So many digits of a run id must be given at least."""

_RUN: Final = tuple(
    ENTRIES.c[name]
    for name in (
        *("seq", "kind", "recorded_at", "casino", "gaming_day", "attempt", "run_id", "worst", "findings"),
        *("supersedes", "output", "reason"),
    )
)


def entries(
    ledger: Ledger, *, casino: str | None = None, since: dt.date | None = None, kind: str | None = None
) -> Iterator[dict[str, Any]]:
    """The entries in their order, with `superseded_by`; `since` bounds the gaming day, or the day of recording."""
    later = ENTRIES.alias("later")
    after = sa.select(sa.func.max(later.c.seq)).where(later.c.supersedes == ENTRIES.c.seq).scalar_subquery()
    query = sa.select(*_RUN, after.label("superseded_by")).order_by(ENTRIES.c.seq)
    if casino is not None:
        query = query.where(ENTRIES.c.casino == casino)
    if kind is not None:
        query = query.where(ENTRIES.c.kind == kind)
    if since is not None:
        query = query.where(sa.func.coalesce(ENTRIES.c.gaming_day, ENTRIES.c.recorded_at) >= since.isoformat())
    return ledger.rows(query)


def entry(ledger: Ledger, name: str) -> dict[str, Any]:
    """One entry with everything that belongs to it, by its number or by the beginning of its run id.

    Of several attempts with one run id it is the last. Raises UsageError where there is none or the beginning fits
    several runs.
    """
    query = sa.select(ENTRIES).order_by(ENTRIES.c.seq.desc())
    if name.isdecimal() and len(name) < LEAST_DIGITS:
        found = list(ledger.rows(query.where(ENTRIES.c.seq == int(name))))
    elif len(name) >= LEAST_DIGITS and not set(name.lower()) - set("0123456789abcdef"):
        found = list(ledger.rows(query.where(ENTRIES.c.run_id.startswith(name.lower()))))
    else:
        raise UsageError(f"{name!r} is neither an entry's number nor {LEAST_DIGITS} or more digits of a run id")
    if not found:
        raise UsageError(f"the ledger has no entry {name}")
    if len({row["run_id"] for row in found}) > 1:
        raise UsageError(f"several runs begin with {name}; give more digits")
    seq = found[0]["seq"]
    parts = {table.name: _belonging(ledger, table, seq) for table in (INPUTS, VERDICTS, APPROVALS)}
    counts = sa.select(FINDINGS.c.code, FINDINGS.c.severity, sa.func.count().label("findings"))
    counts = counts.where(FINDINGS.c.entry == seq).group_by(FINDINGS.c.code, FINDINGS.c.severity)
    return {**found[0], **parts, "by_code": list(ledger.rows(counts.order_by(FINDINGS.c.code, FINDINGS.c.severity)))}


def known_inputs(ledger: Ledger) -> frozenset[str]:
    """The SHA-256 of every file that a recorded run has read."""
    return frozenset(row["sha256"] for row in ledger.rows(sa.select(INPUTS.c.sha256).distinct()))


def _belonging(ledger: Ledger, table: sa.Table, seq: int) -> list[dict[str, Any]]:
    order = table.c.position if "position" in table.c else table.c.game
    columns = [column for column in table.columns if column.name not in {"entry", "position"}]
    return list(ledger.rows(sa.select(*columns).where(table.c.entry == seq).order_by(order)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which findings: of a casino, a table, a check, from a severity on, from a legal day on.

    Without `superseded` those of runs that a later run replaced are left out.
    """

    casino: str | None = None
    table: str | None = None
    code: str | None = None
    severity: Severity | None = None
    since: dt.date | None = None
    superseded: bool = False
    limit: int | None = None


def findings(ledger: Ledger, wanted: Wanted) -> Iterator[dict[str, Any]]:
    """The findings wanted, oldest gaming day first, each with its run; `amount` as decimal text."""
    # The ledger's columns of a run are few, and each name of theirs says whose it is.
    run = [ENTRIES.c[name].label(f"run_{name}") for name in ("seq", "casino", "gaming_day", "attempt", "output")]
    query = sa.select(*run, ENTRIES.c.run_id, *(c for c in FINDINGS.columns if c.name not in {"entry", "position"}))
    query = query.join(ENTRIES, ENTRIES.c.seq == FINDINGS.c.entry)
    conditions = {FINDINGS.c.table_id: wanted.table, FINDINGS.c.code: wanted.code, ENTRIES.c.casino: wanted.casino}
    for column, value in conditions.items():
        if value is not None:
            query = query.where(column == value)
    if wanted.severity is not None:
        query = query.where(FINDINGS.c.severity.in_([s.value for s in Severity if s.at_least(wanted.severity)]))
    if wanted.since is not None:
        day = sa.func.coalesce(FINDINGS.c.legal_day, ENTRIES.c.gaming_day)
        query = query.where(day >= wanted.since.isoformat())
    if not wanted.superseded:
        replaced = sa.select(ENTRIES.c.supersedes).where(ENTRIES.c.supersedes.is_not(None))
        query = query.where(ENTRIES.c.seq.not_in(replaced))
    query = query.order_by(ENTRIES.c.gaming_day, ENTRIES.c.seq, FINDINGS.c.position)
    if wanted.limit is not None:
        query = query.limit(wanted.limit)
    for row in ledger.rows(query):
        amount = row["amount"]
        yield row | {"amount": None if amount is None else money_text(amount)}
