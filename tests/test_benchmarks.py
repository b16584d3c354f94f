"""The benchmark's own parts: logs in other forms, faults planted and found, measures and targets."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
from collections import Counter
from decimal import Decimal
from functools import partial
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from audit.source.quarantine import Quarantine
from audit.source.read import open_rounds, open_wagers
from audit.stores.files import resolve

FOLDER = Path(__file__).resolve().parents[1] / "benchmarks"
HANDS = (("9H KD", "3C 4S", 9, 7, "player"), ("2H 3D 5C", "9C KS", 0, 9, "banker"), ("KH 7D", "3C 4S", 7, 7, "tie"))


@pytest.fixture(scope="module")
def bench() -> Any:
    """The benchmark's modules, which are scripts and no package."""
    sys.path.insert(0, str(FOLDER))
    try:
        return SimpleNamespace(**{n: import_module(n) for n in ("measuring", "logs", "auditing", "tables", "run")})
    finally:
        sys.path.remove(str(FOLDER))


@pytest.fixture
def log(bench: Any, tmp_path: Path) -> Any:
    """Three rounds with two wagers each, in the form of the generator."""
    start = dt.datetime(2024, 3, 1, tzinfo=dt.UTC)
    times = [start + dt.timedelta(seconds=80 * number) for number in range(3)]
    kind = pa.timestamp("ms", "Asia/Macau")
    player, banker, player_points, banker_points, outcome = zip(*HANDS, strict=True)
    rounds = {
        "round_id": ["R0", "R1", "R2"],
        "table_id": ["T"] * 3,
        "round_no": pa.array([1, 2, 3], pa.int32()),
        "game": ["baccarat"] * 3,
        "status": ["settled"] * 3,
        "started_at": pa.array(times, kind),
        "player_cards": player,
        "banker_cards": banker,
        "outcome": outcome,
        "player_points": pa.array(player_points, pa.int8()),
        "banker_points": pa.array(banker_points, pa.int8()),
    }
    sums = pa.array([Decimal(n) / 2 for n in range(1, 7)], pa.decimal128(14, 2))
    wagers = {
        "wager_id": [f"W{n}" for n in range(6)],
        "round_id": ["R0", "R0", "R1", "R1", "R2", "R2"],
        "bet": ["player", "tie"] * 3,
        "stake": sums,
        "payout": sums,
    }
    folder = tmp_path / "log"
    folder.mkdir()
    pq.write_table(pa.table(rounds), folder / "rounds.parquet")
    pq.write_table(pa.table(wagers), folder / "wagers.parquet")
    return bench.logs.Log(folder / "rounds.parquet", folder / "wagers.parquet", 3, 6)


def typed(log: Any) -> tuple[list[Any], list[Any]]:
    """Rounds and wagers of a log as the program reads them."""
    tables = []
    for name, door in (("rounds", open_rounds), ("wagers", open_wagers)):
        quarantine = Quarantine()
        files = resolve([str(getattr(log, name))], name)
        tables.append([row for batch in door(files, quarantine=quarantine) for row in batch.rows.to_pylist()])
    return tables[0], tables[1]


def test_csv_has_the_same_rows(bench: Any, log: Any, tmp_path: Path) -> None:
    """The program reads the same typed rows from the CSV as from the Parquet files."""
    assert typed(log) == typed(bench.logs.make_csv(log, tmp_path / "csv"))


@pytest.mark.parametrize("files", [1, 2, 5])
def test_small_files_have_the_same_rows_in_order(bench: Any, log: Any, tmp_path: Path, files: int) -> None:
    """The program reads the same rows in the same order from many files; fewer rows than files leave out the rest."""
    small = bench.logs.make_small_files(log, tmp_path / "files", files)

    assert typed(log) == typed(small)
    assert min(files, 3) + min(files, 6) == len(bench.logs.files_of(small))


def test_shuffled_wagers_are_the_same_in_another_order(bench: Any, log: Any, tmp_path: Path) -> None:
    """Shuffling changes the order of the wagers and nothing else."""
    (rounds, wagers), (same_rounds, shuffled) = typed(log), typed(bench.logs.make_shuffled(log, tmp_path / "shuffled"))

    assert rounds == same_rounds
    assert wagers != shuffled
    assert Counter(map(str, wagers)) == Counter(map(str, shuffled))


def test_every_outcome_of_the_faulty_log_is_wrong(bench: Any, log: Any, tmp_path: Path) -> None:
    """The faulty log differs from the sound one in the outcome of every round, and in nothing else."""
    faulty = bench.logs.make_faulty(log, tmp_path / "faulty")
    rounds, wrong = typed(log)[0], typed(faulty)[0]

    assert [True] * 3 == [right["outcome"] != other["outcome"] for right, other in zip(rounds, wrong, strict=True)]
    assert [row | {"outcome": None} for row in rounds] == [row | {"outcome": None} for row in wrong]
    assert {"outcome": 3} == faulty.planted()


