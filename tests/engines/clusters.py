"""A scheduler and workers of its own for a test, on this machine only, and logs cut up as a cluster reads them."""

from __future__ import annotations

import datetime as dt
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from audit.demo import DemoFiles

_PATIENCE = 60


@dataclass
class Processes:
    """A scheduler and its workers; `address` is the scheduler's."""

    address: str
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)


@contextmanager
def processes(
    folder: Path, *, workers: int = 2, tls: Sequence[str] = (), preload: Path | None = None
) -> Iterator[Processes]:
    """Start them and end them; `tls` are options for all of them, `preload` a script that the workers run first."""
    folder.mkdir(parents=True, exist_ok=True)
    found = folder / "scheduler.json"
    common = ["--scheduler-file", str(found), "--host", "127.0.0.1", "--dashboard-address", "127.0.0.1:0", *tls]
    if tls:
        common += ["--protocol", "tls"]
    loaded = [] if preload is None else ["--preload", str(preload)]
    with ExitStack() as stack:
        stack.enter_context(_process("scheduler", "--port", "0", *common))
        _until(found.is_file)
        address = json.loads(found.read_text())["address"]
        started = Processes(address)
        own = ["--no-nanny", "--nthreads", "1", "--local-directory", str(folder), *loaded]
        for _ in range(workers):
            started.workers.append(stack.enter_context(_process("worker", *common, *own)))
        yield started


@contextmanager
def _process(what: str, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-W", "ignore", "-m", f"distributed.cli.dask_{what}", *arguments]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.kill()


def _until(done: Any) -> None:
    for _ in range(_PATIENCE * 20):
        if done():
            return
        time.sleep(0.05)
    raise TimeoutError(done)


# --- logs


def texts(path: Path) -> pa.Table:
    """A CSV file as columns of text, empty cells as null."""
    names = path.read_text("utf-8").partition("\n")[0].split(",")
    options = pacsv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=True)
    return pacsv.read_csv(path, convert_options=options)


def put(table: pa.Table, column: str, value: str) -> pa.Table:
    """The table with one text in every row of a column."""
    filled = pa.array([value] * len(table), pa.string())
    return table.set_column(table.schema.get_field_index(column), column, filled)


def several(table: pa.Table, folder: Path, seed: int, *, files: int = 3, group: int = 97) -> Path:
    """The rows in another order, in Parquet files of unequal size with row groups of `group` rows."""
    folder.mkdir(parents=True)
    order = np.random.default_rng(seed).permutation(len(table))
    cuts = [0, *(len(table) * (n + 1) ** 2 // files**2 for n in range(files))]
    for number in range(files):
        rows = table.take(pa.array(order[cuts[number] : cuts[number + 1]]))
        pq.write_table(rows, folder / f"part-{number}.parquet", row_group_size=group)
    return folder


def in_order(table: pa.Table, column: str, folder: Path, *, group: int = 97) -> Path:
    """The rows in the order of a column, the first of those that share an id, in one file of several row groups."""
    folder.mkdir(parents=True)
    first = dict(zip(reversed(table.column(0).to_pylist()), reversed(range(len(table))), strict=True))
    rows = table.take(pa.array(sorted(first.values()))).sort_by(
        [(column, "ascending"), (table.schema.names[0], "ascending")]
    )
    pq.write_table(rows, folder / "all.parquet", row_group_size=group)
    return folder


def faulty(files: DemoFiles) -> tuple[pa.Table, pa.Table]:
    """Rounds and wagers of the made-up day with repeats, conflicts, rows that cannot be read, and wagers of nowhere."""
    rounds, wagers = texts(files.rounds), texts(files.wagers)
    more_rounds = [
        rounds.slice(10, 5),
        rounds.slice(10, 2),
        put(rounds.slice(200, 4), "outcome", "tie"),
        put(rounds.slice(200, 1), "outcome", "banker"),
        put(put(rounds.slice(300, 1), "round_id", "BAD-1"), "started_at", "yesterday"),
    ]
    unread = put(wagers.slice(50, 3), "round_id", "BAD-1")
    nowhere = put(wagers.slice(90, 4), "round_id", "NOWHERE")
    more_wagers = [
        wagers.slice(100, 20),
        put(wagers.slice(500, 6), "payout", "12345.00"),
        put(put(wagers.slice(700, 1), "wager_id", "W-BAD"), "stake", "much"),
        _named(unread, "W-UNREAD"),
        _named(nowhere, "W-NOWHERE"),
        put(_named(nowhere.slice(0, 1), "W-NOWHERE"), "stake", "777.00"),
    ]
    return pa.concat_tables([rounds, *more_rounds]), pa.concat_tables([wagers, *more_wagers])


def _named(wagers: pa.Table, prefix: str) -> pa.Table:
    names = pa.array([f"{prefix}-{n}" for n in range(len(wagers))], pa.string())
    return wagers.set_column(0, "wager_id", names)


def two_days(files: DemoFiles) -> tuple[pa.Table, pa.Table]:
    """Rounds and wagers of the made-up day, and the same again under other names a day later."""
    tables = []
    for path, moments in ((files.rounds, ("started_at", "ended_at")), (files.wagers, ("placed_at",))):
        first = texts(path)
        then = first
        for name in ("round_id", "wager_id", "shoe_id"):
            if name in first.schema.names:
                then = _changed(then, name, lambda text: f"X{text}")
        for name in moments:
            then = _changed(then, name, _a_day_later)
        tables.append(pa.concat_tables([first, then]))
    return tables[0], tables[1]


def _changed(table: pa.Table, column: str, how: Any) -> pa.Table:
    cells = [None if text is None else how(text) for text in table[column].to_pylist()]
    return table.set_column(table.schema.get_field_index(column), column, pa.array(cells, pa.string()))


def _a_day_later(text: str) -> str:
    try:
        return (dt.datetime.fromisoformat(text) + dt.timedelta(days=1)).isoformat()
    except ValueError:
        return text


def hive(rounds: pa.Table, wagers: pa.Table, folder: Path) -> tuple[Path, Path]:
    """The log in folders by house, day and table; a wager lies where its round lies."""
    place = {
        name: (day[:10], table)
        for name, day, table in zip(
            *(rounds[c].to_pylist() for c in ("round_id", "started_at", "table_id")), strict=True
        )
    }
    out = []
    for role, table in (("rounds", rounds), ("wagers", wagers)):
        places = [place.get(name, min(place.values())) for name in table["round_id"].to_pylist()]
        for day, name in sorted(set(places)):
            here = folder / role / "casino=DEMO" / f"day={day}" / f"table={name}"
            here.mkdir(parents=True)
            rows = table.filter(pa.array([each == (day, name) for each in places]))
            pq.write_table(
                rows.drop_columns([c for c in ("casino", "table_id") if c in rows.schema.names]),
                here / "part-0.parquet",
            )
        out.append(folder / role)
    return out[0], out[1]


def move_one(wagers: Path) -> None:
    """One wager of a log in folders goes to the folder of another table."""
    first, second, *_ = sorted(wagers.rglob("*.parquet"))
    rows, others = pq.read_table(first, partitioning=None), pq.read_table(second, partitioning=None)
    pq.write_table(rows.slice(1), first)
    pq.write_table(pa.concat_tables([others, rows.slice(0, 1)]), second)
    assert pc.count(rows["wager_id"]).as_py() > 1
