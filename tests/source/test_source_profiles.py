from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from audit.base.errors import ConfigurationError, InputRefused
from audit.source import profiles

SAMPLES = Path(__file__).parents[3] / "shared" / "samples"

HOUSE = """\
name: house
zone: Europe/Lisbon
rounds:
  columns:
    shoe_id: Shoe
    round_no: Coup
    outcome: {from: Winner, words: {B: banker, P: player}}
  templates: {round_id: "{Shoe}/{Coup}"}
  constants: {table_id: T9, game: baccarat, status: settled, decks: 8, started_at: "2024-01-15 12:00:00"}
  cards: {player: [p1, p2, p3], banker: [b1, b2, b3], none: ["-", NA]}
"""
LOG = "Shoe,Coup,Winner,p1,p2,p3,b1,b2,b3\n7,1,B,9H,KD,-,3c,4S,NA\n7,2,P,T,2,3,4,5,\n"


@pytest.fixture
def house(tmp_path: Path) -> Any:
    """Load a profile from YAML text."""

    def load(text: str = HOUSE) -> profiles.SourceProfile:
        (tmp_path / "house.yaml").write_text(text)
        return profiles.load_profile(str(tmp_path / "house.yaml"))

    return load


def test_a_profile_turns_a_layout_into_canonical_rows(read_text: Any, house: Any) -> None:
    """Names, constants, templates, words and single card columns give canonical rounds."""
    rows = read_text(LOG, profile=house()).rows

    assert [("7/1", "7", 1), ("7/2", "7", 2)] == [(r["round_id"], r["shoe_id"], r["round_no"]) for r in rows]
    assert [("9H KD", "3C 4S"), ("10 2 3", "4 5")] == [(r["player_cards"], r["banker_cards"]) for r in rows]
    assert [("banker", 8, "T9"), ("player", 8, "T9")] == [(r["outcome"], r["decks"], r["table_id"]) for r in rows]
    assert {"2024-01-15T12:00:00+00:00"} == {r["started_at"].isoformat() for r in rows}


def test_what_a_profile_does_not_know_is_quarantined_with_its_raw_row(
    read_text: Any, house: Any, tmp_path: Path
) -> None:
    """A word without meaning and an id that lacks a part reject the row, shown as the source has it."""
    log = LOG + "7,3,X,9H,KD,-,3C,4S,-\n,4,B,9H,KD,-,3C,4S,-\n7,5,B,9H,-,-,1S,4S,-\n"
    rejects = read_text(log, profile=house()).rejects(tmp_path)

    assert [(3, "outcome", "X"), (4, "round_id", None), (5, "banker_cards", "1S 4S")] == [
        (reject["source_row"], reject["column"], reject["value"]) for reject in rejects
    ]
    assert '{"Shoe": "7", "Coup": "3", "Winner": "X", "p1": "9H"' in rejects[0]["row"]


def test_a_file_without_a_column_of_the_profile_is_refused(read_text: Any, house: Any) -> None:
    """A column that the profile names and the file lacks is named in the refusal."""
    with pytest.raises(InputRefused, match=r"log\.csv: the rounds column 'p3' is missing"):
        read_text(LOG.replace("p3", "q3"), profile=house())


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("zone: Europe/Lisbon", "zone: Europe/Nowhere", r"house\.yaml: zone: 'Europe/Nowhere' is not the name"),
        ("zone: Europe/Lisbon", "zonne: UTC", r"house\.yaml: top level: unknown key 'zonne'"),
        ("    shoe_id: Shoe", "    shoe: Shoe", r"house\.yaml: rounds\.columns: unknown key 'shoe'"),
        ("words: {B: banker", "word: {B: banker", r"rounds\.columns\.outcome: unknown key 'word'"),
        ("table_id: T9, ", "", r"rounds: the column 'table_id' is needed"),
        ("table_id: T9", "table_id: T9, shoe_id: S", r"rounds: the column 'shoe_id' is defined twice"),
        ("  cards: {player", "  cards: {dragon", r"rounds\.cards: unknown key 'dragon'"),
        ("name: house\n", "", r"the key 'name' is missing"),
        ("columns:", "columns: []\n  x:", r"house\.yaml: rounds"),
        ("decks: 8", "decks: 8.5", r"rounds\.constants\.decks: 8\.5 is a binary"),
    ],
)
def test_a_malformed_profile_names_file_and_key(house: Any, old: str, new: str, said: str) -> None:
    """Unknown keys, missing columns, columns defined twice and wrong values are errors of the profile."""
    assert old in HOUSE
    with pytest.raises(ConfigurationError, match=said):
        house(HOUSE.replace(old, new))


