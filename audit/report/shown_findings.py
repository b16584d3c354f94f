"""The findings as the report shows them: counted by check and family, the first few of each check in detail.

The table itself may hold a hundred thousand rows; only the rows that are printed ever become Python objects.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from audit.base.errors import InputRefused
from audit.base.model import Severity
from audit.findings.table import SCHEMA

ZERO: Final = Decimal(0)

SECTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "7_1": ("DRW", "RES"),
    "7_2": ("PAY",),
    "7_3": ("OPT",),
    "7_4": ("APR",),
    "7_5": ("SHO",),
    "7_6": ("LOG",),
    "7_7": ("LIM",),
}
"""The sections of chapter 7 and the families of checks that each holds."""


@dataclass(frozen=True, slots=True)
class Amount:
    """Sums of one currency: paid too much and too little, both positive."""

    currency: str
    over: Decimal
    under: Decimal

    @property
    def net(self) -> Decimal:
        """Positive where the house paid too much on the whole."""
        return self.over - self.under


@dataclass(frozen=True, slots=True)
class Finding:
    """One printed finding: its number in this report and its row of the findings table."""

    number: int
    row: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Unanswered:
    """How often a check could not be answered, and the key of the reason."""

    code: str
    reason: str
    count: int


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One check's outcome over the whole run; `printed` holds the first findings of it."""

    code: str
    family: str
    severity: str
    count: int
    amounts: tuple[Amount, ...]
    printed: tuple[Finding, ...]
    unanswered: tuple[Unanswered, ...]

    @property
    def not_evaluated(self) -> int:
        """How many subjects the check could not be answered for."""
        return sum(item.count for item in self.unanswered)


def verdict(count: int, not_evaluated: int) -> str:
    """Key of the verdict of a check or family: silence counts as clear only where everything could be answered.

    >>> verdict(0, 0), verdict(0, 3), verdict(2, 0)
    ('clear', 'partly', 'found')
    """
    if count:
        return "found_partly" if not_evaluated else "found"
    return "partly" if not_evaluated else "clear"


@dataclass(frozen=True, slots=True)
class FamilyResult:
    """The checks of one family together."""

    key: str
    checks: tuple[CheckResult, ...]

    @property
    def count(self) -> int:
        """Findings of the family."""
        return sum(check.count for check in self.checks)

    @property
    def not_evaluated(self) -> int:
        """Subjects that checks of the family could not be answered for."""
        return sum(check.not_evaluated for check in self.checks)

    @property
    def worst(self) -> str:
        """The gravest severity among the checks that found something."""
        found = {check.severity for check in self.checks if check.count}
        return next((severity.value for severity in Severity if severity.value in found), Severity.INFO.value)

    @property
    def verdict(self) -> str:
        """Key of the family's verdict."""
        return verdict(self.count, self.not_evaluated)

    @property
    def amounts(self) -> tuple[Amount, ...]:
        """Sums of the family by currency."""
        return add_up([amount for check in self.checks for amount in check.amounts])


def add_up(amounts: Sequence[Amount]) -> tuple[Amount, ...]:
    """Add amounts by currency, in the order of the currencies' names."""
    sums: dict[str, Amount] = {}
    for item in amounts:
        seen = sums.get(item.currency, Amount(item.currency, ZERO, ZERO))
        sums[item.currency] = Amount(item.currency, seen.over + item.over, seen.under + item.under)
    return tuple(sums[currency] for currency in sorted(sums))


def read_findings(run_dir: Path) -> pa.Table:
    """The findings table of a run.

    Raises InputRefused where the file is missing, is not Parquet or lacks a column of the findings schema.
    """
    path = run_dir / "findings.parquet"
    try:
        table = pq.read_table(path)
    except (OSError, pa.ArrowException) as error:
        raise InputRefused(f"findings.parquet of the run cannot be read ({type(error).__name__})") from error
    if missing := [name for name in SCHEMA.names if name not in table.column_names]:
        raise InputRefused(f"findings.parquet has no column {missing[0]!r}")
    return table


def _signed(table: pa.Table, keys: Sequence[str]) -> list[tuple[tuple[str, ...], Amount]]:
    if not table.num_rows:
        return []
    amount = table["amount"]
    zero = pa.scalar(ZERO, amount.type)
    columns = {key: pc.fill_null(table[key].cast(pa.string()), "") for key in (*keys, "currency")}
    columns["over"] = pc.if_else(pc.fill_null(pc.greater(amount, zero), False), amount, zero)  # noqa: FBT003 - a value
    columns["under"] = pc.if_else(pc.fill_null(pc.less(amount, zero), False), pc.negate(amount), zero)  # noqa: FBT003
    sums = (
        pa.table(columns)
        .group_by([*keys, "currency"], use_threads=False)
        .aggregate([("over", "sum"), ("under", "sum")])
    )
    rows = [
        (tuple(str(row[key]) for key in keys), Amount(str(row["currency"]), row["over_sum"], row["under_sum"]))
        for row in sums.to_pylist()
        if row["over_sum"] or row["under_sum"]
    ]
    return sorted(rows, key=lambda row: (row[0], row[1].currency))


def amounts_by(table: pa.Table, *keys: str) -> dict[tuple[str, ...], tuple[Amount, ...]]:
    """Sums of the findings' amounts by the given columns and currency; rows without an amount add nothing."""
    found: dict[tuple[str, ...], list[Amount]] = {}
    for key, amount in _signed(table, keys):
        found.setdefault(key, []).append(amount)
    return {key: tuple(amounts) for key, amounts in found.items()}


def collect(
    table: pa.Table,
    checks: Mapping[str, tuple[str, str]],
    unanswered: Sequence[Unanswered],
    *,
    limit: int,
) -> tuple[FamilyResult, ...]:
    """Count the findings by check and take the first `limit` of each.

    `checks` maps each code of the catalogue to its family and severity, in the order of the report; a code that only
    the findings have is added after them. Numbers run through the report in this order.
    """
    known = dict(checks)
    codes = pc.unique(table["code"].combine_chunks()).to_pylist() if table.num_rows else []
    for code in sorted(set(codes) - known.keys()):
        known[code] = (code.partition("-")[0], Severity.INFO.value)
    amounts = amounts_by(table, "code")
    results: dict[str, list[CheckResult]] = {family: [] for families in SECTIONS.values() for family in families}
    number = 0
    for family in list(results) + sorted({family for family, _ in known.values()} - results.keys()):
        for code, (_, severity) in ((c, k) for c, k in known.items() if k[0] == family):
            rows = pc.indices_nonzero(pc.equal(table["code"], code)) if table.num_rows else pa.array([], pa.uint64())
            printed = []
            for row in table.take(rows[:limit]).to_pylist() if len(rows) else []:
                number += 1
                printed.append(Finding(number, row))
            results.setdefault(family, []).append(
                CheckResult(
                    code,
                    family,
                    severity,
                    len(rows),
                    amounts.get((code,), ()),
                    tuple(printed),
                    tuple(item for item in unanswered if item.code == code),
                )
            )
    return tuple(FamilyResult(family, tuple(items)) for family, items in results.items() if items)
