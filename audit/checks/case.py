"""What all checks share: the rounds under audit, what the replay says of them, and where answers go."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from audit.base.model import Status
from audit.findings.table import Row, Sink
from audit.register.register import Register
from audit.replay.codes import STATUSES
from audit.replay.judging import NO_RULES, ReplayedRounds
from audit.replay.rounds import Rounds
from audit.rulebook import Rulebook
from audit.rulebook.rules import Citation

if TYPE_CHECKING:
    from audit.config.settings import Settings

Mask = npt.NDArray[np.bool_]


@dataclass
class Tally:
    """How often a check could not answer, by code and reason (a key of the catalogue's reasons)."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, code: str, reason: str, times: int = 1) -> None:
        """Count `times` questions that `code` could not answer because of `reason`."""
        if times:
            self.counts[code, reason] += times

    def rows(self) -> list[dict[str, Any]]:
        """The counts as the manifest prints them."""
        return [{"code": c, "reason": r, "count": n} for (c, r), n in sorted(self.counts.items())]


@dataclass
class Case:
    """One part of the input under audit.

    `scope` marks the rounds of the days asked for; `violation` and `unanswered` (one flag a round) become the verdict:
    in violation, else not evaluated, else conforming (contract, judging rule 14). `covered` marks the rounds whose
    legal day has a version whose text is known.
    """

    rounds: Rounds
    found: ReplayedRounds
    rulebook: Rulebook
    register: Register | None
    settings: Settings
    sink: Sink
    tally: Tally
    scope: Mask
    violation: Mask = field(init=False)
    unanswered: Mask = field(init=False)
    covered: Mask = field(init=False)
    drawing_at: dict[int, list[tuple[str, Row]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.violation = np.zeros(len(self.rounds), np.bool_)
        self.unanswered = np.zeros(len(self.rounds), np.bool_)
        self.covered = self.found.rules != NO_RULES

    @property
    def settled(self) -> Mask:
        """Settled rounds in scope."""
        mask: Mask = self.scope & (self.rounds.status == STATUSES.index(Status.SETTLED))
        return mask

    def cite(self, i: int, key: str) -> dict[str, str]:
        """The citation columns of a provision of the version that governs round `i`."""
        rules = self.found.rules_of(i)
        return cited(rules.cite(key)) if rules is not None else {}

    def cite_step(self, i: int, article: str) -> dict[str, str]:
        """The citation columns of a drawing step of round `i`, whose article the replay gives."""
        rules = self.found.rules_of(i)
        return cited(Citation(rules.instrument, article)) if rules is not None else {}

    def accuse(self, code: str, i: int, **columns: Any) -> None:
        """Add a finding about round `i` that puts the round in violation."""
        self.violation[i] = True
        self.sink.add(code, self.rounds.subject(i) | columns)

    def note(self, code: str, i: int, **columns: Any) -> None:
        """Add a finding about round `i` that leaves its verdict alone."""
        self.sink.add(code, self.rounds.subject(i) | columns)

    def leave_open(self, code: str, reason: str, mask: Mask) -> None:
        """Count the rounds of `mask` as not evaluated by `code`."""
        times = int(np.count_nonzero(mask))
        if times:
            self.tally.add(code, reason, times)
            self.unanswered |= mask


def cited(citation: Citation) -> dict[str, str]:
    """A citation as columns of a finding."""
    return {"instrument": citation.instrument, "article": citation.article}
