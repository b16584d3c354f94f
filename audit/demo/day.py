"""A made-up gaming day: six tables, dealt from real shoes by the games' own functions, with wagers and shoe events.

The day is the same every time: one seed, one order. Nothing here knows what a check looks for; faults are planted
afterwards (``audit.demo.planted``).
"""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from audit.base.model import CENT, MACAU, RANKS, SUITS, Card, Dealing, DrawMethod, Game, Scheme, Side, Status, legal_day
from audit.explanation.explain import points_of
from audit.games import departure_of, walk
from audit.rulebook import Rulebook

CASINO: Final = "DEMO"
GAMING_DAY: Final = dt.date(2024, 3, 1)
SEED: Final = 20240301
BEHIND_CUT_CARD: Final = 14
SECOND_SHOE: Final = 14
"""Rounds dealt from the second shoe of a table."""


@dataclass(frozen=True)
class DemoTable:
    """One table of the day; `burn` is the burn rule of its shoes, None where an automatic shuffler deals."""

    table_id: str
    game: Game
    opens: str
    decks: int
    burn: str | None
    scheme: Scheme = Scheme.STANDARD
    method: DrawMethod | None = None
    demonstrations: int = 0
    one_more: bool = False

    @property
    def dealing(self) -> Dealing:
        """How the cards come."""
        return Dealing.SHOE if self.burn else Dealing.AUTO_SHUFFLER

    @property
    def opening(self) -> dt.datetime:
        """When the first card of the day is dealt."""
        return dt.datetime.combine(GAMING_DAY, dt.time.fromisoformat(self.opens), MACAU)


TABLES: Final = (
    DemoTable("B01", Game("baccarat"), "06:10", 6, "first_card", demonstrations=3),
    DemoTable("B02", Game("baccarat"), "11:00", 8, "decks"),
    DemoTable("B03", Game("baccarat"), "14:30", 6, "fixed_5", scheme=Scheme.NONE),
    DemoTable("B04", Game("baccarat"), "18:00", 8, None),
    DemoTable("M01", Game("makccarat"), "20:00", 6, "decks", method=DrawMethod.METHOD_1, one_more=True),
    DemoTable("M02", Game("makccarat"), "23:20", 6, "decks", scheme=Scheme.NONE, method=DrawMethod.METHOD_2),
)


@dataclass
class DemoWager:
    """A stake on a bet, in ten-thousandths; what it is paid follows from the cards."""

    wager_id: str
    seat: str
    bet: str
    stake: int


@dataclass
class Play:
    """One round as it was played: `hands` in the order dealt, `sequence` the side of each card."""

    table: DemoTable
    shoe_id: str | None
    round_id: str
    number: int
    start: dt.datetime
    end: dt.datetime
    hands: dict[Side, list[Card]]
    sequence: str
    status: Status = Status.SETTLED
    void_reason: str | None = None
    wagers: list[DemoWager] = field(default_factory=list)

    @property
    def player(self) -> tuple[Card, ...]:
        """The player's cards."""
        return tuple(self.hands[Side.PLAYER])

    @property
    def banker(self) -> tuple[Card, ...]:
        """The banker's cards."""
        return tuple(self.hands[Side.BANKER])


@dataclass
class DemoEvent:
    """Something that happened to a shoe."""

    table: DemoTable
    shoe_id: str | None
    at: dt.datetime
    event: str
    cards: str | None = None
    count: int | None = None
    burn_rule: str | None = None


@dataclass
class Day:
    """Everything that happened; `spare` are the cards left behind in each shoe."""

    plays: list[Play] = field(default_factory=list)
    events: list[DemoEvent] = field(default_factory=list)
    spare: dict[str, list[Card]] = field(default_factory=dict)

    def at(self, table_id: str) -> list[Play]:
        """The rounds of one table, in order."""
        return [play for play in self.plays if play.table.table_id == table_id]

    def of_shoe(self, shoe_id: str) -> list[Play]:
        """The rounds of one shoe, in order."""
        return [play for play in self.plays if play.shoe_id == shoe_id]


Hands = dict[Side, list[Card]]


def deal_hand(rulebook: Rulebook, table: DemoTable, day: dt.date, draw: Iterator[Card]) -> tuple[Hands, str]:
    """Deal one round: two cards a side in turn, then whatever the walk of the game demands, until nothing departs."""
    hands: Hands = {Side.PLAYER: [], Side.BANKER: []}
    for side in (Side.PLAYER, Side.BANKER) * 2:
        hands[side].append(next(draw))
    sequence = "PBPB"
    rules = rulebook.on(table.game, day)
    while True:
        points = points_of(tuple(hands[Side.PLAYER]), tuple(hands[Side.BANKER]))
        missing = departure_of(walk(points, rules, table.method)) if points else None
        if missing is None:
            return hands, sequence
        hands[missing.side].append(next(draw))
        sequence += missing.side.value[0].upper()


