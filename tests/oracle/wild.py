"""Logs that are wrong in many ways at once, for comparing two judges: any day, any scheme, any bet, any slip.

Nothing here promises what must be found; the oracle says that. What the contract leaves open is kept out.
"""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

from tests.oracle import dealer, drawing, slips
from tests.oracle.dealer import SECOND, House, Log, stamp
from tests.oracle.rows import MACAU

DAYS = {
    "baccarat": [
        "2004-05-17",
        "2004-05-18",
        "2005-11-28",
        "2005-11-29",
        "2007-02-22",
        "2007-02-23",
        "2008-12-31",
        "2009-01-01",
        "2009-06-22",
        "2009-06-23",
        "2011-09-26",
        "2011-09-27",
        "2011-10-03",
        "2011-10-04",
        "2018-04-23",
        "2018-04-24",
        "2024-03-01",
    ],
    "makccarat": ["2007-07-09", "2007-07-10", "2009-03-01", "2012-05-03", "2024-03-01"],
}

BETS = (
    "player banker tie player_pair banker_pair lucky_six jackpot dragon_seven small_six player banker banker"
).split()


def house(rng: random.Random, table: str) -> House:
    """Any house, lawful or not."""
    game = rng.choice(["baccarat", "makccarat"])
    lawful = dealer.random_house(rng, game)
    return replace(
        lawful,
        table=table,
        day=dt.date.fromisoformat(rng.choice(DAYS[game])),
        scheme=rng.choice(["standard", "none", "none", "ez"]),
        record_scheme=rng.random() < 0.7,
        record_method=rng.random() < 0.7,
        burn=rng.choice(["decks", "first_card", "fixed_5"]),
        other_bet=rng.choice(["", "", "dragon_seven", "jackpot", "small_six", "lucky_six"]),
        wagers=rng.choice([0, 3, 6]),
        casino=rng.choice(["Casa Um", f"Casa {table}"]),
        opens=rng.choice([dt.time(8), dt.time(23, 50)]),
    )


def log(rng: random.Random, seed: int, table: str) -> Log:
    """A log of one table, sometimes over several days, sometimes at two houses that use the same table's name."""
    first = house(rng, table)
    made = spoil(dealer.deal(seed, first), rng)
    for n in range(rng.choice([0, 0, 1, 2])):
        other = house(rng, table)
        if rng.random() < 0.6:
            days = rng.choice([1, 2, 7])
            other = replace(first, day=first.day + dt.timedelta(days=days * (n + 1)), scheme=other.scheme)
        made.extend(spoil(dealer.deal(seed + n + 1, replace(other, prefix="bc"[n])), rng))
    for entry in made.approvals:
        if entry["casino"] == f"Casa {table}" and rng.random() < 0.3:
            entry["tables"] = rng.choice(["*", f"X9 {table} X8", "X9"])
    if rng.random() < 0.2 and made.wagers:
        bet = rng.choice(made.wagers)["bet"]
        made.approvals.append(
            dealer.entry(first, f"{table}-P", "prize", bet) | {"ends_on": rng.choice(["", first.day.isoformat()])}
        )
    return made


def _shift(text: str, seconds: int) -> str:
    return stamp(dt.datetime.fromisoformat(text) + SECOND * seconds)


def _payout(row: dict[str, str], rng: random.Random) -> None:
    stake = Decimal(row["stake"])
    row["payout"] = str((stake * rng.choice([0, 1, 8, 9, 11, 12, 14, 20])).quantize(Decimal("0.01")))
    if rng.random() < 0.5:
        row["payout"] = str((stake * rng.choice([Decimal("0.95"), Decimal("0.5")])).quantize(Decimal("0.01")))


def _money(row: dict[str, str], rng: random.Random) -> None:
    stake = Decimal(row["stake"])
    row["commission"] = rng.choice(["", "0", str((stake / 20).quantize(Decimal("0.01"))), "1"])
    row["stake_returned"] = rng.choice(["", "0", row["stake"], str((stake / 2).quantize(Decimal("0.01")))])


