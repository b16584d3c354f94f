from __future__ import annotations

import datetime as dt
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import insert
from sqlalchemy.exc import DatabaseError

from audit.base.errors import ConfigurationError, MachineFailure
from audit.base.model import MACAU, Severity
from audit.findings.table import SCHEMA
from audit.store import chain
from audit.store.ledger import Ledger, RunRecord
from audit.store.models import ENTRIES

AT = dt.datetime(2024, 3, 5, 4, 31, tzinfo=MACAU)
DAY = dt.date(2024, 3, 4)
Tamper = Callable[..., None]


def run(tmp_path: Path, *, attempt: int = 1, day: dt.date = DAY, findings: int = 3) -> RunRecord:
    """A finished run with some findings, in a folder of its own."""
    folder = tmp_path / f"grand/{day}/{attempt}"
    folder.mkdir(parents=True)
    rows = [
        dict.fromkeys(SCHEMA.names)
        | {"finding_id": f"{number:064x}", "code": "RES-001", "severity": "medium", "round_id": f"莊\0{number}"}
        | {"occurred_at": AT, "legal_day": day, "source_row": number}
        | {name: "…" for name in SCHEMA.names if name.startswith("message")}
        for number in range(findings)
    ]
    pq.write_table(pa.Table.from_pylist(rows, schema=SCHEMA), folder / "findings.parquet")
    manifest = {
        "software": {"name": "dicj-audit", "version": "1.2"},
        "inputs": [{"role": "rounds", "file": "rounds.csv", "sha256": "a" * 64, "bytes": 9, "rows": 3, "accepted": 3}],
        "by_game": {"baccarat": {"rounds": 3, "wagers": 0, "conforming": 0, "violation": 3, "not_evaluated": 0}},
        "register": [
            {"approval_id": "A1", "game": "baccarat", "option": "commission", "value": "none", "tables": ["T1", "T2"]}
            | {"decision": "granted", "planned_from": "2024-03-04", "state": "ok", "source_row": 1, "hinges": []}
        ],
    }
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return RunRecord(
        recorded_at=AT,
        casino="grand",
        gaming_day=day,
        attempt=attempt,
        delivery=f"{attempt}" * 64,
        output=f"grand/{day}/{attempt}",
        run_id="b" * 64,
        manifest=manifest,
        manifest_sha256=chain.hashlib.sha256((folder / "manifest.json").read_bytes()).hexdigest(),
        findings=folder / "findings.parquet",
        worst=Severity.MEDIUM,
    )


def test_run_is_recorded_with_all_that_belongs_to_it(ledger: Ledger, tmp_path: Path) -> None:
    """A recorded run can be asked for by delivery, by run id, by day; its chain and output are sound."""
    record = run(tmp_path)
    entry = ledger.record_run(record)

    assert (entry.seq, entry.findings, entry.worst, entry.previous) == (1, 3, "medium", chain.GENESIS)
    assert ledger.already_audited(record.delivery) == entry
    assert ledger.already_audited(record.run_id) == entry
    assert ledger.already_audited("c" * 64) is None
    assert ledger.last_run("grand", DAY) == entry
    assert ledger.days_done("grand") == {DAY}
    assert ledger.days_done("palace") == frozenset()
    assert ledger.head() == (1, entry.digest)
    assert ledger.verify_chain(tmp_path) == ()


def test_chain_goes_on_after_reopening(ledger: Ledger, url: str, tmp_path: Path) -> None:
    """Entries of several kinds follow from each other, also across a restart."""
    first = ledger.record_run(run(tmp_path))
    second = ledger.record_event("refused", at=AT, subject="d" * 64, reason="broken", casino="grand", gaming_day=DAY)
    with closing(Ledger.open(url)) as again:
        third = again.record_run(run(tmp_path, attempt=2, findings=0))

        assert (second.previous, third.previous) == (first.digest, second.digest)
        assert third.supersedes == first.seq
        assert again.verify_chain(tmp_path) == ()


@pytest.mark.parametrize(
    ("statement", "fault"),
    [
        ("UPDATE entries SET worst = 'low' WHERE seq = 1", "entry 1 was changed"),
        ("UPDATE entries SET reason = 'x' WHERE seq = 2", "entry 2 was changed"),
        ("UPDATE entries SET gaming_day = '2024-03-05' WHERE seq = 1", "entry 1 was changed"),
        ("UPDATE inputs SET rows = 4", "entry 1 was changed"),
        ("DELETE FROM inputs", "entry 1 was changed"),
        ("UPDATE verdicts SET rounds = 0", "entry 1 was changed"),
        ("UPDATE findings SET severity = 'info' WHERE position = 1", "findings of entry 1 were changed"),
        ("DELETE FROM findings WHERE position = 2", "findings of entry 1 were changed"),
        ("DELETE FROM findings", "findings of entry 1 were changed"),
        ("UPDATE findings SET entry = 2 WHERE entry = 1 AND position = 2", "findings of entry 2 were changed"),
        ("UPDATE findings SET entry = 9 WHERE entry = 1 AND position = 2", "rows that belong to no entry"),
        ("UPDATE approvals SET ends_on = '2024-03-31'", "entry 1 was changed"),
        ("DELETE FROM approvals", "entry 1 was changed"),
        ("DELETE FROM entries WHERE seq = 2", "entry 2 is missing"),
        ("DELETE FROM entries WHERE seq = 1", "entry 1 is missing"),
    ],
)
def test_any_change_is_found(ledger: Ledger, tamper: Tamper, tmp_path: Path, statement: str, fault: str) -> None:
    """A change behind the ledger's back, even with its guards put back, shows when the chain is recomputed."""
    ledger.record_run(run(tmp_path))
    ledger.record_event("refused", at=AT, subject="d" * 64, reason="broken", casino="grand", gaming_day=DAY)
    ledger.record_run(run(tmp_path, attempt=2))
    tamper(statement)

    assert any(fault in each for each in ledger.verify_chain()), ledger.verify_chain()


