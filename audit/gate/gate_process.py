"""The data gate in a process of its own, which gets ready while the rows are still being read.

Importing the library costs seconds of pure Python. A helper process does it beside the reading, and takes the library's
memory with it when it ends. It is lean: it imports what a gate over tables needs (:mod:`audit.base.lean_import`), and
where that does not suffice it has the question answered by a helper with all of the library. Where no process can be
had, the gate runs in this one: the answers are the same. Measured with one shoe: 2.3 s instead of 6.9 s in one process.

Run as a module this is the helper: it answers one question after another from its parent's pipe, and ends when the pipe
does. Nothing heavy is imported at the top, so that a parent can start it before anything else.
"""

from __future__ import annotations

import gc
import os
import pickle
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO, Final, Self

from audit.base.errors import AuditError, MachineFailure

if TYPE_CHECKING:
    import pyarrow as pa

    from audit.gate.answers import Answer, GateResult
    from audit.gate.facts import Fact

    Question = tuple[Mapping[str, pa.Table], Mapping[str, Mapping[str, Fact]], Path | None]

_WHOLE: Final = "--whole"

_GONE: Final = (EOFError, OSError, pickle.UnpicklingError)
"""What shows that the helper was killed or could not start, which says nothing of the data."""


class GateProcess:
    """A gate that is warming up: make one before the reading, ask it afterwards, close it (or use ``with``).

    `lean=False` has the helper import all of the library.
    """

    def __init__(self, *, lean: bool = True) -> None:
        command = [sys.executable, "-P", "-m", "audit.gate.gate_process", *(() if lean else (_WHOLE,))]
        self._helper: subprocess.Popen[bytes] | None = None
        self._foreseen: dict[str, Future[pa.Table | None]] = {}
        self._pool = ThreadPoolExecutor(1, "gate")
        with suppress(OSError):  # no memory for a process, or no right to one
            self._helper = subprocess.Popen(  # noqa: S603 - this interpreter and this module
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )

    @property
    def pid(self) -> int:
        """The helper's process; ProcessLookupError where none could be had."""
        if self._helper is None:
            raise ProcessLookupError("the data gate has no process of its own")
        return self._helper.pid

    def foresee(self, role: str, sample: pa.Table) -> None:
        """Have the first rows of a table judged while the rest is read; `ask` takes the answers for the same rows.

        It does not wait: the rows go to the helper in another thread, once for each role.
        """
        if self._helper is not None and role not in self._foreseen:
            self._foreseen[role] = self._pool.submit(self._ask_early, role, sample)

    def _ask_early(self, role: str, sample: pa.Table) -> pa.Table | None:
        """Put the question about the rows alone; the answer is the rows that it is about (None: of no suite)."""
        from audit.gate.judged_columns import cut
        from audit.gate.suites import list_suites
        from audit.gate.validate import SAMPLE_ROWS

        judged = cut({role: sample}, list_suites(None), SAMPLE_ROWS)
        self._put(judged, {}, None)
        return judged.get(role)

    def _put(
        self, judged: Mapping[str, pa.Table], profiles: Mapping[str, Mapping[str, Fact]], suites_dir: Path | None
    ) -> None:
        from audit.base.known_games import added_games

        if self._helper is None or self._helper.stdin is None:
            raise EOFError
        packed = {role: _packed(table) for role, table in judged.items()}
        pickle.dump((packed, dict(profiles), suites_dir, added_games()), self._helper.stdin)
        self._helper.stdin.flush()

    def _get(self) -> GateResult | AuditError:
        """The next answer; raises EOFError, OSError or UnpicklingError where the helper is no more."""
        from audit.gate.answers import GateResult

        if self._helper is None or self._helper.stdout is None:
            raise EOFError
        answer = pickle.load(self._helper.stdout)  # noqa: S301 - our own helper, at the end of our own pipe
        if not isinstance(answer, GateResult | AuditError):
            raise MachineFailure("the data gate gave no answer")
        return answer

    def _known(self, judged: Mapping[str, pa.Table]) -> dict[str, GateResult]:
        """The answers that were asked for early, of those tables whose rows are the same now.

        Raises EOFError where a question was not put, or not whole: what comes through the pipe then answers nothing.
        """
        from audit.gate.answers import GateResult

        known = {}
        for role, asked in self._foreseen.items():
            if asked.exception() is not None:
                raise EOFError
            rows = asked.result()
            answer = self._get()
            if rows is not None and role in judged and isinstance(answer, GateResult) and rows.equals(judged[role]):
                known[role] = answer
        self._foreseen.clear()
        return known

    def ask(
        self,
        samples: Mapping[str, pa.Table],
        profiles: Mapping[str, Mapping[str, Fact]],
        suites_dir: Path | None = None,
    ) -> Answer:
        """Put the question now; called, the answer is that of :func:`audit.gate.validate.run_gate`, or its error.

        No other question may be put before the answer is called for.
        """
        from audit.gate.judged_columns import cut
        from audit.gate.suites import list_suites
        from audit.gate.validate import SAMPLE_ROWS, run_gate

        suites = list_suites(suites_dir)
        judged = cut(samples, suites, SAMPLE_ROWS)
        here = partial(run_gate, samples, profiles, suites_dir)
        try:
            known = self._known(judged if suites_dir is None else {})
            self._put({role: rows for role, rows in judged.items() if role not in known}, profiles, suites_dir)
        except _GONE:
            return here
        return partial(self._answered, known, [suite.name for suite in suites], here)

    def _answered(self, known: Mapping[str, GateResult], suites: Sequence[str], here: Answer) -> GateResult:
        """The helper's answer together with those known before, in the order of the `suites`."""
        from audit.gate.answers import joined

        try:
            answer = self._get()
        except _GONE:
            return here()
        if isinstance(answer, AuditError):
            raise answer
        return joined([*known.values(), answer], suites)

    def run(
        self,
        samples: Mapping[str, pa.Table],
        profiles: Mapping[str, Mapping[str, Fact]],
        suites_dir: Path | None = None,
    ) -> GateResult:
        """Ask, and wait for the answer."""
        return self.ask(samples, profiles, suites_dir)()

    def close(self) -> None:
        """Let the helper go, finished or not: it holds nothing that needs saving."""
        if self._helper is None:
            return
        self._helper.kill()
        self._pool.shutdown(cancel_futures=True)
        for pipe in (self._helper.stdin, self._helper.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        self._helper.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _packed(table: pa.Table) -> pa.Buffer:
    """The table as an Arrow stream; pickled as it is, a slice would take all that it was cut from along."""
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return sink.getvalue()


def serve(questions: BinaryIO, answers: BinaryIO, *, lean: bool = True) -> None:
    """The helper's life: import, then answer each question with a result or the error that it raised."""
    _get_ready(lean=lean)
    import pyarrow as pa

    from audit.base.known_games import known

    while True:
        try:
            packed, profiles, suites_dir, games = pickle.load(questions)  # noqa: S301 - from the parent of this one
        except EOFError:
            return
        samples = {role: pa.ipc.open_stream(buffer).read_all() for role, buffer in packed.items()}
        with known(*games):
            answer = _answer((samples, profiles, suites_dir), lean=lean)
        pickle.dump(answer, answers)
        answers.flush()


def _get_ready(*, lean: bool) -> None:
    from audit.base.lean_import import lean_imports
    from audit.gate.validate import import_library

    # What is imported stays: looking through it for garbage, now and later, would be for nothing.
    gc.disable()
    if lean:
        with lean_imports():
            import_library()
    else:
        import_library()
    gc.freeze()
    gc.enable()


def _answer(question: Question, *, lean: bool) -> GateResult | AuditError:
    from audit.gate.validate import run_gate

    try:
        result = run_gate(*question)
    except Exception as error:
        if not lean:
            if isinstance(error, AuditError):
                return error
            raise
    else:
        if not lean or not result.errors:
            return result
    # Something did not work, and it may be what was not imported: the whole library has the last word.
    try:
        with GateProcess(lean=False) as whole:
            return whole.run(*question)
    except AuditError as error:
        return error


if __name__ == "__main__":
    # Whatever the library prints must not mix with the answers.
    with os.fdopen(os.dup(1), "wb") as pipe:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        serve(sys.stdin.buffer, pipe, lean=_WHOLE not in sys.argv)
