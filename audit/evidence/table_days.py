"""What surrounds the findings, for the report's pictures: the day of a table, and the run of results of a shoe.

Both are drawn only for the tables and shoes with most findings, so that the evidence of a run stays small whatever the
size of its log. Nothing here is judged: the log's own times and results are set beside the verdicts of the audit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from audit.base.columns import NEVER, UNRECORDED
from audit.base.days import MACAU_OFFSET, day, gaming_day, instant
from audit.base.model import Status
from audit.checks.case import Case
from audit.replay.codes import OUTCOME_WORDS, STATUSES
from audit.replay.compile import OUTCOMES

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

if TYPE_CHECKING:
    from audit.findings.counts import FindingCounts

Json = dict[str, Any]
Places = npt.NDArray[np.int64]


Rank = tuple[Any, ...]
"""Most findings first, then by name."""


@dataclass
class Surroundings:
    """The days of the tables and the results of the shoes with most findings; a table is in one part of the input."""

    timelines: list[tuple[Rank, Json | None]] = field(default_factory=list)
    roads: list[tuple[Rank, Json | None]] = field(default_factory=list)

    @classmethod
    def of(cls, case: Case, counts: FindingCounts, known: Surroundings) -> Surroundings:
        """Those of one part of the input whose findings are all counted, if they can stand among those `known`."""
        tables: Counter[tuple[str | None, ...]] = Counter()
        for (casino, table_id, _), times in counts.places.items():
            tables[casino, table_id] += times
        shown = _most(tables, TIMELINES, known.timelines), _most(counts.shoes, ROADS, known.roads)
        return cls(_timelines(case, counts, shown[0]), _roads(case, shown[1]))

    def add(self, other: Surroundings) -> None:
        """Keep the places with most findings of both."""
        self.timelines = sorted([*self.timelines, *other.timelines], key=_rank)[:TIMELINES]
        self.roads = sorted([*self.roads, *other.roads], key=_rank)[:ROADS]

    def said(self) -> Json:
        """What is written, under `_timeline` and `_roads`."""
        return {
            "_roads": [road for _, road in self.roads if road is not None],
            "_timeline": [each for _, each in self.timelines if each is not None],
        }


def _rank(entry: tuple[Rank, Json | None]) -> Rank:
    return entry[0]


def _most(
    counts: Mapping[tuple[str | None, ...], int], most: int, known: list[tuple[Rank, Json | None]]
) -> list[tuple[Rank, tuple[str | None, ...]]]:
    """The places with most findings, then by name; findings that do not name the place add nothing.

    Places that stand behind the `most` that are `known` are left out.
    """
    ranked = [
        ((-times, *(name or "" for name in place)), place) for place, times in counts.items() if None not in place[1:]
    ]
    if len(known) == most:
        ranked = [entry for entry in ranked if entry[0] < known[-1][0]]
    return sorted(ranked, key=lambda entry: entry[0])[:most]


# --- the day of a table


def _timelines(
    case: Case, counts: FindingCounts, chosen: list[tuple[Rank, tuple[str | None, ...]]]
) -> list[tuple[Rank, Json | None]]:
    if not chosen:
        return []
    cutoff = case.settings.cutoff
    business = gaming_day(case.rounds.start, cutoff.hour * 60 + cutoff.minute)
    shift = MACAU_OFFSET - (cutoff.hour * 60 + cutoff.minute) * 60_000_000
    found: list[tuple[Rank, Json | None]] = []
    for rank, (casino, table_id) in chosen:
        code = case.rounds.names.table_at(casino, table_id)
        places = np.flatnonzero(case.scope & (case.rounds.table == code))
        if not len(places):
            found.append((rank, None))
            continue
        moments = counts.moments_of((casino, table_id))
        days = Counter(((moments + shift) // 86_400_000_000).tolist())
        present = set(business[places].tolist())
        day_shown = min(present, key=lambda number: (-days[number], number))
        of_day = places[business[places] == day_shown]
        inside = moments[((moments + shift) // 86_400_000_000) == day_shown]
        found.append((rank, {"casino": casino, "table_id": table_id, **_timeline(case, of_day, inside, day_shown)}))
    return found


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


def _roads(case: Case, chosen: list[tuple[Rank, tuple[str | None, ...]]]) -> list[tuple[Rank, Json | None]]:
    if not chosen:
        return []
    rounds, names = case.rounds, case.rounds.names
    found: list[tuple[Rank, Json | None]] = []
    for rank, (casino, table_id, shoe_id) in chosen:
        code = names.shoe.find((names.table_at(casino, table_id), names.shoe_word.find(shoe_id)))
        if code == UNRECORDED:
            found.append((rank, None))
            continue
        places = np.flatnonzero(rounds.shoe == code)
        order = places[np.lexsort((rounds.start[places], rounds.round_no[places]))]
        shown = order[:ROUNDS]
        road = {
            "casino": casino,
            "table_id": table_id,
            "shoe_id": shoe_id,
            "rounds": len(order),
            "numbers": [int(n) for n in rounds.round_no[shown]],
            "results": "".join(_letter(case, int(i)) for i in shown),
            "states": "".join(_state(case, int(i)) for i in shown),
        }
        found.append((rank, road))
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
