"""Random hands and wagers, and what the scalar functions say of them: the slow side of the parity test.

Every scalar function is called once for each distinct input that the sample holds; numpy only spreads its answers over
the rows. Nothing of ``audit.replay`` is used here, so that the two sides share the games' functions alone.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from audit.base.model import RANKS, SUITS, DrawMethod, Game, Scheme, Side, Text, parse_hand, total
from audit.checks.wager_faults import Paid, PaymentFault, faults, unplayed_fault
from audit.games import Points, departure_of, walk
from audit.games.due import Due, WagerEnd
from audit.games.hand_facts import HandFacts
from audit.games.makccarat import lower_side
from audit.games.paytable import Paytable, Tier
from audit.games.settlement import Amounts, amounts, due
from audit.rulebook import Rulebook
from audit.rulebook.rules import GameRules, NotInForce, Provision
from audit.rulebook.terms import Bets, OtherBets

Ints = npt.NDArray[np.int64]

NO_THIRD: Final = 10
NATURALS: Final = {8, 9}
GAMES: Final = (Game("baccarat"), Game("makccarat"))
METHODS: Final = (None, "method_1", "method_2")
SCHEMES: Final = (None, "standard", "none", "weekly")
STATUSES: Final = ("settled", "void", "demonstration")
TIMES: Final = (0, 86_399_999_999, 43_200_000_000)
"""Microseconds after midnight in Macau: the first and the last of a day, and noon."""

BETS: Final = (
    *("player", "banker", "tie", "player_pair", "banker_pair", "lucky_six", "jackpot", "dragon_seven"),
    *("house_pairs", "house_six", "moon", "PLAYER"),
)
"""Every bet that some version gazettes, one of unread text, two of the house's own, and two that nobody knows."""

_TITLE: Final = Text("注", "aposta", "bet")
PAYTABLES: Final = {
    "house_pairs": Paytable(
        "house_pairs",
        _TITLE,
        (
            Tier({"player_perfect_pair": True, "banker_perfect_pair": True}, Fraction(200)),
            Tier({"player_perfect_pair": True}, Fraction(25)),
            Tier({"either_pair": True}, Fraction("5.55")),
        ),
        "a letter",
    ),
    "house_six": Paytable("house_six", _TITLE, (Tier({"cards": 6, "winner": "banker"}, Fraction("3.33")),), "a letter"),
    "dragon_seven": Paytable("dragon_seven", _TITLE, (Tier({"banker_points": 7}, Fraction(40)),), "a letter"),
}
PAIRS: Final = ((False, False), (True, False), (True, True), (True, None))
"""What two first cards can be: a pair or not, and of one suit, of two, or of suits that are not known."""

LARGEST_STAKE: Final = 45 * 10**15
"""Two hundred times as much, the best odds here, is the largest sum that 64 bits hold."""

VARIANTS: Final = (
    *("right", "bare", "other_commission", "more", "less", "one_more", "gross", "nothing", "even", "commission_more"),
    *("no_commission", "not_returned", "returned", "part_returned", "kept", "changed", "kept_and_returned", "charged"),
)
"""How a wager is paid; the first three are right wherever the due is known."""


@dataclass
class Sample:
    """Hands and wagers, one of each a row; every array is an index into the words of its name."""

    texts: list[str]
    days: list[dt.date]
    stakes: list[int]
    player: Ints
    banker: Ints
    game: Ints
    day: Ints
    time: Ints
    method: Ints
    scheme: Ints
    status: Ints
    bet: Ints
    stake: Ints
    variant: Ints

    def __len__(self) -> int:
        return len(self.player)

    def keys(self) -> Ints:
        """A number for everything that tells one hand and wager from another."""
        names = ("player", "banker", "day", "game", "method", "scheme", "bet", "stake")
        sizes = (len(self.texts), len(self.texts), len(self.days), 2, 3, 4, len(BETS), len(self.stakes))
        return np.ravel_multi_index([getattr(self, name) for name in names], sizes).astype(np.int64)


def _hands(rng: np.random.Generator, many: int) -> list[str]:
    """Distinct texts of hands, the empty one first: mostly two or three cards; with suits, without, and mixed."""
    sizes = rng.choice([1, 2, 3, 4, 5, 6], many, p=[0.01, 0.475, 0.475, 0.02, 0.01, 0.01])
    ranks, suits = rng.integers(0, 13, (many, 6)), rng.integers(0, 4, (many, 6))
    paired, perfect = rng.random(many) < 0.3, rng.random(many) < 0.5
    ranks[paired, 1] = ranks[paired, 0]
    suits[perfect, 1] = suits[perfect, 0]
    shown = rng.random((many, 6)) < rng.choice([1.0, 0.0, 0.7], many, p=[0.6, 0.2, 0.2])[:, None]
    words = {"": None, " ".join(["9H"] * 130): None}
    for size, rank, suit, with_suit in zip(sizes.tolist(), ranks.tolist(), suits.tolist(), shown.tolist(), strict=True):
        cards = zip(rank[:size], suit, with_suit, strict=False)
        words[" ".join(RANKS[r] + (SUITS[s] if w else "") for r, s, w in cards)] = None
    return list(words)


