"""Writing a run so that a killed one never looks finished: everything is staged, the manifest comes last."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from audit.base.errors import MachineFailure, UsageError

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
    """Make the output directory, or take over one that an interrupted run left, and hold it until the run ends.

    Raises UsageError where it cannot be written, is in use, or holds another run or anybody's files; MachineFailure
    where the disk fails on the way. Nothing that was there before is touched, but for the leavings of a killed run.
    """
    made = not out.exists()
    handle = _claim(out)
    stage = Stage(out)
    try:
        yield stage
    except OSError as error:
        raise MachineFailure(f"writing to {out.name} failed: {error.strerror or error}") from error
    finally:
        shutil.rmtree(stage.folder, ignore_errors=True)
        if made and not any(out.iterdir()):
            out.rmdir()
        os.close(handle)


def _claim(out: Path) -> int:
    """Lock the directory and make the stage in it; the open handle holds the lock."""
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is a file; --out names a directory")
    try:
        out.mkdir(parents=True, exist_ok=True)
        handle = os.open(out, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise UsageError(f"{out} cannot be written: {error.strerror or error}") from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        _clear(out)
        (out / _STAGE).mkdir()
    except BlockingIOError:
        os.close(handle)
        raise UsageError(f"{out} is in use by another run") from None
    except OSError as error:
        os.close(handle)
        raise UsageError(f"{out} cannot be written: {error.strerror or error}") from None
    except UsageError:
        os.close(handle)
        raise
    return handle


def _clear(out: Path) -> None:
    """Remove what a killed run left, which its stage still shows; refuse a directory that holds anything else."""
    if (out / MANIFEST).exists():
        raise UsageError(f"{out} holds another run already; name a new directory")
    left = sorted(path.name for path in out.iterdir() if path.name != _STAGE)
    interrupted = (out / _STAGE).is_dir()
    foreign = [name for name in left if not interrupted or name not in OUTPUTS]
    if foreign:
        raise UsageError(f"{out} is not empty ({foreign[0]}); name a new directory")
    shutil.rmtree(out / _STAGE, ignore_errors=True)
    for name in left:
        (out / name).unlink()


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
