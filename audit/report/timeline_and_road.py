"""Two pictures of what surrounds the findings: the day of each table as a strip, and the big road of a shoe.

Both read in greyscale: what matters differs in shape, not in colour alone. The same numbers stand in a table beside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from audit.report.charts import clean, opening, text

_INK: Final = "#1c2333"
_MUTED: Final = "#6b7280"
_RULE: Final = "#c9ced6"
_SHOES: Final = ("#ccd3de", "#e7eaf0")
_LABEL: Final = 92
_ROW: Final = 34
_WIDTH: Final = 660
_MINUTES: Final = 60
_ROWS_OF_ROAD: Final = 6
_CELL: Final = 15


@dataclass(frozen=True, slots=True)
class Strip:
    """One table's day, in minutes from the start of the axis: shoes as (from, to, name), pauses as (from, to)."""

    label: str
    shoes: tuple[tuple[float, float, str], ...]
    pauses: tuple[tuple[float, float], ...]
    voids: tuple[float, ...]
    findings: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Legend:
    """The words under a picture, in the order of its marks."""

    words: tuple[str, ...]


def timeline_svg(strips: Sequence[Strip], hours: Sequence[str], legend: Legend) -> str:
    """A strip a table under an axis of hours; `hours` are the labels, an hour apart, from minute 0.

    Shoes are blocks of two greys in turn, so that each border is a change of shoe; pauses are hatched, void rounds are
    crosses above, findings are triangles below.
    """
    height = 20 + _ROW * len(strips) + 20
    span = max(len(hours) - 1, 1) * _MINUTES
    scale = (_WIDTH - _LABEL - 8) / span
    parts = [opening(_WIDTH, height)]
    step = 1 if len(hours) <= 14 else 2 if len(hours) <= 26 else max(len(hours) // 12, 1)
    for index, name in enumerate(hours):
        x = _LABEL + index * _MINUTES * scale
        parts.append(f'<path d="M{x:.5g} 14 L{x:.5g} {height - 22}" stroke="{_RULE}" stroke-width="0.5"/>')
        if index % step == 0:
            parts.append(text(x, 10, name, size=7.5, anchor="middle"))
    for number, strip in enumerate(strips):
        parts += _strip(strip, 20 + number * _ROW, scale)
    parts += _strip_legend(legend, height - 8)
    return "".join([*parts, "</svg>"])


def _strip(strip: Strip, top: float, scale: float) -> list[str]:
    parts = [text(0, top + 18, clean(strip.label, _LABEL // 6), size=8.5)]
    bar, deep = top + 8, 13
    for index, (first, last, name) in enumerate(strip.shoes):
        x, wide = _LABEL + first * scale, max((last - first) * scale, 1.5)
        parts.append(
            f'<rect x="{x:.5g}" y="{bar:g}" width="{wide:.5g}" height="{deep}" fill="{_SHOES[index % 2]}" '
            f'stroke="{_INK}" stroke-width="0.6"/>'
        )
        if name and wide > 6 * min(len(name), 12) * 0.8:
            parts.append(text(x + wide / 2, bar + 9.5, clean(name, 12), size=7, anchor="middle"))
    for first, last in strip.pauses:
        parts.append(_hatched(_LABEL + first * scale, bar, max((last - first) * scale, 3), deep))
    parts += [_cross(_LABEL + moment * scale, bar - 4.5) for moment in strip.voids]
    parts += [_triangle(_LABEL + moment * scale, bar + deep + 2) for moment in strip.findings]
    return parts


def _hatched(x: float, y: float, width: float, height: float) -> str:
    lines = "".join(
        f"M{x + offset:.5g} {y + height:g} L{min(x + offset + 5, x + width):.5g} {y:g}"
        for offset in range(0, max(int(width) - 1, 1), 4)
    )
    return (
        f'<rect x="{x:.5g}" y="{y:g}" width="{width:.5g}" height="{height:g}" fill="#ffffff" stroke="{_MUTED}" '
        f'stroke-width="0.5" stroke-dasharray="2 1.5"/><path d="{lines}" stroke="{_MUTED}" stroke-width="0.5"/>'
    )


def _cross(x: float, y: float) -> str:
    return (
        f'<path d="M{x - 2.6:.5g} {y - 2.6:.5g} L{x + 2.6:.5g} {y + 2.6:.5g} M{x - 2.6:.5g} {y + 2.6:.5g} '
        f'L{x + 2.6:.5g} {y - 2.6:.5g}" stroke="{_INK}" stroke-width="1.2"/>'
    )


def _triangle(x: float, y: float) -> str:
    return f'<path d="M{x:.5g} {y:.5g} L{x + 3:.5g} {y + 5.4:.5g} L{x - 3:.5g} {y + 5.4:.5g} Z" fill="{_INK}"/>'


def _strip_legend(legend: Legend, y: float) -> list[str]:
    marks = (
        "".join(
            f'<rect x="{7 * place}" y="{y - 7:g}" width="7" height="8" fill="{fill}" stroke="{_INK}" '
            'stroke-width="0.6"/>'
            for place, fill in enumerate(_SHOES)
        ),
        _hatched(0, y - 7, 14, 8),
        _cross(7, y - 3),
        _triangle(7, y - 6),
    )
    return _row_of_marks(marks, legend.words, y)


def _row_of_marks(marks: Sequence[str], words: Sequence[str], y: float) -> list[str]:
    parts, x = [], 0.0
    for mark, word in zip(marks, words, strict=True):
        parts.append(f'<g transform="translate({x:.5g} 0)">{mark}{text(18, y, word, size=7.5)}</g>')
        x += 30 + sum(7.6 if ord(letter) > 0x2E80 else 4.1 for letter in word)
    return parts


@dataclass(frozen=True, slots=True)
class Cell:
    """A place of the big road: its winner, how many ties followed, the states of the rounds that it stands for."""

    column: int
    row: int
    winner: str
    ties: int
    states: str


def big_road(results: str, states: str) -> tuple[Cell, ...]:
    """The cells of a big road: a new column at each change of winner, six rows, then to the right.

    `results` has P, B, T or `-` for each round, `states` one letter each. A tie marks the place before it; ties before
    the first win have a place of their own at the start. Rounds without a result have no place.

    >>> [(c.column, c.row, c.winner, c.ties) for c in big_road("PPTBP", "ccccc")]
    [(0, 0, 'P', 0), (0, 1, 'P', 1), (1, 0, 'B', 0), (2, 0, 'P', 0)]
    """
    cells: list[Cell] = []
    taken: set[tuple[int, int]] = set()
    head, last = -1, ""
    for winner, state in zip(results, states, strict=True):
        if winner == "-":
            continue
        if winner == "T":
            before = cells.pop() if cells else Cell(0, 0, "T", 0, "")
            taken.add((before.column, before.row))
            cells.append(Cell(before.column, before.row, before.winner, before.ties + 1, before.states + state))
            continue
        if cells and cells[-1].winner == "T":
            first = cells.pop()
            cells.append(Cell(0, 0, winner, first.ties, first.states + state))
            head, last = 0, winner
            continue
        if winner != last:
            head += 1
            while (head, 0) in taken:
                head += 1
            place = (head, 0)
        else:
            down = (cells[-1].column, cells[-1].row + 1)
            free = down[1] < _ROWS_OF_ROAD and down not in taken and cells[-1].column == head
            place = down if free else (cells[-1].column + 1, cells[-1].row)
        taken.add(place)
        cells.append(Cell(*place, winner, 0, state))
        last = winner
    return tuple(cells)


def road_svg(results: str, states: str, legend: Legend) -> str:
    """The big road of a shoe: hollow rings for the player, filled discs for the banker, a stroke for ties.

    A thick frame marks a round that is apparently non-compliant, a dashed one a round not evaluated, a pale mark one
    outside the days audited. Legend: player, banker, tie, non-compliant, not evaluated, outside.
    """
    cells = big_road(results, states)
    columns = max((cell.column for cell in cells), default=0) + 1
    shrink = min(1.0, (_WIDTH - 2) / (columns * _CELL))
    width, height = _WIDTH, _ROWS_OF_ROAD * _CELL * shrink + 24
    parts = [opening(width, height), f'<g transform="scale({shrink:.4g})">']
    lines = [f"M{column * _CELL} 0 V{_ROWS_OF_ROAD * _CELL}" for column in range(columns + 1)]
    lines += [f"M0 {row * _CELL} H{columns * _CELL}" for row in range(_ROWS_OF_ROAD + 1)]
    parts.append(f'<path d="{" ".join(lines)}" stroke="{_RULE}" stroke-width="0.4"/>')
    parts += [_cell(cell) for cell in sorted(cells, key=lambda cell: "v" in cell.states)]
    parts.append("</g>")
    parts += _road_legend(legend, height - 6)
    return "".join([*parts, "</svg>"])


def _cell(cell: Cell) -> str:
    x, y = cell.column * _CELL, cell.row * _CELL
    ink = "#aab1bd" if set(cell.states) == {"o"} else _INK
    parts = [_mark(cell.winner, x, y, ink)]
    if cell.ties:
        parts.append(_stroke(x, y, _MUTED if cell.winner == "B" else ink))
        if cell.ties > 1:
            parts.append(text(x + 11.5, y + 14, str(cell.ties), size=5.5, anchor="middle", bold=True))
    if "v" in cell.states:
        parts.append(_frame(x, y, 2.2, ""))
    elif "n" in cell.states:
        parts.append(_frame(x, y, 0.9, "2 1.5"))
    return "".join(parts)


def _mark(winner: str, x: float, y: float, ink: str) -> str:
    if winner == "T":
        return ""
    fill = ink if winner == "B" else "#ffffff"
    half = _CELL / 2
    return f'<circle cx="{x + half:g}" cy="{y + half:g}" r="5" fill="{fill}" stroke="{ink}" stroke-width="1.4"/>'


def _stroke(x: float, y: float, ink: str) -> str:
    return (
        f'<path d="M{x + 2.5:g} {y + _CELL - 2.5:g} L{x + _CELL - 2.5:g} {y + 2.5:g}" stroke="#ffffff" '
        f'stroke-width="2.6"/><path d="M{x + 2.5:g} {y + _CELL - 2.5:g} L{x + _CELL - 2.5:g} {y + 2.5:g}" '
        f'stroke="{ink}" stroke-width="1.1"/>'
    )


def _frame(x: float, y: float, stroke: float, dashes: str) -> str:
    dash = f' stroke-dasharray="{dashes}"' if dashes else ""
    return (
        f'<rect x="{x + 0.4:g}" y="{y + 0.4:g}" width="{_CELL - 0.8:g}" height="{_CELL - 0.8:g}" fill="none" '
        f'stroke="#000000" stroke-width="{stroke:g}"{dash}/>'
    )


def _road_legend(legend: Legend, y: float) -> list[str]:
    top = y - 10
    marks = (
        _mark("P", 0, top - 1, _INK),
        _mark("B", 0, top - 1, _INK),
        _mark("P", 0, top - 1, _INK) + _stroke(0, top - 1, _INK),
        _frame(0, top - 1, 2.2, ""),
        _frame(0, top - 1, 0.9, "2 1.5"),
        _mark("B", 0, top - 1, "#aab1bd"),
    )
    return _row_of_marks(marks, legend.words, y)
