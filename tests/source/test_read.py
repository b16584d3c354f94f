from __future__ import annotations

import datetime as dt
import gzip
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from audit.base.canonical import ROUNDS, WAGERS
from audit.base.errors import InputRefused
from audit.source import read
from audit.source.quarantine import Quarantine
from audit.stores import files


def test_a_round_is_read_into_every_canonical_column(read_rows: Any, a_round: Any) -> None:
    """A round of CSV has every canonical column, typed, with null for those that the file lacks."""
    reading = read_rows(a_round())

    assert list(ROUNDS.names) == list(reading.rows[0])
    assert 1 == reading.rows[0]["round_no"]
    assert dt.datetime(2024, 3, 1, 13, 4, 5, tzinfo=dt.UTC) == reading.rows[0]["started_at"]
    assert "9H KD" == reading.rows[0]["player_cards"]
    assert reading.rows[0]["decks"] is None


def test_money_is_exact_ten_thousandths(read_rows: Any, a_wager: Any) -> None:
    """Amounts come as whole ten-thousandths, whatever zeros they are written with."""
    reading = read_rows(a_wager(stake="1500"), a_wager(stake="0.50"), a_wager(stake="2.0000"), table="wagers")

    assert [15_000_000, 5_000, 20_000] == [row["stake"] for row in reading.rows]


@pytest.mark.parametrize(
    ("cells", "column", "reason"),
    [
        ({"game": "roulette"}, "game", "unknown_word"),
        ({"game": "Baccarat"}, "game", "unknown_word"),
        ({"status": "open"}, "status", "unknown_word"),
        ({"outcome": "P"}, "outcome", "unknown_word"),
        ({"player_cards": "1S 9H"}, "player_cards", "unknown_card"),
        ({"player_cards": "11H 9H"}, "player_cards", "unknown_card"),
        ({"banker_cards": "9H AX"}, "banker_cards", "unknown_card"),
        ({"player_cards": ""}, "player_cards", "one_side_without_cards"),
        ({"banker_cards": " "}, "banker_cards", "one_side_without_cards"),
        ({"player_cards": "", "banker_cards": "", "player_points": ""}, "player_cards", "no_cards"),
        ({"player_cards": "", "banker_cards": "", "player_points": "10"}, "player_cards", "no_cards"),
        ({"round_no": "0"}, "round_no", "round_no_not_positive"),
        ({"round_no": "-3"}, "round_no", "round_no_not_positive"),
        ({"round_no": "8.0"}, "round_no", "not_integer"),
        ({"round_no": ""}, "round_no", "missing_value"),
        ({"round_id": " "}, "round_id", "missing_value"),
        ({"table_id": ""}, "table_id", "missing_value"),
        ({"player_points": "nine"}, "player_points", "not_integer"),
        ({"started_at": "1924-03-01T21:04:05+08:00"}, "started_at", "wrong_century"),
        ({"started_at": "0024-03-01T21:04:05+08:00"}, "started_at", "wrong_century"),
        ({"started_at": "2124-03-01T21:04:05+08:00"}, "started_at", "wrong_century"),
        ({"started_at": "2024-02-30T21:04:05+08:00"}, "started_at", "not_timestamp"),
        ({"started_at": "03/01/2024 21:04"}, "started_at", "not_timestamp"),
        ({"started_at": "2024-03-01"}, "started_at", "not_timestamp"),
    ],
)
def test_a_bad_round_is_quarantined_with_its_reason(
    read_rows: Any, a_round: Any, cells: dict[str, str], column: str, reason: str, tmp_path: Path
) -> None:
    """A round that cannot be read is quarantined with its column, reason and row, and the others go on."""
    reading = read_rows(a_round(), a_round(**cells), a_round(round_id="R3"))

    assert [1, 3] == reading.numbers
    reject = reading.rejects(tmp_path)[0]
    assert ("rounds", "log.csv", 2, column, reason) == tuple(
        reject[name] for name in ("table", "source_file", "source_row", "column", "reason")
    )
    assert reject["message_zh"]
    assert reject["message_pt"]
    assert column in reject["message_en"] or reason == "no_cards"


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        ({"stake": "0"}, "stake_not_positive"),
        ({"stake": "-5"}, "stake_not_positive"),
        ({"stake": "text"}, "not_money"),
        ({"stake": "NaN"}, "not_money"),
        ({"stake": "inf"}, "not_money"),
        ({"stake": "1e3"}, "not_money"),
        ({"stake": "HK$5"}, "not_money"),
        ({"stake": ""}, "missing_value"),
        ({"stake": "0.00001"}, "money_too_precise"),
        ({"stake": "1234567890123456"}, "money_too_large"),
        ({"payout": '"1,000"'}, "not_money"),
        ({"payout": "-1"}, "negative_amount"),
        ({"currency": "hkd"}, "currency_malformed"),
        ({"bet": ""}, "missing_value"),
    ],
)
def test_a_bad_wager_is_quarantined_with_its_reason(
    read_rows: Any, a_wager: Any, cells: dict[str, str], reason: str
) -> None:
    """A wager that cannot be read is quarantined with its reason."""
    reading = read_rows(a_wager(**cells), a_wager(wager_id="W2"), table="wagers")

    assert ["W2"] == [row["wager_id"] for row in reading.rows]
    assert [(reason, 1)] == reading.reasons


