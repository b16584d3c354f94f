"""What the typed rules of all provisions have in common: a key, parameters as fields, and articles for their items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, TypeVar

from audit.base.model import DrawMethod
from audit.rulebook.unknown import TextUnknown

T = TypeVar("T")


def stated(value: T | None, what: str) -> T:
    """A value that the text states; TextUnknown naming it where it does not."""
    if value is None:
        message = f"the text that would state {what} is unknown"
        raise TextUnknown(message)
    return value


def told(reason: str) -> Any:
    """A parameter that is only informative, with the reason why."""
    return field(metadata={"told": reason})


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What one provision states; `key` is the provision's."""

    key: ClassVar[str]

    def article(self, item: str | None = None, method: DrawMethod | None = None) -> str | None:
        """The article of an item of the provision, or of a method; None where the provision's own is meant."""
        del item, method
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemisedTerms(Terms):
    """What a provision states that has an article for each of its items, or for each method."""

    articles: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def article(self, item: str | None = None, method: DrawMethod | None = None) -> str | None:
        """The article of an item, the method filled in where the data leaves it open; else that of the method."""
        if item is not None and item in self.articles:
            return self.articles[item].format(method=method.value if method else "")
        return self.articles.get(method.value) if method else None


@dataclass(frozen=True, slots=True, kw_only=True)
class WordsOnly(Terms):
    """A provision without parameters: what it says stands in its words, or in the procedure that it describes."""
