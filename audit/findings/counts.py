"""What findings add up to, batch by batch: numbers, sums of money, and the first of each check."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from audit.base.days import MACAU_OFFSET
from audit.base.model import MONEY_SCALE
from audit.findings.table import SORT_KEY

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
    `moments` are the instants (in microseconds) of the findings of each table, `shoes` how many findings name each
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
    moments: dict[Place, list[int]] = field(default_factory=dict)
    first: dict[str, list[tuple[SortKey, str | None]]] = field(default_factory=dict)

    def note(self, batch: pa.RecordBatch) -> None:
        """Count some findings (columns of `findings.SCHEMA`), in any order."""
        # A part mostly has a few findings, which are counted here sooner than a query over them is set up.
        self.total += batch.num_rows
        self.by_severity.update(batch["severity"].to_pylist())
        self.by_code.update(batch["code"].to_pylist())
        casino, table_id, game = (batch[name].to_pylist() for name in ("casino", "table_id", "game"))
        self.places.update(zip(casino, table_id, game, strict=True))
        shoes = batch["shoe_id"].to_pylist()
        self.shoes.update(key for key in zip(casino, table_id, shoes, strict=True) if key[2] is not None)
        self._note_amounts(batch, zip(casino, table_id, game, batch["currency"].to_pylist(), strict=True))
        for place, time in zip(
            zip(casino, table_id, strict=True), batch["occurred_at"].cast(pa.int64()).to_pylist(), strict=True
        ):
            if time is not None and place[1] is not None:
                self.moments.setdefault(place, []).append(time)
        self._note_first(batch)

    def _note_amounts(self, batch: pa.RecordBatch, keys: Iterable[tuple[str | None, ...]]) -> None:
        for key, amount in zip(keys, batch["amount"].to_pylist(), strict=True):
            if amount:
                sums = self.amounts.setdefault(key, [0, 0])
                sums[int(amount < 0)] += abs(int(amount.scaleb(MONEY_SCALE)))

    def _note_first(self, batch: pa.RecordBatch) -> None:
        table = pa.Table.from_batches([batch])
        for code in table["code"].unique().to_pylist():
            if code[:3] in FAMILIES:
                mine = table.filter(pc.equal(table["code"], code)).select(list(SORT_KEY))
                mine = mine.sort_by([(name, "ascending") for name in SORT_KEY]).slice(0, self.most)
                self._take_first(code, [(_sort_key(row), row["round_id"]) for row in mine.to_pylist()])

    def _take_first(self, code: str, more: list[tuple[SortKey, str | None]]) -> None:
        self.first[code] = sorted([*self.first.get(code, ()), *more])[: self.most]

    def moments_of(self, place: Place) -> npt.NDArray[np.int64]:
        """The instants of the findings of a table, ascending."""
        return np.sort(np.array(self.moments.get(place, ()), np.int64))

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


def _sort_key(row: dict[str, Any]) -> SortKey:
    """A finding's place in the order written; what is null stands last."""
    return tuple((row[name] is None, "" if row[name] is None else row[name]) for name in SORT_KEY)
