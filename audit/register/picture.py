"""The notice of one application drawn as a strip of months, for the report: readable in grey and without colour."""

from __future__ import annotations

import calendar as months
import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from xml.sax.saxutils import escape, quoteattr

from audit.model import Text
from audit.register.notice import macau
from audit.register.working_days import Calendar, DayKind

if TYPE_CHECKING:
    from audit.register.notice import Judgement

FONTS: Final = "'Noto Sans','Noto Sans CJK TC',sans-serif"

_MAX_MONTHS: Final = 3
_CELL_WIDTH: Final = 28
_CELL_HEIGHT: Final = 26
_MONTH_WIDTH: Final = 7 * _CELL_WIDTH
_GAP: Final = 22
_HEAD: Final = 36
_LEAST_WIDTH: Final = 250
_LEGEND_LINE: Final = 15

_SHADES: Final = {
    DayKind.WEEKEND: "#e6e6e6",
    DayKind.HOLIDAY: "#bdbdbd",
    DayKind.SUBSTITUTE: "#bdbdbd",
    DayKind.CLOSURE: "#bdbdbd",
}

_MONTHS_EN: Final = tuple(
    "January February March April May June July August September October November December".split()
)
_MONTHS_PT: Final = tuple(
    "Janeiro Fevereiro Março Abril Maio Junho Julho Agosto Setembro Outubro Novembro Dezembro".split()
)
_INITIALS: Final = Text("一二三四五六日", "STQQSSD", "MTWTFSS")

_LEGEND: Final = (
    ("application", Text("申請日", "dia da solicitação", "day of application")),
    (
        "counted",
        Text("計入的工作天及其序號", "dias úteis contados, com o seu número", "working days counted, numbered"),
    ),
    (
        "planned",
        Text("預定採用日期（不計）", "data prevista para a adopção (não se conta)", "planned day (not counted)"),
    ),
    ("weekend", Text("週末", "fim-de-semana", "weekend")),
    ("holiday", Text("假期或豁免上班", "feriado ou tolerância de ponto", "holiday or tolerância de ponto")),
    ("closure", Text("特殊停止辦公", "encerramento extraordinário", "extraordinary closure")),
    ("half_day", Text("半日（下午豁免上班）", "meio dia (tarde livre)", "half day (afternoon off)")),
)

_LABEL: Final = Text(
    "{applied}申請，視為{deemed}提交，預定{planned}採用：{number}個工作天",
    "solicitação de {applied}, considerada de {deemed}; adopção prevista para {planned}: {number} dias úteis",
    "applied for on {applied}, deemed {deemed}, adoption planned for {planned}: {number} working days",
)


@dataclass(frozen=True, slots=True)
class _Marks:
    """What is marked: the day of application, the planned day, and the number of each counted day."""

    applied: dt.date
    planned: dt.date
    numbers: dict[dt.date, int]


def calendar_svg(judgement: Judgement, language: str) -> str:
    """The months of a notice as an SVG element in `zh`, `pt` or `en`; widths and heights are in CSS pixels.

    Where more than three months are touched, only the first and the last two are drawn, with dots between. Empty where
    the calendar of working days does not reach: there is then nothing to count and nothing to draw.
    """
    if judgement.deemed_day is None:
        return ""
    applied = macau(judgement.applied_at).date()
    numbers = {info.day: number for number, info in enumerate(judgement.counted, start=1)}
    marks = _Marks(applied, judgement.planned_from, numbers)
    shown, cut = _months(min(applied, marks.planned), max(applied, marks.planned))
    # One month alone is narrower than the longest line of the legend.
    width = max(len(shown) * (_MONTH_WIDTH + _GAP) - _GAP, _LEAST_WIDTH)
    weeks = max(len(months.monthcalendar(year, month)) for year, month in shown)
    grid = _HEAD + weeks * _CELL_HEIGHT
    kinds = {kind for year, month in shown for kind in _kinds_of(year, month)}
    legend = _legend(grid + 8, kinds, language)
    height = grid + 10 + len(legend) * _LEGEND_LINE
    label = _LABEL.in_language(language).format(
        applied=applied, deemed=judgement.deemed_day, planned=marks.planned, number=judgement.working_days
    )
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label={quoteattr(label)} width="{width}" '
        f'height="{height}" viewBox="0 0 {width} {height}" font-family="{FONTS}" font-size="11" fill="#000000">'
    )
    parts = [opening, f"<title>{escape(label)}</title>"]
    for index, (year, month) in enumerate(shown):
        left = index * (_MONTH_WIDTH + _GAP)
        parts += _month(year, month, left, marks, language)
        if cut and index == 0:
            parts.append(_text(left + _MONTH_WIDTH + _GAP / 2, _HEAD + 2.5 * _CELL_HEIGHT, "…"))
    parts += legend
    parts.append("</svg>")
    return "".join(parts)


def _months(first: dt.date, last: dt.date) -> tuple[list[tuple[int, int]], bool]:
    """The months to draw, and whether some between were left out."""
    start, end = first.year * 12 + first.month - 1, last.year * 12 + last.month - 1
    every = [divmod(index, 12) for index in range(start, end + 1)]
    chosen = every if len(every) <= _MAX_MONTHS else [every[0], *every[1 - _MAX_MONTHS :]]
    return [(year, month + 1) for year, month in chosen], len(every) > _MAX_MONTHS


