"""Faults planted in the made-up day, each with the finding that it must give, and nothing else.

Some are faults of the cards, made before anything is recorded or paid (results and payments then follow the cards as
they lie); the others are changes of rows.
"""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from audit.base import strict
from audit.base.model import CENT, LANGUAGES, Card, Outcome, Scheme, Side, Status, Text, legal_day, money_text
from audit.catalogue.catalogue import load
from audit.demo.day import CASINO, SEED, Day, DemoEvent, DemoWager, Play
from audit.demo.rows import Row, Rows, payment
from audit.explanation.explain import facts_of, points_of
from audit.games import departure_of, walk
from audit.games.hand_facts import HandFacts
from audit.games.settlement import SIDE_BETS
from audit.rulebook import Rulebook

SUBJECT: Final = (
    "game",
    "table_id",
    "shoe_id",
    "round_id",
    "wager_id",
    "approval_id",
    "side",
    "option",
    "value",
)
"""The columns of a finding that name what it is about."""


@dataclass(frozen=True)
class Planted:
    """One fault: the check that must find it, the subject of the finding (columns of `SUBJECT`), and what was done."""

    code: str
    subject: Mapping[str, str]
    sentence: Text

    def to_json(self) -> dict[str, Any]:
        """The fault as data: code, subject, and the sentence in each language (`sentence` is the English one)."""
        words = {f"sentence_{language}": self.sentence.in_language(language) for language in LANGUAGES}
        return {"code": self.code, "subject": dict(self.subject), "sentence": self.sentence.en, **words}


@cache
def _sentences() -> Mapping[str, Text]:
    content, place = strict.load(Path(__file__).with_name("planted.yaml"))
    if not isinstance(content, dict):
        place.fail("keys and texts are expected")
    return {str(key): strict.text(value, place / key) for key, value in content.items()}


