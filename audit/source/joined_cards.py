"""Cards that a source keeps in a table of their own, one card a row, joined to the rounds by an id and an index."""

from __future__ import annotations

import fnmatch
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from audit.base.errors import InputRefused
from audit.formats.raw import RawBatch
from audit.source.raw_rows import as_text
from audit.stores.files import SourceFile

BOTH: Final = "@cards"
"""The joined cards of both sides, a list of texts in the order of the index."""

SIDES: Final = {"player": "@cards.player", "banker": "@cards.banker"}
"""The joined cards of each side."""

_MOST_PLACES: Final = 32


@dataclass(frozen=True, slots=True)
class JoinedCards:
    """Which files hold cards (`files`, a pattern of their names), and what their columns are.

    `round_id` and `index` are columns of the card files, `card` too, or `rank` and `suit`; `side` is the column that
    says whose card it is, with its `words`; `first` is the index of the first card; `key` is the column of the rounds
    that `round_id` names.
    """

    files: str
    round_id: str
    index: str
    key: str
    card: str = ""
    rank: str = ""
    suit: str = ""
    side: str = ""
    words: Mapping[str, str] = field(default_factory=dict)
    first: int = 1

    def sources(self) -> tuple[str, ...]:
        """The columns of the card files that are read."""
        return tuple(each for each in (self.round_id, self.index, self.card, self.rank, self.suit, self.side) if each)

    def is_card_file(self, file: SourceFile) -> bool:
        """Whether a file holds cards and not rounds."""
        return fnmatch.fnmatch(file.path.name, self.files)

    @property
    def made(self) -> tuple[str, ...]:
        """The columns that the join gives to the rounds."""
        return tuple(SIDES.values()) if self.side else (BOTH,)


@dataclass(slots=True)
class CardTable:
    """The cards of every round, read whole: one or two kilobytes a round while they are put together."""

    rule: JoinedCards
    rows: int = 0
    unreadable: int = 0
    _ids: pa.StringArray | None = None
    _hands: dict[str, pa.ListArray] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)

    @classmethod
    def read(
        cls, rule: JoinedCards, files: Sequence[SourceFile], open_rows: Callable[[SourceFile], Iterable[RawBatch]]
    ) -> CardTable:
        """Read the card files; InputRefused where none is given or one lacks a column."""
        if not files:
            raise InputRefused(f"no file of cards ({rule.files}) is given beside the rounds")
        table = cls(rule)
        places: dict[str, dict[str, dict[int, set[str]]]] = defaultdict(lambda: defaultdict(lambda: defaultdict(set)))
        for file in files:
            for raw in open_rows(file):
                for source in rule.sources():
                    if source not in raw.columns:
                        raise InputRefused(f"{file.name}: the column {source!r} of the cards is missing")
                for name, side, place, card in table._cards(raw):
                    places[name][side][place].add(card)
        table._ids = pa.array(list(places), pa.string())
        for column in rule.made:
            table._hands[column] = pa.array([_hand(sides.get(column)) for sides in places.values()], _LIST)
        return table

    def _cards(self, raw: RawBatch) -> Iterator[tuple[str, str, int, str]]:
        """Round, column, place from 0 and text of each card of a batch."""
        rule = self.rule
        every = np.arange(len(raw))
        columns = [as_text(raw.columns[source], every).to_pylist() for source in rule.sources()]
        self.rows += len(raw) + len(raw.malformed)
        self.unreadable += len(raw.malformed)
        for cells in zip(*columns, strict=True):
            row = dict(zip(rule.sources(), ((cell or "").strip() for cell in cells), strict=True))
            index = row[rule.index].removesuffix(".0")
            place = int(index) - rule.first if index.isascii() and index.isdigit() else -1
            word = rule.words.get(row[rule.side], row[rule.side]) if rule.side else ""
            column = SIDES.get(word, "") if rule.side else BOTH
            if not row[rule.round_id] or not 0 <= place < _MOST_PLACES or not column:
                self.unreadable += 1
                continue
            card = row[rule.card] if rule.card else f"{row[rule.rank]}|{row[rule.suit]}"
            yield row[rule.round_id], column, place, card

    def join(self, raw: RawBatch) -> dict[str, pa.Array]:
        """The joined columns for the rounds of a batch; null where a round has no card."""
        keys = as_text(raw.columns[self.rule.key], np.arange(len(raw)))
        at = pc.index_in(keys, value_set=self._ids)
        self.used.update(key for key in keys.filter(pc.is_valid(at)).to_pylist() if key)
        return {name: pc.take(hands, at) for name, hands in self._hands.items()}

    @property
    def unused(self) -> int:
        """Rounds with cards that are in no file of rounds."""
        return len(self._ids or ()) - len(self.used)


_LIST: Final = pa.list_(pa.string())


def _hand(places: Mapping[int, set[str]] | None) -> list[str] | None:
    """The cards of a hand, each at its place; a place with two cards is no card, so that the round is rejected."""
    if not places:
        return None
    return [" / ".join(sorted(places.get(place, {""}))) or "" for place in range(max(places) + 1)]
