"""How the report writes dates, numbers, money and terms in each language, and its glossary.

Chinese follows Macau usage with Arabic numerals; Portuguese keeps the spelling of Macau's Boletim Oficial (months with
a capital, "Direcção") and groups thousands with a no-break space, decimals with a comma.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Final

from audit.base import strict
from audit.base.model import LANGUAGES, MACAU, Text
from audit.base.resources import resource_dir
from audit.report.i18n import Messages

DASH: Final = "—"
_NO_BREAK: Final = "\N{NO-BREAK SPACE}"
_DECIMAL: Final = re.compile(r"-?[0-9]+\.[0-9]+")
_ISO_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def as_day(value: object) -> dt.date | None:
    """A day from a date, a moment or ISO text; None for nothing."""
    if isinstance(value, dt.datetime):
        return value.astimezone(MACAU).date()
    if isinstance(value, dt.date):
        return value
    if isinstance(value, str) and value:
        return dt.date.fromisoformat(value[:10])
    return None


def as_instant(value: object) -> dt.datetime | None:
    """A moment in Macau time from a datetime with a zone or ISO text; None for nothing."""
    if isinstance(value, str) and value:
        value = dt.datetime.fromisoformat(value)
    if isinstance(value, dt.datetime):
        if value.tzinfo is None:
            value = value.replace(tzinfo=MACAU)
        return value.astimezone(MACAU)
    return None


@dataclass(frozen=True, slots=True)
class Wording:
    """One language's way of writing: fixed phrases, words for machine tokens, numbers, days and money."""

    language: str
    messages: Messages
    words: Mapping[str, Text]

    def text(self, value: Text | Mapping[str, str] | None) -> str:
        """A sentence kept in every language, in this one."""
        if value is None:
            return DASH
        return value.in_language(self.language) if isinstance(value, Text) else str(value[self.language])

    def word(self, token: object) -> str:
        """The official word for a machine token ("draw"), or the token itself where there is none."""
        if token is None or token == "":
            return DASH
        known = self.words.get(str(token))
        return self.text(known) if known is not None else str(token)

    def value(self, token: object) -> str:
        """An expected or observed value: a word, an amount, a day or the token itself."""
        if isinstance(token, str) and _DECIMAL.fullmatch(token):
            return self.amount(token)
        if isinstance(token, str) and _ISO_DAY.fullmatch(token):
            return self.day(token)
        return self.word(token)

    def integer(self, number: int | None) -> str:
        """A whole number with its thousands grouped."""
        if number is None:
            return DASH
        grouped = f"{number:,}"
        return grouped.replace(",", _NO_BREAK) if self.language == "pt" else grouped

    def amount(self, number: Decimal | str | None, *, sign: bool = False) -> str:
        """An amount in the currency's unit, with at least two decimals and never rounded."""
        if number is None:
            return DASH
        value = Decimal(number)
        places = max(2, -int(value.normalize().as_tuple().exponent))
        printed = f"{value:{'+' if sign else ''},.{places}f}"
        if self.language == "pt":
            whole, _, fraction = printed.partition(".")
            printed = f"{whole.replace(',', _NO_BREAK)},{fraction}"
        return printed.replace("-", "\N{MINUS SIGN}")

    def money(self, number: Decimal | str | None, currency: str | None, *, sign: bool = False) -> str:
        """An amount with its currency before it."""
        if number is None:
            return DASH
        return f"{currency}{_NO_BREAK}{self.amount(number, sign=sign)}" if currency else self.amount(number, sign=sign)

    def day(self, value: object) -> str:
        """A calendar day in words."""
        day = as_day(value)
        if day is None:
            return DASH
        return self.messages("date.long", year=day.year, month=self.messages(f"date.month_{day.month}"), day=day.day)

    def instant(self, value: object) -> str:
        """A moment in Macau time, to the second (more where the log has more)."""
        moment = as_instant(value)
        if moment is None:
            return DASH
        fraction = f".{moment.microsecond:06d}".rstrip("0") if moment.microsecond else ""
        return f"{moment:%Y-%m-%d %H:%M:%S}{fraction}"

    def per_thousand(self, part: int, whole: int) -> str:
        """A rate per thousand with two decimals, in whole-number arithmetic."""
        if not whole:
            return DASH
        return self.amount((Decimal(part) * 1000 / Decimal(whole)).quantize(Decimal("0.01")))

    def percent(self, part: int, whole: int) -> str:
        """A share in per cent with two decimals, rounded down so that only the whole is 100.00%."""
        if not whole:
            return DASH
        share = Decimal(part * 10_000 // whole).scaleb(-2)
        return f"{self.amount(share)}%"


def load_glossary(path: Path | None = None) -> tuple[Text, ...]:
    """The official terms in the three languages, in the order of the file."""
    return _glossary(path or resource_dir("templates") / "glossary.yaml")


@cache
def _glossary(path: Path) -> tuple[Text, ...]:
    content, place = strict.load(path)
    terms = strict.mapping(content, place, required=("terms",))["terms"]
    inside = place / "terms"
    return tuple(strict.text(item, inside / index) for index, item in enumerate(strict.sequence(terms, inside)))


def check_languages(languages: tuple[str, ...]) -> None:
    """Refuse a language that the report does not have (ValueError naming it)."""
    for language in languages:
        if language not in LANGUAGES:
            raise ValueError(f"the report has no language {language!r}; it has {', '.join(LANGUAGES)}")
