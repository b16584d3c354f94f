from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from audit.base.errors import ConfigurationError, InputRefused
from audit.source import profiles

HEAD = """\
name: vendor
nulls: [NA]
rounds:
  columns:
    round_id: id
    table_id: table
    started_at: at
    outcome: {from: res, words: {P: player, B: banker, S6: banker}}
  constants: {game: baccarat, status: settled, round_no: 1}
"""
CARDS = "  cards: {player: p, banker: b}\n"
WAGERS = """\
wagers:
  in_rounds: true
  columns: {wager_id: bet, round_id: id, bet: spot, stake: amount, payout: won}
"""
LOG = "id,table,at,res,p,b,bet,spot,amount,won,flag,version\n"


@pytest.fixture
def vendor(tmp_path: Path) -> Any:
    """Load a profile from YAML text."""

    def load(text: str) -> profiles.SourceProfile:
        (tmp_path / "vendor.yaml").write_text(text, encoding="utf-8")
        return profiles.load_profile(str(tmp_path / "vendor.yaml"))

    return load


def _rows(*wagers: str) -> str:
    return LOG + "".join(f"1,T,2024-03-01 12:00:00,P,9H KD,3C 4S,{wager}\n" for wager in wagers)


def test_one_file_carries_rounds_and_wagers(read_text: Any, vendor: Any) -> None:
    """Rows of wagers that repeat the columns of their round give both tables."""
    profile = vendor(HEAD + CARDS + WAGERS)
    log = _rows("W1,player,100,100,,", "W2,tie,50,0,,")

    assert ["1", "1"] == [row["round_id"] for row in read_text(log, profile=profile).rows]
    assert ["W1", "W2"] == [row["wager_id"] for row in read_text(log, profile=profile, table="wagers").rows]
    assert profile.embeds("wagers")
    assert not profile.embeds("events")


def test_a_correction_replaces_and_never_adds(read_text: Any, vendor: Any, tmp_path: Path) -> None:
    """Of a wager and its corrections the latest counts; what it replaces is set aside and not called unreadable."""
    profile = vendor(HEAD + CARDS + WAGERS + '  corrections: {flag: flag, words: ["Y"], latest: version}\n')
    log = _rows(
        "W1,player,100,0,N,1", "W2,tie,50,0,N,1", "W1,player,100,90,Y,10", "W1,player,100,100,Y,9", "W3,tie,5,0,,"
    )

    reading = read_text(log, profile=profile, table="wagers")

    assert [("W2", 0), ("W1", 900_000), ("W3", 0)] == [(row["wager_id"], row["payout"]) for row in reading.rows]
    assert [(1, "superseded"), (4, "superseded")] == [
        (row["source_row"], row["reason"]) for row in reading.rejects(tmp_path)
    ]
    assert (2, 0) == (reading.quarantine.count("wagers"), reading.quarantine.unreadable("wagers"))


def test_the_last_correction_counts_where_nothing_says_which_is_later(read_text: Any, vendor: Any) -> None:
    """Without a time of correction the last one read replaces the others, also over several files."""
    profile = vendor(HEAD + CARDS + WAGERS + '  corrections: {flag: flag, words: ["Y"]}\n')

    rows = read_text(_rows("W1,tie,9,1,Y,", "W1,tie,9,2,Y,", "W1,tie,9,3,N,"), profile=profile, table="wagers").rows

    assert [20_000] == [row["payout"] for row in rows]


