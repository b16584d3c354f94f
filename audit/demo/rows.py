"""The made-up day as rows of the canonical tables: results and payments computed by the production functions."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from typing import Final

from audit.base.canonical import EVENTS, ROUNDS, WAGERS
from audit.base.model import Outcome, Scheme, Status, legal_day, money_text, total
from audit.demo.day import CASINO, Day, DemoEvent, DemoWager, Play
from audit.explanation.explain import facts_of
from audit.games.settlement import SIDE_BETS, amounts, due
from audit.gate.suites import REGISTER_COLUMNS
from audit.rulebook import Rulebook

Row = dict[str, str]

_COLUMNS: Final = {
    "rounds": ROUNDS.names,
    "wagers": WAGERS.names,
    "events": EVENTS.names,
    "approvals": REGISTER_COLUMNS,
}
_BY_ID: Final = {"rounds": "round_id", "wagers": "wager_id"}

REGISTER: Final = """
D-001 baccarat  tie           cancelled     *
D-002 makccarat tie           cancelled     *
D-003 baccarat  burn          first_card    B01
D-004 baccarat  demonstration allowed       B01
D-005 baccarat  burn          fixed_5       B03
D-006 baccarat  commission    none          B03
D-007 baccarat  dealing       auto_shuffler B04
D-008 makccarat draw_method   method_1      M01
D-009 makccarat last_round    one_more      M01
D-010 makccarat draw_method   method_2      M02
D-011 makccarat commission    none          M02
D-012 baccarat  commission    none          B02
"""
"""The house's register: reference, game, option, value, tables; the last entry is still pending."""

_DATES: Final = {
    "applied_at": "2024-01-15T10:00:00+08:00",
    "authorised_at": "2024-01-26",
    "planned_from": "2024-02-01",
    "ends_on": "",
}


@dataclass
class Rows:
    """The four tables as text, each row a mapping of the columns that it fills."""

    rounds: list[Row] = field(default_factory=list)
    wagers: list[Row] = field(default_factory=list)
    events: list[Row] = field(default_factory=list)
    approvals: list[Row] = field(default_factory=list)

    def round(self, play: Play) -> Row:
        """The row of a round."""
        return next(row for row in self.rounds if row["round_id"] == play.round_id)

    def wager(self, wager: DemoWager) -> Row:
        """The row of a wager."""
        return next(row for row in self.wagers if row["wager_id"] == wager.wager_id)

    def of(self, play: Play) -> list[Row]:
        """The wagers of a round."""
        return [row for row in self.wagers if row["round_id"] == play.round_id]

    def approval(self, approval_id: str) -> Row:
        """The row of an entry of the register."""
        return next(row for row in self.approvals if row["approval_id"] == approval_id)

    def write(self, folder: Path) -> dict[str, Path]:
        """Write each table as CSV; rounds and wagers in the order of their ids."""
        paths = {}
        for name, columns in _COLUMNS.items():
            rows: Iterable[Row] = getattr(self, name)
            if name in _BY_ID:
                rows = sorted(rows, key=itemgetter(_BY_ID[name]))
            paths[name] = folder / f"{name}.csv"
            with paths[name].open("w", encoding="utf-8", newline="") as out:
                writer = csv.DictWriter(out, columns, restval="", lineterminator="\n")
                writer.writeheader()
                writer.writerows(rows)
        return paths


def rows_of(day: Day, rulebook: Rulebook) -> Rows:
    """Every row of the day as a truthful house would write it."""
    rows = Rows(approvals=_register())
    for play in day.plays:
        rows.rounds.append(_round(play))
        rows.wagers += [_wager(rulebook, play, wager) for wager in play.wagers]
    rows.events = [_event(event) for event in sorted(day.events, key=lambda e: (e.at, e.table.table_id))]
    return rows


def _register() -> list[Row]:
    rows = []
    for line in REGISTER.split("\n"):
        if line:
            columns = ("approval_id", "game", "option", "value", "tables")
            row = dict(zip(columns, line.split(), strict=True)) | _DATES | {"casino": CASINO, "decision": "granted"}
            rows.append(row)
    rows[-1] |= {"decision": "pending", "authorised_at": "", "planned_from": "2024-03-20"}
    return rows


def _round(play: Play) -> Row:
    table, player, banker = play.table, play.player, play.banker
    facts = facts_of(player, banker)
    return {
        "round_id": play.round_id,
        "casino": CASINO,
        "table_id": table.table_id,
        "shoe_id": play.shoe_id or "",
        "round_no": str(play.number),
        "game": table.game,
        "status": play.status.value,
        "void_reason": play.void_reason or "",
        "started_at": play.start.isoformat(),
        "ended_at": play.end.isoformat(),
        "player_cards": " ".join(map(str, player)),
        "banker_cards": " ".join(map(str, banker)),
        "deal_sequence": play.sequence,
        "outcome": facts.outcome.value,
        "player_points": str(total(player)),
        "banker_points": str(total(banker)),
        "player_pair": str(facts.player_pair).lower(),
        "banker_pair": str(facts.banker_pair).lower(),
        "decks": str(table.decks),
        "dealing": table.dealing.value,
        "draw_method": table.method.value if table.method else "",
        "commission": table.scheme.value,
    }


def _wager(rulebook: Rulebook, play: Play, wager: DemoWager) -> Row:
    row = {
        "wager_id": wager.wager_id,
        "round_id": play.round_id,
        "seat": wager.seat,
        "bet": wager.bet,
        "stake": money_text(wager.stake),
        "currency": "HKD",
        "placed_at": play.start.isoformat(),
    }
    return row | payment(rulebook, play, wager, play.table.scheme)


def payment(rulebook: Rulebook, play: Play, wager: DemoWager, scheme: Scheme) -> Row:
    """The columns of a wager that say what was paid, as due under `scheme`."""
    if play.status is not Status.SETTLED:
        return {"payout": "0.00", "commission": "0.00", "stake_returned": money_text(wager.stake), "tie_choice": ""}
    rules = rulebook.on(play.table.game, legal_day(play.start))
    facts = facts_of(play.player, play.banker)
    owed = amounts(due(wager.bet, facts, rules, scheme=scheme, method=play.table.method), wager.stake)
    tied = wager.bet in SIDE_BETS and facts.outcome is Outcome.TIE
    return {
        "payout": money_text(owed.payout),
        "commission": money_text(max(owed.commission)),
        "stake_returned": money_text(owed.returned),
        "tie_choice": "cancelled" if tied else "",
    }


def _event(event: DemoEvent) -> Row:
    plain: Mapping[str, object] = {
        "casino": CASINO,
        "table_id": event.table.table_id,
        "shoe_id": event.shoe_id,
        "at": event.at.isoformat(),
        "event": event.event,
        "cards": event.cards,
        "count": event.count,
        "burn_rule": event.burn_rule,
    }
    return {name: "" if value is None else str(value) for name, value in plain.items()}
