"""How one canonical table is found in a source: which columns it is made of, and how it is made."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from audit.base.canonical import CARD_COLUMNS, ROUNDS, CanonicalTable, CellKind, must_be_present
from audit.base.errors import InputRefused
from audit.base.model import parse_hand, total
from audit.source import cells, clock
from audit.source.card_layout import CardLayout, CardPair, CardText
from audit.source.payout_meaning import PayoutMeaning
from audit.source.records import SPREAD, RecordLayout, head_of

__all__ = ["PLACEHOLDER", "CardLayout", "CardPair", "CardText", "Corrections", "Mapped", "TableLayout"]

PLACEHOLDER: Final = re.compile(r"\{([^{}]+)\}")


@dataclass(frozen=True, slots=True)
class Mapped:
    """One canonical column out of one source column, or of several that a text with columns in braces puts together.

    `also` are columns that stand in where the first has no value; `match` a pattern whose group `value` is the part
    that counts; `words` gives the canonical word for a word of the source, `others` the one for every other word
    (None: it stays; empty: no value); the word "" stands for an empty cell. For times: `time` is a form of
    `clock.FORMS`, `zone` the zone where it is not the profile's, and `clock`, if any, the column with the time of the
    day, for days that start at `day_starts`.
    """

    source: str
    words: Mapping[str, str] = field(default_factory=dict)
    also: tuple[str, ...] = ()
    match: str = ""
    others: str | None = None
    time: str = "iso"
    zone: str = ""
    clock: str = ""
    day_starts: str = "00:00"

    @property
    def sources(self) -> tuple[str, ...]:
        """Every source column it is made of."""
        names = (each for text in (self.source, *self.also) for each in (PLACEHOLDER.findall(text) or [text]))
        return (*names, *((self.clock,) if self.clock else ()))


@dataclass(frozen=True, slots=True)
class Corrections:
    """Which rows replace an earlier row with the same identity: those with one of `words` in the column `flag`.

    Of several corrections the one with the largest value in `latest` counts, or without it the last one read.
    """

    flag: str
    words: frozenset[str]
    latest: str = ""


@dataclass(frozen=True, slots=True)
class TableLayout:
    """How one canonical table is found in the source.

    `columns`: canonical name to source column; `constants`: canonical name to a text that holds for every row;
    `templates`: canonical name to a text with source columns in braces; `cards`: where the cards are; `money`: what
    the amounts of wagers are; `running`: whether round numbers run on from shoe to shoe; `records`: how rows are
    found; `corrections`: which rows replace others; `winning_points`: the recorded total of the winner, for the proof
    of order; `embedded`: whether the table is in the files of the rounds. `direct` is the canonical layout itself.
    """

    columns: Mapping[str, Mapped] = field(default_factory=dict)
    constants: Mapping[str, str] = field(default_factory=dict)
    templates: Mapping[str, str] = field(default_factory=dict)
    cards: CardLayout | None = None
    money: PayoutMeaning = field(default_factory=PayoutMeaning)
    running: bool = False
    records: RecordLayout = field(default_factory=RecordLayout)
    corrections: Corrections | None = None
    winning_points: Mapped | None = None
    embedded: bool = False
    direct: bool = False

    def origins(self) -> dict[str, str]:
        """The source column of each canonical column that has one, for messages."""
        return {name: mapped.source for name, mapped in self.columns.items()}

    def zones(self) -> dict[str, str]:
        """The zone of each canonical column that has one of its own."""
        return {name: mapped.zone for name, mapped in self.columns.items() if mapped.zone}

    def needed(self, table: CanonicalTable) -> dict[str, tuple[str, ...]]:
        """The source columns that each canonical column is made of."""
        if self.direct:
            return {name: (name,) for name in table.names}
        needed: dict[str, tuple[str, ...]] = {name: mapped.sources for name, mapped in self.columns.items()}
        needed.update({name: tuple(PLACEHOLDER.findall(text)) for name, text in self.templates.items()})
        needed.update(self.cards.needed() if self.cards else {})
        needed.update({name: (SPREAD + name,) for name in self.records.spread_names() if name not in needed})
        return needed

    def sources(self, table: CanonicalTable) -> set[str]:
        """Every source column that has to be read, beside those that the records' own shape makes."""
        found = {source for sources in self.needed(table).values() for source in sources}
        found |= self.records.sources()
        if self.corrections is not None:
            found |= {self.corrections.flag, self.corrections.latest}
        if self.winning_points is not None:
            found |= set(self.winning_points.sources)
        if self.cards is not None and self.cards.joined is not None:
            found |= {self.cards.joined.key}
        return {source for source in found if source and not source.startswith(SPREAD)}

    def check(self, table: CanonicalTable, file: str, names: Collection[str], *, sparse: bool = False) -> None:
        """Refuse a file that lacks a column without which the table cannot be read."""
        must = must_be_present(table)
        for canonical, sources in self.needed(table).items():
            if (self.direct or sparse) and canonical not in must:
                continue
            missing = [s for s in sources if not s.startswith("@") and head_of(s, names) not in names]
            mapped = self.columns.get(canonical)
            if mapped is not None and mapped.also and len(missing) < len(sources):
                continue
            if missing and not (sparse and self._may_lack(canonical)):
                raise InputRefused(f"{file}: the {table.name} column {missing[0]!r} is missing")

    def _may_lack(self, canonical: str) -> bool:
        """Whether a record without the column can still be read: cards may be absent in a round."""
        return self.cards is not None and canonical in self.cards.needed()

    def derive(self, table: CanonicalTable, raw: Mapping[str, pa.Array], rows: int, file: str) -> dict[str, pa.Array]:
        """The canonical columns, still as text of the source, out of the source's columns of one batch."""
        if self.direct:
            return {name: raw[name] for name in table.names if name in raw}
        derived: dict[str, pa.Array] = {}
        for name, mapped in self.columns.items():
            if (column := self._column(table, name, mapped, raw, file)) is not None:
                derived[name] = column
        for name in self.records.spread_names():
            if self.cards is not None and name in self.cards.sides:
                continue
            derived[name] = raw[SPREAD + name]
            if table.column(name).kind is CellKind.MONEY:
                derived[name] = self._amount(name, derived[name], cells.SourceColumn(file, name))
        for name, text in self.constants.items():
            derived[name] = _constant(text, rows)
        for name, template in self.templates.items():
            derived[name] = _filled(template, raw, rows, file)
        derived.update(self.cards.hands(raw, file) if self.cards else {})
        if table is ROUNDS and self.cards is not None and self.cards.notation.name == "points":
            derived = _without_ranks(derived)
        return derived

    def _amount(self, name: str, column: pa.Array, place: cells.SourceColumn) -> pa.Array:
        if name == "payout":
            column = self.money.present(column)
        return self.money.major(self.money.marked(column, place), place)

    def _column(
        self, table: CanonicalTable, name: str, mapped: Mapped, raw: Mapping[str, pa.Array], file: str
    ) -> pa.Array | None:
        place = cells.SourceColumn(file, mapped.source)
        column = _first_of(mapped, raw, file)
        if column is None:
            return None
        if mapped.match:
            texts = cells.as_strings(column, place)
            column = pc.struct_field(pc.extract_regex(texts, mapped.match), "value")
        column = _translated(column, mapped, place)
        kind = table.column(name).kind
        if kind is CellKind.MONEY:
            return self._amount(name, column, place)
        if kind is CellKind.INSTANT and mapped.clock:
            if mapped.clock not in raw:
                return None
            places = (place, cells.SourceColumn(file, mapped.clock))
            return clock.of_business_day(column, raw[mapped.clock], mapped.time, mapped.day_starts, places)
        if kind is CellKind.INSTANT and mapped.time != "iso":
            return clock.as_iso(column, mapped.time, place)
        return column


