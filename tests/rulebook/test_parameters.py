"""Every parameter of the law decides: changing one changes a finding, a sum, a step, a date or a verdict.

The parameters are enumerated from the typed classes, so that a new one without a question here fails.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import pytest

from audit.base.errors import ConfigurationError
from audit.base.known_games import GAMES
from audit.base.model import Game, Scheme, Side
from audit.base.strict import YamlPath
from audit.games import Points, methods_of, walk
from audit.games.due import WagerEnd
from audit.games.hand_facts import HandFacts
from audit.games.settlement import amounts, due
from audit.rulebook import GameRules, Rulebook
from audit.rulebook.law_data import plain
from audit.rulebook.schema import read_terms
from audit.rulebook.terms import TYPED, AfterEqual, BurnFormula, MethodRules, Terms, UnreadPush
from audit.rulebook.timeline import Timeline
from tests.audited import audited

DAY: Final = dt.date(2024, 3, 1)
"""The day whose law is changed: it stands in the default rows of an example."""

BACCARAT, MAKCCARAT = Game("baccarat"), Game("makccarat")

Question = Callable[[Rulebook, Game, Path], object]


@dataclass(frozen=True)
class Parameter:
    """One parameter of one game's law."""

    game: Game
    form: type[Terms]
    name: str

    @property
    def key(self) -> tuple[str, str]:
        """Provision and parameter."""
        return self.form.key, self.name

    def __str__(self) -> str:
        return f"{self.game}-{self.form.key}-{self.name}"


def parameters() -> list[Parameter]:
    """Every parameter that the law of the day states, apart from those that are told only."""
    stated = [
        (game, form, each)
        for game in GAMES
        for form in TYPED
        if (terms := Rulebook.load().on(game, DAY).known_terms(form)) is not None
        for each in fields(form)
        if getattr(terms, each.name) not in (None, (), {})
    ]
    return [Parameter(game, form, each.name) for game, form, each in stated if "told" not in each.metadata]


def with_terms(rulebook: Rulebook, game: Game, terms: Terms) -> Rulebook:
    """The rulebook with other terms in every version of one game that has the provision."""

    def changed(rules: GameRules | None) -> GameRules | None:
        if rules is None or not rules.has(terms.key):
            return rules
        provision = dataclasses.replace(rules.provisions[terms.key], terms=terms)
        return dataclasses.replace(rules, provisions=MappingProxyType({**rules.provisions, terms.key: provision}))

    line = rulebook._rules[game]
    entries = tuple(changed(rules) for rules in line.entries)
    return dataclasses.replace(rulebook, _rules={**rulebook._rules, game: Timeline(line.days, entries)})


def other(value: Any) -> Any:
    """Another value of the same form."""
    match value:
        case bool():
            return not value
        case AfterEqual():
            return AfterEqual.TIE if value is AfterEqual.DRAW else AfterEqual.DRAW
        case Side():
            return Side.PLAYER if value is Side.BANKER else Side.BANKER
        case int():
            return value + 1
        case Fraction():
            return value + Fraction(1, 100)
        case frozenset():
            return value - {max(value)}
        case (BurnFormula.DECKS, *rest):
            return tuple(rest)
        case tuple():
            return value[:-1]
        case UnreadPush():
            return UnreadPush(points=value.points - 1, cards=value.cards)
        case MethodRules():
            return MethodRules(equal_after_first_draw=other(value.equal_after_first_draw))
        case Mapping() if 3 in value:
            return {**value, 3: other(value[3])}
        case Mapping():
            return {key: f"{item}(7)" if isinstance(item, str) else other(item) for key, item in value.items()}
    raise TypeError(value)


OTHERS: Final[Mapping[tuple[str, str], Any]] = {
    ("draw", "max_extra_cards"): 0,
    ("deal", "order"): "PPBB",
    ("authorisation", "articles"): frozenset({3}),
    ("opening.burn", "fixed_min"): 2,
    ("tie_option", "values"): ("kept",),
}
"""Another value where the next best one would be another law altogether."""


def steps(rulebook: Rulebook, game: Game, _folder: Path) -> object:
    """The steps of many hands under every method."""
    rules = rulebook.on(game, DAY)
    thirds = (None, 0, 3, 9)
    hands = product(range(10), range(10), thirds, thirds)
    return [walk(Points(*hand), rules, method) for hand in hands for method in methods_of(game)]


def sums(rulebook: Rulebook, game: Game, _folder: Path) -> object:
    """What many wagers are due, or why nobody knows."""
    rules = rulebook.on(game, DAY)
    bets = ("player", "banker", "tie", "player_pair", "banker_pair", "jackpot", "lucky_six", "dragon_seven")
    answers = []
    for player, banker, cards, pair in product(range(10), range(10), (2, 3), (True, False)):
        facts = HandFacts(player, banker, cards, cards, pair, pair)
        for bet, scheme, method in product(bets, Scheme, methods_of(game)):
            what = due(bet, facts, rules, scheme=scheme, method=method)
            owed = None if what.kind is WagerEnd.UNKNOWN else amounts(what, 1_000_000)
            answers.append((what.kind, what.reason, what.unread_push, owed))
    return answers