def _days_of(year: int, month: int) -> list[dt.date]:
    return [dt.date(year, month, number + 1) for number in range(months.monthrange(year, month)[1])]


def _kinds_of(year: int, month: int) -> set[DayKind]:
    return {Calendar.load().day(day).kind for day in _days_of(year, month)}


def _heading(year: int, month: int, language: str) -> str:
    if language == "zh":
        return f"{year}年{month}月"
    if language == "pt":
        return f"{_MONTHS_PT[month - 1]} de {year}"
    return f"{_MONTHS_EN[month - 1]} {year}"


def _text(x: float, y: float, words: str, extra: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="middle"{extra}>{escape(words)}</text>'


def _rect(x: float, y: float, fill: str, extra: str = "", *, width: float = _CELL_WIDTH) -> str:
    scale = _CELL_HEIGHT if width == _CELL_WIDTH else width
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{scale:g}" fill="{fill}"{extra}/>'


def _month(year: int, month: int, left: float, marks: _Marks, language: str) -> list[str]:
    parts = [_text(left + _MONTH_WIDTH / 2, 12, _heading(year, month, language), ' font-weight="bold"')]
    for column, initial in enumerate(_INITIALS.in_language(language)):
        parts.append(_text(left + (column + 0.5) * _CELL_WIDTH, 29, initial, ' fill="#444444"'))
    days = _days_of(year, month)
    offset = days[0].weekday()
    above = []
    for day in days:
        row, column = divmod(day.day - 1 + offset, 7)
        x, y = left + column * _CELL_WIDTH, _HEAD + row * _CELL_HEIGHT
        parts += _day(day, x, y, marks)
        if day == marks.applied:
            # Drawn last, so that the neighbours do not cover its frame.
            above.append(
                f'<rect x="{x + 1:g}" y="{y + 1:g}" width="{_CELL_WIDTH - 2}" height="{_CELL_HEIGHT - 2}" fill="none" '
                'stroke="#000000" stroke-width="2.4"/>'
            )
    return parts + above


def _day(day: dt.date, x: float, y: float, marks: _Marks) -> list[str]:
    kind = Calendar.load().day(day).kind
    planned = day == marks.planned
    fill = "#000000" if planned else _SHADES.get(kind, "#ffffff")
    parts = [_rect(x, y, fill, ' stroke="#999999" stroke-width="0.5"')]
    if not planned:
        parts += _pattern(kind, x, y, _CELL_WIDTH, _CELL_HEIGHT)
    ink = ' fill="#ffffff"' if planned else ""
    parts.append(_text(x + 10, y + 13, str(day.day), ink))
    number = marks.numbers.get(day)
    if number is not None:
        parts.append(_text(x + _CELL_WIDTH - 8, y + 23, str(number), ' font-size="9" font-weight="bold"'))
    return parts


def _pattern(kind: DayKind, x: float, y: float, width: float, height: float) -> list[str]:
    """The mark that tells a closure or a half day from other shades: a diagonal, a shaded corner."""
    if kind is DayKind.CLOSURE:
        return [
            f'<line x1="{x:g}" y1="{y + height:g}" x2="{x + width:g}" y2="{y:g}" stroke="#000000" stroke-width="0.8"/>'
        ]
    if kind is DayKind.HALF_DAY:
        corner = f"{x + width:g},{y:g} {x + width:g},{y + height / 2:g} {x + width / 2:g},{y:g}"
        return [f'<polygon points="{corner}" fill="#bdbdbd"/>']
    return []


def _legend(top: float, kinds: set[DayKind], language: str) -> list[str]:
    """One group per legend line, only for what the drawn months contain."""
    shown = {"application", "counted", "planned", "weekend"} | {kind.value for kind in kinds}
    if DayKind.SUBSTITUTE in kinds:
        shown.add("holiday")
    lines: list[str] = []
    for key, text in _LEGEND:
        if key not in shown:
            continue
        y = top + len(lines) * _LEGEND_LINE
        words = escape(text.in_language(language))
        lines.append(f'<g>{_sample(key, y)}<text x="18" y="{y + 10:g}" font-size="9">{words}</text></g>')
    return lines


def _sample(key: str, y: float) -> str:
    size = 11
    if key == "application":
        return _rect(1, y + 1, "#ffffff", ' stroke="#000000" stroke-width="2"', width=size - 2)
    fills = {"planned": "#000000", "weekend": _SHADES[DayKind.WEEKEND], "holiday": _SHADES[DayKind.HOLIDAY]}
    fills["closure"] = _SHADES[DayKind.CLOSURE]
    box = _rect(0, y, fills.get(key, "#ffffff"), ' stroke="#999999" stroke-width="0.5"', width=size)
    if key == "counted":
        return box + f'<text x="5.5" y="{y + 9:g}" text-anchor="middle" font-size="8" font-weight="bold">1</text>'
    if key in {"closure", "half_day"}:
        return box + "".join(_pattern(DayKind(key), 0, y, size, size))
    return box
