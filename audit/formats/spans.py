"""Some spans of a file read one after another, as if they were the file."""

from __future__ import annotations

from typing import Final, Self

from audit.stores.files import RowSpan, SourceFile

CHUNK: Final = 32 << 20
"""Bytes read at once where all that is left is asked for."""


class SpanReader:
    """Some spans (first byte, past the last) of a file one after another, for reading; OSError if it cannot be read."""

    def __init__(self, file: SourceFile, *spans: tuple[int, int]) -> None:
        self._stream = file.stored()
        self._spans = list(spans)

    @classmethod
    def of(cls, file: SourceFile, lines: RowSpan) -> Self:
        """The header of a file and some of its rows."""
        return cls(file, (0, lines.head), (lines.start, lines.end))

    def read(self, size: int | None = None) -> bytes:
        """Some bytes, no more than `size`, empty at the end; without `size` all that are left."""
        if size is None:
            return b"".join(iter(lambda: self.read(CHUNK), b""))
        while self._spans:
            at, end = self._spans[0]
            self._stream.seek(at)
            chunk: bytes = self._stream.read(min(size, end - at))
            if chunk:
                self._spans[0] = (at + len(chunk), end)
                return chunk
            del self._spans[0]
        return b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.close()
