"""The command line: arguments in, exit codes out; what a command does stands in ``audit.commands``."""

from __future__ import annotations

import argparse
import datetime as dt
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NoReturn

import audit
from audit.errors import AuditError, ExitCode

LANGUAGES: Final = ("zh", "pt", "en")
SEVERITIES: Final = ("critical", "high", "medium", "low", "info")
GAMES: Final = ("baccarat", "makccarat")

EXIT_CODES: Final = """exit codes:
  0  nothing found
  1  findings at or above --fail-on (default: medium)
  2  wrong usage: option, path, output directory, configuration, profile or paytable
  3  input refused: unreadable, empty, wrong columns, register malformed, too much quarantine
  4  the machine or the program failed
  5  another run holds the lock
"""

Handler = Callable[[argparse.Namespace], int]


def _day(text: str) -> dt.date:
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a day; write YYYY-MM-DD") from None


def _moment(text: str) -> dt.datetime:
    from audit.model import MACAU

    try:
        moment = dt.datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a moment; write YYYY-MM-DDTHH:MM") from None
    if len(text) == len("2024-03-01"):
        moment = moment.replace(hour=9)
    return moment if moment.tzinfo else moment.replace(tzinfo=MACAU)


def _share(text: str) -> Any:
    from audit.config import share

    try:
        return share(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _handler(module: str, function: str) -> Handler:
    """A command whose module is imported only when it is asked for, so that the command line starts quickly."""

    def call(arguments: argparse.Namespace) -> int:
        return int(getattr(import_module(f"audit.commands.{module}"), function)(arguments))

    return call


class _Commands:
    """Adds commands to the parser with the options that many of them share."""

    def __init__(self, parent: argparse.ArgumentParser) -> None:
        self._group = parent.add_subparsers(dest="command", metavar="COMMAND", required=True)

    def add(self, name: str, purpose: str, handler: Handler | None, *, json: bool = True) -> argparse.ArgumentParser:
        parser = self._group.add_parser(name, help=purpose, description=purpose[:1].upper() + purpose[1:] + ".")
        if handler is not None:
            parser.set_defaults(handler=handler)
            if json:
                parser.add_argument("--json", action="store_true", help="print the data as JSON")
        return parser

    def group(self, name: str, purpose: str) -> _Commands:
        return _Commands(self.add(name, purpose, None))


def _language(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--lang", choices=LANGUAGES, default="en", help="language of the text (default: en)")


def build_parser() -> argparse.ArgumentParser:
    """The whole command line."""
    parser = argparse.ArgumentParser(
        prog="dicj-audit",
        description="Audit round logs of Macau baccarat and Makccarat tables against the rules of DICJ.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"dicj-audit {audit.__version__}")
    commands = _Commands(parser)
    _run(commands)
    _runs(commands)
    _law(commands)
    _register(commands)
    _service(commands)
    _book(commands)
    return parser


def _run(commands: _Commands) -> None:
    run = commands.add("run", "audit round logs and write findings, manifest and report", _handler("run", "run"))
    run.epilog = "A path P is a file, a folder or a glob of .parquet, .csv, .csv.gz or .csv.zst files."
    run.add_argument("--rounds", metavar="P", nargs="+", action="extend", required=True, help="round logs")
    run.add_argument("--wagers", metavar="P", nargs="+", action="extend", default=[], help="wagers of the rounds")
    run.add_argument("--approvals", metavar="P", help="the house's register of what DICJ authorised")
    run.add_argument("--events", metavar="P", nargs="+", action="extend", default=[], help="shoe events")
    run.add_argument("--source", default="canonical", metavar="NAME", help="source profile (name or .yaml file)")
    run.add_argument("--config", type=Path, metavar="P", help="configuration file")
    run.add_argument("--day", type=_day, metavar="D", help="audit one gaming day")
    run.add_argument("--from", type=_day, dest="first", metavar="D", help="first gaming day")
    run.add_argument("--to", type=_day, dest="last", metavar="D", help="last gaming day")
    run.add_argument("--no-report", action="store_true", help="do not render the PDF")
    run.add_argument("--fail-on", choices=SEVERITIES, help="severity from which the exit code is 1 (default: medium)")
    run.add_argument("--max-quarantine", type=_share, metavar="SHARE", help="unreadable rows allowed (default: 1%%)")
    run.add_argument(
        "--supersedes", type=Path, metavar="DIR", help="the earlier run, to be compared with in the report"
    )
    run.add_argument("--engine", choices=("local", "dask"), default="local", help="where the audit runs")
    run.add_argument("--quiet", action="store_true", help="no progress")
    run.add_argument("--out", type=Path, required=True, metavar="DIR", help="a new directory for the run")

    demo = commands.add("demo", "make a gaming day with known faults and audit it end to end", _handler("run", "demo"))
    demo.add_argument(
        "--out", type=Path, default=Path("demo-output"), metavar="DIR", help="where (default: demo-output)"
    )
    demo.add_argument("--quiet", action="store_true", help="no progress")


def _runs(commands: _Commands) -> None:
    look = commands.add(
        "investigate", "replay a round, a table or a shoe of a finished run", _handler("inspect", "investigate")
    )
    look.add_argument("--run", type=Path, required=True, metavar="DIR", help="a finished run")
    what = look.add_mutually_exclusive_group(required=True)
    what.add_argument("--round", metavar="ID", help="one round")
    what.add_argument("--table", metavar="T", help="one table")
    look.add_argument("--shoe", metavar="S", help="one shoe of the table")
    look.add_argument("--casino", metavar="C", help="the house, where several have a table of that name")
    look.add_argument(
        "--rounds", metavar="P", nargs="+", action="extend", default=[], help="where the round logs are now"
    )
    look.add_argument("--wagers", metavar="P", nargs="+", action="extend", default=[], help="where the wagers are now")
    look.add_argument("--events", metavar="P", nargs="+", action="extend", default=[], help="where the events are now")
    look.add_argument("--approvals", metavar="P", help="where the register is now")
    look.add_argument("--source", metavar="NAME", help="source profile, where the run's was a file of your own")
    look.add_argument("--pdf", type=Path, metavar="FILE", help="write the investigation as a PDF")
    look.add_argument("--config", type=Path, metavar="P", help="configuration file")
    _language(look)

    report = commands.add("report", "render the PDF of a finished run again", _handler("inspect", "report"))
    report.add_argument("--run", type=Path, required=True, metavar="DIR", help="a finished run")
    report.add_argument("--out", type=Path, metavar="FILE", help="the PDF (default: report.pdf in the current folder)")
    report.add_argument("--lang", default="zh,pt", metavar="LIST", help="languages, of zh, pt and en (default: zh,pt)")

    verify = commands.add(
        "verify",
        "recompute every digest of a finished run, or of the ledger and its runs",
        _handler("ledger", "verify"),
    )
    verify.add_argument("run", type=Path, nargs="?", metavar="DIR", help="a finished run (default: all of the ledger)")
    _ledger(verify)
    _language(verify)

    diff = commands.add("diff", "findings new, unchanged and gone between two runs", _handler("ledger", "diff"))
    diff.add_argument("run_a", metavar="RUN_A", help="the earlier run: a directory, or its number or id in the ledger")
    diff.add_argument("run_b", metavar="RUN_B", help="the later run")
    _ledger(diff)
    _language(diff)


def _law(commands: _Commands) -> None:
    hand = commands.add("explain", "what the regulation requires of a hand, step by step", _handler("law", "explain"))
    hand.add_argument("--game", choices=GAMES, required=True)
    hand.add_argument("--on", type=_day, required=True, metavar="D", help="the legal day")
    hand.add_argument("--player", required=True, metavar="CARDS", help='the player\'s cards, as in "9H KD"')
    hand.add_argument("--banker", required=True, metavar="CARDS", help='the banker\'s cards, as in "3C 4S"')
    hand.add_argument("--draw-method", choices=("method_1", "method_2"), help="Makccarat's drawing method")
    hand.add_argument("--commission", choices=("standard", "none"), default="standard", help="the table's scheme")
    hand.add_argument(
        "--wager", action="append", default=[], metavar="BET=STAKE", help="a wager to settle; may be repeated"
    )
    hand.add_argument("--config", type=Path, metavar="P", help="configuration file (paytables, rounding)")
    _language(hand)

    rules = commands.group("rules", "the regulations in force on a day")
    listed = rules.add("list", "the versions of both regulations", _handler("law", "rules_list"))
    listed.add_argument("--on", type=_day, metavar="D", help="only what is in force on a day")
    _language(listed)
    show = rules.add("show", "the provisions of a game in force on a day, with sources", _handler("law", "rules_show"))
    show.add_argument("game", choices=GAMES)
    show.add_argument("--on", type=_day, metavar="D", help="the day (default: today in Macau)")
    _language(show)
    between = rules.add("diff", "what changed between two days, and by which act", _handler("law", "rules_diff"))
    between.add_argument("game", choices=GAMES)
    between.add_argument("day_1", type=_day, metavar="D1")
    between.add_argument("day_2", type=_day, metavar="D2")
    _language(between)
    cover = rules.add("coverage", "each numbered rule and the check that judges it", _handler("law", "rules_coverage"))
    _language(cover)

    checks = commands.group("checks", "the catalogue of checks")
    _language(checks.add("list", "every check", _handler("law", "checks_list")))
    one = checks.add(
        "show", "one check: criterion, comparison, severity, example, limits", _handler("law", "checks_show")
    )
    one.add_argument("code", metavar="CODE", help="as in DRW-001")
    _language(one)

    table = commands.group("paytable", "the house's paytables for bets outside the gazetted list")
    shown = table.add("show", "odds, exact house edge and test vectors of a paytable", _handler("law", "paytable_show"))
    shown.add_argument("file", type=Path, metavar="FILE")
    shown.add_argument("--decks", type=int, default=8, metavar="N", help="decks for the exact figures (default: 8)")
    _language(shown)


def _register(commands: _Commands) -> None:
    approvals = commands.group("approvals", "the register of authorisations, and the notice of three working days")
    check = approvals.add("check", "judge a register on its own", _handler("register", "check"))
    check.add_argument("--approvals", required=True, metavar="P", help="the register")
    check.add_argument("--on", type=_day, metavar="D", help="also list what is in force on a day")
    check.add_argument("--config", type=Path, metavar="P", help="configuration file (reading of the notice)")
    check.add_argument("--fail-on", choices=SEVERITIES, default="medium")
    _language(check)
    notice = approvals.add("notice", "the last lawful application day for an adoption", _handler("register", "notice"))
    notice.add_argument("--adopt", type=_day, required=True, metavar="D", help="the planned day of adoption")
    notice.add_argument("--apply", type=_moment, metavar="T", help="also the earliest adoption for an application at T")
    notice.add_argument("--config", type=Path, metavar="P", help="configuration file (reading of the notice)")
    _language(notice)

    gate = commands.group("expectations", "what is expected of a log as data")
    _language(gate.add("list", "the expectations of every suite", _handler("law", "expectations_list")))


def _ledger(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--ledger", metavar="URL", help="the ledger: a database URL, or the file of a SQLite ledger")
    parser.add_argument("--config", type=Path, metavar="P", help="configuration file that names the ledger")
    parser.add_argument("--outputs", type=Path, metavar="DIR", help="where the ledger's finished runs are")


def _book(commands: _Commands) -> None:
    runs = commands.group("runs", "what the ledger has recorded")
    listed = runs.add("list", "runs, refusals, failures and alarms", _handler("ledger", "runs_list"))
    listed.add_argument("--casino", metavar="C", help="of one house")
    listed.add_argument("--since", type=_day, metavar="D", help="of this gaming day or later")
    listed.add_argument("--kind", choices=("run", "refused", "failed", "alarm"), help="of one kind")
    _ledger(listed)
    shown = runs.add(
        "show", "one entry: inputs, verdicts, register, findings by check", _handler("ledger", "runs_show")
    )
    shown.add_argument("id", metavar="ID", help="the entry's number, or the beginning of the run's id")
    _ledger(shown)

    findings = commands.group("findings", "the findings of the ledger's runs")
    some = findings.add("list", "findings of the runs that stand", _handler("ledger", "findings_list"))
    some.add_argument("--casino", metavar="C", help="of one house")
    some.add_argument("--table", metavar="T", help="of one table")
    some.add_argument("--code", metavar="CODE", help="of one check, as in DRW-001")
    some.add_argument("--severity", choices=SEVERITIES, help="of this severity or graver")
    some.add_argument("--since", type=_day, metavar="D", help="of this legal day or later")
    some.add_argument("--superseded", action="store_true", help="also of runs that a later run replaced")
    some.add_argument("--limit", type=int, metavar="N", help="at most so many")
    _ledger(some)


def _service(commands: _Commands) -> None:
    serve = commands.add(
        "serve", "audit every gaming day that arrives in the inbox", _handler("run", "serve"), json=False
    )
    serve.add_argument("--config", type=Path, metavar="P", help="configuration file")
    serve.add_argument("--once", action="store_true", help="one pass over the inbox, then stop")
    serve.add_argument("--force", action="store_true", help="audit again what is already audited")

    browse = commands.add(
        "browse", "look at the ledger in a web browser on this machine", _handler("site", "browse"), json=False
    )
    browse.add_argument(
        "--port", type=int, default=8001, metavar="N", help="port on the loopback address (default: 8001)"
    )
    _ledger(browse)

    config = commands.group("config", "the configuration file")
    check = config.add("check", "is the configuration sound, and is what it names there", _handler("site", "check"))
    check.add_argument("--config", type=Path, metavar="P", help="configuration file")
    show = config.add("show", "every setting as it applies, secrets masked", _handler("site", "show"))
    show.add_argument("--config", type=Path, metavar="P", help="configuration file")

    start = commands.add("init", "lay out a new site: configuration, register, inbox", _handler("site", "init"))
    start.add_argument("folder", type=Path, metavar="DIR", help="a new or empty folder")
    start.add_argument("--sample", action="store_true", help="deliver a made-up gaming day with known faults to try it")


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """Run one command and exit with its code; every expected failure is one sentence on standard error."""
    os.environ.setdefault("GX_ANALYTICS_ENABLED", "False")
    sys.exit(call(argv))


def call(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    arguments = build_parser().parse_args(argv)
    try:
        handler: Handler = arguments.handler
        return handler(arguments)
    except AuditError as error:
        sys.stderr.write(f"dicj-audit: {error}\n")
        return int(error.exit_code)
    except BrokenPipeError:
        sys.stderr.close()
        return int(ExitCode.CLEAN)
    except KeyboardInterrupt:
        sys.stderr.write("dicj-audit: interrupted\n")
        return int(ExitCode.MACHINE)
    except OSError as error:
        sys.stderr.write(f"dicj-audit: {error.strerror or error}\n")
        return int(ExitCode.MACHINE)
    except Exception as error:
        if os.environ.get("DICJ_AUDIT_DEBUG"):
            raise
        sys.stderr.write(f"dicj-audit: internal error ({type(error).__name__}: {error}); please report it\n")
        return int(ExitCode.MACHINE)


if __name__ == "__main__":
    main()
