"""The commands about the register: approvals check, approvals notice."""

from __future__ import annotations

import argparse
from typing import Any, Final

from audit.base.errors import ExitCode
from audit.base.model import Severity
from audit.commands.output import say, say_json

_SHOWN: Final = 5
"""Days of a long notice that are listed by name; the JSON has all of them."""


def check(arguments: argparse.Namespace) -> int:
    """Judge a register on its own: notice, dates, overlaps, unknown words."""
    from audit.catalogue import catalogue
    from audit.checks.applications import check_register
    from audit.config.settings import load_settings
    from audit.findings.table import Sink, records
    from audit.register.register import Register, load_register
    from audit.rulebook import Rulebook

    settings = load_settings(arguments.config)
    entries = load_register(arguments.approvals)
    result = check_register(entries, Rulebook.load(), settings.notice)
    sink = Sink(catalogue.load())
    for row in result["findings"]:
        plain: dict[str, Any] = dict(row)
        facts = plain.pop("facts", {})
        sink.add(str(plain["code"]), plain | facts)
    findings = list(records(sink.table()))
    answer: dict[str, Any] = {
        "findings": findings,
        "observations": result["observations"],
        "notices": result["notices"],
    }
    if arguments.on:
        in_force = Register(entries).in_force(arguments.on)
        answer["in_force"] = [
            {"approval_id": e.approval_id, "game": e.game, "option": e.option, "value": e.value}
            | {"tables": " ".join(e.tables), "casino": e.casino}
            for e in in_force
        ]
    if arguments.json:
        say_json(answer)
    else:
        _print_check(answer, arguments.lang, len(entries))
    worst = min((Severity(f["severity"]) for f in findings), key=lambda s: s.rank, default=None)
    reached = worst is not None and worst.at_least(Severity(arguments.fail_on))
    return int(ExitCode.FINDINGS if reached else ExitCode.CLEAN)


def _print_check(answer: dict[str, Any], language: str, entries: int) -> None:
    say(f"{entries} entries, {len(answer['findings'])} findings, {len(answer['observations'])} observations")
    for finding in answer["findings"]:
        say(f"{finding['code']} {finding['severity']:<8} {finding[f'message_{language}']}")
    for remark in answer["observations"]:
        say(f"observation  {remark['approval_id']}: {remark[f'message_{language}']}")
    for notice in answer["notices"]:
        if notice["counted"]:
            more = "" if len(notice["counted"]) <= _SHOWN else f"{len(notice['counted']) - _SHOWN} earlier, then "
            days = more + ", ".join(f"{d['day']} {d[f'name_{language}']}" for d in notice["counted"][-_SHOWN:])
            say(f"{notice['approval_id']}: deemed {notice['deemed_day']}; counted {days}")
    for entry in answer.get("in_force", ()):
        say(f"in force: {entry['approval_id']} {entry['game']} {entry['option']}={entry['value']} {entry['tables']}")


def notice(arguments: argparse.Namespace) -> int:
    """The last lawful application day, and the earliest adoption for an application."""
    from audit.config.settings import load_settings
    from audit.register.advice import notice_json
    from audit.rulebook import Rulebook

    settings = load_settings(arguments.config)
    needed = Rulebook.load().longest_notice(arguments.adopt)
    answer = notice_json(arguments.adopt, arguments.apply, settings.notice, needed=needed)
    if arguments.json:
        say_json(answer)
        return int(ExitCode.CLEAN)
    language = arguments.lang
    say(f"adoption {answer['adopt']} ({answer['reading']}): apply by {answer['last_application_at']}")
    _print_days("counted", answer["counted"], language)
    _print_days("not counted", answer["skipped"], language)
    if "earliest_adoption_day" in answer:
        say(
            f"application {answer['applied_at']}, deemed {answer['deemed_day']}:"
            f" earliest adoption {answer['earliest_adoption_day']}"
        )
        _print_days("counted", answer["earliest_counted"], language)
        _print_days("not counted", answer["earliest_skipped"], language)
    return int(ExitCode.CLEAN)


def _print_days(title: str, days: Any, language: str) -> None:
    for day in days:
        say(f"  {title:<12} {day['day']} {day[f'name_{language}']} {day.get(f'reason_{language}', '')}".rstrip())
