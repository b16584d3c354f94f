"""How the rooms of the package lean on each other: layers, no cycles, lazy imports, names of one meaning."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

import audit

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = Path(audit.__file__).resolve().parent

LAZY = {
    "audit.browse": "the ledger needs SQLAlchemy, which a refused address does not",
    "audit.cli": "the configuration needs pydantic, `--help` does not",
    "audit.commands": "a command loads what it needs when it is called, so that `--help` and `explain` answer at once",
    "audit.explanation.explain": "the words of a departure stand in the catalogue, which most hands do not need",
    "audit.export": "each format loads its own library",
    "audit.gate.gate_process": "the process of the gate starts before anything else and loads what it is asked for",
    "audit.pipeline": "great-expectations, Dask and WeasyPrint take seconds and are not needed in every run",
    "audit.register.sheets": "the reader of workbooks is needed for workbooks alone",
    "audit.report": "WeasyPrint takes a second, and the report's numbers are asked for without it",
    "audit.runs.locations": "stores are connected to for addresses alone",
    "audit.service.runner": "the service answers `health` without the audit's libraries",
    "audit.service.site": "each part of a site's check loads what it looks at",
    "audit.stores.files": "stores are connected to for addresses alone",
    "audit.verify.verification": "signatures and ledgers are looked at where there are some",
}
"""Modules and packages that import others of the project within functions, each with what that spares."""


def module_name(path: Path) -> str:
    """The dotted name of a file of the package."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def lazy_imports(path: Path) -> set[str]:
    """The modules of the project that a file imports within functions."""
    tree = ast.parse(path.read_text("utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    found: set[str] = set()
    for node in (each for function in functions for each in ast.walk(function)):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "audit":
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name if name in MODULES else node.module for name in names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name.split(".")[0] == "audit"}
    return found


LAZILY = {name: found for name, path in MODULES.items() if (found := lazy_imports(path))}


def reason(module: str) -> str | None:
    """Why a module imports within functions; what is said of a package goes for its modules."""
    return next((LAZY[name] for name in (module, module.rpartition(".")[0]) if name in LAZY), None)


def test_layers_hold_and_nothing_runs_in_circles() -> None:
    """The contracts of pyproject.toml are kept: each layer imports those below it alone, and no room has a cycle.

    Imports within functions count, and so do those for types.
    """
    lint = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([lint, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout[-4000:]


def test_every_lazy_import_has_its_reason() -> None:
    """A module that imports others of the project within functions is listed with what it spares, and no other is."""
    assert [] == [name for name in LAZILY if reason(name) is None]
    assert {name for name in LAZY if not any(reason(m) == LAZY[name] for m in LAZILY)} == set()


@pytest.mark.parametrize("module", LAZILY)
def test_lazy_imports_spare_something(module: str) -> None:
    """What a module imports within functions is not there already when the module is: else it stands at the top."""
    script = f"import sys, {module}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)

    assert set() == LAZILY[module] & set(done.stdout.split())


def test_a_file_name_has_one_meaning() -> None:
    """No two modules share a name, whichever room they are in, save the door of each room."""
    places = defaultdict(list)
    for name, path in MODULES.items():
        if path.name != "__init__.py":
            places[path.stem].append(name)

    assert {} == {stem: names for stem, names in places.items() if len(names) > 1}


def test_a_class_name_has_one_meaning() -> None:
    """No two classes share a name."""
    places = defaultdict(list)
    for name, path in MODULES.items():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(name)

    assert {} == {name: modules for name, modules in places.items() if len(modules) > 1}
