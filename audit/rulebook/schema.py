"""Which provisions the engine knows, and which parameters each states, of which form.

A provision key or a parameter that is not here is an error of the data file, so that a misspelt one cannot be ignored;
and a parameter that is missing is one too, unless the wording says in `unknown` that its text has not been read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, TypeAlias

from audit.base import strict
from audit.base.strict import Value, YamlPath

Check: TypeAlias = Callable[[Value, YamlPath], None]

_DECIMAL: Final = re.compile(r"[0-9]+(\.[0-9]+)?")


def _number(value: Value, place: YamlPath) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        place.fail("a whole number is expected")


def _numbers(value: Value, place: YamlPath) -> None:
    for index, item in enumerate(strict.sequence(value, place)):
        _number(item, place / index)


def _word(value: Value, place: YamlPath) -> None:
    strict.word(value, place)


def _words(value: Value, place: YamlPath) -> None:
    strict.words(value, place)


def _flag(value: Value, place: YamlPath) -> None:
    strict.flag(value, place)


def _decimal(value: Value, place: YamlPath) -> None:
    if not isinstance(value, str) or not _DECIMAL.fullmatch(value):
        place.fail("a decimal number in quotes is expected")


def _map_of(check: Check) -> Check:
    def inner(value: Value, place: YamlPath) -> None:
        if not isinstance(value, dict) or not value:
            place.fail("a mapping with entries is expected")
        for key, item in value.items():
            check(item, place / str(key))

    return inner


PARAMETERS: Final[Mapping[str, Mapping[str, Check]]] = MappingProxyType(
    {
        "equipment.decks": {"min": _number, "max": _number},
        "equipment.table": {"seats_min": _number, "layouts": _numbers},
        "opening.cut_card": {"about": _number, "floor": _number},
        "opening.burn": {
            "formulas": _words,
            "fixed_min?": _number,
            "fixed_max?": _number,
            "court_card_counts": _numbers,
            "first_card_itself": _numbers,
        },
        "opening.demonstration": {"max_per_shoe": _number},
        "opening.auto_shuffler": {},
        "last_round": {"rounds_after_cut_card": _numbers},
        "card_change": {},
        "shoe_change": {},
        "exposed_card": {},
        "points": {},
        "sides": {},
        "deal": {"order": _word},
        "deal.auto_shuffler": {},
        "burn_between": {},
        "draw": {
            "max_extra_cards": _number,
            "natural": _numbers,
            "player_draws_on?": _numbers,
            "banker_draws_on_third?": _map_of(_numbers),
            "banker_draws_if_player_stood?": _numbers,
            "methods?": _map_of(_map_of(_word)),
            "articles": _map_of(_word),
        },
        "misdeal": {},
        "winner": {},
        "tie_option": {"values": _words},
        "bets": {"gazetted": _words, "unread?": _words},
        "bets.pair": {"same": _word},
        "bets.jackpot": {},
        "bets.dragon_seven": {},
        "bets.lucky_six": {"winner": _word, "points": _number},
        "bets.other": {"director_may_authorise": _flag},
        "bets.other_application": {},
        "bets.other_conditions": {},
        "unequal_stakes": {},
        "standing_bets": {},
        "card_holding": {},
        "odds.player_banker": {"player": _number, "banker": _number, "articles?": _map_of(_word)},
        "odds.tie": {"tie?": _number, "method_1?": _number, "method_2?": _number, "articles?": _map_of(_word)},
        "odds.pairs": {"player_pair": _number, "banker_pair": _number, "articles?": _map_of(_word)},
        "odds.jackpot": {},
        "odds.lucky_six": {"two_cards": _number, "three_cards": _number},
        "odds.additional_prizes": {"director_may_authorise": _flag},
        "commission.standard": {"rate": _decimal, "sides": _words, "points": _numbers},
        "commission.none": {
            "half_points": _numbers,
            "sides": _words,
            "pays": _decimal,
            "unread_push?": _map_of(_number),
        },
        "authorisation": {"articles": _numbers, "notice_working_days": _number},
    },
)
"""For each provision key its parameters and their form; a question mark stands after one that may be absent."""


def checked(key: str, value: Value, place: YamlPath, *, complete: bool) -> Mapping[str, object]:
    """The parameters of one wording of the provision `key`, unchangeable.

    `complete` asks for every parameter; a wording of which something is unread may lack some.

    Raises ConfigurationError naming the file and the path for an unknown, a missing or a malformed parameter.
    """
    shape = PARAMETERS[key]
    checks = {name.removesuffix("?"): check for name, check in shape.items()}
    required = [name for name in shape if not name.endswith("?")] if complete else []
    parameters = strict.mapping(value, place, required=required, optional=checks)
    for name, item in parameters.items():
        checks[name](item, place / name)
    return MappingProxyType({name: strict.frozen(item) for name, item in parameters.items()})
