"""Is a finished run still what it was: every digest recomputed, the control totals added up again.

The manifest names the digest of every output and of every input. The run's own id is the digest of what decided its
content, so that a change of the configuration, the rulebook's digest or the inputs' digests in the manifest shows too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from audit.base.errors import AuditError, MachineFailure, UsageError
from audit.base.model import LANGUAGES, Text
from audit.findings.table import count_by, read_findings
from audit.runs.locations import find
from audit.runs.run_directory import SUPPLEMENT, Manifest
from audit.runs.run_id import run_id
from audit.runs.staging import MANIFEST, sha256

LEDGER: Final = "ledger.sqlite"
"""The service's ledger in its output folder; one on a database server is verified by the service itself."""

_ABOVE: Final = 4
"""So many folders above a run the ledger is looked for: gaming day, house, output folder, and one to spare."""


_TEXTS: Final[Mapping[str, Text]] = {
    "manifest_unreadable": Text(
        "{file}無法讀取（{detail}）。",
        "Não é possível ler {file} ({detail}).",
        "{file} cannot be read ({detail}).",
    ),
    "output_missing": Text("欠缺{file}。", "Falta o ficheiro {file}.", "{file} is missing."),
    "output_changed": Text(
        "{file}已被更改：摘要為{observed}，應為{expected}。",
        "O ficheiro {file} foi alterado: «hash» {observed} em vez de {expected}.",
        "{file} was changed: its digest is {observed}, not {expected}.",
    ),
    "foreign_file": Text(
        "{file}不屬於此次運行。",
        "O ficheiro {file} não pertence à execução.",
        "{file} does not belong to the run.",
    ),
    "run_id": Text(
        "{file}：運行識別碼與其所列的輸入、設定、規章摘要不符。",
        "{file}: o identificador da execução não corresponde aos dados, à configuração e aos regulamentos que indica.",
        "{file}: the run id does not agree with the inputs, configuration and rulebook that it names.",
    ),
    "totals": Text(
        "{file}：{detail}的控制總數不平衡。",
        "{file}: os totais de controlo de {detail} não batem certo.",
        "{file}: the control totals of {detail} do not add up.",
    ),
    "findings_count": Text(
        "{file}與findings.parquet所載的發現數目不符（{detail}）。",
        "{file} e findings.parquet não têm as mesmas constatações ({detail}).",
        "{file} and findings.parquet do not have the same findings ({detail}).",
    ),
    "signature": Text(
        "{file}：{detail}之電子簽署已失效，所簽內容已被更改。",
        "{file}: a assinatura electrónica de {detail} já não é válida; o que foi assinado foi alterado.",
        "{file}: the signature of {detail} is no longer valid; what was signed has been changed.",
    ),
    "signature_unreadable": Text(
        "{file}：無法讀出電子簽署。",
        "{file}: não se consegue ler nenhuma assinatura electrónica.",
        "{file}: no signature can be read in it.",
    ),
    "signature_of_other": Text(
        "{file}所簽者並非此次運行之report.pdf。",
        "O que se assinou em {file} não é o report.pdf da execução.",
        "What was signed in {file} is not the report.pdf of the run.",
    ),
    "ledger": Text(
        "審計帳冊{file}（詳情為英文）：{detail}。",
        "Registo de auditorias {file} (pormenor em inglês): {detail}.",
        "The audit ledger {file}: {detail}.",
    ),
    "ledger_manifest": Text(
        "{file}與審計帳冊所記之摘要不同。",
        "{file} não tem o «hash» que consta do registo de auditorias.",
        "{file} does not have the digest that the audit ledger recorded.",
    ),
    "input_changed": Text(
        "輸入檔{file}在其最後所在之處已被更改。",
        "O ficheiro de entrada {file} foi alterado no lugar onde foi lido.",
        "The input {file} was changed in the place where it was read.",
    ),
}


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is no longer as the run left it; `kind` is a key of the texts, `file` a file's name."""

    kind: str
    file: str
    text: Text

    def to_json(self) -> dict[str, str]:
        """The problem as data, its sentence in every language."""
        words = {f"message_{language}": self.text.in_language(language) for language in LANGUAGES}
        return {"kind": self.kind, "file": self.file, **words}


