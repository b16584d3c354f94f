"""The program against the oracle: lawful logs, logs with one change, and logs with many.

Tables are independent of each other, so that many logs, each at a table of its own, are audited in one run.
"""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.engines import local, windows
from tests.engine import differences, run
from tests.oracle import auditor, dealer, rows, slips, wild
from tests.oracle.auditor import CONFORMING, NOT_EVALUATED, VIOLATION
from tests.oracle.dealer import Log
from tests.oracle.rows import Audit

pytestmark = pytest.mark.slow


def _random(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 - a repeatable game, no secret


def _house(seed: int, table: str) -> dealer.House:
    return replace(dealer.random_house(_random(seed)), table=table)


def _verdicts(audit: Audit) -> dict[str, int]:
    given_out = list(audit.verdicts.values())
    return {word: given_out.count(word) for word in (CONFORMING, VIOLATION, NOT_EVALUATED)}


def test_lawful_logs_have_no_finding(tmp_path: Path) -> None:
    """Forty lawful tables have no finding and all their rounds are conforming."""
    log = Log()
    for seed in range(40):
        log.extend(dealer.deal(seed, _house(seed, f"T{seed}")))
    done = run(log, tmp_path)

    assert done.rows == []
    assert done.total == 0
    assert done.manifest["verdicts"] == {CONFORMING: len(log.rounds), VIOLATION: 0, NOT_EVALUATED: 0}


def _changed(name: str, wanted: int = 4) -> Iterator[tuple[Log, list[tuple[object, ...]]]]:
    made = 0
    for seed in range(60):
        log = dealer.deal(seed, _house(seed, f"{name}-{seed}"))
        change = slips.MUTATORS[name](log, _random(seed))
        if change is not None:
            made += 1
            yield change
        if made == wanted:
            return


@pytest.mark.parametrize(("window", "stray"), [(local.WINDOW, windows.STRAY), (1, windows.STRAY), (37, 60)])
def test_each_change_gives_its_findings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, window: int, stray: int
) -> None:
    """Each single change gives the finding that the contract promises, and otherwise what the oracle finds.

    So it is in one window and in windows of a table, also where hardly any wager may wait for its round.
    """
    monkeypatch.setattr(local, "WINDOW", window)
    monkeypatch.setattr(windows, "STRAY", stray)
    log, promised = Log(), []
    for name in slips.MUTATORS:
        for new, keys in _changed(name):
            log.extend(new)
            promised += keys
    expected = auditor.audit(log.rounds, log.wagers, log.approvals, log.events)
    done = run(log, tmp_path)

    assert differences(expected, done) == []
    assert set(promised) <= done.findings.keys()
    assert done.manifest["verdicts"] == _verdicts(expected)
    assert done.total == len(done.rows)


def _totals(audit: Audit, done: object, table: str) -> None:
    totals = done.manifest["totals"][table]  # type: ignore[attr-defined]

    assert totals["accepted"] == audit.accepted[table]
    assert totals["quarantined"] == audit.quarantined[table]
    assert totals["repeats"] == audit.repeats[table]
    assert totals["read"] == totals["accepted"] + totals["quarantined"] + totals["repeats"]


LIMITS = """limits:
  - {tables: "T1 T2 T3 T4 T5 T6", bet: "*", min: "200", max: "900"}
"""


def _limits(seeds: range) -> dict[tuple[str, str], tuple[Decimal, Decimal]]:
    return {(f"T{n}", "*"): (Decimal(200), Decimal(900)) for n in seeds if n in range(1, 7)}


@pytest.mark.parametrize(
    ("part", "register", "events", "clear_days"),
    [
        (4, True, True, False),
        (10, True, True, False),
        (5, True, True, True),
        (14, False, True, False),
        (42, False, True, False),
        (7, True, False, False),
    ],
)
def test_many_changes_agree_with_the_oracle(
    tmp_path: Path,
    part: int,
    register: bool,
    events: bool,
    clear_days: bool,
) -> None:
    """Logs with many slips, on any day and under any scheme, give exactly the findings of the oracle."""
    log = Log()
    for n in range(60):
        rng = _random(part * 1000 + n)
        log.extend(wild.log(rng, part * 1000 + n, f"T{n}"))
    expected = auditor.audit(
        log.rounds,
        log.wagers,
        log.approvals if register else None,
        log.events if events else None,
        clear_days=clear_days,
        limits=_limits(range(60)),
    )
    notice = "notice: clear_days\n" if clear_days else ""
    done = run(log, tmp_path, register=register, events=events, settings=LIMITS + notice)

    assert differences(expected, done) == []
    for table in ("rounds", "wagers"):
        _totals(expected, done, table)
    assert done.manifest["verdicts"] == _verdicts(expected)


