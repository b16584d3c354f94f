"""A read-only view of the ledger in a web browser, on the loopback address, by Datasette (extra `browse`)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from audit.base.errors import ExitCode, MachineFailure, UsageError
from audit.base.resources import resource_dir

HOST: Final = "127.0.0.1"
"""The only address it listens on: the view has no log-in."""

OUTPUTS: Final = "DICJ_AUDIT_OUTPUTS"
"""The variable that tells the view's plugin where the finished runs are."""


def command(file: Path, port: int) -> list[str]:
    """How Datasette is started for a SQLite ledger: our canned queries and plugin, no downloads, no writing."""
    settings = {"allow_download": "off", "max_returned_rows": "2000", "sql_time_limit_ms": "5000"}
    options = [part for name, value in settings.items() for part in ("--setting", name, value)]
    folder = resource_dir("config") / "browse"
    plugins = Path(__file__).parent / "plugins"
    return [
        *(sys.executable, "-m", "datasette", "serve", str(file), "--host", HOST, "--port", str(port)),
        *("--metadata", str(folder / "metadata.json"), "--plugins-dir", str(plugins), *options),
    ]


@contextmanager
def _ended_with(view: subprocess.Popen[bytes]) -> Iterator[None]:
    """End the view when this process is told to end."""

    def end(*_: object) -> None:
        view.terminate()

    before = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def serve(url: str, outputs: Path | None, port: int) -> int:
    """Show the ledger until the view is stopped; `outputs` is where its reports are.

    Raises UsageError where Datasette is not installed, or the ledger is not a SQLite file that is there,
    MachineFailure where the view ends by itself (the port is taken, say).
    """
    import sqlalchemy as sa

    from audit.store.ledger import Ledger

    if find_spec("datasette") is None:
        raise UsageError("browse needs Datasette, which the extra 'browse' of dicj-audit installs")
    parsed = sa.make_url(url)
    if parsed.get_backend_name() != "sqlite" or not parsed.database:
        raise UsageError("browse shows a SQLite ledger; query one on PostgreSQL with its read-only role")
    Ledger.read(url).close()
    file = Path(parsed.database).resolve()
    environment = os.environ | {OUTPUTS: str((outputs or file.parent).resolve())}
    with subprocess.Popen(command(file, port), env=environment) as view, _ended_with(view):  # noqa: S603  our own
        code = view.wait()
    if code not in {0, -signal.SIGTERM, -signal.SIGINT}:
        raise MachineFailure(f"the view ended by itself; perhaps port {port} is taken")
    return int(ExitCode.CLEAN)
