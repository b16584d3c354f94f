"""Where an audit's time goes: processor seconds by step, for who asks; no result depends on it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any


class _Inner(threading.local):
    """For each thread the seconds of the steps within the step that it is in."""

    def __init__(self) -> None:
        self.seconds = [0.0]


@dataclass
class StepTimes:
    """Processor seconds and rows by step, of the thread that takes the step (a step within a step counts there only).

    What other threads do meanwhile, reading and decoding above all, is the rest of the process's time.
    """

    seconds: dict[str, float] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)
    _threads: _Inner = field(default_factory=_Inner)

    @contextmanager
    def step(self, name: str, rows: int = 0) -> Iterator[None]:
        """Count the time inside as that of the step `name`, which looks at `rows` rows."""
        inner = self._threads.seconds
        inner.append(0.0)
        begun = time.thread_time()
        try:
            yield
        finally:
            took = time.thread_time() - begun
            self.seconds[name] = self.seconds.get(name, 0.0) + took - inner.pop()
            inner[-1] += took
            self.rows[name] = self.rows.get(name, 0) + rows

    def __reduce__(self) -> tuple[Any, ...]:
        """The numbers alone: to another process."""
        return StepTimes, (self.seconds, self.rows)

    def add(self, other: StepTimes) -> None:
        """Add the seconds and rows of another process."""
        for name, seconds in other.seconds.items():
            self.seconds[name] = self.seconds.get(name, 0.0) + seconds
            self.rows[name] = self.rows.get(name, 0) + other.rows[name]

    def listed(self) -> list[dict[str, Any]]:
        """The steps as rows, in the order of their first time."""
        return [
            {"step": name, "seconds": round(seconds, 3), "rows": self.rows[name]}
            for name, seconds in self.seconds.items()
        ]
