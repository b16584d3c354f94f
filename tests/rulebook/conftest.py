"""A copy of the regulations that a test may break."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from audit.rulebook import Rulebook
from audit.rulebook.loader import REGULATIONS

FILES = ("instruments", "baccarat", "makccarat", "options", "coverage")

Edit = Callable[[str, str, str], Path]


@pytest.fixture(scope="session")
def rulebook() -> Rulebook:
    """The rulebook that ships."""
    return Rulebook.load()


@pytest.fixture
def regulations(tmp_path: Path) -> Path:
    """A folder with its own copy of the data files."""
    for name in FILES:
        shutil.copy(REGULATIONS / f"{name}.yaml", tmp_path)
    return tmp_path


@pytest.fixture
def edit(regulations: Path) -> Edit:
    """Replace one passage, which must be there, in a file of the copy; returns the copy's folder."""

    def apply(name: str, old: str, new: str) -> Path:
        path = regulations / name
        content = path.read_text(encoding="utf-8")
        assert old in content, f"{name} does not contain {old!r}"
        path.write_text(content.replace(old, new, 1), encoding="utf-8")
        return regulations

    return apply
