"""Rows out of records: nested values as columns, lists as rows, rows of other kinds left, rows set aside.

A source may keep rounds and wagers in one record, several tables in one file, wagers as columns of a round. This stage
stands between a reader and a layout: whatever the file looks like, the layout sees flat columns with one row each.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from audit.base.columns import Mask, is_textual
from audit.base.errors import InputRefused
from audit.formats import record_paths
from audit.formats.raw import RawBatch
from audit.source.raw_rows import as_text

INDEX: Final = "@index"
"""Place of a row in the list it comes from, from 1."""

KEY: Final = "@key"
"""Key of a row in the record of records it comes from."""

ROW: Final = "@row"
"""Number of the row or record in its file, from 1."""

SPREAD: Final = "@spread."
"""Prefix of the columns that the spreading of a row makes."""

_OWN: Final = (INDEX, KEY, ROW)
_NOTHING: Final = frozenset({None, "", "0", "0.0", "0.00", "false"})


@dataclass(frozen=True, slots=True)
class Selector:
    """Which rows are the table's, by the word in one column.

    `take`, if not empty, are the words of the table's rows, and a word in none of the three sets is unknown; `leave`
    are the words of rows that belong elsewhere; `aside` gives the reason why rows with a word do not count.
    """

    source: str
    take: frozenset[str] = frozenset()
    leave: frozenset[str] = frozenset()
    aside: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Spread:
    """One row that each source row gives, where one of `columns` (canonical name to source) has a value."""

    constants: Mapping[str, str]
    columns: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class RecordLayout:
    """How rows are found in the records of a source; `nulls` are the texts that stand for no value."""

    nulls: frozenset[str] = frozenset()
    each: str = ""
    spread: tuple[Spread, ...] = ()
    selectors: tuple[Selector, ...] = ()

    @property
    def active(self) -> bool:
        """Whether rows are anything but what the reader hands over."""
        return bool(self.nulls or self.each or self.spread or self.selectors)

    def sources(self) -> set[str]:
        """Source columns that finding the rows needs."""
        needed = {selector.source for selector in self.selectors}
        needed.update(source for entry in self.spread for source in entry.columns.values())
        return needed

    def spread_names(self) -> list[str]:
        """Canonical columns that spreading makes."""
        return list(dict.fromkeys(name for entry in self.spread for name in (*entry.constants, *entry.columns)))


@dataclass(frozen=True, slots=True)
class Aside:
    """Rows of a batch that are kept out: the source column, the reason's key and the mask."""

    source: str
    reason: str
    mask: Mask


@dataclass(frozen=True, slots=True)
class Shaped:
    """A batch of flat rows, the rows to be kept out of it, and how many rows of other tables were left."""

    raw: RawBatch
    aside: tuple[Aside, ...]
    left: int


def heads(sources: Collection[str], names: Collection[str]) -> set[str]:
    """The columns of the file that the sources are found in."""
    return {head_of(source, names) for source in sources if source not in _OWN}


def head_of(source: str, names: Collection[str]) -> str:
    """The column of the file that a source is found in: itself, or the head of its path."""
    if source in names or not source:
        return source
    try:
        return record_paths.parse(source).head
    except ValueError:
        return source


def shape(raw: RawBatch, layout: RecordLayout, sources: Collection[str], file: str) -> Shaped:
    """The flat rows of one batch with (at least) the columns `sources`."""
    rows = _ElementRows(raw, layout.each)
    columns = {source: column for source in sources if (column := rows.column(source, file)) is not None}
    flat = replace(
        raw,
        columns={**({} if raw.records is not None or layout.each else raw.columns), **columns},
        source_row=raw.source_row[rows.parents],
        records=None,
        texts=None if raw.texts is None else pc.take(raw.texts, pa.array(rows.parents)),
    )
    if layout.spread:
        flat = _spread(flat, layout)
    if layout.nulls:
        blank = pa.array(sorted(layout.nulls), pa.string())
        flat = replace(flat, columns={name: _blanked(column, blank) for name, column in flat.columns.items()})
    return _selected(flat, layout.selectors)