def test_rows_of_other_tables_are_left_and_unknown_kinds_are_not(read_text: Any, vendor: Any, tmp_path: Path) -> None:
    """A row of a known other kind is left and counted, an open one set aside, an unknown one rejected."""
    selector = (
        '  rows: {from: flag, take: ["1"], leave: [TR], aside: {"0": open_in_source, "-9": cancelled_in_source}}\n'
    )
    profile = vendor(HEAD + CARDS + WAGERS + selector)
    log = _rows("W1,tie,9,0,1,", "W2,,,,TR,", "W3,tie,9,0,0,", "W4,tie,9,0,-9,", "W5,tie,9,0,-2,", "W6,tie,x,0,1,")

    reading = read_text(log, profile=profile, table="wagers")

    assert ["W1"] == [row["wager_id"] for row in reading.rows]
    assert {"wagers": 1} == reading.quarantine.left()
    assert ["open_in_source", "cancelled_in_source", "row_of_unknown_kind", "not_money"] == [
        row["reason"] for row in reading.rejects(tmp_path)
    ]
    assert 2 == reading.quarantine.unreadable("wagers")
    assert 5 == reading.quarantine.files("wagers")["log.csv"].rows


def test_a_sum_under_the_rows_is_no_row(read_text: Any, vendor: Any) -> None:
    """A trailing row that the profile names is left, whether it has all the fields or fewer."""
    text = (HEAD + CARDS).replace("nulls:", 'csv: {footer: "^Total"}\nnulls:') + "  rows: {from: id, leave: [Sum]}\n"
    log = _rows("W1,tie,9,0,1,") + "Sum,,,,,,,,9,0,,\nTotal: 1\nnonsense\n"

    reading = read_text(log, profile=vendor(text))

    assert (1, {"rounds": 2}, [("field_count", 1)]) == (len(reading.rows), reading.quarantine.left(), reading.reasons)


def test_wagers_as_columns_become_rows(read_text: Any, vendor: Any) -> None:
    """A column for each bet gives a row for each bet that was made, with an id of its own."""
    text = (
        HEAD
        + CARDS
        + (
            "wagers:\n"
            "  in_rounds: true\n"
            '  templates: {wager_id: "{id}-{@index}", round_id: "{id}"}\n'
            "  spread:\n"
            "    - {constants: {bet: player}, columns: {stake: flag, payout: version}}\n"
            "    - {constants: {bet: banker}, columns: {stake: amount, payout: won}}\n"
        )
    )

    reading = read_text(_rows(",,100,95,0,", ",,20,0,5,10"), profile=vendor(text), table="wagers")

    assert [("1-2", "banker", 1_000_000), ("1-1", "player", 50_000), ("1-2", "banker", 200_000)] == [
        (row["wager_id"], row["bet"], row["stake"]) for row in reading.rows
    ]
    assert [1, 2, 2] == reading.numbers


@pytest.mark.parametrize("text", ["NA", " NA ", ""])
def test_texts_for_no_value_are_no_value(read_text: Any, vendor: Any, text: str) -> None:
    """A word that the profile takes for no value is none, in any column, whatever white space is around it."""
    rows = read_text(_rows("W1,tie,9,0,1,").replace(",P,", f",{text},"), profile=vendor(HEAD + CARDS)).rows

    assert [None] == [row["outcome"] for row in rows]


def test_a_word_may_carry_an_event(read_text: Any, vendor: Any) -> None:
    """One source word gives the result in one column and the event in another."""
    more = (
        "    banker_pair: {from: res, words: {S6: true}, others: false}\n"
        "    void_reason: {from: res, words: {S6: x}, others: null}\n"
    )
    text = (
        "name: v\nrounds:\n  columns:\n    round_id: id\n    table_id: table\n    started_at: at\n"
        "    outcome: {from: res, words: {P: player, S6: banker}}\n"
        + more
        + "  constants: {game: baccarat, status: settled, round_no: 1}\n"
        + CARDS
    )
    log = _rows("W1,tie,9,0,1,") + "2,T,2024-03-01 12:00:00,S6,KD KS,3C 3S,,,,,,\n"

    rows = read_text(log, profile=vendor(text)).rows

    assert [("player", False, None), ("banker", True, "x")] == [
        (row["outcome"], row["banker_pair"], row["void_reason"]) for row in rows
    ]


