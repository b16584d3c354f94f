"""The commands that audit: run, demo, serve."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from audit.base.errors import ExitCode
from audit.base.model import Severity
from audit.commands.output import remark, say, say_json

if TYPE_CHECKING:
    from audit.gate.gate_process import GateProcess
    from audit.pipeline import RunResult

Progress = Callable[[str, int], None]


@contextmanager
def progress_of(arguments: argparse.Namespace) -> Iterator[Progress]:
    """Progress on standard error: a live line in a terminal, nothing elsewhere or with --quiet."""
    if arguments.quiet or not sys.stderr.isatty():
        yield lambda _step, _rows: None
        return
    from rich.console import Console
    from rich.progress import Progress as Bars
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        TextColumn("{task.fields[rows]}"),
        TimeElapsedColumn(),
    )
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task("reading", rows="")
        counts: dict[str, int] = {}

        def show(step: str, rows: int) -> None:
            counts[step] = counts.get(step, 0) + rows
            bars.update(task, description=step, rows=f"{counts[step]:,}" if counts[step] else "")

        yield show


def run(arguments: argparse.Namespace) -> int:
    """Audit round logs; the exit code says whether anything at or above --fail-on was found."""
    from audit.commands import timings_file
    from audit.gate.gate_process import GateProcess

    begun = time.perf_counter()
    if arguments.timings is not None:
        timings_file.claim(arguments.timings)
    # The gate gets ready in a process of its own, before anything else: of a small log, that is all the time.
    with GateProcess() as gate:
        result, threshold = _run(arguments, gate)
    if arguments.timings is not None:
        timings_file.write_timings(arguments.timings, result.steps, begun)
    summarise(result.manifest, result.out, as_json=arguments.json)
    return exit_code(result.worst, threshold)


def _run(arguments: argparse.Namespace, gate: GateProcess) -> tuple[RunResult, Severity]:
    """The result of the audit, and the severity from which it is one to fail on."""
    from audit.config.settings import load_settings
    from audit.pipeline import RunRequest, run_audit

    settings = load_settings(arguments.config)
    _doubt_paytables(settings.paytables)
    request = RunRequest(
        rounds=arguments.rounds,
        wagers=arguments.wagers,
        approvals=arguments.approvals,
        events=arguments.events,
        source=arguments.source,
        config=settings,
        day=arguments.day,
        first=arguments.first,
        last=arguments.last,
        out=arguments.out,
        report=not arguments.no_report,
        engine=arguments.engine,
        cluster=_cluster(arguments),
        max_quarantine=arguments.max_quarantine,
        previous=arguments.supersedes,
    )
    with progress_of(arguments) as progress:
        result = run_audit(request, progress, gate)
    return result, Severity(arguments.fail_on) if arguments.fail_on else settings.fail_on


def _cluster(arguments: argparse.Namespace) -> Any:
    """Where the workers are; UsageError where that cannot be meant."""
    from audit.engines.cluster.connect import Cluster

    cluster = Cluster(arguments.scheduler, arguments.tls_ca, arguments.tls_cert, arguments.tls_key)
    cluster.check(used=arguments.engine == "dask")
    return cluster


def _doubt_paytables(paths: Any) -> None:
    """Say on standard error what is odd about the house's paytables, before anything is judged by them."""
    if not paths:
        return
    from audit.games.paytable_files import load_paytables
    from audit.odds.paytable_pages import doubts, paytable_rules
    from audit.rulebook import Rulebook

    rules = paytable_rules(Rulebook.load())
    for bet, paytable in load_paytables(paths).items():
        for doubt in doubts(paytable, rules):
            remark(f"dicj-audit: paytable {bet}: {doubt.en}")


def exit_code(worst: Severity | None, threshold: Severity) -> int:
    """1 where the gravest finding reaches the threshold, else 0."""
    found = worst is not None and worst.at_least(threshold)
    return int(ExitCode.FINDINGS if found else ExitCode.CLEAN)


def summarise(manifest: dict[str, Any], out: Any, *, as_json: bool) -> None:
    """What a run found, in a few lines or as JSON."""
    if as_json:
        keys = ("run_id", "totals", "verdicts", "findings", "not_evaluated")
        say_json({"out": str(out), **{key: manifest[key] for key in keys}})
        return
    totals, verdicts, found = manifest["totals"], manifest["verdicts"], manifest["findings"]
    say(f"run {manifest['run_id'][:16]} in {out}")
    for role in ("rounds", "wagers", "events"):
        t = totals[role]
        if t["in_files"]:
            outside = f", {t['outside_days']:,} of other days" if t["outside_days"] else ""
            say(
                f"  {role:<7} read {t['read']:,} = accepted {t['accepted']:,} + quarantined {t['quarantined']:,}"
                f" + exact repeats {t['repeats']:,}{outside}"
            )
    say(
        f"  rounds  conforming {verdicts['conforming']:,} · in violation {verdicts['violation']:,}"
        f" · not evaluated {verdicts['not_evaluated']:,}"
    )
    say(f"  findings {found['total']:,}" + "".join(f" · {s} {n:,}" for s, n in found["by_severity"].items()))
    for code, number in found["by_code"].items():
        say(f"    {code}  {number:,}")
    for sums in found["amounts"]:
        say(f"  {sums['currency'] or '?'}: paid too much {sums['overpaid']}, too little {sums['underpaid']}")
    if manifest["not_evaluated"]:
        say("  not evaluated:")
        for line in manifest["not_evaluated"]:
            say(f"    {line['code']}  {line['reason']}  {line['count']:,}")
    names = [output["file"] for output in manifest["outputs"]]
    say(f"  wrote {', '.join([*names, 'manifest.json'])}")


def demo(arguments: argparse.Namespace) -> int:
    """Make a gaming day with known faults and audit it end to end."""
    from audit.gate.gate_process import GateProcess

    with GateProcess() as gate, progress_of(arguments) as progress:
        from audit.demo import run_demo

        result, planted = run_demo(arguments.out, progress, gate=gate)
    if arguments.json:
        say_json({"out": str(result.out), "planted": planted, "findings": result.manifest["findings"]})
    else:
        say(f"{len(planted)} faults were planted in a made-up gaming day:")
        for fault in planted:
            say(f"  {fault['code']}  {fault['sentence']}")
        summarise(result.manifest, result.out, as_json=False)
        say(f"  findings: {result.out / 'findings.csv'}")
        say(f"  report:   {result.out / 'report.pdf'}")
    return exit_code(result.worst, Severity.MEDIUM)


def serve(arguments: argparse.Namespace) -> int:
    """Run the nightly service until it is told to stop."""
    from audit.config.settings import load_settings
    from audit.service.schedule import serve as run_service

    settings = load_settings(arguments.config)
    if arguments.config is None:
        remark("dicj-audit serve: no --config; the folders inbox/ and audits/ here are used")
    return int(run_service(settings, once=arguments.once, force=("*",) if arguments.force else ()))
