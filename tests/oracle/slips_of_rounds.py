"""Slips in one hand, one record or one payment: each a single change of a log.

A slip takes a log and a random source and gives back the changed log with the keys (`Found.key`) that the contract says
must appear, or None where the log has no fit place.
"""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Callable, Mapping
from decimal import Decimal

from tests.oracle import settlement
from tests.oracle.dealer import FIFTY_TWO, RANKS, Log, points

Keys = list[tuple[object, ...]]
Change = tuple[Log, Keys]
Slip = Callable[[Log, random.Random], "Change | None"]


def settled(log: Log, rng: random.Random) -> list[dict[str, str]]:
    """Settled rounds with cards, in any order."""
    rows = [r for r in log.rounds if r["status"] == "settled" and r["player_cards"]]
    rng.shuffle(rows)
    return rows


def paid(log: Log, rng: random.Random, *, known: bool = True) -> list[dict[str, str]]:
    """Wagers of settled rounds, on bets whose due is known."""
    settled = {r["round_id"] for r in log.rounds if r["status"] == "settled"}
    usual = ("player", "banker", "tie", "player_pair", "banker_pair", "lucky_six")
    rows = [w for w in log.wagers if w["round_id"] in settled and (not known or w["bet"] in usual)]
    rng.shuffle(rows)
    return rows


def _order(row: Mapping[str, str], player: list[str], banker: list[str]) -> str:
    extra = row["deal_sequence"][4:]
    now = "PBPB"
    for letter, hand in (("P", player), ("B", banker)):
        if len(hand) > 2 and letter not in extra:
            extra += letter
        if len(hand) < 3:
            extra = extra.replace(letter, "")
    return now + extra


def _with_hand(log: Log, ident: str, player: list[str], banker: list[str]) -> Log:
    new = log.copy()
    row = next(r for r in new.rounds if r["round_id"] == ident)
    row["deal_sequence"] = _order(row, player, banker) if row["deal_sequence"] else ""
    row["player_cards"], row["banker_cards"] = " ".join(player), " ".join(banker)
    return new


def card_dropped(log: Log, rng: random.Random) -> Change | None:
    """A third card that had to be drawn was not: DRW-001."""
    for row in settled(log, rng):
        hands = {"player": row["player_cards"].split(), "banker": row["banker_cards"].split()}
        sides = [side for side, hand in hands.items() if len(hand) == 3]
        if sides:
            side = rng.choice(sides)
            hands[side] = hands[side][:2]
            return _with_hand(log, row["round_id"], **hands), [("DRW-001", row["round_id"], side)]
    return None


def card_added(log: Log, rng: random.Random) -> Change | None:
    """A side that had to stand drew: DRW-002."""
    for row in settled(log, rng):
        hands = {"player": row["player_cards"].split(), "banker": row["banker_cards"].split()}
        sides = [side for side, hand in hands.items() if len(hand) == 2]
        if sides:
            side = rng.choice(sides)
            suited = row["player_cards"][-1] in "SHDC"
            hands[side] = [*hands[side], rng.choice(FIFTY_TWO) if suited else rng.choice(RANKS)]
            return _with_hand(log, row["round_id"], **hands), [("DRW-002", row["round_id"], side)]
    return None


def fourth_card(log: Log, rng: random.Random) -> Change | None:
    """A side has four cards: DRW-004, and nothing else about the hand."""
    for row in settled(log, rng):
        hands = {"player": row["player_cards"].split(), "banker": row["banker_cards"].split()}
        side = rng.choice(["player", "banker"])
        while len(hands[side]) < 4:
            hands[side].append(rng.choice(FIFTY_TWO) if row["player_cards"][-1] in "SHDC" else rng.choice(RANKS))
        new = log.copy()
        changed = next(r for r in new.rounds if r["round_id"] == row["round_id"])
        changed[f"{side}_cards"], changed["deal_sequence"] = " ".join(hands[side]), ""
        return new, [("DRW-004", row["round_id"], None)]
    return None


def round_field(log: Log, row: Mapping[str, str], column: str, value: str) -> Log:
    """The log with one column of one round changed."""
    new = log.copy()
    next(r for r in new.rounds if r["round_id"] == row["round_id"])[column] = value
    return new


def outcome_flipped(log: Log, rng: random.Random) -> Change | None:
    """The recorded outcome is not that of the cards: RES-002."""
    for row in settled(log, rng):
        other = rng.choice([o for o in ("player", "banker", "tie") if o != row["outcome"]])
        return round_field(log, row, "outcome", other), [("RES-002", row["round_id"])]
    return None


