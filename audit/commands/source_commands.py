"""The commands about how a house's files are read: sources, quarantine, and expectations run."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from audit.base.errors import ExitCode, InputRefused, UsageError
from audit.commands.output import remark, say, say_json

_CELL: Final = 46


def list_sources(arguments: argparse.Namespace) -> int:
    """The profiles that are shipped."""
    from audit.source.profiles import load_profile, shipped

    rows = []
    for name in shipped():
        profile = load_profile(name)
        tables = sorted(profile.tables) or ["rounds", "wagers", "events"]
        rows.append({"name": name, "tables": tables, "zone": profile.zone, "description": profile.description})
    if arguments.json:
        say_json(rows)
    else:
        for row in rows:
            say(f"{row['name']:<20} {', '.join(row['tables']):<24} {row['description']}")
    return int(ExitCode.CLEAN)


def check(arguments: argparse.Namespace) -> int:
    """Read files with a profile: counts, rejects, proof of order, and the first rows before and after."""
    from audit.source.checking import check_source
    from audit.source.profiles import load_profile
    from audit.stores.files import resolve

    profile = load_profile(arguments.source)
    files = resolve(arguments.files, arguments.table or "rounds")
    tables = (
        [arguments.table] if arguments.table else ["rounds", *(t for t in ("wagers", "events") if profile.embeds(t))]
    )
    result = check_source(files, profile, tables, arguments.rows)
    if arguments.json:
        say_json(result)
    else:
        _print_check(result, arguments.lang)
    return int(ExitCode.CLEAN)


def _print_check(result: Mapping[str, Any], language: str) -> None:
    say(f"{result['profile']}: {result['description']} (times without an offset: {result['zone']})")
    for table in result["tables"]:
        say(
            f"\n{table['table']}: read {table['read']:,} = accepted {table['accepted']:,}"
            f" + quarantined {table['quarantined']:,}; rows of other tables {table['of_other_tables']:,}"
        )
        _print_reasons(table["reasons"], language)
        if "proof" in table:
            say(f"  {table['proof']['text'][language]}")
        for order in table.get("orders", ()):
            say(f"  order {order['order']}: {order['agree']} of {order['rounds']} rounds agree ({order['basis']})")
        for row in table["rows"]:
            _print_row(row, language)


def _print_row(row: Mapping[str, Any], language: str) -> None:
    say(f"\n  {row['file']} row {row['row']}")
    for cell in row["cells"]:
        before = "; ".join(f"{name} = {text}" for name, text in cell["before"].items()) or "(constant)"
        say(f"    {_short(before):<{_CELL}}  {cell['column']:<15} {cell['after'] if cell['after'] is not None else ''}")
    if row["rejected"]:
        say(f"    ! {row['rejected'][language]}")


def _short(text: str) -> str:
    text = text.replace("\x1f", " ")
    return text if len(text) <= _CELL else text[: _CELL - 1] + "…"


def _print_reasons(reasons: Sequence[Mapping[str, Any]], language: str) -> None:
    for entry in reasons:
        say(f"  {entry['reason']} ({entry['table']}): {entry['count']:,}")
        for example in entry["examples"]:
            say(f"    {example['file']} row {example['row']}: {example['message'][language]}")


def guess(arguments: argparse.Namespace) -> int:
    """Propose a profile for a file, with its evidence and what could not be decided."""
    from audit.guess.proposal import guess_profile
    from audit.stores.files import resolve

    files = resolve([arguments.file], "rounds")
    proposal = guess_profile(files[0])
    if len(files) > 1:
        remark(f"dicj-audit: looked at {files[0].name} of {len(files)} files")
    if arguments.json:
        say_json(proposal.as_json())
    else:
        say(proposal.as_yaml())
    return int(ExitCode.CLEAN)


def quarantine(arguments: argparse.Namespace) -> int:
    """The rejected rows of a run by reason with examples; or the rows themselves, to be corrected and fed again."""
    rows = _rejected(arguments.run)
    if arguments.rows is not None:
        return _export(rows, arguments.table, arguments.rows)
    summary = _summary(rows)
    if arguments.json:
        say_json(summary)
    elif not summary:
        say("no row was rejected")
    else:
        _print_reasons(summary, arguments.lang)
    return int(ExitCode.CLEAN)


def _rejected(run: Path) -> list[dict[str, Any]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = run / "quarantine.parquet"
    if not run.is_dir():
        raise UsageError(f"{run}: no such run")
    try:
        return list(pq.read_table(path).to_pylist())
    except FileNotFoundError:
        raise InputRefused("the run has no quarantine.parquet") from None
    except (pa.ArrowException, OSError) as error:
        raise InputRefused("quarantine.parquet of the run cannot be read") from error


def _summary(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Counts by table and reason, each with three examples."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for row in rows:
        empty: dict[str, Any] = {"table": row["table"], "reason": row["reason"], "count": 0, "examples": []}
        entry = found.setdefault((row["table"], row["reason"]), empty)
        entry["count"] += 1
        if len(entry["examples"]) < 3:
            example = {"file": row["source_file"], "row": row["source_row"]}
            example |= {"column": row["column"], "value": row["value"]}
            entry["examples"].append(example | {"message": {k: row[f"message_{k}"] for k in ("zh", "pt", "en")}})
    return list(found.values())


def _export(rows: Sequence[Mapping[str, Any]], table: str, file: Path) -> int:
    """Write the rejected rows of one table as the source had them."""
    import csv

    records = [dict(_record(row["row"])) for row in rows if row["table"] == table]
    records = [record for record in records if record]
    if not records:
        raise InputRefused(f"no rejected row of the {table} has its columns left")
    if file.exists():
        raise UsageError(f"{file} exists already; name a new file")
    try:
        with file.open("w", encoding="utf-8", newline="") as stream:
            if file.suffix == ".jsonl":
                stream.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
            else:
                names = list(dict.fromkeys(name for record in records for name in record))
                writer = csv.DictWriter(stream, names, lineterminator="\n")
                writer.writeheader()
                writer.writerows(records)
    except OSError as error:
        raise UsageError(f"{file} cannot be written ({error.strerror})") from error
    say(f"{len(records)} rows written to {file.name}; correct them and add the file with --{table}")
    return int(ExitCode.CLEAN)


def _record(text: str) -> Iterator[tuple[str, Any]]:
    try:
        content = json.loads(text)
    except ValueError:
        return
    if isinstance(content, dict):
        yield from content.items()


def expectations_list(arguments: argparse.Namespace) -> int:
    """Every expectation of every suite; with --run, how that run answered it."""
    from audit.gate.answers import results_from
    from audit.gate.suites import list_suites

    answers: dict[tuple[str, str, str | None, str], Any] = {}
    if arguments.run is not None:
        for line in results_from(arguments.run).results:
            answers[line.suite, line.expectation, line.column, line.text.en] = line
    rows = []
    for suite in list_suites():
        for item in suite.expectations:
            row: dict[str, Any] = {"suite": suite.name, "type": item.type, "column": item.column}
            row |= {"severity": item.severity, "text": item.text.in_language(arguments.lang)}
            answer = answers.get((suite.name, item.type, item.column, item.text.en))
            if arguments.run is not None:
                row |= {"success": answer.success if answer else None, "observed": answer.observed if answer else ""}
            rows.append(row)
    if arguments.json:
        say_json(rows)
    else:
        for row in rows:
            _print_expectation(row)
    return int(ExitCode.CLEAN)


def _print_expectation(row: Mapping[str, Any]) -> None:
    mark = {True: "met  ", False: "FAILED", None: "-"}[row["success"]] if "success" in row else ""
    observed = f" [{row['observed']}]" if row.get("observed") else ""
    say(f"{row['suite']:<16} {row['severity']:<9} {mark:<7}{row['text']}{observed}".rstrip())


def expectations_run(arguments: argparse.Namespace) -> int:
    """Judge logs as data and nothing else; 3 where a critical expectation fails, 1 where another does."""
    from audit.gate.gating import judge_files

    result = judge_files(
        rounds=arguments.rounds,
        wagers=arguments.wagers,
        events=arguments.events,
        approvals=arguments.approvals,
        source=arguments.source,
        suites=arguments.suites,
    )
    if arguments.json:
        say_json(result.as_json())
    else:
        for line in result.results:
            row = {**line.as_json(), "text": line.text.in_language(arguments.lang)}
            _print_expectation(row)
        say(f"{result.passed} met, {result.failed} failed, {result.errors} could not be run")
    result.refuse_if_critical()
    return int(ExitCode.FINDINGS if result.failed else ExitCode.CLEAN)


def template(arguments: argparse.Namespace) -> int:
    """Write an empty register for compliance to fill in, or print what each of its columns means."""
    from audit.register.dictionary import data_dictionary, write_template

    if arguments.out is not None:
        write_template(arguments.out, arguments.lang)
        say(f"wrote {arguments.out}")
    elif arguments.json:
        say_json(data_dictionary())
    else:
        for column in data_dictionary():
            need = "*" if column["required"] else " "
            say(f"{need} {column['name']:<14} {column['header'][arguments.lang]}: {column['meaning'][arguments.lang]}")
    return int(ExitCode.CLEAN)