class _ElementRows:
    """The rows that a batch's records give: their parents, and the elements they come from."""

    def __init__(self, raw: RawBatch, each: str) -> None:
        self._raw = raw
        self._values: dict[str, Sequence[Any]] = {}
        self._elements: dict[tuple[str | int | None, ...], list[Any]] = {}
        self.parents: NDArray[np.int64] = np.arange(len(raw), dtype=np.int64)
        self._index = np.ones(len(raw), np.int64)
        self._keys: list[Any] = [None] * len(raw)
        if each:
            self._explode(record_paths.parse(each))

    def _record_values(self, head: str) -> Sequence[Any]:
        """What stands under a key in each record of the batch."""
        if head not in self._values:
            if self._raw.records is not None:
                self._values[head] = [record.get(head) for record in self._raw.records]
            elif head in self._raw.columns:
                self._values[head] = [record_paths.opened(value) for value in self._raw.columns[head].to_pylist()]
            else:
                self._values[head] = [None] * len(self._raw)
        return self._values[head]

    def _explode(self, each: record_paths.Path) -> None:
        """One row for each element of the list, list by list from the outermost."""
        whole = (each.head, *each.steps)
        found: list[tuple[int, tuple[Any, ...], int, Any]] = [(row, (), 1, None) for row in range(len(self._raw))]
        prefixes: list[tuple[str | int | None, ...]] = []
        done = 0
        for place, step in enumerate(whole):
            if step is not None:
                continue
            inner = whole[done:place]
            deeper = []
            for row, elements, _, _ in found:
                if elements:
                    start = record_paths.find(elements[-1], inner)
                else:
                    start = record_paths.find(self._record_values(each.head)[row], inner[1:])
                for number, (key, element) in enumerate(_members(start), 1):
                    deeper.append((row, (*elements, element), number, key))
            found = deeper
            prefixes.append(whole[: place + 1])
            done = place + 1
        self.parents = np.array([row for row, _, _, _ in found], np.int64)
        self._index = np.array([number for _, _, number, _ in found], np.int64)
        self._keys = [key for _, _, _, key in found]
        for depth, prefix in enumerate(prefixes):
            self._elements[prefix] = [elements[depth] for _, elements, _, _ in found]

    def column(self, source: str, file: str) -> pa.Array | None:
        """A source as a column of the rows; None where the file has nothing of the kind."""
        if source in _OWN:
            return self._own(source)
        if source in self._raw.columns and self._raw.records is None:
            column = self._raw.columns[source]
            return pc.take(column, pa.array(self.parents)) if self._elements else column
        if self._raw.records is not None and any(source in record for record in self._raw.records):
            values = self._record_values(source)
            return _as_column([values[parent] for parent in self.parents], file, source)
        try:
            path = record_paths.parse(source)
        except ValueError:
            return None
        return self._found(path, file)

    def _found(self, path: record_paths.Path, file: str) -> pa.Array | None:
        whole = (path.head, *path.steps)
        for prefix in sorted(self._elements, key=len, reverse=True):
            if whole[: len(prefix)] == prefix:
                rest = whole[len(prefix) :]
                return _as_column([record_paths.find(each, rest) for each in self._elements[prefix]], file, path.text)
        if self._raw.records is None and path.head not in self._raw.columns:
            return None
        values = self._record_values(path.head)
        return _as_column([record_paths.find(values[parent], path.steps) for parent in self.parents], file, path.text)

    def _own(self, source: str) -> pa.Array:
        if source == KEY:
            return pa.array(self._keys, pa.string())
        numbers = self._index if source == INDEX else self._raw.source_row[self.parents]
        return pa.array(numbers).cast(pa.string())


def _members(value: Any) -> list[tuple[str | None, Any]]:
    value = record_paths.opened(value)
    if isinstance(value, dict):
        return [(str(key), each) for key, each in value.items() if each is not None]
    return [(None, each) for each in value if each is not None] if isinstance(value, list) else []


def _as_column(values: list[Any], file: str, source: str) -> pa.Array:
    """Values as a column of text, or of lists of text; binary floating point stays what it is, to be refused."""
    if any(isinstance(value, list) for value in values):
        lists = [None if value is None else _texts(value) for value in values]
        return pa.array(lists, pa.list_(pa.string()))
    if any(isinstance(value, float) for value in values):
        if all(value is None or isinstance(value, float) for value in values):
            return pa.array(values, pa.float64())
        raise InputRefused(f"{file}: column {source} mixes binary floating point with other values")
    try:
        return pa.array([record_paths.scalar_text(value) for value in values], pa.string())
    except UnicodeEncodeError:
        texts = [record_paths.scalar_text(value) for value in values]
        return pa.array([text and text.encode("utf-8", "backslashreplace").decode() for text in texts], pa.string())


