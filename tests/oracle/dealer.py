"""Lawful logs made up from a seed: `deal` gives a log of one table's day without any finding."""

from __future__ import annotations

import copy
import csv
import datetime as dt
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

from tests.oracle import drawing, settlement
from tests.oracle.rows import APPROVAL_COLUMNS, EVENT_COLUMNS, MACAU, ROUND_COLUMNS, WAGER_COLUMNS, cards

RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
FIFTY_TWO = tuple(rank + suit for rank in RANKS for suit in "SHDC")
SECOND = dt.timedelta(seconds=1)

Rows = list[dict[str, str]]


@dataclass
class Log:
    """The four canonical tables as rows of text."""

    rounds: Rows = field(default_factory=list)
    wagers: Rows = field(default_factory=list)
    approvals: Rows = field(default_factory=list)
    events: Rows = field(default_factory=list)

    def copy(self) -> Log:
        """A log to change."""
        return copy.deepcopy(self)

    def extend(self, other: Log) -> None:
        """Put the rows of another log behind these."""
        for name in ("rounds", "wagers", "approvals", "events"):
            getattr(self, name).extend(getattr(other, name))

    def wagers_of(self, round_id: str) -> Rows:
        """The wagers of a round."""
        return [w for w in self.wagers if w["round_id"] == round_id]

    def write(self, folder: Path) -> dict[str, Path]:
        """Write the four tables as CSV and return their paths by name."""
        folder.mkdir(parents=True, exist_ok=True)
        paths = {}
        for name, columns in (
            ("rounds", ROUND_COLUMNS),
            ("wagers", WAGER_COLUMNS),
            ("approvals", APPROVAL_COLUMNS),
            ("events", EVENT_COLUMNS),
        ):
            paths[name] = folder / f"{name}.csv"
            with paths[name].open("w", encoding="utf-8", newline="") as stream:
                writer = csv.DictWriter(stream, columns, restval="")
                writer.writeheader()
                writer.writerows(getattr(self, name))
        return paths


@dataclass(frozen=True)
class House:
    """How one table is run on one day."""

    game: str = "baccarat"
    day: dt.date = dt.date(2024, 3, 1)
    casino: str = "Casa Um"
    table: str = "T1"
    shoes: int = 1
    rounds: int = 12
    decks: int = 8
    scheme: str = "standard"
    record_scheme: bool = True
    method: str = "method_1"
    record_method: bool = True
    demonstrations: int = 0
    void_every: int = 0
    one_more: bool = False
    burn: str = "decks"
    dealing: str = "shoe"
    tie_choices: tuple[str, ...] = ("", "cancelled", "kept", "changed")
    other_bet: str = ""
    wagers: int = 5
    events: bool = True
    suits: bool = True
    prefix: str = ""
    opens: dt.time = dt.time(8)


def bets(house: House) -> list[str]:
    """The bets of the regulation's own list that day, jackpot left out (its prizes are not known)."""
    found = ["player", "banker", "tie", "player_pair", "banker_pair", "player", "banker"]
    if settlement.gazetted(house.game, "lucky_six", house.day):
        found.append("lucky_six")
    return found


def stamp(moment: dt.datetime) -> str:
    """A timestamp as canonical text."""
    return moment.isoformat()


def _hand(stack: list[str], house: House) -> tuple[list[str], list[str], str]:
    hands: dict[str, list[str]] = {"player": [], "banker": []}
    order = ""
    while True:
        values = {side: [card.points for card in cards(" ".join(hand))] for side, hand in hands.items()}
        side = drawing.next_card(house.game, values["player"], values["banker"], house.method)
        if side is None:
            return hands["player"], hands["banker"], order
        hands[side].append(stack.pop())
        order += "P" if side == "player" else "B"


def points(hand: Sequence[str]) -> list[int]:
    """Point values of card texts."""
    return [card.points for card in cards(" ".join(hand))]


def ranks(hand: Sequence[str]) -> list[str]:
    """Ranks of card texts."""
    return [card.rank for card in cards(" ".join(hand))]


