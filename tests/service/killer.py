"""Kills the service at its n-th step, for every n, each time in a process of its own that is forked here.

A step is whatever leaves a trace on the disk or in the ledger: a file opened to be written, made, renamed, removed; a
statement to the ledger, a commit. Forking spares each of some hundred processes the import of the libraries; nothing
here may start a thread before the forks.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import alembic.autogenerate  # noqa: F401  imported once, here, for all the processes that are forked
import pandas as pd  # noqa: F401  as above
import sqlalchemy as sa

from audit.service.schedule import serve
from audit.store.ledger import Ledger

if __name__ == "__main__":
    import fakes
else:
    from tests.service import fakes

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
EVENTS = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate", "sqlite3.connect"}
DAYS = ("2024-03-04",)


class Steps:
    """Counts the steps that touch `base`, and dies at one of them."""

    def __init__(self, base: Path, fatal: int) -> None:
        self.base, self.fatal, self.count = str(base), fatal, 0

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        """One audit event of the interpreter."""
        touches = event in EVENTS or (event == "open" and isinstance(arguments[2], int) and arguments[2] & WRITING)
        if touches and self.base in str(arguments[0]):
            self.step()

    def step(self, *_: object, **__: object) -> None:
        """Count, and die where it is time."""
        self.count += 1
        if self.count == self.fatal:
            os.kill(os.getpid(), signal.SIGKILL)


def forked(work: Callable[[], int]) -> int:
    """The exit status of `work` in a process of its own: its result, or minus the signal that killed it."""
    child = os.fork()
    if child == 0:
        code = 99
        try:
            code = work()
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def one_pass(base: Path, fatal: int = 0) -> int:
    """One pass over the inbox, that dies at the step `fatal`."""
    settings = fakes.settings(base, notify={"webhook": "http://127.0.0.1:9/", "threshold": "high"})
    if fatal:
        steps = Steps(base, fatal)
        sys.addaudithook(steps)
        for name in ("before_cursor_execute", "after_cursor_execute", "commit"):
            sa.event.listen(sa.Engine, name, steps.step)
    return serve(settings, once=True, runner=fakes.Runner(findings=3), clock=lambda: fakes.NOW)


def faults(base: Path) -> list[str]:
    """What is wrong after the pass that was to heal; empty where all is as if nothing had been killed."""
    audits = base / "audits"
    with closing(Ledger.open(f"sqlite:///{audits}/ledger.sqlite")) as ledger:
        found = list(ledger.verify_chain(audits))
        runs = [(str(entry.gaming_day), entry.attempt, entry.findings) for entry in ledger.entries("run")]
        if runs != [(day, 1, 3) for day in DAYS]:
            found.append(f"runs {runs}")
        others = [entry.kind for entry in ledger.entries() if entry.kind != "run"]
        if others:
            found.append(f"entries {others}")
    if (audits / ".work" / "run").exists():
        found.append("half a run is left")
    found += [
        f"{folder.name} is not whole"
        for folder in audits.glob("grand/*/*")
        if sorted(path.name for path in folder.iterdir()) != ["findings.parquet", "manifest.json"]
    ]
    told = sorted(json.loads(path.read_bytes())["facts"]["gaming_day"] for path in (audits / OUTBOX).glob("*.json"))
    if sorted(set(told)) != list(DAYS):
        found.append(f"told of {told}")
    return found


OUTBOX = "ledger.sqlite.outbox"


def whole(base: Path) -> bool:
    """Whether what stands in its place after a kill is whole: no half-written run, no half-written state."""
    for folder in base.glob("audits/grand/*/*"):
        if not {"findings.parquet", "manifest.json"} <= {path.name for path in folder.iterdir()}:
            return False
        json.loads((folder / "manifest.json").read_text())
    for path in [*base.glob("audits/*.json"), *base.glob(f"audits/{OUTBOX}/*.json")]:
        json.loads(path.read_text())
    return True


def main(base: Path, stride: int) -> int:
    """Walk the steps, every one or one in `stride`; print how many there were and what went wrong."""
    report: dict[str, Any] = {"steps": 0, "faults": {}}
    for number in range(1, 1_000, stride):
        here = base / str(number)
        here.mkdir()
        for day in DAYS:
            fakes.deliver(here, day)
        status = forked(lambda here=here, number=number: one_pass(here, number))
        if status == -signal.SIGKILL and not whole(here):
            report["faults"][number] = ["something half-written was left"]
        healed = forked(lambda here=here: heal(here))
        if healed:
            said = here / "said"
            report["faults"].setdefault(number, []).extend(json.loads(said.read_text()) if said.exists() else [healed])
        shutil.rmtree(here)
        if status != -signal.SIGKILL:
            report["steps"] = number - stride
            report["last"] = status
            break
    print(json.dumps(report))  # noqa: T201
    return 0


def heal(base: Path) -> int:
    """The pass after the kill; 0 where it leaves everything as it should be."""
    code = one_pass(base)
    found = [*([f"exit code {code}"] if code else []), *faults(base)]
    (base / "said").write_text(json.dumps(found))
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), int(sys.argv[2])))
