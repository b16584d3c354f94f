"""The part of the command line that is about the service, its ledger and its site."""

from __future__ import annotations

import argparse
from pathlib import Path

from audit.commands.parsing import SEVERITIES, Commands, day, handler


def ledger_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say which ledger is meant."""
    parser.add_argument("--ledger", metavar="URL", help="the ledger: a database URL, or the file of a SQLite ledger")
    parser.add_argument("--config", type=Path, metavar="P", help="configuration file that names the ledger")
    parser.add_argument("--outputs", type=Path, metavar="DIR", help="where the ledger's finished runs are")


def ledger(commands: Commands) -> None:
    """The commands that ask the ledger."""
    runs = commands.group("runs", "what the ledger has recorded")
    listed = runs.add("list", "runs, refusals, failures and alarms", handler("ledger_commands", "runs_list"))
    listed.add_argument("--casino", metavar="C", help="of one house")
    listed.add_argument("--since", type=day, metavar="D", help="of this gaming day or later")
    listed.add_argument("--kind", choices=("run", "refused", "failed", "alarm"), help="of one kind")
    ledger_options(listed)
    shown = runs.add(
        "show", "one entry: inputs, verdicts, register, findings by check", handler("ledger_commands", "runs_show")
    )
    shown.add_argument("id", metavar="ID", help="the entry's number, or the beginning of the run's id")
    ledger_options(shown)

    findings = commands.group("findings", "the findings of the ledger's runs")
    some = findings.add("list", "findings of the runs that stand", handler("ledger_commands", "findings_list"))
    some.add_argument("--casino", metavar="C", help="of one house")
    some.add_argument("--table", metavar="T", help="of one table")
    some.add_argument("--code", metavar="CODE", help="of one check, as in DRW-001")
    some.add_argument("--severity", choices=SEVERITIES, help="of this severity or graver")
    some.add_argument("--since", type=day, metavar="D", help="of this legal day or later")
    some.add_argument("--superseded", action="store_true", help="also of runs that a later run replaced")
    some.add_argument("--limit", type=int, metavar="N", help="at most so many")
    ledger_options(some)


def service(commands: Commands) -> None:
    """The commands of a site: its service, its configuration, a look at its ledger."""
    serve = commands.add(
        "serve", "audit every gaming day that arrives in the inbox", handler("run_commands", "serve"), json=False
    )
    serve.add_argument("--config", type=Path, metavar="P", help="configuration file")
    serve.add_argument("--once", action="store_true", help="one pass over the inbox, then stop")
    serve.add_argument("--force", action="store_true", help="audit again what is already audited")

    health = commands.add("health", "is the service well, for a monitor to ask", handler("site_commands", "health"))
    health.add_argument("--config", type=Path, metavar="P", help="configuration file")

    browse = commands.add(
        "browse", "look at the ledger in a web browser on this machine", handler("site_commands", "browse"), json=False
    )
    browse.add_argument(
        "--port", type=int, default=8001, metavar="N", help="port on the loopback address (default: 8001)"
    )
    ledger_options(browse)

    config = commands.group("config", "the configuration file")
    check = config.add(
        "check", "is the configuration sound, and is what it names there", handler("site_commands", "check")
    )
    check.add_argument("--config", type=Path, metavar="P", help="configuration file")
    show = config.add("show", "every setting as it applies, secrets masked", handler("site_commands", "show"))
    show.add_argument("--config", type=Path, metavar="P", help="configuration file")

    start = commands.add("init", "lay out a new site: configuration, register, inbox", handler("site_commands", "init"))
    start.add_argument("folder", type=Path, metavar="DIR", help="a new or empty folder")
    start.add_argument("--sample", action="store_true", help="deliver a made-up gaming day with known faults to try it")
