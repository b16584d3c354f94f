"""Published and recomputed figures of both games, to the last digit, from the oracle and from the compiled tables.

The figures of baccarat are those of casinoexploit.com (6 and 8 decks), multiplayerbaccarat.com, wizardofodds.com and
888casino, confirmed by exact enumeration; those of Makccarat are enumerated only (no source publishes any).
"""

from __future__ import annotations

import datetime as dt
import functools
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from audit.base.model import DrawMethod, Game, Scheme
from audit.games.due import WagerEnd
from audit.games.hand_facts import HandFacts
from audit.games.settlement import due
from audit.replay.compile import draw_table, state_of
from audit.rulebook import Rulebook
from tests import enumeration
from tests.enumeration import Ending, count, mean
from tests.oracle import tables

Judge = enumeration.Judge


def _by_oracle(game: str, method: str | None) -> Judge:
    return lambda p, b, x, y: tables.rule(game, p, b, x, y, method).code is None


DAY = dt.date(2024, 3, 1)


@functools.cache
def _rulebook() -> Rulebook:
    return Rulebook.load()


def _by_tables(game: str, method: str | None) -> Judge:
    table = draw_table(_rulebook().on(Game(game), DAY), DrawMethod(method) if method else None)
    lawful = table.departure == 0
    number = state_of(*(np.array(part, np.int8).reshape(-1) for part in np.indices((10, 10, 11, 11))))
    shaped = lawful[number].reshape(10, 10, 11, 11)
    return lambda p, b, x, y: bool(shaped[p, b, x, y])


SOURCES: dict[str, Callable[[str, str | None], Judge]] = {"oracle": _by_oracle, "tables": _by_tables}


@functools.cache
def _endings(source: str, game: str, method: str | None, decks: int | None) -> list[Ending]:
    return enumeration.endings(SOURCES[source](game, method), decks)


@pytest.fixture(params=sorted(SOURCES))
def source(request: pytest.FixtureRequest) -> str:
    """The judge under test."""
    return str(request.param)


def _percent(edge: Fraction, digits: int = 8) -> Decimal:
    return Decimal(round(edge * 100 * 10**digits)).scaleb(-digits)


def _share(part: int, decks: int | None, digits: int = 10) -> Decimal:
    return Decimal(round(Fraction(part, enumeration.total(decks)) * 10**digits)).scaleb(-digits)


COUNTS = {
    8: (4_998_398_275_503_360, 2_292_252_566_437_888, 2_230_518_282_592_256, 475_627_426_473_216),
    6: (878_869_206_895_680, 403_095_751_234_560, 392_220_492_728_832, 83_552_962_932_288),
    4: (75_297_571_090_560, 34_543_624_867_840, 33_608_344_225_792, 7_145_601_996_928),
    1: (14_658_134_400, 6_737_232_640, 6_548_674_432, 1_372_227_328),
    None: (4_826_809, 2_212_744, 2_153_464, 460_601),
}


@pytest.mark.parametrize("decks", COUNTS)
def test_baccarat_outcomes(source: str, decks: int | None) -> None:
    """Banker, player and tie have exactly the published numbers of combinations."""
    found = _endings(source, "baccarat", None, decks)
    counted = [count(found, lambda e, side=side: e.result == side) for side in ("banker", "player", "tie")]

    assert (enumeration.total(decks), *counted) == COUNTS[decks]


