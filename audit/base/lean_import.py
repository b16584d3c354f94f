"""Imports that cost nothing until they are needed, for processes that are ours from start to end.

The library behind the data gate imports charts, statistics, schema languages and connections to databases and cloud
stores; judging a table in memory touches none of them, and they cost more than all the rest. Within
:func:`lean_imports` the former load when somebody first looks into them (the standard library's LazyLoader), and the
latter look like what they may always be: extras that are not installed. pyarrow in turn imports pandas with the first
array that it makes, only to ask whether it was given something of pandas: :func:`leave_pandas_out`.

Never for a process that runs another's code: what was imported so stays so.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import LazyLoader
from types import ModuleType
from typing import Final

LAZY: Final = frozenset({"altair", "jsonschema", "scipy.stats"})
"""Modules that the gate's library must have: they load when somebody looks into them."""

ABSENT: Final = frozenset({"boto3", "botocore", "sqlalchemy"})
"""Modules of the library's extras, which it does without where they are not installed."""


class _Finder(MetaPathFinder):
    """Asks the other finders where a module is, and changes how it is loaded."""

    def __init__(self, lazy: frozenset[str], absent: frozenset[str]) -> None:
        self._lazy = lazy
        self._absent = absent

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname in self._absent:
            raise ModuleNotFoundError(f"{fullname!r} is left out here", name=fullname)
        if fullname not in self._lazy:
            return None
        for finder in sys.meta_path:
            spec = None if finder is self else finder.find_spec(fullname, path, target)
            if spec is not None:
                # A loader of the old kind cannot wait, and loads as it always does.
                if spec.loader is not None and hasattr(spec.loader, "exec_module"):
                    spec.loader = LazyLoader(spec.loader)
                return spec
        return None


@contextmanager
def _finding(lazy: frozenset[str], absent: frozenset[str]) -> Iterator[None]:
    finder = _Finder(lazy, absent)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


@contextmanager
def lean_imports() -> Iterator[None]:
    """Import within this without the heavy modules; what was imported before, or is after, is as it always is."""
    with _finding(LAZY, ABSENT):
        yield


def leave_pandas_out() -> None:
    """Have pyarrow go about its work without pandas from now on, if it has not asked for it yet.

    It asks once, and again only where a frame is wanted: `to_pandas` imports pandas and works as ever.
    """
    import pyarrow as pa

    with _finding(frozenset(), frozenset({"pandas"})):
        pa.array([])
