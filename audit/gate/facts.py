"""Facts about every accepted row of a table, gathered batch by batch while the rows stream past.

The data gate judges these facts instead of the rows (`expectations/profile_*.json`): one wide row a table, whose cost
does not grow with the input. What is gathered is bounded: distinct texts are kept up to a cap, and each hour of a table
takes 16 bytes. The facts of two pieces of a log merge exactly, so that the pieces may be read anywhere.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from audit.base.canonical import CARD_COLUMNS, TABLES
from audit.source.card_text import without_suit

Fact: TypeAlias = int | float | str | bool | None

DISTINCT_CAP: Final = 64
"""So many distinct texts of a column are listed, the first in order; beyond, the list ends with an ellipsis."""

_HOUR: Final = 3_600_000_000
_DENSE: Final = 4_000_000
_NO_TIME: Final = -(1 << 62)
_WAITING: Final = 65_536
"""Counts of hours that wait, at least, before they are added to those known."""
_HOUR_BITS: Final = 32
_HOUR_ZERO: Final = 1 << 31
_EPOCH: Final = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)

DISTINCT: Final = {
    "rounds": ("game", "status", "outcome", "dealing", "draw_method", "commission"),
    "wagers": ("bet", "currency", "tie_choice"),
    "events": ("event", "burn_rule"),
}
"""Columns whose distinct texts are facts."""

RANGES: Final = {
    "rounds": ("started_at", "round_no", "player_points", "banker_points", "decks"),
    "wagers": ("stake", "payout"),
    "events": ("at", "count"),
}
"""Columns whose smallest and greatest values are facts."""

INJECTED: Final = ("quarantined", "repeats", "orphans")
"""Facts that the reader knows and hands in with :meth:`Profile.put`."""

Integers: TypeAlias = npt.NDArray[np.int64]


def _whole(column: pa.Array) -> Integers:
    """The numbers of a column without nulls, instants as microseconds of UTC."""
    return np.asarray(column.cast(pa.int64()).to_numpy(zero_copy_only=False), np.int64)


def _codes(column: pa.DictionaryArray) -> tuple[list[str | None], Integers]:
    """The texts of a dictionary column, None last, and each row's place among them."""
    texts = [*column.dictionary.to_pylist(), None]
    if column.null_count == len(column):
        return texts, np.full(len(column), len(texts) - 1, np.int64)
    places = column.indices.fill_null(len(texts) - 1) if column.null_count else column.indices
    return texts, np.asarray(places.to_numpy(zero_copy_only=False), np.int64)


