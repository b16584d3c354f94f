from __future__ import annotations

import string
import threading
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from audit.base.canonical import EVENTS, ROUNDS, WAGERS
from audit.base.model import LANGUAGES
from audit.source import quarantine, read
from audit.source.quarantine import Quarantine, Rejects
from audit.stores import files


def _fill(target: Quarantine, count: int = 5) -> None:
    for start in range(0, count, 2):
        numbers = list(range(start + 1, min(start + 2, count) + 1))
        rejects = Rejects(
            source_rows=numbers,
            columns=["stake"] * len(numbers),
            keys=["not_money"] * len(numbers),
            values=pa.array([f"v{n}" for n in numbers]),
            rows=pa.array([f'{{"stake": "v{n}"}}' for n in numbers]),
            ids=pa.array([f"W{n}" if n != 2 else None for n in numbers]),
        )
        target.add("wagers", "w.csv", rejects)


def test_rejects_among_others_are_in_the_order_of_the_rows() -> None:
    """Nothing of either is lost, the ids among it."""

    def some(*numbers: int, ids: list[str] | None) -> Rejects:
        texts = pa.array([f"v{number}" for number in numbers], pa.string())
        keys = [f"key {number}" for number in numbers]
        return Rejects(numbers, [f"c{n}" for n in numbers], keys, texts, texts, ids and pa.array(ids, pa.string()))

    both = some(2, 5, 9, ids=["W2", "W9"]).among(some(1, 6, ids=["W6"]))

    assert [1, 2, 5, 6, 9] == list(both.source_rows)
    assert ["c1", "c2", "c5", "c6", "c9"] == both.columns
    assert ["key 1", "key 2", "key 5", "key 6", "key 9"] == both.keys
    assert ["v1", "v2", "v5", "v6", "v9"] == both.values.to_pylist() == both.rows.to_pylist()
    assert ["W2", "W9", "W6"] == both.ids.to_pylist()
    assert some(3, ids=None).among(some(1, ids=None)).ids is None


