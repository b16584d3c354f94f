"""The kept: any number of findings in bounded memory, in the order in which Arrow sorts them."""

from __future__ import annotations

import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.base.errors import MachineFailure
from audit.findings import sorted_runs as module
from audit.findings.sorted_runs import SortedFindings, sort_key
from audit.findings.table import SCHEMA, SORT_KEY, write_all
from audit.runs.superseding import supplement
from tests.finished import demonstration
from tests.made_findings import FINDINGS, batch_of, many

pytestmark = pytest.mark.slow

FILES = ("findings.parquet", "findings.csv", "findings.json")


def in_order(batches: list[pa.RecordBatch]) -> pa.Table:
    """The findings as Arrow sorts them."""
    table = pa.Table.from_batches(batches, SCHEMA)
    return table.sort_by([(name, "ascending") for name in SORT_KEY]) if len(table) else table


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of a few findings and merges of few runs, so that a small test meets what a large run does."""
    monkeypatch.setattr(module, "_BLOCK", 10_000)
    monkeypatch.setattr(module, "_FAN", 3)


@settings(max_examples=50)
@given(st.lists(FINDINGS, max_size=6), st.integers(1, 50), st.integers(2, 64), st.sampled_from([1, 2_000, 400_000]))
def test_order_is_that_of_arrow(batches: list[pa.RecordBatch], rows: int, fan: int, block: int) -> None:
    """Spilled and merged, in one step or in levels, all findings come in Arrow's order, ties as they were added."""
    with pytest.MonkeyPatch.context() as patch, SortedFindings(memory=0) as kept:
        patch.setattr(module, "_FAN", fan)
        patch.setattr(module, "_BLOCK", block)
        for batch in batches:
            kept.add(batch)

        assert sum(batch.num_rows for batch in batches) == len(kept)
        for _ in range(2):
            assert in_order(batches).equals(pa.Table.from_batches(kept.batches(rows), SCHEMA).combine_chunks())


@pytest.mark.usefixtures("tiny")
def test_findings_with_one_key_stay_in_the_order_in_which_they_came() -> None:
    """Ties across runs and blocks are not reordered by the merge."""
    rows = [{"code": f"C{number % 3}", "finding_id": "same", "source_row": number} for number in range(2_000)]
    with SortedFindings(memory=0) as kept:
        for start in range(0, len(rows), 400):
            kept.add(batch_of(rows[start : start + 400]))
        expected = [*range(0, 2_000, 3), *range(1, 2_000, 3), *range(2, 2_000, 3)]
        assert expected == kept.table()["source_row"].to_pylist()


@settings(max_examples=100)
@given(FINDINGS)
def test_keys_compare_as_the_columns_do(batch: pa.RecordBatch) -> None:
    """The bytes that the merge compares order findings as their columns do, whatever is in them."""
    order = pa.compute.sort_indices(batch, sort_keys=[(name, "ascending") for name in SORT_KEY])
    keys = sort_key(batch).take(order).to_pylist() if batch.num_rows else []

    assert sorted(keys) == keys
    assert len({tuple(row[n] for n in SORT_KEY) for row in batch.to_pylist()}) == len(set(keys))


@pytest.mark.usefixtures("tiny")
def test_batches_have_the_size_asked_for_and_come_again() -> None:
    """Only the last batch is shorter; findings added between two readings are there the second time."""
    with SortedFindings(memory=10_000) as kept:
        for seed in range(5):
            kept.add(many(20, seed))
        assert [30, 30, 30, 10] == [batch.num_rows for batch in kept.batches(30)]
        kept.add(many(20, 5))
        assert in_order([many(20, seed) for seed in range(6)]).equals(kept.table().combine_chunks())


