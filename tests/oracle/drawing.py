"""When a third card must or must not be taken: each sentence of the two articles 9 as one predicate.

Baccarat: regulation approved by 55/2004, art. 9 (never amended). Makccarat: regulation approved by 67/2007, art. 9(2).
Hands are lists of point values (0 to 9: art. 5 makes ten and court cards zero), in the order dealt.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

PLAYER, BANKER = "player", "banker"
BACCARAT, MAKCCARAT = "baccarat", "makccarat"
METHODS = ("method_1", "method_2")


@dataclass(frozen=True)
class Position:
    """What article 9 of the baccarat regulation looks at: two two-card totals and the player's third card, if any."""

    player: int
    banker: int
    third: int | None = None


Sentence = tuple[str, Callable[[Position], bool]]

PLAYER_MUST: tuple[Sentence, ...] = (("9(1)", lambda at: at.player in (0, 1, 2, 3, 4, 5)),)

PLAYER_MUST_NOT: tuple[Sentence, ...] = (
    ("9(2)", lambda at: at.player in (6, 7, 8, 9)),
    ("9(2)", lambda at: at.banker in (8, 9)),
)

BANKER_MUST: tuple[Sentence, ...] = (
    ("9(3)(1)", lambda at: at.banker in (0, 1, 2)),
    ("9(3)(2)", lambda at: at.banker == 3 and at.third in (1, 2, 3, 4, 5, 6, 7, 9, 0)),
    ("9(3)(3)", lambda at: at.banker == 4 and at.third in (2, 3, 4, 5, 6, 7)),
    ("9(3)(4)", lambda at: at.banker == 5 and at.third in (4, 5, 6, 7)),
    ("9(3)(5)", lambda at: at.banker == 6 and at.third in (6, 7)),
    ("9(3)(6)", lambda at: at.banker in (1, 2, 3, 4, 5, 0) and at.third is None),
)

BANKER_MUST_NOT: tuple[Sentence, ...] = (
    ("9(4)(1)", lambda at: at.banker == 3 and at.third == 8),
    ("9(4)(2)", lambda at: at.banker == 4 and at.third in (1, 8, 9, 0)),
    ("9(4)(3)", lambda at: at.banker == 5 and at.third in (1, 2, 3, 8, 9, 0)),
    ("9(4)(4)", lambda at: at.banker == 6 and at.third in (1, 2, 3, 4, 5, 8, 9, 0)),
    ("9(4)(4)", lambda at: at.banker == 6 and at.third is None),
    ("9(4)(5)", lambda at: at.banker in (7, 8, 9)),
    ("9(4)(6)", lambda at: at.player in (8, 9)),
)


@dataclass(frozen=True)
class Duty:
    """One side's duty at its turn: `draw` or not, and every sentence that says so."""

    side: str
    draw: bool
    articles: frozenset[str]


@dataclass(frozen=True)
class Ruling:
    """The judgement of a hand.

    `code` is None, `DRW-001`, `DRW-002` or `DRW-004`; `side` is the side that departed; `articles` are the sentences
    that decide the departure; `result` is `player`, `banker` or `tie` by the cards as dealt, None with `DRW-004`.
    """

    code: str | None
    side: str | None
    articles: frozenset[str]
    result: str | None


def points(hand: list[int]) -> int:
    """Art. 5: only the last digit of the sum counts."""
    return sum(hand) % 10


def _say(sentences: tuple[Sentence, ...], at: Position) -> frozenset[str]:
    return frozenset(article for article, applies in sentences if applies(at))


def _decide(side: str, must: frozenset[str], must_not: frozenset[str]) -> Duty:
    # A prohibition is the special sentence: 9(2) for the banker's natural, 9(4)(6) for the player's.
    if must_not:
        return Duty(side, draw=False, articles=must_not)
    assert must, "the article has a gap"
    return Duty(side, draw=True, articles=must)


def baccarat_player(player: int, banker: int) -> Duty:
    """The player's duty on two two-card totals."""
    at = Position(player, banker)
    return _decide(PLAYER, _say(PLAYER_MUST, at), _say(PLAYER_MUST_NOT, at))


