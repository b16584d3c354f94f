"""Pieces of the input: each read by one worker on its own, with what the reading is to tell the client."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from audit.base.canonical import TABLES
from audit.base.errors import UsageError
from audit.formats.parquetfile import split
from audit.gate.facts import TableFacts as Facts
from audit.replay.identity import ascending, fingerprints
from audit.source.cells import SourceColumn, as_strings
from audit.source.file_reading import Batch, FileReading, ReadSettings, open_file
from audit.source.profiles import SourceProfile
from audit.source.quarantine import Quarantine
from audit.stores.files import SourceFile

ROWS: Final = 500_000
"""Rows of a piece of a Parquet file, about."""

_NO_ROWS: Final = np.zeros(0, np.int64)


@dataclass(frozen=True)
class InputPiece:
    """A file of one role, or some row groups of it.

    `index` is the file's place among those of the role, `number` the piece's place in the file; `left_out` are the
    numbers of the rows that repeat or contradict an earlier row.
    """

    role: str
    file: SourceFile
    index: int
    number: int = 0
    left_out: npt.NDArray[np.int64] = field(default_factory=lambda: _NO_ROWS)


@dataclass
class Seen:
    """What the reading of a piece tells the client: facts for the data gate (if kept), rejected rows, rows accepted."""

    role: str
    place: tuple[int, int]
    quarantine: Quarantine
    facts: Facts | None = None
    accepted: int = 0
    rows_at_all: bool = False


def refuse_stateful(profile: SourceProfile) -> None:
    """Raise UsageError for a profile whose rows cannot be read without what other files say.

    These are rounds numbered on from shoe to shoe, corrections that replace earlier rows, and cards in files of their
    own. (The proof of the order of cards adds up over pieces.)
    """
    for table in TABLES.values():
        layout = profile.table(table)
        reasons = {
            "numbers its rounds on from shoe to shoe": layout.running,
            "has corrections that replace earlier rows": layout.corrections is not None,
            "keeps its cards in files of their own": layout.cards is not None and layout.cards.joined is not None,
        }
        for reason, holds in reasons.items():
            if holds and table.name != "events":
                raise UsageError(
                    f"the profile {profile.name} {reason}, which takes one reader for all files; use --engine local"
                )


def whole(role: str, files: Sequence[SourceFile]) -> list[InputPiece]:
    """The files of a role, each a piece, in the order of reading."""
    return [InputPiece(role, file, index) for index, file in enumerate(files)]


def pieces_of(
    role: str, files: Sequence[SourceFile], cut: Mapping[SourceFile, Sequence[SourceFile]]
) -> list[InputPiece]:
    """The files of a role in pieces, in the order of reading: those of `cut` as it has them, Parquet by row groups.

    Raises InputRefused for a file that is damaged.
    """
    return [
        InputPiece(role, part, index, number)
        for index, file in enumerate(files)
        for number, part in enumerate(cut.get(file) or split(file, ROWS))
    ]


def without(pieces: Sequence[InputPiece], places: dict[int, npt.NDArray[np.int64]]) -> list[InputPiece]:
    """The pieces with the rows to leave out, given by the file's index."""
    return [replace(piece, left_out=places.get(piece.index, _NO_ROWS)) for piece in pieces]


def read(piece: InputPiece, profile: SourceProfile, seen: Seen) -> Iterator[Batch]:
    """The rows of a piece that take part in the audit; `seen` hears of all of them."""
    reading = FileReading(ReadSettings(TABLES[piece.role], profile, seen.quarantine), piece.file, piece.index)
    for note in reading.nothing().notes:
        note()
    for step in reading.steps():
        seen.rows_at_all = True
        for note in step.notes:
            note()
        batch = step.batch
        if not len(batch):
            continue
        seen.accepted += len(batch)
        if seen.facts is not None:
            seen.facts.add(batch.rows)
        if len(piece.left_out):
            stay = ~np.isin(batch.source_row, piece.left_out)
            if not stay.all():
                batch = batch.where(stay)
        if len(batch):
            yield batch


