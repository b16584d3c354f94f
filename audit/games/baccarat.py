"""Baccarat, drawing: 55/2004 art. 9, walked in the order of its items.

The numbers stand in the regulation's data (``regulations/baccarat.yaml``, provision ``draw``); the order stands here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from audit.base.model import Side
from audit.games.steps import Act, Points, Step


def walk(points: Points, draw: Mapping[str, Any]) -> Iterator[Step]:
    """Yield the player's decision, then the banker's; stop after the first departure.

    Art. 9, body: at most one further card a side, the player first. Items 1) and 2): the player draws on a low total
    and stands on a high one, or when the banker holds a natural. Items 3) and 4): the banker's duty follows from its
    own total and the card that the player *really* drew.
    """
    player = _player(points, draw)
    yield player
    if not player.departs:
        yield _banker(points, draw)


def _player(points: Points, draw: Mapping[str, Any]) -> Step:
    articles = draw["articles"]
    must = points.player in draw["player_draws_on"] and points.banker not in draw["natural"]
    rule = "player_draw" if must else "player_stand"
    return _step(points, Side.PLAYER, rule, articles[rule], must=must, holds=points.player, faces=points.banker)


def _banker(points: Points, draw: Mapping[str, Any]) -> Step:
    must, rule = _banker_duty(points, draw)
    article = draw["articles"][rule]
    return _step(points, Side.BANKER, rule, article, must=must, holds=points.banker, faces=points.player_third)


def _banker_duty(points: Points, draw: Mapping[str, Any]) -> tuple[bool, str]:
    """Say what the banker must do and under which item of art. 9(3) or 9(4).

    Item (4)(6), the player's natural, comes before (3)(6), which also speaks of a player without a third card: else a
    natural would not end the hand.
    """
    held, third = points.banker, points.player_third
    thirds = draw["banker_draws_on_third"].get(held, ())
    if not thirds and held not in draw["banker_draws_if_player_stood"]:
        return False, "banker_stand_high"
    if points.player in draw["natural"]:
        return False, "banker_stand_player_natural"
    if third is None:
        must = held in draw["banker_draws_if_player_stood"]
        return must, "banker_draw_player_stood" if must else f"banker_stand_{held}"
    if third not in thirds:
        return False, f"banker_stand_{held}"
    whatever = len(thirds) == 10
    return True, "banker_draw_any" if whatever else f"banker_draw_{held}"


def _step(points: Points, side: Side, rule: str, article: str, *, must: bool, holds: int, faces: int | None) -> Step:
    done = Act.DRAW if points.drew(side) else Act.STAND
    return Step(side, Act.DRAW if must else Act.STAND, done, rule, article, holds, faces)
