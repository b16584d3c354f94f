"""Rule 13: shoes, their events and the order of rounds."""

from __future__ import annotations

import datetime as dt

from tests.oracle.dealer import SECOND, Log, stamp
from tests.scenarios.base import (
    BANKER_9,
    CASINO,
    Keys,
    deal_table,
    entry_of,
    event_of,
    on,
    row_of,
    scenario,
)


def _shoe(code: str, table: str) -> tuple[object, ...]:
    return (code, CASINO, table, f"{table}-S")


def _after_the_cut_card(table: str, after: int, *, between: bool = False) -> Log:
    rows = [row_of(table, n, *BANKER_9) for n in range(1, 3 + after)]
    event = event_of(table, "cut_card_out", rows[0], 50) if between else event_of(table, "cut_card_out", rows[1], 10)
    return Log(rows, [], [], [event])


@scenario(register=False)
def one_more_round_without_a_register(table: str) -> tuple[Log, Keys]:
    """Without a register one more round is allowed."""
    return _after_the_cut_card(table, 1), set()


@scenario(register=False)
def two_more_rounds_without_a_register(table: str) -> tuple[Log, Keys]:
    """Two are not."""
    return _after_the_cut_card(table, 2), {_shoe("SHO-004", table)}


@scenario()
def one_more_round_not_authorised(table: str) -> tuple[Log, Keys]:
    """With a register that does not allow it, the round is both an unauthorised choice and too many."""
    keys: Keys = {_shoe("SHO-004", table), ("OPT-001", CASINO, table, "baccarat", "last_round", "one_more", None)}
    return _after_the_cut_card(table, 1), keys


@scenario()
def one_more_round_authorised(table: str) -> tuple[Log, Keys]:
    """With an authorisation it is in order."""
    log = _after_the_cut_card(table, 1)
    log.approvals.append(entry_of(table, "last_round", "one_more"))
    return log, set()


@scenario()
def the_cut_card_between_rounds(table: str) -> tuple[Log, Keys]:
    """Out between two rounds: the next round is the last."""
    return _after_the_cut_card(table, 0, between=True), set()


@scenario(register=False)
def the_cut_card_in_a_round_that_overlaps_another(table: str) -> tuple[Log, Keys]:
    """A round is in progress from its start to its end, though another one began and ended meanwhile."""
    rows = [row_of(table, n, *BANKER_9) for n in range(1, 6)]
    rows[2]["started_at"] = stamp(dt.datetime.fromisoformat(rows[1]["started_at"]) - SECOND * 10)
    log = Log(rows, [], [], [event_of(table, "cut_card_out", rows[1], 70)])
    return log, {_shoe("SHO-004", table), ("LOG-003", CASINO, table, rows[1]["round_id"])}


@scenario(register=False)
def the_first_round_is_the_one_with_the_lowest_number(table: str) -> tuple[Log, Keys]:
    """A burn before round 1 is a burn before the first round, whatever the clock of round 2 says."""
    rows = [row_of(table, n, *BANKER_9) for n in (1, 2)]
    rows[1]["started_at"] = rows[1]["ended_at"] = stamp(dt.datetime.fromisoformat(rows[0]["started_at"]) - SECOND * 60)
    return Log(rows, [], [], [event_of(table, "burn", rows[0], -10, burn_rule="decks", count="3")]), {
        _shoe("SHO-005", table)
    }


@scenario(register=False)
def decks_out_of_range(table: str) -> tuple[Log, Keys]:
    """Five decks are too few."""
    return Log([row_of(table, 1, *BANKER_9, decks="5")]), {_shoe("SHO-001", table)}


@scenario(register=False)
def decks_at_the_ends_of_the_range(table: str) -> tuple[Log, Keys]:
    """Six and twelve decks are lawful, each for its shoe."""
    rows = [
        row_of(table, n, *BANKER_9, decks=d, shoe_id=f"{table}-{d}", round_no="1") for n, d in ((1, "6"), (2, "12"))
    ]
    return Log(rows), set()


@scenario(register=False)
def a_rank_in_surplus(table: str) -> tuple[Log, Keys]:
    """Where one suit is missing, ranks are counted: twenty-five sevens in six decks."""
    rows = [
        row_of(table, n, "7S 7H 7D", "7S 7H 7D", status="void", void_reason="spilt", decks="6") for n in range(1, 5)
    ]
    rows.append(row_of(table, 5, "7 10", "K 9", status="void", void_reason="spilt", decks="6"))
    return Log(rows), {(*_shoe("SHO-002", table), "7")}


@scenario(register=False)
def a_card_not_yet_in_surplus(table: str) -> tuple[Log, Keys]:
    """Six of one card in six decks are all of them; of demonstrations and voids too."""
    rows = [row_of(table, n, "7S 7S 7S", "10H 9D", status="void", void_reason="spilt", decks="6") for n in (1, 2)]
    return Log(rows), set()