def _settle(
    rng: random.Random, house: House, bet: str, stake: Decimal, player: list[str], banker: list[str]
) -> dict[str, str]:
    table = settlement.Table(
        house.game, house.day, points(player), points(banker), ranks(player), ranks(banker), house.method
    )
    choice = ""
    if bet in settlement.MAIN and table.result == "tie":
        choice = rng.choice(house.tie_choices)
    due = settlement.due_on_settled(table, bet, stake, scheme=house.scheme, tie_choice=choice or None)
    if due.reason is not None:
        return {"payout": "0", "commission": "0", "stake_returned": "0", "tie_choice": ""}
    assert due.payout is not None
    assert due.returned is not None
    back = due.returned
    if choice == "kept":
        back = rng.choice([Decimal(0), stake])
    elif choice == "changed":
        back = rng.choice([Decimal(0), stake, (stake / 2).quantize(Decimal("0.01"))])
    return {
        "payout": str(due.payout),
        "commission": str(rng.choice(due.commissions).quantize(Decimal("0.0001"))),
        "stake_returned": str(back),
        "tie_choice": choice,
    }


def entry(house: House, ident: str, option: str, value: str) -> dict[str, str]:
    """A granted entry of the register for one table, applied for and authorised in good time before the day."""
    planned = house.day - dt.timedelta(days=5)
    applied = dt.datetime.combine(house.day - dt.timedelta(days=45), dt.time(10), MACAU)
    while applied.weekday() > 3:
        applied -= dt.timedelta(days=1)
    return {
        "approval_id": ident,
        "casino": house.casino,
        "game": house.game,
        "option": option,
        "value": value,
        "tables": house.table,
        "applied_at": stamp(applied),
        "decision": "granted",
        "authorised_at": (house.day - dt.timedelta(days=8)).isoformat(),
        "planned_from": planned.isoformat(),
        "ends_on": "",
    }


def _register(log: Log, house: House) -> None:
    used = set()
    from_shoe = house.dealing == "shoe"
    if house.demonstrations and from_shoe:
        used.add(("demonstration", "allowed"))
    if house.dealing == "auto_shuffler":
        used.add(("dealing", "auto_shuffler"))
    if house.game == "makccarat":
        used.add(("draw_method", house.method))
    if house.scheme == "none":
        used.add(("commission", "none"))
    if house.one_more and from_shoe:
        used.add(("last_round", "one_more"))
    if house.burn != "decks" and from_shoe:
        used.add(("burn", house.burn))
    if house.other_bet:
        used.add(("bet", house.other_bet))
    used |= {("tie", w["tie_choice"]) for w in log.wagers if w.get("tie_choice")}
    for n, (option, value) in enumerate(sorted(used), 1):
        log.approvals.append(entry(house, f"{house.prefix}{house.table}-A{n:02d}", option, value))


def _burn(house: House, shoe: str, at: dt.datetime, first: str) -> dict[str, str]:
    row = {"table_id": house.table, "shoe_id": shoe, "casino": house.casino, "event": "burn", "at": stamp(at)}
    if house.burn == "decks":
        row |= {"burn_rule": "decks", "count": str(house.decks)}
    elif house.burn == "first_card":
        face = cards(first)[0].points
        row |= {"burn_rule": "first_card", "cards": first, "count": str(face or 10)}
    else:
        row |= {"burn_rule": "fixed", "count": house.burn.removeprefix("fixed_")}
    return row


