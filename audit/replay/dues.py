"""Wagers settled in bulk: what each is due, by look-up in a table that the scalar settlement fills on demand.

A due depends on (version, method, scheme) of the round, on the bet, and on the facts of the hand: 6,400 classes. The
first wager that meets a combination asks :func:`audit.games.settlement.due`; all others look the answer up.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from audit.base.columns import Array
from audit.base.model import CENT, DrawMethod, Scheme, Status
from audit.games import game_of
from audit.games.due import Due, WagerEnd
from audit.games.hand_facts import HandFacts
from audit.games.paytable import Paytable, judged_paytables
from audit.games.settlement import PAIR_BETS, SIDE_BETS, amounts, due
from audit.replay.codes import METHODS, OTHER_SCHEME, SCHEMES, STATUSES
from audit.replay.hands import PAIR_NONE, PAIR_PERFECT, PAIR_SUITLESS
from audit.replay.judging import BOTH_METHODS, NO_RULES, ReplayedRounds
from audit.replay.rounds import Rounds
from audit.rulebook import Rulebook
from audit.rulebook.rules import GameRules, Provision
from audit.rulebook.terms import Bets, NoCommission

LARGEST: Final = 10**13
"""Stakes above this (in ten-thousandths), under high odds less, are settled one by one: 64 bits may not do."""

_HIGHEST: Final = np.iinfo(np.int64).max

_ROOM: Final = 2**62
"""Products up to here leave room for the rounding unit in 64 bits."""

CLASSES: Final = 10 * 10 * 2 * 2 * 4 * 4
OTHER_BET: Final = "another bet"
"""Stands for every bet whose odds nobody knows."""


def known_bets(rulebook: Rulebook) -> tuple[str, ...]:
    """Every bet that a version of a regulation names, those of unread acts included; those on the sides come first."""
    lists = [rules.terms(Bets) for game in rulebook.games for rules in rulebook.rules(game) if rules.has(Bets.key)]
    named = [bet for each in lists for bet in (*each.gazetted, *each.unread)]
    return tuple(dict.fromkeys([*SIDE_BETS, "tie", *PAIR_BETS, *named, OTHER_BET]))


FATES: Final = ("settle", "void", "demonstration", "before_coverage", "cards_missing", "card_count")
SETTLE, VOID, DEMONSTRATION, BEFORE_COVERAGE, CARDS_MISSING, CARD_COUNT = range(6)
"""What decides about the wagers of a round."""


def fact_class(rounds: Rounds, found: ReplayedRounds) -> npt.NDArray[np.int16]:
    """The class of facts of each complete round (meaningless where the round is not complete)."""
    hands = rounds.names.hands
    value = found.player_points.astype(np.int16) * 10 + found.banker_points
    value = value * 2 + (hands.counts.take(rounds.player_hand) == 3)
    value = value * 2 + (hands.counts.take(rounds.banker_hand) == 3)
    value = value * 4 + hands.pairs.take(rounds.player_hand)
    return np.asarray(value * 4 + hands.pairs.take(rounds.banker_hand), np.int16)


def facts_of(number: int) -> HandFacts:
    """The facts behind a class.

    >>> facts_of(0)
    HandFacts(player_points=0, banker_points=0, player_cards=2, banker_cards=2, player_pair=False, banker_pair=False, \
player_perfect=False, banker_perfect=False)
    """
    rest, banker_pair = divmod(number, 4)
    rest, player_pair = divmod(rest, 4)
    rest, banker_third = divmod(rest, 2)
    rest, player_third = divmod(rest, 2)
    player, banker = divmod(rest, 10)
    perfect = {PAIR_PERFECT: True, PAIR_SUITLESS: None}
    return HandFacts(
        player,
        banker,
        2 + player_third,
        2 + banker_third,
        player_pair != PAIR_NONE,
        banker_pair != PAIR_NONE,
        perfect.get(player_pair, False),
        perfect.get(banker_pair, False),
    )


def fates(rounds: Rounds, found: ReplayedRounds) -> npt.NDArray[np.int8]:
    """What decides about the wagers of each round (contract, judging rules 2, 3 and 7)."""
    fate = np.where(found.complete, SETTLE, np.where(found.has_cards, CARD_COUNT, CARDS_MISSING)).astype(np.int8)
    fate[rounds.status == STATUSES.index(Status.VOID)] = VOID
    fate[rounds.status == STATUSES.index(Status.DEMONSTRATION)] = DEMONSTRATION
    fate[found.rules == NO_RULES] = BEFORE_COVERAGE
    return fate


@dataclass
class DueTable:
    """Dues by (group of rounds, bet, class of facts), filled as wagers ask for them.

    A group is (version, method, scheme). `unit` is the house's rounding unit in ten-thousandths. One thread may ask for
    the groups of a part while another looks up the dues of an earlier one.
    """

    rulebook: Rulebook
    rulesets: list[GameRules]
    paytables: Mapping[str, Paytable]
    unit: int = CENT
    bets: list[str] = field(init=False)
    dues: list[Due] = field(default_factory=list)
    _codes: dict[Due, int] = field(default_factory=dict)
    _groups: dict[tuple[int, int, int], int] = field(default_factory=dict)
    _table: npt.NDArray[np.int16] = field(init=False)
    _columns: dict[str, Array] = field(default_factory=dict)
    _grows: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.bets = list(dict.fromkeys([*known_bets(self.rulebook), *self.paytables]))
        self._table = np.full((0, len(self.bets), CLASSES), -1, np.int16)

    def bet_code(self, bet: str) -> int:
        """The place of a bet in the table; all bets whose odds nobody knows share one."""
        return self.bets.index(bet if bet in self.bets else OTHER_BET)

    def groups(self, found: ReplayedRounds, method: Array | None = None, scheme: Array | None = None) -> Array:
        """The group of each round, under the methods and schemes applied or those given instead."""
        methods = found.method if method is None else method
        schemes = found.scheme if scheme is None else scheme
        key = (found.rules.astype(np.int64) + 1) * 64 + methods.astype(np.int64) * 8 + schemes
        out = np.zeros(len(key), np.int64)
        for value in np.flatnonzero(np.bincount(key)) if len(key) else ():
            triple = (int(value) // 64 - 1, int(value) // 8 % 8, int(value) % 8)
            out[key == value] = self._group(triple)
        return out

    def _group(self, triple: tuple[int, int, int]) -> int:
        with self._grows:
            if triple not in self._groups:
                self._groups[triple] = len(self._groups)
                more = np.full((1, len(self.bets), CLASSES), -1, np.int16)
                self._table = np.concatenate([self._table, more])
            return self._groups[triple]

    def hand_places(self, group: Array, facts: Array) -> npt.NDArray[np.int32]:
        """Where the dues of each round begin in the table: to be handed to :meth:`look_up` for its wagers."""
        return np.asarray(group * (len(self.bets) * CLASSES) + facts, np.int32)

    def look_up(self, hand_place: Array, bet: Array) -> npt.NDArray[np.int16]:
        """The due (its number in `dues`) of each wager, by the place of its hand and its bet."""
        place = bet * CLASSES + hand_place
        answer = self._table.reshape(-1).take(place)
        open_rows = answer < 0
        if open_rows.any():
            with self._grows:
                flat = self._table.reshape(-1)
                for number in np.unique(place[open_rows]).tolist():
                    rest, result_class = divmod(number, CLASSES)
                    group_number, bet_number = divmod(rest, len(self.bets))
                    flat[number] = self._ask(group_number, bet_number, result_class)
                answer = flat.take(place)
        return np.asarray(answer, np.int16)

    def _ask(self, group: int, bet: int, result_class: int) -> int:
        answer = self.due(list(self._groups)[group], self.bets[bet], facts_of(result_class))
        if answer not in self._codes:
            self._codes[answer] = len(self.dues)
            self.dues.append(answer)
            self._columns.clear()
        return self._codes[answer]

    def due(self, group: tuple[int, int, int], bet: str, facts: HandFacts) -> Due:
        """What the scalar settlement says for one group, bet and hand."""
        ruleset, method, scheme = group
        rules = self.rulesets[ruleset]
        return due(
            bet,
            facts,
            rules,
            scheme=None if scheme == OTHER_SCHEME else SCHEMES[scheme],
            method=self._method(rules, method),
            without_commission=self.without_commission(rules),
            paytables=judged_paytables(rules, self.paytables),
        )

    @staticmethod
    def _method(rules: GameRules, method: int) -> DrawMethod | None:
        if not game_of(rules.game).methods:
            return None
        return METHODS[0 if method == BOTH_METHODS else method]

    def without_commission(self, rules: GameRules) -> Provision | None:
        """The first wording of the scheme without commission that the game ever had (rule 11: judged as recorded)."""
        return self.rulebook.first_wording(rules.game, NoCommission.key)

    def column(self, name: str) -> Array:
        """One property of every due, by its number: kind, odds, commission, half, push, reason."""
        if not self._columns:
            dues = self.dues
            kinds = list(WagerEnd)
            self._columns = {
                "kind": np.array([kinds.index(d.kind) for d in dues], np.int8),
                "odds_num": np.array([d.odds.numerator for d in dues], np.int64),
                "odds_den": np.array([d.odds.denominator for d in dues], np.int64),
                "rate_num": np.array([d.commission.numerator for d in dues], np.int64),
                "rate_den": np.array([d.commission.denominator for d in dues], np.int64),
                "half": np.array([d.half for d in dues], np.int64),
                "unread_push": np.array([d.unread_push for d in dues], np.int64),
                "largest": np.array([_largest(d) for d in dues], np.int64),
                "times": np.array([_times(d) for d in dues], np.int64),
            }
        return self._columns[name]

    def payout(self, number: Array, stake: Array, unit: int | None = None) -> tuple[Array, Array]:
        """Payout and commission due of winning wagers, in ten-thousandths: the bulk form of `settlement.amounts`.

        Rounded to `unit`, that of the house where none is given.
        """
        unit = self.unit if unit is None else unit
        times = self.column("times").take(number)
        payout, commission = stake * times, np.zeros(len(stake), np.int64)
        rest = np.flatnonzero(times == 0)
        if len(rest):
            payout[rest], commission[rest] = self._in_full(number.take(rest), stake.take(rest), unit)
        for place in np.flatnonzero(stake > self.column("largest").take(number)):
            exact = amounts(self.dues[number[place]], int(stake[place]), unit)
            # A sum that 64 bits cannot hold equals no recorded one, and neither does the largest that they can.
            payout[place], commission[place] = min(exact.payout, _HIGHEST), min(*exact.commission, _HIGHEST)
        return payout, commission

    def _in_full(self, number: Array, stake: Array, unit: int) -> tuple[Array, Array]:
        """As :meth:`payout`, for odds with a fraction, a commission or half a payment; right up to `largest`."""
        num, den = self.column("odds_num").take(number), self.column("odds_den").take(number)
        rate_num, rate_den = self.column("rate_num").take(number), self.column("rate_den").take(number)
        half = self.column("half").take(number) == 1
        gross = (2 * stake * num + den) // (2 * den)
        whole = den * rate_den * unit
        commission = -((whole - 2 * stake * num * rate_num) // (2 * whole)) * unit
        payout = np.where(half, (2 * stake * num + den * unit) // (2 * den * unit) * unit, gross - commission)
        return payout, np.where(half, 0, commission)


def _times(due: Due) -> int:
    """How many times the stake is due, where it is as simple as that; else 0."""
    simple = due.odds.denominator == 1 and not due.commission and not due.half
    return due.odds.numerator if simple else 0


def _largest(due: Due) -> int:
    """The greatest stake whose products with the odds and the rate of commission fit 64 bits."""
    return min(LARGEST, _ROOM // (2 * max(due.odds.numerator, 1) * max(due.commission.numerator, 1)))


WIN, LOSE, PUSH, UNKNOWN = (
    list(WagerEnd).index(kind) for kind in (WagerEnd.WIN, WagerEnd.LOSE, WagerEnd.PUSH, WagerEnd.UNKNOWN)
)
STANDARD: Final = SCHEMES.index(Scheme.STANDARD)
