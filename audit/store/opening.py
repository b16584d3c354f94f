"""How the database of a ledger is reached: an engine for its URL, made ready for the ledger's way of writing."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

from audit.base.errors import ConfigurationError, MachineFailure, UsageError

BUSY_SECONDS: Final = 30
"""How long a writer waits for a reader of the SQLite file."""


def engine_for(url: str, *, read_only: bool = False) -> sa.Engine:
    """An engine for an SQLAlchemy URL; with `read_only` the database itself refuses to be written through it.

    Raises ConfigurationError for a URL that names no usable database, UsageError where a SQLite file to be read does
    not exist, MachineFailure where the folder of one to be written cannot be made.
    """
    try:
        parsed = sa.make_url(url)
        if parsed.get_backend_name() == "sqlite":
            return _sqlite(parsed, read_only=read_only)
        options = {"postgresql_readonly": True} if read_only else {}
        return sa.create_engine(parsed, pool_pre_ping=True, execution_options=options)
    except (ArgumentError, NoSuchModuleError, ModuleNotFoundError) as error:
        raise ConfigurationError(f"service.ledger: not a usable database URL ({type(error).__name__})") from error


def _sqlite(parsed: sa.URL, *, read_only: bool) -> sa.Engine:
    file = Path(parsed.database) if parsed.database and parsed.database != ":memory:" else None
    if read_only:
        if file is None or not file.is_file():
            raise UsageError(f"there is no ledger at {file or 'an address in memory'}; `serve` makes it")
        parsed = sa.URL.create("sqlite", database=file.resolve().as_uri(), query={"mode": "ro", "uri": "true"})
    elif file is not None:
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise MachineFailure(f"the folder of the ledger cannot be made: {error.strerror}") from error
    engine = sa.create_engine(parsed, connect_args={"timeout": BUSY_SECONDS})
    # WAL lets investigators read while the service writes; FULL makes a commit survive a power cut.
    pragmas = ["foreign_keys = ON", *(() if read_only else ("journal_mode = WAL", "synchronous = FULL"))]

    @sa.event.listens_for(engine, "connect")
    def settle(connection: Any, _record: object) -> None:
        cursor = connection.cursor()
        for pragma in pragmas:
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    return engine
