"""Each code is given by one module: where its findings come from can be looked up, and is not told twice."""

from __future__ import annotations

import ast
from pathlib import Path

import audit
from audit.catalogue.catalogue import load

PACKAGE = Path(audit.__file__).parent

JUDGES = {
    "checks.applications": "APR-001 APR-002 APR-003",
    "checks.draws": "DRW-003 DRW-004",
    "checks.events": "SHO-004 SHO-005 SHO-006 SHO-007 SHO-008",
    "checks.limits": "LIM-001",
    "checks.logs": "LOG-003",
    "checks.options_in_use": "OPT-001 OPT-002 OPT-003",
    "checks.results": "RES-001 RES-002 RES-003 RES-004",
    "checks.schemes": "OPT-004",
    "checks.shoes": "LOG-002 SHO-001 SHO-002 SHO-003",
    "checks.wager_faults": "PAY-001 PAY-002 PAY-003 PAY-004 PAY-005",
    "engines.local": "LOG-004 LOG-005",
    "engines.part": "LOG-001 LOG-005",
    "replay.compile": "DRW-001 DRW-002",
}
"""Which module gives which codes. A repeated wager (LOG-005) is found within a part of the log, or across parts."""


def _is_count(node: ast.AST) -> bool:
    """Say whether a code is named there to count what was not answered, or to compare with it."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Attribute(attr="tally")) | ast.Attribute(attr="leave_open")):
            return True
        case ast.Subscript(value=ast.Name(id="tally") | ast.Attribute(attr="tally")):
            return True
        case ast.FunctionDef(name="_count_silence") | ast.Compare():
            return True
    return False


def given_by(node: ast.AST, codes: set[str]) -> set[str]:
    """The codes that a piece of code gives to findings."""
    if _is_count(node):
        return set()
    own = {str(node.value)} & codes if isinstance(node, ast.Constant) else set()
    return own.union(*(given_by(child, codes) for child in ast.iter_child_nodes(node)))


def test_every_code_is_given_where_it_is_looked_for() -> None:
    """Each code of the catalogue is given to findings by the modules named above, and by no others."""
    codes = set(load().checks)
    found = {}
    for room in ("checks", "engines", "replay", "register", "evidence"):
        for path in sorted((PACKAGE / room).rglob("*.py")):
            if given := given_by(ast.parse(path.read_text("utf-8")), codes):
                found[f"{room}.{path.stem}"] = given

    assert {module: set(words.split()) for module, words in JUDGES.items()} == found
    assert codes == set().union(*found.values())