def winning_points(mapped: Mapped, raw: Mapping[str, pa.Array], file: str) -> pa.Array | None:
    """The recorded total of the winner as numbers, null where there is none."""
    place = cells.SourceColumn(file, mapped.source)
    column = _first_of(mapped, raw, file)
    if column is None:
        return None
    texts = cells.as_strings(column, place)
    if mapped.match:
        texts = pc.struct_field(pc.extract_regex(texts, mapped.match), "value")
    digit = pc.match_substring_regex(texts, "^[0-9]$")
    return pc.if_else(digit, texts, pa.scalar(None, pa.string())).cast(pa.int64())


def _first_of(mapped: Mapped, raw: Mapping[str, pa.Array], file: str) -> pa.Array | None:
    """The source column, filled from the columns that stand in for it."""
    present = []
    for source in (mapped.source, *mapped.also):
        if PLACEHOLDER.search(source):
            rows = len(next(iter(raw.values()))) if raw else 0
            present.append((source, _filled(source, raw, rows, file)))
        elif source in raw:
            present.append((source, raw[source]))
    if not present:
        return None
    if len(present) == 1:
        return present[0][1]
    return pc.coalesce(*(cells.as_strings(column, cells.SourceColumn(file, source)) for source, column in present))


def _translated(raw: pa.Array, mapped: Mapped, place: cells.SourceColumn) -> pa.Array:
    """The column with the canonical word for each word that the profile knows; another word stays as it is."""
    if not mapped.words:
        return raw
    if pa.types.is_boolean(raw.type):
        raw = raw.cast(pa.string())
    column = cells.as_codes(raw, place)
    if "" in mapped.words:
        column = pc.fill_null(cells.as_strings(column, place), "").dictionary_encode()
    known = pc.index_in(column.dictionary, value_set=pa.array(list(mapped.words), pa.string()))
    replaced = pc.take(pa.array(list(mapped.words.values()), pa.string()), known)
    rest = column.dictionary if mapped.others is None else pa.scalar(mapped.others, pa.string())
    return cells.with_values(column, pc.coalesce(replaced, rest))


