"""What findings add up to, batch by batch: numbers, sums of money, and the first of each check."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from audit.findings import SORT_KEY
from audit.model import MONEY_SCALE
from audit.replay.rounds import MACAU_OFFSET

FAMILIES: Final = ("DRW", "RES", "PAY")
"""Checks whose first findings get the evidence of their round."""

HOUR: Final = 3_600_000_000
"""Microseconds of an hour."""

Place = tuple[str | None, str | None]
"""House and table."""

SortKey = tuple[tuple[bool, Any], ...]


@dataclass
class FindingCounts:
    """Sums over findings; those of two parts of the input add.

    `amounts` are the sums paid too much and too little, in ten-thousandths, by (house, table, game, currency);
    `moments` are the instants (int64 microseconds) of the findings of each table, `shoes` how many findings name each
    shoe. `first` holds, by check, the sort keys and round ids of its first `most` findings in the order in which
    findings are written.
    """

    most: int
    total: int = 0
    by_severity: Counter[str] = field(default_factory=Counter)
    by_code: Counter[str] = field(default_factory=Counter)
    amounts: dict[tuple[str | None, ...], list[int]] = field(default_factory=dict)
    places: Counter[tuple[str | None, ...]] = field(default_factory=Counter)
    shoes: Counter[tuple[str | None, ...]] = field(default_factory=Counter)
    moments: dict[Place, list[npt.NDArray[np.int64]]] = field(default_factory=dict)
    first: dict[str, list[tuple[SortKey, str | None]]] = field(default_factory=dict)

    def note(self, batch: pa.RecordBatch) -> None:
        """Count some findings (columns of `findings.SCHEMA`), in any order."""
        table = pa.Table.from_batches([batch])
        self.total += batch.num_rows
        self.by_severity.update(_times(table, "severity"))
        self.by_code.update(_times(table, "code"))
        for row in table.group_by(["casino", "table_id", "game"]).aggregate([([], "count_all")]).to_pylist():
            self.places[row["casino"], row["table_id"], row["game"]] += row["count_all"]
        named = table.filter(pc.is_valid(table["shoe_id"]))
        for row in named.group_by(["casino", "table_id", "shoe_id"]).aggregate([([], "count_all")]).to_pylist():
            self.shoes[row["casino"], row["table_id"], row["shoe_id"]] += row["count_all"]
        self._note_amounts(table)
        self._note_moments(table)
        self._note_first(table)

    def _note_amounts(self, table: pa.Table) -> None:
        known = table.filter(pc.is_valid(table["amount"]))
        keys = ["casino", "table_id", "game", "currency"]
        for place, sign in enumerate((1, -1)):
            part = known.filter(pc.equal(pc.sign(known["amount"]), sign))
            for row in part.group_by(keys).aggregate([("amount", "sum")]).to_pylist():
                sums = self.amounts.setdefault(tuple(row[key] for key in keys), [0, 0])
                sums[place] += abs(int(row["amount_sum"].scaleb(MONEY_SCALE)))

    def _note_moments(self, table: pa.Table) -> None:
        dated = table.filter(pc.and_(pc.is_valid(table["occurred_at"]), pc.is_valid(table["table_id"])))
        listed = dated.select(["casino", "table_id", "occurred_at"]).group_by(["casino", "table_id"])
        for row in listed.aggregate([("occurred_at", "list")]).to_batches():
            times = row["occurred_at_list"]
            for number in range(row.num_rows):
                instants = times[number].values.cast(pa.int64()).to_numpy(zero_copy_only=False)
                place = row["casino"][number].as_py(), row["table_id"][number].as_py()
                self.moments.setdefault(place, []).append(instants.astype(np.int64))

    def _note_first(self, table: pa.Table) -> None:
        for code in table["code"].unique().to_pylist():
            if code[:3] in FAMILIES:
                mine = table.filter(pc.equal(table["code"], code)).select(list(SORT_KEY))
                mine = mine.sort_by([(name, "ascending") for name in SORT_KEY]).slice(0, self.most)
                self._take_first(code, [(_sort_key(row), row["round_id"]) for row in mine.to_pylist()])

    def _take_first(self, code: str, more: list[tuple[SortKey, str | None]]) -> None:
        self.first[code] = sorted([*self.first.get(code, ()), *more])[: self.most]

    def moments_of(self, place: Place) -> npt.NDArray[np.int64]:
        """The instants of the findings of a table, ascending."""
        return np.sort(np.concatenate([np.zeros(0, np.int64), *self.moments.get(place, ())]))

    def hours_of(self, place: Place) -> dict[int, int]:
        """Findings of a table by the hour of Macau, counted since 1970."""
        if place not in self.moments:
            return {}
        hours, times = np.unique((self.moments_of(place) + MACAU_OFFSET) // HOUR, return_counts=True)
        return dict(zip(hours.tolist(), times.tolist(), strict=True))

    def add(self, other: FindingCounts) -> None:
        """Add the sums of another part; the moments and shoes of each part are of use in that part alone."""
        self.total += other.total
        self.by_severity.update(other.by_severity)
        self.by_code.update(other.by_code)
        self.places.update(other.places)
        for key, sums in other.amounts.items():
            mine = self.amounts.setdefault(key, [0, 0])
            mine[:] = [a + b for a, b in zip(mine, sums, strict=True)]
        for code, listed in other.first.items():
            self._take_first(code, listed)


def _times(table: pa.Table, column: str) -> dict[str, int]:
    counted = pc.value_counts(table[column])
    return {row["values"]: row["counts"] for row in counted.to_pylist()}


def _sort_key(row: dict[str, Any]) -> SortKey:
    """A finding's place in the order written; what is null stands last."""
    return tuple((row[name] is None, "" if row[name] is None else row[name]) for name in SORT_KEY)