class _Hours:
    """Rounds of each table in each hour: sorted slots (table number and hour in one number) with their counts."""

    def __init__(self) -> None:
        self._slots = np.zeros(0, np.int64)
        self._counts = np.zeros(0, np.int64)
        self._waiting: list[tuple[Integers, Integers]] = []
        self._held = 0

    def add(self, place: Integers, hours: Integers) -> None:
        """Count rounds, each with the number of its table and its hour since 1970."""
        first = int(hours.min())
        width = int(hours.max()) - first + 1
        key = place * width + (hours - first)
        if width * (int(place.max()) + 1) <= _DENSE:
            counts = np.bincount(key)
            seen = np.flatnonzero(counts)
            counts = counts[seen]
        else:
            seen, counts = np.unique(key, return_counts=True)
        self._take((seen // width << _HOUR_BITS) + (seen % width + first + _HOUR_ZERO), counts)

    def merge(self, other: _Hours, numbers: Integers) -> None:
        """Add the counts of another, whose tables have these `numbers` here."""
        slots, counts = other.counted()
        hours = slots & ((1 << _HOUR_BITS) - 1)
        self._take((numbers[slots >> _HOUR_BITS] << _HOUR_BITS) + hours, counts)

    def _take(self, slots: Integers, counts: Integers) -> None:
        self._waiting.append((slots, counts.astype(np.int64, copy=False)))
        self._held += len(slots)
        if self._held > max(_WAITING, len(self._slots)):
            self.counted()

    def counted(self) -> tuple[Integers, Integers]:
        """The slots, ascending, and the rounds in each."""
        if self._waiting:
            slots = np.concatenate([self._slots, *(each for each, _ in self._waiting)])
            counts = np.concatenate([self._counts, *(each for _, each in self._waiting)])
            order = np.argsort(slots, kind="stable")
            slots, counts = slots[order], counts[order]
            heads = np.flatnonzero(np.concatenate([[True], slots[1:] != slots[:-1]]))
            self._slots, self._counts = slots[heads], np.add.reduceat(counts, heads)
            self._waiting, self._held = [], 0
        return self._slots, self._counts

    @property
    def most(self) -> int:
        """Rounds in the busiest hour of a table."""
        return int(self.counted()[1].max(initial=0))


class _Pace:
    """Rounds of each table in each hour, and whether a table's rounds come in the order of their time."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str | None, str | None], int] = {}
        self._hours = _Hours()
        self._first = np.zeros(0, np.int64)
        self._last = np.zeros(0, np.int64)
        self._rows = np.zeros(0, np.int64)
        self._newest = _NO_TIME
        self.disordered = 0

    @property
    def tables(self) -> int:
        """Number of tables seen."""
        return int(np.count_nonzero(self._rows))

    @property
    def most_rows(self) -> int:
        """Rows of the busiest table."""
        return int(self._rows.max(initial=0))

    @property
    def most_in_hour(self) -> int:
        """Rounds in the busiest hour of a table."""
        return self._hours.most

    def add(self, casino: pa.DictionaryArray, table: pa.DictionaryArray, started: pa.Array) -> None:
        """Take the tables and the times of one batch of rounds."""
        known = len(self._rows)
        place = self._places(casino, table)
        times = _whole(started)
        # The rounds of a table mostly follow one another: what is to be known of them is at the ends of such a run.
        starts = np.flatnonzero(np.concatenate([[True], place[1:] != place[:-1]]))
        if len(self._rows) > known:
            # Of several runs of a table the last one written stays: the first one of the batch.
            first = np.empty(len(self._rows), np.int64)
            first[place.take(starts)[::-1]] = times.take(starts)[::-1]
            self._first[known:] = first[known:]
        self._rows += np.bincount(place, minlength=len(self._rows))
        self._order(place, times, starts)
        self._hours.add(place, times // _HOUR)

    def merge(self, later: _Pace) -> None:
        """Add the rounds of the piece of the log that follows."""
        numbers = np.array([self._number(key) for key in later._numbers], np.int64)
        self._grow()
        there = self._rows[numbers] > 0
        border = there & (later._first < self._last[numbers])
        self.disordered += later.disordered + int(np.count_nonzero(border))
        self._first[numbers] = np.where(there, self._first[numbers], later._first)
        self._last[numbers] = later._last
        self._rows[numbers] += later._rows
        self._newest = max(self._newest, later._newest)
        self._hours.merge(later._hours, numbers)

    def _number(self, key: tuple[str | None, str | None]) -> int:
        return self._numbers.setdefault(key, len(self._numbers))

    def _grow(self) -> None:
        """Make room for tables that are new."""
        more = len(self._numbers) - len(self._rows)
        self._first = np.concatenate([self._first, np.full(more, _NO_TIME, np.int64)])
        self._last = np.concatenate([self._last, np.full(more, _NO_TIME, np.int64)])
        self._rows = np.concatenate([self._rows, np.zeros(more, np.int64)])

    def _places(self, casino: pa.DictionaryArray, table: pa.DictionaryArray) -> Integers:
        """A number for each row's table, which is identified with its casino."""
        houses, house = _codes(casino)
        names, name = _codes(table)
        pairs = house * len(names) + name
        numbers = np.zeros(len(houses) * len(names), np.int64)
        for pair in np.flatnonzero(np.bincount(pairs)).tolist():
            numbers[pair] = self._number((houses[pair // len(names)], names[pair % len(names)]))
        self._grow()
        return np.asarray(numbers.take(pairs))

    def _order(self, place: Integers, times: Integers, starts: Integers) -> None:
        """Count the rounds that begin before the one of their table that stands before them; `starts` are runs."""
        tables, ends = place.take(starts), times.take(np.append(starts[1:], len(times)) - 1)
        back = times[1:] < times[:-1]
        if times[0] < self._newest or back.any():
            back[starts[1:] - 1] = False
            by_table = np.argsort(tables, kind="stable")
            table, moments = tables.take(by_table), times.take(starts.take(by_table))
            before = np.empty_like(moments)
            before[1:] = ends.take(by_table[:-1])
            first = np.ones(len(table), np.bool_)
            first[1:] = table[1:] != table[:-1]
            before[first] = self._last[table[first]]
            self.disordered += int(np.count_nonzero(back)) + int(np.count_nonzero(moments < before))
        self._newest = max(self._newest, int(times.max()))
        self._last[tables] = ends


class TableFacts:
    """The facts about one table (`rounds`, `wagers` or `events`): feed it batches, then ask for the facts."""

    def __init__(self, role: str) -> None:
        self.role = role
        self.rows = 0
        self._nulls: dict[str, int | None] = dict.fromkeys(TABLES[role].names)
        self._distinct: dict[str, set[str]] = {name: set() for name in DISTINCT[role]}
        self._range: dict[str, tuple[int, int]] = {}
        self._pace = _Pace() if role == "rounds" else None
        self._hands = 0
        self._without_suits = 0
        self._suitless: dict[str, tuple[pa.Array, npt.NDArray[np.bool_]]] = {}
        self._injected: dict[str, int] = dict.fromkeys(INJECTED, 0)

    def add(self, batch: pa.RecordBatch) -> None:
        """Take the rows of one typed batch of the role's canonical schema; columns left unread are skipped."""
        if batch.num_rows == 0:
            return
        self.rows += batch.num_rows
        columns = dict(zip(batch.schema.names, batch.columns, strict=True))
        for name in self._nulls.keys() & columns.keys():
            self._nulls[name] = (self._nulls[name] or 0) + columns[name].null_count
        for name in self._distinct.keys() & columns.keys():
            self._add_distinct(name, columns[name])
        for name in RANGES[self.role]:
            if name in columns and columns[name].null_count < batch.num_rows:
                self._add_range(name, columns[name])
        for name in CARD_COLUMNS:
            if name in columns:
                self._add_hands(name, columns[name])
        if self._pace is not None and {"casino", "table_id", "started_at"} <= columns.keys():
            self._pace.add(columns["casino"], columns["table_id"], columns["started_at"])

    def merge(self, later: TableFacts) -> None:
        """Add the facts about the piece of the log that follows; what :meth:`put` handed in stays."""
        self.rows += later.rows
        for name, nulls in later._nulls.items():
            if nulls is not None:
                self._nulls[name] = (self._nulls[name] or 0) + nulls
        for name, texts in later._distinct.items():
            self._keep_first(name, texts)
        for name, (low, high) in later._range.items():
            self._widen(name, low, high)
        if self._pace is not None and later._pace is not None:
            self._pace.merge(later._pace)
        self._hands += later._hands
        self._without_suits += later._without_suits

    def __getstate__(self) -> dict[str, Any]:
        """Without the dictionaries looked at, which are of use while batches are read."""
        return self.__dict__ | {"_suitless": {}}

    def put(self, *, quarantined: int = 0, repeats: int = 0, orphans: int = 0) -> None:
        """Hand in what only the reader knows: rows quarantined, exact repeats dropped, wagers without a round."""
        self._injected.update(quarantined=quarantined, repeats=repeats, orphans=orphans)

    def _add_distinct(self, name: str, column: pa.DictionaryArray) -> None:
        seen = self._distinct[name]
        # A dictionary may hold texts that no row of the batch uses; they count only if a row does.
        last = max(seen) if len(seen) > DISTINCT_CAP else None
        fresh = [t for t in column.dictionary.to_pylist() if t not in seen and (last is None or t < last)]
        if fresh:
            used = pc.unique(column.indices).drop_null()
            self._keep_first(name, column.dictionary.take(used).to_pylist())

    def _keep_first(self, name: str, texts: Iterable[str]) -> None:
        """Keep the first texts in order, one more than are listed: they do not depend on the order of reading."""
        seen = self._distinct[name]
        seen.update(texts)
        if len(seen) > DISTINCT_CAP + 1:
            self._distinct[name] = set(sorted(seen)[: DISTINCT_CAP + 1])

    def _add_range(self, name: str, column: pa.Array) -> None:
        extremes = pc.min_max(column.cast(pa.int64()))
        self._widen(name, extremes["min"].as_py(), extremes["max"].as_py())

    def _widen(self, name: str, low: int, high: int) -> None:
        if name in self._range:
            low, high = min(low, self._range[name][0]), max(high, self._range[name][1])
        self._range[name] = low, high

    def _add_hands(self, name: str, column: pa.DictionaryArray) -> None:
        known = self._suitless.get(name)
        if known is None or not known[0].equals(column.dictionary):
            known = self._suitless[name] = column.dictionary, without_suit(column.dictionary)
        self._hands += len(column) - column.null_count
        if known[1].any():
            codes = column.indices.drop_null().to_numpy(zero_copy_only=False)
            self._without_suits += int(np.count_nonzero(known[1].take(codes)))

    def facts(self) -> dict[str, Fact]:
        """Every fact by name: counts, `null_share_X` (0 to 1), `distinct_X` (texts with commas), `min_X` and `max_X`.

        Money is in ten-thousandths, instants are ISO text in UTC; what was never seen is None.
        """
        found: dict[str, Fact] = {"rows": self.rows, **self._injected}
        for name, nulls in self._nulls.items():
            found[f"null_share_{name}"] = None if nulls is None else nulls / self.rows
        for name, texts in self._distinct.items():
            listed = sorted(texts)[:DISTINCT_CAP]
            found[f"distinct_{name}"] = ",".join([*listed, *(["…"] if len(texts) > DISTINCT_CAP else [])])
        for name in RANGES[self.role]:
            low, high = self._range.get(name, (None, None))
            found[f"min_{name}"] = _shown(name, low)
            found[f"max_{name}"] = _shown(name, high)
        if self._pace is not None:
            found |= {
                "tables": self._pace.tables,
                "most_rows_of_a_table": self._pace.most_rows,
                "most_rounds_in_an_hour": self._pace.most_in_hour,
                "share_out_of_order": self._pace.disordered / self.rows if self.rows else 0.0,
                "share_hands_without_suits": self._without_suits / self._hands if self._hands else 0.0,
            }
        return found

    def frame(self) -> list[dict[str, Fact]]:
        """The facts as the rows of a frame: one wide row."""
        return [self.facts()]


def _shown(name: str, value: int | None) -> Fact:
    if value is None or name not in {"started_at", "at"}:
        return value
    return (_EPOCH + dt.timedelta(microseconds=value)).isoformat()
