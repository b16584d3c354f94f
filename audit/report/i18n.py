"""The report's fixed phrases: one gettext catalogue a language, each with the same keys and the same placeholders.

`msgid` is a key and not a text of one language, since none of the three is the original of the others. Babel reads the
catalogues as they are edited, with no compiled copy that could be older. A phrase that one language lacks, or that
names another placeholder than its sisters, is an error when the catalogues are loaded, never a gap on the page.
"""

from __future__ import annotations

import re
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from audit.base import strict
from audit.base.errors import ConfigurationError
from audit.base.model import LANGUAGES
from audit.base.resources import resource_dir

HTML_LANG: Final[Mapping[str, str]] = {"zh": "zh-Hant", "pt": "pt", "en": "en"}
"""The `lang` attribute of each language part (Traditional Chinese, Portuguese, English)."""

_LINE: Final = re.compile(r'#.*|(?:(?P<word>msgid|msgstr) )?"(?P<text>(?:[^"\\]|\\.)*)"|')
"""A line of a catalogue. Plurals and contexts are not among them: a key has one text in each language."""

_KEY: Final = re.compile(r"[A-Za-z0-9_.-]*")
"""What stands behind `msgid`; the empty one is the header's."""


def placeholders(phrase: str) -> frozenset[str]:
    """The names in braces of a phrase.

    >>> sorted(placeholders("{first} to {last}"))
    ['first', 'last']
    """
    return frozenset(name for _, name, _, _ in string.Formatter().parse(phrase) if name)


@dataclass(frozen=True, slots=True)
class Messages:
    """The phrases of one language; `phrases` maps dotted keys to text with named placeholders."""

    language: str
    phrases: Mapping[str, str]

    def __call__(self, key: str, **values: object) -> str:
        """The phrase under `key` with its placeholders filled.

        Raises ConfigurationError for a key that no catalogue has or a placeholder that is not filled.
        """
        try:
            return self.phrases[key].format(**values)
        except KeyError as error:
            raise ConfigurationError(f"{self.language}.po: {key}: no phrase or no value for {error}") from None

    def has(self, key: str) -> bool:
        """Say whether the catalogue has the key."""
        return key in self.phrases


def load_messages(directory: Path | None = None) -> Mapping[str, Messages]:
    """Every language's catalogue, checked against each other.

    Raises ConfigurationError naming file and key where keys or placeholders differ between the languages.
    """
    return _load(directory or resource_dir("templates") / "messages")


@cache
def _load(directory: Path) -> Mapping[str, Messages]:
    catalogues = {language: Messages(language, read_catalogue(directory / f"{language}.po")) for language in LANGUAGES}
    first = catalogues[LANGUAGES[0]]
    for language in LANGUAGES[1:]:
        other = catalogues[language]
        if odd := sorted(first.phrases.keys() ^ other.phrases.keys()):
            raise ConfigurationError(f"{language}.po and {first.language}.po do not have the same keys: {odd[0]}")
        for key, phrase in first.phrases.items():
            if placeholders(phrase) != placeholders(other.phrases[key]):
                raise ConfigurationError(f"{language}.po: {key}: placeholders differ from {first.language}.po")
    return catalogues


def read_catalogue(path: Path) -> Mapping[str, str]:
    """The phrases of one catalogue by their keys, in the order of the file; obsolete entries are left out.

    Raises ConfigurationError naming file and key or line for a file that cannot be read, whose header names another
    language than its name, or in which a phrase is empty, unconfirmed (fuzzy), repeated, or has unmatched braces.
    """
    from babel.messages.pofile import PoFileError, read_po

    place = strict.YamlPath(path.name)
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        place.fail(f"cannot be read as UTF-8 text ({error.__class__.__name__})")
    _check_lines(lines, place)
    try:
        catalogue = read_po(lines, ignore_obsolete=True, abort_invalid=True)
    except (PoFileError, ValueError) as error:
        place.fail(f"not a well-formed catalogue: {error}")
    if catalogue.locale is None or catalogue.locale.language != path.stem:
        place.fail(f"the header names the language {catalogue.locale_identifier!r}")
    phrases: dict[str, str] = {}
    for message in catalogue:
        if not message.id:
            continue
        key = str(message.id)
        phrases[key] = strict.word(str(message.string), place / key)
        if message.fuzzy:
            (place / key).fail("the phrase is marked as fuzzy, so nobody has confirmed it")
        try:
            placeholders(phrases[key])
        except ValueError as error:
            (place / key).fail(f"the braces do not match ({error})")
    return phrases


def _check_lines(lines: Sequence[str], place: strict.YamlPath) -> None:
    """Refuse what Babel reads without a word: repeated keys are merged there, and of two texts the first is taken."""
    keys: set[str] = set()
    before = "msgstr"
    for number, line in enumerate(lines, start=1):
        match = _LINE.fullmatch(line.strip())
        if match is None:
            place.fail(f"line {number} is none of a catalogue of keys and texts")
        if match["word"] is None:
            continue
        if match["word"] == before:
            place.fail(f"line {number}: msgid and msgstr do not alternate")
        before = match["word"]
        if before == "msgid":
            key = match["text"]
            if not _KEY.fullmatch(key):
                place.fail(f"line {number}: {key!r} is no key")
            if key in keys:
                (place / key).fail(f"the key stands twice (line {number})")
            keys.add(key)
