"""Recorded totals prove the order in which a profile reads the cards; a profile that they contradict is refused."""

from __future__ import annotations

from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from audit.errors import InputRefused
from audit.model import parse_hand, total

_ENOUGH: Final = 10
"""Rounds from which on totals tell a wrong order from rounds that were wrongly recorded."""

_UNKNOWN: Final = -1


def refuse_wrong_order(rows: pa.RecordBatch, file: str, profile: str) -> None:
    """Raise InputRefused if most of the typed rounds have totals that their cards, as read, do not make.

    Rounds without cards or totals say nothing; fewer than ten that say something are not judged.
    """
    read = [_points_of(rows[f"{side}_cards"]) for side in ("player", "banker")]
    said = [rows[f"{side}_points"].fill_null(_UNKNOWN).to_numpy() for side in ("player", "banker")]
    telling = np.logical_and.reduce([points != _UNKNOWN for points in (*read, *said)])
    count = int(np.count_nonzero(telling))
    agree = telling & (read[0] == said[0]) & (read[1] == said[1])
    wrong = count - int(np.count_nonzero(agree))
    if count < _ENOUGH or 2 * wrong <= count:
        return
    exchanged = telling & (read[0] == said[1]) & (read[1] == said[0])
    hint = "; player and banker seem to be exchanged" if 2 * np.count_nonzero(exchanged) > count else ""
    raise InputRefused(
        f"{file}: the recorded totals contradict the order in which the profile {profile} reads the cards, "
        f"in {wrong} of {count} rounds{hint}"
    )


def _points_of(hands: pa.DictionaryArray) -> NDArray[np.int64]:
    """Points of each hand by its cards, each distinct hand counted once; -1 where there is none."""
    distinct = hands.dictionary.to_pylist()
    points = np.array([*(_points(hand) for hand in distinct), _UNKNOWN], np.int64)
    chosen: NDArray[np.int64] = points[hands.indices.fill_null(len(distinct)).to_numpy()]
    return chosen


def _points(hand: str) -> int:
    try:
        return total(parse_hand(hand))
    except ValueError:
        return _UNKNOWN