class Planter:
    """Plants every fault of the demonstration: `plant_cards` in the day, `plant_rows` in its rows."""

    def __init__(self, day: Day, rulebook: Rulebook) -> None:
        self.day, self.rulebook = day, rulebook
        self.planted: list[Planted] = []
        self.harmless: list[dict[str, str]] = []
        self._used: set[str] = set()
        self._luck = random.Random(SEED)  # noqa: S311 - a repeatable game, no secret

    def _pick(self, table_id: str, fits: Callable[[Play], bool]) -> Play:
        """One settled round of a table that fits and that no other fault touches, away from the ends of its shoe."""
        plays = self.day.at(table_id)[4:-4]
        edges = {play.round_id for play in plays if play.shoe_id and play.number < 3}
        fitting = [
            play
            for play in plays
            if play.status is Status.SETTLED and play.round_id not in self._used | edges and fits(play)
        ]
        play = self._luck.choice(fitting)
        self._used.add(play.round_id)
        return play

    def _note(self, key: str, code: str, subject: Mapping[str, str | None], **facts: object) -> None:
        known = {name: str(value) for name, value in subject.items() if value is not None}
        words = [
            _sentences()[key].in_language(language).format(**{**known, **facts, **_side_word(known, language)})
            for language in LANGUAGES
        ]
        self.planted.append(Planted(code, known, Text(*words)))

    # --- faults of the cards

    def plant_cards(self) -> None:
        """Change hands and stakes before anything is recorded."""
        for table_id in ("B01", "M01"):
            self._draw_missing(table_id)
            self._draw_forbidden(table_id)
        self._surplus("B03-S1", "9H")
        self._stake_above_limit("B02")

    def _departs(self, play: Play, code: str) -> Side | None:
        """The side of the first departure of a hand, if it is of that kind."""
        points = points_of(play.player, play.banker)
        rules = self.rulebook.on(play.table.game, legal_day(play.start))
        found = departure_of(walk(points, rules, play.table.method)) if points else None
        return found.side if found and found.code == code else None

    def _draw_missing(self, table_id: str) -> None:
        play = self._pick(table_id, lambda p: len(p.player) == len(p.banker) == 3)
        for hand in play.hands.values():
            del hand[2:]
        play.sequence = "PBPB"
        side = self._departs(play, "DRW-001")
        self._note("draw_missing", "DRW-001", _of_round(play) | {"side": side})

    def _draw_forbidden(self, table_id: str) -> None:
        play = self._pick(table_id, lambda p: len(p.player) == len(p.banker) == 2 and p.shoe_id is not None)
        play.hands[Side.PLAYER].append(self.day.spare[str(play.shoe_id)].pop())
        play.sequence = "PBPBP"
        side = self._departs(play, "DRW-002")
        self._note("draw_forbidden", "DRW-002", _of_round(play) | {"side": side})

    def _surplus(self, shoe_id: str, name: str) -> None:
        """Put one copy too many of a card into a shoe, in the place of others of its rank, so that no total changes."""
        card = Card.parse(name)
        plays = self.day.of_shoe(shoe_id)
        decks = plays[0].table.decks
        seen = sum(hand.count(card) for play in plays for hand in play.hands.values())
        for play in plays:
            for hand in play.hands.values():
                for place, other in enumerate(hand):
                    if seen <= decks and other.rank == card.rank and other != card and card not in hand:
                        hand[place] = card
                        seen += 1
        subject = _of_table(plays[0]) | {"shoe_id": shoe_id, "option": "card", "value": name}
        self._note("card_surplus", "SHO-002", subject, copies=seen, decks=decks)

    def _stake_above_limit(self, table_id: str) -> None:
        play = self._pick(table_id, lambda p: p.wagers[0].bet == "player")
        wager = play.wagers[0]
        wager.stake = 25_000 * 100 * CENT
        self._note("stake_limit", "LIM-001", _of_wager(play, wager), stake=money_text(wager.stake))

    # --- faults of the rows

    def plant_rows(self, rows: Rows) -> None:
        """Change what is recorded, paid, authorised and observed."""
        self._records(rows)
        self._payments(rows)
        self._unplayed(rows)
        self._options(rows)
        self._register(rows)
        self._shoes(rows)
        self._log(rows)

    def _records(self, rows: Rows) -> None:
        both = self._pick("B02", lambda p: p.sequence == "PBPBPB")
        rows.round(both)["deal_sequence"] = "PBPBBP"
        self._note("draw_order", "DRW-003", _of_round(both))
        four = self._pick("B02", lambda p: len(p.banker) == 3)
        more = self.day.spare[str(four.shoe_id)].pop()
        rows.round(four)["banker_cards"] += f" {more}"
        self._note("card_count", "DRW-004", _of_round(four) | {"side": "banker"})
        play = self._pick("B01", lambda p: facts_of(p.player, p.banker).banker_points < 9)
        rows.round(play)["banker_points"] = str(int(rows.round(play)["banker_points"]) + 1)
        self._note("points", "RES-001", _of_round(play) | {"side": "banker"})
        play = self._pick("M02", _won_by(Outcome.PLAYER))
        rows.round(play)["outcome"] = "banker"
        self._note("outcome", "RES-002", _of_round(play))
        play = self._pick("B03", lambda p: facts_of(p.player, p.banker).player_pair)
        rows.round(play)["player_pair"] = "false"
        self._note("pair", "RES-003", _of_round(play) | {"side": "player"})

    def _payments(self, rows: Rows) -> None:
        play, wager = self._wagered("B01", "tie", lambda f: f.outcome is not Outcome.TIE)
        rows.wager(wager).update(payout=money_text(wager.stake * 8), stake_returned="0.00")
        self._note("lost_tie_paid", "PAY-001", _of_wager(play, wager))
        play, wager = self._wagered("B02", "player", lambda f: f.outcome is Outcome.PLAYER)
        self._pay(rows, wager, wager.stake * 9 // 10)
        self._note("underpaid", "PAY-002", _of_wager(play, wager))
        play, wager = self._wagered("B01", "banker", lambda f: f.outcome is Outcome.BANKER and f.banker_points == 6)
        self._pay(rows, wager, wager.stake // 2)
        self._note("half_pay_in_standard", "PAY-002", _of_wager(play, wager))
        play, wager = self._wagered("M01", "player", lambda f: f.outcome is Outcome.PLAYER and f.player_points > 6)
        self._pay(rows, wager, wager.stake)
        self._note("banker_only_commission", "PAY-001", _of_wager(play, wager))
        play, wager = self._wagered("M01", "tie", lambda f: f.outcome is Outcome.TIE)
        self._pay(rows, wager, wager.stake * 9)
        self._note("method_odds", "PAY-002", _of_wager(play, wager))
        play, wager = self._wagered("M02", "player", lambda f: f.outcome is Outcome.PLAYER and f.player_points == 4)
        self._pay(rows, wager, wager.stake)
        self._note("half_pay_missing", "PAY-001", _of_wager(play, wager))
        play, wager = self._wagered("B02", "banker", lambda f: f.outcome is Outcome.BANKER)
        rows.wager(wager)["commission"] = "0.00"
        self._note("commission", "PAY-003", _of_wager(play, wager))
        play, wager = self._wagered("B03", "player", lambda f: f.outcome is Outcome.PLAYER)
        rows.wager(wager)["stake_returned"] = "0.00"
        self._note("stake_kept", "PAY-004", _of_wager(play, wager))

    def _wagered(self, table_id: str, bet: str, fits: Callable[[HandFacts], bool]) -> tuple[Play, DemoWager]:
        """A round that fits and has a wager on `bet`."""
        play = self._pick(
            table_id, lambda p: any(w.bet == bet for w in p.wagers) and fits(facts_of(p.player, p.banker))
        )
        return play, next(wager for wager in play.wagers if wager.bet == bet)

    @staticmethod
    def _pay(rows: Rows, wager: DemoWager, payout: int) -> None:
        rows.wager(wager).update(payout=money_text(payout), commission="")

    def _unplayed(self, rows: Rows) -> None:
        play = self._pick("B03", lambda p: bool(p.wagers))
        self._annul(rows, play, "")
        self._note("void_unfounded", "RES-004", _of_round(play))
        play = self._pick("M01", lambda p: bool(p.wagers))
        self._annul(rows, play, "wrong card drawn")
        rows.wager(play.wagers[0])["stake_returned"] = "0.00"
        self._note("void_kept", "PAY-005", _of_wager(play, play.wagers[0]))
        play = self.day.at("B01")[1]
        wager = DemoWager(f"{play.round_id}-1", "4", "banker", 500 * 100 * CENT)
        row = {"round_id": play.round_id, "seat": "4", "bet": "banker", "stake": "500.00", "currency": "HKD"}
        rows.wagers.append(row | {"wager_id": wager.wager_id} | payment(self.rulebook, play, wager, Scheme.STANDARD))
        self._note("demonstration_wager", "PAY-005", _of_wager(play, wager))

    def _annul(self, rows: Rows, play: Play, reason: str) -> None:
        play.status = Status.VOID
        rows.round(play).update(status="void", void_reason=reason)
        for wager in play.wagers:
            rows.wager(wager).update(payment(self.rulebook, play, wager, play.table.scheme))

    def _options(self, rows: Rows) -> None:
        play = self._pick("B01", lambda p: len(p.wagers) > 2)
        lost = {"payout": "0.00", "commission": "0.00", "stake_returned": "0.00", "tie_choice": ""}
        rows.wager(play.wagers[-1]).update(lost, bet="big_six")
        subject = _of_table(play) | {"option": "bet", "value": "big_six"}
        self._note("option_unauthorised", "OPT-001", subject)
        early = rows.approval("D-010")
        early["planned_from"] = "2024-03-02"
        self._note("option_early", "OPT-002", _of_entry(early) | {"table_id": "M02"})
        ended = rows.approval("D-005")
        ended["ends_on"] = "2024-02-29"
        self._note("option_expired", "OPT-003", _of_entry(ended) | {"table_id": "B03"})
        for play in self.day.at("B04"):
            for wager in play.wagers:
                rows.wager(wager).update(payment(self.rulebook, play, wager, Scheme.NONE))
        subject = _of_table(self.day.at("B04")[0]) | {"option": "commission", "value": "standard"}
        self._note("scheme", "OPT-004", subject)

    def _register(self, rows: Rows) -> None:
        for key, code, approval_id, columns in (
            ("short_notice", "APR-001", "D-004", {"applied_at": "2024-02-28T10:00:00+08:00"}),
            ("after_hours", "APR-001", "D-008", {"applied_at": "2024-02-27T18:20:00+08:00"}),
            ("application_missing", "APR-002", "D-007", {"applied_at": ""}),
            ("notice_in_doubt", "APR-003", "D-009", {"applied_at": "2024-02-27T10:00:00+08:00"}),
        ):
            entry = rows.approval(approval_id)
            entry |= columns
            if code != "APR-002":
                entry |= {"authorised_at": "2024-02-29", "planned_from": "2024-03-01"}
            self._note(key, code, _of_entry(entry))

    def _shoes(self, rows: Rows) -> None:
        play = self._pick("M02", lambda p: p.number > 5)
        rows.round(play)["decks"] = "8"
        self._note("deck_count", "SHO-001", _of_shoe(play))
        play = self._pick("B01", lambda p: p.number > 20)
        self._annul(rows, play, "")
        rows.round(play)["status"] = "demonstration"
        rows.wagers = [row for row in rows.wagers if row["round_id"] != play.round_id]
        self._note("demonstration_late", "SHO-003", _of_shoe(play))
        shoe = self.day.of_shoe("M01-S1")
        before = shoe[-3].start + dt.timedelta(seconds=9)
        self._event(rows, "M01-S1", "cut_card_out")["at"] = before.isoformat()
        self._note("past_cut_card", "SHO-004", _of_shoe(shoe[0]))
        self._event(rows, "B02-S2", "burn")["count"] = "7"
        self._note("burn_count", "SHO-005", _of_shoe(self.day.of_shoe("B02-S2")[0]))
        self._event(rows, "M02-S2", "cut_card_placed")["count"] = "6"
        self._note("cut_card_position", "SHO-006", _of_shoe(self.day.of_shoe("M02-S2")[0]))
        play = self._pick("B02", lambda p: p.shoe_id == "B02-S1")
        at = play.start + dt.timedelta(seconds=15)
        rows.events.append(self._row(DemoEvent(play.table, play.shoe_id, at, "shoe_change")))
        self._note("changed_in_round", "SHO-007", _of_round(play))
        play = self.day.at("B04")[0]
        rows.events.append(
            self._row(DemoEvent(play.table, None, play.start - dt.timedelta(minutes=1), "burn", count=8))
        )
        self._note("shuffler_burn", "SHO-008", _of_table(play))

    @staticmethod
    def _event(rows: Rows, shoe_id: str, event: str) -> Row:
        return next(row for row in rows.events if (row["shoe_id"], row["event"]) == (shoe_id, event))

    @staticmethod
    def _row(event: DemoEvent) -> Row:
        plain = {
            "casino": CASINO,
            "table_id": event.table.table_id,
            "shoe_id": event.shoe_id or "",
            "at": event.at.isoformat(),
            "event": event.event,
        }
        return plain if event.count is None else plain | {"count": str(event.count)}

    def _log(self, rows: Rows) -> None:
        play = self._pick("M02", _won_by(Outcome.BANKER))
        rows.rounds.append(rows.round(play) | {"outcome": "player"})
        self._note("duplicate_round", "LOG-001", _of_round(play))
        play = self._pick("M02", lambda p: p.shoe_id == "M02-S1")
        rows.rounds.remove(rows.round(play))
        rows.wagers = [row for row in rows.wagers if row["round_id"] != play.round_id]
        self._note("round_gap", "LOG-002", _of_shoe(play), number=play.number)
        play = self._pick("B03", lambda p: p.shoe_id == "B03-S1")
        later = self.day.plays[self.day.plays.index(play) + 1]
        rows.round(play)["ended_at"] = (later.start + dt.timedelta(seconds=8)).isoformat()
        self._note("overlap", "LOG-003", _of_round(later))
        play = self._pick("B03", lambda p: len(p.wagers) > 2)
        lost = rows.wager(play.wagers[-1])
        rows.wagers.append(lost | {"wager_id": "B09-0001-1", "round_id": "B09-0001"})
        self._note("orphan", "LOG-004", {"round_id": "B09-0001", "wager_id": "B09-0001-1"})
        play = self._pick("B03", lambda p: p.wagers[0].bet in SIDE_BETS)
        wager = play.wagers[0]
        rows.wagers.append(rows.wager(wager) | {"stake": money_text(wager.stake * 2)})
        self._note("duplicate_wager", "LOG-005", _of_wager(play, wager))
        rows.wagers.append(dict(rows.wager(self._pick("M02", lambda p: bool(p.wagers)).wagers[0])))
        self.harmless.append({"row": "a wager that stands twice with the same content", "then": "dropped and counted"})
        play = self._pick("M02", lambda p: bool(p.wagers))
        rows.wagers.append(rows.wager(play.wagers[-1]) | {"wager_id": f"{play.round_id}-8", "stake": "1.2.3"})
        self.harmless.append({"row": "a wager whose stake is not a number", "then": "in quarantine"})


def _side_word(subject: Mapping[str, str], language: str) -> dict[str, str]:
    """The side as each language calls it."""
    return {"side": load().words[subject["side"]].in_language(language)} if "side" in subject else {}


def _won_by(outcome: Outcome) -> Callable[[Play], bool]:
    return lambda play: facts_of(play.player, play.banker).outcome is outcome


def _of_table(play: Play) -> dict[str, str | None]:
    return {"game": play.table.game, "table_id": play.table.table_id}


def _of_shoe(play: Play) -> dict[str, str | None]:
    return _of_table(play) | {"shoe_id": play.shoe_id}


def _of_round(play: Play) -> dict[str, str | None]:
    return _of_shoe(play) | {"round_id": play.round_id}


def _of_wager(play: Play, wager: DemoWager) -> dict[str, str | None]:
    return _of_round(play) | {"wager_id": wager.wager_id}


def _of_entry(row: Row) -> dict[str, str | None]:
    """The subject of a finding about an entry of the register."""
    return {name: row[name] for name in ("game", "approval_id", "option", "value")}
