"""The data dictionary of the register: columns, their headings in three languages, and words for closed values."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from audit.base import strict
from audit.base.errors import UsageError
from audit.base.known_games import known_games
from audit.base.model import LANGUAGES, Text

_FILE: Final = Path(__file__).with_name("dictionary.yaml")


@dataclass(frozen=True, slots=True)
class RegisterColumn:
    """One column of the register: canonical name, heading and meaning in each language, and what else it is called."""

    name: str
    required: bool
    header: Text
    meaning: Text
    also: tuple[str, ...]
    words: Mapping[str, str]
    example: str


def plain(text: str) -> str:
    """A heading or word as it is compared: without case, width, space and punctuation.

    >>> plain(" Approval-ID "), plain("批准編號")
    ('approvalid', '批准編號')
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(character for character in folded if character.isalnum() or character == "*")


@cache
def columns() -> tuple[RegisterColumn, ...]:
    """The columns in their order; ConfigurationError if the dictionary's file is malformed."""
    content, place = strict.load(_FILE)
    entries = strict.mapping(content, place, required=("columns",))["columns"]
    found = []
    for name, value in (entries if isinstance(entries, dict) else {}).items():
        here = place / "columns" / str(name)
        parts = strict.mapping(
            value, here, required=("required", "header", "meaning", "example"), optional=("also", "words")
        )
        words = parts.get("words", {})
        found.append(
            RegisterColumn(
                str(name),
                strict.flag(parts["required"], here / "required"),
                strict.text(parts["header"], here / "header"),
                strict.text(parts["meaning"], here / "meaning"),
                strict.words(parts.get("also", []), here / "also"),
                {plain(str(k)): str(v) for k, v in (words.items() if isinstance(words, dict) else ())},
                str(parts["example"]),
            )
        )
    return tuple(found)


def _words(column: RegisterColumn) -> dict[str, str]:
    """The words of a closed column, for the game its names in each language."""
    known = dict(column.words)
    if column.name == "game":
        for game in known_games():
            names = (plain(game.names.in_language(language)) for language in LANGUAGES)
            known |= {name: game.code for name in names if name != game.code}
    return known


@cache
def _headings() -> Mapping[str, str]:
    known: dict[str, str] = {}
    for column in columns():
        for heading in (column.name, column.header.zh, column.header.pt, column.header.en, *column.also):
            known.setdefault(plain(heading), column.name)
    return known


def canonical_heading(heading: str) -> str:
    """The canonical name of a column by its heading in any language; another heading is returned as it is."""
    return _headings().get(plain(heading), heading.strip())


def canonical_word(column: str, value: object) -> object:
    """The canonical word for a word of a closed column; another value is returned as it is.

    >>> canonical_word("decision", "批准"), canonical_word("decision", "granted"), canonical_word("value", "批准")
    ('granted', 'granted', '批准')
    """
    words = next((_words(each) for each in columns() if each.name == column), {})
    return words.get(plain(value), value) if isinstance(value, str) and words else value


def data_dictionary() -> list[dict[str, Any]]:
    """Every column as plain data."""
    return [
        {
            "name": column.name,
            "required": column.required,
            "header": {"zh": column.header.zh, "pt": column.header.pt, "en": column.header.en},
            "meaning": {"zh": column.meaning.zh, "pt": column.meaning.pt, "en": column.meaning.en},
            "words": _words(column),
            "example": column.example,
        }
        for column in columns()
    ]


def template_csv(language: str) -> str:
    """An empty register as CSV: headings in `language` and one row that shows how cells are written."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([column.header.in_language(language) for column in columns()])
    writer.writerow([column.example for column in columns()])
    return stream.getvalue()


def template_yaml(language: str) -> str:
    """An empty register as YAML, each column with its meaning beside an example."""
    lines = []
    for number, column in enumerate(columns()):
        lead = "- " if number == 0 else "  "
        said = f"{column.header.in_language(language)}: {column.meaning.in_language(language)}"
        lines.append(f"{'' if number == 0 else '  '}# {said}")
        lines.append(f'{lead}{column.name}: "{column.example}"' if column.example else f"{lead}{column.name}:")
    return "\n".join(line.rstrip() for line in lines) + "\n"


def write_template(file: Path, language: str) -> None:
    """Write an empty register; UsageError for another kind of file, or one that exists or cannot be written."""
    kinds = {".csv": template_csv, ".yaml": template_yaml, ".yml": template_yaml}
    make = kinds.get(file.suffix.lower())
    if make is None:
        raise UsageError(f"{file}: a template is a .csv or .yaml file; both open in a spreadsheet or an editor")
    if file.exists():
        raise UsageError(f"{file} exists already; name a new file")
    # Spreadsheet programs take a CSV for UTF-8 only where it says so at its start.
    encoding = "utf-8-sig" if file.suffix.lower() == ".csv" else "utf-8"
    try:
        file.write_text(make(language), encoding=encoding)
    except OSError as error:
        raise UsageError(f"{file} cannot be written ({error.strerror})") from error
