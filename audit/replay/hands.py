"""Hands as numbers: a column of hands becomes a column of codes, which tables turn into points and pairs."""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from audit.base.columns import text_bytes
from audit.base.model import RANKS, SUITS, Card

NO_THIRD: Final = 10
"""Stands for "no third card" where a third card's points are expected."""

NO_HAND: Final = -1
"""The code of an empty hand."""

_UNREADABLE: Final = -2

PAIR_NONE, PAIR_PLAIN, PAIR_PERFECT, PAIR_SUITLESS = range(4)
"""What the first two cards are: no pair, a pair of two suits, of one suit, or one whose suits are not known."""

SUITED: Final = len(RANKS) * len(SUITS)
"""Numbers below are cards with a suit, from here on ranks alone."""

NUMBERS: Final = SUITED + len(RANKS)
"""How many numbers of cards there are."""


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


_BASE: Final = NUMBERS + 1
LONGER: Final = _BASE**3
"""Hands of more than three cards have codes from here on; the code of a shorter one has the numbers of its cards, each
plus one, as digits to the base `_BASE`."""

_WORDS: Final = pa.array([card_name(number) for number in range(NUMBERS)], pa.string())

Table = npt.NDArray[np.int8]


@cache
def _short_hands() -> tuple[Table, Table]:
    """What the checks need to know of every hand of up to three cards, by code: see :meth:`HandBook.counts` ff."""
    digits = np.stack(np.unravel_index(np.arange(LONGER), (_BASE, _BASE, _BASE)))[::-1] - 1
    points = np.array([_card(card_name(number))[1] for number in range(NUMBERS)] + [0])[digits]
    pairs = np.array([[pair_of(a, b) for a in range(NUMBERS)] for b in range(NUMBERS)])
    two = (digits[0] >= 0) & (digits[1] >= 0)
    columns = (
        (digits >= 0).sum(axis=0),
        (points[0] + points[1]) % 10,
        np.where(digits[2] >= 0, points[2], NO_THIRD),
        points.sum(axis=0) % 10,
        np.where(two, pairs[digits[1], digits[0]], PAIR_NONE),
    )
    return np.stack(columns).astype(np.int8), digits.astype(np.int8)


_SPACE: Final = ord(" ")


def _numbers_of_pairs() -> npt.NDArray[np.int64]:
    """The number of a card by its rank's letter and, times 256, its suit's; _UNREADABLE where two bytes are none."""
    numbers = np.full(256 * 256, _UNREADABLE, np.int64)
    for number in range(SUITED):
        name = card_name(number)
        if len(name) == 2:
            numbers[ord(name[0]) + 256 * ord(name[1])] = number
    return numbers


_PAIRS_OF_BYTES: Final = _numbers_of_pairs()


def _codes_of_pairs(texts: pa.StringArray) -> npt.NDArray[np.int64]:
    """The codes of hands of two or three cards of two letters each, as most are; _UNREADABLE for all others."""
    codes = np.full(len(texts), _UNREADABLE, np.int64)
    data, offsets = text_bytes(texts)
    lengths, letters = np.diff(offsets), data.astype(np.int64)
    for cards in (2, 3):
        rows = np.flatnonzero(lengths == 3 * cards - 1)
        start = offsets.take(rows).astype(np.int64)
        found, fine = np.zeros(len(rows), np.int64), np.ones(len(rows), np.bool_)
        for place in range(cards):
            at = start + 3 * place
            number = _PAIRS_OF_BYTES.take(letters.take(at) + 256 * letters.take(at + 1))
            found += (number + 1) * _BASE**place
            fine &= number != _UNREADABLE
            if place:
                fine &= data.take(at - 1) == _SPACE
        codes[rows] = np.where(fine, found, _UNREADABLE)
    return codes


