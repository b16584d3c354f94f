"""Checks APR-001, APR-002 and APR-003: was each entry of the register applied for in time.

The provision ``authorisation`` of each regulation (55/2004 art. 19, 67/2007 art. 18) asks for it. The verdicts come
from :mod:`audit.register.notice`; here they become findings.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Final, TypedDict

from audit.base.model import Severity
from audit.findings.table import SCHEMA
from audit.register.advice import DayJson, day_json
from audit.register.approval import Approval, Decision
from audit.register.notice import DecidedBy, NoticeJudgement, NoticeReading, State, judge, macau
from audit.register.observations import Observation, observe
from audit.rulebook.terms import NoticeRules

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from audit.rulebook import Provision, Rulebook
    from audit.rulebook.options import OptionValue

_ABSENT: Final = frozenset({"finding_id", "message_zh", "message_pt", "message_en"})
_COLUMNS: Final = tuple(name for name in SCHEMA.names if name not in _ABSENT)

Finding = dict[str, object]
"""The columns of a finding without identity and words, and `facts`: the placeholders of its sentences."""


class RegisterRow(TypedDict):
    """One entry in the summary of the register; days and times are ISO text, None where unknown.

    `state` is ok, short, doubt, missing or not_evaluated; `severity` that of the finding, `reason` the key of the
    reason why the notice was not evaluated. `working_days` and `clear_days` count closures as worked.
    """

    approval_id: str
    casino: str | None
    game: str
    option: str
    value: str
    tables: list[str]
    decision: str
    applied_at: str | None
    applied_day_only: bool
    authorised_at: str | None
    planned_from: str | None
    ends_on: str | None
    source_file: str
    source_row: int
    deemed_day: str | None
    working_days: int | None
    clear_days: int | None
    working_days_closures_off: int | None
    clear_days_closures_off: int | None
    state: str
    code: str | None
    severity: str | None
    reason: str | None
    hinges: list[str]
    grades: dict[str, str]


class NoticeDays(TypedDict):
    """The days of one entry's notice by name: those counted, and those passed over."""

    approval_id: str
    state: str
    deemed_day: str | None
    working_days: int | None
    clear_days: int | None
    counted: list[DayJson]
    skipped: list[DayJson]


class RegisterCheck(TypedDict):
    """What `approvals check` prints."""

    findings: list[Finding]
    observations: list[Observation]
    notices: list[NoticeDays]


def judge_register(
    approvals: Iterable[Approval],
    rulebook: Rulebook,
    reading: NoticeReading | str = NoticeReading.STANDARD,
) -> tuple[list[Finding], list[RegisterRow]]:
    """Judge every entry, whatever its decision; the findings and one summary row per entry, in the register's order.

    Entries planned before the first day whose text the rulebook knows are not evaluated. That day itself needs no
    notice: nobody could announce three working days before what the regulation was to let him choose.
    """
    findings: list[Finding] = []
    rows: list[RegisterRow] = []
    for entry in approvals:
        finding, row = _judge_entry(entry, rulebook, NoticeReading(reading))
        rows.append(row)
        if finding is not None:
            findings.append(finding)
    return findings, rows


def notice_of(
    entry: Approval, rulebook: Rulebook, reading: NoticeReading | str = NoticeReading.STANDARD
) -> NoticeJudgement | None:
    """The judgement of one entry's notice, None where the application or the planned day is not recorded."""
    if entry.applied_at is None or entry.planned_from is None:
        return None
    needed = _needed(rulebook.authorisation(entry.game, entry.planned_from))
    return judge(entry.applied_at, entry.planned_from, reading, needed=needed)


def _needed(duty: Provision) -> int:
    return duty.stating(NoticeRules).notice_working_days


def check_register(
    approvals: Iterable[Approval],
    rulebook: Rulebook,
    reading: NoticeReading | str = NoticeReading.STANDARD,
    *,
    known_tables: Collection[str] | None = None,
    options: tuple[OptionValue, ...] | None = None,
) -> RegisterCheck:
    """Everything that can be said of a register on its own.

    `findings` are as those of :func:`judge_register`; the caller names and words them. The rest is ready for JSON.
    """
    entries = tuple(approvals)
    findings, rows = judge_register(entries, rulebook, reading)
    return RegisterCheck(
        findings=findings,
        observations=observe(entries, known_tables=known_tables, options=options, rulebook=rulebook),
        notices=[_notice(entry, row, rulebook, reading) for entry, row in zip(entries, rows, strict=True)],
    )


def _notice(entry: Approval, row: RegisterRow, rulebook: Rulebook, reading: NoticeReading | str) -> NoticeDays:
    judgement = notice_of(entry, rulebook, reading) if row["deemed_day"] is not None else None
    return NoticeDays(
        approval_id=entry.approval_id,
        state=row["state"],
        deemed_day=row["deemed_day"],
        working_days=row["working_days"],
        clear_days=row["clear_days"],
        counted=[day_json(info) for info in judgement.counted] if judgement else [],
        skipped=[day_json(info) for info in judgement.skipped] if judgement else [],
    )


