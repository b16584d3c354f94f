"""The findings as a workbook: real numbers, days and times, and a dictionary of its columns.

Text is always written as text: a cell that a spreadsheet could take for a formula is kept as it is and marked as
quoted, so that neither opening nor editing it runs anything. Rows are written one at a time, whatever their number.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from audit.base import strict
from audit.base.model import LANGUAGES, MACAU, Text
from audit.catalogue import catalogue
from audit.export import FinishedRun
from audit.findings.table import SCHEMA

ROWS: Final = 1_000_000
"""Findings on one sheet; a spreadsheet ends at 1,048,576 rows."""

_LONGEST: Final = 32_767
_EXACT: Final = 15
_DANGEROUS: Final = frozenset("=+-@\t\r\n|")
_BATCH: Final = 20_000
_MONEY: Final = re.compile(r"-?[0-9]{1,13}\.[0-9]{2,4}")
_WIDE: Final = {"message_zh": 60, "message_pt": 60, "message_en": 60, "finding_id": 27, "occurred_at": 20}

Row = Sequence[object]


@cache
def dictionary() -> Mapping[str, Text]:
    """What each column of the findings means, in their order.

    Raises ConfigurationError where the file does not explain exactly the columns that there are.
    """
    content, place = strict.load(Path(__file__).with_name("columns.yaml"))
    parts = strict.mapping(content, place, required=SCHEMA.names)
    return {name: strict.text(parts[name], place / name) for name in SCHEMA.names}


def write_xlsx(run: FinishedRun, out: Path) -> None:
    """Write the workbook; its texts are in every language side by side."""
    from xlsxwriter import Workbook

    options = {
        "constant_memory": True,
        "strings_to_formulas": False,
        "strings_to_numbers": False,
        "strings_to_urls": False,
        "default_date_format": "yyyy-mm-dd",
    }
    # The library writes to the file only at the end, and its own failure would hide the reason.
    with out.open("wb") as stream:
        workbook = Workbook(stream, options)
        workbook.set_properties(
            {
                "title": f"dicj-audit {run.manifest['run_id']}",
                "author": run.manifest["software"]["name"],
                "created": run.moment.astimezone(dt.UTC).replace(tzinfo=None, microsecond=0),
            }
        )
        book = _Book(workbook)
        book.sheet("Summary", ("item", "value"), _summary(run), widths=(44, 70))
        for number, rows in enumerate(_portions(run.findings)):
            widths = tuple(_WIDE.get(name, 14) for name in SCHEMA.names)
            book.sheet(f"Findings{number + 1 if number else ''}", SCHEMA.names, rows, widths=widths)
        for name, key in (("Not evaluated", "not_evaluated"), ("Options", "options"), ("Register", "register")):
            book.sheet(name, *_records(run, key))
        book.sheet("Tables", _TABLE_HEADS, _tables(run))
        book.sheet("Checks", ("code", "severity", *_texts("criterion"), *_texts("limits")), _checks())
        columns = ("column", "type", *_texts("meaning"))
        book.sheet("Data dictionary", columns, _dictionary(), widths=(18, 16, 60, 60, 60))
        workbook.close()


class _Book:
    """Writes rows of values to sheets, each value as what it is."""

    def __init__(self, workbook: Any) -> None:
        self._workbook = workbook
        formats: dict[str, dict[str, object]] = {
            "head": {"bold": True, "bottom": 1, "text_wrap": True, "valign": "top"},
            "quoted": {"quote_prefix": True},
            "time": {"num_format": "yyyy-mm-dd hh:mm:ss"},
            "day": {"num_format": "yyyy-mm-dd"},
            "money": {"num_format": "#,##0.00##"},
            "count": {"num_format": "0"},
        }
        self._formats = {name: workbook.add_format(values) for name, values in formats.items()}

    def sheet(self, name: str, heads: Sequence[str], rows: Iterable[Row], *, widths: Sequence[int] = ()) -> None:
        """One sheet: a frozen line of headings with filters, then the rows."""
        sheet = self._workbook.add_worksheet(name)
        sheet.freeze_panes(1, 0)
        for column, _ in enumerate(heads):
            sheet.set_column(column, column, widths[column] if column < len(widths) else 16)
        sheet.write_row(0, 0, heads, self._formats["head"])
        last = 0
        for last, row in enumerate(rows, start=1):
            for column, value in enumerate(row):
                self._write(sheet, last, column, value)
        sheet.autofilter(0, 0, last, max(len(heads) - 1, 0))

    def _write(self, sheet: Any, row: int, column: int, value: object) -> None:
        if value is None or value == "":
            return
        if isinstance(value, bool):
            sheet.write_boolean(row, column, value)
        elif isinstance(value, int | Decimal) and len(Decimal(value).normalize().as_tuple().digits) <= _EXACT:
            sheet.write_number(row, column, value, self._formats["count" if isinstance(value, int) else "money"])
        elif isinstance(value, dt.datetime):
            sheet.write_datetime(row, column, value.astimezone(MACAU).replace(tzinfo=None), self._formats["time"])
        elif isinstance(value, dt.date):
            sheet.write_datetime(row, column, value, self._formats["day"])
        else:
            text = str(value)[:_LONGEST]
            sheet.write_string(row, column, text, self._formats["quoted"] if text[:1] in _DANGEROUS else None)


def _portions(findings: pa.Table) -> Iterator[Iterator[Row]]:
    """The findings in portions that fit a sheet; at least one, which may be empty."""
    for start in range(0, max(len(findings), 1), ROWS):
        yield _rows(findings.slice(start, ROWS))


def _rows(findings: pa.Table) -> Iterator[Row]:
    for batch in findings.select(SCHEMA.names).to_batches(max_chunksize=_BATCH):
        for row in batch.to_pylist():
            yield list(row.values())


def _records(run: FinishedRun, key: str) -> tuple[Sequence[str], list[Row]]:
    """A list of mappings of the manifest as headings and rows."""
    listed: list[Mapping[str, Any]] = list(run.manifest.get(key, ()))
    heads = list(dict.fromkeys(head for item in listed for head in item)) or [key]
    return heads, [[_plain(item.get(head)) for head in heads] for item in listed]


def _summary(run: FinishedRun) -> Iterator[Row]:
    """The facts of the manifest that a reader looks for first, by their dotted names."""
    manifest = run.manifest
    for name in ("run_id", "software", "period", "casinos", "games", "tables", "shoes", "totals", "verdicts"):
        yield from _flat(name, manifest[name])
    for name in ("findings", "rulebook", "inputs"):
        yield from _flat(name, manifest[name])


def _flat(name: str, value: Any) -> Iterator[Row]:
    if isinstance(value, Mapping):
        for key in value:
            yield from _flat(f"{name}.{key}", value[key])
    elif isinstance(value, list) and any(isinstance(item, Mapping) for item in value):
        for number, item in enumerate(value, start=1):
            yield from _flat(f"{name}.{number}", item)
    else:
        yield name, _plain(value)


def _plain(value: Any) -> object:
    """A value of the manifest as a cell takes it: lists and mappings as text, sums of money as numbers."""
    if isinstance(value, str) and _MONEY.fullmatch(value):
        return Decimal(value)
    if isinstance(value, Mapping):
        return "; ".join(f"{key}: {_plain(item)}" for key, item in value.items())
    if isinstance(value, list | tuple):
        return "; ".join(str(_plain(item)) for item in value)
    return value


_TABLE_HEADS: Final = (
    "casino", "table_id", "game", "rounds", "wagers", "findings", "currency", "overpaid", "underpaid",
)  # fmt: skip


def _tables(run: FinishedRun) -> Iterator[Row]:
    for row in run.manifest.get("tables_summary", ()):
        facts = [row.get(name) for name in _TABLE_HEADS[:6]]
        for line in row.get("amounts") or [{"currency": None, "overpaid": "0", "underpaid": "0"}]:
            yield [*facts, line["currency"], Decimal(line["overpaid"]), Decimal(line["underpaid"])]


def _texts(name: str) -> tuple[str, ...]:
    return tuple(f"{name}_{language}" for language in LANGUAGES)


def _checks() -> Iterator[Row]:
    """The catalogue, all languages side by side."""
    for code, check in catalogue.load().checks.items():
        texts = [text.in_language(each) for text in (check.criterion, check.limits) for each in LANGUAGES]
        yield [code, str(check.severity), *texts]


def _dictionary() -> Iterator[Row]:
    kinds: dict[Callable[[pa.DataType], bool], str] = {
        pa.types.is_timestamp: "time (Macau)",
        pa.types.is_date: "day",
        pa.types.is_decimal: "number (money)",
        pa.types.is_integer: "whole number",
    }
    for name, meaning in dictionary().items():
        kind = next((word for test, word in kinds.items() if test(SCHEMA.field(name).type)), "text")
        yield [name, kind, *(meaning.in_language(each) for each in LANGUAGES)]