def test_consistent_rewrite_of_one_entry_breaks_the_next(ledger: Ledger, tamper: Tamper) -> None:
    """Who recomputes the digest of a changed entry still breaks the link of the entry after it."""
    ledger.record_event("alarm", at=AT, subject="d" * 64, reason="true")
    ledger.record_event("alarm", at=AT, subject="e" * 64, reason="also true")
    row = dict.fromkeys(column.name for column in ENTRIES.columns)
    row |= {"seq": 1, "kind": "alarm", "recorded_at": AT.astimezone(dt.UTC).isoformat(), "subject": "d" * 64}
    row |= {"reason": "false", "previous": chain.GENESIS}
    digest = chain.entry_digest(row, [], [])
    tamper(f"UPDATE entries SET reason = 'false', digest = '{digest}' WHERE seq = 1")  # noqa: S608

    assert ledger.verify_chain() == ("entry 2 does not follow from the entry before it",)


@pytest.mark.parametrize("table", ["entries", "inputs", "verdicts", "findings", "approvals"])
@pytest.mark.parametrize("verb", ["DELETE FROM {}", "UPDATE {} SET casino = 'x'"])
def test_database_refuses_changes(ledger: Ledger, tamper: Tamper, tmp_path: Path, table: str, verb: str) -> None:
    """The tables refuse updates and deletions by themselves."""
    ledger.record_run(run(tmp_path))

    column = {"inputs": "file", "verdicts": "game"}.get(table, "casino")
    with pytest.raises((sqlite3.DatabaseError, DatabaseError), match="append-only"):
        tamper(verb.format(table).replace("casino", column), guarded=True)


def test_removed_guard_is_found(url: str, tamper: Tamper) -> None:
    """A trigger that somebody dropped is reported, and not silently made anew."""
    Ledger.open(url).close()
    tamper("DROP TRIGGER entries_update" + (" ON entries" if url.startswith("postgres") else ""), guarded=True)
    with closing(Ledger.open(url)) as again:
        assert again.verify_chain() == ("the trigger entries_update, which keeps the ledger append-only, was removed",)


def test_changed_or_missing_output_is_found(ledger: Ledger, tmp_path: Path) -> None:
    """The manifest of each run is compared with the digest recorded."""
    ledger.record_run(run(tmp_path))
    manifest = tmp_path / f"grand/{DAY}/1/manifest.json"
    manifest.write_text("{}")
    assert any("manifest of entry 1" in fault for fault in ledger.verify_chain(tmp_path))

    manifest.unlink()
    assert any("output of entry 1" in fault for fault in ledger.verify_chain(tmp_path))


def test_same_attempt_is_recorded_once(ledger: Ledger, tmp_path: Path) -> None:
    """A second entry for the same attempt is refused by the database, and nothing of it stays."""
    record = run(tmp_path)
    ledger.record_run(record)

    with pytest.raises(MachineFailure, match="nothing was recorded"):
        ledger.record_run(record)
    assert ledger.head()[0] == 1
    assert ledger.verify_chain() == ()


def test_run_whose_findings_cannot_be_read_is_not_recorded(ledger: Ledger, tmp_path: Path) -> None:
    """A run without its findings leaves no entry."""
    record = run(tmp_path)
    record.findings.write_bytes(b"PAR1")

    with pytest.raises(MachineFailure, match=r"findings\.parquet"):
        ledger.record_run(record)
    assert ledger.head() == (0, chain.GENESIS)


def test_failure_in_mid_record_leaves_nothing(ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Entry, inputs, verdicts and findings are written in one transaction."""
    monkeypatch.setattr("audit.store.ledger._insert_findings", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))

    with pytest.raises(KeyboardInterrupt):
        ledger.record_run(run(tmp_path))
    assert ledger.head() == (0, chain.GENESIS)
    assert ledger.verify_chain() == ()


def test_other_writer_cannot_fork_the_chain(ledger: Ledger) -> None:
    """Two entries after the same one cannot both be written, whoever holds the lock."""
    first = ledger.record_event("alarm", at=AT, subject="d" * 64, reason="one")
    row = {"seq": 2, "kind": "alarm", "recorded_at": "x", "subject": "x", "previous": first.previous, "digest": "x"}

    with pytest.raises(MachineFailure), ledger._writing() as connection:
        connection.execute(insert(ENTRIES), [row])


@pytest.mark.parametrize("url", ["nonsense", "oracle+none://x", "", "postgresql+nodriver://x/y"])
def test_unusable_url_is_a_mistake_of_configuration(url: str) -> None:
    """A URL that names no database is refused in words, without repeating it, since it may hold a password."""
    with pytest.raises(ConfigurationError, match=r"service\.ledger"):
        Ledger.open(url)


def test_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    """A ledger file with other content is refused in words."""
    (tmp_path / "ledger.sqlite").write_bytes(b"no ledger at all, but long enough to be looked at" * 50)

    with pytest.raises(MachineFailure, match="not a database"):
        Ledger.open(f"sqlite:///{tmp_path}/ledger.sqlite")


@settings(max_examples=50)
@given(
    value=st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda each: st.lists(each) | st.dictionaries(st.text(), each),
    )
)
def test_canonical_text_says_everything(value: object) -> None:
    """The text that is digested can be read back to the same value, so that no difference is lost."""
    assert json.loads(chain.canonical(value)) == value
