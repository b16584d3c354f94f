"""The digests of the inputs, worked out where the rows are read: one machine would read every file of a year itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from audit.engines.cluster import tasks
from audit.engines.cluster.connect import failures
from audit.stores.files import SourceFile

if TYPE_CHECKING:
    from distributed import Client

BYTES: Final = 64 << 20
"""Bytes of the files of which one task works the digests out, about; a larger file is one task."""

MANY: Final = 256
"""Files of one task, at most."""


class Digests:
    """The digests of some files, which the workers begin to work out at once."""

    def __init__(self, client: Client, files: Sequence[SourceFile]) -> None:
        self._client, self._groups = client, grouped(files)
        self._work = [client.submit(tasks.digests_of, group, pure=False) for group in self._groups]

    def learn(self) -> None:
        """Wait for all of them, and have each file know its own. One that no worker could read knows nothing.

        Raises MachineFailure where the workers are lost.
        """
        with failures():
            found = self._client.gather(self._work)
        for group, digests in zip(self._groups, found, strict=True):
            for file, digest in zip(group, digests, strict=True):
                if digest is not None:
                    file.learn(digest)


def grouped(files: Sequence[SourceFile]) -> list[list[SourceFile]]:
    """Neighbouring files in groups for one task each."""
    groups: list[list[SourceFile]] = []
    room = 0
    for file in files:
        size = _size(file)
        if not groups or size > room or len(groups[-1]) == MANY:
            groups.append([])
            room = BYTES
        groups[-1].append(file)
        room -= size
    return groups


def _size(file: SourceFile) -> int:
    """The bytes of a file; of one that is gone none, which is the business of who reads its rows."""
    try:
        return file.bytes
    except OSError:
        return 0
