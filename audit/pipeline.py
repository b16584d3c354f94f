"""One audit from files to a run directory: the only place where all the steps meet."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any, Final, Protocol

import pyarrow as pa

from audit.base.errors import InputRefused, MachineFailure, UsageError
from audit.base.model import Severity
from audit.catalogue import catalogue
from audit.config.settings import Settings
from audit.engines.assignment import Inputs, Law, Progress
from audit.engines.cluster.connect import Cluster
from audit.engines.local import Audited, audit_all
from audit.findings import table as finding_table
from audit.games.paytable_files import load_paytables
from audit.gate.answers import Answer, register_table
from audit.gate.facts import Fact
from audit.register.register import Register, load_register
from audit.register.sheets import register_files
from audit.rulebook import Rulebook
from audit.runs import manifest as manifests
from audit.runs.locations import remember
from audit.runs.staging import MANIFEST, REFUSED, Stage, sha256, staged
from audit.runs.superseding import superseded_id, supplement
from audit.source.profiles import CANONICAL, SourceProfile, load_profile
from audit.source.quarantine import SET_ASIDE
from audit.stores.files import SourceFile, resolve
from audit.stores.pruning import prune_inputs

ENGINES: Final = ("local", "dask")
_FEW: Final = 100


@dataclass(frozen=True)
class RunRequest:
    """What a run is asked to do; paths may be files, folders or globs.

    `day` names one gaming day, `first` and `last` bound a period; `max_quarantine` overrides the configuration's.
    `previous` is the directory of the run that this one supersedes, late or corrected data having arrived. `cluster` is
    where the engine "dask" has its workers.
    """

    rounds: Sequence[str | Path]
    out: Path
    wagers: Sequence[str | Path] = ()
    approvals: str | Path | None = None
    events: Sequence[str | Path] = ()
    source: str = "canonical"
    config: Settings = field(default_factory=Settings)
    day: dt.date | None = None
    first: dt.date | None = None
    last: dt.date | None = None
    report: bool = True
    engine: str = "local"
    cluster: Cluster = field(default_factory=Cluster)
    max_quarantine: Decimal | None = None
    previous: Path | None = None


@dataclass(frozen=True)
class RunResult:
    """What came of a run; `steps` say where the processor's time went."""

    run_id: str
    manifest: dict[str, Any]
    findings_total: int
    worst: Severity | None
    out: Path
    steps: list[dict[str, Any]] = field(default_factory=list)


def _silent(step: str, rows: int) -> None:
    """Progress for callers that do not show any."""


class DataGate(Protocol):
    """Runs the data gate; :class:`audit.gate.gate_process.GateProcess` does so in a process of its own."""

    def foresee(self, role: str, sample: pa.Table) -> None:
        """Hear of the first rows of a table, which may be judged at once; `ask` is told of them all the same."""

    def ask(self, samples: Mapping[str, pa.Table], profiles: Mapping[str, Mapping[str, Fact]]) -> Answer:
        """Have the first rows of each table and the facts about all of them judged, by when the answer is called."""


class GateHere:
    """The data gate in this process."""

    def foresee(self, role: str, sample: pa.Table) -> None:
        """Nothing is done ahead."""

    def ask(self, samples: Mapping[str, pa.Table], profiles: Mapping[str, Mapping[str, Fact]]) -> Answer:
        """As :func:`audit.gate.validate.run_gate`, when the answer is called."""
        from audit.gate.validate import run_gate

        return partial(run_gate, samples, profiles)


def run_audit(request: RunRequest, progress: Progress = _silent, gate: DataGate | None = None) -> RunResult:
    """Audit the inputs and write the run directory, the manifest last.

    Raises UsageError, ConfigurationError, InputRefused or MachineFailure; then nothing in the directory looks like a
    finished run (a refusal for too much quarantine leaves the quarantine).
    """
    if request.engine not in ENGINES:
        raise UsageError(f"the engine {request.engine!r} is not built; there is: {', '.join(ENGINES)}")
    if request.previous is not None:
        # Refused here already: it would be late to hear of it when the audit is done.
        superseded_id(request.previous)
    inputs = _inputs(request)
    entries = _register(request)
    law = Law(
        Rulebook.load(),
        None if entries is None else Register(entries),
        load_paytables(request.config.paytables),
        request.config,
        catalogue.load(),
    )
    register_files = () if request.approvals is None else resolve_register(request.approvals)
    gate = gate or GateHere()
    with staged(request.out) as stage, closing(_audit(request, inputs, law, progress, stage, gate)) as audited:
        _refuse_quarantine(audited, stage, request)
        answer = _asked(audited, law.register, gate)
        return _write(request, stage, audited, inputs, law, register_files, answer, progress)