def _judge_entry(entry: Approval, rulebook: Rulebook, reading: NoticeReading) -> tuple[Finding | None, RegisterRow]:
    first = rulebook.first_day(entry.game)
    if entry.planned_from is not None and entry.planned_from < first:
        return None, _row(entry, "not_evaluated", reason="before_coverage")
    if entry.planned_from == first and entry.applied_at is not None:
        return None, _row(entry, "ok")
    judgement, duty = notice_of(entry, rulebook, reading), rulebook.authorisation(entry.game, entry.planned_from)
    if judgement is None:
        if entry.decision is not Decision.GRANTED:
            return None, _row(entry, "not_evaluated", reason="register_entry_undated")
        missing = _missing(entry, duty)
        return missing, _row(entry, "missing", finding=missing)
    if judgement.state is State.NOT_EVALUATED:
        return None, _row(entry, "not_evaluated", reason="calendar_unknown")
    finding = _finding(entry, judgement, duty)
    short = judgement.state in {State.SHORT, State.SHORT_AFTER_HOURS_ONLY}
    state = "short" if short else judgement.state.value
    return finding, _row(entry, state, judgement=judgement, finding=finding)


def _finding(entry: Approval, judgement: NoticeJudgement, duty: Provision) -> Finding | None:
    """APR-001 or APR-003 with the number that falls short; None where the notice was given in every reading."""
    facts: dict[str, object] = {
        "applied_at": f"{macau(judgement.applied_at):%Y-%m-%d %H:%M:%S}",
        "deemed_day": str(judgement.deemed_day),
        "planned_from": str(judgement.planned_from),
        "needed": judgement.needed,
        "reading": judgement.reading.value,
        "clear_days": judgement.clear_days,
        "working_days_closures_off": judgement.working_days_closures_off,
        "clear_days_closures_off": judgement.clear_days_closures_off,
        "hinges": " ".join(each.value for each in judgement.decided_by),
    }
    match judgement.state:
        case State.SHORT | State.SHORT_AFTER_HOURS_ONLY:
            only_hours = judgement.state is State.SHORT_AFTER_HOURS_ONLY
            severity = Severity.MEDIUM if only_hours else Severity.HIGH
            return _columns(entry, duty, "APR-001", severity, str(judgement.needed), str(judgement.decisive)) | {
                "facts": facts | {"working_days": judgement.decisive}
            }
        case State.DOUBT:
            return _columns(
                entry, duty, "APR-003", Severity.INFO, str(judgement.needed), str(_stricter_count(judgement))
            ) | {"facts": facts | {"working_days": judgement.working_days}}
        case _:
            return None


def _stricter_count(judgement: NoticeJudgement) -> int | None:
    """The count in the stricter reading that the judgement names: one alone, or both together."""
    if judgement.decided_by == (DecidedBy.CLEAR_DAYS,):
        return judgement.clear_days
    if judgement.decided_by == (DecidedBy.CLOSURES,) and judgement.reading is NoticeReading.STANDARD:
        return judgement.working_days_closures_off
    return judgement.clear_days_closures_off


def _missing(entry: Approval, duty: Provision) -> Finding:
    absent = [name for name in ("applied_at", "planned_from") if getattr(entry, name) is None]
    finding = _columns(entry, duty, "APR-002", Severity.MEDIUM, " ".join(absent), "missing")
    applied = f"{macau(entry.applied_at):%Y-%m-%d %H:%M:%S}" if entry.applied_at is not None else ""
    planned = str(entry.planned_from) if entry.planned_from is not None else ""
    facts = {"detail": " ".join(absent), "applied_at": applied, "planned_from": planned, "needed": _needed(duty)}
    return finding | {"facts": facts}


def _columns(entry: Approval, duty: Provision, code: str, severity: Severity, expected: str, observed: str) -> Finding:
    columns: Finding = dict.fromkeys(_COLUMNS)
    cite = duty.cite()
    columns |= {
        "code": code,
        "severity": severity.value,
        "game": entry.game,
        "casino": entry.casino,
        "approval_id": entry.approval_id,
        "occurred_at": entry.applied_at,
        "legal_day": entry.planned_from,
        "instrument": cite.instrument,
        "article": cite.article,
        "option": entry.option,
        "value": entry.value,
        "expected": expected,
        "observed": observed,
        "source_file": entry.file,
        "source_row": entry.row,
    }
    return columns


def _iso(value: dt.date | None) -> str | None:
    return value.isoformat() if value is not None else None


def _row(
    entry: Approval,
    state: str,
    *,
    judgement: NoticeJudgement | None = None,
    finding: Finding | None = None,
    reason: str | None = None,
) -> RegisterRow:
    return RegisterRow(
        approval_id=entry.approval_id,
        casino=entry.casino,
        game=entry.game,
        option=entry.option,
        value=entry.value,
        tables=list(entry.tables),
        decision=entry.decision.value,
        applied_at=_iso(entry.applied_at),
        applied_day_only=entry.applied_day_only,
        authorised_at=_iso(entry.authorised_at),
        planned_from=_iso(entry.planned_from),
        ends_on=_iso(entry.ends_on),
        source_file=entry.file,
        source_row=entry.row,
        deemed_day=_iso(judgement.deemed_day) if judgement else None,
        working_days=judgement.working_days if judgement else None,
        clear_days=judgement.clear_days if judgement else None,
        working_days_closures_off=judgement.working_days_closures_off if judgement else None,
        clear_days_closures_off=judgement.clear_days_closures_off if judgement else None,
        state=state,
        code=str(finding["code"]) if finding else None,
        severity=str(finding["severity"]) if finding else None,
        reason=reason,
        hinges=[each.value for each in judgement.decided_by] if judgement else [],
        grades={str(year): grade for year, grade in judgement.grades} if judgement else {},
    )
