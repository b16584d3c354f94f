"""Findings in bounded memory: beyond it they wait on disk in sorted runs, which are merged when the findings are read.

The order is that of :data:`audit.findings.table.SORT_KEY`, ascending and nulls last, as Arrow sorts a table by it;
findings that agree in the whole key stay in the order in which they came. Measured with a million findings: 0.96 GiB;
held in memory and sorted at the end they take 2.5 GiB.
"""

from __future__ import annotations

import tempfile
import threading
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from audit.base.columns import regrouped
from audit.base.errors import MachineFailure
from audit.findings.table import SCHEMA, SORT_KEY

_MEMORY: Final = 16 << 20
_FAN: Final = 64
"""So many runs are merged at once; with more of them, some are merged into longer ones first."""

_BLOCK: Final = 384 << 10
"""Bytes of one block of a run: of each run that is being merged, one block is in memory."""

_ORDER: Final = [(name, "ascending") for name in SORT_KEY]


class SortedFindings:
    """Takes findings in any order, from any thread, and gives them in the order of `SORT_KEY`, as often as asked.

    `memory` bytes are held before a run is written; the runs go to a temporary folder inside `folder`, or where the
    system keeps such files. Every method raises MachineFailure where the disk fails.
    """

    def __init__(self, memory: int = _MEMORY, folder: Path | None = None) -> None:
        self._memory = memory
        self._folder = folder
        self._held: list[pa.RecordBatch] = []
        self._bytes = 0
        self._rows = 0
        self._runs: list[Path] = []
        self._written = 0
        self._lock = threading.Lock()
        self._place: tempfile.TemporaryDirectory[str] | None = None

    def __len__(self) -> int:
        return self._rows

    def add(self, batch: pa.RecordBatch) -> None:
        """Take findings (`SCHEMA`), in any order."""
        if not batch.num_rows:
            return
        with self._lock:
            self._held.append(batch)
            self._bytes += batch.nbytes
            self._rows += batch.num_rows
            if self._bytes > self._memory:
                self._spill()

    def batches(self, rows: int = 20_000) -> Iterator[pa.RecordBatch]:
        """All findings taken so far, in order, in batches of exactly so many rows but for the last."""
        if not self._runs:
            yield from regrouped(_sorted(self._held), rows)
            return
        self._spill()
        self._reduce()
        with _disk():
            yield from regrouped(_merged(self._runs), rows)

    def table(self) -> pa.Table:
        """All findings at once, for small uses."""
        return pa.Table.from_batches(self.batches(), SCHEMA)

    def close(self) -> None:
        """Remove the temporary files and forget the findings."""
        self._held, self._runs, self._bytes, self._rows = [], [], 0, 0
        if self._place is not None:
            self._place.cleanup()
            self._place = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _spill(self) -> None:
        """Write what is held as one sorted run."""
        if self._held:
            self._runs.append(self._write(_sorted(self._held)))
            self._held, self._bytes = [], 0

    def _reduce(self) -> None:
        """Merge neighbouring runs, no more of them than needed, until all that are left can be merged at once."""
        while len(self._runs) > _FAN:
            excess, left, runs = len(self._runs) - _FAN, [], self._runs
            while runs:
                few, runs = runs[: min(_FAN, excess + 1)], runs[min(_FAN, excess + 1) :]
                left.append(self._write(_merged(few)) if len(few) > 1 else few[0])
                excess -= len(few) - 1
                if len(few) > 1:
                    for path in few:
                        path.unlink()
            self._runs = left

    def _write(self, batches: Iterable[pa.RecordBatch]) -> Path:
        """Write findings, which are in order, as a run."""
        with _disk():
            if self._place is None:
                self._place = tempfile.TemporaryDirectory(
                    prefix="findings-", dir=self._folder, ignore_cleanup_errors=True
                )
            path = Path(self._place.name) / f"{self._written}.arrow"
            self._written += 1
            options = pa.ipc.IpcWriteOptions(compression="lz4")
            with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, SCHEMA, options=options) as writer:
                for batch in batches:
                    rows = max(1, batch.num_rows * _BLOCK // max(batch.nbytes, 1))
                    for start in range(0, batch.num_rows, rows):
                        writer.write_batch(batch.slice(start, rows))
        return path


@contextmanager
def _disk() -> Iterator[None]:
    """Say what became of a disk that fails."""
    try:
        yield
    except OSError as error:
        raise MachineFailure(f"keeping findings in a temporary file failed: {error.strerror or error}") from error


def _sorted(held: list[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The findings of all batches as one batch in order."""
    if held:
        batch = pa.concat_batches(held)
        yield batch.take(pc.sort_indices(batch, sort_keys=_ORDER))


class _Run:
    """The unread rest of a run, of which one block is in memory."""

    def __init__(self, blocks: Iterator[pa.RecordBatch]) -> None:
        self._blocks = blocks
        self.done = False
        self.next()

    def next(self) -> None:
        """Go to the next block; `done` where there is none."""
        block = next(self._blocks, None)
        self.done = block is None
        if block is not None:
            self._block, self._keys, self._at = block, sort_key(block), 0
            self.last: bytes = self._keys[-1].as_py()

    def until(self, cut: bytes, *, inclusive: bool) -> tuple[pa.RecordBatch, pa.BinaryArray]:
        """Take the rows of the block whose key is smaller than `cut`, or equal to it; with their keys."""
        search = bisect_right if inclusive else bisect_left
        end = search(range(len(self._keys)), cut, lo=self._at, key=lambda place: self._keys[place].as_py())
        start, self._at = self._at, end
        return self._block.slice(start, end - start), self._keys.slice(start, end - start)

    @property
    def spent(self) -> bool:
        """Whether all of the block was taken."""
        return self._at == len(self._keys)


def _merged(paths: list[Path]) -> Iterator[pa.RecordBatch]:
    """The findings of several runs, in order; those with equal keys in the order of the runs.

    What is in memory is good up to the smallest of the last keys of the blocks: no smaller key is still on disk. A key
    equal to it may be, in that block's own run, so that later runs give theirs only after it.
    """
    with ExitStack() as files:
        runs = []
        for path in paths:
            source = files.enter_context(pa.OSFile(str(path), "rb"))
            runs.append(_Run(iter(files.enter_context(pa.ipc.open_stream(source)))))
        while runs:
            cut, first = min((run.last, number) for number, run in enumerate(runs))
            parts = [run.until(cut, inclusive=number <= first) for number, run in enumerate(runs)]
            yield _union([(rows, keys) for rows, keys in parts if rows.num_rows])
            for run in runs:
                if run.spent:
                    run.next()
            runs = [run for run in runs if not run.done]


def _union(parts: list[tuple[pa.RecordBatch, pa.BinaryArray]]) -> pa.RecordBatch:
    if len(parts) == 1:
        return parts[0][0]
    keys = pa.concat_arrays([keys for _, keys in parts])
    return pa.concat_batches([rows for rows, _ in parts]).take(pc.sort_indices(keys))


def sort_key(batch: pa.RecordBatch) -> pa.BinaryArray:
    """The sort key of each finding as bytes that compare as the columns of `SORT_KEY` do, nulls last.

    A value has a byte 1 before it and a null is a byte 2. Text ends with a byte 0; one inside the text has a byte 255
    after it, which no beginning of the next value has.
    """
    parts = []
    for name in SORT_KEY:
        column = batch[name]
        if column.null_count == len(column):
            parts.append(pa.repeat(pa.scalar(b"\2"), len(column)))
            continue
        if pa.types.is_string(column.type):
            raw = column.cast(pa.binary())
            if pc.any(pc.match_substring(raw, b"\0")).as_py():
                raw = pc.replace_substring(raw, b"\0", b"\0\xff")
            end = b"\0"
        else:
            raw, end = _ordinal(column), b""
        value = pc.binary_join_element_wise(b"\1", raw, end, b"")
        parts.append(pc.coalesce(value, pa.scalar(b"\2")) if column.null_count else value)
    return pc.binary_join_element_wise(*parts, b"")


def _ordinal(column: pa.TimestampArray) -> pa.BinaryArray:
    """Instants as eight bytes that compare as the instants do; nulls stay null."""
    numbers = column.cast(pa.int64())
    unsigned = numbers.fill_null(0).to_numpy().view(np.uint64) ^ np.uint64(1 << 63)
    data = pa.py_buffer(unsigned.astype(">u8").tobytes())
    fixed = pa.Array.from_buffers(pa.binary(8), len(column), [None, data]).cast(pa.binary())
    return pc.if_else(numbers.is_valid(), fixed, pa.scalar(None, pa.binary()))
