"""What the provisions on bets, odds and commission state, as typed rules."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import ClassVar

from audit.base.model import DrawMethod, Side
from audit.rulebook.provision_terms import ItemisedTerms, Terms, stated


@dataclass(frozen=True, slots=True, kw_only=True)
class Bets(Terms):
    """The gazetted list of bets, and those that an unread act may have put on it."""

    key: ClassVar[str] = "bets"
    gazetted: tuple[str, ...]
    unread: tuple[str, ...] = ()


class PairOf(StrEnum):
    """What two cards must have in common to be a pair; another criterion would be another procedure."""

    RANK = "rank"


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRules(Terms):
    """What a pair is."""

    key: ClassVar[str] = "bets.pair"
    same: PairOf


@dataclass(frozen=True, slots=True, kw_only=True)
class LuckySix(Terms):
    """The bet that a side wins, and with so many points."""

    key: ClassVar[str] = "bets.lucky_six"
    winner: Side
    points: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherBets(Terms):
    """Whether bets outside the gazetted list can be authorised."""

    key: ClassVar[str] = "bets.other"
    director_may_authorise: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SideOdds(ItemisedTerms):
    """The odds of a bet on a side, to one."""

    key: ClassVar[str] = "odds.player_banker"
    player: int
    banker: int

    def of(self, side: Side) -> int:
        """The odds of a side."""
        return self.player if side is Side.PLAYER else self.banker


@dataclass(frozen=True, slots=True, kw_only=True)
class TieOdds(ItemisedTerms):
    """The odds of a bet on the tie, to one; by the method of drawing where the game has a choice of them."""

    key: ClassVar[str] = "odds.tie"
    tie: int | None = None
    method_1: int | None = None
    method_2: int | None = None

    def of(self, method: DrawMethod | None) -> int:
        """The odds under a method of drawing, None where the game leaves no choice.

        Raises TextUnknown where the text states none.
        """
        by_method = {None: self.tie, DrawMethod.METHOD_1: self.method_1, DrawMethod.METHOD_2: self.method_2}
        return stated(by_method[method], f"the odds of a tie, {method or 'whatever the method'}")


@dataclass(frozen=True, slots=True, kw_only=True)
class PairOdds(ItemisedTerms):
    """The odds of a bet on a side's pair, to one."""

    key: ClassVar[str] = "odds.pairs"
    player_pair: int
    banker_pair: int

    def of(self, side: Side) -> int:
        """The odds of a side's pair."""
        return self.player_pair if side is Side.PLAYER else self.banker_pair


@dataclass(frozen=True, slots=True, kw_only=True)
class LuckySixOdds(Terms):
    """The odds of Lucky Six, to one, by the winner's number of cards."""

    key: ClassVar[str] = "odds.lucky_six"
    two_cards: int
    three_cards: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AdditionalPrizes(Terms):
    """Whether prizes beyond those of the article can be authorised."""

    key: ClassVar[str] = "odds.additional_prizes"
    director_may_authorise: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StandardCommission(Terms):
    """The share of the winnings that the house keeps when one of `sides` wins with one of `points`."""

    key: ClassVar[str] = "commission.standard"
    rate: Fraction
    sides: frozenset[Side]
    points: frozenset[int]

    def reaches(self, side: Side, points: int) -> bool:
        """Say whether commission is due when the side wins with so many points."""
        return side in self.sides and points in self.points


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadPush:
    """A win that an unread act may have made neither won nor lost: the banker's, by points and number of cards."""

    points: int
    cards: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NoCommission(Terms):
    """The scheme without commission: `pays` to one where one of `sides` wins with one of `half_points`.

    `as_commission` is the share of the stake that a log may then record as commission, where the text speaks of the
    house's part of the winnings.
    """

    key: ClassVar[str] = "commission.none"
    half_points: frozenset[int]
    sides: frozenset[Side]
    pays: Fraction
    as_commission: Fraction | None = None
    unread_push: UnreadPush | None = None

    def reaches(self, side: Side, points: int) -> bool:
        """Say whether the reduced payment is due when the side wins with so many points."""
        return side in self.sides and points in self.half_points
