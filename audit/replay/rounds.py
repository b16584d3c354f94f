"""Rounds as columns of numbers, in the order read: what every check about rounds looks at.

Text that repeats (houses, tables, shoes, hands) is kept once and referred to by code. Codes are -1 where the log says
nothing. Instants are microseconds since 1970 UTC; NEVER stands for a missing one.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from audit.model import MACAU, Dealing, DrawMethod, Game, Outcome, Scheme, Status
from audit.replay.hands import HandBook

NEVER: Final = np.iinfo(np.int64).min
DAY: Final = 86_400_000_000
MACAU_OFFSET: Final = 8 * 3_600_000_000
"""Macau has kept UTC+8 without summer time since 1979, before the first regulation that the auditor knows."""

UNRECORDED: Final = -1
EPOCH: Final = dt.date(1970, 1, 1)

GAMES: Final = tuple(Game)
STATUSES: Final = tuple(Status)
OUTCOME_WORDS: Final = (Outcome.PLAYER, Outcome.BANKER, Outcome.TIE)
DEALINGS: Final = tuple(Dealing)
METHODS: Final = tuple(DrawMethod)
SCHEMES: Final = (Scheme.STANDARD, Scheme.NONE)
OTHER_SCHEME: Final = len(SCHEMES)
"""Code of a commission scheme that the regulations do not know."""

Array = npt.NDArray[Any]


class Batch(Protocol):
    """What ingest hands over: typed rows, each with its file and its number in it."""

    @property
    def rows(self) -> pa.RecordBatch:
        """Typed rows in the table's schema."""

    @property
    def file(self) -> str:
        """The file's name as findings print it; of several files, the first one's."""

    @property
    def files(self) -> tuple[str, ...]:
        """The names of the files, where there are several."""

    @property
    def origin(self) -> npt.NDArray[np.int32] | None:
        """The place of each row's file among `files`, ascending; None where all rows are of `file`."""

    def file_at(self, place: int) -> str:
        """The name of the file of one row."""

    @property
    def source_row(self) -> npt.NDArray[np.int64]:
        """The number of each row in its file, from 1."""


class Words:
    """Text kept once, referred to by code."""

    def __init__(self) -> None:
        self._codes: dict[Any, int] = {}
        self.texts: list[Any] = []

    def code(self, word: Any) -> int:
        """The code of a word, a new one where it is new."""
        code = self._codes.setdefault(word, len(self.texts))
        if code == len(self.texts):
            self.texts.append(word)
        return code

    def find(self, word: Any) -> int:
        """The code of a word, UNRECORDED where it has none."""
        return self._codes.get(word, UNRECORDED)

    def encode(self, column: pa.Array) -> npt.NDArray[np.int32]:
        """Codes of a dictionary-encoded column, UNRECORDED where it is null."""
        if column.null_count == len(column):
            return np.full(len(column), UNRECORDED, np.int32)
        values, known = column.dictionary.to_pylist(), self._codes
        for word in values:
            if word is not None and word not in known:
                self.code(word)
        codes = [UNRECORDED if word is None else known[word] for word in values]
        look_up = np.array([*codes, UNRECORDED], np.int32)
        return np.asarray(look_up.take(numbers(column.indices, missing=len(values))), np.int32)

    def encode_pairs(self, first: Array, second: Array) -> npt.NDArray[np.int32]:
        """Codes of pairs of codes; runs of equal pairs (the usual order of a log) are looked up once."""
        if not len(first):
            return np.zeros(0, np.int32)
        key = (first.astype(np.int64) + 1) << 32 | (second.astype(np.int64) + 1)
        heads = np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1]]))
        distinct, back = np.unique(key[heads], return_inverse=True)
        codes = np.array([self.code(((k >> 32) - 1, (k & 0xFFFFFFFF) - 1)) for k in distinct.tolist()], np.int32)
        return np.repeat(codes[back], np.diff(np.concatenate([heads, [len(key)]])))

    def __getitem__(self, code: int) -> Any:
        return None if code == UNRECORDED else self.texts[code]


def closed_set(column: pa.Array, words: Sequence[str], other: int = UNRECORDED) -> npt.NDArray[np.int8]:
    """Codes of a dictionary-encoded column whose words are a closed set; `other` for a word outside it."""
    values = column.dictionary.to_pylist()
    known = {word: code for code, word in enumerate(words)}
    look_up = np.array([UNRECORDED if v is None else known.get(v, other) for v in values] + [UNRECORDED], np.int8)
    return np.asarray(look_up.take(numbers(column.indices, missing=len(values))), np.int8)


def numbers(column: pa.Array, kind: Any = None, missing: int = UNRECORDED) -> Array:
    """An integer or bool column as an array (of `kind`, if given), `missing` for null; shared where it can be."""
    if column.null_count == len(column):
        return np.full(len(column), missing, kind or np.int64)
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    whole = column.fill_null(missing) if column.null_count else column
    return np.asarray(whole.to_numpy(zero_copy_only=False), kind)


def instants(column: pa.Array) -> npt.NDArray[np.int64]:
    """A timestamp column as microseconds, NEVER for null."""
    return np.asarray(numbers(column.cast(pa.int64()), missing=NEVER), np.int64)


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


