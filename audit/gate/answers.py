"""The answers of the data gate, as the pipeline, the command line and the report read them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pyarrow as pa

from audit.base.errors import InputRefused
from audit.base.model import LANGUAGES, Text
from audit.gate.suites import REGISTER_COLUMNS
from audit.register.approval import Approval

RESULTS_FILE: Final = "expectations.json"

_DAYS: Final = ("authorised_at", "planned_from", "ends_on")


@dataclass(frozen=True, slots=True)
class GateLine:
    """The answer to one expectation; `success` is None where it could not be run, which says nothing of the data."""

    suite: str
    expectation: str
    column: str | None
    success: bool | None
    severity: str
    observed: str
    text: Text

    def as_json(self) -> dict[str, object]:
        """The answer as plain data."""
        return {
            "suite": self.suite,
            "expectation": self.expectation,
            "column": self.column,
            "success": self.success,
            "severity": self.severity,
            "observed": self.observed,
            "text": {language: self.text.in_language(language) for language in LANGUAGES},
        }


@dataclass(frozen=True, slots=True)
class GateResult:
    """Every answer, in the order of the suites."""

    results: tuple[GateLine, ...]

    @property
    def passed(self) -> int:
        """Number of expectations that the data meet."""
        return sum(line.success is True for line in self.results)

    @property
    def failed(self) -> int:
        """Number of expectations that the data do not meet."""
        return sum(line.success is False for line in self.results)

    @property
    def errors(self) -> int:
        """Number of expectations that could not be run."""
        return sum(line.success is None for line in self.results)

    @property
    def critical_failed(self) -> tuple[GateLine, ...]:
        """The critical expectations that the data do not meet: the input is to be refused."""
        return tuple(line for line in self.results if line.success is False and line.severity == "critical")

    def refuse_if_critical(self) -> None:
        """Raise InputRefused with the first critical expectation that failed, in words, if there is one."""
        failed = self.critical_failed
        if failed:
            line = failed[0]
            where = f", column {line.column}" if line.column else ""
            more = f" (and {len(failed) - 1} more critical)" if len(failed) > 1 else ""
            raise InputRefused(
                f"the data gate refuses the input: {line.suite}{where}: expected: {line.text.en}; "
                f"observed: {line.observed or 'otherwise'}{more}"
            )

    def as_json(self) -> dict[str, object]:
        """The answers as plain data."""
        return {
            "passed": self.passed,
            "failed": self.failed,
            "errors": self.errors,
            "results": [line.as_json() for line in self.results],
        }

    def to_json(self) -> str:
        """The content of `expectations.json`: the same data, the same bytes."""
        return json.dumps(self.as_json(), ensure_ascii=False, indent=1, sort_keys=True) + "\n"


Answer = Callable[[], GateResult]
"""The answers to a question that was put, for when they are needed; calling it may raise what the gate refuses."""


def joined(parts: Iterable[GateResult], suites: Sequence[str]) -> GateResult:
    """The answers of several questions as those of one, in the order of the `suites`, each judged in one of them."""
    place = {name: number for number, name in enumerate(suites)}
    lines = [line for part in parts for line in part.results]
    return GateResult(tuple(sorted(lines, key=lambda line: place[line.suite])))


def gate_from_json(text: str) -> GateResult:
    """The answers that :meth:`GateResult.to_json` wrote.

    Raises ValueError, KeyError or TypeError for anything else.
    """
    lines = json.loads(text)["results"]
    return GateResult(tuple(GateLine(**{**line, "text": Text(**line["text"])}) for line in lines))


def results_from(run_dir: Path) -> GateResult:
    """The answers of a finished run.

    Raises InputRefused where the run has none or they cannot be read.
    """
    path = run_dir / RESULTS_FILE
    try:
        return gate_from_json(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputRefused(f"the run has no {RESULTS_FILE}") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputRefused(f"{RESULTS_FILE} of the run cannot be read ({type(error).__name__})") from error


def register_table(approvals: Iterable[Approval]) -> pa.Table:
    """The register's entries as the table that the suite `register` judges; `tables` is text with spaces."""
    rows = [
        {
            "approval_id": entry.approval_id,
            "casino": entry.casino,
            "game": entry.game,
            "option": entry.option,
            "value": entry.value,
            "tables": " ".join(entry.tables),
            "applied_at": entry.applied_at,
            "decision": entry.decision.value,
            "authorised_at": entry.authorised_at,
            "planned_from": entry.planned_from,
            "ends_on": entry.ends_on,
        }
        for entry in approvals
    ]
    types = {"applied_at": pa.timestamp("us", tz="UTC"), **dict.fromkeys(_DAYS, pa.date32())}
    schema = pa.schema([(name, types.get(name, pa.string())) for name in REGISTER_COLUMNS])
    table = pa.Table.from_pylist(rows, schema=schema)
    # Days become timestamps, which the library can compare; a date column would reach it as Python objects.
    for name in _DAYS:
        table = table.set_column(table.schema.get_field_index(name), name, table[name].cast(pa.timestamp("us")))
    return table
