"""Log events as JSON lines on stderr. The fields are a closed list, so that no personal data can slip in."""

from __future__ import annotations

import datetime as dt
import json
import logging
import re
import sys
import traceback
from typing import Final, TextIO, TypedDict, Unpack

from audit.base.model import MACAU

ROOT: Final = "audit.service"
_QUOTED: Final = re.compile(r"'[^']*'|\"[^\"]*\"|“[^”]*”|「[^」]*」")


class Fields(TypedDict, total=False):
    """Everything that a log line may say besides its event."""

    alarms: int
    already_audited: int
    attempt: int
    audited: int
    bytes: int
    casino: str
    channel: str
    entry: int
    error: str
    failed: int
    file: str
    findings: int
    first_day: str
    gaming_day: str
    head: str
    host: str
    last_day: str
    next_run_at: str
    output: str
    pid: int
    reason: str
    refused: int
    rounds: int
    run_id: str
    seconds: float
    signal: str
    stopped: bool
    supersedes: int
    trace: list[str]
    version: str
    waiting: int
    worst: str | None


def redact(sentence: str) -> str:
    """An error's sentence without what it quotes from the data, which could name a person.

    >>> redact("rounds.csv: row 3, column seat: 'Chan Tai Man' is not a seat")
    "rounds.csv: row 3, column seat: '…' is not a seat"
    """
    return _QUOTED.sub("'…'", sentence)


def place(error: BaseException) -> list[str]:
    """Where an error arose, innermost last, as module:line and nothing of the values involved."""
    frames = traceback.extract_tb(error.__traceback__)
    return [f"{frame.filename.rsplit('/', 1)[-1]}:{frame.lineno} {frame.name}" for frame in frames[-8:]]


class JsonLines(logging.Formatter):
    """One JSON object a line: `at` (Macau time), `level`, `event`, then the fields."""

    def format(self, record: logging.LogRecord) -> str:
        """The line of one record; a library's own words are redacted."""
        at = dt.datetime.fromtimestamp(record.created, tz=MACAU).isoformat(timespec="milliseconds")
        line: dict[str, object] = {"at": at, "level": record.levelname.lower()}
        fields = getattr(record, "fields", None)
        if isinstance(fields, dict):
            line["event"] = record.getMessage()
            line |= {name: fields[name] for name in sorted(fields) if name in Fields.__annotations__}
        else:
            line |= {"event": "library", "logger": record.name, "message": redact(record.getMessage())}
            if record.exc_info and record.exc_info[1]:
                line |= {"error": type(record.exc_info[1]).__name__, "trace": place(record.exc_info[1])}
        return json.dumps(line, ensure_ascii=False)


class EventLog:
    """Logs events, not sentences: `log.info("run.finished", casino=…, findings=…)`."""

    def __init__(self, name: str = ROOT) -> None:
        self._logger = logging.getLogger(name)

    def info(self, event: str, **fields: Unpack[Fields]) -> None:
        """Something happened as it should."""
        self._logger.info(event, extra={"fields": fields})

    def warning(self, event: str, **fields: Unpack[Fields]) -> None:
        """Somebody should look at it."""
        self._logger.warning(event, extra={"fields": fields})

    def fault(self, event: str, **fields: Unpack[Fields]) -> None:
        """Something failed."""
        self._logger.error(event, extra={"fields": fields})


def _wanted(record: logging.LogRecord) -> bool:
    """Keep a library's chatter out: some set their own level."""
    return record.name.startswith(ROOT) or record.levelno >= logging.WARNING


def configure(stream: TextIO | None = None) -> None:
    """Send the service's events, and warnings of libraries, to `stream` (default stderr) as JSON lines."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonLines())
    handler.addFilter(_wanted)
    root = logging.getLogger()
    for old in [each for each in root.handlers if isinstance(each.formatter, JsonLines)]:
        root.removeHandler(old)
    root.addHandler(handler)
    root.setLevel(logging.WARNING)
    logging.getLogger(ROOT).setLevel(logging.INFO)
    logging.captureWarnings(capture=True)
