"""SHO-004 to SHO-008 and the options that events show: burning, the cut card, the change of a shoe.

55/2004 and 67/2007 arts 2, 3 and 8; contract, judging rule 13.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from audit.base.columns import NEVER, UNRECORDED, Array
from audit.base.days import DAY, MACAU_OFFSET, day, day_number
from audit.base.known_games import GAMES
from audit.base.model import Dealing, parse_hand
from audit.base.typed_rows import TypedRows
from audit.checks.case import Case
from audit.checks.options_in_use import Uses
from audit.checks.shoes import Shoes, note_shoe
from audit.replay.codes import DEALINGS, NO_DECKS
from audit.replay.hands import card_number
from audit.replay.judging import first_day
from audit.rulebook.terms import BurnFormula, BurnRules, CutCardRules, LastRound

_SHUFFLER: Final = DEALINGS.index(Dealing.AUTO_SHUFFLER)


@dataclass(frozen=True, slots=True)
class ShoeEvent:
    """One event at a table; `at` in microseconds."""

    casino: str | None
    table_id: str
    shoe_id: str | None
    at: int
    event: str
    cards: str | None
    count: int | None
    burn_rule: str | None
    source_file: str
    source_row: int

    @property
    def numbers(self) -> list[int]:
        """Numbers of the cards seen."""
        return [card_number(card) for card in parse_hand(self.cards or "")]


def read_events(batches: Iterable[TypedRows]) -> list[ShoeEvent]:
    """Read typed event rows, in order of table and time; exact repeats count once."""
    events: dict[tuple[Any, ...], ShoeEvent] = {}
    for batch in batches:
        columns = {name: batch.rows[name] for name in batch.rows.schema.names}
        at = columns.pop("at").cast("int64").to_pylist()
        plain = {name: column.to_pylist() for name, column in columns.items()}
        for i, instant in enumerate(at):
            event = ShoeEvent(
                plain["casino"][i],
                plain["table_id"][i],
                plain["shoe_id"][i],
                instant,
                plain["event"][i],
                plain["cards"][i],
                plain["count"][i],
                plain["burn_rule"][i],
                batch.file,
                int(batch.source_row[i]),
            )
            key = (event.casino, event.table_id, event.shoe_id, instant, event.event, event.cards, event.count)
            events.setdefault((*key, event.burn_rule), event)
    return sorted(events.values(), key=lambda e: (e.casino or "", e.table_id, e.at, e.source_file, e.source_row))


class EventChecks:
    """Judges the events of one case."""

    def __init__(self, case: Case, shoes: Shoes, events: list[ShoeEvent], uses: Uses) -> None:
        self.case, self.shoes, self.uses = case, shoes, uses
        self._tables: dict[str, list[int]] = defaultdict(list)
        self._by_shoe: dict[int, list[ShoeEvent]] = defaultdict(list)
        self._by_table: dict[int, list[ShoeEvent]] = defaultdict(list)
        if not events:
            return
        names = case.rounds.names
        for code, (_, word) in enumerate(names.table.texts):
            self._tables[names.table_word[word]].append(code)
        self._shoes = {(table, names.shoe_word[word]): code for code, (table, word) in enumerate(names.shoe.texts)}
        self._by_place = np.argsort(case.rounds.table, kind="stable")
        self._starts = np.searchsorted(case.rounds.table[self._by_place], np.arange(len(names.table.texts) + 1))
        self._shoe_at = {int(code): place for place, code in enumerate(shoes.code)}
        for event in events:
            self._place(event)

    def _place(self, event: ShoeEvent) -> None:
        """Find the table and the shoe of an event; one that fits no single table is counted, not guessed."""
        names = self.case.rounds.names
        tables = [
            code
            for code in self._tables.get(event.table_id, ())
            if event.casino is None or names.place(code)[0] in {None, event.casino}
        ]
        if len(tables) > 1 and event.shoe_id is not None:
            tables = [code for code in tables if (code, event.shoe_id) in self._shoes]
        if len(tables) > 1:
            tables = [code for code in tables if names.place(code)[0] == self.case.settings.casino]
        if len(tables) != 1:
            self.case.tally.add("SHO-004", "event_not_placed")
            return
        table = tables[0]
        self._by_table[table].append(event)
        named = self._shoes.get((table, event.shoe_id))
        code = named if event.shoe_id is not None else self._shoe_in_play(table, event)
        if code is not None:
            self._by_shoe[code].append(event)

    def _rounds_at(self, table: int) -> Array:
        """Positions of the rounds of one table, in the order read."""
        return self._by_place[self._starts[table] : self._starts[table + 1]]

    def _shoe_in_play(self, table: int, event: ShoeEvent) -> int | None:
        """The shoe that an event without one speaks of: that of the round under way, before a shoe that of the next."""
        rounds = self.case.rounds
        here = self._rounds_at(table)
        here = here[rounds.shoe[here] != UNRECORDED]
        begun, ahead = here[rounds.start[here] <= event.at], here[rounds.start[here] >= event.at]
        if event.event in {"burn", "cut_card_placed"} and len(ahead):
            return int(rounds.shoe[ahead[np.argmin(rounds.start[ahead])]])
        if len(begun):
            return int(rounds.shoe[begun[np.argmax(rounds.start[begun])]])
        return int(rounds.shoe[ahead[np.argmin(rounds.start[ahead])]]) if len(ahead) else None

    @property
    def burnt(self) -> dict[int, list[int]]:
        """Numbers of the burnt cards that were seen, by shoe code: they are in the shoe, not in the replay."""
        seen = {
            code: [n for e in events if e.event == "burn" for n in e.numbers] for code, events in self._by_shoe.items()
        }
        return {code: cards for code, cards in seen.items() if cards}

    def check(self) -> None:
        """Add every finding that the events show, and note the options in use."""
        for code, told in sorted(self._by_shoe.items()):
            place = self._shoe_at.get(code)
            if place is None or not self.shoes.asked[place]:
                continue
            places = self.shoes.rounds(place)
            places = places[self.case.covered[places]]
            if len(places):
                events = self._lawful(told, int(places[0]))
                self._burn(places, events)
                self._cut_card_placed(places, events)
                self._cut_card_out(places, events)
        self._count_silence()
        for table, events in sorted(self._by_table.items()):
            self._shoe_change(table, [e for e in events if e.event == "shoe_change"])
            self._auto_shuffler(table, events)

    def _lawful(self, events: list[ShoeEvent], i: int) -> list[ShoeEvent]:
        """The events from the first day on whose text is known of the game of round `i` (judging rule 13)."""
        first = day_number(first_day(self.case.rulebook, GAMES[self.case.rounds.game[i]]))
        return [event for event in events if (event.at + MACAU_OFFSET) // DAY >= first]

    def _count_silence(self) -> None:
        """Count the shoes that no event speaks of."""
        case, shoes = self.case, self.shoes
        if not self._by_table:
            for check in ("SHO-004", "SHO-005", "SHO-006", "SHO-007"):
                case.tally.add(check, "no_events", int(np.count_nonzero(shoes.asked)))
            return
        for place in np.flatnonzero(shoes.asked):
            if int(shoes.code[place]) in self._by_shoe:
                continue
            silent = ["SHO-004", "SHO-005", "SHO-006"]
            if int(case.rounds.table[shoes.rounds(int(place))[0]]) not in self._by_table:
                silent.append("SHO-007")
            for check in silent:
                case.tally.add(check, "no_events")

    def _burn(self, places: Any, events: list[ShoeEvent]) -> None:
        """SHO-005 and the option ``burn``: cards burnt before the first round of the shoe."""
        case, rounds = self.case, self.case.rounds
        first = int(places[0])
        burns = [e for e in events if e.event == "burn" and e.at <= rounds.start[first]]
        rules = case.found.rules_of(first)
        if not burns or rules is None:
            return
        rule, counts = burns[0].burn_rule, [e.count for e in burns]
        if rule is None or None in counts:
            case.tally.add("SHO-005", "no_events")
            return
        count = sum(c for c in counts if c is not None)
        terms = rules.terms(BurnRules)
        if rule != BurnFormula.FIXED or count in terms.fixed:
            self.uses.add("burn", f"fixed_{count}" if rule == BurnFormula.FIXED else rule, places[:1])
        today = day(int(rounds.legal_day[first]))
        if rule == BurnFormula.FIXED and rules.in_window(BurnRules.key, today):
            case.tally.add("SHO-005", "commencement_uncertain")
            return
        allowed = self._allowed(terms, rule, first, burns)
        if allowed is None:
            case.tally.add("SHO-005", "decks_unknown" if rule == BurnFormula.DECKS else "cards_missing")
        elif count not in allowed:
            expected = _span(allowed) or ",".join(terms.formulas)
            cite = case.cite(first, BurnRules.key)
            source = {"source_file": burns[0].source_file, "source_row": burns[0].source_row}
            note_shoe(case, "SHO-005", places, expected=expected, observed=str(count), detail=rule, **cite, **source)

    def _allowed(self, terms: BurnRules, rule: str, first: int, burns: list[ShoeEvent]) -> AbstractSet[int] | None:
        """How many cards the rule of art. 2(1) lets the croupier burn; None where the log does not tell."""
        if rule not in terms.formulas:
            return frozenset()
        if rule == BurnFormula.DECKS:
            decks = int(self.case.rounds.decks[first])
            return None if decks == NO_DECKS else {decks}
        if rule == BurnFormula.FIXED:
            return terms.fixed
        cards = parse_hand(burns[0].cards or "")
        return terms.by_first_card(cards[0].points) if cards else None

    def _cut_card_placed(self, places: Any, events: list[ShoeEvent]) -> None:
        """SHO-006: far fewer cards behind the cut card than "about twelve"."""
        for event in events:
            rules = self.case.found.rules_of(int(places[0]))
            if event.event != "cut_card_placed" or event.count is None or rules is None:
                continue
            terms = rules.terms(CutCardRules)
            if event.count < terms.floor:
                cite = self.case.cite(int(places[0]), terms.key)
                source = {"source_file": event.source_file, "source_row": event.source_row}
                expected, observed = f"~{terms.about}", str(event.count)
                note_shoe(self.case, "SHO-006", places, expected=expected, observed=observed, **cite, **source)
                return

    def _cut_card_out(self, places: Any, events: list[ShoeEvent]) -> None:
        """SHO-004 and the option ``last_round``: rounds after the one in which the cut card came out."""
        case, rounds = self.case, self.case.rounds
        out = [e for e in events if e.event == "cut_card_out"]
        if not out:
            return
        last = self._last_round(places, out[0].at)
        if last is None:
            return
        after = places[last + 1 :]
        if not len(after):
            return
        first = int(after[0])
        casino, table = rounds.names.place(int(rounds.table[first]))
        rules = case.found.rules_of(first)
        if rules is None:
            return
        counts = rules.terms(LastRound).rounds_after_cut_card
        least = min(counts)
        self.uses.add("last_round", "one_more", after[least:])
        today = day(int(rounds.legal_day[first]))
        more = case.register is None or case.register.covering(
            casino, table, rules.game, "last_round", "one_more", today
        )
        allowed = max(counts) if more else least
        if len(after) > allowed:
            cite = case.cite(first, LastRound.key)
            source = {"source_file": out[0].source_file, "source_row": out[0].source_row}
            most = f"0..{allowed}" if allowed else "0"
            note_shoe(case, "SHO-004", after, expected=most, observed=str(len(after)), **cite, **source)

    def _last_round(self, places: Any, at: int) -> int | None:
        """The place, in the shoe's order, of the last round in progress at `at`, else of the next one to start."""
        rounds = self.case.rounds
        start = rounds.start[places]
        running = np.flatnonzero((start <= at) & (at <= _ends(start, rounds.end[places])))
        if len(running):
            return int(running[-1])
        upcoming = np.flatnonzero(start > at)
        return int(upcoming[np.argmin(start[upcoming])]) if len(upcoming) else None

    def _shoe_change(self, table: int, events: list[ShoeEvent]) -> None:
        """SHO-007: the shoe was changed between the start and the end of a round."""
        case, rounds = self.case, self.case.rounds
        if not events:
            return
        here = self._rounds_at(table)
        in_shoe = (rounds.shoe[here] != UNRECORDED) & (rounds.dealing[here] != _SHUFFLER)
        here = here[in_shoe & case.scope[here] & case.covered[here] & (rounds.end[here] != NEVER)]
        inside = np.zeros(len(here), np.bool_)
        for event in events:
            inside |= (rounds.start[here] < event.at) & (event.at < rounds.end[here])
        for i in here[inside]:
            cite = case.cite(int(i), "shoe_change")
            case.note("SHO-007", int(i), expected="between_rounds", observed="in_round", **cite)

    def _auto_shuffler(self, table: int, events: list[ShoeEvent]) -> None:
        """SHO-008: events of a shoe at a table that deals by automatic shuffler alone (art. 2(3))."""
        case, rounds = self.case, self.case.rounds
        here = self._rounds_at(table)
        here = here[case.scope[here] & case.covered[here]]
        if not len(here) or (rounds.dealing[here] != _SHUFFLER).any():
            return
        first = int(here[0])
        odd = [e for e in self._lawful(events, first) if e.event in {"burn", "cut_card_placed", "cut_card_out"}]
        if not odd:
            return
        case.note(
            "SHO-008",
            first,
            round_id=None,
            shoe_id=None,
            expected="0",
            observed=str(len(odd)),
            source_file=odd[0].source_file,
            source_row=odd[0].source_row,
            **case.cite(first, "opening.auto_shuffler"),
        )


def _ends(start: Array, end: Array) -> Array:
    """When each round ended; one whose end is not recorded is taken to run until the next one starts."""
    order = np.argsort(start, kind="stable")
    following = np.full(len(start), np.iinfo(np.int64).max)
    following[order[:-1]] = start[order[1:]]
    return np.where(end == NEVER, following, end)


def _span(values: AbstractSet[int]) -> str:
    """Numbers as a range where they are one, else one by one.

    >>> _span({1, 2, 3}), _span({0, 1, 10, 11}), _span(set())
    ('1..3', '0,1,10,11', '')
    """
    ordered = sorted(values)
    if len(ordered) > 2 and ordered[-1] - ordered[0] == len(ordered) - 1:
        return f"{ordered[0]}..{ordered[-1]}"
    return ",".join(map(str, ordered))
