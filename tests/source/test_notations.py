from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.base.model import RANKS, SUITS
from audit.source.notations import NOTATIONS, Notation, both_hands, joined_hands, side_hands

SAMPLES = Path(__file__).parents[3] / "shared" / "samples" / "vendor_samples.jsonl"
CARDS = [rank + suit for suit in SUITS for rank in RANKS]


def _write(card: str, notation: str) -> str:
    rank, suit = card[:-1], card[-1]
    number = RANKS.index(rank) + 1
    return {
        "rank_suit": card,
        "suit_rank": f"{suit}.{number}",
        "number_1_52": str(SUITS.index(suit) * 13 + number),
        "number_0_51": str(SUITS.index(suit) * 13 + number - 1),
        "suit_digit_rank": f"{SUITS.index(suit) + 1}{number:02}",
        "number_in_shoe": str(SUITS.index(suit) * 13 + number - 1 + 104),
        "pair": f"{number}|{SUITS.index(suit) + 1}",
    }[notation]


@pytest.mark.parametrize("notation", [name for name in NOTATIONS if name not in {"rank", "points"}])
def test_every_card_of_every_notation_is_read_back(notation: str) -> None:
    """All 52 cards, written in a notation, are read as those cards."""
    reader = Notation(notation, "".join(SUITS))

    assert CARDS == [reader.decode(_write(card, notation)) for card in CARDS]


def test_suits_in_small_letters_are_numbered_from_zero() -> None:
    """Rank and suit columns with suits 0 to 3 are read where the profile says so, and 4 is no suit."""
    reader = Notation("pair", "shdc")

    assert ["AS", "KC", "2|4"] == [reader.decode(token) for token in ("1|0", "13|3", "2|4")]


@pytest.mark.parametrize(
    ("notation", "token", "card"),
    [
        ("rank_suit", "Ts", "10S"),
        ("rank_suit", "k♠", "KS"),
        ("rank_suit", "C_10", "C_10"),
        ("suit_rank", "D08", "8D"),
        ("suit_rank", "S_K", "KS"),
        ("suit_rank", "♠10", "10S"),
        ("suit_rank", "H11", "JH"),
        ("suit_rank", "S.14", "S.14"),
        ("number_1_52", "0", "0"),
        ("number_1_52", "53", "53"),
        ("number_0_51", "52", "52"),
        ("number_1_52", "²", "²"),
        ("suit_digit_rank", "514", "514"),
        ("suit_digit_rank", "-1", "-1"),
        ("number_in_shoe", "415", "KC"),
        ("number_in_shoe", "52", "AS"),
        ("rank", "13", "K"),
        ("rank", "T", "10"),
        ("rank", "0", "0"),
        ("rank", "14", "14"),
        ("points", "0", "10"),
        ("points", "1", "A"),
        ("points", "10", "10"),
        ("points", "x", "x"),
        ("pair", "K|D", "KD"),
        ("pair", "7|♥", "7H"),
        ("pair", "11|Spades", "JS"),
        ("pair", "Ace|梅花", "AC"),
        ("pair", "7|0", "7|0"),
        ("pair", "7|", "7|"),
    ],
)
def test_other_spellings_are_read_and_unknown_tokens_stay(notation: str, token: str, card: str) -> None:
    """Letters, glyphs and leading zeros are read; a token that is no card stays, so that its row is rejected."""
    assert card == Notation(notation).decode(token)


