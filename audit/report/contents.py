"""Everything the report says, gathered once and free of language; templates only choose words.

Nothing here reads the clock: every date comes from the run, and the report's number is derived from the run's digest.
"""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from audit.base.known_games import GAMES
from audit.base.model import MACAU, MONEY_SCALE, Game, Text
from audit.catalogue.catalogue import Catalogue
from audit.report.run_files import GateSummary, Rejected, check_manifest, digest, read_gate, read_json, read_quarantine
from audit.report.shown_findings import (
    SECTIONS,
    Amount,
    CheckResult,
    FamilyResult,
    Finding,
    Unanswered,
    add_up,
    amounts_by,
    collect,
    read_findings,
)
from audit.report.wording import as_day, as_instant
from audit.rulebook import GameRules, Instrument, NotInForce, Provision, Rulebook

PRINTED_PER_CHECK: Final = 10
"""Findings of one check that are printed in detail unless the caller says otherwise."""

TABLES_SHOWN: Final = 60
ROWS_SHOWN: Final = 80
HEAT_ROWS: Final = 16
WORST_SHOWN: Final = 8
HEAT_COLUMNS: Final = 31
BALANCES_SHOWN: Final = 12
TOP_FINDINGS: Final = 5
SURROUNDINGS: Final = ("_timeline", "_roads")
"""Keys of evidence.json that hold pictures' data instead of a round."""


@dataclass(frozen=True, slots=True)
class VersionApplied:
    """One version of a regulation that the run applied, with the rounds it judged."""

    rules: GameRules
    first: dt.date
    last: dt.date
    rounds: int


@dataclass(frozen=True, slots=True)
class Heat:
    """Findings by table and period, most troubled tables first; `unit` is hour, day, month or year."""

    unit: str
    rows: tuple[tuple[str, str], ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[int | None, ...], ...]
    worst: tuple[tuple[str, str, str, int, int], ...]
    tables: int


@dataclass(frozen=True, slots=True)
class ReportData:
    """The whole content of a report, without words."""

    manifest: Mapping[str, Any]
    run_id: str
    number: str
    digests: Mapping[str, str]
    families: tuple[FamilyResult, ...]
    amounts: tuple[Amount, ...]
    balances: tuple[tuple[tuple[str, str], Amount], ...]
    balances_total: int
    heat: Heat | None
    versions: tuple[VersionApplied, ...]
    acts: tuple[Instrument, ...]
    rulebook: Rulebook
    catalogue: Catalogue
    gate: GateSummary
    quarantine: tuple[Rejected, ...]
    evidence: Mapping[str, Mapping[str, Any]]
    timeline: Sequence[Mapping[str, Any]]
    roads: Sequence[Mapping[str, Any]]
    last_moment: dt.datetime
    limit: int

    @property
    def checks(self) -> tuple[CheckResult, ...]:
        """Every check in the order of the report."""
        return tuple(check for family in self.families for check in family.checks)

    @property
    def total(self) -> int:
        """Findings of the run."""
        return sum(family.count for family in self.families)

    @property
    def unanswered(self) -> tuple[Unanswered, ...]:
        """Every reason for which a check could not be answered."""
        return tuple(item for check in self.checks for item in check.unanswered)

    @property
    def unbuilt(self) -> tuple[str, ...]:
        """Checks of the catalogue that this version does not carry out."""
        return tuple(code for code, check in self.catalogue.checks.items() if not check.built)

    @property
    def sections(self) -> tuple[tuple[str, tuple[CheckResult, ...]], ...]:
        """The sections of chapter 7 with the checks that found something."""
        named = {family for families in SECTIONS.values() for family in families}
        rest = tuple(family.key for family in self.families if family.key not in named)
        return tuple(
            (
                key,
                tuple(
                    check
                    for family in self.families
                    if family.key in wanted or (key == "7_6" and family.key in rest)
                    for check in family.checks
                    if check.count
                ),
            )
            for key, wanted in SECTIONS.items()
        )

    @property
    def top(self) -> tuple[Finding, ...]:
        """The gravest printed findings, one a check, larger amounts first within a severity."""
        ranks = {"critical": 0, "high": 1, "medium": 2, "low": 3, "info": 4}
        found = [check for check in self.checks if check.printed]
        found.sort(key=lambda check: (ranks.get(check.severity, 5), -check.count, check.code))
        return tuple(check.printed[0] for check in found[:TOP_FINDINGS])

    @property
    def severities(self) -> Mapping[str, int]:
        """Findings by severity as the findings themselves carry it."""
        return dict(self.manifest["findings"]["by_severity"])

    @property
    def balanced(self) -> bool:
        """Say whether the rounds accepted are the sum of the three verdicts."""
        verdicts = self.manifest["verdicts"]
        total = verdicts["conforming"] + verdicts["violation"] + verdicts["not_evaluated"]
        return bool(self.manifest["totals"]["rounds"]["accepted"] == total)

    @property
    def uncovered(self) -> bool:
        """Say whether some rounds precede the first version whose text is known."""
        return any(item["version"] is None for item in self.manifest.get("rules", []))

    @property
    def notes(self) -> Sequence[Any]:
        """What the run wants to be said about its population."""
        return tuple(self.manifest.get("notes", []))

    @property
    def interpretations(self) -> tuple[Provision, ...]:
        """Provisions of the versions applied that were read in one of several ways."""
        return self._provisions("interpretation")

    @property
    def unknowns(self) -> tuple[Provision, ...]:
        """Provisions of the versions applied whose text has not been read to the end."""
        return self._provisions("unknown")

    def _provisions(self, name: str) -> tuple[Provision, ...]:
        found: dict[tuple[str, str, str], Provision] = {}
        for version in self.versions:
            for provision in version.rules.provisions.values():
                text = getattr(provision, name)
                if text is not None:
                    found[provision.instrument, provision.key, text.en] = provision
        return tuple(found.values())

    def reason(self, key: str) -> Text | None:
        """The catalogue's sentence for a reason, if it has one."""
        return self.catalogue.reasons.get(key)

    def provision(self, finding: Finding) -> Provision | None:
        """The provision that a finding cites, in the version of its legal day; None where it cites none."""
        return cited(self.rulebook, finding.row)


