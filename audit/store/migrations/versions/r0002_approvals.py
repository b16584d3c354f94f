"""The register of authorisations as each run saw it, and an index by which a table's findings are found."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from audit.store.guards import guards

revision = "r0002"
down_revision = "r0001"


def upgrade() -> None:
    """Add the table of snapshots and guard it."""
    op.create_table(
        "approvals",
        sa.Column("entry", sa.Integer, sa.ForeignKey("entries.seq"), primary_key=True, autoincrement=False),
        sa.Column("position", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("approval_id", sa.Text, nullable=False, index=True),
        sa.Column("casino", sa.Text),
        sa.Column("game", sa.String(32)),
        *(sa.Column(name, sa.Text) for name in ("option", "value", "tables")),
        sa.Column("decision", sa.String(16)),
        sa.Column("applied_at", sa.String(40)),
        *(sa.Column(name, sa.String(10)) for name in ("authorised_at", "planned_from", "ends_on")),
        sa.Column("state", sa.String(16)),
        sa.Column("source_file", sa.Text),
        sa.Column("source_row", sa.BigInteger),
    )
    op.create_index("ix_findings_table_id", "findings", ["table_id"])
    for statement in guards(op.get_bind().dialect.name, "approvals"):
        op.execute(statement)
