"""Fingerprints of ids in any number: which of them occur more than once, found in bounded memory."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Final, Self

import numpy as np

from audit.replay.identity import Fingerprints

HELD: Final = 4_000_000
"""Fingerprints kept in memory (8 bytes each); more go to disk."""

_BITS: Final = 7
"""Files on disk are as many as these first bits of a fingerprint can say, so that each can be sorted on its own."""


class PrintStore:
    """Takes fingerprints in any order; use ``with``, which removes what went to disk."""

    def __init__(self, scratch: Path | None = None, *, held: int = HELD) -> None:
        self._scratch = scratch
        self._most = held
        self._parts: list[Fingerprints] = []
        self._held = 0
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def add(self, prints: Fingerprints) -> None:
        """Take some fingerprints."""
        self._parts.append(prints)
        self._held += len(prints)
        if self._held > self._most:
            self._spill()

    def _spill(self) -> None:
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="ids-", dir=self._scratch)
        prints = np.concatenate([np.zeros(0, np.uint64), *self._parts])
        bucket = (prints >> np.uint64(64 - _BITS)).astype(np.uint8)
        ends = np.cumsum(np.bincount(bucket, minlength=2**_BITS))
        by_bucket = prints[np.argsort(bucket, kind="stable")]
        for number, part in enumerate(np.split(by_bucket, ends[:-1])):
            with self._file(number).open("ab") as out:
                part.tofile(out)
        self._parts.clear()
        self._held = 0

    def _file(self, number: int) -> Path:
        return Path(self._folder.name if self._folder else "") / f"{number}.prints"

    def repeated(self) -> Fingerprints:
        """The fingerprints that were taken more than once, ascending."""
        if self._folder is None:
            return _repeated(self._parts)
        self._spill()
        return np.concatenate([_repeated([np.fromfile(self._file(n), np.uint64)]) for n in range(2**_BITS)])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._folder is not None:
            self._folder.cleanup()


def _repeated(parts: list[Fingerprints]) -> Fingerprints:
    prints = np.sort(np.concatenate([np.zeros(0, np.uint64), *parts]))
    return np.unique(prints[1:][prints[1:] == prints[:-1]])