@scenario(register=False)
def a_card_in_surplus_before_the_first_text(table: str) -> tuple[Log, Keys]:
    """SHO-002 needs no regulation in force."""
    rows = [on(row_of(table, n, "7S 7S 7S", "7S 7S 10H", decks="6"), "2004-05-17") for n in (1, 2)]
    return Log(rows), {(*_shoe("SHO-002", table), "7S")}


@scenario(register=False)
def shoe_checks_skip_the_automatic_shuffler(table: str) -> tuple[Log, Keys]:
    """No gap, no surplus, no deck count and no shoe change where a shuffler deals."""
    rows = [
        row_of(table, n, "7S 7S", "KD 7S 7S", dealing="auto_shuffler", decks="4", status="void", void_reason="x")
        for n in (2, 5, 9)
    ]
    return Log(rows, [], [], [event_of(table, "shoe_change", rows[1], 10)]), set()


@scenario(register=False)
def a_gap_at_the_start_of_a_later_shoe(table: str) -> tuple[Log, Keys]:
    """The table's first shoe may begin anywhere, a later one begins with 1."""
    rows = [row_of(table, n, *BANKER_9, shoe_id=f"{table}-0", round_no=str(n + 6)) for n in (1, 2)]
    rows += [row_of(table, n, *BANKER_9, round_no=str(n - 1)) for n in (3, 4)]
    return Log(rows), {_shoe("LOG-002", table)}


@scenario(register=False)
def a_shoe_change_at_the_end_of_a_round(table: str) -> tuple[Log, Keys]:
    """At the very end it is after the round; one second earlier it is in it."""
    rows = [row_of(table, n, *BANKER_9) for n in (1, 2)]
    events = [event_of(table, "shoe_change", rows[0], 40), event_of(table, "shoe_change", rows[1], 39)]
    return Log(rows, [], [], events), {("SHO-007", rows[1]["round_id"])}


@scenario(register=False)
def two_shoe_changes_in_one_round(table: str) -> tuple[Log, Keys]:
    """One finding for the round."""
    row = row_of(table, 1, *BANKER_9)
    events = [event_of(table, "shoe_change", row, seconds) for seconds in (10, 20)]
    return Log([row], [], [], events), {("SHO-007", row["round_id"])}


@scenario(register=False)
def a_round_that_starts_as_the_last_one_ends(table: str) -> tuple[Log, Keys]:
    """Touching is not overlapping; one second earlier is."""
    rows = [row_of(table, n, *BANKER_9) for n in (1, 2, 3)]
    rows[0]["ended_at"] = rows[1]["started_at"]
    rows[1]["ended_at"] = stamp(dt.datetime.fromisoformat(rows[2]["started_at"]) + SECOND)
    return Log(rows), {("LOG-003", CASINO, table, rows[2]["round_id"])}


@scenario()
def three_demonstrations_at_the_start(table: str) -> tuple[Log, Keys]:
    """Three are allowed."""
    return deal_table(table, demonstrations=3), set()


@scenario(register=False)
def burning_by_the_first_card(table: str) -> tuple[Log, Keys]:
    """A seven burns seven or, itself included, eight; a king none, one, ten or eleven."""
    rows, events, keys = [], [], set()
    cases = [("7D", 7, True), ("7D", 8, True), ("7D", 9, False), ("KD", 0, True), ("KD", 10, True), ("KD", 11, True)]
    for n, (card, count, right) in enumerate([*cases, ("KD", 5, False)], 1):
        row = row_of(table, n, *BANKER_9, shoe_id=f"{table}-{n}", round_no="1")
        rows.append(row)
        burn = {"cards": card, "count": str(count), "burn_rule": "first_card", "shoe_id": row["shoe_id"]}
        events.append(event_of(table, "burn", row, -10, **burn))
        if not right:
            keys.add(("SHO-005", CASINO, table, row["shoe_id"]))
    return Log(rows, [], [], events), keys


@scenario(register=False)
def burns_between_rounds_are_free(table: str) -> tuple[Log, Keys]:
    """Art. 8: only what is burnt before the first round follows a rule."""
    rows = [row_of(table, n, *BANKER_9) for n in (1, 2)]
    events = [
        event_of(table, "burn", rows[0], -10, burn_rule="decks", count="8"),
        event_of(table, "burn", rows[1], -5, burn_rule="decks", count="1"),
    ]
    return Log(rows, [], [], events), set()


@scenario(register=False)
def the_cut_card_at_ten(table: str) -> tuple[Log, Keys]:
    """Ten from the end is near enough to twelve, nine is not."""
    rows = [row_of(table, n, *BANKER_9, shoe_id=f"{table}-{n}", round_no="1") for n in (1, 2)]
    events = [
        event_of(table, "cut_card_placed", row, -20, shoe_id=row["shoe_id"], count=count)
        for row, count in zip(rows, ("10", "9"), strict=True)
    ]
    return Log(rows, [], [], events), {("SHO-006", CASINO, table, f"{table}-2")}
