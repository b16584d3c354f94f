"""Coverage by the register: which use of an option an entry covers, and what is said of a use that none covers."""

from __future__ import annotations

import datetime as dt
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.base.model import Game
from audit.register.register import Approval, Cover, Decision, Register


def day(number: int) -> dt.date:
    """Count days from the first of a month."""
    return dt.date(2026, 3, 1) + dt.timedelta(days=number)


def entry(
    approval_id: str = "A1",
    *,
    authorised: int | None = 5,
    planned: int | None = None,
    ends: int | None = None,
    decision: Decision = Decision.GRANTED,
    casino: str | None = None,
    tables: tuple[str, ...] = ("*",),
    value: str = "none",
) -> Approval:
    """Make an entry of the register."""
    return Approval(
        approval_id=approval_id,
        casino=casino,
        game=Game("baccarat"),
        option="commission",
        value=value,
        tables=tables,
        applied_at=None,
        decision=decision,
        authorised_at=None if authorised is None else day(authorised),
        planned_from=None if planned is None else day(planned),
        ends_on=None if ends is None else day(ends),
        row=1,
    )


def use(register: Register, on: int, casino: str | None = "GAL", table: str = "T1") -> tuple[Cover, str | None]:
    """Ask about one use of the option."""
    cover, found = register.judge_use(casino, table, Game("baccarat"), "commission", "none", day(on))
    return cover, found.approval_id if found else None


RULE_9 = [
    ("from the day of authorisation", [entry()], 5, (Cover.COVERED, "A1")),
    ("not the day before", [entry()], 4, (Cover.EARLY, "A1")),
    ("from the planned day where that is later", [entry(planned=8)], 7, (Cover.EARLY, "A1")),
    ("from the authorisation where that is later", [entry(planned=2)], 4, (Cover.EARLY, "A1")),
    ("from the planned day alone", [entry(authorised=None, planned=8)], 8, (Cover.COVERED, "A1")),
    ("no first day gives no cover", [entry(authorised=None)], 8, (Cover.NEVER, None)),
    ("to the last day", [entry(ends=9)], 9, (Cover.COVERED, "A1")),
    ("not the day after", [entry(ends=9)], 10, (Cover.EXPIRED, "A1")),
    ("one day only", [entry(ends=5)], 5, (Cover.COVERED, "A1")),
    ("ended before it began", [entry(ends=4)], 5, (Cover.NEVER, None)),
    ("refused", [entry(decision=Decision.REFUSED)], 9, (Cover.NEVER, None)),
    ("pending", [entry(decision=Decision.PENDING)], 9, (Cover.NEVER, None)),
    ("another value", [entry(value="standard")], 9, (Cover.NEVER, None)),
    ("another table", [entry(tables=("T2", "T3"))], 9, (Cover.NEVER, None)),
    ("a table in the list", [entry(tables=("T2", "T1"))], 9, (Cover.COVERED, "A1")),
    ("its own casino", [entry(casino="GAL")], 9, (Cover.COVERED, "A1")),
    ("another casino", [entry(casino="SJM")], 9, (Cover.NEVER, None)),
    ("expired stands before early", [entry(ends=6), entry("A2", authorised=20)], 10, (Cover.EXPIRED, "A1")),
    ("the last one ended", [entry("A2", ends=8), entry("A1", ends=6)], 10, (Cover.EXPIRED, "A2")),
    ("of two ended on one day the smaller id", [entry("A2", ends=8), entry("A1", ends=8)], 10, (Cover.EXPIRED, "A1")),
    ("the one that starts first", [entry("A1", authorised=20), entry("A2", authorised=15)], 10, (Cover.EARLY, "A2")),
    ("of two that start together the smaller id", [entry("B"), entry("A")], 1, (Cover.EARLY, "A")),
    ("a gap between two", [entry("A1", ends=6), entry("A2", authorised=8)], 7, (Cover.EXPIRED, "A1")),
    (
        "an ignored entry does not count as ended",
        [entry("A1", ends=1), entry("A2", authorised=9)],
        7,
        (Cover.EARLY, "A2"),
    ),
    ("a short entry does not hide a long one", [entry("A1", ends=6), entry("A2")], 7, (Cover.COVERED, "A2")),
]


@pytest.mark.parametrize(("entries", "on", "expected"), [case[1:] for case in RULE_9], ids=[case[0] for case in RULE_9])
def test_use_against_the_register(entries: list[Approval], on: int, expected: tuple[Cover, str | None]) -> None:
    """A use on a day is covered, never authorised, expired or early as the rule of coverage says."""
    assert expected == use(Register(entries), on)


