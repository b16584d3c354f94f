"""The sections of a profile's YAML that describe one canonical table, strictly read."""

from __future__ import annotations

import re
import zoneinfo
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from audit.base import strict
from audit.base.canonical import CARD_COLUMNS, CanonicalTable, CellKind
from audit.base.model import MONEY_SCALE, SUITS
from audit.formats import record_paths
from audit.source.card_layout import CardLayout, CardPair, CardText, Side, Single
from audit.source.clock import FORMS as TIMES
from audit.source.joined_cards import BOTH, SIDES, JoinedCards
from audit.source.notations import NOTATIONS, ORDERS, Notation
from audit.source.numbering import NUMBERINGS
from audit.source.payout_meaning import FORMS, PUSHES, PayoutMeaning
from audit.source.quarantine import SET_ASIDE
from audit.source.records import RecordLayout, Selector, Spread
from audit.source.table_layout import Corrections, Mapped, TableLayout

_SIDES: Final = dict(zip(("player", "banker"), CARD_COLUMNS, strict=True))
_CLOCK: Final = re.compile("(?:[01][0-9]|2[0-3]):[0-5][0-9]")
_MORE: Final = {
    "rounds": ("cards", "numbering", "winning_points"),
    "wagers": ("money", "in_rounds"),
    "events": ("cards", "in_rounds"),
}
_COMMON: Final = ("columns", "constants", "templates", "each", "spread", "rows", "corrections")


def read_table(
    value: strict.Value, place: strict.YamlPath, table: CanonicalTable, nulls: frozenset[str], marks: tuple[str, str]
) -> TableLayout:
    """The layout of one table; `nulls` and `marks` (decimal, grouping) hold for the whole profile.

    Raises ConfigurationError naming file and key for whatever is unknown or cannot work.
    """
    parts = strict.mapping(value, place, required=(), optional=(*_COMMON, *_MORE[table.name]))

    def section(key: str) -> dict[str, strict.Value]:
        return strict.mapping(parts.get(key, {}), place / key, required=(), optional=table.names)

    columns = {
        name: _mapped(entry, place / "columns" / name, time=table.column(name).kind is CellKind.INSTANT)
        for name, entry in section("columns").items()
    }
    layout = TableLayout(
        columns=columns,
        constants={name: scalar(entry, place / "constants" / name) for name, entry in section("constants").items()},
        templates={
            name: strict.word(entry, place / "templates" / name) for name, entry in section("templates").items()
        },
        cards=_cards(parts["cards"], place / "cards", table) if "cards" in parts else None,
        money=replace(_money(parts.get("money", {}), place / "money"), decimal=marks[0], grouping=marks[1]),
        running=strict.choice(parts.get("numbering", "by_shoe"), place / "numbering", NUMBERINGS) == "running",
        records=_records(parts, place, table, nulls),
        corrections=_corrections(parts["corrections"], place / "corrections") if "corrections" in parts else None,
        winning_points=_mapped(parts["winning_points"], place / "winning_points", time=False)
        if "winning_points" in parts
        else None,
        embedded=strict.flag(parts.get("in_rounds", False), place / "in_rounds"),
    )
    _check_complete(layout, place, table)
    return layout


