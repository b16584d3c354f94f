"""What a wager is due before rounding, and the bets that are settled by a condition alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import TypeAlias

from audit.games.hand_facts import HandFacts
from audit.rulebook.rules import Citation, GameRules


class WagerEnd(StrEnum):
    """How a wager ends."""

    WIN = "win"
    LOSE = "lose"
    PUSH = "push"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Due:
    """What a wager is due, before rounding.

    `odds` are the gross winnings for a stake of one; `commission` is the share of them that the house keeps; `half`
    marks the half payment of the scheme without commission, `half_as_commission` is the share of the stake that a log
    may then record as commission. `reason` (a key of the catalogue's reasons) stands where the answer is not known;
    `unread_push` where a pushed wager (payout 0) could follow the unread 2/2009.
    """

    kind: WagerEnd
    citation: Citation
    odds: Fraction = Fraction(0)
    commission: Fraction = Fraction(0)
    half: bool = False
    half_as_commission: Fraction = Fraction(0)
    unread_push: bool = False
    reason: str | None = None


BetRule: TypeAlias = Callable[[HandFacts, GameRules], Due]
"""How a game settles a bet that others do not have."""


def flat(citation: Citation, odds: int, *, won: bool) -> Due:
    """What a bet is due that wins at one sort of odds, or loses."""
    return Due(WagerEnd.WIN, citation, odds=Fraction(odds)) if won else Due(WagerEnd.LOSE, citation)
