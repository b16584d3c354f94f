"""A hand drawn as cards: what was dealt against what the regulation requires, in SVG.

Nothing depends on colour: the card in question has a heavy dashed frame and a cross, a missing card is an empty dashed
frame. Suits are drawn as shapes, since text fonts do not agree on them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from xml.sax.saxutils import escape

from audit.base.model import Card

WIDTH: Final = 34
HEIGHT: Final = 48
GAP: Final = 6
LABEL: Final = 62
SCALE_PERCENT: Final = 78
"""How much smaller than its own units the drawing is placed, so that two panels leave room for words beside them."""

FONTS: Final = "'Noto Sans','Noto Sans CJK TC'"

# Each shape fills a box of 10 by 10 whose origin is its top left corner.
_SUITS: Final = {
    "H": "M5 9.4 L0.9 4.9 C-0.6 3 0.9 0.6 2.8 0.8 C3.9 0.9 4.7 1.7 5 2.5 C5.3 1.7 6.1 0.9 7.2 0.8 "
    "C9.1 0.6 10.6 3 9.1 4.9 Z",
    "D": "M5 0.3 L8.9 5 L5 9.7 L1.1 5 Z",
    "S": "M5 0.4 C6 2.3 9.4 3.9 9.4 6.2 C9.4 8 7 8.5 5.6 7.2 L6.5 9.6 L3.5 9.6 L4.4 7.2 C3 8.5 0.6 8 0.6 6.2 "
    "C0.6 3.9 4 2.3 5 0.4 Z",
    "C": "M5 0.4 A2.2 2.2 0 0 1 6.6 4.1 A2.2 2.2 0 1 1 5.6 7 L6.4 9.6 L3.6 9.6 L4.4 7 A2.2 2.2 0 1 1 3.4 4.1 "
    "A2.2 2.2 0 0 1 5 0.4 Z",
}
_RED: Final = "#a11d1d"
_BLACK: Final = "#111111"
_FRAME: Final = "#444444"


class Mark(StrEnum):
    """How one place of the drawing is shown."""

    PLAIN = "plain"
    WRONG = "wrong"
    MISSING = "missing"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class CardSlot:
    """One place in a row: a card with its mark, or no card (missing, or open because the law no longer says)."""

    card: Card | None
    mark: Mark = Mark.PLAIN


@dataclass(frozen=True, slots=True)
class CardRow:
    """One side's cards under a heading; `points` is printed after them."""

    label: str
    places: tuple[CardSlot, ...]
    points: str = ""


@dataclass(frozen=True, slots=True)
class Panel:
    """One half of the drawing: a heading and a row for each side."""

    heading: str
    rows: tuple[CardRow, ...]


def _card(place: CardSlot, x: int, y: int) -> str:
    parts: list[str] = []
    wrong = place.mark is Mark.WRONG
    if place.card is None:
        dash = "4 3" if place.mark is Mark.MISSING else "1 3"
        stroke = 1.8 if place.mark is Mark.MISSING else 1
        parts.append(
            f'<rect x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="4" fill="#ffffff" stroke="{_BLACK}" '
            f'stroke-width="{stroke}" stroke-dasharray="{dash}"/>'
        )
        sign = "+" if place.mark is Mark.MISSING else "…"
        parts.append(
            f'<text x="{x + WIDTH / 2}" y="{y + HEIGHT / 2 + 6}" font-size="17" font-weight="bold" '
            f'text-anchor="middle" fill="{_BLACK}">{sign}</text>'
        )
        return "".join(parts)
    parts.append(
        f'<rect x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="4" fill="#ffffff" stroke="{_FRAME}" '
        'stroke-width="1"/>'
    )
    colour = _RED if place.card.suit in {"H", "D"} else _BLACK
    middle = y + HEIGHT / 2 + 7 if place.card.suit is None else y + 20
    parts.append(
        f'<text x="{x + WIDTH / 2}" y="{middle}" font-size="17" font-weight="bold" text-anchor="middle" '
        f'fill="{colour}">{place.card.rank}</text>'
    )
    if place.card.suit is not None:
        parts.append(
            f'<path transform="translate({x + WIDTH / 2 - 8} {y + 26}) scale(1.6)" d="{_SUITS[place.card.suit]}" '
            f'fill="{colour}"/>'
        )
    if wrong:
        parts.append(
            f'<rect x="{x - 2.5}" y="{y - 2.5}" width="{WIDTH + 5}" height="{HEIGHT + 5}" rx="5" fill="none" '
            f'stroke="{_BLACK}" stroke-width="2.4" stroke-dasharray="6 3"/>'
            f'<path d="M{x + 2} {y + 2} L{x + WIDTH - 2} {y + HEIGHT - 2}" stroke="{_BLACK}" stroke-width="1.4"/>'
        )
    return "".join(parts)


def _lines(x: float, y: float, text: str) -> str:
    """Text at the middle of a row; a line break in it makes two lines."""
    lines = text.split("\n")
    top = y + HEIGHT / 2 + 4 - 6 * (len(lines) - 1)
    return "".join(
        f'<text x="{x}" y="{top + 12 * number}" font-size="10" fill="{_BLACK}">{escape(line)}</text>'
        for number, line in enumerate(lines)
    )


def _row(row: CardRow, x: int, y: int) -> str:
    parts = [_lines(x, y, row.label)]
    left = x + LABEL
    for place in row.places:
        parts.append(_card(place, left, y))
        left += WIDTH + GAP
    if row.points:
        parts.append(_lines(left + 4, y, row.points))
    return "".join(parts)


def hand_width(panels: Sequence[Panel], places: int) -> int:
    """Width in pixels of a drawing as placed, with room for as many cards a side."""
    return sum(_panel_width(panel, places) for panel in panels) * SCALE_PERCENT // 100


def _panel_width(panel: Panel, places: int) -> int:
    points = LABEL if any(row.points for row in panel.rows) else GAP
    return LABEL + places * (WIDTH + GAP) + points


def hand_svg(panels: Sequence[Panel], *, places: int = 3) -> str:
    """Draw one or two panels side by side; `places` is the largest number of cards of a side.

    Returns a whole SVG document in pixels, with no reference to anything outside it.
    """
    width = sum(_panel_width(panel, places) for panel in panels)
    rows = max(len(panel.rows) for panel in panels)
    height = 22 + rows * (HEIGHT + 12)
    size = f'width="{hand_width(panels, places)}" height="{height * SCALE_PERCENT // 100}"'
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {width} {height}" font-family="{FONTS}">']
    x = 4
    for index, panel in enumerate(panels):
        parts.append(
            f'<text x="{x}" y="12" font-size="10.5" font-weight="bold" fill="{_BLACK}">{escape(panel.heading)}</text>'
        )
        if index:
            parts.append(f'<path d="M{x - 10} 4 L{x - 10} {height - 4}" stroke="#999999" stroke-width="0.8"/>')
        for number, row in enumerate(panel.rows):
            parts.append(_row(row, x, 22 + number * (HEIGHT + 12)))
        x += _panel_width(panel, places)
    parts.append("</svg>")
    return "".join(parts)


def hand_words(cards: Iterable[Card]) -> str:
    """The cards as text, for readers who cannot see the drawing.

    >>> hand_words([Card("9", "H"), Card("K")])
    '9♥ K'
    """
    glyphs = {"S": "♠", "H": "♥", "D": "♦", "C": "♣", None: ""}
    return " ".join(card.rank + glyphs[card.suit] for card in cards)
