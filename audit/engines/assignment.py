"""What an engine is given: the files, the law they are judged by, and an eye on the rows for the data gate."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

import pyarrow as pa

from audit.catalogue.catalogue import Catalogue
from audit.config.settings import Settings
from audit.games.paytable import Paytable
from audit.gate.facts import TableFacts as Facts
from audit.register.register import Register
from audit.rulebook import Rulebook
from audit.source.profiles import SourceProfile
from audit.source.read import Batch
from audit.stores.files import SourceFile

SAMPLE: Final = 100_000
"""Rows of each table that the row-level expectations look at."""

Progress = Callable[[str, int], None]
"""Told the step and the rows just done."""


class Disordered(Exception):
    """The log is not in the order hoped for: `what` are the fields of the engine's order that do not hold."""

    def __init__(self, *what: str) -> None:
        super().__init__(*what)
        self.what = what


@dataclass(frozen=True)
class Inputs:
    """The files of a run by role, and how to read them; `pruned` counts files by role whose days were not asked for."""

    rounds: tuple[SourceFile, ...]
    wagers: tuple[SourceFile, ...]
    events: tuple[SourceFile, ...]
    profile: SourceProfile
    pruned: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Law:
    """What the data is judged by."""

    rulebook: Rulebook
    register: Register | None
    paytables: Mapping[str, Paytable]
    settings: Settings
    catalogue: Catalogue


Foresee = Callable[[str, pa.Table], None]
"""Told the role and the first rows of a table as soon as there are as many as the data gate looks at."""


def nothing_foreseen(role: str, sample: pa.Table) -> None:
    """For a data gate that judges at the end alone."""


@dataclass
class FactsWatch:
    """Looks at every accepted row as it streams by, for the data gate; `foresee` hears of each table's first rows."""

    facts: dict[str, Facts] = field(default_factory=dict)
    parts: dict[str, list[pa.RecordBatch]] = field(default_factory=dict)
    foresee: Foresee = nothing_foreseen

    def see(self, role: str, batch: Batch) -> Batch:
        """Note a batch and hand it on."""
        self.facts.setdefault(role, Facts(role)).add(batch.rows)
        parts = self.parts.setdefault(role, [])
        room = SAMPLE - sum(part.num_rows for part in parts)
        if room > 0:
            parts.append(batch.rows.slice(0, room))
            if len(batch) >= room:
                self.foresee(role, _table(parts))
        return batch

    def samples(self) -> dict[str, pa.Table]:
        """The first rows of each table."""
        return {role: _table(parts) for role, parts in self.parts.items() if parts}


def _table(parts: list[pa.RecordBatch]) -> pa.Table:
    return pa.Table.from_batches(parts).unify_dictionaries()
