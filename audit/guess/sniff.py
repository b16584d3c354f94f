"""The outward form of a file whose profile is not known yet: encoding and delimiter, and its first rows as text."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import pyarrow as pa

from audit.base.errors import InputRefused
from audit.formats.csvfile import Dialect
from audit.formats.record_paths import opened, scalar_text
from audit.source.file_reading import open_file
from audit.source.profiles import SourceProfile
from audit.source.raw_rows import as_text
from audit.stores.files import SourceFile

ROWS: Final = 2000
"""First rows that are looked at."""

_START: Final = 1 << 18
_DELIMITERS: Final = ",;\t|"
_BOMS: Final = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_ENCODINGS: Final = ("utf-8", "big5", "gb18030", "cp1252")
_DEEPEST: Final = 8

MEMBERS: Final = "\x1f"
"""Stands between the values of a list that is one cell of the sample."""


@dataclass(slots=True)
class Sample:
    """The first rows of a file as columns of text, and how a CSV of it is written.

    `members` are the records of the lists inside, by the path of the list, each with its values by their whole paths.
    """

    file: str
    dialect: Dialect = field(default_factory=Dialect)
    columns: dict[str, list[str | None]] = field(default_factory=dict)
    members: dict[str, list[dict[str, str | None]]] = field(default_factory=dict)
    binary_floats: set[str] = field(default_factory=set)
    rows: int = 0


def sample(file: SourceFile) -> Sample:
    """Look at the first rows of a file; InputRefused where it cannot be read at all."""
    found = Sample(file.name)
    if file.kind == "csv":
        found.dialect = _dialect(file)
    reader = open_file(file, SourceProfile("guessed", dialect=found.dialect))
    for raw in reader.batches(reader.names, reader.names):
        if raw.records is not None:
            _of_records(found, raw.records[: ROWS - found.rows])
        else:
            _of_columns(found, raw.columns)
        if found.rows >= ROWS:
            break
    return found


def _dialect(file: SourceFile) -> Dialect:
    try:
        with file.stream() as stream:
            start = stream.read(_START)
    except (pa.ArrowException, OSError) as error:
        raise InputRefused(f"{file.name}: cannot be read (truncated or damaged)") from error
    encoding, text = _decoded(file, start)
    header = next((line for line in text.splitlines() if line.strip()), "")
    counts = {mark: len(next(csv.reader(io.StringIO(header), delimiter=mark), [])) for mark in _DELIMITERS}
    return Dialect(max(_DELIMITERS, key=lambda mark: counts[mark]), encoding)


def _decoded(file: SourceFile, start: bytes) -> tuple[str, str]:
    marked = next((name for bom, name in _BOMS.items() if start.startswith(bom)), None)
    zeros = start[:200].count(0)
    if marked is None and zeros > 0:
        marked = "utf-16-le" if start[1:2] == b"\0" else "utf-16-be"
    for name in (marked,) if marked else _ENCODINGS:
        try:
            return name, codecs.getincrementaldecoder("utf-8-sig" if name == "utf-8" else name)().decode(start)
        except UnicodeError:
            continue
    raise InputRefused(f"{file.name}: is text in no encoding that is known ({', '.join(_ENCODINGS)}, UTF-16)")


def _of_columns(found: Sample, columns: Mapping[str, pa.Array]) -> None:
    import numpy as np

    length = len(next(iter(columns.values()))) if columns else 0
    some = np.arange(min(length, ROWS - found.rows))
    records: list[dict[str, Any]] = [{} for _ in some]
    for name, column in columns.items():
        if pa.types.is_floating(column.type):
            found.binary_floats.add(name)
        if pa.types.is_nested(column.type):
            for record, value in zip(records, column.slice(0, len(some)).to_pylist(), strict=True):
                record[name] = value
        else:
            for record, text in zip(records, as_text(column, some).to_pylist(), strict=True):
                record[name] = text
    _of_records(found, records)


def _of_records(found: Sample, records: Any) -> None:
    for record in records:
        for path, value in _leaves(record, "", found.members, 0):
            cells = found.columns.setdefault(path, [None] * found.rows)
            if len(cells) == found.rows:
                cells.append(value)
        found.rows += 1
        for cells in found.columns.values():
            if len(cells) < found.rows:
                cells.append(None)


def _leaves(
    value: Any, path: str, members: dict[str, list[dict[str, str | None]]], depth: int
) -> Iterator[tuple[str, str | None]]:
    """The values of a record by their paths; lists of records are noted, lists of texts are one value."""
    inside = opened(value) if depth else value
    if isinstance(inside, dict) and depth < _DEEPEST:
        for key, each in inside.items():
            name = f'"{key}"' if set(key) & set('.[]"') and path else str(key)
            yield from _leaves(each, f"{path}.{name}" if path else name, members, depth + 1)
    elif isinstance(inside, list) and any(isinstance(each, dict) for each in inside) and depth < _DEEPEST:
        joined: dict[str, list[str]] = {}
        for each in inside:
            leaves = dict(_leaves(each, f"{path}[]", members, depth + 1))
            members.setdefault(f"{path}[]", []).append(leaves)
            for name, text in leaves.items():
                joined.setdefault(name, []).append(text or "")
        yield from ((name, MEMBERS.join(texts)) for name, texts in joined.items())
    elif isinstance(inside, list):
        yield f"{path}[]", MEMBERS.join(scalar_text(each) or "" for each in inside)
    else:
        yield path, scalar_text(value)
