from __future__ import annotations

import re
from pathlib import Path

import pytest

from audit.checks import catalogue
from audit.errors import ConfigurationError
from audit.model import LANGUAGES
from audit.report import i18n
from audit.resources import resource_dir

SIMPLIFIED = set("个们这发现规应说书东门马与为对时间单没从后过还进选项额检报点张闲庄关级质类种样变处务总结证据赌场误")
"""Characters of the simplified script whose traditional form is another character."""


def _templates() -> str:
    folder = resource_dir("templates")
    here = Path(i18n.__file__).parent
    code = (*here.glob("*.py"), *here.with_name("export").glob("*.py"))
    return "\n".join(path.read_text(encoding="utf-8") for path in [*folder.rglob("*.j2"), *code])


def test_catalogues_agree() -> None:
    """The three catalogues load, so they have the same keys and the same placeholders."""
    messages = i18n.load_messages()

    assert list(LANGUAGES) == list(messages)
    assert messages["zh"].phrases.keys() == messages["pt"].phrases.keys() == messages["en"].phrases.keys()


def test_every_phrase_that_is_asked_for_exists() -> None:
    """Each key written out in a template or in the code is in the catalogue."""
    asked = set(re.findall(r"""\bt\(\s*["']([a-z_]+\.[A-Za-z0-9_.-]+)["']""", _templates()))
    phrases = i18n.load_messages()["zh"].phrases

    assert len(asked) > 150
    assert sorted(key for key in asked - phrases.keys() if key[-1] not in "_.") == []


def test_no_phrase_is_left_over() -> None:
    """Each phrase of the catalogue is used by name, or belongs to a group that is asked for by its beginning."""
    text = _templates()
    group = r"([a-z_]+\.(?:[a-z_]+[._])?)"
    groups = (*re.findall(rf"'{group}'\s*~", text), *re.findall(rf'f"{group}{{', text))

    assert [
        key
        for key in i18n.load_messages()["zh"].phrases
        if f"'{key}'" not in text and f'"{key}"' not in text and not key.startswith(groups)
    ] == []


def test_every_check_has_a_short_name() -> None:
    """The report never falls back to the English slug of a check."""
    phrases = i18n.load_messages()["zh"].phrases

    assert [code for code in catalogue.load().checks if f"check.{code}" not in phrases] == []


def test_portuguese_keeps_the_spelling_of_the_gazette() -> None:
    """Words that the 1990 agreement changed keep their consonants (Direcção, objecto, efectivo)."""
    text = " ".join(i18n.load_messages()["pt"].phrases.values())
    modern = (
        r"\b(Direção|Inspeção|correç\w+|obje[t]\w+|efetiv\w+|atual\w*|ativ\w+|projeto|fato|seção|exat\w+|coleção)\b"
    )

    assert re.findall(modern, text, re.IGNORECASE) == []


def test_chinese_is_traditional() -> None:
    """No character that exists only in the simplified script."""
    text = set("".join(i18n.load_messages()["zh"].phrases.values()))

    assert sorted(text & SIMPLIFIED) == []


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"pt": 'a: {b: "dia {day}"}'}, "placeholders differ"),
        ({"en": 'a: {b: "{n} days", c: "x"}'}, "same keys"),
        ({"zh": 'a: {b: ""}'}, "a.b"),
        ({"zh": 'a: {b: "{n}", b: "{n}"}'}, "stands twice"),
    ],
)
def test_faulty_catalogue_is_refused(tmp_path: Path, changed: dict[str, str], said: str) -> None:
    """A missing key, another placeholder, an empty or a repeated phrase is an error that names the place."""
    content = dict.fromkeys(LANGUAGES, 'a: {b: "{n} days"}') | changed
    for language, text in content.items():
        (tmp_path / f"{language}.yaml").write_text(text, encoding="utf-8")

    with pytest.raises(ConfigurationError, match=said):
        i18n.load_messages(tmp_path)
