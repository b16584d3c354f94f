"""Rounds as columns: days, codes that stay the same across batches, and hands decoded once."""

from __future__ import annotations

import dataclasses
import datetime as dt

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.base.columns import NEVER, UNRECORDED, Words
from audit.base.days import day, day_number, gaming_day, instant
from audit.base.model import MACAU, RANKS, SUITS, Card, legal_day, parse_hand, total
from audit.base.typed_rows import TypedRows
from audit.replay.codes import NO_DECKS, NO_POINTS, OTHER_SCHEME
from audit.replay.hands import (
    NO_HAND,
    NO_THIRD,
    PAIR_NONE,
    PAIR_PERFECT,
    PAIR_PLAIN,
    PAIR_SUITLESS,
    HandBook,
    card_name,
    card_number,
)
from audit.replay.rounds import Names, Rounds
from audit.replay.rounds_reader import RoundsReader
from audit.source.file_reading import Batch as FileBatch
from tests.replay.conftest import MakeBatch


def read_rounds(batches: list[TypedRows], names: Names, casino: str | None) -> Rounds:
    """Read every batch into one."""
    reader = RoundsReader(names, casino)
    for each in batches:
        reader.add(each)
    return reader.finish()


def at(text: str) -> dt.datetime:
    """A moment in Macau."""
    return dt.datetime.fromisoformat(text).replace(tzinfo=MACAU)


@pytest.mark.parametrize(
    ("moment", "gaming", "legal"),
    [
        ("2024-03-01T05:59:59", "2024-02-29", "2024-03-01"),
        ("2024-03-01T06:00:00", "2024-03-01", "2024-03-01"),
        ("2024-03-01T23:59:59", "2024-03-01", "2024-03-01"),
        ("2024-03-02T00:00:00", "2024-03-01", "2024-03-02"),
        ("2024-03-02T05:59:59.999999", "2024-03-01", "2024-03-02"),
        ("2024-03-02T06:00:00", "2024-03-02", "2024-03-02"),
        ("2024-01-01T03:00:00", "2023-12-31", "2024-01-01"),
    ],
)
def test_gaming_day_and_legal_day(batch: MakeBatch, moment: str, gaming: str, legal: str) -> None:
    """A round after midnight belongs to the gaming day before until the cut-off, and by law to its calendar day."""
    rounds = read_rounds([batch({"started_at": at(moment)})], Names(), None)

    assert dt.date.fromisoformat(legal) == day(int(rounds.legal_day[0]))
    assert dt.date.fromisoformat(gaming) == day(int(gaming_day(rounds.start, 6 * 60)[0]))
    assert at(moment) == instant(int(rounds.start[0]))


@given(st.integers(315_532_800_000_000, 4_102_444_800_000_000), st.integers(0, 1439))
def test_days_are_those_of_the_calendar(microseconds: int, cutoff: int) -> None:
    """At any time of 1980 to 2099 and any cut-off the days are what the calendar of Macau says."""
    moment = dt.datetime(1970, 1, 1, tzinfo=dt.UTC) + dt.timedelta(microseconds=microseconds)
    start = np.array([microseconds])

    assert legal_day(moment) == day(int(gaming_day(start, 0)[0]))
    assert legal_day(moment - dt.timedelta(minutes=cutoff)) == day(int(gaming_day(start, cutoff)[0]))
    assert moment == instant(int(start[0]))


@given(st.dates(dt.date(1900, 1, 1), dt.date(2100, 1, 1)))
def test_day_numbers_lead_back(value: dt.date) -> None:
    """A day and its number lead to each other, before 1970 too."""
    assert value == day(day_number(value))


