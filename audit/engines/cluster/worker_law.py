"""The law as it travels to the workers, and what each of their threads keeps from part to part."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

import pyarrow as pa

import audit
from audit.base.errors import MachineFailure
from audit.catalogue import catalogue
from audit.config.settings import Settings
from audit.engines.assignment import Inputs, Law
from audit.engines.part import Days, EventBook, SharedState
from audit.engines.timings import StepTimes
from audit.games.paytable import Paytable
from audit.register.approval import Approval
from audit.register.register import Register
from audit.replay.repeats import Conflicts
from audit.rulebook import Rulebook
from audit.source.profiles import SourceProfile


@dataclass(frozen=True)
class Build:
    """Which program and which rulebook a process has."""

    version: str
    rulebook: str

    @classmethod
    def here(cls) -> Build:
        """That of this process."""
        return cls(audit.__version__, rulebook().digest)

    def check(self) -> None:
        """Raise MachineFailure where this process is of another build than the one that asks."""
        here = self.here()
        if here != self:
            what = "version" if here.version != self.version else "rulebook"
            mine, theirs = (each.version if what == "version" else each.rulebook[:12] for each in (self, here))
            raise MachineFailure(f"a worker has another {what} of dicj-audit ({theirs}) than this machine ({mine})")


@cache
def rulebook() -> Rulebook:
    """The rulebook, read once a process."""
    return Rulebook.load()


@dataclass(frozen=True)
class Context:
    """What a worker judges by; small, picklable, and known by `token`.

    `files` are the names of the files by role, in the order of reading. Of the rows in conflict only the round is kept.
    """

    build: Build
    settings: Settings
    approvals: tuple[Approval, ...] | None
    paytables: Mapping[str, Paytable]
    profile: SourceProfile
    files: Mapping[str, tuple[str, ...]]
    days: Days
    with_wagers: bool
    events: EventBook
    conflicts: Mapping[str, Conflicts]
    token: str = field(default_factory=lambda: uuid.uuid4().hex)

    @classmethod
    def of(cls, inputs: Inputs, shared: SharedState) -> Context:
        """That of a run, whose events and conflicts are known already."""
        law = shared.law
        return cls(
            build=Build(audit.__version__, law.rulebook.digest),
            settings=law.settings,
            approvals=None if law.register is None else law.register.approvals,
            paytables=dict(law.paytables),
            profile=inputs.profile,
            files={role: tuple(f.name for f in getattr(inputs, role)) for role in ("rounds", "wagers")},
            days=shared.days,
            with_wagers=shared.with_wagers,
            events=shared.events,
            conflicts={role: _light(each) for role, each in shared.conflicts.items()},
        )


def _light(conflicts: Conflicts) -> Conflicts:
    """The conflicts without the content of the rows, but for the round of a wager."""
    kept = {}
    for name in conflicts.other:
        row, file, number = conflicts.kept[name]
        light = pa.RecordBatch.from_pylist([{"round_id": row["round_id"][0].as_py()}])
        kept[name] = (light, file, number)
    return Conflicts(kept, conflicts.other)


_STATES: Final = threading.local()


def shared_of(context: Context) -> tuple[SharedState, list[pa.RecordBatch]]:
    """What this thread keeps for the run, and the list that takes the findings of the part that begins now.

    Raises MachineFailure where this worker is of another build.
    """
    shared: SharedState | None = getattr(_STATES, "shared", None)
    if shared is None or _STATES.token != context.token:
        context.build.check()
        register = None if context.approvals is None else Register(context.approvals)
        law = Law(rulebook(), register, context.paytables, context.settings, catalogue.load())
        shared = SharedState(law, context.days, _nowhere, context.with_wagers, context.events, dict(context.conflicts))
        _STATES.shared, _STATES.token = shared, context.token
    findings: list[pa.RecordBatch] = []
    shared.take, shared.steps = findings.append, StepTimes()
    return shared, findings


def _nowhere(batch: pa.RecordBatch) -> None:
    raise AssertionError(batch)


def packed(findings: list[pa.RecordBatch]) -> Any:
    """The findings of a part in one piece of its own memory, None where there are none."""
    return pa.concat_batches(findings) if findings else None
