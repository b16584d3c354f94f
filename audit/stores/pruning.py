"""Which files of a partitioned dataset the gaming days asked for need."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Final

from audit.base.errors import InputRefused
from audit.stores.files import SourceFile, named
from audit.stores.partition import day_of

_ONE_DAY: Final = dt.timedelta(days=1)


def prune(
    files: Sequence[SourceFile], first: dt.date | None, last: dt.date | None, *, around: int = 1
) -> tuple[SourceFile, ...]:
    """The files that may hold rows of the gaming days from `first` to `last` (None: no bound), in their order.

    The days `around` them are kept, since a shoe that crosses the cut-off is judged on all its rounds (contract,
    rule 13). A file whose folders name no day is always kept.
    """
    margin = around * _ONE_DAY

    def needed(file: SourceFile) -> bool:
        day = day_of(file.partition)
        if day is None:
            return True
        return (first is None or day >= first - margin) and (last is None or day <= last + margin)

    return tuple(file for file in files if needed(file))


def prune_inputs(
    rounds: Sequence[SourceFile],
    wagers: Sequence[SourceFile],
    events: Sequence[SourceFile],
    first: dt.date | None,
    last: dt.date | None,
) -> tuple[tuple[SourceFile, ...], tuple[SourceFile, ...], tuple[SourceFile, ...]]:
    """The files of rounds, wagers and events that the gaming days asked for need.

    A wager that is read must find its round (LOG-004): rounds are kept one day further than wagers, which may be filed
    by the moment they were placed; and all of them where a file of wagers has no day, so that it may name any round.
    The names are the shortest among the files that stay, so that they do not depend on those that were passed over.
    InputRefused where the rounds have no file of those days.
    """
    kept_wagers, kept_events = prune(wagers, first, last), prune(events, first, last)
    together = tuple(wagers) == tuple(rounds)
    if together or all(day_of(file.partition) is not None for file in wagers):
        kept = prune(rounds, first, last, around=1 if together or not wagers else 2)
    else:
        kept = tuple(rounds)
    if not kept:
        days = sorted(day for file in rounds if (day := day_of(file.partition)) is not None)
        raise InputRefused(
            f"the rounds have no file for the days asked for; their folders are of {days[0]} to {days[-1]}"
        )
    return named(kept), named(kept_wagers), named(kept_events)
