"""What is due on one wager, in exact decimals, from the articles on prizes and commission and judging rules 2 to 8.

Baccarat: 55/2004 arts 12, 13, 17, 18 with 73/2005 (half on 6), 30/2007 (jackpot), 56/2018 (Lucky Six).
Makccarat: 67/2007 arts 11, 12, 16, 17. Money is `Decimal` in the currency's unit, days are Macau calendar days.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_DOWN, ROUND_HALF_UP, Decimal

from tests.oracle import drawing

FIRST_DAY = {"baccarat": dt.date(2004, 5, 18), "makccarat": dt.date(2007, 7, 10)}
NO_COMMISSION_FROM = dt.date(2005, 11, 29)
JACKPOT_FROM = dt.date(2007, 2, 23)
GAP_FROM = dt.date(2009, 1, 1)
OTHER_BETS_FROM = dt.date(2009, 6, 23)
FIXED_BURN_DOUBT = (dt.date(2011, 9, 27), dt.date(2011, 10, 3))
FIXED_BURN_FROM = dt.date(2011, 10, 4)
LUCKY_SIX_FROM = dt.date(2018, 4, 24)

ZERO = Decimal(0)
CENT = Decimal("0.01")
HALF = Decimal("0.5")
MAIN = ("player", "banker")
PAIRS = ("player_pair", "banker_pair")


@dataclass(frozen=True)
class Due:
    """What a wager is owed.

    `payout` is net of commission and without the stake; `commissions` are the amounts the house may have recorded,
    the first being the one to name; `returned` is the stake to hand back in full, `lowest_return` and
    `only_returns` widen it for a tie. `reason` is set instead of all of them where nothing can be said.
    """

    payout: Decimal | None = None
    commissions: tuple[Decimal, ...] = ()
    returned: Decimal | None = None
    lowest_return: Decimal | None = None
    zero_return: bool = False
    article: str = ""
    reason: str | None = None
    exact: Decimal | None = None
    """Rule 8: the payout to the cent, right as well where the house rounds to a unit."""

    @property
    def payouts(self) -> tuple[Decimal | None, ...]:
        """Every payout that is right."""
        return (self.payout,) if self.exact is None else (self.payout, self.exact)

    def return_allowed(self, amount: Decimal) -> bool:
        """Say whether this much of the stake may have been handed back."""
        assert self.returned is not None
        if amount == self.returned or (self.zero_return and amount == 0):
            return True
        return self.lowest_return is not None and self.lowest_return <= amount <= self.returned


@dataclass(frozen=True)
class Table:
    """The cards of a round as ranks and points, for the bets that look at them."""

    game: str
    day: dt.date
    player: list[int]
    banker: list[int]
    player_ranks: list[str] = field(default_factory=list)
    banker_ranks: list[str] = field(default_factory=list)
    method: str | None = None

    @property
    def result(self) -> str:
        """Rule 2: by the cards as dealt."""
        return drawing.result(self.player, self.banker)


HouseBets = Mapping[str, Callable[[Table], int]]
"""The house's own bets: what each pays for a stake of one on the cards of a round (0: it loses)."""


def unknown(reason: str) -> Due:
    """An answer that cannot be given."""
    return Due(reason=reason)


def gazetted(game: str, bet: str, day: dt.date) -> bool:
    """Rule 11: whether the list of the regulation itself contains the bet that day."""
    if bet in (*MAIN, "tie", *PAIRS):
        return True
    if game != "baccarat":
        return False
    return (bet == "jackpot" and day >= JACKPOT_FROM) or (bet == "lucky_six" and day >= LUCKY_SIX_FROM)


def commission_of(winnings: Decimal, unit: Decimal = CENT) -> Decimal:
    """Rule 8: five per cent, exact to the unit, the odd half in the bettor's favour."""
    return (winnings / 20 / unit).quantize(Decimal(1), ROUND_HALF_DOWN) * unit


def half_of(stake: Decimal, unit: Decimal = CENT) -> Decimal:
    """Rule 5: half the stake to the nearest unit (section 10 point 15), ties (an odd half-cent) to the bettor."""
    return (stake / 2 / unit).quantize(Decimal(1), ROUND_HALF_UP) * unit


def _won(stake: Decimal, odds: int, article: str) -> Due:
    return Due(payout=stake * odds, commissions=(ZERO,), returned=stake, article=article)


def _lost(article: str) -> Due:
    return Due(payout=ZERO, commissions=(ZERO,), returned=ZERO, article=article)


