"""The rules of one game on one day, as the engine reads them.

A :class:`GameRules` is a set of provisions, one text each, of the version in force. It holds no default: asking for a
provision that the day does not have, or whose text is unknown, raises, and the caller answers "not evaluated".
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import TypeVar

from audit.base.model import DrawMethod, Game, Text
from audit.rulebook.terms import FORMS, ItemisedTerms, Terms
from audit.rulebook.unknown import NotInForce, TextUnknown

__all__ = ["Citation", "GameRules", "NotInForce", "Provision", "TextUnknown"]

Stated = TypeVar("Stated", bound=Terms)


@dataclass(frozen=True, slots=True)
class Citation:
    """A pointer to a provision: base instrument and article, as findings print them."""

    instrument: str
    article: str


@dataclass(frozen=True, slots=True)
class Provision:
    """One provision in the wording of one version.

    `article` is the compact form of the code and the findings (``9(3)(2)``); `article_zh` and `article_pt` are the
    reference in each language's own form. `parameters` are the values as the data has them, to be shown; `terms` are
    the same as typed rules, to judge by, None where some of them are unread; `unknown` says in words what of its text
    has not been read. `act` is the act that gave it this wording, `mark` the grade of evidence (O, S1, S2, T, P, C, I;
    explained in docs/law-changes.md), `certain` whether the first day in force is certain.
    `window` holds the first and the last day on which the wording may have begun, where only such bounds are known: on
    those days what the act changed is not judged. `verified_on` is the day its text was last compared with the sources.
    """

    key: str
    rule_ids: tuple[str, ...]
    instrument: str
    article: str
    article_zh: str
    article_pt: str
    act: str
    in_force_from: dt.date
    certain: bool
    mark: str
    title: Text
    summary: Text
    parameters: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    terms: Terms | None = None
    interpretation: Text | None = None
    unknown: Text | None = None
    window: tuple[dt.date, dt.date] | None = None
    verified_on: dt.date | None = None

    def cite(self, item: str | None = None, method: DrawMethod | None = None) -> Citation:
        """Where a finding, an explanation or a report points to: the article of the item or the method, else its own.

        There is no other place where a citation is made.
        """
        listed = self.terms.article(item, method) if self.terms is not None else None
        return Citation(self.instrument, listed or self.article)

    def stating(self, form: type[Stated]) -> Stated:
        """What the provision states, as typed rules.

        Raises TextUnknown where a part of it has not been read.
        """
        if isinstance(self.terms, form):
            return self.terms
        unread = [each.name for each in fields(FORMS[self.key]) if each.name not in self.parameters]
        message = f"{self.key}: the text that would state {', '.join(unread)} is unknown"
        raise TextUnknown(message)

    def articles(self) -> Iterator[str]:
        """Every article that :meth:`cite` can give, those of its items and methods included."""
        yield self.article
        for item in self.terms.articles if isinstance(self.terms, ItemisedTerms) else ():
            for method in DrawMethod:
                yield self.cite(item, method).article


@dataclass(frozen=True, slots=True, eq=False)
class GameRules:
    """Every provision of one game on one day; `version` names the version (``BAC-2018``)."""

    game: Game
    version: str
    in_force_from: dt.date
    instrument: str
    provisions: Mapping[str, Provision]
    acts: tuple[str, ...] = ()
    certain: bool = True
    window: tuple[dt.date, dt.date] | None = None

    def provision(self, key: str) -> Provision:
        """The provision under `key`.

        Raises NotInForce where this version has none.
        """
        try:
            return self.provisions[key]
        except KeyError:
            message = f"{self.version} has no provision {key!r}"
            raise NotInForce(message) from None

    def terms(self, form: type[Stated]) -> Stated:
        """What a provision states, as typed rules.

        Raises NotInForce where the version has no such provision, TextUnknown where its text has not been read.
        """
        return self.provision(form.key).stating(form)

    def known_terms(self, form: type[Stated]) -> Stated | None:
        """What a provision states; None where the version has no such provision or its text has not been read."""
        found = self.provisions.get(form.key)
        return found.terms if found is not None and isinstance(found.terms, form) else None

    def cite(self, key: str, item: str | None = None, method: DrawMethod | None = None) -> Citation:
        """The citation of a provision, an item of it, or what it says for a method of drawing.

        Raises NotInForce where the version has no such provision.
        """
        return self.provision(key).cite(item, method)

    def cited(self, article: str) -> Provision | None:
        """The provision that an article, as :meth:`cite` gives it, belongs to; None where it belongs to none.

        An article of no provision belongs where the nearest wider one does.
        """
        for end in range(len(article), 0, -1):
            if article[end : end + 1].isdigit():
                continue
            for provision in self.provisions.values():
                if article[:end] in provision.articles():
                    return provision
        return None

    def has(self, key: str) -> bool:
        """Say whether the version has the provision at all."""
        return key in self.provisions

    def in_window(self, key: str, day: dt.date) -> bool:
        """Say whether `day` lies among the days on which the provision's wording may or may not have begun.

        False where the version has no such provision, or its first day is one day only.
        """
        provision = self.provisions.get(key)
        if provision is None or provision.window is None:
            return False
        first, last = provision.window
        return first <= day <= last
