from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from audit.base.model import RANKS, SUITS, parse_hand
from audit.source import card_text

_CARD = st.sampled_from([rank + suit for rank in (*RANKS, "T") for suit in (*SUITS, "")])


def _spelt(text: str) -> str | None:
    try:
        return " ".join(str(card) for card in parse_hand(text))
    except ValueError:
        return None


@given(st.lists(st.lists(_CARD, min_size=1, max_size=5).map(" ".join) | st.text("A1023KQTJSHDC9 ahx\t", max_size=9)))
def test_spelling_agrees_with_the_scalar_parser(hands: list[str]) -> None:
    """For any text, whole columns are spelt and refused exactly as one hand at a time by the model's parser."""
    spelt, wrong = card_text.canonical_hands(pa.array(hands, pa.string()))
    marks = [False] * len(hands) if wrong is None else wrong.tolist()

    assert [_spelt(hand) is None for hand in hands] == marks
    assert [_spelt(h) or None for h in hands if _spelt(h) is not None] == [
        s for s, bad in zip(spelt.to_pylist(), marks, strict=True) if not bad
    ]


@given(st.lists(st.none() | st.lists(_CARD.map(_spelt), max_size=4), max_size=8))
def test_cards_without_a_suit_are_seen(hands: list[list[str] | None]) -> None:
    """A hand is marked exactly when one of its cards is a rank alone; the null and the empty hand are not."""
    texts = [None if hand is None else " ".join(hand) for hand in hands]
    bare = [any(card[-1] not in SUITS for card in hand or ()) for hand in hands]

    assert bare == card_text.without_suit(pa.array(texts, pa.string())).tolist()
    assert bare == card_text.without_suit(pa.array(["9", *texts, "9"], pa.string()).slice(1, len(texts))).tolist()


@given(st.lists(st.lists(_CARD, max_size=4).map(" ".join) | st.text("A10KS 9T", max_size=5), max_size=8))
def test_the_fast_answer_is_right(hands: list[str]) -> None:
    """A column counts as canonical exactly when every hand is spelt as the model prints it."""
    canonical = all(hand and _spelt(hand) == hand for hand in hands)

    assert canonical == card_text.all_canonical(pa.array(hands, pa.string()))


def test_the_first_word_that_is_no_card_is_named() -> None:
    """The message about a hand names the word that is no card."""
    assert ["1S", "11H", "AX"] == [card_text.first_unknown(f"9H {word} KD") for word in ("1S", "11H", "AX")]