def cited(rulebook: Rulebook, row: Mapping[str, Any]) -> Provision | None:
    """The provision whose article, or the nearest wider one, a finding cites; None where the day has none."""
    article, day = row["article"], as_day(row["legal_day"])
    if not article or not day or row["game"] not in GAMES:
        return None
    try:
        return rulebook.on(Game(row["game"]), day).cited(article)
    except NotInForce:
        return None


def report_number(run_id: str, first: dt.date | None) -> str:
    """A number that anybody can derive from the run: the first day audited and the start of the run's digest.

    >>> report_number("0f3a9c77" + "0" * 56, dt.date(2024, 3, 1))
    'DA-20240301-0F3A9C77'
    """
    return f"DA-{first:%Y%m%d}-{run_id[:8].upper()}" if first else f"DA-{run_id[:8].upper()}"


def _versions(manifest: Mapping[str, Any], rulebook: Rulebook) -> tuple[VersionApplied, ...]:
    found = []
    for item in manifest.get("rules", []):
        first, last = as_day(item.get("first_legal_day")), as_day(item.get("last_legal_day"))
        game = Game(item["game"])
        rules = next((rules for rules in rulebook.rules(game) if rules.version == item["version"]), None)
        if rules is not None:
            begin = first or rules.in_force_from
            found.append(VersionApplied(rules, begin, last or begin, int(item["rounds"])))
    return tuple(sorted(found, key=lambda item: (item.rules.game, item.first)))


def _acts(versions: Sequence[VersionApplied], rulebook: Rulebook) -> tuple[Instrument, ...]:
    wanted = set()
    for version in versions:
        wanted.add(version.rules.instrument)
        wanted.update(version.rules.acts)
        wanted.update(provision.act for provision in version.rules.provisions.values())
    return tuple(act for name, act in rulebook.instruments.items() if name in wanted)