def test_a_log_is_made_once(bench: Any, log: Any, tmp_path: Path) -> None:
    """A log that is there is used again; one that was left half made is made anew."""
    folder = tmp_path / "csv"
    made = bench.logs.make_csv(log, folder)
    made.rounds.write_text("kept", "utf-8")
    bench.logs.make_csv(log, folder)
    assert "kept" == made.rounds.read_text("utf-8")

    (folder / "done").unlink()
    bench.logs.make_csv(log, folder)
    assert "R0,T,1,baccarat" in made.rounds.read_text("utf-8")


def test_planted_and_found_are_compared_exactly(bench: Any) -> None:
    """One fault too few, one too many and a finding that nobody planted are each a mismatch."""
    planted = {"draw": 3, "outcome": 2, "payout": 4}
    right = {"DRW-001": 1, "DRW-002": 2, "RES-002": 2, "PAY-001": 4}
    mismatches = bench.auditing.mismatches

    assert [] == mismatches(planted, right)
    assert ["draw: 3 planted, 2 found"] == mismatches(planted, right | {"DRW-001": 0})
    assert ["payout: 4 planted, 5 found"] == mismatches(planted, right | {"PAY-001": 5})
    assert ["LOG-003: nothing planted, 1 found"] == mismatches(planted, right | {"LOG-003": 1})


def test_each_turn_begins_with_another_program(bench: Any) -> None:
    """Programs take turns, so that none always comes first; the first turn is for memory."""
    order: list[str] = []
    weighed: list[bool] = []

    def turn(name: str, *, weigh: bool) -> None:
        order.append(name)
        weighed.append(weigh)

    bench.auditing.in_turns({name: partial(turn, name) for name in "abc"}, 2)

    assert "abcbcacab" == "".join(order)
    assert [True] * 3 + [False] * 6 == weighed


def test_a_command_is_measured_as_a_whole(bench: Any) -> None:
    """CPU time includes children; memory that only a child holds is seen, in another turn; the output comes back."""
    child = "import time; block = bytearray(200 << 20); sum(range(10_000_000)); time.sleep(0.5)"
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}], check=True); print('done')"
    took = bench.measuring.Measure()

    assert "done" == bench.measuring.measured([sys.executable, "-c", parent], took)
    assert took.best >= 0.5
    assert took.best_cpu >= 0.1
    assert took.peak == 0

    assert "done" == bench.measuring.measured([sys.executable, "-c", parent], took, weigh=True)
    assert took.peak >= 200 << 20
    assert len(took.seconds) == 1


def test_a_command_that_fails_ends_the_benchmark(bench: Any) -> None:
    """A program that ends badly stops the benchmark with its own words."""
    with pytest.raises(SystemExit, match="ended with 3: no such thing"):
        bench.measuring.measured(
            [sys.executable, "-c", "import sys; print('no such thing', file=sys.stderr); sys.exit(3)"],
            bench.measuring.Measure(),
        )


def size_of(bench: Any, rounds: int, seconds: float, peak: int) -> Any:
    """A size as measured, beside rivals of 10 seconds each."""
    log = bench.logs.Log(Path("r"), Path("w"), rounds, rounds * 6)
    audit = bench.auditing.Audit(log, bench.measuring.Measure([seconds + 9, seconds], [20.0, 10.0], peak))
    rival = bench.measuring.Measure([10.0], [9.0], 1)
    return bench.tables.Size(audit, {"read_only": rival, "duckdb_sql": rival}, [])


@pytest.mark.parametrize(
    ("seconds", "verdicts"),
    [
        (6.9, ["met, aim met", "met, aim met"]),
        (9.9, ["met, aim met", "met, aim not met"]),
        (14.9, ["met, aim not met", "**not met**"]),
        (15.1, ["**not met**", "**not met**"]),
    ],
)
def test_targets_of_time_follow_the_best_turn(bench: Any, seconds: float, verdicts: list[str]) -> None:
    """At most 1.5 times the reading and 1.0 times the query; the aims are 1.0 and 0.7."""
    targets = bench.tables.targets_of_size(size_of(bench, 8, seconds, 1), largest=True)

    assert verdicts == [target.verdict for target in targets[:2]]


