"""The judging rules at their edges: small logs with the findings that the rule's own words ask for.

Each scenario (`tests.scenarios`) is a table of its own. Expected keys are written by hand from the contract; the oracle
and the program must both give them. Scenarios run together, once with and once without a register.
"""

from __future__ import annotations

import functools
from decimal import Decimal
from pathlib import Path

import pytest

from tests.engine import Run, run
from tests.oracle import auditor, rows
from tests.oracle.dealer import Log
from tests.scenarios import approvals, days, hands, money, shoes
from tests.scenarios.base import BANKER_9, SCENARIOS, Keys, on, row_of, wager_of

AREAS = (hands, days, money, approvals, shoes)
"""Importing an area fills `SCENARIOS`."""


def _tables(*, register: bool) -> dict[str, tuple[Log, Keys]]:
    chosen = [name for name, case in SCENARIOS.items() if case.register is register]
    return {name: SCENARIOS[name].build(name.upper()) for name in chosen}


def _joined(*, register: bool) -> Log:
    log = Log()
    for part, _ in _tables(register=register).values():
        log.extend(part)
    return log


@functools.cache
def _by_oracle(register: bool) -> rows.Audit:
    log = _joined(register=register)
    return auditor.audit(log.rounds, log.wagers, log.approvals if register else None, log.events)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[bool, Run]:
    """The program's run with and without a register."""
    return {
        register: run(_joined(register=register), tmp_path_factory.mktemp("run"), register=register)
        for register in (True, False)
    }


def _of_table(keys: set[tuple[object, ...]], table: str) -> set[tuple[object, ...]]:
    """The findings of one scenario: every one of its ids begins with the table's name."""
    return {
        key
        for key in keys
        if any(isinstance(part, str) and (part == table or part.startswith(f"{table}-")) for part in key)
    }


@pytest.mark.parametrize("name", SCENARIOS)
def test_oracle(name: str) -> None:
    """The oracle finds what the rule's words ask for, and nothing else."""
    case = SCENARIOS[name]
    _, keys = case.build(name.upper())
    audit = _by_oracle(case.register)

    assert _of_table({f.key() for f in audit.findings}, name.upper()) == keys
    if case.verdicts is not None:
        given = [v for ident, v in audit.verdicts.items() if ident.startswith(f"{name.upper()}-")]
        assert {word: given.count(word) for word in set(given)} == case.verdicts


@pytest.mark.parametrize("name", SCENARIOS)
def test_program(runs: dict[bool, Run], name: str) -> None:
    """The program finds what the rule's words ask for, and nothing else."""
    case = SCENARIOS[name]
    _, keys = case.build(name.upper())

    assert _of_table(set(runs[case.register].findings), name.upper()) == keys


def test_one_finding_each(runs: dict[bool, Run]) -> None:
    """There is one finding per subject that the contract names."""
    assert [done.doubled for done in runs.values()] == [[], []]


@pytest.mark.parametrize("register", [True, False])
def test_verdicts(runs: dict[bool, Run], register: bool) -> None:
    """The numbers of rounds conforming, in violation and not evaluated are those of the scenarios together."""
    verdicts = list(_by_oracle(register).verdicts.values())
    done = runs[register].manifest

    assert done["verdicts"] == {word: verdicts.count(word) for word in ("conforming", "violation", "not_evaluated")}
    assert sum(done["verdicts"].values()) == done["totals"]["rounds"]["accepted"]


def test_amounts(runs: dict[bool, Run]) -> None:
    """Every amount is paid minus due, or due minus taken, as the oracle has it."""
    for register, done in runs.items():
        rows = done.findings
        for found in _by_oracle(register).findings:
            if found.amount is not None:
                assert Decimal(rows[found.key()]["amount"]) == found.amount, found


def test_limits_need_a_regulation_in_force(tmp_path: Path) -> None:
    """LIM-001 is found where the table has limits, at both ends, and not before the first text (rule 3)."""
    stakes = ("199.99", "200", "900", "900.01")
    rows = [row_of("L1", n, *BANKER_9) for n in range(1, 5)]
    rows += [on(row_of("L2", 1, *BANKER_9), "2004-05-17"), row_of("L3", 1, *BANKER_9)]
    wagers = [wager_of(row, "player", stake, "0") for row, stake in zip(rows, (*stakes, "1", "1"), strict=True)]
    settings = 'limits:\n  - {tables: "L1 L2", bet: "*", min: "200", max: "900"}\n'
    done = run(Log(rows, wagers), tmp_path, register=False, events=False, settings=settings)

    assert set(done.findings) == {("LIM-001", wagers[0]["wager_id"]), ("LIM-001", wagers[3]["wager_id"])}