def citations(rulebook: Rulebook, game: Game, _folder: Path) -> object:
    """Under which article many wagers are settled."""
    rules, facts = rulebook.on(game, DAY), HandFacts(5, 5, 2, 2, player_pair=True, banker_pair=True)
    bets = ("player", "banker", "tie", "player_pair", "banker_pair")
    sides = (facts, HandFacts(2, 1, 2, 2, player_pair=True, banker_pair=True))
    return [
        due(bet, each, rules, scheme=Scheme.STANDARD, method=method).citation
        for bet, each, method in product(bets, sides, methods_of(game))
    ]


def run(**data: Any) -> Question:
    """The findings about a few rows, the verdicts, and what of them could not be judged."""

    def question(_rulebook: Rulebook, game: Game, folder: Path) -> object:
        done = audited({"game": game, "draw_method": "method_1", **data}, folder)
        told = done.told("expected", "observed", "table_id", "shoe_id", "round_id", "approval_id", "value")
        return sorted(map(str, told)), done.verdicts, done.manifest["options"]

    return question


def burn(**event: Any) -> Question:
    """Findings about the cards burnt at the start of one shoe."""
    return run(events=[{"event": "burn", "at": "2024-03-01T21:00:00+08:00", "shoe_id": "S1", **event}])


GRANTED: Final = {
    "option": "last_round", "value": "one_more", "tables": "*", "applied_at": "2024-02-01T10:00:00+08:00",
    "decision": "granted", "authorised_at": "2024-02-08", "planned_from": "2024-02-20",
}  # fmt: skip

QUESTIONS: Final[Mapping[tuple[str, str], Question]] = {
    ("equipment.decks", "min"): run(decks=[6, 8], shoe_id=["S1", "S2"], round_no=[1, 1]),
    ("equipment.decks", "max"): run(decks=[13, 8], shoe_id=["S1", "S2"], round_no=[1, 1]),
    ("opening.cut_card", "floor"): run(
        events=[{"event": "cut_card_placed", "count": "10", "at": "2024-03-01T21:00:00+08:00", "shoe_id": "S1"}]
    ),
    ("opening.burn", "formulas"): burn(burn_rule="decks", count="8"),
    ("opening.burn", "fixed_min"): burn(burn_rule="fixed", count="1"),
    ("opening.burn", "fixed_max"): burn(burn_rule="fixed", count="9"),
    ("opening.burn", "court_card_counts"): burn(burn_rule="first_card", count="10", cards="KD"),
    ("opening.burn", "first_card_itself"): burn(burn_rule="first_card", count="6", cards="5D"),
    ("opening.demonstration", "max_per_shoe"): run(status=["demonstration"] * 4 + ["settled"]),
    ("last_round", "rounds_after_cut_card"): run(
        round_no=[1, 2],
        events=[{"event": "cut_card_out", "at": "2024-03-01T21:04:06+08:00", "shoe_id": "S1"}],
        ended_at=["2024-03-01T21:04:30+08:00", "2024-03-01T21:05:30+08:00"],
        approvals=[GRANTED],
    ),
    ("deal", "order"): run(deal_sequence="PBPB"),
    ("draw", "articles"): steps,
    ("draw", "max_extra_cards"): run(player_cards="2H AS 4D", banker_cards="KD 5C"),
    ("draw", "natural"): steps,
    ("draw", "player_draws_on"): steps,
    ("draw", "banker_draws_on_third"): steps,
    ("draw", "banker_draws_if_player_stood"): steps,
    ("draw", "methods"): steps,
    ("tie_option", "values"): run(
        player_cards="KH 7D",
        banker_cards="QC 7S",
        bet="player",
        stake="100",
        payout="0",
        stake_returned="100",
        tie_choice="cancelled",
        approvals=[{**GRANTED, "option": "tie", "value": "cancelled"}],
    ),
    ("bets", "gazetted"): sums,
    ("bets", "unread"): sums,
    ("bets.lucky_six", "winner"): sums,
    ("bets.lucky_six", "points"): sums,
    ("bets.other", "director_may_authorise"): run(
        bet="panda", stake="100", payout="0", approvals=[{**GRANTED, "option": "bet", "value": "panda"}]
    ),
    ("odds.player_banker", "articles"): citations,
    ("odds.player_banker", "player"): sums,
    ("odds.player_banker", "banker"): sums,
    ("odds.tie", "articles"): citations,
    ("odds.tie", "tie"): sums,
    ("odds.tie", "method_1"): sums,
    ("odds.tie", "method_2"): sums,
    ("odds.pairs", "articles"): citations,
    ("odds.pairs", "player_pair"): sums,
    ("odds.pairs", "banker_pair"): sums,
    ("odds.lucky_six", "two_cards"): sums,
    ("odds.lucky_six", "three_cards"): sums,
    ("odds.additional_prizes", "director_may_authorise"): run(
        bet="player", stake="100", payout="150", approvals=[{**GRANTED, "option": "prize", "value": "player"}]
    ),
    ("commission.standard", "rate"): sums,
    ("commission.standard", "sides"): sums,
    ("commission.standard", "points"): sums,
    ("commission.none", "half_points"): sums,
    ("commission.none", "sides"): sums,
    ("commission.none", "pays"): sums,
    ("commission.none", "as_commission"): sums,
    ("commission.none", "unread_push"): sums,
    ("authorisation", "articles"): run(status=["demonstration", "settled"], approvals=[GRANTED]),
    ("authorisation", "notice_working_days"): run(
        approvals=[{**GRANTED, "applied_at": "2024-02-27T10:00:00+08:00", "planned_from": "2024-03-01"}]
    ),
}
"""For each parameter what to ask; the answer follows from it."""

