"""What holds for the project as a whole: its documents, its package, its lock, and the habits of its code."""

from __future__ import annotations

import argparse
import ast
import inspect
import json
import os
import re
import subprocess
import sys
import tomllib
from importlib import import_module, metadata
from pathlib import Path

import pytest
import yaml

import audit
from audit.base import resources
from audit.base.errors import ExitCode, MachineFailure
from audit.cli import build_parser

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = Path(audit.__file__).resolve().parent
MODULES = sorted(PACKAGE.rglob("*.py"))
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
LOCK = (ROOT / "requirements.lock").read_text("utf-8")


MADE = {".git", ".hypothesis", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".venv", "__pycache__", "demo-output"}


def project_files() -> list[Path]:
    """Every file of the checkout that is tracked or would be; outside a checkout, every file that no tool made."""
    # In CI the clone may belong to another user, which git refuses unless told.
    git = ["git", "-c", "safe.directory=*", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(git, check=False, capture_output=True, text=True)
    if done.returncode == 0:
        found = {ROOT / name for name in done.stdout.split("\0") if name}
    else:
        found = {path for path in ROOT.rglob("*") if not MADE & set(path.relative_to(ROOT).parts)}
    return sorted(path for path in found if path.is_file())


def text_of(path: Path) -> str:
    """The file as text; empty for a binary one."""
    data = path.read_bytes()
    return "" if b"\0" in data else data.decode("utf-8")


def normal(name: str) -> str:
    """A distribution's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


# --- documents


def leaves(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Every command in full, as `dicj-audit rules show`, with its parser."""
    groups = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if not groups:
        return {parser.prog: parser}
    return {name: leaf for group in groups for child in group.choices.values() for name, leaf in leaves(child).items()}


COMMANDS = leaves(build_parser())


def test_every_promised_command_exists() -> None:
    """No command that outsiders rely on is missing."""
    promised = [
        *("run", "investigate", "explain", "report", "verify", "diff", "serve", "demo"),
        *("approvals check", "approvals notice", "rules list", "rules show", "checks list", "checks show"),
    ]

    assert {f"dicj-audit {name}" for name in promised} <= set(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_readme_names_every_command(command: str) -> None:
    """Each command stands in the README with its full name."""
    readme = (ROOT / "README.md").read_text("utf-8")

    assert re.search(rf"`{re.escape(command)}\b", readme)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_and_option_has_help(command: str) -> None:
    """Each command says what it does; so does each of its options that is not plain from its choices."""
    parser = COMMANDS[command]

    assert parser.description
    assert [] == [action.dest for action in parser._actions if not (action.help or action.choices or action.required)]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_its_function(command: str) -> None:
    """The function that a command names, which is imported only when it is asked for, exists."""
    named = inspect.getclosurevars(COMMANDS[command].get_default("handler")).nonlocals

    assert callable(getattr(import_module(f"audit.commands.{named['module']}"), named["function"]))


def test_readme_lists_every_exit_code() -> None:
    """The README has one row for each exit code, in order."""
    readme = (ROOT / "README.md").read_text("utf-8")
    section = readme.partition("### Exit codes")[2].partition("\n#")[0]

    assert [str(int(code)) for code in ExitCode] == re.findall(r"^\| (\d) \|", section, re.MULTILINE)


def test_version_agrees() -> None:
    """The package, its metadata and the changelog name the same version."""
    released = re.findall(r"^## \[(\d[^]]*)\]", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)

    assert audit.__version__ == metadata.version("dicj-audit")
    assert audit.__version__ == released[0]


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_links_between_documents_lead_somewhere(name: str) -> None:
    """Each relative link of a document leads to a file of the project."""
    for target in re.findall(r"\]\(([^)#:]+)\)", (ROOT / name).read_text("utf-8")):
        assert (ROOT / target).exists(), target


# --- package


def test_package_under_test_is_the_installed_one() -> None:
    """Where CI names the folder it installed the wheel into, the package comes from there, data included."""
    expected = os.environ.get("DICJ_AUDIT_INSTALLED_IN")
    top = Path(expected).resolve() if expected else ROOT

    assert top / "audit" == PACKAGE

    for name in resources.FOLDERS:
        assert resources.resource_dir(name).is_relative_to(top)


@pytest.mark.parametrize("name", resources.FOLDERS)
def test_resources_are_shipped_whole(name: str) -> None:
    """Every file of a resource folder is where the program looks for it, with the same bytes."""
    folder = ROOT / resources.FOLDERS[name]
    files = [path for path in project_files() if path.is_relative_to(folder)]

    assert files

    for path in files:
        assert path.read_bytes() == (resources.resource_dir(name) / path.relative_to(folder)).read_bytes()


def test_data_of_the_package_is_shipped() -> None:
    """The regulation and the catalogue, which are YAML inside the package, are in what is installed."""
    data = [path for path in project_files() if path.is_relative_to(ROOT / "audit") and path.suffix != ".py"]

    assert {"working_days.yaml", "baccarat.yaml", "makccarat.yaml", "py.typed"} <= {path.name for path in data}

    for path in data:
        assert path.read_bytes() == (PACKAGE / path.relative_to(ROOT / "audit")).read_bytes()


def test_unknown_resource_is_refused() -> None:
    """A resource name that is not in the table is a fault of the caller."""
    with pytest.raises(KeyError):
        resources.resource_dir("secrets")


def test_missing_resource_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An installation without its data says so in words that name the folder."""
    monkeypatch.setattr(resources, "_PACKAGE", tmp_path / "audit")

    with pytest.raises(MachineFailure, match="'reports/templates' is missing"):
        resources.resource_dir("templates")


def test_command_starts_without_heavy_libraries() -> None:
    """Importing the command line loads none of the libraries that take seconds."""
    heavy = {"apscheduler", "great_expectations", "pandas", "scipy", "sqlalchemy", "weasyprint"}
    script = "import sys, audit.cli; print(*{name.partition('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)

    assert set() == heavy & set(done.stdout.split())


# --- dependencies


def test_lock_is_hashed_and_names_no_address() -> None:
    """Each pin of the lock carries a hash, and no index, file or address stands in it."""
    pins = re.findall(r"^\S+==.*(?:\n    --hash=sha256:[0-9a-f]{64}.*)*", LOCK, re.MULTILINE)

    assert len(pins) > 50
    assert all("--hash=" in pin for pin in pins)
    assert LOCK.strip() == "\n".join(pins).strip()
    assert not re.search(r"://|@ |-index|find-links", LOCK)


def test_lock_covers_the_declared_dependencies() -> None:
    """Each direct dependency, of the product, of its extras and of its build, is pinned."""
    project = SETTINGS["project"]
    declared = [*project["dependencies"], *SETTINGS["build-system"]["requires"]]
    declared += [item for extra in project["optional-dependencies"].values() for item in extra]
    pinned = {normal(name) for name in re.findall(r"^([\w.-]+)==", LOCK, re.MULTILINE)}

    assert set() == {normal(re.split(r"[<>=!~\[; ]", item)[0]) for item in declared} - pinned


def imported_by(path: Path) -> set[str]:
    """Top-level names of the modules that a file imports, at any depth of its code."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.partition(".")[0])
    return names


def test_imports_of_the_package_are_declared() -> None:
    """Whatever the package imports is the standard library, itself, or a dependency named in pyproject.toml."""
    owners = metadata.packages_distributions()
    project = SETTINGS["project"]
    optional = [item for name, items in project["optional-dependencies"].items() if name != "dev" for item in items]
    declared = {normal(re.split(r"[<>=!~\[; ]", item)[0]) for item in [*project["dependencies"], *optional]}
    foreign = set().union(*map(imported_by, MODULES)) - sys.stdlib_module_names - {"audit"}

    assert set() == {name for name in foreign if not {normal(owner) for owner in owners.get(name, [])} & declared}


# --- code


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_module_is_of_readable_length(path: Path) -> None:
    """No module is longer than 400 lines."""
    assert len(path.read_text("utf-8").splitlines()) <= 400


def dates_in(source: str) -> list[str]:
    """Dates and years written as literals in Python code; docstrings do not count.

    >>> dates_in("x = dt.date(2011, 9, 27)"), dates_in("y = '2009-06-23'"), dates_in("z = '55/2004'")
    (['dt.date(2011, 9, 27)', '2011'], ["'2009-06-23'"], [])
    """
    tree = ast.parse(source)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    found = []
    for node in ast.walk(tree):
        literal = node.value if isinstance(node, ast.Constant) and id(node) not in docstrings else None
        is_year = isinstance(literal, int) and 1980 <= literal <= 2100
        is_day = isinstance(literal, str) and re.search(r"\b(19|20)\d\d-?[01]\d-?[0-3]\d\b", literal)
        called = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
        is_date = re.search(r"\b(date|datetime)$", called) and any(isinstance(arg, ast.Constant) for arg in node.args)
        if is_year or is_day or is_date:
            found.append(ast.unparse(node))
    return found


@pytest.mark.parametrize(
    "path",
    [path for path in MODULES if path.relative_to(PACKAGE).parts[0] in {"games", "checks"}],
    ids=lambda path: str(path.relative_to(PACKAGE)),
)
def test_rule_code_holds_no_date(path: Path) -> None:
    """Games and checks select nothing by a date of their own: dates live in the regulations' YAML."""
    assert [] == dates_in(path.read_text("utf-8"))


@pytest.mark.parametrize(
    "path",
    [path for path in project_files() if path.suffix in {".yaml", ".yml"} and "tests" not in path.parts],
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_yaml_file_loads(path: Path) -> None:
    """Each YAML file outside the tests' broken samples holds one document that loads safely and is not empty."""
    assert yaml.safe_load(path.read_text("utf-8"))


def test_expectation_suites_load() -> None:
    """Each expectation suite is JSON with a name and at least one expectation."""
    suites = [json.loads(path.read_text("utf-8")) for path in resources.resource_dir("expectations").glob("*.json")]

    assert suites
    assert all(suite["name"] and suite["expectations"] for suite in suites)


#: What ties a file to one machine or one package index. Written so that no pattern matches its own text.
PLACES = (
    re.compile(r"(?<![\w.~<>-])/(?:work|root|tmp)\b(?!-)"),
    re.compile(r"\b(?:pypi|npmjs|debian|python-?hosted)\.(?:org|com|io)\b"),
    re.compile(r"--(?:extra-)?index-url[ =]"),
)


def test_files_name_no_machine_and_no_index() -> None:
    """No file of the project names a folder of somebody's machine or a package index."""
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in project_files()
        for pattern in PLACES
        for match in pattern.finditer(text_of(path))
    ]

    assert [] == found


@pytest.mark.parametrize(
    "name", ["script/setup", "script/demo", "script/test", "script/lock", "script/catalogues", ".ci/run"]
)
def test_script_can_run(name: str) -> None:
    """Each script has its run bit and parses in the shell that its first line names."""
    path = ROOT / name
    shell = "bash" if "bash" in path.read_text("utf-8").splitlines()[0] else "sh"

    assert os.access(path, os.X_OK)
    assert 0 == subprocess.run([shell, "-n", path], check=False).returncode
