"""Bets outside the gazetted list, described by the house's own file: named conditions and odds.

55/2004 art. 13(4) to (6), added by 69/2009, let the director of DICJ authorise further bets; such authorisations are
not published, so their paytables are data that the house supplies (configuration key ``paytables``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from audit.rulebook.terms import Bets, OtherBets

if TYPE_CHECKING:
    from audit.base.model import Text
    from audit.games.hand_facts import HandFacts
    from audit.rulebook.rules import GameRules


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


_VALUES: Final[Mapping[str, Callable[[HandFacts], object]]] = {
    "winner": lambda facts: facts.outcome.value,
    "player_points": lambda facts: facts.player_points,
    "banker_points": lambda facts: facts.banker_points,
    "player_cards": lambda facts: facts.player_cards,
    "banker_cards": lambda facts: facts.banker_cards,
    "cards": lambda facts: facts.player_cards + facts.banker_cards,
    "player_pair": lambda facts: facts.player_pair,
    "banker_pair": lambda facts: facts.banker_pair,
    "either_pair": lambda facts: facts.player_pair or facts.banker_pair,
    "player_perfect_pair": lambda facts: facts.player_perfect,
    "banker_perfect_pair": lambda facts: facts.banker_perfect,
}
"""What a hand has of each condition; None where a suit that decides is missing."""


@dataclass(frozen=True, slots=True)
class Tier:
    """One line of a paytable: all the conditions of `when` hold, and the bet pays `pays` to one."""

    when: Mapping[str, object]
    pays: Fraction

    def holds(self, facts: HandFacts) -> bool | None:
        """Say whether the facts meet every condition; None where a suit that decides is missing."""
        if self.failing(facts):
            return False
        return None if any(_VALUES[name](facts) is None for name in self.when) else True

    def failing(self, facts: HandFacts) -> tuple[str, ...]:
        """The conditions that the facts do not meet, for certain."""
        return tuple(name for name, wanted in self.when.items() if _VALUES[name](facts) not in {None, wanted})


@dataclass(frozen=True, slots=True)
class Paytable:
    """A bet's paytable: the first tier that holds pays; a bet that meets none loses."""

    bet: str
    title: Text
    tiers: tuple[Tier, ...]
    source: str
    digest: str = ""
    note: Text | None = None

    def odds(self, facts: HandFacts) -> Fraction | None:
        """Winnings for a stake of one, 0 for a losing bet, None where a missing suit decides."""
        possible = set()
        for tier in self.tiers:
            holds = tier.holds(facts)
            if holds is not False:
                possible.add(tier.pays)
            if holds:
                break
        else:
            possible.add(Fraction(0))
        return possible.pop() if len(possible) == 1 else None

    def place(self, facts: HandFacts) -> int:
        """The number of the tier that pays, from 0, or the number of tiers where none does; the suits must be known."""
        return next((number for number, tier in enumerate(self.tiers) if tier.holds(facts)), len(self.tiers))


def judged_paytables(rules: GameRules, paytables: Mapping[str, Paytable]) -> Mapping[str, Paytable]:
    """The house's paytables that a version lets decide: not those of bets that an unread act may have gazetted.

    None decides where the version does not let the director authorise bets of the house (contract, judging rule 3).
    """
    clause = rules.known_terms(OtherBets)
    if clause is None or not clause.director_may_authorise:
        return {}
    unread = rules.terms(Bets).unread
    return {bet: paytable for bet, paytable in paytables.items() if bet not in unread}
