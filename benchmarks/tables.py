"""The measures as tables in Markdown, and the targets with what was measured against each."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from auditing import Audit
from measuring import Measure

MIB, GIB = 2**20, 2**30
READING, QUERY = "read_only", "duckdb_sql"

TIMES = {READING: (1.5, 1.0), QUERY: (1.0, 0.7)}
"""The most that `run` may take, in times of each rival, and the aim beyond it."""

SHUFFLED, SMALL = "wagers shuffled", "files"
FORMS = {SHUFFLED: 2.0, SMALL: 1.5}
"""The most that other forms of the same rows may take, in times of the log in order, by the end of their names."""

PARSE = 2.0
"""The most that CSV may take, in times of what pyarrow needs to parse it."""

FIXED = 6.0
"""Seconds that a run may take whatever its rows."""

ANSWERS = {
    "--help": (("--help",), 0.3),
    "explain": (
        ("explain", "--game", "baccarat", "--on", "2024-03-01", "--player", "2H 3D", "--banker", "3C 4S"),
        0.6,
    ),
}
"""What the command line is asked, and the seconds in which it answers."""

PEAK = 1.5 * GIB
"""The most memory that a run may take, whatever the log."""

GROWTH = 1.1
"""How much more than in proportion time, and how much more than nothing memory, may grow with the rows."""


@dataclass(frozen=True)
class Target:
    """One target: what is measured, the most it may be (and an aim beyond), the figure, and whether it was met."""

    what: str
    limit: str
    figure: str
    met: bool
    aim_met: bool | None = None

    @property
    def verdict(self) -> str:
        """Whether the target was met, and the aim if it has one."""
        if not self.met:
            return "**not met**"
        return "met" if self.aim_met is None else "met, aim met" if self.aim_met else "met, aim not met"


@dataclass(frozen=True)
class Size:
    """One size: the audit and the rivals on the same log, and the differences between planted and found faults."""

    audit: Audit
    rivals: Mapping[str, Measure]
    wrong: Sequence[str]

    @property
    def rounds(self) -> int:
        """Rounds of the log."""
        return self.audit.log.round_count


def title(audit: Audit) -> str:
    """Rounds and wagers of a log, in words."""
    return f"{audit.log.round_count:,} rounds, {audit.log.wager_count:,} wagers"


def grid(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A table in Markdown; every column but the first is aligned to the right."""
    lines = [f"| {' | '.join(heads)} |", f"|---|{'---:|' * (len(heads) - 1)}"]
    return [*lines, *(f"| {' | '.join(row)} |" for row in rows)]


def fixed_cost(audit: Audit) -> list[str]:
    """What a run costs before its first rows."""
    took = audit.measure
    heads = ["fixed cost", "best, s", "median, s", "CPU, s", "peak memory, MiB"]
    row = [f"{audit.log.round_count} rounds", *_times(took), f"{took.best_cpu:.2f}", f"{took.peak / MIB:,.0f}"]
    return ["## Fixed cost: one shoe", "", *grid(heads, [row]), *shares(audit)]


def _times(took: Measure) -> tuple[str, str]:
    return f"{took.best:.2f}", f"{statistics.median(took.seconds):.2f}"


def comparison(size: Size, fixed: Measure) -> list[str]:
    """The audit beside its rivals, and its speed beyond the fixed cost."""
    reading, query, run = size.rivals[READING], size.rivals[QUERY], size.audit.measure
    rows = []
    for name, took in (*size.rivals.items(), ("run", run)):
        ratios = f"{took.best / reading.best:.2f}", f"{took.best / query.best:.2f}"
        rows.append([f"`{name}`", *_times(took), *ratios, f"{took.best_cpu:.1f}", f"{took.peak / MIB:,.0f}"])
    heads = ["program", "best, s", "median, s", f"x {READING}", f"x {QUERY}", "CPU, s", "peak memory, MiB"]
    lines = [f"## {title(size.audit)}", "", *grid(heads, rows), "", *speed(size.audit, fixed), *shares(size.audit)]
    planted = ", ".join(f"{kind} {number:,}" for kind, number in size.audit.log.planted().items())
    verdict = "; ".join(size.wrong) or "as planted"
    return [*lines, "", f"Planted: {planted}. Found: {codes(size.audit)}: {verdict}."]


