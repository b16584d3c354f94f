"""Settings of the process for an audit: how memory and garbage are kept, and what the audit took."""

from __future__ import annotations

import ctypes
import gc
import json
import os
import resource
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from audit.base.errors import UsageError

_TRIM_THRESHOLD: Final = -1
_MMAP_THRESHOLD: Final = -3
_KEEP: Final = 1 << 26

_YOUNG: Final = 50_000
"""Objects made before a search for garbage: an audit makes millions that live on, and hardly any cycle."""


@contextmanager
def settled() -> Iterator[None]:
    """Keep the memory of arrays that are let go, which the next batch needs again; search for garbage less often.

    Giving every array's pages back to the system and fetching them again costs a fifth of an audit's time.
    """
    os.environ.setdefault("MIMALLOC_PURGE_DELAY", "-1")  # of Arrow's allocator, which looks when it is loaded
    _keep_memory()
    before = gc.get_threshold()
    gc.set_threshold(_YOUNG, 20, 100)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _keep_memory() -> None:
    try:
        mallopt = ctypes.CDLL(None).mallopt  # of the GNU C library; elsewhere there is nothing to set
    except (AttributeError, OSError):
        return
    mallopt(_MMAP_THRESHOLD, _KEEP)
    mallopt(_TRIM_THRESHOLD, _KEEP)


def claim(path: Path) -> None:
    """Make a file that is to be written at the end; UsageError now, and not then, where that cannot be."""
    try:
        with path.open("a"):
            return
    except OSError as error:
        raise UsageError(f"--timings {path} cannot be written ({error.strerror})") from error


def write_timings(path: Path, steps: Sequence[dict[str, Any]], begun: float) -> None:
    """Write what an audit took as JSON: processor seconds by step, and of the process and its children altogether.

    `begun` is the moment of `time.perf_counter` when the command began. The file is no part of the run.
    """
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    taken = {
        "steps": list(steps),
        "wall": round(time.perf_counter() - begun, 3),
        "cpu": round(time.process_time(), 3),
        "children_cpu": round(children.ru_utime + children.ru_stime, 3),
    }
    path.write_text(json.dumps(taken, indent=1) + "\n", encoding="utf-8")
