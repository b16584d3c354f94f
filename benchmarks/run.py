"""Measure a whole `dicj-audit run` beside two rivals on the same files, and write benchmarks/RESULTS.md.

The rivals are two scripts kept beside the project, with the generator of the logs: `read_only.py`, which only reads
every column, and `duckdb_sql.py`, which does three of the checks in one query. All are timed as whole processes,
start-up included, in turns, and the best of the rounds counts. Memory is that of the process and its children, shared
pages divided among those who share them (PSS), sampled five times a second.

    .venv/bin/python benchmarks/run.py --rounds 2e6 8e6 --keep LOGS
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parents[1]
COMMAND = Path(sys.executable).parent / "dicj-audit"
SAMPLE_SECONDS = 0.2
VERSIONS = ("dicj-audit", "pyarrow", "numpy", "duckdb")
TARGETS = (
    "Targets: `run` at most 1.5 x `read_only` and 1.0 x `duckdb_sql` (aim 1.0 and 0.7); peak memory at most 1.5 GiB."
)


@dataclass
class Measure:
    """What one program took: wall seconds of each round, and the highest memory seen, in bytes."""

    seconds: list[float] = field(default_factory=list)
    peak: int = 0

    @property
    def best(self) -> float:
        """The quickest round, in seconds."""
        return min(self.seconds)


def memory_of_tree(process: psutil.Process) -> int:
    """Bytes in use by a process and its descendants; those that ended meanwhile count nothing."""
    total = 0
    try:
        family = [process, *process.children(recursive=True)]
    except psutil.NoSuchProcess:
        return 0
    for member in family:
        try:
            total += member.memory_full_info().pss
        except psutil.Error:
            continue
    return total


def timed(command: Sequence[str | Path], into: Measure, *, accept: Sequence[int] = (0,)) -> str:
    """Run a command, note its time and memory in `into`, and return what it printed.

    Raises `SystemExit` with the command's own words where it ends with a status not in `accept`.
    """
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        start = time.perf_counter()
        child = subprocess.Popen(
            [str(part) for part in command], stdout=output, stderr=errors, stdin=subprocess.DEVNULL
        )
        done = threading.Event()

        def watch() -> None:
            process = psutil.Process(child.pid)
            while not done.wait(SAMPLE_SECONDS):
                into.peak = max(into.peak, memory_of_tree(process))

        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()
        status = child.wait()
        into.seconds.append(time.perf_counter() - start)
        done.set()
        watcher.join()
        output.seek(0)
        errors.seek(0)
        if status not in accept:
            raise SystemExit(f"{Path(command[0]).name} ended with {status}: {errors.read().strip()[-2000:]}")
        return output.read().strip()


def make_log(scripts: Path, folder: Path, rounds: int) -> str:
    """Write a log into `folder` unless it is there; return the counts of planted faults as printed."""
    planted = folder / "planted.txt"
    if not planted.exists():
        planted_text = timed([sys.executable, scripts / "make_log.py", folder, str(rounds)], Measure())
        planted.write_text(planted_text, "utf-8")
    for name in ("rounds.parquet", "wagers.parquet"):  # into the page cache, so that the first round is like the others
        with (folder / name).open("rb") as file:
            while file.read(1 << 24):
                pass
    return planted.read_text("utf-8")


def measure(scripts: Path, folder: Path, repeat: int) -> tuple[dict[str, Measure], dict[str, int]]:
    """Time the rivals and the audit on one log; return the measures and the audit's findings by code."""
    measures = {name: Measure() for name in ("read_only", "duckdb_sql", "run")}
    out = folder / "run"
    audit: list[str | Path] = [
        COMMAND,
        "run",
        "--rounds",
        folder / "rounds.parquet",
        "--wagers",
        folder / "wagers.parquet",
    ]
    for turn in range(repeat):
        shutil.rmtree(out, ignore_errors=True)
        print(f"  round {turn + 1} of {repeat}", file=sys.stderr)
        for name in ("read_only", "duckdb_sql"):
            timed([sys.executable, scripts / f"{name}.py", folder], measures[name])
        timed([*audit, "--no-report", "--out", out], measures["run"], accept=(0, 1))
    manifest = json.loads((out / "manifest.json").read_text("utf-8"))
    return measures, manifest["findings"]["by_code"]


