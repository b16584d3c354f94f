"""Hands of cards as text: one canonical spelling, checked for every distinct hand at once.

The canonical spelling is rank then suit, upper case, one space between cards, ten as ``10``: ``9H KD 10S``. Suits may
be missing. How many cards a hand has is not judged here: four cards are a finding, not a fault of reading.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from audit.base.columns import text_bytes
from audit.base.model import Card
from audit.source import cells

_HAND: Final = r"^(?:[A2-9JQK]|10)[SHDC]?(?: (?:[A2-9JQK]|10)[SHDC]?)*$"

# A hand is canonical exactly when its first and last character, and each pair of neighbours, are allowed: ranks,
# suits and the space are disjoint alphabets, and "1" and "0" only occur as "10". The table below is that relation
# over character classes; it reads a dictionary of a hundred thousand hands in a few milliseconds.
_ONE, _ZERO, _RANK, _SUIT, _SPACE, _EDGE, _OTHER = range(7)
_FOLLOWS: Final = {
    _ONE: (_ZERO,),
    _ZERO: (_SUIT, _SPACE, _EDGE),
    _RANK: (_SUIT, _SPACE, _EDGE),
    _SUIT: (_SPACE, _EDGE),
    _SPACE: (_ONE, _RANK),
    _EDGE: (_ONE, _RANK),
    _OTHER: (),
}


def _classes() -> NDArray[np.uint8]:
    classes = np.full(256, _OTHER, np.uint8)
    for characters, kind in (("1", _ONE), ("0", _ZERO), ("A23456789JQK", _RANK), ("SHDC", _SUIT), (" ", _SPACE)):
        for character in characters:
            classes[ord(character)] = kind
    return classes


def _allowed() -> NDArray[np.bool_]:
    allowed = np.zeros(64, np.bool_)
    for before, afters in _FOLLOWS.items():
        for after in afters:
            allowed[before * 8 + after] = True
    return allowed


_CLASS: Final = _classes()
_ALLOWED: Final = _allowed()


def all_canonical(hands: pa.StringArray) -> bool:
    """Say whether every hand is spelt canonically (no null, no empty text).

    >>> all_canonical(pa.array(["9H KD 10S", "K 10"])), all_canonical(pa.array(["9h"]))
    (True, False)
    """
    if len(hands) == 0:
        return True
    data, offsets = text_bytes(hands)
    if hands.null_count or not (offsets[1:] > offsets[:-1]).all():
        return False
    kinds = _CLASS.take(data)
    pairs = _ALLOWED.take(kinds[:-1] * 8 + kinds[1:])
    joints = offsets[1:-1]
    pairs[joints - 1] = True
    starts = _ALLOWED.take(_EDGE * 8 + kinds.take(offsets[:-1]))
    ends = _ALLOWED.take(kinds.take(offsets[1:] - 1) * 8 + _EDGE)
    return bool(pairs.all() and starts.all() and ends.all())


def without_suit(hands: pa.StringArray) -> NDArray[np.bool_]:
    """Which of some hands, spelt canonically, have a card that is a rank alone.

    >>> without_suit(pa.array(["9H KD 10S", None, "9 KD"])).tolist()
    [False, False, True]
    """
    data, offsets = text_bytes(hands)
    # A card ends before a space or at the end of its hand.
    ends = np.concatenate([np.flatnonzero(data == ord(" ")), offsets[1:].compress(np.diff(offsets) > 0)]) - 1
    bare = ends.compress(_CLASS.take(data.take(ends)) != _SUIT)
    found = np.zeros(len(hands), np.bool_)
    found[np.searchsorted(offsets, bare, side="right") - 1] = True
    return found


def canonical_hands(hands: pa.StringArray) -> tuple[pa.StringArray, NDArray[np.bool_] | None]:
    """Spell each hand canonically; the mask, if there is one, marks hands with a word that is no card.

    An empty hand becomes null. `hands` itself is returned where nothing had to change.

    >>> spelt, wrong = canonical_hands(pa.array([" 9h  Ts", "1S"]))
    >>> spelt[0].as_py(), wrong.tolist()
    ('9H 10S', [False, True])
    """
    if all_canonical(hands):
        return hands, None
    spelt = pc.utf8_upper(cells.trimmed(hands))
    spelt = pc.replace_substring_regex(spelt, r"\s+", " ")
    spelt = pc.replace_substring_regex(spelt, r"(^| )T", r"\110")
    good = pc.fill_null(pc.match_substring_regex(spelt, _HAND), fill_value=True)
    wrong = ~good.to_numpy(zero_copy_only=False)
    return spelt, wrong if wrong.any() else None


def first_unknown(hand: str) -> str:
    """The first word of a hand that is no card, or the whole text where every word is one.

    >>> first_unknown("9H AX KD")
    'AX'
    """
    for word in hand.split():
        try:
            Card.parse(word)
        except ValueError:
            return word
    return hand