def test_an_entry_of_one_casino_does_not_cover_an_unnamed_one() -> None:
    """A table whose casino is unknown is covered only by entries that name no casino."""
    register = Register([entry(casino="GAL")])

    assert use(register, 9, casino=None) == (Cover.NEVER, None)
    assert use(Register([entry()]), 9, casino=None) == (Cover.COVERED, "A1")


def test_authorised_values_of_a_day() -> None:
    """The values that the register authorises at a table change with the day."""
    register = Register(
        [entry(ends=9), entry("A2", value="standard", authorised=7), entry("A3", value="x", tables=("T9",))]
    )

    def values(on: int) -> set[str]:
        return register.authorised_values("GAL", "T1", Game("baccarat"), "commission", day(on))

    assert [values(on) for on in (4, 5, 7, 10)] == [set(), {"none"}, {"none", "standard"}, {"standard"}]
    assert register.authorised_values("GAL", "T1", Game("makccarat"), "commission", day(8)) == set()


def test_entries_in_force_on_a_day() -> None:
    """The register can say which of its entries hold on a day, in its own order."""
    register = Register([entry("B", ends=9), entry("A", authorised=7), entry("C", decision=Decision.PENDING)])

    assert [found.approval_id for found in register.in_force(day(8))] == ["B", "A"]


OFFSETS = st.one_of(st.none(), st.integers(0, 12))
ENTRIES = st.lists(
    st.builds(
        lambda authorised, planned, ends, decision, casino, tables: dict(  # noqa: C408 - arguments to come
            authorised=authorised, planned=planned, ends=ends, decision=decision, casino=casino, tables=tables
        ),
        OFFSETS,
        OFFSETS,
        OFFSETS,
        st.sampled_from(Decision),
        st.sampled_from([None, "GAL", "SJM"]),
        st.sampled_from([("*",), ("T1",), ("T2",), ("T1", "T2")]),
    ),
    max_size=6,
)


@given(fields=ENTRIES, on=st.integers(0, 12), shuffle=st.randoms(use_true_random=False))
def test_the_answer_is_that_of_the_rule_read_naively(fields: list[dict], on: int, shuffle) -> None:  # type: ignore[type-arg]  # noqa: ANN001
    """Whatever the entries and their order, the indexed answer is that of the rule applied word by word."""
    entries = [entry(f"A{number}", **values) for number, values in enumerate(fields)]
    shuffle.shuffle(entries)
    spans = []
    for one in entries:
        given_days = [d for d in (one.authorised_at, one.planned_from) if d is not None]
        names = one.casino in {None, "GAL"} and ("*" in one.tables or "T1" in one.tables)
        if one.decision != "granted" or not names or not given_days:
            continue
        if one.ends_on is None or one.ends_on >= max(given_days):
            spans.append((max(given_days), one.ends_on, one.approval_id))
    today = day(on)
    covering = {name for start, end, name in spans if start <= today and (end is None or today <= end)}
    ended = sorted((-end.toordinal(), name) for _, end, name in spans if end is not None and end < today)

    cover, name = use(Register(entries), on)
    if covering:
        assert cover is Cover.COVERED
        assert name in covering
    elif not spans:
        assert (cover, name) == (Cover.NEVER, None)
    elif ended:
        assert (cover, name) == (Cover.EXPIRED, ended[0][1])
    else:
        assert (cover, name) == (Cover.EARLY, min((start, name) for start, _, name in spans)[1])


def steps_of(register: Register) -> int:
    """How many functions are called while the register answers a thousand questions about tables that it knows."""
    calls = 0
    for table in range(30):
        use(register, 0, table=f"T{table}")

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in {"call", "c_call"}

    sys.setprofile(count)
    try:
        for number in range(1000):
            use(register, number % 15, table=f"T{number % 30}")
    finally:
        sys.setprofile(None)
    return calls


def test_a_question_does_not_cost_more_in_a_larger_register() -> None:
    """Entries of other tables are looked at once: a register ten times as large then answers in as many steps."""
    small, large = (
        Register([entry(f"A{n:04}", authorised=n % 9, ends=12, tables=(f"T{n % tables}",)) for n in range(10 * tables)])
        for tables in (30, 300)
    )

    assert steps_of(small) == steps_of(large)
