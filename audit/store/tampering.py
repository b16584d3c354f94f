"""What is no longer in a ledger as it was recorded: every digest recomputed, every guard looked for."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import sqlalchemy as sa

from audit.store import chain
from audit.store.chain import GENESIS, Cell
from audit.store.models import APPROVALS, ENTRIES, FINDINGS, GUARDS, INPUTS, VERDICTS


def ledger_faults(connection: sa.Connection, outputs: Path | None) -> Iterator[str]:
    """One sentence for each fault, none where all is sound; with `outputs` each run's manifest is compared too."""
    yield from _chain_faults(connection, outputs)
    yield from _guard_faults(connection)


def _rows(connection: sa.Connection, table: sa.Table, seq: int) -> Iterator[dict[str, Cell]]:
    order = table.c.position if "position" in table.c else table.c.game
    query = sa.select(table).where(table.c.entry == seq).order_by(order)
    for row in connection.execution_options(yield_per=5_000).execute(query).mappings():
        yield dict(row)


def _chain_faults(connection: sa.Connection, outputs: Path | None) -> Iterator[str]:
    previous, expected = GENESIS, 1
    for row in connection.execute(sa.select(ENTRIES).order_by(ENTRIES.c.seq)).mappings().all():
        entry = dict(row)
        seq = row["seq"]
        if seq != expected:
            yield f"entry {expected} is missing"
        elif row["previous"] != previous:
            yield f"entry {seq} does not follow from the entry before it"
        inputs = list(_rows(connection, INPUTS, seq))
        verdicts = list(_rows(connection, VERDICTS, seq))
        approvals = list(_rows(connection, APPROVALS, seq))
        if chain.entry_digest(entry, inputs, verdicts, approvals) != row["digest"]:
            yield f"entry {seq} was changed after it was recorded"
        digest, count = chain.findings_digest(_rows(connection, FINDINGS, seq))
        if (row["findings_digest"] or chain.findings_digest(())[0], row["findings"] or 0) != (digest, count):
            yield f"the findings of entry {seq} were changed after they were recorded"
        if outputs is not None and row["output"]:
            yield from _output_faults(outputs / row["output"], entry)
        previous, expected = row["digest"], seq + 1


def _output_faults(folder: Path, entry: Mapping[str, Cell]) -> Iterable[str]:
    try:
        found = hashlib.sha256((folder / "manifest.json").read_bytes()).hexdigest()
    except OSError:
        return [f"the output of entry {entry['seq']} ({entry['output']}) is missing"]
    if found != entry["manifest"]:
        return [f"the manifest of entry {entry['seq']} ({entry['output']}) was changed after it was recorded"]
    return []


def _guard_faults(connection: sa.Connection) -> Iterator[str]:
    catalogue = {
        "sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger'",
        "postgresql": "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal AND tgenabled <> 'D'",
    }.get(connection.dialect.name)
    present = set(connection.execute(sa.text(catalogue)).scalars()) if catalogue else set(GUARDS)
    for name in GUARDS:
        if name not in present:
            yield f"the trigger {name}, which keeps the ledger append-only, was removed"
    for table in (INPUTS, VERDICTS, FINDINGS, APPROVALS):
        stray = sa.select(sa.func.count()).where(table.c.entry.not_in(sa.select(ENTRIES.c.seq)))
        if connection.execute(stray).scalar_one():
            yield f"the table {table.name} has rows that belong to no entry"
