"""A whole audit, row by row, in plain loops: the judge that the engine must agree with.

Rows are dicts of canonical text, as a CSV file would hold them; an empty or absent value is null. `audit` returns the
findings and the verdict of every round. Numbers in the comments are the contract's judging rules.
"""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction

from tests.oracle import drawing, settlement
from tests.oracle.register import Register, notices
from tests.oracle.rows import (
    ROUND_COLUMNS,
    WAGER_COLUMNS,
    Audit,
    Found,
    Round,
    Row,
    distinct,
    money,
    read_round,
    whole,
)
from tests.oracle.settlement import MAIN
from tests.oracle.shoes import ShoeRules, Use

CONFORMING, VIOLATION, NOT_EVALUATED = "conforming", "violation", "not_evaluated"

RULE_ITSELF = {("commission", "standard"), ("burn", "decks"), ("last_round", "at_cut_card")}


class Auditor(ShoeRules):
    """One audit. `limits` are (lowest, highest) stakes by (table, bet) or (table, "*")."""

    def __init__(
        self,
        rounds: Iterable[Row],
        wagers: Iterable[Row] | None,
        approvals: Iterable[Row] | None,
        events: Iterable[Row] | None,
        *,
        casino: str = "",
        clear_days: bool = False,
        limits: Mapping[tuple[str, str], tuple[Decimal, Decimal]] | None = None,
        house_bets: settlement.HouseBets | None = None,
        unit: Decimal = settlement.CENT,
    ) -> None:
        self.findings: list[Found] = []
        rows, twice, bad_rounds, round_repeats = distinct(rounds, "rounds", "round_id", ROUND_COLUMNS)
        self.rounds = [read_round(row, casino) for row in rows]
        self.by_id = {r.id: r for r in self.rounds}
        for ident in twice:
            r = self.by_id[ident]
            self.findings.append(Found("LOG-001", r.casino, r.table, r.shoe or None, r.id))
        bets, bet_twice, bad_wagers, wager_repeats = distinct(wagers or (), "wagers", "wager_id", WAGER_COLUMNS)
        self.wagers = bets
        for ident in bet_twice:
            row = next(w for w in bets if w["wager_id"] == ident)
            self.findings.append(self._about(row, "LOG-005"))
        self.register = None if approvals is None else Register(approvals)
        self.events = list(events or ())
        self.casino, self.clear_days, self.limits = casino, clear_days, limits or {}
        self.house_bets, self.unit = house_bets, unit
        self.uses: dict[Use, list[Round]] = defaultdict(list)
        self.accepted = {"rounds": len(rows), "wagers": len(bets)}
        self.quarantined = {"rounds": bad_rounds, "wagers": bad_wagers}
        self.repeats = {"rounds": round_repeats, "wagers": wager_repeats}
        self.explained: set[str] = set()
        self.undecided: set[str] = set()
        self.telling: dict[tuple[object, ...], frozenset[str]] = {}

    def _about(self, wager: Row, code: str, amount: Decimal | None = None) -> Found:
        r = self.by_id.get(wager["round_id"])
        where = (r.casino, r.table, r.shoe or None) if r else (None, None, None)
        return Found(code, *where, wager["round_id"], wager["wager_id"], amount=amount)

    def run(self) -> Audit:
        """Apply every rule in turn."""
        for r in self.rounds:
            if r.in_force:
                self._hand(r)
                self._round_options(r)
            else:
                r.open = True
        self._schemes()
        for wager in self.wagers:
            self._wager(wager)
        self._shoes()
        self._tables()
        self._options()
        if self.register is not None:
            self.findings += notices(self.register.rows, clear_days=self.clear_days)
        verdicts = {}
        for r in self.rounds:
            # 14
            if r.findings:
                verdicts[r.id] = VIOLATION
            elif r.open:
                verdicts[r.id] = NOT_EVALUATED
            else:
                verdicts[r.id] = CONFORMING
            self.findings += r.findings
        return Audit(tuple(self.findings), verdicts, self.accepted, self.quarantined, self.repeats, self.telling)

    # -- hands: rules 1 and 2 --

    def _methods(self, r: Round) -> list[str | None]:
        """4: the method recorded, else the one authorised if it is one only, else both."""
        if r.game == "baccarat":
            return [None]
        recorded = r.row.get("draw_method", "")
        if recorded:
            return [recorded]
        if self.register is not None:
            allowed = self.register.values(r.casino, r.table, r.game, "draw_method", r.day)
            if len(allowed) == 1:
                return [next(iter(allowed))]
        return list(drawing.METHODS)

    def _hand(self, r: Round) -> None:
        if r.status == "demonstration":
            return
        player, banker = r.hands
        rulings = [drawing.judge(r.game, player, banker, method) for method in self._methods(r)]
        agreed = len({(ruling.code, ruling.side) for ruling in rulings}) == 1
        ruling = rulings[0]
        if r.status == "void":
            # 1: no DRW and no other RES; RES-004 only for a complete hand without departure.
            if not r.row.get("void_reason") and agreed and ruling.code is None:
                r.say("RES-004")
            return
        recorded = r.row.get("outcome", "")
        if not r.player and not r.banker:
            # Note 1 of the table of rounds: a log without cards.
            r.open = True
            p, b = whole(r.row["player_points"]), whole(r.row["banker_points"])
            assert p is not None
            assert b is not None
            by_points = "tie" if p == b else "player" if p > b else "banker"
            if recorded and recorded != by_points:
                r.say("RES-002")
            return
        if ruling.code == "DRW-004":
            r.say("DRW-004", side=ruling.side)
            return
        if not agreed:
            r.open = True
        elif ruling.code:
            r.say(ruling.code, side=ruling.side)
        dealt = r.row.get("deal_sequence", "")
        if dealt and (dealt.count("P"), dealt.count("B"), len(dealt)) != (
            len(player),
            len(banker),
            len(player) + len(banker),
        ):
            r.open = True
        elif dealt and agreed and ruling.code is None:
            orders = {drawing.sequence(r.game, player, banker, method) for method in self._methods(r)}
            if dealt not in orders:
                r.say("DRW-003")
        for side, hand, held in (("player", player, r.player), ("banker", banker, r.banker)):
            noted = whole(r.row.get(f"{side}_points", ""))
            if noted is not None and noted != drawing.points(hand):
                r.say("RES-001", side=side)
            pair = r.row.get(f"{side}_pair", "")
            if pair and (pair == "true") != (held[0].rank == held[1].rank):
                r.say("RES-003", side=side)
        if recorded and recorded != ruling.result:
            r.say("RES-002")

    # -- settlement: rules 2 to 8 --

    def _scheme(self, r: Round) -> str:
        """4: recorded, else the one authorised, else standard; never one that no register could allow."""
        recorded = r.row.get("commission", "")
        if recorded:
            return recorded
        if self.register is not None:
            allowed = self.register.values(r.casino, r.table, r.game, "commission", r.day)
            if r.game == "baccarat" and r.day < settlement.NO_COMMISSION_FROM:
                allowed.discard("none")
            if len(allowed) == 1:
                return next(iter(allowed))
        return "standard"

    def _dues(self, r: Round, wager: Row, scheme: str) -> list[settlement.Due]:
        player, banker = r.hands
        stake, paid = money(wager["stake"]), money(wager["payout"])
        assert stake is not None
        return [
            settlement.due_on_settled(
                settlement.Table(
                    r.game,
                    r.day,
                    player,
                    banker,
                    [card.rank for card in r.player],
                    [card.rank for card in r.banker],
                    method,
                ),
                wager["bet"],
                stake,
                scheme=scheme,
                tie_choice=wager.get("tie_choice") or None,
                paid=paid,
                house_bets=self.house_bets,
                unit=self.unit,
            )
            for method in self._methods(r)
        ]

    def _schemes(self) -> None:
        """4: OPT-004, where the payouts of a table and day show the other scheme."""
        groups: dict[tuple[str, str, str, dt.date, str], list[tuple[Row, bool]]] = defaultdict(list)
        pushed: dict[tuple[str, str, str, dt.date, str], list[str]] = defaultdict(list)
        for wager in self.wagers:
            r = self.by_id.get(wager["round_id"])
            if r is None or not r.in_force or r.status != "settled" or not r.countable or wager["bet"] not in MAIN:
                continue
            applied = self._scheme(r)
            if applied not in ("standard", "none"):
                continue
            if applied == "standard" and r.game == "baccarat" and r.day < settlement.NO_COMMISSION_FROM:
                continue  # 4: a scheme that no register could allow is never assumed
            mine = self._dues(r, wager, applied)[0]
            others = self._dues(r, wager, "none" if applied == "standard" else "standard")[0]
            if others.reason == "three_card_seven":
                pushed[r.casino, r.table, r.game, r.day, applied].append(wager["wager_id"])
            if mine.reason or others.reason or mine.payout == others.payout:
                continue
            paid = money(wager["payout"])
            shows = paid in others.payouts and paid not in mine.payouts
            groups[r.casino, r.table, r.game, r.day, applied].append((wager, shows))
        for (casino, table, game, day, applied), members in groups.items():
            shown = [wager for wager, shows in members if shows]
            if len(shown) >= 3 and Fraction(len(shown), len(members)) >= Fraction(9, 10):
                mismatch = Found("OPT-004", casino, table, option="commission", value=applied, day=day, game=game)
                self.findings.append(mismatch)
                self.telling[mismatch.key()] = frozenset(wager["round_id"] for wager, _ in members)
                self.explained |= {wager["wager_id"] for wager in shown}
                # A pushed three-card 7 where the table follows "none" is the gap of rule 3.
                self.undecided |= set(pushed[casino, table, game, day, applied])

    def _wager(self, wager: Row) -> None:
        stake, payout = Decimal(wager["stake"]), Decimal(wager["payout"])
        taken, returned = money(wager.get("commission", "")), money(wager.get("stake_returned", ""))
        r = self.by_id.get(wager["round_id"])
        if r is None:
            self.findings.append(Found("LOG-004", round=wager["round_id"], wager=wager["wager_id"]))
            return
        if not r.in_force:
            r.open = True
            return
        limit = self.limits.get((r.table, wager["bet"])) or self.limits.get((r.table, "*"))
        if limit and not limit[0] <= stake <= limit[1]:
            self.findings.append(self._about(wager, "LIM-001"))
        if wager["bet"] not in MAIN:
            self._bet_option(r, wager["bet"])
        if r.status == "demonstration":
            r.findings.append(self._about(wager, "PAY-005"))
            return
        if r.status == "void":
            # 7
            if payout != 0 or (taken is not None and taken != 0) or (returned is not None and returned != stake):
                r.findings.append(self._about(wager, "PAY-005"))
            return
        if not r.countable:
            r.open = True
            return
        if wager["bet"] in MAIN and r.hands and drawing.result(*r.hands) == "tie" and wager.get("tie_choice"):
            self.uses[r.casino, r.table, r.game, "tie", wager["tie_choice"]].append(r)
        if wager["wager_id"] in self.explained:
            return
        if wager["wager_id"] in self.undecided:
            r.open = True
            return
        answers = [self._judge(r, wager, due, payout, taken, returned) for due in self._dues(r, wager, self._scheme(r))]
        if len(answers) == 1:
            found, unanswered = answers[0]
        else:
            # 4: without a known method, what both methods give.
            codes = [{f.code for f in found} for found, _ in answers]
            shared = codes[0] & codes[1]
            equal = answers[0][0] == answers[1][0]
            found = [f if f in answers[1][0] else self._about(wager, f.code) for f in answers[0][0] if f.code in shared]
            unanswered = any(u for _, u in answers) or not equal
        r.findings += found
        r.open |= unanswered

    def _judge(
        self,
        r: Round,
        wager: Row,
        due: settlement.Due,
        payout: Decimal,
        taken: Decimal | None,
        returned: Decimal | None,
    ) -> tuple[list[Found], bool]:
        if due.reason is not None or due.payout is None:
            return [], True
        found, unanswered = [], False
        if payout in due.payouts:
            if taken is not None and taken not in due.commissions:
                amount = due.commissions[0] - taken if len(due.commissions) == 1 else None
                found.append(self._about(wager, "PAY-003", amount))
        elif payout > due.payout:
            # 5: an additional prize may have been authorised.
            # (section 4: a prize exists in baccarat, from 69/2009)
            if (
                self.register is not None
                and r.game == "baccarat"
                and r.day >= settlement.OTHER_BETS_FROM
                and wager["bet"] in self.register.values(r.casino, r.table, r.game, "prize", r.day)
            ):
                unanswered = True
            else:
                found.append(self._about(wager, "PAY-001", payout - due.payout))
        else:
            found.append(self._about(wager, "PAY-002", payout - due.payout))
        if returned is not None and not due.return_allowed(returned):
            assert due.returned is not None
            found.append(self._about(wager, "PAY-004", returned - due.returned))
        return found, unanswered

    # -- options: rules 9 and 11 --

    def _round_options(self, r: Round) -> None:
        seen = []
        if r.status == "demonstration":
            seen.append(("demonstration", "allowed"))
        if r.row.get("dealing") == "auto_shuffler":
            seen.append(("dealing", "auto_shuffler"))
        if r.game == "makccarat" and r.row.get("draw_method"):
            seen.append(("draw_method", r.row["draw_method"]))
        if r.row.get("commission") == "none":
            seen.append(("commission", "none"))
        for option, value in seen:
            self.uses[r.casino, r.table, r.game, option, value].append(r)

    def _bet_option(self, r: Round, bet: str) -> None:
        if settlement.gazetted(r.game, bet, r.day):
            return
        self.uses[r.casino, r.table, r.game, "bet", bet].append(r)

    @staticmethod
    def _impossible(game: str, option: str, value: str, day: dt.date) -> bool | None:
        """11: True where no register could allow it, None where it cannot be said, else False."""
        if option == "commission" and value == "none" and game == "baccarat":
            return day < settlement.NO_COMMISSION_FROM
        if option == "bet":
            if game == "makccarat":
                return True
            if day < settlement.GAP_FROM:
                return True
            if value == "dragon_seven" or day < settlement.OTHER_BETS_FROM:
                return None
        if option == "burn" and value.startswith("fixed") and game == "baccarat":
            first, last = settlement.FIXED_BURN_DOUBT
            if first <= day <= last:
                return None
        return False

    def _options(self) -> None:
        for (casino, table, game, option, value), rounds in self.uses.items():
            if (option, value) in RULE_ITSELF:
                continue
            grouped: dict[tuple[str, str | None], list[Round]] = defaultdict(list)
            for r in sorted({r.id: r for r in rounds}.values(), key=lambda r: r.order):
                impossible = self._impossible(game, option, value, r.day)
                if impossible is None:
                    continue
                if impossible:
                    fault: tuple[str, str | None] | None = ("OPT-001", None)
                elif self.register is None:
                    continue
                else:
                    fault = self.register.fault(casino, table, game, option, value, r.day)
                if fault:
                    grouped[fault].append(r)
            for (code, entry), used in grouped.items():
                self.findings.append(
                    Found(
                        code,
                        casino,
                        table,
                        approval=entry,
                        option=option,
                        value=value,
                        affected=len(used),
                        first=used[0].id,
                        last=used[-1].id,
                        game=game,
                    )
                )


def audit(
    rounds: Iterable[Row],
    wagers: Iterable[Row] | None = None,
    approvals: Iterable[Row] | None = None,
    events: Iterable[Row] | None = None,
    *,
    casino: str = "",
    clear_days: bool = False,
    limits: Mapping[tuple[str, str], tuple[Decimal, Decimal]] | None = None,
    house_bets: settlement.HouseBets | None = None,
    unit: Decimal = settlement.CENT,
) -> Audit:
    """Audit a log; `wagers`, `approvals` and `events` are None where the run is not given them."""
    house = {"casino": casino, "clear_days": clear_days, "limits": limits, "house_bets": house_bets, "unit": unit}
    return Auditor(rounds, wagers, approvals, events, **house).run()  # type: ignore[arg-type]
