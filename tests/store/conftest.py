"""A ledger on either database: SQLite, and a PostgreSQL server of the tests' own on the loopback address."""

from __future__ import annotations

import os
import shutil
import socket
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import pytest
import sqlalchemy as sa

from audit.store.ledger import Ledger

DEBIAN = Path("/usr/lib/postgresql")
"""Where Debian's packages put the server's programs, which are not on the path."""


def binaries() -> Path | None:
    """The folder of the server's programs, None where PostgreSQL is not installed."""
    found = [each.parent for each in sorted(DEBIAN.glob("*/bin/initdb"))]
    on_path = shutil.which("initdb")
    return found[-1] if found else Path(on_path).parent if on_path else None


@dataclass
class Server:
    """One server: started, stopped, and asked for new databases."""

    programs: Path
    home: Path
    port: int
    numbers: Iterator[int] = field(default_factory=count)

    def run(self, program: str, *arguments: str) -> None:
        """Run one of the server's programs, as the user postgres where we are root, which it refuses to be."""
        command = [str(self.programs / program), *arguments]
        if os.geteuid() == 0:
            command = ["runuser", "-u", "postgres", "--", *command]
        subprocess.run(command, check=True, capture_output=True, cwd=self.home, timeout=60)

    def create(self) -> None:
        """Make the cluster."""
        self.run("initdb", "-D", "data", "-A", "trust", "-U", "auditor", "-N", "--locale=C.UTF-8")

    def start(self) -> None:
        """Start the server and wait until it answers; it listens on the loopback address only."""
        options = f"-c listen_addresses=127.0.0.1 -p {self.port} -k {self.home} -c fsync=off"
        self.run("pg_ctl", "-D", "data", "-w", "-s", "-l", "log", "-o", options, "start")

    def stop(self) -> None:
        """Take the server away at once, as a crash would."""
        self.run("pg_ctl", "-D", "data", "-w", "-s", "-m", "immediate", "stop")

    def url(self, database: str = "postgres") -> str:
        """The address of a database."""
        return f"postgresql+psycopg://auditor@127.0.0.1:{self.port}/{database}"

    def database(self) -> str:
        """The address of a new, empty database; copied as files, so that little has to be replayed after a crash."""
        name = f"audit_{next(self.numbers)}"
        self.execute(f"CREATE DATABASE {name} STRATEGY file_copy")
        return self.url(name)

    def drop(self, url: str) -> None:
        """Remove a database."""
        self.execute(f"DROP DATABASE {sa.make_url(url).database} WITH (FORCE)")

    def execute(self, statement: str) -> None:
        """Run one statement outside of a transaction."""
        engine = sa.create_engine(self.url(), isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.execute(sa.text(statement))
        engine.dispose()


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A PostgreSQL server; where there is none the test is skipped, except in CI, which promises one."""
    programs = binaries()
    if programs is None:
        promised = os.environ.get("CI") == "true" or os.environ.get("DICJ_AUDIT_WITH_POSTGRES") == "1"
        (pytest.fail if promised else pytest.skip)("PostgreSQL is not installed")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    home = Path(tempfile.mkdtemp(prefix="dicj-audit-pg-"))
    if os.geteuid() == 0:
        shutil.chown(home, "postgres", "postgres")
    found = Server(programs, home, port)
    try:
        found.create()
        found.start()
        yield found
        found.stop()
    finally:
        shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a ledger that does not exist yet, on each database in turn."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/state/ledger.sqlite"
        return
    running = request.getfixturevalue("server")
    address = running.database()
    yield address
    running.drop(address)


@pytest.fixture
def ledger(url: str) -> Iterator[Ledger]:
    """A new ledger."""
    with closing(Ledger.open(url)) as opened:
        yield opened


@pytest.fixture
def tamper(url: str) -> Callable[..., None]:
    """Change the ledger behind its back; its triggers are put back afterwards unless `guarded`."""

    def change(*statements: str, guarded: bool = False) -> None:
        (_tamper_sqlite if url.startswith("sqlite") else _tamper_postgresql)(url, statements, guarded=guarded)

    return change


def _tamper_sqlite(url: str, statements: tuple[str, ...], *, guarded: bool) -> None:
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as connection:
        triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in () if guarded else triggers:
            connection.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            connection.execute(statement)
        for _, sql in () if guarded else triggers:
            connection.execute(sql)
        connection.commit()


def _tamper_postgresql(url: str, statements: tuple[str, ...], *, guarded: bool) -> None:
    engine = sa.create_engine(url)
    try:
        with engine.begin() as connection:
            if not guarded:
                # Without triggers and foreign keys, as only a superuser can.
                connection.execute(sa.text("SET session_replication_role = replica"))
            for statement in statements:
                connection.execute(sa.text(statement))
    finally:
        engine.dispose()
