"""Baccarat: drawing by 55/2004 art. 9, walked in the order of its items, and Lucky Six.

The numbers stand in the regulation's data (``regulations/baccarat.yaml``, provision ``draw``); the order stands here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from audit.base.model import DrawMethod, Outcome, Side
from audit.games.due import Due, flat
from audit.games.hand_facts import HandFacts
from audit.games.spec import GameSpec
from audit.games.steps import Act, Points, Step
from audit.rulebook.rules import GameRules


def walk(points: Points, draw: Mapping[str, Any], _method: DrawMethod | None = None) -> Iterator[Step]:
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
    low, natural = points.player in draw["player_draws_on"], points.banker in draw["natural"]
    must = low and not natural
    rule = "player_draw" if must else "player_stand"
    step = _step(points, Side.PLAYER, rule, articles[rule], must=must, holds=points.player, faces=points.banker)
    return replace(step, sentence="player_stand_banker_natural") if low and natural else step


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


def lucky_six(facts: HandFacts, rules: GameRules) -> Due:
    """56/2018: the banker must *win*, and with six; the odds go by its number of cards."""
    won = facts.outcome is Outcome.BANKER and facts.banker_points == 6
    return flat(rules, "odds.lucky_six", "two_cards" if facts.banker_cards == 2 else "three_cards", won=won)


SPEC: Final = GameSpec.shipped("baccarat", walk=walk, bets={"lucky_six": lucky_six})
