"""Rows of a small table as they stand in a CSV, Excel, Parquet or YAML file, before anything is made of their cells.

Columns may be headed in Chinese or Portuguese (``dictionary.yaml``); the same file gives words for closed values. Text
stays text: nothing is guessed from how a cell looks, so leading zeros and ids survive. Parquet cells keep the
type that the file gives them.
"""

from __future__ import annotations

import codecs
import csv
import glob
import io
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, NoReturn

import yaml

from audit.base.errors import InputRefused, UsageError
from audit.register.dictionary import canonical_heading, canonical_word
from audit.stores.files import SourceFile

SUFFIXES: Final = (".csv", ".csv.gz", ".csv.zst", ".parquet", ".xlsx", ".yaml", ".yml")

_NULLS: Final = frozenset({"", "~", "null", "Null", "NULL"})


@dataclass(frozen=True, slots=True)
class SheetRow:
    """One row of data: `number` counts from 1; `cells` has the known columns of the file, None for an empty cell."""

    file: str
    number: int
    cells: Mapping[str, object]

    def refuse(self, column: str, what: str) -> NoReturn:
        """Raise InputRefused that names the cell and what was expected."""
        message = f"{self.file}, row {self.number}, column {column}: {what}"
        raise InputRefused(message)


def register_files(path: str | Path | Iterable[str | Path]) -> list[Path]:
    """The files that the arguments name, each a file, a folder or a glob, in a stable order and each once.

    Raises UsageError for an argument that names nothing, InputRefused for a folder without a table in it.
    """
    arguments = [path] if isinstance(path, str | Path) else list(path)
    found: dict[Path, None] = {}
    for argument in arguments:
        for file in _expand(str(argument)):
            found[file] = None
    return list(found)


def _expand(argument: str) -> list[Path]:
    place = Path(argument)
    if place.is_dir():
        files = sorted(item for item in place.iterdir() if item.is_file() and item.name.lower().endswith(SUFFIXES))
        if not files:
            raise InputRefused(f"the folder {place.name} holds no register ({', '.join(SUFFIXES)})")
        return files
    if place.exists():
        return [place]
    matches = sorted(Path(item) for item in glob.glob(argument, recursive=True) if Path(item).is_file())  # noqa: PTH207 - the pattern may be absolute
    if not matches:
        raise UsageError(f"{argument}: no such file or folder")
    return matches


def read_rows(path: Path, *, required: Collection[str], known: Collection[str]) -> Iterator[SheetRow]:
    """The rows of one file with its `known` columns; other columns are left out.

    Raises InputRefused where the file cannot be read, is of another kind, has a required column missing or a column
    twice, or has no row of data.
    """
    name = path.name.lower()
    try:
        if name.endswith((".csv", ".csv.gz", ".csv.zst")):
            rows = _csv_rows(path, required, known)
        elif name.endswith(".xlsx"):
            rows = _xlsx_rows(path, required, known)
        elif name.endswith(".parquet"):
            rows = _parquet_rows(path, required, known)
        elif name.endswith((".yaml", ".yml")):
            rows = _yaml_rows(path, required, known)
        else:
            raise InputRefused(f"{path.name}: a register is one of {', '.join(SUFFIXES)}")
        empty = True
        for row in rows:
            empty = False
            cells = {column: canonical_word(column, value) for column, value in row.cells.items()}
            yield SheetRow(row.file, row.number, cells)
    except OSError as error:
        raise InputRefused(f"{path.name}: cannot be read ({error.strerror or error.__class__.__name__})") from None
    if empty:
        raise InputRefused(f"{path.name}: the register has no row of data")


def _check_header(file: str, header: list[str], required: Collection[str], known: Collection[str]) -> None:
    for column, times in Counter(header).items():
        if times > 1 and column in known:
            raise InputRefused(f"{file}: the column {column!r} stands {times} times in the header")
    missing = [column for column in required if column not in header]
    if missing:
        hint = "; separate the columns by commas" if len(header) == 1 and ";" in header[0] else ""
        raise InputRefused(f"{file}: the column {missing[0]!r} is missing{hint}")


def _decoded(path: Path) -> str:
    data = path.read_bytes()
    if path.name.lower().endswith((".gz", ".zst")):
        import pyarrow as pa

        codec: Literal["gzip", "zstd"] = "gzip" if path.name.lower().endswith(".gz") else "zstd"
        data = pa.CompressedInputStream(pa.BufferReader(data), codec).read()
    try:
        if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return data.decode("utf-16")
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputRefused(f"{path.name}: line {line} is not UTF-8 text") from None