@pytest.mark.parametrize("unit", ["1", "0.50", "10"])
def test_a_rounding_unit_agrees_with_the_oracle(tmp_path: Path, unit: str) -> None:
    """The house's unit, beside which the exact sum is right too, gives exactly the findings of the oracle."""
    log = Log()
    for n in range(40):
        log.extend(wild.log(_random(7000 + n), 7000 + n, f"T{n}"))
    expected = auditor.audit(log.rounds, log.wagers, log.approvals, log.events, unit=Decimal(unit))
    done = run(log, tmp_path, settings=f'rounding_unit: "{unit}"\n')

    assert differences(expected, done) == []
    assert done.manifest["verdicts"] == _verdicts(expected)


@settings(derandomize=True, max_examples=12)
@given(st.lists(st.tuples(st.integers(0, 10**6), st.sets(st.sampled_from(sorted(slips.MUTATORS)))), max_size=6))
def test_any_changes_agree_with_the_oracle(
    tmp_path_factory: pytest.TempPathFactory, tables: list[tuple[int, set[str]]]
) -> None:
    """Any set of changes at any number of tables gives exactly the findings of the oracle."""
    log = dealer.deal(7, dealer.House(table="lawful"))
    for n, (seed, names) in enumerate(tables):
        new = dealer.deal(seed, _house(seed, f"T{n}"))
        for name in sorted(names):
            change = slips.MUTATORS[name](new, _random(seed))
            new = new if change is None else change[0]
        log.extend(new)
    expected = auditor.audit(log.rounds, log.wagers, log.approvals, log.events)
    done = run(log, tmp_path_factory.mktemp("run"))

    assert differences(expected, done) == []
    assert done.manifest["verdicts"] == _verdicts(expected)


