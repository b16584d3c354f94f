from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from audit.base.errors import ConfigurationError, InputRefused
from audit.source import profiles

HEAD = """\
name: vendor
csv: {delimiter: ";", encoding: ENCODING}
rounds:
  columns: {round_id: id, round_no: n, outcome: {from: 結果, words: {莊: banker, 閒: player, 和: tie}}}
  constants: {table_id: T, game: baccarat, status: settled, started_at: "2024-01-15 12:00"}
  cards: CARDS
"""


@pytest.fixture
def load(tmp_path: Path) -> Any:
    """A profile with the given cards section and encoding."""

    def run(cards: str, encoding: str = "utf-8") -> profiles.SourceProfile:
        text = HEAD.replace("CARDS", cards).replace("ENCODING", encoding)
        (tmp_path / "vendor.yaml").write_text(text, encoding="utf-8")
        return profiles.load_profile(str(tmp_path / "vendor.yaml"))

    return run


@pytest.mark.parametrize("encoding", ["utf-8", "big5", "gb18030", "utf-16"])
def test_another_delimiter_and_code_page_give_the_same_rows(read_text: Any, load: Any, encoding: str) -> None:
    """A profile names delimiter and encoding of its CSV, and words in Chinese are mapped."""
    log = "id;n;結果;cards\nR1;1;莊;S.13,H.12,S.11;D.13\n".replace("S.11;", "S.11|")
    profile = load(
        "{notation: suit_rank, separator: ',', player: {from: cards, match: '[|](?P<cards>.*)$'}, "
        "banker: {from: cards, match: '^(?P<cards>[^|]*)'}}",
        encoding,
    )
    (row,) = read_text(log.encode(encoding), profile=profile).rows

    assert ("banker", "KD", "KS QH JS") == (row["outcome"], row["player_cards"], row["banker_cards"])


def test_a_byte_that_is_not_of_the_code_page_is_refused(read_text: Any, load: Any) -> None:
    """Bytes that the profile's encoding does not have refuse the file."""
    profile = load("{player: [p], banker: [b]}", "ascii")
    log = "id;n;x;p;b\n1;1;é;9;8\n".encode()

    with pytest.raises(InputRefused, match=r"log\.csv: is not ASCII text \(first wrong byte in line 2\)"):
        read_text(log, profile=profile)


def test_one_text_for_both_sides_is_read_in_its_order(read_text: Any, load: Any) -> None:
    """Alternating cards in one text are dealt out to the sides; a text with an unknown card rejects its row."""
    profile = load("{notation: number_1_52, suits: SHCD, none: [0], separator: ',', both: all, order: alternating}")
    reading = read_text("id;n;結果;all\nR1;1;閒;26,20,39,23,14,0\nR2;2;閒;26,20,39,53,14,0\n", profile=profile)

    assert [("KH KC AH", "7H 10H")] == [(row["player_cards"], row["banker_cards"]) for row in reading.rows]
    assert [("unknown_card", 1)] == reading.reasons


@pytest.mark.parametrize(
    ("cards", "said"),
    [
        ("{both: all}", r"rounds\.cards: either both and order, or player and banker"),
        ("{player: [a]}", r"rounds\.cards: the cards of both player and banker"),
        ("{both: all, order: alternating, player: [a]}", r"rounds\.cards: either both and order"),
        ("{both: all, order: backwards}", r"rounds\.cards\.order: 'backwards' is not one of"),
        ("{player: [a], banker: [b], notation: runes}", r"cards\.notation: 'runes' is not one of"),
        ("{player: [a], banker: [b], suits: SHDX}", r"cards\.suits: the four letters"),
        ("{player: {from: a, match: '('}, banker: [b]}", r"cards\.player\.match: not a pattern"),
        ("{player: {from: a, match: '(?=x)(?P<cards>.)'}, banker: [b]}", r"cards\.player\.match: not a pattern"),
        ("{player: {from: a, match: '(x)'}, banker: [b]}", r"cards\.player\.match: the pattern needs one named group"),
        ("{player: [a], banker: [b], glyphs: 1}", r"unknown key 'glyphs'"),
    ],
)
def test_a_cards_section_that_cannot_work_is_an_error(load: Any, cards: str, said: str) -> None:
    """Contradictory, incomplete and unknown ways of writing cards are errors of the profile, with their place."""
    with pytest.raises(ConfigurationError, match=rf"^vendor\.yaml: .*{said}"):
        load(cards)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('delimiter: ";"', 'delimiter: ";;"', r"csv\.delimiter: one character"),
        ("encoding: utf-8", "encoding: klingon", r"csv\.encoding: 'klingon' is not the name"),
        ("encoding: utf-8", "quote: x", r"csv: unknown key 'quote'"),
    ],
)
def test_a_csv_section_that_cannot_work_is_an_error(tmp_path: Path, old: str, new: str, said: str) -> None:
    """Delimiter and encoding must be such."""
    text = HEAD.replace("CARDS", "{player: [a], banker: [b]}").replace("ENCODING", "utf-8")
    assert old in text
    (tmp_path / "vendor.yaml").write_text(text.replace(old, new), encoding="utf-8")

    with pytest.raises(ConfigurationError, match=said):
        profiles.load_profile(str(tmp_path / "vendor.yaml"))
