"""A batch of wagers as columns of numbers, each with the position of its round."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from audit.base.columns import Array, Words, numbers
from audit.base.days import instant
from audit.base.typed_rows import TypedRows
from audit.checks.wager_faults import Paid
from audit.replay.dues import DueTable

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
    """Wagers as read; `at` is the place of the round (-1: not in the input), `bet` that in the due table.

    `files` are the files that they are of, by the code in the column `origin` (None: all of the first). What is
    compared for every wager is at hand as arrays; the rest (`whole`: columns by name) is looked up by `place`, the
    wager's row in it (None: the rows as they are), when a wager is picked out.
    """

    words: WagerWords
    files: tuple[str, ...]
    whole: Mapping[str, Any]
    place: npt.NDArray[np.int64] | None
    at: npt.NDArray[np.int64]
    bet: Array
    stake: Array
    payout: Array
    commission: Array
    returned: Array

    @classmethod
    def read(cls, batch: TypedRows, words: WagerWords, dues: DueTable, at: npt.NDArray[np.int64]) -> WagerBatch:
        """Turn typed rows into columns."""
        rows = batch.rows
        bet_word = words.bet.encode(rows["bet"])
        places = np.array([dues.bet_code(bet) for bet in words.bet.texts] or [0], np.int32)
        whole = {
            "wager_id": rows["wager_id"],
            "round_id": rows["round_id"],
            "source_row": batch.source_row,
            "origin": batch.origin,
            "bet_word": bet_word,
            "tie_choice": rows["tie_choice"],
            "currency": rows["currency"],
            "placed_at": rows["placed_at"],
        }
        sums = [_sums(rows[name]) for name in ("stake", "payout", "commission", "stake_returned")]
        return cls(words, batch.files or (batch.file,), whole, None, at, places.take(bet_word), *sums)

    def __len__(self) -> int:
        return len(self.at)

    def take(self, places: npt.NDArray[np.int64]) -> WagerBatch:
        """The wagers at `places`."""
        arrays = {name: getattr(self, name).take(places) for name in _ARRAYS}
        return replace(self, place=places if self.place is None else self.place.take(places), **arrays)

    def _column(self, name: str) -> Array:
        column: Array = self.whole[name]
        return column if self.place is None else column.take(self.place)

    @property
    def bet_word(self) -> Array:
        """The code of each bet's word, as the log has it."""
        return self._column("bet_word")

    @property
    def tie(self) -> Array | None:
        """The code of what became of each wager on a tie; None where the log says it of none."""
        column = self.whole["tie_choice"]
        if column.null_count == len(column):
            return None
        codes = self.words.tie.encode(column)
        return codes if self.place is None else codes[self.place]

    @property
    def currency(self) -> Array:
        """The code of each currency."""
        codes = self.words.currency.encode(self.whole["currency"])
        return codes if self.place is None else codes[self.place]

    def _cell(self, name: str, place: int) -> Any:
        return self.whole[name][place if self.place is None else int(self.place[place])]

    def _file(self, place: int) -> str:
        return self.files[0 if self.whole["origin"] is None else int(self._cell("origin", place))]

    def wager_id(self, place: int) -> str:
        """The id of one wager."""
        return str(self._cell("wager_id", place).as_py())

    def paid(self, place: int) -> Paid:
        """One wager as the scalar judge takes it."""
        return Paid(
            self.word(place),
            int(self.stake[place]),
            int(self.payout[place]),
            _known(self.commission[place]),
            _known(self.returned[place]),
            self._cell("tie_choice", place).as_py(),
        )

    def word(self, place: int) -> str:
        """The bet's code as the log has it."""
        return str(self.words.bet.texts[self._cell("bet_word", place)])

    def currency_of(self, place: int) -> str | None:
        """The wager's currency."""
        word: str | None = self._cell("currency", place).as_py()
        return word

    def subject(self, place: int) -> dict[str, Any]:
        """The columns that name one wager in a finding."""
        return {
            "wager_id": self.wager_id(place),
            "currency": self.currency_of(place),
            "source_file": self._file(place),
            "source_row": int(self._cell("source_row", place)),
            "bet": self.word(place),
            "stake": int(self.stake[place]),
        }

    def placed_at(self, place: int) -> Any:
        """When the wager was placed, if the log says so."""
        cell = self._cell("placed_at", place)
        return instant(cell.value) if cell.is_valid else None


_ARRAYS: Final = ("at", "bet", "stake", "payout", "commission", "returned")


def _known(value: Any) -> int | None:
    return None if value == UNKNOWN_SUM else int(value)


def _sums(column: pa.Array) -> Array:
    return np.asarray(numbers(column, missing=int(UNKNOWN_SUM)), np.int64)
