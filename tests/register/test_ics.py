"""The notice of an entry as an iCalendar file and as a picture."""

from __future__ import annotations

import datetime as dt
import xml.etree.ElementTree as ET

import pytest

from audit.base.model import LANGUAGES, MACAU, Game
from audit.register.ics import calendar_ics, calendar_svg
from audit.register.notice import NoticeJudgement, judge
from audit.register.register import Approval, Decision

SVG = "{http://www.w3.org/2000/svg}"


def notice(applied: str, planned: str) -> NoticeJudgement:
    """Judge a notice given in Macau time."""
    return judge(dt.datetime.fromisoformat(applied).replace(tzinfo=MACAU), dt.date.fromisoformat(planned), needed=3)


def entry(approval_id: str = "A1, 甲; \\ B") -> Approval:
    """Make an entry of the register."""
    return Approval(
        approval_id, None, Game("baccarat"), "commission", "none", ("*",), None, Decision.GRANTED, None, None, None, 1
    )


def unfolded(text: str) -> list[str]:
    """Undo the folding of long lines."""
    return text.replace("\r\n ", "").split("\r\n")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_icalendar_text_is_well_formed(language: str) -> None:
    """Every line ends in CRLF, none exceeds 75 octets, and begin and end are in balance."""
    text = calendar_ics(entry("A1 " + "長" * 60), notice("2026-02-16T14:45:00", "2026-02-25"), language)

    assert text.endswith("END:VCALENDAR\r\n")
    assert "\n" not in text.replace("\r\n", "")
    assert max(len(line.encode()) for line in text.split("\r\n")) <= 75
    lines = unfolded(text)
    assert lines.count("BEGIN:VEVENT") == lines.count("END:VEVENT") == 5
    uids = [line for line in lines if line.startswith("UID:")]
    assert len(uids) == len(set(uids)) == 5


def test_the_icalendar_events_are_application_days_and_adoption() -> None:
    """The application is an instant in UTC, the working days and the adoption are whole days."""
    lines = unfolded(calendar_ics(entry(), notice("2026-02-16T14:45:00", "2026-02-25")))

    assert [line for line in lines if line.startswith("DTSTART")] == [
        "DTSTART:20260216T064500Z",
        "DTSTART;VALUE=DATE:20260220",
        "DTSTART;VALUE=DATE:20260223",
        "DTSTART;VALUE=DATE:20260224",
        "DTSTART;VALUE=DATE:20260225",
    ]
    assert "SUMMARY:Planned day of adoption: A1\\, 甲\\; \\\\ B (commission=none)" in lines


def test_the_icalendar_text_is_the_same_every_time() -> None:
    """No clock enters the file: it is stamped with the application's own time."""
    one, two = (calendar_ics(entry(), notice("2026-03-09T10:00:00", "2026-03-13")) for _ in range(2))

    assert one == two
    assert "DTSTAMP:20260309T020000Z" in one


def test_without_calendar_only_application_and_adoption_are_exported() -> None:
    """Where working days are unknown no working day is claimed, and nothing is drawn."""
    judgement = notice("2030-12-20T10:00:00", "2031-01-03")

    assert calendar_ics(entry(), judgement).count("BEGIN:VEVENT") == 2
    assert calendar_svg(judgement, "en") == ""


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_picture_marks_application_counted_days_and_adoption(language: str) -> None:
    """The picture is well-formed, frames one day, blackens one, and numbers each counted day."""
    root = ET.fromstring(calendar_svg(notice("2026-02-16T14:45:00", "2026-02-25"), language))  # noqa: S314 - our own text
    cells = root.findall(f"{SVG}rect")
    texts = [text.text for text in root.findall(f"{SVG}text")]

    assert len([rect for rect in cells if rect.get("fill") == "none"]) == 1
    assert len([rect for rect in cells if rect.get("fill") == "#000000"]) == 1
    assert len([rect for rect in cells if rect.get("fill") not in {"none", "#000000", "#ffffff"}]) == 8 + 3
    badges = [text.text for text in root.findall(f"{SVG}text") if text.get("font-size") == "9"]
    assert badges == ["1", "2", "3"]
    assert any("2026" in (text or "") for text in texts)
    assert len(root.findall(f"{SVG}polygon")) == 1
    assert "Noto Sans CJK TC" in (root.get("font-family") or "")


def test_a_long_notice_shows_three_months() -> None:
    """Of a notice over many months the first and the last two are drawn, with dots between."""
    root = ET.fromstring(calendar_svg(notice("2025-12-18T10:00:00", "2026-05-29"), "en"))  # noqa: S314 - our own text
    headings = [text.text for text in root.findall(f"{SVG}text") if text.get("font-weight") == "bold" and text.text]

    assert [heading for heading in headings if " 20" in heading] == ["December 2025", "April 2026", "May 2026"]
    assert "…" in [text.text for text in root.findall(f"{SVG}text")]


def test_a_closure_is_told_from_other_days_without_colour() -> None:
    """A day of closure has a diagonal, so that it is not taken for a holiday."""
    drawn = ET.fromstring(calendar_svg(notice("2025-09-22T10:00:00", "2025-09-26"), "pt"))  # noqa: S314 - our own text

    assert len(drawn.findall(f"{SVG}line")) == 1
    assert "encerramento" in ET.tostring(drawn, encoding="unicode")
