"""What every part of the command line is made with: commands, their functions, options and values in common."""

from __future__ import annotations

import argparse
import datetime as dt
from collections.abc import Callable
from importlib import import_module
from typing import Final

LANGUAGES: Final = ("zh", "pt", "en")
SEVERITIES: Final = ("critical", "high", "medium", "low", "info")

Handler = Callable[[argparse.Namespace], int]
"""What a command calls: arguments in, exit code out."""


def day(text: str) -> dt.date:
    """A day as the command line takes it."""
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a day; write YYYY-MM-DD") from None


def handler(module: str, function: str) -> Handler:
    """A command whose module is imported only when it is asked for, so that the command line starts quickly."""

    def call(arguments: argparse.Namespace) -> int:
        return int(getattr(import_module(f"audit.commands.{module}"), function)(arguments))

    return call


class Commands:
    """Adds commands to the parser with the options that many of them share."""

    def __init__(self, parent: argparse.ArgumentParser) -> None:
        self._group = parent.add_subparsers(dest="command", metavar="COMMAND", required=True)

    def add(self, name: str, purpose: str, handler: Handler | None, *, json: bool = True) -> argparse.ArgumentParser:
        """One command: its name, what it does in one phrase, and its function."""
        parser = self._group.add_parser(name, help=purpose, description=purpose[:1].upper() + purpose[1:] + ".")
        if handler is not None:
            parser.set_defaults(handler=handler)
            if json:
                parser.add_argument("--json", action="store_true", help="print the data as JSON")
        return parser

    def group(self, name: str, purpose: str) -> Commands:
        """A command that has commands of its own."""
        return Commands(self.add(name, purpose, None))


def language(parser: argparse.ArgumentParser) -> None:
    """Add the option that chooses the language of the text."""
    parser.add_argument("--lang", choices=LANGUAGES, default="en", help="language of the text (default: en)")
