"""The commands that look at finished runs: investigate, report, verify, diff."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from audit.base.errors import ExitCode, UsageError
from audit.base.model import LANGUAGES
from audit.commands.output import remark, say, say_json


def investigate(arguments: argparse.Namespace) -> int:
    """One round, table or shoe: replay step by step, wager by wager, with citations."""
    from audit.investigate import Target
    from audit.investigate import investigate as look
    from audit.investigate.document import document
    from audit.investigate.paper import write
    from audit.investigate.screen import show

    if arguments.shoe is not None and arguments.table is None:
        raise UsageError("--shoe belongs to --table")
    target = Target(arguments.round, arguments.table, arguments.shoe, arguments.casino)
    roles = ("rounds", "wagers", "events")
    given: dict[str, Any] = {role: getattr(arguments, role, ()) for role in roles}
    given["approvals"] = [arguments.approvals] if arguments.approvals else ()
    for file in (arguments.pdf, arguments.sheet):
        if file is not None:
            outside(file, arguments.run)
    if arguments.sheet is not None and arguments.round is None:
        raise UsageError("--sheet belongs to --round")
    source = getattr(arguments, "source", None)
    data = look(arguments.run, target, inputs=given, source=source, config=arguments.config)
    if arguments.json:
        say_json(data)
    else:
        show(document(data, arguments.lang))
    if arguments.pdf is not None:
        write(data, arguments.pdf)
        remark(f"wrote {arguments.pdf}")
    if arguments.sheet is not None:
        from audit.investigate.dispute import write_sheet

        write_sheet(data, arguments.sheet)
        remark(f"wrote {arguments.sheet}")
    return int(ExitCode.CLEAN)


def report(arguments: argparse.Namespace) -> int:
    """Render the PDF of a finished run again: in its place where it is missing or the same, else beside it."""
    import tempfile

    from audit.report import PRINTED_PER_CHECK, render_report
    from audit.runs.run_directory import add_supplement, load_manifest

    manifest = load_manifest(arguments.run)
    out: Path = arguments.out or arguments.run / "report.pdf"
    recorded = {"manifest.json", *(output["file"] for output in manifest["outputs"])}
    inside = out.resolve().parent == arguments.run.resolve()
    if inside and out.name in recorded and out.name != "report.pdf":
        raise UsageError(f"{out} belongs to the finished run; name another file with --out")
    settings = manifest["configuration"].get("report", {})
    limit = int(settings.get("findings_per_check", PRINTED_PER_CHECK))
    languages = _languages(arguments.lang)
    with tempfile.TemporaryDirectory(prefix="report-") as folder:
        fresh = Path(folder) / "report.pdf"
        render_report(arguments.run, fresh, languages=languages, limit=limit)
        content = fresh.read_bytes()
    same = inside and out.name in recorded and out.is_file() and out.read_bytes() == content
    if inside and out.name in recorded and not same:
        out = out.with_name(f"report.{'-'.join(languages)}.pdf")
    if not same:
        out.write_bytes(content)
        if inside:
            add_supplement(arguments.run, out.name)
    if arguments.json:
        say_json({"report": str(out), "run_id": manifest["run_id"], "same": same})
    else:
        say(f"{out}: rendered again, the same bytes" if same else f"wrote {out}")
    return int(ExitCode.CLEAN)


def _languages(text: str) -> tuple[str, ...]:
    languages = tuple(word.strip() for word in text.split(",") if word.strip())
    unknown = [word for word in languages if word not in LANGUAGES]
    if unknown or not languages or len(set(languages)) < len(languages):
        raise UsageError(f"--lang {text!r}: write some of {', '.join(LANGUAGES)}, each once, with commas between")
    return languages


def outside(file: Path, run: Path) -> None:
    """Refuse to write into a finished run."""
    if file.resolve().is_relative_to(run.resolve()):
        raise UsageError(f"{file} lies in the finished run, which stays as it is; name a file elsewhere")
    if not file.resolve().parent.is_dir():
        raise UsageError(f"the folder of {file} does not exist")


def verify(arguments: argparse.Namespace) -> int:
    """Recompute every digest of a finished run; 1 where anything has changed."""
    from audit.verify.verification import examine

    result = examine(arguments.run)
    if arguments.json:
        say_json(result.to_json())
    else:
        language = getattr(arguments, "lang", "en")
        for problem in result.problems:
            say(f"! {problem.text.in_language(language)}")
        for file, state in result.outputs:
            say(f"  {state:<8} {file}")
        for role, file, state in result.inputs:
            say(f"  {state:<8} {file} ({role})")
        for signature in result.signatures:
            known = "signer" in signature
            who = f": {signature['signer']} ({signature['role']}, PAdES {signature['level']})" if known else ""
            say(f"  {signature['state']:<8} {signature['file']}, signature{who}")
        say(f"{'changed' if result.problems else 'intact'}: run {result.run_id}")
    return int(ExitCode.FINDINGS if result.problems else ExitCode.CLEAN)


def diff(arguments: argparse.Namespace) -> int:
    """Findings new, unchanged and gone between two runs."""
    from audit.runs.difference import diff as compare
    from audit.runs.difference import diff_lines

    result = compare(arguments.run_a, arguments.run_b)
    if arguments.json:
        say_json(result)
    else:
        say("\n".join(diff_lines(result, getattr(arguments, "lang", "en"))))
    return int(ExitCode.CLEAN)