def test_codes_hold_across_batches(batch: MakeBatch) -> None:
    """The same house, table, shoe and hand has one code in every batch, though each batch has its own dictionary."""
    first = batch(
        {"casino": "X", "table_id": "T1", "shoe_id": "S1", "player_cards": "9H KD", "banker_cards": "2S 3S 4S"},
        {"casino": "Y", "table_id": "T1", "shoe_id": "S1", "player_cards": "2S 3S 4S", "banker_cards": "KD 9H"},
        file="a.csv",
    )
    second = batch(
        {"casino": "Y", "table_id": "T1", "shoe_id": "S1", "player_cards": "KD 9H", "banker_cards": "9H KD"},
        {"casino": "X", "table_id": "T2", "shoe_id": "S1", "player_cards": None, "banker_cards": None},
        {"casino": "X", "table_id": "T1", "shoe_id": None, "player_cards": "9H KD", "banker_cards": "5C 5C"},
        file="b.csv",
    )
    names = Names()
    rounds = read_rounds([first, second], names, None)
    table, shoe = rounds.table.tolist(), rounds.shoe.tolist()

    assert [("X", "T1"), ("Y", "T1"), ("Y", "T1"), ("X", "T2"), ("X", "T1")] == [names.place(code) for code in table]
    assert (table[0], table[1]) == (table[4], table[2])
    assert shoe[1] == shoe[2]
    assert 3 == len({shoe[0], shoe[1], shoe[3]})
    assert UNRECORDED == shoe[4]
    assert ["9H KD", "2S 3S 4S", "KD 9H", "", "9H KD"] == [rounds.hand_text(code) for code in rounds.player_hand]
    assert ["2S 3S 4S", "KD 9H", "9H KD", "", "5C 5C"] == [rounds.hand_text(code) for code in rounds.banker_hand]
    assert rounds.player_hand[[0, 1, 2]].tolist() == rounds.banker_hand[[2, 0, 1]].tolist()
    assert [NO_HAND] == rounds.player_hand[[3]].tolist()
    assert [("a.csv", 1), ("a.csv", 2), ("b.csv", 1), ("b.csv", 2), ("b.csv", 3)] == [
        (names.files[file], row) for file, row in zip(rounds.file, rounds.source_row.tolist(), strict=True)
    ]


def test_what_is_not_recorded(batch: MakeBatch) -> None:
    """A cell that the log leaves empty has a code of its own, never that of a value."""
    rounds = read_rounds([batch({}, {"player_points": -1, "decks": -1, "commission": "tip"})], Names(), None)

    assert [NO_POINTS, -1] == rounds.player_points.tolist()
    assert [NO_DECKS, -1] == rounds.decks.tolist()
    assert [UNRECORDED, OTHER_SCHEME] == rounds.scheme.tolist()
    assert [NEVER, NEVER] == rounds.end.tolist()
    assert [UNRECORDED, UNRECORDED] == rounds.outcome.tolist()
    assert [UNRECORDED, UNRECORDED] == rounds.player_pair.tolist()
    assert [False, False] == rounds.has_reason.tolist()


def test_default_house(batch: MakeBatch) -> None:
    """Rounds without a house get the configured one, and then share its tables."""
    rows = batch({"casino": "X"}, {"casino": None}, {"casino": "Y"})
    rounds = read_rounds([rows], Names(), "X")

    assert ["X", "X", "Y"] == [rounds.subject(i)["casino"] for i in range(3)]
    assert rounds.table[0] == rounds.table[1]

    nobody = read_rounds([rows], Names(), None)
    assert [None] == [nobody.subject(1)["casino"]]


def test_no_batch_gives_no_rounds() -> None:
    """An input without rows has columns of length zero."""
    rounds = read_rounds([], Names(), None)

    assert 0 == len(rounds)
    assert 0 == len(rounds.ids)
    assert 0 == len(rounds.legal_day)


CARDS = st.builds(Card, st.sampled_from(RANKS), st.one_of(st.none(), st.sampled_from(SUITS)))
HANDS = st.lists(CARDS, min_size=1, max_size=5).map(lambda cards: " ".join(map(str, cards)))


