"""An entry's notice as an iCalendar file (RFC 5545): the application, the working days counted, the planned adoption.

The text is deterministic: it depends on the entry and its judgement alone, never on the day it is written.
"""

from __future__ import annotations

import datetime as dt
import hashlib
from typing import TYPE_CHECKING, Final

from audit import __version__
from audit.base.model import Text
from audit.register.picture import calendar_svg

if TYPE_CHECKING:
    from audit.register.approval import Approval
    from audit.register.notice import NoticeJudgement

__all__ = ["calendar_ics", "calendar_svg"]

_LINE_OCTETS: Final = 75
_CONTINUED_OCTETS: Final = _LINE_OCTETS - 1

_APPLICATION: Final = Text(
    "向博彩監察協調局提交申請書：{id}（{option}={value}）",
    "Solicitação à DICJ: {id} ({option}={value})",
    "Application to DICJ: {id} ({option}={value})",
)
_WORKING_DAY: Final = Text(
    "{id}：預先申請期的第{number}個工作天",
    "{id}: {number}.º dia útil da antecedência",
    "{id}: working day {number} of the notice",
)
_ADOPTION: Final = Text(
    "預定採用日期：{id}（{option}={value}）",
    "Data prevista para a sua adopção: {id} ({option}={value})",
    "Planned day of adoption: {id} ({option}={value})",
)
_COUNTED: Final = Text(
    "自視為提交之日起計有{working}個工作天，須有{needed}個；採用當日不計。",
    "Contam-se {working} dias úteis e são exigidos {needed}; o dia da adopção não se conta.",
    "{working} working days are counted and {needed} are needed; the day of adoption is not counted.",
)


def calendar_ics(entry: Approval, judgement: NoticeJudgement, language: str = "en") -> str:
    """The iCalendar text of one entry's notice in `zh`, `pt` or `en`, with CRLF line ends.

    Where the calendar of working days does not reach, only the application and the adoption are in it.
    """
    stamp = _utc(judgement.applied_at)
    naming = {"id": entry.approval_id, "option": entry.option, "value": entry.value}

    def say(text: Text, **values: object) -> str:
        return text.in_language(language).format(**naming, **values)

    counted = judgement.counted
    adoption = [f"SUMMARY:{_escaped(say(_ADOPTION))}"]
    if judgement.working_days is not None:
        about = say(_COUNTED, working=judgement.working_days, needed=judgement.needed)
        adoption.append(f"DESCRIPTION:{_escaped(about)}")
    events = [("application", f"DTSTART:{stamp}", [f"SUMMARY:{_escaped(say(_APPLICATION))}"])]
    for number, info in enumerate(counted, start=1):
        summary = f"SUMMARY:{_escaped(say(_WORKING_DAY, number=number))}"
        about = f"DESCRIPTION:{_escaped(info.name.in_language(language))}"
        events.append((f"working-day-{number}", _all_day(info.day), [summary, about]))
    events.append(("adoption", _all_day(judgement.planned_from), adoption))

    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        f"PRODID:-//dicj-audit//register {__version__}//EN",
        "CALSCALE:GREGORIAN",
    ]
    for kind, start, words in events:
        lines += ["BEGIN:VEVENT", f"UID:{_uid(entry, kind)}", f"DTSTAMP:{stamp}", start, *words]
        lines += ["TRANSP:TRANSPARENT", "END:VEVENT"]
    lines.append("END:VCALENDAR")
    return "".join(f"{_folded(line)}\r\n" for line in lines)


def _utc(instant: dt.datetime) -> str:
    return instant.astimezone(dt.UTC).strftime("%Y%m%dT%H%M%SZ")


def _all_day(day: dt.date) -> str:
    return f"DTSTART;VALUE=DATE:{day:%Y%m%d}"


def _uid(entry: Approval, kind: str) -> str:
    subject = "\x1f".join((entry.casino or "", entry.game, entry.approval_id, entry.option, entry.value, kind))
    return f"{hashlib.sha256(subject.encode()).hexdigest()[:32]}@dicj-audit"


def _escaped(text: str) -> str:
    r"""Escape a text value as RFC 5545, 3.3.11 asks.

    >>> _escaped("a, b; c")
    'a\\, b\\; c'
    """
    for plain, written in (("\\", "\\\\"), (";", "\\;"), (",", "\\,"), ("\r\n", "\\n"), ("\n", "\\n"), ("\r", "\\n")):
        text = text.replace(plain, written)
    return text


def _folded(line: str) -> str:
    """Fold a line to at most 75 octets, never inside a character (RFC 5545, 3.1)."""
    pieces: list[str] = []
    piece, size, limit = "", 0, _LINE_OCTETS
    for character in line:
        width = len(character.encode())
        if size + width > limit:
            pieces.append(piece)
            piece, size, limit = "", 0, _CONTINUED_OCTETS
        piece += character
        size += width
    return "\r\n ".join([*pieces, piece])
