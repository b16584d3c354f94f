"""Rules 9 and 10: coverage and notice."""

from __future__ import annotations

from tests.oracle.dealer import Log
from tests.scenarios.base import (
    BANKER_9,
    CASINO,
    SCENARIOS,
    Build,
    Keys,
    Scenario,
    deal_table,
    entry_of,
    on,
    row_of,
    scenario,
)


def _none_on(table: str, *days: str) -> Log:
    return Log([on(row_of(table, n, *BANKER_9, commission="none"), day) for n, day in enumerate(days, 1)])


def _use(code: str, table: str, entry: str | None) -> tuple[object, ...]:
    return (code, CASINO, table, "baccarat", "commission", "none", entry)


@scenario()
def coverage_runs_from_the_later_day_to_the_last(table: str) -> tuple[Log, Keys]:
    """Authorised on the 12th, planned from the 10th, ending on the 20th: the 11th is early, the 21st expired."""
    log = _none_on(table, "2024-01-11", "2024-01-12", "2024-01-20", "2024-01-21")
    log.approvals.append(
        entry_of(
            table, "commission", "none", authorised_at="2024-01-12", planned_from="2024-01-10", ends_on="2024-01-20"
        )
    )
    return log, {_use("OPT-002", table, f"{table}-A"), _use("OPT-003", table, f"{table}-A")}


@scenario()
def one_finding_for_every_day_without_cover(table: str) -> tuple[Log, Keys]:
    """On 28 November 2005 no register could allow it, on the 29th this one does not: still one finding."""
    log = _none_on(table, "2005-11-28", "2005-11-29")
    return log, {_use("OPT-001", table, None)}


@scenario()
def an_entry_without_any_day_gives_no_cover(table: str) -> tuple[Log, Keys]:
    """Neither authorised nor planned on a named day: as if it were not there (and the application is incomplete)."""
    log = _none_on(table, "2024-03-01")
    log.approvals.append(entry_of(table, "commission", "none", authorised_at="", planned_from=""))
    return log, {_use("OPT-001", table, None), ("APR-002", f"{table}-A")}


@scenario()
def an_entry_that_ends_before_it_begins_is_ignored(table: str) -> tuple[Log, Keys]:
    """Its days are no days."""
    log = _none_on(table, "2024-03-01")
    log.approvals.append(entry_of(table, "commission", "none", ends_on="2024-01-14"))
    return log, {_use("OPT-001", table, None)}


@scenario()
def of_ended_entries_the_last_one(table: str) -> tuple[Log, Keys]:
    """Two have ended and one is to come: expired, under the one that ended last."""
    log = _none_on(table, "2024-03-01")
    log.approvals += [
        entry_of(table, "commission", "none", f"{table}-1", ends_on="2024-02-10"),
        entry_of(table, "commission", "none", f"{table}-2", ends_on="2024-02-20"),
        entry_of(table, "commission", "none", f"{table}-3", planned_from="2024-05-02"),
    ]
    return log, {_use("OPT-003", table, f"{table}-2")}


@scenario()
def of_coming_entries_the_first_one(table: str) -> tuple[Log, Keys]:
    """Three are to come: early, under the one that starts first, of two the smaller id."""
    log = _none_on(table, "2024-03-01")
    log.approvals += [
        entry_of(table, "commission", "none", f"{table}-3", planned_from="2024-05-06"),
        entry_of(table, "commission", "none", f"{table}-2", planned_from="2024-05-02"),
        entry_of(table, "commission", "none", f"{table}-1", planned_from="2024-05-02"),
    ]
    return log, {_use("OPT-002", table, f"{table}-1")}


@scenario()
def an_entry_of_another_house_table_or_game(table: str) -> tuple[Log, Keys]:
    """None of these covers the table."""
    log = _none_on(table, "2024-03-01")
    log.approvals += [
        entry_of(table, "commission", "none", f"{table}-1", casino="Casa Dois"),
        entry_of(table, "commission", "none", f"{table}-2", tables="X1 X2"),
        entry_of(table, "commission", "none", f"{table}-3", game="makccarat"),
        entry_of(table, "commission", "none", f"{table}-4", decision="refused"),
        entry_of(table, "commission", "none", f"{table}-5", decision="pending"),
    ]
    return log, {_use("OPT-001", table, None)}


@scenario()
def the_rule_itself_needs_no_authorisation(table: str) -> tuple[Log, Keys]:
    """Commission and burning by decks are what the articles say."""
    return deal_table(table), set()


def _notice(applied: str, planned: str, code: str | None) -> Build:
    def build(table: str) -> tuple[Log, Keys]:
        entry = entry_of(table, "demonstration", "allowed", applied_at=applied, planned_from=planned)
        return Log([row_of(table, 1, *BANKER_9)], [], [entry]), ({(code, f"{table}-A")} if code else set())

    return build


for _name, _applied, _planned, _code in (
    ("clear_pass", "2026-03-09T10:00:00+08:00", "2026-03-13", None),
    ("third_working_day_before", "2026-03-10T17:45:00+08:00", "2026-03-13", "APR-003"),
    ("one_second_late", "2026-03-10T17:45:01+08:00", "2026-03-13", "APR-001"),
    ("friday_in_time", "2026-03-06T17:30:00+08:00", "2026-03-11", "APR-003"),
    ("friday_late", "2026-03-06T17:30:01+08:00", "2026-03-11", "APR-001"),
    ("too_late", "2026-03-11T09:05:00+08:00", "2026-03-13", "APR-001"),
    ("saturday", "2026-03-07T11:00:00+08:00", "2026-03-12", "APR-003"),
    ("half_day_morning", "2026-02-16T13:00:00+08:00", "2026-02-24", "APR-003"),
    ("half_day_afternoon", "2026-02-16T13:00:01+08:00", "2026-02-24", "APR-001"),
    ("substitutes", "2024-02-09T09:30:00+08:00", "2024-02-16", "APR-001"),
    ("typhoon_is_no_breach", "2018-09-12T10:00:00+08:00", "2018-09-18", "APR-003"),
    ("epidemic_is_no_breach", "2022-06-17T10:00:00+08:00", "2022-06-23", "APR-003"),
    ("other_zone", "2026-03-10T09:45:00+00:00", "2026-03-13", "APR-003"),
    ("before_the_first_text", "2004-05-14T10:00:00+08:00", "2004-05-17", None),
    ("on_the_first_day", "2004-05-17T10:00:00+08:00", "2004-05-18", None),
    ("on_the_second_day", "2004-05-17T10:00:00+08:00", "2004-05-19", "APR-001"),
    ("adoption_before_application", "2026-03-13T10:00:00+08:00", "2026-03-02", "APR-001"),
):
    SCENARIOS[f"notice_{_name}"] = Scenario(_notice(_applied, _planned, _code), register=True, verdicts=None)


@scenario()
def refused_entries_are_judged_too(table: str) -> tuple[Log, Keys]:
    """Entries of every decision are judged; a missing application matters only where it was granted."""
    late = {"applied_at": "2026-03-12T10:00:00+08:00", "planned_from": "2026-03-13"}
    entries = [
        entry_of(table, "demonstration", "allowed", f"{table}-1", decision="refused", **late),
        entry_of(table, "demonstration", "allowed", f"{table}-2", decision="pending", applied_at=""),
        entry_of(table, "demonstration", "allowed", f"{table}-3", planned_from=""),
    ]
    return Log([row_of(table, 1, *BANKER_9)], [], entries), {("APR-001", f"{table}-1"), ("APR-002", f"{table}-3")}
