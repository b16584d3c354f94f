"""A batch of wagers as columns of numbers, each with the position of its round."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from audit.checks.wager_faults import Paid
from audit.replay.rounds import Array, Batch, Words, instant, instants
from audit.replay.wagers import DueTable

UNKNOWN_SUM: Final = np.iinfo(np.int64).min
"""Stands for a sum that the log does not record."""


@dataclass
class WagerWords:
    """The texts behind the codes of wagers."""

    bet: Words = field(default_factory=Words)
    tie: Words = field(default_factory=Words)
    currency: Words = field(default_factory=Words)


@dataclass(frozen=True)
class WagerBatch:
    """Wagers of one file; `at` is the place of the round (-1: not in the input), `bet` that in the due table."""

    words: WagerWords
    file: str
    ids: pa.Array
    round_ids: pa.Array
    at: npt.NDArray[np.int64]
    source_row: Array
    bet: Array
    bet_word: Array
    stake: Array
    payout: Array
    commission: Array
    returned: Array
    tie: Array
    currency: Array
    placed: Array

    @classmethod
    def read(cls, batch: Batch, words: WagerWords, dues: DueTable, at: npt.NDArray[np.int64]) -> WagerBatch:
        """Turn typed rows into columns."""
        rows = batch.rows
        bet_word = words.bet.encode(rows["bet"])
        places = np.array([dues.bet_code(bet) for bet in words.bet.texts] or [0], np.int64)
        return cls(
            words,
            batch.file,
            rows["wager_id"],
            rows["round_id"],
            at,
            batch.source_row,
            places[bet_word],
            bet_word,
            _sums(rows["stake"]),
            _sums(rows["payout"]),
            _sums(rows["commission"]),
            _sums(rows["stake_returned"]),
            words.tie.encode(rows["tie_choice"]),
            words.currency.encode(rows["currency"]),
            instants(rows["placed_at"]),
        )

    def __len__(self) -> int:
        return len(self.at)

    def take(self, places: npt.NDArray[np.int64]) -> WagerBatch:
        """The wagers at `places`."""
        where = pa.array(places)
        arrays = {name: getattr(self, name)[places] for name in _ARRAYS}
        return replace(self, ids=self.ids.take(where), round_ids=self.round_ids.take(where), **arrays)

    def paid(self, place: int) -> Paid:
        """One wager as the scalar judge takes it."""
        return Paid(
            self.words.bet.texts[self.bet_word[place]],
            int(self.stake[place]),
            int(self.payout[place]),
            _known(self.commission[place]),
            _known(self.returned[place]),
            self.words.tie[int(self.tie[place])],
        )

    def word(self, place: int) -> str:
        """The bet's code as the log has it."""
        return str(self.words.bet.texts[self.bet_word[place]])

    def currency_of(self, place: int) -> str | None:
        """The wager's currency."""
        word: str | None = self.words.currency[int(self.currency[place])]
        return word

    def subject(self, place: int) -> dict[str, Any]:
        """The columns that name one wager in a finding."""
        return {
            "wager_id": self.ids[place].as_py(),
            "currency": self.currency_of(place),
            "source_file": self.file,
            "source_row": int(self.source_row[place]),
            "bet": self.word(place),
            "stake": int(self.stake[place]),
        }

    def placed_at(self, place: int) -> Any:
        """When the wager was placed, if the log says so."""
        value = int(self.placed[place])
        return None if value == UNKNOWN_SUM else instant(value)


_ARRAYS: Final = (
    "at",
    "source_row",
    "bet",
    "bet_word",
    "stake",
    "payout",
    "commission",
    "returned",
    "tie",
    "currency",
    "placed",
)


def _known(value: Any) -> int | None:
    return None if value == UNKNOWN_SUM else int(value)


def _sums(column: pa.Array) -> Array:
    return np.asarray(column.fill_null(int(UNKNOWN_SUM)).to_numpy(zero_copy_only=False), np.int64)
