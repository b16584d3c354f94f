"""Slips in a register, a shoe, the events or the log itself: each a single change of a log."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Mapping

from tests.oracle.dealer import SECOND, Log, Rows, stamp
from tests.oracle.rows import MACAU
from tests.oracle.slips_of_rounds import Change, Keys, paid, round_field, wager_field


def _shown(log: Log, entry: Mapping[str, str]) -> bool:
    """Whether the log shows the use of an entry's choice."""
    if entry["option"] in ("commission", "draw_method"):
        return any(r[entry["option"]] == entry["value"] for r in log.rounds if r["table_id"] == entry["tables"])
    return True


def _entry_changed(log: Log, rng: random.Random, **columns: str) -> tuple[Log, dict[str, str]] | None:
    new = log.copy()
    places = [row for row in new.approvals if _shown(log, row)]
    if not places:
        return None
    row = rng.choice(places)
    row.update(columns)
    return new, row


def option_unauthorised(log: Log, rng: random.Random) -> Change | None:
    """The entry that covers a choice in use is refused: OPT-001."""
    done = _entry_changed(log, rng, decision=rng.choice(["refused", "pending"]))
    if done is None:
        return None
    new, row = done
    return new, [("OPT-001", row["casino"], row["tables"], row["game"], row["option"], row["value"], None)]


def option_early(log: Log, rng: random.Random) -> Change | None:
    """A choice in use is authorised only from later on: OPT-002."""
    later = dt.datetime.fromisoformat(log.rounds[0]["started_at"]).date() + dt.timedelta(days=3)
    done = _entry_changed(log, rng, planned_from=later.isoformat())
    if done is None:
        return None
    new, row = done
    return new, [
        ("OPT-002", row["casino"], row["tables"], row["game"], row["option"], row["value"], row["approval_id"])
    ]


def option_expired(log: Log, rng: random.Random) -> Change | None:
    """The authorisation of a choice in use ended before: OPT-003."""
    before = dt.datetime.fromisoformat(log.rounds[0]["started_at"]).date() - dt.timedelta(days=1)
    done = _entry_changed(log, rng, ends_on=before.isoformat())
    if done is None:
        return None
    new, row = done
    return new, [
        ("OPT-003", row["casino"], row["tables"], row["game"], row["option"], row["value"], row["approval_id"])
    ]


def notice_short(log: Log, rng: random.Random) -> Change | None:
    """The application came the day before the planned adoption: APR-001."""
    if not log.approvals or not all(entry["planned_from"] for entry in log.approvals):
        return None
    new = log.copy()
    row = rng.choice(new.approvals)
    planned = dt.date.fromisoformat(row["planned_from"])
    row["applied_at"] = stamp(dt.datetime.combine(planned - dt.timedelta(days=1), dt.time(11), MACAU))
    return new, [("APR-001", row["approval_id"])]


def application_missing(log: Log, rng: random.Random) -> Change | None:
    """A granted entry names no application: APR-002."""
    done = _entry_changed(log, rng, applied_at="")
    return None if done is None else (done[0], [("APR-002", done[1]["approval_id"])])


def _shoe_key(code: str, row: Mapping[str, str]) -> tuple[object, ...]:
    return (code, row["casino"], row["table_id"], row["shoe_id"])


def _shoe_rounds(log: Log, rng: random.Random) -> Rows:
    rows = [r for r in log.rounds if r["shoe_id"] and r["dealing"] != "auto_shuffler"]
    rng.shuffle(rows)
    return rows


def decks_changed(log: Log, rng: random.Random) -> Change | None:
    """The number of decks changes within a shoe: SHO-001."""
    for row in _shoe_rounds(log, rng):
        return round_field(log, row, "decks", str(int(row["decks"] or 8) + 1)), [_shoe_key("SHO-001", row)]
    return None


def few_decks(log: Log, rng: random.Random) -> Change | None:
    """A shoe of five decks: SHO-001."""
    for row in _shoe_rounds(log, rng):
        new = log.copy()
        for other in new.rounds:
            if other["shoe_id"] == row["shoe_id"]:
                other["decks"] = "5"
        return new, [_shoe_key("SHO-001", row)]
    return None


