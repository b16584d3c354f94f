"""Tables and shoes as data: every round on a line, the cards seen against the decks, events and totals."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from audit.base.columns import UNRECORDED
from audit.base.days import instant
from audit.base.model import MONEY_SCALE, RANKS, SUITS, Card, money_text
from audit.checks.events import ShoeEvent
from audit.evidence.hand_evidence import of_round
from audit.findings.table import records
from audit.investigate.scene import Scene
from audit.register.approval import Approval, Decision
from audit.replay.hands import card_number

Json = dict[str, Any]


def records_where(findings: pa.Table, mask: pa.ChunkedArray) -> list[Json]:
    """The findings where `mask` holds, as plain values."""
    return list(records(findings.filter(mask)))


def verdict(scene: Scene, i: int) -> str:
    """Judging rule 14, on the findings made here."""
    if scene.case.violation[i]:
        return "violation"
    return "not_evaluated" if scene.case.unanswered[i] else "conforming"


def approvals_at(scene: Scene, subject: Mapping[str, Any]) -> list[Json] | None:
    """The entries of the register that name the table, and whether each held on the day; None without a register."""
    register = scene.case.register
    if register is None:
        return None
    return [
        {
            "approval_id": entry.approval_id,
            "option": entry.option,
            "value": entry.value,
            "tables": " ".join(entry.tables),
            "authorised_at": _day(entry.authorised_at),
            "planned_from": _day(entry.planned_from),
            "ends_on": _day(entry.ends_on),
            "state": _entry_state(entry, subject["legal_day"]),
            "file": entry.file,
            "row": entry.row,
        }
        for entry in register.approvals
        if entry.game == subject["game"] and entry.names_table(subject["casino"], subject["table_id"])
    ]


def _day(value: dt.date | None) -> str | None:
    """A day as ISO text."""
    return None if value is None else value.isoformat()


def _entry_state(entry: Approval, day: dt.date) -> str:
    """authorised, early, expired, pending, refused, or not_evaluated for an entry that gives no cover."""
    if entry.decision is not Decision.GRANTED:
        return entry.decision.value
    if entry.covers(day):
        return "authorised"
    if entry.start is None:
        return "not_evaluated"
    return "early" if day < entry.start else "expired"


def in_order(scene: Scene, places: Any) -> Any:
    """Rounds in the order of their shoe's numbers, or of time where there is no shoe."""
    rounds = scene.rounds
    by_number = (rounds.shoe[places] != UNRECORDED).all() and len(np.unique(rounds.shoe[places])) == 1
    keys = (rounds.round_no[places],) if by_number else (rounds.round_no[places], rounds.start[places])
    return places[np.lexsort(keys)]


def round_line(scene: Scene, i: int, findings: pa.Table) -> Json:
    """One round on one line."""
    replay = of_round(scene.case, i)
    rounds = scene.rounds
    subject = rounds.subject(i)
    codes = findings.filter(pc.fill_null(pc.equal(findings["round_id"], subject["round_id"]), fill_value=False))["code"]
    return {
        "round_id": subject["round_id"],
        "shoe_id": subject["shoe_id"],
        "round_no": int(rounds.round_no[i]),
        "started_at": instant(int(rounds.start[i])).isoformat(),
        "status": scene.typed["status"][i].as_py(),
        "player_cards": replay["player_cards"],
        "banker_cards": replay["banker_cards"],
        "player_points": replay["player_points"],
        "banker_points": replay["banker_points"],
        "outcome": replay["outcome"],
        "recorded_outcome": replay["recorded_outcome"],
        "verdict": verdict(scene, i),
        "findings": sorted(set(codes.to_pylist())),
        "file": subject["source_file"],
        "row": subject["source_row"],
    }


def shoe_content(scene: Scene, findings: pa.Table, places: Any) -> Json:
    """A whole shoe: cards by rank and suit against its decks, burnt cards, events, the run of results."""
    rounds = scene.rounds
    first = int(places[0])
    subject = rounds.subject(first)
    seen: Counter[int] = Counter()
    for i in places:
        for hand in (rounds.player_hand[i], rounds.banker_hand[i]):
            seen.update(rounds.names.hands.all_cards(int(hand)))
    events = [event for event in scene.events if event.shoe_id == subject["shoe_id"]]
    burnt = [number for event in events if event.event == "burn" for number in event.numbers]
    seen.update(burnt)
    decks = sorted({int(d) for d in scene.typed["decks"].take(pa.array(places)).to_pylist() if d is not None})
    lines = [round_line(scene, int(j), findings) for j in in_order(scene, places)]
    about = pc.equal(findings["table_id"], subject["table_id"])
    about = pc.and_(about, pc.equal(findings["shoe_id"], subject["shoe_id"]))
    about = pc.and_(about, pc.is_null(findings["round_id"]))
    named = records_where(findings, pc.fill_null(about, fill_value=False))
    whole = decks[0] if len(decks) == 1 else None
    letters = {"player": "P", "banker": "B", "tie": "T"}
    return {
        "table_id": subject["table_id"],
        "casino": subject["casino"],
        "game": subject["game"],
        "shoe_id": subject["shoe_id"],
        "decks": decks,
        "rounds": len(lines),
        "cards_seen": sum(seen.values()),
        "cards_in_shoe": None if whole is None else 52 * whole,
        "cards": _grid(seen, whole),
        "results": "".join(letters.get(line["outcome"] or "", "-") for line in lines),
        "events": [_event(event) for event in events],
        "findings": [row for row in named if row["casino"] == subject["casino"]],
    }


