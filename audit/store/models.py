"""The tables of the ledger. SQLite by default, PostgreSQL by URL; nothing in them is ever changed or deleted.

They are made by :mod:`audit.store.migrations`; a test asserts that both say the same.

Days are ISO text, instants ISO text in UTC, sums of money whole ten-thousandths: what is read back is then, on either
database, exactly what was written, and the digests of the chain can be recomputed.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import BigInteger, Column, ForeignKey, Integer, MetaData, String, Table, Text, UniqueConstraint

METADATA: Final = MetaData()

ENTRIES: Final = Table(
    "entries",
    METADATA,
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("kind", String(16), nullable=False),
    Column("recorded_at", String(40), nullable=False),
    Column("casino", String(128)),
    Column("gaming_day", String(10)),
    Column("attempt", Integer),
    Column("subject", String(64), nullable=False, index=True),
    Column("reason", Text),
    Column("run_id", String(64), index=True),
    Column("output", Text),
    Column("manifest", String(64)),
    Column("version", String(64)),
    Column("worst", String(16)),
    Column("findings", BigInteger),
    Column("findings_digest", String(64)),
    Column("supersedes", Integer, ForeignKey("entries.seq")),
    Column("previous", String(64), nullable=False, unique=True),
    Column("digest", String(64), nullable=False, unique=True),
    UniqueConstraint("casino", "gaming_day", "attempt"),
)
"""One row per event, numbered from 1: `kind` is `run`, `refused`, `failed` or `alarm`.

`subject` is the digest of what the entry is about: of the delivery for a run, of the folder's state for a refusal, of
the days for an alarm. `attempt`, `run_id`, `manifest` (digest of manifest.json), `worst`, `findings` and `supersedes`
(number of the run that this one replaces) are those of runs only. `output` is relative to the output folder.
"""

INPUTS: Final = Table(
    "inputs",
    METADATA,
    Column("entry", Integer, ForeignKey("entries.seq"), primary_key=True, autoincrement=False),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("role", String(16), nullable=False),
    Column("file", Text, nullable=False),
    Column("sha256", String(64), nullable=False),
    Column("bytes", BigInteger),
    Column("rows", BigInteger),
    Column("accepted", BigInteger),
    Column("quarantined", BigInteger),
    Column("repeats", BigInteger),
)
"""The files that a run read, in the order of its manifest, with their control totals."""

VERDICTS: Final = Table(
    "verdicts",
    METADATA,
    Column("entry", Integer, ForeignKey("entries.seq"), primary_key=True, autoincrement=False),
    Column("game", String(32), primary_key=True),
    Column("verdict", String(16), primary_key=True),
    Column("rounds", BigInteger, nullable=False),
)
"""Rounds of a run by game and verdict."""

FINDINGS: Final = Table(
    "findings",
    METADATA,
    Column("entry", Integer, ForeignKey("entries.seq"), primary_key=True, autoincrement=False),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("finding_id", String(64), nullable=False, index=True),
    Column("code", String(16), nullable=False, index=True),
    Column("severity", String(16), nullable=False),
    Column("game", String(32)),
    Column("casino", Text),
    Column("table_id", Text, index=True),
    Column("shoe_id", Text),
    Column("round_id", Text),
    Column("wager_id", Text),
    Column("approval_id", Text),
    Column("side", String(16)),
    Column("occurred_at", String(40)),
    Column("legal_day", String(10)),
    Column("instrument", Text),
    Column("article", Text),
    Column("option", Text),
    Column("value", Text),
    Column("expected", Text),
    Column("observed", Text),
    Column("amount", BigInteger),
    Column("currency", String(8)),
    Column("rounds_affected", BigInteger),
    Column("first_round_id", Text),
    Column("last_round_id", Text),
    Column("source_file", Text),
    Column("source_row", BigInteger),
)
"""The findings of a run in the order of its findings.parquet; `amount` is in ten-thousandths of the currency's unit.

The three sentences of a finding stay in the run's own files, whose digests the run's manifest holds.
"""

APPROVALS: Final = Table(
    "approvals",
    METADATA,
    Column("entry", Integer, ForeignKey("entries.seq"), primary_key=True, autoincrement=False),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("approval_id", Text, nullable=False, index=True),
    Column("casino", Text),
    Column("game", String(32)),
    Column("option", Text),
    Column("value", Text),
    Column("tables", Text),
    Column("decision", String(16)),
    Column("applied_at", String(40)),
    Column("authorised_at", String(10)),
    Column("planned_from", String(10)),
    Column("ends_on", String(10)),
    Column("state", String(16)),
    Column("source_file", Text),
    Column("source_row", BigInteger),
)
"""The register of authorisations as each run saw it, in the register's order; `state` is that of the notice."""

APPROVAL_COLUMNS: Final = tuple(each.name for each in APPROVALS.columns if each.name not in {"entry", "position"})
"""What a snapshot of the register keeps of each of its entries."""

FINDING_COLUMNS: Final = tuple(column.name for column in FINDINGS.columns if column.name not in {"entry", "position"})
"""The columns of findings.parquet that the ledger keeps, in the order of its digest."""

GUARDS: Final = tuple(f"{table.name}_{verb}" for table in METADATA.sorted_tables for verb in ("update", "delete"))
"""Names of the triggers that refuse a change (:mod:`audit.store.guards`); the ledger's verification looks for them."""
