"""The words of the game and of the law that every other module uses.

Cards, sides and outcomes follow 55/2004 arts 5 to 13 (baccarat) and 67/2007 arts 5 to 12 (Makccarat); the sums of
money are whole numbers of ten-thousandths of the currency's unit, so that they are exact and fit an ``int64``.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Final, NewType
from zoneinfo import ZoneInfo

MACAU: Final = ZoneInfo("Asia/Macau")

MONEY_SCALE: Final = 4
"""Decimal places kept for money: an amount of 1.00 is held as 10_000."""

CENT: Final = 100
"""One cent in the internal unit of money."""

LANGUAGES: Final = ("zh", "pt", "en")


Game = NewType("Game", str)
"""The code of a game; which games there are says ``audit.base.known_games``."""


class Side(StrEnum):
    """The two sides that receive cards (art. 6 of both regulations)."""

    PLAYER = "player"
    BANKER = "banker"


class Outcome(StrEnum):
    """How a round ends."""

    PLAYER = "player"
    BANKER = "banker"
    TIE = "tie"


class Status(StrEnum):
    """What became of a round: settled, void (arts 4 and 10) or a demonstration (art. 2(2))."""

    SETTLED = "settled"
    VOID = "void"
    DEMONSTRATION = "demonstration"


class Dealing(StrEnum):
    """How the cards come: from a shoe or from an automatic shuffler-dealer (arts 2(3) and 7(2))."""

    SHOE = "shoe"
    AUTO_SHUFFLER = "auto_shuffler"


class DrawMethod(StrEnum):
    """The two drawing methods of 67/2007 art. 9(2)."""

    METHOD_1 = "method_1"
    METHOD_2 = "method_2"


class Scheme(StrEnum):
    """The commission schemes (55/2004 art. 18 as worded by 73/2005; 67/2007 art. 17)."""

    STANDARD = "standard"
    NONE = "none"


class Severity(StrEnum):
    """How grave a finding is; the order of definition is the order of gravity."""

    CRITICAL = "critical"
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    INFO = "info"

    @property
    def rank(self) -> int:
        """0 for the gravest, rising.

        >>> Severity.CRITICAL.rank < Severity.INFO.rank
        True
        """
        return list(Severity).index(self)

    def at_least(self, other: Severity) -> bool:
        """Say whether this severity is as grave as `other` or graver.

        >>> Severity.HIGH.at_least(Severity.MEDIUM), Severity.LOW.at_least(Severity.MEDIUM)
        (True, False)
        """
        return self.rank <= other.rank


@dataclass(frozen=True, slots=True)
class Text:
    """One sentence in the two official languages and English; there is no default for any of them."""

    zh: str
    pt: str
    en: str

    def __post_init__(self) -> None:
        for language in LANGUAGES:
            if not getattr(self, language).strip():
                message = f"a text has no {language} version"
                raise ValueError(message)

    def in_language(self, language: str) -> str:
        """The sentence in `zh`, `pt` or `en`."""
        return str(getattr(self, language))

    def format(self, **values: object) -> Text:
        """The same sentence in each language with its placeholders filled."""
        return Text(self.zh.format(**values), self.pt.format(**values), self.en.format(**values))


RANKS: Final = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
SUITS: Final = ("S", "H", "D", "C")


@dataclass(frozen=True, slots=True, order=True)
class Card:
    """One card: `rank` of `RANKS`, `suit` of `SUITS` or None where the log does not say."""

    rank: str
    suit: str | None = None

    @classmethod
    def parse(cls, text: str) -> Card:
        """Read the canonical short form: rank then suit, `T` for ten, the suit optional.

        >>> str(Card.parse("TS")), str(Card.parse("9h")), str(Card.parse("K"))
        ('10S', '9H', 'K')

        Raises ValueError for anything that is not a card.
        """
        body = text.upper()
        suit = body[-1] if len(body) > 1 and body[-1] in SUITS else None
        rank = body[:-1] if suit else body
        if rank == "T":
            rank = "10"
        if rank not in RANKS:
            message = f"{text!r} is not a card"
            raise ValueError(message)
        return cls(rank, suit)

    @property
    def points(self) -> int:
        """Points by art. 5 of both regulations: court cards and ten count zero, the others their face value.

        >>> [Card.parse(c).points for c in ("A", "9", "10", "Q")]
        [1, 9, 0, 0]
        """
        return (RANKS.index(self.rank) + 1) % 10 if RANKS.index(self.rank) < 10 else 0

    def __str__(self) -> str:
        return self.rank + (self.suit or "")


def parse_hand(text: str) -> tuple[Card, ...]:
    """Read the cards of one side, in the order dealt, with white space between.

    >>> [str(card) for card in parse_hand("9H KD 10S")]
    ['9H', 'KD', '10S']

    Raises ValueError naming the first word that is not a card.
    """
    return tuple(Card.parse(word) for word in text.split())


def total(cards: tuple[Card, ...]) -> int:
    """Points of a hand: the sum of its cards, of which only the last digit counts (art. 5 of both regulations).

    >>> total(parse_hand("9H KD 8S"))
    7
    """
    return sum(card.points for card in cards) % 10


def money_text(amount: int) -> str:
    """An amount of ten-thousandths as decimal text, with two places unless it needs more.

    >>> money_text(9_500_000), money_text(-50), money_text(12_345)
    ('950.00', '-0.005', '1.2345')
    """
    value = Decimal(amount).scaleb(-MONEY_SCALE)
    if amount % CENT == 0:
        return f"{value:.2f}"
    return f"{value:f}".rstrip("0")


def legal_day(instant: dt.datetime) -> dt.date:
    """The calendar day in Macau, which selects the law; `instant` must have a zone."""
    if instant.tzinfo is None:
        message = "an instant without a zone has no legal day"
        raise ValueError(message)
    return instant.astimezone(MACAU).date()