def baccarat_banker(player: int, banker: int, third: int | None) -> Duty:
    """The banker's duty once the player has drawn `third` or stood."""
    at = Position(player, banker, third)
    return _decide(BANKER, _say(BANKER_MUST, at), _say(BANKER_MUST_NOT, at))


def _other(side: str) -> str:
    return BANKER if side == PLAYER else PLAYER


def _makccarat_turns(method: str, player: list[int], banker: list[int]) -> list[Duty]:
    """The duties of a Makccarat hand in order, each after the first seen in the light of the cards really dealt."""
    cite = f"9(2) {method} "
    two = {PLAYER: points(player[:2]), BANKER: points(banker[:2])}
    hands = {PLAYER: player, BANKER: banker}
    if max(two.values()) >= 8:
        end = frozenset({cite + "(1)"})
        return [Duty(PLAYER, draw=False, articles=end), Duty(BANKER, draw=False, articles=end)]
    if two[PLAYER] == two[BANKER]:
        both = frozenset({cite + "(2)"})
        return [Duty(PLAYER, draw=True, articles=both), Duty(BANKER, draw=True, articles=both)]
    low = PLAYER if two[PLAYER] < two[BANKER] else BANKER
    high = _other(low)
    first = Duty(low, draw=True, articles=frozenset({cite + "(3)"}))
    if len(hands[low]) < 3:
        return [first]
    after = points(hands[low][:3])
    if after < two[high]:
        second = Duty(high, draw=False, articles=frozenset({cite + "(3)(1)"}))
    elif method == "method_1":
        second = Duty(high, draw=True, articles=frozenset({cite + "(3)(2)"}))
    elif after == two[high]:
        second = Duty(high, draw=False, articles=frozenset({cite + "(3)(2)"}))
    else:
        second = Duty(high, draw=True, articles=frozenset({cite + "(3)(3)"}))
    return [first, second]


def turns(game: str, player: list[int], banker: list[int], method: str | None = None) -> list[Duty]:
    """The duties of a hand in the order prescribed; a duty that depends on a card not dealt is left out."""
    if game == MAKCCARAT:
        assert method in METHODS
        return _makccarat_turns(method, player, banker)
    p2, b2 = points(player[:2]), points(banker[:2])
    first = baccarat_player(p2, b2)
    third = player[2] if len(player) > 2 else None
    if first.draw and third is None:
        return [first]
    return [first, baccarat_banker(p2, b2, third)]


def result(player: list[int], banker: list[int]) -> str:
    """Who wins by the cards on the table."""
    p, b = points(player), points(banker)
    return "tie" if p == b else PLAYER if p > b else BANKER


def judge(game: str, player: list[int], banker: list[int], method: str | None = None) -> Ruling:
    """Judge a hand: the first departure in the prescribed order, and the result by the cards."""
    for side, hand in ((PLAYER, player), (BANKER, banker)):
        if not 2 <= len(hand) <= 3:
            return Ruling("DRW-004", side, frozenset({"9", "9(1)"}), None)
    done = {PLAYER: len(player) == 3, BANKER: len(banker) == 3}
    outcome = result(player, banker)
    for duty in turns(game, player, banker, method):
        if duty.draw and not done[duty.side]:
            return Ruling("DRW-001", duty.side, duty.articles, outcome)
        if not duty.draw and done[duty.side]:
            return Ruling("DRW-002", duty.side, duty.articles, outcome)
    return Ruling(None, None, frozenset(), outcome)


def next_card(game: str, player: list[int], banker: list[int], method: str | None = None) -> str | None:
    """The side that the next card of an unfinished lawful hand goes to; None when the hand is complete."""
    dealt = len(player) + len(banker)
    if dealt < 4:
        return (PLAYER, BANKER)[dealt % 2]
    ruling = judge(game, player, banker, method)
    if ruling.code is None:
        return None
    assert ruling.code == "DRW-001", "the hand is not lawful so far"
    return ruling.side


def sequence(game: str, player: list[int], banker: list[int], method: str | None = None) -> str:
    """The deal order of a lawful hand, as `PBPB` and the third cards in the order of art. 9."""
    text = "PBPB"
    for duty in turns(game, player, banker, method):
        if duty.draw:
            text += "P" if duty.side == PLAYER else "B"
    return text
