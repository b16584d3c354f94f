"""SHO-001 to SHO-003 and LOG-002: each shoe as a whole (55/2004 and 67/2007 arts 1 and 2; judging rule 13)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from audit.base.columns import UNRECORDED, Array
from audit.base.model import Dealing, Status
from audit.checks.case import Case, Mask
from audit.replay.codes import DEALINGS, NO_DECKS, STATUSES
from audit.replay.hands import LONGER, NUMBERS, card_name
from audit.replay.order import order_of
from audit.replay.rounds import Rounds
from audit.rulebook.terms import DeckRules, DemonstrationRules

Places = npt.NDArray[np.int64]

_LEAST: Final = np.iinfo(np.int64).min
_MOST: Final = np.iinfo(np.int64).max

SUITED: Final = 52
COPIES_OF_A_RANK: Final = 4


@dataclass(frozen=True)
class Shoes:
    """The rounds that belong to shoes, shoe by shoe and in the order of their numbers.

    `order` are positions of rounds, `starts` the first place of each shoe in it, `of` the shoe (0, 1, ...) of each
    place; `code` is the shoe's code and `asked` says whether one of its rounds is in scope.
    """

    order: Places
    starts: Places
    of: Places
    code: Array
    asked: Mask

    @classmethod
    def of_case(cls, case: Case) -> Shoes:
        """Group the rounds of a case; rounds dealt by an automatic shuffler or without a shoe are left out."""
        rounds = case.rounds
        inside = (rounds.shoe != UNRECORDED) & (rounds.dealing != DEALINGS.index(Dealing.AUTO_SHUFFLER))
        where = np.flatnonzero(inside)
        order = where[order_of(rounds.shoe[where], rounds.round_no[where])]
        code = rounds.shoe[order]
        heads = np.ones(len(order), np.bool_)
        heads[1:] = code[1:] != code[:-1]
        starts = np.flatnonzero(heads)
        of = np.cumsum(heads) - 1
        asked = np.zeros(len(starts), np.bool_)
        asked[of[case.scope[order]]] = True
        return cls(order, starts, of, code[starts], asked)

    def __len__(self) -> int:
        return len(self.starts)

    def rounds(self, shoe: int) -> Places:
        """Positions of the rounds of one shoe, in the order of their numbers."""
        end = self.starts[shoe + 1] if shoe + 1 < len(self.starts) else len(self.order)
        return self.order[self.starts[shoe] : end]


def check_shoes(case: Case, shoes: Shoes, burnt: dict[int, list[int]]) -> None:
    """Add the findings about shoes; `burnt` are the numbers of cards that events show, by shoe code."""
    if not len(shoes):
        return
    _decks(case, shoes)
    _surplus(case, shoes, burnt)
    _demonstrations(case, shoes)
    _gaps(case, shoes)


def note_shoe(case: Case, code: str, places: Places, **columns: Any) -> None:
    """Add a finding about a shoe: its subject is the shoe, its evidence the first round of `places`."""
    first, last = int(places[0]), int(places[-1])
    row = case.rounds.subject(first)
    ends = {"first_round_id": row["round_id"], "last_round_id": case.rounds.ids[last].as_py()}
    case.sink.add(code, row | {"round_id": None, "rounds_affected": len(places)} | ends | columns)


def _decks(case: Case, shoes: Shoes) -> None:
    """SHO-001: outside the range of art. 1, or changed within a shoe."""
    rounds = case.rounds
    known = (rounds.decks[shoes.order] != NO_DECKS) & case.covered[shoes.order]
    lowest, highest = _extremes(shoes, rounds.decks[shoes.order], known)
    bounds = [rules.terms(DeckRules) for rules in case.found.rulesets]
    inner = max((each.min for each in bounds), default=0), min((each.max for each in bounds), default=0)
    plain = (lowest == highest) & (lowest >= inner[0]) & (highest <= inner[1])
    for shoe in np.flatnonzero(shoes.asked & (highest >= lowest) & ~plain):
        places = shoes.rounds(int(shoe))
        places = places[(rounds.decks[places] != NO_DECKS) & case.covered[places]]
        rules = case.found.rules_of(int(places[0]))
        if rules is None:
            continue
        terms = rules.terms(DeckRules)
        least, most = terms.min, terms.max
        low, high = int(lowest[shoe]), int(highest[shoe])
        if low == high and least <= low <= most:
            continue
        seen = sorted({int(d) for d in rounds.decks[places]})
        cite = case.cite(int(places[0]), "equipment.decks")
        observed = ",".join(map(str, seen))
        note_shoe(case, "SHO-001", places, expected=f"{least}..{most}", observed=observed, **cite)


def _extremes(shoes: Shoes, values: Array, mask: Mask) -> tuple[Array, Array]:
    """Least and greatest value of each shoe where `mask` holds; least > greatest where there is none."""
    least, most = (values, values) if mask.all() else (np.where(mask, values, _MOST), np.where(mask, values, _LEAST))
    return np.minimum.reduceat(least, shoes.starts), np.maximum.reduceat(most, shoes.starts)


def _surplus(case: Case, shoes: Shoes, burnt: dict[int, list[int]]) -> None:
    """SHO-002: more copies of a card than decks, of a rank than four times the decks where a suit is missing."""
    rounds = case.rounds
    low, high = _extremes(shoes, rounds.decks[shoes.order], rounds.decks[shoes.order] != NO_DECKS)
    counts = _count_cards(rounds, shoes, burnt)
    answerable = (low == high) & (low > 0)
    case.tally.add("SHO-002", "decks_unknown", int(np.count_nonzero(shoes.asked & ~answerable)))
    decks = np.where(answerable, low, 0)[:, None]
    suitless = counts[:, SUITED:].sum(axis=1) > 0
    ranks = counts[:, :SUITED].reshape(-1, 13, 4).sum(axis=2) + counts[:, SUITED:]
    over_card = counts[:, :SUITED] > decks
    over_rank = ranks > COPIES_OF_A_RANK * decks
    asked = (shoes.asked & answerable)[:, None]
    for shoe, number in np.argwhere(over_card & asked & ~suitless[:, None]):
        _accuse_surplus(case, shoes, int(shoe), int(number), int(decks[shoe, 0]), int(counts[shoe, number]))
    for shoe, rank in np.argwhere(over_rank & asked & suitless[:, None]):
        limit = COPIES_OF_A_RANK * int(decks[shoe, 0])
        _accuse_surplus(case, shoes, int(shoe), SUITED + int(rank), limit, int(ranks[shoe, rank]))


def _count_cards(rounds: Rounds, shoes: Shoes, burnt: dict[int, list[int]]) -> npt.NDArray[np.int64]:
    """Copies of each card number in each shoe, shape (shoes, 65): rounds of every status, and burnt cards seen."""
    # The first place of each shoe takes the cards that are not there.
    width = NUMBERS + 1
    counts = np.zeros(len(shoes) * width, np.int64)
    hands = rounds.names.hands
    base = shoes.of * width + 1
    for hand in (rounds.player_hand.take(shoes.order), rounds.banker_hand.take(shoes.order)):
        for column in hands.first_three:
            counts += np.bincount(base + column.take(hand), minlength=len(counts))
        for place in np.flatnonzero(hand >= LONGER):
            for card in hands.all_cards(int(hand[place]))[3:]:
                counts[base[place] + card] += 1
    if burnt:
        at = {int(code): place for place, code in enumerate(shoes.code)}
        for code, cards in burnt.items():
            for card in cards if code in at else ():
                counts[at[code] * width + 1 + card] += 1
    return counts.reshape(-1, width)[:, 1:]


def _accuse_surplus(case: Case, shoes: Shoes, shoe: int, number: int, limit: int, seen: int) -> None:
    places = shoes.rounds(shoe)
    rules = case.found.rules_of(int(places[0]))
    cite = case.cite(int(places[0]), "equipment.decks") if rules is not None else {}
    card = {"option": "card", "value": card_name(number), "expected": str(limit), "observed": str(seen)}
    note_shoe(case, "SHO-002", places, **card, **cite)


def _demonstrations(case: Case, shoes: Shoes) -> None:
    """SHO-003: more than three demonstration rounds, or one after a settled round."""
    rounds = case.rounds
    status = rounds.status[shoes.order]
    number = rounds.round_no[shoes.order]
    covered = case.covered[shoes.order]
    demo = (status == STATUSES.index(Status.DEMONSTRATION)) & covered
    if not demo.any():
        return
    settled = (status == STATUSES.index(Status.SETTLED)) & covered
    times = np.add.reduceat(demo.astype(np.int64), shoes.starts)
    first_settled, _ = _extremes(shoes, number, settled)
    _, last_demo = _extremes(shoes, number, demo)
    for shoe in np.flatnonzero(shoes.asked & (times > 0)):
        places = shoes.rounds(int(shoe))
        places = places[(rounds.status[places] == STATUSES.index(Status.DEMONSTRATION)) & case.covered[places]]
        rules = case.found.rules_of(int(places[0]))
        if rules is None:
            continue
        most = rules.terms(DemonstrationRules).max_per_shoe
        late = bool(last_demo[shoe] > first_settled[shoe])
        if int(times[shoe]) <= most and not late:
            continue
        observed = f"{int(times[shoe])}" + (" after_settled" if late else "")
        cite = case.cite(int(places[0]), "opening.demonstration")
        note_shoe(case, "SHO-003", places, expected=f"0..{most} at_start", observed=observed, **cite)


def _gaps(case: Case, shoes: Shoes) -> None:
    """LOG-002: a number is missing between the lowest and the highest of a shoe, or below the lowest.

    The table's first shoe in the input may have begun before the input does.
    """
    rounds = case.rounds
    number = rounds.round_no[shoes.order]
    new = np.ones(len(number), np.bool_)
    new[1:] = (number[1:] != number[:-1]) | (shoes.of[1:] != shoes.of[:-1])
    distinct = np.add.reduceat(new.astype(np.int64), shoes.starts)
    low, high = number.take(shoes.starts), number.take(np.append(shoes.starts[1:], len(number)) - 1)
    lowest_allowed = np.where(_first_of_table(rounds, shoes), low, 1)
    for shoe in np.flatnonzero(shoes.asked & (high - lowest_allowed + 1 != distinct)):
        places = shoes.rounds(int(shoe))
        here = set(rounds.round_no[places].tolist())
        wanted = range(int(lowest_allowed[shoe]), int(high[shoe]) + 1)
        missing = _ranges([n for n in wanted if n not in here]) if len(wanted) < _LONG else "..."
        expected = f"{int(lowest_allowed[shoe])}..{int(high[shoe])}"
        count = len(wanted) - len(here)
        note_shoe(case, "LOG-002", places, expected=expected, observed=f"missing {missing}", count=count)


_LONG: Final = 1_000_000


def _first_of_table(rounds: Rounds, shoes: Shoes) -> Mask:
    """Say of each shoe whether it is the first seen at its table, by the order of rounds at a table (rule 13)."""
    here = shoes.order
    order = here[order_of(rounds.table[here], rounds.start[here], rounds.round_no[here])]
    heads = np.ones(len(order), np.bool_)
    heads[1:] = rounds.table[order][1:] != rounds.table[order][:-1]
    first: Mask = np.isin(shoes.code, rounds.shoe[order[heads]])
    return first


def _ranges(values: list[int]) -> str:
    """Numbers as ranges.

    >>> _ranges([3, 4, 5, 9])
    '3-5,9'
    """
    parts: list[list[int]] = []
    for value in values:
        if parts and parts[-1][1] == value - 1:
            parts[-1][1] = value
        else:
            parts.append([value, value])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in parts[:50])
