"""What surrounds the findings, for the report's pictures: the day of a table, and the run of results of a shoe.

Both are drawn only for the tables and shoes with most findings, so that the evidence of a run stays small whatever the
size of its log. Nothing here is judged: the log's own times and results are set beside the verdicts of the audit.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from audit.checks.case import Case
from audit.model import Status
from audit.replay.compile import OUTCOMES
from audit.replay.rounds import (
    MACAU_OFFSET,
    NEVER,
    OUTCOME_WORDS,
    STATUSES,
    UNRECORDED,
    day,
    gaming_day,
    instant,
)

TIMELINES: Final = 10
"""Tables whose day is kept."""

ROADS: Final = 6
"""Shoes whose run of results is kept."""

PAUSE: Final = 20 * 60_000_000
"""Microseconds without a round from which the day shows a pause: longer than the change of a shoe takes."""

LISTED: Final = 60
"""Shoes, pauses, void rounds and findings of one table that are kept; `totals` count them all."""

ROUNDS: Final = 120
"""Rounds of one shoe that are kept."""

LETTERS: Final = {"player": "P", "banker": "B", "tie": "T"}

Json = dict[str, Any]
Places = npt.NDArray[np.int64]


def gather(case: Case, findings: pa.Table) -> Json:
    """The days of the tables and the results of the shoes with most findings, under `_timeline` and `_roads`."""
    return {"_roads": _roads(case, findings), "_timeline": _timelines(case, findings)}


def _most(findings: pa.Table, columns: tuple[str, ...], most: int) -> list[tuple[Any, ...]]:
    """The places with most findings, then by name; findings that do not name the place add nothing."""
    table = findings.select(list(columns))
    for name in columns[1:]:
        table = table.filter(pc.is_valid(table[name]))
    counts = table.group_by(list(columns), use_threads=False).aggregate([([], "count_all")]).to_pylist()
    order = sorted(counts, key=lambda row: (-row["count_all"], *(str(row[name] or "") for name in columns)))
    return [tuple(row[name] for name in columns) for row in order[:most]]


def _tables_of(case: Case) -> dict[tuple[str | None, str], int]:
    names = case.rounds.names
    return {names.place(code): code for code in range(len(names.table.texts))}


# --- the day of a table


def _timelines(case: Case, findings: pa.Table) -> list[Json]:
    cutoff = case.settings.cutoff
    business = gaming_day(case.rounds.start, cutoff.hour * 60 + cutoff.minute)
    shift = MACAU_OFFSET - (cutoff.hour * 60 + cutoff.minute) * 60_000_000
    codes = _tables_of(case)
    found = []
    for casino, table_id in _most(findings, ("casino", "table_id"), TIMELINES):
        code = codes.get((casino, table_id))
        places = np.flatnonzero(case.scope & (case.rounds.table == (UNRECORDED if code is None else code)))
        if not len(places):
            continue
        moments = _moments(findings, casino, table_id)
        days = Counter(((moments + shift) // 86_400_000_000).tolist())
        present = set(business[places].tolist())
        chosen = min(present, key=lambda number: (-days[number], number))
        of_day = places[business[places] == chosen]
        inside = moments[((moments + shift) // 86_400_000_000) == chosen]
        found.append({"casino": casino, "table_id": table_id, **_timeline(case, of_day, inside, chosen)})
    return found


def _moments(findings: pa.Table, casino: str | None, table_id: str) -> Places:
    mask = pc.equal(findings["table_id"], table_id)
    house = pc.is_null(findings["casino"]) if casino is None else pc.equal(findings["casino"], casino)
    rows = findings.filter(pc.fill_null(pc.and_(mask, house), fill_value=False))["occurred_at"].drop_null()
    return np.sort(rows.cast(pa.int64()).to_numpy().astype(np.int64))


def _timeline(case: Case, places: Places, moments: Places, number: int) -> Json:
    rounds = case.rounds
    order = places[np.argsort(rounds.start[places], kind="stable")]
    start = rounds.start[order]
    end = np.where(rounds.end[order] == NEVER, start, np.maximum(rounds.end[order], start))
    till = np.maximum.accumulate(end)
    pauses = np.flatnonzero(start[1:] - till[:-1] >= PAUSE)
    voids = start[rounds.status[order] == STATUSES.index(Status.VOID)]
    shoes = _shoes(case, order, end)
    return {
        "day": day(number).isoformat(),
        "first": _said(int(start[0])),
        "last": _said(int(till[-1])),
        "rounds": len(order),
        "shoes": shoes[:LISTED],
        "pauses": [{"from": _said(int(till[i])), "to": _said(int(start[i + 1]))} for i in pauses[:LISTED]],
        "voids": [_said(int(moment)) for moment in voids[:LISTED]],
        "findings": [_said(int(moment)) for moment in moments[:LISTED]],
        "totals": {
            "shoes": sum(shoe["shoe_id"] is not None for shoe in shoes),
            "pauses": len(pauses),
            "voids": len(voids),
            "findings": len(moments),
        },
    }


def _shoes(case: Case, order: Places, end: Places) -> list[Json]:
    """The shoes of a table in the order of their first round, with how many rounds each had that day.

    The rounds of an automatic shuffler-dealer, which has no shoes, are one entry without a name.
    """
    rounds, found = case.rounds, []
    for code in dict.fromkeys(rounds.shoe[order].tolist()):
        mine = rounds.shoe[order] == code
        name = None if code == UNRECORDED else rounds.names.shoe_word[rounds.names.shoe[code][1]]
        first, last = int(rounds.start[order][mine].min()), int(end[mine].max())
        found.append({"shoe_id": name, "from": _said(first), "to": _said(last), "rounds": int(mine.sum())})
    return found


def _said(moment: int) -> str:
    """A moment in Macau time, to the second."""
    return instant(moment - moment % 1_000_000).isoformat()


# --- the results of a shoe


def _roads(case: Case, findings: pa.Table) -> list[Json]:
    rounds = case.rounds
    codes = _tables_of(case)
    words = {rounds.names.shoe[code]: code for code in range(len(rounds.names.shoe.texts))}
    shoes = {(table, rounds.names.shoe_word[word]): code for (table, word), code in words.items()}
    found = []
    for casino, table_id, shoe_id in _most(findings, ("casino", "table_id", "shoe_id"), ROADS):
        code = shoes.get((codes.get((casino, table_id), UNRECORDED), shoe_id))
        if code is None:
            continue
        places = np.flatnonzero(rounds.shoe == code)
        order = places[np.lexsort((rounds.start[places], rounds.round_no[places]))]
        shown = order[:ROUNDS]
        found.append(
            {
                "casino": casino,
                "table_id": table_id,
                "shoe_id": shoe_id,
                "rounds": len(order),
                "numbers": [int(n) for n in rounds.round_no[shown]],
                "results": "".join(_letter(case, int(i)) for i in shown),
                "states": "".join(_state(case, int(i)) for i in shown),
            }
        )
    return found


def _letter(case: Case, i: int) -> str:
    """P, B or T as the log recorded it (else as the cards say), `-` for a round that was not played or has neither."""
    rounds = case.rounds
    if rounds.status[i] != STATUSES.index(Status.SETTLED):
        return "-"
    recorded = int(rounds.outcome[i])
    if recorded != UNRECORDED:
        return LETTERS[OUTCOME_WORDS[recorded].value]
    known = case.found.complete[i] and case.covered[i]
    return LETTERS[OUTCOMES[case.found.outcome[i]].value] if known else "-"


def _state(case: Case, i: int) -> str:
    """`v` apparently non-compliant, `n` not evaluated, `c` conforming, `o` outside the days audited."""
    if not case.scope[i]:
        return "o"
    if case.violation[i]:
        return "v"
    return "n" if case.unanswered[i] else "c"
