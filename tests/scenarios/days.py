"""Rules 3, 4 and 11: the law of the day, the scheme and the method."""

from __future__ import annotations

import datetime as dt

from tests.oracle.dealer import Log
from tests.scenarios.base import (
    BANKER_6,
    BANKER_9,
    BANKER_37,
    CASINO,
    Keys,
    entry_of,
    on,
    row_of,
    scenario,
    wager_of,
)


@scenario(verdicts={"not_evaluated": 1, "violation": 1})
def baccarat_before_its_first_text(table: str) -> tuple[Log, Keys]:
    """On 17 May 2004 a hand is not evaluated; on the 18th it is."""
    wrong = ("2S 3H", "KD 7C")
    rows = [on(row_of(table, 1, *wrong), "2004-05-17"), on(row_of(table, 2, *wrong), "2004-05-18")]
    return Log(rows), {("DRW-001", rows[1]["round_id"], "player")}


@scenario(register=False, verdicts={"not_evaluated": 4, "conforming": 3, "violation": 1})
def rounds_that_were_not_played_before_the_first_text(table: str) -> tuple[Log, Keys]:
    """Void and demonstration rounds are not evaluated either before the first text, whatever became of their wagers."""
    days = ("2003-06-01", "2004-05-17", "2004-05-18", "2004-05-18")
    rows = [
        on(row_of(table, n, *BANKER_9, status=status, void_reason="spilt", shoe_id="", round_no=str(n)), day)
        for n, (status, day) in enumerate(((s, d) for s in ("void", "demonstration") for d in days), 1)
    ]
    wagers = [wager_of(rows[n], "banker", "100", "95") for n in (0, 1, 2)]
    return Log(rows, wagers), {("PAY-005", wagers[2]["wager_id"])}


@scenario(verdicts={"violation": 1, "not_evaluated": 1})
def the_legal_day_is_macaus(table: str) -> tuple[Log, Keys]:
    """17 May 2004, 17:00 in London is 18 May in Macau; 15:00 is still 17 May."""
    wrong = ("2S 3H", "KD 7C")
    rows = [row_of(table, 1, *wrong), row_of(table, 2, *wrong)]
    for row, hour in zip(rows, ("15", "16"), strict=True):
        row["started_at"], row["ended_at"] = f"2004-05-17T{hour}:00:00+00:00", f"2004-05-17T{hour}:00:40+00:00"
    return Log(rows), {("DRW-001", rows[1]["round_id"], "player")}


@scenario(verdicts={"not_evaluated": 1, "violation": 1})
def makccarat_before_its_first_text(table: str) -> tuple[Log, Keys]:
    """On 9 July 2007 a hand is not evaluated; on the 10th it is."""
    wrong = ("2S 3H", "KD 7C")
    rows = [
        on(row_of(table, n, *wrong, game="makccarat", draw_method="method_1"), day)
        for n, day in ((1, "2007-07-09"), (2, "2007-07-10"))
    ]
    entry = entry_of(table, "draw_method", "method_1", game="makccarat", planned_from="2007-07-09", authorised_at="")
    return Log(rows, [], [entry]), {("DRW-001", rows[1]["round_id"], "player")}


@scenario(verdicts={"not_evaluated": 1, "conforming": 1})
def lucky_six_by_day(table: str) -> tuple[Log, Keys]:
    """On 23 April 2018 it needs an entry of the register and its odds are unknown; on the 24th it is in the list."""
    rows = [on(row_of(table, 1, *BANKER_6), "2018-04-23"), on(row_of(table, 2, *BANKER_6), "2018-04-24")]
    wagers = [wager_of(row, "lucky_six", "100", "1200", stake_returned="100") for row in rows]
    return Log(rows, wagers), {("OPT-001", CASINO, table, "baccarat", "bet", "lucky_six", None)}


@scenario(register=False, verdicts={"not_evaluated": 5})
def other_bets_without_a_register(table: str) -> tuple[Log, Keys]:
    """Only a bet that no register could allow is a finding where there is no register."""
    days = ("2008-12-31", "2009-01-01", "2009-06-22", "2009-06-23", "2024-03-01")
    rows = [on(row_of(table, n, *BANKER_9), day) for n, day in enumerate(days, 1)]
    wagers = [wager_of(row, "small_six", "100", "0") for row in rows]
    return Log(rows, wagers), {("OPT-001", CASINO, table, "baccarat", "bet", "small_six", None)}