EVENTS: dict[str, tuple[Callable[[Ending], bool], dict[int | None, int]]] = {
    "banker 6 in two cards": (
        lambda e: e.result == "banker" and e.banker == 6 and e.banker_third is None,
        {8: 186_173_936_904_192, 6: 32_726_541_207_168, None: 179_920},
    ),
    "banker 6 in three cards": (
        lambda e: e.result == "banker" and e.banker == 6 and e.banker_third is not None,
        {8: 83_058_367_551_488, 6: 14_595_688_824_192, None: 80_345},
    ),
    "banker 7 in three cards": (
        lambda e: e.result == "banker" and e.banker == 7 and e.banker_third is not None,
        {8: 112_633_011_329_024, 6: 19_805_383_926_144, None: 108_746},
    ),
    "player 8 in three cards": (
        lambda e: e.result == "player" and e.player == 8 and e.player_third is not None,
        {8: 172_660_763_262_976, 6: 30_352_294_536_192, None: 166_843},
    ),
    "tie at six": (
        lambda e: e.result == "tie" and e.player == 6,
        {8: 96_170_001_308_416, 6: 16_880_962_938_048},
    ),
    "four cards": (
        lambda e: e.player_third is None and e.banker_third is None,
        {8: 1_893_735_611_458_560, 6: 333_025_560_274_176},
    ),
    "five cards": (
        lambda e: (e.player_third is None) != (e.banker_third is None),
        {8: 1_516_734_808_780_800, 6: 266_771_777_612_544},
    ),
    "six cards": (
        lambda e: e.player_third is not None and e.banker_third is not None,
        {8: 1_587_927_855_264_000, 6: 279_071_869_008_960},
    ),
    "player draws, banker stands": (
        lambda e: e.player_third is not None and e.banker_third is None,
        {8: 928_334_664_929_280},
    ),
    "banker draws, player stands": (
        lambda e: e.player_third is None and e.banker_third is not None,
        {8: 588_400_143_851_520},
    ),
    "natural": (
        lambda e: max(e.player_two, e.banker_two) >= 8,
        {8: 1_714_696_016_515_584, 6: 301_554_615_390_336},
    ),
}


@pytest.mark.parametrize(
    ("event", "decks"), [(event, decks) for event, (_, known) in EVENTS.items() for decks in known]
)
def test_baccarat_events(source: str, event: str, decks: int | None) -> None:
    """The winning totals that side bets look at, and the shapes of a deal, have exactly the published counts."""
    condition, known = EVENTS[event]

    assert count(_endings(source, "baccarat", None, decks), condition) == known[decks]


def test_mean_cards(source: str) -> None:
    """A round of an eight-deck shoe takes 4.93881885 cards on average."""
    found = _endings(source, "baccarat", None, 8)
    cards = mean(found, lambda e: 4 + (e.player_third is not None) + (e.banker_third is not None), 8)

    assert _percent(cards / 100) == Decimal("4.93881885")


def _banker_commission(e: Ending) -> Fraction:
    return {"banker": Fraction(95, 100), "player": Fraction(-1), "tie": Fraction(0)}[e.result]


def _banker_half_on_six(e: Ending) -> Fraction:
    if e.result == "banker":
        return Fraction(1, 2) if e.banker == 6 else Fraction(1)
    return Fraction(-1 if e.result == "player" else 0)


def _banker_seven_pushes(e: Ending) -> Fraction:
    if e.result == "banker":
        return Fraction(0) if e.banker == 7 and e.banker_third is not None else Fraction(1)
    return Fraction(-1 if e.result == "player" else 0)


def _player(e: Ending) -> int:
    return {"player": 1, "banker": -1, "tie": 0}[e.result]


def _lucky_six(e: Ending) -> int:
    if e.result == "banker" and e.banker == 6:
        return 12 if e.banker_third is None else 20
    return -1


BETS: dict[str, Callable[[Ending], Fraction | int]] = {
    "banker, commission": _banker_commission,
    "player": _player,
    "tie 8": lambda e: 8 if e.result == "tie" else -1,
    "tie 9": lambda e: 9 if e.result == "tie" else -1,
    "banker, half on 6": _banker_half_on_six,
    "banker, three-card 7 pushes": _banker_seven_pushes,
    "lucky six": _lucky_six,
    "dragon seven": lambda e: 40 if e.result == "banker" and e.banker == 7 and e.banker_third is not None else -1,
    "panda eight": lambda e: 25 if e.result == "player" and e.player == 8 and e.player_third is not None else -1,
}

