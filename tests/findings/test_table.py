"""Findings: named and worded by the batch as one by one, and written as the standard library writes them."""

from __future__ import annotations

import csv
import datetime as dt
import hashlib
import io
import json
import tempfile
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.base.model import LANGUAGES, Text, money_text
from audit.base.text_rows import harmless
from audit.catalogue import catalogue
from audit.findings import table as module
from audit.findings.table import SCHEMA, Sink, batches_of, finding_id, records, stored, write_all
from tests.made_findings import FINDINGS, batch_of, many

PAID = {"round_id": "R1", "wager_id": "W1", "instrument": "55/2004", "article": "17(2)", "expected": "0.00"}
PAID |= {"observed": "100.00", "bet": "tie", "currency": "HKD", "table_id": "桌1"}


@settings(max_examples=150)
@given(FINDINGS)
def test_files_are_what_the_standard_library_writes(batch: pa.RecordBatch) -> None:
    """Whatever a log brings, CSV and JSON have the bytes that the json and csv modules give for the same values."""
    rows = list(records(pa.Table.from_batches([batch])))
    numbers = {"amount", "rounds_affected", "source_row"}
    sheet = io.StringIO()
    writer = csv.writer(sheet, lineterminator="\n")
    writer.writerow(SCHEMA.names)
    writer.writerows([[row[n] if n in numbers else harmless(row[n]) for n in SCHEMA.names] for row in rows])
    objects = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)

    with tempfile.TemporaryDirectory() as folder:
        write_all(pa.Table.from_batches([batch]), Path(folder))
        assert sheet.getvalue().encode() == (Path(folder) / "findings.csv").read_bytes()
        expected = f"[\n{objects}\n]\n" if rows else "[]\n"
        assert expected.encode() == (Path(folder) / "findings.json").read_bytes()
        assert batch.to_pylist() == pq.read_table(Path(folder) / "findings.parquet").to_pylist()


@given(st.fixed_dictionaries({name: st.none() | st.text(st.characters(exclude_categories=["Cs"])) for name in PAID}))
def test_a_finding_is_named_by_a_digest_of_its_parts(row: dict[str, Any]) -> None:
    """The id is the head of the SHA-256 of a JSON list: code, subject, citation, expected and observed."""
    subject = "game casino table_id shoe_id round_id wager_id approval_id side legal_day option value"
    parts = ["PAY-001", *(row.get(n) for n in f"{subject} instrument article expected observed".split())]
    digest = hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()

    assert digest[:24] == finding_id("PAY-001", row)


@pytest.mark.parametrize(
    ("code", "same"),
    [
        ("OPT-001", True),
        ("OPT-002", True),
        ("OPT-003", True),
        ("OPT-004", False),
        ("APR-001", False),
        ("DRW-001", False),
    ],
)
def test_a_choice_of_the_house_is_the_same_on_two_nights(code: str, same: bool) -> None:
    """The day of use names no finding about an option; of a check whose subject is the day it does."""
    row = {"option": "bet", "value": "panda", "table_id": "T1", "legal_day": dt.date(2024, 3, 1)}

    assert same == (finding_id(code, row) == finding_id(code, row | {"legal_day": dt.date(2024, 3, 2)}))
    assert finding_id(code, row) != finding_id(code, row | {"value": "tiger"})


def test_findings_are_worded_together_as_one_by_one() -> None:
    """Every check and habit, mixed, gets the words and the id that it gets alone; money is printed as money."""
    words, sink = catalogue.load(), Sink(catalogue.load())
    added = []
    for number, (code, variant) in enumerate([*words.templates, *reversed(list(words.templates))]):
        row = PAID | {"variant": variant, "amount": 12_345 * number, "stake": None if number % 2 else 5_000 * number}
        row |= {"observed": ["true", None, "banker, 7", "100%s"][number % 4], "side": "banker", "source_row": number}
        sink.add(code, row)
        added.append((code, variant, row))
    rows = sorted(sink.table().to_pylist(), key=lambda row: row["source_row"])

    assert 2 * len(words.templates) == len(rows)
    for (code, variant, row), found in zip(added, rows, strict=True):
        printed = row | {name: money_text(row[name]) for name in ("amount", "stake") if row[name] is not None}
        assert words.message(code, printed, variant) == Text(*(found[f"message_{n}"] for n in LANGUAGES))
        assert finding_id(code, row) == found["finding_id"]
        assert Decimal(row["amount"]).scaleb(-4) == found["amount"]


