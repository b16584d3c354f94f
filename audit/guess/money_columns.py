"""What the amounts of a source are: marks, unit, and whether a payout contains the stake, told from how they relate."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from audit.guess.even_money_words import BANKER_WORDS, EVEN_WORDS

_MORE_THAN_WON: Final = Decimal("1.4")
_COMMA: Final = re.compile(r"^-?(?:\d{1,3}(?:[. '\u00a0]\d{3})+|\d+),\d{1,4}$")
_GROUPED: Final = re.compile(r"^-?\d{1,3}(?:,\d{3})+(?:\.\d+)?$")
Cells = Sequence["str | None"]


def guess_money(cells: Mapping[str, Cells], bets: Cells) -> tuple[dict[str, Any], dict[str, str], list[str], list[str]]:
    """The section `money`, the marks of the numbers, the evidence and what could not be decided."""
    marks = _marks([cell for column in cells.values() for cell in column if cell])
    evidence = [f"amounts are written with {marks}"] if marks else []
    stakes, payouts = (_numbers(cells.get(name, ()), marks) for name in ("stake", "payout"))
    if not payouts:
        return {}, marks, evidence, ["no column was recognised as the payout"]
    pairs = [(s, p, (b or "").strip()) for s, p, b in zip(stakes, payouts, bets, strict=False)]
    known = [(s, p, b) for s, p, b in pairs if s is not None and p is not None and s > 0]
    undecided = []
    money: dict[str, Any] = {}
    if known and all(s == s.to_integral() and p == p.to_integral() and s >= 100 for s, p, _ in known):
        undecided.append("whether amounts are whole units or cents: whole units are assumed")
    form, counted = _form(known)
    evidence.append(counted)
    if form is None:
        undecided.append("whether a payout contains the stake: winnings alone are assumed")
    elif form != "winnings":
        money["payout"] = form
    ties = [(s, p) for s, p, b in known if p == 0]
    if form in {None, "with_stake"} and ties:
        undecided.append("whether a payout of 0 may also be a push; if so, set push to zero")
    undecided.append("whether the commission is already taken from the payouts: it is assumed to be")
    return money, marks, evidence, undecided


def _marks(texts: Sequence[str]) -> dict[str, str]:
    commas = sum(bool(_COMMA.match(text.strip())) for text in texts)
    grouped = [text for text in texts if _GROUPED.match(text.strip())]
    points = sum(bool(re.match(r"^-?\d+\.\d{1,2}$", text.strip())) for text in texts)
    if commas and not points and commas > len(grouped) // 2:
        groups = next(
            (mark for mark in ". '\u00a0" if any(re.search(rf"\d{re.escape(mark)}\d{{3}}", t) for t in texts)), ""
        )
        return {"decimal": ",", **({"grouping": groups} if groups else {})}
    return {"grouping": ","} if grouped else {}


def _numbers(cells: Cells, marks: Mapping[str, str]) -> list[Decimal | None]:
    decimal, grouping = marks.get("decimal", "."), marks.get("grouping", "")
    found: list[Decimal | None] = []
    for cell in cells:
        text = (cell or "").strip()
        text = text.replace(grouping, "") if grouping else text
        try:
            found.append(Decimal(text.replace(decimal, ".")))
        except InvalidOperation:
            found.append(None)
    return found


def _form(known: Sequence[tuple[Decimal, Decimal, str]]) -> tuple[str | None, str]:
    """How payouts relate to stakes on wagers that pay even money, or 0.95 to 1 on the banker."""
    negative = sum(p == -s for s, p, _ in known)
    even = [(s, p) for s, p, bet in known if bet.casefold() in EVEN_WORDS | BANKER_WORDS and p > 0]
    above = sum(p >= s * _MORE_THAN_WON for s, p in even)
    below = sum(p < s for s, p in even)
    counted = (
        f"of {len(known)} wagers {negative} show the stake lost as a negative amount; of {len(even)} paid wagers on "
        f"player or banker {above} were paid well above the stake and {below} less than it"
    )
    if negative:
        return "result", counted
    # Winnings on these bets are never more than the stake; a payout that equals it may be a win or a push.
    if above:
        return "with_stake", counted
    return ("winnings" if below else None), counted
