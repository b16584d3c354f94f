"""What scenarios are made of: one table each, its rows written by hand."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass, replace

from tests.oracle import dealer, rows
from tests.oracle.dealer import SECOND, House, Log, stamp

Keys = set[tuple[object, ...]]
Build = Callable[[str], tuple[Log, Keys]]

CASINO = "Casa Um"
MACAU = rows.MACAU


@dataclass(frozen=True)
class Scenario:
    """A named log and what must be found in it."""

    build: Build
    register: bool
    verdicts: dict[str, int] | None


SCENARIOS: dict[str, Scenario] = {}


def scenario(*, register: bool = True, verdicts: dict[str, int] | None = None) -> Callable[[Build], Build]:
    """Collect a scenario under its function's name."""

    def take(build: Build) -> Build:
        SCENARIOS[build.__name__] = Scenario(build, register, verdicts)
        return build

    return take


def deal_table(table: str, **choices: object) -> Log:
    """A lawful table of six rounds without wagers."""
    house = replace(House(table=table, rounds=6, wagers=0, tie_choices=("",)), **choices)  # type: ignore[arg-type]
    return dealer.deal(len(table), house)


def row_of(table: str, no: int, player: str, banker: str, **columns: str) -> dict[str, str]:
    """A settled baccarat round of eight decks, `no` minutes after noon on 1 March 2024."""
    start = dt.datetime(2024, 3, 1, 12, tzinfo=MACAU) + dt.timedelta(minutes=no)
    row = {
        "round_id": f"{table}-{no}",
        "casino": CASINO,
        "table_id": table,
        "shoe_id": f"{table}-S",
        "round_no": str(no),
        "game": "baccarat",
        "status": "settled",
        "started_at": stamp(start),
        "ended_at": stamp(start + SECOND * 40),
        "player_cards": player,
        "banker_cards": banker,
        "decks": "8",
        "commission": "standard",
    }
    return row | columns


def wager_of(row: dict[str, str], bet: str, stake: str, payout: str, **columns: str) -> dict[str, str]:
    """A wager on a round."""
    wager = {"wager_id": f"{row['round_id']}-{bet}-{len(columns)}", "round_id": row["round_id"], "bet": bet}
    return wager | {"stake": stake, "payout": payout} | columns


def on(row: dict[str, str], day: str) -> dict[str, str]:
    """The same round on another day, at the same time."""
    for column in ("started_at", "ended_at"):
        row[column] = day + row[column][10:]
    return row


def entry_of(table: str, option: str, value: str, ident: str = "", **columns: str) -> dict[str, str]:
    """A granted entry for one table that covers from 15 January 2024, applied for in good time."""
    entry = {
        "approval_id": ident or f"{table}-A",
        "casino": "",
        "game": "baccarat",
        "option": option,
        "value": value,
        "tables": table,
        "applied_at": "2024-01-02T10:00:00+08:00",
        "decision": "granted",
        "authorised_at": "2024-01-10",
        "planned_from": "2024-01-15",
        "ends_on": "",
    }
    return entry | columns


def event_of(table: str, kind: str, row: dict[str, str], seconds: int, **columns: str) -> dict[str, str]:
    """An event at the table of a round, `seconds` after its start."""
    at = stamp(dt.datetime.fromisoformat(row["started_at"]) + SECOND * seconds)
    return {"casino": CASINO, "table_id": table, "shoe_id": f"{table}-S", "event": kind, "at": at} | columns


BANKER_9 = ("10S 7H", "KD 9C")
BANKER_6 = ("10S 2H 3D", "KD 6C")
BANKER_37 = ("10S 2H 2D", "KD 2C 5S")
TIE = ("10S 7H", "KD 7C")