def _heat(manifest: Mapping[str, Any]) -> Heat | None:
    rows = manifest.get("hours", [])
    if not rows:
        return None
    for unit, cut in (("hour", 13), ("day", 10), ("month", 7), ("year", 4)):
        columns = sorted({str(row["hour"])[:cut] for row in rows})
        if len(columns) <= HEAT_COLUMNS or unit == "year":
            break
    found: dict[tuple[str, str], dict[str, list[int]]] = defaultdict(lambda: defaultdict(lambda: [0, 0]))
    for row in rows:
        cell = found[str(row.get("casino") or ""), str(row["table_id"])][str(row["hour"])[:cut]]
        cell[0] += int(row["rounds"])
        cell[1] += int(row["findings"])
    order = sorted(found, key=lambda table: (-sum(cell[1] for cell in found[table].values()), table))[:HEAT_ROWS]
    cells = tuple(
        tuple(found[table][column][1] if column in found[table] else None for column in columns) for table in order
    )
    if not any(value for line in cells for value in line):
        return None
    worst = [
        (casino, table, column, rounds, findings)
        for (casino, table), line in found.items()
        for column, (rounds, findings) in line.items()
        if findings
    ]
    worst.sort(key=lambda item: (-item[4], item[:3]))
    return Heat(unit, tuple(order), tuple(columns), cells, tuple(worst[:WORST_SHOWN]), len(found))


def _last_moment(manifest: Mapping[str, Any], findings: pa.Table) -> dt.datetime:
    period = manifest["period"]
    for value in (period.get("last_started_at"), period.get("to"), period.get("from")):
        if moment := as_instant(value):
            return moment
    moments = [as_instant(value) for value in findings["occurred_at"].to_pylist() if value]
    return max((moment for moment in moments if moment), default=dt.datetime(2004, 5, 18, tzinfo=MACAU))


def gather(run_dir: Path, manifest: Mapping[str, Any] | None, catalogue: Catalogue, *, limit: int) -> ReportData:
    """Read a run directory.

    `manifest` stands in for the file where the run is not finished yet. Raises InputRefused for a file that is missing
    or malformed.
    """
    if manifest is None:
        manifest = read_json(run_dir / "manifest.json", required=True)
    check_manifest(manifest)
    rulebook = Rulebook.load()
    table = read_findings(run_dir)
    unanswered = tuple(
        Unanswered(str(item["code"]), str(item["reason"]), int(item["count"]))
        for item in manifest.get("not_evaluated", [])
        if int(item["count"])
    )
    known = {code: (check.family, str(check.severity)) for code, check in catalogue.checks.items() if check.built}
    families = collect(table, known, unanswered, limit=limit)
    balances = sorted(
        (
            ((table_key[0], table_key[1]), amount)
            for table_key, amounts in amounts_by(table, "casino", "table_id").items()
            for amount in amounts
        ),
        key=lambda item: (-max(item[1].over, item[1].under), item[0], item[1].currency),
    )
    versions = _versions(manifest, rulebook)
    evidence = read_json(run_dir / "evidence.json", required=False)
    run_id = str(manifest["run_id"])
    period = manifest["period"]
    return ReportData(
        manifest=manifest,
        run_id=run_id,
        number=report_number(run_id, as_day(period.get("from")) or as_day(period.get("first_started_at"))),
        digests={
            name: digest(run_dir / name)
            for name in ("findings.csv", "findings.json", "findings.parquet", "quarantine.parquet", "expectations.json")
            if (run_dir / name).exists()
        },
        families=families,
        amounts=add_up([amount for family in families for amount in family.amounts]),
        balances=tuple(balances[:BALANCES_SHOWN]),
        balances_total=len(balances),
        heat=_heat(manifest),
        versions=versions,
        acts=_acts(versions, rulebook),
        rulebook=rulebook,
        catalogue=catalogue,
        gate=read_gate(run_dir / "expectations.json"),
        quarantine=read_quarantine(run_dir / "quarantine.parquet"),
        evidence={name: entry for name, entry in evidence.items() if name not in SURROUNDINGS},
        timeline=tuple(evidence.get("_timeline", ())),
        roads=tuple(evidence.get("_roads", ())),
        last_moment=_last_moment(manifest, table),
        limit=limit,
    )


def units(amount: Decimal) -> int:
    """An amount in whole ten-thousandths, for drawing."""
    return int(amount.scaleb(MONEY_SCALE))
