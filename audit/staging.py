"""Writing a run so that a killed one never looks finished: everything is staged, the manifest comes last."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from audit.errors import MachineFailure, UsageError

MANIFEST: Final = "manifest.json"
REFUSED: Final = "quarantine.parquet"
_STAGE: Final = ".unfinished"

OUTPUTS: Final = (
    "findings.parquet",
    "findings.csv",
    "findings.json",
    "quarantine.parquet",
    "expectations.json",
    "evidence.json",
    "report.pdf",
    MANIFEST,
)
"""Every file that a run writes; a directory that holds anything else is somebody else's."""


class Stage:
    """A place inside the output directory where a run's files wait until all of them are there."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.folder = out / _STAGE

    def path(self, name: str) -> Path:
        """Where an output is written before it is published."""
        return self.folder / name

    def publish(self, names: tuple[str, ...]) -> None:
        """Move the outputs into place, in the order given; the manifest, if there, must be the last."""
        for name in names:
            _sync(self.path(name))
            self.path(name).replace(self.out / name)
        _sync(self.out)


@contextmanager
def staged(out: Path) -> Iterator[Stage]:
    """Make (or take over) the output directory and clear what an interrupted run left in it.

    Raises UsageError where it cannot be written or holds another run or foreign files, MachineFailure where the disk
    fails on the way.
    """
    _claim(out)
    stage = Stage(out)
    try:
        yield stage
    except OSError as error:
        raise MachineFailure(f"writing to {out.name} failed: {error.strerror or error}") from error
    finally:
        shutil.rmtree(stage.folder, ignore_errors=True)


def _claim(out: Path) -> None:
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is a file; --out names a directory")
    if (out / MANIFEST).exists():
        raise UsageError(f"{out} holds another run already; name a new directory")
    try:
        out.mkdir(parents=True, exist_ok=True)
        foreign = sorted(p.name for p in out.iterdir() if p.name not in {*OUTPUTS, _STAGE})
        if foreign:
            raise UsageError(f"{out} is not empty ({foreign[0]}); name a new directory")
        shutil.rmtree(out / _STAGE, ignore_errors=True)
        for name in OUTPUTS:
            (out / name).unlink(missing_ok=True)
        (out / _STAGE).mkdir()
    except OSError as error:
        raise UsageError(f"{out} cannot be written: {error.strerror or error}") from None


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sha256(path: Path) -> str:
    """The SHA-256 of a file, read in pieces."""
    digest = hashlib.sha256()
    with path.open("rb") as content:
        while piece := content.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()