@scenario(verdicts={"not_evaluated": 4})
def other_bets_with_a_register(table: str) -> tuple[Log, Keys]:
    """From 23 June 2009 a bet outside the list needs an entry; from 1 January 2009 until then nothing is said."""
    days = ("2009-01-01", "2009-06-22", "2009-06-23", "2024-03-01")
    rows = [on(row_of(table, n, *BANKER_9), day) for n, day in enumerate(days, 1)]
    wagers = [wager_of(row, "small_six", "100", "0") for row in rows]
    return Log(rows, wagers, [entry_of(table, "bet", "small_six")]), {
        ("OPT-002", CASINO, table, "baccarat", "bet", "small_six", f"{table}-A")
    }


@scenario(register=False, verdicts={"not_evaluated": 3})
def dragon_seven_is_a_gap_from_2009(table: str) -> tuple[Log, Keys]:
    """Before 2009 no register could allow it; afterwards nothing is said of it."""
    rows = [
        on(row_of(table, n, *BANKER_37), day) for n, day in ((1, "2008-12-31"), (2, "2009-01-01"), (3, "2024-03-01"))
    ]
    wagers = [wager_of(row, "dragon_seven", "100", "4000") for row in rows]
    return Log(rows, wagers), {("OPT-001", CASINO, table, "baccarat", "bet", "dragon_seven", None)}


@scenario(register=False, verdicts={"conforming": 1, "violation": 1})
def dragon_seven_on_a_void_round(table: str) -> tuple[Log, Keys]:
    """Rule 7 reaches every wager, those with unknown odds too."""
    rows = [row_of(table, n, *BANKER_37, status="void", void_reason="spilt") for n in (1, 2)]
    wagers = [
        wager_of(rows[0], "dragon_seven", "100", "0", stake_returned="100"),
        wager_of(rows[1], "dragon_seven", "100", "1"),
    ]
    return Log(rows, wagers), {("PAY-005", wagers[1]["wager_id"])}


@scenario(register=False, verdicts={"not_evaluated": 2})
def no_other_bet_at_makccarat(table: str) -> tuple[Log, Keys]:
    """Makccarat has a closed list: any other bet is OPT-001, register or not."""
    rows = [row_of(table, n, *BANKER_9, game="makccarat", draw_method="method_1") for n in (1, 2)]
    wagers = [wager_of(rows[0], "lucky_six", "100", "0"), wager_of(rows[1], "jackpot", "100", "0")]
    return Log(rows, wagers), {
        ("OPT-001", CASINO, table, "makccarat", "bet", bet, None) for bet in ("lucky_six", "jackpot")
    }


@scenario(register=False, verdicts={"conforming": 2})
def no_commission_before_73_2005(table: str) -> tuple[Log, Keys]:
    """No register could allow it on 28 November 2005; the wagers are judged by the scheme recorded."""
    rows = [
        on(row_of(table, n, *BANKER_6, commission="none"), day) for n, day in ((1, "2005-11-28"), (2, "2005-11-29"))
    ]
    wagers = [wager_of(row, "banker", "100", "50", commission="0", stake_returned="100") for row in rows]
    return Log(rows, wagers), {("OPT-001", CASINO, table, "baccarat", "commission", "none", None)}


@scenario(register=False, verdicts={"not_evaluated": 1, "violation": 2, "conforming": 1})
def the_three_card_seven(table: str) -> tuple[Log, Keys]:
    """Pushed: not evaluated from 2009 on, underpaid before; paid in full: right; a two-card 7 pushed: underpaid."""
    rows = [
        on(row_of(table, 1, *BANKER_37, commission="none"), "2009-01-01"),
        on(row_of(table, 2, *BANKER_37, commission="none"), "2008-12-31"),
        row_of(table, 3, *BANKER_37, commission="none"),
        row_of(table, 4, "10S 6H", "KD 7C", commission="none"),
    ]
    paid = ("0", "0", "100", "0")
    wagers = [wager_of(row, "banker", "100", text, stake_returned="100") for row, text in zip(rows, paid, strict=True)]
    rows[1]["shoe_id"] = f"{table}-S0"  # an older shoe, so that the numbers have no gap
    rows[1]["round_no"] = "1"
    rows[2]["round_no"], rows[3]["round_no"] = "2", "3"
    return Log(rows, wagers), {("PAY-002", wagers[1]["wager_id"]), ("PAY-002", wagers[3]["wager_id"])}


