"""What only PostgreSQL does: a lock of the server's own, a role that may only read, and a server that goes away."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import DatabaseError

from audit.base.errors import LockHeld, MachineFailure
from audit.service import job
from audit.service.schedule import serve
from audit.store.ledger import Ledger
from tests.service import fakes

ROLE = Path(__file__).resolve().parents[2] / "deploy" / "readonly_role.sql"


def test_second_writer_is_told_who_holds_the_ledger(server: Any) -> None:
    """The server's own lock keeps a second service out, on whatever machine, and is free when the first has gone."""
    url = server.database()
    with closing(Ledger.open(url)) as first, closing(Ledger.open(url)) as second:
        with (
            first.claimed("process 7 on night-1 since 2024-03-05T04:30:00+08:00"),
            pytest.raises(LockHeld, match="process 7 on night-1 since 2024-03-05"),
            second.claimed("process 8"),
        ):
            pass
        with second.claimed("process 8"):
            pass


def test_server_that_is_down_is_a_failure_in_words(server: Any) -> None:
    """A server that does not answer is no traceback."""
    with pytest.raises(MachineFailure, match="the ledger cannot be opened"):
        Ledger.open(sa.make_url(server.url()).set(port=1).render_as_string(hide_password=False))


def test_role_of_the_external_auditor_reads_and_cannot_write(server: Any) -> None:
    """With the role of deploy/readonly_role.sql one can ask everything of the ledger and change nothing in it."""
    url = sa.make_url(server.database())
    with closing(Ledger.open(url.render_as_string())):
        pass
    script = ROLE.read_text("utf-8")
    engine = sa.create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        # Twice: the script may be run again, after an upgrade say.
        for _ in range(2):
            connection.connection.cursor().execute(script)
        connection.execute(sa.text("CREATE ROLE dicj_reader LOGIN IN ROLE dicj_audit_read"))
    engine.dispose()

    reader = url.set(username="dicj_reader")
    with closing(Ledger.read(reader.render_as_string())) as ledger:
        assert ledger.head()[0] == 0
        assert ledger.verify_chain() == ()
    engine = sa.create_engine(reader)
    row = "(seq, kind, recorded_at, subject, previous, digest) VALUES (1, 'run', '', '', '', '')"
    writes = (f"INSERT INTO entries {row}", "UPDATE findings SET severity = 'low'", "DELETE FROM entries")
    for statement in (*writes, "TRUNCATE entries CASCADE", "CREATE TABLE notes (a int)", "DROP TABLE verdicts"):
        with pytest.raises(DatabaseError, match=r"permission denied|must be owner"), engine.begin() as connection:
            connection.execute(sa.text(statement))
    engine.dispose()


def test_database_that_goes_away_in_mid_run_and_comes_back(server: Any, tmp_path: Path) -> None:
    """The server dies while a day is audited: the pass fails in words; when it is back the same service goes on."""
    url = server.database()
    fakes.deliver(tmp_path, "2024-03-04")
    settings = fakes.settings(tmp_path, ledger=url)
    codes: list[int] = []

    class Runner(fakes.Runner):
        def __call__(self, *arguments: Any) -> Any:
            if not codes:
                server.stop()
            return super().__call__(*arguments)

    def three_passes(auditor: Any, _force: object) -> Any:
        codes.append(int(one_pass(auditor).exit_code))
        server.start()
        with closing(Ledger.open(url)) as other, other.claimed("the rival"):
            # Another service was quicker to take the lock: this one must not write.
            codes.append(int(one_pass(auditor).exit_code))
        codes.append(int(one_pass(auditor).exit_code))
        with closing(Ledger.open(url)) as other, pytest.raises(LockHeld), other.claimed("the rival"):
            pass
        return SimpleNamespace(exit_code=0)

    one_pass = job.Auditor.run_pass
    with mock.patch.object(job.Auditor, "run_pass", three_passes):
        serve(settings, once=True, runner=Runner(), clock=lambda: fakes.NOW)

    assert codes == [4, 4, 0]
    with closing(Ledger.open(url)) as ledger:
        assert ledger.verify_chain() == ()
        assert [entry.attempt for entry in ledger.entries("run")] == [1]
