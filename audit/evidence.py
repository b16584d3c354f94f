"""Evidence of the rounds that findings name: cards, points and steps, for the report and the investigator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from audit.checks.case import Case
from audit.checks.draws import hand_facts
from audit.explain import points_of, steps_of
from audit.games import walk
from audit.model import parse_hand
from audit.replay.identity import RoundIndex
from audit.replay.rounds import NO_POINTS, OUTCOME_WORDS, UNRECORDED

FAMILIES: Final = ("DRW", "RES", "PAY")


def gather(case: Case, findings: pa.Table, per_check: int) -> dict[str, Any]:
    """Evidence of the rounds behind the first `per_check` findings of each check on rounds and wagers, by id."""
    mask = pc.is_in(pc.utf8_slice_codeunits(findings["code"], 0, 3), value_set=pa.array(FAMILIES))
    chosen = findings.filter(mask).select(["code", "round_id"]).to_pylist()
    seen: Counter[str] = Counter()
    ids: list[str] = []
    for row in chosen:
        seen[row["code"]] += 1
        if seen[row["code"]] <= per_check and row["round_id"] is not None:
            ids.append(row["round_id"])
    wanted = sorted(set(ids))
    places = RoundIndex(case.rounds.ids).locate(pa.array(wanted, pa.string()))
    return {name: of_round(case, int(at)) for name, at in zip(wanted, places, strict=True) if at >= 0}


def of_round(case: Case, i: int) -> dict[str, Any]:
    """Cards, points, recorded result and the steps of one round."""
    rounds, found = case.rounds, case.found
    facts = hand_facts(case, i)
    recorded = {
        f"recorded_{side}_points": _known(getattr(rounds, f"{side}_points")[i]) for side in ("player", "banker")
    }
    outcome = int(rounds.outcome[i])
    method = found.methods(i)[0]
    rules = found.rules_of(i)
    points = points_of(parse_hand(facts["player_cards"] or ""), parse_hand(facts["banker_cards"] or ""))
    steps: Iterable[Any] = walk(points, rules, method) if rules is not None and points is not None else ()
    return {
        **facts,
        **recorded,
        "game": rounds.subject(i)["game"],
        "version": rules.version if rules else None,
        "outcome": points.outcome.value if points else None,
        "recorded_outcome": None if outcome == UNRECORDED else OUTCOME_WORDS[outcome].value,
        "draw_method": method.value if method and len(found.methods(i)) == 1 else None,
        "steps": steps_of(tuple(steps)),
    }


def _known(value: np.int64) -> int | None:
    return None if value == NO_POINTS else int(value)
