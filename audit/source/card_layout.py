"""Where the cards of a row are in its source, and how the canonical hands are made of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from audit.base.canonical import CARD_COLUMNS
from audit.base.columns import is_textual
from audit.base.errors import InputRefused
from audit.source import cells
from audit.source.joined_cards import JoinedCards
from audit.source.notations import LISTED, ORDERS, PAIRED, Notation, both_hands, joined_hands, side_hands

Raw: TypeAlias = Mapping[str, pa.Array]


@dataclass(frozen=True, slots=True)
class CardText:
    """Several cards in one source column, a text or a list; `match`, if any, is a pattern with a group `cards`."""

    source: str
    match: str = ""

    @property
    def sources(self) -> tuple[str, ...]:
        """The source columns."""
        return (self.source,)

    def texts(self, raw: Raw, file: str) -> tuple[pa.StringArray, bool]:
        """The text with the cards in each row, null where the pattern does not match; and whether it was a list."""
        column = _column(raw, self.source)
        if pa.types.is_list(column.type) or pa.types.is_large_list(column.type):
            return _joined_list(column, self.source, file), True
        texts = cells.as_strings(column, cells.SourceColumn(file, self.source))
        if self.source.startswith("@spread."):
            return texts, True
        if not self.match:
            return texts, False
        return pc.struct_field(pc.extract_regex(texts, self.match), "cards"), False


@dataclass(frozen=True, slots=True)
class CardPair:
    """A card, or a list of cards, whose rank and suit stand in two source columns."""

    rank: str
    suit: str

    @property
    def sources(self) -> tuple[str, ...]:
        """The source columns."""
        return (self.rank, self.suit)

    def texts(self, raw: Raw, file: str) -> tuple[pa.StringArray, bool]:
        """Rank and suit of each card as one token; and whether they were lists."""
        columns = [_column(raw, source) for source in self.sources]
        if not pa.types.is_list(columns[0].type) and not pa.types.is_list(columns[1].type):
            pair = [
                pc.fill_null(cells.as_strings(column, cells.SourceColumn(file, source)), "")
                for column, source in zip(columns, self.sources, strict=True)
            ]
            return pc.binary_join_element_wise(*pair, PAIRED), False
        lists = [column.to_pylist() for column in columns]
        rows = [
            None
            if ranks is None or suits is None
            else LISTED.join(
                f"{rank or ''}{PAIRED}{suit or ''}"
                for rank, suit in zip(_padded(ranks, suits), _padded(suits, ranks), strict=True)
            )
            for ranks, suits in zip(*lists, strict=True)
        ]
        return pa.array(rows, pa.string()), True


def _padded(values: Sequence[str], other: Sequence[str]) -> list[str]:
    return [*values, *[""] * (len(other) - len(values))]


def _column(raw: Raw, source: str) -> pa.Array:
    """A column of the source, or nothing but nulls where a sparse source has none."""
    if source in raw:
        return raw[source]
    rows = len(next(iter(raw.values()))) if raw else 0
    return pa.nulls(rows, pa.string())


def _joined_list(column: pa.Array, source: str, file: str) -> pa.StringArray:
    kind = column.type.value_type
    if not is_textual(kind) and not pa.types.is_integer(kind):
        raise InputRefused(f"{file}: column {source} is {column.type}, where a list of texts is expected")
    texts = pc.fill_null(column.flatten().cast(pa.string()), "")
    offsets = pc.fill_null(pc.cumulative_sum(pc.fill_null(pc.list_value_length(column), 0)), 0).cast(pa.int32())
    lists = pa.ListArray.from_arrays(pa.concat_arrays([pa.array([0], pa.int32()), offsets]), texts)
    return pc.if_else(pc.is_valid(column), pc.binary_join(lists, LISTED), pa.scalar(None, pa.string()))


Single: TypeAlias = "str | CardPair"
Side: TypeAlias = "tuple[Single, ...] | CardText | CardPair"


def _sources(side: Side) -> tuple[str, ...]:
    if isinstance(side, CardText | CardPair):
        return side.sources
    return tuple(source for each in side for source in ((each,) if isinstance(each, str) else each.sources))


@dataclass(frozen=True, slots=True)
class CardLayout:
    """Where the cards of a row are: for each side one column a card or one text, or one text for both sides.

    `sides` gives the place of the cards for each canonical card column; `joined`, if any, is the table they come from.
    """

    notation: Notation = field(default_factory=Notation)
    separator: str = ""
    order: str = ""
    sides: Mapping[str, Side] = field(default_factory=dict)
    both: CardText | CardPair | None = None
    joined: JoinedCards | None = None

    def needed(self) -> dict[str, tuple[str, ...]]:
        """The source columns of each canonical card column."""
        if self.both is not None:
            return dict.fromkeys(CARD_COLUMNS, self.both.sources)
        return {name: _sources(side) for name, side in self.sides.items()}

    def hands(self, raw: Raw, file: str) -> dict[str, pa.StringArray]:
        """The canonical card columns."""
        if self.both is not None:
            texts, listed = self.both.texts(raw, file)
            pair = both_hands(texts, self.notation, LISTED if listed else self.separator, self.order)
            return dict(zip(CARD_COLUMNS, pair, strict=True))
        return {name: self._side(side, raw, file) for name, side in self.sides.items()}

    def _side(self, side: Side, raw: Raw, file: str) -> pa.StringArray:
        if isinstance(side, CardText | CardPair):
            texts, listed = side.texts(raw, file)
            return side_hands(texts, self.notation, LISTED if listed else self.separator)
        singles = [
            cells.as_strings(_column(raw, each), cells.SourceColumn(file, each))
            if isinstance(each, str)
            else each.texts(raw, file)[0]
            for each in side
        ]
        return joined_hands(singles, self.notation)

    def alternatives(self) -> dict[str, CardLayout]:
        """The same cards in the other orders that they could have been written in, by a name for a reader."""
        if self.both is not None:
            return {order: replace(self, order=order) for order in ORDERS if order != self.order}
        if set(self.sides) == set(CARD_COLUMNS):
            player, banker = (self.sides[name] for name in CARD_COLUMNS)
            swapped = dict(zip(CARD_COLUMNS, (banker, player), strict=True))
            return {"player and banker exchanged": replace(self, sides=swapped)}
        return {}
