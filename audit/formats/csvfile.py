"""CSV files, plain or compressed: every cell as text, in blocks, with the number of every row kept.

Types are never inferred (leading zeros would go, and CSV and Parquet would differ). Rows with another number of fields
than the header are handed over as malformed and do not shift the numbers of the rows after them.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
from numpy.typing import NDArray

from audit.base.canonical import DICTIONARY
from audit.base.errors import InputRefused
from audit.formats.folder_columns import constant, given
from audit.formats.raw import Malformed, RawBatch, check_names
from audit.formats.spans import SpanReader
from audit.stores.files import SourceFile

BLOCK_BYTES: Final = 8 << 20
_HEADER_BYTES: Final = 1 << 20
_PATIENCE: Final = 0.5
_DELIMITERS: Final = {";": "a semicolon", "\t": "a tab", "|": "a vertical bar"}


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a source writes CSV: the character between fields, and the encoding by Python's name for it.

    `footer` is a pattern of lines under the rows, with another number of fields, that are no rows (a sum, a remark).
    """

    delimiter: str = ","
    encoding: str = "utf-8"
    footer: str = ""

    def is_footer(self, line: str) -> bool:
        """Whether a malformed line is known to be no row."""
        return bool(self.footer) and re.match(self.footer, line.strip()) is not None

    @property
    def utf8(self) -> bool:
        """Whether the text is UTF-8, which may begin with a byte order mark."""
        return self.encoding in {"utf-8", "utf-8-sig"}


