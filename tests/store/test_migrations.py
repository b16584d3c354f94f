"""The ledger's revisions: from nothing and from the first one to what the program works with."""

from __future__ import annotations

import datetime as dt
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from audit.base.errors import MachineFailure, UsageError
from audit.base.model import MACAU
from audit.store import migrations
from audit.store.ledger import Ledger
from audit.store.models import GUARDS, METADATA
from audit.store.opening import engine_for
from audit.store.tampering import ledger_faults

pytestmark = pytest.mark.slow

AT = dt.datetime(2024, 3, 5, 4, 31, tzinfo=MACAU)


def tables(engine: sa.Engine) -> set[str]:
    """The tables of a database."""
    return set(sa.inspect(engine).get_table_names())


def test_new_ledger_is_what_the_models_say(url: str) -> None:
    """The revisions, one after the other, give exactly the tables, columns, keys and indexes of the models."""
    with closing(Ledger.open(url)):
        pass
    engine = engine_for(url)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})

        assert [] == compare_metadata(context, METADATA)
        assert migrations.HEAD == migrations.revision(connection)
        assert () == tuple(ledger_faults(connection, None))
    engine.dispose()
    assert len(GUARDS) == 2 * len(METADATA.tables)


@pytest.mark.parametrize("stamped", [True, False])
def test_ledger_of_the_first_revision_is_brought_up_to_date(url: str, *, stamped: bool) -> None:
    """A ledger of the first revision, even one that does not say so, keeps its entries and its chain."""
    engine = engine_for(url)
    migrations.upgrade(engine, migrations.FIRST)
    digest = _write_first(engine)
    if not stamped:
        with engine.begin() as connection:
            connection.execute(sa.text("DROP TABLE alembic_version"))
    assert "approvals" not in tables(engine)
    engine.dispose()

    with closing(Ledger.open(url)) as ledger:
        assert (1, digest) == ledger.head()
        ledger.record_event("alarm", at=AT, subject="e" * 64, reason="after the upgrade")
        assert () == ledger.verify_chain()
    engine = engine_for(url)
    assert "approvals" in tables(engine)
    engine.dispose()


def _write_first(engine: sa.Engine) -> str:
    """One entry, as the program wrote it when the first revision was the only one; its digest."""
    from audit.store.chain import GENESIS, entry_digest
    from audit.store.models import ENTRIES

    row = dict.fromkeys(column.name for column in ENTRIES.columns)
    row |= {"seq": 1, "kind": "alarm", "recorded_at": "2024-03-04T20:31:00+00:00", "subject": "d" * 64}
    row |= {"reason": "before the upgrade", "previous": GENESIS}
    row["digest"] = entry_digest(row, [], [])
    with engine.begin() as connection:
        connection.execute(sa.insert(ENTRIES), [row])
    return str(row["digest"])


def test_upgrade_that_fails_leaves_the_ledger_as_it_was(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A revision is applied whole or not at all, and the next start applies it."""
    engine = engine_for(url)
    migrations.upgrade(engine, migrations.FIRST)
    monkeypatch.setattr("audit.store.guards.PG_FUNCTION", "nonsense")
    broken = ("CREATE TRIGGER x BEFORE nonsense",)
    with monkeypatch.context() as patch:
        patch.setattr("audit.store.guards.guards", lambda *_: broken)
        with pytest.raises(MachineFailure, match="the ledger cannot be opened"):
            Ledger.open(url)
    assert "approvals" not in tables(engine)
    engine.dispose()
    monkeypatch.undo()

    Ledger.open(url).close()


def test_newer_ledger_is_refused(url: str) -> None:
    """A ledger of a revision that this program does not know is not touched."""
    Ledger.open(url).close()
    engine = engine_for(url)
    with engine.begin() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = 'r9999'"))
    engine.dispose()

    for opening in (Ledger.open, Ledger.read):
        with pytest.raises(MachineFailure, match="revision r9999"):
            opening(url)


def test_revisions_follow_each_other() -> None:
    """There is one first revision and one last, and the last is the one that the program names."""
    engine = engine_for("sqlite://")
    with engine.connect() as connection:
        script = ScriptDirectory.from_config(migrations.configuration(connection))
    engine.dispose()

    assert [migrations.HEAD] == script.get_heads()
    assert [migrations.FIRST] == list(script.get_bases())


def test_reading_makes_nothing(tmp_path: Path) -> None:
    """To look at a ledger that is not there makes none; one that is there cannot be written through the reader."""
    url = f"sqlite:///{tmp_path}/ledger.sqlite"
    with pytest.raises(UsageError, match="there is no ledger"):
        Ledger.read(url)
    assert [] == list(tmp_path.iterdir())

    Ledger.open(url).close()
    with closing(Ledger.read(url)) as ledger, pytest.raises(MachineFailure, match="readonly"):
        ledger.record_event("alarm", at=AT, subject="d" * 64, reason="x")