class HandBook:
    """Hands by code: what the checks need to know of each. A code is the cards themselves, so that none is looked up.

    Only hands of more than three cards, which no rule deals, are kept one by one. One thread may encode while another
    looks codes up.
    """

    def __init__(self) -> None:
        self._long: dict[str, int] = {}
        self._long_cards: list[tuple[int, ...]] = []
        self._known: list[tuple[pa.StringArray, npt.NDArray[np.int32]]] = []
        self._tables: tuple[Table, Table] | None = None

    def encode(self, column: pa.Array) -> npt.NDArray[np.int32]:
        """Codes of a dictionary-encoded column of canonical hand texts; NO_HAND where it is null.

        Raises ValueError for a hand with a word that is no card.
        """
        look_up = self._look_up(column.dictionary)
        places = column.indices.fill_null(len(look_up) - 1) if column.null_count else column.indices
        found = np.asarray(look_up.take(places.to_numpy(zero_copy_only=False)), np.int32)
        # A dictionary may still list the hands of rows that are in quarantine; no row may have one.
        if len(found) and found.min() == _UNREADABLE:
            wrong = column[int(np.argmin(found))].as_py()
            raise ValueError(f"a hand cannot be read: {wrong!r}")
        return found

    def _look_up(self, texts: pa.StringArray) -> npt.NDArray[np.int32]:
        """The codes of a dictionary's texts and, in the last place, NO_HAND; batches often share a dictionary."""
        for known, look_up in self._known:
            if known.equals(texts):
                return look_up
        look_up = np.append(self._codes(texts), NO_HAND).astype(np.int32)
        self._known = [*self._known[-1:], (texts, look_up)]
        return look_up

    def _codes(self, texts: pa.StringArray) -> npt.NDArray[np.int64]:
        codes = _codes_of_pairs(texts)
        rest = np.flatnonzero(codes == _UNREADABLE)
        if len(rest):
            codes[rest] = self._codes_of_words(texts.take(pa.array(rest)))
        return codes

    def _codes_of_words(self, texts: pa.StringArray) -> npt.NDArray[np.int64]:
        words = pc.split_pattern(texts.fill_null(""), " ")
        numbers = pc.index_in(words.flatten(), value_set=_WORDS).fill_null(_UNREADABLE)
        card = numbers.to_numpy(zero_copy_only=False).astype(np.int64)
        offsets = words.offsets.to_numpy().astype(np.int64)
        first, count = offsets[:-1] - offsets[0], np.diff(offsets)
        codes = np.zeros(len(texts), np.int64)
        plain = (count >= 1) & (count <= 3)
        for place in range(3):
            here = np.flatnonzero(plain & (count > place))
            mine = card[first[here] + place]
            codes[here] += (mine + 1) * _BASE**place
            plain[here[mine == _UNREADABLE]] = False
        for row in np.flatnonzero(~plain):
            codes[row] = self._code(texts[int(row)].as_py())
        return codes

    def _code(self, text: str | None) -> int:
        """The code of one hand, in any spelling of its cards; one of more than three cards gets a number of its own."""
        if not text:
            return NO_HAND
        try:
            numbers = tuple(_card(word)[0] for word in text.split())
        except ValueError:
            return _UNREADABLE
        if len(numbers) <= 3:
            return sum((number + 1) * _BASE**place for place, number in enumerate(numbers))
        if text not in self._long:
            self._long_cards.append(numbers)
            self._long[text] = LONGER + len(self._long)
        return self._long[text]

    def _column(self, place: int) -> Table:
        column: Table = self._rows()[0][place]
        return column

    def _rows(self) -> tuple[Table, Table]:
        long = self._long_cards[:]
        if self._tables is None or len(self._tables[0][0]) != LONGER + len(long) + 1:
            facts, firsts = _short_hands()
            more = [self._facts(cards) for cards in long]
            last = np.array([*more, (0, 0, NO_THIRD, 0, PAIR_NONE)], np.int8).T
            cards = np.array([*(cards[:3] for cards in long), (-1, -1, -1)], np.int8).T
            self._tables = np.concatenate([facts, last], axis=1), np.concatenate([firsts, cards], axis=1)
        return self._tables

    @staticmethod
    def _facts(cards: tuple[int, ...]) -> tuple[int, int, int, int, int]:
        points = [_card(card_name(number))[1] for number in cards]
        return min(len(cards), 100), sum(points[:2]) % 10, points[2], sum(points) % 10, pair_of(cards[0], cards[1])

    @property
    def counts(self) -> Table:
        """Number of cards by code (the last place, reached by NO_HAND, is the empty hand)."""
        return self._column(0)

    @property
    def two_card_points(self) -> Table:
        """Points of the first two cards by code."""
        return self._column(1)

    @property
    def thirds(self) -> Table:
        """Points of the third card by code, NO_THIRD where there is none."""
        return self._column(2)

    @property
    def totals(self) -> Table:
        """Points of all cards by code."""
        return self._column(3)

    @property
    def pairs(self) -> Table:
        """Pair kind of the first two cards by code."""
        return self._column(4)

    @property
    def first_three(self) -> Table:
        """Numbers of the first three cards by code, shape (3, codes), -1 where there is none."""
        return self._rows()[1]

    def all_cards(self, code: int) -> tuple[int, ...]:
        """Numbers of every card of one hand."""
        if code >= LONGER:
            return self._long_cards[code - LONGER]
        digits = [] if code == NO_HAND else [code // _BASE**place % _BASE for place in range(3)]
        return tuple(digit - 1 for digit in digits if digit)

    def text(self, code: int) -> str:
        """The canonical text of a hand, empty where there is none."""
        return " ".join(card_name(number) for number in self.all_cards(code))
