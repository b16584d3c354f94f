"""One writer per ledger on a database server, whichever machine it runs on: an advisory lock of the server itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import sqlalchemy as sa
from sqlalchemy.exc import DatabaseError

from audit.errors import LockHeld, MachineFailure

KEY: Final = 0x44_49_43_4A
"""The lock's number on the server, "DICJ"; it holds within one database."""

_TAKE: Final = sa.text("SELECT pg_try_advisory_lock(:key)")
_NAME: Final = sa.text("SELECT set_config('application_name', :name, false)")
_HOLDER: Final = sa.text(
    "SELECT a.application_name FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid "
    "WHERE l.locktype = 'advisory' AND l.objid = :key AND l.granted "
    "AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)


@contextmanager
def sole_writer(engine: sa.Engine, holder: str) -> Iterator[None]:
    """Hold the ledger's lock on its server, which lets go of it when the connection ends, however it ends.

    `holder` is what a second instance is told. On SQLite there is nothing to do: the lock file beside the ledger does
    it. Raises LockHeld naming the holder, MachineFailure where the server cannot be asked.
    """
    if engine.dialect.name != "postgresql":
        yield
        return
    try:
        connection = engine.connect().execution_options(isolation_level="AUTOCOMMIT")
    except DatabaseError as error:
        raise MachineFailure("the database server of the ledger cannot be reached") from error
    with connection:
        if not connection.execute(_TAKE, {"key": KEY}).scalar():
            other = connection.execute(_HOLDER, {"key": KEY}).scalar()
            raise LockHeld(f"the ledger is in use by {other or 'another process'}")
        # The server keeps 63 bytes of the name.
        connection.execute(_NAME, {"name": holder[:63]})
        try:
            yield
        finally:
            connection.invalidate()
