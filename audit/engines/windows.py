"""A log cut into parts as it streams by: windows of whole tables, and the wagers that keep step with them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from audit.base.read_ahead import ReadAhead
from audit.engines.assignment import Disordered
from audit.engines.part import PartAudit, SharedState
from audit.replay.rounds import Rounds
from audit.replay.rounds_reader import RoundsReader
from audit.source.file_reading import Batch

WINDOW: Final = 240_000
"""Rounds from which a window is closed at the next change of table."""

STRAY: Final = 400_000
"""Wagers that may wait for a round that is still to come; a log with more is not in the order of its tables."""


def windows(batches: Iterator[Batch], shared: SharedState, size: int | None) -> Iterator[tuple[Rounds, bool]]:
    """The rounds in windows of at least `size` rounds and of whole tables (None: one window); True with the last one.

    Raises Disordered where a table comes back after its window is closed. Where there are events, which need not name
    a house, a table of the same name in another house counts as the same.
    """
    closed: set[object] = set()
    casino = shared.law.settings.casino
    reader = RoundsReader(shared.names(), casino)
    last: tuple[str | None, str | None] | None = None
    for batch in batches:
        rest = batch
        while size is not None and (place := _cut(rest, size - len(reader), last)) is not None:
            if place:
                _add(reader, rest.at(np.arange(place)), shared)
            yield _close(reader, shared, closed), False
            reader, last = RoundsReader(shared.names(), casino), None
            rest = rest.at(np.arange(place, len(rest)))
        _add(reader, rest, shared)
        last = _place(rest, len(rest) - 1)
    # A window is only closed where another table begins, so that there is always a last one.
    yield _close(reader, shared, closed), True


def _add(reader: RoundsReader, batch: Batch, shared: SharedState) -> None:
    with shared.steps.step("rounds as numbers", len(batch)):
        reader.add(batch)


def _close(reader: RoundsReader, shared: SharedState, closed: set[object]) -> Rounds:
    rounds = reader.finish()
    places = rounds.names.places
    tables: set[object] = {table for _, table in places} if len(shared.events) else set(places)
    if tables & closed:
        raise Disordered("tables")
    closed |= tables
    return rounds


def _place(batch: Batch, row: int) -> tuple[str | None, str | None]:
    """House and table of one row, as written."""
    return batch.rows["casino"][row].as_py(), batch.rows["table_id"][row].as_py()


def _cut(batch: Batch, wanted: int, last: tuple[str | None, str | None] | None) -> int | None:
    """The first row of a new table at or after row `wanted` of a batch, None where there is none.

    `last` is the place of the row before the batch.
    """
    start = max(wanted, 0)
    if start >= len(batch):
        return None
    changes = np.zeros(len(batch) - start, np.bool_)
    for name in ("casino", "table_id"):
        codes = _codes(batch.rows[name])
        changes[1:] |= codes[start + 1 :] != codes[start:-1]
        if start:
            changes[0] |= bool(codes[start] != codes[start - 1])
    if not start and last is not None:
        changes[0] = _place(batch, 0) != last
    found = np.flatnonzero(changes)
    return start + int(found[0]) if len(found) else None


def _codes(column: pa.DictionaryArray) -> npt.NDArray[np.int64]:
    indices = column.indices.cast(pa.int64()).fill_null(-1)
    return np.asarray(indices.to_numpy(zero_copy_only=False), np.int64)


class WagerStream:
    """The wagers of a log, handed to each window in turn; those whose round is still to come wait.

    `lost` is told of wagers that found no round in any window.
    """

    def __init__(self, batches: Iterator[Batch], lost: Callable[[list[Batch]], None], *, rising: bool) -> None:
        self._batches = batches
        self._lost = lost
        self._rising = rising
        self._begun = False
        self._waiting: list[Batch] = []

    def feed(self, part: PartAudit, last_round: str | None, *, last: bool) -> None:
        """Give a part its wagers; stops at the first batch that goes beyond the part's `last_round`.

        The `last` part gets all there are. Raises Disordered where more wagers wait than a log in the order of its
        tables can have.
        """
        before, self._waiting = self._waiting, []
        for batch in before:
            self._take(part.settle(batch))
        if not last and sum(map(len, self._waiting)) > STRAY:
            raise Disordered("tables")
        if last:
            self._feed_all(part)
            return
        while not self._beyond(last_round):
            fresh = next(self._batches, None)
            if fresh is None:
                break
            if not self._begun and self._rising and not in_step(fresh):
                raise Disordered("tables", "step")
            self._begun = True
            self._take(part.settle(fresh))

    def _feed_all(self, part: PartAudit) -> None:
        """Give the last part all that is left; rounds are looked for in one thread while another settles."""
        located = ((batch, part.locate(batch)) for batch in self._batches)
        with closing(ReadAhead(located)) as pairs:
            for batch, at in pairs:
                self._take(part.judge(batch, at))
                if sum(map(len, self._waiting)) > STRAY:
                    self._give_up()
        self._give_up()

    def _take(self, left: Batch | None) -> None:
        if left is not None:
            self._waiting.append(left)

    def _beyond(self, last_round: str | None) -> bool:
        """Say whether the wagers read last belong to a later window: then the rest of them does too."""
        if not self._waiting:
            return False
        if self._rising and last_round is not None:
            return bool(self._waiting[-1].rows["round_id"][-1].as_py() > last_round)
        return sum(map(len, self._waiting)) > STRAY // 2

    def _give_up(self) -> None:
        if self._waiting:
            self._lost(self._waiting)
            self._waiting = []


def in_step(wagers: Batch) -> bool:
    """Say whether some wagers name their rounds in the order of the rounds' ids, which rise; one in ten need not."""
    ids = wagers.rows["round_id"]
    back = pc.sum(pc.less(ids[1:], ids[:-1])).as_py() or 0
    return bool(10 * back <= len(ids))


def late(strays: list[Batch], rounds: Iterator[Batch]) -> bool:
    """Say whether a round of the input is that of a wager which found none: it came after its window was closed."""
    wanted = pc.unique(pa.chunked_array([batch.rows["round_id"] for batch in strays]))
    return any(pc.any(pc.is_in(batch.rows["round_id"], value_set=wanted)).as_py() for batch in rounds)