@dataclass(frozen=True, slots=True)
class Verification:
    """What was looked at: outputs as (file, state), inputs as (role, file, state), and the problems.

    States are `intact`, `changed`, `missing` for outputs; `intact`, `changed`, `absent` for inputs. An input that is no
    longer at hand is no problem. Signatures are those of signed reports, with their `file` and `state`: `intact`,
    `changed`, or `unchecked` where the library that reads them is not installed.
    """

    run_id: str | None
    outputs: tuple[tuple[str, str], ...]
    inputs: tuple[tuple[str, str, str], ...]
    problems: tuple[Problem, ...]
    signatures: tuple[Mapping[str, Any], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The verification as data."""
        return {
            "run_id": self.run_id,
            "intact": not self.problems,
            "problems": [problem.to_json() for problem in self.problems],
            "outputs": [{"file": file, "state": state} for file, state in self.outputs],
            "inputs": [{"role": role, "file": file, "state": state} for role, file, state in self.inputs],
            "signatures": [dict(signature) for signature in self.signatures],
        }


def verify(run_dir: Path) -> list[Problem]:
    """Everything that has changed in a finished run; empty where it is intact.

    Raises UsageError for a directory that holds no run.
    """
    return list(examine(run_dir).problems)


def examine(run_dir: Path) -> Verification:
    """Look at every file of a finished run and at its inputs where they still are.

    Raises UsageError for a directory that holds no run.
    """
    manifest_file = run_dir / MANIFEST
    if not manifest_file.is_file():
        raise UsageError(f"{run_dir} holds no finished run ({MANIFEST} is missing)")
    try:
        manifest = json.loads(manifest_file.read_text(encoding="utf-8"))
        return _examine(run_dir, manifest)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        problem = _problem("manifest_unreadable", MANIFEST, detail=type(error).__name__)
        return Verification(None, (), (), (problem,))


def _problem(kind: str, file: str, **facts: object) -> Problem:
    return Problem(kind, file, _TEXTS[kind].format(file=file, **facts))


def _examine(run_dir: Path, manifest: Manifest) -> Verification:
    problems: list[Problem] = []
    outputs = list(_outputs(run_dir, manifest["outputs"], problems))
    known = {MANIFEST, *(output["file"] for output in manifest["outputs"])}
    if (run_dir / SUPPLEMENT).is_file():
        added = json.loads((run_dir / SUPPLEMENT).read_text(encoding="utf-8"))["outputs"]
        outputs += _outputs(run_dir, added, problems)
        known |= {SUPPLEMENT, *(output["file"] for output in added)}
    signed = tuple(_signatures(run_dir, [name for name, _ in outputs], problems))
    problems += [_problem("foreign_file", path.name) for path in sorted(run_dir.iterdir()) if path.name not in known]
    if run_id(manifest) != manifest["run_id"]:
        problems.append(_problem("run_id", MANIFEST))
    problems += _totals(manifest)
    problems += _ledger(run_dir.resolve())
    problems += _findings(run_dir, manifest)
    inputs = tuple((item["role"], item["file"], _input_state(item)) for item in manifest["inputs"])
    problems += [_problem("input_changed", file) for _, file, state in inputs if state == "changed"]
    return Verification(manifest["run_id"], tuple(outputs), inputs, tuple(problems), signed)


def _outputs(run_dir: Path, listed: list[Any], problems: list[Problem]) -> Iterator[tuple[str, str]]:
    for output in listed:
        path = run_dir / output["file"]
        if not path.is_file():
            problems.append(_problem("output_missing", output["file"]))
            yield output["file"], "missing"
            continue
        digest = sha256(path)
        same = digest == output["sha256"] and path.stat().st_size == output["bytes"]
        if not same:
            facts = {"observed": digest, "expected": output["sha256"]}
            problems.append(_problem("output_changed", output["file"], **facts))
        yield output["file"], "intact" if same else "changed"


def _signatures(run_dir: Path, names: list[str], problems: list[Problem]) -> Iterator[Mapping[str, Any]]:
    """Every signature of the signed reports among the outputs, checked against what it covers."""
    from audit.signing.signatures import REPORT, SIGNED, signatures

    signed = run_dir / SIGNED
    if SIGNED not in names or not signed.is_file():
        return
    report = run_dir / REPORT
    if report.is_file() and not signed.read_bytes().startswith(report.read_bytes()):
        problems.append(_problem("signature_of_other", SIGNED))
    try:
        found = signatures(signed)
    except MachineFailure:
        yield {"file": SIGNED, "state": "unchecked"}
        return
    except ValueError:
        found = ()
    if not found:
        problems.append(_problem("signature_unreadable", SIGNED))
    for one in found:
        if not one.good:
            problems.append(_problem("signature", SIGNED, detail=one.signer))
        yield {"file": SIGNED, "state": "intact" if one.good else "changed", **one.to_json()}


def _totals(manifest: Manifest) -> Iterator[Problem]:
    """Rows read = accepted + quarantined + repeats, for each table and each file; verdicts add up to the rounds."""
    for table, total in manifest["totals"].items():
        if total["read"] != total["accepted"] + total["quarantined"] + total["repeats"]:
            yield _problem("totals", MANIFEST, detail=table)
    for item in manifest["inputs"]:
        if item["rows"] != item["accepted"] + item["quarantined"] + item["repeats"]:
            yield _problem("totals", MANIFEST, detail=item["file"])
    if sum(manifest["verdicts"].values()) != manifest["totals"]["rounds"]["accepted"]:
        yield _problem("totals", MANIFEST, detail="verdicts")


def _findings(run_dir: Path, manifest: Manifest) -> Iterator[Problem]:
    if not (run_dir / "findings.parquet").is_file():
        return
    try:
        table = read_findings(run_dir)
    except (OSError, ValueError) as error:
        yield _problem("findings_count", MANIFEST, detail=type(error).__name__)
        return
    said = manifest["findings"]
    counted = {
        "total": len(table),
        "by_code": count_by(table["code"].to_pylist()),
        "by_severity": count_by(table["severity"].to_pylist()),
    }
    for name, value in counted.items():
        if value != said[name]:
            yield _problem("findings_count", MANIFEST, detail=name)


def _ledger(run_dir: Path) -> Iterator[Problem]:
    """Where the service wrote the run: its ledger above the run's folder, every entry and the run's own manifest."""
    folder = next((each for each in list(run_dir.parents)[:_ABOVE] if (each / LEDGER).is_file()), None)
    if folder is None:
        return
    from audit.store.ledger import Ledger

    try:
        ledger = Ledger.read(f"sqlite:///{(folder / LEDGER).as_posix()}")
    except AuditError as error:
        yield _problem("ledger", LEDGER, detail=error)
        return
    try:
        output = run_dir.relative_to(folder).as_posix()
        entries = [entry for entry in ledger.entries("run") if entry.output == output]
        if entries:
            if entries[-1].manifest != sha256(run_dir / MANIFEST):
                yield _problem("ledger_manifest", MANIFEST)
            for fault in ledger.verify_chain():
                yield _problem("ledger", LEDGER, detail=fault)
    except AuditError as error:
        yield _problem("ledger", LEDGER, detail=error)
    finally:
        ledger.close()


def _input_state(item: Mapping[str, Any]) -> str:
    path = find(item["sha256"])
    if path is None:
        return "absent"
    try:
        return "intact" if sha256(path) == item["sha256"] else "changed"
    except OSError:
        return "absent"
