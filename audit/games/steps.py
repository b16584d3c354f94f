"""What a walk through a hand consists of: points in, steps out, each naming the provision that demands it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from audit.base.model import Outcome, Side


class Act(StrEnum):
    """What a side does, or must do, after its first two cards."""

    DRAW = "draw"
    STAND = "stand"


@dataclass(frozen=True, slots=True)
class Points:
    """A hand of two or three cards a side, reduced to points: two-card totals and third cards (None = not drawn).

    >>> Points(player=5, banker=3, player_third=8, banker_third=None).outcome
    <Outcome.TIE: 'tie'>
    """

    player: int
    banker: int
    player_third: int | None = None
    banker_third: int | None = None

    @property
    def player_total(self) -> int:
        """The player's points at the end of the hand (art. 5: only the last digit counts)."""
        return (self.player + (self.player_third or 0)) % 10

    @property
    def banker_total(self) -> int:
        """The banker's points at the end of the hand."""
        return (self.banker + (self.banker_third or 0)) % 10

    @property
    def outcome(self) -> Outcome:
        """Who wins: the higher total; equal totals tie (55/2004 arts 11 and 12; 67/2007 arts 9(2) and 11)."""
        if self.player_total == self.banker_total:
            return Outcome.TIE
        return Outcome.PLAYER if self.player_total > self.banker_total else Outcome.BANKER

    def drew(self, side: Side) -> bool:
        """Say whether the side took a third card."""
        return (self.player_third if side is Side.PLAYER else self.banker_third) is not None


@dataclass(frozen=True, slots=True)
class Step:
    """One decision: which side, what the provision requires, what was done.

    `holds` is the side's two-card total; `faces` what the provision looks at on the other side (its total, or the
    points of its third card, None where that side stood); `rule` the provision's key among the drawing articles.
    `sentence` is the key of the words for it where these are not the rule's.
    """

    side: Side
    required: Act
    done: Act
    rule: str
    article: str
    holds: int
    faces: int | None
    sentence: str | None = None

    @property
    def departs(self) -> bool:
        """Say whether what was done is not what was required."""
        return self.required is not self.done


@dataclass(frozen=True, slots=True)
class Departure:
    """The first step of a hand that was not done as required."""

    code: str
    side: Side
    article: str


def departure_of(steps: Iterable[Step]) -> Departure | None:
    """The first departure among the steps of a walk, under its check's code, or None."""
    for step in steps:
        if step.departs:
            return Departure("DRW-001" if step.required is Act.DRAW else "DRW-002", step.side, step.article)
    return None
