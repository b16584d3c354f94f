"""A batch of wagers as columns: what is picked out of it is the row that was meant."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest

from audit.base.canonical import WAGERS
from audit.checks.wager_columns import UNKNOWN_SUM, WagerBatch, WagerWords
from audit.checks.wager_faults import Paid
from audit.replay.dues import DueTable
from audit.rulebook import Rulebook
from audit.source.file_reading import Batch

UNIT = 10_000
PLACED = dt.datetime(2024, 3, 1, 12, tzinfo=dt.UTC)

ROWS = [
    {"wager_id": "W1", "round_id": "R1", "bet": "tie", "stake": 1 * UNIT, "payout": 0, "currency": "HKD"},
    {"wager_id": "W2", "round_id": "R2", "bet": "player", "stake": 2 * UNIT, "payout": 3 * UNIT, "commission": 0},
    {
        "wager_id": "W3",
        "round_id": "R2",
        "bet": "panda",
        "stake": 4 * UNIT,
        "payout": 5 * UNIT,
        "stake_returned": 0,
        "tie_choice": "kept",
        "currency": "MOP",
        "placed_at": PLACED,
    },
]


@pytest.fixture
def batch() -> WagerBatch:
    """The three wagers, of rounds at places 7, 8 and 8."""
    columns = [pa.array([row.get(name) for row in ROWS], WAGERS.schema.field(name).type) for name in WAGERS.names]
    rows = pa.RecordBatch.from_arrays(columns, schema=WAGERS.schema)
    typed = Batch(rows, "v.csv", 0, np.array([11, 12, 1]), np.array([0, 0, 1], np.int32), ("v.csv", "w.csv"))
    return WagerBatch.read(typed, WagerWords(), DueTable(Rulebook.load(), [], {}), np.array([7, 8, 8], np.int64))


def test_sums(batch: WagerBatch) -> None:
    """Sums are whole ten-thousandths; one that is not recorded is told from zero."""
    assert [1 * UNIT, 2 * UNIT, 4 * UNIT] == batch.stake.tolist()
    assert [0, 3 * UNIT, 5 * UNIT] == batch.payout.tolist()
    assert [UNKNOWN_SUM, 0, UNKNOWN_SUM] == batch.commission.tolist()
    assert [UNKNOWN_SUM, UNKNOWN_SUM, 0] == batch.returned.tolist()
    assert [7, 8, 8] == batch.at.tolist()


def test_one_wager(batch: WagerBatch) -> None:
    """A wager as the scalar judge takes it has None for what is not recorded."""
    assert Paid("tie", UNIT, 0, None, None, None) == batch.paid(0)
    assert Paid("player", 2 * UNIT, 3 * UNIT, 0, None, None) == batch.paid(1)
    assert Paid("panda", 4 * UNIT, 5 * UNIT, None, 0, "kept") == batch.paid(2)


@pytest.mark.parametrize("places", [[2], [1, 2], [2, 1], [2, 0, 1]])
def test_taken_twice(batch: WagerBatch, places: list[int]) -> None:
    """Wagers taken from a batch, and from what was taken, keep their ids, sums and words."""
    first = batch.take(np.array(places, np.int64))
    for taken, wanted in ((first, places), (first.take(np.arange(len(places))[::-1]), places[::-1])):
        assert len(taken) == len(places)
        assert [ROWS[p]["wager_id"] for p in wanted] == [taken.wager_id(n) for n in range(len(taken))]
        assert [ROWS[p]["bet"] for p in wanted] == [taken.word(n) for n in range(len(taken))]
        assert [ROWS[p]["stake"] for p in wanted] == taken.stake.tolist()
        assert [batch.paid(p) for p in wanted] == [taken.paid(n) for n in range(len(taken))]
        assert [ROWS[p].get("currency") for p in wanted] == [taken.currency_of(n) for n in range(len(taken))]
        assert batch.currency[wanted].tolist() == taken.currency.tolist()
        assert batch.bet_word[wanted].tolist() == taken.bet_word.tolist()


def test_subject(batch: WagerBatch) -> None:
    """The columns of a finding name the wager, where it stands, its bet and its stake."""
    assert {
        "wager_id": "W3",
        "currency": "MOP",
        "source_file": "w.csv",
        "source_row": 1,
        "bet": "panda",
        "stake": 4 * UNIT,
    } == batch.take(np.array([1, 2], np.int64)).subject(1)
    assert "v.csv" == batch.subject(1)["source_file"]


def test_choice_on_a_tie(batch: WagerBatch) -> None:
    """Choices are codes, none where no wager of the batch as read has one."""
    tie, some = batch.tie, batch.take(np.array([2, 0], np.int64)).tie

    assert tie is not None
    assert some is not None
    assert ["kept"] == [batch.words.tie.texts[code] for code in tie[tie >= 0]]
    assert [True, False] == (some >= 0).tolist()


def test_no_choice_at_all() -> None:
    """A log that says nothing of ties has no choices to look at."""
    columns = [pa.array([ROWS[0].get(name)], WAGERS.schema.field(name).type) for name in WAGERS.names]
    typed = Batch(pa.RecordBatch.from_arrays(columns, schema=WAGERS.schema), "w.csv", 0, np.array([1]))
    read = WagerBatch.read(typed, WagerWords(), DueTable(Rulebook.load(), [], {}), np.array([0], np.int64))

    assert read.tie is None
    assert "w.csv" == read.subject(0)["source_file"]


def test_placed(batch: WagerBatch) -> None:
    """When a wager was placed, where it is recorded."""
    assert [None, None, PLACED] == [batch.placed_at(n) for n in range(3)]
