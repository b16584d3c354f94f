"""What an audit took, for who asks with `--timings`; no part of the run."""

from __future__ import annotations

import json
import resource
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from audit.base.errors import UsageError


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