def codes(audit: Audit) -> str:
    """The findings by code, in words."""
    return ", ".join(f"{code} {count:,}" for code, count in sorted(audit.found.items()) if count) or "none"


def speed(audit: Audit, fixed: Measure) -> list[str]:
    """Rows a second beyond the fixed cost, of one core and of the clock."""
    took, rows = audit.measure, []
    for name, seconds in (("CPU", took.best_cpu - fixed.best_cpu), ("wall", took.best - fixed.best)):
        if seconds <= 0:
            rows.append([name, f"{seconds:.2f}", "-", "-"])
            continue
        rates = (f"{number / seconds:,.0f}" for number in (audit.log.round_count, audit.log.wager_count))
        rows.append([name, f"{seconds:.2f}", *rates])
    return grid(["beyond the fixed cost", "s", "rounds/s", "wagers/s"], rows)


def shares(audit: Audit) -> list[str]:
    """The share of each step in the CPU time of the quickest turn, helper processes included."""
    times = audit.best_timings
    if times is None:
        return []
    whole = times["cpu"] + times["children_cpu"]
    steps = [(step["step"], step["seconds"], step.get("rows")) for step in times["steps"]]
    rest = max(times["cpu"] - sum(seconds for _, seconds, _ in steps), 0.0)
    steps += [("start-up and what no step claims", rest, None), ("helper processes", times["children_cpu"], None)]
    rows = []
    for step, seconds, number in steps:
        share = f"{seconds / whole:.1%}" if whole else "-"
        speed = f"{number / seconds:,.0f}" if number and seconds > 0 else ""
        rows.append([step, f"{seconds:.2f}", share, f"{number:,}" if number else "", speed])
    return ["", *grid(["step", "CPU, s", "share", "rows", "rows/s"], rows)]


def forms(audits: Mapping[str, Audit], parsing: Measure) -> list[str]:
    """The same rows in other forms: time against the log in order, the same findings or not."""
    ordered, rows = audits["ordered"], []
    for name, audit in audits.items():
        took = audit.measure
        ratio = f"{took.best / ordered.measure.best:.2f}"
        parse = f"{took.best / parsing.best:.2f}" if name == "csv" else ""
        cells = [*_times(took), ratio, parse, f"{took.best_cpu:.1f}", f"{took.peak / MIB:,.0f}"]
        rows.append([name, *cells, f"{audit.findings:,}", _yes(same=audit.ids == ordered.ids)])
    parsed = [*_times(parsing), f"{parsing.best / ordered.measure.best:.2f}", "1.00", f"{parsing.best_cpu:.1f}"]
    rows.append(["pyarrow's parse of the CSV", *parsed, f"{parsing.peak / MIB:,.0f}", "", ""])
    heads = [
        "form",
        "best, s",
        "median, s",
        "x ordered",
        "x parse",
        "CPU, s",
        "peak memory, MiB",
        "findings",
        "same ids",
    ]
    return [f"## The same rows in other forms: {title(ordered)}", "", *grid(heads, rows)]


def _yes(*, same: bool) -> str:
    return "yes" if same else "**no**"


def faulty(audit: Audit) -> list[str]:
    """A log in which every round has a finding."""
    took = audit.measure
    cells = [f"{took.best:.1f}", f"{took.best_cpu:.1f}", f"{took.peak / MIB:,.0f}", codes(audit)]
    heads = ["log", "best, s", "CPU, s", "peak memory, MiB", "findings"]
    return ["## A finding in every round", "", *grid(heads, [[title(audit), *cells]]), *shares(audit)]


