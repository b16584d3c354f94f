"""The ledger: what was audited, refused, missed; appended to, never changed, each entry chained to the one before."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, fields
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Any, Final, Self

import sqlalchemy as sa
from sqlalchemy.exc import DatabaseError, IntegrityError, SQLAlchemyError

from audit.base.errors import MachineFailure, UsageError
from audit.base.model import Severity
from audit.store import chain, migrations
from audit.store.chain import GENESIS, Cell
from audit.store.claim import sole_writer
from audit.store.models import APPROVAL_COLUMNS, APPROVALS, ENTRIES, FINDINGS, INPUTS, VERDICTS
from audit.store.opening import engine_for
from audit.store.tampering import ledger_faults

VERDICT_NAMES: Final = ("conforming", "violation", "not_evaluated")
_INPUT_TEXT: Final = ("role", "file", "sha256")
_INPUT_COUNTS: Final = ("bytes", "rows", "accepted", "quarantined", "repeats")


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """One entry as recorded; the meaning of each field is that of :data:`audit.store.models.ENTRIES`."""

    seq: int
    kind: str
    recorded_at: dt.datetime
    casino: str | None
    gaming_day: dt.date | None
    attempt: int | None
    subject: str
    reason: str | None
    run_id: str | None
    output: str | None
    manifest: str | None
    version: str | None
    worst: str | None
    findings: int | None
    findings_digest: str | None
    supersedes: int | None
    previous: str
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """A finished run, ready to be recorded.

    `delivery` is the digest of what was delivered, `manifest` the run's own manifest with its file's SHA-256,
    `findings` its findings.parquet, `output` the folder relative to the output folder.
    """

    recorded_at: dt.datetime
    casino: str
    gaming_day: dt.date
    attempt: int
    delivery: str
    output: str
    run_id: str
    manifest: Mapping[str, Any]
    manifest_sha256: str
    findings: Path
    worst: Severity | None


class Ledger:
    """An open ledger. One process writes at a time (:mod:`audit.service.lock`); any number may read."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        # The pass and the watch append from two threads of the one process that may write.
        self._appending = Lock()

    @classmethod
    def open(cls, url: str) -> Self:
        """Open the ledger at an SQLAlchemy URL, making or upgrading its tables (and the folder of a SQLite file).

        Raises ConfigurationError for a URL that names no usable database, MachineFailure for one that cannot be opened.
        """
        engine = engine_for(url)
        try:
            migrations.upgrade(engine)
        except SQLAlchemyError as error:
            engine.dispose()
            raise MachineFailure(f"the ledger cannot be opened: {_cause(error)}") from error
        except LookupError as error:
            engine.dispose()
            raise MachineFailure(f"the ledger is of revision {error}, newer than this program knows") from error
        return cls(engine)

    @classmethod
    def read(cls, url: str) -> Self:
        """Open a ledger to be looked at only: nothing is made and nothing upgraded.

        Raises ConfigurationError and MachineFailure as `open` does, UsageError where there is no ledger, MachineFailure
        where it is of another revision.
        """
        engine = engine_for(url, read_only=True)
        try:
            with engine.connect() as connection:
                found = migrations.revision(connection)
        except SQLAlchemyError as error:
            engine.dispose()
            raise MachineFailure(f"the ledger cannot be opened: {_cause(error)}") from error
        if found == migrations.HEAD:
            return cls(engine)
        engine.dispose()
        if found is None:
            raise UsageError("the database holds no ledger")
        raise MachineFailure(f"the ledger is of revision {found}, not {migrations.HEAD}; `serve` brings it up to date")

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()

    def claimed(self, holder: str) -> AbstractContextManager[Callable[[], None]]:
        """Be the one writer of a ledger on a database server; see :func:`audit.store.claim.sole_writer`."""
        return sole_writer(self._engine, holder)

    def head(self) -> tuple[int, str]:
        """Number and digest of the last entry; (0, 64 zeros) while there is none.

        The digest printed elsewhere (log, mail, report) is the anchor that shows whether entries were cut off the end.
        """
        with self._reading() as connection:
            return _head(connection)

    def digest_of(self, seq: int) -> str | None:
        """The digest of one entry, None where the ledger has no such entry."""
        with self._reading() as connection:
            return connection.execute(sa.select(ENTRIES.c.digest).where(ENTRIES.c.seq == seq)).scalar()

    def already_audited(self, digest: str) -> LedgerEntry | None:
        """The last run of exactly this delivery, or with exactly this run id, if there is one."""
        return self._last(ENTRIES.c.kind == "run", (ENTRIES.c.subject == digest) | (ENTRIES.c.run_id == digest))

    def recorded(self, kind: str, subject: str) -> LedgerEntry | None:
        """The last entry of this kind about this subject, if there is one."""
        return self._last(ENTRIES.c.kind == kind, ENTRIES.c.subject == subject)

    def last_run(self, casino: str, gaming_day: dt.date) -> LedgerEntry | None:
        """The run that now stands for a gaming day: the last recorded."""
        return self._last(
            ENTRIES.c.kind == "run", ENTRIES.c.casino == casino, ENTRIES.c.gaming_day == gaming_day.isoformat()
        )

    def days_done(self, casino: str) -> frozenset[dt.date]:
        """The gaming days of a casino that have been audited."""
        return frozenset(entry.gaming_day for entry in self.entries("run", casino) if entry.gaming_day)

    def casinos(self) -> frozenset[str]:
        """The casinos that the ledger has a run of."""
        query = sa.select(ENTRIES.c.casino).where(ENTRIES.c.kind == "run").distinct()
        with self._reading() as connection:
            return frozenset(connection.execute(query).scalars())

    def entries(self, kind: str | None = None, casino: str | None = None) -> Iterator[LedgerEntry]:
        """The entries in their order, all or those of one kind and casino."""
        query = sa.select(ENTRIES).order_by(ENTRIES.c.seq)
        if kind is not None:
            query = query.where(ENTRIES.c.kind == kind)
        if casino is not None:
            query = query.where(ENTRIES.c.casino == casino)
        with self._reading() as connection:
            for row in connection.execute(query).mappings():
                yield _entry(row)

    def rows(self, query: sa.Select[Any]) -> Iterator[dict[str, Any]]:
        """The rows of a query over the ledger's tables (:mod:`audit.store.queries` has the useful ones)."""
        with self._reading() as connection:
            for row in connection.execution_options(yield_per=5_000).execute(query).mappings():
                yield dict(row)

    def record_run(self, record: RunRecord) -> LedgerEntry:
        """Append a run with its inputs, verdicts and findings, all or nothing; it supersedes the day's run before it.

        Raises MachineFailure where the database refuses, nothing being recorded then.
        """
        digest, count = chain.findings_digest(chain.read_findings(record.findings))
        before = self.last_run(record.casino, record.gaming_day)
        values: dict[str, Cell] = {
            "kind": "run",
            "recorded_at": record.recorded_at.astimezone(dt.UTC).isoformat(),
            "casino": record.casino,
            "gaming_day": record.gaming_day.isoformat(),
            "attempt": record.attempt,
            "subject": record.delivery,
            "run_id": record.run_id,
            "output": record.output,
            "manifest": record.manifest_sha256,
            "version": str(record.manifest["software"]["version"]),
            "worst": record.worst.value if record.worst else None,
            "findings": count,
            "findings_digest": digest,
            "supersedes": before.seq if before else None,
        }
        return self._append(values, record)

    def record_event(
        self,
        kind: str,
        *,
        at: dt.datetime,
        subject: str,
        reason: str,
        casino: str | None = None,
        gaming_day: dt.date | None = None,
    ) -> LedgerEntry:
        """Append an entry that is no run: `refused`, `failed` or `alarm`, with its reason in one sentence."""
        values: dict[str, Cell] = {
            "kind": kind,
            "recorded_at": at.astimezone(dt.UTC).isoformat(),
            "casino": casino,
            "gaming_day": gaming_day.isoformat() if gaming_day else None,
            "subject": subject,
            "reason": reason.replace("\0", "\ufffd"),
        }
        return self._append(values)

    def verify_chain(self, outputs: Path | None = None) -> tuple[str, ...]:
        """Recompute every digest; one sentence for each thing that is not as it was recorded, none when all is sound.

        With `outputs` (the output folder) the manifest of each run is compared as well; what that manifest vouches for
        is the business of `dicj-audit verify`.
        """
        with self._reading() as connection:
            return tuple(ledger_faults(connection, outputs))

    def _append(
        self,
        values: dict[str, Cell],
        record: RunRecord | None = None,
    ) -> LedgerEntry:
        manifest = record.manifest if record else None
        inputs, verdicts, approvals = (
            (_inputs(manifest), _verdicts(manifest), _approvals(manifest)) if manifest is not None else ([], [], [])
        )
        with self._appending, self._writing() as connection:
            seq, previous = _head(connection)
            row: dict[str, Cell] = {column.name: values.get(column.name) for column in ENTRIES.columns}
            row["seq"] = seq + 1
            row["previous"] = previous
            row["digest"] = chain.entry_digest(row, inputs, verdicts, approvals)
            connection.execute(sa.insert(ENTRIES), [row])
            for table, rows in ((INPUTS, inputs), (VERDICTS, verdicts), (APPROVALS, approvals)):
                if rows:
                    connection.execute(sa.insert(table), [{"entry": seq + 1, **each} for each in rows])
            if record:
                _insert_findings(connection, seq + 1, record.findings)
        return _entry(row)

    def _last(self, *conditions: sa.ColumnElement[bool]) -> LedgerEntry | None:
        query = sa.select(ENTRIES).where(*conditions).order_by(ENTRIES.c.seq.desc()).limit(1)
        with self._reading() as connection:
            row = connection.execute(query).mappings().first()
        return _entry(row) if row else None

    @contextmanager
    def _reading(self) -> Iterator[sa.Connection]:
        try:
            with self._engine.connect() as connection:
                yield connection
        except DatabaseError as error:
            raise MachineFailure(f"the ledger cannot be read: {_cause(error)}") from error

    @contextmanager
    def _writing(self) -> Iterator[sa.Connection]:
        try:
            with self._engine.begin() as connection:
                yield connection
        except IntegrityError as error:
            raise MachineFailure("another process has written to the ledger meanwhile; nothing was recorded") from error
        except DatabaseError as error:
            raise MachineFailure(f"the ledger cannot be written: {_cause(error)}") from error