def _audit(request: RunRequest, inputs: Inputs, law: Law, progress: Progress, stage: Stage, gate: DataGate) -> Audited:
    days = _days(request)
    if request.engine == "local":
        with _hashing(inputs):
            return audit_all(inputs, law, days, progress, stage.folder, gate.foresee)
    from audit.engines import dask

    return dask.audit_all(inputs, law, days, progress, request.cluster, stage.folder)


@contextmanager
def _hashing(inputs: Inputs) -> Iterator[None]:
    """Work the digests of the inputs out beside what is done meanwhile; each file keeps its own for the manifest.

    A file that cannot be read is the business of who reads it.
    """
    pool = ThreadPoolExecutor(1, "digests")
    try:
        files = dict.fromkeys((*inputs.rounds, *inputs.wagers, *inputs.events))
        if len(files) <= _FEW:  # of many small ones, handing them over would take longer than it spares
            for file in files:
                pool.submit(file.sha256)
        yield
    finally:
        pool.shutdown(cancel_futures=True)


def _days(request: RunRequest) -> tuple[dt.date | None, dt.date | None]:
    if request.day is not None:
        if request.first is not None or request.last is not None:
            raise UsageError("--day stands alone; --from and --to name a period")
        return request.day, request.day
    if request.first is not None and request.last is not None and request.last < request.first:
        raise UsageError("--to lies before --from")
    return request.first, request.last


def _inputs(request: RunRequest) -> Inputs:
    """The files by role; wagers and events that the profile finds in the files of the rounds need not be named."""
    profile = _profile(request.source)
    rounds = resolve([str(p) for p in request.rounds], "rounds")
    files: dict[str, tuple[SourceFile, ...]] = {}
    for role, given in (("wagers", request.wagers), ("events", request.events)):
        if given:
            files[role] = resolve([str(p) for p in given], role)
        else:
            files[role] = rounds if profile.embeds(role) else ()
    first, last = _days(request)
    before = (rounds, files["wagers"], files["events"])
    kept = before if first is None and last is None else prune_inputs(*before, first, last)
    roles = ("rounds", "wagers", "events")
    pruned = {role: len(b) - len(k) for role, b, k in zip(roles, before, kept, strict=True) if len(b) > len(k)}
    return Inputs(*kept, profile, pruned)


def _profile(source: str) -> SourceProfile:
    return CANONICAL if source == "canonical" else load_profile(source)


def _register(request: RunRequest) -> Any:
    return None if request.approvals is None else load_register(request.approvals)


def resolve_register(path: str | Path) -> tuple[SourceFile, ...]:
    """The files of a register, for the manifest."""
    return tuple(SourceFile(p, p.name) for p in register_files(path))


def _refuse_quarantine(audited: Audited, stage: Stage, request: RunRequest) -> None:
    """Exit 3 where more rows of a table than allowed could not be read (contract, judging rule 15)."""
    most = request.config.max_quarantine if request.max_quarantine is None else request.max_quarantine
    for table in ("rounds", "wagers", "events"):
        rows = sum(count.rows for count in audited.quarantine.files(table).values())
        rejected = audited.quarantine.unreadable(table)
        if rows and Decimal(rejected) > most * rows:
            audited.quarantine.write_parquet(stage.path(REFUSED))
            stage.publish((REFUSED,))
            unread = [r for r in audited.quarantine.by_reason() if r.table == table and r.reason not in SET_ASIDE]
            worst = max(unread, key=lambda r: r.count)
            example = worst.examples[0]
            allowed = f"{(most * 100).normalize():f}%"
            raise InputRefused(
                f"{rejected} of {rows} rows of {table} could not be read, more than the {allowed} allowed; "
                f"most often: {worst.reason}, as in {example.source_file} row {example.source_row} "
                f"{f'column {example.column}: ' if example.column else ''}{example.value!r}; all are in {REFUSED}"
            )


