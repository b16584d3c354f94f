"""Excel workbooks (.xlsx): the first sheet that has a header, every cell as the text a CSV of it would have."""

from __future__ import annotations

import datetime as dt
import zipfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa

from audit.base.errors import InputRefused
from audit.formats.folder_columns import constant, given
from audit.formats.raw import RawBatch, check_names
from audit.stores.files import SourceFile

UNPACKED: Final = 512 << 20
"""Bytes of content, unpacked, beyond which a workbook is refused."""

_BATCH_ROWS: Final = 65_536


def cell_text(value: Any) -> str | None:
    """A cell as text: numbers with the fifteen digits that Excel vouches for, moments without an offset.

    >>> [cell_text(each) for each in (19.4, 7.0, True, "", dt.datetime(2024, 3, 1, 21, 4))]
    ['19.4', '7', 'true', None, '2024-03-01 21:04:00']
    """
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if value.is_integer() and abs(value) < 10**15:
            return str(int(value))
        text = format(value, ".15g")
        return text if "e" not in text else format(value, "f")
    if isinstance(value, dt.datetime):
        rounded = value + dt.timedelta(microseconds=500)
        return rounded.replace(microsecond=rounded.microsecond // 1000 * 1000).isoformat(" ").removesuffix(".000")
    return value.isoformat() if isinstance(value, dt.date | dt.time) else str(value)


def sheet_rows(file: SourceFile) -> Iterator[Sequence[Any]]:
    """The rows of the first sheet that is not empty; InputRefused for a workbook that cannot be read."""
    from python_calamine import CalamineError, CalamineWorkbook

    try:
        content = file.content(UNPACKED)
        with zipfile.ZipFile(content) as archive:
            unpacked = sum(part.file_size for part in archive.infolist())
        if unpacked > UNPACKED:
            yield from _refuse_size(file)
        if isinstance(content, Path):
            book = CalamineWorkbook.from_path(str(content))
        else:
            content.seek(0)
            book = CalamineWorkbook.from_filelike(content)
        for name in book.sheet_names:
            sheet = book.get_sheet_by_name(name)
            if sheet.total_height:
                yield from sheet.iter_rows()
                return
    except (CalamineError, zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise InputRefused(f"{file.name}: {file.trouble(error) or 'is not a whole Excel workbook (.xlsx)'}") from error


def _refuse_size(file: SourceFile) -> Iterator[Sequence[Any]]:
    raise InputRefused(f"{file.name}: holds more than {UNPACKED >> 20} MiB; write it as CSV or Parquet")


class XlsxReader:
    """One workbook; raises InputRefused if it is empty, damaged, or has two columns of one name."""

    sparse = False

    def __init__(self, file: SourceFile) -> None:
        self._file = file
        header = next((row for row in sheet_rows(file) if any(cell_text(cell) for cell in row)), None)
        if header is None:
            raise InputRefused(f"{file.name}: the file is empty")
        self._header = [(cell_text(cell) or "").strip() for cell in header]
        while self._header and not self._header[-1]:
            self._header.pop()
        self._own = tuple(name or f"column {place}" for place, name in enumerate(self._header, 1))
        check_names(file.name, self._own)
        self._given = given(file.partition, self._own)
        self.names = (*self._own, *self._given)

    def batches(self, columns: Collection[str], plain: Collection[str]) -> Iterator[RawBatch]:
        """The rows under the header; rows without any cell are passed over but keep their number."""
        del plain
        folders = {name: value for name, value in self._given.items() if name in columns}
        rows: list[list[str | None]] = []
        numbers: list[int] = []
        number = -1
        for cells in sheet_rows(self._file):
            texts = [cell_text(cell) for cell in cells[: len(self._own)]]
            filled = any(texts)
            if number < 0 and not filled:
                continue
            number += 1
            if number == 0 or not filled:
                continue
            rows.append(texts + [None] * (len(self._own) - len(texts)))
            numbers.append(number)
            if len(rows) == _BATCH_ROWS:
                yield self._batch(rows, numbers, folders)
                rows, numbers = [], []
        if rows:
            yield self._batch(rows, numbers, folders)

    def _batch(self, rows: list[list[str | None]], numbers: list[int], folders: Mapping[str, str | None]) -> RawBatch:
        columns = zip(self._own, zip(*rows, strict=True), strict=True)
        read = {name: pa.array(cells, pa.string()) for name, cells in columns}
        read |= {name: constant(value, len(rows), plain=True) for name, value in folders.items()}
        return RawBatch(read, np.array(numbers, np.int64))