def _cause(error: SQLAlchemyError) -> str:
    return str(getattr(error, "orig", None) or type(error).__name__)


def _entry(row: Mapping[str, Any] | sa.RowMapping) -> LedgerEntry:
    values = {field.name: row[field.name] for field in fields(LedgerEntry)}
    values["recorded_at"] = dt.datetime.fromisoformat(values["recorded_at"])
    values["gaming_day"] = dt.date.fromisoformat(values["gaming_day"]) if values["gaming_day"] else None
    return LedgerEntry(**values)


def _head(connection: sa.Connection) -> tuple[int, str]:
    query = sa.select(ENTRIES.c.seq, ENTRIES.c.digest).order_by(ENTRIES.c.seq.desc()).limit(1)
    row = connection.execute(query).first()
    return (row.seq, row.digest) if row else (0, GENESIS)


def _inputs(manifest: Mapping[str, Any]) -> list[dict[str, Cell]]:
    return [
        {"position": number, **_input_texts(item), **_input_counts(item)}
        for number, item in enumerate(manifest["inputs"])
    ]


def _input_texts(item: Mapping[str, Any]) -> dict[str, Cell]:
    return {name: str(item[name]) for name in _INPUT_TEXT}


def _input_counts(item: Mapping[str, Any]) -> dict[str, Cell]:
    return {name: None if item.get(name) is None else int(item[name]) for name in _INPUT_COUNTS}


def _verdicts(manifest: Mapping[str, Any]) -> list[dict[str, Cell]]:
    return [
        {"game": str(game), "verdict": verdict, "rounds": int(counts[verdict])}
        for game, counts in sorted(manifest["by_game"].items())
        for verdict in VERDICT_NAMES
    ]


def _approvals(manifest: Mapping[str, Any]) -> list[dict[str, Cell]]:
    return [
        {"position": number, **{name: _approval_cell(entry.get(name)) for name in APPROVAL_COLUMNS}}
        for number, entry in enumerate(manifest.get("register") or ())
    ]


def _approval_cell(value: object) -> Cell:
    if value is None or isinstance(value, int):
        return value
    text = " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return text.replace("\0", "\ufffd")


def _insert_findings(connection: sa.Connection, seq: int, path: Path) -> None:
    rows = ({"entry": seq, "position": number, **row} for number, row in enumerate(chain.read_findings(path)))
    while block := list(islice(rows, 5_000)):
        connection.execute(sa.insert(FINDINGS), block)