def draw_sample(seed: int, many: int, rulebook: Rulebook, edges: Sequence[int]) -> Sample:
    """`many` random rows; `edges` are stakes around which one unit makes a difference.

    Stakes are above zero and no sum is below it: the ingest lets nothing else through.
    """
    rng = np.random.default_rng(seed)
    texts = _hands(rng, 30_000)
    starts = sorted({version.span.first for game in GAMES for version in rulebook.versions(game)})
    days = {start + dt.timedelta(days=shift) for start in starts for shift in (-1, 0, int(rng.integers(1, 60)))}
    near = {max(edge + shift, 1) for edge in (*edges, LARGEST_STAKE - 1) for shift in (-1, 0, 1)}
    some = (10 ** rng.uniform(0, np.log10(LARGEST_STAKE), 300)).astype(np.int64)
    usual = rng.integers(1, 5_000, 100) * rng.choice([100, 5_000, 10_000, 1_000_000], 100)
    stakes = sorted({1, 2, 3, 49, 50, 51, 99, 100, 101, 149, 150, 5_000, *near, *some.tolist(), *usual.tolist()})
    odd = len(VARIANTS) - 3
    hands = [0.01, *[0.99 / (len(texts) - 1)] * (len(texts) - 1)]
    chances = {
        "player": hands,
        "banker": hands,
        "game": [0.65, 0.35],
        "method": [0.34, 0.33, 0.33],
        "scheme": [0.25, 0.35, 0.3, 0.1],
        "status": [0.96, 0.02, 0.02],
        "variant": [0.5, 0.2, 0.2, *[0.1 / odd] * odd],
    }
    sizes = {"player": len(texts), "banker": len(texts), "game": 2, "day": len(days), "time": len(TIMES)}
    sizes |= {"method": 3, "scheme": 4, "status": 3, "bet": len(BETS), "stake": len(stakes), "variant": len(VARIANTS)}
    columns = {name: rng.choice(size, many, p=chances.get(name)) for name, size in sizes.items()}
    known = [max(rulebook.first_day(game) for game in GAMES) <= day for day in sorted(days)]
    late = rng.choice(np.flatnonzero(known), many)  # most hands on days whose law is known for both games
    columns["day"] = np.where(rng.random(many) < 0.8, late, columns["day"])
    return Sample(texts, sorted(days), stakes, **columns)


def memo(parts: Sequence[npt.ArrayLike], sizes: Sequence[int], ask: Callable[..., Any]) -> tuple[list[Any], Ints]:
    """The answers of `ask` to every distinct combination of `parts`, and which of them each row has."""
    keys = np.ravel_multi_index([np.asarray(part) for part in parts], sizes)
    distinct, back = np.unique(keys, return_inverse=True)
    questions = zip(*(part.tolist() for part in np.unravel_index(distinct, sizes)), strict=True)
    return [ask(*question) for question in questions], back.reshape(-1)


@dataclass(frozen=True)
class Verdict:
    """What the walk and the cards say of one hand."""

    code: str
    side: Side | None
    article: str
    undecided: bool
    outcome: str
    player_points: int
    banker_points: int
    banker_first: bool


