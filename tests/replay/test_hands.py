"""Hands as numbers: the quick reading of the usual spelling says what the slow one says, of cards and of others."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.base.model import RANKS, SUITS
from audit.replay.hands import HandBook

CARDS = st.one_of(
    st.tuples(st.sampled_from(RANKS), st.sampled_from(SUITS)).map("".join),
    st.sampled_from([*RANKS, "9X", "1S", "s9", "萬", "9\x00", ""]),
)
HANDS = st.one_of(
    st.none(),
    st.lists(CARDS, max_size=4).map(" ".join),
    st.lists(CARDS, min_size=2, max_size=3).map("-".join),
    st.text(st.sampled_from("9KAHS 萬"), min_size=5, max_size=8),
)


@given(st.lists(HANDS, max_size=30), st.integers(0, 3))
def test_the_usual_spelling_is_read_as_every_other(hands: list[str | None], offset: int) -> None:
    """Cards of two letters, tens, ranks alone, words that are no card, and parts of a longer column."""
    texts = pa.array(hands, pa.string()).slice(offset)

    assert HandBook()._codes(texts).tolist() == HandBook()._codes_of_words(texts).tolist()


@pytest.mark.parametrize("cards", ["9H KD", "AS 2C QD", "10H KD", "9 K", "9H KD 10S"])
def test_a_code_is_the_cards(cards: str) -> None:
    """What is encoded is read back, whatever the spelling allows."""
    book = HandBook()
    (code,) = book.encode(pa.array([cards]).dictionary_encode())

    assert book.text(int(code)) == cards
