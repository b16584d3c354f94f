"""Ids in bulk: finding repeated ids, and the round that each wager belongs to.

Ids are compared as text; 64-bit fingerprints only narrow the search, so that two ids that share one are never mistaken
for each other.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Fingerprints = npt.NDArray[np.uint64]

_MIX: Final = np.uint64(0x9E3779B97F4A7C15)
_SHIFT: Final = np.uint64(29)


def _layout(ids: pa.StringArray) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
    """Offsets (one more than ids) and bytes of a string array without nulls."""
    large = ids.cast(pa.large_string())
    _, offsets, data = large.buffers()
    place = np.frombuffer(offsets, np.int64)[large.offset : large.offset + len(large) + 1]
    body = np.frombuffer(data, np.uint8) if data is not None else np.zeros(0, np.uint8)
    return place, body


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


def repeated(ids: pa.ChunkedArray) -> npt.NDArray[np.int64]:
    """Positions, in order, of every id that occurs more than once (all its occurrences)."""
    if len(ids) == 0:
        return np.zeros(0, np.int64)
    prints = np.concatenate([fingerprints(chunk) for chunk in ids.chunks])
    candidates = shared(prints)
    if not len(candidates):
        return candidates
    counts = pc.value_counts(ids.take(pa.array(candidates)))
    many = counts.field("values").filter(pc.greater(counts.field("counts"), 1))
    again = pc.is_in(ids.take(pa.array(candidates)), value_set=many).to_numpy(zero_copy_only=False)
    return np.asarray(candidates[again], np.int64)


def shared(prints: Fingerprints) -> npt.NDArray[np.int64]:
    """Positions, in order, of fingerprints that occur more than once."""
    order = np.sort(prints)
    twice = order[1:][order[1:] == order[:-1]]
    if not len(twice):
        return np.zeros(0, np.int64)
    place = np.searchsorted(twice, prints)
    place[place == len(twice)] = 0
    return np.flatnonzero(twice[place] == prints)


class RoundIndex:
    """Finds rounds by id: quickly where wagers come in the order of their rounds, by fingerprint otherwise."""

    def __init__(self, ids: pa.ChunkedArray) -> None:
        self._ids = pa.chunked_array([chunk.cast(pa.large_string()) for chunk in ids.chunks], pa.large_string())
        self._ids = self._ids.combine_chunks() if len(self._ids) else pa.array([], pa.large_string())
        if isinstance(self._ids, pa.ChunkedArray):
            self._ids = pa.concat_arrays(self._ids.chunks)
        self._at = 0
        self._sorted: tuple[Fingerprints, npt.NDArray[np.int64]] | None = None

    def rewind(self) -> None:
        """Expect the next ids from the first round on."""
        self._at = 0

    def locate(self, ids: pa.StringArray) -> npt.NDArray[np.int64]:
        """The position of each id's round, -1 where there is none."""
        if len(ids) == 0:
            return np.zeros(0, np.int64)
        wanted = ids.cast(pa.large_string())
        heads = np.ones(len(wanted), np.bool_)
        heads[1:] = pc.not_equal(wanted[1:], wanted[:-1]).to_numpy(zero_copy_only=False)
        first = np.flatnonzero(heads)
        found = self._locate_heads(wanted.take(pa.array(first)) if len(first) < len(wanted) else wanted)
        return np.asarray(found[np.cumsum(heads) - 1], np.int64)

    def _locate_heads(self, heads: pa.Array) -> npt.NDArray[np.int64]:
        window = self._ids[self._at : self._at + 2 * len(heads) + 1024]
        at = pc.index_in(heads, value_set=window).fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
        found = np.where(at >= 0, at + self._at, -1)
        missing = np.flatnonzero(found < 0)
        if len(missing):
            found[missing] = self._by_fingerprint(heads.take(pa.array(missing)))
        if len(found) and found[-1] >= 0:
            self._at = int(found[-1])
        return np.asarray(found, np.int64)

    def _by_fingerprint(self, ids: pa.Array) -> npt.NDArray[np.int64]:
        if len(self._ids) == 0:
            return np.full(len(ids), -1, np.int64)
        if self._sorted is None:
            prints = fingerprints(self._ids)
            order = np.argsort(prints, kind="stable")
            self._sorted = prints[order], order
        prints, order = self._sorted
        wanted = fingerprints(ids)
        by_value = np.argsort(wanted)
        place = np.empty(len(wanted), np.int64)
        place[by_value] = np.searchsorted(prints, wanted[by_value])
        out = np.full(len(ids), -1, np.int64)
        open_rows = np.arange(len(ids))
        while len(open_rows):
            inside = place[open_rows] < len(prints)
            open_rows = open_rows[inside]
            open_rows = open_rows[prints[place[open_rows]] == wanted[open_rows]]
            if not len(open_rows):
                break
            candidate = order[place[open_rows]]
            same = pc.equal(self._ids.take(pa.array(candidate)), ids.take(pa.array(open_rows)))
            same = same.to_numpy(zero_copy_only=False)
            out[open_rows[same]] = candidate[same]
            place[open_rows] += 1
            open_rows = open_rows[~same]
        return out