def _tied(stake: Decimal, tie_choice: str | None, article: str) -> Due:
    """Rule 6."""
    return Due(
        payout=ZERO,
        commissions=(ZERO,),
        returned=stake,
        zero_return=tie_choice in ("kept", "changed"),
        lowest_return=ZERO if tie_choice == "changed" else None,
        article=article,
    )


def _main(
    table: Table, bet: str, stake: Decimal, scheme: str, tie_choice: str | None, paid: Decimal | None, unit: Decimal
) -> Due:
    baccarat = table.game == "baccarat"
    if scheme not in ("standard", "none"):
        return unknown("scheme")
    if table.result == "tie":
        return _tied(stake, tie_choice, "12" if baccarat else "11")
    if table.result != bet:
        return _lost("17(1)" if baccarat else "16")
    hand = table.player if bet == "player" else table.banker
    total = drawing.points(hand)
    if scheme == "standard":
        # 55/2004 art. 18: on the banker's win; 67/2007 art. 17(1): on a win of either side with 9, 8 or 7.
        charged = bet == "banker" if baccarat else total in (7, 8, 9)
        if not charged:
            return _won(stake, 1, "17(1)" if baccarat else "16")
        taken, to_the_cent = commission_of(stake, unit), commission_of(stake)
        return Due(
            payout=stake - taken,
            commissions=tuple(dict.fromkeys((taken, to_the_cent))),
            returned=stake,
            article="18(1)" if baccarat else "17(1)",
            exact=stake - to_the_cent,
        )
    halved = (bet == "banker" and total == 6) if baccarat else total == 4
    if halved:
        due = half_of(stake, unit)
        allowed: tuple[Decimal, ...] = (ZERO,)
        if not baccarat:
            exact = stake / 2
            allowed = (
                ZERO,
                (exact / CENT).quantize(Decimal(1), ROUND_FLOOR) * CENT,
                (exact / CENT).quantize(Decimal(1), ROUND_CEILING) * CENT,
            )
            if unit != CENT:
                allowed += (half_of(stake, unit), (exact / unit).quantize(Decimal(1), ROUND_HALF_DOWN) * unit)
        article = "18(2)" if baccarat else "17(2)"
        return Due(payout=due, commissions=allowed, returned=stake, article=article, exact=half_of(stake))
    if baccarat and bet == "banker" and table.day >= GAP_FROM and total == 7 and len(hand) == 3 and paid == 0:
        return unknown("three_card_seven")  # rule 3: the unread 2/2009
    return _won(stake, 1, "18(2)" if baccarat else "17(2)")


def due_on_settled(
    table: Table,
    bet: str,
    stake: Decimal,
    *,
    scheme: str,
    tie_choice: str | None = None,
    paid: Decimal | None = None,
    house_bets: HouseBets | None = None,
    unit: Decimal = CENT,
) -> Due:
    """What a wager of a settled round with a result is owed; `paid` matters only to the gap left by 2/2009."""
    if table.day < FIRST_DAY[table.game]:
        return unknown("not_in_force")
    if bet in MAIN:
        return _main(table, bet, stake, scheme, tie_choice, paid, unit)
    if bet == "tie":
        article = "17(2)" if table.game == "baccarat" else "16"
        if table.result != "tie":
            return _lost(article)
        if table.game == "baccarat":
            return _won(stake, 8, article)
        if table.method is None:
            return unknown("method")
        return _won(stake, {"method_1": 14, "method_2": 9}[table.method], article)
    if bet in PAIRS:
        ranks = (table.player_ranks if bet == "player_pair" else table.banker_ranks)[:2]
        return _won(stake, 11, "17(3)") if ranks[0] == ranks[1] else _lost("17(3)")
    if bet == "lucky_six" and gazetted(table.game, bet, table.day):
        if table.result == "banker" and drawing.points(table.banker) == 6:
            return _won(stake, 12 if len(table.banker) == 2 else 20, "17(5)")
        return _lost("17(5)")
    # Rule 3: a house's paytable counts once the director could authorise it, in baccarat; rule 3 leaves dragon_seven.
    authorisable = table.game == "baccarat" and table.day >= OTHER_BETS_FROM and bet != "dragon_seven"
    if authorisable and house_bets and bet in house_bets and not gazetted(table.game, bet, table.day):
        odds = house_bets[bet](table)
        return _won(stake, odds, "13(4)") if odds else _lost("13(4)")
    return unknown("odds")
