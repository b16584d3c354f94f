"""PAY and OPT-004: every wager against what it is due, batch by batch (contract, judging rules 2 to 8).

The bulk comparison only picks the wagers that could be wrong; each of those is judged by the scalar
``audit.checks.wager_faults``, so that there is one definition of a fault.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Final

import numpy as np
import numpy.typing as npt

from audit.base.columns import Array
from audit.base.model import CENT, Outcome, Status, money_text
from audit.checks.case import Case, cited
from audit.checks.habits import habit
from audit.checks.options_in_use import Uses
from audit.checks.schemes import SchemeGroups
from audit.checks.wager_columns import UNKNOWN_SUM, WagerBatch
from audit.checks.wager_faults import Paid, PaymentFault, faults, unplayed_fault
from audit.games.due import Due
from audit.games.settlement import SIDE_BETS
from audit.replay.codes import STATUSES
from audit.replay.compile import OUTCOMES
from audit.replay.dues import (
    BEFORE_COVERAGE,
    CARD_COUNT,
    CARDS_MISSING,
    DEMONSTRATION,
    FATES,
    LOSE,
    SETTLE,
    UNKNOWN,
    VOID,
    WIN,
    DueTable,
    fact_class,
    facts_of,
    fates,
)
from audit.replay.judging import BOTH_METHODS, other_scheme_possible
from audit.rulebook.terms import AdditionalPrizes, Bets

_SIDES: Final = len(SIDE_BETS)


class Payouts:
    """Judges the wagers of one case as they stream by; `finish` settles what needs all of them."""

    def __init__(self, case: Case, dues: DueTable, uses: Uses, *, given: bool = False) -> None:
        """Get ready for the wagers of a case; `given` says that the log has wagers, be they of other rounds."""
        rounds, found = case.rounds, case.found
        self.case, self.dues, self.uses = case, dues, uses
        self.fate = fates(rounds, found)
        self.facts = fact_class(rounds, found)
        self.place = dues.hand_places(dues.groups(found), self.facts)
        self.doubtful = (found.method == BOTH_METHODS) & (self.fate == SETTLE)
        second = np.where(self.doubtful, 1, found.method)
        self.second = self.place
        if self.doubtful.any():
            self.second = dues.hand_places(dues.groups(found, method=second), self.facts)
        possible = np.array([[other_scheme_possible(r, s) for s in range(3)] for r in found.rulesets] or [[False] * 3])
        self.two_schemes = possible[found.rules, found.scheme] & (self.fate == SETTLE)
        other = np.where(self.two_schemes, 1 - found.scheme, found.scheme)
        self.other = dues.hand_places(dues.groups(found, scheme=other), self.facts)
        self.all_settled = bool((self.fate == SETTLE).all())
        self.schemes = SchemeGroups(case)
        self.exposed: dict[int, dict[str | None, int]] = defaultdict(dict)
        self.given = given
        self.departed = np.zeros(len(rounds), np.bool_)
        self.departed[list(case.drawing_at)] = True
        self.tied = (self.fate == SETTLE) & (found.outcome == OUTCOMES.index(Outcome.TIE))
        self.tied &= rounds.status == STATUSES.index(Status.SETTLED)

    def add(self, batch: WagerBatch) -> None:
        """Judge one batch; every wager's round is in the case and in scope."""
        self.given = True
        self._note_uses(batch)
        self._note_exposed(batch)
        if self.all_settled:
            self._settle(batch)
            return
        fate = self.fate.take(batch.at)
        for code, reason in ((BEFORE_COVERAGE, "before_coverage"), (CARDS_MISSING, "cards_missing")):
            self._leave_open(batch.at[fate == code], reason)
        self._leave_open(batch.at[fate == CARD_COUNT], FATES[CARD_COUNT])
        for place in np.flatnonzero((fate == VOID) | (fate == DEMONSTRATION)):
            self._unplayed(batch, int(place), demonstration=fate[place] == DEMONSTRATION)
        here = np.flatnonzero(fate == SETTLE)
        if len(here):
            self._settle(batch if len(here) == len(batch) else batch.take(here))

    def vote(self, batch: WagerBatch) -> None:
        """Count the wagers of other days where their scheme is asked of (judging rule 4); no more is said of them."""
        asked = self.schemes.near.take(batch.at) & self.two_schemes.take(batch.at) & (batch.bet < _SIDES)
        batch = batch.take(np.flatnonzero(asked))
        if not len(batch):
            return
        number = self.dues.look_up(self.place.take(batch.at), batch.bet)
        won = np.flatnonzero(self.dues.column("kind").take(number) == WIN)
        payout = np.zeros(len(batch), np.int64)
        payout[won], _ = self.dues.payout(number.take(won), batch.stake.take(won))
        self._schemes(batch, number, payout, won)

    def _leave_open(self, at: Array, reason: str) -> None:
        self.case.tally.add("PAY-001", reason, len(at))
        self.case.unanswered[at] = True

    def _settle(self, batch: WagerBatch) -> None:
        number = self.dues.look_up(self.place.take(batch.at), batch.bet)
        kind = self.dues.column("kind").take(number)
        # Most wagers lose, and are right where no money came back: only the others are looked at in full. A sum that
        # is not recorded is below zero; no recorded one is (ingest).
        moved = (batch.payout > 0) | (batch.commission > 0) | (batch.returned > 0)
        moved |= kind != LOSE
        if self.doubtful.any():
            moved |= self.doubtful.take(batch.at)
        places = np.flatnonzero(moved)
        if len(places):
            self._compare(batch.take(places), number.take(places), kind.take(places))

    def _compare(self, batch: WagerBatch, number: Array, kind: Array) -> None:
        at, dues = batch.at, self.dues
        unknown = np.flatnonzero(kind == UNKNOWN)
        for code in np.flatnonzero(np.bincount(number[unknown])) if len(unknown) else ():
            self._leave_open(at[unknown[number[unknown] == code]], str(dues.dues[code].reason))
        payout, commission = np.zeros(len(batch), np.int64), np.zeros(len(batch), np.int64)
        won = np.flatnonzero(kind == WIN)
        payout[won], commission[won] = dues.payout(number.take(won), batch.stake.take(won))
        returned = batch.stake * (kind != LOSE)
        wrong = payout != batch.payout
        wrong |= (batch.commission != UNKNOWN_SUM) & (batch.commission != commission)
        wrong |= (batch.returned != UNKNOWN_SUM) & (batch.returned != returned)
        wrong &= kind != UNKNOWN
        doubt = np.zeros(len(batch), np.bool_)
        if self.doubtful.any():
            doubt = self.doubtful.take(at)
            doubt &= dues.look_up(self.second.take(at), batch.bet) != number
        explained = self._schemes(batch, number, payout, won)
        for place in np.flatnonzero((wrong | doubt) & ~explained):
            self._judge(batch, int(place), dues.dues[number[place]], doubt=bool(doubt[place]))

    def _schemes(self, batch: WagerBatch, number: Array, payout: Array, won: Array) -> npt.NDArray[np.bool_]:
        """Count the wagers that tell the schemes apart; hold back those on which the scheme of the day decides.

        They were paid by the other scheme, or pushed where it leaves that open.
        """
        held = np.zeros(len(batch), np.bool_)
        where = won.compress((batch.bet.take(won) < _SIDES) & self.two_schemes.take(batch.at.take(won)))
        if not len(where):
            return held
        at, stake, paid = batch.at.take(where), batch.stake.take(where), batch.payout.take(where)
        other = self.dues.look_up(self.other.take(at), batch.bet.take(where))
        alternative, _ = self.dues.payout(other, stake)
        unread = self.dues.column("unread_push")
        either = np.flatnonzero((paid == 0) & (unread.take(other) == 1))
        pushed = (paid == 0) & (unread.take(number.take(where)) == 1)
        pushed[either] = True
        tells = (alternative != payout.take(where)) & ~pushed
        shows = paid == alternative
        if self.dues.unit != CENT:
            # The exact sum is right too, and a wager that is right under the scheme applied shows no other.
            shows |= paid == self.dues.payout(other, stake, CENT)[0]
            shows &= paid != self.dues.payout(number.take(where), stake, CENT)[0]
        swapped = np.flatnonzero(tells & shows)
        self.schemes.count(at.compress(tells), at.take(swapped))
        if len(swapped):
            places = where.take(swapped)
            held[places] = True
            self.schemes.hold(batch.take(places), payout.take(places))
        if len(either):
            places = where.take(either)
            held[places] = True
            self.schemes.hold_pushed(batch.take(places))
        return held

    def unread_by_other(self, batch: WagerBatch, place: int) -> bool:
        """Say whether a wager was pushed that the scheme which is not applied to its round leaves open (rules 3, 4)."""
        at, bet = batch.at[place : place + 1], batch.bet[place : place + 1]
        if batch.payout[place] or bet[0] >= _SIDES or not self.two_schemes[at[0]]:
            return False
        return self.dues.dues[int(self.dues.look_up(self.other.take(at), bet)[0])].unread_push

    def _judge(self, batch: WagerBatch, place: int, what: Due, *, doubt: bool = False) -> None:
        """Judge one wager as a scalar and add what is found."""
        case, at = self.case, int(batch.at[place])
        paid = batch.paid(place)
        if what.unread_push and paid.payout == 0:
            self._leave_open(batch.at[place : place + 1], "unread_2_2009")
            return
        if doubt:
            self._judge_in_doubt(batch, place, paid)
            return
        for fault in faults(paid, what, self.dues.unit):
            if fault.code == "PAY-001" and self._prize(batch, place):
                self._leave_open(batch.at[place : place + 1], "prize_authorised")
                continue
            variant, detail = habit(paid, fault, facts_of(int(self.facts[at])), case, at)
            self._accuse(batch, place, fault, cited(what.citation), variant=variant, detail=detail)

    def _judge_in_doubt(self, batch: WagerBatch, place: int, paid: Paid) -> None:
        """Method unknown: report what both methods find, with the smaller difference; the rest stays open (rule 4)."""
        at = int(batch.at[place])
        both = []
        for hand in (self.place, self.second):
            number = int(self.dues.look_up(hand[at : at + 1], batch.bet[place : place + 1])[0])
            what = self.dues.dues[number]
            both.append({fault.code: (fault, what) for fault in faults(paid, what, self.dues.unit)})
        if both[0].keys() != both[1].keys():
            self._leave_open(batch.at[place : place + 1], "draw_method_unknown")
        for code in sorted(both[0].keys() & both[1].keys()):
            fault, what = min((found[code] for found in both), key=lambda pair: abs(pair[0].amount))
            self._accuse(batch, place, fault, cited(what.citation))

    def _prize(self, batch: WagerBatch, place: int) -> bool:
        """Say whether the register covers an additional prize for the bet, the table and the day (judging rule 5)."""
        case, at = self.case, int(batch.at[place])
        rules = case.found.rules_of(at)
        prizes = rules.known_terms(AdditionalPrizes) if rules is not None else None
        if case.register is None or rules is None or prizes is None or not prizes.director_may_authorise:
            return False
        casino, table = case.rounds.names.place(int(case.rounds.table[at]))
        today = case.rounds.subject(at)["legal_day"]
        return case.register.covering(casino, table, rules.game, "prize", batch.word(place), today) is not None

    def _unplayed(self, batch: WagerBatch, place: int, *, demonstration: bool) -> None:
        fault = unplayed_fault(batch.paid(place), demonstration=demonstration)
        if fault is not None:
            at = int(batch.at[place])
            key = "opening.demonstration" if demonstration else "misdeal"
            self._accuse(batch, place, fault, self.case.cite(at, key))

    def _accuse(
        self, batch: WagerBatch, place: int, fault: PaymentFault, citation: dict[str, str], **more: str | None
    ) -> None:
        self.case.accuse(
            fault.code,
            int(batch.at[place]),
            **batch.subject(place),
            **citation,
            expected=fault.expected,
            observed=fault.observed,
            amount=fault.amount,
            **more,
        )

    def _note_uses(self, batch: WagerBatch) -> None:
        """Bets outside the gazetted list, and what became of player and banker wagers on a tie (judging rule 11)."""
        case = self.case
        for number, rules in enumerate(case.found.rulesets):
            gazetted = set(rules.terms(Bets).gazetted)
            outside = np.array([word not in gazetted for word in batch.words.bet.texts] or [False])
            if not outside.any():
                continue
            seen = outside.take(batch.bet_word) & (case.found.rules.take(batch.at) == number)
            for word in np.flatnonzero(np.bincount(batch.bet_word[seen])) if seen.any() else ():
                self.uses.add("bet", batch.words.bet.texts[word], batch.at[seen & (batch.bet_word == word)])
        tie = batch.tie
        if tie is not None:
            chosen = (tie >= 0) & (batch.bet < _SIDES) & self.tied.take(batch.at)
            for code in np.flatnonzero(np.bincount(tie[chosen])) if chosen.any() else ():
                self.uses.add("tie", batch.words.tie.texts[code], batch.at[chosen & (tie == code)])

    def _note_exposed(self, batch: WagerBatch) -> None:
        """The stakes on hands with a drawing finding, by currency."""
        for place in np.flatnonzero(self.departed.take(batch.at)) if self.departed.any() else ():
            sums = self.exposed[int(batch.at[place])]
            currency = batch.currency_of(int(place))
            sums[currency] = sums.get(currency, 0) + int(batch.stake[place])

    def finish(self) -> None:
        """Settle the scheme of each table and day, then release the drawing findings with their stakes."""
        for batch, place, unread in self.schemes.finish():
            if unread:
                self._leave_open(batch.at[place : place + 1], "unread_2_2009")
                continue
            number = self.dues.look_up(self.place[batch.at[place : place + 1]], batch.bet[place : place + 1])
            self._judge(batch, place, self.dues.dues[int(number[0])])
        none = "0.00" if self.given else None
        for at, held in self.case.drawing_at.items():
            stakes = self.exposed.get(at, {})
            exposed = " + ".join(f"{money_text(s)} {c or ''}".strip() for c, s in sorted(stakes.items(), key=str))
            for code, row in held:
                self.case.sink.add(code, self.case.rounds.subject(at) | row | {"exposed": exposed or none})
