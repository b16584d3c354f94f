"""Batches of typed rows become rounds as columns of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from audit.base.columns import UNRECORDED, Array, closed_set, instants, numbers
from audit.base.known_games import GAMES
from audit.base.typed_rows import TypedRows
from audit.replay.codes import (
    DEALINGS,
    METHODS,
    NO_DECKS,
    NO_POINTS,
    OTHER_SCHEME,
    OUTCOME_WORDS,
    SCHEMES,
    STATUSES,
)
from audit.replay.rounds import COLUMNS, Names, Rounds


class RoundsReader:
    """Turns batches into :class:`Rounds`; `default_casino` names the house where the log does not."""

    def __init__(self, names: Names, default_casino: str | None) -> None:
        self._names = names
        self._default = UNRECORDED if default_casino is None else names.casino.code(default_casino)
        self._ids: list[pa.Array] = []
        self._columns: dict[str, list[Array]] = {name: [] for name in COLUMNS}

    def __len__(self) -> int:
        return sum(len(part) for part in self._ids)

    def add(self, batch: TypedRows) -> None:
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
            "game": closed_set(rows["game"], GAMES),
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
        for name, kind in COLUMNS.items():
            self._columns[name].append(values[name].astype(kind, copy=False))

    def finish(self) -> Rounds:
        """All rounds taken, in order."""
        ids = pa.chunked_array(self._ids, pa.string())
        parts = self._columns
        columns = {n: _joined(parts.pop(n), k) for n, k in COLUMNS.items()}
        return Rounds(self._names, ids, columns)


def _file_codes(known: list[str], batch: TypedRows) -> npt.NDArray[np.int32]:
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
