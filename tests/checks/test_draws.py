"""DRW-001 to DRW-004: who must draw, how many cards, and in which order."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.audited import audited

BEFORE = "2004-05-17T23:59:59+08:00"
FIRST = "2004-05-18T00:00:00+08:00"


@pytest.mark.parametrize(
    ("player", "banker", "side", "observed"),
    [
        ("9H", "KD 9C", "player", "1"),
        ("9H KD 2C 3C", "KD 9C", "player", "4"),
        ("9H KD", "KD", "banker", "1"),
        ("9H KD", "KD 9C 2C 3C", "banker", "4"),
        ("9H", "KD", "player", "1"),
        ("2H 3S 2D", "KD", "banker", "1"),
        ("2H 2D 2C 2S", "3H", "player", "4"),
    ],
)
def test_number_of_cards(player: str, banker: str, side: str, observed: str, tmp_path: Path) -> None:
    """One card or four are wrong on either side; where both are, the player's is told."""
    done = audited({"player_cards": player, "banker_cards": banker, "outcome": "player", "player_points": 3}, tmp_path)

    assert [("DRW-004", side, "2..3", observed)] == done.told("side", "expected", "observed")
    assert {"violation": 1} == done.verdicts


@pytest.mark.parametrize(
    ("player", "banker", "expected"),
    [
        ("2H 3S", "KD 7C", ("DRW-001", "player", "draw", "stand", "9(1)")),
        ("2H 4S 2D", "KD 7C", ("DRW-002", "player", "stand", "draw", "9(2)")),
        ("2H 4S", "KD 5C", ("DRW-001", "banker", "draw", "stand", "9(3)(6)")),
        ("2H 4S", "KD 6C 2D", ("DRW-002", "banker", "stand", "draw", "9(4)(4)")),
        ("2H 3S 2D", "KD 7C 2C", ("DRW-002", "banker", "stand", "draw", "9(4)(5)")),
        # Both err: the first departure is the finding, what follows from it is not told again.
        ("2H 3S", "KD 7C 2C", ("DRW-001", "player", "draw", "stand", "9(1)")),
    ],
)
def test_first_departure(player: str, banker: str, expected: tuple[str, ...], tmp_path: Path) -> None:
    """The first decision that was not as required is told, with its side and item, and nothing after it."""
    done = audited({"player_cards": player, "banker_cards": banker, "deal_sequence": "PPBB"}, tmp_path)

    assert [expected] == done.told("side", "expected", "observed", "article")


@pytest.mark.parametrize("status", ["void", "demonstration"])
def test_unplayed_rounds_are_not_judged(status: str, tmp_path: Path) -> None:
    """What was dealt in a void or demonstration round is no drawing finding."""
    cards = {"player_cards": ["2H 3S", "9H"], "banker_cards": ["KD 7C", "KD 9C"], "deal_sequence": ["PPBB", "PBB"]}

    assert [] == audited({**cards, "status": status, "void_reason": "spilt"}, tmp_path).codes


def test_stakes_exposed_are_told(tmp_path: Path) -> None:
    """A drawing finding says what lay on the round, a sum for each currency; on another round nothing lay."""
    done = audited(
        {
            "player_cards": ["2H 3S", "2H 3S", "9H KD"],
            "banker_cards": ["KD 7C", "KD 7C", "3C 4S"],
            "wagers": [
                {"round_id": "R1", "bet": "banker", "stake": "100", "payout": "95"},
                {"round_id": "R1", "bet": "banker", "stake": "200", "payout": "190"},
                {"round_id": "R1", "bet": "player", "stake": "7", "payout": "0", "currency": "MOP"},
                {"round_id": "R1", "bet": "player", "stake": "1", "payout": "0", "currency": ""},
                {"round_id": "R3", "bet": "player", "stake": "50", "payout": "50"},
            ],
        },
        tmp_path,
    )
    first, second = (row["message_en"] for row in done.rows)

    assert ["DRW-001", "DRW-001"] == done.codes
    assert "stakes exposed 300.00 HKD + 7.00 MOP + 1.00)" in first
    assert "stakes exposed 0.00)" in second


def test_stakes_are_unknown_without_wagers(tmp_path: Path) -> None:
    """A log without wagers says nothing of stakes, not that there were none."""
    (row,) = audited({"player_cards": "2H 3S", "banker_cards": "KD 7C"}, tmp_path).rows

    assert "stakes exposed —)" in row["message_en"]


def test_law_by_day(tmp_path: Path) -> None:
    """Nothing is judged on the day before the first text, and everything on its first day."""
    done = audited(
        {"player_cards": "2H 3S", "banker_cards": "KD 7C", "started_at": [BEFORE, FIRST], "round_no": [1, 2]}, tmp_path
    )

    assert [("DRW-001", "R2")] == done.told("round_id")
    assert done.open["DRW-001", "before_coverage"] == 1
    assert {"violation": 1, "not_evaluated": 1} == done.verdicts


@pytest.mark.parametrize("cards", ["9H", ""])
def test_cards_before_the_first_text(cards: str, tmp_path: Path) -> None:
    """Before the first text one card is no finding, and none are no other question than the day."""
    rows = {"player_cards": cards, "banker_cards": cards, "player_points": 9, "banker_points": 9}
    done = audited({**rows, "started_at": BEFORE}, tmp_path)

    assert [] == done.codes
    assert ("DRW-001", "cards_missing") not in done.open
    assert done.open["DRW-001", "before_coverage"] == 1


