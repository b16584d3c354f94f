"""Hands as numbers: each distinct hand text is decoded once, and a column of hands becomes a column of codes."""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from audit.model import RANKS, SUITS, Card

NO_THIRD: Final = 10
"""Stands for "no third card" where a third card's points are expected."""

NO_HAND: Final = -1
"""The code of an empty hand."""

_UNREADABLE: Final = -2

PAIR_NONE, PAIR_PLAIN, PAIR_PERFECT, PAIR_SUITLESS = range(4)
"""What the first two cards are: no pair, a pair of two suits, of one suit, or one whose suits are not known."""

SUITED: Final = len(RANKS) * len(SUITS)
"""Numbers below are cards with a suit, from here on ranks alone."""


def card_number(card: Card) -> int:
    """0 to 51 for a card with a suit (rank by rank), 52 to 64 for a rank alone."""
    rank = RANKS.index(card.rank)
    return SUITED + rank if card.suit is None else rank * len(SUITS) + SUITS.index(card.suit)


def card_name(number: int) -> str:
    """The card, or the rank, behind a number of :func:`card_number`.

    >>> card_name(card_number(Card.parse("9H"))), card_name(card_number(Card.parse("10")))
    ('9H', '10')
    """
    return RANKS[number - SUITED] if number >= SUITED else RANKS[number // 4] + SUITS[number % 4]


@cache
def _card(word: str) -> tuple[int, int]:
    """Number and points of one card of a hand."""
    card = Card.parse(word)
    return card_number(card), card.points


def pair_of(first: int, second: int) -> int:
    """What two cards are, by their numbers: a pair is two of one *rank* (55/2004 art. 13; 67/2007 art. 12(4))."""
    ranks = [number - SUITED if number >= SUITED else number // len(SUITS) for number in (first, second)]
    if ranks[0] != ranks[1]:
        return PAIR_NONE
    if first >= SUITED or second >= SUITED:
        return PAIR_SUITLESS
    return PAIR_PERFECT if first == second else PAIR_PLAIN


class HandBook:
    """Every distinct hand seen, with what the checks need to know of it, indexed by its code."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}
        self.texts: list[str] = []
        self._rows: list[tuple[int, int, int, int, int]] = []
        self._cards: list[tuple[int, ...]] = []
        self._frozen: tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]] | None = None

    def __len__(self) -> int:
        return len(self.texts)

    def encode(self, column: pa.Array) -> npt.NDArray[np.int32]:
        """Codes of a dictionary-encoded column of canonical hand texts; NO_HAND where it is null."""
        known = self._codes
        values = column.dictionary.to_pylist()
        codes = [known.get(text, NO_HAND) if text is not None else NO_HAND for text in values]
        for place, (text, code) in enumerate(zip(values, codes, strict=True)):
            if code == NO_HAND and text:
                codes[place] = self._add_if_readable(text)
        look_up = np.array([*codes, NO_HAND], np.int32)
        indices = column.indices.fill_null(len(values)).to_numpy(zero_copy_only=False)
        found = np.asarray(look_up[indices], np.int32)
        if (found == _UNREADABLE).any():
            raise ValueError(f"a hand cannot be read: {values[indices[np.argmax(found == _UNREADABLE)]]!r}")
        return found

    def _add_if_readable(self, text: str) -> int:
        """The code of a hand new to the book; a dictionary may still list the hands of rows now in quarantine."""
        try:
            return self._add(text)
        except ValueError:
            return _UNREADABLE

    def _add(self, text: str) -> int:
        if text in self._codes:
            return self._codes[text]
        cards = [_card(word) for word in text.split()]
        points = [card[1] for card in cards]
        numbers = tuple(card[0] for card in cards)
        third = points[2] if len(cards) > 2 else NO_THIRD
        pair = pair_of(numbers[0], numbers[1]) if len(cards) > 1 else PAIR_NONE
        code = self._codes[text] = len(self.texts)
        self.texts.append(text)
        self._rows.append((min(len(cards), 100), sum(points[:2]) % 10, third, sum(points) % 10, pair))
        self._cards.append(numbers)
        self._frozen = None
        return code

    def _tables(self) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
        if self._frozen is None:
            rows = np.array([*self._rows, (0, 0, NO_THIRD, 0, 0)], np.int8)
            firsts = np.full((len(self._cards) + 1, 3), -1, np.int8)
            for place, cards in enumerate(self._cards):
                firsts[place, : min(len(cards), 3)] = cards[:3]
            self._frozen = rows, firsts
        return self._frozen

    @property
    def counts(self) -> npt.NDArray[np.int8]:
        """Number of cards by code (the last place, reached by NO_HAND, is the empty hand)."""
        return self._tables()[0][:, 0]

    @property
    def two_card_points(self) -> npt.NDArray[np.int8]:
        """Points of the first two cards by code."""
        return self._tables()[0][:, 1]

    @property
    def thirds(self) -> npt.NDArray[np.int8]:
        """Points of the third card by code, NO_THIRD where there is none."""
        return self._tables()[0][:, 2]

    @property
    def totals(self) -> npt.NDArray[np.int8]:
        """Points of all cards by code."""
        return self._tables()[0][:, 3]

    @property
    def pairs(self) -> npt.NDArray[np.int8]:
        """Pair kind of the first two cards by code."""
        return self._tables()[0][:, 4]

    @property
    def first_three(self) -> npt.NDArray[np.int8]:
        """Numbers of the first three cards by code, shape (hands + 1, 3), -1 where there is none."""
        return self._tables()[1]

    def all_cards(self, code: int) -> tuple[int, ...]:
        """Numbers of every card of one hand."""
        return self._cards[code] if code != NO_HAND else ()
