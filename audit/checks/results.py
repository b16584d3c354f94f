"""RES: does the log record what the cards show (55/2004 arts 5, 10, 11, 13; 67/2007 arts 5, 9, 10, 12)."""

from __future__ import annotations

from typing import Final

import numpy as np

from audit.base.columns import UNRECORDED, Array
from audit.base.model import Side, Status
from audit.checks.case import Case, Mask
from audit.checks.draws import hand_facts
from audit.replay.codes import NO_POINTS, OUTCOME_WORDS, STATUSES
from audit.replay.compile import NO_DEPARTURE
from audit.replay.hands import PAIR_NONE
from audit.rulebook.terms import DealRules

_HIGHEST: Final = 9


def check_results(case: Case) -> None:
    """Add RES-001 to RES-004; a hand without a result (DRW-004) and rounds before coverage get none."""
    open_rounds = case.settled & case.covered
    with_cards = open_rounds & case.found.complete
    _points(case, with_cards)
    _outcome(case, with_cards, case.found.player_points, case.found.banker_points)
    _pairs(case, with_cards)
    _outcome_by_points(case, open_rounds & ~case.found.has_cards)
    _void(case)


def _points(case: Case, mask: Mask) -> None:
    """RES-001, a side at a time."""
    for side, shown in ((Side.PLAYER, case.found.player_points), (Side.BANKER, case.found.banker_points)):
        recorded: Array = getattr(case.rounds, f"{side.value}_points")
        for i in np.flatnonzero(mask & (recorded != NO_POINTS) & (recorded != shown)):
            case.accuse(
                "RES-001",
                int(i),
                side=side.value,
                expected=str(int(shown[i])),
                observed=str(int(recorded[i])),
                **case.cite(int(i), "points"),
                **hand_facts(case, int(i)),
            )


def _outcome(case: Case, mask: Mask, player: Array, banker: Array) -> None:
    """RES-002 against the points given."""
    shown = (banker > player) + np.int8(2) * (banker == player)
    recorded = case.rounds.outcome
    for i in np.flatnonzero(mask & (recorded != UNRECORDED) & (recorded != shown)):
        facts = hand_facts(case, int(i)) | {"player_points": int(player[i]), "banker_points": int(banker[i])}
        case.accuse(
            "RES-002",
            int(i),
            expected=OUTCOME_WORDS[shown[i]].value,
            observed=OUTCOME_WORDS[recorded[i]].value,
            **case.cite(int(i), _winner_key(case, int(i))),
            **facts,
        )


def _winner_key(case: Case, i: int) -> str:
    """Baccarat says who wins in an article of its own (11); Makccarat within the drawing article."""
    rules = case.found.rules_of(i)
    return "winner" if rules is not None and rules.has("winner") else "draw"


def _outcome_by_points(case: Case, mask: Mask) -> None:
    """RES-002 in a log without cards: outcome against recorded points."""
    player, banker = case.rounds.player_points, case.rounds.banker_points
    readable = (player >= 0) & (player <= _HIGHEST) & (banker >= 0) & (banker <= _HIGHEST)
    case.leave_open("RES-002", "cards_missing", mask & ~readable)
    _outcome(case, mask & readable, player, banker)


def _pairs(case: Case, mask: Mask) -> None:
    """RES-003, a side at a time: a pair is two first cards of one rank."""
    pairs = case.rounds.names.hands.pairs
    for side, hand in ((Side.PLAYER, case.rounds.player_hand), (Side.BANKER, case.rounds.banker_hand)):
        recorded: Array = getattr(case.rounds, f"{side.value}_pair")
        asked = mask & (recorded != UNRECORDED)
        if not asked.any():
            continue
        shown = pairs.take(hand) != PAIR_NONE
        for i in np.flatnonzero(asked & ((recorded == 1) != shown)):
            case.accuse(
                "RES-003",
                int(i),
                side=side.value,
                expected=str(bool(shown[i])).lower(),
                observed=str(bool(recorded[i])).lower(),
                **case.cite(int(i), "bets.pair"),
                **hand_facts(case, int(i)),
            )


def _void(case: Case) -> None:
    """RES-004: a void round without a reason whose cards are a complete hand without departure."""
    rounds, found = case.rounds, case.found
    void = case.scope & case.covered & (rounds.status == STATUSES.index(Status.VOID)) & ~rounds.has_reason
    whole = void & found.complete
    case.tally.add("RES-004", "draw_method_unknown", int(np.count_nonzero(whole & found.undecided)))
    for i in np.flatnonzero(whole & ~found.undecided & (found.departure == NO_DEPARTURE)):
        if not _out_of_order(case, int(i)):
            case.accuse(
                "RES-004",
                int(i),
                expected="void_reason",
                observed="void",
                **case.cite(int(i), "misdeal"),
                **hand_facts(case, int(i)),
            )


def _out_of_order(case: Case, i: int) -> bool:
    """Say whether a recorded order of dealing is itself a departure, and so a ground for the void."""
    code = int(case.rounds.sequence[i])
    if code == UNRECORDED:
        return False
    word = "".join(str(case.rounds.names.sequence[code]).upper().split())
    hands = case.rounds.names.hands
    thirds = "P" * (hands.counts[case.rounds.player_hand[i]] - 2), "B" * (hands.counts[case.rounds.banker_hand[i]] - 2)
    rules = case.found.rules_of(i)
    if rules is None:
        return False
    right = rules.terms(DealRules).order + "".join(reversed(thirds) if case.found.banker_first[i] else thirds)
    return word != right and sorted(word) == sorted(right)
