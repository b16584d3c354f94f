"""Where a hand departed from the regulation: what was dealt against what was required, drawn and in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from audit.base.model import Card, Side, parse_hand
from audit.report.card_pictures import CardRow, CardSlot, Mark, Panel, hand_svg, hand_width, hand_words
from audit.report.wording import Wording

FULL: Final = 3
"""The largest number of cards that a side may have (art. 9 of both regulations)."""


class Says(Protocol):
    """The fixed phrases of a language, or of two at once."""

    def __call__(self, key: str, **values: object) -> str:
        """The phrase under `key`, filled."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """A hand as SVG, the same in words, and its width in pixels as placed."""

    svg: str
    alt: str
    width: int


@dataclass(frozen=True, slots=True)
class PathLine:
    """One line of the decision path; `wrong` is the first departure, `open` a step that the law no longer decides."""

    text: str
    article: str
    wrong: bool
    open: bool


def departure(steps: Sequence[Mapping[str, Any]]) -> int | None:
    """Index of the first step where the log did not do what the regulation requires."""
    return next((index for index, step in enumerate(steps) if step["done"] != step["required"]), None)


def dealt_places(cards: tuple[Card, ...], side: Side, steps: Sequence[Mapping[str, Any]]) -> tuple[CardSlot, ...]:
    """The cards a side received, with the departure marked: a wrong third card, a missing one, a fourth one."""
    first = departure(steps)
    wrong = steps[first] if first is not None and steps[first]["side"] == side else None
    places = [
        CardSlot(card, Mark.WRONG if index >= FULL or (wrong and index == FULL - 1) else Mark.PLAIN)
        for index, card in enumerate(cards)
    ]
    while len(places) < FULL - 1:
        places.append(CardSlot(None, Mark.MISSING))
    if wrong and wrong["required"] == "draw" and len(cards) < FULL:
        places.append(CardSlot(None, Mark.MISSING))
    return tuple(places)


def required_places(cards: tuple[Card, ...], side: Side, steps: Sequence[Mapping[str, Any]]) -> tuple[CardSlot, ...]:
    """The cards a side had to receive, as far as the cards dealt decide it; after the departure the place is open."""
    first = departure(steps)
    places = [CardSlot(card) for card in cards[: FULL - 1]]
    if first is None:
        return (*places, *(CardSlot(card) for card in cards[FULL - 1 : FULL]))
    own = next((index for index, step in enumerate(steps) if step["side"] == side), None)
    if own is None or own > first:
        return (*places, CardSlot(None, Mark.OPEN))
    if steps[own]["required"] == "draw":
        places.append(CardSlot(cards[FULL - 1]) if len(cards) >= FULL else CardSlot(None, Mark.MISSING))
    return tuple(places)


def draw(
    known: Mapping[str, Any], t: Says, *, steps: Sequence[Mapping[str, Any]] = (), compared: bool = False
) -> Drawing:
    """Draw the cards of a round's evidence; `steps` mark its departure, `compared` adds what was required."""
    hands = {side: parse_hand(known[f"{side}_cards"] or "") for side in Side}
    dealt = {side: dealt_places(hands[side], side, steps) for side in Side}
    required = {side: required_places(hands[side], side, steps) for side in Side}

    def rows(places: Mapping[Side, tuple[CardSlot, ...]], *, counted: bool) -> tuple[CardRow, ...]:
        points = {side: known.get(f"{side}_points") if counted else None for side in Side}
        said = {side: t("fin.points", points=number) for side, number in points.items() if number is not None}
        return tuple(CardRow(t(f"side.{side}"), places[side], said.get(side, "")) for side in Side)

    def words(places: Mapping[Side, tuple[CardSlot, ...]]) -> str:
        cards = {side: hand_words(place.card for place in places[side] if place.card) for side in Side}
        return "; ".join(f"{t(f'side.{side}')} {cards[side]}" for side in Side)

    panels = [Panel(t("fin.dealt"), rows(dealt, counted=True))]
    if compared:
        panels.append(Panel(t("fin.required"), rows(required, counted=False)))
    places = max(FULL, *(len(row) for row in (*dealt.values(), *required.values())))
    alt = t("fin.alt", dealt=words(dealt), required=words(required))
    return Drawing(hand_svg(panels, places=places), alt, hand_width(panels, places))


def path(steps: Sequence[Mapping[str, Any]], wording: Wording) -> tuple[PathLine, ...]:
    """The decisions of a hand in words, each with its article; those after the departure are open."""
    first = departure(steps)
    found = []
    for index, step in enumerate(steps):
        after = first is not None and index > first
        sentence = (step.get("text") or {}).get(wording.language) or wording.messages(
            "fin.step_open" if after else "fin.step",
            side=wording.word(step["side"]),
            required=wording.word(step["required"]),
            done=wording.word(step["done"]),
        )
        found.append(PathLine(sentence, str(step.get("article") or ""), index == first, after))
    return tuple(found)


def outcome(known: Mapping[str, Any], wording: Wording) -> str:
    """The result by the cards against the one recorded."""
    return wording.messages(
        "fin.outcome",
        actual=wording.word(known.get("outcome")),
        recorded=wording.word(known.get("recorded_outcome")),
    )
