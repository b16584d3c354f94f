"""Two runs compared by their findings: new, unchanged and gone.

A finding's id is the digest of code, subject, citation, expected and observed, so that the same finding of two runs,
whatever else they read, has the same id.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pyarrow.compute as pc

from audit.base.model import Text
from audit.findings.table import records
from audit.runs.run_directory import Manifest, findings_of, load_manifest

GROUPS: Final = ("new", "unchanged", "gone")

_HEADS: Final[Mapping[str, Text]] = {
    "new": Text("新增", "novas", "new"),
    "unchanged": Text("不變", "iguais", "unchanged"),
    "gone": Text("不再出現", "desaparecidas", "gone"),
}
_CAUSES: Final[Mapping[str, Text]] = {
    "inputs": Text("輸入檔不同", "os dados são diferentes", "the inputs differ"),
    "configuration": Text("設定不同", "a configuração é diferente", "the configuration differs"),
    "rulebook": Text("規章數據不同", "os dados dos regulamentos são diferentes", "the rulebook differs"),
    "software": Text("程式版本不同", "a versão do programa é diferente", "the version of the program differs"),
    "arguments": Text("所查核之日期或參數不同", "os dias ou argumentos são diferentes", "the days or arguments differ"),
}


def diff(run_a: Path, run_b: Path) -> dict[str, Any]:
    """Findings of `run_b` that are new, those that both runs have, and those of `run_a` that are gone.

    Each group holds findings as `findings.records` prints them (the unchanged ones as in `run_b`); `counts` has the
    size of each, `because` what else differs between the runs. Raises UsageError for a directory that holds no run.
    """
    manifests = load_manifest(run_a), load_manifest(run_b)
    before, after = findings_of(run_a), findings_of(run_b)
    known = pc.is_in(after["finding_id"], value_set=before["finding_id"].combine_chunks())
    kept = pc.is_in(before["finding_id"], value_set=after["finding_id"].combine_chunks())
    groups = {
        "new": list(records(after.filter(pc.invert(known)))),
        "unchanged": list(records(after.filter(known))),
        "gone": list(records(before.filter(pc.invert(kept)))),
    }
    return {
        "run_a": manifests[0].get("run_id"),
        "run_b": manifests[1].get("run_id"),
        "because": [name for name in _CAUSES if _part(manifests[0], name) != _part(manifests[1], name)],
        "counts": {name: len(rows) for name, rows in groups.items()},
        **groups,
    }


def _part(manifest: Manifest, name: str) -> object:
    if name == "inputs":
        return sorted((item["role"], item["sha256"]) for item in manifest.get("inputs", ()))
    part = manifest.get(name)
    return part.get("digest", part) if isinstance(part, dict) else part


def diff_lines(result: Mapping[str, Any], language: str) -> Iterator[str]:
    """The comparison as plain text, the unchanged findings counted only."""
    yield " · ".join(f"{_HEADS[name].in_language(language)} {result['counts'][name]}" for name in GROUPS)
    for name in result["because"]:
        yield f"  ({_CAUSES[name].in_language(language)})"
    for name, sign in (("new", "+"), ("gone", "-")):
        for row in result[name]:
            yield f"{sign} {row['code']} {row['severity']:<8} {row[f'message_{language}']}"
