"""The fast path against the functions it is compiled from, on a million random hands and wagers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pytest

from audit.base.canonical import ROUNDS, WAGERS, CanonicalTable
from audit.base.days import DAY, MACAU_OFFSET, day_number
from audit.base.model import CENT, MONEY_SCALE, DrawMethod
from audit.catalogue.catalogue import load
from audit.checks.case import Case, Tally
from audit.checks.options_in_use import Uses
from audit.checks.payouts import Payouts
from audit.checks.wager_columns import WagerBatch, WagerWords
from audit.config.settings import Settings
from audit.findings.table import Sink
from audit.games.due import Due, WagerEnd
from audit.games.hand_facts import HandFacts
from audit.games.settlement import amounts
from audit.replay import judging
from audit.replay.compile import DEPARTURE_CODES, OUTCOMES, SIDES, DrawTable, draw_table
from audit.replay.dues import FATES, LARGEST, DueTable, fact_class, fates
from audit.replay.judging import BOTH_METHODS, ReplayedRounds, judge
from audit.replay.rounds import Names, Rounds
from audit.replay.rounds_reader import RoundsReader
from audit.rulebook import Rulebook
from audit.rulebook.rules import Citation, GameRules
from audit.source.file_reading import Batch
from tests.replay.parity import (
    BETS,
    GAMES,
    METHODS,
    PAYTABLES,
    SCHEMES,
    STATUSES,
    TIMES,
    Ints,
    Sample,
    Scalar,
    draw_sample,
    due_of,
    verdict,
)

pytestmark = pytest.mark.slow

SEEDS: Final = (552004,)
HANDS: Final = 1_000_000
UNITS: Final = (CENT, 1, 5_000, 10_000)
"""Rounding units, in ten-thousandths; a cent is the default. Each has its share of the hands."""

ROWS: Final = 340_000
"""Rows drawn for each unit: more than its share, since some rounds were not played or their law is not known."""

RULEBOOK: Final = Rulebook.load()


# --- the sample as typed rows


def coded(words: Sequence[str | None], places: Ints, kind: pa.DataType) -> pa.Array:
    """A dictionary-encoded column out of words and places among them; None is null."""
    empty = np.array([word is None for word in words])
    codes = pa.array(places.astype(np.int32), pa.int32(), mask=empty[places])
    return pa.DictionaryArray.from_arrays(codes, pa.array([word or "" for word in words])).cast(kind)


def batch_of(table: CanonicalTable, many: int, columns: dict[str, Any]) -> Batch:
    """A batch of typed rows; columns that are not given are null."""
    arrays = []
    for field in table.schema:
        column = columns.get(field.name)
        if isinstance(column, tuple):
            column = coded(*column, field.type)
        arrays.append(pa.nulls(many, field.type) if column is None else column.cast(field.type))
    return Batch(pa.RecordBatch.from_arrays(arrays, schema=table.schema), "f", 0, np.arange(1, many + 1))


def rounds_of(sample: Sample) -> Rounds:
    """The hands as rounds, read as the engine reads them."""
    many, one = len(sample), np.zeros(len(sample), np.int64)
    starts = np.array([day_number(day) for day in sample.days]) * DAY - MACAU_OFFSET
    hands = [text or None for text in sample.texts]
    columns = {
        "round_id": pa.array(np.arange(many)),
        "table_id": (["T"], one),
        "round_no": pa.array(one + 1),
        "game": (list(GAMES), sample.game),
        "status": (STATUSES, sample.status),
        "started_at": pa.array(starts[sample.day] + np.array(TIMES)[sample.time]),
        "player_cards": (hands, sample.player),
        "banker_cards": (hands, sample.banker),
        "draw_method": (METHODS, sample.method),
        "commission": (SCHEMES, sample.scheme),
    }
    reader = RoundsReader(Names(), None)
    reader.add(batch_of(ROUNDS, many, columns))
    return reader.finish()


def sums(values: Sequence[int | None], places: Ints) -> pa.Array:
    """A column of money out of distinct sums and places among them."""
    return pa.array(values, pa.int64()).take(pa.array(places))


# --- both sides compared


@dataclass
class Comparison:
    """What differs, in words (a few of each kind), and how much was compared.

    `settled` are the keys of the rows whose hand was judged and whose wager was settled.
    """

    words: list[str]
    settled: Ints
    findings: int = 0

    def arrays(self, what: str, rows: Ints, expected: Any, found: Any) -> None:
        """Note the rows where two arrays differ."""
        expected, found = np.asarray(expected), np.asarray(found)
        wrong = np.flatnonzero(expected != found)
        self.words += [f"{what} of row {rows[i]}: {found[i]} instead of {expected[i]}" for i in wrong[:3]]

    def sets(self, what: str, expected: set[Any], found: set[Any]) -> None:
        """Note what only one of two sets has."""
        self.words += [f"{what} missing: {item}" for item in sorted(expected - found, key=str)[:3]]
        self.words += [f"{what} too much: {item}" for item in sorted(found - expected, key=str)[:3]]


def compare_hands(scalar: Scalar, found: ReplayedRounds, notes: Comparison) -> None:
    """The walk of every hand against the compiled tables."""
    everything = np.arange(len(scalar.sample))
    notes.arrays("law", everything, scalar.version >= 0, found.rules >= 0)
    notes.arrays("completeness", everything, scalar.complete, found.complete)
    notes.arrays("presence of cards", everything, scalar.has_cards, found.has_cards)
    rows, verdicts, back = scalar.verdicts()
    versions = np.array([rules.version for rules in scalar.rulesets])[scalar.version[rows]]
    notes.arrays("version", rows, versions, np.array([r.version for r in found.rulesets])[found.rules[rows]])
    sides = [-1 if v.side is None else SIDES.index(v.side) for v in verdicts]
    departed = np.array(sides)[back] >= 0
    articles = np.array(found.articles)[found.article[rows]]
    seen = {
        "departure": np.array(DEPARTURE_CODES)[found.departure[rows]],
        "side": np.where(departed, found.side[rows], -1),
        "article": np.where(departed, articles, ""),
        "undecided": found.undecided[rows],
        "outcome": np.array([o.value for o in OUTCOMES])[found.outcome[rows]],
        "player's points": found.player_points[rows],
        "banker's points": found.banker_points[rows],
        "banker first": found.banker_first[rows],
    }
    wanted = zip(
        *(
            (v.code, side, v.article, v.undecided, v.outcome, v.player_points, v.banker_points, v.banker_first)
            for v, side in zip(verdicts, sides, strict=True)
        ),
        strict=True,
    )
    for (what, array), values in zip(seen.items(), wanted, strict=True):
        notes.arrays(what, rows, np.array(values)[back], array)


def compare_wagers(scalar: Scalar, rounds: Rounds, found: ReplayedRounds, notes: Comparison) -> None:
    """The settlement of every wager against the bulk path: dues, sums, faults and open questions."""
    sample, unit = scalar.sample, scalar.unit
    fate = fates(rounds, found)
    notes.arrays("fate", np.arange(len(sample)), scalar.fate, np.array(FATES)[fate])
    rows = np.flatnonzero(scalar.fate == "settle")
    scheme = np.array([0, 0, 1, 2])[sample.scheme]
    dues = DueTable(RULEBOOK, found.rulesets, PAYTABLES, unit)
    bets = np.array([dues.bet_code(bet) for bet in BETS])[sample.bet]
    facts = fact_class(rounds, found)
    numbers = {}
    for name, both in (("first", 0), ("second", 1)):
        method = np.where(sample.method == 0, both, sample.method - 1)
        mine = rows if name == "first" else np.flatnonzero(scalar.doubtful)
        numbers[name] = np.full(len(sample), -1)
        numbers[name][mine] = scalar.due_of_rows(mine, method[mine], scheme[mine])
        group = dues.groups(found, method=np.where(found.method == BOTH_METHODS, both, found.method))
        look_up = dues.look_up(dues.hand_places(group[mine], facts[mine]), bets[mine])
        same = np.array([scalar.dues.get(due, -1) for due in dues.dues])
        notes.arrays(f"{name} due", mine, numbers[name][mine], same[look_up])
        compare_sums(scalar, dues, mine, look_up, notes)
    notes.settled = sample.keys()[rows]
    compare_findings(scalar, rounds, found, dues, numbers, notes)


def compare_sums(scalar: Scalar, dues: DueTable, rows: Ints, number: Ints, notes: Comparison) -> None:
    """`amounts` of every winning wager against the bulk form."""
    sample, what = scalar.sample, dues.dues
    win = np.array([due.kind is WagerEnd.WIN for due in what] or [False])[number]
    rows, number = rows[win], number[win].astype(np.int64)
    payout, commission = dues.payout(number, np.array(sample.stakes)[sample.stake[rows]])
    keys = number * len(sample.stakes) + sample.stake[rows]
    distinct, back = np.unique(keys, return_inverse=True)
    owed = [
        amounts(what[key // len(sample.stakes)], sample.stakes[key % len(sample.stakes)], scalar.unit)
        for key in distinct.tolist()
    ]
    notes.arrays("payout", rows, np.array([o.payout for o in owed], np.int64)[back], payout)
    notes.arrays("commission", rows, np.array([min(o.commission) for o in owed], np.int64)[back], commission)


def compare_findings(
    scalar: Scalar, rounds: Rounds, found: ReplayedRounds, dues: DueTable, numbers: dict[str, Ints], notes: Comparison
) -> None:
    """Every fault and open question of the scalar judge against what the engine's pass reports."""
    sample = scalar.sample
    paid, payment = scalar.payments(numbers["first"])
    answers, answer = scalar.findings(numbers["first"], numbers["second"], payment, paid)
    expected: set[Any] = set()
    faulty = np.array([bool(faults) for faults, _ in answers])[answer]
    for row in np.flatnonzero(faulty).tolist():
        for fault in answers[answer[row]][0]:
            expected.add((row, fault.code, fault.expected, fault.observed, fault.amount))
    times = np.bincount(answer, minlength=len(answers))
    reasons: Counter[str] = Counter()
    for (_, reason), many in zip(answers, times.tolist(), strict=True):
        if reason:
            reasons[reason] += many
    columns = {
        "wager_id": pa.array(np.arange(len(sample))),
        "round_id": pa.array(np.arange(len(sample))),
        "bet": (BETS, sample.bet),
        "stake": sums([p.stake for p in paid], payment),
        "payout": sums([p.payout for p in paid], payment),
        "commission": sums([p.commission for p in paid], payment),
        "stake_returned": sums([p.returned for p in paid], payment),
        "tie_choice": ([p.tie_choice for p in paid], payment),
    }
    seen, tally = pass_over(rounds, found, dues, batch_of(WAGERS, len(sample), columns))
    notes.sets("finding", expected, seen)
    notes.sets("open questions", set(reasons.items()), {(reason, n) for (_, reason), n in tally.counts.items()})
    notes.findings += len(expected)


