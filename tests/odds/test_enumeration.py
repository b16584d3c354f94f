"""Exact counts from the package itself: published figures of baccarat, enumerated ones of Makccarat."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from audit.base.model import RANKS, SUITS, Card, DrawMethod, Game, Outcome, Scheme
from audit.games.hand_facts import HandFacts
from audit.odds import enumeration
from audit.odds.enumeration import MOST_DECKS, edge_of, endings, facts_counts, outcome_counts, total_ways
from audit.rulebook import Rulebook
from audit.rulebook.rules import GameRules, TextUnknown
from audit.rulebook.terms import DrawRules

RULEBOOK = Rulebook.load()
BACCARAT = RULEBOOK.on(Game("baccarat"), dt.date(2024, 3, 1))
MAKCCARAT = RULEBOOK.on(Game("makccarat"), dt.date(2024, 3, 1))


def percent(edge: Fraction, digits: int = 8) -> str:
    """An edge in percent, rounded as the figures are."""
    return str(Decimal(round(edge * 100 * 10**digits)).scaleb(-digits))


def ways(condition: Callable[[HandFacts], bool], decks: int, rules: GameRules = BACCARAT) -> int:
    """In how many ways a condition comes true in baccarat."""
    return sum(count for facts, count in facts_counts(rules, None, decks).items() if condition(facts))


@pytest.mark.parametrize(
    ("decks", "total", "banker", "player", "tie"),
    [
        (8, 4_998_398_275_503_360, 2_292_252_566_437_888, 2_230_518_282_592_256, 475_627_426_473_216),
        (6, 878_869_206_895_680, 403_095_751_234_560, 392_220_492_728_832, 83_552_962_932_288),
        (4, 75_297_571_090_560, 34_543_624_867_840, 33_608_344_225_792, 7_145_601_996_928),
        (1, 14_658_134_400, 6_737_232_640, 6_548_674_432, 1_372_227_328),
    ],
)
def test_baccarat_outcomes_are_the_published_ones(decks: int, total: int, banker: int, player: int, tie: int) -> None:
    """Banker, player and tie have exactly the published numbers of combinations."""
    assert total == total_ways(decks)
    assert {Outcome.BANKER: banker, Outcome.PLAYER: player, Outcome.TIE: tie} == outcome_counts(BACCARAT, None, decks)


EVENTS: dict[str, Callable[[HandFacts], bool]] = {
    "banker six, two cards": lambda f: f.outcome is Outcome.BANKER and (f.banker_points, f.banker_cards) == (6, 2),
    "banker six, three cards": lambda f: f.outcome is Outcome.BANKER and (f.banker_points, f.banker_cards) == (6, 3),
    "banker seven, three cards": lambda f: f.outcome is Outcome.BANKER and (f.banker_points, f.banker_cards) == (7, 3),
    "player eight, three cards": lambda f: f.outcome is Outcome.PLAYER and (f.player_points, f.player_cards) == (8, 3),
    "tie at six": lambda f: f.player_points == f.banker_points == 6,
    "four cards": lambda f: f.player_cards + f.banker_cards == 4,
    "five cards": lambda f: f.player_cards + f.banker_cards == 5,
    "six cards": lambda f: f.player_cards + f.banker_cards == 6,
    "player three, banker two": lambda f: (f.player_cards, f.banker_cards) == (3, 2),
    "player two, banker three": lambda f: (f.player_cards, f.banker_cards) == (2, 3),
}


@pytest.mark.parametrize(
    ("event", "decks", "count"),
    [
        ("banker six, two cards", 8, 186_173_936_904_192),
        ("banker six, three cards", 8, 83_058_367_551_488),
        ("banker seven, three cards", 8, 112_633_011_329_024),
        ("player eight, three cards", 8, 172_660_763_262_976),
        ("tie at six", 8, 96_170_001_308_416),
        ("four cards", 8, 1_893_735_611_458_560),
        ("five cards", 8, 1_516_734_808_780_800),
        ("six cards", 8, 1_587_927_855_264_000),
        ("player three, banker two", 8, 928_334_664_929_280),
        ("player two, banker three", 8, 588_400_143_851_520),
        ("banker six, two cards", 6, 32_726_541_207_168),
        ("banker six, three cards", 6, 14_595_688_824_192),
        ("banker seven, three cards", 6, 19_805_383_926_144),
        ("player eight, three cards", 6, 30_352_294_536_192),
        ("tie at six", 6, 16_880_962_938_048),
        ("four cards", 6, 333_025_560_274_176),
        ("five cards", 6, 266_771_777_612_544),
        ("six cards", 6, 279_071_869_008_960),
    ],
)
def test_events_have_the_published_counts(event: str, decks: int, count: int) -> None:
    """What side bets look at, and the shapes of a deal, occur in exactly the published numbers of ways."""
    assert count == ways(EVENTS[event], decks)


def test_pairs_of_eight_decks_have_the_published_chances() -> None:
    """A named pair, either, both, and a perfect pair have the published chances, exactly where there is a fraction."""
    total = total_ways(8)

    assert Fraction(31, 415) == Fraction(ways(lambda f: f.player_pair, 8), total)
    assert Fraction(31, 415) == Fraction(ways(lambda f: f.banker_pair, 8), total)
    assert Fraction(7, 415) == Fraction(ways(lambda f: bool(f.player_perfect), 8), total)
    assert Fraction(7, 415) == Fraction(ways(lambda f: bool(f.banker_perfect), 8), total)
    assert round(Fraction(ways(lambda f: f.player_pair or f.banker_pair, 8), total), 10) == Fraction("0.1438168719")
    assert round(Fraction(ways(lambda f: f.player_pair and f.banker_pair, 8), total), 10) == Fraction("0.0055807185")
    # of the two hands, in unordered combinations: C(416,2) x C(414,2) = 7,379,583,120
    assert Fraction(2_101_008, 7_379_583_120) == Fraction(
        ways(lambda f: bool(f.player_perfect and f.banker_perfect), 8), total
    )
    assert Fraction(246_848_784, 7_379_583_120) == Fraction(
        ways(lambda f: bool(f.player_perfect or f.banker_perfect), 8), total
    )


def test_a_natural_is_as_frequent_as_published() -> None:
    """A two-card 8 or 9 on either side occurs in the published number of ways, with eight and with six decks."""
    for decks, published in ((8, 1_714_696_016_515_584), (6, 301_554_615_390_336)):
        counted = sum(
            ending.ways
            for ending in endings(BACCARAT, None, decks)
            if max(ending.points.player, ending.points.banker) >= 8
        )

        assert published == counted


@pytest.mark.parametrize(
    ("decks", "bet", "scheme", "edge"),
    [
        (8, "banker", Scheme.STANDARD, "1.05790578"),
        (8, "banker", Scheme.NONE, "1.45810446"),
        (8, "player", Scheme.STANDARD, "1.23508133"),
        (8, "player", Scheme.NONE, "1.23508133"),
        (8, "tie", Scheme.STANDARD, "14.35962878"),
        (8, "player_pair", Scheme.STANDARD, "10.36144578"),
        (8, "banker_pair", Scheme.NONE, "10.36144578"),
        (8, "lucky_six", Scheme.STANDARD, "16.68357204"),
        (6, "banker", Scheme.STANDARD, "1.05584870"),
        (6, "banker", Scheme.NONE, "1.45480766"),
        (6, "player", Scheme.STANDARD, "1.23741490"),
        (6, "tie", Scheme.NONE, "14.43815980"),
        (6, "player_pair", Scheme.STANDARD, "11.25401929"),
        (6, "lucky_six", Scheme.STANDARD, "16.71633330"),
        (4, "banker", Scheme.STANDARD, "1.05169475"),
        (4, "banker", Scheme.NONE, "1.44816363"),
        (1, "banker", Scheme.STANDARD, "1.01174829"),
        (1, "banker", Scheme.NONE, "1.38521006"),
        (1, "tie", Scheme.STANDARD, "15.74612693"),
    ],
)
def test_edges_of_the_gazetted_bets(decks: int, bet: str, scheme: Scheme, edge: str) -> None:
    """The gazetted bets cost what is published, in all digits, under both commission schemes."""
    assert edge == percent(edge_of(bet, BACCARAT, scheme, None, decks))


@pytest.mark.parametrize(
    ("method", "side", "tie", "charged", "half"),
    [
        (DrawMethod.METHOD_1, "0.471153", "0.057695", "1.514", "1.500"),
        (DrawMethod.METHOD_2, "0.455959", "0.088083", "1.477", "1.432"),
    ],
)
def test_makccarat_with_eight_decks(method: DrawMethod, side: str, tie: str, charged: str, half: str) -> None:
    """Both sides of Makccarat win equally often and cost the same, by either method and under either scheme."""
    found = outcome_counts(MAKCCARAT, method, 8)

    assert found[Outcome.PLAYER] == found[Outcome.BANKER]
    assert round(Fraction(found[Outcome.PLAYER], total_ways(8)), 6) == Fraction(side)
    assert round(Fraction(found[Outcome.TIE], total_ways(8)), 6) == Fraction(tie)

    for bet in ("player", "banker"):
        assert charged == percent(edge_of(bet, MAKCCARAT, Scheme.STANDARD, method, 8), 3)
        assert half == percent(edge_of(bet, MAKCCARAT, Scheme.NONE, method, 8), 3)


@pytest.mark.parametrize("decks", [1, 2, 6, 7, 8, 12, MOST_DECKS])
@pytest.mark.parametrize("method", [None, *DrawMethod])
def test_every_fall_is_counted_once(decks: int, method: DrawMethod | None) -> None:
    """All endings together are all falls of the cards, up to the most decks that can be counted."""
    rules = BACCARAT if method is None else MAKCCARAT

    assert total_ways(decks) == sum(ending.ways for ending in endings(rules, method, decks))
    assert all(ending.ways > 0 for ending in endings(rules, method, decks))


@pytest.mark.parametrize("decks", [1, 2])
def test_first_four_cards_against_real_cards(decks: int) -> None:
    """Dealing every card of a small pack by hand gives the same pairs of suits as the count by ranks."""
    pack = [Card(rank, suit) for rank in RANKS[:4] for suit in SUITS for _ in range(decks)]
    kinds: dict[tuple[int, int], int] = {}
    numbers = np.arange(len(pack))
    a, b, c, d = (
        axis.reshape(-1) for axis in np.meshgrid(numbers, numbers, numbers, numbers, indexing="ij", sparse=False)
    )
    distinct = (a != b) & (a != c) & (a != d) & (b != c) & (b != d) & (c != d)
    rank = numbers // (4 * decks)
    suit = numbers // decks
    for first, second in product(range(3), repeat=2):
        mine = distinct.copy()
        for (x, y), kind in (((a, b), first), ((c, d), second)):
            mine &= (rank[x] == rank[y]) + np.int8(0) + (suit[x] == suit[y]) == kind
        kinds[first, second] = int(np.count_nonzero(mine))
    ranks = np.indices((4,) * 4).reshape(4, -1)
    counted = {pair: int(found.sum()) for pair, found in enumeration._first_four(ranks, decks).items()}

    assert kinds == counted


@pytest.mark.parametrize("decks", [0, -1, MOST_DECKS + 1])
def test_uncountable_decks_are_refused(decks: int) -> None:
    """A number of decks that 64 bits do not hold, or that is none, is refused in words."""
    with pytest.raises(ValueError, match=rf"1 to {MOST_DECKS} decks, not {decks}"):
        facts_counts(BACCARAT, None, decks)


def test_rules_that_lead_nowhere_are_refused() -> None:
    """Rules under which a fall of the cards has several lawful endings are a defect, not a distribution."""
    draw = BACCARAT.provision("draw")
    broken = dataclasses.replace(draw, terms=dataclasses.replace(draw.stating(DrawRules), player_draws_on=frozenset()))
    rules = dataclasses.replace(BACCARAT, provisions={**BACCARAT.provisions, "draw": broken})

    assert outcome_counts(rules, None, 8) != outcome_counts(BACCARAT, None, 8)

    table = enumeration.draw_table(BACCARAT, None)
    everything = dataclasses.replace(table, departure=np.zeros_like(table.departure))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(enumeration, "draw_table", lambda _rules, _method: everything)
        with pytest.raises(ValueError, match="no lawful ending, or several"):
            endings(dataclasses.replace(BACCARAT), None, 8)


def test_edge_of_an_unknown_bet_is_unknown() -> None:
    """A bet whose odds nobody knows has no edge, and the error says why."""
    with pytest.raises(TextUnknown, match="'jackpot'"):
        edge_of("jackpot", BACCARAT, Scheme.STANDARD, None, 8)
