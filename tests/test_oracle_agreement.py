"""The compiled tables and the settlement against the oracle, over everything there is."""

from __future__ import annotations

import datetime as dt
import functools
import itertools
from decimal import Decimal

import numpy as np
import pytest

from audit.base.model import DrawMethod, Game, Scheme
from audit.games import walk
from audit.games.due import WagerEnd
from audit.games.hand_facts import HandFacts
from audit.games.settlement import amounts, due
from audit.replay.compile import DEPARTURE_CODES, OUTCOMES, SIDES, draw_table, every_state, points_of, state_of
from audit.rulebook import Rulebook
from audit.rulebook.rules import Provision
from tests.oracle import drawing, settlement, tables

pytestmark = pytest.mark.slow

DAYS = {
    "baccarat": (
        dt.date(2004, 5, 18),
        dt.date(2005, 11, 28),
        dt.date(2005, 11, 29),
        dt.date(2007, 2, 22),
        dt.date(2007, 2, 23),
        dt.date(2007, 6, 26),
        dt.date(2008, 12, 31),
        dt.date(2009, 1, 1),
        dt.date(2009, 6, 22),
        dt.date(2009, 6, 23),
        dt.date(2011, 9, 27),
        dt.date(2011, 10, 4),
        dt.date(2018, 4, 23),
        dt.date(2018, 4, 24),
        dt.date(2026, 11, 1),
    ),
    "makccarat": (dt.date(2007, 7, 10), dt.date(2009, 3, 1), dt.date(2018, 4, 24), dt.date(2026, 11, 1)),
}


@functools.cache
def _rulebook() -> Rulebook:
    return Rulebook.load()


CASES = [("baccarat", day, None) for day in DAYS["baccarat"]] + [
    ("makccarat", day, method) for day in DAYS["makccarat"] for method in drawing.METHODS
]


@pytest.mark.parametrize(("game", "day", "method"), CASES)
def test_every_state_of_a_hand(game: str, day: dt.date, method: str | None) -> None:
    """Departure, side, article, result and points agree with the oracle on all 12,100 states of every version."""
    table = draw_table(_rulebook().on(Game(game), day), DrawMethod(method) if method else None)
    for player, banker, x, y in tables.states():
        number = int(state_of(*(np.array([v], np.int8) for v in (player, banker, x, y)))[0])
        ruling = tables.rule(game, player, banker, x, y, method)
        where = (player, banker, x, y)

        assert DEPARTURE_CODES[table.departure[number]] == (ruling.code or ""), where
        assert OUTCOMES[table.outcome[number]].value == ruling.result, where
        assert table.player_points[number] == (player + (x if x < 10 else 0)) % 10
        assert table.banker_points[number] == (banker + (y if y < 10 else 0)) % 10
        if ruling.code:
            assert SIDES[table.side[number]].value == ruling.side, where
            assert table.articles[table.article[number]] in ruling.articles, where
        elif x < 10 and y < 10:
            order = drawing.sequence(game, tables.hand(player, x), tables.hand(banker, y), method)
            assert order == ("PBPBBP" if table.banker_first[number] else "PBPBPB"), where


@pytest.mark.parametrize(("game", "method"), [("baccarat", None), ("makccarat", "method_1"), ("makccarat", "method_2")])
def test_every_step_of_a_walk(game: str, method: str | None) -> None:
    """The walk that explains a hand names the same duties, in the same order and under the same articles."""
    rules = _rulebook().on(Game(game), dt.date(2024, 3, 1))
    for state in every_state():
        steps = walk(points_of(state), rules, DrawMethod(method) if method else None)
        duties = drawing.turns(game, tables.hand(state[0], state[2]), tables.hand(state[1], state[3]), method)
        for step, duty in zip(steps, duties, strict=False):
            assert (step.side.value, step.required.value == "draw") == (duty.side, duty.draw), state
            assert step.article in duty.articles, state
        if not any(step.departs for step in steps):
            assert len(steps) == len(duties), state


STAKES = ("100", "333.05", "0.01", "0.05", "0.30", "0.50", "0.70", "12345.67", "99999999.99")
BETS = ("player", "banker", "tie", "player_pair", "banker_pair", "lucky_six", "jackpot", "dragon_seven", "rainbow")


@functools.cache
def _without_commission(game: str) -> Provision:
    return next(v.provision("commission.none") for v in _rulebook().rules(Game(game)) if v.has("commission.none"))


def _hands() -> list[tuple[list[int], list[int], list[str], list[str]]]:
    found = []
    for p, b, p_third, b_third in itertools.product(range(10), range(10), (False, True), (False, True)):
        pairs = itertools.product((False, True), repeat=2) if (p, b) == (6, 7) else ((False, False),)
        for p_pair, b_pair in pairs:
            player, banker = ([0, p] if not p_third else [0, 0, p]), ([0, b] if not b_third else [0, 0, b])
            found.append((player, banker, ["A", "A" if p_pair else "2"], ["K", "K" if b_pair else "J"]))
    return found


@pytest.mark.parametrize(("game", "day", "method"), CASES)
def test_every_wager(game: str, day: dt.date, method: str | None) -> None:
    """Every bet on every result, under every scheme and version, is due the same to the ten-thousandth."""
    rules = _rulebook().on(Game(game), day)
    for bet, scheme, hand in itertools.product(BETS, ("standard", "none", "house"), _hands()):
        player, banker, player_ranks, banker_ranks = hand
        table = settlement.Table(game, day, player, banker, player_ranks, banker_ranks, method)
        facts = HandFacts(
            sum(player) % 10,
            sum(banker) % 10,
            len(player),
            len(banker),
            player_pair=player_ranks[0] == player_ranks[1],
            banker_pair=banker_ranks[0] == banker_ranks[1],
        )
        owed = due(
            bet,
            facts,
            rules,
            scheme=None if scheme == "house" else Scheme(scheme),
            method=DrawMethod(method) if method else None,
            without_commission=_without_commission(game),
        )
        where = (bet, scheme, player, banker)
        pushed = settlement.due_on_settled(table, bet, Decimal(100), scheme=scheme, paid=Decimal(0))
        expected = settlement.due_on_settled(table, bet, Decimal(100), scheme=scheme)

        assert (owed.kind is WagerEnd.UNKNOWN) == (expected.reason is not None), where
        assert owed.unread_push == (pushed.reason == "three_card_seven"), where
        if expected.reason is not None:
            continue
        for text in STAKES if facts.outcome.value == bet else STAKES[:2]:
            stake = Decimal(text)
            right = settlement.due_on_settled(table, bet, stake, scheme=scheme)
            paid = amounts(owed, int(stake * 10_000))

            assert paid.payout == right.payout * 10_000, (*where, text)
            assert paid.returned == right.returned * 10_000, (*where, text)
            assert paid.commission == {int(c * 10_000) for c in right.commissions}, (*where, text)
