"""The catalogue of checks as `checks list` and `checks show` print it: as data and as plain text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from audit.base.errors import UsageError
from audit.base.model import Text
from audit.catalogue.catalogue import Catalogue, Check, Criterion, FindingExample, load
from audit.catalogue.examples import laid_out, load_examples

_HEADS: Final = {
    "severity": Text("嚴重程度", "Gravidade", "Severity"),
    "subject": Text("每項發現之對象", "Uma constatação por", "One finding per"),
    "articles": Text("條文", "Artigos", "Articles"),
    "needs": Text("所需資料", "Dados necessários", "Needs"),
    "criterion": Text("準則", "Critério", "Criterion"),
    "compared": Text("比對內容", "O que se compara", "What is compared"),
    "severity_reason": Text("嚴重程度之理由", "Razão da gravidade", "Why this severity"),
    "example": Text("不符合之例子", "Exemplo", "An example that fails"),
    "counter_example": Text("符合之相近例子", "Caso próximo em ordem", "The nearest case in order"),
    "limits": Text("限制", "Limites", "Known limits"),
    "corrective_step": Text("跟進措施", "Acompanhamento", "Corrective step"),
    "message": Text("發現之文字", "Texto da constatação", "Wording of a finding"),
}


def table(language: str) -> list[dict[str, object]]:
    """One row a check, in the order of the report: code, slug, family, severity, subject and criterion."""
    catalogue = load()
    return [
        {
            "code": check.code,
            "slug": check.slug,
            "family": check.family,
            "severity": check.severity.value,
            "subject": check.subject,
            "built": check.built,
            "criterion": check.criterion.in_language(language),
        }
        for check in catalogue.checks.values()
    ]


def table_text(language: str) -> str:
    """The list as aligned plain text, a family's name above its checks."""
    catalogue = load()
    lines, family = [], None
    for check in catalogue.checks.values():
        if check.family != family:
            family = check.family
            lines.append(f"{family}  {catalogue.families[family].name.in_language(language)}")
        severity = catalogue.words[check.severity.value].in_language(language)
        lines.append(f"  {check.code}  {check.slug:<24}{severity}")
    return "\n".join(lines)


def show(code: str, language: str) -> dict[str, object]:
    """Everything the catalogue says of one check, its texts in `language`.

    Raises UsageError for a code that does not exist.
    """
    catalogue, check = load(), _find(code)
    examples = load_examples()[check.code]
    family = catalogue.families[check.family]
    return {
        "code": check.code,
        "slug": check.slug,
        "family": {"key": family.key, "name": family.name.in_language(language), "chapter": family.chapter},
        "severity": check.severity.value,
        "subject": check.subject,
        "built": check.built,
        "articles": {game: _citation(check.articles[game]) for game in check.articles},
        "needs": list(check.needs),
        "criterion": check.criterion.in_language(language),
        "compared": check.compared.in_language(language),
        "severity_reason": check.severity_reason.in_language(language),
        "example": _example(examples.example, language),
        "counter_example": _example(examples.counter_example, language),
        "limits": check.limits.in_language(language),
        "corrective_step": family.corrective_step.in_language(language),
        "message": check.message.in_language(language),
        "variants": {name: text.in_language(language) for name, text in check.variants.items()},
    }


def show_text(code: str, language: str) -> str:
    """The same as plain text, one heading a line and what it says under it; examples as the CSV files they stand for.

    Raises UsageError for a code that does not exist.
    """
    catalogue, check = load(), _find(code)
    family = catalogue.families[check.family]
    examples = load_examples()[check.code]
    bodies = {
        "severity": catalogue.word(check.severity.value, language),
        "subject": catalogue.word(check.subject, language),
        "articles": "; ".join(f"{catalogue.word(g, language)} {c}" for g, c in check.articles.items()) or "—",
        "needs": ", ".join(check.needs),
        "criterion": check.criterion.in_language(language),
        "compared": check.compared.in_language(language),
        "severity_reason": check.severity_reason.in_language(language),
        "example": _example_text(examples.example, language),
        "counter_example": _example_text(examples.counter_example, language),
        "limits": check.limits.in_language(language),
        "corrective_step": family.corrective_step.in_language(language),
        "message": check.message.in_language(language),
    }
    lines = [f"{check.code} {check.slug} ({family.name.in_language(language)})"]
    for key, body in bodies.items():
        lines += [_HEADS[key].in_language(language), f"  {body}"]
    return "\n".join(lines)


def _find(code: str) -> Check:
    catalogue: Catalogue = load()
    wanted = code.strip().upper()
    if wanted not in catalogue.checks:
        raise UsageError(f"there is no check {code!r}; `checks list` names them all")
    return catalogue.checks[wanted]


def _citation(criterion: Criterion) -> dict[str, object]:
    return {"instrument": criterion.instrument, "articles": list(criterion.articles)}


def _example(example: FindingExample, language: str) -> dict[str, object]:
    """The case in a sentence, its data as told, and the complete rows that an audit of it reads."""
    tables = {table: list(rows) for table, rows in laid_out(example.data).tables.items()}
    return {"data": _thawed(example.data), "text": example.text.in_language(language), "tables": tables}


def _example_text(example: FindingExample, language: str) -> str:
    rows = laid_out(example.data)
    lines = [example.text.in_language(language)]
    for table in rows.tables:
        lines += [f"  {table}.csv", *(f"    {line}" for line in rows.csv(table).splitlines())]
    if rows.configuration:
        lines += ["  audit.yaml", f"    {json.dumps(_thawed(rows.configuration), ensure_ascii=False)}"]
    return "\n  ".join(lines)


def _thawed(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(key): _thawed(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return [_thawed(item) for item in value]
    return value
