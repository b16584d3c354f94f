"""Keep the report's catalogues in step with the templates and the code: what `script/catalogues` runs.

The template `messages.pot` holds every key that is asked for; Babel brings each language up to it. A key that a
language lacks gets an empty text, and one that nothing asks for any more is kept at the end as obsolete: either fails
the tests until somebody has seen to it, so no text comes from a machine and none is lost.
"""

from __future__ import annotations

import datetime as dt
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from audit.base.model import LANGUAGES, MACAU
from audit.base.resources import resource_dir
from audit.catalogue import catalogue

if TYPE_CHECKING:
    from babel.messages.catalog import Catalog

TEMPLATE: Final = "messages.pot"

_ASKED: Final = re.compile(r"""\bt\(\s*["']([a-z_]+\.[A-Za-z0-9_.-]*[A-Za-z0-9])["']\s*[,)]""")
_GROUP: Final = r"([a-z_]+\.(?:[a-z_]+[._])?)"
_GROUPS: Final = (re.compile(rf"'{_GROUP}'\s*~"), re.compile(rf'f"{_GROUP}{{'))
"""The beginning of keys whose end is known at run time only: `'date.month_' ~ number`, `f"gate.{reason}"`."""


def sources() -> str:
    """The text of all templates and of the code that asks for phrases; not of this module, which has examples."""
    here = Path(__file__)
    code = [path for name in ("export", "investigate", "report") for path in (here.parents[1] / name).glob("*.py")]
    paths = [*resource_dir("templates").rglob("*.j2"), *(path for path in code if path.name != here.name)]
    return "\n".join(path.read_text(encoding="utf-8") for path in paths)


def wanted(known: Iterable[str], text: str, codes: Iterable[str] = ()) -> list[str]:
    """The keys that `text` asks for: those of `known` in their order, and new ones at the end of their section.

    A known key stays where it is named, or where a group is asked for that it belongs to. `codes` are the checks, each
    of which has a short name.

    >>> wanted(["a.b", "c.d", "e.f"], "t('a.b') t('a.new') t('e.' ~ word)")
    ['a.b', 'a.new', 'e.f']
    """
    groups = tuple(found for pattern in _GROUPS for found in pattern.findall(text))
    named = {f"check.{code}": None for code in codes} | dict.fromkeys(_ASKED.findall(text))
    kept = [
        key
        for key in dict.fromkeys(known)
        if key in named or f"'{key}'" in text or f'"{key}"' in text or key.startswith(groups)
    ]
    keys = dict.fromkeys([*kept, *named])
    sections = list(dict.fromkeys(key.partition(".")[0] for key in keys))
    return sorted(keys, key=lambda key: sections.index(key.partition(".")[0]))


def update(directory: Path, text: str, codes: Iterable[str] = ()) -> None:
    """Write the template of the keys that `text` asks for, and bring every language's catalogue up to it.

    Where the keys are the same as before, no file changes, nor do the dates in their headers.
    """
    languages = {language: _read(directory / f"{language}.po") for language in LANGUAGES}
    keys = wanted((str(message.id) for found in languages.values() for message in found if message.id), text, codes)
    template = _template(directory / TEMPLATE, keys)
    _write(directory / TEMPLATE, template)
    for language, found in languages.items():
        found.update(template, no_fuzzy_matching=True)
        _write(directory / f"{language}.po", found)


def _template(path: Path, keys: Sequence[str]) -> Catalog:
    """The template of `keys`: the present one where it has just these, else a new one of today."""
    from babel.messages.catalog import Catalog

    if path.is_file():
        present = _read(path)
        if [message.id for message in present if message.id] == list(keys):
            return present
    template = Catalog(
        header_comment="# The keys of the report's phrases; made by script/catalogues, not by hand.",
        project="dicj-audit",
        version="report",
        msgid_bugs_address="dicj-audit",
        language_team="dicj-audit",
        last_translator="dicj-audit",
        creation_date=dt.datetime.now(MACAU),
    )
    for key in keys:
        template.add(key)
    return template


def _read(path: Path) -> Catalog:
    from babel.messages.pofile import read_po

    # A repeated key would be merged here; the strict reader of `audit.report.i18n` finds it before.
    return read_po(path.read_text(encoding="utf-8").split("\n"), abort_invalid=True)


def _write(path: Path, content: Catalog) -> None:
    from babel.messages.pofile import write_po

    with path.open("wb") as file:
        # One line a text, however long, so that a difference shows the whole sentence.
        write_po(file, content, width=0)


if __name__ == "__main__":
    update(Path(sys.argv[1]), sources(), catalogue.load().checks)