class CsvReader:
    """One CSV file; raises InputRefused if it is empty, not text, damaged, or has two columns of one name."""

    sparse = False

    def __init__(self, file: SourceFile, dialect: Dialect | None = None) -> None:
        self._file = file
        self._dialect = dialect or Dialect()
        self._header = self._read_header()
        self._own = tuple(name.strip() for name in self._header)
        check_names(file.name, self._own)
        self._given = given(file.partition, self._own)
        self.names = (*self._own, *self._given)

    def _stream(self) -> pa.NativeFile:
        try:
            return self._file.stream()
        except OSError as error:
            raise self._refuse(self._file.trouble(error) or "cannot be opened") from error

    def _rows(self) -> pa.NativeFile | SpanReader:
        """The header and the rows that are to be read, which may be some of the file's."""
        if self._file.lines is None:
            return self._stream()
        try:
            return SpanReader.of(self._file, self._file.lines)
        except OSError as error:
            raise self._refuse(self._file.trouble(error) or "cannot be opened") from error

    def _numbering(self) -> _Numbering:
        return _Numbering(1 if self._file.lines is None else 1 + self._file.lines.rows)

    def _refuse(self, what: str) -> InputRefused:
        return InputRefused(f"{self._file.name}: {what}")

    def _read_header(self) -> list[str]:
        try:
            with self._stream() as stream:
                start = stream.read(_HEADER_BYTES)
        except (pa.ArrowException, OSError) as error:
            raise self._refuse(self._file.trouble(error) or "cannot be decompressed (truncated or damaged)") from error
        if not start.removeprefix(codecs.BOM_UTF8).strip():
            raise self._refuse("the file is empty")
        try:
            text = self._decoder().decode(start)
        except UnicodeError as error:
            raise self._not_text() from error
        if "\0" in text.lstrip().split("\n", 1)[0]:
            raise self._refuse("is not UTF-8 text (it seems to be UTF-16)")
        try:
            header = next(
                row for row in csv.reader(io.StringIO(text, newline=""), delimiter=self._dialect.delimiter) if row
            )
        except (csv.Error, StopIteration) as error:
            raise self._refuse("the header cannot be read") from error
        for delimiter, called in _DELIMITERS.items():
            if len(header) == 1 and delimiter in header[0]:
                raise self._refuse(f"has one column only; its delimiter seems to be {called}")
        return header

    def _decoder(self) -> codecs.IncrementalDecoder:
        return codecs.getincrementaldecoder(self._encoding)()

    @property
    def _encoding(self) -> str:
        return "utf-8-sig" if self._dialect.utf8 else self._dialect.encoding

    def _not_text(self) -> InputRefused:
        """Say where the first byte is that is not text; the file is read again for it."""
        decoder = self._decoder()
        line = 1
        with self._stream() as stream:
            while chunk := stream.read(BLOCK_BYTES):
                try:
                    text = decoder.decode(chunk)
                except UnicodeDecodeError as error:
                    line += error.object[: error.start].count(b"\n")
                    break
                except UnicodeError:
                    break
                before, null, _ = text.partition("\0")
                line += before.count("\n")
                if null:
                    break
        return self._refuse(f"is not {self._dialect.encoding.upper()} text (first wrong byte in line {line})")

    def batches(self, columns: Collection[str], plain: Collection[str]) -> Iterator[RawBatch]:
        """The rows with all columns of the file, which a rejected row shows as evidence."""
        numbering = self._numbering()
        try:
            # A row that goes over several lines is rare, and looking for one costs a pass of its own.
            yield from self._batches(columns, plain, numbering, lines_in_cells=False)
        except _Straddled:
            for batch in self._batches(columns, plain, self._numbering(), lines_in_cells=True):
                if (rest := _from(batch, numbering.given)) is not None:
                    yield rest

    def _batches(
        self, columns: Collection[str], plain: Collection[str], numbering: _Numbering, *, lines_in_cells: bool
    ) -> Iterator[RawBatch]:
        """The batches; raises _Straddled where a block may end within a row, which only `lines_in_cells` looks for."""
        folders = {name: value for name, value in self._given.items() if name in columns}
        malformed: list[Malformed] = []
        earlier = numbering.row - 1

        def keep(row: pacsv.InvalidRow) -> str:
            malformed.append(Malformed(earlier + row.number - 1, row.actual_columns, row.expected_columns, row.text))
            return "skip"

        source: _Text | None = None
        held: RawBatch | None = None
        try:
            with self._rows() as stream:
                source = _Text(stream, self._decoder(), utf8=self._dialect.utf8)
                reader = self._reader(source, plain, keep, lines_in_cells=lines_in_cells)
                for batch in reader:
                    before = numbering.row
                    numbers, among = numbering.next(batch.num_rows, malformed)
                    if held is not None:
                        numbering.given = before
                        yield held
                    read = dict(zip(self._own, batch.columns, strict=True))
                    read |= {n: constant(v, batch.num_rows, plain=n in plain) for n, v in folders.items()}
                    held = RawBatch(read, numbers, among)
                source.check()
            # Of the last block alone, Arrow takes what ends within a row for a row.
            if not lines_in_cells and _has_lines_in_cells(held, malformed):
                raise _Straddled
            if held is not None:
                yield held
        except (pa.ArrowException, OSError, UnicodeError) as error:
            if not lines_in_cells and isinstance(error, pa.ArrowInvalid):
                raise _Straddled from error
            raise self._explain(error, numbering.row) from error
        finally:
            if source is not None:
                source.stop()
        if malformed:
            empty = {name: pa.array([], pa.string()) for name in self.names}
            yield RawBatch(empty, np.empty(0, np.int64), tuple(malformed))

    def _reader(
        self,
        source: _Text,
        plain: Collection[str],
        keep: Callable[[pacsv.InvalidRow], str],
        *,
        lines_in_cells: bool,
    ) -> pacsv.CSVStreamingReader:
        types = {
            raw: pa.string() if name in plain else DICTIONARY for raw, name in zip(self._header, self._own, strict=True)
        }
        reader = pacsv.open_csv(
            pa.PythonFile(source, mode="r"),
            read_options=pacsv.ReadOptions(use_threads=False, block_size=BLOCK_BYTES),
            parse_options=pacsv.ParseOptions(
                delimiter=self._dialect.delimiter, newlines_in_values=lines_in_cells, invalid_row_handler=keep
            ),
            convert_options=pacsv.ConvertOptions(
                column_types=types,
                strings_can_be_null=True,
                null_values=[""],
                check_utf8=False,  # decoded already
            ),
        )
        if reader.schema.names != self._header:
            raise self._refuse("the header cannot be read")
        return reader

    def _explain(self, error: Exception, row: int) -> InputRefused:
        said = str(error)
        if isinstance(error, UnicodeError) or "UTF8" in said:
            return self._not_text()
        if (trouble := self._file.trouble(error)) is not None:
            return self._refuse(f"{trouble}, beyond row {row - 1}")
        if "straddling" in said:
            limit = BLOCK_BYTES >> 20
            return self._refuse(f"a row after row {row - 1} is longer than {limit} MiB (a quote not closed?)")
        if self._file.compression and isinstance(error, OSError):
            return self._refuse("cannot be decompressed to its end (truncated or damaged)")
        return self._refuse(f"is not well-formed CSV after row {row - 1}")


class _Straddled(Exception):
    """A block of the file may end within a row."""


