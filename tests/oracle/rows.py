"""The oracle's own reading of the four tables: rows of canonical text, repeats (rule 12), and what a finding is."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from zoneinfo import ZoneInfo

from tests.oracle.settlement import FIRST_DAY

MACAU = ZoneInfo("Asia/Macau")
Row = Mapping[str, str]


ROUND_COLUMNS = (
    "round_id casino table_id shoe_id round_no game status void_reason started_at ended_at player_cards banker_cards "
    "deal_sequence outcome player_points banker_points player_pair banker_pair decks dealing draw_method commission"
).split()
WAGER_COLUMNS = (
    "wager_id round_id seat bet stake currency payout commission stake_returned tie_choice placed_at"
).split()
APPROVAL_COLUMNS = (
    "approval_id casino game option value tables applied_at decision authorised_at planned_from ends_on"
).split()
EVENT_COLUMNS = "table_id shoe_id casino at event cards count burn_rule".split()


@dataclass(frozen=True)
class Found:
    """One expected finding; `amount` is None where the contract does not fix one."""

    code: str
    casino: str | None = None
    table: str | None = None
    shoe: str | None = None
    round: str | None = None
    wager: str | None = None
    approval: str | None = None
    side: str | None = None
    option: str | None = None
    value: str | None = None
    amount: Decimal | None = None
    affected: int | None = field(default=None, compare=False)
    first: str | None = field(default=None, compare=False)
    last: str | None = field(default=None, compare=False)
    severity: str | None = field(default=None, compare=False)
    day: dt.date | None = field(default=None, compare=False)
    game: str | None = field(default=None, compare=False)

    def key(self) -> tuple[object, ...]:
        """What identifies the finding, by the "one finding per" of the contract's table of checks."""
        family = self.code[:3]
        if family == "DRW" or self.code in ("RES-001", "RES-003"):
            return (self.code, self.round, None if self.code in ("DRW-003", "DRW-004") else self.side)
        if family == "RES" or self.code in ("LOG-001", "SHO-007"):
            return (self.code, self.round)
        if family in ("PAY", "LIM") or self.code in ("LOG-004", "LOG-005"):
            return (self.code, self.wager)
        if self.code == "OPT-004":
            return (self.code, self.casino, self.table, self.game, self.day, self.value)
        if family == "OPT":
            return (self.code, self.casino, self.table, self.game, self.option, self.value, self.approval)
        if family == "APR":
            return (self.code, self.approval)
        if self.code == "SHO-002":
            return (self.code, self.casino, self.table, self.shoe, self.value)
        if self.code == "LOG-003":
            return (self.code, self.casino, self.table, self.round)
        return (self.code, self.casino, self.table, self.shoe)


@dataclass(frozen=True)
class Audit:
    """What the oracle expects of a run."""

    findings: tuple[Found, ...]
    verdicts: Mapping[str, str]
    accepted: Mapping[str, int]
    quarantined: Mapping[str, int]
    repeats: Mapping[str, int]
    telling: Mapping[tuple[object, ...], frozenset[str]] = field(default_factory=dict)
    """The rounds whose wagers tell the schemes apart, by the key of their OPT-004."""


def instant(text: str) -> dt.datetime | None:
    """A timestamp; one without an offset is in Macau."""
    if not text:
        return None
    value = dt.datetime.fromisoformat(text)
    return value if value.tzinfo else value.replace(tzinfo=MACAU)


def date(text: str) -> dt.date | None:
    """A day."""
    return dt.date.fromisoformat(text) if text else None


def money(text: str) -> Decimal | None:
    """A sum."""
    return Decimal(text) if text else None


def whole(text: str) -> int | None:
    """A whole number."""
    return int(text) if text else None


@dataclass(frozen=True)
class Card:
    """A rank and a suit, or a rank alone."""

    rank: str
    suit: str

    @property
    def points(self) -> int:
        """Art. 5 of both regulations."""
        if self.rank in ("10", "J", "Q", "K"):
            return 0
        return 1 if self.rank == "A" else int(self.rank)


