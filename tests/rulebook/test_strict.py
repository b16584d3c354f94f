"""Each way of spoiling the data files is refused with the file and the path of the fault."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from audit.base.errors import ConfigurationError
from audit.base.strict import load
from audit.rulebook import Rulebook
from audit.rulebook.coverage import coverage_table
from audit.rulebook.options import load_alternatives

Edit = Callable[[str, str, str], Path]

WORDING = "provisions[0].versions[0]"

GAME_FAULTS = {
    "unknown key at the top": (
        "game: baccarat\n",
        "game: baccarat\ngames: x\n",
        "top level: unknown key 'games'; allowed: ",
    ),
    "unknown key of a wording": (
        "        mark: O\n",
        "        mark: O\n        marks: O\n",
        f"{WORDING}: unknown key 'marks'",
    ),
    "unknown parameter": ("{min: 6, max: 12}", "{min: 6, maximum: 12}", f"{WORDING}.parameters: unknown key 'maximum'"),
    "missing parameter": ("{min: 6, max: 12}", "{min: 6}", f"{WORDING}.parameters: the key 'max' is missing"),
    "malformed parameter": ("{min: 6, max: 12}", "{min: 6, max: twelve}", f"{WORDING}.parameters.max: a whole number"),
    "duplicate key": (
        "        mark: O\n",
        "        mark: O\n        mark: O\n",
        f"{WORDING}: the key 'mark' stands twice",
    ),
    "binary float": (
        "{min: 6, max: 12}",
        "{min: 6.0, max: 12}",
        f"{WORDING}.parameters.min: 6.0 is a binary floating-point",
    ),
    "missing language": (
        "    title: {zh: 用具, pt: Material, en: Equipment}",
        "    title: {zh: 用具, en: Equipment}",
        "provisions[0].title: the key 'pt' is missing",
    ),
    "empty language": (
        "    title: {zh: 用具, pt: Material, en: Equipment}",
        "    title: {zh: 用具, pt: ' ', en: Equipment}",
        "provisions[0].title.pt: a non-empty text is expected",
    ),
    "impossible day": (
        "{id: BAC-2004, from: 2004-05-18,",
        "{id: BAC-2004, from: 2004-02-30,",
        "versions[2].from: 2004-02-30 is not a day of the calendar",
    ),
    "day without a day": ("verified_on: 2026-11-29", "verified_on: 2026-11", "verified_on: a day written YYYY-MM-DD"),
    "instant for a day": (
        "verified_on: 2026-11-29",
        "verified_on: 2026-11-29 10:00:00",
        "verified_on: '2026-11-29 10:00:00'",
    ),
    "versions out of order": (
        "{id: BAC-2004, from: 2004-05-18,",
        "{id: BAC-2004, from: 2006-05-18,",
        "versions: the first days must rise: 2005-11-29 does not come after 2006-05-18",
    ),
    "unknown act": (
        '        certain: false\n        act: "83/2011"',
        '        certain: false\n        act: "83/2012"',
        "act: the act 83/2012 is not in instruments.yaml",
    ),
    "wording off the versions": (
        "      - from: 2011-09-27\n",
        "      - from: 2011-09-28\n",
        "no version of the game begins on",
    ),
    "wording in an unknown version": (
        "      - from: 2004-05-18\n",
        "      - from: 1996-11-04\n",
        f"{WORDING}: the version BAC-1996 that begins on 1996-11-04 is marked as not known",
    ),
    "from and window": (
        "      - window: [2011-09-27, 2011-10-03]\n",
        "      - window: [2011-09-27, 2011-10-03]\n        from: 2011-09-27\n",
        "exactly one of the keys",
    ),
    "neither from nor window": (
        "      - window: [2011-09-27, 2011-10-03]\n        act:",
        "      - act:",
        "exactly one of the keys",
    ),
    "certain window": (
        "      - window: [2011-09-27, 2011-10-03]\n",
        "      - window: [2011-09-27, 2011-10-03]\n        certain: true\n",
        "a window is never certain",
    ),
    "window backwards": (
        "      - window: [2011-09-27, 2011-10-03]",
        "      - window: [2011-10-03, 2011-09-27]",
        "a list of a first and a last day is expected",
    ),
    "no certainty": (
        "{id: BAC-2005, from: 2005-11-29, certain: false,",
        "{id: BAC-2005, from: 2005-11-29,",
        "versions[3]: the key 'certain' is missing",
    ),
    "unknown provision": (
        "- key: equipment.decks",
        "- key: equipment.deck",
        "provisions[0].key: 'equipment.deck' is not one of",
    ),
    "provision twice": ("- key: exposed_card", "- key: shoe_change", "].key: the provision 'shoe_change' stands twice"),
    "malformed rule id": (
        "rule_ids: [BAC-01]",
        "rule_ids: [BAC-1]",
        "provisions[0].rule_ids[0]: 'BAC-1' is not a rule's id",
    ),
    "unknown mark": ("        mark: O\n", "        mark: X\n", f"{WORDING}.mark: 'X' is not one of"),
    "wrong game": ("game: baccarat\n", "game: makccarat\n", "game: the file of makccarat is makccarat.yaml"),
    "silent unknown version": (
        '    known: false\n    instrument: "169/75"\n    acts: ["70/2000"]\n    note:',
        '    known: false\n    instrument: "169/75"\n    acts: ["70/2000"]\n    summary:',
        "versions[1]: unknown key 'summary'",
    ),
    "odd truth": (
        'certain: true, known: true, acts: ["55/2004"]',
        'certain: yes, known: true, acts: ["55/2004"]',
        "versions[2].certain: 'yes' is ambiguous",
    ),
    "word for a truth": (
        'certain: true, known: true, acts: ["55/2004"]',
        'certain: sure, known: true, acts: ["55/2004"]',
        "versions[2].certain: true or false is expected",
    ),
    "octal number": ("{min: 6, max: 12}", "{min: 06, max: 12}", f"{WORDING}.parameters.min: '06' is ambiguous"),
    "list for a mapping": (
        "    title: {zh: 用具, pt: Material, en: Equipment}",
        "    title: [用具, Material, Equipment]",
        "provisions[0].title: a mapping is expected",
    ),
    "mapping for a list": ("rule_ids: [BAC-01]", "rule_ids: {BAC-01: 1}", "provisions[0].rule_ids: a list is expected"),
    "odd key": ("game: baccarat\n", "game: baccarat\ntrue: x\n", "the key 'true' is neither a word nor a whole number"),
    "broken YAML": ("game: baccarat\n", "game: [baccarat\n", "top level: not well-formed YAML in line"),
}

OTHER_FAULTS: dict[str, tuple[Callable[[Path], object], str, str, str, str]] = {
    "act twice": (
        Rulebook.load,
        "instruments.yaml",
        '- id: "48/86/M"',
        '- id: "169/75"',
        "id: the act 169/75 stands twice",
    ),
    "repeal of nothing": (
        Rulebook.load,
        "instruments.yaml",
        "repeals: [RA 34/2003]",
        "repeals: [RA 35/2003]",
        "repeals: the act RA 35/2003 is not in the list",
    ),
    "unknown kind": (
        Rulebook.load,
        "instruments.yaml",
        "kind: external_order",
        "kind: order",
        "kind: 'order' is not one of",
    ),
    "commencement without certainty": (
        Rulebook.load,
        "instruments.yaml",
        "in_force: 2004-05-18\n    certain: true\n",
        "in_force: 2004-05-18\n",
        "in_force: the key 'certain' is missing",
    ),
    "publication without certainty": (
        Rulebook.load,
        "instruments.yaml",
        "published: 2004-05-17\n    published_certain: true\n",
        "published: 2004-05-17\n",
        "published: the key 'published_certain' is missing",
    ),
    "act with day and window": (
        Rulebook.load,
        "instruments.yaml",
        "window: [2009-01-01, 2009-06-22]\n",
        "window: [2009-01-01, 2009-06-22]\n    in_force: 2009-01-01\n    certain: false\n",
        "window: an act begins on one day",
    ),
    "option twice": (
        load_alternatives,
        "options.yaml",
        "values: [first_card]",
        "values: [decks]",
        "options[1].values: the value 'decks' of burn stands twice",
    ),
    "option without a start": (
        load_alternatives,
        "options.yaml",
        "    from: 2004-05-18\n",
        "",
        "options[0]: exactly one of the keys",
    ),
    "option of no provision": (
        load_alternatives,
        "options.yaml",
        "provision: opening.burn",
        "provision: burn",
        "options[0].provision: 'burn' is not one of",
    ),
    "rule twice": (
        coverage_table,
        "coverage.yaml",
        "subject: BAC-02",
        "subject: BAC-01",
        "rules[1].subject: the rule BAC-01",
    ),
    "checked without a check": (
        coverage_table,
        "coverage.yaml",
        "codes: [SHO-001, SHO-002]",
        "codes: []",
        "rules[0].codes: a checked rule has checks",
    ),
    "unchecked without a reason": (
        coverage_table,
        "coverage.yaml",
        "    limit: equipment\n",
        "",
        "rules[1].limit: a rule without a check needs its reason",
    ),
    "no such check": (
        coverage_table,
        "coverage.yaml",
        "codes: [SHO-001, SHO-002]",
        "codes: [SHOE-1]",
        "rules[0].codes[0]: 'SHOE-1' is not a check's code",
    ),
    "no such column": (
        coverage_table,
        "coverage.yaml",
        "data: [events.event, events.count]",
        "data: [event, events.count]",
        "data[0]: 'event' is not a column",
    ),
}


@pytest.mark.parametrize(("old", "new", "message"), GAME_FAULTS.values(), ids=GAME_FAULTS.keys())
def test_fault_in_a_game_file(edit: Edit, old: str, new: str, message: str) -> None:
    """The fault is refused, and the sentence names baccarat.yaml and the path in it."""
    folder = edit("baccarat.yaml", old, new)

    with pytest.raises(ConfigurationError) as caught:
        Rulebook.load(folder)

    sentence = str(caught.value)
    assert sentence.startswith("baccarat.yaml: ")
    assert message in sentence
    assert str(folder) not in sentence


@pytest.mark.parametrize(("read", "name", "old", "new", "message"), OTHER_FAULTS.values(), ids=OTHER_FAULTS.keys())
def test_fault_in_another_file(
    edit: Edit, read: Callable[[Path], object], name: str, old: str, new: str, message: str
) -> None:
    """The fault is refused, and the sentence names the file and the path in it."""
    folder = edit(name, old, new)

    with pytest.raises(ConfigurationError) as caught:
        read(folder)

    assert str(caught.value).startswith(f"{name}: ")
    assert message in str(caught.value)


def test_two_wordings_of_one_day(edit: Edit) -> None:
    """Two wordings of one provision that begin on one day overlap, and are refused."""
    folder = edit(
        "makccarat.yaml",
        "      - from: 2007-07-10\n",
        "      - from: 2007-07-10\n        repealed: true\n"
        '        certain: true\n        act: "67/2007"\n        mark: S1\n      - from: 2007-07-10\n',
    )

    with pytest.raises(ConfigurationError, match=r"provisions\[0\]\.versions: the first days must rise"):
        Rulebook.load(folder)


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"", "the file is empty"), (b"\xff\xfe", "cannot be read as UTF-8"), (b"a: {<<: {b: 1}}", "neither a word")],
    ids=["empty", "not text", "merge key"],
)
def test_files_that_are_no_data(tmp_path: Path, content: bytes, message: str) -> None:
    """An empty file, one that is not UTF-8 and one that merges keys are refused in words."""
    path = tmp_path / "law.yaml"
    path.write_bytes(content)

    with pytest.raises(ConfigurationError, match=message):
        load(path)


def test_a_missing_file(tmp_path: Path) -> None:
    """A folder without the files is refused, naming the first that is missing."""
    with pytest.raises(ConfigurationError, match=r"instruments\.yaml: top level: cannot be read"):
        Rulebook.load(tmp_path)


def test_the_digest_knows_content_and_not_place(regulations: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Copies in two folders, one with other line ends, have one digest; a changed letter gives another."""
    other = tmp_path_factory.mktemp("other")
    for path in regulations.glob("*.yaml"):
        (other / path.name).write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    changed = tmp_path_factory.mktemp("changed")
    for path in regulations.glob("*.yaml"):
        (changed / path.name).write_bytes(path.read_bytes().replace("一賠八".encode(), "一賠九".encode()))

    digest = Rulebook.load(regulations).digest

    assert digest == Rulebook.load(other).digest
    assert digest != Rulebook.load(changed).digest