def deal_day(rulebook: Rulebook) -> Day:
    """Deal the whole day, table by table."""
    luck = random.Random(SEED)  # noqa: S311 - a repeatable game, no secret
    day = Day()
    for table in TABLES:
        _Croupier(rulebook, table, luck, day).work()
    return day


class _Croupier:
    """Deals the day of one table."""

    def __init__(self, rulebook: Rulebook, table: DemoTable, luck: random.Random, day: Day) -> None:
        self.rulebook, self.table, self.luck, self.day = rulebook, table, luck, day
        self.clock = table.opening
        self.serial = 0

    def work(self) -> None:
        """One shoe to its cut card and the beginning of another; or sixty rounds from the shuffler."""
        if self.table.burn is None:
            for number in range(1, 61):
                cards = iter(self._shuffled())
                self._play(None, number, cards)
            return
        for turn, most in enumerate((10_000, SECOND_SHOE), 1):
            self._shoe(f"{self.table.table_id}-S{turn}", most)

    def _shuffled(self) -> list[Card]:
        cards = [Card(rank, suit) for rank in RANKS for suit in SUITS] * self.table.decks
        self.luck.shuffle(cards)
        return cards

    def _shoe(self, shoe_id: str, most: int) -> None:
        cards = self._shuffled()
        self._event(shoe_id, "shoe_change")
        self._event(shoe_id, "shuffle")
        self._event(shoe_id, "cut_card_placed", count=BEHIND_CUT_CARD)
        self._burn(shoe_id, cards)
        after = 1 if self.table.one_more else 0
        for number in range(1, most + 1):
            supply = self._supply(cards)
            before = len(cards)
            play = self._play(shoe_id, number, supply)
            if before > BEHIND_CUT_CARD >= len(cards):
                self.day.events.append(
                    DemoEvent(self.table, shoe_id, play.start + dt.timedelta(seconds=9), "cut_card_out")
                )
            if len(cards) <= BEHIND_CUT_CARD:
                if after == 0:
                    break
                after -= 1
        self.day.spare[shoe_id] = cards
        self.clock += dt.timedelta(minutes=6)

    @staticmethod
    def _supply(cards: list[Card]) -> Iterator[Card]:
        while cards:
            yield cards.pop()

    def _burn(self, shoe_id: str, cards: list[Card]) -> None:
        first = cards.pop()
        if self.table.burn == "first_card":
            count, rule, seen = first.points or 10, "first_card", str(first)
        elif self.table.burn == "decks":
            count, rule, seen = self.table.decks, "decks", None
        else:
            count, rule, seen = int(str(self.table.burn)[-1]), "fixed", None
        del cards[len(cards) - count + 1 :]
        self._event(shoe_id, "burn", cards=seen, count=count, burn_rule=rule)

    def _event(
        self,
        shoe_id: str,
        event: str,
        *,
        cards: str | None = None,
        count: int | None = None,
        burn_rule: str | None = None,
    ) -> None:
        self.day.events.append(DemoEvent(self.table, shoe_id, self.clock, event, cards, count, burn_rule))
        self.clock += dt.timedelta(seconds=20)

    def _play(self, shoe_id: str | None, number: int, supply: Iterator[Card]) -> Play:
        self.serial += 1
        start = self.clock
        hands, sequence = deal_hand(self.rulebook, self.table, legal_day(start), supply)
        end = start + dt.timedelta(seconds=self.luck.randint(32, 47))
        self.clock = end + dt.timedelta(seconds=self.luck.randint(14, 26))
        round_id = f"{self.table.table_id}-{self.serial:04d}"
        play = Play(self.table, shoe_id, round_id, number, start, end, hands, sequence)
        if self.serial <= self.table.demonstrations:
            play.status = Status.DEMONSTRATION
        else:
            play.wagers = self._wagers(round_id)
        self.day.plays.append(play)
        return play

    def _wagers(self, round_id: str) -> list[DemoWager]:
        bets = ["player"] * 6 + ["banker"] * 6 + ["tie", "player_pair", "banker_pair"]
        if self.table.game == "baccarat":
            bets.append("lucky_six")
        seats = sorted(self.luck.sample(range(1, 10), self.luck.randint(3, 5)))
        wagers = []
        for number, seat in enumerate(seats, 1):
            bet = self.luck.choice(bets)
            stakes = (500, 1_000, 1_500, 2_500, 5_000, 12_000) if bet in {"player", "banker"} else (100, 250, 500)
            stake = self.luck.choice(stakes) * 100 * CENT
            wagers.append(DemoWager(f"{round_id}-{number}", str(seat), bet, stake))
        return wagers