@pytest.mark.parametrize("hand", ["9H KD 3C 4S", "9H", "T"])
def test_any_number_of_cards_can_be_read(read_rows: Any, a_round: Any, hand: str) -> None:
    """Four cards, or one, are for the checks to judge and are no fault of reading."""
    assert 1 == len(read_rows(a_round(player_cards=hand)).rows)


@pytest.mark.parametrize("cells", [{"status": "void", "player_points": ""}, {"player_points": "0"}])
def test_rounds_may_lack_cards_when_void_or_when_both_totals_are_recorded(
    read_rows: Any, a_round: Any, cells: dict[str, str]
) -> None:
    """Both sides may be empty in a void round, and in a log that records both totals."""
    reading = read_rows(a_round(player_cards="", banker_cards="", **cells))

    assert 1 == len(reading.rows)
    assert reading.rows[0]["player_cards"] is None


def test_the_first_bad_column_in_schema_order_is_the_reason(read_rows: Any, a_round: Any) -> None:
    """A row with several faults is counted once, under the first of its columns."""
    reading = read_rows(a_round(outcome="x", round_no="y", started_at="z"))

    assert [("not_integer", 1)] == reading.reasons


def test_identities_of_quarantined_rounds_are_known(read_rows: Any, a_round: Any) -> None:
    """The ids of rejected rounds are kept, so that their wagers are not taken for orphans."""
    reading = read_rows(a_round(round_id="R7", game="x"), a_round(round_id="", game="x"), a_round())

    assert frozenset({"R7"}) == reading.quarantine.ids("rounds")


@pytest.mark.parametrize("required", ["round_id", "table_id", "game", "status", "started_at", "player_cards"])
def test_a_missing_required_column_refuses_the_file(read_rows: Any, a_round: Any, required: str) -> None:
    """A file without a column that may not be null is refused with file and column."""
    row = a_round()
    del row[required]

    with pytest.raises(InputRefused, match=rf"log\.csv.*'{required}'"):
        read_rows(row)


def test_a_file_without_rows_is_refused(read_text: Any, a_round: Any) -> None:
    """A header without any row is refused."""
    with pytest.raises(InputRefused, match=r"log\.csv: no row of data"):
        read_text(",".join(a_round()) + "\n")


def test_one_empty_file_among_others_is_accepted(tmp_path: Path, read_files: Any, a_round: Any) -> None:
    """A file with a header only is accepted where another file of the same role has rows."""
    (tmp_path / "a.csv").write_text(",".join(a_round()) + "\n")
    (tmp_path / "b.csv").write_text(",".join(a_round()) + "\n" + ",".join(a_round().values()) + "\n")

    assert 1 == len(read_files(tmp_path / "a.csv", tmp_path / "b.csv").rows)


def test_unneeded_text_columns_come_back_null_and_reject_nothing(read_rows: Any, a_wager: Any) -> None:
    """Leaving out columns skips free text only; columns that can reject a row are read all the same."""
    rows = (a_wager() | {"seat": "7", "placed_at": "nonsense"}, a_wager() | {"seat": "7", "placed_at": ""})
    reading = read_rows(*rows, table="wagers", columns=())

    assert [None] == [row["seat"] for row in reading.rows]
    assert [("not_timestamp", 1)] == reading.reasons


