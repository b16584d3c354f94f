"""The commands that ask the ledger: runs, findings, and what verify and diff know through it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from audit.base.errors import ExitCode, UsageError
from audit.base.model import Severity
from audit.commands import inspect_commands
from audit.commands.output import say, say_json

if TYPE_CHECKING:
    from audit.store.ledger import Ledger


@dataclass(frozen=True, slots=True)
class LedgerLocation:
    """Where a ledger is: its URL, and the folder of the finished runs that it speaks of, where that is known."""

    url: str
    outputs: Path | None


def place_of(arguments: argparse.Namespace) -> LedgerLocation:
    """The ledger that the arguments name: `--ledger`, else that of the configuration, else that of its defaults."""
    from audit.config.settings import load_settings

    service = load_settings(arguments.config).service
    outputs: Path | None = arguments.outputs
    if arguments.ledger is None:
        return LedgerLocation(service.ledger_url, outputs or service.output)
    url = arguments.ledger if "://" in arguments.ledger else f"sqlite:///{Path(arguments.ledger).as_posix()}"
    if outputs is None and arguments.config is not None:
        outputs = service.output
    if outputs is None and url.startswith("sqlite:///"):
        outputs = Path(url.removeprefix("sqlite:///").partition("?")[0]).parent
    return LedgerLocation(url, outputs)


@contextmanager
def opened(place: LedgerLocation) -> Iterator[Ledger]:
    """The ledger, to be read only."""
    from audit.store.ledger import Ledger

    with closing(Ledger.read(place.url)) as ledger:
        yield ledger


def columns(rows: Sequence[Mapping[str, Any]], names: Mapping[str, str]) -> str:
    """Rows as aligned text: `names` maps each key to the head of its column."""
    cells = [list(names.values())] + [["" if row[n] is None else str(row[n]) for n in names] for row in rows]
    widths = [max(len(line[i]) for line in cells) for i in range(len(names))]
    return "\n".join("  ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)).rstrip() for line in cells)


def runs_list(arguments: argparse.Namespace) -> int:
    """The entries of the ledger: runs, refusals, failures and alarms."""
    from audit.store import queries

    with opened(place_of(arguments)) as ledger:
        rows = list(queries.entries(ledger, casino=arguments.casino, since=arguments.since, kind=arguments.kind))
    if arguments.json:
        say_json(rows)
        return int(ExitCode.CLEAN)
    for row in rows:
        row["run"] = (row["run_id"] or "")[:16]
    heads = {
        "seq": "entry",
        "kind": "kind",
        "casino": "casino",
        "gaming_day": "day",
        "attempt": "attempt",
        "run": "run",
        "findings": "findings",
        "worst": "worst",
        "superseded_by": "superseded by",
        "reason": "reason",
    }
    say(columns(rows, heads))
    return int(ExitCode.CLEAN)


def runs_show(arguments: argparse.Namespace) -> int:
    """One entry with its inputs, verdicts, register and findings by check."""
    from audit.store import queries

    with opened(place_of(arguments)) as ledger:
        row = queries.entry(ledger, arguments.id)
    if arguments.json:
        say_json(row)
        return int(ExitCode.CLEAN)
    parts = ("inputs", "verdicts", "approvals", "by_code")
    for name, value in row.items():
        if name not in parts and value is not None:
            say(f"{name:<15} {value}")
    heads = {
        "inputs": {"role": "role", "file": "file", "rows": "rows", "accepted": "accepted", "sha256": "sha256"},
        "verdicts": {"game": "game", "verdict": "verdict", "rounds": "rounds"},
        "approvals": {"approval_id": "approval", "option": "option", "value": "value", "tables": "tables"}
        | {"decision": "decision", "authorised_at": "authorised", "planned_from": "planned", "state": "notice"},
        "by_code": {"code": "code", "severity": "severity", "findings": "findings"},
    }
    for name in parts:
        if row[name]:
            say(f"\n{columns(row[name], heads[name])}")
    return int(ExitCode.CLEAN)


def findings_list(arguments: argparse.Namespace) -> int:
    """Findings of the runs that stand, or of all of them."""
    from audit.store import queries

    wanted = queries.Wanted(
        casino=arguments.casino,
        table=arguments.table,
        code=arguments.code,
        severity=Severity(arguments.severity) if arguments.severity else None,
        since=arguments.since,
        superseded=arguments.superseded,
        limit=arguments.limit,
    )
    with opened(place_of(arguments)) as ledger:
        rows = list(queries.findings(ledger, wanted))
    if arguments.json:
        say_json(rows)
        return int(ExitCode.CLEAN)
    heads = {
        "run_seq": "entry",
        "run_casino": "casino",
        "legal_day": "day",
        "table_id": "table",
        "round_id": "round",
        "code": "code",
        "severity": "severity",
        "article": "article",
        "expected": "expected",
        "observed": "observed",
        "amount": "amount",
        "currency": "currency",
    }
    say(columns(rows, heads))
    return int(ExitCode.CLEAN)


def verify(arguments: argparse.Namespace) -> int:
    """A run, the ledger, or a run and what the ledger says of it; 1 where anything has changed."""
    from audit.verify.recorded import check_ledger, check_run

    named = arguments.ledger is not None or arguments.config is not None
    if arguments.run is None and not named:
        raise UsageError("name the directory of a run, or a ledger with --ledger or --config")
    if not named:
        return inspect_commands.verify(arguments)
    place = place_of(arguments)
    with opened(place) as ledger:
        result = check_run(ledger, arguments.run) if arguments.run else check_ledger(ledger, place.outputs)
    if arguments.json:
        say_json(result)
    else:
        for run in result["runs"]:
            _say_run(run, arguments.lang)
        for fault in result["ledger"]["faults"]:
            say(f"! {fault}")
        state = "intact" if result["intact"] else "changed"
        say(f"{state}: ledger of {result['ledger']['entries']} entries, last {result['ledger']['head']}")
    return int(ExitCode.CLEAN if result["intact"] else ExitCode.FINDINGS)


def _say_run(run: Mapping[str, Any], language: str) -> None:
    for problem in run["problems"]:
        say(f"! {run['output']}: {problem[f'message_{language}']}")
    states = [item["state"] for item in run["inputs"]]
    inputs = ", ".join(f"{states.count(state)} {state}" for state in dict.fromkeys(states))
    state = "intact" if run["intact"] else "changed"
    say(f"  {state:<8} {run['output']}, entry {run['entry'] or '—'}, inputs: {inputs or '—'}")


def diff(arguments: argparse.Namespace) -> int:
    """Findings new, unchanged and gone between two runs, each a directory or a run of the ledger."""
    arguments.run_a, arguments.run_b = _run(arguments.run_a, arguments), _run(arguments.run_b, arguments)
    return inspect_commands.diff(arguments)


def _run(name: str, arguments: argparse.Namespace) -> Path:
    from audit.store import queries

    if Path(name).is_dir():
        return Path(name)
    place = place_of(arguments)
    try:
        with opened(place) as ledger:
            output = queries.entry(ledger, name)["output"]
    except UsageError as error:
        raise UsageError(f"{name} is no directory, and no run of the ledger: {error}") from None
    if output is None or place.outputs is None:
        raise UsageError(f"entry {name} of the ledger has no output that could be found; name its directory")
    return place.outputs / str(output)