def test_an_unknown_profile_is_named_with_those_there_are() -> None:
    """A name that is not shipped is refused with the names that are, and no path is looked up by name."""
    with pytest.raises(ConfigurationError, match=r"'nobody'.*canonical, .*xsgu_outcome_table"):
        profiles.load_profile("nobody")
    with pytest.raises(ConfigurationError, match="no source profile"):
        profiles.load_profile("../sources/canonical")
    with pytest.raises(ConfigurationError, match=r"nowhere\.yaml does not exist"):
        profiles.load_profile("nowhere.yaml")


def test_the_shipped_canonical_profile_is_the_default() -> None:
    """The canonical profile on file is the one used when none is named."""
    assert profiles.CANONICAL == profiles.load_profile("canonical")
    assert 64 == len(profiles.load_profile("canonical").digest)


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the handed samples are not part of the project")
def test_the_sample_outcome_table_is_read_whole(read_files: Any) -> None:
    """All 500 rounds of the independent sample are read, and their totals follow from their cards."""
    from audit.base.model import parse_hand, total

    path = SAMPLES / "xsgu_sample_outcome_table_shoe.csv"
    reading = read_files(path, profile=profiles.load_profile("xsgu_outcome_table"))

    assert (500, 0) == (len(reading.rows), reading.quarantine.count("rounds"))
    assert 500 == len({row["round_id"] for row in reading.rows})
    for shoe in {row["shoe_id"] for row in reading.rows}:
        numbers = [row["round_no"] for row in reading.rows if row["shoe_id"] == shoe]
        assert list(range(1, len(numbers) + 1)) == numbers
    for row in reading.rows:
        assert row["player_points"] == total(parse_hand(row["player_cards"]))
        assert row["banker_points"] == total(parse_hand(row["banker_cards"]))
        assert row["ended_at"] is None
    pairs = [(row["player_pair"], row["banker_pair"]) for row in reading.rows]
    assert [429, 38, 31, 2] == [
        pairs.count(each) for each in ((False, False), (True, False), (False, True), (True, True))
    ]


def test_a_round_without_cards_in_their_columns_goes_to_quarantine(read_text: Any) -> None:
    """One column for each card, and a round that has none of them: it alone is not read, and no other is shifted."""
    rows = ["1,T,S,1,2024-03-01 12:00:00,P,0,9,-,3,4,-", "2,T,S,2,2024-03-01 12:01:00,B,NA,,-,0,,2"]
    rows += ["3,T,S,3,2024-03-01 12:02:00,T,-,-,-,-,-,-", "4,T,S,4,2024-03-01 12:03:00,T,1,1,4,0,6,-"]
    text = "\n".join(["round,table,shoe,hand,time,winner,p1,p2,p3,b1,b2,b3", *rows])

    reading = read_text(text, profile=profiles.load_profile("points_only"))

    assert [(1, "10 9", "3 4"), (4, "A A 4", "10 6")] == [
        (number, row["player_cards"], row["banker_cards"])
        for number, row in zip(reading.numbers, reading.rows, strict=True)
    ]
    assert {("no_cards", 1), ("one_side_without_cards", 1)} == set(reading.reasons)
