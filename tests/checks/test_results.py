"""RES-001 to RES-004: what the log records against what the cards show."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.audited import audited

NATURAL = {"player_cards": "9H KD", "banker_cards": "3C 4S"}
"""Nine against seven."""


@pytest.mark.parametrize("game", ["baccarat", "makccarat"])
@pytest.mark.parametrize(
    ("recorded", "wrong"),
    [
        ({}, []),
        ({"player_points": 9, "banker_points": 7}, []),
        ({"player_points": 8, "banker_points": 7}, [("player", "9", "8")]),
        ({"player_points": 9, "banker_points": 0}, [("banker", "7", "0")]),
        ({"player_points": 0, "banker_points": -1}, [("player", "9", "0"), ("banker", "7", "-1")]),
    ],
)
def test_points(game: str, recorded: dict[str, int], wrong: list[tuple[str, ...]], tmp_path: Path) -> None:
    """Each side's recorded points are held against its cards, by art. 5; nothing recorded, nothing found."""
    done = audited({**NATURAL, **recorded, "game": game}, tmp_path)

    assert {("RES-001", *each, "5") for each in wrong} == set(done.told("side", "expected", "observed", "article"))
    assert {"violation" if wrong else "conforming": 1} == done.verdicts


@pytest.mark.parametrize(
    ("player", "banker", "outcome"),
    [("9H KD", "3C 4S", "player"), ("3C 4S", "9H KD", "banker"), ("9H KD", "9C KS", "tie")],
)
@pytest.mark.parametrize("recorded", ["player", "banker", "tie", ""])
def test_outcome(player: str, banker: str, outcome: str, recorded: str, tmp_path: Path) -> None:
    """Any recorded outcome but that of the cards is found; one that is not recorded is not."""
    done = audited({"player_cards": player, "banker_cards": banker, "outcome": recorded}, tmp_path)
    wrong = [("RES-002", outcome, recorded, "11")] if recorded not in {outcome, ""} else []

    assert wrong == done.told("expected", "observed", "article")


def test_outcome_of_makccarat(tmp_path: Path) -> None:
    """Makccarat says who wins within the drawing article."""
    done = audited({**NATURAL, "game": "makccarat", "outcome": "tie"}, tmp_path)

    assert [("RES-002", "67/2007", "9(2)")] == done.told("instrument", "article")


@pytest.mark.parametrize(
    ("points", "outcome", "expected"),
    [
        ((9, 0), "player", None),
        ((9, 0), "banker", "player"),
        ((0, 9), "banker", None),
        ((0, 9), "tie", "banker"),
        ((4, 4), "tie", None),
        ((4, 4), "player", "tie"),
    ],
)
def test_outcome_without_cards(points: tuple[int, int], outcome: str, expected: str | None, tmp_path: Path) -> None:
    """Without cards the outcome is held against the recorded points; the points themselves, against nothing."""
    recorded = {"player_points": points[0], "banker_points": points[1], "outcome": outcome}
    done = audited({"player_cards": "", "banker_cards": "", **recorded}, tmp_path)
    wrong = [] if expected is None else [("RES-002", expected, outcome)]

    assert wrong == done.told("expected", "observed")
    assert ("RES-002", "cards_missing") not in done.open


@pytest.mark.parametrize("side", ["player", "banker"])
@pytest.mark.parametrize(
    ("cards", "recorded", "found"),
    [
        ("9H 9D", True, []),
        ("9H 9D", False, [("true", "false")]),
        ("9H 9H", True, []),
        ("9H KD", False, []),
        ("9H KD", True, [("false", "true")]),
        ("KH QD 9S", True, [("false", "true")]),
        ("2H 3D 3S", True, [("false", "true")]),
        ("2H 2D 4S", None, []),
    ],
)
def test_pair(side: str, cards: str, recorded: bool | None, found: list[tuple[str, str]], tmp_path: Path) -> None:
    """The first two cards are a pair or not, whatever the third is; either way the record must say so."""
    other = "banker" if side == "player" else "player"
    # The other side stands on seven, which beats nobody who must draw.
    hands = {f"{side}_cards": cards, f"{other}_cards": "KC 7S", f"{side}_pair": recorded}
    done = audited({**hands, "game": "baccarat"}, tmp_path)
    wrong = [row for row in done.told("side", "expected", "observed", "article") if row[0] == "RES-003"]

    assert [("RES-003", side, *each, "13(1)(4)(1)") for each in found] == wrong


