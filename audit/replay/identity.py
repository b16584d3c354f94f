"""Ids in bulk: finding repeated ids, and the round that each wager belongs to.

Ids are compared as text; 64-bit fingerprints only narrow the search, so that two ids that share one are never mistaken
for each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Fingerprints = npt.NDArray[np.uint64]

_MIX: Final = np.uint64(0x9E3779B97F4A7C15)
_SHIFT: Final = np.uint64(29)
_TWO_GIGABYTES: Final = 2**31
_WORD: Final = 8
"""Bytes that are compared at once."""


def _layout(ids: pa.StringArray) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
    """Offsets (one more than ids) and bytes of a string array without nulls."""
    large = ids.cast(pa.large_string())
    _, offsets, data = large.buffers()
    place = np.frombuffer(offsets, np.int64)[large.offset : large.offset + len(large) + 1]
    body = np.frombuffer(data, np.uint8) if data is not None else np.zeros(0, np.uint8)
    return place, body


Packed = npt.NDArray[np.uint64]
"""The bytes of ids of up to fifteen bytes, and their length, in two words each; shape (ids, 2)."""

_PACKED: Final = 15


def packed(ids: pa.StringArray) -> Packed | None:
    """The ids themselves in sixteen bytes each, where all of them have room; two are equal exactly if their bytes are.

    >>> packed(pa.array(["", "A"])).tolist()
    [[0, 0], [65, 72057594037927936]]
    """
    offsets, body = _layout(ids)
    lengths = np.diff(offsets)
    if len(lengths) and lengths.max() > _PACKED:
        return None
    block = np.zeros((len(lengths), 16), np.uint8)
    for length in np.flatnonzero(np.bincount(lengths)) if len(lengths) else ():
        rows = np.flatnonzero(lengths == length)
        if len(rows) == len(lengths):
            block[:, :length] = body[offsets[0] : offsets[-1]].reshape(len(rows), int(length))
        else:
            block[rows, :length] = body[offsets[rows][:, None] + np.arange(length)]
    block[:, _PACKED] = lengths
    return block.view(np.dtype("<u8"))


def fingerprints(ids: pa.StringArray) -> Fingerprints:
    """A 64-bit fingerprint of each id; equal ids have equal ones.

    >>> a, b, c = fingerprints(pa.array(["R1", "R2", "R1"]))
    >>> bool(a == c), bool(a == b)
    (True, False)
    """
    offsets, body = _layout(ids)
    lengths = np.diff(offsets)
    out = np.zeros(len(lengths), np.uint64)
    for length in np.flatnonzero(np.bincount(lengths)) if len(lengths) else ():
        rows = np.flatnonzero(lengths == length)
        words = -(-int(length) // 8)
        block = np.zeros((len(rows), max(words, 1) * 8), np.uint8)
        if len(rows) == len(lengths):
            block[:, :length] = body[offsets[0] : offsets[-1]].reshape(len(rows), int(length))
        else:
            block[:, :length] = body[offsets[rows][:, None] + np.arange(length)]
        out[rows] = _mix(block.view(np.uint64), int(length))
    return out


def _mix(words: npt.NDArray[np.uint64], length: int) -> Fingerprints:
    with np.errstate(over="ignore"):
        value = np.full(len(words), np.uint64(length) * _MIX, np.uint64)
        for column in words.T:
            value = (value ^ column) * _MIX
            value ^= value >> _SHIFT
        return value


def ascending(ids: pa.StringArray, before: str | None) -> bool:
    """Say whether every id is greater than the one before it, `before` included: then none is repeated."""
    if len(ids) == 0:
        return True
    if before is not None and not before < ids[0].as_py():
        return False
    return len(ids) == 1 or bool(pc.all(pc.less(ids[:-1], ids[1:])).as_py())


def _changes(ids: pa.Array) -> npt.NDArray[np.bool_]:
    """Whether each id but the first differs from the one before it: by words of their bytes, where all are as long."""
    offsets, body = _layout(ids)
    length = int(offsets[1] - offsets[0])
    if length < _WORD or (np.diff(offsets) != length).any():
        return np.asarray(pc.not_equal(ids[1:], ids[:-1]).to_numpy(zero_copy_only=False), np.bool_)
    found = np.zeros(len(ids) - 1, np.bool_)
    # The last word overlaps the one before it, so that every byte is in one.
    for place in (*range(0, length - _WORD, _WORD), length - _WORD):
        words = np.ndarray((len(ids),), np.uint64, body, int(offsets[0]) + place, (length,))
        found |= words[1:] != words[:-1]
    return found


class RoundIndex:
    """Finds rounds by id: quickly where wagers come in the order of their rounds, by fingerprint otherwise."""

    def __init__(self, ids: pa.ChunkedArray) -> None:
        # A plain string array addresses two gigabytes of text.
        self._type = pa.string() if ids.nbytes < _TWO_GIGABYTES else pa.large_string()
        chunks = [chunk.cast(self._type) for chunk in ids.chunks]
        self._ids = chunks[0] if len(chunks) == 1 else pa.concat_arrays([pa.array([], self._type), *chunks])
        self._at = 0
        self._near = True

    @cached_property
    def _table(self) -> _Table:
        return _Table.of(self._ids)

    def prepare(self) -> None:
        """Get ready for ids in any order."""
        self._near = False
        _ = self._table  # made now, not when it is first needed

    def rewind(self) -> None:
        """Expect the next ids from the first round on."""
        self._at, self._near = 0, True

    def locate(self, ids: pa.StringArray) -> npt.NDArray[np.int64]:
        """The position of each id's round, -1 where there is none."""
        if len(ids) == 0:
            return np.zeros(0, np.int64)
        wanted = ids if ids.type == self._type else ids.cast(self._type)
        first = np.concatenate([[0], np.flatnonzero(_changes(wanted)) + 1])
        found = self._locate_heads(wanted.take(pa.array(first)) if len(first) < len(wanted) else wanted)
        return np.repeat(found, np.diff(first, append=len(wanted)))

    def _locate_heads(self, heads: pa.Array) -> npt.NDArray[np.int64]:
        found = np.full(len(heads), -1, np.int64)
        done = self._in_step(heads, found)
        if done < len(heads):
            self._search(heads, found, done)
        if len(found) and found[-1] >= 0:
            self._at = int(found[-1])
        return found

    def _in_step(self, heads: pa.Array, found: npt.NDArray[np.int64]) -> int:
        """Where the ids are those of the next rounds, one by one, as in a log whose every round has wagers.

        Answers how many were, beginning with the first.
        """
        for start in (self._at, self._at + 1):
            same = min(len(heads), len(self._ids) - start)
            if same > 0 and self._ids.slice(start, same).equals(heads.slice(0, same)):
                found[:same] = np.arange(start, start + same)
                return same
        return 0

    def _search(self, heads: pa.Array, found: npt.NDArray[np.int64], done: int) -> None:
        """Look for the ids from place `done` on: among the next rounds first, then anywhere."""
        rest = heads.slice(done)
        missing = np.arange(done, len(heads))
        if self._near:
            window = self._ids.slice(self._at, len(rest) + 1024)
            at = pc.index_in(rest, value_set=window).fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
            found[done:] = np.where(at >= 0, at + self._at, -1)
            missing = missing[at < 0]
            # Where most are elsewhere the wagers are in another order, and looking near by is time lost.
            self._near = len(missing) <= len(rest) // 2
        if len(missing) and self._ends is not None:
            wanted = heads.take(pa.array(missing))
            inside = pc.and_(pc.greater_equal(wanted, self._ends[0]), pc.less_equal(wanted, self._ends[1]))
            missing = missing[inside.to_numpy(zero_copy_only=False)]
        if len(missing):
            wanted = rest if len(missing) == len(rest) else heads.take(pa.array(missing))
            found[missing] = self._by_fingerprint(wanted)

    @cached_property
    def _ends(self) -> tuple[pa.Scalar, pa.Scalar] | None:
        """The least and the greatest id, where the ids rise: others are not here."""
        rising = len(self._ids) > 0 and ascending(self._ids, None)
        return (self._ids[0], self._ids[-1]) if rising else None

    def _by_fingerprint(self, ids: pa.Array) -> npt.NDArray[np.int64]:
        out = np.full(len(ids), -1, np.int64)
        if len(self._ids) == 0:
            return out
        table, wanted = self._table, fingerprints(ids)
        words = packed(ids) if table.words is not None else None
        place, end = table.bucket(wanted)
        rows = np.flatnonzero(place < end)
        while len(rows):
            at = place.take(rows)
            if table.words is not None and words is not None:
                known, asked = table.words.take(at, axis=0), words.take(rows, axis=0)
                same = (known[:, 0] == asked[:, 0]) & (known[:, 1] == asked[:, 1])
            else:
                same = table.prints.take(at) == wanted.take(rows)
                alike = np.flatnonzero(same)
                candidate = pa.array(table.order.take(at.take(alike)))
                letters = pc.equal(self._ids.take(candidate), ids.take(pa.array(rows.take(alike))))
                same[alike] = letters.to_numpy(zero_copy_only=False)
            found = np.flatnonzero(same)
            out[rows.take(found)] = table.order.take(at.take(found))
            rows = rows.take(np.flatnonzero(~same))
            place[rows] += 1
            rows = rows.take(np.flatnonzero(place.take(rows) < end.take(rows)))
        return out


@dataclass(frozen=True)
class _Table:
    """Fingerprints in ascending order with the place of each (`order`), and where those of each first bits begin.

    `words` are the ids themselves in the same order, where all of them are short.
    """

    prints: Fingerprints
    order: npt.NDArray[np.int32]
    starts: npt.NDArray[np.int32]
    shift: np.uint64
    words: Packed | None

    @classmethod
    def of(cls, ids: pa.Array) -> _Table:
        prints, words = fingerprints(ids), packed(ids)
        order = np.argsort(prints).astype(np.int32)  # half the memory to look into, for up to two billion rounds
        bits = max(len(prints) - 1, 1).bit_length() + 1
        ordered, shift = prints.take(order), np.uint64(64 - bits)
        starts = np.searchsorted(ordered >> shift, np.arange(2**bits + 1, dtype=np.uint64)).astype(np.int32)
        return cls(ordered, order, starts, shift, None if words is None else words.take(order, axis=0))

    def bucket(self, wanted: Fingerprints) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """The first place, and the one past the last, at which each fingerprint may stand."""
        bucket = (wanted >> self.shift).view(np.int64)
        return self.starts.take(bucket), self.starts.take(bucket + 1)
