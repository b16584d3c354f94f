"""The canonical tables: which columns they have, what each holds, and the typed Arrow schema they are read into.

The columns and their meaning are those of the README ("Canonical tables"). Everything that reads a source is driven by
the declarations below, so that Parquet and CSV, and every source profile, end in the same typed rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Final

import pyarrow as pa

DICTIONARY: Final = pa.dictionary(pa.int32(), pa.string())
"""Type of a column with few distinct texts; each distinct text is decoded once per dictionary."""

INSTANT: Final = pa.timestamp("us", tz="UTC")


class Kind(StrEnum):
    """What the cells of a column hold, which decides how they are read."""

    ID = "id"
    CODE = "code"
    WORD = "word"
    CURRENCY = "currency"
    CARDS = "cards"
    INTEGER = "integer"
    BOOLEAN = "boolean"
    MONEY = "money"
    INSTANT = "instant"


_TYPES: Final[Mapping[Kind, pa.DataType]] = {
    Kind.ID: pa.string(),
    Kind.CODE: DICTIONARY,
    Kind.WORD: DICTIONARY,
    Kind.CURRENCY: DICTIONARY,
    Kind.CARDS: DICTIONARY,
    Kind.INTEGER: pa.int64(),
    Kind.BOOLEAN: pa.bool_(),
    Kind.MONEY: pa.int64(),
    Kind.INSTANT: INSTANT,
}


@dataclass(frozen=True, slots=True)
class Column:
    """One canonical column.

    `required` columns may not be null; `words` is the closed set of a `WORD` column; `least` is the smallest value
    allowed in a number (money in ten-thousandths) and `below` the reason given for a smaller one.
    """

    name: str
    kind: Kind
    required: bool = False
    words: tuple[str, ...] = ()
    least: int | None = None
    below: str = ""

    @property
    def type(self) -> pa.DataType:
        """The Arrow type of the typed column."""
        return _TYPES[self.kind]

    @property
    def skippable(self) -> bool:
        """Whether no content of this column can reject a row, so that a caller may leave it unread."""
        return not self.required and self.kind in {Kind.CODE, Kind.ID}


@dataclass(frozen=True)
class Table:
    """One canonical table: its name and its columns in the order of the schema."""

    name: str
    columns: tuple[Column, ...]
    identity: str | None

    @cached_property
    def schema(self) -> pa.Schema:
        """Arrow schema of the typed rows; every column is always present."""
        return pa.schema([(column.name, column.type) for column in self.columns])

    def column(self, name: str) -> Column:
        """The column called `name`; KeyError if the table has none."""
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(name)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the columns in schema order."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def nothing(self) -> pa.RecordBatch:
        """No typed row."""
        return pa.RecordBatch.from_arrays([pa.array([], column.type) for column in self.columns], schema=self.schema)


ROUNDS: Final = Table(
    "rounds",
    (
        Column("round_id", Kind.ID, required=True),
        Column("casino", Kind.CODE),
        Column("table_id", Kind.CODE, required=True),
        Column("shoe_id", Kind.CODE),
        Column("round_no", Kind.INTEGER, required=True, least=1, below="round_no_not_positive"),
        Column("game", Kind.WORD, required=True, words=("baccarat", "makccarat")),
        Column("status", Kind.WORD, required=True, words=("settled", "void", "demonstration")),
        Column("void_reason", Kind.CODE),
        Column("started_at", Kind.INSTANT, required=True),
        Column("ended_at", Kind.INSTANT),
        Column("player_cards", Kind.CARDS),
        Column("banker_cards", Kind.CARDS),
        Column("deal_sequence", Kind.CODE),
        Column("outcome", Kind.WORD, words=("player", "banker", "tie")),
        Column("player_points", Kind.INTEGER),
        Column("banker_points", Kind.INTEGER),
        Column("player_pair", Kind.BOOLEAN),
        Column("banker_pair", Kind.BOOLEAN),
        Column("decks", Kind.INTEGER),
        Column("dealing", Kind.WORD, words=("shoe", "auto_shuffler")),
        Column("draw_method", Kind.WORD, words=("method_1", "method_2")),
        Column("commission", Kind.CODE),
    ),
    identity="round_id",
)

WAGERS: Final = Table(
    "wagers",
    (
        Column("wager_id", Kind.ID, required=True),
        Column("round_id", Kind.ID, required=True),
        Column("seat", Kind.CODE),
        Column("bet", Kind.CODE, required=True),
        Column("stake", Kind.MONEY, required=True, least=1, below="stake_not_positive"),
        Column("currency", Kind.CURRENCY),
        Column("payout", Kind.MONEY, required=True, least=0, below="negative_amount"),
        Column("commission", Kind.MONEY, least=0, below="negative_amount"),
        Column("stake_returned", Kind.MONEY, least=0, below="negative_amount"),
        Column("tie_choice", Kind.WORD, words=("cancelled", "kept", "changed")),
        Column("placed_at", Kind.INSTANT),
    ),
    identity="wager_id",
)

EVENTS: Final = Table(
    "events",
    (
        Column("casino", Kind.CODE),
        Column("table_id", Kind.CODE, required=True),
        Column("shoe_id", Kind.CODE),
        Column("at", Kind.INSTANT, required=True),
        Column(
            "event",
            Kind.WORD,
            required=True,
            words=("shuffle", "burn", "cut_card_placed", "cut_card_out", "shoe_change"),
        ),
        Column("cards", Kind.CARDS),
        Column("count", Kind.INTEGER, least=0, below="negative_count"),
        Column("burn_rule", Kind.WORD, words=("decks", "first_card", "fixed")),
    ),
    identity=None,
)

TABLES: Final[Mapping[str, Table]] = {table.name: table for table in (ROUNDS, WAGERS, EVENTS)}

CARD_COLUMNS: Final = ("player_cards", "banker_cards")
"""Columns of the rounds that must be in the file though their cells may be empty (footnote 1 of the contract)."""


def must_be_present(table: Table) -> tuple[str, ...]:
    """Names of the columns without which a file is refused."""
    cards = CARD_COLUMNS if table is ROUNDS else ()
    return tuple(column.name for column in table.columns if column.required or column.name in cards)


Key = tuple[str | int | bool | None, ...]


def row_key(rows: pa.RecordBatch, index: int) -> Key:
    """The values of every canonical column of one typed row, for deciding whether two rows are repeats.

    Typed rows are already canonical (money in ten-thousandths, instants in UTC microseconds, cards in one spelling),
    so that ``0`` equals ``0.00``, ``T`` equals ``10`` and the same instant in two zones is the same value.
    The rows must have been read with all their columns.
    """
    key: list[str | int | bool | None] = []
    for column in rows.columns:
        cell = column[index]
        key.append(cell.value if pa.types.is_timestamp(column.type) else cell.as_py())
    return tuple(key)
