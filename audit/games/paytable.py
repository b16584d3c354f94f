"""Bets outside the gazetted list, described by the house's own file: named conditions and odds.

55/2004 art. 13(4) to (6), added by 69/2009, let the director of DICJ authorise further bets; such authorisations are
not published, so their paytables are data that the house supplies (configuration key ``paytables``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from audit.games.settlement import Facts
    from audit.model import Text

CONDITIONS: Final = {
    "winner": ("player", "banker", "tie"),
    "player_points": tuple(range(10)),
    "banker_points": tuple(range(10)),
    "player_cards": (2, 3),
    "banker_cards": (2, 3),
    "cards": (4, 5, 6),
    "player_pair": (True, False),
    "banker_pair": (True, False),
    "either_pair": (True, False),
    "player_perfect_pair": (True, False),
    "banker_perfect_pair": (True, False),
}
"""Every condition a tier may name, with the values it may ask for."""


@dataclass(frozen=True, slots=True)
class Tier:
    """One line of a paytable: all the conditions of `when` hold, and the bet pays `pays` to one."""

    when: Mapping[str, object]
    pays: Fraction

    def holds(self, facts: Facts) -> bool | None:
        """Say whether the facts meet every condition; None where a suit that decides is missing."""
        answers = [_value(name, facts) for name in self.when]
        wanted = list(self.when.values())
        if any(answer is not None and answer != want for answer, want in zip(answers, wanted, strict=True)):
            return False
        return None if None in answers else True


@dataclass(frozen=True, slots=True)
class Paytable:
    """A bet's paytable: the first tier that holds pays; a bet that meets none loses."""

    bet: str
    title: Text
    tiers: tuple[Tier, ...]
    source: str
    digest: str = ""

    def odds(self, facts: Facts) -> Fraction | None:
        """Winnings for a stake of one, 0 for a losing bet, None where a missing suit decides."""
        for tier in self.tiers:
            holds = tier.holds(facts)
            if holds is None:
                return None
            if holds:
                return tier.pays
        return Fraction(0)


def _value(name: str, facts: Facts) -> object:
    plain: dict[str, object] = {
        "winner": facts.outcome.value,
        "player_points": facts.player_points,
        "banker_points": facts.banker_points,
        "player_cards": facts.player_cards,
        "banker_cards": facts.banker_cards,
        "cards": facts.player_cards + facts.banker_cards,
        "player_pair": facts.player_pair,
        "banker_pair": facts.banker_pair,
        "either_pair": facts.player_pair or facts.banker_pair,
        "player_perfect_pair": facts.player_perfect,
        "banker_perfect_pair": facts.banker_perfect,
    }
    return plain[name]
