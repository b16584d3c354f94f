from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest

from audit.base.model import LANGUAGES, MACAU
from audit.catalogue import catalogue
from audit.report.i18n import load_messages
from audit.report.wording import Wording, check_languages, load_glossary

WORDINGS = {language: Wording(language, load_messages()[language], catalogue.load().words) for language in LANGUAGES}


@pytest.mark.parametrize(
    ("language", "said"), [("zh", "2024年3月1日"), ("pt", "1 de Março de 2024"), ("en", "1 March 2024")]
)
def test_days_in_words(language: str, said: str) -> None:
    """A day is written as each language writes it, from a date, a moment or ISO text."""
    wording = WORDINGS[language]

    assert said == wording.day(dt.date(2024, 3, 1))
    assert said == wording.day("2024-03-01")
    assert said == wording.day(dt.datetime(2024, 2, 29, 16, 0, tzinfo=dt.UTC))


@pytest.mark.parametrize(
    ("value", "zh", "pt"),
    [
        ("1234567.5", "1,234,567.50", "1\u00a0234\u00a0567,50"),
        ("-0.005", "−0.005", "−0,005"),
        ("950", "950.00", "950,00"),
    ],
)
def test_amounts_are_never_rounded(value: str, zh: str, pt: str) -> None:
    """Amounts keep every decimal they have and at least two."""
    assert zh == WORDINGS["zh"].amount(Decimal(value))
    assert pt == WORDINGS["pt"].amount(Decimal(value))


def test_percent_never_claims_the_whole() -> None:
    """A share is rounded down, so one breach in a hundred thousand is not 100%."""
    assert WORDINGS["zh"].percent(99_999, 100_000) == "99.99%"
    assert WORDINGS["pt"].percent(5, 5) == "100,00%"
    assert WORDINGS["pt"].percent(0, 0) == "—"


def test_instants_are_macau_time() -> None:
    """A moment is printed in Macau time, with the fraction of a second that the log has."""
    moment = dt.datetime(2024, 3, 1, 13, 4, 5, 250_000, tzinfo=dt.UTC)

    assert WORDINGS["pt"].instant(moment) == "2024-03-01 21:04:05.25"
    assert WORDINGS["pt"].instant(moment.astimezone(MACAU).isoformat()) == "2024-03-01 21:04:05.25"


def test_machine_words_become_official_terms() -> None:
    """Tokens of findings are printed in the official words, unknown ones as they are."""
    assert WORDINGS["zh"].value("draw") == "增牌"
    assert WORDINGS["zh"].value("950.00") == "950.00"
    assert WORDINGS["pt"].value("2024-03-04") == "4 de Março de 2024"
    assert WORDINGS["pt"].value("9H") == "9H"
    assert WORDINGS["pt"].value(None) == "—"


def test_glossary_has_the_official_terms() -> None:
    """The glossary names DICJ and the sides as the gazette does, in each language."""
    terms = {term.zh: term for term in load_glossary()}

    assert terms["博彩監察協調局"].pt == "Direcção de Inspecção e Coordenação de Jogos (DICJ)"
    assert terms["莊家"].pt == "grupo banqueiro («banker»)"
    assert len(terms) == len(load_glossary())


def test_unknown_language_is_refused() -> None:
    """A language that the report does not have is named."""
    with pytest.raises(ValueError, match="'fr'"):
        check_languages(("zh", "fr"))