def _mapped(value: strict.Value, place: strict.YamlPath, *, time: bool) -> Mapped:
    if isinstance(value, str):
        return Mapped(strict.word(value, place))
    times = ("time", "zone", "clock", "day_starts") if time else ()
    entry = strict.mapping(value, place, required=("from",), optional=("words", "match", "others", *times))
    if set(entry) == {"from"} and isinstance(entry["from"], str):
        place.fail("a column that is only named is written without 'from'")
    sources = entry["from"] if isinstance(entry["from"], list) else [entry["from"]]
    names = [strict.word(each, place / "from" / index) for index, each in enumerate(sources)]
    if not names:
        (place / "from").fail("at least one column is expected")
    known = entry.get("words", {})
    if not isinstance(known, dict):
        (place / "words").fail("a mapping is expected")
    if "others" in entry and not known:
        (place / "others").fail("there is no list of words beside it")
    starts = entry.get("day_starts", "00:00")
    if not isinstance(starts, str) or _CLOCK.fullmatch(starts) is None:
        (place / "day_starts").fail("a time of the day in quotes is expected, as in '12:00'")
    if "day_starts" in entry and "clock" not in entry:
        (place / "day_starts").fail("it belongs to the column 'clock'")
    return Mapped(
        names[0],
        {str(word): scalar(meaning, place / "words" / str(word)) for word, meaning in known.items()},
        tuple(names[1:]),
        pattern(entry["match"], place / "match", "value") if "match" in entry else "",
        _others(entry["others"], place / "others") if "others" in entry else None,
        strict.choice(entry.get("time", "iso"), place / "time", TIMES),
        zone(entry["zone"], place / "zone") if "zone" in entry else "",
        strict.word(entry["clock"], place / "clock") if "clock" in entry else "",
        starts,
    )


def _others(value: strict.Value, place: strict.YamlPath) -> str:
    return "" if value is None else scalar(value, place)


def zone(value: strict.Value, place: strict.YamlPath) -> str:
    """The name of a time zone."""
    name = strict.word(value, place)
    try:
        zoneinfo.ZoneInfo(name)
    except (ValueError, OSError, zoneinfo.ZoneInfoNotFoundError):
        place.fail(f"{name!r} is not the name of a time zone")
    return name