def test_control_totals_are_kept_for_each_file(tmp_path: Path, read_files: Any, a_round: Any) -> None:
    """Rows read are the accepted and the quarantined ones, by file."""
    for name, game in (("a.csv", "baccarat"), ("b.csv", "chess")):
        (tmp_path / name).write_text(",".join(a_round()) + "\n" + ",".join(a_round(game=game).values()) + "\n")
    counts = read_files(tmp_path).quarantine.files("rounds")

    assert {"a.csv": (1, 1, 0), "b.csv": (1, 0, 1)} == {
        name: (each.rows, each.accepted, each.quarantined) for name, each in counts.items()
    }


def test_typed_rows_have_the_declared_schema(tmp_path: Path, a_wager: Any) -> None:
    """Every batch has exactly the schema of its table, also when it comes from a minimal file."""
    path = tmp_path / "wagers.csv"
    path.write_text(",".join(a_wager()) + "\n" + ",".join(a_wager().values()) + "\n")
    with Quarantine() as quarantine:
        batches = list(read.open_wagers(files.resolve([str(path)], "wagers"), quarantine=quarantine))

    assert [WAGERS.schema] == [batch.rows.schema for batch in batches]


def test_the_evidence_of_a_rejected_row_has_columns_that_no_check_reads(tmp_path: Path, read_files: Any) -> None:
    """Unknown columns are ignored, but stand in the raw row of a rejected row, in Parquet as in CSV."""
    rows = {
        "wager_id": ["W1", "W2"],
        "round_id": ["R1", "R1"],
        "bet": ["player", "player"],
        "stake": ["10", "zero"],
        "payout": ["0", "0"],
        "dealer": ["Ana", 'the "boss"'],
    }
    table = pa.table(rows)
    pq.write_table(table, tmp_path / "w.parquet", row_group_size=1)
    lines = [",".join(rows), "W1,R1,player,10,0,Ana", 'W2,R1,player,zero,0,"the ""boss"""']
    (tmp_path / "w.csv").write_text("\n".join(lines))
    from_parquet = read_files(tmp_path / "w.parquet", table="wagers").rejects(tmp_path)
    from_csv = read_files(tmp_path / "w.csv", table="wagers").rejects(tmp_path)

    assert '"dealer": "the \\"boss\\""' in from_csv[0]["row"]
    assert from_csv[0]["row"] == from_parquet[0]["row"]


def test_a_compressed_file_gives_the_same_rows(tmp_path: Path, read_files: Any, a_round: Any) -> None:
    """Gzip and zstd files give the rows of the plain file."""
    content = (",".join(a_round()) + "\n" + ",".join(a_round().values()) + "\n").encode()
    (tmp_path / "a.csv").write_bytes(content)
    (tmp_path / "b.csv.gz").write_bytes(gzip.compress(content))
    with pa.OSFile(str(tmp_path / "c.csv.zst"), "wb") as raw, pa.CompressedOutputStream(raw, "zstd") as sink:
        sink.write(content)
    plain, gzipped, zst = (read_files(tmp_path / name).rows for name in ("a.csv", "b.csv.gz", "c.csv.zst"))

    assert plain == gzipped == zst


def test_the_quarantine_knows_only_what_the_caller_has_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, a_round: Any
) -> None:
    """Batches are read ahead, but their rows are counted and quarantined when the caller gets them, in their order."""
    monkeypatch.setattr("audit.formats.csvfile.BLOCK_BYTES", 300)
    lines = [",".join(a_round(game="chess" if n % 2 else "baccarat").values()) for n in range(40)]
    path = tmp_path / "log.csv"
    path.write_text("\n".join([",".join(a_round()), *lines]) + "\n")
    with Quarantine() as quarantine:
        seen = 0
        batches = read.open_rounds(files.resolve([str(path)], "rounds"), quarantine=quarantine)
        for batch in batches:
            seen += len(batch)
            assert seen == quarantine.files("rounds")["log.csv"].accepted
            if seen > 10:
                break
        known = quarantine.count("rounds")
        batches.close()

        assert known == quarantine.count("rounds") < 20
