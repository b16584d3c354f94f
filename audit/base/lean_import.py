"""Imports that cost nothing until they are needed, for processes that are ours from start to end.

The library behind the data gate imports charts, statistics and schema languages; judging a table in memory touches none
of them, and they cost more than all the rest. Within :func:`lean_imports` they load when somebody first looks into them
(the standard library's LazyLoader). Measured with one shoe, the whole run: without this it takes 1.9 times the CPU time
(3.5 s to 6.9 s) and 1.5 times the memory.

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


class _Finder(MetaPathFinder):
    """Asks the other finders where a module is, and has it loaded later."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in LAZY:
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
def lean_imports() -> Iterator[None]:
    """Import within this without the heavy modules; what was imported before, or is after, is as it always is."""
    finder = _Finder()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
