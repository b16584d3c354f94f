"""What the report says besides its findings, in one language: the coverage of the rules, the run it supersedes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from audit.base.known_games import GAMES, known_games
from audit.base.model import Game
from audit.register.notice import judge
from audit.register.picture import calendar_svg
from audit.report.contents import ReportData
from audit.report.wording import DASH, Wording, as_day, as_instant
from audit.rulebook import Rulebook
from audit.rulebook.coverage import STATUS_TEXT, coverage_table
from audit.rulebook.terms import NoticeRules


@dataclass(frozen=True, slots=True)
class Covered:
    """One line of the coverage table, as printed."""

    subject: str
    title: str
    status: str
    checks: str
    limit: str


def coverage(data: ReportData, wording: Wording) -> Iterator[Covered]:
    """Each rule of the games audited, the checks that judge it with their findings, and what is not judged."""
    games = {str(game) for game in data.manifest["games"]} or set(GAMES)
    others = tuple(f"{game.item_prefix}-" for game in known_games() if game.code not in games)
    counts = {check.code: check.count for check in data.checks}
    titles = _titles(data, wording)
    for row in coverage_table():
        if others and row.subject.startswith(others):
            continue
        checks = [f"{code} ({wording.integer(counts[code])})" if counts.get(code) else code for code in row.codes]
        yield Covered(
            row.subject,
            titles.get(row.subject, ""),
            wording.text(STATUS_TEXT[row.status]),
            wording.messages("list.separator").join(checks) or DASH,
            wording.text(row.limit),
        )


def _titles(data: ReportData, wording: Wording) -> dict[str, str]:
    """The head of the provision that each rule belongs to, in the versions applied."""
    found: dict[str, str] = {}
    for version in data.versions:
        for provision in version.rules.provisions.values():
            for subject in (*provision.rule_ids, provision.key):
                found.setdefault(subject, wording.text(provision.title))
    return found


def superseded(manifest: Mapping[str, Any]) -> str | None:
    """The run that this one supersedes, None for an original.

    `supplement` of the manifest names it under `supersedes`.
    """
    found = (manifest.get("supplement") or {}).get("supersedes")
    return str(found) if found else None


def edition(manifest: Mapping[str, Any], wording: Wording) -> str:
    """Whether the report is an original or supplements an earlier one."""
    run = superseded(manifest)
    if run is None:
        return wording.messages("cover.version_original")
    return wording.messages("cover.version_supplement", run=run[:16])


def compared(manifest: Mapping[str, Any], wording: Wording) -> str:
    """How the findings compare with those of the run superseded; empty for an original."""
    run = superseded(manifest)
    if run is None:
        return ""
    part = manifest["supplement"]
    counts = {name: wording.integer((part.get("counts") or part).get(name)) for name in ("new", "unchanged", "gone")}
    return wording.messages("sup.text", run=run, **counts)


def order_of_cards(manifest: Mapping[str, Any], wording: Wording) -> list[str]:
    """What proves the order in which the source's cards were read, one sentence a source.

    `sources` of the manifest is a mapping (or a list of them) whose `text`, or that of its `proof`, has all languages.
    """
    sources = manifest.get("sources") or []
    listed: Sequence[Any] = [sources] if isinstance(sources, Mapping) else sources
    found = []
    for source in listed:
        text = source.get("text") or (source.get("proof") or {}).get("text")
        if text:
            found.append(wording.text(text))
    return list(dict.fromkeys(found))


def first_use(manifest: Mapping[str, Any], entry: Mapping[str, Any]) -> str | None:
    """The first day on which the option of a register entry is seen in use at its tables; None where it is not."""
    tables = entry.get("tables") or ["*"]
    days = [
        str(row["first_day"])
        for row in manifest.get("options", [])
        if all(row[name] == entry.get(name) for name in ("game", "option", "value"))
        and (tables == ["*"] or row["table_id"] in tables)
        and entry.get("casino") in {None, "", row["casino"]}
    ]
    return min(days, default=None)


def notice_svg(rulebook: Rulebook, manifest: Mapping[str, Any], entry: Mapping[str, Any], language: str) -> str:
    """The calendar of a register entry; empty where its days are not known."""
    applied, planned = as_instant(entry.get("applied_at")), as_day(entry.get("planned_from"))
    if applied is None or planned is None:
        return ""
    used, authorised = as_day(first_use(manifest, entry)), as_day(entry.get("authorised_at"))
    duty = rulebook.authorisation(Game(entry["game"]), planned).stating(NoticeRules)
    judgement = judge(applied, planned, needed=duty.notice_working_days)
    return calendar_svg(judgement, language, authorised=authorised, first_use=used)