EDGES = {
    (8, "banker, commission"): "1.05790578",
    (8, "player"): "1.23508133",
    (8, "tie 8"): "14.35962878",
    (8, "tie 9"): "4.84403198",
    (8, "banker, half on 6"): "1.45810446",
    (8, "banker, three-card 7 pushes"): "1.01830076",
    (8, "lucky six"): "16.68357204",
    (8, "dragon seven"): "7.61133447",
    (8, "panda eight"): "10.18763217",
    (6, "banker, commission"): "1.05584870",
    (6, "player"): "1.23741490",
    (6, "tie 8"): "14.43815980",
    (6, "tie 9"): "4.93128866",
    (6, "banker, half on 6"): "1.45480766",
    (6, "banker, three-card 7 pushes"): "1.01609265",
    (6, "lucky six"): "16.71633330",
    (6, "dragon seven"): "7.60619048",
    (6, "panda eight"): "10.20738333",
    (4, "banker, commission"): "1.05169475",
    (4, "player"): "1.24211263",
    (4, "tie 8"): "14.59164347",
    (4, "tie 9"): "5.10182608",
    (4, "banker, half on 6"): "1.44816363",
    (1, "banker, commission"): "1.01174829",
    (1, "player"): "1.28637249",
    (1, "tie 8"): "15.74612693",
    (1, "tie 9"): "6.38458548",
    (1, "banker, half on 6"): "1.38521006",
    (None, "banker, commission"): "1.06399901",
    (None, "player"): "1.22814058",
    (None, "tie 8"): "14.11698702",
    (None, "tie 9"): "4.57443002",
    (None, "banker, half on 6"): "1.46789525",
    (None, "lucky six"): "16.58661033",
}


@pytest.mark.parametrize(("decks", "bet"), EDGES)
def test_baccarat_house_edges(source: str, decks: int | None, bet: str) -> None:
    """The house edge of every bet and scheme is the published one in all digits."""
    edge = -mean(_endings(source, "baccarat", None, decks), BETS[bet], decks)

    assert _percent(edge) == Decimal(EDGES[decks, bet])


@pytest.mark.parametrize(("decks", "edge"), [(8, "10.36144578"), (6, "11.25401929")])
def test_pair_edge(decks: int, edge: str) -> None:
    """A pair by rank at 11 to 1 leaves the published edge: the second card pairs in 4d - 1 cases of 52d - 1."""
    chance = Fraction(4 * decks - 1, 52 * decks - 1)

    assert _percent(1 - 12 * chance) == Decimal(edge)


MAKCCARAT = {
    ("method_1", 8): ("0.471153", "0.057695", "0.302896", "0.030003"),
    ("method_2", 8): ("0.455959", "0.088083", "0.295423", "0.028636"),
    ("method_1", 6): ("0.471197", "0.057607", "0.302979", "0.029985"),
    ("method_1", 12): ("0.471108", "0.057784", "0.302813", "0.030021"),
    ("method_2", 6): ("0.456019", "0.087961", "0.295511", "0.028620"),
    ("method_2", 12): ("0.455897", "0.088206", "0.295335", "0.028651"),
}


@pytest.mark.parametrize(("method", "decks"), MAKCCARAT)
def test_makccarat_frequencies(source: str, method: str, decks: int) -> None:
    """Both sides of Makccarat win equally often; wins, ties, wins with 7 to 9 and wins with 4 are as enumerated."""
    found = _endings(source, "makccarat", method, decks)
    player = count(found, lambda e: e.result == "player")
    tie = count(found, lambda e: e.result == "tie")
    high = count(found, lambda e: e.result == "banker" and e.banker in (7, 8, 9))
    four = count(found, lambda e: e.result == "banker" and e.banker == 4)

    assert player == count(found, lambda e: e.result == "banker")
    assert high == count(found, lambda e: e.result == "player" and e.player in (7, 8, 9))
    assert tuple(_share(part, decks, 6) for part in (player, tie, high, four)) == tuple(
        Decimal(text) for text in MAKCCARAT[method, decks]
    )


