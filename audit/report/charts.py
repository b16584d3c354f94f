"""The report's charts, in SVG that reads in greyscale: bars by check, a grid of tables and hours, amounts by table.

Every chart takes finished numbers and words; the same numbers stand in a table beside it. No chart depends on the
clock, on a plotting library or on the order of a mapping.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from xml.sax.saxutils import escape

FONTS: Final = "'Noto Sans','Noto Sans CJK TC'"
_INK: Final = "#1c2333"
_MUTED: Final = "#6b7280"
_RULE: Final = "#c9ced6"
_DARK: Final = "#33415c"
_LIGHT: Final = "#a9b4c6"
_DARK_CELL: Final = 0.5


def opening(width: float, height: float) -> str:
    """The start tag of an SVG document; sizes in CSS pixels."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}" font-family="{FONTS}">'
    )


def clean(text: str, limit: int) -> str:
    """A label without control characters, which XML forbids, cut to `limit` characters.

    >>> clean("table" + chr(7) + "-000000001", 8)
    'table -…'
    """
    plain = "".join(character if character.isprintable() else " " for character in text)
    return plain if len(plain) <= limit else plain[: limit - 1] + "…"


def text(  # one drawing primitive
    x: float, y: float, text: str, *, size: float = 9, anchor: str = "start", fill: str = _INK, bold: bool = False
) -> str:
    """A line of words at a place; the colour and the anchor as SVG names them."""
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{x:.6g}" y="{y:.6g}" font-size="{size:g}" text-anchor="{anchor}" fill="{fill}"{weight}>'
        f"{escape(text)}</text>"
    )


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: what it counts, how many, and the number as printed."""

    label: str
    value: int
    printed: str


def pareto_svg(bars: Sequence[Bar], *, width: int = 660, label_width: int = 300) -> str:
    """Horizontal bars, longest first as given; the length is proportional to the value."""
    row = 16
    height = row * len(bars) + 6
    top = max((bar.value for bar in bars), default=1) or 1
    span = width - label_width - 70
    parts = [opening(width, height)]
    for index, bar in enumerate(bars):
        y = index * row + 4
        length = max(span * bar.value / top, 1.5 if bar.value else 0)
        parts.append(text(0, y + 9, clean(bar.label, label_width // 5), size=8.5))
        parts.append(f'<rect x="{label_width}" y="{y}" width="{length:.4g}" height="{row - 6}" fill="{_DARK}" rx="1"/>')
        parts.append(text(label_width + length + 5, y + 9, bar.printed, size=8.5, bold=True))
    parts.append(f'<path d="M{label_width} 0 L{label_width} {height}" stroke="{_INK}" stroke-width="0.8"/></svg>')
    return "".join(parts)


@dataclass(frozen=True, slots=True)
class Grid:
    """Counts of findings by row (tables) and column (hours or days); None where the table had no round."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[int | None, ...], ...]


def _shade(share: float) -> str:
    level = round(238 - 190 * share)
    return f"#{level:02x}{level:02x}{min(level + 6, 255):02x}"


def heat_svg(grid: Grid, *, width: int = 660, label_width: int = 92) -> str:
    """A grid of cells, darker for more; the count stands in each cell, an absent one is left white with a dot."""
    columns = max(len(grid.columns), 1)
    cell = min((width - label_width) / columns, 34.0)
    row = 17
    head = 34 if any(len(name) > 2 for name in grid.columns) else 16
    width = round(label_width + cell * columns + 4)
    height = head + row * len(grid.rows) + 4
    top = max((value or 0 for line in grid.cells for value in line), default=1) or 1
    parts = [opening(width, height)]
    for index, name in enumerate(grid.columns):
        x = label_width + (index + 0.5) * cell
        if head > 16:
            parts.append(
                f'<g transform="translate({x + 3:.5g} {head - 4}) rotate(-60)">{text(0, 0, name, size=7.5)}</g>'
            )
        else:
            parts.append(text(x, head - 5, name, size=8, anchor="middle"))
    for number, (name, line) in enumerate(zip(grid.rows, grid.cells, strict=True)):
        y = head + number * row
        parts.append(text(0, y + 12, clean(name, label_width // 6), size=8.5))
        for index, value in enumerate(line):
            x = label_width + index * cell
            share = (value or 0) / top
            fill = "#ffffff" if not value else _shade(share)
            parts.append(
                f'<rect x="{x:.5g}" y="{y}" width="{cell - 1:.5g}" height="{row - 1}" fill="{fill}" '
                f'stroke="{_RULE}" stroke-width="0.5"/>'
            )
            ink = "#ffffff" if share > _DARK_CELL else _INK
            printed = "·" if value is None else str(value)
            parts.append(
                text(x + (cell - 1) / 2, y + 11.5, printed, size=7.5, anchor="middle", fill=ink if value else _MUTED)
            )
    parts.append("</svg>")
    return "".join(parts)


@dataclass(frozen=True, slots=True)
class Balance:
    """Amounts of one table in one currency, in ten-thousandths (underpaid is given as a positive number)."""

    label: str
    over: int
    under: int
    over_text: str
    under_text: str


def balance_svg(rows: Sequence[Balance], under_head: str, over_head: str, *, width: int = 660) -> str:
    """Bars to both sides of a line: to the left what was paid too little (hatched), to the right too much (solid)."""
    label_width, row = 130, 20
    number = 84
    half = (width - label_width) / 2 - number
    middle = label_width + number + half
    height = 20 + row * len(rows) + 4
    top = max((max(line.over, line.under) for line in rows), default=1) or 1
    parts = [opening(width, height)]
    parts.append(text(middle - 6, 11, under_head, size=8.5, anchor="end", bold=True))
    parts.append(text(middle + 6, 11, over_head, size=8.5, bold=True))
    for index, line in enumerate(rows):
        y = 20 + index * row
        parts.append(text(0, y + 11, clean(line.label, label_width // 6)))
        left, right = half * line.under / top, half * line.over / top
        if line.under:
            parts.append(
                f'<rect x="{middle - left:.5g}" y="{y + 1}" width="{left:.5g}" height="{row - 7}" fill="{_LIGHT}" '
                f'stroke="{_INK}" stroke-width="0.8"/>'
            )
            step = 5
            for offset in range(step, round(left), step):
                x = middle - left + offset
                parts.append(
                    f'<path d="M{x:.5g} {y + 1} L{x - 4:.5g} {y + row - 6}" stroke="{_INK}" stroke-width="0.6"/>'
                )
            parts.append(text(middle - left - 4, y + 11, line.under_text, size=8.5, anchor="end"))
        if line.over:
            parts.append(f'<rect x="{middle:.5g}" y="{y + 1}" width="{right:.5g}" height="{row - 7}" fill="{_DARK}"/>')
            parts.append(text(middle + right + 4, y + 11, line.over_text, size=8.5))
    parts.append(f'<path d="M{middle:.5g} 16 L{middle:.5g} {height}" stroke="{_INK}" stroke-width="0.9"/></svg>')
    return "".join(parts)
