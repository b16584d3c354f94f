"""Every round judged at once, by look-up in the tables compiled from the games.

The answers are arrays over rounds; turning them into findings is the business of ``audit.checks``.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from audit.base.columns import UNRECORDED, Array
from audit.base.days import day, day_number
from audit.base.known_games import GAMES
from audit.base.model import DrawMethod, Game, Scheme
from audit.games import game_of, methods_of
from audit.replay.codes import METHODS, OTHER_SCHEME, SCHEMES
from audit.replay.compile import DrawTable, draw_table, state_of
from audit.replay.rounds import Rounds
from audit.rulebook import Rulebook
from audit.rulebook.rules import GameRules
from audit.rulebook.terms import TWO_CARDS, DrawRules

NO_RULES: Final = -1
BOTH_METHODS: Final = 2
"""Code of a round whose game leaves a choice and whose method nobody recorded or authorised alone: both are tried."""


READABLE_CARDS: Final = 3
"""The cards of a side that the tables of states have room for."""


class Authorisations(Protocol):
    """What the replay asks of the house's register: judging rule 4 fills in what a round does not record."""

    def authorised_values(self, casino: str | None, table: str, game: Game, option: str, day: dt.date) -> set[str]:
        """The values of an option that are authorised at the table on the legal day."""


@dataclass
class ReplayedRounds:
    """What the replay says of each round (arrays as long as the rounds).

    `rules` is an index into `rulesets` (NO_RULES before coverage); `method` and `scheme` are the ones applied.
    `has_cards` says that the log gives cards, `complete` that each side has two or three. `departure`, `side` and
    `article` (an index into `articles`) are the first departure; `undecided` marks rounds whose departure depends on
    an unknown method. The rest is the result of the cards as they lie.
    """

    rulesets: list[GameRules]
    articles: list[str]
    rules: Array
    method: Array
    scheme: Array
    has_cards: Array
    complete: Array
    departure: Array
    side: Array
    article: Array
    undecided: Array
    outcome: Array
    player_points: Array
    banker_points: Array
    banker_first: Array
    state: Array
    names: dict[str, int] = field(default_factory=dict)

    def rules_of(self, i: int) -> GameRules | None:
        """The rules in force on the day of round `i`, None before coverage."""
        return self.rulesets[self.rules[i]] if self.rules[i] != NO_RULES else None

    def methods(self, i: int) -> tuple[DrawMethod | None, ...]:
        """The methods under which round `i` is judged: one, or both where it is unknown."""
        rules = self.rules_of(i)
        if rules is None or not game_of(rules.game).methods:
            return (None,)
        return methods_of(rules.game) if self.method[i] == BOTH_METHODS else (METHODS[self.method[i]],)


def judge(
    rounds: Rounds, rulebook: Rulebook, register: Authorisations | None, rulesets: list[GameRules] | None = None
) -> ReplayedRounds:
    """Replay every round under the law of its day.

    `rulesets` are the versions met so far, where several parts of a log are judged one after another; new ones are
    added to it.
    """
    rulesets = [] if rulesets is None else rulesets
    rules = _rules(rounds, rulebook, rulesets)
    hands = rounds.names.hands
    player, banker = rounds.player_hand, rounds.banker_hand
    n_player, n_banker = hands.counts.take(player), hands.counts.take(banker)
    has_cards = (player >= 0) | (banker >= 0)
    most = _most_cards(rulesets).take(rules)
    complete = (n_player >= TWO_CARDS) & (n_player <= most) & (n_banker >= TWO_CARDS) & (n_banker <= most)
    state = state_of(
        hands.two_card_points.take(player),
        hands.two_card_points.take(banker),
        hands.thirds.take(player),
        hands.thirds.take(banker),
    )
    state[~complete] = 0
    zeros = np.zeros(len(rounds), np.int8)
    found = ReplayedRounds(
        rulesets=rulesets,
        articles=[""],
        rules=rules,
        method=_methods(rounds, rules, register),
        scheme=_schemes(rounds, rules, rulesets, register),
        has_cards=has_cards,
        complete=complete,
        departure=zeros.copy(),
        side=zeros.copy(),
        article=zeros.astype(np.int16),
        undecided=zeros.astype(np.bool_),
        outcome=zeros.copy(),
        player_points=zeros.copy(),
        banker_points=zeros.copy(),
        banker_first=zeros.astype(np.bool_),
        state=state,
    )
    for number, ruleset in enumerate(rulesets):
        for method in (*range(len(METHODS)), BOTH_METHODS) if game_of(ruleset.game).methods else (0,):
            mask = complete & (rules == number) & (found.method == method)
            if mask.any():
                _look_up(found, ruleset, method, mask)
    return found


def _most_cards(rulesets: list[GameRules]) -> npt.NDArray[np.int8]:
    """The greatest number of cards of a side by version; last, for rounds before coverage, what a replay can read."""
    return np.array([*(rules.terms(DrawRules).most_cards for rules in rulesets), READABLE_CARDS], np.int8)


