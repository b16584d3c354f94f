"""The examples of the catalogue are audited: each fails by its own check alone, its counter-example by none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
import yaml

from audit.base.errors import ConfigurationError
from audit.base.model import LANGUAGES
from audit.catalogue import check_pages
from audit.catalogue import examples as module
from audit.catalogue.catalogue import load
from audit.catalogue.examples import APPROVALS, laid_out, load_examples
from audit.register.register_file import OPTIONAL, REQUIRED
from tests.audited import audited
from tests.catalogue.test_catalogue import CHINESE, SIMPLIFIED, every_text

CODES = list(load().checks)
SOURCE = Path(module.__file__).with_name("examples.yaml")

TOLD_ONLY = {"at_cut_card"}
"""Words of the catalogue's examples that say what is not there: here, an authorisation for one more round."""


@pytest.mark.parametrize("code", CODES)
def test_the_example_gives_exactly_its_finding(code: str, tmp_path: Path) -> None:
    """The case that the catalogue tells of a check is found by that check, once, and by no other."""
    found = audited(load_examples()[code].example.data, tmp_path, quarantine=None)

    assert [code] == found.codes


@pytest.mark.parametrize("code", CODES)
def test_the_counter_example_gives_none(code: str, tmp_path: Path) -> None:
    """The nearest case in order is found by no check."""
    found = audited(load_examples()[code].counter_example.data, tmp_path, quarantine=None)

    assert [] == found.codes


def every_value(data: object) -> Iterator[str]:
    """All values in the data of an example, as text."""
    if isinstance(data, Mapping):
        data = tuple(data.values())
    if isinstance(data, tuple | list):
        for item in data:
            yield from every_value(item)
    elif data is not None:
        yield str(data)


@pytest.mark.parametrize("code", CODES)
def test_rows_written_out_are_the_case_that_the_catalogue_tells(code: str, tmp_path: Path) -> None:
    """Where the rows of a case stand apart, whatever the catalogue tells of it is in them or in the finding."""
    told, run = load().checks[code].example.data, load_examples()[code].example.data
    if told == run:
        return
    example = laid_out(run)
    (found,) = audited(run, tmp_path).rows
    seen = [*every_value(list(example.tables.values())), *every_value(example.configuration), *every_value(found)]

    for value in set(every_value(told)) - TOLD_ONLY:
        assert any(text.lower().startswith(value.lower()) for text in seen), value


def test_every_text_is_chinese_portuguese_and_english() -> None:
    """The sentences of the counter-examples are traditional Chinese, Portuguese of Macau and English."""
    texts = every_text(yaml.safe_load(SOURCE.read_text(encoding="utf-8")))

    assert len(CODES) == len(texts)
    for text in texts:
        assert CHINESE.search(text["zh"])
        assert not SIMPLIFIED & set(text["zh"]), text["zh"]
        assert text["zh"].endswith("。")
        assert text["pt"].endswith(".")
        assert text["en"].endswith(".")
        assert not re.search(r"\b(ação|ações|exceto|atual|correto|exatamente|adoção)\b", text["pt"])


def test_the_register_has_the_columns_of_the_register() -> None:
    """The columns of an example's register are those that a register file may have."""
    assert {*REQUIRED, *OPTIONAL} == set(APPROVALS)


def test_what_is_told_once_holds_for_every_row() -> None:
    """A column holds in every table that has it; a list gives each round its own; the other tables are not made."""
    example = laid_out({"table_id": "B07", "round_no": (4, 5), "status": "void", "player_pair": True, "decks": None})

    assert ["rounds"] == list(example.tables)
    assert [("R1", "B07", "4", "void", "true", ""), ("R2", "B07", "5", "void", "true", "")] == [
        tuple(row[name] for name in ("round_id", "table_id", "round_no", "status", "player_pair", "decks"))
        for row in example.tables["rounds"]
    ]
    assert ["21:04:05", "21:05:05"] == [row["started_at"][11:19] for row in example.tables["rounds"]]


def test_tables_follow_their_rounds() -> None:
    """Wagers lie on the rounds one by one, and on the last; an event is at the round's table, before it."""
    example = laid_out({"round_no": (1, 2), "table_id": "B07", "wager_id": ("A", "B", "C"), "event": "burn"})
    (event,) = example.tables["events"]

    assert ["R1", "R2", "R2"] == [row["round_id"] for row in example.tables["wagers"]]
    assert ("B07", "S1", "2024-03-01T21:03:05+08:00") == (event["table_id"], event["shoe_id"], event["at"])
    assert example.csv("events").splitlines()[0] == "casino,table_id,shoe_id,at,event"