def test_threads_that_hand_rows_in_lose_none(tmp_path: Path) -> None:
    """Two tables filled at once, with hardly any memory for them, are written whole and in order."""

    def fill(table: str, column: str) -> None:
        for number in range(1, 401):
            values, rows = pa.array(["v" * 50]), pa.array(["{}"])
            target.add(table, "f.csv", Rejects([number], [column], ["missing_value"], values, rows))

    with Quarantine(memory=500) as target:
        threads = [threading.Thread(target=fill, args=each) for each in (("rounds", "game"), ("wagers", "stake"))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        target.write_parquet(tmp_path / "q.parquet")

    found = pq.read_table(tmp_path / "q.parquet", columns=["table", "source_row"]).to_pylist()
    assert [{"table": t, "source_row": n} for t in ("rounds", "wagers") for n in range(1, 401)] == found


def test_counts_examples_and_ids_are_those_of_the_rows() -> None:
    """Every row counts, the first three are examples, and readable identities are kept."""
    with Quarantine() as target:
        _fill(target)
        (reason,) = target.by_reason()

    assert ("wagers", "not_money", 5) == (reason.table, reason.reason, reason.count)
    assert [(1, "v1"), (2, "v2"), (3, "v3")] == [(each.source_row, each.value) for each in reason.examples]
    assert (5, 0) == (target.count("wagers"), target.count("rounds"))
    assert {"W1", "W3", "W4", "W5"} == target.ids("wagers")


def test_what_spilled_to_disk_is_written_in_the_same_bytes(tmp_path: Path) -> None:
    """A quarantine that outgrew its memory writes the file that one in memory writes, and cleans up."""
    for name, memory in (("small", 10), ("large", 1 << 20)):
        with Quarantine(memory=memory) as target:
            _fill(target, 9)
            assert 9 == target.write_parquet(tmp_path / name)

    assert (tmp_path / "small").read_bytes() == (tmp_path / "large").read_bytes()
    assert list(range(1, 10)) == pq.read_table(tmp_path / "small")["source_row"].to_pylist()


def test_an_empty_quarantine_is_written_with_its_columns(tmp_path: Path) -> None:
    """The file exists with its columns also when nothing was rejected."""
    with Quarantine() as target:
        assert 0 == target.write_parquet(tmp_path / "q.parquet")

    assert quarantine.SCHEMA.equals(pq.read_schema(tmp_path / "q.parquet"))


def test_every_reason_used_has_its_sentence_and_every_sentence_is_used() -> None:
    """The catalogue has exactly the reasons that the code gives, with the same placeholders in each language."""
    package = Path(quarantine.__file__).parents[1]
    readers = [path for room in ("base", "formats", "source") for path in (package / room).glob("*.py")]
    code = "".join(path.read_text() for path in readers)

    for key, text in quarantine.reasons().items():
        assert f'"{key}"' in code
        fields = [{f for _, f, _, _ in string.Formatter().parse(text.in_language(x)) if f} for x in LANGUAGES]
        assert fields[0] == fields[1] == fields[2]
    declared = {c.below for table in (ROUNDS, WAGERS, EVENTS) for c in table.columns if c.least is not None}
    assert declared <= set(quarantine.reasons())


def test_messages_name_the_card_and_the_words_allowed() -> None:
    """A message names the word that is no card, or the words that are allowed."""
    card = quarantine.message("rounds", "player_cards", "unknown_card", "9H AX")
    word = quarantine.message("rounds", "outcome", "unknown_word", "P")

    assert all("AX" in card.in_language(language) for language in LANGUAGES)
    assert "player, banker, tie" in word.en


def test_values_are_cut_and_special_characters_survive(read_text: Any, tmp_path: Path) -> None:
    """A long value is cut at 200 characters; quotes, line breaks and Chinese stay in the JSON of the row."""
    header = "wager_id,round_id,bet,stake,payout,note"
    reading = read_text(f'{header}\nW1,R1,player,{"9" * 500}x,0,"a ""b""\n閒\\"\n', table="wagers")
    (reject,) = reading.rejects(tmp_path)

    assert "9" * 200 == reject["value"]
    assert '"note": "a \\"b\\"\\n閒\\\\"' in reject["row"]


def test_conflicting_rows_found_later_move_into_quarantine(tmp_path: Path) -> None:
    """A typed row whose id is taken is written back as text and counted, but its id stays that of the first row."""
    path = tmp_path / "w.csv"
    path.write_text("wager_id,round_id,bet,stake,payout,placed_at\nW1,R1,tie,1.50,0,2024-03-01T21:04:05+08:00\n")
    with Quarantine() as target:
        (batch,) = read.open_wagers(files.resolve([str(path)], "wagers"), quarantine=target)
        target.add_conflicts("wagers", batch.rows, files=["w.csv"], source_rows=[1])
        target.write_parquet(tmp_path / "q.parquet")

        counts = target.files("wagers")["w.csv"]
        assert (1, 0, 1) == (counts.rows, counts.accepted, counts.quarantined)
        assert frozenset() == target.ids("wagers")
    (row,) = pq.read_table(tmp_path / "q.parquet").to_pylist()
    assert ("conflicting_id", "W1") == (row["reason"], row["value"])
    assert '"stake": "1.50"' in row["row"]
    assert '"placed_at": "2024-03-01T13:04:05+00:00"' in row["row"]


def test_events_have_no_identity_to_conflict(tmp_path: Path) -> None:
    """Events have no identifier, so none of them can conflict."""
    with Quarantine() as target, pytest.raises(KeyError):
        target.add_conflicts("events", pa.RecordBatch.from_pylist([], schema=EVENTS.schema), files=[], source_rows=[])
    assert [] == list(tmp_path.iterdir())
