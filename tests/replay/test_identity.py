"""Ids in bulk: each wager's round and repeated ids, found as a dictionary finds them, whatever the fingerprints."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.replay import identity
from audit.replay.fingerprints import PrintStore
from audit.replay.identity import RoundIndex, _changes, ascending, fingerprints
from audit.replay.repeats import Repeats, repeated_ids
from tests.replay.conftest import MakeBatch

IDS = st.text(st.sampled_from("aZ09-_é萬\x00"), max_size=12)


def _weak(words: npt.NDArray[np.uint64], length: int) -> npt.NDArray[np.uint64]:
    return np.full(len(words), length % 2, np.uint64)


@pytest.fixture(params=["real", "weak", "constant"])
def hash_(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The fingerprints as they are, or so weak that nearly all ids share one."""
    if request.param == "weak":
        monkeypatch.setattr(identity, "_mix", _weak)
    if request.param == "constant":
        monkeypatch.setattr(identity, "_mix", lambda words, _length: np.zeros(len(words), np.uint64))
    return str(request.param)


def chunks(ids: list[str], sizes: list[int]) -> pa.ChunkedArray:
    """The ids in chunks of these sizes, the last with the rest; the chunks are slices of one array."""
    whole, parts, start = pa.array(ids, pa.string()), [], 0
    for size in sizes:
        parts.append(whole.slice(start, size))
        start = min(start + size, len(ids))
    return pa.chunked_array([*parts, whole.slice(start)], pa.string())


FOR_EACH_HASH = settings(max_examples=60)


@FOR_EACH_HASH
@given(
    st.lists(IDS, unique=True, max_size=40),
    st.lists(st.integers(0, 9), max_size=4),
    st.lists(st.lists(st.one_of(st.integers(0, 60), IDS), max_size=50), max_size=4),
)
def test_locate_is_a_dictionary(hash_: str, ids: list[str], sizes: list[int], queries: list[list[int | str]]) -> None:
    """Whatever the order of the wagers, each finds the round that a dictionary finds, or none."""
    assert hash_
    index, known = RoundIndex(chunks(ids, sizes)), {name: place for place, name in enumerate(ids)}
    for query in queries:
        wanted = [ids[item % len(ids)] if isinstance(item, int) and ids else str(item) for item in query]

        assert [known.get(name, -1) for name in wanted] == index.locate(pa.array(wanted, pa.string())).tolist()