@given(st.lists(st.lists(st.one_of(st.none(), HANDS), max_size=6), max_size=4))
def test_hands_are_decoded_as_by_hand(batches: list[list[str | None]]) -> None:
    """In any number of batches each hand keeps its code, and the book says of it what its cards say."""
    book = HandBook()
    seen: dict[int, str] = {}
    for texts in batches:
        codes = book.encode(pa.array(texts, pa.string()).dictionary_encode())
        for text, code in zip(texts, codes.tolist(), strict=True):
            if text is None:
                assert NO_HAND == code
                continue
            assert text == seen.setdefault(code, text) == book.text(code)
            cards = parse_hand(text)
            third = cards[2].points if len(cards) > 2 else NO_THIRD
            assert (len(cards), total(cards), total(cards[:2]), third) == tuple(
                int(column[code]) for column in (book.counts, book.totals, book.two_card_points, book.thirds)
            )
            assert pair(cards) == book.pairs[code]
            assert list(map(str, cards)) == [card_name(number) for number in book.all_cards(code)]
            firsts = [card_number(card) for card in cards[:3]]
            assert [*firsts, -1, -1, -1][:3] == book.first_three[:, code].tolist()
    assert len(seen) == len(set(seen.values()))
    assert (0, 0, NO_THIRD) == (book.counts[NO_HAND], book.totals[NO_HAND], book.thirds[NO_HAND])


@given(st.lists(st.text("A190TSHx \u00e9", max_size=12), min_size=1, max_size=6))
def test_any_spelling_is_read_as_by_hand(texts: list[str]) -> None:
    """Whatever stands where a hand should, and whatever stands beside it, is read as card by card, or refused."""

    def by_hand(text: str) -> list[int] | None:
        try:
            return [card_number(Card.parse(word)) for word in text.split()]
        except ValueError:
            return None

    for chosen in ([text for text in texts if by_hand(text) is not None], texts):
        book, column = HandBook(), pa.array(chosen, pa.string()).dictionary_encode()
        if any(by_hand(text) is None for text in chosen):
            with pytest.raises(ValueError, match="a hand cannot be read"):
                book.encode(column)
        else:
            codes = book.encode(column).tolist()
            assert [by_hand(text) for text in chosen] == [list(book.all_cards(code)) for code in codes]


def pair(cards: tuple[Card, ...]) -> int:
    """What the first two cards are, by their ranks and suits."""
    if len(cards) < 2 or cards[0].rank != cards[1].rank:
        return PAIR_NONE
    suits = {card.suit for card in cards[:2]}
    return PAIR_SUITLESS if None in suits else PAIR_PERFECT if len(suits) == 1 else PAIR_PLAIN


@given(st.lists(st.tuples(st.integers(-1, 3), st.integers(-1, 3)), max_size=30))
def test_pairs_of_codes(pairs: list[tuple[int, int]]) -> None:
    """A pair of codes has one code, in runs and out of order, and the code leads back to the pair."""
    words = Words()
    first, second = (np.array([pair[side] for pair in pairs], np.int32) for side in range(2))
    codes = words.encode_pairs(first, second)

    assert pairs == [words[code] for code in codes.tolist()]
    assert codes.tolist() == words.encode_pairs(first, second).tolist()
    assert len(set(pairs)) == len(words.texts)


def test_rows_of_several_files_keep_their_files(batch: MakeBatch) -> None:
    """A batch over several files, cut in the middle of one, gives each round its own file and number."""
    many = dataclasses.replace(
        batch({}, {}, {}, {}, file="a.csv"),
        source_row=np.array([1, 2, 1, 1]),
        files=("a.csv", "none.csv", "b.csv", "c.csv"),
        origin=np.array([0, 0, 2, 3], np.int32),
    )
    whole = FileBatch(many.rows, many.file, 0, many.source_row, many.origin, many.files)
    parts = [whole.at(np.arange(1)), whole.where(np.array([False, True, True, True])), batch({}, file="d.csv")]

    rounds = read_rounds(parts, Names(), None)

    subjects = [rounds.subject(i) for i in range(len(rounds))]
    assert [("a.csv", 1), ("a.csv", 2), ("b.csv", 1), ("c.csv", 1), ("d.csv", 1)] == [
        (subject["source_file"], subject["source_row"]) for subject in subjects
    ]
    assert ["a.csv", "b.csv", "c.csv", "d.csv"] == rounds.names.files