def _event(event: ShoeEvent) -> Json:
    return {
        "at": instant(event.at).isoformat(),
        "event": event.event,
        "count": event.count,
        "cards": event.cards,
        "burn_rule": event.burn_rule,
        "file": event.source_file,
        "row": event.source_row,
    }


def _grid(seen: Counter[int], decks: int | None) -> list[Json]:
    """Copies seen of each rank, by suit (`?` where the log has none) and in all, with those above the decks marked."""
    rows = []
    for rank_number, rank in enumerate(RANKS):
        by_suit = {suit: seen[rank_number * 4 + place] for place, suit in enumerate(SUITS)}
        unknown = seen[_suitless(rank_number)]
        over = [suit for suit, copies in by_suit.items() if decks is not None and copies > decks]
        total = sum(by_suit.values()) + unknown
        rows.append(
            {
                "rank": rank,
                **by_suit,
                "?": unknown,
                "total": total,
                "limit": None if decks is None else 4 * decks,
                "over": [*over, *(["total"] if decks is not None and total > 4 * decks else [])],
            }
        )
    return rows


def _suitless(rank: int) -> int:
    """The number under which cards of a rank without a suit are counted."""
    return card_number(Card(RANKS[rank]))


def table_content(scene: Scene, findings: pa.Table, *, one_shoe: bool) -> Json:
    """A table, or one shoe of it: every round on a line, totals, findings."""
    places = scene.asked
    subject = scene.rounds.subject(int(places[0]))
    lines = [round_line(scene, int(i), findings) for i in in_order(scene, places)]
    mask = pc.fill_null(pc.equal(findings["table_id"], subject["table_id"]), fill_value=False)
    named = [row for row in records_where(findings, mask) if row["casino"] == subject["casino"]]
    if one_shoe:
        shoe = subject["shoe_id"]
        named = [row for row in named if row["shoe_id"] == shoe]
    here = set(places.tolist())
    wagers = [
        {"currency": b.currency_of(j), "stake": money_text(int(b.stake[j])), "payout": money_text(int(b.payout[j]))}
        for b in scene.wagers
        for j in range(len(b))
        if int(b.at[j]) in here
    ]
    names = ("casino", "table_id", "game")
    return {
        "table": {n: subject[n] for n in names} | {"shoe_id": subject["shoe_id"] if one_shoe else None},
        "shoes": sorted({line["shoe_id"] for line in lines if line["shoe_id"] is not None}),
        "verdicts": dict(Counter(line["verdict"] for line in lines)),
        "rounds": lines,
        "money": [{k: v for k, v in line.items() if k != "difference"} for line in sums(wagers)],
        "findings": named,
        "approvals": _approvals_of_table(scene, places),
        "shoe": shoe_content(scene, findings, places) if one_shoe else None,
    }


def _approvals_of_table(scene: Scene, places: Any) -> list[Json] | None:
    """The entries about each game played at the table, on the day of its first round."""
    entries: list[Json] = []
    _, firsts = np.unique(scene.rounds.game[places], return_index=True)
    for first in firsts:
        found = approvals_at(scene, scene.rounds.subject(int(places[first])))
        if found is None:
            return None
        entries += found
    return entries


def sums(wagers: Iterable[Mapping[str, Any]]) -> list[Json]:
    """Number, stakes, payouts and differences (where judged) of wagers, by currency."""
    found: dict[str | None, dict[str, Decimal]] = {}
    for wager in wagers:
        nothing = dict.fromkeys(("wagers", "stake", "payout", "difference"), Decimal(0))
        line = found.setdefault(wager["currency"], nothing)
        line["wagers"] += 1
        for name in ("stake", "payout", "difference"):
            line[name] += Decimal(wager.get(name) or 0)
    return [
        {"currency": currency, "wagers": int(line["wagers"])}
        | {name: money_text(int(line[name].scaleb(MONEY_SCALE))) for name in ("stake", "payout", "difference")}
        for currency, line in sorted(found.items(), key=str)
    ]
