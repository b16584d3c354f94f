"""Cases a lawyer can read: each file of `tests/cases` against the games of the package and against the oracle.

A case names its game, its day and its cards; `expect` gives the points, the winner and the first departure, and
`wagers` what each wager is due. Amounts are text, as a log writes them; a commission that is a list may be any of it.
"""

from __future__ import annotations

import datetime as dt
import functools
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml

from audit.base.model import MONEY_SCALE, DrawMethod, Game, Scheme, parse_hand, total
from audit.games import departure_of, walk
from audit.games.due import WagerEnd
from audit.games.hand_facts import HandFacts
from audit.games.settlement import amounts, due
from audit.games.steps import Points
from audit.rulebook import Rulebook
from audit.rulebook.rules import GameRules, NotInForce
from tests.oracle import drawing, rows, settlement

CASES = Path(__file__).with_name("cases")
UNIT = Decimal(10) ** MONEY_SCALE
KEYS = {"name", "game", "day", "method", "scheme", "player", "banker", "expect", "wagers"}
EXPECTED = {"player", "banker", "winner", "findings", "article", "in_force"}
OF_A_WAGER = {"bet", "stake", "paid", "payout", "commission", "returned", "not_evaluated"}


def _cases() -> Iterator[Any]:
    for path in sorted(CASES.glob("*.yaml")):
        for case in yaml.safe_load(path.read_text("utf-8")):
            yield pytest.param(case, id=f"{path.stem}: {case['name']}")


ALL = list(_cases())


@functools.cache
def _rulebook() -> Rulebook:
    return Rulebook.load()


def _facts(case: dict[str, Any]) -> HandFacts:
    player, banker = parse_hand(case["player"]), parse_hand(case["banker"])
    return HandFacts(
        total(player),
        total(banker),
        len(player),
        len(banker),
        player_pair=player[0].rank == player[1].rank,
        banker_pair=banker[0].rank == banker[1].rank,
    )


def _points(case: dict[str, Any]) -> Points:
    player, banker = parse_hand(case["player"]), parse_hand(case["banker"])
    thirds = [hand[2].points if len(hand) == 3 else None for hand in (player, banker)]
    return Points(total(player[:2]), total(banker[:2]), *thirds)


def test_no_case_is_misspelt() -> None:
    """A case has only the keys that the runner reads, and its name is used once."""
    names = [case.values[0]["name"] for case in ALL]

    assert len(names) == len(set(names))
    for case in (case.values[0] for case in ALL):
        assert set(case) <= KEYS, case["name"]
        assert set(case["expect"]) <= EXPECTED, case["name"]
        for wager in case.get("wagers", ()):
            assert set(wager) <= OF_A_WAGER, case["name"]
            assert ("payout" in wager) != wager.get("not_evaluated", False), case["name"]


def test_every_drawing_article_has_both_cases() -> None:
    """Every sentence on drawing has a case where it was followed and one where it was not."""
    named = [case.values[0] for case in ALL]
    wrong = {case["expect"]["article"] for case in named if case["expect"].get("findings")}
    right = {
        article
        for case in named
        if case["expect"].get("findings") == []
        for article in wrong
        if f"({article})" in case["name"]
    }
    baccarat = {a for a, _ in drawing.PLAYER_MUST + drawing.PLAYER_MUST_NOT}
    baccarat |= {a for a, _ in drawing.BANKER_MUST + drawing.BANKER_MUST_NOT}

    assert baccarat <= wrong & right
    for method, last in (("method_1", 2), ("method_2", 3)):
        items = {f"9(2) {method} {item}" for item in ("(1)", "(2)", *(f"(3)({n})" for n in range(1, last + 1)))}

        assert items <= wrong & right


@pytest.mark.parametrize("case", ALL)
def test_case(case: dict[str, Any]) -> None:
    """The games of the package, and the oracle, say what the case says."""
    expect = case["expect"]
    if expect.get("in_force") is False:
        with pytest.raises(NotInForce):
            _rulebook().on(Game(case["game"]), case["day"])
        assert case["day"] < settlement.FIRST_DAY[case["game"]]
        return
    rules = _rulebook().on(Game(case["game"]), case["day"])
    method = DrawMethod(case["method"]) if "method" in case else None
    facts = _facts(case)
    departure = departure_of(walk(_points(case), rules, method))
    found = [f"{departure.code} {departure.side}"] if departure else []

    assert (facts.player_points, facts.banker_points) == (expect["player"], expect["banker"])
    assert facts.outcome.value == expect["winner"]
    assert found == expect["findings"]
    assert (departure.article if departure else None) == expect.get("article")
    for wager in case.get("wagers", ()):
        _check_wager(wager, case, facts, rules)
    _check_oracle(case)


def _check_wager(wager: dict[str, Any], case: dict[str, Any], facts: HandFacts, rules: GameRules) -> None:
    word = case.get("scheme", "standard")
    without = next(v.provision("commission.none") for v in _rulebook().rules(rules.game) if v.has("commission.none"))
    owed = due(
        wager["bet"],
        facts,
        rules,
        scheme=Scheme(word) if word in list(Scheme) else None,
        method=DrawMethod(case["method"]) if "method" in case else None,
        without_commission=without,
    )
    unknown = owed.kind is WagerEnd.UNKNOWN or (owed.unread_push and wager.get("paid") == "0")

    assert unknown == wager.get("not_evaluated", False), wager
    if unknown:
        return
    paid = amounts(owed, int(Decimal(wager["stake"]) * UNIT))
    taken = wager["commission"] if isinstance(wager["commission"], list) else [wager["commission"]]

    assert paid.payout == Decimal(wager["payout"]) * UNIT, wager
    assert paid.returned == Decimal(wager["returned"]) * UNIT, wager
    assert paid.commission == {int(Decimal(text) * UNIT) for text in taken}, wager


def _check_oracle(case: dict[str, Any]) -> None:
    player, banker = rows.cards(case["player"]), rows.cards(case["banker"])
    hands = [card.points for card in player], [card.points for card in banker]
    ruling = drawing.judge(case["game"], *hands, case.get("method"))

    assert ([f"{ruling.code} {ruling.side}"] if ruling.code else []) == case["expect"]["findings"]
    assert ruling.result == case["expect"]["winner"]
    assert case["expect"].get("article") in (ruling.articles or {None})
    table = settlement.Table(
        case["game"],
        case["day"],
        *hands,
        [card.rank for card in player],
        [card.rank for card in banker],
        case.get("method"),
    )
    for wager in case.get("wagers", ()):
        owed = settlement.due_on_settled(
            table,
            wager["bet"],
            Decimal(wager["stake"]),
            scheme=case.get("scheme", "standard"),
            paid=Decimal(wager["paid"]) if "paid" in wager else None,
        )

        assert (owed.reason is not None) == wager.get("not_evaluated", False), wager
        if owed.reason is None:
            assert owed.payout == Decimal(wager["payout"]), wager


def test_days_are_days() -> None:
    """Every case names its day as a date."""
    assert all(isinstance(case.values[0]["day"], dt.date) for case in ALL)