def _round(row: dict[str, str], rng: random.Random) -> None:
    change = rng.randrange(17)
    if change == 0:
        row["status"] = rng.choice(["settled", "void", "demonstration"])
    elif change == 1:
        row["void_reason"] = rng.choice(["", "spilt"])
    elif change == 2:
        row["outcome"] = rng.choice(["", "player", "banker", "tie"])
    elif change == 3:
        row["player_points"], row["banker_points"] = str(rng.randrange(10)), rng.choice(["", "7"])
    elif change == 4:
        row["player_pair"] = rng.choice(["", "true", "false"])
    elif change == 5:
        row["deal_sequence"] = rng.choice(["", "PBPB", "PBPBPB", "PBPBBP", "BPBPPB", "PBPBP", "PBPBB", "PPBB"])
    elif change == 6:
        row["commission"] = rng.choice(["", "standard", "none", "ez"])
    elif change == 7 and row["game"] == "makccarat":
        row["draw_method"] = rng.choice(["", *drawing.METHODS])
    elif change == 8:
        row["player_cards"] = " ".join(row["player_cards"].split()[: rng.choice([2, 3])])
    elif change == 9:
        row["banker_cards"] = " ".join([*row["banker_cards"].split()[:2], "7H", "7H"][: rng.choice([2, 3, 4])])
        row["deal_sequence"] = ""
    elif change == 10 and row["player_points"] and row["banker_points"]:
        row["player_cards"] = row["banker_cards"] = row["deal_sequence"] = ""
    elif change == 11:
        row["ended_at"] = _shift(row["ended_at"], rng.choice([30, 90, 400]))
    elif change == 12:
        row["decks"] = rng.choice(["", "6", "8", "13"])
    elif change == 13:
        row["started_at"] = _shift(row["started_at"], rng.choice([-130, -70, -30, 5]))
    elif change == 14:
        row["ended_at"] = rng.choice(["", row["ended_at"]])
    elif change == 15:
        row["player_cards"] = " ".join(card.rstrip("SHDC") for card in row["player_cards"].split())
    else:
        row["player_cards"] = row["player_cards"].lower()


def _wager(row: dict[str, str], rng: random.Random) -> None:
    change = rng.randrange(5)
    if change == 0:
        row["bet"] = rng.choice(BETS)
    elif change == 1:
        row["tie_choice"] = rng.choice(["", "cancelled", "kept", "changed"])
    elif change == 2:
        _money(row, rng)
    else:
        _payout(row, rng)


def _approval(row: dict[str, str], rng: random.Random) -> None:
    day = dt.date.fromisoformat(row["planned_from"] or row["authorised_at"] or "2012-02-01")
    near = (day + dt.timedelta(days=rng.randint(-9, 9))).isoformat()
    change = rng.randrange(7)
    if change == 0:
        row["decision"] = rng.choice(["granted", "refused", "pending"])
    elif change == 1:
        row["authorised_at"] = rng.choice(["", near])
    elif change == 2:
        row["planned_from"] = rng.choice(["", near, near])
    elif change == 3:
        row["ends_on"] = rng.choice(["", near])
    elif change == 4:
        hour = dt.time(rng.choice([9, 12, 13, 17, 17, 20]), rng.choice([0, 30, 31, 45, 46]))
        back = dt.timedelta(days=rng.randint(1, 9))
        row["applied_at"] = rng.choice(["", *[stamp(dt.datetime.combine(day - back, hour, MACAU))] * 4])
    elif change == 5:
        row["casino"] = rng.choice(["", "Casa Um", "Casa Dois"])
    else:
        row["value"] = {"allowed": "allowed", "none": "standard", "standard": "none"}.get(row["value"], row["value"])


def _event(row: dict[str, str], rng: random.Random) -> None:
    if row["event"] == "cut_card_out":
        row["at"] = _shift(row["at"], -60 * rng.randint(0, 4))
    elif row["event"] == "shoe_change":
        row["at"] = _shift(row["at"], -rng.choice([10, 25, 130]))
    elif row.get("count"):
        row["count"] = str(rng.choice([1, 5, 8, 12]))


def _some(
    rows: list[dict[str, str]], change: Callable[[dict[str, str], random.Random], None], rng: random.Random
) -> None:
    for row in rng.sample(rows, min(len(rows), rng.randint(0, max(1, len(rows) // 4)))):
        change(row, rng)


def spoil(log: Log, rng: random.Random) -> Log:
    """A copy with many slips at once."""
    new = log.copy()
    _some(new.rounds, _round, rng)
    _some(new.wagers, _wager, rng)
    _some(new.approvals, _approval, rng)
    _some(new.events, _event, rng)
    for name in rng.sample(sorted(slips.MUTATORS), 2):
        change = slips.MUTATORS[name](new, rng) if all(r["player_cards"] for r in new.rounds) else None
        if change is not None:
            new = change[0]
    for rows in (new.rounds, new.wagers):
        if rows and rng.random() < 0.3:
            again = dict(rng.choice(rows))
            again["payout" if "payout" in again else "deal_sequence"] += (
                rng.choice(["", "0"]) if "." in again.get("payout", "") else ""
            )
            rows.append(again)
    return new
