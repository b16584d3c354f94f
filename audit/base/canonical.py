"""The canonical tables: which columns they have, what each holds, and the typed Arrow schema they are read into.

The columns and their meaning are those of the README ("Canonical tables"). Everything that reads a source is driven by
the declarations below, so that Parquet and CSV, and every source profile, end in the same typed rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Final

import pyarrow as pa

from audit.base.known_games import GAMES

DICTIONARY: Final = pa.dictionary(pa.int32(), pa.string())
"""Type of a column with few distinct texts; each distinct text is decoded once per dictionary."""

INSTANT: Final = pa.timestamp("us", tz="UTC")


class CellKind(StrEnum):
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


_TYPES: Final[Mapping[CellKind, pa.DataType]] = {
    CellKind.ID: pa.string(),
    CellKind.CODE: DICTIONARY,
    CellKind.WORD: DICTIONARY,
    CellKind.CURRENCY: DICTIONARY,
    CellKind.CARDS: DICTIONARY,
    CellKind.INTEGER: pa.int64(),
    CellKind.BOOLEAN: pa.bool_(),
    CellKind.MONEY: pa.int64(),
    CellKind.INSTANT: INSTANT,
}


@dataclass(frozen=True, slots=True)
class Column:
    """One canonical column.

    `required` columns may not be null; `words` is the closed set of a `WORD` column; `least` is the smallest value
    allowed in a number (money in ten-thousandths) and `below` the reason given for a smaller one.
    """

    name: str
    kind: CellKind
    required: bool = False
    words: Sequence[str] = ()
    least: int | None = None
    below: str = ""

    @property
    def type(self) -> pa.DataType:
        """The Arrow type of the typed column."""
        return _TYPES[self.kind]

    @property
    def skippable(self) -> bool:
        """Whether no content of this column can reject a row, so that a caller may leave it unread."""
        return not self.required and self.kind in {CellKind.CODE, CellKind.ID}


@dataclass(frozen=True)
class CanonicalTable:
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


ROUNDS: Final = CanonicalTable(
    "rounds",
    (
        Column("round_id", CellKind.ID, required=True),
        Column("casino", CellKind.CODE),
        Column("table_id", CellKind.CODE, required=True),
        Column("shoe_id", CellKind.CODE),
        Column("round_no", CellKind.INTEGER, required=True, least=1, below="round_no_not_positive"),
        Column("game", CellKind.WORD, required=True, words=GAMES),
        Column("status", CellKind.WORD, required=True, words=("settled", "void", "demonstration")),
        Column("void_reason", CellKind.CODE),
        Column("started_at", CellKind.INSTANT, required=True),
        Column("ended_at", CellKind.INSTANT),
        Column("player_cards", CellKind.CARDS),
        Column("banker_cards", CellKind.CARDS),
        Column("deal_sequence", CellKind.CODE),
        Column("outcome", CellKind.WORD, words=("player", "banker", "tie")),
        Column("player_points", CellKind.INTEGER),
        Column("banker_points", CellKind.INTEGER),
        Column("player_pair", CellKind.BOOLEAN),
        Column("banker_pair", CellKind.BOOLEAN),
        Column("decks", CellKind.INTEGER),
        Column("dealing", CellKind.WORD, words=("shoe", "auto_shuffler")),
        Column("draw_method", CellKind.WORD, words=("method_1", "method_2")),
        Column("commission", CellKind.CODE),
    ),
    identity="round_id",
)

WAGERS: Final = CanonicalTable(
    "wagers",
    (
        Column("wager_id", CellKind.ID, required=True),
        Column("round_id", CellKind.ID, required=True),
        Column("seat", CellKind.CODE),
        Column("bet", CellKind.CODE, required=True),
        Column("stake", CellKind.MONEY, required=True, least=1, below="stake_not_positive"),
        Column("currency", CellKind.CURRENCY),
        Column("payout", CellKind.MONEY, required=True, least=0, below="negative_amount"),
        Column("commission", CellKind.MONEY, least=0, below="negative_amount"),
        Column("stake_returned", CellKind.MONEY, least=0, below="negative_amount"),
        Column("tie_choice", CellKind.WORD, words=("cancelled", "kept", "changed")),
        Column("placed_at", CellKind.INSTANT),
    ),
    identity="wager_id",
)

EVENTS: Final = CanonicalTable(
    "events",
    (
        Column("casino", CellKind.CODE),
        Column("table_id", CellKind.CODE, required=True),
        Column("shoe_id", CellKind.CODE),
        Column("at", CellKind.INSTANT, required=True),
        Column(
            "event",
            CellKind.WORD,
            required=True,
            words=("shuffle", "burn", "cut_card_placed", "cut_card_out", "shoe_change"),
        ),
        Column("cards", CellKind.CARDS),
        Column("count", CellKind.INTEGER, least=0, below="negative_count"),
        Column("burn_rule", CellKind.WORD, words=("decks", "first_card", "fixed")),
    ),
    identity=None,
)

TABLES: Final[Mapping[str, CanonicalTable]] = {table.name: table for table in (ROUNDS, WAGERS, EVENTS)}

CARD_COLUMNS: Final = ("player_cards", "banker_cards")
"""Columns of the rounds that must be in the file though their cells may be empty (footnote 1 of the contract)."""


def must_be_present(table: CanonicalTable) -> tuple[str, ...]:
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
