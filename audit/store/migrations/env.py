"""What Alembic runs: the revisions, on the connection that :mod:`audit.store.migrations` hands over."""

from __future__ import annotations

from alembic import context

from audit.store.models import METADATA


def migrate() -> None:
    """Run the revisions within the transaction that the connection is in."""
    context.configure(connection=context.config.attributes["connection"], target_metadata=METADATA)
    with context.begin_transaction():
        context.run_migrations()


# Alembic loads this file under a name of its own; anybody else only imports it.
if __name__ == "env_py":
    migrate()