def _asked(audited: Audited, entries: Register | None, gate: DataGate) -> Answer:
    """Have the data judged as data; the answer is for :func:`_write`, which has other things to do meanwhile."""
    samples = dict(audited.samples)
    if entries is not None:
        samples["register"] = register_table(entries.approvals)
    for role, facts in audited.facts.items():
        orphans = audited.summary.orphans if role == "wagers" else 0
        repeats = sum(audited.repeats[role].values())
        facts.put(quarantined=audited.quarantine.count(role), repeats=repeats, orphans=orphans)
    return gate.ask(samples, {role: facts.facts() for role, facts in audited.facts.items()})


def _write(
    request: RunRequest,
    stage: Stage,
    audited: Audited,
    inputs: Inputs,
    law: Law,
    register_files: tuple[SourceFile, ...],
    answer: Answer,
    progress: Progress,
) -> RunResult:
    """Write everything; a critical expectation that failed refuses the input, before anything is published."""
    findings, summary = audited.findings, audited.summary
    finding_table.write_all(findings, stage.folder)
    audited.quarantine.write_parquet(stage.path("quarantine.parquet"))
    evidence = summary.evidence.by_round() | summary.surroundings.said()
    stage.path("evidence.json").write_text(_json(evidence), encoding="utf-8")
    manifest = manifests.build(audited, inputs, law, _arguments(request), register_files)
    gate = answer()
    gate.refuse_if_critical()
    progress("gate", 0)
    stage.path("expectations.json").write_text(gate.to_json(), encoding="utf-8")
    manifest["expectations"] = {"passed": gate.passed, "failed": gate.failed, "could_not_run": gate.errors}
    if request.previous is not None:
        manifest["supplement"] = supplement(request.previous, findings)
    progress("findings", len(findings))
    names = [
        "findings.parquet",
        "findings.csv",
        "findings.json",
        "quarantine.parquet",
        "expectations.json",
        "evidence.json",
    ]
    if request.report:
        render(stage.folder, stage.path("report.pdf"), request.config, manifest)
        names.append("report.pdf")
        progress("report", 0)
    manifest["outputs"] = [
        {"file": n, "sha256": sha256(stage.path(n)), "bytes": stage.path(n).stat().st_size} for n in names
    ]
    stage.path(MANIFEST).write_text(manifests.dump(manifest), encoding="utf-8")
    stage.publish((*names, MANIFEST))
    remember([*inputs.rounds, *inputs.wagers, *inputs.events, *register_files])
    found = [Severity(word) for word in manifest["findings"]["by_severity"]]
    worst = min(found, key=lambda severity: severity.rank) if found else None
    return RunResult(manifest["run_id"], manifest, len(findings), worst, request.out, audited.steps.listed())


def render(run_dir: Path, out: Path, settings: Settings, manifest: dict[str, Any] | None) -> None:
    """Render the PDF of a run directory."""
    from audit.report import render_report

    languages = settings.report.languages
    try:
        render_report(run_dir, out, languages=languages, manifest=manifest, limit=settings.report.findings_per_check)
    except InputRefused as error:
        # The run directory is our own work here: what is wrong with it is no fault of the input.
        raise MachineFailure(f"the report could not be rendered: {error}") from error


def _arguments(request: RunRequest) -> dict[str, Any]:
    """What was asked, without any path: the files are named, with their digests, among the inputs."""
    first, last = _days(request)
    supersedes = {} if request.previous is None else {"supersedes": superseded_id(request.previous)}
    return {
        **supersedes,
        "source": request.source if "/" not in request.source else Path(request.source).name,
        "from": first.isoformat() if first else None,
        "to": last.isoformat() if last else None,
        "report": request.report,
        "max_quarantine": None if request.max_quarantine is None else str(request.max_quarantine),
    }


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
