"""Rows that share an id: an exact repeat is dropped and counted, different content is a conflict (judging rule 12)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from audit.base.canonical import row_key
from audit.base.typed_rows import TypedRows
from audit.replay.fingerprints import PrintStore
from audit.replay.identity import fingerprints


@dataclass
class Repeats:
    """Decides, row by row in the order read, what becomes of rows whose id occurs more than once.

    `ids` are the ids in question. The first row of an id is kept. A later one that equals *any* earlier row of the id
    is an exact repeat; one that does not is a conflict. `conflicts` holds the first conflict of each
    id, `kept` the row that stays.
    """

    column: str
    ids: frozenset[str]
    counts: Counter[str] = field(default_factory=Counter)
    conflicts: dict[str, tuple[str, int]] = field(default_factory=dict)
    kept: dict[str, tuple[pa.RecordBatch, str, int]] = field(default_factory=dict)
    rejected: list[tuple[pa.RecordBatch, str, int]] = field(default_factory=list)
    _seen: dict[str, set[tuple[object, ...]]] = field(default_factory=dict)
    _known: pa.Array | None = None

    def keep(self, batch: TypedRows) -> npt.NDArray[np.bool_]:
        """Say which rows of a batch stay; the others are counted as repeats or kept as conflicts."""
        rows = batch.rows
        stay = np.ones(rows.num_rows, np.bool_)
        if not self.ids:
            return stay
        if self._known is None:
            self._known = pa.array(sorted(self.ids), rows[self.column].type)
        suspects = pc.is_in(rows[self.column], value_set=self._known).to_numpy(zero_copy_only=False)
        for place in np.flatnonzero(suspects).tolist():
            name, key = rows[self.column][place].as_py(), row_key(rows, place)
            seen = self._seen.setdefault(name, set())
            file, row = batch.file_at(place), int(batch.source_row[place])
            if not seen:
                seen.add(key)
                self.kept[name] = (rows.slice(place, 1), file, row)
                continue
            stay[place] = False
            if key in seen:
                self.counts[file] += 1
            else:
                seen.add(key)
                self.conflicts.setdefault(name, (file, row))
                self.rejected.append((rows.slice(place, 1), file, row))
        return stay


@dataclass(frozen=True)
class Conflicts:
    """Ids with rows of different content: `kept` the row of each that is audited, `other` the first that differs."""

    kept: dict[str, tuple[pa.RecordBatch, str, int]] = field(default_factory=dict)
    other: dict[str, tuple[str, int]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.other)

    def place(self, name: str) -> str:
        """File and row of the row that is audited."""
        _, file, row = self.kept[name]
        return f"{file} {row}"

    def round_of(self, name: str) -> str:
        """The round of the wager that is audited."""
        return str(self.kept[name][0]["round_id"][0].as_py())


def repeated_ids(again: Callable[[], Iterable[pa.StringArray]], scratch: Path | None = None) -> frozenset[str]:
    """Every id that occurs more than once among the ids that `again` gives anew at each call.

    8 bytes an id are kept, on disk in the folder `scratch` where there are many; only ids whose fingerprint is shared
    are looked at as text, in a second pass.
    """
    with PrintStore(scratch) as prints:
        for ids in again():
            prints.add(fingerprints(ids))
        twice = prints.repeated()
    if not len(twice):
        return frozenset()
    counts: Counter[str] = Counter()
    for ids in again():
        suspects = np.flatnonzero(np.isin(fingerprints(ids), twice))
        counts.update(ids.take(pa.array(suspects)).to_pylist())
    return frozenset(name for name, times in counts.items() if times > 1)