@dataclass
class Scalar:
    """The scalar answers to one sample; `fate` says by name what decides about each row's wager."""

    sample: Sample
    rulebook: Rulebook
    unit: int
    rulesets: list[GameRules] = field(default_factory=list)
    dues: dict[Due, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        sample = self.sample
        hands = [parse_hand(text) for text in sample.texts]
        self.count = np.array([len(hand) for hand in hands])
        self.two = np.array([total(hand[:2]) for hand in hands])
        self.third = np.array([hand[2].points if len(hand) > 2 else NO_THIRD for hand in hands])
        self.pair = np.array([_pair(hand) for hand in hands])
        number, back = memo((sample.game, sample.day), (2, len(sample.days)), self._version)
        self.version = np.array(number)[back]
        fits = (self.count >= 2) & (self.count <= 3)
        self.complete = fits[sample.player] & fits[sample.banker]
        self.has_cards = (self.count[sample.player] > 0) | (self.count[sample.banker] > 0)
        self.fate = np.select(
            [self.version < 0, sample.status == 2, sample.status == 1, self.complete, self.has_cards],
            ["before_coverage", "demonstration", "void", "settle", "card_count"],
            "cards_missing",
        )
        self.makccarat = sample.game == GAMES.index(Game("makccarat"))
        self.doubtful = (self.fate == "settle") & self.makccarat & (sample.method == 0)

    def _version(self, game: int, day: int) -> int:
        try:
            rules = self.rulebook.on(GAMES[game], self.sample.days[day])
        except NotInForce:
            return -1
        if rules not in self.rulesets:
            self.rulesets.append(rules)
        return self.rulesets.index(rules)

    def verdicts(self) -> tuple[Ints, list[Verdict], Ints]:
        """The rows of complete hands under known law, the distinct verdicts, and which of them each row has."""
        rows = np.flatnonzero(self.complete & (self.version >= 0))
        player, banker = self.sample.player[rows], self.sample.banker[rows]
        parts = self.version[rows], self.sample.method[rows] * self.makccarat[rows]
        parts += self.two[player], self.two[banker], self.third[player], self.third[banker]
        rulesets = self.rulesets
        sizes = (len(rulesets), 3, 10, 10, 11, 11)
        found, back = memo(parts, sizes, lambda version, *hand: verdict(rulesets[version], *hand))
        return rows, found, back

    def due_of_rows(self, rows: Ints, method: npt.ArrayLike, scheme: npt.ArrayLike) -> Ints:
        """The number in `dues` of what each wager is due by the method and the scheme given (0 and 1; 2: unknown)."""
        player, banker = self.sample.player[rows], self.sample.banker[rows]
        parts: list[npt.ArrayLike] = [self.version[rows], np.where(self.makccarat[rows], method, 0), scheme]
        parts += [self.sample.bet[rows]]
        for side in (player, banker):
            drawn = np.where(self.third[side] == NO_THIRD, 0, self.third[side])
            parts += [(self.two[side] + drawn) % 10, self.count[side] - 2, self.pair[side]]
        sizes = (len(self.rulesets), 2, 3, len(BETS), 10, 2, len(PAIRS), 10, 2, len(PAIRS))
        rulesets, dues = self.rulesets, self.dues

        def ask(version: int, *rest: int) -> int:
            return dues.setdefault(due_of(self.rulebook, rulesets[version], *rest), len(dues))

        found, back = memo(parts, sizes, ask)
        return np.array(found)[back]

    def payments(self, number: Ints) -> tuple[list[Paid], Ints]:
        """How each row's wager is paid, given what it is due (-1 where that is nobody's business)."""
        sample = self.sample
        sizes = (len(self.dues) + 1, len(sample.stakes), len(BETS), len(VARIANTS))
        what = list(self.dues)

        def ask(due_number: int, stake: int, bet: int, variant: int) -> Paid:
            known = what[due_number - 1] if due_number and what[due_number - 1].kind is not WagerEnd.UNKNOWN else None
            return paid(BETS[bet], known, sample.stakes[stake], self.unit, VARIANTS[variant])

        return memo((number + 1, sample.stake, sample.bet, sample.variant), sizes, ask)

    def findings(self, first: Ints, second: Ints, payment: Ints, paid: list[Paid]) -> tuple[list[Any], Ints]:
        """(faults, reasons of open questions) of each row's wager; `second` is the due by the other method, if any."""
        fates, fate = np.unique(self.fate, return_inverse=True)
        what = [None, *self.dues]

        def ask(fate_number: int, due_number: int, other: int, payment_number: int) -> Any:
            return judged(str(fates[fate_number]), what[due_number], what[other], paid[payment_number], self.unit)

        sizes = (len(fates), len(what), len(what), len(paid))
        return memo((fate, first + 1, second + 1, payment), sizes, ask)


@cache
def verdict(rules: GameRules, method: int, player: int, banker: int, first: int, second: int) -> Verdict:
    """Walk one hand: two-card points and third cards; by each method where none is recorded."""
    points = Points(player, banker, *(None if third == NO_THIRD else third for third in (first, second)))
    methods: tuple[DrawMethod | None, ...] = (None,)
    if rules.game == Game("makccarat"):
        methods = (DrawMethod(METHODS[method]),) if METHODS[method] else tuple(DrawMethod)
    found = [departure_of(walk(points, rules, each)) for each in methods]
    undecided = len({None if d is None else (d.code, d.side) for d in found}) > 1
    what = None if undecided else found[0]
    ends = not {points.player, points.banker}.isdisjoint(NATURALS)
    return Verdict(
        what.code if what else "",
        what.side if what else None,
        what.article if what else "",
        undecided,
        points.outcome.value,
        points.player_total,
        points.banker_total,
        rules.game == Game("makccarat") and not ends and lower_side(points) is Side.BANKER,
    )


@cache
def due_of(rulebook: Rulebook, rules: GameRules, method: int, scheme: int, bet: int, *hands: int) -> Due:
    """What a bet on a hand is due; `hands` are points, whether there is a third card, and pair kind of each side."""
    player, player_drew, player_pair, banker, banker_drew, banker_pair = hands
    pairs = PAIRS[player_pair], PAIRS[banker_pair]
    facts = HandFacts(player, banker, 2 + player_drew, 2 + banker_drew, *(p[0] for p in pairs), *(p[1] for p in pairs))
    return due(
        BETS[bet],
        facts,
        rules,
        scheme=(Scheme.STANDARD, Scheme.NONE, None)[scheme],
        method=tuple(DrawMethod)[method] if rules.game == Game("makccarat") else None,
        without_commission=_first_without_commission(rulebook, rules.game),
        paytables=_paytables(rules),
    )


@cache
def _first_without_commission(rulebook: Rulebook, game: Game) -> Provision:
    versions = rulebook.rules(game)
    return next(rules.provision("commission.none") for rules in versions if rules.has("commission.none"))


@cache
def _paytables(rules: GameRules) -> dict[str, Paytable]:
    """The house's paytables where it may have bets, but none of a bet that an unread act may have gazetted."""
    clause = rules.known_terms(OtherBets)
    if clause is None or not clause.director_may_authorise:
        return {}
    unread = rules.terms(Bets).unread
    return {bet: table for bet, table in PAYTABLES.items() if bet not in unread}


def _pair(hand: Sequence[Any]) -> int:
    if len(hand) < 2 or hand[0].rank != hand[1].rank:
        return 0
    if hand[0].suit is None or hand[1].suit is None:
        return 3
    return 2 if hand[0].suit == hand[1].suit else 1


def paid(bet: str, what: Due | None, stake: int, unit: int, variant: str) -> Paid:
    """A wager paid in the way that `variant` names."""
    owed = amounts(what, stake, unit) if what else Amounts(0, frozenset({0}), stake)
    commission, gross = min(owed.commission), round(what.odds * stake) if what else 0
    right = (owed.payout, commission, owed.returned, None)
    payout, taken, returned, choice = {
        "right": right,
        "bare": (owed.payout, None, None, None),
        "other_commission": (owed.payout, max(owed.commission), owed.returned, None),
        "more": (owed.payout + 1, commission, owed.returned, None),
        "less": (max(owed.payout - 1, 0), commission, owed.returned, None),
        "one_more": (owed.payout + 10_000, None, owed.returned, None),
        "gross": (gross, 0, owed.returned, None),
        "nothing": (0, 0, stake, None),
        "even": (stake, 0, stake, None),
        "commission_more": (owed.payout, commission + 1, None, None),
        "no_commission": (owed.payout, 0, owed.returned, None),
        "not_returned": (owed.payout, commission, 0, None),
        "returned": (owed.payout, commission, stake, "cancelled"),
        "part_returned": (owed.payout, commission, stake - 1, None),
        "kept": (owed.payout, commission, 0, "kept"),
        "changed": (owed.payout, commission, stake // 3, "changed"),
        "kept_and_returned": (owed.payout, commission, stake, "kept"),
        "charged": (stake - stake // 20, stake // 20, stake, None),
    }[variant]
    return Paid(bet, stake, payout, taken, returned, choice)


def judged(
    fate: str, what: Due | None, other: Due | None, wager: Paid, unit: int
) -> tuple[list[PaymentFault], str | None]:
    """The faults of one wager, and why a question about it stays open (contract, judging rules 2 to 8)."""
    if fate in {"void", "demonstration"}:
        fault = unplayed_fault(wager, demonstration=fate == "demonstration")
        return [fault] if fault else [], None
    if fate != "settle":
        return [], fate
    assert what is not None
    if what.kind is WagerEnd.UNKNOWN:
        return [], what.reason
    here = {fault.code: fault for fault in faults(wager, what, unit)}
    if other is None or other == what:
        if here and what.unread_push and wager.payout == 0:
            return [], "unread_2_2009"
        return list(here.values()), None
    there = {fault.code: fault for fault in faults(wager, other, unit)}
    both = [min(here[code], there[code], key=lambda fault: abs(fault.amount)) for code in here if code in there]
    return both, None if here.keys() == there.keys() else "draw_method_unknown"