def scalar(value: strict.Value, place: strict.YamlPath) -> str:
    """A word, whole number or truth value as the text that a cell would have."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    return strict.word(value, place)


def scalars(value: strict.Value, place: strict.YamlPath) -> tuple[str, ...]:
    """A list of such words; the null of YAML is the empty cell."""
    items = strict.sequence(value, place)
    return tuple("" if each in {None, ""} else scalar(each, place / index) for index, each in enumerate(items))


def pattern(value: strict.Value, place: strict.YamlPath, group: str) -> str:
    """A regular expression with one named group."""
    match = strict.word(value, place)
    try:
        groups = re.compile(match).groupindex
        pc.match_substring_regex(pa.array([""]), match)  # Arrow's patterns have no look-around and no back-references
    except (re.error, pa.ArrowInvalid) as error:
        place.fail(f"not a pattern: {error}")
    if list(groups) != [group]:
        place.fail(f"the pattern needs one named group, (?P<{group}>...)")
    return match


def _path(value: strict.Value, place: strict.YamlPath) -> str:
    text = strict.word(value, place)
    try:
        path = record_paths.parse(text)
    except ValueError as error:
        place.fail(str(error))
    if not path.many or path.steps[-1] is not None:
        place.fail("a path that ends in [] is expected, as in 'bets[]'")
    return text


def _records(
    parts: Mapping[str, strict.Value], place: strict.YamlPath, table: CanonicalTable, nulls: frozenset[str]
) -> RecordLayout:
    spread = strict.sequence(parts.get("spread", []), place / "spread")
    rows = parts.get("rows", [])
    selectors = rows if isinstance(rows, list) else [rows]
    if "each" in parts and "spread" in parts:
        (place / "spread").fail("rows come from lists (each) or from columns (spread), not from both")
    return RecordLayout(
        nulls,
        _path(parts["each"], place / "each") if "each" in parts else "",
        tuple(_spread(entry, place / "spread" / index, table) for index, entry in enumerate(spread)),
        tuple(_selector(entry, place / "rows" / index) for index, entry in enumerate(selectors)),
    )


def _spread(value: strict.Value, place: strict.YamlPath, table: CanonicalTable) -> Spread:
    parts = strict.mapping(value, place, required=("columns",), optional=("constants",))
    columns = strict.mapping(parts["columns"], place / "columns", required=(), optional=table.names)
    constants = strict.mapping(parts.get("constants", {}), place / "constants", required=(), optional=table.names)
    if not columns:
        (place / "columns").fail("at least one column is expected")
    return Spread(
        {name: scalar(entry, place / "constants" / name) for name, entry in constants.items()},
        {name: strict.word(entry, place / "columns" / name) for name, entry in columns.items()},
    )


def _selector(value: strict.Value, place: strict.YamlPath) -> Selector:
    parts = strict.mapping(value, place, required=("from",), optional=("take", "leave", "aside"))
    aside = parts.get("aside", {})
    if not isinstance(aside, dict):
        (place / "aside").fail("a mapping of words to reasons is expected")
    if len(parts) == 1:
        place.fail("take, leave or aside says which rows are meant")
    return Selector(
        strict.word(parts["from"], place / "from"),
        frozenset(scalars(parts.get("take", []), place / "take")),
        frozenset(scalars(parts.get("leave", []), place / "leave")),
        {
            str(word): strict.choice(reason, place / "aside" / str(word), SET_ASIDE - {"superseded"})
            for word, reason in aside.items()
        },
    )


def _corrections(value: strict.Value, place: strict.YamlPath) -> Corrections:
    parts = strict.mapping(value, place, required=("flag", "words"), optional=("latest",))
    return Corrections(
        strict.word(parts["flag"], place / "flag"),
        frozenset(scalars(parts["words"], place / "words")),
        strict.word(parts["latest"], place / "latest") if "latest" in parts else "",
    )


def _cards(value: strict.Value, place: strict.YamlPath, table: CanonicalTable) -> CardLayout:
    optional = ("notation", "suits", "none", "separator", "order", "both", "joined", "cards", *_SIDES)
    parts = strict.mapping(value, place, required=(), optional=optional)
    name = strict.choice(parts.get("notation", "rank_suit"), place / "notation", NOTATIONS)
    suits = strict.word(parts.get("suits", "SHDC"), place / "suits")
    if sorted(suits.upper()) != sorted(SUITS) or not (suits.isupper() or (name == "pair" and suits.islower())):
        (place / "suits").fail("the four letters S, H, D and C are expected, in the order of the source's numbers")
    none = strict.sequence(parts.get("none", []), place / "none")
    notation = Notation(name, suits, tuple(scalar(each, place / "none" / index) for index, each in enumerate(none)))
    separator = parts.get("separator", "")
    if not isinstance(separator, str):
        (place / "separator").fail("a text is expected")
    if table.name == "events":
        if "cards" not in parts or set(parts) & {"both", "order", "joined", *_SIDES}:
            place.fail("the cards of an event come from 'cards'")
        return CardLayout(notation, separator, "", {"cards": _side(parts["cards"], place / "cards")})
    if "cards" in parts:
        (place / "cards").fail("the cards of a round belong to player and banker, or to both")
    return _cards_of_rounds(parts, place, notation, separator)


def _cards_of_rounds(
    parts: Mapping[str, strict.Value], place: strict.YamlPath, notation: Notation, separator: str
) -> CardLayout:
    joined = _joined(parts["joined"], place / "joined") if "joined" in parts else None
    if joined is not None:
        if {"both", *_SIDES} & parts.keys() or ("order" in parts) == bool(joined.side):
            place.fail("joined cards have a column 'side', or an 'order' beside them")
        if joined.side:
            sides = {_SIDES[side]: CardText(SIDES[side]) for side in _SIDES}
            return CardLayout(notation, separator, "", sides, joined=joined)
        order = strict.choice(parts["order"], place / "order", ORDERS)
        return CardLayout(notation, separator, order, both=CardText(BOTH), joined=joined)
    together = {"both", "order"} & parts.keys()
    if (together and together != {"both", "order"}) or bool(together) == bool(_SIDES.keys() & parts.keys()):
        place.fail("either both and order, or player and banker say where the cards are")
    if together:
        both = _side(parts["both"], place / "both")
        if not isinstance(both, CardText | CardPair):
            (place / "both").fail("one column is expected, or rank and suit")
        return CardLayout(notation, separator, strict.choice(parts["order"], place / "order", ORDERS), both=both)
    if not parts.keys() >= _SIDES.keys():
        place.fail("the cards of both player and banker are needed")
    return CardLayout(notation, separator, "", {_SIDES[side]: _side(parts[side], place / side) for side in _SIDES})


def _joined(value: strict.Value, place: strict.YamlPath) -> JoinedCards:
    parts = strict.mapping(
        value,
        place,
        required=("files", "round_id", "index", "key"),
        optional=("card", "rank", "suit", "side", "words", "first"),
    )
    if ("card" in parts) == bool({"rank", "suit"} & parts.keys()):
        place.fail("either card, or rank and suit say what the card is")
    words = parts.get("words", {})
    if not isinstance(words, dict):
        (place / "words").fail("a mapping is expected")
    first = parts.get("first", 1)
    if isinstance(first, bool) or not isinstance(first, int) or first not in {0, 1}:
        (place / "first").fail("0 or 1 is expected")
    texts = {
        key: strict.word(parts[key], place / key)
        for key in ("files", "round_id", "index", "key", "card", "rank", "suit", "side")
        if key in parts
    }
    known = {str(word): strict.choice(side, place / "words" / str(word), _SIDES) for word, side in words.items()}
    return JoinedCards(**texts, words=known, first=first)


def _side(value: strict.Value, place: strict.YamlPath) -> Side:
    if isinstance(value, list):
        return tuple(_single(each, place / index) for index, each in enumerate(value))
    if isinstance(value, str):
        return CardText(strict.word(value, place))
    parts = strict.mapping(value, place, required=(), optional=("from", "match", "rank", "suit"))
    if "from" not in parts:
        pair = _single(value, place)
        if isinstance(pair, CardPair):
            return pair
    if {"rank", "suit"} & parts.keys():
        place.fail("either from, or rank and suit")
    match = pattern(parts["match"], place / "match", "cards") if "match" in parts else ""
    return CardText(strict.word(parts["from"], place / "from"), match)


def _single(value: strict.Value, place: strict.YamlPath) -> Single:
    if isinstance(value, str):
        return strict.word(value, place)
    parts = strict.mapping(value, place, required=("rank", "suit"))
    return CardPair(strict.word(parts["rank"], place / "rank"), strict.word(parts["suit"], place / "suit"))


def _money(value: strict.Value, place: strict.YamlPath) -> PayoutMeaning:
    parts = strict.mapping(value, place, required=(), optional=("payout", "before_commission", "minor_units", "push"))
    units = parts.get("minor_units")
    if units is not None and (isinstance(units, bool) or not isinstance(units, int) or not 0 <= units <= MONEY_SCALE):
        (place / "minor_units").fail(f"a whole number from 0 to {MONEY_SCALE} is expected")
    return PayoutMeaning(
        strict.choice(parts.get("payout", "winnings"), place / "payout", FORMS),
        strict.flag(parts.get("before_commission", False), place / "before_commission"),
        units,
        strict.choice(parts.get("push", "stake"), place / "push", PUSHES),
    )


def _check_complete(layout: TableLayout, place: strict.YamlPath, table: CanonicalTable) -> None:
    """Every canonical column comes from one place, and those that may not be null from somewhere."""
    cards: Collection[str] = layout.cards.needed() if layout.cards else ()
    spread = [name for name in layout.records.spread_names() if name not in cards]
    origins = [*layout.columns, *layout.constants, *layout.templates, *cards, *spread]
    for name in origins:
        if origins.count(name) > 1:
            place.fail(f"the column {name!r} is defined twice")
    for column in table.columns:
        if column.required and column.name not in origins:
            place.fail(f"the column {column.name!r} is needed and nothing says where it comes from")
    if layout.money.minor_units is not None:
        for name in layout.constants:
            if table.column(name).kind is CellKind.MONEY:
                (place / "constants" / name).fail(
                    "a constant amount is written in the currency's unit, not in minor units"
                )
