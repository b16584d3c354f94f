"""Who must draw, and by which article: every cell of 55/2004 art. 9 and of 67/2007 art. 9(2)."""

from __future__ import annotations

import datetime as dt
from itertools import product

import pytest

from audit.base.model import DrawMethod, Game, Side
from audit.games import Points, Step, departure_of, methods_of, walk
from audit.games.steps import Act
from audit.rulebook import Rulebook

RULEBOOK = Rulebook.load()
BACCARAT = RULEBOOK.rules(Game("baccarat"))
MAKCCARAT = RULEBOOK.on(Game("makccarat"), dt.date(2024, 3, 1))

# One row for each banker's total, one column for each third card of the player, 0 to 9: draw or stand, as the table of
# art. 9, items 3) and 4), is printed on the layouts.
BANKER_TABLE = {
    0: "DDDDDDDDDD",
    1: "DDDDDDDDDD",
    2: "DDDDDDDDDD",
    3: "DDDDDDDDSD",
    4: "SSDDDDDDSS",
    5: "SSSSDDDDSS",
    6: "SSSSSSDDSS",
    7: "SSSSSSSSSS",
}
DRAW_ARTICLES = {0: "9(3)(1)", 1: "9(3)(1)", 2: "9(3)(1)", 3: "9(3)(2)", 4: "9(3)(3)", 5: "9(3)(4)", 6: "9(3)(5)"}
STAND_ARTICLES = {3: "9(4)(1)", 4: "9(4)(2)", 5: "9(4)(3)", 6: "9(4)(4)", 7: "9(4)(5)"}


def told(steps: tuple[Step, ...]) -> list[tuple[str, str, str]]:
    """Side, duty and article of each step."""
    return [(step.side.value, step.required.value, step.article) for step in steps]


@pytest.mark.parametrize(("held", "third"), list(product(BANKER_TABLE, range(10))))
def test_banker_table(held: int, third: int) -> None:
    """Each cell of the banker's table is demanded under its own article, in every version, whatever the banker does."""
    draws = BANKER_TABLE[held][third] == "D"
    article = (DRAW_ARTICLES if draws else STAND_ARTICLES)[held]
    act = "draw" if draws else "stand"
    for rules, own in product(BACCARAT, (None, 0, 5, 9)):
        steps = walk(Points(5, held, third, own), rules)

        assert [("player", "draw", "9(1)"), ("banker", act, article)] == told(steps)
        assert steps[1].departs == (draws == (own is None))


@pytest.mark.parametrize(("player", "held"), list(product((6, 7), range(8))))
def test_banker_when_the_player_stood(player: int, held: int) -> None:
    """Against a player who stood on 6 or 7 the banker draws up to 5; on 6 and 7 it stands under its own item."""
    expected = ("banker", "draw", "9(3)(6)") if held <= 5 else ("banker", "stand", STAND_ARTICLES[held])

    assert [("player", "stand", "9(2)"), expected] == told(walk(Points(player, held), BACCARAT[-1]))


@pytest.mark.parametrize(("player", "held"), list(product((8, 9), range(10))))
def test_player_natural_stops_the_banker(player: int, held: int) -> None:
    """A natural of the player binds the banker to stand: item (4)(6) goes before (3)(6)."""
    article = "9(4)(6)" if held <= 6 else "9(4)(5)"

    assert [("player", "stand", "9(2)"), ("banker", "stand", article)] == told(walk(Points(player, held), BACCARAT[-1]))


@pytest.mark.parametrize(("player", "natural"), list(product(range(10), (8, 9))))
def test_banker_natural_stops_the_player(player: int, natural: int) -> None:
    """A natural of the banker binds the player to stand, and the banker stands as with any total of 7 or more."""
    expected = [("player", "stand", "9(2)"), ("banker", "stand", "9(4)(5)")]

    assert expected == told(walk(Points(player, natural), BACCARAT[-1]))


@pytest.mark.parametrize("total", range(10))
def test_player_rule(total: int) -> None:
    """The player draws up to 5 and stands above, under items 1) and 2)."""
    (player, *_) = walk(Points(total, 7, 1 if total <= 5 else None), BACCARAT[-1])

    assert (("draw", "9(1)") if total <= 5 else ("stand", "9(2)")) == (player.required.value, player.article)
    assert (player.side, player.holds, player.faces) == (Side.PLAYER, total, 7)


@pytest.mark.parametrize(
    ("points", "code", "side", "article"),
    [
        (Points(5, 0, None, None), "DRW-001", Side.PLAYER, "9(1)"),
        (Points(6, 0, 1, None), "DRW-002", Side.PLAYER, "9(2)"),
        (Points(5, 9, 1, 1), "DRW-002", Side.PLAYER, "9(2)"),
        (Points(8, 5, None, 1), "DRW-002", Side.BANKER, "9(4)(6)"),
        (Points(2, 3, 8, 4), "DRW-002", Side.BANKER, "9(4)(1)"),
        (Points(2, 3, 9, None), "DRW-001", Side.BANKER, "9(3)(2)"),
    ],
)
def test_baccarat_first_departure(points: Points, code: str, side: Side, article: str) -> None:
    """The first departure is the finding, and nothing is walked after it."""
    steps = walk(points, BACCARAT[-1])
    found = departure_of(steps)

    assert found is not None
    assert (code, side, article) == (found.code, found.side, found.article)
    assert steps[-1].departs
    assert not any(step.departs for step in steps[:-1])