def machine() -> list[str]:
    """The machine in words that name nobody's: cores, memory, processor, system, versions."""
    processor = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [
            line.partition(":")[2].strip() for line in cpuinfo.read_text("utf-8").splitlines() if "model name" in line
        ]
        processor = names[0] if names else processor
    memory = psutil.virtual_memory().total / 2**30
    return [
        f"- {len(os.sched_getaffinity(0))} cores ({processor}), {memory:.0f} GiB of memory",
        f"- {platform.system()} {platform.machine()}, Python {platform.python_version()}",
        "- " + ", ".join(f"{name} {metadata.version(name)}" for name in VERSIONS),
    ]


def table(rounds: int, wagers: int, measures: dict[str, Measure]) -> list[str]:
    """One size's measures as a table in Markdown."""
    reading, query = measures["read_only"].best, measures["duckdb_sql"].best
    lines = [
        f"### {rounds:,} rounds, {wagers:,} wagers",
        "",
        "| program | best, s | median, s | x read_only | x duckdb_sql | peak memory, MiB |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for name, took in measures.items():
        seconds = f"{took.best:.1f} | {statistics.median(took.seconds):.1f}"
        shares = f"{took.best / reading:.2f} | {took.best / query:.2f}"
        lines.append(f"| `{name}` | {seconds} | {shares} | {took.peak / 2**20:,.0f} |")
    return lines


@contextmanager
def folder_for_logs(keep: Path | None) -> Iterator[Path]:
    """The folder that keeps the logs for another time, or a temporary one."""
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        yield keep
        return
    with tempfile.TemporaryDirectory() as made:
        yield Path(made)


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    scripts = os.environ.get("DICJ_AUDIT_BENCH", str(ROOT.parent / "shared" / "bench"))
    parser.add_argument("--scripts", type=Path, default=Path(scripts), help="folder of make_log.py and the two rivals")
    parser.add_argument(
        "--rounds", type=lambda text: int(float(text)), nargs="+", default=[8_000_000], metavar="N", help="sizes"
    )
    parser.add_argument("--repeat", type=int, default=3, help="rounds of measuring; the best counts (default 3)")
    parser.add_argument("--keep", type=Path, help="folder for the logs, kept and used again (default: a temporary one)")
    parser.add_argument("--results", type=Path, default=ROOT / "benchmarks" / "RESULTS.md", help="file to write")
    return parser.parse_args()


def main() -> None:
    """Measure every size asked for, print the tables and write the results."""
    asked = arguments()
    for name in ("make_log.py", "read_only.py", "duckdb_sql.py"):
        if not (asked.scripts / name).is_file():
            raise SystemExit(f"{name} is not in the folder of the scripts: name it with --scripts or DICJ_AUDIT_BENCH")
    lines = [
        "# Benchmark",
        "",
        TARGETS,
        "",
        f"Measured on {dt.datetime.now(dt.UTC):%Y-%m-%d} by `benchmarks/run.py`:",
        "",
    ]
    lines += [*machine(), f"- best of {asked.repeat} rounds; files in the page cache"]
    with folder_for_logs(asked.keep) as logs:
        for rounds in sorted(asked.rounds):
            print(f"{rounds:,} rounds", file=sys.stderr)
            folder = logs / str(rounds)
            folder.mkdir(exist_ok=True)
            planted = make_log(asked.scripts, folder, rounds)
            measures, found = measure(asked.scripts, folder, asked.repeat)
            shown = ", ".join(f"{code} {count:,}" for code, count in sorted(found.items())) or "none"
            lines += ["", *table(rounds, rounds * 6, measures), "", f"Planted: `{planted}`. Found: {shown}."]
    text = "\n".join(lines) + "\n"
    print(text)
    asked.results.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
