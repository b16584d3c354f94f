"""Finished runs compared with the ledger: is each still what was recorded, and does the ledger hold together."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any

from audit.base.errors import UsageError
from audit.runs.locations import find
from audit.runs.run_directory import load_manifest
from audit.runs.staging import MANIFEST, sha256
from audit.store import queries
from audit.store.ledger import Ledger, LedgerEntry
from audit.verify.verification import examine


def check_ledger(ledger: Ledger, outputs: Path | None) -> dict[str, Any]:
    """The chain, and every recorded run whose output is in the folder `outputs`; ready for JSON.

    `intact` says whether all is as it was recorded, `ledger` has the faults of the chain, `runs` each run as
    `audit.verify.verification` sees it. Raises MachineFailure where the ledger cannot be read.
    """
    known = queries.known_inputs(ledger)
    runs = [_run(outputs / str(entry.output), entry, known) for entry in _runs(ledger)] if outputs else []
    return _result(ledger, runs, list(ledger.verify_chain(outputs)))


def check_run(ledger: Ledger, folder: Path) -> dict[str, Any]:
    """One run, whether the ledger has it, and the chain; as `check_ledger` says it.

    Raises UsageError for a directory that holds no run.
    """
    load_manifest(folder)
    digest = sha256(folder / MANIFEST)
    entry = next((each for each in reversed(_runs(ledger)) if each.manifest == digest), None)
    faults = list(ledger.verify_chain())
    if entry is None:
        faults.append(f"the ledger has no run with the manifest of {folder}")
    return _result(ledger, [_run(folder, entry, queries.known_inputs(ledger))], faults)


def _runs(ledger: Ledger) -> list[LedgerEntry]:
    return [entry for entry in ledger.entries("run") if entry.output]


def _result(ledger: Ledger, runs: list[dict[str, Any]], faults: list[str]) -> dict[str, Any]:
    number, head = ledger.head()
    intact = not faults and all(run["intact"] for run in runs)
    return {"intact": intact, "ledger": {"entries": number, "head": head, "faults": faults}, "runs": runs}


def _run(folder: Path, entry: LedgerEntry | None, known: AbstractSet[str]) -> dict[str, Any]:
    about = {"entry": entry.seq if entry else None, "output": entry.output if entry else str(folder)}
    try:
        result = examine(folder).to_json()
    except UsageError:
        # That it is gone, the chain's own verification says.
        return {**about, "run_id": None, "intact": False, "problems": [], "outputs": [], "inputs": []}
    replaced = _replaced(folder, known) if any(item["state"] == "changed" for item in result["inputs"]) else set()
    for item in result["inputs"]:
        if item["state"] == "changed" and item["file"] in replaced:
            item["state"] = "replaced"
    result["problems"] = [p for p in result["problems"] if p["kind"] != "input_changed" or p["file"] not in replaced]
    return {**about, **result, "intact": not result["problems"]}


def _replaced(folder: Path, known: AbstractSet[str]) -> set[str]:
    """Inputs in whose place a corrected file now stands that a recorded run has read in its turn."""
    names: set[str] = set()
    for item in load_manifest(folder)["inputs"]:
        path = find(item["sha256"])
        try:
            now = sha256(path) if path else None
        except OSError:
            continue
        if now is not None and now != item["sha256"] and now in known:
            names.add(item["file"])
    return names
