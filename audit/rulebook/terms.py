"""What each provision states, as typed rules: everything that judges takes these, and none of it knows the data's keys.

A class stands for one provision; its fields are the parameters of the data, under the same names, and the form of a
parameter is the field's type (:mod:`audit.rulebook.schema` reads them). A field with a default may be absent. A field
made by :func:`told` decides nothing: it is shown, and says why no log can be judged by it. Each other field decides
something, which ``tests/rulebook/test_parameters.py`` proves one by one.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from audit.rulebook.payment_terms import (
    AdditionalPrizes,
    Bets,
    LuckySix,
    LuckySixOdds,
    NoCommission,
    OtherBets,
    PairOdds,
    PairOf,
    PairRules,
    SideOdds,
    StandardCommission,
    TieOdds,
    UnreadPush,
)
from audit.rulebook.procedure_terms import (
    TWO_CARDS,
    AfterEqual,
    BurnFormula,
    BurnRules,
    CutCardRules,
    DealRules,
    DeckRules,
    DemonstrationRules,
    DrawRules,
    LastRound,
    MethodRules,
    NoticeRules,
    TableRules,
    TieRules,
)
from audit.rulebook.provision_terms import (
    ItemisedTerms,
    Terms,
    WordsOnly,
    stated,
    told,
)

__all__ = [
    "FORMS",
    "TWO_CARDS",
    "TYPED",
    "AdditionalPrizes",
    "AfterEqual",
    "Bets",
    "BurnFormula",
    "BurnRules",
    "CutCardRules",
    "DealRules",
    "DeckRules",
    "DemonstrationRules",
    "DrawRules",
    "ItemisedTerms",
    "LastRound",
    "LuckySix",
    "LuckySixOdds",
    "MethodRules",
    "NoCommission",
    "NoticeRules",
    "OtherBets",
    "PairOdds",
    "PairOf",
    "PairRules",
    "SideOdds",
    "StandardCommission",
    "TableRules",
    "Terms",
    "TieOdds",
    "TieRules",
    "UnreadPush",
    "WordsOnly",
    "stated",
    "told",
]

TYPED: Final[tuple[type[Terms], ...]] = (
    DeckRules,
    TableRules,
    CutCardRules,
    BurnRules,
    DemonstrationRules,
    LastRound,
    DealRules,
    DrawRules,
    TieRules,
    Bets,
    PairRules,
    LuckySix,
    OtherBets,
    SideOdds,
    TieOdds,
    PairOdds,
    LuckySixOdds,
    AdditionalPrizes,
    StandardCommission,
    NoCommission,
    NoticeRules,
)
"""Every class of terms that states something."""

_WORDS_ONLY: Final = (
    "opening.auto_shuffler",
    "card_change",
    "shoe_change",
    "exposed_card",
    "points",
    "sides",
    "deal.auto_shuffler",
    "burn_between",
    "misdeal",
    "winner",
    "bets.jackpot",
    "bets.dragon_seven",
    "bets.other_application",
    "bets.other_conditions",
    "unequal_stakes",
    "standing_bets",
    "card_holding",
    "odds.jackpot",
)

FORMS: Final[Mapping[str, type[Terms]]] = MappingProxyType(
    {form.key: form for form in TYPED} | dict.fromkeys(_WORDS_ONLY, WordsOnly)
)
"""For each provision that the engine knows the class of its terms."""
