"""The data gate: suites read strictly, judged quietly, and an exception never taken for bad data."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path

import pyarrow as pa
import pytest

from audit.base.canonical import TABLES
from audit.base.errors import ConfigurationError, InputRefused
from audit.base.model import Game, Text
from audit.gate.answers import GateLine, GateResult, gate_from_json, register_table, results_from
from audit.gate.facts import TableFacts
from audit.gate.suites import columns_of, list_suites
from audit.gate.validate import SAMPLE_ROWS, run_gate
from audit.register.approval import Approval, Decision

START = dt.datetime(2024, 3, 1, 13, 0, tzinfo=dt.UTC)
WORDS = {"zh": "甲", "pt": "a", "en": "a"}


def table(role: str, rows: list[dict[str, object]]) -> pa.Table:
    """Typed rows of a role; columns not named are null."""
    schema = TABLES[role].schema
    return pa.table([pa.array([row.get(f.name) for row in rows], f.type) for f in schema], schema=schema)


def good_round(number: int) -> dict[str, object]:
    """A complete round."""
    start = START + dt.timedelta(seconds=40 * number)
    return {
        "round_id": f"R{number}", "casino": "A", "table_id": "T1", "shoe_id": "S1", "round_no": number + 1,
        "game": "baccarat", "status": "settled", "started_at": start, "ended_at": start + dt.timedelta(seconds=30),
        "player_cards": "9H KD", "banker_cards": "2C 3S 4D", "outcome": "tie", "player_points": 9, "banker_points": 9,
        "decks": 8, "commission": "standard",
    }  # fmt: skip


def good_wager(number: int) -> dict[str, object]:
    """A complete wager."""
    return {
        "wager_id": f"W{number}", "round_id": f"R{number}", "bet": "tie", "stake": 1_000_000, "currency": "HKD",
        "payout": 8_000_000, "commission": 0, "stake_returned": 1_000_000,
    }  # fmt: skip


def facts(role: str, rows: pa.Table, **known: int) -> dict[str, object]:
    """The profile of a table."""
    profile = TableFacts(role)
    for batch in rows.to_batches():
        profile.add(batch)
    profile.put(**known)
    return dict(profile.facts())


def judged(rounds: pa.Table, wagers: pa.Table, suites: Path | None = None, **known: int) -> GateResult:
    """The gate over two tables and their profiles."""
    return run_gate(
        {"rounds": rounds, "wagers": wagers},
        {"rounds": facts("rounds", rounds), "wagers": facts("wagers", wagers, **known)},  # type: ignore[dict-item]
        suites,
    )


def suite(folder: Path, *items: dict[str, object], of: str = "rows", role: str = "rounds") -> Path:
    """A folder with one suite of these expectations."""
    (folder / "own.json").write_text(
        json.dumps({"name": "own", "expectations": items, "meta": {"role": role, "of": of}}), encoding="utf-8"
    )
    return folder


def expectation(kind: str, severity: str = "warning", **kwargs: object) -> dict[str, object]:
    """One expectation as a file holds it."""
    return {"type": kind, "kwargs": kwargs, "meta": {"severity": severity, "text": WORDS}}


def faultless() -> GateResult:
    """The shipped suites over faultless data."""
    numbers = range(50)
    return judged(table("rounds", [good_round(n) for n in numbers]), table("wagers", [good_wager(n) for n in numbers]))


@pytest.fixture(scope="module")
def clean() -> GateResult:
    """Its answers, computed once."""
    return faultless()


def test_faultless_data_pass_every_expectation(clean: GateResult) -> None:
    """Complete and plausible rows meet every shipped expectation about rounds and wagers."""
    assert [] == [line for line in clean.results if line.success is not True]
    assert {"rounds", "wagers", "profile_rounds", "profile_wagers"} == {line.suite for line in clean.results}
    clean.refuse_if_critical()


def test_gate_is_silent(clean: GateResult, capfd: pytest.CaptureFixture[str]) -> None:
    """Nothing of the library is printed, on stdout or stderr, and the same data give the same bytes."""
    again = faultless()
    printed = capfd.readouterr()

    assert ("", "") == (printed.out, printed.err)
    assert clean.to_json() == again.to_json()


def test_faults_of_the_data_are_seen() -> None:
    """Points out of range, foreign currency, a pace no table has, missing suits and orphans each fail a warning."""
    rounds = [good_round(n) | {"started_at": START, "ended_at": START, "player_points": 12} for n in range(201)]
    rounds[0] |= {"player_cards": "9 KD"}
    rounds[1] |= {"ended_at": START - dt.timedelta(seconds=1)}
    wagers = [good_wager(n) | {"currency": "USD"} for n in range(3)]
    found = judged(table("rounds", rounds), table("wagers", wagers), orphans=2, repeats=1)
    failed = {(line.suite, line.column): line for line in found.results if line.success is False}

    assert {
        ("profile_rounds", "max_player_points"),
        ("profile_rounds", "most_rounds_in_an_hour"),
        ("profile_rounds", "share_hands_without_suits"),
        ("profile_wagers", "distinct_currency"),
        ("profile_wagers", "orphans"),
        ("profile_wagers", "repeats"),
        ("rounds", "ended_at, started_at"),
        ("wagers", "currency"),
    } == set(failed)
    assert "USD" == failed["profile_wagers", "distinct_currency"].observed
    assert "3 / 3: USD" == failed["wagers", "currency"].observed
    assert 0 == found.errors
    assert () == found.critical_failed


def test_register_and_events_are_judged() -> None:
    """The register's table fits its suite, and an entry that ends before it starts fails a warning."""
    entry = Approval(
        approval_id="A1", casino=None, game=Game("baccarat"), option="burn", value="first_card", tables=("B01", "B02"),
        applied_at=START, decision=Decision.GRANTED, authorised_at=None, planned_from=dt.date(2024, 3, 8),
        ends_on=dt.date(2024, 3, 7), row=1,
    )  # fmt: skip
    register = register_table([entry])
    event = {"table_id": "T1", "at": START, "event": "burn", "count": 8, "burn_rule": "decks"}
    events = table("events", [event])
    found = run_gate({"register": register, "events": events}, {"events": facts("events", events)})  # type: ignore[dict-item]

    assert "B01 B02" == register["tables"][0].as_py()
    assert 0 == found.errors
    assert [("register", "ends_on, planned_from"), ("profile_events", "null_share_shoe_id")] == sorted(
        ((line.suite, line.column) for line in found.results if line.success is False), reverse=True
    )