def test_both_pairs(tmp_path: Path) -> None:
    """Each side's pair is a question of its own."""
    done = audited({**NATURAL, "player_pair": True, "banker_pair": True}, tmp_path)

    assert {("RES-003", "player"), ("RES-003", "banker")} == set(done.told("side"))


@pytest.mark.parametrize("status", ["void", "demonstration"])
def test_unplayed_rounds_have_no_result(status: str, tmp_path: Path) -> None:
    """What was recorded of a void or demonstration round is held against nothing."""
    wrong = {"outcome": "tie", "player_points": 1, "player_pair": True}

    assert [] == audited({**NATURAL, **wrong, "status": status, "void_reason": "spilt"}, tmp_path).codes


def test_before_the_first_text(tmp_path: Path) -> None:
    """Before the first text nothing recorded is wrong, and no void is unfounded."""
    wrong = {"outcome": "tie", "status": ["settled", "void"], "started_at": "2004-05-17T12:00:00+08:00"}

    assert [] == audited({**NATURAL, **wrong}, tmp_path).codes


VOID = {"status": "void"}


@pytest.mark.parametrize(
    ("row", "found"),
    [
        (NATURAL, True),
        (NATURAL | {"void_reason": "misdeal"}, False),
        ({"player_cards": "9H", "banker_cards": "3C 4S"}, False),
        ({"player_cards": "2H 3S", "banker_cards": "KD 7C"}, False),
        ({"player_cards": "2H 4S 2D", "banker_cards": "KD 7C"}, False),
        ({"player_cards": "2H 3S 2D", "banker_cards": "KD 4C 2S"}, True),
        (NATURAL | {"deal_sequence": "PBPB"}, True),
        (NATURAL | {"deal_sequence": "p b p b"}, True),
        (NATURAL | {"deal_sequence": "PPBB"}, False),
        (NATURAL | {"deal_sequence": "PBPBP"}, True),
        ({"player_cards": "2H 3S 2D", "banker_cards": "KD 7C", "deal_sequence": "PBPBP"}, True),
        ({"player_cards": "2H 3S 2D", "banker_cards": "KD 7C", "deal_sequence": "PBBPP"}, False),
        ({"player_cards": "2H 4S", "banker_cards": "KD 5C 2D", "deal_sequence": "PBPBB"}, True),
        ({"player_cards": "2H 4S", "banker_cards": "KD 5C 2D", "deal_sequence": "PPBBB"}, False),
        ({"player_cards": "2H 3S 2D", "banker_cards": "KD 4C 2S", "deal_sequence": "PBPBPB"}, True),
        ({"player_cards": "2H 3S 2D", "banker_cards": "KD 4C 2S", "deal_sequence": "PBPBBP"}, False),
    ],
)
def test_void_without_a_ground(row: dict[str, str], found: bool, tmp_path: Path) -> None:
    """A whole hand without departure, in cards and in order, is no ground for a void; a stated reason is not judged."""
    done = audited({**VOID, **row}, tmp_path)

    assert ([("RES-004", "void_reason", "void", "10")] if found else []) == done.told("expected", "observed", "article")
    assert {"violation" if found else "conforming": 1} == done.verdicts


@pytest.mark.parametrize(("sequence", "found"), [("PBPBBP", True), ("PBPBPB", False)])
def test_void_in_the_order_of_the_other_game(sequence: str, found: bool, tmp_path: Path) -> None:
    """In Makccarat the lower side draws first: dealing in the order of baccarat is a ground for the void."""
    hand = {"game": "makccarat", "player_cards": "KD 7C 2S", "banker_cards": "2H 3S 4D", "deal_sequence": sequence}

    assert (["RES-004"] if found else []) == audited({**VOID, **hand}, tmp_path).codes


def test_void_hand_on_which_the_methods_differ(tmp_path: Path) -> None:
    """Without a method a hand that one of them allows is open; it counts as one question."""
    hand = {"game": "makccarat", "player_cards": "2H 3S 2D", "banker_cards": "KD 7C"}
    done = audited({**VOID, **hand}, tmp_path)

    assert [] == done.codes
    assert {("RES-004", "draw_method_unknown"): 1} == done.open
