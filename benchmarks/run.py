"""Measure a whole `dicj-audit run` beside two rivals on the same files, and write benchmarks/RESULTS.md.

The rivals are two scripts kept beside the project, with the generator of the logs: `read_only.py`, which only reads
every column, and `duckdb_sql.py`, which does three of the checks in one query. All are timed as whole processes,
start-up included, in turns that begin with another program each, and the best turn counts. Memory is that of the
process and its children, shared pages divided among those who share them (PSS), sampled five times a second in a turn
that is not timed.

Measured are how soon the command line answers, the fixed cost (one shoe), every size asked for, the same rows in other
forms (wagers shuffled, thousands of small files, CSV), and a log with a finding in every round. Faults found that
differ from those planted, and other findings from another form of the same rows, are an error: the results are written,
and the exit code is 1.

    .venv/bin/python benchmarks/run.py --rounds 2e6 8e6 --keep LOGS
"""

from __future__ import annotations

import argparse
import datetime as dt
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from auditing import COMMAND, Audit, audits_and_rivals, in_turns, mismatches
from logs import Log, files_of, make_csv, make_faulty, make_log, make_shuffled, make_small_files, warm
from measuring import Measure, machine, measured
from tables import (
    ANSWERS,
    QUERY,
    READING,
    SHUFFLED,
    SMALL,
    Size,
    Target,
    comparison,
    faulty,
    fixed_cost,
    forms,
    proportion,
    target_of_fixed_cost,
    target_table,
    targets_of_answers,
    targets_of_faulty,
    targets_of_forms,
    targets_of_size,
)

ROOT = Path(__file__).resolve().parents[1]
SHOE = 65
"""Rounds of one shoe, the smallest log that is measured."""


def whole(text: str) -> int:
    """A number of rows, which may be written as 2e6."""
    return int(float(text))


def say(words: str) -> None:
    """Tell on standard error what is being measured."""
    print(words, file=sys.stderr)


class Benchmark:
    """One benchmark: its logs in a folder, its results line by line, its targets and its errors."""

    def __init__(self, asked: argparse.Namespace, logs: Path) -> None:
        self.asked, self.logs = asked, logs
        self.lines: list[str] = []
        self.targets: list[Target] = []
        self.errors: list[str] = []

    def log(self, rounds: int) -> Log:
        """The log of a size."""
        return make_log(self.asked.scripts, self.logs / str(rounds), rounds)

    def fixed(self) -> Audit:
        """The fixed cost of a run, which does not grow with the rows."""
        say("fixed cost")
        audit = Audit(self.log(SHOE))
        warm(files_of(audit.log))
        Audit(audit.log).turn(self.logs)  # not measured: it leaves the byte code of every module behind
        in_turns({"run": partial(audit.turn, self.logs)}, max(self.asked.repeat, 3))
        self.lines += ["", *fixed_cost(audit)]
        self.targets.append(target_of_fixed_cost(audit))
        return audit

    def answers(self) -> None:
        """How soon the command line answers where there is nothing to audit."""
        say("answers")
        took = {asked: Measure() for asked in ANSWERS}
        turns = {asked: partial(measured, [COMMAND, *words], took[asked]) for asked, (words, _) in ANSWERS.items()}
        in_turns(turns, max(self.asked.repeat, 3))
        self.targets += targets_of_answers(took)

    def size(self, rounds: int, fixed: Measure) -> Size:
        """The audit beside the rivals on one log."""
        say(f"{rounds:,} rounds")
        audit = Audit(self.log(rounds))
        rivals = {name: Measure() for name in (READING, QUERY)}
        commands: dict[str, tuple[list[str | Path], Measure]] = {
            name: ([sys.executable, self.asked.scripts / f"{name}.py", audit.log.folder], measure)
            for name, measure in rivals.items()
        }
        audits_and_rivals({"run": audit}, commands, self.asked.repeat, self.logs)
        size = Size(audit, rivals, mismatches(audit.log.planted(), audit.found))
        self.errors += [f"{rounds:,} rounds: {words}" for words in size.wrong]
        self.lines += ["", *comparison(size, fixed)]
        return size

    def forms(self, rounds: int) -> None:
        """The same rows shuffled, in small files and as CSV."""
        say(f"{rounds:,} rounds in other forms")
        log, folder = self.log(rounds), self.logs / f"{rounds}-forms"
        small = make_small_files(log, folder / f"files-{self.asked.files}", self.asked.files)
        audits = {
            "ordered": Audit(log),
            SHUFFLED: Audit(make_shuffled(log, folder / "shuffled")),
            f"2 x {self.asked.files:,} {SMALL}": Audit(small),
            "csv": Audit(make_csv(log, folder / "csv")),
        }
        parsing = Measure()
        script = Path(__file__).with_name("read_csv.py")
        command: list[str | Path] = [sys.executable, script, *files_of(audits["csv"].log)]
        audits_and_rivals(audits, {"parse": (command, parsing)}, self.asked.repeat, self.logs)
        self.lines += ["", *forms(audits, parsing)]
        self.targets += targets_of_forms(audits, parsing)
        ordered = audits["ordered"].ids
        self.errors += [f"{name}: other findings" for name, audit in audits.items() if audit.ids != ordered]

    def faulty(self, rounds: int) -> None:
        """A log in which every round has a finding."""
        say(f"{rounds:,} rounds, a finding in each")
        sound = make_log(self.asked.scripts, self.logs / f"{rounds}-sound", rounds, "--faults", "0")
        audit = Audit(make_faulty(sound, self.logs / f"{rounds}-faulty"))
        warm(files_of(audit.log))
        in_turns({"run": partial(audit.turn, self.logs)}, 1)
        wrong = mismatches(audit.log.planted(), audit.found)
        self.lines += ["", *faulty(audit)]
        self.targets += targets_of_faulty(audit, wrong)
        self.errors += [f"a finding in every round: {words}" for words in wrong]

    def all(self) -> None:
        """Measure everything that was asked for."""
        fixed = self.fixed().measure
        self.answers()
        sizes = [self.size(rounds, fixed) for rounds in sorted(set(self.asked.rounds))]
        for size in sizes:
            self.targets += targets_of_size(size, largest=size is sizes[-1])
        lines, targets = proportion(sizes, fixed)
        self.lines += lines
        self.targets += targets
        if self.asked.forms:
            self.forms(self.asked.forms)
        if self.asked.faulty:
            self.faulty(self.asked.faulty)
        self.lines += target_table(self.targets)


