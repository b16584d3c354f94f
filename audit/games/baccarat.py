"""Baccarat: drawing by 55/2004 art. 9, walked in the order of its items, and Lucky Six.

The numbers stand in the regulation's data (``regulations/baccarat.yaml``, provision ``draw``); the order stands here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from audit.base.model import DrawMethod, Side
from audit.games.due import Due, flat
from audit.games.hand_facts import HandFacts
from audit.games.spec import GameSpec
from audit.games.steps import Act, Points, Step
from audit.rulebook.rules import GameRules
from audit.rulebook.terms import DrawRules, LuckySix, LuckySixOdds, stated


def walk(points: Points, draw: DrawRules, _method: DrawMethod | None = None) -> Iterator[Step]:
    """Yield the player's decision, then the banker's; stop after the first departure.

    Art. 9, body: at most one further card a side, the player first. Items 1) and 2): the player draws on a low total
    and stands on a high one, or when the banker holds a natural. Items 3) and 4): the banker's duty follows from its
    own total and the card that the player *really* drew.
    """
    player = _player(points, draw)
    yield player
    if not player.departs:
        yield _banker(points, draw)


def _player(points: Points, draw: DrawRules) -> Step:
    low = points.player in stated(draw.player_draws_on, "'player_draws_on'")
    natural = points.banker in draw.natural
    must = low and not natural
    rule = "player_draw" if must else "player_stand"
    step = _step(points, Side.PLAYER, rule, draw.step(rule), must=must, holds=points.player, faces=points.banker)
    return replace(step, sentence="player_stand_banker_natural") if low and natural else step


def _banker(points: Points, draw: DrawRules) -> Step:
    must, rule = _banker_duty(points, draw)
    return _step(points, Side.BANKER, rule, draw.step(rule), must=must, holds=points.banker, faces=points.player_third)


def _banker_duty(points: Points, draw: DrawRules) -> tuple[bool, str]:
    """Say what the banker must do and under which item of art. 9(3) or 9(4).

    Item (4)(6), the player's natural, comes before (3)(6), which also speaks of a player without a third card: else a
    natural would not end the hand.
    """
    held, third = points.banker, points.player_third
    thirds = stated(draw.banker_draws_on_third, "'banker_draws_on_third'").get(held, frozenset())
    if_stood = held in stated(draw.banker_draws_if_player_stood, "'banker_draws_if_player_stood'")
    if not thirds and not if_stood:
        return False, "banker_stand_high"
    if points.player in draw.natural:
        return False, "banker_stand_player_natural"
    if third is None:
        return if_stood, "banker_draw_player_stood" if if_stood else f"banker_stand_{held}"
    if third not in thirds:
        return False, f"banker_stand_{held}"
    whatever = len(thirds) == 10
    return True, "banker_draw_any" if whatever else f"banker_draw_{held}"


def _step(points: Points, side: Side, rule: str, article: str, *, must: bool, holds: int, faces: int | None) -> Step:
    done = Act.DRAW if points.drew(side) else Act.STAND
    return Step(side, Act.DRAW if must else Act.STAND, done, rule, article, holds, faces)


def lucky_six(facts: HandFacts, rules: GameRules) -> Due:
    """56/2018: the banker must *win*, and with six; the odds go by its number of cards."""
    bet, odds = rules.terms(LuckySix), rules.terms(LuckySixOdds)
    won = facts.outcome.value == bet.winner.value and facts.points(bet.winner) == bet.points
    return flat(rules.cite(odds.key), odds.two_cards if facts.cards(bet.winner) == 2 else odds.three_cards, won=won)


SPEC: Final = GameSpec.shipped("baccarat", walk=walk, bets={"lucky_six": lucky_six})
