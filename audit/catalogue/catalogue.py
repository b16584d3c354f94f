"""The catalogue of checks: what each code asks, where the regulations say so, and the words of its findings.

The texts live in `catalogue.yaml` beside this module; here they are read strictly and turned into messages. Every text
exists in Traditional Chinese, Portuguese and English, and a message names the same facts in each of them.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final, Protocol

from audit.base import strict
from audit.base.known_games import GAMES, spoken_words
from audit.base.model import LANGUAGES, Game, Severity, Text

PLACEHOLDERS: Final = frozenset(
    "casino table_id shoe_id round_id wager_id approval_id side expected observed amount currency instrument article "
    "option value rounds_affected first_round_id last_round_id legal_day occurred_at game bet stake player_cards "
    "banker_cards player_points banker_points applied_at planned_from deemed_day count exposed scheme source_file "
    "source_row detail hinges".split()
)
"""What a message may name."""

TRANSLATED: Final = frozenset("side expected observed option value game bet scheme detail hinges".split())
"""Placeholders whose values are machine words, written out in the language of the message where they are known."""

MISSING: Final = "—"
"""Printed where a value is null."""

_SEPARATOR: Final = re.compile(r"(, ?| )")
_LETTER: Final = re.compile(r"[^\W\d_]")
_PATH: Final = Path(__file__).with_name("catalogue.yaml")


@dataclass(frozen=True, slots=True)
class Family:
    """A family of checks: its name, the chapter of the report that holds its findings, and what to do about them."""

    key: str
    name: Text
    chapter: str
    corrective_step: Text


@dataclass(frozen=True, slots=True)
class FindingExample:
    """A small case that fails: its data as the canonical columns name them, and the case in a sentence."""

    data: Mapping[str, object]
    text: Text


@dataclass(frozen=True, slots=True)
class Criterion:
    """The articles that a check rests on in one game."""

    instrument: str
    articles: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.instrument} {', '.join(self.articles)}"


@dataclass(frozen=True, slots=True)
class Check:
    """One check; `articles` is empty for a check that rests on no article of the regulations.

    `subject` says what a finding is about (a key of the catalogue's words), `needs` which columns or inputs the check
    reads, `variants` the extra messages that name a habit. `built` is False for a check that exists on paper only.
    """

    code: str
    slug: str
    family: str
    severity: Severity
    subject: str
    needs: tuple[str, ...]
    articles: Mapping[Game, Criterion]
    criterion: Text
    compared: Text
    severity_reason: Text
    example: FindingExample
    limits: Text
    message: Text
    variants: Mapping[str, Text]
    built: bool = True


@dataclass(frozen=True, slots=True)
class Template:
    """A message made ready for filling.

    `patterns` is a printf pattern per language, `names` every placeholder once with whether it is translated, `order`
    the places in `names` that fill each pattern.
    """

    patterns: Text
    names: tuple[tuple[str, bool], ...]
    order: tuple[tuple[int, ...], ...]

    @classmethod
    def compile(cls, message: Text) -> Template:
        """Prepare the message of each language."""
        parsed = [_parse(message.in_language(language)) for language in LANGUAGES]
        zh, pt, en = (pattern for pattern, _ in parsed)
        names = sorted({name for _, used in parsed for name in used})
        order = tuple(tuple(names.index(name) for name in used) for _, used in parsed)
        return cls(Text(zh, pt, en), tuple((name, name in TRANSLATED) for name in names), order)

    def fill(self, values: Values, translate: Callable[[object], Text]) -> tuple[list[str], list[str], list[str]]:
        """The sentences of many findings, in each language: a placeholder at a time, a distinct value once."""
        columns: list[Sequence[Sequence[str]]] = []
        for name, translated in self.names:
            column = values.column(name)
            if translated:
                words = _translated(column, translate)
                columns.append([[said.in_language(language) for said in words] for language in LANGUAGES])
            else:
                texts = [value if type(value) is str and value else _plain(value) for value in column]
                columns.append([texts] * len(LANGUAGES))
        patterns = [self.patterns.in_language(language) for language in LANGUAGES]
        zh, pt, en = (
            [pattern % cells for cells in zip(*[columns[at][language] for at in order], strict=True)]
            if order
            else [pattern % ()] * len(values)
            for language, (pattern, order) in enumerate(zip(patterns, self.order, strict=True))
        )
        return zh, pt, en


class Values(Protocol):
    """The values that many findings give to the placeholders."""

    def __len__(self) -> int: ...

    def column(self, name: str) -> Sequence[object]:
        """What each of them gives to one placeholder."""


@dataclass(frozen=True, slots=True)
class _One:
    """The values of a single finding."""

    values: Mapping[str, object]

    def __len__(self) -> int:
        return 1

    def column(self, name: str) -> Sequence[object]:
        return [self.values.get(name)]


def _translated(column: Sequence[object], translate: Callable[[object], Text]) -> list[Text]:
    """Each value in each language; only texts are looked up once, for True and 1 are words of their own."""
    known = {value: translate(value) for value in {value for value in column if type(value) is str}}
    return [known[value] if type(value) is str else translate(value) for value in column]


def _parse(text: str) -> tuple[str, tuple[str, ...]]:
    pattern, names = "", []
    for literal, name, _, _ in string.Formatter().parse(text):
        pattern += literal.replace("%", "%%")
        if name is not None:
            pattern += "%s"
            names.append(name)
    return pattern, tuple(names)


def _plain(value: object) -> str:
    if value is None or value != value or not str(value).strip():  # noqa: PLR0124 - a null of pandas is not equal to itself
        return MISSING
    return str(value)


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Every check in the order of the report, the families, the reasons for "not evaluated" and the words."""

    checks: Mapping[str, Check]
    families: Mapping[str, Family]
    reasons: Mapping[str, Text]
    own_words: Mapping[str, Text]
    templates: Mapping[tuple[str, str | None], Template]

    @property
    def words(self) -> Mapping[str, Text]:
        """Every word with the names of the games known."""
        return {**self.own_words, **spoken_words()}

    def message(self, code: str, values: Mapping[str, object], variant: str | None = None) -> Text:
        """The message of a finding; `values` fills its placeholders, None prints as a dash.

        A value may be a :class:`Text`. Raises KeyError for a code or a variant that the catalogue does not have.
        """
        (zh,), (pt,), (en,) = self.messages(code, _One(values), variant)
        return Text(zh, pt, en)

    def messages(self, code: str, values: Values, variant: str | None = None) -> tuple[list[str], list[str], list[str]]:
        """The messages of many findings of one check in zh, pt and en, as :meth:`message` words a single one."""
        return self.templates[code, variant].fill(values, self.words_of)

    def has_variant(self, code: str, variant: str) -> bool:
        """Say whether the check has a message for this habit."""
        return (code, variant) in self.templates

    def word(self, value: object, language: str) -> str:
        """A machine word in one language: see :meth:`words_of`."""
        return self.words_of(value).in_language(language)

    def words_of(self, value: object) -> Text:
        """A machine word in each language; several, with numbers between, one by one.

        What is no known word comes back as it is, a null as a dash.
        """
        if isinstance(value, Text):
            return value
        if value is True or value is False:
            value = str(value).lower()
        known = self._known(value)
        if known is not None:
            return known
        text = _plain(value)
        if " " in text or "," in text:
            return self._phrase(text)
        return Text(text, text, text)

    def _known(self, value: object) -> Text | None:
        return self.own_words.get(value) or spoken_words().get(value) if isinstance(value, str) else None

    def _phrase(self, text: str) -> Text:
        """Several words, or words and numbers; `text` itself where a part of it is neither."""
        parts = _SEPARATOR.split(text)
        known = [self._known(part) for part in parts[::2]]
        foreign = (not found and _LETTER.search(part) for part, found in zip(parts[::2], known, strict=True))
        if not any(known) or any(foreign):
            return Text(text, text, text)
        return Text(*(_joined(parts, known, language) for language in LANGUAGES))


def _joined(parts: list[str], known: list[Text | None], language: str) -> str:
    """Words and numbers with their separators; two words in a row are a list, whatever stood between them."""
    comma, out = ("、" if language == "zh" else ", "), ""
    for place, part in enumerate(parts):
        found = known[place // 2]
        if place % 2 == 0:
            out += found.in_language(language) if found else part
        elif (found and known[place // 2 + 1]) or part == ", ":
            out += comma
        else:
            out += part
    return out


def load(path: Path | None = None) -> Catalogue:
    """The catalogue shipped with the package, read once, or the one at `path`.

    Raises ConfigurationError, naming file and path of the value, for an unknown or duplicate key, a missing language, a
    placeholder that is not in `PLACEHOLDERS` or not in every language, and a family, subject or severity that does not
    exist.
    """
    return _load(path or _PATH)


@cache
def _load(path: Path) -> Catalogue:
    value, top = strict.load(path)
    parts = strict.mapping(value, top, required=("families", "checks", "reasons", "words"))
    words = _texts(parts["words"], top / "words")
    families = {
        key: _family(key, item, top / "families" / key) for key, item in _named(parts["families"], top / "families")
    }
    checks = {
        code: _check(code, item, top / "checks" / code, families=families, words=words)
        for code, item in _named(parts["checks"], top / "checks")
    }
    templates: dict[tuple[str, str | None], Template] = {}
    for code, check in checks.items():
        templates[code, None] = Template.compile(check.message)
        templates.update({(code, name): Template.compile(text) for name, text in check.variants.items()})
    return Catalogue(
        checks=MappingProxyType(checks),
        families=MappingProxyType(families),
        reasons=MappingProxyType(_texts(parts["reasons"], top / "reasons")),
        own_words=MappingProxyType(words),
        templates=MappingProxyType(templates),
    )


def _named(value: strict.Value, place: strict.YamlPath) -> list[tuple[str, strict.Value]]:
    if not isinstance(value, dict):
        place.fail("a mapping is expected")
    return [(str(key), item) for key, item in value.items()]


def _texts(value: strict.Value, place: strict.YamlPath) -> dict[str, Text]:
    return {key: strict.text(item, place / key) for key, item in _named(value, place)}


def _family(key: str, value: strict.Value, place: strict.YamlPath) -> Family:
    parts = strict.mapping(value, place, required=("name", "chapter", "corrective_step"))
    return Family(
        key=key,
        name=strict.text(parts["name"], place / "name"),
        chapter=strict.word(parts["chapter"], place / "chapter"),
        corrective_step=strict.text(parts["corrective_step"], place / "corrective_step"),
    )


_TEXTS: Final = ("criterion", "compared", "severity_reason", "limits")
_REQUIRED: Final = ("slug", "family", "severity", "subject", "needs", "articles", *_TEXTS, "example", "message")


def _check(
    code: str,
    value: strict.Value,
    place: strict.YamlPath,
    *,
    families: Mapping[str, Family],
    words: Mapping[str, Text],
) -> Check:
    parts = strict.mapping(value, place, required=_REQUIRED, optional=("variants", "built"))
    family = strict.choice(parts["family"], place / "family", families)
    if not code.startswith(f"{family}-"):
        (place / "family").fail(f"{code} does not belong to {family}")
    texts = {name: strict.text(parts[name], place / name) for name in _TEXTS}
    variants = _named(parts.get("variants", {}), place / "variants")
    return Check(
        code=code,
        slug=strict.word(parts["slug"], place / "slug"),
        family=family,
        severity=Severity(strict.choice(parts["severity"], place / "severity", list(Severity))),
        subject=strict.choice(parts["subject"], place / "subject", words),
        needs=strict.words(parts["needs"], place / "needs"),
        articles=MappingProxyType(_articles(parts["articles"], place / "articles")),
        example=_example(parts["example"], place / "example"),
        message=_message(parts["message"], place / "message"),
        variants=MappingProxyType({key: _message(item, place / "variants" / key) for key, item in variants}),
        built=strict.flag(parts.get("built", True), place / "built"),
        **texts,
    )


def _articles(value: strict.Value, place: strict.YamlPath) -> dict[Game, Criterion]:
    found = {}
    for key, item in _named(value, place):
        game = Game(strict.choice(key, place, GAMES))
        parts = strict.mapping(item, place / key, required=("instrument", "articles"))
        found[game] = Criterion(
            instrument=strict.word(parts["instrument"], place / key / "instrument"),
            articles=strict.words(parts["articles"], place / key / "articles"),
        )
    return found


def _example(value: strict.Value, place: strict.YamlPath) -> FindingExample:
    parts = strict.mapping(value, place, required=("data", "text"))
    data = strict.frozen(parts["data"])
    if not isinstance(data, Mapping):
        (place / "data").fail("a mapping is expected")
    return FindingExample(data=data, text=strict.text(parts["text"], place / "text"))


def _message(value: strict.Value, place: strict.YamlPath) -> Text:
    text = strict.text(value, place)
    named = {}
    for language in LANGUAGES:
        try:
            fields = list(string.Formatter().parse(text.in_language(language)))
        except ValueError as error:
            (place / language).fail(f"not a template ({error})")
        if any(form or change for _, _, form, change in fields):
            (place / language).fail("a placeholder is its name only")
        named[language] = {name for _, name, _, _ in fields if name is not None}
        if unknown := sorted(named[language] - PLACEHOLDERS):
            (place / language).fail(f"unknown placeholder {{{unknown[0]}}}")
    first = LANGUAGES[0]
    for language in LANGUAGES[1:]:
        if odd := sorted(named[first] ^ named[language]):
            (place / language).fail(f"{{{odd[0]}}} is named in {language} or in {first}, but not in both")
    return text


def message(code: str, values: Mapping[str, object], variant: str | None = None) -> Text:
    """The message of a finding, from the shipped catalogue: see :meth:`Catalogue.message`."""
    return load().message(code, values, variant)