@dataclass(frozen=True)
class Ids:
    """How the ids of a piece stand: how many, whether each is greater than the one before, the first and the last.

    `named` are the least and the greatest round of wagers. Rows that cannot be read may be among them.
    """

    rows: int
    rising: bool
    first: str | None
    last: str | None
    named: tuple[str, str] | None = None


def ids_of(piece: InputPiece, profile: SourceProfile) -> Iterator[pa.StringArray]:
    """The ids of the rows of a piece. Ids of rows that cannot be read may be among them."""
    for (ids,) in _texts_of(piece, profile, [str(TABLES[piece.role].identity)]):
        yield ids.drop_null()


def _texts_of(piece: InputPiece, profile: SourceProfile, names: Sequence[str]) -> Iterator[list[pa.StringArray]]:
    """Columns of ids of the rows of a piece; where a Parquet file has them as they are, no others are read.

    Rows that cannot be read may be among them.
    """
    sources = [source for name in names if (source := _plain_source(piece, profile, name)) is not None]
    reader = open_file(piece.file, profile) if len(sources) == len(names) else None
    if reader is not None and set(sources) <= set(reader.names):
        for raw in reader.batches(sources, sources):
            yield [as_strings(raw.columns[source], SourceColumn(piece.file.name, source)) for source in sources]
        return
    for batch in read(piece, profile, Seen(piece.role, (0, 0), Quarantine())):
        yield [batch.rows[name] for name in names]


def _plain_source(piece: InputPiece, profile: SourceProfile, name: str) -> str | None:
    """The column of a Parquet file that holds the ids called `name` as they are."""
    layout = profile.table(TABLES[piece.role])
    if piece.file.kind != "parquet" or layout.records.active:
        return None
    if layout.direct:
        return name
    mapped = layout.columns.get(name)
    if mapped is None or mapped.words or mapped.also or mapped.match or mapped.sources != (mapped.source,):
        return None
    return mapped.source


def look_at_ids(listed: Sequence[InputPiece], profile: SourceProfile) -> list[Ids]:
    """How the ids of each piece stand."""
    return [_look(piece, profile) for piece in listed]


def _look(piece: InputPiece, profile: SourceProfile) -> Ids:
    rows, rising, first, last = 0, True, None, None
    ends: list[str] = []
    names = [str(TABLES[piece.role].identity), *(["round_id"] if piece.role == "wagers" else [])]
    for texts, *named in _texts_of(piece, profile, names):
        for each in named:
            ends += [end for end in pc.min_max(each).as_py().values() if end is not None]
        ids = texts.drop_null()
        if len(ids):
            rising = rising and ascending(ids, last)
            rows, first, last = rows + len(ids), first if rows else ids[0].as_py(), ids[-1].as_py()
    return Ids(rows, rising, first, last, (min(ends), max(ends)) if ends else None)


def prints_of(piece: InputPiece, profile: SourceProfile) -> npt.NDArray[np.uint64]:
    """A 64-bit fingerprint of each id of a piece."""
    return np.concatenate([np.zeros(0, np.uint64), *map(fingerprints, ids_of(piece, profile))])


def suspects(listed: Sequence[InputPiece], profile: SourceProfile, prints: npt.NDArray[np.uint64]) -> list[Batch]:
    """The accepted rows of some pieces whose id has one of the (sorted) fingerprints."""
    found = []
    for piece in listed:
        identity = str(TABLES[piece.role].identity)
        for batch in read(piece, profile, Seen(piece.role, (0, 0), Quarantine())):
            mine = np.isin(fingerprints(batch.rows[identity]), prints)
            if mine.any():
                found.append(batch.where(mine))
    return found


def holds(listed: Sequence[InputPiece], profile: SourceProfile, ids: pa.Array) -> bool:
    """Whether a row of some pieces has one of these ids."""
    return any(pc.any(pc.is_in(each, value_set=ids)).as_py() for piece in listed for each in ids_of(piece, profile))
