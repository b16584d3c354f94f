"""The health file: what the service is doing, for any monitor that reads files; and signs of life to systemd."""

from __future__ import annotations

import datetime as dt
import json
import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Final

from audit.base.errors import MachineFailure
from audit.base.model import MACAU

FORMAT: Final = 1
STALE_AFTER: Final = dt.timedelta(minutes=5)
"""A live service writes its heartbeat every minute."""


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that a reader sees the old content or the new one, never a part.

    Raises MachineFailure where it cannot be written.
    """
    new = path.with_name(f".{path.name}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with new.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except OSError as error:
        raise MachineFailure(f"{path.name} cannot be written: {error.strerror}") from error


@dataclass(slots=True)
class Health:
    """The health file of one service; several threads may report."""

    path: Path
    started_at: dt.datetime
    _facts: dict[str, object] = field(default_factory=dict)
    _guard: Lock = field(default_factory=Lock)

    def report(self, now: dt.datetime, **facts: object) -> None:
        """Merge `facts` into what is known and write it with a new heartbeat."""
        with self._guard:
            self._facts |= facts
            content = {
                "format": FORMAT,
                "pid": os.getpid(),
                "host": socket.gethostname(),
                "started_at": moment(self.started_at),
                "heartbeat_at": moment(now),
                **self._facts,
            }
            write_whole(self.path, json.dumps(content, ensure_ascii=False, indent=2, sort_keys=True).encode() + b"\n")


def moment(instant: dt.datetime) -> str:
    """An instant as the service prints it: Macau time, to the second."""
    return instant.astimezone(MACAU).isoformat(timespec="seconds")


def read_health(path: Path) -> Mapping[str, object] | None:
    """What the health file says, None where there is none that can be read."""
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return content if isinstance(content, dict) else None


def problem(path: Path, now: dt.datetime) -> str | None:
    """What a monitor should raise an alarm about, in one sentence; None while the service is well."""
    content = read_health(path)
    if content is None:
        return "the service has left no health file"
    if content.get("state") in {"stopped", "failed"}:
        return f"the service has {content['state']}"
    try:
        heartbeat = dt.datetime.fromisoformat(str(content.get("heartbeat_at")))
    except ValueError:
        return "the health file has no heartbeat"
    if now - heartbeat > STALE_AFTER:
        return f"the service has shown no sign of life since {moment(heartbeat)}"
    return str(content["alarm"]) if content.get("alarm") else None


def tell_systemd(message: str) -> None:
    """Send `READY=1`, `WATCHDOG=1` or `STOPPING=1` where systemd asked for it; otherwise nothing."""
    address = os.environ.get("NOTIFY_SOCKET")
    if not address:
        return
    if address.startswith("@"):
        address = "\0" + address[1:]
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
            channel.connect(address)
            channel.sendall(message.encode())
    except OSError:
        # A service that cannot report to systemd still has an audit to do.
        return