def test_dictionaries_may_repeat_a_text(tmp_path: Path) -> None:
    """A dictionary that holds one text twice, as canonical cards may, is judged by its texts."""
    column = pa.DictionaryArray.from_arrays(pa.array([0, 1, None], pa.int32()), pa.array(["10S", "10S", "x"]))
    rounds = table("rounds", [good_round(n) for n in range(3)])
    rounds = rounds.set_column(rounds.schema.get_field_index("player_cards"), "player_cards", column)
    item = expectation("expect_column_values_to_be_in_set", column="player_cards", value_set=["10S"])

    assert [True] == [line.success for line in run_gate({"rounds": rounds}, {}, suite(tmp_path, item)).results]


def test_critical_failure_refuses_the_input(tmp_path: Path) -> None:
    """A critical expectation that fails refuses the input in one sentence that says where and what was seen."""
    folder = suite(
        tmp_path, expectation("expect_column_values_to_be_in_set", "critical", column="game", value_set=["x"])
    )
    found = judged(table("rounds", [good_round(0)]), table("wagers", [good_wager(0)]), folder)

    with pytest.raises(InputRefused, match=r"own, column game: expected: a; observed: baccarat"):
        found.refuse_if_critical()


def test_exception_is_not_bad_data(tmp_path: Path) -> None:
    """An expectation that cannot be run is told apart from one that fails, and does not spoil its neighbours."""
    broken = expectation("expect_column_values_to_match_regex", "critical", column="round_id", regex="(")
    sound = expectation("expect_column_values_to_not_be_null", "critical", column="round_id")
    found = judged(table("rounds", [good_round(0)]), table("wagers", [good_wager(0)]), suite(tmp_path, broken, sound))

    assert [None, True] == [line.success for line in found.results]
    assert () == found.critical_failed
    assert found.results[0].observed


