from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from audit.base.errors import InputRefused
from audit.source import profiles

PROFILE = """\
name: vendor
rounds:
  columns: {round_id: id, round_no: id, player_points: pp, banker_points: bp}
  constants: {table_id: T, game: baccarat, status: settled, started_at: "2024-01-15 12:00"}
  cards: {separator: "-", both: cards, order: ORDER}
"""


@pytest.fixture
def rounds(tmp_path: Path, read_text: Any) -> Any:
    """Read rounds dealt in alternating order, of which some record wrong totals, in the order of a profile."""

    def run(order: str, right: int, wrong: int) -> Any:
        (tmp_path / "vendor.yaml").write_text(PROFILE.replace("ORDER", order))
        lines = [
            "id,pp,bp,cards",
            *(f"{n},{4 if n <= right else 9},6,2S-3S-2H-3H--" for n in range(1, right + wrong + 1)),
        ]
        return read_text("\n".join(lines), profile=profiles.load_profile(str(tmp_path / "vendor.yaml")))

    return run


def test_the_right_order_is_accepted(rounds: Any) -> None:
    """Totals that follow from the cards accept the profile, also when up to half of the rounds record others."""
    assert 20 == len(rounds("alternating", 20, 0).rows)
    assert 20 == len(rounds("alternating", 10, 10).rows)


@pytest.mark.parametrize("order", ["player_first", "banker_first"])
def test_a_contradicted_order_is_refused(rounds: Any, order: str) -> None:
    """A profile that reads the cards in another order than they were dealt is refused with that reason."""
    with pytest.raises(InputRefused, match=r"^log\.csv: the recorded totals contradict .* vendor .* 20 of 20 rounds"):
        rounds(order, 20, 0)


def test_a_few_rounds_prove_nothing(rounds: Any) -> None:
    """Fewer than ten rounds are too few to refuse a profile."""
    assert 9 == len(rounds("player_first", 9, 0).rows)


def test_exchanged_sides_are_named(tmp_path: Path, read_text: Any) -> None:
    """Where the totals fit with the sides exchanged, the refusal says so."""
    text = PROFILE.replace('{separator: "-", both: cards, order: ORDER}', "{player: [b], banker: [p]}")
    (tmp_path / "vendor.yaml").write_text(text)
    lines = ["id,pp,bp,p,b", *(f"{n},4,6,4S,6S" for n in range(1, 12))]

    with pytest.raises(InputRefused, match=r"order that would fit: player and banker exchanged \(agrees in 11 of 11\)"):
        read_text("\n".join(lines), profile=profiles.load_profile(str(tmp_path / "vendor.yaml")))
