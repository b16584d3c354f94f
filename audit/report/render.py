"""From a run directory to one HTML document, by sandboxed templates that see no file and no network."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from datetime import UTC
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from audit.base.errors import InputRefused
from audit.base.resources import resource_dir
from audit.report.contents import ReportData
from audit.report.i18n import load_messages
from audit.report.run_files import command
from audit.report.view import View, data_uri
from audit.report.wording import Wording, check_languages, load_glossary

if TYPE_CHECKING:
    from jinja2 import Environment

ATTACHED: Final = (
    ("catalogue.yaml", "catalogue"),
    ("findings.csv", "findings_csv"),
    ("findings.json", "findings_json"),
    ("manifest.json", "manifest"),
)
"""Files attached to the PDF (in the order of its name tree) and the phrase that describes each."""


def qr_svg(text: str) -> str:
    """A QR code as an SVG document of black modules on white, error correction M."""
    import segno

    stream = io.BytesIO()
    segno.make(text, error="m", micro=False, boost_error=False).save(
        stream, kind="svg", border=2, scale=4, xmldecl=False, light="#ffffff"
    )
    return stream.getvalue().decode()


def stamp(data: ReportData) -> str:
    """The moment that the document bears as its date: the last one of the data, never the clock."""
    return data.last_moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def environment(folder: Path) -> Environment:
    """Templates of a folder, sandboxed, escaping by default, and strict about what they name."""
    import jinja2
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    return ImmutableSandboxedEnvironment(
        loader=jinja2.FileSystemLoader(folder),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def render_html(
    data: ReportData,
    languages: Sequence[str],
    *,
    templates: Path | None = None,
    name: str = "report.html.j2",
    also: Mapping[str, Any] | None = None,
) -> str:
    """The whole report as one HTML document, a full part for each language in the order given.

    `name` is another template that holds the same parts, `also` what it needs besides. Raises InputRefused where the
    manifest lacks a value that the report needs.
    """
    import jinja2

    check_languages(tuple(languages))
    folder = templates or resource_dir("templates")
    from markupsafe import Markup

    messages = load_messages(folder / "messages")
    words: Mapping[str, Any] = data.catalogue.words
    views = [View(data, Wording(language, messages[language], words)) for language in languages]
    digest = data.digests.get("findings.csv", "")
    try:
        return (
            environment(folder)
            .get_template(name)
            .render(
                **(also or {}),
                data=data,
                views=views,
                software=data.manifest["software"],
                stamp=stamp(data),
                style=Markup((folder / "style.css").read_text(encoding="utf-8")),  # noqa: S704 - our own style sheet
                qr=data_uri(qr_svg(f"dicj-audit run={data.run_id} findings.csv={digest}")),
                glossary=load_glossary(folder / "glossary.yaml"),
                catalogue=data.catalogue,
                attached=ATTACHED,
                command=command(data.manifest),
            )
        )
    except (jinja2.UndefinedError, KeyError) as error:
        raise InputRefused(f"manifest.json of the run lacks a value that the report needs ({error})") from error
