"""One writer per ledger on a database server, whichever machine it runs on: an advisory lock of the server itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import sqlalchemy as sa
from sqlalchemy.exc import DatabaseError

from audit.base.errors import LockHeld, MachineFailure

KEY: Final = 0x44_49_43_4A
"""The lock's number on the server, "DICJ"; it holds within one database."""

_TAKE: Final = sa.text("SELECT pg_try_advisory_lock(:key)")
_NAME: Final = sa.text("SELECT set_config('application_name', :name, false)")
_HOLDER: Final = sa.text(
    "SELECT a.application_name FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid "
    "WHERE l.locktype = 'advisory' AND l.objid = :key AND l.granted "
    "AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)


class _Claim:
    """The lock of one process, on a connection that is kept for it alone."""

    def __init__(self, engine: sa.Engine, holder: str) -> None:
        self._engine = engine
        self._holder = holder
        self._connection: sa.Connection | None = None

    def hold(self) -> None:
        """Make sure that the lock is held, which the server forgets when it goes away.

        Raises LockHeld where another process has taken it, MachineFailure where the server cannot be asked.
        """
        if self._connection is not None:
            try:
                self._connection.execute(sa.text("SELECT 1"))
            except DatabaseError:
                self.drop()
            else:
                return
        try:
            connection = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
            if not connection.execute(_TAKE, {"key": KEY}).scalar():
                other = connection.execute(_HOLDER, {"key": KEY}).scalar()
                connection.close()
                raise LockHeld(f"the ledger is in use by {other or 'another process'}")
            # The server keeps 63 bytes of the name.
            connection.execute(_NAME, {"name": self._holder[:63]})
        except DatabaseError as error:
            raise MachineFailure("the database server of the ledger cannot be reached") from error
        self._connection = connection

    def drop(self) -> None:
        """Let go of the lock by ending its connection."""
        if self._connection is not None:
            self._connection.invalidate()
            self._connection.close()
            self._connection = None


def _nothing_to_hold() -> None:
    """SQLite: the lock file beside the ledger is held as long as the process lives."""


@contextmanager
def sole_writer(engine: sa.Engine, holder: str) -> Iterator[Callable[[], None]]:
    """Hold the ledger's lock on its server, which lets go of it when the connection ends, however it ends.

    `holder` is what a second instance is told. The function given makes sure that the lock is still held, the server
    having been away, and raises as this does. On SQLite there is nothing to do: the lock file beside the ledger does
    it. Raises LockHeld naming the holder, MachineFailure where the server cannot be asked.
    """
    if engine.dialect.name != "postgresql":
        yield _nothing_to_hold
        return
    claim = _Claim(engine, holder)
    claim.hold()
    try:
        yield claim.hold
    finally:
        claim.drop()
