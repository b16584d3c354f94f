"""Every slip by its name."""

from __future__ import annotations

from tests.oracle import slips_of_rounds as one
from tests.oracle import slips_of_tables as many

MUTATORS: dict[str, one.Slip] = {
    slip.__name__: slip
    for slip in (
        one.card_dropped,
        one.card_added,
        one.fourth_card,
        one.outcome_flipped,
        one.points_off,
        one.pair_flipped,
        one.sequence_swapped,
        one.overpaid,
        one.underpaid,
        one.commission_off,
        one.stake_kept,
        one.losing_stake_returned,
        one.wrong_scheme,
        many.option_unauthorised,
        many.option_early,
        many.option_expired,
        many.notice_short,
        many.application_missing,
        many.decks_changed,
        many.few_decks,
        many.card_surplus,
        many.late_demonstration,
        many.fourth_demonstration,
        many.cut_card_early,
        many.burn_off,
        many.cut_card_low,
        many.shoe_changed_in_round,
        many.round_lost,
        many.rounds_overlap,
        many.round_repeated,
        many.round_twice,
        many.wager_twice,
        many.wager_orphaned,
        many.void_unfounded,
        many.void_not_returned,
        many.demonstration_wager,
        many.strange_bet,
    )
}
