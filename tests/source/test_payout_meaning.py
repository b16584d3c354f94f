from __future__ import annotations

from typing import Any

import pytest

from audit.base.errors import InputRefused
from audit.source import profiles

HEADER = "id,round,code,amount,won,fee\n"
PROFILE = """\
name: vendor
csv: {delimiter: ",", encoding: utf-8}
wagers:
  columns:
    {wager_id: id, round_id: round, bet: {from: code, words: {B: banker}}, stake: amount, payout: won, commission: fee}
  money: {MONEY}
"""


@pytest.fixture
def wagers(tmp_path: Any, read_text: Any) -> Any:
    """Read wagers of a vendor whose money is of the given kind, as (stake, payout, stake returned) in units."""

    def run(money: str, lines: str) -> Any:
        (tmp_path / "vendor.yaml").write_text(PROFILE.replace("{MONEY}", money))
        profile = profiles.load_profile(str(tmp_path / "vendor.yaml"))
        reading = read_text(HEADER + lines, table="wagers", profile=profile)
        assert {"banker"} >= {row["bet"] for row in reading.rows}
        return reading

    return run


def _amounts(reading: Any) -> list[tuple[float | None, ...]]:
    names = ("stake", "payout", "stake_returned")
    return [tuple(None if row[n] is None else row[n] / 10_000 for n in names) for row in reading.rows]


def test_a_payout_with_the_stake_is_split_into_winnings_and_stake(wagers: Any) -> None:
    """What was handed over goes to the stake first: a win, a push, a half return and a loss."""
    reading = wagers("{payout: with_stake}", "1,R,B,10,19.5,\n2,R,B,10,10,\n3,R,B,10,5,\n4,R,B,10,0,\n")

    assert [(10, 9.5, 10), (10, 0, 10), (10, 0, 5), (10, 0, 0)] == _amounts(reading)


def test_a_result_is_split_into_winnings_and_stake(wagers: Any) -> None:
    """Won minus lost is winnings above zero and a lost stake below; losing more than the stake rejects the row."""
    reading = wagers("{payout: result}", "1,R,B,10,9.5,\n2,R,B,10,0,\n3,R,B,10,-5,\n4,R,B,10,-10,\n5,R,B,10,-11,\n")

    assert [(10, 9.5, 10), (10, 0, 10), (10, 0, 5), (10, 0, 0)] == _amounts(reading)
    assert [("loss_above_stake", 1)] == reading.reasons


def test_commission_is_taken_out_of_payouts_that_include_it(wagers: Any) -> None:
    """A payout before commission is reduced by it, and a commission above the winnings rejects the row."""
    reading = wagers("{before_commission: true}", "1,R,B,10,10,0.5\n2,R,B,10,0,\n3,R,B,10,0,1\n")

    assert [(10, 9.5, None), (10, 0, None)] == _amounts(reading)
    assert [("loss_above_stake", 1)] == reading.reasons


def test_minor_units_are_shifted_exactly(wagers: Any) -> None:
    """Whole cents become units with two decimals; an amount with a point among them is rejected, not guessed."""
    reading = wagers("{minor_units: 2}", "1,R,B,1000,5,\n2,R,B,1000.50,5,\n3,R,B,007,0,\n")

    assert [(10, 0.05, None), (0.07, 0, None)] == _amounts(reading)
    assert [("not_money", 1)] == reading.reasons


def test_whole_units_may_be_promised(wagers: Any) -> None:
    """Whole numbers of the currency's unit are read as they are."""
    assert [(1000, 5, None)] == _amounts(wagers("{minor_units: 0}", "1,R,B,1000,5,\n"))


def test_integer_columns_are_money_where_the_profile_says_their_unit(tmp_path: Any, read_files: Any) -> None:
    """Parquet integers, refused for want of a unit, are read when the profile names it; floating point never is."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    (tmp_path / "vendor.yaml").write_text(PROFILE.replace("{MONEY}", "{minor_units: 2}"))
    profile = profiles.load_profile(str(tmp_path / "vendor.yaml"))
    table = pa.table({"id": ["1"], "round": ["R"], "code": ["B"], "amount": [1050], "won": [5], "fee": [None]})
    pq.write_table(table, tmp_path / "w.parquet")

    assert [(10.5, 0.05, None)] == _amounts(read_files(tmp_path / "w.parquet", table="wagers", profile=profile))
    pq.write_table(table.set_column(4, "won", pa.array([5.0])), tmp_path / "w.parquet")
    with pytest.raises(InputRefused, match="whole numbers of minor units"):
        read_files(tmp_path / "w.parquet", table="wagers", profile=profile)
