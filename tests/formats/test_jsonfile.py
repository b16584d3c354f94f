from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from audit.base.errors import InputRefused, UsageError
from audit.formats import jsonfile
from audit.source import profiles

PROFILE = """\
name: feed
rounds:
  columns: {round_id: id, table_id: table, round_no: nr, started_at: at, outcome: result.winner}
  constants: {game: baccarat, status: settled}
  cards: {player: "result.player[]", banker: "result.banker[]"}
wagers:
  in_rounds: true
  each: bets[]
  columns: {bet: "bets[].on", stake: "bets[].amount", payout: "bets[].won"}
  templates: {wager_id: "{id}-{@index}", round_id: "{id}"}
"""
RECORD: dict[str, Any] = {
    "id": 7,
    "table": "T",
    "nr": 1,
    "at": "2024-03-01T21:04:05+08:00",
    "result": {"winner": "player", "player": ["9H", "KD"], "banker": ["3C", "4S"]},
    "bets": [{"on": "player", "amount": 100, "won": 100.10}, {"on": "tie", "amount": 0.5, "won": 0}],
}


@pytest.fixture
def feed(tmp_path: Path) -> profiles.SourceProfile:
    """A profile for nested records."""
    (tmp_path / "feed.yaml").write_text(PROFILE)
    return profiles.load_profile(str(tmp_path / "feed.yaml"))


def _line(**more: Any) -> str:
    return json.dumps(RECORD | more)


@pytest.mark.parametrize("ending", [".jsonl", ".ndjson.gz", ".json"])
def test_records_are_read_whatever_the_file(tmp_path: Path, read_files: Any, feed: Any, ending: str) -> None:
    """One record a line, compressed or not, and one document with a list of records give the same rows."""
    path = tmp_path / f"log{ending}"
    text = f"[{_line()}, {_line(id=8)}]" if ending == ".json" else f"\ufeff{_line()}\n\n{_line(id=8)}\n"
    path.write_bytes(gzip.compress(text.encode()) if ending.endswith(".gz") else text.encode())

    reading = read_files(path, profile=feed)

    assert [("7", "9H KD", "3C 4S", "player"), ("8", "9H KD", "3C 4S", "player")] == [
        (row["round_id"], row["player_cards"], row["banker_cards"], row["outcome"]) for row in reading.rows
    ]
    assert [1, 2] == reading.numbers


def test_amounts_of_records_never_pass_through_binary_floating_point(
    tmp_path: Path, read_files: Any, feed: Any
) -> None:
    """Numbers of JSON are taken digit by digit, with more digits than a binary number would keep."""
    path = tmp_path / "log.jsonl"
    path.write_text(_line().replace("100.1", "90071992547409.9301").replace("0.5", "0.50000000000000000000001"))

    reading = read_files(path, profile=feed, table="wagers")

    assert [900719925474099301] == [row["payout"] for row in reading.rows]
    assert [("money_too_precise", 1)] == reading.reasons


def test_lists_become_rows_with_the_number_of_their_record(tmp_path: Path, read_files: Any, feed: Any) -> None:
    """Each wager of a record is a row; a record without wagers gives none, and the totals balance."""
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join([_line(), _line(id=8, bets=[]), _line(id=9, bets=None), _line(id=10)]))

    reading = read_files(path, profile=feed, table="wagers")

    assert [1, 1, 4, 4] == reading.numbers
    assert ["7-1", "7-2", "10-1", "10-2"] == [row["wager_id"] for row in reading.rows]
    assert 4 == reading.quarantine.files("wagers")["log.jsonl"].rows


def test_lines_that_are_no_record_are_quarantined_with_their_number(tmp_path: Path, read_files: Any, feed: Any) -> None:
    """A broken line, a list and bytes that are no text are rejected as they stand and shift no number."""
    path = tmp_path / "log.jsonl"
    deep = b"[" * 100_000
    path.write_bytes(b"\n".join([_line().encode(), b'{"id": ', b"[1]", b"\xff\xfe", deep, _line(id=8).encode()]))

    reading = read_files(path, profile=feed)

    assert [1, 6] == reading.numbers
    assert [("not_a_record", 4)] == reading.reasons
    assert '{"id": ' == reading.rejects(tmp_path)[0]["row"]


def test_a_rejected_record_is_shown_whole(tmp_path: Path, read_files: Any, feed: Any) -> None:
    """The evidence of a rejected record is the record, so that it can be corrected and fed again."""
    path = tmp_path / "log.jsonl"
    path.write_text(_line(at="yesterday"))

    reject = read_files(path, profile=feed).rejects(tmp_path)[0]

    assert ("started_at", "yesterday", RECORD | {"at": "yesterday"}) == (
        reject["column"],
        reject["value"],
        json.loads(reject["row"]),
    )


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"", "is empty"), (b"\n \n", "is empty"), (b'{"a": 1}' * (1 << 21), "longer than 8 MiB")],
)
def test_files_that_cannot_be_read_are_refused(
    tmp_path: Path, read_files: Any, feed: Any, content: bytes, said: str
) -> None:
    """An empty file and one with a line beyond all measure are refused in one sentence."""
    (tmp_path / "log.jsonl").write_bytes(content)

    with pytest.raises(InputRefused, match=said):
        read_files(tmp_path / "log.jsonl", profile=feed)


def test_a_document_is_refused_where_it_is_damaged_or_too_large(
    tmp_path: Path, read_files: Any, feed: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A JSON document that is cut off, or larger than can be held, is refused."""
    path = tmp_path / "log.json"
    path.write_text(f"[{_line()}"[:-5])
    with pytest.raises(InputRefused, match="is not JSON"):
        read_files(path, profile=feed)
    monkeypatch.setattr(jsonfile, "WHOLE_BYTES", 10)
    with pytest.raises(InputRefused, match="write one record a line"):
        read_files(path, profile=feed)


def test_a_file_without_a_needed_key_is_refused(tmp_path: Path, read_files: Any, feed: Any) -> None:
    """Where no record has a key that every row needs, the file is refused and not every row."""
    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps({"id": 1}))

    with pytest.raises(InputRefused, match="the rounds column 'table' is missing"):
        read_files(path, profile=feed)


def test_documents_in_a_folder_of_logs_are_no_logs(tmp_path: Path, read_files: Any, feed: Any) -> None:
    """A folder's JSON documents (a manifest, a setting) are not read as logs; its lines of JSON are."""
    (tmp_path / "manifest.json").write_text("{}")
    with pytest.raises(UsageError, match="has no rounds file"):
        read_files(tmp_path, profile=feed)
    (tmp_path / "log.jsonl").write_text(_line())

    assert 1 == len(read_files(tmp_path, profile=feed).rows)
