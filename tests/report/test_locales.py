"""What the report writes by its own rules against what Unicode's locale data says, as Babel has it."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest
from babel.dates import format_date, get_month_names
from babel.numbers import format_decimal

from audit.catalogue import catalogue
from audit.report.i18n import load_messages
from audit.report.wording import Wording

LOCALES = {"zh": "zh_Hant_MO", "pt": "pt_PT", "en": "en_GB"}


def _wording(language: str) -> Wording:
    return Wording(language, load_messages()[language], catalogue.load().words)


@pytest.mark.parametrize(("language", "locale"), LOCALES.items())
@pytest.mark.parametrize("number", [7, 999, 12_345, 1_234_567])
def test_whole_numbers_are_grouped_as_the_locale_does(language: str, locale: str, number: int) -> None:
    """Thousands are set apart by a comma, in Portuguese by a no-break space."""
    assert format_decimal(number, locale=locale) == _wording(language).integer(number)


@pytest.mark.parametrize(("language", "locale"), LOCALES.items())
@pytest.mark.parametrize("amount", ["0.50", "12345.05", "1234567.00"])
def test_amounts_are_written_as_the_locale_does(language: str, locale: str, amount: str) -> None:
    """Decimals follow a point, in Portuguese a comma."""
    assert format_decimal(Decimal(amount), format="#,##0.00", locale=locale) == _wording(language).amount(amount)


def test_chinese_days_are_the_locale_s() -> None:
    """A day in Chinese is year, month and day with Arabic numerals."""
    day = dt.date(2024, 3, 1)

    assert format_date(day, "long", locale=LOCALES["zh"]) == _wording("zh").day(day)


@pytest.mark.parametrize("language", ["pt", "en"])
def test_months_are_the_locale_s_with_a_capital(language: str) -> None:
    """Months have the locale's names; the gazette of Macau writes them with a capital in Portuguese."""
    names = get_month_names("wide", locale=LOCALES[language])
    messages = load_messages()[language]

    assert [names[n].capitalize() for n in range(1, 13)] == [messages(f"date.month_{n}") for n in range(1, 13)]
