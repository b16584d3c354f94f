"""An investigation on paper: a bilingual PDF/A-3b with the hand drawn as cards and the data attached."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from audit.base.model import MACAU
from audit.base.resources import resource_dir
from audit.investigate.blocks import Document
from audit.investigate.document import document
from audit.report.hand_drawings import draw
from audit.report.i18n import HTML_LANG, load_messages
from audit.report.pdf import Enclosure, write_pdf
from audit.report.view import data_uri

ATTACHED = "investigation.json"


@dataclass(frozen=True, slots=True)
class _Drawing:
    uri: str
    alt: str


@dataclass(frozen=True, slots=True)
class _Part:
    lang: str
    document: Document
    drawing: _Drawing | None


def write(data: Mapping[str, Any], out: Path, languages: Sequence[str] = ("zh", "pt")) -> None:
    """Write what `investigate` answered to the file `out`, a full part for each language.

    The same answer gives the same bytes. Raises MachineFailure where a font or library is missing or `out` cannot be
    written.
    """
    moment = _moment(data)
    content = json.dumps(data, ensure_ascii=False, indent=1, default=str) + "\n"
    title = " / ".join(document(data, language).title for language in languages)
    write_pdf(
        render(data, languages, moment),
        out,
        templates=resource_dir("templates"),
        moment=moment,
        parts={f"{language}-0": HTML_LANG[language] for language in languages},
        enclosures=[Enclosure(ATTACHED, title, content.encode())],
    )


def render(data: Mapping[str, Any], languages: Sequence[str], moment: dt.datetime) -> str:
    """The investigation as one HTML document, by a sandboxed template."""
    import jinja2
    from jinja2.sandbox import ImmutableSandboxedEnvironment
    from markupsafe import Markup

    folder = resource_dir("templates")
    environment = ImmutableSandboxedEnvironment(
        loader=jinja2.FileSystemLoader(folder),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    parts = [_Part(HTML_LANG[name], document(data, name), _drawing(data, name)) for name in languages]
    return environment.get_template("investigation.html.j2").render(
        parts=parts,
        software=data["software"],
        stamp=moment.astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        style=Markup((folder / "style.css").read_text(encoding="utf-8")),  # noqa: S704 - our own style sheet
    )


def _drawing(data: Mapping[str, Any], language: str) -> _Drawing | None:
    """The hand as cards, dealt against required; None for a table, a shoe, or a round without cards."""
    replay = data.get("replay")
    if replay is None or not (replay["player_cards"] and replay["banker_cards"]):
        return None
    compared = replay["departure"] is not None and bool(replay["steps"])
    found = draw(replay, load_messages()[language], steps=replay["steps"], compared=compared)
    return _Drawing(data_uri(found.svg), found.alt)


def _moment(data: Mapping[str, Any]) -> dt.datetime:
    """The moment that the document bears as its date: the start of the round, or of the last one listed."""
    started = data["round"]["started_at"] if "round" in data else max(line["started_at"] for line in data["rounds"])
    return dt.datetime.fromisoformat(started).astimezone(MACAU)
