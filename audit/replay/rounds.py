"""Rounds as columns of numbers, in the order read: what every check about rounds looks at.

Text that repeats (houses, tables, shoes, hands) is kept once and referred to by code. Codes are -1 where the log says
nothing. Instants are microseconds since 1970 UTC; NEVER stands for a missing one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from audit.base.columns import UNRECORDED, Array, Words
from audit.base.days import DAY, MACAU_OFFSET, day, instant
from audit.base.known_games import GAMES
from audit.replay.hands import HandBook


@dataclass
class Names:
    """The texts behind the codes of a run's rounds, shared by all its parts."""

    casino: Words = field(default_factory=Words)
    table_word: Words = field(default_factory=Words)
    shoe_word: Words = field(default_factory=Words)
    table: Words = field(default_factory=Words)
    shoe: Words = field(default_factory=Words)
    sequence: Words = field(default_factory=Words)
    scheme: Words = field(default_factory=Words)
    files: list[str] = field(default_factory=list)
    hands: HandBook = field(default_factory=HandBook)

    @property
    def places(self) -> list[tuple[str | None, str]]:
        """House and table behind every table's code."""
        return [self.place(code) for code in range(len(self.table.texts))]

    def place(self, table: int) -> tuple[str | None, str]:
        """House and table behind a table's code."""
        casino, word = self.table[table]
        return self.casino[casino], self.table_word[word]

    def table_at(self, casino: str | None, table_id: str | None) -> int:
        """The code of a table, the inverse of :meth:`place`; UNRECORDED where there is none."""
        return self.table.find((self.casino.find(casino), self.table_word.find(table_id)))


COLUMNS: Final = {
    "file": np.int32,
    "source_row": np.int64,
    "table": np.int32,
    "shoe": np.int32,
    "round_no": np.int64,
    "game": np.int8,
    "status": np.int8,
    "has_reason": np.bool_,
    "start": np.int64,
    "end": np.int64,
    "player_hand": np.int32,
    "banker_hand": np.int32,
    "sequence": np.int32,
    "outcome": np.int8,
    "player_points": np.int64,
    "banker_points": np.int64,
    "player_pair": np.int8,
    "banker_pair": np.int8,
    "decks": np.int64,
    "dealing": np.int8,
    "method": np.int8,
    "scheme": np.int8,
    "scheme_word": np.int32,
}


class Rounds:
    """All rounds of one part of the input: `ids` (text) and one array per column of `COLUMNS`."""

    file: Array
    source_row: Array
    table: Array
    shoe: Array
    round_no: Array
    game: Array
    status: Array
    has_reason: Array
    start: Array
    end: Array
    player_hand: Array
    banker_hand: Array
    sequence: Array
    outcome: Array
    player_points: Array
    banker_points: Array
    player_pair: Array
    banker_pair: Array
    decks: Array
    dealing: Array
    method: Array
    scheme: Array
    scheme_word: Array

    def __init__(self, names: Names, ids: pa.ChunkedArray, columns: dict[str, Array]) -> None:
        self.names = names
        self.ids = ids
        for name, kind in COLUMNS.items():
            setattr(self, name, columns[name].astype(kind, copy=False))
        self.legal_day: npt.NDArray[np.int32] = ((self.start + MACAU_OFFSET) // DAY).astype(np.int32)

    def __len__(self) -> int:
        return len(self.start)

    def subject(self, i: int) -> dict[str, Any]:
        """The columns that name round `i` in a finding."""
        casino, table = self.names.place(int(self.table[i]))
        shoe = int(self.shoe[i])
        return {
            "game": GAMES[self.game[i]],
            "casino": casino,
            "table_id": table,
            "shoe_id": None if shoe == UNRECORDED else self.names.shoe_word[self.names.shoe[shoe][1]],
            "round_id": self.ids[i].as_py(),
            "occurred_at": instant(int(self.start[i])),
            "legal_day": day(int(self.legal_day[i])),
            "source_file": self.names.files[self.file[i]],
            "source_row": int(self.source_row[i]),
        }

    def hand_text(self, code: int) -> str:
        """The canonical text of a hand, empty where there is none."""
        return self.names.hands.text(code)
