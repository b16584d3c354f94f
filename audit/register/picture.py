"""The notice of one application drawn as a strip of months, for the report: readable in grey and without colour."""

from __future__ import annotations

import calendar as months
import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from xml.sax.saxutils import escape, quoteattr

from audit.base.model import Text
from audit.register.calendar_file import shipped_calendar
from audit.register.notice import macau
from audit.register.working_days import DayKind

if TYPE_CHECKING:
    from audit.register.notice import NoticeJudgement

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
    ("authorised", Text("許可日", "dia da autorização", "day of the authorisation")),
    ("first_use", Text("首次使用（輸入資料所見）", "primeira utilização (nos dados)", "first use (in the data)")),
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


_ALSO: Final = {
    "authorised": Text("；{day}許可", "; autorizada em {day}", "; authorised on {day}"),
    "first_use": Text("；{day}首次使用", "; primeira utilização em {day}", "; first used on {day}"),
}


@dataclass(frozen=True, slots=True)
class _Marks:
    """What is marked: the days of application, adoption, authorisation and first use, the number of each counted day.

    The last two are None where unknown.
    """

    applied: dt.date
    planned: dt.date
    numbers: dict[dt.date, int]
    authorised: dt.date | None = None
    first_use: dt.date | None = None

    def also(self) -> dict[str, dt.date]:
        """The days after the notice that are known, by the key of their legend."""
        days = {"authorised": self.authorised, "first_use": self.first_use}
        return {key: day for key, day in days.items() if day is not None}


def calendar_svg(
    judgement: NoticeJudgement, language: str, *, authorised: dt.date | None = None, first_use: dt.date | None = None
) -> str:
    """The months of a notice as an SVG element in `zh`, `pt` or `en`; widths and heights are in CSS pixels.

    `authorised` and `first_use` are marked where known. At most three months are drawn: those of the application, the
    planned day, the authorisation and the first use, in this order of importance, then the last ones before the planned
    day; dots stand for months left out. Empty where the calendar of working days does not reach: there is then nothing
    to count and nothing to draw.
    """
    if judgement.deemed_day is None:
        return ""
    applied = macau(judgement.applied_at).date()
    numbers = {info.day: number for number, info in enumerate(judgement.counted, start=1)}
    marks = _Marks(applied, judgement.planned_from, numbers, authorised, first_use)
    shown = _months(marks)
    # One month alone is narrower than the longest line of the legend.
    width = max(len(shown) * (_MONTH_WIDTH + _GAP) - _GAP, _LEAST_WIDTH)
    weeks = max(len(months.monthcalendar(year, month)) for year, month in shown)
    grid = _HEAD + weeks * _CELL_HEIGHT
    kinds = {kind for year, month in shown for kind in _kinds_of(year, month)}
    within = {key for key, day in marks.also().items() if (day.year, day.month) in shown}
    legend = _legend(grid + 8, kinds, within, language)
    height = grid + 10 + len(legend) * _LEGEND_LINE
    label = _LABEL.in_language(language).format(
        applied=applied, deemed=judgement.deemed_day, planned=marks.planned, number=judgement.working_days
    )
    label += "".join(_ALSO[key].in_language(language).format(day=day) for key, day in marks.also().items())
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label={quoteattr(label)} width="{width}" '
        f'height="{height}" viewBox="0 0 {width} {height}" font-family="{FONTS}" font-size="11" fill="#000000">'
    )
    parts = [opening, f"<title>{escape(label)}</title>"]
    for index, (year, month) in enumerate(shown):
        left = index * (_MONTH_WIDTH + _GAP)
        parts += _month(year, month, left, marks, language)
        if index + 1 < len(shown) and _number(shown[index + 1]) > _number((year, month)) + 1:
            parts.append(_text(left + _MONTH_WIDTH + _GAP / 2, _HEAD + 2.5 * _CELL_HEIGHT, "…"))
    parts += legend
    parts.append("</svg>")
    return "".join(parts)


def _number(month: tuple[int, int]) -> int:
    """Months counted from the year 0."""
    return month[0] * 12 + month[1] - 1


def _months(marks: _Marks) -> list[tuple[int, int]]:
    """The months to draw, in order: those with a mark first, then the last ones of the notice, three at most."""
    first, last = sorted(_number((day.year, day.month)) for day in (marks.applied, marks.planned))
    marked = [_number((day.year, day.month)) for day in marks.also().values()]
    wanted = dict.fromkeys([first, last, *marked, *range(last - 1, first, -1)])
    chosen = sorted(list(wanted)[:_MAX_MONTHS])
    return [(number // 12, number % 12 + 1) for number in chosen]


def _days_of(year: int, month: int) -> list[dt.date]:
    return [dt.date(year, month, number + 1) for number in range(months.monthrange(year, month)[1])]


def _kinds_of(year: int, month: int) -> set[DayKind]:
    return {shipped_calendar().day(day).kind for day in _days_of(year, month)}


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
    kind = shipped_calendar().day(day).kind
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
    colour = "#ffffff" if planned else "#000000"
    if day == marks.authorised:
        parts.append(_diamond(x + _CELL_WIDTH - 6, y + 6, colour))
    if day == marks.first_use:
        parts.append(_flag(x + 4, y + 16, colour))
    return parts


def _diamond(x: float, y: float, fill: str) -> str:
    """The mark of the authorisation."""
    points = f"{x:g},{y - 4.5:g} {x + 4.5:g},{y:g} {x:g},{y + 4.5:g} {x - 4.5:g},{y:g}"
    return f'<polygon points="{points}" fill="{fill}"/>'


def _flag(x: float, y: float, fill: str) -> str:
    """The mark of the first use: a triangle that points onward."""
    return f'<polygon points="{x:g},{y:g} {x + 8:g},{y + 4:g} {x:g},{y + 8:g}" fill="{fill}"/>'


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


def _legend(top: float, kinds: set[DayKind], also: set[str], language: str) -> list[str]:
    """One group per legend line, only for what the drawn months contain."""
    shown = {"application", "counted", "planned", "weekend"} | {kind.value for kind in kinds} | also
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
    if key == "authorised":
        return _diamond(5.5, y + 5.5, "#000000")
    if key == "first_use":
        return _flag(1.5, y + 1.5, "#000000")
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