@pytest.mark.parametrize(
    ("value", "in_rounds", "in_wagers"), [("none", "none", None), ("40", None, "40"), ("0.50", None, "0.50")]
)
def test_commission_is_a_word_of_the_round_or_a_sum_of_the_wager(
    value: str, in_rounds: str | None, in_wagers: str | None
) -> None:
    """The one column that means two things goes where its value belongs."""
    example = laid_out({"bet": "banker", "commission": value})

    assert in_rounds == example.tables["rounds"][0].get("commission")
    assert in_wagers == example.tables["wagers"][0].get("commission")


def test_rows_go_to_the_first_table_that_has_their_columns() -> None:
    """Rows told one by one are rounds where they can be, else wagers; the rest of each row is filled in."""
    rounds = laid_out({"rows": ({"round_id": "X"}, {"round_id": "Y", "outcome": "tie"})})
    wagers = laid_out({"bet": "tie", "rows": ({"wager_id": "X"}, {"wager_id": "Y", "payout": "7"})})

    assert [("X", None), ("Y", "tie")] == [(r["round_id"], r.get("outcome")) for r in rounds.tables["rounds"]]
    assert "wagers" not in rounds.tables
    assert [("X", "tie", "100"), ("Y", "tie", "7")] == [
        (row["wager_id"], row["bet"], row["payout"]) for row in wagers.tables["wagers"]
    ]
    assert ["R1"] == [row["round_id"] for row in wagers.tables["rounds"]]


def test_a_table_without_rows_has_its_columns() -> None:
    """An empty table is given to the run as a file that has nothing but its head."""
    example = laid_out({"wagers": ()})

    assert example.csv("wagers").startswith("wager_id,round_id,seat,bet,")
    assert len(example.csv("wagers").splitlines()) == 1


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("DRW-001:\n", "DRW-000:\n", "unknown key 'DRW-000'"),
        ('player_cards: "2H 4S"', 'players_cards: "2H 4S"', "DRW-001.counter_example.data: unknown key"),
        ("DRW-001:\n  counter_example:", "DRW-001:\n  example:", "DRW-001: the key 'counter_example' is missing"),
        (
            '  example: {shoe_id: S1, round_no: [68, 69, 70], event: cut_card_out, at: "2024-03-01T21:04:20+08:00"}\n',
            "",
            "SHO-004: the catalogue's example tells 'cut_card_out_in_round', which is no column",
        ),
        ('configuration: {max_quarantine: "50%"}', "configuration: 1", "LOG-001.example.configuration: a mapping"),
        ("{round_id: R1, outcome: banker}", "{round: R1}", "LOG-001.example.rows[1]: unknown key 'round'"),
        ("rounds: [{round_id: R403}]", "rounds: [{stake: R403}]", "LOG-004.example.rounds[0]: unknown key 'stake'"),
        ('      en: "The player side has 6 and', '      eng: "The player side has 6 and', "text: unknown key 'eng'"),
    ],
)
def test_broken_examples_are_refused(tmp_path: Path, old: str, new: str, told: str) -> None:
    """Each fault of the file is refused in words that name the file and the path in it."""
    text = SOURCE.read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / "examples.yaml"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")

    with pytest.raises(ConfigurationError) as caught:
        load_examples(path)

    assert "examples.yaml" in str(caught.value)
    assert told in str(caught.value)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("code", CODES)
def test_both_examples_are_shown(code: str, language: str) -> None:
    """`checks show` prints both cases in the language asked for, with the rows that they stand for."""
    shown, text = check_pages.show(code, language), check_pages.show_text(code, language)

    for key, case in (
        ("example", load_examples()[code].example),
        ("counter_example", load_examples()[code].counter_example),
    ):
        printed = shown[key]
        assert isinstance(printed, dict)
        assert printed["text"] == case.text.in_language(language)
        assert f"  {printed['text']}\n    rounds.csv\n" in text
        assert printed["tables"] == {name: list(rows) for name, rows in laid_out(case.data).tables.items()}