def _texts(value: Any) -> list[str]:
    members = value if isinstance(value, list) else [value]
    texts = [text for each in members for text in (each if isinstance(each, list) else [each])]
    return [(record_paths.scalar_text(text) or "").encode("utf-8", "backslashreplace").decode() for text in texts]


def _blanked(column: pa.Array, blank: pa.StringArray) -> pa.Array:
    """The column with nothing where one of the texts for no value stands."""
    if not is_textual(column.type) or pa.types.is_null(column.type):
        return column
    if pa.types.is_dictionary(column.type):
        texts = column.dictionary.cast(pa.string())
        hit = pc.is_in(pc.utf8_trim_whitespace(texts), value_set=blank)
        if not pc.any(hit).as_py():
            return column
        return pc.take(pc.if_else(hit, pa.scalar(None, pa.string()), texts), column.indices)
    texts = column.cast(pa.string())
    return pc.if_else(pc.is_in(pc.utf8_trim_whitespace(texts), value_set=blank), pa.scalar(None, pa.string()), texts)


def _spread(flat: RawBatch, layout: RecordLayout) -> RawBatch:
    """Each row once for each entry that has a value in it, in the order of rows."""
    texts = {
        source: _cell_texts(flat.columns[source])
        for entry in layout.spread
        for source in entry.columns.values()
        if source in flat.columns
    }
    parents: list[NDArray[np.int64]] = []
    entries: list[NDArray[np.int64]] = []
    for number, entry in enumerate(layout.spread):
        there = np.zeros(len(flat), np.bool_)
        for source in entry.columns.values():
            if source in texts:
                there |= np.array([text not in _NOTHING for text in texts[source].to_pylist()], np.bool_)
        parents.append(np.flatnonzero(there))
        entries.append(np.full(int(there.sum()), number, np.int64))
    parent, entry_of = np.concatenate(parents), np.concatenate(entries)
    order = np.lexsort((entry_of, parent))
    parent, entry_of = parent[order], entry_of[order]
    columns = {name: pc.take(column, pa.array(parent)) for name, column in flat.columns.items()}
    for name in layout.spread_names():
        cells: list[str | None] = []
        plain = {source: text.to_pylist() for source, text in texts.items()}
        for row, number in zip(parent.tolist(), entry_of.tolist(), strict=True):
            entry = layout.spread[number]
            source = entry.columns.get(name)
            cells.append(entry.constants.get(name) if source is None else plain.get(source, {row: None})[row])
        columns[SPREAD + name] = pa.array(cells, pa.string())
    columns[INDEX] = pa.array(entry_of + 1).cast(pa.string())
    return replace(
        flat,
        columns=columns,
        source_row=flat.source_row[parent],
        texts=None if flat.texts is None else pc.take(flat.texts, pa.array(parent)),
    )


def _cell_texts(column: pa.Array) -> pa.StringArray:
    """The cells of a column as text; a list of texts as one, with a mark between that no text has."""
    if not pa.types.is_list(column.type):
        return as_text(column, np.arange(len(column)))
    rows = (None if cells is None else "\x1f".join(each or "" for each in cells) for cells in column.to_pylist())
    return pa.array([text or None for text in rows], pa.string())


def _selected(flat: RawBatch, selectors: Sequence[Selector]) -> Shaped:
    """The rows of the table, with those that are not to count marked."""
    leave = np.zeros(len(flat), np.bool_)
    found: list[Aside] = []
    for selector in selectors:
        column = flat.columns.get(selector.source)
        cells = ["" for _ in range(len(flat))] if column is None else as_text(column, np.arange(len(flat))).to_pylist()
        words = [(word or "").strip() for word in cells]
        leave |= np.array([word in selector.leave for word in words], np.bool_)
        for word, reason in selector.aside.items():
            found.append(Aside(selector.source, reason, np.array([each == word for each in words], np.bool_)))
        if selector.take:
            known = selector.take | selector.leave | set(selector.aside)
            unknown = np.array([word not in known for word in words], np.bool_)
            found.append(Aside(selector.source, "row_of_unknown_kind", unknown))
    aside = [each for each in found if (each.mask & ~leave).any()]
    if not leave.any():
        return Shaped(flat, tuple(aside), 0)
    stay = ~leave
    kept = pa.array(stay)
    raw = replace(
        flat,
        columns={name: column.filter(kept) for name, column in flat.columns.items()},
        source_row=flat.source_row[stay],
        texts=None if flat.texts is None else flat.texts.filter(kept),
    )
    return Shaped(raw, tuple(Aside(a.source, a.reason, a.mask[stay]) for a in aside), int(leave.sum()))