@pytest.mark.parametrize(
    ("seconds", "peak", "met"), [(45.0, 110, [True, True]), (45.1, 110, [False, True]), (45.0, 111, [True, False])]
)
def test_growth_is_judged_beyond_the_fixed_cost(bench: Any, seconds: float, peak: int, met: list[bool]) -> None:
    """Four times the rows: at most 4.4 times the time beyond the fixed cost, and a tenth more memory."""
    sizes = [size_of(bench, 2_000, 11.0, 100), size_of(bench, 8_000, seconds, peak)]
    lines, targets = bench.tables.proportion(sizes, bench.measuring.Measure([1.0], [1.0], 1))

    assert "| rounds | 2,000 | 8,000 | 4.00 |" in lines
    assert "| CPU beyond the fixed cost, s | 9.00 | 9.00 | 1.00 |" in lines
    assert met == [target.met for target in targets]
    assert ([], []) == bench.tables.proportion(sizes[:1], bench.measuring.Measure([1.0], [1.0], 1))


def test_shares_add_up_to_the_whole(bench: Any) -> None:
    """Steps, what no step claims, and helper processes share the CPU time of the quickest turn."""
    audit = size_of(bench, 8, 1.0, 1).audit
    steps = [{"step": "rounds", "seconds": 2.0, "rows": 8}, {"step": "wagers", "seconds": 5.0, "rows": 48}]
    slow = {"steps": [], "wall": 9.0, "cpu": 9.0, "children_cpu": 0.0}
    audit.timings = [slow, {"steps": steps, "wall": 6.0, "cpu": 8.0, "children_cpu": 2.0}]
    lines = bench.tables.shares(audit)

    assert "| rounds | 2.00 | 20.0% | 8 | 4 |" in lines
    assert "| wagers | 5.00 | 50.0% | 48 | 10 |" in lines
    assert "| start-up and what no step claims | 1.00 | 10.0% |  |  |" in lines
    assert "| helper processes | 2.00 | 20.0% |  |  |" in lines


def test_other_findings_of_another_form_are_seen(bench: Any) -> None:
    """A form of the same rows whose findings differ fails its target."""
    ordered, other = (size_of(bench, 8, 1.0, 1).audit for _ in range(2))
    ordered.ids, other.ids = "a", "b"
    targets = bench.tables.targets_of_forms({"ordered": ordered, "csv": other}, other.measure)

    assert [False, True, True] == [target.met for target in targets]


@pytest.mark.parametrize(
    ("form", "seconds", "met"),
    [
        ("wagers shuffled", 20.0, True),
        ("wagers shuffled", 20.1, False),
        ("2 x 2,000 files", 15.0, True),
        ("2 x 2,000 files", 15.1, False),
        ("csv", 8.0, True),  # twice the 4 seconds of the parser
        ("csv", 8.1, False),
    ],
)
def test_other_forms_are_held_to_their_time(bench: Any, form: str, seconds: float, *, met: bool) -> None:
    """Shuffled at most twice the ordered log's time, small files one and a half, CSV twice its parsing."""
    ordered, other = size_of(bench, 8, 10.0, 1).audit, size_of(bench, 8, seconds, 1).audit
    parsing = bench.measuring.Measure([4.0], [4.0])
    targets = bench.tables.targets_of_forms({"ordered": ordered, form: other}, parsing)

    assert [met] == [target.met for target in targets if target.what.startswith("time")]


def test_fixed_cost_and_answers_have_their_seconds(bench: Any) -> None:
    """Six seconds for a run of any size, 0.3 for the help and 0.6 for an explanation."""
    slow, quick = (bench.measuring.Measure([seconds], [1.0]) for seconds in (0.61, 0.3))

    assert bench.tables.target_of_fixed_cost(size_of(bench, 8, 6.0, 1).audit).met
    assert not bench.tables.target_of_fixed_cost(size_of(bench, 8, 6.1, 1).audit).met
    assert [True, False] == [t.met for t in bench.tables.targets_of_answers({"--help": quick, "explain": slow})]


def test_csv_floor_counts_the_rows(bench: Any, log: Any, tmp_path: Path) -> None:
    """The script that only parses CSV reads every row of every file."""
    files = bench.logs.files_of(bench.logs.make_csv(log, tmp_path / "csv"))
    done = subprocess.run([sys.executable, FOLDER / "read_csv.py", *files], check=True, capture_output=True, text=True)

    assert done.stdout.startswith("[3, 6] ")


def test_benchmark_says_what_it_lacks(tmp_path: Path) -> None:
    """Without the rivals' scripts the benchmark ends with one sentence."""
    command = [sys.executable, FOLDER / "run.py", "--scripts", tmp_path]
    done = subprocess.run(command, check=False, capture_output=True, text=True)

    assert 1 == done.returncode
    assert done.stderr.startswith("make_log.py is not in the folder of the scripts")
