"""Rules 5 to 8: half payments, ties and rounding."""

from __future__ import annotations

from tests.oracle.dealer import Log
from tests.scenarios.base import (
    BANKER_6,
    BANKER_9,
    TIE,
    Keys,
    entry_of,
    on,
    row_of,
    scenario,
    wager_of,
)


@scenario(verdicts={"conforming": 4, "violation": 2})
def half_payment_at_makccarat(table: str) -> tuple[Log, Keys]:
    """The house's half of the winnings may be recorded as a commission or not at all."""
    rows = [
        row_of(table, n, "10S 4H", "KD 2C AC", game="makccarat", draw_method="method_1", commission="none")
        for n in range(1, 7)
    ]
    taken = ("0", "166.52", "166.53", "", "16.65", "333.05")
    wagers = [
        wager_of(row, "player", "333.05", "166.53", commission=text, stake_returned="333.05")
        for row, text in zip(rows, taken, strict=True)
    ]
    entries = [
        entry_of(table, "draw_method", "method_1", game="makccarat"),
        entry_of(table, "commission", "none", f"{table}-B", game="makccarat"),
    ]
    return Log(rows, wagers, entries), {("PAY-003", w["wager_id"]) for w in wagers[4:]}


@scenario(verdicts={"violation": 1, "conforming": 1})
def half_payment_at_baccarat(table: str) -> tuple[Log, Keys]:
    """In baccarat no commission goes with the half payment."""
    rows = [row_of(table, n, *BANKER_6, commission="none") for n in (1, 2)]
    wagers = [
        wager_of(row, "banker", "100", "50", commission=text, stake_returned="100")
        for row, text in zip(rows, ("0", "50"), strict=True)
    ]
    return Log(rows, wagers, [entry_of(table, "commission", "none")]), {("PAY-003", wagers[1]["wager_id"])}


@scenario(verdicts={"not_evaluated": 1, "violation": 2})
def an_authorised_prize(table: str) -> tuple[Log, Keys]:
    """More than is due on a bet with an authorised prize is not evaluated; less is still underpaid."""
    rows = [row_of(table, n, *TIE) for n in (1, 2, 3)]
    bets = (("tie", "900"), ("tie", "700"), ("player_pair", "1100"))
    wagers = [wager_of(row, bet, "100", paid) for row, (bet, paid) in zip(rows, bets, strict=True)]
    return Log(rows, wagers, [entry_of(table, "prize", "tie")]), {
        ("PAY-002", wagers[1]["wager_id"]),
        ("PAY-001", wagers[2]["wager_id"]),
    }


@scenario(verdicts={"conforming": 8, "violation": 4})
def what_a_tie_gives_back(table: str) -> tuple[Log, Keys]:
    """In full; nothing too if kept; anything up to the stake if changed; never more."""
    cases = [
        ("", "100", ""),
        ("cancelled", "100", ""),
        ("cancelled", "0", "PAY-004"),
        ("", "0", "PAY-004"),
        ("kept", "0", ""),
        ("kept", "100", ""),
        ("kept", "50", "PAY-004"),
        ("changed", "0", ""),
        ("changed", "50", ""),
        ("changed", "100", ""),
        ("changed", "100.01", "PAY-004"),
        ("changed", "", ""),
    ]
    rows = [row_of(table, n, *TIE, decks="12") for n in range(1, len(cases) + 1)]
    wagers = [
        wager_of(row, "player", "100", "0", commission="0", stake_returned=back, tie_choice=choice)
        for row, (choice, back, _) in zip(rows, cases, strict=True)
    ]
    entries = [entry_of(table, "tie", value, f"{table}-{value}") for value in ("cancelled", "kept", "changed")]
    keys: Keys = {(code, w["wager_id"]) for w, (_, _, code) in zip(wagers, cases, strict=True) if code}
    return Log(rows, wagers, entries), keys


@scenario(register=False, verdicts={"conforming": 4, "violation": 3})
def half_cents_go_to_the_bettor(table: str) -> tuple[Log, Keys]:
    """Five per cent of 0.50 is 0.025: the house takes 0.02 and pays 0.48."""
    cases = [
        ("0.50", "0.48", "0.02", ""),
        ("0.30", "0.29", "0.01", ""),
        ("0.70", "0.67", "0.03", ""),
        ("0.10", "0.10", "0", ""),
        ("0.50", "0.47", "0.03", "PAY-002"),
        ("0.50", "0.48", "0.03", "PAY-003"),
        ("0.50", "0.475", "0.025", "PAY-002"),
    ]
    rows = [row_of(table, n, *BANKER_9) for n in range(1, len(cases) + 1)]
    wagers = [
        wager_of(row, "banker", stake, paid, commission=taken, stake_returned=stake)
        for row, (stake, paid, taken, _) in zip(rows, cases, strict=True)
    ]
    return Log(rows, wagers), {(c[3], w["wager_id"]) for w, c in zip(wagers, cases, strict=True) if c[3]}


@scenario(register=False, verdicts={"violation": 1})
def one_wager_may_have_two_faults(table: str) -> tuple[Log, Keys]:
    """A wrong payout hides a wrong commission, but not a stake kept back."""
    row = row_of(table, 1, *BANKER_9)
    wager = wager_of(row, "banker", "100", "90", commission="10", stake_returned="0")
    return Log([row], [wager]), {("PAY-002", wager["wager_id"]), ("PAY-004", wager["wager_id"])}


@scenario(register=False, verdicts={"violation": 1})
def half_due_and_commission_paid(table: str) -> tuple[Log, Keys]:
    """A banker's 6 without commission paid as if with it: 95 for 50."""
    row = row_of(table, 1, *BANKER_6, commission="none")
    wager = wager_of(row, "banker", "100", "95", stake_returned="100")
    return Log([row], [wager]), {("PAY-001", wager["wager_id"])}


@scenario(register=False, verdicts={"not_evaluated": 1})
def limits_and_payments_before_the_first_text(table: str) -> tuple[Log, Keys]:
    """Before the first text a payment is not judged, however wrong."""
    row = on(row_of(table, 1, *BANKER_9), "2004-05-17")
    return Log([row], [wager_of(row, "banker", "100", "1", stake_returned="7", commission="3")]), set()
