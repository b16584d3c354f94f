"""The report's fixed phrases: one catalogue a language, each with the same keys and the same placeholders.

A phrase that one language lacks, or that names another placeholder than its sisters, is an error when the catalogues
are loaded, never a gap on the page.
"""

from __future__ import annotations

import string
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from audit.errors import ConfigurationError
from audit.model import LANGUAGES
from audit.resources import resource_dir
from audit.rulebook import strict

HTML_LANG: Final[Mapping[str, str]] = {"zh": "zh-Hant", "pt": "pt", "en": "en"}
"""The `lang` attribute of each language part (Traditional Chinese, Portuguese, English)."""


def placeholders(phrase: str) -> frozenset[str]:
    """The names in braces of a phrase.

    >>> sorted(placeholders("{first} to {last}"))
    ['first', 'last']
    """
    return frozenset(name for _, name, _, _ in string.Formatter().parse(phrase) if name)


def flatten(node: strict.Value, place: strict.Place) -> dict[str, str]:
    """Turn nested sections into dotted keys.

    >>> flatten({"cover": {"title": "Report"}}, strict.Place("en.yaml"))
    {'cover.title': 'Report'}

    Raises ConfigurationError where a leaf is not text or is empty.
    """
    if isinstance(node, dict):
        found: dict[str, str] = {}
        for key, value in node.items():
            found.update(flatten(value, place / str(key)))
        return found
    return {place.path: strict.word(node, place)}


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
            raise ConfigurationError(f"{self.language}.yaml: {key}: no phrase or no value for {error}") from None

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
    catalogues = {
        language: Messages(language, flatten(*strict.load(directory / f"{language}.yaml"))) for language in LANGUAGES
    }
    first = catalogues[LANGUAGES[0]]
    for language in LANGUAGES[1:]:
        other = catalogues[language]
        if odd := sorted(first.phrases.keys() ^ other.phrases.keys()):
            raise ConfigurationError(f"{language}.yaml and {first.language}.yaml do not have the same keys: {odd[0]}")
        for key, phrase in first.phrases.items():
            if placeholders(phrase) != placeholders(other.phrases[key]):
                raise ConfigurationError(f"{language}.yaml: {key}: placeholders differ from {first.language}.yaml")
    return catalogues
