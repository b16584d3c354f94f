"""How one canonical table is found in a source: which columns it is made of, and how it is made."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from audit.errors import InputRefused
from audit.ingest import cells
from audit.ingest.canonical import CARD_COLUMNS, Kind, Table, must_be_present
from audit.ingest.notations import Notation, both_hands, joined_hands, side_hands
from audit.ingest.settlement import Settlement

PLACEHOLDER: Final = re.compile(r"\{([^{}]+)\}")


@dataclass(frozen=True, slots=True)
class Mapped:
    """One canonical column out of one source column; `words` gives the canonical word for a word of the source."""

    source: str
    words: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CardText:
    """Several cards in one source column; `match`, if any, is a pattern whose group `cards` is the part with them."""

    source: str
    match: str = ""

    def texts(self, raw: Mapping[str, pa.Array], file: str) -> pa.StringArray:
        """The text with the cards in each row, null where the pattern does not match."""
        texts = cells.as_strings(raw[self.source], cells.Place(file, self.source))
        if not self.match:
            return texts
        return pc.struct_field(pc.extract_regex(texts, self.match), "cards")


@dataclass(frozen=True, slots=True)
class CardLayout:
    """Where the cards of a round are: for each side one column a card or one text, or one text for both sides."""

    notation: Notation = field(default_factory=Notation)
    separator: str = ""
    order: str = ""
    sides: Mapping[str, tuple[str, ...] | CardText] = field(default_factory=dict)
    both: CardText | None = None

    def needed(self) -> dict[str, tuple[str, ...]]:
        """The source columns of each canonical card column."""
        if self.both is not None:
            return dict.fromkeys(CARD_COLUMNS, (self.both.source,))
        return {name: (side.source,) if isinstance(side, CardText) else side for name, side in self.sides.items()}

    def hands(self, raw: Mapping[str, pa.Array], file: str) -> dict[str, pa.StringArray]:
        """The canonical card columns."""
        if self.both is not None:
            pair = both_hands(self.both.texts(raw, file), self.notation, self.separator, self.order)
            return dict(zip(CARD_COLUMNS, pair, strict=True))
        return {name: self._side(side, raw, file) for name, side in self.sides.items()}

    def _side(self, side: Sequence[str] | CardText, raw: Mapping[str, pa.Array], file: str) -> pa.StringArray:
        if isinstance(side, CardText):
            return side_hands(side.texts(raw, file), self.notation, self.separator)
        return joined_hands([cells.as_strings(raw[each], cells.Place(file, each)) for each in side], self.notation)


@dataclass(frozen=True, slots=True)
class TableLayout:
    """How one canonical table is found in the source.

    `columns`: canonical name to source column; `constants`: canonical name to a text that holds for every row;
    `templates`: canonical name to a text with source columns in braces; `cards`: where the cards are; `money`: what
    the amounts of wagers are; `running`: whether round numbers run on from shoe to shoe. `direct` is the canonical
    layout itself: every canonical column under its own name.
    """

    columns: Mapping[str, Mapped] = field(default_factory=dict)
    constants: Mapping[str, str] = field(default_factory=dict)
    templates: Mapping[str, str] = field(default_factory=dict)
    cards: CardLayout | None = None
    money: Settlement = field(default_factory=Settlement)
    running: bool = False
    direct: bool = False

    def origins(self) -> dict[str, str]:
        """The source column of each canonical column that has one, for messages."""
        return {name: mapped.source for name, mapped in self.columns.items()}

    def needed(self, table: Table) -> dict[str, tuple[str, ...]]:
        """The source columns that each canonical column is made of."""
        if self.direct:
            return {name: (name,) for name in table.names}
        needed: dict[str, tuple[str, ...]] = {name: (mapped.source,) for name, mapped in self.columns.items()}
        needed.update({name: tuple(PLACEHOLDER.findall(text)) for name, text in self.templates.items()})
        needed.update(self.cards.needed() if self.cards else {})
        return needed

    def check(self, table: Table, file: str, names: Collection[str]) -> None:
        """Refuse a file that lacks a column without which the table cannot be read."""
        for canonical, sources in self.needed(table).items():
            if self.direct and canonical not in must_be_present(table):
                continue
            for source in sources:
                if source not in names:
                    raise InputRefused(f"{file}: the {table.name} column {source!r} is missing")

    def derive(self, table: Table, raw: Mapping[str, pa.Array], rows: int, file: str) -> dict[str, pa.Array]:
        """The canonical columns, still as text of the source, out of the source's columns of one batch."""
        if self.direct:
            return {name: raw[name] for name in table.names if name in raw}
        derived: dict[str, pa.Array] = {}
        for name, mapped in self.columns.items():
            place = cells.Place(file, mapped.source)
            derived[name] = _translated(raw[mapped.source], mapped, place)
            if table.column(name).kind is Kind.MONEY:
                derived[name] = self.money.major(derived[name], place)
        for name, text in self.constants.items():
            derived[name] = _constant(text, rows)
        for name, template in self.templates.items():
            derived[name] = _filled(template, raw, rows, file)
        derived.update(self.cards.hands(raw, file) if self.cards else {})
        return derived


def _translated(raw: pa.Array, mapped: Mapped, place: cells.Place) -> pa.Array:
    """The column with the canonical word for each word that the profile knows; another word stays as it is."""
    if not mapped.words:
        return raw
    column = cells.as_codes(raw, place)
    known = pc.index_in(column.dictionary, value_set=pa.array(list(mapped.words), pa.string()))
    replaced = pc.take(pa.array(list(mapped.words.values()), pa.string()), known)
    return cells.with_values(column, pc.coalesce(replaced, column.dictionary))


def _constant(text: str, rows: int) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), pa.array([text], pa.string()))


def _filled(template: str, raw: Mapping[str, pa.Array], rows: int, file: str) -> pa.StringArray:
    """The template with the cells of each row; null where one of them is null."""
    parts: list[pa.Array | pa.Scalar] = []
    end = 0
    for match in PLACEHOLDER.finditer(template):
        cell = cells.as_strings(raw[match[1]], cells.Place(file, match[1]))
        parts += [pa.scalar(template[end : match.start()]), cell]
        end = match.end()
    parts.append(pa.scalar(template[end:]))
    if len(parts) == 1:
        return pa.array([template] * rows, pa.string())
    return pc.binary_join_element_wise(*parts, "")
