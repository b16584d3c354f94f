"""Card notations of vendors, and hands made of them: one column a card, one a side, or one for both sides.

A token (the text of one card) is decoded once for each distinct token. A token that a notation does not know stays as
it is, so that the row is rejected with the word that is no card; "no card" is only what the profile says it is, since
0 is an ace in one notation and nothing in the next.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from audit.base.model import RANKS, SUITS

Decoder = Callable[[str, str], "str | None"]

_SUIT_OF: Final = {**{suit: suit for suit in SUITS}, "♠": "S", "♥": "H", "♦": "D", "♣": "C"}
_SUIT_RANK: Final = re.compile(r"([SHDC♠♥♦♣])[._-]?(10|[AJQKT]|0?[1-9]|1[1-3])")
_RANK_SUIT: Final = re.compile(r"(10|[AJQKT2-9])[._-]?([SHDC♠♥♦♣]?)")
_ONE_CARD: Final = "[SHDCshdc♠♥♦♣][._-]?(?:1[0-3]|0?[1-9]|[AJQKTajqkt])"
_PER_SUIT: Final = len(RANKS)
_LONGEST_NUMBER: Final = 4
_RANK_WORDS: Final = {"ACE": "A", "JACK": "J", "QUEEN": "Q", "KING": "K", "TEN": "10", "14": "A"}
_SUIT_WORDS: Final = {
    "SPADE": "S",
    "HEART": "H",
    "DIAMOND": "D",
    "CLUB": "C",
    "黑桃": "S",
    "紅心": "H",
    "红心": "H",
    "紅桃": "H",
    "红桃": "H",
    "方塊": "D",
    "方块": "D",
    "梅花": "C",
    "ESPADA": "S",
    "COPA": "H",
    "OURO": "D",
    "PAU": "C",
}

PAIRED: Final = "|"
"""Stands between rank and suit where they come from two columns."""

LISTED: Final = "\x1f"
"""Stands between the cards of a list when it becomes one text."""
_SLOTS: Final = 3


def _rank(text: str) -> str:
    """Rank by its letter or by its number from 1 (ace) to 13 (king)."""
    if text.isdigit():
        return RANKS[int(text) - 1]
    return "10" if text == "T" else text


def _rank_suit(token: str, _: str) -> str | None:
    match = _RANK_SUIT.fullmatch(token.upper())
    return match and _rank(match[1]) + _SUIT_OF.get(match[2], "")


def _suit_rank(token: str, _: str) -> str | None:
    match = _SUIT_RANK.fullmatch(token.upper())
    return match and _rank(match[2]) + _SUIT_OF[match[1]]


def _numbered(first: int) -> Decoder:
    def decode(token: str, suits: str) -> str | None:
        number = int(token) - first if token.isascii() and token.isdigit() else -1
        if not 0 <= number < _PER_SUIT * len(suits):
            return None
        return RANKS[number % _PER_SUIT] + suits[number // _PER_SUIT]

    return decode


def _suit_digit(token: str, suits: str) -> str | None:
    match = re.fullmatch("([1-4])(0[1-9]|1[0-3])", token)
    return match and RANKS[int(match[2]) - 1] + suits[int(match[1]) - 1]


def _in_shoe(token: str, suits: str) -> str | None:
    """A place in a shoe of several decks, from 0, each deck in the order of its suits."""
    if not (token.isascii() and token.isdigit() and len(token) <= _LONGEST_NUMBER):
        return None
    return _numbered(0)(str(int(token) % (_PER_SUIT * len(suits))), suits)


def _ranked(token: str, _: str) -> str | None:
    """A rank alone, by letter or by number from 1 to 13."""
    found = re.fullmatch("10|[AJQKT]|0?[1-9]|1[1-3]", token.upper())
    return found and _rank(found[0])


def _valued(token: str, _: str) -> str | None:
    """A card's points alone: a zero is written as a ten, which stands for any card that counts nothing."""
    if re.fullmatch("[0-9]", token) is None:
        return None
    return {"0": "10", "1": "A"}.get(token, token)


def _rank_and_suit(token: str, suits: str) -> str | None:
    """A rank and a suit from two columns, with the bar between that joined them."""
    rank, _, suit = token.partition(PAIRED)
    rank, suit = rank.strip().upper(), suit.strip()
    rank = _RANK_WORDS.get(rank, rank)
    found = re.fullmatch("10|[AJQKT]|0?[1-9]|1[1-3]", rank)
    if found is None:
        return None
    if suit.isascii() and suit.isdigit():
        place = int(suit) - (1 if suits.isupper() else 0)
        return _rank(found[0]) + suits.upper()[place] if 0 <= place < len(suits) else None
    known = _SUIT_OF.get(suit.upper(), _SUIT_WORDS.get(suit.upper().rstrip("S")))
    return known and _rank(found[0]) + known


NOTATIONS: Final[Mapping[str, Decoder]] = {
    "rank_suit": _rank_suit,
    "suit_rank": _suit_rank,
    "number_1_52": _numbered(1),
    "number_0_51": _numbered(0),
    "number_in_shoe": _in_shoe,
    "suit_digit_rank": _suit_digit,
    "rank": _ranked,
    "points": _valued,
    "pair": _rank_and_suit,
}
"""Name of each notation to its decoder: `9H` `Ts` `K♠`; `S.13` `D08` `♦6` `S_K`; numbers by suit; a place in the shoe;
`404` (suit 4, rank 04); ranks alone by letter or 1 to 13; points alone; a rank and a suit from two columns."""