def test_columns_of_lists_and_records_in_parquet_are_read(tmp_path: Path, read_files: Any, vendor: Any) -> None:
    """Cards as a list, and as a list of records with rank and suit, give the hands; nested money keeps its digits."""
    text = (
        "name: v\nrounds:\n  columns: {round_id: id, table_id: place.table, started_at: at}\n"
        "  constants: {game: baccarat, status: settled, round_no: 1}\n"
        '  cards: {notation: pair, suits: shdc, player: {rank: "hand[].r", suit: "hand[].s"},'
        ' banker: {rank: "other[].r", suit: "other[].s"}}\n'
    )
    table = pa.table(
        {
            "id": ["1", "2"],
            "place": [{"table": "T1"}, {"table": "T2"}],
            "at": ["2024-03-01 12:00:00"] * 2,
            "hand": [[{"r": 9, "s": 1}, {"r": 13, "s": 2}], [{"r": 1, "s": 0}, {"r": 2, "s": 3}, {"r": 10, "s": 3}]],
            "other": [[{"r": 3, "s": 3}, {"r": 4, "s": 0}]] * 2,
        }
    )
    pq.write_table(table, tmp_path / "log.parquet")

    rows = read_files(tmp_path / "log.parquet", profile=vendor(text)).rows

    assert [("T1", "9H KD", "3C 4S"), ("T2", "AS 2C 10C", "3C 4S")] == [
        (row["table_id"], row["player_cards"], row["banker_cards"]) for row in rows
    ]


def test_binary_money_inside_records_is_refused(tmp_path: Path, read_files: Any, vendor: Any) -> None:
    """A nested amount in binary floating point refuses the file as a flat one does."""
    text = (
        "name: v\nwagers:\n  each: bets[]\n  columns: {wager_id: 'bets[].i', round_id: id, bet: 'bets[].b',"
        " stake: 'bets[].s', payout: 'bets[].p'}\n"
    )
    bets = [{"i": "1", "b": "tie", "s": 1.1, "p": 0.0}]
    pq.write_table(pa.table({"id": ["1"], "bets": [bets]}), tmp_path / "log.parquet")

    with pytest.raises(InputRefused, match=r"column bets\[\]\.s is double: binary floating point"):
        read_files(tmp_path / "log.parquet", profile=vendor(text), table="wagers")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("  in_rounds: true", "  each: bets", r"wagers\.each: a path that ends in \[\]"),
        ("  in_rounds: true", "  each: 'a b['", r"wagers\.each: .* is not a path"),
        ("  in_rounds: true", "  rows: {from: x}", r"wagers\.rows\[0\]: take, leave or aside"),
        ("  in_rounds: true", "  rows: {from: x, aside: {a: superseded}}", r"aside\.a: 'superseded' is not one of"),
        ("  in_rounds: true", "  spread: [{columns: {}}]", r"spread\[0\]\.columns: at least one"),
        ("  in_rounds: true", "  spread: [{columns: {seat: x}}]\n  each: a[]", r"not from both"),
        ("  in_rounds: true", "  corrections: {flag: x}", r"corrections: the key 'words' is missing"),
        ("bet: spot", "bet: {from: []}", r"columns\.bet\.from: at least one"),
        ("bet: spot", "bet: {from: spot, match: '(a)'}", r"columns\.bet\.match: the pattern needs one named group"),
        ("bet: spot", "bet: {from: spot, others: x}", r"columns\.bet\.others: there is no list of words"),
        ("bet: spot", "bet: {from: spot, time: iso}", r"columns\.bet: unknown key 'time'"),
        ("wagers:", "numbers: {decimal: ';'}\nwagers:", r"numbers\.decimal: '\.' or ',' is expected"),
        ("wagers:", "numbers: {decimal: ',', grouping: ','}\nwagers:", r"numbers\.grouping"),
        ("wagers:", "csv: {footer: '('}\nwagers:", r"csv\.footer: not a pattern"),
    ],
)
def test_what_cannot_work_is_refused_with_its_place(vendor: Any, old: str, new: str, said: str) -> None:
    """A profile whose rows cannot be found is refused by file and key."""
    text = HEAD + CARDS + WAGERS
    assert old in text
    with pytest.raises(ConfigurationError, match=said):
        vendor(text.replace(old, new, 1))
