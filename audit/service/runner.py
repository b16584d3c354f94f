"""How the service has a gaming day audited: by the same `run_audit()` as the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from audit.base.model import Severity
from audit.service.inbox import Delivery

if TYPE_CHECKING:
    from audit.config.settings import Settings


class Finished(Protocol):
    """What the service needs to know of a finished run; :class:`audit.pipeline.RunResult` has it."""

    @property
    def run_id(self) -> str:
        """The digest of inputs, configuration, rulebook and version."""

    @property
    def manifest(self) -> Mapping[str, Any]:
        """The content of the run's manifest.json."""

    @property
    def findings_total(self) -> int:
        """How many findings the run made."""

    @property
    def worst(self) -> Severity | None:
        """The gravest severity found, None without findings."""


Runner: TypeAlias = Callable[[Delivery, Path, Path | None], Finished]
"""Audits one delivery into a folder that does not exist yet; the third path is the run that it supersedes, if any.

Raises AuditError where it cannot.
"""


def pipeline_runner(settings: Settings) -> Runner:
    """The runner that the service uses outside of tests: the whole audit of that gaming day, with its PDF."""

    def run(delivery: Delivery, out: Path, previous: Path | None) -> Finished:
        from audit.pipeline import RunRequest, run_audit

        service = settings.service
        register = next(iter(delivery.files("approvals")), service.approvals)
        request = RunRequest(
            rounds=delivery.files("rounds"),
            wagers=delivery.files("wagers"),
            approvals=register,
            events=delivery.files("events"),
            source=service.profile_of(delivery.casino),
            # The folder says whose day it is; rows that name no casino are of this one.
            config=settings.model_copy(update={"casino": delivery.casino}),
            day=delivery.gaming_day,
            out=out,
            report=True,
            previous=previous,
        )
        return run_audit(request)

    return run
