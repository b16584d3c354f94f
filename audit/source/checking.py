"""What a profile makes of a file: counts, rejects, the proof of order, and the first rows before and after."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from audit.base.canonical import ROUNDS, TABLES, CanonicalTable, CellKind
from audit.base.model import LANGUAGES, money_text
from audit.source import read
from audit.source.file_reading import FileReading, ReadSettings, shaped_batches
from audit.source.profiles import SourceProfile
from audit.source.quarantine import Quarantine, message
from audit.source.raw_rows import as_text
from audit.source.records import Shaped
from audit.stores.files import SourceFile

_OPEN: Final = {"rounds": read.open_rounds, "wagers": read.open_wagers, "events": read.open_events}


def check_source(
    files: Sequence[SourceFile], profile: SourceProfile, tables: Sequence[str], rows: int
) -> dict[str, Any]:
    """Read the files whole with a profile and say what came of it, as plain data.

    Raises InputRefused for files that cannot be read, and for a profile whose order of cards the records contradict.
    """
    return {
        "profile": profile.name,
        "description": profile.description,
        "zone": profile.zone,
        "digest": profile.digest,
        "files": [file.name for file in files],
        "tables": [_check_table(files, profile, TABLES[name], rows) for name in tables],
    }


def _check_table(
    files: Sequence[SourceFile], profile: SourceProfile, table: CanonicalTable, rows: int
) -> dict[str, Any]:
    with Quarantine() as quarantine:
        accepted = sum(len(batch) for batch in _OPEN[table.name](files, profile=profile, quarantine=quarantine))
        counts = quarantine.files(table.name).values()
        result: dict[str, Any] = {
            "table": table.name,
            "read": sum(count.rows for count in counts),
            "accepted": accepted,
            "quarantined": quarantine.count(table.name),
            "of_other_tables": quarantine.left().get(table.name, 0),
            "reasons": reasons(quarantine),
            "rows": list(preview(files, profile, table, rows)),
        }
        if table is ROUNDS:
            result["proof"] = quarantine.proof.as_json()
            result["orders"] = orders(files, profile)
    return result


def reasons(quarantine: Quarantine) -> list[dict[str, Any]]:
    """The rejected rows by table and reason, each with up to three examples and their sentences."""
    return [
        {
            "table": entry.table,
            "reason": entry.reason,
            "count": entry.count,
            "examples": [
                {
                    "file": example.source_file,
                    "row": example.source_row,
                    "column": example.column,
                    "value": example.value,
                    "message": {
                        language: message(entry.table, example.column, entry.reason, example.value).in_language(
                            language
                        )
                        for language in LANGUAGES
                    },
                }
                for example in entry.examples
            ],
        }
        for entry in quarantine.by_reason()
    ]


def orders(files: Sequence[SourceFile], profile: SourceProfile) -> list[dict[str, Any]]:
    """How many rounds of the first batch agree with the records, in each order the cards could be read in."""
    layout = profile.table(ROUNDS)
    if layout.cards is None:
        return []
    named = {layout.cards.order or "as the profile says": layout.cards, **layout.cards.alternatives()}
    found = []
    for name, cards in named.items():
        other = replace(profile, tables={**profile.tables, "rounds": replace(layout, cards=cards)})
        with Quarantine() as quarantine:
            quarantine.proof.lenient = True
            next(iter(read.open_rounds(files, profile=other, quarantine=quarantine)), None)
            proof = quarantine.proof
            found.append({"order": name, "rounds": proof.rounds, "agree": proof.agree, "basis": proof.basis})
    return found


def preview(
    files: Sequence[SourceFile], profile: SourceProfile, table: CanonicalTable, rows: int
) -> Iterator[dict[str, Any]]:
    """The first rows: for each canonical column the cells of the source and what was made of them."""
    with Quarantine() as quarantine:
        common = read.common_of(table, files, profile, quarantine)
    rule = common.layout.cards.joined if common.layout.cards else None
    data = [file for file in files if rule is None or not rule.is_card_file(file)]
    shown = 0
    for index, file in enumerate(files):
        if file not in data:
            continue
        reading = FileReading(common, file, index)
        for shaped in shaped_batches(file, profile, table):
            whole = reading.joined(shaped)
            for place in range(min(rows - shown, len(whole.raw))):
                yield _row(common, file, index, _one(whole, place))
                shown += 1
            if shown >= rows:
                return


def _one(shaped: Shaped, place: int) -> Shaped:
    raw = shaped.raw
    one = replace(
        raw,
        columns={name: column.slice(place, 1) for name, column in raw.columns.items()},
        source_row=raw.source_row[place : place + 1],
        malformed=(),
        texts=None if raw.texts is None else raw.texts.slice(place, 1),
    )
    return Shaped(one, tuple(replace(each, mask=each.mask[place : place + 1]) for each in shaped.aside), 0)


def _row(common: ReadSettings, file: SourceFile, index: int, shaped: Shaped) -> dict[str, Any]:
    """One row before and after; a row of its own needs a quarantine of its own."""
    with Quarantine() as quarantine:
        step = FileReading(replace(common, quarantine=quarantine), file, index).read(shaped)
        for note in step.notes:
            note()
        rejected = reasons(quarantine)
    table, raw = common.table, shaped.raw
    after = _plain(table, step.batch.rows) if len(step.batch) else {}
    cells = []
    for name, sources in common.layout.needed(table).items():
        before = {source: _cell(raw.columns[source]) for source in sources if source in raw.columns}
        if before or after.get(name) is not None:
            cells.append({"column": name, "before": before, "after": after.get(name)})
    constant = [{"column": name, "before": {}, "after": text} for name, text in common.layout.constants.items()]
    return {
        "file": file.name,
        "row": int(raw.source_row[0]),
        "cells": cells + constant,
        "rejected": rejected[0]["examples"][0]["message"] if rejected else None,
    }


def _cell(column: pa.Array) -> str | None:
    text: str | None = as_text(column, np.arange(1))[0].as_py()
    return text


def _plain(table: CanonicalTable, rows: pa.RecordBatch) -> dict[str, str | None]:
    """The first typed row as text: money in the currency's unit, times in UTC."""
    found: dict[str, str | None] = {}
    for column in table.columns:
        value = rows[column.name][0]
        if not value.is_valid:
            found[column.name] = None
        elif column.kind is CellKind.MONEY:
            found[column.name] = money_text(value.as_py())
        elif column.kind is CellKind.INSTANT:
            found[column.name] = pc.cast(value, pa.timestamp("us", "UTC")).as_py().isoformat()
        else:
            found[column.name] = str(value.as_py())
    return found
