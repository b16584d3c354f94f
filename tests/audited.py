"""Audit a few rows from end to end, told as the examples of the catalogue are."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from audit.catalogue.examples import laid_out
from audit.config.settings import Settings
from audit.findings.table import read_findings, records
from audit.pipeline import RunRequest, run_audit
from tests.finished import NoGate


@dataclass(frozen=True)
class Audited:
    """What a run left: its findings and its manifest."""

    rows: list[dict[str, Any]]
    manifest: dict[str, Any]

    @property
    def codes(self) -> list[str]:
        """The codes of the findings."""
        return [row["code"] for row in self.rows]

    def told(self, *columns: str) -> list[tuple[Any, ...]]:
        """Code and some columns of each finding."""
        return [(row["code"], *(row[name] for name in columns)) for row in self.rows]

    @property
    def counted(self) -> dict[tuple[str, str], int]:
        """How often a check was not answered, by code and reason."""
        return {(row["code"], row["reason"]): row["count"] for row in self.manifest["not_evaluated"]}

    @property
    def open(self) -> dict[tuple[str, str], int]:
        """The same without what whole tables that are not in the input leave open."""
        absent = {"option_not_shown", "no_events", "no_register"}
        return {key: count for key, count in self.counted.items() if key[1] not in absent}

    @property
    def verdicts(self) -> dict[str, int]:
        """The verdicts that any round got."""
        return {word: count for word, count in self.manifest["verdicts"].items() if count}


def audited(
    data: Mapping[str, object], folder: Path, *, day: dt.date | None = None, quarantine: str | None = "100%"
) -> Audited:
    """A run on the rows that the data of an example stands for; `quarantine` None leaves the share to the data."""
    example = laid_out(_frozen(data))
    paths = {table: folder / f"{table}.csv" for table in example.tables}
    for table, path in paths.items():
        path.write_text(example.csv(table), encoding="utf-8")
    settings = ({} if quarantine is None else {"max_quarantine": quarantine}) | {**example.configuration}
    request = RunRequest(
        [paths["rounds"]],
        folder / "out",
        wagers=[paths["wagers"]] if "wagers" in paths else (),
        approvals=paths.get("approvals"),
        events=[paths["events"]] if "events" in paths else (),
        config=Settings.model_validate(_thawed(settings)),
        day=day,
        report=False,
    )
    manifest = run_audit(request, gate=NoGate()).manifest
    return Audited(list(records(read_findings(folder / "out"))), manifest)


def _frozen(data: Mapping[str, object]) -> dict[str, object]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in data.items()}


def _thawed(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: _thawed(item) for key, item in value.items()}
    return [_thawed(item) for item in value] if isinstance(value, tuple) else value