def points_off(log: Log, rng: random.Random) -> Change | None:
    """Recorded points are not those of the cards: RES-001."""
    for row in settled(log, rng):
        side = rng.choice(["player", "banker"])
        wrong = str((int(row[f"{side}_points"] or 0) + rng.randint(1, 9)) % 10)
        return round_field(log, row, f"{side}_points", wrong), [("RES-001", row["round_id"], side)]
    return None


def pair_flipped(log: Log, rng: random.Random) -> Change | None:
    """A recorded pair is not that of the first two cards: RES-003."""
    for row in settled(log, rng):
        side = rng.choice(["player", "banker"])
        wrong = "false" if row[f"{side}_pair"] == "true" else "true"
        return round_field(log, row, f"{side}_pair", wrong), [("RES-003", row["round_id"], side)]
    return None


def sequence_swapped(log: Log, rng: random.Random) -> Change | None:
    """The cards were dealt in another order: DRW-003."""
    for row in settled(log, rng):
        order = row["deal_sequence"]
        if order:
            return round_field(log, row, "deal_sequence", "BPBP" + order[4:]), [("DRW-003", row["round_id"], None)]
    return None


def wager_field(log: Log, wager: Mapping[str, str], column: str, value: str) -> Log:
    """The log with one column of one wager changed."""
    new = log.copy()
    next(w for w in new.wagers if w["wager_id"] == wager["wager_id"])[column] = value
    return new


def overpaid(log: Log, rng: random.Random) -> Change | None:
    """One wager was paid more than is due: PAY-001."""
    for wager in paid(log, rng):
        more = str(Decimal(wager["payout"]) + rng.choice([Decimal("0.01"), Decimal(17), Decimal("1000.25")]))
        return wager_field(log, wager, "payout", more), [("PAY-001", wager["wager_id"])]
    return None


def underpaid(log: Log, rng: random.Random) -> Change | None:
    """One winning wager was paid less than is due: PAY-002."""
    for wager in paid(log, rng):
        if Decimal(wager["payout"]) > 1:
            less = str(Decimal(wager["payout"]) - rng.choice([Decimal("0.01"), Decimal(1)]))
            return wager_field(log, wager, "payout", less), [("PAY-002", wager["wager_id"])]
    return None


def commission_off(log: Log, rng: random.Random) -> Change | None:
    """The commission recorded is not that of the scheme, the payout is right: PAY-003."""
    for wager in paid(log, rng):
        more = str(Decimal(wager["commission"] or 0) + Decimal("0.37"))
        return wager_field(log, wager, "commission", more), [("PAY-003", wager["wager_id"])]
    return None


def stake_kept(log: Log, rng: random.Random) -> Change | None:
    """The stake of a winning wager was not handed back: PAY-004."""
    for wager in paid(log, rng):
        if Decimal(wager["payout"]) > 0:
            return wager_field(log, wager, "stake_returned", "0"), [("PAY-004", wager["wager_id"])]
    return None


def losing_stake_returned(log: Log, rng: random.Random) -> Change | None:
    """The stake of a losing wager was handed back: PAY-004."""
    result = {r["round_id"]: r["outcome"] for r in log.rounds}
    for wager in paid(log, rng):
        if wager["bet"] in settlement.MAIN and result[wager["round_id"]] not in (wager["bet"], "tie"):
            return wager_field(log, wager, "stake_returned", wager["stake"]), [("PAY-004", wager["wager_id"])]
    return None


def wrong_scheme(log: Log, _rng: random.Random) -> Change | None:
    """A whole day of main wagers was paid by the scheme that is not the recorded one: OPT-004 where it shows."""
    new = log.copy()
    rounds = {r["round_id"]: r for r in new.rounds}
    for wager in new.wagers:
        row = rounds.get(wager["round_id"])
        if row is None or row["status"] != "settled" or wager["bet"] not in settlement.MAIN or not row["commission"]:
            continue
        table = settlement.Table(
            row["game"],
            dt.datetime.fromisoformat(row["started_at"]).date(),
            points(row["player_cards"].split()),
            points(row["banker_cards"].split()),
        )
        other = "none" if row["commission"] == "standard" else "standard"
        due = settlement.due_on_settled(table, wager["bet"], Decimal(wager["stake"]), scheme=other)
        if due.payout:
            wager["payout"], wager["commission"] = str(due.payout), str(due.commissions[0])
    return new, []