def cards(text: str) -> list[Card]:
    """Read a hand."""
    hand = []
    for word in text.upper().split():
        suit = word[-1] if word[-1] in "SHDC" else ""
        rank = word[: len(word) - len(suit)].replace("T", "10")
        hand.append(Card(rank, suit))
    return hand


@dataclass
class Round:
    """A round as the oracle sees it, and what it has learnt of it."""

    row: Row
    id: str
    casino: str
    table: str
    shoe: str
    no: int
    game: str
    status: str
    start: dt.datetime
    end: dt.datetime | None
    player: list[Card]
    banker: list[Card]
    findings: list[Found] = field(default_factory=list)
    open: bool = False

    @property
    def day(self) -> dt.date:
        """3: the calendar day in Macau of the start selects the law."""
        return self.start.astimezone(MACAU).date()

    @property
    def order(self) -> tuple[dt.datetime, int, str]:
        """13: the order of rounds at a table."""
        return (self.start, self.no, self.id)

    @property
    def in_force(self) -> bool:
        """3: whether a text of the law is known that day."""
        return self.day >= FIRST_DAY[self.game]

    @property
    def hands(self) -> tuple[list[int], list[int]]:
        """The point values of both hands."""
        return [card.points for card in self.player], [card.points for card in self.banker]

    @property
    def countable(self) -> bool:
        """Whether both hands have two or three cards, so that there is a result (2)."""
        return 2 <= len(self.player) <= 3 and 2 <= len(self.banker) <= 3

    def say(self, code: str, **more: object) -> Found:
        """A finding about this round."""
        found = Found(code, self.casino, self.table, self.shoe or None, self.id, **more)  # type: ignore[arg-type]
        self.findings.append(found)
        return found


def read_round(row: Row, casino: str) -> Round:
    """A row of the table of rounds; `casino` is the default house."""
    start = instant(row["started_at"])
    assert start is not None
    return Round(
        row=row,
        id=row["round_id"],
        casino=row.get("casino", "") or casino,
        table=row["table_id"],
        shoe=row.get("shoe_id", ""),
        no=int(row["round_no"]),
        game=row["game"],
        status=row["status"],
        start=start,
        end=instant(row.get("ended_at", "")),
        player=cards(row.get("player_cards", "")),
        banker=cards(row.get("banker_cards", "")),
    )


# --- 12: repeats ---------------------------------------------------------------------------------------------------

_MONEY = {"stake", "payout", "commission", "stake_returned"}
_TIMES = {"started_at", "ended_at", "placed_at"}
_WHOLE = {"round_no", "player_points", "banker_points", "decks"}


def _value(table: str, column: str, text: str) -> object:
    if not text:
        return None
    if column in _MONEY and table == "wagers":
        return Decimal(text)
    if column in _TIMES:
        return instant(text)
    if column in _WHOLE:
        return int(text)
    if column in ("player_cards", "banker_cards"):
        return tuple(cards(text))
    return text


def distinct(rows: Iterable[Row], table: str, key: str, columns: list[str]) -> tuple[list[Row], list[str], int, int]:
    """12: the rows audited, ids with differing content, rows quarantined for it, exact repeats dropped."""
    first: dict[str, Row] = {}
    seen: dict[str, set[tuple[object, ...]]] = defaultdict(set)
    differing: list[str] = []
    quarantined = repeats = 0
    for row in rows:
        value = tuple(_value(table, column, row.get(column, "")) for column in columns)
        ident = row[key]
        if ident not in first:
            first[ident] = row
        elif value in seen[ident]:
            repeats += 1
        else:
            quarantined += 1
            if ident not in differing:
                differing.append(ident)
        seen[ident].add(value)
    return list(first.values()), differing, quarantined, repeats