@contextmanager
def folder_for_logs(keep: Path | None) -> Iterator[Path]:
    """The folder that keeps the logs for another time, or a temporary one."""
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        yield keep
        return
    with tempfile.TemporaryDirectory() as made:
        yield Path(made)


def keep_byte_code(folder: Path) -> None:
    """Let the measured programs keep compiled modules in `folder`, whatever the environment says.

    Where byte code may not be written, every start compiles every module that it imports, which takes longer than the
    rest of the start.
    """
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = str(folder)


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    scripts = os.environ.get("DICJ_AUDIT_BENCH", str(ROOT.parent / "shared" / "bench"))
    parser.add_argument("--scripts", type=Path, default=Path(scripts), help="folder of make_log.py and the two rivals")
    parser.add_argument("--rounds", type=whole, nargs="+", default=[2_000_000, 8_000_000], metavar="N", help="sizes")
    parser.add_argument("--repeat", type=int, default=3, help="turns of measuring; the best counts (default 3)")
    parser.add_argument(
        "--forms", type=whole, default=2_000_000, metavar="N", help="size measured in other forms, 0 for none"
    )
    parser.add_argument("--files", type=int, default=2_000, help="small files in each of the two folders")
    parser.add_argument(
        "--faulty", type=whole, default=1_000_000, metavar="N", help="rounds with a finding in each, 0 for none"
    )
    parser.add_argument("--keep", type=Path, help="folder for the logs, kept and used again (default: a temporary one)")
    parser.add_argument("--results", type=Path, default=ROOT / "benchmarks" / "RESULTS.md", help="file to write")
    return parser.parse_args()


def main() -> None:
    """Measure, print the tables and write the results; exit 1 where something was found that must not be."""
    asked = arguments()
    for name in ("make_log.py", f"{READING}.py", f"{QUERY}.py"):
        if not (asked.scripts / name).is_file():
            raise SystemExit(f"{name} is not in the folder of the scripts: name it with --scripts or DICJ_AUDIT_BENCH")
    head = [
        "# Benchmark",
        "",
        f"Measured on {dt.datetime.now(dt.UTC):%Y-%m-%d} by `benchmarks/run.py`:",
        "",
        *machine(),
    ]
    head += [
        f"- best of {asked.repeat} turns, memory from another; files in the page cache; the report is not rendered",
        "- modules as byte code, as after the first run of an installed program",
    ]
    with folder_for_logs(asked.keep) as logs:
        keep_byte_code(logs.resolve() / "bytecode")
        benchmark = Benchmark(asked, logs.resolve())
        benchmark.all()
    text = "\n".join([*head, *benchmark.lines]) + "\n"
    print(text)
    asked.results.write_text(text, "utf-8")
    if benchmark.errors:
        raise SystemExit("wrong findings: " + "; ".join(benchmark.errors))


if __name__ == "__main__":
    main()