def _banker_wagers(table: str, paid: list[str], **columns: str) -> Log:
    rows = [row_of(table, n, *BANKER_9, decks="12", **columns) for n in range(1, len(paid) + 1)]
    return Log(
        rows, [wager_of(row, "banker", "100", text, stake_returned="100") for row, text in zip(rows, paid, strict=True)]
    )


@scenario(register=False, verdicts={"conforming": 3})
def three_wagers_show_the_other_scheme(table: str) -> tuple[Log, Keys]:
    """Three of three paid without commission at a table recorded with it: one OPT-004 and no PAY."""
    return _banker_wagers(table, ["100"] * 3), {("OPT-004", CASINO, table, "baccarat", dt.date(2024, 3, 1), "standard")}


@scenario(register=False, verdicts={"violation": 2})
def two_wagers_are_too_few(table: str) -> tuple[Log, Keys]:
    """Two are two overpayments."""
    log = _banker_wagers(table, ["100"] * 2)
    return log, {("PAY-001", w["wager_id"]) for w in log.wagers}


@scenario(register=False, verdicts={"conforming": 10})
def nine_in_ten_are_enough(table: str) -> tuple[Log, Keys]:
    """Nine of ten: OPT-004; the tenth was paid as recorded."""
    return _banker_wagers(table, ["100"] * 9 + ["95"]), {
        ("OPT-004", CASINO, table, "baccarat", dt.date(2024, 3, 1), "standard")
    }


@scenario(register=False, verdicts={"violation": 8, "conforming": 1})
def eight_in_nine_are_not(table: str) -> tuple[Log, Keys]:
    """Eight of nine fall short of nine in ten: eight overpayments."""
    log = _banker_wagers(table, ["100"] * 8 + ["95"])
    return log, {("PAY-001", w["wager_id"]) for w in log.wagers[:8]}


@scenario(register=False, verdicts={"violation": 1, "conforming": 9})
def the_tenth_wager_is_still_judged(table: str) -> tuple[Log, Keys]:
    """The one that follows neither scheme keeps its own finding beside OPT-004."""
    log = _banker_wagers(table, ["100"] * 9 + ["42"])
    return log, {
        ("OPT-004", CASINO, table, "baccarat", dt.date(2024, 3, 1), "standard"),
        ("PAY-002", log.wagers[9]["wager_id"]),
    }


def _pushed_seven(table: str, *, paid: int, day: str = "2024-03-01") -> Log:
    """Banker wagers paid without commission where one is recorded, and a push of a three-card 7 among them."""
    log = _banker_wagers(table, ["100"] * paid)
    row = row_of(table, paid + 1, *BANKER_37, decks="12")
    log.rounds.append(row)
    log.wagers.append(wager_of(row, "banker", "100", "0", stake_returned="100"))
    for each in log.rounds:
        on(each, day)
    return log


@scenario(register=False, verdicts={"conforming": 3, "not_evaluated": 1})
def a_pushed_three_card_seven_where_none_is_followed(table: str) -> tuple[Log, Keys]:
    """It has no vote, and the table's payouts make it the gap that 2/2009 leaves: not evaluated."""
    return _pushed_seven(table, paid=3), {("OPT-004", CASINO, table, "baccarat", dt.date(2024, 3, 1), "standard")}


@scenario(register=False, verdicts={"violation": 3})
def a_pushed_three_card_seven_where_two_pay_without_commission(table: str) -> tuple[Log, Keys]:
    """Two do not show the other scheme: the push is underpaid under the one recorded."""
    log = _pushed_seven(table, paid=2)
    first, second, third = (w["wager_id"] for w in log.wagers)
    return log, {("PAY-001", first), ("PAY-001", second), ("PAY-002", third)}


