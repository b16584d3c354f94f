"""The ledger on PostgreSQL; runs where DICJ_AUDIT_TEST_POSTGRES holds the URL of an empty database made for it."""

from __future__ import annotations

import datetime as dt
import json
import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sqlalchemy as sa
from sqlalchemy.exc import DatabaseError

from audit.errors import LockHeld, MachineFailure
from audit.findings import SCHEMA
from audit.model import MACAU, Severity
from audit.store.ledger import Ledger, RunRecord
from audit.store.models import METADATA

URL = os.environ.get("DICJ_AUDIT_TEST_POSTGRES", "")
AT = dt.datetime(2024, 3, 5, 4, 31, tzinfo=MACAU)

pytestmark = pytest.mark.skipif(not URL, reason="DICJ_AUDIT_TEST_POSTGRES names no database")


@pytest.fixture
def engine() -> Iterator[sa.Engine]:
    """The database, emptied before and after."""
    engine = sa.create_engine(URL)
    METADATA.drop_all(engine)
    yield engine
    METADATA.drop_all(engine)
    engine.dispose()


@pytest.fixture
def record(tmp_path: Path) -> RunRecord:
    """A finished run with one finding whose round id is unusual."""
    row = dict.fromkeys(SCHEMA.names) | {"finding_id": "f", "code": "RES-001", "severity": "high", "round_id": "莊\0 1"}
    pq.write_table(pa.Table.from_pylist([row | {"source_row": 1}], schema=SCHEMA), tmp_path / "findings.parquet")
    return RunRecord(
        recorded_at=AT,
        casino="grand",
        gaming_day=dt.date(2024, 3, 4),
        attempt=1,
        delivery="d" * 64,
        output="grand/2024-03-04/1",
        run_id="b" * 64,
        manifest={
            "software": {"version": "1"},
            "inputs": [{"role": "rounds", "file": "r.csv", "sha256": "a" * 64, "bytes": 2**40, "rows": 1}],
            "by_game": {"baccarat": {"conforming": 0, "violation": 1, "not_evaluated": 0}},
        },
        manifest_sha256="c" * 64,
        findings=tmp_path / "findings.parquet",
        worst=Severity.HIGH,
    )


def test_ledger_is_chained_and_append_only(engine: sa.Engine, record: RunRecord) -> None:
    """The same chain as on SQLite, and the server refuses changes."""
    with closing(Ledger.open(URL)) as ledger:
        ledger.record_run(record)
        ledger.record_event("alarm", at=AT, subject="e" * 64, reason=json.dumps({"a": "\u0000"}))
        with pytest.raises(MachineFailure, match="nothing was recorded"):
            ledger.record_run(record)
        assert ledger.verify_chain() == ()
    for statement in ("UPDATE findings SET severity = 'low'", "DELETE FROM entries WHERE seq = 2"):
        with pytest.raises(DatabaseError, match="append-only"), engine.begin() as connection:
            connection.execute(sa.text(statement))
    with engine.begin() as connection:
        connection.execute(sa.text("ALTER TABLE findings DISABLE TRIGGER findings_update"))
        connection.execute(sa.text("UPDATE findings SET severity = 'low'"))
    with closing(Ledger.open(URL)) as ledger:
        faults = ledger.verify_chain()
    assert faults[0] == "the findings of entry 1 were changed after they were recorded"
    assert "findings_update" in faults[1]


def test_second_writer_is_told_who_holds_the_ledger(engine: sa.Engine) -> None:
    """The server's own lock keeps a second service out, on whatever machine, and is free when the first has gone."""
    assert engine.dialect.name == "postgresql"
    with closing(Ledger.open(URL)) as first, closing(Ledger.open(URL)) as second:
        with (
            first.claimed("process 7 on night-1 since 2024-03-05T04:30:00+08:00"),
            pytest.raises(LockHeld, match="process 7 on night-1 since 2024-03-05"),
            second.claimed("process 8"),
        ):
            pass
        with second.claimed("process 8"):
            pass


def test_server_that_is_down_is_a_failure_in_words() -> None:
    """A server that does not answer is no traceback."""
    with pytest.raises(MachineFailure, match="the ledger cannot be opened"):
        Ledger.open(sa.make_url(URL).set(port=1).render_as_string(hide_password=False))