def _mismatched(table: str, seed: int) -> Log:
    """A table that plays across the cut-off of 1 March 2024, with a scheme that may not be the one recorded."""
    rng = _random(seed)
    lawful = dealer.random_house(rng, rng.choice(["baccarat", "makccarat"]))
    scheme = rng.choice(["standard", "none"])
    open_house = replace(
        lawful, table=table, day=dt.date(2024, 3, 1), opens=dt.time(5, 45), rounds=30, wagers=6, shoes=1, scheme=scheme
    )
    log = dealer.deal(seed, replace(open_house, record_scheme=True, record_method=True))
    for row in log.rounds:
        if rng.random() < 0.97:
            row["commission"] = "standard" if scheme == "none" else "none"
    for wager in rng.sample(log.wagers, len(log.wagers) // 20):
        wager["payout"] = rng.choice(["0", wager["stake"]])
    return log


def test_a_wager_has_one_answer_whatever_the_days(tmp_path: Path) -> None:
    """Each gaming day alone finds of its wagers what the whole input says, and OPT-004 where one of them tells."""
    log = Log()
    for n in range(40):
        log.extend(_mismatched(f"T{n}", 900 + n))
    expected = auditor.audit(log.rounds, log.wagers, log.approvals)
    day_of = {r["round_id"]: (rows.instant(r["started_at"]) - dt.timedelta(hours=6)).date() for r in log.rounds}  # type: ignore[operator]
    days = sorted(set(day_of.values()))

    assert len(days) == 2
    assert len(expected.telling) > 10
    for day in days:
        done = run(log, tmp_path / day.isoformat(), events=False, day=day)
        wanted = {f.key() for f in expected.findings if f.code[:3] == "PAY" and day_of[f.round or ""] == day}
        wanted |= {key for key, told in expected.telling.items() if any(day_of[name] == day for name in told)}

        assert {key for key in done.findings if str(key[0])[:3] == "PAY" or key[0] == "OPT-004"} == wanted


def test_order_and_files_do_not_matter(tmp_path: Path) -> None:
    """The same rows in another order give the same findings."""
    log = Log()
    for n in range(12):
        rng = _random(n)
        log.extend(wild.log(rng, n, f"T{n}"))
    # Which of two differing rows of one id comes first does matter (rule 12), so each id is kept once.
    log.rounds = list({r["round_id"]: r for r in log.rounds}.values())
    log.wagers = list({w["wager_id"]: w for w in log.wagers}.values())
    shuffled = log.copy()
    for table in (shuffled.rounds, shuffled.wagers, shuffled.approvals, shuffled.events):
        _random(3).shuffle(table)
    first, second = run(log, tmp_path / "a"), run(shuffled, tmp_path / "b")

    assert first.findings.keys() == second.findings.keys()
    assert [row["finding_id"] for row in first.rows] == [row["finding_id"] for row in second.rows]


def test_more_files_change_nothing(tmp_path: Path) -> None:
    """The same rows spread over three files, cut anywhere, give the same findings and totals."""
    log = Log()
    for n in range(30, 42):
        log.extend(wild.log(_random(n), n, f"T{n}"))
    whole, spread = run(log, tmp_path / "a"), run(log, tmp_path / "b", parts=3)

    assert [row["finding_id"] for row in whole.rows] == [row["finding_id"] for row in spread.rows]
    assert whole.manifest["totals"] == spread.manifest["totals"]
    assert whole.manifest["verdicts"] == spread.manifest["verdicts"]


ABOUT_A_ROUND = ("DRW", "RES", "PAY")
ABOUT_A_SHOE = ("SHO-001", "SHO-002", "SHO-003", "SHO-004", "SHO-005", "SHO-006", "LOG-002")


def test_a_gaming_day_is_a_part_of_the_whole(tmp_path: Path) -> None:
    """A day's run has the findings of its own rounds, and judges its shoes on all their rounds (rule 13).

    The shoes are dealt across the cut-off at six in the morning; OPT-004 explains by legal day and is kept out.
    """
    log, opens = Log(), dt.time(5, 54)
    for n in range(30):
        rng = _random(n)
        house = replace(_house(n, f"T{n}"), day=dt.date(2024, 3, 2), opens=opens, rounds=12, scheme="standard")
        new = dealer.deal(n, replace(house, tie_choices=("",)))
        for name in rng.sample(sorted(set(slips.MUTATORS) - {"wrong_scheme"}), 3):
            change = slips.MUTATORS[name](new, rng)
            new = new if change is None else change[0]
        log.extend(new)
    days = [dt.date(2024, 3, 1), dt.date(2024, 3, 2)]
    whole = run(log, tmp_path / "whole")
    parts = [run(log, tmp_path / str(day), day=day) for day in days]
    cutoff = dt.datetime.combine(days[1], dt.time(6), rows.MACAU)
    first_day = {r["round_id"] for r in log.rounds if dt.datetime.fromisoformat(r["started_at"]) < cutoff}
    shoes = [{r["shoe_id"] for r in log.rounds if (r["round_id"] in first_day) is early} for early in (True, False)]

    for part, own, of_shoes in zip(parts, (True, False), shoes, strict=True):
        rounds = [r for r in whole.rows if r["code"][:3] in ABOUT_A_ROUND and (r["round_id"] in first_day) is own]
        about_shoes = [r for r in whole.rows if r["code"] in ABOUT_A_SHOE and r["shoe_id"] in of_shoes]
        seen = {r["finding_id"] for r in part.rows if r["code"][:3] in ABOUT_A_ROUND or r["code"] in ABOUT_A_SHOE}

        assert seen == {r["finding_id"] for r in rounds + about_shoes}
    verdicts = [sum(part.manifest["verdicts"][word] for part in parts) for word in sorted(whole.manifest["verdicts"])]
    assert verdicts == [whole.manifest["verdicts"][word] for word in sorted(whole.manifest["verdicts"])]
