from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po

from audit.base.errors import ConfigurationError
from audit.base.model import LANGUAGES
from audit.base.resources import resource_dir
from audit.catalogue import catalogue
from audit.report import catalogues, i18n

SIMPLIFIED = set("个们这发现规应说书东门马与为对时间单没从后过还进选项额检报点张闲庄关级质类种样变处务总结证据赌场误")
"""Characters of the simplified script whose traditional form is another character."""


FOLDER = resource_dir("templates") / "messages"


def _catalogue(name: str) -> Catalog:
    return read_po((FOLDER / name).read_text(encoding="utf-8").split("\n"), abort_invalid=True)


def test_catalogues_agree() -> None:
    """The three catalogues load, so they have the same keys and the same placeholders."""
    messages = i18n.load_messages()

    assert list(LANGUAGES) == list(messages)
    assert messages["zh"].phrases.keys() == messages["pt"].phrases.keys() == messages["en"].phrases.keys()
    assert len(messages["zh"].phrases) > 400


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_key_is_in_every_language(language: str) -> None:
    """Each catalogue has the keys of the template in its order, with a text and the placeholders of its sisters."""
    keys = [message.id for message in _catalogue("messages.pot") if message.id]
    found = {str(message.id): str(message.string) for message in _catalogue(f"{language}.po") if message.id}
    chinese = {str(message.id): str(message.string) for message in _catalogue("zh.po") if message.id}

    assert keys == list(found)
    assert [key for key, text in found.items() if not text.strip()] == []
    assert [key for key in found if i18n.placeholders(found[key]) != i18n.placeholders(chinese[key])] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_fuzzy_or_obsolete(language: str) -> None:
    """No entry waits for somebody: none is marked as fuzzy, none is left at the end as obsolete."""
    catalogue_of_language = _catalogue(f"{language}.po")

    assert [message.id for message in catalogue_of_language if message.fuzzy] == []
    assert list(catalogue_of_language.obsolete) == []


@pytest.mark.parametrize(("language", "locale"), [("zh", "zh_Hant_MO"), ("pt", "pt_MO"), ("en", "en")])
def test_header_names_language_and_plurals(language: str, locale: str) -> None:
    """The header gives the locale of Macau's usage and the plural forms that Babel has for it."""
    headers = dict(_catalogue(f"{language}.po").mime_headers)

    assert locale == headers["Language"]
    assert Catalog(locale=locale).plural_forms == headers["Plural-Forms"]


def test_template_is_up_to_date(tmp_path: Path) -> None:
    """`script/catalogues` has nothing to do: the files have just the keys that templates and code ask for."""
    names = ["messages.pot", *(f"{language}.po" for language in LANGUAGES)]
    for name in names:
        shutil.copy(FOLDER / name, tmp_path)

    catalogues.update(tmp_path, catalogues.sources(), catalogue.load().checks)

    for name in names:
        # The header's last line names the release of Babel that wrote the file.
        before, after = (
            [line for line in (folder / name).read_text(encoding="utf-8").splitlines() if "Generated-By" not in line]
            for folder in (FOLDER, tmp_path)
        )
        assert before == after


def test_every_phrase_that_is_asked_for_exists() -> None:
    """Each key written out in a template or in the code is in the catalogue."""
    asked = set(re.findall(r"""\bt\(\s*["']([a-z_]+\.[A-Za-z0-9_.-]+)["']""", catalogues.sources()))
    phrases = i18n.load_messages()["zh"].phrases

    assert len(asked) > 150
    assert sorted(key for key in asked - phrases.keys() if key[-1] not in "_.") == []


def test_no_phrase_is_left_over() -> None:
    """Each phrase of the catalogue is used by name, or belongs to a group that is asked for by its beginning."""
    text = catalogues.sources()
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


HEADER = 'msgid ""\nmsgstr "Language: {}\\n"\n'


@pytest.mark.parametrize(
    ("language", "entries", "said"),
    [
        ("pt", 'msgid "a.b"\nmsgstr "dia {day}"', r"pt\.po: a\.b: placeholders differ from zh\.po"),
        ("en", 'msgid "a.b"\nmsgstr "{n} days"\n\nmsgid "a.c"\nmsgstr "x"', r"en\.po .* same keys: a\.c"),
        ("en", "", r"en\.po .* same keys: a\.b"),
        ("zh", 'msgid "a.b"\nmsgstr ""', r"zh\.po: a\.b: a non-empty text"),
        ("zh", 'msgid "a.b"\nmsgstr "{n}"\n\nmsgid "a.b"\nmsgstr "{n}"', r"zh\.po: a\.b: the key stands twice"),
        ("zh", 'msgid "a.b"\nmsgstr "{n}"\nmsgstr "{n}"', r"zh\.po: .*line 5: msgid and msgstr do not alternate"),
        ("zh", 'msgid "a.b"\n# why\nmsgstr "{n}"', r"zh\.po: .*missing msgstr for msgid 'a\.b'"),
        ("zh", 'msgid "a.b"\nmsgid_plural "a.b"\nmsgstr[0] "{n}"', r"zh\.po: .*line 4 is none"),
        ("zh", 'msgid "a.b"\nmsgstr {n}', r"zh\.po: .*line 4 is none"),
        ("zh", 'msgid "{n} days"\nmsgstr "{n}"', r"zh\.po: .*'{n} days' is no key"),
        ("pt", '#, fuzzy\nmsgid "a.b"\nmsgstr "{n}"', r"pt\.po: a\.b: .*fuzzy"),
        ("en", 'msgid "a.b"\nmsgstr "{n"', r"en\.po: a\.b: the braces do not match"),
    ],
)
def test_faulty_catalogue_is_refused(tmp_path: Path, language: str, entries: str, said: str) -> None:
    """A missing key, another placeholder, an empty, repeated or broken entry is an error that names the place."""
    for each in LANGUAGES:
        text = entries if each == language else 'msgid "a.b"\nmsgstr "{n} days"'
        (tmp_path / f"{each}.po").write_text(HEADER.format(each) + text + "\n", encoding="utf-8")

    with pytest.raises(ConfigurationError, match=said):
        i18n.load_messages(tmp_path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (HEADER.format("pt").encode(), r"zh\.po: .*names the language 'pt'"),
        (b'msgid "a.b"\nmsgstr "x"\n', r"zh\.po: .*names the language None"),
        (b"\xff", r"zh\.po: .*cannot be read as UTF-8"),
        (None, r"zh\.po: .*cannot be read"),
    ],
)
def test_file_of_another_language_is_refused(tmp_path: Path, content: bytes | None, said: str) -> None:
    """A catalogue is text whose header names the language that its file is named after."""
    if content is not None:
        (tmp_path / "zh.po").write_bytes(content)

    with pytest.raises(ConfigurationError, match=said):
        i18n.read_catalogue(tmp_path / "zh.po")


def test_text_is_kept_to_the_character(tmp_path: Path) -> None:
    """Quotes, backslashes, spaces at the ends and line separators come back as they were written."""
    text = ' "a" \\n \u2028« b »; '
    content = Catalog(locale="en")
    content.add("a.b", text)
    with (tmp_path / "en.po").open("wb") as file:
        write_po(file, content, width=0)

    assert {"a.b": text} == i18n.read_catalogue(tmp_path / "en.po")
