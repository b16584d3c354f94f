"""The triggers by which the database itself refuses to change or delete what the ledger holds."""

from __future__ import annotations

from collections.abc import Iterator

PG_FUNCTION = (
    "CREATE OR REPLACE FUNCTION ledger_is_append_only() RETURNS trigger AS "
    "$$ BEGIN RAISE EXCEPTION 'the ledger is append-only'; END $$ LANGUAGE plpgsql"
)


def guards(dialect: str, *tables: str) -> Iterator[str]:
    """The statements that guard `tables`, for the database that SQLAlchemy calls `dialect`; none for another."""
    if dialect == "postgresql":
        yield PG_FUNCTION
    for table in tables:
        for verb in ("UPDATE", "DELETE"):
            trigger = f"CREATE TRIGGER {table}_{verb.lower()} BEFORE {verb} ON {table}"
            if dialect == "sqlite":
                yield f"{trigger} BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END"
            elif dialect == "postgresql":
                yield f"{trigger} FOR EACH ROW EXECUTE FUNCTION ledger_is_append_only()"
