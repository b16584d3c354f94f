"""What the pieces of a log say adds up to what the whole log says."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from audit.demo import DemoFiles, make_demo
from audit.engines.cluster import frames
from audit.engines.cluster.layouts import _apart, _beside, file_parts, keys_of
from audit.engines.cluster.pieces import Ids, InputPiece
from audit.gate.facts import DISTINCT_CAP, TableFacts
from audit.source.file_reading import Batch
from audit.source.quarantine import Quarantine, Rejects
from audit.source.read import open_rounds, open_wagers
from audit.stores.files import SourceFile, resolve

READ = {"rounds": open_rounds, "wagers": open_wagers}


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> DemoFiles:
    """The made-up day with every fault."""
    return make_demo(tmp_path_factory.mktemp("demo"))


def rows_of(demo: DemoFiles, role: str) -> Iterator[Batch]:
    """The rows of the made-up day."""
    return READ[role](resolve([str(getattr(demo, role))], role), quarantine=Quarantine())


def cut(rows: pa.RecordBatch, seed: int) -> list[pa.RecordBatch]:
    """The rows in pieces of any size, some of them empty."""
    places = np.sort(np.random.default_rng(seed).integers(0, len(rows) + 1, 6)).tolist()
    return [rows.slice(a, b - a) for a, b in pairwise([0, *places, len(rows)])]


@pytest.mark.parametrize("role", ["rounds", "wagers"])
@pytest.mark.parametrize("seed", range(5))
def test_facts_of_pieces_merge_to_those_of_the_whole(demo: DemoFiles, role: str, seed: int) -> None:
    """Wherever a log is cut, also one whose times go back, the facts of its pieces add up, through a pickle too."""
    (batch,) = rows_of(demo, role)
    rows = batch.rows.take(pa.array(np.random.default_rng(seed).permutation(len(batch)))) if seed else batch.rows
    whole, merged = TableFacts(role), TableFacts(role)
    whole.add(rows)
    for piece in cut(rows, seed):
        part = TableFacts(role)
        part.add(piece)
        merged.merge(pickle.loads(pickle.dumps(part)))  # noqa: S301 - just written

    assert whole.facts() == merged.facts()
    assert role == "wagers" or seed == 0 or whole.facts()["share_out_of_order"]


def test_the_texts_listed_do_not_depend_on_the_order_of_the_pieces() -> None:
    """Of more texts than are listed it is always the first in order."""

    def of(numbers: Any) -> TableFacts:
        column = pa.array([f"b{n:03}" for n in numbers]).dictionary_encode()
        profile = TableFacts("wagers")
        profile.add(pa.record_batch({"bet": column}))
        return profile

    first, last = of(range(DISTINCT_CAP)), of(range(DISTINCT_CAP, 3 * DISTINCT_CAP))
    first.merge(last)
    last.merge(of(range(DISTINCT_CAP)))

    assert first.facts()["distinct_bet"] == last.facts()["distinct_bet"]
    assert str(last.facts()["distinct_bet"]).startswith("b000,b001,")


def test_the_quarantine_of_pieces_is_that_of_the_whole(tmp_path: Path) -> None:
    """Rejected rows, their counts, examples and ids are the same when they come in pieces from other processes."""

    def reject(quarantine: Quarantine, numbers: range) -> None:
        count = len(numbers)
        texts = pa.array([f"R{n}" for n in numbers], pa.string())
        quarantine.note_read("rounds", "a.csv", count + 1)
        columns, keys = ["round_no"] * count, ["round_no_not_positive"] * count
        quarantine.add("rounds", "a.csv", Rejects(list(numbers), columns, keys, texts, texts, texts))

    whole, merged = Quarantine(), Quarantine(memory=2_000)
    for numbers in (range(1, 90), range(90, 91), range(91, 300)):
        reject(whole, numbers)
        part = Quarantine(memory=500)
        reject(part, numbers)
        with part:
            merged.absorb(pickle.loads(pickle.dumps(part)))  # noqa: S301 - just written

    with whole, merged:
        assert whole.by_reason() == merged.by_reason()
        assert dict(whole.files("rounds")) == dict(merged.files("rounds"))
        assert whole.ids("rounds") == merged.ids("rounds")
        whole.write_parquet(tmp_path / "whole")
        merged.write_parquet(tmp_path / "merged")
        assert (tmp_path / "whole").read_bytes() == (tmp_path / "merged").read_bytes()


@pytest.mark.parametrize("run", [0, 10**9])
def test_rows_come_out_of_bundles_as_they_went_in(demo: DemoFiles, monkeypatch: pytest.MonkeyPatch, run: int) -> None:
    """Copied row by row or run by run, every row is in one bundle, typed as before and in the order of reading."""
    monkeypatch.setattr(frames, "_RUN", run)
    (batch,) = rows_of(demo, "rounds")
    bundles = frames.bundled(frames.table_of("rounds", [batch]), (3, 1, 4))
    found: dict[int, dict[str, Any]] = {}
    tables: list[set[str]] = []
    for place in range(len(bundles)):
        inside = list(frames.batches_of("rounds", bundles.iloc[[place]], ["rounds.csv"]))
        numbers = [int(number) for each in inside for number in each.source_row]
        rows = [row for each in inside for row in each.rows.to_pylist()]
        assert sorted(numbers) == numbers
        assert all(each.rows.schema == batch.rows.schema for each in inside)
        found |= dict(zip(numbers, rows, strict=True))
        tables.append({row["table_id"] for row in rows})

    assert dict(zip(batch.source_row.tolist(), batch.rows.to_pylist(), strict=True)) == found
    assert sum(map(len, tables)) == len(set.union(*tables))


@pytest.mark.parametrize("number", [1, 2, 7, 100])
def test_each_partition_has_a_key_of_its_own(number: int) -> None:
    """Keys are as many as partitions, so that no two partitions are meant by one."""
    assert number == len(set(keys_of(number))) == len(keys_of(number))


def ids(first: str | None, last: str | None, named: tuple[str, str] | None = None, *, rising: bool = True) -> Ids:
    """How the ids of a piece of nine rows stand."""
    return Ids(9 if first else 0, rising, first, last, named)


def test_pieces_with_ids_in_common_are_told_from_others() -> None:
    """Ranges of rising ids that touch may have an id in common; in any order of the pieces."""
    assert _apart([ids("R3", "R4"), ids(None, None), ids("R1", "R2")])
    assert not _apart([ids("R2", "R4"), ids("R1", "R2")])


def test_wagers_are_handed_the_rounds_that_they_can_name() -> None:
    """A piece of wagers goes with the pieces of rounds in its range; where ids do not rise, there is no saying."""
    rounds = [ids("R1", "R3"), ids("R4", "R6"), ids("R7", "R9")]
    wagers = [ids("W1", "W2", ("R2", "R4")), ids("W9", "W3", ("R7", "R7"), rising=False)]

    assert [[0, 1], [2]] == _beside(rounds, wagers)
    assert _beside([ids("R1", "R3", rising=False), *rounds[1:]], wagers) is None
    assert _beside(rounds, [*wagers, ids("W1", "W2")]) is None


def test_the_files_of_a_table_are_in_one_part(tmp_path: Path) -> None:
    """Parts are made of whole tables, and there are no more of them than tables."""
    files = []
    for table in "ABC":
        for day in (1, 2):
            path = tmp_path / f"day=2024-03-0{day}" / f"table={table}" / "x.parquet"
            path.parent.mkdir(parents=True)
            path.write_bytes(bytes(100 * day))
            files.append(SourceFile(path, path.name))
    pieces = [InputPiece("rounds", file, index) for index, file in enumerate(files)]

    parts = file_parts(pieces, pieces[:2], 8)
    assert 3 == len(parts)
    assert [{"A"}, {"B"}, {"C"}] == sorted({str(p.file.partition["table_id"]) for p in r} for r, _ in parts)
    assert [0, 0, 2] == sorted(len(w) for _, w in parts)
