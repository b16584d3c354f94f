"""The catalogue of checks as `checks list` and `checks show` print it: as data and as plain text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from audit.base.errors import UsageError
from audit.base.model import LANGUAGES, Text
from audit.catalogue.catalogue import Catalogue, Check, load

_HEADS: Final = {
    "severity": Text("嚴重程度", "Gravidade", "Severity"),
    "subject": Text("每項發現之對象", "Uma constatação por", "One finding per"),
    "articles": Text("條文", "Artigos", "Articles"),
    "needs": Text("所需資料", "Dados necessários", "Needs"),
    "criterion": Text("準則", "Critério", "Criterion"),
    "compared": Text("比對內容", "O que se compara", "What is compared"),
    "severity_reason": Text("嚴重程度之理由", "Razão da gravidade", "Why this severity"),
    "example": Text("不符合之例子", "Exemplo", "An example that fails"),
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
    family = catalogue.families[check.family]
    return {
        "code": check.code,
        "slug": check.slug,
        "family": {"key": family.key, "name": family.name.in_language(language), "chapter": family.chapter},
        "severity": check.severity.value,
        "subject": check.subject,
        "built": check.built,
        "articles": {game.value: _citation(check, game.value) for game in check.articles},
        "needs": list(check.needs),
        "criterion": check.criterion.in_language(language),
        "compared": check.compared.in_language(language),
        "severity_reason": check.severity_reason.in_language(language),
        "example": {"data": _thawed(check.example.data), "text": check.example.text.in_language(language)},
        "limits": check.limits.in_language(language),
        "corrective_step": family.corrective_step.in_language(language),
        "message": check.message.in_language(language),
        "variants": {name: text.in_language(language) for name, text in check.variants.items()},
    }


def show_text(code: str, language: str) -> str:
    """The same as plain text, one heading a line and what it says under it.

    Raises UsageError for a code that does not exist.
    """
    catalogue, check = load(), _find(code)
    index = LANGUAGES.index(language)
    family = catalogue.families[check.family]
    bodies = {
        "severity": catalogue.word(check.severity.value, index),
        "subject": catalogue.word(check.subject, index),
        "articles": "; ".join(f"{catalogue.word(g.value, index)} {c}" for g, c in check.articles.items()) or "—",
        "needs": ", ".join(check.needs),
        "criterion": check.criterion.in_language(language),
        "compared": check.compared.in_language(language),
        "severity_reason": check.severity_reason.in_language(language),
        "example": check.example.text.in_language(language),
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


def _citation(check: Check, game: str) -> dict[str, object]:
    criterion = {key.value: item for key, item in check.articles.items()}[game]
    return {"instrument": criterion.instrument, "articles": list(criterion.articles)}


def _thawed(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(key): _thawed(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return [_thawed(item) for item in value]
    return value
