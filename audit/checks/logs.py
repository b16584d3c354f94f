"""LOG: is the log itself in order (contract, judging rules 12 and 13)."""

from __future__ import annotations

import numpy as np

from audit.base.columns import NEVER
from audit.base.days import instant
from audit.checks.case import Case
from audit.replay.order import order_of


def check_overlaps(case: Case) -> None:
    """LOG-003: a round starts before the previous one at its table ended."""
    rounds = case.rounds
    if len(rounds) < 2:
        return
    order = order_of(rounds.table, rounds.start, rounds.round_no)
    before, after = order[:-1], order[1:]
    overlapping = (rounds.table[before] == rounds.table[after]) & (rounds.end[before] != NEVER)
    overlapping &= (rounds.start[after] < rounds.end[before]) & case.scope[after]
    for place in np.flatnonzero(overlapping):
        earlier, later = int(before[place]), int(after[place])
        case.note(
            "LOG-003",
            later,
            expected=f">= {instant(int(rounds.end[earlier])).isoformat()}",
            observed=instant(int(rounds.start[later])).isoformat(),
            first_round_id=rounds.ids[earlier].as_py(),
            last_round_id=rounds.ids[later].as_py(),
        )
