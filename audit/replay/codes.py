"""The closed words of the canonical tables as codes: the place of a word in its tuple here, of a game in `GAMES`."""

from __future__ import annotations

from typing import Final

import numpy as np

from audit.base.model import Dealing, DrawMethod, Outcome, Scheme, Status

STATUSES: Final = tuple(Status)
OUTCOME_WORDS: Final = (Outcome.PLAYER, Outcome.BANKER, Outcome.TIE)
DEALINGS: Final = tuple(Dealing)
METHODS: Final = tuple(DrawMethod)
SCHEMES: Final = (Scheme.STANDARD, Scheme.NONE)
OTHER_SCHEME: Final = len(SCHEMES)
"""Code of a commission scheme that the regulations do not know."""

NO_DECKS: Final = np.iinfo(np.int32).min
NO_POINTS: Final = np.iinfo(np.int32).min
"""Stand for an unrecorded number of decks or points: -1 could be one that was recorded."""