@scenario(register=False, verdicts={"conforming": 9, "violation": 1})
def a_pushed_three_card_seven_before_the_gap(table: str) -> tuple[Log, Keys]:
    """On 31 December 2008 the text is known: the push is a vote for neither scheme, and underpaid."""
    log = _pushed_seven(table, paid=9, day="2008-12-31")
    return log, {
        ("OPT-004", CASINO, table, "baccarat", dt.date(2008, 12, 31), "standard"),
        ("PAY-002", log.wagers[9]["wager_id"]),
    }


@scenario(register=False, verdicts={"conforming": 9, "not_evaluated": 1})
def a_pushed_three_card_seven_from_the_gap_on(table: str) -> tuple[Log, Keys]:
    """On 1 January 2009 the gap begins."""
    log = _pushed_seven(table, paid=9, day="2009-01-01")
    return log, {("OPT-004", CASINO, table, "baccarat", dt.date(2009, 1, 1), "standard")}


@scenario(register=False, verdicts={"conforming": 3, "not_evaluated": 1})
def a_pushed_three_card_seven_where_standard_is_followed(table: str) -> tuple[Log, Keys]:
    """Recorded without commission, paid with it: the scheme recorded leaves the push open, as in any round."""
    log = _pushed_seven(table, paid=3)
    for row, wager in zip(log.rounds, log.wagers, strict=True):
        row["commission"] = "none"
        wager["payout"] = "0" if wager["payout"] == "0" else "95"
    return log, {("OPT-004", CASINO, table, "baccarat", dt.date(2024, 3, 1), "none")}


@scenario(verdicts={"conforming": 2})
def the_register_fills_in_the_scheme(table: str) -> tuple[Log, Keys]:
    """Nothing recorded and one scheme authorised: that one decides what is due."""
    log = _banker_wagers(table, ["100", "100"], commission="")
    log.approvals.append(entry_of(table, "commission", "none"))
    return log, set()


@scenario(verdicts={"violation": 2})
def two_authorised_schemes_fill_in_nothing(table: str) -> tuple[Log, Keys]:
    """Two schemes authorised: the standard one applies."""
    log = _banker_wagers(table, ["100", "100"], commission="")
    log.approvals += [entry_of(table, "commission", "none"), entry_of(table, "commission", "standard", f"{table}-B")]
    return log, {("PAY-001", w["wager_id"]) for w in log.wagers}


@scenario(register=False, verdicts={"not_evaluated": 1, "conforming": 1})
def a_scheme_of_another_name(table: str) -> tuple[Log, Keys]:
    """Player and banker wagers under it are not evaluated, others are."""
    rows = [row_of(table, n, *BANKER_9, commission="ez") for n in (1, 2)]
    return Log(rows, [wager_of(rows[0], "banker", "100", "7"), wager_of(rows[1], "tie", "100", "0")]), set()


@scenario(register=False, verdicts={"conforming": 1, "not_evaluated": 2, "violation": 1})
def makccarat_without_a_method(table: str) -> tuple[Log, Keys]:
    """What both methods find is reported, where they differ nothing is said."""
    rows = [
        row_of(table, 1, "2S 3H", "KD 6C", game="makccarat"),
        row_of(table, 2, "10S 5H", "KD 2C 3C", game="makccarat"),
        row_of(table, 3, "10S 9H", "KD 9C", game="makccarat"),
        row_of(table, 4, "10S 9H", "KD 9C", game="makccarat"),
    ]
    wagers = [
        wager_of(rows[2], "tie", "100", "1400", stake_returned="100"),
        wager_of(rows[3], "player", "100", "0", stake_returned="100"),
    ]
    return Log(rows, wagers), {("DRW-001", rows[0]["round_id"], "player")}


@scenario(register=False, verdicts={"not_evaluated": 1})
def the_order_of_a_hand_whose_method_decides(table: str) -> tuple[Log, Keys]:
    """With one method it departs, with the other the order is wrong: not the same finding, so none."""
    row = row_of(table, 1, "10S 2H 3D", "KD 5C", game="makccarat", deal_sequence="BPBPP")
    return Log([row]), set()
