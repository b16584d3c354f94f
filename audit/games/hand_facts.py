"""What settlement looks at of a hand: how the cards lie, never what was recorded of them."""

from __future__ import annotations

from dataclasses import dataclass

from audit.base.model import Outcome, Side


@dataclass(frozen=True, slots=True)
class HandFacts:
    """What settlement looks at: final points, number of cards and pairs of each side.

    `player_perfect` and `banker_perfect` (a pair of one suit) are None where the log has no suits.
    """

    player_points: int
    banker_points: int
    player_cards: int
    banker_cards: int
    player_pair: bool
    banker_pair: bool
    player_perfect: bool | None = False
    banker_perfect: bool | None = False

    @property
    def outcome(self) -> Outcome:
        """The higher total wins; equal totals tie."""
        if self.player_points == self.banker_points:
            return Outcome.TIE
        return Outcome.PLAYER if self.player_points > self.banker_points else Outcome.BANKER

    def points(self, side: Side) -> int:
        """Final points of a side."""
        return self.player_points if side is Side.PLAYER else self.banker_points

    def cards(self, side: Side) -> int:
        """Number of cards of a side."""
        return self.player_cards if side is Side.PLAYER else self.banker_cards