_COLUMNS: Final = {
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
    """All rounds of one part of the input: `ids` (text) and one array per column of `_COLUMNS`."""

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
        for name, kind in _COLUMNS.items():
            setattr(self, name, columns[name].astype(kind, copy=False))
        self.legal_day: npt.NDArray[np.int32] = ((self.start + MACAU_OFFSET) // DAY).astype(np.int32)

    def __len__(self) -> int:
        return len(self.start)

    def subject(self, i: int) -> dict[str, Any]:
        """The columns that name round `i` in a finding."""
        casino, table = self.names.place(int(self.table[i]))
        shoe = int(self.shoe[i])
        return {
            "game": GAMES[self.game[i]].value,
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


def instant(microseconds: int) -> dt.datetime:
    """An instant in Macau's time."""
    return (dt.datetime(1970, 1, 1, tzinfo=dt.UTC) + dt.timedelta(microseconds=microseconds)).astimezone(MACAU)


def day(number: int) -> dt.date:
    """The calendar day behind its number since 1970-01-01."""
    return EPOCH + dt.timedelta(days=number)


def day_number(value: dt.date) -> int:
    """Days since 1970-01-01."""
    return (value - EPOCH).days


def gaming_day(start: npt.NDArray[np.int64], cutoff_minutes: int) -> npt.NDArray[np.int32]:
    """The house's business day of each instant: a new one opens `cutoff_minutes` after midnight in Macau."""
    return ((start + MACAU_OFFSET - cutoff_minutes * 60_000_000) // DAY).astype(np.int32)


class RoundsReader:
    """Turns batches into :class:`Rounds`; `default_casino` names the house where the log does not."""

    def __init__(self, names: Names, default_casino: str | None) -> None:
        self._names = names
        self._default = UNRECORDED if default_casino is None else names.casino.code(default_casino)
        self._ids: list[pa.Array] = []
        self._columns: dict[str, list[Array]] = {name: [] for name in _COLUMNS}

    def __len__(self) -> int:
        return sum(len(part) for part in self._ids)

    def add(self, batch: Batch) -> None:
        """Take one batch."""
        names, rows = self._names, batch.rows
        file = _file_codes(names.files, batch)
        casino = names.casino.encode(rows["casino"])
        casino[casino == UNRECORDED] = self._default
        table = names.table.encode_pairs(casino, names.table_word.encode(rows["table_id"]))
        shoe_word = names.shoe_word.encode(rows["shoe_id"])
        shoe = np.where(shoe_word == UNRECORDED, UNRECORDED, names.shoe.encode_pairs(table, shoe_word))
        scheme_word = names.scheme.encode(rows["commission"])
        values: dict[str, Array] = {
            "file": file,
            "source_row": batch.source_row,
            "table": table,
            "shoe": shoe,
            "round_no": numbers(rows["round_no"]),
            "game": closed_set(rows["game"], [g.value for g in GAMES]),
            "status": closed_set(rows["status"], [s.value for s in STATUSES]),
            "has_reason": names.sequence.encode(rows["void_reason"]) != UNRECORDED,
            "start": instants(rows["started_at"]),
            "end": instants(rows["ended_at"]),
            "player_hand": names.hands.encode(rows["player_cards"]),
            "banker_hand": names.hands.encode(rows["banker_cards"]),
            "sequence": names.sequence.encode(rows["deal_sequence"]),
            "outcome": closed_set(rows["outcome"], [o.value for o in OUTCOME_WORDS]),
            "decks": numbers(rows["decks"], missing=NO_DECKS),
            "dealing": closed_set(rows["dealing"], [d.value for d in DEALINGS]),
            "method": closed_set(rows["draw_method"], [m.value for m in METHODS]),
            "scheme": closed_set(rows["commission"], [s.value for s in SCHEMES], OTHER_SCHEME),
            "scheme_word": scheme_word,
        }
        for side in ("player", "banker"):
            values[f"{side}_points"] = numbers(rows[f"{side}_points"], missing=NO_POINTS)
            values[f"{side}_pair"] = numbers(rows[f"{side}_pair"], np.int8)
        self._ids.append(rows["round_id"])
        for name, kind in _COLUMNS.items():
            self._columns[name].append(values[name].astype(kind, copy=False))

    def finish(self) -> Rounds:
        """All rounds taken, in order."""
        ids = pa.chunked_array(self._ids, pa.string())
        parts = self._columns
        columns = {n: _joined(parts.pop(n), k) for n, k in _COLUMNS.items()}
        return Rounds(self._names, ids, columns)


def _file_codes(known: list[str], batch: Batch) -> npt.NDArray[np.int32]:
    """The code of each row's file, its place in `known`, which takes the names that are new."""

    def code(name: str) -> int:
        if not known or known[-1] != name:
            known.append(name)
        return len(known) - 1

    if batch.origin is None:
        return np.full(len(batch.source_row), code(batch.file), np.int32)
    codes = np.zeros(len(batch.files), np.int32)
    for place in np.flatnonzero(np.bincount(batch.origin)):
        codes[place] = code(batch.files[place])
    return np.asarray(codes[batch.origin], np.int32)


def _joined(parts: list[Array], kind: Any) -> Array:
    if len(parts) == 1:
        return parts[0]
    return np.concatenate(parts) if parts else np.zeros(0, kind)


NO_DECKS: Final = np.iinfo(np.int32).min
NO_POINTS: Final = np.iinfo(np.int32).min
"""Stand for an unrecorded number of decks or points: -1 could be one that was recorded."""
