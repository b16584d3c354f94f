from __future__ import annotations

import re
from pathlib import Path

import pytest

from audit.base.errors import ConfigurationError
from audit.base.model import LANGUAGES
from audit.report import catalogues, i18n


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three catalogues with two sections of one key each."""
    for language in LANGUAGES:
        content = f'# Head\nmsgid ""\nmsgstr "Language: {language}\\n"\n\n'
        content += "".join(f'msgid "{key}"\nmsgstr "{language} {key}"\n\n' for key in ("sum.one", "web.two"))
        (tmp_path / f"{language}.po").write_text(content, encoding="utf-8")
    return tmp_path


def _keys(path: Path) -> list[str]:
    return re.findall(r'^msgid "(.+)"$', path.read_text(encoding="utf-8"), re.MULTILINE)


def test_new_key_is_missing_in_each_language(folder: Path) -> None:
    """A key that a template newly asks for stands in its section of each file with an empty text, which is refused."""
    catalogues.update(folder, "t('sum.one') t('sum.new') t('web.two')")

    for name in ("messages.pot", "zh.po", "pt.po", "en.po"):
        assert ["sum.one", "sum.new", "web.two"] == _keys(folder / name)
    for language in LANGUAGES:
        text = (folder / f"{language}.po").read_text(encoding="utf-8")
        assert 'msgid "sum.new"\nmsgstr ""\n' in text
        assert f'msgid "web.two"\nmsgstr "{language} web.two"\n' in text
        assert "fuzzy" not in text

    with pytest.raises(ConfigurationError, match=r"zh\.po: sum\.new: a non-empty text"):
        i18n.load_messages(folder)


def test_key_that_one_language_has_is_missing_in_the_others(folder: Path) -> None:
    """A key of a group, which no template spells out, is taken from the catalogue that has it first."""
    with (folder / "pt.po").open("a", encoding="utf-8") as file:
        file.write('msgid "web.day_3"\nmsgstr "terceiro"\n')

    catalogues.update(folder, "t('sum.one') t('web.two') t('web.day_' ~ number)")

    assert 'msgid "web.day_3"\nmsgstr "terceiro"\n' in (folder / "pt.po").read_text(encoding="utf-8")
    assert 'msgid "web.day_3"\nmsgstr ""\n' in (folder / "zh.po").read_text(encoding="utf-8")


def test_key_that_nothing_asks_for_becomes_obsolete(folder: Path) -> None:
    """The text of a key that is no longer asked for is kept as a comment until somebody deletes it."""
    catalogues.update(folder, "t('sum.one')")

    assert ["sum.one"] == _keys(folder / "messages.pot")
    assert '#~ msgid "web.two"\n#~ msgstr "pt web.two"\n' in (folder / "pt.po").read_text(encoding="utf-8")
    assert ["sum.one"] == list(i18n.load_messages(folder)["pt"].phrases)


def test_check_has_a_short_name(folder: Path) -> None:
    """The code of a new check becomes a key of its own."""
    catalogues.update(folder, "t('sum.one') t('web.two')", ["DRW-999"])

    assert ["sum.one", "web.two", "check.DRW-999"] == _keys(folder / "en.po")


def test_second_update_changes_nothing(folder: Path) -> None:
    """The same keys give the same bytes, dates included."""
    catalogues.update(folder, "t('sum.one') t('sum.new')")
    template = folder / "messages.pot"
    dated = re.sub(r"(POT-Creation-Date: )\d{4}", r"\g<1>1999", template.read_text(encoding="utf-8"))
    template.write_text(dated, encoding="utf-8")
    catalogues.update(folder, "t('sum.one') t('sum.new')")
    first = {path.name: path.read_bytes() for path in folder.iterdir()}
    catalogues.update(folder, "t('sum.one') t('sum.new')")

    assert first == {path.name: path.read_bytes() for path in folder.iterdir()}
    assert b"POT-Creation-Date: 1999" in first["messages.pot"]
