"""OPT-004: a table whose payments show a scheme other than the one recorded (contract, judging rule 4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

from audit.base.columns import Array
from audit.checks.case import Case, Mask
from audit.checks.wager_columns import WagerBatch
from audit.replay.codes import SCHEMES

LEAST: Final = 3
SHARE: Final = (9, 10)
"""At least three wagers, and at least nine in ten of those that tell the schemes apart."""


class SchemeGroups:
    """Counts, for each (house and table, game, legal day, applied scheme), how its telling wagers were paid.

    Every round of the input has a vote, so that a wager has one answer whatever the days asked for; `near` marks the
    rounds outside those days whose group has rounds in them.
    """

    def __init__(self, case: Case) -> None:
        rounds, found = case.rounds, case.found
        self._case = case
        key = (rounds.table.astype(np.int64) * 2 + rounds.game) << 32
        key |= (rounds.legal_day.astype(np.int64) << 4) | found.scheme
        heads = np.ones(len(key), np.bool_)
        heads[1:] = key[1:] != key[:-1]
        first = np.flatnonzero(heads)
        distinct, back = np.unique(key[first], return_inverse=True)
        self._of_round = np.repeat(back, np.diff(np.concatenate([first, [len(key)]]))) if len(key) else back
        self._telling = np.zeros(len(distinct), np.int64)
        self._swapped = np.zeros(len(distinct), np.int64)
        self._asked = np.zeros(len(distinct), np.bool_)
        inside = np.zeros(len(distinct), np.bool_)
        inside[self._of_round[case.scope]] = True
        self.near: Mask = ~case.scope & inside[self._of_round]
        self._held: list[tuple[WagerBatch, Array]] = []
        self._pushed: list[WagerBatch] = []

    def count(self, telling: npt.NDArray[np.int64], swapped: npt.NDArray[np.int64]) -> None:
        """Count wagers by the position of their round: those that tell, and those paid by the other scheme."""
        size = len(self._telling)
        self._asked[self._of_round[telling[self._case.scope[telling]]]] = True
        self._telling += np.bincount(self._of_round.take(telling), minlength=size)
        self._swapped += np.bincount(self._of_round.take(swapped), minlength=size)

    def hold(self, batch: WagerBatch, due: Array) -> None:
        """Keep wagers that were paid by the other scheme, and what each was due, until all are counted."""
        self._held.append((batch, due))

    def hold_pushed(self, batch: WagerBatch) -> None:
        """Keep wagers whose push the other scheme leaves open, until it is known whether their table followed it."""
        self._pushed.append(batch)

    def finish(self) -> Iterator[tuple[WagerBatch, int, bool]]:
        """Add one OPT-004 for each group that shows the other scheme; yield the wagers that none explains.

        True with those that the other scheme, which the group shows, leaves open. The finding is of the whole group; it
        stands where a wager that tells the schemes apart is of the days asked for. Of other days nothing is yielded.
        """
        scope = self._case.scope
        shown = (self._swapped >= LEAST) & (self._swapped * SHARE[1] >= self._telling * SHARE[0])
        explained: dict[int, list[tuple[WagerBatch, npt.NDArray[np.int64], Array]]] = {}
        for batch, due in self._held:
            group = self._of_round[batch.at]
            for place in np.flatnonzero(~shown[group] & scope[batch.at]):
                yield batch, int(place), False
            for number in np.unique(group[(shown & self._asked)[group]]).tolist():
                places = np.flatnonzero(group == number)
                explained.setdefault(number, []).append((batch, places, due[places]))
        for batch in self._pushed:
            open_ = shown[self._of_round[batch.at]]
            for place in np.flatnonzero(scope[batch.at]):
                yield batch, int(place), bool(open_[place])
        for _, parts in sorted(explained.items(), key=lambda item: item[0]):
            self._accuse(parts)

    def _accuse(self, parts: list[tuple[WagerBatch, npt.NDArray[np.int64], Array]]) -> None:
        case = self._case
        at = np.unique(np.concatenate([batch.at[places] for batch, places, _ in parts]))
        ids = [case.rounds.ids[int(i)].as_py() for i in at]
        order = at[np.lexsort((ids, case.rounds.round_no[at], case.rounds.start[at]))]
        first, last = int(order[0]), int(order[-1])
        applied = SCHEMES[case.found.scheme[first]]
        other = SCHEMES[1 - case.found.scheme[first]]
        currencies = {batch.currency_of(int(p)) for batch, places, _ in parts for p in places}
        amount = sum(int((batch.payout[places] - due).sum()) for batch, places, due in parts)
        one_currency = len(currencies) == 1
        subject = case.rounds.subject(first)
        rules = case.found.rules_of(first)
        key = f"commission.{applied.value}"
        case.sink.add(
            "OPT-004",
            subject
            | case.cite(first, key if rules is not None and rules.has(key) else "commission.standard")
            | {
                "shoe_id": None,
                "round_id": None,
                "option": "commission",
                "value": applied.value,
                "expected": applied.value,
                "observed": other.value,
                "amount": amount if one_currency else None,
                "currency": currencies.pop() if one_currency else None,
                "rounds_affected": len(at),
                "first_round_id": subject["round_id"],
                "last_round_id": case.rounds.ids[last].as_py(),
                "count": sum(len(places) for _, places, _ in parts),
                "scheme": applied.value,
            },
        )