@pytest.mark.usefixtures("tiny")
def test_spilled_and_held_findings_give_the_same_files(tmp_path: Path) -> None:
    """The limit of memory leaves no trace in what is written."""
    for name, memory in (("held", 1 << 30), ("spilled", 100_000)):
        (tmp_path / name).mkdir()
        with SortedFindings(memory) as kept:
            for seed in range(12):
                kept.add(many(100, seed))
            write_all(kept, tmp_path / name)

    for file in FILES:
        assert (tmp_path / "held" / file).read_bytes() == (tmp_path / "spilled" / file).read_bytes()
    assert 1_200 == pq.read_metadata(tmp_path / "held" / FILES[0]).num_rows


def test_nothing_is_written_below_the_limit_and_nothing_is_left(tmp_path: Path) -> None:
    """Small runs need no disk; runs on disk are gone after the work, also after an error."""
    with SortedFindings(folder=tmp_path) as kept:
        kept.add(many(20, 1))
        assert 20 == kept.table().num_rows
        assert [] == list(tmp_path.iterdir())
    with pytest.raises(KeyError), SortedFindings(memory=0, folder=tmp_path) as kept:
        _fail_after_spilling(kept, tmp_path)

    assert [] == list(tmp_path.iterdir())


def _fail_after_spilling(kept: SortedFindings, folder: Path) -> None:
    kept.add(many(20, 1))
    assert [] != list(folder.iterdir())
    raise KeyError


@contextmanager
def full_disk() -> Iterator[None]:
    """A disk that takes no more than a thousand bytes a file, for whatever is written meanwhile."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def test_a_full_disk_is_a_failure_of_the_machine(tmp_path: Path) -> None:
    """The operator reads one sentence, and the temporary files are gone."""
    failed = pytest.raises(MachineFailure, match="temporary file failed: ")
    with failed, full_disk(), SortedFindings(memory=0, folder=tmp_path) as kept:
        kept.add(many(2_000, 1))

    assert [] == list(tmp_path.iterdir())


class _Watched:
    """A kept's findings; `most` is the most that Arrow had allocated when a batch was handed over."""

    def __init__(self, kept: SortedFindings) -> None:
        self._sorted = kept
        self.most = 0

    def __len__(self) -> int:
        return len(self._sorted)

    def look(self) -> None:
        """Note what is allocated now."""
        self.most = max(self.most, pa.total_allocated_bytes())

    def batches(self, rows: int = 2_000) -> Iterator[pa.RecordBatch]:
        """The kept's batches."""
        for batch in self._sorted.batches(rows):
            self.look()
            yield batch


def test_memory_does_not_grow_with_the_findings(tmp_path: Path) -> None:
    """A hundred thousand findings, more than 120 MB, are taken, sorted and written within a quarter of that."""
    before, size = pa.total_allocated_bytes(), 0
    with SortedFindings(memory=8 << 20) as kept:
        watched = _Watched(kept)
        for seed in range(50):
            batch = many(2_000, seed)
            size += batch.nbytes
            kept.add(batch)
            watched.look()
        del batch
        write_all(watched, tmp_path)

    assert size > 120_000_000
    assert watched.most - before < size // 4
    assert 100_000 == pq.read_metadata(tmp_path / FILES[0]).num_rows


@pytest.mark.usefixtures("tiny")
def test_a_supplement_reads_a_spool_as_a_table() -> None:
    """What a supplementary run says of its predecessor does not depend on where its findings wait."""
    run = demonstration().run
    table = pq.read_table(run / FILES[0], schema=SCHEMA)
    lost = sorted(table["finding_id"].to_pylist())[:3]  # beside them lie the ids of what is new
    kept = table.filter(pa.compute.invert(pa.compute.is_in(table["finding_id"], value_set=pa.array(lost))))
    now = pa.Table.from_batches([*kept.to_batches(), many(30, 1)], SCHEMA)
    with SortedFindings(memory=10_000) as kept:
        for batch in now.to_batches(max_chunksize=7):
            kept.add(batch)
        said = supplement(run, kept)

    assert supplement(run, in_order(now.to_batches())) == said
    assert (30, len(table) - 3, 3) == (said["new"], said["unchanged"], said["gone"])
    assert lost == sorted(row["finding_id"] for row in said["lists"]["gone"])