def deal(seed: int, house: House | None = None) -> Log:
    """Deal one table's lawful day: rounds, wagers paid as due, the register that covers what is used, and events."""
    house = house or House()
    rng = random.Random(seed)  # noqa: S311 - a repeatable game, no secret
    log = Log()
    clock = dt.datetime.combine(house.day, house.opens, MACAU)
    shoe_table = house.dealing == "shoe"
    for shoe_no in range(1, house.shoes + 1):
        shoe = f"{house.prefix}{house.table}-S{shoe_no}" if shoe_table else ""
        stack = list(FIFTY_TWO) * house.decks
        rng.shuffle(stack)
        event = {"table_id": house.table, "shoe_id": shoe, "casino": house.casino}
        if house.events and shoe_table:
            log.events.append(event | {"event": "shuffle", "at": stamp(clock)})
            log.events.append(event | {"event": "cut_card_placed", "at": stamp(clock + SECOND * 60), "count": "14"})
            log.events.append(_burn(house, shoe, clock + SECOND * 120, stack.pop()))
        clock += SECOND * 180
        for no in range(1, house.rounds + 1):
            ident = f"{house.prefix}{house.table}-{shoe_no:02d}-{no:03d}"
            if not shoe_table:
                stack = list(FIFTY_TWO) * house.decks
                rng.shuffle(stack)
            player, banker, order = _hand(stack, house)
            end = clock + SECOND * 40
            status = "settled"
            if no <= house.demonstrations and shoe_table:
                status = "demonstration"
            elif house.void_every and no % house.void_every == 0:
                status = "void"
            result = drawing.result(points(player), points(banker))
            row = {
                "round_id": ident,
                "casino": house.casino,
                "table_id": house.table,
                "shoe_id": shoe,
                "round_no": str(no),
                "game": house.game,
                "status": status,
                "void_reason": "card fell" if status == "void" else "",
                "started_at": stamp(clock),
                "ended_at": stamp(end),
                "player_cards": " ".join(player if house.suits else ranks(player)),
                "banker_cards": " ".join(banker if house.suits else ranks(banker)),
                "deal_sequence": order,
                "outcome": result,
                "player_points": str(drawing.points(points(player))),
                "banker_points": str(drawing.points(points(banker))),
                "player_pair": str(ranks(player)[0] == ranks(player)[1]).lower(),
                "banker_pair": str(ranks(banker)[0] == ranks(banker)[1]).lower(),
                "decks": str(house.decks),
                "dealing": house.dealing,
                "draw_method": house.method if house.game == "makccarat" and house.record_method else "",
                "commission": house.scheme if house.record_scheme else "",
            }
            log.rounds.append(row)
            offered = bets(house) + ([house.other_bet] if house.other_bet else [])
            for seat in range(1, 0 if status == "demonstration" else house.wagers + 1):
                stake = Decimal(rng.choice([100, 250, 500, 1000, 333])) + rng.choice(
                    [Decimal(0), Decimal("0.50"), Decimal("0.05")]
                )
                bet = house.other_bet if house.other_bet and seat == house.wagers else rng.choice(offered)
                wager = {
                    "wager_id": f"{ident}-W{seat}",
                    "round_id": ident,
                    "seat": str(seat),
                    "bet": bet,
                    "stake": str(stake),
                    "currency": "HKD",
                    "placed_at": stamp(clock - SECOND * 5),
                }
                if status == "void":
                    wager |= {"payout": "0", "commission": "0", "stake_returned": str(stake), "tie_choice": ""}
                else:
                    wager |= _settle(rng, house, bet, stake, player, banker)
                log.wagers.append(wager)
            last_allowed = house.rounds - (1 if house.one_more else 0)
            if house.events and shoe_table and no == last_allowed:
                log.events.append(event | {"event": "cut_card_out", "at": stamp(clock + SECOND * 20)})
            clock = end + SECOND * 20
        if house.events and shoe_table:
            log.events.append(event | {"event": "shoe_change", "at": stamp(clock)})
        clock += SECOND * 300
    _register(log, house)
    return log


def random_house(rng: random.Random, game: str | None = None) -> House:
    """A house with choices drawn at random, all of them lawful on its day."""
    game = game or rng.choice(["baccarat", "makccarat"])
    day = rng.choice([dt.date(2024, 3, 1), dt.date(2019, 6, 12), dt.date(2012, 5, 3), dt.date(2008, 4, 2)])
    burns = ["decks", "first_card"]
    if game == "baccarat" and day >= settlement.FIXED_BURN_FROM:
        burns.append("fixed_5")
    return House(
        game=game,
        day=day,
        shoes=rng.choice([1, 2]),
        rounds=rng.choice([8, 11]),
        decks=rng.choice([6, 8, 12]),
        scheme=rng.choice(["standard", "none"]),
        record_scheme=rng.random() < 0.8,
        method=rng.choice(drawing.METHODS),
        record_method=rng.random() < 0.8,
        demonstrations=rng.choice([0, 0, 2, 3]),
        void_every=rng.choice([0, 0, 5]),
        one_more=rng.random() < 0.3,
        burn=rng.choice(burns),
        dealing="auto_shuffler" if rng.random() < 0.15 else "shoe",
        wagers=rng.choice([2, 5]),
        suits=rng.random() < 0.9,
    )
