"""Work done ahead in another thread: reading and decoding go on while the caller works on what is there already."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")


def ahead(items: Iterator[Item], depth: int = 1) -> Generator[Item, None, None]:
    """The same items (none is None), up to `depth` of them made in another thread while the caller works.

    Closing the generator waits for the item that is being made, and closes the generator that makes them.
    """
    with ThreadPoolExecutor(1, "ahead") as pool:
        try:
            waiting = deque(pool.submit(next, items, None) for _ in range(depth))
            while (item := waiting.popleft().result()) is not None:
                waiting.append(pool.submit(next, items, None))
                yield item
        finally:
            pool.shutdown(cancel_futures=True)
            if isinstance(items, Generator):
                items.close()
