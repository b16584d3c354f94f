"""The ledger: entries, the inputs, verdicts and findings of its runs, and the guards that keep them as they are."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from audit.store.guards import guards

revision = "r0001"
down_revision = None


def upgrade() -> None:
    """Make the four tables and guard them."""
    op.create_table(
        "entries",
        sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("recorded_at", sa.String(40), nullable=False),
        sa.Column("casino", sa.String(128)),
        sa.Column("gaming_day", sa.String(10)),
        sa.Column("attempt", sa.Integer),
        sa.Column("subject", sa.String(64), nullable=False, index=True),
        sa.Column("reason", sa.Text),
        sa.Column("run_id", sa.String(64), index=True),
        sa.Column("output", sa.Text),
        sa.Column("manifest", sa.String(64)),
        sa.Column("version", sa.String(64)),
        sa.Column("worst", sa.String(16)),
        sa.Column("findings", sa.BigInteger),
        sa.Column("findings_digest", sa.String(64)),
        sa.Column("supersedes", sa.Integer, sa.ForeignKey("entries.seq")),
        sa.Column("previous", sa.String(64), nullable=False, unique=True),
        sa.Column("digest", sa.String(64), nullable=False, unique=True),
        sa.UniqueConstraint("casino", "gaming_day", "attempt"),
    )
    op.create_table(
        "inputs",
        sa.Column("entry", sa.Integer, sa.ForeignKey("entries.seq"), primary_key=True, autoincrement=False),
        sa.Column("position", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("file", sa.Text, nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        *(sa.Column(name, sa.BigInteger) for name in ("bytes", "rows", "accepted", "quarantined", "repeats")),
    )
    op.create_table(
        "verdicts",
        sa.Column("entry", sa.Integer, sa.ForeignKey("entries.seq"), primary_key=True, autoincrement=False),
        sa.Column("game", sa.String(32), primary_key=True),
        sa.Column("verdict", sa.String(16), primary_key=True),
        sa.Column("rounds", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "findings",
        sa.Column("entry", sa.Integer, sa.ForeignKey("entries.seq"), primary_key=True, autoincrement=False),
        sa.Column("position", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("finding_id", sa.String(64), nullable=False, index=True),
        sa.Column("code", sa.String(16), nullable=False, index=True),
        sa.Column("severity", sa.String(16), nullable=False),
        sa.Column("game", sa.String(32)),
        *(sa.Column(name, sa.Text) for name in ("casino", "table_id", "shoe_id")),
        *(sa.Column(name, sa.Text) for name in ("round_id", "wager_id", "approval_id")),
        sa.Column("side", sa.String(16)),
        sa.Column("occurred_at", sa.String(40)),
        sa.Column("legal_day", sa.String(10)),
        *(sa.Column(name, sa.Text) for name in ("instrument", "article", "option", "value", "expected", "observed")),
        sa.Column("amount", sa.BigInteger),
        sa.Column("currency", sa.String(8)),
        sa.Column("rounds_affected", sa.BigInteger),
        *(sa.Column(name, sa.Text) for name in ("first_round_id", "last_round_id", "source_file")),
        sa.Column("source_row", sa.BigInteger),
    )
    for statement in guards(op.get_bind().dialect.name, "entries", "inputs", "verdicts", "findings"):
        op.execute(statement)
