"""Habits that explain a wrong payment: named where they fit exactly, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.audited import audited

SAYS = {
    "commission": "baccarat habit",
    "odds 14": "method 1's 14 to 1",
    "odds 9": "method 2's 9 to 1",
    "half in standard": "half pay of tables without commission",
    "half missing": "appears to have been paid in full",
    "both": "applied at once",
}

HANDS = {
    "player 9": ("9H KD", "3C 4S"),
    "banker 9": ("3C 4S", "9H KD"),
    "player 6": ("2H 4S", "KD 2C 3S"),
    "banker 6": ("2H 3S KD", "KH 6D"),
    "player 4": ("2H KD 2S", "KH JC 3S"),
    "banker 4": ("KH JC 3S", "2H KD 2S"),
    "banker 5": ("KH JC 3S", "2H KD 3D"),
    "player 7": ("3C 4S", "KD 6C"),
    "banker 7": ("2H 4S", "3C 4D"),
    "tie": ("9H KD", "9C KS"),
}


def habits(
    game: str, scheme: str, hand: str, bet: str, payout: str, folder: Path, method: str = "method_1"
) -> list[str]:
    """The habits that the findings about a wager of 100 name, "" for none."""
    player, banker = HANDS[hand]
    cards = {"game": game, "draw_method": method if game == "makccarat" else "", "player_cards": player}
    rounds = {**cards, "banker_cards": banker, "rounds": [{"commission": scheme}]}
    done = audited({**rounds, "bet": bet, "stake": "100", "payout": payout}, folder)
    payments = [row["message_en"] for row in done.rows if row["code"] in {"PAY-001", "PAY-002"}]
    return [next((name for name, words in SAYS.items() if words in text), "") for text in payments]


@pytest.mark.parametrize(
    ("game", "scheme", "hand", "bet", "payout", "expected"),
    [
        # The half pay of a table without commission, where commission is charged.
        ("baccarat", "standard", "banker 6", "banker", "50", "half in standard"),
        ("baccarat", "standard", "banker 6", "banker", "50.01", ""),
        ("baccarat", "standard", "player 6", "player", "50", ""),
        ("baccarat", "standard", "banker 7", "banker", "50", ""),
        ("makccarat", "standard", "player 4", "player", "50", "half in standard"),
        ("makccarat", "standard", "banker 4", "banker", "50", "half in standard"),
        ("makccarat", "standard", "player 9", "player", "50", ""),
        # Baccarat's commission, in Makccarat.
        ("makccarat", "standard", "player 9", "player", "100", "commission"),
        ("makccarat", "standard", "player 7", "player", "100", "commission"),
        ("makccarat", "standard", "player 9", "player", "99", ""),
        ("makccarat", "standard", "banker 9", "banker", "100", ""),
        ("makccarat", "standard", "banker 5", "banker", "95", "commission"),
        ("makccarat", "standard", "player 4", "player", "95", ""),
        ("makccarat", "standard", "banker 5", "banker", "94", ""),
        ("baccarat", "standard", "banker 9", "banker", "100", ""),
        ("baccarat", "standard", "player 9", "player", "95", ""),
        # A table without commission.
        ("baccarat", "none", "banker 6", "banker", "100", "half missing"),
        ("baccarat", "none", "banker 6", "banker", "99", ""),
        ("makccarat", "none", "player 4", "player", "100", "half missing"),
        ("makccarat", "none", "banker 4", "banker", "100", "half missing"),
        ("baccarat", "none", "banker 9", "banker", "95", "both"),
        ("baccarat", "none", "banker 9", "banker", "94", ""),
        # More than the half that is due is no sum of both forms.
        ("baccarat", "none", "banker 6", "banker", "95", ""),
        ("baccarat", "none", "player 9", "player", "95", ""),
        ("makccarat", "none", "player 9", "player", "95", "both"),
        ("makccarat", "none", "banker 5", "banker", "95", ""),
        # A wager that lost, or on something else, follows no habit.
        ("baccarat", "standard", "player 6", "banker", "50", ""),
        ("makccarat", "standard", "player 9", "banker", "95", ""),
        ("makccarat", "none", "banker 4", "player", "100", ""),
        ("makccarat", "standard", "tie", "player", "50", ""),
        ("baccarat", "standard", "player 9", "player_pair", "100", ""),
    ],
)
def test_payments_of_the_sides(
    game: str, scheme: str, hand: str, bet: str, payout: str, expected: str, tmp_path: Path
) -> None:
    """A habit is named for the game, scheme, side, points and sum that it has, each of them to the letter."""
    assert [expected] == habits(game, scheme, hand, bet, payout, tmp_path)


@pytest.mark.parametrize(
    ("game", "method", "hand", "payout", "expected"),
    [
        ("makccarat", "method_1", "tie", "900", "odds 9"),
        ("makccarat", "method_1", "tie", "901", ""),
        ("makccarat", "method_2", "tie", "1400", "odds 14"),
        ("makccarat", "method_2", "tie", "1399", ""),
        ("makccarat", "method_1", "tie", "0", ""),
        ("makccarat", "method_1", "player 9", "900", ""),
        ("baccarat", "", "tie", "900", ""),
        ("baccarat", "", "tie", "1400", ""),
    ],
)
def test_odds_of_the_tie(game: str, method: str, hand: str, payout: str, expected: str, tmp_path: Path) -> None:
    """The other method's odds are named where a tie was paid by exactly them, in the game that has methods."""
    assert [expected] == habits(game, "standard", hand, "tie", payout, tmp_path, method)


def test_before_the_scheme_without_commission(tmp_path: Path) -> None:
    """Before 73/2005 there was no scheme without commission, and so no habit of mixing it in."""
    player, banker = HANDS["banker 6"]
    rounds = {"player_cards": player, "banker_cards": banker, "started_at": "2005-11-28T12:00:00+08:00"}
    done = audited({**rounds, "bet": "banker", "stake": "100", "payout": "50"}, tmp_path)

    assert ["PAY-002"] == done.codes
    assert not any(words in done.rows[0]["message_en"] for words in SAYS.values())


def test_stake_and_commission_follow_no_habit(tmp_path: Path) -> None:
    """A wrong commission or stake is told as it is."""
    player, banker = HANDS["banker 9"]
    wager = {"bet": "banker", "stake": "100", "payout": "95", "commission": "4", "stake_returned": "95"}
    done = audited({"player_cards": player, "banker_cards": banker, **wager}, tmp_path)

    assert {"PAY-003", "PAY-004"} == set(done.codes)
    assert not any(words in row["message_en"] for row in done.rows for words in SAYS.values())