@pytest.mark.parametrize(
    ("item", "told"),
    [
        (expectation("expect_wonders"), r"own.json: expectations\[0\].type: unknown expectation 'expect_wonders'"),
        (expectation("expect_column_values_to_be_unique", colour="x"), "own.json: the suite is refused"),
    ],
)
def test_unknown_expectation_is_refused_by_name(tmp_path: Path, item: dict[str, object], told: str) -> None:
    """What the library does not know is a fault of the suite, named with its file."""
    with pytest.raises(ConfigurationError, match=told):
        judged(table("rounds", [good_round(0)]), table("wagers", [good_wager(0)]), suite(tmp_path, item))


@pytest.mark.parametrize(
    ("item", "told"),
    [
        (
            expectation("expect_column_values_to_be_unique", column="roundid"),
            "kwargs.column: there is no column 'roundid'",
        ),
        (expectation("x", severity="grave", column="game"), "meta.severity: 'grave' is not one of"),
        ({"type": "x", "kwargs": {}, "meta": {"severity": "info"}}, "meta: the key 'text' is missing"),
        ({"type": "x", "kwargs": {}}, "the key 'meta' is missing"),
    ],
)
def test_malformed_suite_is_refused(tmp_path: Path, item: dict[str, object], told: str) -> None:
    """A suite with an unknown column, severity or missing text is refused with file and path, without the library."""
    with pytest.raises(ConfigurationError) as caught:
        list_suites(suite(tmp_path, item))

    assert "own.json: expectations[0]" in str(caught.value)
    assert told in str(caught.value)


def test_suite_that_is_no_json_is_refused(tmp_path: Path) -> None:
    """Broken JSON and a duplicate key are refused with the file's name, an empty folder with the folder's."""
    with pytest.raises(ConfigurationError, match="holds no suite"):
        list_suites(tmp_path)
    (tmp_path / "own.json").write_text('{"name": "a", "name": "b"}', encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"own.json.*'name' stands twice"):
        list_suites(tmp_path)
    (tmp_path / "own.json").write_text("{", encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"own.json.*cannot be read as JSON"):
        list_suites(tmp_path)


def test_shipped_suites_are_well_formed() -> None:
    """Every shipped suite loads, and each table has a suite for its rows."""
    suites = list_suites()

    assert {"rounds", "wagers", "register", "events"} == {item.role for item in suites if item.of == "rows"}
    assert all(item.expectations for item in suites)
    assert "most_rounds_in_an_hour" in columns_of("rounds", "profile")


def test_results_round_trip(tmp_path: Path) -> None:
    """What a run wrote is read back equal; a run without results or with broken ones is refused in words."""
    line = GateLine("rounds", "expect_x", None, None, "info", "1 / 2", Text("甲", "a", "b"))
    result = GateResult((line,))
    with pytest.raises(InputRefused, match=r"has no expectations\.json"):
        results_from(tmp_path)
    (tmp_path / "expectations.json").write_text(result.to_json(), encoding="utf-8")

    assert result == results_from(tmp_path) == gate_from_json(result.to_json())
    (tmp_path / "expectations.json").write_text("[]", encoding="utf-8")
    with pytest.raises(InputRefused, match="cannot be read"):
        results_from(tmp_path)


def test_sample_is_bounded() -> None:
    """The row suites look at a hundred thousand rows at most."""
    assert 100_000 == SAMPLE_ROWS
