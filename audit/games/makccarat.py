"""Makccarat: drawing by 67/2007 art. 9, one procedure for both methods.

The methods differ in one point alone: what happens when the side that drew first only *equals* the other. Method 1
makes the other side draw, method 2 ends the hand as a tie. That point is data (``regulations/makccarat.yaml``).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from audit.base.model import DrawMethod, Side
from audit.games.spec import GameSpec
from audit.games.steps import Act, Points, Step
from audit.rulebook.terms import AfterEqual, DrawRules, stated


def walk(points: Points, draw: DrawRules, method: DrawMethod | None) -> Iterator[Step]:
    """Yield the decisions of a hand in the order of art. 9(2); stop after the first departure.

    Item (1): a natural on either side ends the hand. Item (2): equal totals, both draw, the player first. Item (3):
    the lower side draws first, whichever it is; what it then holds decides for the other.
    """
    if method is None:
        message = "a Makccarat hand cannot be walked without its drawing method"
        raise ValueError(message)
    for step in _steps(points, draw, method):
        yield step
        if step.departs:
            return


def _steps(points: Points, draw: DrawRules, method: DrawMethod) -> Iterator[Step]:
    if points.player in draw.natural or points.banker in draw.natural:
        yield _step(points, draw, method, Side.PLAYER, "natural", Act.STAND)
        yield _step(points, draw, method, Side.BANKER, "natural", Act.STAND)
    elif points.player == points.banker:
        yield _step(points, draw, method, Side.PLAYER, "equal", Act.DRAW)
        yield _step(points, draw, method, Side.BANKER, "equal", Act.DRAW)
    else:
        first = lower_side(points)
        yield _step(points, draw, method, first, "lower_draws", Act.DRAW)
        yield _answer(points, draw, method, first)


def lower_side(points: Points) -> Side:
    """The side that draws first: the lower two-card total, the player where they are equal."""
    return Side.PLAYER if points.player <= points.banker else Side.BANKER


def _answer(points: Points, draw: DrawRules, method: DrawMethod, first: Side) -> Step:
    """The other side's decision: it stands against less, answers more, and by the method meets an equal total."""
    if first is Side.PLAYER:
        other, drawn, held = Side.BANKER, points.player_total, points.banker
    else:
        other, drawn, held = Side.PLAYER, points.banker_total, points.player
    equal_draws = stated(draw.methods, "'methods'")[method].equal_after_first_draw is AfterEqual.DRAW
    if drawn < held:
        return _step(points, draw, method, other, "still_lower", Act.STAND)
    if equal_draws:
        return _step(points, draw, method, other, "equal_or_higher", Act.DRAW)
    if drawn == held:
        return _step(points, draw, method, other, "equal_ties", Act.STAND)
    return _step(points, draw, method, other, "higher", Act.DRAW)


def _step(points: Points, draw: DrawRules, method: DrawMethod, side: Side, rule: str, required: Act) -> Step:
    holds, faces = (points.player, points.banker) if side is Side.PLAYER else (points.banker, points.player)
    if rule in {"still_lower", "equal_or_higher", "equal_ties", "higher"}:
        faces = points.banker_total if side is Side.PLAYER else points.player_total
    done = Act.DRAW if points.drew(side) else Act.STAND
    return Step(side, required, done, rule, draw.step(rule, method), holds, faces)


SPEC: Final = GameSpec.shipped(
    "makccarat",
    walk=walk,
    methods=tuple(DrawMethod),
    order_by_hand=True,
)