def pass_over(rounds: Rounds, found: ReplayedRounds, dues: DueTable, wagers: Batch) -> tuple[set[Any], Tally]:
    """What the engine's pass over the wagers reports, without a register."""
    sink, tally = Sink(load()), Tally()
    case = Case(rounds, found, RULEBOOK, None, Settings(), sink, tally, np.ones(len(rounds), np.bool_))
    payouts = Payouts(case, dues, Uses())
    payouts.add(WagerBatch.read(wagers, WagerWords(), dues, np.arange(len(rounds))))
    payouts.finish()
    table = sink.table().select(["wager_id", "code", "expected", "observed", "amount"])
    rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
    return {
        (int(wager), code, expected, observed, int(amount.scaleb(MONEY_SCALE)))
        for wager, code, expected, observed, amount in rows
    }, tally


def compare(seed: int, many: int, unit: int) -> Comparison:
    """Judge `many` random hands and wagers both ways."""
    edges = (LARGEST, 2 * LARGEST, 1_000_000, 10 * unit, max(unit // 2, 1))
    sample = draw_sample(seed, many, RULEBOOK, edges)
    scalar, rounds, notes = Scalar(sample, RULEBOOK, unit), rounds_of(sample), Comparison([], np.zeros(0, np.int64))
    found = judge(rounds, RULEBOOK, None)
    compare_hands(scalar, found, notes)
    compare_wagers(scalar, rounds, found, notes)
    return notes


@pytest.mark.parametrize("seed", SEEDS)
def test_fast_path_agrees_with_the_scalar_functions(seed: int) -> None:
    """A million distinct random hands and wagers are judged and settled alike by the tables and by the functions."""
    settled, findings = [], 0
    for number, unit in enumerate(UNITS):
        notes = compare(seed + number, ROWS, unit)
        assert [] == notes.words
        settled.append(notes.settled)
        findings += notes.findings

    distinct = len(np.unique(np.concatenate(settled)))
    assert distinct >= HANDS
    assert verdict.cache_info().currsize >= 100_000
    assert due_of.cache_info().currsize >= 200_000
    assert findings >= 50_000


CHOICES: Final = {"departure": 3, "side": 2, "outcome": 3, "player_points": 10, "banker_points": 10, "banker_first": 2}
"""Columns of a draw table and how many values each can have."""


@pytest.mark.parametrize("entry", CHOICES)
def test_one_wrong_entry_of_a_compiled_draw_table_is_noticed(entry: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One wrong answer among the 12,100 states of one version and method is enough to fail."""
    plain = draw_table

    def spoilt(rules: GameRules, method: DrawMethod | None) -> DrawTable:
        table = plain(rules, method)
        if method is not DrawMethod.METHOD_2:
            return table
        column = getattr(table, entry).copy()
        place = np.flatnonzero(table.departure == DEPARTURE_CODES.index("DRW-001"))[0]
        column[place] = (column[place] + 1) % CHOICES[entry]
        return replace(table, **{entry: column})

    monkeypatch.setattr(judging, "draw_table", spoilt)
    assert compare(1, 100_000, CENT).words


def test_one_wrong_entry_of_the_due_table_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """One wrong due, of one bet on one class of hands, is enough to fail."""
    plain = DueTable.due
    facts = HandFacts(7, 3, 3, 3, player_pair=False, banker_pair=False)

    def spoilt(table: DueTable, group: tuple[int, int, int], bet: str, seen: HandFacts) -> Due:
        answer = plain(table, group, bet, seen)
        return replace(answer, odds=answer.odds * 2) if (bet, seen) == ("player", facts) else answer

    monkeypatch.setattr(DueTable, "due", spoilt)
    assert compare(1, 100_000, CENT).words


def test_one_wrong_sum_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A ten-thousandth too much on one stake is enough to fail."""
    plain = DueTable.payout

    def spoilt(table: DueTable, number: Ints, stake: Ints) -> tuple[Ints, Ints]:
        payout, commission = plain(table, number, stake)
        return payout + (stake == LARGEST + 1), commission

    monkeypatch.setattr(DueTable, "payout", spoilt)
    assert compare(1, 100_000, CENT).words


@pytest.mark.parametrize("odds", ["0.01", "1", "11", "9999.99"])
@pytest.mark.parametrize("stake", [1, LARGEST - 1, LARGEST, LARGEST + 1, 10**15, 10**18 - 1])
def test_sums_are_exact_up_to_the_largest_stake_and_odds(odds: str, stake: int) -> None:
    """The bulk sum is the exact one for every odds that a paytable may name; one beyond 64 bits is the largest."""
    what = Due(WagerEnd.WIN, Citation("55/2004", "17"), odds=Fraction(odds))
    dues = DueTable(RULEBOOK, [], {}, dues=[what])

    payout, commission = dues.payout(np.array([0]), np.array([stake]))

    assert [min(amounts(what, stake).payout, np.iinfo(np.int64).max)] == payout.tolist()
    assert [0] == commission.tolist()