def _csv_rows(path: Path, required: Collection[str], known: Collection[str]) -> Iterator[SheetRow]:
    text = _decoded(path)
    first = text.lstrip().split("\n", 1)[0]
    # Spreadsheet programs set to Portuguese write semicolons.
    delimiter = ";" if first.count(";") > first.count(",") else ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    number = 0
    try:
        header = [canonical_heading(column) for column in next(reader, [])]
        if not any(header):
            raise InputRefused(f"{path.name}: the file is empty")
        _check_header(path.name, header, required, known)
        for values in reader:
            if not values:
                continue
            number += 1
            if not any(value.strip() for value in values):
                continue
            if len(values) != len(header):
                raise InputRefused(
                    f"{path.name}, row {number}: {len(header)} columns are expected and {len(values)} found"
                )
            cells = {column: value.strip() or None for column, value in zip(header, values, strict=True)}
            yield SheetRow(path.name, number, {column: cells[column] for column in header if column in known})
    except csv.Error as error:
        raise InputRefused(f"{path.name}, row {number + 1}: not well-formed CSV ({error})") from None


def _xlsx_rows(path: Path, required: Collection[str], known: Collection[str]) -> Iterator[SheetRow]:
    from audit.formats.xlsxfile import cell_text, sheet_rows

    header: list[str] = []
    number = 0
    for cells in sheet_rows(SourceFile(path, path.name)):
        texts = [(cell_text(cell) or "").strip() or None for cell in cells]
        if not header:
            if any(texts):
                header = [canonical_heading(text or "") for text in texts]
                _check_header(path.name, header, required, known)
            continue
        number += 1
        if any(texts):
            row = zip(header, texts, strict=False)
            yield SheetRow(path.name, number, {column: text for column, text in row if column in known})


def _parquet_rows(path: Path, required: Collection[str], known: Collection[str]) -> Iterator[SheetRow]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            header = [canonical_heading(name) for name in file.schema_arrow.names]
            _check_header(path.name, header, required, known)
            chosen = [n for n, column in zip(file.schema_arrow.names, header, strict=True) if column in known]
            table = file.read(columns=chosen)
            table = table.rename_columns([canonical_heading(name) for name in table.schema.names])
        for index, field in enumerate(table.schema):
            if pa.types.is_timestamp(field.type):
                # Python's own datetime has no nanoseconds.
                kind = pa.timestamp("us", tz=field.type.tz)
                table = table.set_column(index, field.name, table.column(index).cast(kind, safe=False))
        rows = table.to_pylist()
    except (pa.ArrowException, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise InputRefused(f"{path.name}: not a readable Parquet file ({reason})") from None
    for number, cells in enumerate(rows, start=1):
        yield SheetRow(path.name, number, {key: _stripped(value) for key, value in cells.items()})


def _stripped(value: object) -> object:
    return (value.strip() or None) if isinstance(value, str) else value


def _yaml_rows(path: Path, required: Collection[str], known: Collection[str]) -> Iterator[SheetRow]:
    try:
        document = yaml.compose(_decoded(path), Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or "unreadable"
        raise InputRefused(f"{path.name}{where}: not well-formed YAML ({problem})") from None
    if document is None:
        raise InputRefused(f"{path.name}: the file is empty")
    if not isinstance(document, yaml.SequenceNode):
        raise InputRefused(f"{path.name}: a list of entries is expected")
    for number, node in enumerate(document.value, start=1):
        if not isinstance(node, yaml.MappingNode):
            raise InputRefused(f"{path.name}, row {number}: an entry with columns and values is expected")
        pairs = [(canonical_heading(str(key.value)), _yaml_cell(value)) for key, value in node.value]
        names = [name for name, _ in pairs]
        for name, times in Counter(names).items():
            if times > 1:
                raise InputRefused(f"{path.name}, row {number}: the column {name!r} stands {times} times")
        for column in required:
            if column not in names:
                raise InputRefused(f"{path.name}, row {number}: the column {column!r} is missing")
        yield SheetRow(path.name, number, {name: value for name, value in pairs if name in known})


def _yaml_cell(node: yaml.Node) -> object:
    """The text of a scalar just as written, a list of texts, or None; other shapes are left for the cell's reader."""
    if isinstance(node, yaml.ScalarNode):
        text = str(node.value).strip()
        return None if text == "" or (node.style is None and text in _NULLS) else text
    if isinstance(node, yaml.SequenceNode):
        return [_yaml_cell(item) for item in node.value]
    return {}
