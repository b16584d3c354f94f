"""DRW: was each card drawn, or not drawn, as the regulation demands (55/2004 arts 7, 9; 67/2007 arts 7, 9)."""

from __future__ import annotations

from typing import Final

import numpy as np

from audit.base.columns import UNRECORDED, Array
from audit.checks.case import Case, Mask
from audit.findings.table import Row
from audit.games import game_of, walk
from audit.replay.compile import DEPARTURE_CODES, NO_DEPARTURE, SIDES, parts_of, points_of
from audit.replay.judging import BOTH_METHODS
from audit.rulebook.terms import TWO_CARDS, DealRules, DrawRules

THIRDS: Final = ("", "P", "B", "PB", "BP")
"""Every order of the third cards; before them come two cards each, in the order that the regulation sets."""


def check_draws(case: Case) -> None:
    """Add DRW-001 to DRW-004 for the settled rounds whose cards are known."""
    rounds, found = case.rounds, case.found
    open_rounds = case.settled & case.covered
    case.leave_open("DRW-001", "before_coverage", case.settled & ~case.covered)
    case.leave_open("DRW-001", "cards_missing", open_rounds & ~found.has_cards)
    case.leave_open("DRW-001", "draw_method_unknown", open_rounds & found.undecided)
    for i in np.flatnonzero(open_rounds & found.has_cards & ~found.complete):
        _card_count(case, int(i))
    departed = open_rounds & found.complete & (found.departure != NO_DEPARTURE)
    for i in np.flatnonzero(departed):
        _departure(case, int(i))
    recorded = rounds.sequence != UNRECORDED
    _order(case, open_rounds & found.complete & ~departed & ~found.undecided & recorded)


def hand_facts(case: Case, i: int) -> Row:
    """The cards and points of round `i`, for messages."""
    rounds, found = case.rounds, case.found
    return {
        "player_cards": rounds.hand_text(int(rounds.player_hand[i])) or None,
        "banker_cards": rounds.hand_text(int(rounds.banker_hand[i])) or None,
        "player_points": int(found.player_points[i]) if found.complete[i] else None,
        "banker_points": int(found.banker_points[i]) if found.complete[i] else None,
    }


def _card_count(case: Case, i: int) -> None:
    counts = case.rounds.names.hands.counts
    n_player, n_banker = int(counts[case.rounds.player_hand[i]]), int(counts[case.rounds.banker_hand[i]])
    rules = case.found.rules_of(i)
    if rules is None:
        return
    most = rules.terms(DrawRules).most_cards
    side = SIDES[0] if not TWO_CARDS <= n_player <= most else SIDES[1]
    row: Row = {
        "side": side.value,
        "expected": f"{TWO_CARDS}..{most}",
        "observed": str(n_player if side is SIDES[0] else n_banker),
        **case.cite(i, DrawRules.key),
        **hand_facts(case, i),
    }
    _keep(case, "DRW-004", i, row)


def _departure(case: Case, i: int) -> None:
    found = case.found
    code = DEPARTURE_CODES[found.departure[i]]
    expected, observed = ("draw", "stand") if code == "DRW-001" else ("stand", "draw")
    row: Row = {
        "side": SIDES[found.side[i]].value,
        "expected": expected,
        "observed": observed,
        **case.cite_step(i, found.articles[found.article[i]]),
        **hand_facts(case, i),
    }
    _keep(case, code, i, row)


def _keep(case: Case, code: str, i: int, row: Row) -> None:
    """Hold a drawing finding back until the wagers have been seen: it states the stakes exposed (judging rule 2)."""
    case.violation[i] = True
    case.drawing_at.setdefault(i, []).append((code, row))


def _order(case: Case, mask: Mask) -> None:
    """DRW-003, only where no other drawing finding stands (judging rule 1)."""
    rounds, found = case.rounds, case.found
    words = ["".join(str(word).upper().split()) for word in rounds.names.sequence.texts]
    for number, rules in enumerate(found.rulesets):
        where = np.flatnonzero(mask & (found.rules == number))
        if len(where):
            _order_of_version(case, where, words, rules.terms(DealRules).order)


def _order_of_version(case: Case, where: Array, words: list[str], deal: str) -> None:
    """DRW-003 for rounds of one version, in which the first two cards of each side come in the order `deal`."""
    rounds, found = case.rounds, case.found
    orders = [deal + thirds for thirds in THIRDS]
    known = np.array([orders.index(word) if word in orders else -1 for word in words], np.int8)
    written = known[rounds.sequence[where]]
    hands = rounds.names.hands
    player_third = hands.counts[rounds.player_hand[where]] == 3
    banker_third = hands.counts[rounds.banker_hand[where]] == 3
    both = np.where(found.banker_first[where], 4, 3)
    required = np.where(player_third & banker_third, both, np.where(player_third, 1, np.where(banker_third, 2, 0)))
    for place in np.flatnonzero(written != required):
        i, right = int(where[place]), orders[required[place]]
        word = words[rounds.sequence[i]]
        if sorted(word) != sorted(right):
            one = np.zeros(len(rounds), np.bool_)
            one[i] = True
            case.leave_open("DRW-003", "deal_sequence_unaccounted", one)
            continue
        cite = case.cite(i, DealRules.key) if not word.startswith(deal) else _cite_order(case, i)
        case.accuse("DRW-003", i, expected=right, observed=word, **cite, **hand_facts(case, i))


def _cite_order(case: Case, i: int) -> dict[str, str]:
    """Citation of what sets who takes the third card first: the first step, or the body of the drawing article."""
    rules = case.found.rules_of(i)
    if rules is None or not game_of(rules.game).order_by_hand or case.found.method[i] == BOTH_METHODS:
        return case.cite(i, DrawRules.key)
    first, *_ = walk(points_of(parts_of(int(case.found.state[i]))), rules, case.found.methods(i)[0])
    return case.cite_step(i, first.article)