def _without_ranks(derived: dict[str, pa.Array]) -> dict[str, pa.Array]:
    """Rounds of which the source has points and no ranks, without what only ranks can say.

    Two first cards of no points may be a pair or not: such a round keeps its totals and loses its cards. The number
    of decks goes, so that nobody counts ranks that are not known.
    """
    hands: dict[str, pa.Array] = {name: derived[name] for name in CARD_COLUMNS if name in derived}
    doubtful = None
    for hand in hands.values():
        both = pc.fill_null(pc.match_substring_regex(hand, "^10 10"), fill_value=False)
        doubtful = both if doubtful is None else pc.or_(doubtful, both)
    kept = {name: pc.if_else(doubtful, pa.scalar(None, pa.string()), hand) for name, hand in hands.items()}
    for name, hand in hands.items():
        total_name = name.replace("_cards", "_points")
        if doubtful is not None and total_name not in derived:
            kept[total_name] = pc.if_else(doubtful, _totals(hand), pa.scalar(None, pa.string()))
    return {name: column for name, column in derived.items() if name != "decks"} | kept


def _totals(hands: pa.StringArray) -> pa.StringArray:
    """The points of each hand as text; null where there is none or a card cannot be read."""
    known: dict[str | None, str | None] = {None: None}
    for hand in pc.unique(hands).to_pylist():
        try:
            known[hand] = str(total(parse_hand(hand))) if hand else None
        except ValueError:
            known[hand] = None
    return pa.array([known[hand] for hand in hands.to_pylist()], pa.string())


def _constant(text: str, rows: int) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), pa.array([text], pa.string()))


def _filled(template: str, raw: Mapping[str, pa.Array], rows: int, file: str) -> pa.StringArray:
    """The template with the cells of each row; null where one of them is null."""
    parts: list[pa.Array | pa.Scalar] = []
    end = 0
    for match in PLACEHOLDER.finditer(template):
        if match[1] not in raw:
            return pa.nulls(rows, pa.string())
        cell = cells.as_strings(raw[match[1]], cells.SourceColumn(file, match[1]))
        parts += [pa.scalar(template[end : match.start()]), cell]
        end = match.end()
    parts.append(pa.scalar(template[end:]))
    if len(parts) == 1:
        return pa.array([template] * rows, pa.string())
    return pc.binary_join_element_wise(*parts, "")