def _rules(rounds: Rounds, rulebook: Rulebook, rulesets: list[GameRules]) -> npt.NDArray[np.int16]:
    """The version in force on the legal day of each round (contract, judging rule 3)."""
    out = np.full(len(rounds), NO_RULES, np.int16)
    for code, game in enumerate(GAMES):
        mine = rounds.game == code
        if not mine.any():
            continue
        starts = [version.in_force_from for version in rulebook.rules(game)]
        place = np.searchsorted(np.array([day_number(d) for d in starts]), rounds.legal_day, side="right") - 1
        for number in np.flatnonzero(np.bincount(place[mine] + 1)) - 1:
            if number >= 0:
                out[mine & (place == number)] = _place(rulesets, rulebook.on(game, starts[number]))
    return out


def _place(rulesets: list[GameRules], rules: GameRules) -> int:
    """Where a version stands among those met, added where it is new."""
    for number, known in enumerate(rulesets):
        if known is rules:
            return number
    rulesets.append(rules)
    return len(rulesets) - 1


def with_methods(rounds: Rounds) -> npt.NDArray[np.bool_]:
    """Which rounds are of a game that leaves a choice between methods of drawing."""
    choice = [bool(game_of(game).methods) for game in GAMES]
    return np.array(choice, np.bool_).take(rounds.game)


def _methods(rounds: Rounds, rules: Array, register: Authorisations | None) -> npt.NDArray[np.int8]:
    """The method recorded, else the one that the register authorises alone, else both (judging rule 4)."""
    method = np.where(with_methods(rounds), rounds.method, 0).astype(np.int8)
    _from_register(rounds, method, (method == UNRECORDED) & (rules != NO_RULES), "draw_method", METHODS, register)
    method[method == UNRECORDED] = BOTH_METHODS
    return method


def _schemes(
    rounds: Rounds, rules: Array, rulesets: list[GameRules], register: Authorisations | None
) -> npt.NDArray[np.int8]:
    """The scheme recorded, else the one that the register authorises alone, else standard (judging rule 4).

    The scheme without commission is never assumed where no register could allow it.
    """
    scheme = rounds.scheme.copy()
    unknown = scheme == UNRECORDED
    for number, ruleset in enumerate(rulesets):
        if ruleset.has("commission.none"):
            _from_register(rounds, scheme, unknown & (rules == number), "commission", SCHEMES, register)
    scheme[scheme == UNRECORDED] = SCHEMES.index(Scheme.STANDARD)
    return scheme


def _from_register(
    rounds: Rounds,
    values: npt.NDArray[np.int8],
    mask: npt.NDArray[np.bool_],
    option: str,
    words: tuple[Scheme, ...] | tuple[DrawMethod, ...],
    register: Authorisations | None,
) -> None:
    """Fill `values` where `mask` holds and the register authorises one single value for table and day."""
    if register is None or not mask.any():
        return
    known = [word.value for word in words]
    where = np.flatnonzero(mask)
    key = np.stack([rounds.table[where], rounds.game[where], rounds.legal_day[where]], axis=1)
    distinct, back = np.unique(key, axis=0, return_inverse=True)
    back = back.reshape(-1)
    answer = np.full(len(distinct), UNRECORDED, np.int8)
    for place, (table, game, legal_day) in enumerate(distinct.tolist()):
        casino, table_id = rounds.names.place(table)
        found = register.authorised_values(casino, table_id, GAMES[game], option, day(legal_day)) & set(known)
        if len(found) == 1:
            answer[place] = known.index(found.pop())
    values[where] = answer[back]


def _look_up(found: ReplayedRounds, ruleset: GameRules, method: int, mask: Array) -> None:
    names = methods_of(ruleset.game)
    tables = [draw_table(ruleset, name) for name in (names if method == BOTH_METHODS else names[method : method + 1])]
    # One version mostly judges all rounds of a part, and a slice of everything costs nothing to fill.
    rows = slice(None) if mask.all() else np.flatnonzero(mask)
    states = found.state[rows]
    first = tables[0]
    departure, side = first.departure.take(states), first.side.take(states)
    undecided = np.zeros(len(states), np.bool_)
    for other in tables[1:]:
        another = other.departure.take(states)
        undecided |= (another != departure) | ((departure != 0) & (other.side.take(states) != side))
    departure[undecided] = 0
    found.departure[rows] = departure
    found.side[rows] = side
    found.article[rows] = _article_codes(found, first).take(first.article.take(states))
    found.undecided[rows] = undecided
    found.outcome[rows] = first.outcome.take(states)
    found.player_points[rows] = first.player_points.take(states)
    found.banker_points[rows] = first.banker_points.take(states)
    found.banker_first[rows] = first.banker_first.take(states)


def _article_codes(found: ReplayedRounds, table: DrawTable) -> npt.NDArray[np.int16]:
    codes = []
    for article in table.articles:
        if article not in found.names:
            found.names[article] = len(found.articles)
            found.articles.append(article)
        codes.append(found.names[article])
    return np.array(codes, np.int16)


def other_scheme_possible(rules: GameRules, scheme: int) -> bool:
    """Say whether the scheme that is not `scheme` could be allowed under `rules` (judging rules 4 and 11)."""
    if scheme == OTHER_SCHEME:
        return False
    return SCHEMES[1 - scheme] is Scheme.STANDARD or rules.has("commission.none")


def first_day(rulebook: Rulebook, game: Game) -> dt.date:
    """The first day whose text is known."""
    return rulebook.rules(game)[0].in_force_from
