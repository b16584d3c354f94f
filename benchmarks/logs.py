"""The logs to measure on: made by the generator beside the rivals, and the same rows in other forms.

Every log is made once into its folder; a file named `done`, written last, says that it is whole.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from measuring import Measure, measured

CHUNK = 1_000_000
"""Rows written at a time."""

ROTATED = pa.array(["banker", "tie", "player"])
"""A wrong outcome for each right one: player, banker, tie."""


@dataclass(frozen=True)
class Log:
    """One log: what `run` is given as rounds and wagers, and how many rows they have."""

    rounds: Path
    wagers: Path
    round_count: int
    wager_count: int

    @property
    def folder(self) -> Path:
        """The folder of the log."""
        return self.rounds.parent

    def planted(self) -> dict[str, int]:
        """The faults that the generator planted, by kind."""
        words: dict[str, int] = ast.literal_eval((self.folder / "done").read_text("utf-8"))
        return words


def _once(folder: Path, make: Callable[[], str]) -> None:
    """Make what belongs into `folder` unless that was done before."""
    done = folder / "done"
    if not done.exists():
        folder.mkdir(parents=True, exist_ok=True)
        words = make()
        done.write_text(words, "utf-8")


def _rows(path: Path) -> int:
    return int(ds.dataset(path, format="parquet").count_rows())


def make_log(scripts: Path, folder: Path, rounds: int, *options: str) -> Log:
    """A log of so many rounds from the generator `make_log.py`."""
    _once(folder, lambda: measured([sys.executable, scripts / "make_log.py", folder, str(rounds), *options], Measure()))
    files = folder / "rounds.parquet", folder / "wagers.parquet"
    return Log(*files, *(_rows(file) for file in files))


def make_faulty(log: Log, folder: Path) -> Log:
    """The same log with a wrong outcome in every round; the payments stay as they are, which is right by the cards."""

    def make() -> str:
        source = pq.ParquetFile(log.rounds)
        with pq.ParquetWriter(folder / "rounds.parquet", source.schema_arrow, compression="zstd") as out:
            for batch in source.iter_batches():
                out.write_batch(_wrong_outcomes(batch))
        return str({"outcome": log.round_count})

    _once(folder, make)
    return Log(folder / "rounds.parquet", log.wagers, log.round_count, log.wager_count)


def _wrong_outcomes(batch: pa.RecordBatch) -> pa.RecordBatch:
    player, banker = (batch[f"{side}_points"].to_numpy() for side in ("player", "banker"))
    won = np.where(player > banker, 0, np.where(banker > player, 1, 2))
    place = batch.schema.get_field_index("outcome")
    return batch.set_column(place, batch.schema.field(place), ROTATED.take(pa.array(won)))


def make_shuffled(log: Log, folder: Path, seed: int = 1) -> Log:
    """The same wagers in random order, in one file; the rounds as they are."""

    def make() -> str:
        table = pq.read_table(log.wagers).combine_chunks()
        order = np.random.default_rng(seed).permutation(len(table))
        with pq.ParquetWriter(folder / "wagers.parquet", table.schema, compression="zstd") as out:
            for start in range(0, len(order), CHUNK):
                out.write_table(table.take(pa.array(order[start : start + CHUNK])))
        return "{}"

    _once(folder, make)
    return Log(log.rounds, folder / "wagers.parquet", log.round_count, log.wager_count)


def make_small_files(log: Log, folder: Path, files: int) -> Log:
    """The same rows in the same order, spread over so many files in each of two folders."""

    def make() -> str:
        for name, path in (("rounds", log.rounds), ("wagers", log.wagers)):
            (folder / name).mkdir(exist_ok=True)
            table = pq.read_table(path)
            ends = [len(table) * number // files for number in range(files + 1)]
            for number, (start, end) in enumerate(pairwise(ends)):
                if end > start:
                    piece = folder / name / f"{name}-{number:06}.parquet"
                    pq.write_table(table.slice(start, end - start), piece, compression="zstd")
        return "{}"

    _once(folder, make)
    return Log(folder / "rounds", folder / "wagers", log.round_count, log.wager_count)


def make_csv(log: Log, folder: Path) -> Log:
    """The same rows as two CSV files: money as decimal text, instants with their offset."""

    def make() -> str:
        for name, path in (("rounds", log.rounds), ("wagers", log.wagers)):
            source = pq.ParquetFile(path)
            out: pa_csv.CSVWriter | None = None
            for batch in source.iter_batches():
                text = _as_text(batch)
                if out is None:
                    style = pa_csv.WriteOptions(quoting_style="none")
                    out = pa_csv.CSVWriter(folder / f"{name}.csv", text.schema, write_options=style)
                out.write_batch(text)
            if out is not None:
                out.close()
        return "{}"

    _once(folder, make)
    return Log(folder / "rounds.csv", folder / "wagers.csv", log.round_count, log.wager_count)


def _as_text(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Columns as a house's export prints them."""
    columns = []
    for column in batch.columns:
        if pa.types.is_timestamp(column.type):
            seconds = pc.local_timestamp(column).cast(pa.timestamp("s"))
            columns.append(pc.strftime(seconds, format="%Y-%m-%dT%H:%M:%S+08:00"))
        else:
            columns.append(column.cast(pa.string()))
    return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)


def files_of(log: Log) -> list[Path]:
    """Every file of a log."""
    found: list[Path] = []
    for path in (log.rounds, log.wagers):
        found += sorted(path.iterdir()) if path.is_dir() else [path]
    return found


def warm(paths: Iterable[Path]) -> None:
    """Read files into the page cache, so that the first turn is like the others."""
    for path in paths:
        with path.open("rb") as file:
            while file.read(1 << 24):
                pass
