"""What the engine on a cluster is made of: pieces of the input, the law at the workers, ways to lay out the work."""

from __future__ import annotations

import os


def processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
