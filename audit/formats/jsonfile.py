"""JSON: one record a line, or one file with a list of records; numbers stay the text that stands in the file."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from typing import Any, Final

import numpy as np
import pyarrow as pa

from audit.base.errors import InputRefused
from audit.formats.folder_columns import given
from audit.formats.raw import MOST_COLUMNS, Malformed, RawBatch
from audit.formats.record_paths import exact_json
from audit.stores.files import SourceFile

LINE_BYTES: Final = 8 << 20
"""The longest line that is read."""

WHOLE_BYTES: Final = 64 << 20
"""The largest file that is one JSON document; larger logs are written one record a line."""

_BATCH: Final = 8 << 20
_LOOK_AHEAD: Final = 1 << 20
_SHOWN: Final = 10_000
_BOM: Final = b"\xef\xbb\xbf"


class JsonReader:
    """One file of JSON records; raises InputRefused if it is empty, damaged, or has a line beyond all measure."""

    sparse = True

    def __init__(self, file: SourceFile) -> None:
        self._file = file
        self._whole = file.path.name.lower().endswith(".json")
        own = self._names()
        self._given = given(file.partition, ())
        self.names = (*own, *(name for name in self._given if name not in own))

    def _refuse(self, what: str) -> InputRefused:
        return InputRefused(f"{self._file.name}: {what}")

    def _stream(self) -> pa.NativeFile:
        try:
            return self._file.stream()
        except OSError as error:
            raise self._refuse(self._file.trouble(error) or "cannot be opened") from error

    def _names(self) -> tuple[str, ...]:
        """The keys of the first records."""
        names: dict[str, None] = {}
        size = 0
        empty = True
        for _, record, text in self._records():
            empty = False
            if isinstance(record, dict):
                names.update(dict.fromkeys(record))
            size += len(text)
            if size > _LOOK_AHEAD or len(names) > MOST_COLUMNS:
                break
        if empty:
            raise self._refuse("the file is empty")
        if len(names) > MOST_COLUMNS:
            raise self._refuse(f"its records have more than {MOST_COLUMNS} keys")
        return tuple(names)

    def _records(self) -> Iterator[tuple[int, Any, str]]:
        """Number, record (None where there is none) and text of each row."""
        return self._of_document() if self._whole else self._of_lines()

    def _of_document(self) -> Iterator[tuple[int, Any, str]]:
        try:
            with self._stream() as stream:
                data = stream.read(WHOLE_BYTES + 1)
        except (pa.ArrowException, OSError) as error:
            raise self._refuse(
                self._file.trouble(error) or "cannot be read to its end (truncated or damaged)"
            ) from error
        if len(data) > WHOLE_BYTES:
            raise self._refuse(f"is longer than {WHOLE_BYTES >> 20} MiB; write one record a line (.jsonl)")
        if not data.strip():
            return
        try:
            content = exact_json(data.removeprefix(_BOM).decode("utf-8"))
        except (ValueError, RecursionError) as error:
            raise self._refuse(f"is not JSON ({type(error).__name__}); truncated or damaged?") from error
        rows = content if isinstance(content, list) else [content]
        for number, row in enumerate(rows, 1):
            yield number, row if isinstance(row, dict) else None, json.dumps(row, ensure_ascii=False)

    def _of_lines(self) -> Iterator[tuple[int, Any, str]]:
        number = 0
        try:
            for line in self._lines():
                text = line.decode("utf-8", "backslashreplace")
                if not text.strip():
                    continue
                number += 1
                yield number, _record(line), text
        except (pa.ArrowException, OSError) as error:
            said = self._file.trouble(error) or "truncated or damaged"
            raise self._refuse(f"cannot be read beyond row {number} ({said})") from error

    def _lines(self) -> Iterator[bytes]:
        rest = b""
        first = True
        with self._stream() as stream:
            while chunk := stream.read(_LOOK_AHEAD):
                lines = (rest + chunk).split(b"\n")
                if first:
                    lines[0] = lines[0].removeprefix(_BOM)
                    first = False
                rest = lines.pop()
                yield from lines
                if len(rest) > LINE_BYTES:
                    raise self._refuse(f"has a line longer than {LINE_BYTES >> 20} MiB")
        yield rest

    def batches(self, columns: Collection[str], plain: Collection[str]) -> Iterator[RawBatch]:
        """The records, in batches of some megabytes."""
        del columns, plain
        rows: list[dict[str, Any]] = []
        numbers: list[int] = []
        texts: list[str] = []
        malformed: list[Malformed] = []
        size = 0
        for number, record, text in self._records():
            size += len(text)
            if record is None:
                malformed.append(Malformed(number, 0, 0, text[:_SHOWN]))
            else:
                rows.append({**self._given, **record} if self._given else record)
                numbers.append(number)
                texts.append(text)
            if size > _BATCH:
                yield _batch(rows, numbers, texts, malformed)
                rows, numbers, texts, malformed, size = [], [], [], [], 0
        if rows or malformed:
            yield _batch(rows, numbers, texts, malformed)


def _batch(rows: list[dict[str, Any]], numbers: list[int], texts: list[str], malformed: list[Malformed]) -> RawBatch:
    shown = pa.array([text.encode("utf-8", "backslashreplace").decode() for text in texts], pa.string())
    return RawBatch({}, np.array(numbers, np.int64), tuple(malformed), records=rows, texts=shown)


def _record(line: bytes) -> Any:
    """The record of one line, None where the line is no record."""
    try:
        record = exact_json(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None
