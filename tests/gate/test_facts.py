"""Facts about all rows: the same whatever the batches, and true."""

from __future__ import annotations

import datetime as dt
from collections import Counter

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from audit.base.canonical import TABLES
from audit.gate.facts import DISTINCT_CAP, TableFacts

START = dt.datetime(2024, 3, 1, 13, 0, tzinfo=dt.UTC)


def batch(role: str, rows: list[dict[str, object]]) -> pa.RecordBatch:
    """Typed rows of the role's canonical schema; columns not named are null."""
    schema = TABLES[role].schema
    return pa.RecordBatch.from_arrays(
        [pa.array([row.get(field.name) for row in rows], field.type) for field in schema], schema=schema
    )


def rounds(*seconds: int, table: str = "T1", casino: str | None = None, hand: str = "9H KD") -> list[dict[str, object]]:
    """Rounds of one table that start so many seconds after a full hour."""
    return [
        {
            "round_id": f"{table}-{second}",
            "casino": casino,
            "table_id": table,
            "round_no": place + 1,
            "game": "baccarat",
            "status": "settled",
            "started_at": START + dt.timedelta(seconds=second),
            "player_cards": hand,
            "banker_cards": hand,
        }
        for place, second in enumerate(seconds)
    ]


def facts(role: str, *batches: list[dict[str, object]]) -> dict[str, object]:
    """The facts after these batches."""
    profile = TableFacts(role)
    for rows in batches:
        profile.add(batch(role, rows))
    return dict(profile.facts())


def test_facts_do_not_depend_on_the_batches() -> None:
    """One batch and many give the same facts."""
    rows = [*rounds(0, 40, 80, 3700), *rounds(5, 45, table="T2"), *rounds(10, table="T2", casino="B")]

    assert facts("rounds", rows) == facts("rounds", *([row] for row in rows))


def test_rounds_in_an_hour_are_counted_by_casino_and_table() -> None:
    """The busiest hour of one table is found, and tables of two casinos with one name are two tables."""
    found = facts("rounds", rounds(0, 40, 80, 3700, casino="A"), rounds(20, 60, casino="B"), rounds(100, casino="A"))

    assert (2, 4, 5) == (found["tables"], found["most_rounds_in_an_hour"], found["most_rows_of_a_table"])


def test_order_is_judged_by_table() -> None:
    """Rounds of two tables may interleave; a round before its table's previous one is counted, across batches too."""
    interleaved = facts("rounds", [*rounds(0, 100), *rounds(50, 150, table="T2")])
    disordered = facts("rounds", rounds(0, 100), [*rounds(50), *rounds(10, table="T2")])

    assert 0 == interleaved["share_out_of_order"]
    assert 0.25 == disordered["share_out_of_order"]


@given(st.lists(st.lists(st.tuples(st.sampled_from("ABC"), st.integers(0, 9)), min_size=1, max_size=8), max_size=4))
def test_the_pace_is_that_of_a_loop_over_the_rounds(batches: list[list[tuple[str, int]]]) -> None:
    """Whatever the order of tables and times, in however many batches: rounds out of order, tables and busiest hour."""
    last: dict[str, int] = {}
    back = 0
    hours: Counter[tuple[str, int]] = Counter()
    for table, hour in (row for rows in batches for row in rows):
        back += hour < last.get(table, hour)
        last[table] = hour
        hours[table, hour] += 1

    found = facts("rounds", *([rounds(3600 * hour, table=table)[0] for table, hour in rows] for rows in batches))

    total = hours.total()
    assert found["share_out_of_order"] == (back / total if total else 0.0)
    assert found["most_rounds_in_an_hour"] == max(hours.values(), default=0)
    assert found["tables"] == len(last)


def test_hands_without_suits_are_a_share_of_the_hands() -> None:
    """A hand with one card without a suit counts as one without suits."""
    found = facts("rounds", rounds(0, 1, 2), rounds(3, hand="9 KD 10"))

    assert 0.25 == found["share_hands_without_suits"]


def test_null_shares_tell_unread_from_null() -> None:
    """A null column has a share of one, a column that was not read none at all."""
    profile = TableFacts("rounds")
    profile.add(batch("rounds", rounds(0, 1)).select(["round_id", "outcome"]))
    found = profile.facts()

    assert 0.0 == found["null_share_round_id"]
    assert 1.0 == found["null_share_outcome"]
    assert found["null_share_decks"] is None


def test_distinct_texts_are_those_that_rows_use() -> None:
    """Texts that stand in a dictionary but in no row are no facts, and a long list is cut."""
    column = pa.DictionaryArray.from_arrays(pa.array([0, 0], pa.int32()), pa.array(["HKD", "USD"]))
    rows = batch("wagers", [{"wager_id": "W1"}, {"wager_id": "W2"}])
    rows = rows.set_column(rows.schema.get_field_index("currency"), "currency", column)
    profile = TableFacts("wagers")
    profile.add(rows)
    many = facts("wagers", [{"bet": f"b{n:03}"} for n in range(DISTINCT_CAP + 9)])

    assert "HKD" == profile.facts()["distinct_currency"]
    assert str(many["distinct_bet"]).endswith(",…")


def test_extremes_are_over_all_batches() -> None:
    """Smallest and greatest values are exact; money stays in ten-thousandths and times are in UTC."""
    found = facts("wagers", [{"stake": 10_000}, {"stake": 5_000}], [{"stake": 70_000}])
    times = facts("rounds", rounds(60), rounds(0))

    assert (5_000, 70_000) == (found["min_stake"], found["max_stake"])
    assert ("2024-03-01T13:00:00+00:00", "2024-03-01T13:01:00+00:00") == (
        times["min_started_at"],
        times["max_started_at"],
    )
    assert found["min_payout"] is None


def test_facts_of_the_reader_are_handed_in() -> None:
    """What only the reader knows stands beside the rest, in the one wide row of the frame."""
    profile = TableFacts("rounds")
    profile.add(batch("rounds", rounds(0, 1, 2)))
    profile.put(quarantined=1, repeats=2)
    frame = profile.frame()

    assert 1 == len(frame)
    assert (3, 1, 2, 0) == tuple(frame[0][name] for name in ("rows", "quarantined", "repeats", "orphans"))


def test_empty_input_has_facts() -> None:
    """Nothing read is zero rows and no share that pretends otherwise."""
    found = facts("events", [])

    assert 0 == found["rows"]
    assert found["null_share_event"] is None
    assert "" == found["distinct_event"]