ORDERS: Final = ("alternating", "player_first", "banker_first")
"""Order of the cards of both sides in one text: P B P B P B, three places a side, or the banker's three first."""


@dataclass(frozen=True, slots=True)
class Notation:
    """How a card is written: `name` of `NOTATIONS`, `suits` in the order of numbers, `none` the texts for no card.

    In the notation `pair`, suits in capitals are numbered from 1 and in small letters from 0.
    """

    name: str = "rank_suit"
    suits: str = "SHDC"
    none: tuple[str, ...] = ()

    def decode(self, token: str) -> str:
        """The canonical card, an empty text for no card, and an unknown token as it is.

        >>> [Notation("number_1_52", none=("0",)).decode(token) for token in ("1", "52", "0", "53")]
        ['AS', 'KC', '', '53']
        """
        token = token.strip()
        if not token or token in self.none or not token.strip(PAIRED):
            return ""
        return NOTATIONS[self.name](token, self.suits) or token

    def cards(self, tokens: pa.StringArray) -> pa.StringArray:
        """Each token as a canonical card; null where there is none."""
        encoded = tokens.dictionary_encode()
        decoded = pa.array([self.decode(token) or None for token in encoded.dictionary.to_pylist()], pa.string())
        return pc.take(decoded, encoded.indices)

    def spaced(self, texts: pa.StringArray, separator: str) -> pa.StringArray:
        """Texts of several cards with the separator between them; without a separator, suit by suit."""
        if separator or self.name in {"rank", "points"}:
            return texts
        return pc.replace_substring_regex(texts, f"({_ONE_CARD})", r"\1 ")


@dataclass(frozen=True, slots=True)
class _Dealt:
    """Cards of many rounds in one list: canonical card or null, the round's index and the place in its text."""

    cards: pa.StringArray
    rounds: NDArray[np.int64]
    places: NDArray[np.int64]
    count: int

    def hands(self, chosen: NDArray[np.bool_]) -> pa.StringArray:
        """The chosen cards as one text a round; null for a round with none of them."""
        keep = chosen & pc.is_valid(self.cards).to_numpy(zero_copy_only=False)
        sizes = np.bincount(self.rounds[keep], minlength=self.count)
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
        lists = pa.ListArray.from_arrays(pa.array(offsets), self.cards.filter(pa.array(keep)))
        joined = pc.binary_join(lists, " ")
        return pc.if_else(pa.array(sizes > 0), joined, pa.scalar(None, pa.string()))


def _dealt(texts: pa.StringArray, notation: Notation, separator: str) -> _Dealt:
    whole = pc.fill_null(notation.spaced(texts, separator), "")
    parts = pc.split_pattern(whole, separator or " ")
    offsets = parts.offsets.to_numpy().astype(np.int64)
    rounds = pc.list_parent_indices(parts).to_numpy().astype(np.int64)
    places = np.arange(len(rounds), dtype=np.int64) - (offsets[:-1] - offsets[0])[rounds]
    return _Dealt(notation.cards(parts.flatten()), rounds, places, len(texts))


def side_hands(texts: pa.StringArray, notation: Notation, separator: str) -> pa.StringArray:
    """One side's cards in one text as canonical hands.

    >>> side_hands(pa.array(["46-20-0"]), Notation("number_1_52", "SHCD", ("0",)), "-").to_pylist()
    ['7D 7H']
    """
    dealt = _dealt(texts, notation, separator)
    return dealt.hands(np.ones(len(dealt.rounds), np.bool_))


def both_hands(
    texts: pa.StringArray, notation: Notation, separator: str, order: str
) -> tuple[pa.StringArray, pa.StringArray]:
    """Both sides' cards in one text as canonical hands of the player and of the banker; `order` is one of `ORDERS`.

    >>> [side.to_pylist() for side in both_hands(pa.array(["C.7,C.8,H.11,D.7,,C.7"]),
    ...                                          Notation("suit_rank"), ",", "alternating")]
    [['7C JH'], ['8C 7D 7C']]
    """
    dealt = _dealt(texts, notation, separator)
    alternating = dealt.places % 2 == 0
    player = alternating if order == "alternating" else (dealt.places < _SLOTS) == (order == "player_first")
    return dealt.hands(player), dealt.hands(~player)


def joined_hands(single: Sequence[pa.StringArray], notation: Notation) -> pa.StringArray:
    """One side's cards in one column each as canonical hands; a card that is absent is left out, wherever it stands."""
    options = pc.JoinOptions(null_handling="skip")
    cards = (notation.cards(column) for column in single)
    # A last part that is there in every row: Arrow leaves a row out where all parts are to be skipped.
    joined = pc.utf8_rtrim_whitespace(pc.binary_join_element_wise(*cards, "", " ", options=options))
    return pc.if_else(pc.equal(joined, ""), pa.scalar(None, pa.string()), joined)
