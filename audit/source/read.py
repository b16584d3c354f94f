"""The door of the ingest: canonical typed rows out of files, in batches, with rejected rows in quarantine.

Nothing is held beyond one batch: files of any size are read in bounded memory, in the order of the files and of their
rows. The rows of a batch that cannot be read are taken out and handed to the quarantine; the others keep their number.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import groupby

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from audit.base.canonical import EVENTS, ROUNDS, WAGERS, CanonicalTable
from audit.base.errors import InputRefused
from audit.base.read_ahead import ReadAhead
from audit.formats.raw import RawBatch
from audit.source.cells import SourceColumn, as_strings
from audit.source.file_reading import Batch, FileReading, ReadSettings, ReadStep, open_file, shaped_batches
from audit.source.joined_cards import CardTable, JoinedCards
from audit.source.profiles import CANONICAL, SourceProfile
from audit.source.quarantine import Quarantine
from audit.source.raw_rows import as_text
from audit.source.records import RecordLayout, Shaped, heads, shape
from audit.source.small_files import SmallFiles, are_many
from audit.source.table_layout import TableLayout
from audit.stores.files import SourceFile

__all__ = ["Batch", "open_events", "open_file", "open_ids", "open_rounds", "open_wagers"]


def open_rounds(
    files: Sequence[SourceFile],
    *,
    profile: SourceProfile = CANONICAL,
    quarantine: Quarantine,
    columns: Collection[str] | None = None,
) -> Iterator[Batch]:
    """The rounds of `files` as batches (schema of `canonical.ROUNDS`).

    `columns`, if given, names the canonical columns that are needed: text columns that may be null and are not among
    them come back as nulls without being read. A column whose content can reject a row is always read, so that the
    control totals do not depend on it.

    Raises InputRefused for a file that cannot be read or trusted, and when the files have no row at all.
    """
    return _open(ROUNDS, files, profile, quarantine, columns)


def open_wagers(
    files: Sequence[SourceFile],
    *,
    profile: SourceProfile = CANONICAL,
    quarantine: Quarantine,
    columns: Collection[str] | None = None,
) -> Iterator[Batch]:
    """The wagers of `files` as batches (schema of `canonical.WAGERS`); else as :func:`open_rounds`."""
    return _open(WAGERS, files, profile, quarantine, columns)


def open_events(
    files: Sequence[SourceFile],
    *,
    profile: SourceProfile = CANONICAL,
    quarantine: Quarantine,
    columns: Collection[str] | None = None,
) -> Iterator[Batch]:
    """The events of `files` as batches (schema of `canonical.EVENTS`); else as :func:`open_rounds`."""
    return _open(EVENTS, files, profile, quarantine, columns)


def open_ids(
    table: CanonicalTable, files: Sequence[SourceFile], profile: SourceProfile = CANONICAL
) -> Iterator[pa.StringArray]:
    """The identities of all rows of `files`, whether their rows can be read or not; nothing else is looked at.

    Raises InputRefused for a file that cannot be read.
    """
    layout = profile.table(table)
    rule = layout.cards.joined if layout.cards else None
    others = [name for name in table.names if name != table.identity]
    for file in files:
        if rule is not None and rule.is_card_file(file):
            continue
        for shaped in shaped_batches(file, profile, table, others):
            if len(shaped.raw):
                yield _identity_column(layout, table, shaped.raw, file.name).drop_null()


def _open(
    table: CanonicalTable,
    files: Sequence[SourceFile],
    profile: SourceProfile,
    quarantine: Quarantine,
    columns: Collection[str] | None,
) -> Iterator[Batch]:
    steps = _steps(table, files, profile, quarantine, columns)
    with closing(steps if are_many(files) else ReadAhead(steps)) as given:
        for step in given:
            for note in step.notes:
                note()
            if len(step.batch):
                yield step.batch


def _steps(
    table: CanonicalTable,
    files: Sequence[SourceFile],
    profile: SourceProfile,
    quarantine: Quarantine,
    columns: Collection[str] | None,
) -> Generator[ReadStep, None, None]:
    layout = profile.table(table)
    common = common_of(table, files, profile, quarantine, columns)
    rule = layout.cards.joined if layout.cards else None
    small = SmallFiles(common, len(files))
    read = False
    for bundled, group in groupby(enumerate(files), lambda each: small.fits(each[1])):
        if bundled:
            read |= yield from small.steps(group)
            continue
        for index, file in group:
            reading = FileReading(common, file, index)
            yield reading.nothing()
            if rule is not None and rule.is_card_file(file):
                continue
            for step in reading.steps():
                read = True
                yield step
    # Events that a profile finds in the files of the rounds need not be there.
    if not read and not layout.embedded:
        raise InputRefused(f"{', '.join(file.name for file in files)}: no row of data, only a header")
    if common.cards is not None:
        yield _cards_note(common, common.cards)


def common_of(
    table: CanonicalTable,
    files: Sequence[SourceFile],
    profile: SourceProfile,
    quarantine: Quarantine,
    columns: Collection[str] | None = None,
) -> ReadSettings:
    """What the files have in common, which may take a first pass over them (corrections, joined cards)."""
    layout = profile.table(table)
    skip = {c.name for c in table.columns if columns is not None and c.skippable and c.name not in columns}
    if layout.running:
        skip.discard("shoe_id")
    common = ReadSettings(table, profile, quarantine, skip)
    rule = layout.cards.joined if layout.cards else None
    if rule is not None:
        beside = [file for file in files if rule.is_card_file(file)]
        common = replace(common, cards=CardTable.read(rule, beside, partial(_card_rows, profile, rule)))
    if layout.corrections is not None:
        common = replace(common, winners=_winners(common, files))
    return common


def _card_rows(profile: SourceProfile, rule: JoinedCards, file: SourceFile) -> Iterator[RawBatch]:
    reader = open_file(file, profile)
    sources = rule.sources()
    for raw in reader.batches(heads(sources, reader.names), sources):
        yield shape(raw, RecordLayout(profile.nulls), sources, file.name).raw if len(raw) else raw


def _cards_note(common: ReadSettings, cards: CardTable) -> ReadStep:
    """Tells how many rows of cards were read and how many lead nowhere."""
    empty = Batch(common.table.nothing, "", 0, np.empty(0, np.int64))
    counts = {"cards_rows": cards.rows, "cards_unreadable": cards.unreadable, "cards_without_round": cards.unused}
    return ReadStep(empty, (partial(common.quarantine.proof.left.update, counts),))


def _winners(common: ReadSettings, files: Sequence[SourceFile]) -> dict[str, tuple[int, int]]:
    """For each identity with a correction, the place of the row that counts; one pass over the files beforehand."""
    table, layout = common.table, common.layout
    best: dict[str, tuple[tuple[int, str], tuple[int, int]]] = {}
    skip = [name for name in table.names if name != table.identity]
    for index, file in enumerate(files):
        if layout.cards and layout.cards.joined and layout.cards.joined.is_card_file(file):
            continue
        for shaped in shaped_batches(file, common.profile, table, skip):
            for name, rank, row in _corrected(layout, table, shaped, file.name):
                if name not in best or rank >= best[name][0]:
                    best[name] = (rank, (index, row))
    return {name: place for name, (_, place) in best.items()}


def _corrected(
    layout: TableLayout, table: CanonicalTable, shaped: Shaped, file: str
) -> Iterator[tuple[str, tuple[int, str], int]]:
    """Identity, rank and number of each row of a batch that replaces another."""
    raw, rule = shaped.raw, layout.corrections
    if rule is None or not len(raw):
        return
    out = np.zeros(len(raw), np.bool_)
    for each in shaped.aside:
        out |= each.mask
    every = np.arange(len(raw))
    flags = _text(raw, rule.flag, every)
    rows = [i for i in range(len(raw)) if not out[i] and (flags[i] or "").strip() in rule.words]
    if not rows:
        return
    versions = _text(raw, rule.latest, every)
    ids = _identities(layout, table, raw, file)
    for i in rows:
        name, version = ids[i], (versions[i] or "").strip()
        if name is not None:
            yield name, (len(version) if version.isdigit() else 0, version), int(raw.source_row[i])


def _text(raw: RawBatch, source: str, rows: NDArray[np.intp]) -> list[str | None]:
    if source not in raw.columns:
        return [None] * len(raw)
    return list(as_text(raw.columns[source], rows).to_pylist())


def _identities(layout: TableLayout, table: CanonicalTable, raw: RawBatch, file: str) -> list[str | None]:
    """The identity of each row, as the layout makes it."""
    return list(_identity_column(layout, table, raw, file).to_pylist())


def _identity_column(layout: TableLayout, table: CanonicalTable, raw: RawBatch, file: str) -> pa.StringArray:
    identity = str(table.identity)
    only = replace(
        layout,
        columns={name: mapped for name, mapped in layout.columns.items() if name == identity},
        templates={name: text for name, text in layout.templates.items() if name == identity},
        constants={},
        cards=None,
        records=RecordLayout(),
    )
    column = only.derive(table, raw.columns, len(raw), file)[identity]
    return as_strings(column, SourceColumn(file, identity))