REFUSED: Final = {("bets.pair", "same"): "suit"}
"""Parameters of which the program knows one value: what it refuses, since another would be a new procedure."""

WAITING: Final = {
    ("makccarat", "odds.player_banker", "articles"),
    ("makccarat", "odds.pairs", "articles"),
}
"""Article lists that findings do not go by yet (issue 15, section 2, point 4)."""


def test_every_parameter_has_its_question() -> None:
    """Each parameter of the typed classes decides something, is refused any other value, or says why it is told."""
    every = {(form.key, each.name) for form in TYPED for each in fields(form) if "told" not in each.metadata}

    assert every == QUESTIONS.keys() | REFUSED.keys()


def test_every_parameter_is_stated_by_some_game() -> None:
    """No question stands for a parameter that no law of the day has."""
    assert QUESTIONS.keys() | REFUSED.keys() == {each.key for each in parameters()}


def test_what_is_only_told() -> None:
    """What decides nothing is a short list, each with its reason."""
    told = {(form.key, each.name): each.metadata["told"] for form in TYPED for each in fields(form) if each.metadata}

    assert {("equipment.table", "seats_min"), ("equipment.table", "layouts"), ("opening.cut_card", "about")} == set(
        told
    )
    assert all(told.values())


@pytest.mark.parametrize("parameter", [each for each in parameters() if each.key not in REFUSED], ids=str)
def test_a_changed_parameter_changes_the_answer(
    parameter: Parameter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The law with one other value gives another finding, sum, step, date or verdict."""
    key = parameter.key
    rulebook = Rulebook.load()
    terms = rulebook.on(parameter.game, DAY).terms(parameter.form)
    value = OTHERS[key] if key in OTHERS else other(getattr(terms, parameter.name))
    changed = with_terms(rulebook, parameter.game, dataclasses.replace(terms, **{parameter.name: value}))
    answers = []
    for name, law in (("as_it_is", rulebook), ("changed", changed)):
        (tmp_path / name).mkdir()
        monkeypatch.setattr(Rulebook, "load", staticmethod(lambda _directory=None, law=law: law))
        answers.append(QUESTIONS[key](law, parameter.game, tmp_path / name))

    same = answers[0] == answers[1]
    assert same == ((parameter.game, *key) in WAITING)


@pytest.mark.parametrize(("key", "value"), REFUSED.items(), ids=str)
def test_another_procedure_is_refused(key: tuple[str, str], value: str) -> None:
    """A value that would need another procedure is a fault of the data, named with its place."""
    with pytest.raises(ConfigurationError, match=key[1]):
        read_terms(key[0], {key[1]: value}, YamlPath("law.yaml"), complete=True)


def test_a_hand_of_four_cards_is_another_procedure() -> None:
    """More than one further card a side is refused: no walk knows such a hand."""
    value = {"max_extra_cards": 2, "natural": [8, 9], "articles": {"natural": "9"}}

    with pytest.raises(ConfigurationError, match=r"law.yaml: draw: 'max_extra_cards' is 1 at most"):
        read_terms("draw", value, YamlPath("law.yaml") / "draw", complete=True)


def test_typed_rules_say_what_is_printed() -> None:
    """Each parameter that `rules show` prints is the one that the typed rules judge by."""

    def bare(value: Any) -> Any:
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            return {each.name: bare(getattr(value, each.name)) for each in fields(value)}
        if isinstance(value, Mapping):
            return {str(key): bare(item) for key, item in value.items()}
        if isinstance(value, frozenset | tuple | list):
            return sorted((bare(item) for item in value), key=str)
        return Fraction(value) if isinstance(value, Fraction) or _decimal(value) else value

    def _decimal(value: object) -> bool:
        return isinstance(value, str) and value.replace(".", "").isdigit() and "." in value

    for game in GAMES:
        for rules in Rulebook.load().rules(game):
            for provision in rules.provisions.values():
                for name, value in provision.parameters.items() if provision.terms else ():
                    assert bare(plain(value)) == bare(getattr(provision.terms, name)), (provision.key, name)
