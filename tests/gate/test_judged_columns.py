"""What of a table reaches the data gate: the first rows, and of the columns no suite names only the names."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa

from audit.base.canonical import TABLES
from audit.gate.gate_process import _packed
from audit.gate.judged_columns import cut
from audit.gate.suites import list_suites

WORDS = {"zh": "甲", "pt": "a", "en": "a"}


def rounds(number: int) -> pa.Table:
    """Rounds in which every text column says its row."""
    schema = TABLES["rounds"].schema
    columns = [
        pa.array([str(row) for row in range(number)] if "string" in str(f.type) else [None] * number, f.type)
        for f in schema
    ]
    return pa.table(columns, schema=schema)


def suites_with(folder: Path, *kwargs: dict[str, object], of: str = "rows") -> Path:
    """A folder with one suite about rounds whose expectations have these kwargs."""
    items = [{"type": "x", "kwargs": one, "meta": {"severity": "info", "text": WORDS}} for one in kwargs]
    (folder / "own.json").write_text(
        json.dumps({"name": "own", "expectations": items, "meta": {"role": "rounds", "of": of}}), encoding="utf-8"
    )
    return folder


def test_columns_that_no_expectation_looks_into_are_blank(tmp_path: Path) -> None:
    """A column keeps its values where a kwarg names it, alone, in a list or in a condition, and else its name only."""
    kwargs: tuple[dict[str, object], ...] = (
        {"column_set": ["round_id", "status"]},
        {"column": "game", "row_condition": 'col("outcome").notNull()'},
        {"column_list": ["casino", "table_id"]},
        {"column_A": "player_points", "column_B": "banker_points"},
    )
    table = rounds(3)
    found = cut({"rounds": table}, list_suites(suites_with(tmp_path, *kwargs)), 2)["rounds"]
    kept = {name for name in table.column_names if found[name].type != pa.bool_()}

    assert table.column_names == found.column_names
    assert {"game", "outcome", "casino", "table_id", "player_points", "banker_points"} == kept
    assert table.slice(0, 2).select(sorted(kept)) == found.select(sorted(kept))
    assert [False, False] == found["round_id"].to_pylist()


def test_tables_without_a_suite_of_their_rows_are_passed_over(tmp_path: Path) -> None:
    """A table whose rows no suite judges is not sent at all."""
    suites = list_suites(suites_with(tmp_path, {"column": "rows"}, of="profile"))

    assert {} == cut({"rounds": rounds(1)}, suites, 1)


def test_only_the_rows_that_are_judged_are_sent() -> None:
    """A slice is packed without the rows that it was cut from."""
    table = rounds(5_000)
    packed = _packed(table.select(["round_id"]).slice(0, 10))

    assert table["round_id"].slice(0, 10).to_pylist() == pa.ipc.open_stream(packed).read_all()["round_id"].to_pylist()
    assert packed.size < 2_000
