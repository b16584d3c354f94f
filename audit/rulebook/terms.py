"""What each provision states, as typed rules: everything that judges takes these, and none of it knows the data's keys.

A class stands for one provision; its fields are the parameters of the data, under the same names, and the form of a
parameter is the field's type (:mod:`audit.rulebook.schema` reads them). A field with a default may be absent. A field
made by :func:`told` decides nothing: it is shown, and says why no log can be judged by it. Each other field decides
something, which ``tests/rulebook/test_parameters.py`` proves one by one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from types import MappingProxyType
from typing import Any, ClassVar, Final, TypeVar

from audit.base.model import DrawMethod, Side
from audit.rulebook.unknown import TextUnknown

T = TypeVar("T")

TWO_CARDS: Final = 2
"""The cards that every hand begins with (art. 7 of both regulations)."""


def stated(value: T | None, what: str) -> T:
    """A value that the text states; TextUnknown naming it where it does not."""
    if value is None:
        message = f"the text that would state {what} is unknown"
        raise TextUnknown(message)
    return value


def told(reason: str) -> Any:
    """A parameter that is only informative, with the reason why."""
    return field(metadata={"told": reason})


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What one provision states; `key` is the provision's."""

    key: ClassVar[str]

    def article(self, item: str | None = None, method: DrawMethod | None = None) -> str | None:
        """The article of an item of the provision, or of a method; None where the provision's own is meant."""
        del item, method
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemisedTerms(Terms):
    """What a provision states that has an article for each of its items, or for each method."""

    articles: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def article(self, item: str | None = None, method: DrawMethod | None = None) -> str | None:
        """The article of an item, the method filled in where the data leaves it open; else that of the method."""
        if item is not None and item in self.articles:
            return self.articles[item].format(method=method.value if method else "")
        return self.articles.get(method.value) if method else None


@dataclass(frozen=True, slots=True, kw_only=True)
class WordsOnly(Terms):
    """A provision without parameters: what it says stands in its words, or in the procedure that it describes."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeRules(Terms):
    """Which articles' options need prior authorisation, and how many working days before it is applied for."""

    key: ClassVar[str] = "authorisation"
    articles: frozenset[int]
    notice_working_days: int


TYPED: Final[tuple[type[Terms], ...]] = (
    DeckRules,
    TableRules,
    CutCardRules,
    BurnRules,
    DemonstrationRules,
    LastRound,
    DealRules,
    DrawRules,
    TieRules,
    Bets,
    PairRules,
    LuckySix,
    OtherBets,
    SideOdds,
    TieOdds,
    PairOdds,
    LuckySixOdds,
    AdditionalPrizes,
    StandardCommission,
    NoCommission,
    NoticeRules,
)
"""Every class of terms that states something."""

_WORDS_ONLY: Final = (
    "opening.auto_shuffler",
    "card_change",
    "shoe_change",
    "exposed_card",
    "points",
    "sides",
    "deal.auto_shuffler",
    "burn_between",
    "misdeal",
    "winner",
    "bets.jackpot",
    "bets.dragon_seven",
    "bets.other_application",
    "bets.other_conditions",
    "unequal_stakes",
    "standing_bets",
    "card_holding",
    "odds.jackpot",
)

FORMS: Final[Mapping[str, type[Terms]]] = MappingProxyType(
    {form.key: form for form in TYPED} | dict.fromkeys(_WORDS_ONLY, WordsOnly)
)
"""For each provision that the engine knows the class of its terms."""