# Five per cent of 0.302896 is 1.51448 per cent, which rounds to 1.514.
@pytest.mark.parametrize(
    ("method", "commission", "half"), [("method_1", "1.514", "1.500"), ("method_2", "1.477", "1.432")]
)
def test_makccarat_house_edges(source: str, method: str, commission: str, half: str) -> None:
    """The two commission forms of 67/2007 art. 17 are two price tags of nearly the same height, for either side."""
    found = _endings(source, "makccarat", method, 8)

    def charged(e: Ending) -> Fraction:
        if e.result == "banker":
            return Fraction(95, 100) if e.banker in (7, 8, 9) else Fraction(1)
        return Fraction(-1 if e.result == "player" else 0)

    def halved(e: Ending) -> Fraction:
        if e.result == "banker":
            return Fraction(1, 2) if e.banker == 4 else Fraction(1)
        return Fraction(-1 if e.result == "player" else 0)

    assert _percent(-mean(found, charged, 8), 3) == Decimal(commission)
    assert _percent(-mean(found, halved, 8), 3) == Decimal(half)


def _priced(bet: str, game: str, scheme: Scheme, method: str | None) -> Callable[[Ending], Fraction]:
    """What one unit on `bet` brings, by the settlement of the package under test."""
    rules = _rulebook().on(Game(game), DAY)

    def value(e: Ending) -> Fraction:
        facts = HandFacts(
            e.player,
            e.banker,
            2 if e.player_third is None else 3,
            2 if e.banker_third is None else 3,
            player_pair=False,
            banker_pair=False,
        )
        owed = due(bet, facts, rules, scheme=scheme, method=DrawMethod(method) if method else None)
        if owed.kind is WagerEnd.WIN:
            return owed.odds * (1 - owed.commission)
        return Fraction(0 if owed.kind is WagerEnd.PUSH else -1)

    return value


PRICED = {
    "banker, commission": ("banker", Scheme.STANDARD),
    "banker, half on 6": ("banker", Scheme.NONE),
    "player": ("player", Scheme.NONE),
    "tie 8": ("tie", Scheme.STANDARD),
    "lucky six": ("lucky_six", Scheme.NONE),
}


@pytest.mark.parametrize(("decks", "name"), [key for key in EDGES if key[1] in PRICED])
def test_edges_of_the_paytables(decks: int | None, name: str) -> None:
    """The paytables in force in 2024 give the published house edges in all digits."""
    bet, scheme = PRICED[name]
    edge = -mean(_endings("tables", "baccarat", None, decks), _priced(bet, "baccarat", scheme, None), decks)

    assert _percent(edge) == Decimal(EDGES[decks, name])


@pytest.mark.parametrize(
    ("method", "commission", "half", "tie"),
    [("method_1", "1.514", "1.500", "13.458"), ("method_2", "1.477", "1.432", "11.917")],
)
@pytest.mark.parametrize("side", ["player", "banker"])
def test_edges_of_the_makccarat_paytables(side: str, method: str, commission: str, half: str, tie: str) -> None:
    """Makccarat's paytables give the enumerated edges; the tie pays 14 with method 1 and 9 with method 2."""
    found = _endings("tables", "makccarat", method, 8)
    edges = [
        -mean(found, _priced(bet, "makccarat", scheme, method), 8)
        for bet, scheme in ((side, Scheme.STANDARD), (side, Scheme.NONE), ("tie", Scheme.STANDARD))
    ]

    assert [_percent(edge, 3) for edge in edges] == [Decimal(text) for text in (commission, half, tie)]
