"""Work done ahead in another thread: reading and decoding go on while the caller works on what is there already."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, Self, TypeVar

Item = TypeVar("Item")


class Ahead(Generic[Item]):
    """The same items (none is None), up to `depth` of them made in another thread while the caller works.

    The first are begun at once. Closing this (it closes itself at the end) waits for the item that is being made, and
    closes the generator that makes them.
    """

    def __init__(self, items: Iterator[Item], depth: int = 1) -> None:
        self._items = items
        self._pool = ThreadPoolExecutor(1, "ahead")
        self._waiting: deque[Future[Item | None]] = deque(self._begin() for _ in range(depth))

    def _begin(self) -> Future[Item | None]:
        return self._pool.submit(next, self._items, None)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Item:
        if not self._waiting:
            raise StopIteration
        try:
            item = self._waiting.popleft().result()
        except BaseException:
            self.close()
            raise
        if item is None:
            self.close()
            raise StopIteration
        self._waiting.append(self._begin())
        return item

    def close(self) -> None:
        """Make no more items."""
        self._waiting.clear()
        self._pool.shutdown(cancel_futures=True)
        if isinstance(self._items, Generator):
            self._items.close()
