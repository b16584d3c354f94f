"""One service per ledger: a lock that the kernel lets go of when its holder dies, however it dies."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from audit.base.errors import LockHeld, MachineFailure

_MOST: Final = 4096


class LedgerLock:
    """The lock file beside a ledger, as a context manager; the file stays, what counts is the lock on it.

    `holder` says who holds it: process, machine and start, as a second instance will print it.
    """

    def __init__(self, path: Path, holder: str) -> None:
        self._path = path
        self._holder = holder
        self._descriptor: int | None = None

    def __enter__(self) -> Self:
        """Take the lock at once or not at all.

        Raises LockHeld naming the holder, and MachineFailure where the file cannot be made.
        """
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o640)
        except OSError as error:
            raise MachineFailure(f"the lock file {self._path.name} cannot be opened: {error.strerror}") from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, self._holder.encode(), 0)
            os.fsync(descriptor)
        except BlockingIOError as error:
            # A holder that has just started may not have written its name yet.
            other = os.pread(descriptor, _MOST, 0).decode(errors="replace") or "another process that has just started"
            os.close(descriptor)
            raise LockHeld(f"the ledger is in use by {other}") from error
        except OSError as error:
            os.close(descriptor)
            raise MachineFailure(f"{self._path.name} cannot be locked: {error.strerror}") from error
        self._descriptor = descriptor
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let go of the lock."""
        if self._descriptor is not None:
            os.ftruncate(self._descriptor, 0)
            os.close(self._descriptor)
            self._descriptor = None
