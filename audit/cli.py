"""The command line: arguments in, exit codes out; what a command does stands in ``audit.commands``."""

from __future__ import annotations

import argparse
import datetime as dt
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NoReturn

import audit
from audit.base.errors import AuditError, ExitCode
from audit.base.known_games import GAMES
from audit.base.model import MACAU
from audit.commands import parser_site, report_commands
from audit.commands.parsing import SEVERITIES, Commands, Handler, day, handler, language

EXIT_CODES: Final = """exit codes:
  0  nothing found
  1  findings at or above --fail-on (default: medium)
  2  wrong usage: option, path, output directory, configuration, profile or paytable
  3  input refused: unreadable, empty, wrong columns, register malformed, too much quarantine
  4  the machine or the program failed
  5  another run holds the lock
"""


def _moment(text: str) -> dt.datetime:
    try:
        moment = dt.datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a moment; write YYYY-MM-DDTHH:MM") from None
    if len(text) == len("2024-03-01"):
        moment = moment.replace(hour=9)
    return moment if moment.tzinfo else moment.replace(tzinfo=MACAU)


def _share(text: str) -> Any:
    from audit.config.settings import share

    try:
        return share(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def build_parser() -> argparse.ArgumentParser:
    """The whole command line."""
    parser = argparse.ArgumentParser(
        prog="dicj-audit",
        description="Audit round logs of Macau baccarat and Makccarat tables against the rules of DICJ.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"dicj-audit {audit.__version__}")
    commands = Commands(parser)
    _run(commands)
    _runs(commands)
    _law(commands)
    _register(commands)
    _sources(commands)
    parser_site.service(commands)
    parser_site.ledger(commands)
    return parser


def _run(commands: Commands) -> None:
    run = commands.add(
        "run", "audit round logs and write findings, manifest and report", handler("run_commands", "run")
    )
    run.epilog = (
        "A path P is a file, a folder or a glob of .parquet, .csv or .jsonl (also .gz, .zst) or .xlsx files, or the URL"
        " of such (file:, s3:, ...); a .json document is named itself."
    )
    run.add_argument("--rounds", metavar="P", nargs="+", action="extend", required=True, help="round logs")
    run.add_argument("--wagers", metavar="P", nargs="+", action="extend", default=[], help="wagers of the rounds")
    run.add_argument("--approvals", metavar="P", help="the house's register of what DICJ authorised")
    run.add_argument("--events", metavar="P", nargs="+", action="extend", default=[], help="shoe events")
    run.add_argument("--source", default="canonical", metavar="NAME", help="source profile (name or .yaml file)")
    run.add_argument("--config", type=Path, metavar="P", help="configuration file")
    run.add_argument("--day", type=day, metavar="D", help="audit one gaming day")
    run.add_argument("--from", type=day, dest="first", metavar="D", help="first gaming day")
    run.add_argument("--to", type=day, dest="last", metavar="D", help="last gaming day")
    run.add_argument("--no-report", action="store_true", help="do not render the PDF")
    run.add_argument("--fail-on", choices=SEVERITIES, help="severity from which the exit code is 1 (default: medium)")
    run.add_argument("--max-quarantine", type=_share, metavar="SHARE", help="unreadable rows allowed (default: 1%%)")
    run.add_argument(
        "--supersedes", type=Path, metavar="DIR", help="the earlier run, to be compared with in the report"
    )
    run.add_argument(
        "--engine", choices=("local", "dask"), default="local", help="one process, or many on one machine or several"
    )
    run.add_argument("--scheduler", metavar="URL", help="a Dask scheduler: tcp://HOST:PORT or tls://HOST:PORT")
    for file, what in (("ca", "who signs"), ("cert", "who we are"), ("key", "our key")):
        run.add_argument(f"--tls-{file}", type=Path, metavar="PEM", help=f"for a scheduler at tls://: {what}")
    run.add_argument("--timings", type=Path, metavar="FILE", help="write where the time went, as JSON")
    run.add_argument("--quiet", action="store_true", help="no progress")
    run.add_argument("--out", type=Path, required=True, metavar="DIR", help="a new directory for the run")

    demo = commands.add(
        "demo", "make a gaming day with known faults and audit it end to end", handler("run_commands", "demo")
    )
    demo.add_argument(
        "--out", type=Path, default=Path("demo-output"), metavar="DIR", help="where (default: demo-output)"
    )
    demo.add_argument("--quiet", action="store_true", help="no progress")


def _runs(commands: Commands) -> None:
    look = commands.add(
        "investigate", "replay a round, a table or a shoe of a finished run", handler("inspect_commands", "investigate")
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
    look.add_argument("--sheet", type=Path, metavar="FILE", help="write the one-page dispute sheet of the round")
    look.add_argument("--config", type=Path, metavar="P", help="configuration file")
    language(look)

    report_commands.add_parsers(commands, handler, language)

    verify = commands.add(
        "verify",
        "recompute every digest of a finished run, or of the ledger and its runs",
        handler("ledger_commands", "verify"),
    )
    verify.add_argument("run", type=Path, nargs="?", metavar="DIR", help="a finished run (default: all of the ledger)")
    parser_site.ledger_options(verify)
    language(verify)

    diff = commands.add("diff", "findings new, unchanged and gone between two runs", handler("ledger_commands", "diff"))
    diff.add_argument("run_a", metavar="RUN_A", help="the earlier run: a directory, or its number or id in the ledger")
    diff.add_argument("run_b", metavar="RUN_B", help="the later run")
    parser_site.ledger_options(diff)
    language(diff)


def _law(commands: Commands) -> None:
    hand = commands.add(
        "explain", "what the regulation requires of a hand, step by step", handler("law_commands", "explain")
    )
    hand.add_argument("--game", choices=tuple(GAMES), required=True)
    hand.add_argument("--on", type=day, required=True, metavar="D", help="the legal day")
    hand.add_argument("--player", required=True, metavar="CARDS", help='the player\'s cards, as in "9H KD"')
    hand.add_argument("--banker", required=True, metavar="CARDS", help='the banker\'s cards, as in "3C 4S"')
    hand.add_argument(
        "--draw-method", choices=("method_1", "method_2"), help="the drawing method, where the game leaves a choice"
    )
    hand.add_argument("--commission", choices=("standard", "none"), default="standard", help="the table's scheme")
    hand.add_argument(
        "--wager", action="append", default=[], metavar="BET=STAKE", help="a wager to settle; may be repeated"
    )
    hand.add_argument("--config", type=Path, metavar="P", help="configuration file (paytables, rounding)")
    language(hand)

    rules = commands.group("rules", "the regulations in force on a day")
    listed = rules.add("list", "the versions of every regulation", handler("law_commands", "rules_list"))
    listed.add_argument("--on", type=day, metavar="D", help="only what is in force on a day")
    language(listed)
    show = rules.add(
        "show", "the provisions of a game in force on a day, with sources", handler("law_commands", "rules_show")
    )
    show.add_argument("game", choices=tuple(GAMES))
    show.add_argument("--on", type=day, metavar="D", help="the day (default: today in Macau)")
    language(show)
    between = rules.add(
        "diff", "what changed between two days, and by which act", handler("law_commands", "rules_diff")
    )
    between.add_argument("game", choices=tuple(GAMES))
    between.add_argument("day_1", type=day, metavar="D1")
    between.add_argument("day_2", type=day, metavar="D2")
    language(between)
    cover = rules.add(
        "coverage", "each numbered rule and the check that judges it", handler("law_commands", "rules_coverage")
    )
    language(cover)

    checks = commands.group("checks", "the catalogue of checks")
    language(checks.add("list", "every check", handler("law_commands", "checks_list")))
    one = checks.add(
        "show", "one check: criterion, comparison, severity, example, limits", handler("law_commands", "checks_show")
    )
    one.add_argument("code", metavar="CODE", help="as in DRW-001")
    language(one)

    table = commands.group("paytable", "the house's paytables for bets outside the gazetted list")
    shown = table.add(
        "show", "odds, exact house edge and test vectors of a paytable", handler("law_commands", "paytable_show")
    )
    shown.add_argument("file", type=Path, metavar="FILE")
    shown.add_argument("--decks", type=int, default=8, metavar="N", help="decks for the exact figures (default: 8)")
    language(shown)


def _register(commands: Commands) -> None:
    approvals = commands.group("approvals", "the register of authorisations, and the notice of three working days")
    check = approvals.add("check", "judge a register on its own", handler("register_commands", "check"))
    check.add_argument("--approvals", required=True, metavar="P", help="the register")
    check.add_argument("--on", type=day, metavar="D", help="also list what is in force on a day")
    check.add_argument("--config", type=Path, metavar="P", help="configuration file (reading of the notice)")
    check.add_argument("--fail-on", choices=SEVERITIES, default="medium")
    language(check)
    notice = approvals.add(
        "notice", "the last lawful application day for an adoption", handler("register_commands", "notice")
    )
    notice.add_argument("--adopt", type=day, required=True, metavar="D", help="the planned day of adoption")
    notice.add_argument("--apply", type=_moment, metavar="T", help="also the earliest adoption for an application at T")
    notice.add_argument("--config", type=Path, metavar="P", help="configuration file (reading of the notice)")
    language(notice)

    blank = approvals.add(
        "template", "an empty register to fill in, and what its columns mean", handler("source_commands", "template")
    )
    blank.add_argument("--out", type=Path, metavar="FILE", help="write a .csv or .yaml to fill in")
    language(blank)

    gate = commands.group("expectations", "what is expected of a log as data")
    listed = gate.add("list", "the expectations of every suite", handler("source_commands", "expectations_list"))
    listed.add_argument("--run", type=Path, metavar="DIR", help="also how a finished run answered them")
    language(listed)
    judged = gate.add("run", "judge logs as data, and audit nothing", handler("source_commands", "expectations_run"))
    for role in ("rounds", "wagers", "events"):
        judged.add_argument(f"--{role}", metavar="P", nargs="+", action="extend", default=[], help=f"files of {role}")
    judged.add_argument("--approvals", metavar="P", help="the register")
    judged.add_argument("--source", default="canonical", metavar="NAME", help="source profile (name or .yaml file)")
    judged.add_argument("--suites", type=Path, metavar="DIR", help="suites of your own (default: those shipped)")
    language(judged)


def _sources(commands: Commands) -> None:
    sources = commands.group("sources", "how the files of a house are read")
    sources.add("list", "the profiles there are", handler("source_commands", "list_sources"))
    check = sources.add(
        "check",
        "read files with a profile: rejects, proof of order, rows before and after",
        handler("source_commands", "check"),
    )
    check.add_argument("files", metavar="FILE", nargs="+", help="files, folders or globs")
    check.add_argument("--source", required=True, metavar="NAME", help="source profile (name or .yaml file)")
    check.add_argument("--table", choices=("rounds", "wagers", "events"), help="what the files hold (default: rounds)")
    check.add_argument("--rows", type=int, default=3, metavar="N", help="rows shown before and after (default: 3)")
    language(check)
    guess = sources.add("guess", "propose a profile for a file, with its evidence", handler("source_commands", "guess"))
    guess.add_argument("file", metavar="FILE")

    rejected = commands.add(
        "quarantine",
        "the rows that a run could not read, by reason with examples",
        handler("source_commands", "quarantine"),
    )
    rejected.add_argument("--run", type=Path, required=True, metavar="DIR", help="a run, finished or refused")
    rejected.add_argument(
        "--rows", type=Path, metavar="FILE", help="write the rows to a .csv or .jsonl, to be corrected"
    )
    rejected.add_argument(
        "--table", choices=("rounds", "wagers", "events"), default="rounds", help="of which table (default: rounds)"
    )
    language(rejected)


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """Run one command and exit with its code; every expected failure is one sentence on standard error."""
    os.environ.setdefault("GX_ANALYTICS_ENABLED", "False")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # nothing multiplies matrices, and idle threads take turns too
    sys.exit(call(argv))


def call(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    arguments = build_parser().parse_args(argv)
    try:
        run: Handler = arguments.handler
        return run(arguments)
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
