"""How the ledger's tables came to be, revision by revision, and how an older ledger is brought up to date.

A new revision is a file in `versions/` that goes on from the last one; it may add tables and columns, never change what
is recorded. `audit/store/models.py` says how the tables are now; a test compares the two.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import sqlalchemy as sa

if TYPE_CHECKING:
    from alembic.config import Config

HEAD: Final = "r0002"
"""The revision that this program works with."""

FIRST: Final = "r0001"
_TURN: Final = 0x44_49_43_4B
"""Number of the lock on a database server that lets one process upgrade at a time."""


def configuration(connection: sa.Connection) -> Config:
    """Alembic's configuration, without a file, for one connection."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def revision(connection: sa.Connection) -> str | None:
    """The revision of the tables behind a connection; None where there are none, the first where nothing says it."""
    tables = sa.inspect(connection).get_table_names()
    if "alembic_version" in tables:
        found = connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar()
        if found is not None:
            return str(found)
    return FIRST if "entries" in tables else None


def upgrade(engine: sa.Engine, to: str = HEAD) -> None:
    """Bring the tables to a revision, all or nothing; a ledger of that revision is left alone.

    Raises SQLAlchemyError where the database refuses, LookupError where the ledger is newer than this program.
    """
    with engine.connect() as connection:
        if revision(connection) == to:
            return
    from alembic import command

    with engine.begin() as connection:
        if engine.dialect.name == "sqlite":
            # pysqlite begins no transaction before DDL by itself; a kill in the middle would leave half of the tables.
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        elif engine.dialect.name == "postgresql":
            connection.execute(sa.text("SELECT pg_advisory_xact_lock(:key)"), {"key": _TURN})
        now = revision(connection)
        if now == to:
            return
        config = configuration(connection)
        if now is not None and now not in _known(config):
            raise LookupError(now)
        if now == FIRST:
            command.stamp(config, FIRST)
        command.upgrade(config, to)


def _known(config: Config) -> set[str]:
    from alembic.script import ScriptDirectory

    return {each.revision for each in ScriptDirectory.from_config(config).walk_revisions()}
