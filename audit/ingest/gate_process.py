"""The data gate in a process of its own, which gets ready while the rows are still being read.

Importing the library costs seconds of pure Python. A helper process does it beside the reading, and takes the library's
memory with it when it ends. Where no process can be had, the gate runs in this one: the answers are the same.

Run as a module this is the helper: it answers one pickled question after another from its parent's pipe, and ends when
the pipe does.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

import pyarrow as pa

from audit.errors import AuditError, MachineFailure
from audit.ingest.gate import GateResult
from audit.ingest.profile import Fact
from audit.ingest.validate import import_library, run_gate


class GateProcess:
    """A gate that is warming up: make one before the reading, ask it afterwards, close it (or use ``with``)."""

    def __init__(self) -> None:
        self._helper = subprocess.Popen(
            [sys.executable, "-P", "-m", "audit.ingest.gate_process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    @property
    def pid(self) -> int:
        """The helper's process."""
        return self._helper.pid

    def run(
        self,
        samples: Mapping[str, pa.Table],
        profiles: Mapping[str, Mapping[str, Fact]],
        suites_dir: Path | None = None,
    ) -> GateResult:
        """As :func:`audit.ingest.validate.run_gate`, with the same errors."""
        to_helper, from_helper = self._helper.stdin, self._helper.stdout
        if to_helper is None or from_helper is None:
            return run_gate(samples, profiles, suites_dir)
        try:
            pickle.dump((dict(samples), dict(profiles), suites_dir), to_helper)
            to_helper.flush()
            answer = pickle.load(from_helper)  # noqa: S301 - our own helper, at the end of our own pipe
        except (EOFError, OSError, pickle.UnpicklingError):
            # The helper was killed or could not start, which says nothing of the data.
            return run_gate(samples, profiles, suites_dir)
        if isinstance(answer, AuditError):
            raise answer
        if not isinstance(answer, GateResult):
            raise MachineFailure("the data gate gave no answer")
        return answer

    def close(self) -> None:
        """Let the helper go, finished or not: it holds nothing that needs saving."""
        self._helper.kill()
        for pipe in (self._helper.stdin, self._helper.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:
                    continue
        self._helper.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def serve(questions: BinaryIO, answers: BinaryIO) -> None:
    """The helper's life: import, then answer each question with a result or the error that it raised."""
    import_library()
    while True:
        try:
            samples, profiles, suites_dir = pickle.load(questions)  # noqa: S301 - from the parent that started this one
        except EOFError:
            return
        try:
            answer: GateResult | AuditError = run_gate(samples, profiles, suites_dir)
        except AuditError as error:
            answer = error
        pickle.dump(answer, answers)
        answers.flush()


if __name__ == "__main__":
    # Whatever the library prints must not mix with the answers.
    with os.fdopen(os.dup(1), "wb") as pipe:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        serve(sys.stdin.buffer, pipe)