def test_banker_goes_by_the_card_really_drawn() -> None:
    """A player who drew against the rule ends the walk; a lawful third card alone decides the banker's cell."""
    assert 1 == len(walk(Points(7, 3, 4, None), BACCARAT[-1]))
    assert 2 == len(walk(Points(0, 3, 4, None), BACCARAT[-1]))


@pytest.mark.parametrize("method", DrawMethod)
@pytest.mark.parametrize(("player", "banker"), [p for p in product(range(10), repeat=2) if max(p) >= 8])
def test_makccarat_natural_of_either_side(method: DrawMethod, player: int, banker: int) -> None:
    """A natural of either side ends the hand: both stand under item (1) of the method."""
    article = f"9(2) {method.value} (1)"

    assert [("player", "stand", article), ("banker", "stand", article)] == told(
        walk(Points(player, banker), MAKCCARAT, method)
    )


@pytest.mark.parametrize("method", DrawMethod)
@pytest.mark.parametrize("total", range(8))
def test_makccarat_equal_totals(method: DrawMethod, total: int) -> None:
    """On equal totals both draw under item (2), the player first."""
    article = f"9(2) {method.value} (2)"

    assert [("player", "draw", article), ("banker", "draw", article)] == told(
        walk(Points(total, total, 1, 2), MAKCCARAT, method)
    )


@pytest.mark.parametrize("method", DrawMethod)
@pytest.mark.parametrize(("player", "banker"), [p for p in product(range(8), repeat=2) if p[0] != p[1]])
def test_makccarat_lower_side_first(method: DrawMethod, player: int, banker: int) -> None:
    """The lower side, whichever it is, draws first; what it then holds binds the other by the items of the method."""
    first, other = ("player", "banker") if player < banker else ("banker", "player")
    low, high = sorted((player, banker))
    for third, answer in product(range(10), (None, 3)):
        drawn = (low + third) % 10
        if drawn < high:
            duty, item = "stand", "(3)(1)"
        elif method is DrawMethod.METHOD_1:
            duty, item = "draw", "(3)(2)"
        else:
            duty, item = ("stand", "(3)(2)") if drawn == high else ("draw", "(3)(3)")
        thirds = (third, answer) if first == "player" else (answer, third)
        steps = walk(Points(player, banker, *thirds), MAKCCARAT, method)

        assert [
            (first, "draw", f"9(2) {method.value} (3)"),
            (other, duty, f"9(2) {method.value} {item}"),
        ] == told(steps)
        assert (low, high) == (steps[0].holds, steps[1].holds)
        assert (high, drawn) == (steps[0].faces, steps[1].faces)
        assert steps[1].departs == ((duty == "draw") == (answer is None))


@pytest.mark.parametrize(
    ("method", "points", "code", "side", "article"),
    [
        (DrawMethod.METHOD_1, Points(8, 3, None, 2), "DRW-002", Side.BANKER, "9(2) method_1 (1)"),
        (DrawMethod.METHOD_1, Points(3, 9, 2, 2), "DRW-002", Side.PLAYER, "9(2) method_1 (1)"),
        (DrawMethod.METHOD_1, Points(4, 4, None, None), "DRW-001", Side.PLAYER, "9(2) method_1 (2)"),
        (DrawMethod.METHOD_2, Points(4, 4, 1, None), "DRW-001", Side.BANKER, "9(2) method_2 (2)"),
        (DrawMethod.METHOD_1, Points(2, 5, None, 3), "DRW-001", Side.PLAYER, "9(2) method_1 (3)"),
        (DrawMethod.METHOD_1, Points(5, 2, 3, None), "DRW-001", Side.BANKER, "9(2) method_1 (3)"),
        (DrawMethod.METHOD_1, Points(2, 5, 3, None), "DRW-001", Side.BANKER, "9(2) method_1 (3)(2)"),
        (DrawMethod.METHOD_2, Points(2, 5, 3, 1), "DRW-002", Side.BANKER, "9(2) method_2 (3)(2)"),
        (DrawMethod.METHOD_2, Points(2, 5, 4, None), "DRW-001", Side.BANKER, "9(2) method_2 (3)(3)"),
        (DrawMethod.METHOD_2, Points(5, 2, 1, 2), "DRW-002", Side.PLAYER, "9(2) method_2 (3)(1)"),
    ],
)
def test_makccarat_first_departure(method: DrawMethod, points: Points, code: str, side: Side, article: str) -> None:
    """The first departure in the order of the method is the finding, and nothing is walked after it."""
    steps = walk(points, MAKCCARAT, method)
    found = departure_of(steps)

    assert found is not None
    assert (code, side, article) == (found.code, found.side, found.article)
    assert steps[-1].departs
    assert not any(step.departs for step in steps[:-1])


def test_lawful_hand_has_no_departure() -> None:
    """A hand dealt by the rule is walked to its end and has no departure."""
    steps = walk(Points(5, 3, 8), BACCARAT[-1])

    assert departure_of(steps) is None
    assert [Act.DRAW, Act.STAND] == [step.done for step in steps]


def test_makccarat_needs_its_method() -> None:
    """Without a method a Makccarat hand cannot be walked; baccarat has none to choose."""
    with pytest.raises(ValueError, match="drawing method"):
        walk(Points(1, 2), MAKCCARAT)

    assert (None,) == methods_of(Game("baccarat"))
    assert tuple(DrawMethod) == methods_of(Game("makccarat"))