def _has_lines_in_cells(batch: RawBatch | None, malformed: Sequence[Malformed]) -> bool:
    """Whether a cell, or a row that could not be told apart into cells, may go over more than one line."""
    if batch is not None:
        malformed = (*batch.malformed, *malformed)
        for column in batch.columns.values():
            texts = column.dictionary if pa.types.is_dictionary(column.type) else column
            if pc.any(pc.match_substring_regex(texts, r"[\r\n]")).as_py():
                return True
    return any('"' in each.text for each in malformed)


def _from(batch: RawBatch, row: int) -> RawBatch | None:
    """What a batch has from a row on; None if that is nothing."""
    malformed = tuple(each for each in batch.malformed if each.row >= row)
    first = int(np.searchsorted(batch.source_row, row))
    if first == len(batch) and not malformed:
        return None
    columns = {name: column.slice(first) for name, column in batch.columns.items()}
    return RawBatch(columns, batch.source_row[first:], malformed)


class _Text:
    """The file as UTF-8 for Arrow, decoded here also where it is UTF-8 already.

    A malformed row with bytes that are no text would else fail inside Arrow's call of the row handler, where nothing
    can be caught. Arrow reads ahead in a thread of its own: a program that ends while that thread is in here would
    never end, so that the reading is stopped before the file is let go.
    """

    closed = False

    def __init__(self, stream: pa.NativeFile | SpanReader, decoder: codecs.IncrementalDecoder, *, utf8: bool) -> None:
        self._stream = stream
        self._utf8 = utf8
        self._decoder = decoder
        self._between = False
        self._held = b""
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._stopped = False
        self._wrong: UnicodeError | None = None

    def read(self, size: int = -1) -> bytes:
        """Some bytes of text, no more than `size`, empty at the end."""
        # A character of another encoding takes up to twice its bytes; of UTF-8, the rest of one may be waiting.
        size = max(1, size - 5 if self._utf8 else (size - 1) // 2)
        with self._lock:
            while not self._stopped and not self._ended.is_set():
                chunk: bytes = self._stream.read(size)
                if not chunk:
                    self._ended.set()
                try:
                    text = self._held + self._decoded(chunk)
                except UnicodeError as error:
                    self._wrong = error
                    self._ended.set()
                    raise
                # Where some text ends with a carriage return, Arrow drops a line feed that begins the next, also
                # within a cell.
                self._held = b"\r" if chunk and text.endswith(b"\r") else b""
                if text := text.removesuffix(self._held):
                    return text
            self._ended.set()
            return b""

    def _decoded(self, chunk: bytes) -> bytes:
        """The text of some bytes, as UTF-8; raises UnicodeError for what is none, to which null bytes belong.

        Arrow, looking for the end of a row that goes over several lines, loses its way behind a null byte.
        """
        if self._between and chunk.isascii():
            text = chunk
        else:
            text = self._decoder.decode(chunk, final=not chunk).encode()
            # Past the first bytes and with no rest of a character waiting, ASCII is text as it is.
            self._between = self._utf8 and not self._decoder.getstate()[0]
        if b"\0" in text:
            raise UnicodeError("a null byte")
        return text

    def check(self) -> None:
        """Raise what went wrong in decoding, should the reader have taken it for the end."""
        if self._wrong is not None:
            raise self._wrong

    def stop(self) -> None:
        """Let no more be read, and wait until whoever reads has noticed."""
        self._stopped = True
        with self._lock:
            pass
        self._ended.wait(_PATIENCE)

    def close(self) -> None:
        """Nothing to do: the stream is closed by whoever opened it."""


class _Numbering:
    """Numbers of the rows that come through, when malformed ones between them are taken out.

    `row` is the number of the next row; the rows before `given` are in the caller's hands.
    """

    def __init__(self, first: int) -> None:
        self.row = self.given = first

    def next(self, rows: int, malformed: list[Malformed]) -> tuple[NDArray[np.int64], tuple[Malformed, ...]]:
        """Numbers of the next `rows` good rows; the malformed rows before the last of them leave the list."""
        taken = 0
        while taken < len(malformed) and malformed[taken].row - self.row - taken < rows:
            taken += 1
        among = tuple(malformed[:taken])
        del malformed[:taken]
        span = np.arange(self.row, self.row + rows + taken, dtype=np.int64)
        self.row += rows + taken
        return np.delete(span, [each.row - int(span[0]) for each in among]) if taken else span, among