def card_surplus(log: Log, rng: random.Random) -> Change | None:
    """Void rounds bring more copies of one card than the shoe has decks: SHO-002."""
    rows = [r for r in _shoe_rounds(log, rng) if r["player_cards"][-1] in "SHDC"]
    if not rows:
        return None
    shoe = [r for r in log.rounds if r["shoe_id"] == rows[0]["shoe_id"]]
    last = max(shoe, key=lambda r: int(r["round_no"]))
    new = log.copy()
    for n in range(int(last["decks"] or 12) // 6 + 1):
        row = dict(last)
        start = dt.datetime.fromisoformat(last["ended_at"] or last["started_at"]) + SECOND * (n + 1)
        row |= {
            "round_id": f"{last['round_id']}-V{n}",
            "round_no": str(int(last["round_no"]) + 1 + n),
            "status": "void",
            "void_reason": "cards spilt",
            "started_at": stamp(start),
            "ended_at": stamp(start),
            "player_cards": "KS KS KS",
            "banker_cards": "KS KS KS",
            "deal_sequence": "",
            "outcome": "",
        }
        new.rounds.append(row)
    return new, [(*_shoe_key("SHO-002", last), "KS")]


def late_demonstration(log: Log, rng: random.Random) -> Change | None:
    """A demonstration after settled rounds, with wagers on it: SHO-003 and PAY-005."""
    for row in _shoe_rounds(log, rng):
        before = [
            r
            for r in log.rounds
            if r["shoe_id"] == row["shoe_id"] and r["status"] == "settled" and int(r["round_no"]) < int(row["round_no"])
        ]
        if row["status"] == "settled" and before:
            keys: Keys = [("PAY-005", w["wager_id"]) for w in log.wagers_of(row["round_id"])]
            return round_field(log, row, "status", "demonstration"), [_shoe_key("SHO-003", row), *keys]
    return None


def fourth_demonstration(log: Log, rng: random.Random) -> Change | None:
    """A fourth demonstration round at the start of a shoe: SHO-003."""
    shoes = {r["shoe_id"] for r in _shoe_rounds(log, rng)}
    for shoe in sorted(shoes):
        rows = sorted((r for r in log.rounds if r["shoe_id"] == shoe), key=lambda r: int(r["round_no"]))
        if len(rows) > 4 and sum(r["status"] == "demonstration" for r in rows) == 3:
            new = round_field(log, rows[3], "status", "demonstration")
            new.wagers = [w for w in new.wagers if w["round_id"] != rows[3]["round_id"]]
            return new, [_shoe_key("SHO-003", rows[3])]
    return None


def cut_card_early(log: Log, rng: random.Random) -> Change | None:
    """The cut card came out three rounds or more before the end: SHO-004."""
    outs = [e for e in log.events if e["event"] == "cut_card_out"]
    if not outs:
        return None
    shoe = rng.choice(outs)["shoe_id"]
    rows = sorted((r for r in log.rounds if r["shoe_id"] == shoe), key=lambda r: int(r["round_no"]))
    if len(rows) < 4:
        return None
    new = log.copy()
    event = next(e for e in new.events if e["shoe_id"] == shoe and e["event"] == "cut_card_out")
    event["at"] = stamp(dt.datetime.fromisoformat(rows[-4]["started_at"]) + SECOND * 10)
    return new, [_shoe_key("SHO-004", rows[0])]


def _event_changed(log: Log, rng: random.Random, kind: str, **columns: str) -> tuple[Log, dict[str, str]] | None:
    places = [n for n, e in enumerate(log.events) if e["event"] == kind]
    if not places:
        return None
    new = log.copy()
    event = new.events[rng.choice(places)]
    event.update(columns)
    return new, event


def burn_off(log: Log, rng: random.Random) -> Change | None:
    """The burn does not follow its rule: SHO-005."""
    done = _event_changed(log, rng, "burn", count="30")
    if done is None or done[1]["burn_rule"] == "fixed":
        return None
    return done[0], [_shoe_key("SHO-005", done[1])]


def cut_card_low(log: Log, rng: random.Random) -> Change | None:
    """The cut card was placed five cards from the end: SHO-006."""
    done = _event_changed(log, rng, "cut_card_placed", count="5")
    return None if done is None else (done[0], [_shoe_key("SHO-006", done[1])])


def shoe_changed_in_round(log: Log, rng: random.Random) -> Change | None:
    """The shoe was changed while a round was going on: SHO-007."""
    for row in _shoe_rounds(log, rng):
        at = stamp(dt.datetime.fromisoformat(row["started_at"]) + SECOND * 15)
        new = log.copy()
        new.events.append(
            {
                "table_id": row["table_id"],
                "shoe_id": row["shoe_id"],
                "casino": row["casino"],
                "event": "shoe_change",
                "at": at,
            }
        )
        return new, [("SHO-007", row["round_id"])]
    return None


def round_lost(log: Log, rng: random.Random) -> Change | None:
    """A round in the middle of a shoe is missing from the log: LOG-002."""
    for row in _shoe_rounds(log, rng):
        numbers = [int(r["round_no"]) for r in log.rounds if r["shoe_id"] == row["shoe_id"]]
        if min(numbers) < int(row["round_no"]) < max(numbers):
            new = log.copy()
            new.rounds = [r for r in new.rounds if r["round_id"] != row["round_id"]]
            new.wagers = [w for w in new.wagers if w["round_id"] != row["round_id"]]
            return new, [_shoe_key("LOG-002", row)]
    return None


def rounds_overlap(log: Log, rng: random.Random) -> Change | None:
    """A round starts before the one before it ended: LOG-003."""
    order = sorted(log.rounds, key=lambda r: r["started_at"])
    if len(order) < 2:
        return None
    place = rng.randrange(len(order) - 1)
    before, after = order[place], order[place + 1]
    late = stamp(dt.datetime.fromisoformat(after["started_at"]) + SECOND)
    key = ("LOG-003", after["casino"], after["table_id"], after["round_id"])
    return round_field(log, before, "ended_at", late), [key]


def round_repeated(log: Log, rng: random.Random) -> Change | None:
    """An exact repeat of a round is dropped and counted: no finding."""
    new = log.copy()
    new.rounds.append(dict(rng.choice(log.rounds)))
    return new, []


def round_twice(log: Log, rng: random.Random) -> Change | None:
    """The same round id with other content: LOG-001."""
    row = rng.choice(log.rounds)
    new = log.copy()
    new.rounds.append(row | {"void_reason": "second version"})
    return new, [("LOG-001", row["round_id"])]


def wager_twice(log: Log, rng: random.Random) -> Change | None:
    """The same wager id with other content: LOG-005."""
    if not log.wagers:
        return None
    row = rng.choice(log.wagers)
    new = log.copy()
    new.wagers.append(row | {"seat": "99"})
    return new, [("LOG-005", row["wager_id"])]


def wager_orphaned(log: Log, rng: random.Random) -> Change | None:
    """A wager names a round that is not in the log: LOG-004."""
    if not log.wagers:
        return None
    row = rng.choice(log.wagers)
    return wager_field(log, row, "round_id", "no-such-round"), [("LOG-004", row["wager_id"])]


def void_unfounded(log: Log, _rng: random.Random) -> Change | None:
    """A complete round is void without a reason: RES-004."""
    for row in log.rounds:
        if row["status"] == "void":
            return round_field(log, row, "void_reason", ""), [("RES-004", row["round_id"])]
    return None


def void_not_returned(log: Log, rng: random.Random) -> Change | None:
    """A wager of a void round was not handed back: PAY-005."""
    void = {r["round_id"] for r in log.rounds if r["status"] == "void"}
    rows = [w for w in log.wagers if w["round_id"] in void]
    if not rows:
        return None
    row = rng.choice(rows)
    return wager_field(log, row, "stake_returned", "0"), [("PAY-005", row["wager_id"])]


def demonstration_wager(log: Log, rng: random.Random) -> Change | None:
    """A wager was taken on a demonstration round: PAY-005."""
    shown = [r for r in log.rounds if r["status"] == "demonstration"]
    if not shown or not log.wagers:
        return None
    row = rng.choice(shown)
    new = log.copy()
    wager = log.wagers[0] | {"wager_id": f"{row['round_id']}-X", "round_id": row["round_id"], "bet": "player"}
    new.wagers.append(wager | {"payout": "0", "commission": "0", "stake_returned": "0", "tie_choice": ""})
    return new, [("PAY-005", f"{row['round_id']}-X")]


def strange_bet(log: Log, rng: random.Random) -> Change | None:
    """A bet that neither the regulation nor the register knows: OPT-001 where it can be said."""
    rows = paid(log, rng)
    if not rows:
        return None
    new = wager_field(log, rows[0], "bet", "rainbow")
    return new, []
