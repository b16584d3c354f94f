"""Time a command as a whole process: wall and CPU seconds, and the highest memory of its process tree."""

from __future__ import annotations

import os
import platform
import resource
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path

import psutil

SAMPLE_SECONDS = 0.2
VERSIONS = ("dicj-audit", "pyarrow", "numpy", "duckdb")


@dataclass
class Measure:
    """What one program took: wall and CPU seconds of each timed turn, the highest memory seen in another, in bytes.

    CPU seconds are those of the process and of every descendant that it waited for.
    """

    seconds: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    peak: int = 0

    @property
    def best_turn(self) -> int:
        """The number of the quickest turn, from 0."""
        return self.seconds.index(min(self.seconds))

    @property
    def best(self) -> float:
        """The wall seconds of the quickest turn."""
        return self.seconds[self.best_turn]

    @property
    def best_cpu(self) -> float:
        """The CPU seconds of the quickest turn."""
        return self.cpu[self.best_turn]


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


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measured(command: Sequence[str | Path], into: Measure, *, weigh: bool = False, accept: Sequence[int] = (0,)) -> str:
    """Run a command, note the time it took in `into`, or where it is to be weighed its memory; return what it printed.

    Looking at the memory of a process holds it up, the more of it there is: a turn that is weighed is not timed.
    Nothing else may be started meanwhile. Raises `SystemExit` with the command's own words where it ends with a status
    not in `accept`.
    """
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        used, start = _cpu_of_children(), time.perf_counter()
        child = subprocess.Popen(
            [str(part) for part in command], stdout=output, stderr=errors, stdin=subprocess.DEVNULL
        )
        done = threading.Event()

        def watch() -> None:
            try:
                process = psutil.Process(child.pid)
            except psutil.NoSuchProcess:
                return
            while not done.wait(SAMPLE_SECONDS):
                into.peak = max(into.peak, memory_of_tree(process))

        if weigh:
            watcher = threading.Thread(target=watch, daemon=True)
            watcher.start()
            status = child.wait()
            done.set()
            watcher.join()
        else:
            status = child.wait()
            into.seconds.append(time.perf_counter() - start)
            into.cpu.append(_cpu_of_children() - used)
        output.seek(0)
        errors.seek(0)
        if status not in accept:
            raise SystemExit(f"{Path(command[0]).name} ended with {status}: {errors.read().strip()[-2000:]}")
        return output.read().strip()


def machine() -> list[str]:
    """The machine in words that name nobody's: cores, memory, processor, system, versions."""
    processor = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = cpuinfo.read_text("utf-8").splitlines()
        processor = next((line.partition(":")[2].strip() for line in lines if "model name" in line), processor)
    memory = psutil.virtual_memory().total / 2**30
    return [
        f"- {len(os.sched_getaffinity(0))} cores ({processor}), {memory:.0f} GiB of memory",
        f"- {platform.system()} {platform.machine()}, Python {platform.python_version()}",
        "- " + ", ".join(f"{name} {metadata.version(name)}" for name in VERSIONS),
    ]
