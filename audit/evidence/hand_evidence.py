"""Evidence of the rounds that findings name: cards, points and steps, for the report and the investigator."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from audit.base.columns import UNRECORDED
from audit.base.model import parse_hand
from audit.checks.case import Case
from audit.checks.draws import hand_facts
from audit.explanation.explain import points_of, steps_of
from audit.games import walk
from audit.replay.codes import NO_POINTS, OUTCOME_WORDS
from audit.replay.identity import RoundIndex

if TYPE_CHECKING:
    from audit.findings.counts import FindingCounts, SortKey

Json = dict[str, Any]


@dataclass
class Evidence:
    """The rounds behind the first `most` findings of each check on rounds and wagers, by check, in findings' order."""

    most: int
    kept: dict[str, list[tuple[SortKey, str, Json]]] = field(default_factory=dict)

    @classmethod
    def of(cls, case: Case, index: RoundIndex, counts: FindingCounts, known: Evidence) -> Evidence:
        """The evidence of one part; what cannot be among the first, given those already `known`, is left out."""
        found = cls(counts.most)
        for code, listed in counts.first.items():
            chosen = [(key, name) for key, name in listed if name is not None and known.wants(code, key)]
            index.rewind()
            places = index.locate(pa.array([name for _, name in chosen], pa.string()))
            found.kept[code] = [
                (key, name, of_round(case, int(at))) for (key, name), at in zip(chosen, places, strict=True) if at >= 0
            ]
        return found

    def wants(self, code: str, key: SortKey) -> bool:
        """Say whether a finding would be among the first of its check."""
        kept = self.kept.get(code, ())
        return len(kept) < self.most or key < kept[self.most - 1][0]

    def add(self, other: Evidence) -> None:
        """Take the evidence of another part."""
        for code, rounds in other.kept.items():
            both = [*self.kept.get(code, ()), *rounds]
            self.kept[code] = sorted(both, key=lambda entry: (entry[0], entry[1]))[: self.most]

    def by_round(self) -> Json:
        """The evidence by round id."""
        return {name: facts for rounds in self.kept.values() for _, name, facts in rounds}


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
    steps = steps_of(walk(points, rules, method), rules.game) if rules is not None and points is not None else []
    return {
        **facts,
        **recorded,
        "game": rounds.subject(i)["game"],
        "version": rules.version if rules else None,
        "outcome": points.outcome.value if points else None,
        "recorded_outcome": None if outcome == UNRECORDED else OUTCOME_WORDS[outcome].value,
        "draw_method": method.value if method and len(found.methods(i)) == 1 else None,
        "steps": steps,
    }


def _known(value: np.int64) -> int | None:
    return None if value == NO_POINTS else int(value)