@pytest.mark.parametrize("order", ["as rounds", "backwards", "shuffled", "far apart"])
def test_locate_beyond_its_window(hash_: str, order: str) -> None:
    """With more rounds than the window looks at, any order of wagers, in batches and after a rewind, is found."""
    count = 6_000 if hash_ == "real" else 1_500
    ids = [f"R{number:07d}" for number in range(count)]
    wanted = {
        "as rounds": [name for name in ids for _ in range(2)],
        "backwards": ids[::-1],
        "shuffled": random.Random(1).sample(ids, count),  # noqa: S311 - a repeatable order, no secret
        "far apart": [name for pair in zip(ids, ids[::-1], strict=True) for name in pair],
    }[order]
    wanted = [*wanted, "R", "R0000001x"]
    index, known = RoundIndex(chunks(ids, [count // 3])), {name: place for place, name in enumerate(ids)}
    for _ in range(2):
        for start in range(0, len(wanted), 700):
            part = wanted[start : start + 700]

            assert [known.get(name, -1) for name in part] == index.locate(pa.array(part, pa.string())).tolist()
        index.rewind()


def test_locate_in_nothing() -> None:
    """Without rounds every wager is an orphan, and no wagers find nothing."""
    empty = RoundIndex(pa.chunked_array([], pa.string()))

    assert [-1, -1] == empty.locate(pa.array(["a", "b"])).tolist()
    assert [] == RoundIndex(pa.chunked_array([["a"]])).locate(pa.array([], pa.string())).tolist()


@FOR_EACH_HASH
@given(st.lists(IDS, max_size=40), st.lists(st.integers(0, 9), max_size=4))
def test_repeated_is_a_count(hash_: str, ids: list[str], sizes: list[int]) -> None:
    """Exactly the ids that occur more than once are found, and none that only shares a fingerprint."""
    assert hash_
    counts = Counter(ids)

    assert {name for name in ids if counts[name] > 1} == repeated_ids(lambda: chunks(ids, sizes).chunks)


@given(st.lists(IDS, max_size=30))
def test_fingerprints_are_equal_for_equal_ids(ids: list[str]) -> None:
    """An id has one fingerprint, wherever it stands and whatever stands beside it; in a few ids no two share one."""
    alone = [int(fingerprints(pa.array([name], pa.string()))[0]) for name in ids]
    padded = pa.array(["first", *ids, "last"], pa.string()).slice(1, len(ids))

    assert alone == fingerprints(padded).tolist()
    assert len(set(ids)) == len(set(alone))


@given(st.lists(st.lists(st.integers(0, 5), max_size=8), max_size=5), st.sampled_from([1, 4, 1000]))
def test_repeated_fingerprints_in_memory_and_on_disk(parts: list[list[int]], held: int) -> None:
    """Fingerprints that were taken more than once are found, be they held in memory or spread over files."""
    high = [[value << 61 | value for value in part] for part in parts]
    counts = Counter(value for part in high for value in part)

    with PrintStore(held=held) as store:
        for part in high:
            store.add(np.array(part, np.uint64))
        found = store.repeated()

    assert sorted(value for value in counts if counts[value] > 1) == found.tolist()


def test_fingerprints_on_disk_are_removed(tmp_path: Path) -> None:
    """Nothing of the fingerprints is left behind, also after an error."""

    def fail() -> None:
        with PrintStore(tmp_path, held=1) as store:
            store.add(np.arange(10, dtype=np.uint64))
            assert list(tmp_path.iterdir())
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert not list(tmp_path.iterdir())


@given(st.lists(IDS, max_size=6), st.one_of(st.none(), IDS))
def test_ascending(ids: list[str], before: str | None) -> None:
    """Ids rise only if each is greater than the one before, across batches too."""
    line = ids if before is None or not ids else [before, *ids]

    assert all(a.encode() < b.encode() for a, b in pairwise(line)) == ascending(pa.array(ids, pa.string()), before)


def test_repeated_ids_over_batches(hash_: str, batch: MakeBatch) -> None:
    """Ids that repeat in different batches and files are named; ids that only share a fingerprint are not."""
    assert hash_
    first = batch({"round_id": "A"}, {"round_id": "B"}, {"round_id": "C"})
    second = batch({"round_id": "D"}, {"round_id": "B"}, {"round_id": "AA"}, file="more.csv")
    third = batch({"round_id": "D"}, {"round_id": "B"})

    def twice(*batches: Any) -> frozenset[str]:
        return repeated_ids(lambda: [each.rows["round_id"] for each in batches])

    assert twice(first, second, third) == frozenset({"B", "D"})
    assert twice(first) == twice() == frozenset()


def test_repeats_and_conflicts(batch: MakeBatch) -> None:
    """The first row of an id stays; one equal to any earlier is a counted repeat, another is a conflict and is kept."""
    repeats = Repeats("round_id", frozenset({"A", "B"}))
    first = batch({"round_id": "A"}, {"round_id": "B"}, {"round_id": "C"}, {"round_id": "A"})
    second = batch(
        {"round_id": "A", "round_no": 2},
        {"round_id": "A", "round_no": 2},
        {"round_id": "A", "round_no": 3},
        {"round_id": "B"},
        file="more.csv",
    )

    assert [True, True, True, False] == repeats.keep(first).tolist()
    assert [False, False, False, False] == repeats.keep(second).tolist()
    assert {"rounds.csv": 1, "more.csv": 2} == repeats.counts
    assert {"A": ("more.csv", 1)} == repeats.conflicts
    assert [("more.csv", 1), ("more.csv", 3)] == [(file, row) for _, file, row in repeats.rejected]


@pytest.mark.usefixtures("hash_")
@FOR_EACH_HASH
@given(st.lists(IDS, unique=True, max_size=40), st.lists(st.one_of(st.integers(0, 60), IDS), max_size=50))
def test_an_index_made_ready_answers_the_same(ids: list[str], query: list[int | str]) -> None:
    """Whether the index waits for wagers in any order or finds that out changes no answer."""
    wanted = [ids[each % len(ids)] if ids and isinstance(each, int) else str(each) for each in query]
    ready = RoundIndex(chunks(ids, []))
    ready.prepare()

    expected = [ids.index(each) if each in ids else -1 for each in wanted]
    assert ready.locate(pa.array(wanted, pa.string())).tolist() == expected
    ready.rewind()
    assert ready.locate(pa.array(wanted, pa.string())).tolist() == expected


@given(
    st.integers(0, 20), st.lists(st.tuples(st.integers(0, 19), st.integers(0, 2)), min_size=1, max_size=30), st.data()
)
def test_ids_that_differ_from_the_one_before(length: int, edits: list[tuple[int, int]], data: st.DataObject) -> None:
    """Ids as long as each other, which are compared by words, and others: every byte counts, in every place."""
    name = bytearray(b"R" * length)
    ids = []
    for place, letter in edits:
        if length:
            name[place % length] = b"RST"[letter]
        ids.append(name.decode())
    ids += data.draw(st.sampled_from([[], ["R"], ["", ""]]))
    start = data.draw(st.integers(0, len(ids) - 1))
    wanted = ids[start:]

    assert [a != b for a, b in pairwise(wanted)] == _changes(pa.array(ids).slice(start)).tolist()
    assert [a != b for a, b in pairwise(wanted)] == _changes(pa.array(ids, pa.large_string()).slice(start)).tolist()
