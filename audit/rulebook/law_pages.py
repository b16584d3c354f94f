"""The data of `show` as lines of text in Chinese, Portuguese or English."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Final

from audit.base.known_games import known_game
from audit.base.model import LANGUAGES, Text
from audit.rulebook.coverage import STATUS_TEXT, Coverage
from audit.rulebook.law_data import Json

_LABELS: Final = {
    "from": Text("生效日", "em vigor desde", "in force from"),
    "between": Text("生效日介乎", "em vigor desde um dia entre", "in force from a day between"),
    "uncertain": Text("（推算）", " (calculado)", " (worked out)"),
    "unknown_text": Text("條文未能查閱", "texto desconhecido", "text unknown"),
    "acts": Text("依據", "actos", "acts"),
    "gazette": Text("《公報》", "B.O.", "Official Gazette"),
    "value": Text("數值", "valores", "values"),
    "reading": Text("解釋", "interpretação", "reading"),
    "unread": Text("未能查閱", "por ler", "unread"),
    "doubt": Text(
        "此日是否已生效未能確定，所修改者不作核實。",
        "Não é certo que já vigorasse neste dia; o que mudou não se verifica.",
        "Whether this was in force on the day is not certain; what it changed is not evaluated.",
    ),
    "rules": Text("規則", "regras", "rules"),
    "mark": Text("憑據", "prova", "evidence"),
    "verified": Text("最後核對", "última conferência", "last verified"),
    "added": Text("新增", "aditado", "added"),
    "removed": Text("不再有", "deixou de existir", "no longer there"),
    "changed": Text("修改", "alterado", "changed"),
    "same": Text("沒有分別。", "Sem diferenças.", "No difference."),
    "source": Text(
        "摘要為本系統所撰，以《澳門特別行政區公報》為準。",
        "Resumos nossos; faz fé o Boletim Oficial da Região Administrativa Especial de Macau.",
        "Summaries are ours; the Official Gazette prevails.",
    ),
}


def render_list(data: Json, language: str) -> str:
    """The result of `rules_list` as text, one version a paragraph."""
    lines = [line for item in _records(data) for line in [*_version_lines(item, language), ""]]
    return _joined(lines)


def render_show(data: Json, language: str) -> str:
    """The result of `rules_show` as text, one provision a paragraph."""
    record = _record(data)
    lines = [_string(record, "day"), *_version_lines(record, language)]
    lines += [f"{_label('verified', language)}: {_string(record, 'verified_on')}", _label("source", language), ""]
    for provision in _records(record["provisions"]):
        lines += [*_provision_lines(provision, language), ""]
    return _joined(lines)


def render_diff(data: Json, language: str) -> str:
    """The result of `rules_diff` as text: the acts between the days, then what each changed."""
    record = _record(data)
    before, after = _record(record["from"]), _record(record["to"])
    game = known_game(_string(record, "game")).title.in_language(language)
    lines = [f"{game}: {before['day']} ({before['version']}) → {after['day']} ({after['version']})"]
    lines += [f"  {line}" for act in _records(record["acts"]) for line in _act_lines(act, language)]
    for kind in ("added", "removed", "changed"):
        for provision in _records(record[kind]):
            lines += ["", f"[{_label(kind, language)}]", *_provision_lines(provision, language)]
            lines += _parameter_changes(provision)
    if not any(_records(record[kind]) for kind in ("added", "removed", "changed")):
        lines.append(_label("same", language))
    return _joined(lines)


def render_coverage(table: Sequence[Coverage], language: str) -> str:
    """The table of coverage as text, one rule a line."""
    lines = []
    for entry in table:
        parts = [entry.subject, STATUS_TEXT[entry.status].in_language(language), ", ".join(entry.codes)]
        parts += [entry.limit.in_language(language)] if entry.limit else []
        lines.append(" · ".join(part for part in parts if part))
    return _joined(lines)


def _version_lines(record: dict[str, Json], language: str) -> Iterator[str]:
    game = known_game(_string(record, "game")).title.in_language(language)
    if record["version"] is None:
        yield f"{game}: {_label('unknown_text', language)}"
    else:
        known = "" if record["known"] else f" · {_label('unknown_text', language)}"
        yield f"{game} {_string(record, 'version')} · {_start(record, language)}{known}"
        for act in _records(record["acts"]):
            yield from (f"  {line}" for line in _act_lines(act, language))
    if record.get("note") is not None:
        yield f"  {_words(record['note'], language)}"


def _act_lines(act: dict[str, Json], language: str) -> Iterator[str]:
    gazette = f" · {_label('gazette', language)} {act['bo']}" if act["bo"] else ""
    published = f", {act['published']}" if act["published"] else ""
    guess = _label("uncertain", language) if act["published"] and not act["published_certain"] else ""
    yield f"{act['id']} · {_words(act['kind'], language)}{gazette}{published}{guess}"
    yield f"  {_words(act['changed'], language)}"


def _provision_lines(record: dict[str, Json], language: str) -> Iterator[str]:
    article = {"zh": record["article_zh"], "pt": record["article_pt"], "en": f"art. {record['article']}"}[language]
    ids = ", ".join(str(identifier) for identifier in _list(record["rule_ids"]))
    yield f"{record['key']} · {record['instrument']} {article} · {_words(record['title'], language)}"
    yield f"  {_words(record['summary'], language)}"
    origin = f"{_label('acts', language)}: {record['act']} · {_start(record, language)}"
    origin += f" · {_label('mark', language)}: {record['mark']}"
    yield f"  {origin}" + (f" · {_label('rules', language)}: {ids}" if ids else "")
    if record["parameters"]:
        yield f"  {_label('value', language)}: {json.dumps(record['parameters'], ensure_ascii=False)}"
    if record.get("in_window"):
        yield f"  {_label('doubt', language)}"
    for key, label in (("interpretation", "reading"), ("unknown", "unread")):
        if record[key] is not None:
            yield f"  {_label(label, language)}: {_words(record[key], language)}"


def _parameter_changes(record: dict[str, Json]) -> list[str]:
    changes = record.get("parameters_changed")
    if not isinstance(changes, dict):
        return []
    return [
        f"  {name}: {json.dumps(old, ensure_ascii=False)} → {json.dumps(new, ensure_ascii=False)}"
        for name, pair in changes.items()
        for old, new in [_list(pair)]
    ]


def _start(record: dict[str, Json], language: str) -> str:
    if record["window"]:
        first, last = _list(record["window"])
        return f"{_label('between', language)} {first} – {last}"
    guess = "" if record["certain"] else _label("uncertain", language)
    return f"{_label('from', language)} {record['in_force_from']}{guess}"


def _label(name: str, language: str) -> str:
    return _LABELS[name].in_language(language)


def _words(value: Json, language: str) -> str:
    if language not in LANGUAGES:
        message = f"{language!r} is not one of {', '.join(LANGUAGES)}"
        raise ValueError(message)
    return _string(_record(value), language)


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _record(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}


def _records(value: Json) -> list[dict[str, Json]]:
    return [_record(item) for item in _list(value)]


def _string(record: dict[str, Json], key: str) -> str:
    return str(record[key])


def _joined(lines: Sequence[str]) -> str:
    return "\n".join(lines).rstrip() + "\n"