@given(
    st.lists(st.tuples(st.lists(st.sampled_from(CARDS), max_size=3), st.lists(st.sampled_from(CARDS), max_size=3))),
    st.sampled_from(["rank_suit", "number_1_52", "suit_digit_rank"]),
)
def test_both_orders_of_fixed_places_give_the_hands(rounds: list[tuple[list[str], list[str]]], notation: str) -> None:
    """Six places, alternating or side by side, give the hands that were written into them, gaps included."""
    reader = Notation(notation, "".join(SUITS), ("-",))
    written = [
        tuple([_write(card, notation) for card in side] + ["-"] * (3 - len(side)) for side in both) for both in rounds
    ]
    expected = tuple([" ".join(both[side]) or None for both in rounds] for side in (0, 1))
    texts = {
        "alternating": [",".join(card for pair in zip(p, b, strict=True) for card in pair) for p, b in written],
        "player_first": [",".join(p + b) for p, b in written],
        "banker_first": [",".join(b + p) for p, b in written],
    }

    for order, lines in texts.items():
        read = both_hands(pa.array(lines, pa.string()), reader, ",", order)
        assert expected == tuple(side.to_pylist() for side in read)


def test_cards_without_a_separator_are_told_apart_by_their_suits() -> None:
    """Glyph and rank run together are separate cards, ten included; what is left over is an unknown card."""
    texts = pa.array(["♦6♠Q", "♠10♠2♣2", None, "", "♦6x"])

    assert ["6D QS", "10S 2S 2C", None, None, "6D x"] == side_hands(texts, Notation("suit_rank"), "").to_pylist()


def test_single_columns_leave_out_absent_cards() -> None:
    """Cards of one column each are joined, and the marks for no card are left out."""
    columns = [pa.array(["D08", "C09"]), pa.array(["S10", ""]), pa.array(["", None])]

    assert ["8D 10S", "9C"] == joined_hands(columns, Notation("suit_rank", none=("",))).to_pylist()


def test_a_side_without_any_card_keeps_its_row() -> None:
    """A round without cards, as one that was called off, has a row of its own, wherever it stands."""
    columns = [pa.array([None, "D08", "", None]), pa.array(["", "S10", None, None])]

    assert [None, "8D 10S", None, None] == joined_hands(columns, Notation("suit_rank")).to_pylist()


@pytest.mark.skipif(not SAMPLES.is_file(), reason="the handed samples are not part of the project")
def test_the_vendors_own_records_are_read_as_by_hand() -> None:
    """Real records of six vendors give the cards that were decoded by hand."""
    canonical = {
        record["id"]: tuple(
            " ".join(filter(None, (record["canonical"][f"{side}{n}"] for n in (1, 2, 3)))) for side in "pb"
        )
        for record in map(json.loads, SAMPLES.read_text(encoding="utf-8").splitlines())
        if "p1" in record.get("canonical", {})
    }
    dealt = {
        "bbin-1": both_hands(pa.array(["D.1,H.10,S.10,C.7,S.1,"]), Notation("suit_rank"), ",", "alternating"),
        "bbin-2": both_hands(pa.array(["C.7,C.8,H.11,D.7,,C.7"]), Notation("suit_rank"), ",", "alternating"),
        "mt-1": both_hands(pa.array(["26,20,39,23,14,0"]), Notation("number_1_52", "SHCD", ("0",)), ",", "alternating"),
        "awc-sexy-1": both_hands(pa.array(["D08,S10,,C09,C10,"]), Notation("suit_rank"), ",", "player_first"),
        "dg-1": tuple(
            side_hands(pa.array([text]), Notation("number_1_52", "SHCD", ("0",)), "-")
            for text in ("41-51-51", "46-20-0")
        ),
        "allbet-1": tuple(
            side_hands(pa.array([text]), Notation("suit_digit_rank", "SHCD", ("-1",)), ",")
            for text in ("404,311,311", "411,204,-1")
        ),
        "wm-1": tuple(side_hands(pa.array([text]), Notation("suit_rank"), "") for text in ("♠Q♠2♣2", "♦6♠Q")),
        "ag-gr-1": tuple(
            side_hands(pa.array([text]), Notation("suit_rank"), ",") for text in ("D.13,D.7", "S.13,H.12,S.11")
        ),
    }

    assert {name: canonical[name] for name in dealt} == {
        name: tuple(side.to_pylist()[0] for side in sides) for name, sides in dealt.items()
    }
