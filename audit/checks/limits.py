"""LIM-001: stakes against the table's limits, which the house sets and the configuration tells (arts 13 and 14)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from audit.base.model import money_text
from audit.checks.case import Case
from audit.checks.wager_columns import WagerBatch
from audit.config.settings import Limit


class StakeLimits:
    """Compares every stake with the limits of its table and bet; `finish` judges the difference between the sides."""

    def __init__(self, case: Case, limits: Sequence[Limit]) -> None:
        self._case = case
        self._limits = [(limit, self._tables(limit)) for limit in limits]
        self._balance = {
            number: np.zeros(len(case.rounds), np.int64)
            for number, limit in enumerate(limits)
            if limit.differential is not None
        }

    def _tables(self, limit: Limit) -> npt.NDArray[np.bool_]:
        """Which tables a limit is for, by table code."""
        places = self._case.rounds.names.places
        named = [
            limit.casino in {None, casino} and (limit.tables == ("*",) or table in limit.tables)
            for casino, table in places
        ]
        return np.array(named or [False], np.bool_)

    def add(self, batch: WagerBatch) -> None:
        """Judge one batch of wagers whose rounds are in scope."""
        if not self._limits:
            self._case.tally.add("LIM-001", "no_limits", len(batch))
            return
        table = self._case.rounds.table.take(batch.at)
        judged = np.zeros(len(batch), np.bool_)
        for number, (limit, tables) in enumerate(self._limits):
            here = tables.take(table) & self._same(batch, limit) & self._case.covered.take(batch.at)
            if limit.min is not None or limit.max is not None:
                low = np.int64(limit.min or 0)
                high = np.int64(np.iinfo(np.int64).max if limit.max is None else limit.max)
                for place in np.flatnonzero(here & ~judged & ((batch.stake < low) | (batch.stake > high))):
                    self._accuse(batch, int(place), limit)
                judged |= here
            if number in self._balance:
                self._weigh(number, batch, here)
        self._case.tally.add("LIM-001", "no_limits", int(np.count_nonzero(~judged)))

    @staticmethod
    def _same(batch: WagerBatch, limit: Limit) -> npt.NDArray[np.bool_]:
        mask = np.ones(len(batch), np.bool_)
        if limit.bet != "*":
            mask &= np.array([word == limit.bet for word in batch.words.bet.texts] or [False])[batch.bet_word]
        if limit.currency is not None:
            codes = batch.currency
            known = np.array([*(word == limit.currency for word in batch.words.currency.texts), False])
            mask &= known[codes]
        return mask

    def _weigh(self, number: int, batch: WagerBatch, here: npt.NDArray[np.bool_]) -> None:
        for bet, sign in (("player", 1), ("banker", -1)):
            word = np.array([text == bet for text in batch.words.bet.texts] or [False])[batch.bet_word] & here
            np.add.at(self._balance[number], batch.at[word], sign * batch.stake[word])

    def _accuse(self, batch: WagerBatch, place: int, limit: Limit) -> None:
        self._add(int(batch.at[place]), _range(limit), money_text(int(batch.stake[place])), batch.subject(place))

    def _add(self, at: int, expected: str, observed: str, more: dict[str, Any]) -> None:
        rules = self._case.found.rules_of(at)
        cite = self._case.cite(at, "unequal_stakes") if rules is not None and rules.has("unequal_stakes") else {}
        self._case.note("LIM-001", at, **{**cite, **more, "expected": expected, "observed": observed})

    def finish(self) -> None:
        """Judge the difference between all player and all banker stakes of each round."""
        for number, balance in self._balance.items():
            limit = self._limits[number][0]
            most = limit.differential or 0
            for at in np.flatnonzero(np.abs(balance) > most):
                difference = money_text(abs(int(balance[at])))
                self._add(int(at), f"<= {money_text(most)}", difference, {"variant": "difference"})


def _range(limit: Limit) -> str:
    low = money_text(limit.min) if limit.min is not None else "0.00"
    return f"{low}..{money_text(limit.max) if limit.max is not None else ''}"