def test_a_sum_beyond_64_bits_is_kept_exactly() -> None:
    """One absurd amount does not spoil the others."""
    sink = Sink(catalogue.load())
    for row, amount in enumerate((10**19 + 1, -1, None)):
        sink.add("PAY-001", PAID | {"amount": amount, "wager_id": str(row)})

    assert [Decimal("1000000000000000.0001"), Decimal("-0.0001"), None] == sink.table()["amount"].to_pylist()


def test_a_finding_of_an_unknown_check_is_refused_at_once() -> None:
    """The one who adds a finding with an unknown code or habit hears of it, not the one who reads the table."""
    sink = Sink(catalogue.load())
    for code, row in (("XYZ-001", {}), ("PAY-001", {"variant": "unheard of"})):
        with pytest.raises(KeyError):
            sink.add(code, row)


def test_a_sink_hands_on_full_batches_and_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a taker nothing is kept; what another sink collected goes to the taker too."""
    monkeypatch.setattr(module, "_BATCH", 3)
    taken: list[pa.RecordBatch] = []
    other, sink = Sink(catalogue.load()), Sink(catalogue.load(), taken.append)
    other.add("PAY-002", PAID)
    for _ in range(7):
        sink.add("PAY-001", PAID)
    assert [3, 3] == [batch.num_rows for batch in taken]
    sink.extend(other)
    sink.flush()

    assert [3, 3, 1, 1] == [batch.num_rows for batch in taken]
    assert "PAY-002" == taken[-1]["code"][0].as_py()
    assert 0 == len(sink.table())


class _Pieces:
    """Findings that come in batches of odd sizes, whatever is asked for."""

    def __init__(self, batch: pa.RecordBatch) -> None:
        self._batch = batch

    def __len__(self) -> int:
        return int(self._batch.num_rows)

    def batches(self, rows: int = 0) -> Iterator[pa.RecordBatch]:
        """Batches of 1, 2, 3, ... rows."""
        start, size = rows - rows, 1
        while start < len(self):
            yield self._batch.slice(start, size)
            start, size = start + size, size + 1


def test_files_do_not_depend_on_how_findings_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same findings in other batches give the same bytes, in row groups of a fixed size."""
    monkeypatch.setattr(module, "_GROUP", 3)
    monkeypatch.setattr(module, "_AT_ONCE", 40)
    batch = many(450, 1)
    whole, pieces = tmp_path / "whole", tmp_path / "pieces"
    for folder, findings in ((whole, pa.Table.from_batches([batch])), (pieces, _Pieces(batch))):
        folder.mkdir()
        write_all(findings, folder)

    for name in ("findings.parquet", "findings.csv", "findings.json"):
        assert (whole / name).read_bytes() == (pieces / name).read_bytes()
    written = pq.read_metadata(whole / "findings.parquet")
    assert [120, 120, 120, 90] == [written.row_group(n).num_rows for n in range(written.num_row_groups)]


def test_batches_are_of_the_size_asked_for() -> None:
    """Only the last batch is shorter."""
    batch = many(10, 1)
    for findings in (pa.Table.from_batches([batch.slice(0, 3), batch.slice(3)]), _Pieces(batch)):
        parts = list(batches_of(findings, 4))
        assert [4, 4, 2] == [part.num_rows for part in parts]
        assert batch.to_pylist() == pa.Table.from_batches(parts).to_pylist()


def test_stored_findings_are_read_by_columns(tmp_path: Path) -> None:
    """Some columns of a finished run come in the order of the file; one that an old run lacks is null."""
    batch = batch_of([{"finding_id": "a", "code": "PAY-001"}, {"finding_id": "b", "code": "DRW-001"}])
    pq.write_table(pa.Table.from_batches([batch]).drop_columns(["value"]), tmp_path / "findings.parquet")

    some = pa.Table.from_batches(stored(tmp_path, ["finding_id", "value"]))
    assert [("a", None), ("b", None)] == [tuple(row.values()) for row in some.to_pylist()]
    assert batch.to_pylist() == pa.Table.from_batches(stored(tmp_path)).to_pylist()
