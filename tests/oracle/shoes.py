"""Rule 13: shoes, their events, and the order of rounds at a table."""

from __future__ import annotations

import datetime as dt
import itertools
from collections import defaultdict

from tests.oracle import settlement
from tests.oracle.register import Register
from tests.oracle.rows import MACAU, Found, Round, Row, cards, instant, whole

Use = tuple[str, str, str, str, str]
"""Casino, table, game, option and value."""


def _day(text: str) -> dt.date:
    at = instant(text)
    assert at is not None
    return at.astimezone(MACAU).date()


class ShoeRules:
    """The part of an audit that looks at shoes and tables; options that events show are noted in `uses`."""

    rounds: list[Round]
    events: list[Row]
    findings: list[Found]
    uses: dict[Use, list[Round]]
    register: Register | None
    casino: str

    # -- shoes: rule 13 --

    def _shoes(self) -> None:
        shoes: dict[tuple[str, str, str], list[Round]] = defaultdict(list)
        for r in self.rounds:
            if r.shoe and r.row.get("dealing") != "auto_shuffler":
                shoes[r.casino, r.table, r.shoe].append(r)
        for (casino, table, shoe), members in shoes.items():
            members.sort(key=lambda r: (r.no, r.order))
            where = {"casino": casino, "table": table, "shoe": shoe}
            decks = {whole(r.row.get("decks", "")) for r in members}
            self._surplus(members, decks, where, self._events_of(where))
            self._gap(members, where)
            lawful = [r for r in members if r.in_force]
            if not lawful:
                continue
            known = {whole(r.row.get("decks", "")) for r in lawful} - {None}
            if len(known) > 1 or any(not 6 <= n <= 12 for n in known if n is not None):
                self.findings.append(Found("SHO-001", **where))
            demonstrations = [i for i, r in enumerate(lawful) if r.status == "demonstration"]
            settled = [i for i, r in enumerate(lawful) if r.status == "settled"]
            if len(demonstrations) > 3 or (demonstrations and settled and demonstrations[-1] > settled[0]):
                self.findings.append(Found("SHO-003", **where))
            self._shoe_events(lawful, where)

    def _events_of(self, where: dict[str, str]) -> list[Row]:
        return [
            e
            for e in self.events
            if (e.get("casino") or self.casino or where["casino"], e["table_id"], e.get("shoe_id", ""))
            == (where["casino"], where["table"], where["shoe"])
        ]

    def _surplus(self, members: list[Round], decks: set[int | None], where: dict[str, str], events: list[Row]) -> None:
        known = [n for n in decks if n is not None]
        if len(known) != 1:
            return
        (copies,) = known
        dealt = [card for r in members for card in r.player + r.banker]
        # A burnt card that was seen came from the shoe as well.
        dealt += [card for e in events if e["event"] == "burn" for card in cards(e.get("cards", ""))]
        suited = all(card.suit for card in dealt)
        counts: dict[str, int] = defaultdict(int)
        for card in dealt:
            counts[card.rank + card.suit if suited else card.rank] += 1
        for name, number in counts.items():
            if number > copies * (1 if suited else 4):
                self.findings.append(Found("SHO-002", **where, option="card", value=name))

    def _gap(self, members: list[Round], where: dict[str, str]) -> None:
        numbers = {r.no for r in members}
        lowest = min(numbers)
        table = [
            r
            for r in self.rounds
            if (r.casino, r.table) == (where["casino"], where["table"])
            and r.shoe
            and r.row.get("dealing") != "auto_shuffler"
        ]
        first_shoe = min(table, key=lambda r: r.order).shoe == where["shoe"]
        if numbers != set(range(lowest, max(numbers) + 1)) or (lowest > 1 and not first_shoe):
            self.findings.append(Found("LOG-002", **where))

    def _shoe_events(self, members: list[Round], where: dict[str, str]) -> None:
        first = members[0]
        # Only events from the first version's day on.
        mine = [e for e in self._events_of(where) if _day(e["at"]) >= settlement.FIRST_DAY[first.game]]
        for e in mine:
            at = instant(e["at"])
            assert at is not None
            count = whole(e.get("count", ""))
            if e["event"] == "burn" and at <= first.start and e.get("burn_rule"):
                value = f"fixed_{count}" if e["burn_rule"] == "fixed" else e["burn_rule"]
                # 11: only a value of section 4 is an option in use; a number that no formula knows is SHO-005 alone.
                listed = self._fixed_burn(first) if e["burn_rule"] == "fixed" else set()
                if not listed or count in listed:
                    self.uses[first.casino, first.table, first.game, "burn", value].append(first)
                allowed: set[int] = set()
                if e["burn_rule"] == "decks":
                    known = whole(first.row.get("decks", ""))
                    allowed = set() if known is None else {known}
                elif e["burn_rule"] == "first_card" and e.get("cards"):
                    card = cards(e["cards"])[0]
                    faces = {0, 10} if card.points == 0 else {card.points}
                    allowed = {n + more for n in faces for more in (0, 1)}
                elif e["burn_rule"] == "fixed":
                    allowed = self._fixed_burn(first)
                if count is not None and allowed and count not in allowed:
                    self.findings.append(Found("SHO-005", **where))
        if any(e["event"] == "cut_card_placed" and e.get("count") and int(e["count"]) < 10 for e in mine):
            self.findings.append(Found("SHO-006", **where))
        outs = sorted(filter(None, (instant(e["at"]) for e in mine if e["event"] == "cut_card_out")))
        if outs:
            self._past_cut_card(members, outs[0], where)

    @staticmethod
    def _fixed_burn(first: Round) -> set[int]:
        """A number fixed beforehand, 1 to 8, is a formula of baccarat only, from 83/2011 (in its window: unknown)."""
        doubt = settlement.FIXED_BURN_DOUBT
        if first.game == "baccarat" and doubt[0] <= first.day <= doubt[1]:
            return set()
        if first.game == "baccarat" and first.day > doubt[1]:
            return set(range(1, 9))
        return {-1}

    def _past_cut_card(self, members: list[Round], out: dt.datetime, where: dict[str, str]) -> None:
        # In progress when the cut card came out (of overlapping rounds the later one), or, between rounds, the next.
        running = [i for i, r in enumerate(members) if r.end is not None and r.start <= out <= r.end]
        coming = [i for i, r in enumerate(members) if r.start > out]
        if not running and not coming:
            return
        last = running[-1] if running else coming[0]
        extra = members[last + 1 :]
        if not extra:
            return
        use = extra[0]
        self.uses[use.casino, use.table, use.game, "last_round", "one_more"].append(use)
        authorised = self.register is None or "one_more" in self.register.values(
            use.casino, use.table, use.game, "last_round", use.day
        )
        if len(extra) > (1 if authorised else 0):
            self.findings.append(Found("SHO-004", **where))

    # -- tables --

    def _tables(self) -> None:
        tables: dict[tuple[str, str], list[Round]] = defaultdict(list)
        for r in self.rounds:
            tables[r.casino, r.table].append(r)
        for (casino, table), members in tables.items():
            members.sort(key=lambda r: r.order)
            for before, after in itertools.pairwise(members):
                if before.end is not None and after.start < before.end:
                    self.findings.append(Found("LOG-003", casino, table, after.shoe or None, after.id))
            changes = [
                instant(e["at"])
                for e in self.events
                if e["event"] == "shoe_change"
                and (e.get("casino") or self.casino or casino, e["table_id"]) == (casino, table)
            ]
            for r in members:
                if r.row.get("dealing") == "auto_shuffler" or not r.shoe or not r.in_force or r.end is None:
                    continue
                if any(at is not None and r.start < at < r.end for at in changes):
                    self.findings.append(Found("SHO-007", casino, table, r.shoe, r.id))