def proportion(sizes: Sequence[Size], fixed: Measure) -> tuple[list[str], list[Target]]:
    """Time beyond the fixed cost and memory, of the largest size against the one before; nothing for one size."""
    if len(sizes) < 2:
        return [], []
    small, large = sizes[-2:]
    times = large.rounds / small.rounds
    took = [size.audit.measure.best - fixed.best for size in (small, large)]
    used = [size.audit.measure.best_cpu - fixed.best_cpu for size in (small, large)]
    ratio, work = (after / before if before > 0 else float("inf") for before, after in (took, used))
    memory = large.audit.measure.peak / small.audit.measure.peak
    what = f"{large.rounds:,} against {small.rounds:,} rounds"
    limit = f"{GROWTH * times:.1f} x"
    targets = [
        Target(f"time beyond the fixed cost, {what}", limit, f"{ratio:.2f} x", ratio <= GROWTH * times),
        Target(f"peak memory, {what}", f"{GROWTH - 1:+.0%}", f"{memory - 1:+.0%}", memory <= GROWTH),
    ]
    heads = [what, "smaller", "larger", "ratio"]
    rows = [
        ["rounds", f"{small.rounds:,}", f"{large.rounds:,}", f"{times:.2f}"],
        ["time beyond the fixed cost, s", *(f"{seconds:.2f}" for seconds in took), f"{ratio:.2f}"],
        ["CPU beyond the fixed cost, s", *(f"{seconds:.2f}" for seconds in used), f"{work:.2f}"],
        [
            "peak memory, MiB",
            *(f"{size.audit.measure.peak / MIB:,.0f}" for size in (small, large)),
            f"{memory:.2f}",
        ],
    ]
    return ["", "## In proportion", "", *grid(heads, rows)], targets


def targets_of_size(size: Size, *, largest: bool) -> list[Target]:
    """The targets that one size is held to: those of time at the largest one alone."""
    took, found = size.audit.measure, []
    at = f"at {size.rounds:,} rounds"
    for rival, (limit, aim) in TIMES.items() if largest else ():
        ratio = took.best / size.rivals[rival].best
        words = f"{limit} x (aim {aim} x)", f"{ratio:.2f} x"
        found.append(Target(f"time against `{rival}` {at}", *words, ratio <= limit, ratio <= aim))
    return [
        *found,
        memory_target(size.audit, at),
        Target(f"planted faults found {at}", "exactly", "; ".join(size.wrong) or "exactly", not size.wrong),
    ]


def memory_target(audit: Audit, at: str) -> Target:
    """The limit of memory, the same for every log."""
    peak = audit.measure.peak
    return Target(f"peak memory {at}", f"{PEAK / GIB} GiB", f"{peak / GIB:.2f} GiB", peak <= PEAK)


def target_of_fixed_cost(audit: Audit) -> Target:
    """A run of one shoe, start-up and data gate included."""
    best = audit.measure.best
    return Target("fixed cost", f"{FIXED:.0f} s", f"{best:.2f} s", best <= FIXED)


def targets_of_answers(took: Mapping[str, Measure]) -> list[Target]:
    """What needs no log is answered at once."""
    return [
        Target(f"`dicj-audit {asked}`", f"{most} s", f"{took[asked].best:.2f} s", took[asked].best <= most)
        for asked, (_, most) in ANSWERS.items()
    ]


def targets_of_forms(audits: Mapping[str, Audit], parsing: Measure) -> list[Target]:
    """Each form has the findings and the memory of the log in order, in so many times its time."""
    ordered, found = audits["ordered"], []
    for name, audit in audits.items():
        if name == "ordered":
            continue
        same = audit.ids == ordered.ids
        found.append(Target(f"finding ids, {name}", "those of the ordered log", "equal" if same else "other", same))
        found += [
            _ratio(f"time of the form {name}, against the ordered log", audit.measure, ordered.measure, most)
            for end, most in FORMS.items()
            if name.endswith(end)
        ]
        if name == "csv":
            found.append(_ratio("time of the form csv, against its parsing", audit.measure, parsing, PARSE))
        found.append(memory_target(audit, f"of the form {name}"))
    return found


def _ratio(what: str, took: Measure, base: Measure, most: float) -> Target:
    ratio = took.best / base.best
    return Target(what, f"{most} x", f"{ratio:.2f} x", ratio <= most)


def targets_of_faulty(audit: Audit, wrong: Sequence[str]) -> list[Target]:
    """A finding in every round: the run ends, with all of them."""
    words = "; ".join(wrong) or f"{audit.findings:,}"
    at = "with a finding in every round"
    found = Target(f"findings {at}", f"{audit.log.round_count:,}", words, not wrong)
    return [found, memory_target(audit, at)]


def target_table(targets: Sequence[Target]) -> list[str]:
    """Every target, the figure, and whether it was met."""
    rows = [[t.what, t.limit, t.figure, t.verdict] for t in targets]
    return ["", "## Targets", "", *grid(["target", "at most", "measured", "verdict"], rows)]
