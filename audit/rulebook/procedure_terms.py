"""What the provisions on equipment, dealing, drawing and authorisation state, as typed rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Final

from audit.base.model import DrawMethod
from audit.rulebook.provision_terms import ItemisedTerms, Terms, stated, told

TWO_CARDS: Final = 2
"""The cards that every hand begins with (art. 7 of both regulations)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeckRules(Terms):
    """How many decks a shoe may hold."""

    key: ClassVar[str] = "equipment.decks"
    min: int
    max: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRules(Terms):
    """What a gaming table is."""

    key: ClassVar[str] = "equipment.table"
    seats_min: int = told("no log says how many seats a table has")
    layouts: tuple[int, ...] = told("no log says how many layouts a table has")


@dataclass(frozen=True, slots=True, kw_only=True)
class CutCardRules(Terms):
    """How far from the end the cut card goes: `about` so many cards, and never fewer than `floor` in any reading."""

    key: ClassVar[str] = "opening.cut_card"
    about: int = told("about so many is no number to judge by; the floor is, and the finding shows both")
    floor: int


class BurnFormula(StrEnum):
    """What the number of cards burnt before the first deal follows from."""

    DECKS = "decks"
    FIRST_CARD = "first_card"
    FIXED = "fixed"


@dataclass(frozen=True, slots=True, kw_only=True)
class BurnRules(Terms):
    """How many cards are burnt before the first deal.

    `court_card_counts` are the numbers that a ten or court card may stand for, `first_card_itself` what the first card
    may add by itself being counted.
    """

    key: ClassVar[str] = "opening.burn"
    formulas: tuple[BurnFormula, ...]
    court_card_counts: frozenset[int]
    first_card_itself: frozenset[int]
    fixed_min: int | None = None
    fixed_max: int | None = None

    def __post_init__(self) -> None:
        fixed = BurnFormula.FIXED in self.formulas
        if fixed != (self.fixed_min is not None) or fixed != (self.fixed_max is not None):
            message = "'fixed_min' and 'fixed_max' belong to the formula 'fixed'"
            raise ValueError(message)

    @property
    def fixed(self) -> frozenset[int]:
        """The numbers that a house may fix beforehand; none where the law does not let it."""
        if self.fixed_min is None or self.fixed_max is None:
            return frozenset()
        return frozenset(range(self.fixed_min, self.fixed_max + 1))

    def by_first_card(self, points: int) -> frozenset[int]:
        """The numbers of cards that a first card with so many points lets the croupier burn, itself included."""
        faces = {points} if points else self.court_card_counts
        return frozenset(face + itself for face in faces for itself in self.first_card_itself)


@dataclass(frozen=True, slots=True, kw_only=True)
class DemonstrationRules(Terms):
    """How many hands the house may play for show."""

    key: ClassVar[str] = "opening.demonstration"
    max_per_shoe: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LastRound(Terms):
    """How many rounds may follow the one in which the cut card came out: the least by the rule itself."""

    key: ClassVar[str] = "last_round"
    rounds_after_cut_card: frozenset[int]

    def __post_init__(self) -> None:
        if not self.rounds_after_cut_card:
            message = "'rounds_after_cut_card' is empty"
            raise ValueError(message)


@dataclass(frozen=True, slots=True, kw_only=True)
class DealRules(Terms):
    """The order in which the first two cards of each side are dealt (``PBPB``)."""

    key: ClassVar[str] = "deal"
    order: str

    def __post_init__(self) -> None:
        if sorted(self.order) != sorted("PB" * TWO_CARDS):
            message = "'order' has two P and two B"
            raise ValueError(message)


class AfterEqual(StrEnum):
    """What follows where the side that drew first comes to equal the other."""

    DRAW = "draw"
    TIE = "tie"


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodRules:
    """What one method of drawing says of its own."""

    equal_after_first_draw: AfterEqual


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawRules(ItemisedTerms):
    """The numbers of the drawing article; their order is the game's procedure.

    What a game's procedure does not ask for may be absent; :func:`stated` gives what it does ask for.
    """

    key: ClassVar[str] = "draw"
    articles: Mapping[str, str]
    max_extra_cards: int
    natural: frozenset[int]
    player_draws_on: frozenset[int] | None = None
    banker_draws_on_third: Mapping[int, frozenset[int]] | None = None
    banker_draws_if_player_stood: frozenset[int] | None = None
    methods: Mapping[DrawMethod, MethodRules] | None = None

    def __post_init__(self) -> None:
        if self.max_extra_cards > 1:
            message = "'max_extra_cards' is 1 at most; a hand of four cards would be another procedure"
            raise ValueError(message)

    @property
    def most_cards(self) -> int:
        """The greatest number of cards of a side."""
        return TWO_CARDS + self.max_extra_cards

    def step(self, rule: str, method: DrawMethod | None = None) -> str:
        """The article of a drawing rule.

        Raises TextUnknown where the data has none for it.
        """
        return stated(self.article(rule, method), f"the article of {rule!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class TieRules(Terms):
    """What may become of the bets on the sides after a tie."""

    key: ClassVar[str] = "tie_option"
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeRules(Terms):
    """Which articles' options need prior authorisation, and how many working days before it is applied for."""

    key: ClassVar[str] = "authorisation"
    articles: frozenset[int]
    notice_working_days: int