def test_a_round_without_cards_is_open(tmp_path: Path) -> None:
    """Points without cards leave the drawing open, and with it the verdict."""
    done = audited({"player_cards": "", "banker_cards": "", "player_points": 8, "banker_points": 3}, tmp_path)

    assert [] == done.codes
    assert done.open["DRW-001", "cards_missing"] == 1
    assert {"not_evaluated": 1} == done.verdicts


MAKCCARAT = {"game": "makccarat"}
BOTH_DRAW = {"player_cards": "2H 3S 4D", "banker_cards": "KD 7C 2S"}
EQUAL_AFTER = {"player_cards": "2H 3S 2D", "banker_cards": "KD 7C"}
"""The player drew to 7 against 7: by method 1 the banker draws, by method 2 the hand is a tie."""


def test_the_method_decides(tmp_path: Path) -> None:
    """A hand on which the methods differ is judged by the one recorded, and open where none is."""
    done = audited({**MAKCCARAT, **EQUAL_AFTER, "draw_method": ["method_1", "method_2", None]}, tmp_path)

    assert [("DRW-001", "R1", "banker")] == done.told("round_id", "side")
    assert done.open["DRW-001", "draw_method_unknown"] == 1
    assert {"conforming": 1, "violation": 1, "not_evaluated": 1} == done.verdicts


ORDER = ("game", "player", "banker", "written", "required")
BACCARAT_HANDS = [
    ("9H KD", "3C 4S", "PBPB"),
    ("2H 3S 2D", "KD 7C", "PBPBP"),
    ("2H 4S", "KD 5C 2D", "PBPBB"),
    ("2H 3S 2D", "KD 4C 2S", "PBPBPB"),
]
MAKCCARAT_HANDS = [
    ("9H KD", "3C 4S", "PBPB"),
    ("2H 3S AD", "KD 7C", "PBPBP"),
    ("KD 7C", "2H 3S AD", "PBPBB"),
    ("2H 3S 4D", "KD 7C 2S", "PBPBPB"),
    ("KD 7C 2S", "2H 3S 4D", "PBPBBP"),
    ("2H 3S 4D", "KD 5C 2S", "PBPBPB"),
]
HANDS = [("baccarat", *hand) for hand in BACCARAT_HANDS] + [("makccarat", *hand) for hand in MAKCCARAT_HANDS]


def _rounds(hands: list[tuple[str, str, str, str]], written: list[str]) -> dict[str, object]:
    games, players, bankers, _ = zip(*hands, strict=True)
    tables = [f"T-{game}" for game in games]
    cards = {"player_cards": players, "banker_cards": bankers, "draw_method": ["method_1"] * len(hands)}
    return {"game": games, "table_id": tables, "deal_sequence": tuple(written), "shoe_id": "", **cards}


def test_right_orders(tmp_path: Path) -> None:
    """Each order that the regulations ask for passes, in whatever spelling."""
    written = [f" {right.lower()[:3]} {right[3:]}" for *_, right in HANDS]
    done = audited(_rounds(HANDS, written), tmp_path)

    assert [] == done.codes
    assert not [key for key in done.open if key[0] == "DRW-003"]


@pytest.mark.parametrize("written", ["PPBB", "PBPBBP", "PBPBPB", "PBPPB", "BPBP", "PBPBX"])
def test_wrong_orders(written: str, tmp_path: Path) -> None:
    """An order with the cards' number of each side is wrong where it is not the one required, else it is not judged."""
    done = audited(_rounds(HANDS, [written] * len(HANDS)), tmp_path)
    wrong = [(f"R{n}", r) for n, (*_, r) in enumerate(HANDS, 1) if sorted(r) == sorted(written) and r != written]
    unjudged = sum(sorted(right) != sorted(written) for *_, right in HANDS)

    assert sorted(("DRW-003", *each, written) for each in wrong) == sorted(
        done.told("round_id", "expected", "observed")
    )
    assert done.open.get(("DRW-003", "deal_sequence_unaccounted"), 0) == unjudged
    assert done.verdicts.get("violation", 0) == len(wrong)


@pytest.mark.parametrize(
    ("hand", "method", "written", "article"),
    [
        (("KD 7C 2S", "2H 3S 4D"), "method_1", "PPBBBP", "7(1)"),
        (("KD 7C 2S", "2H 3S 4D"), "method_1", "PBPBPB", "9(2) method_1 (3)"),
        (("KD 7C 2S", "2H 3S 4D"), "method_2", "PBPBPB", "9(2) method_2 (3)"),
        (("2H 3S 4D", "KD 5C 2S"), "method_1", "PBPBBP", "9(2) method_1 (2)"),
        (("KD 7C 2S", "2H 3S 4D"), "", "PBPBPB", "9(2)"),
    ],
)
def test_article_of_the_order(hand: tuple[str, str], method: str, written: str, article: str, tmp_path: Path) -> None:
    """The first four cards fall under the dealing article, the third ones under the item of the drawing article."""
    cards = {"player_cards": hand[0], "banker_cards": hand[1], "deal_sequence": written, "draw_method": method}
    done = audited({**MAKCCARAT, **cards}, tmp_path)

    assert [("DRW-003", article)] == done.told("article")


def test_order_of_an_undecided_hand_is_not_asked(tmp_path: Path) -> None:
    """Where the methods differ on the draw nothing is said of the order."""
    done = audited({**MAKCCARAT, **EQUAL_AFTER, "deal_sequence": "PPBBP"}, tmp_path)

    assert [] == done.codes
