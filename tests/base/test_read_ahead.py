"""Items made ahead in another thread: the same items and errors, begun at once, and no more after closing."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from unittest import mock

import pytest

from audit.base.read_ahead import ReadAhead


def numbers(made: list[int], end: int, *, trouble: bool = False) -> Iterator[int]:
    """The numbers from 0, noted as they are made; then perhaps an error."""
    for number in range(end):
        made.append(number)
        yield number
    if trouble:
        raise ValueError("no further")


@pytest.mark.parametrize("depth", [1, 3, 10])
def test_the_same_items_in_their_order(depth: int) -> None:
    """Nothing is lost, doubled or moved, however far ahead it is made; the end stays the end."""
    ahead = ReadAhead(numbers([], 5), depth)

    assert [0, 1, 2, 3, 4] == list(ahead)
    assert list(ahead) == []


def test_the_first_items_are_begun_before_anyone_asks() -> None:
    """So that two sources are read beside each other, whichever is asked first."""
    begun = threading.Event()

    def items() -> Iterator[int]:
        begun.set()
        yield 1

    ahead = ReadAhead(items())
    assert begun.wait(10)
    ahead.close()


def test_an_error_comes_in_its_place_and_is_the_end() -> None:
    """What was made before it is given first; after it there is nothing."""
    ahead = ReadAhead(numbers([], 2, trouble=True), 5)

    assert (0, 1) == (next(ahead), next(ahead))
    with pytest.raises(ValueError, match="no further"):
        next(ahead)
    assert list(ahead) == []


@pytest.mark.skipif(sys.platform != "linux", reason="threads have priorities of their own on Linux")
def test_a_thread_that_gives_way_stands_behind_the_others() -> None:
    """Its priority is lower, that of this thread is not; what cannot be had is done without."""
    mine = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    def priority() -> Iterator[int]:
        yield os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    assert [mine] == list(ReadAhead(priority()))
    assert [min(mine + 10, 19)] == list(ReadAhead(priority(), give_way=True))
    assert mine == os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    with mock.patch("os.setpriority", side_effect=PermissionError):
        assert [mine] == list(ReadAhead(priority(), give_way=True))


def test_closing_ends_the_making_and_closes_what_makes() -> None:
    """A generator that is left half-way is closed, in this thread, and no thread stays behind."""
    made: list[int] = []
    closed = []

    def items() -> Iterator[int]:
        try:
            yield from numbers(made, 100)
        finally:
            closed.append(threading.current_thread())

    before = threading.active_count()
    ahead = ReadAhead(items(), 2)
    assert next(ahead) == 0
    ahead.close()
    ahead.close()

    assert closed == [threading.current_thread()]
    assert len(made) <= 4
    assert threading.active_count() == before
    assert list(ahead) == []
