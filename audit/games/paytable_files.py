"""Reading the house's paytables: one YAML file for each bet outside the gazetted list (55/2004 art. 13(4))."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Final

from audit.base import strict
from audit.base.errors import ConfigurationError
from audit.games.paytable import CONDITIONS, Paytable, Tier
from audit.games.settlement import PAIR_BETS, SIDE_BETS

_BET: Final = re.compile(r"\S+")
_ODDS: Final = re.compile(r"[0-9]{1,4}(\.[0-9]{1,2})?")
"""Odds that, times a stake of hundreds of millions, still fit the 64 bits of the bulk settlement."""

REGULATED: Final = frozenset({*SIDE_BETS, *PAIR_BETS, "tie"})
"""Bets that every version of the regulation pays itself: no paytable can say otherwise."""


def load_paytable(path: Path) -> Paytable:
    """One paytable. Raises ConfigurationError naming file and key for anything malformed."""
    if not path.is_file():
        raise ConfigurationError(f"the paytable {path} does not exist")
    content, place = strict.load(path)
    parts = strict.mapping(content, place, required=("bet", "title", "tiers", "source"), optional=("note",))
    lines = strict.sequence(parts["tiers"], place / "tiers")
    if not lines:
        (place / "tiers").fail("at least one tier is expected")
    return Paytable(
        _bet(parts["bet"], place / "bet"),
        strict.text(parts["title"], place / "title"),
        tuple(_tier(value, place / "tiers" / number) for number, value in enumerate(lines)),
        strict.word(parts["source"], place / "source"),
        hashlib.sha256(path.read_bytes()).hexdigest(),
        strict.optional_text(parts, "note", place),
    )


def _bet(value: strict.Value, place: strict.YamlPath) -> str:
    bet = strict.word(value, place)
    if not _BET.fullmatch(bet):
        place.fail(f"the code of a bet has no space in it; this is {bet!r}")
    if bet in REGULATED:
        place.fail(f"the odds of {bet!r} are the regulation's; a paytable is for bets outside its list")
    return bet


def _tier(value: strict.Value, place: strict.YamlPath) -> Tier:
    parts = strict.mapping(value, place, required=("when", "pays"))
    when = strict.mapping(parts["when"], place / "when", required=(), optional=CONDITIONS)
    if not when:
        (place / "when").fail("at least one condition is expected")
    for name, wanted in when.items():
        allowed = CONDITIONS[name]
        if not any(wanted == word and type(wanted) is type(word) for word in allowed):
            (place / "when" / name).fail(f"one of {', '.join(map(_plain, allowed))} is expected, not {_plain(wanted)}")
    return Tier(dict(when), _odds(parts["pays"], place / "pays"))


def _odds(value: strict.Value, place: strict.YamlPath) -> Fraction:
    written = isinstance(value, int | str) and not isinstance(value, bool) and _ODDS.fullmatch(str(value))
    if not written or Fraction(str(value)) <= 0:
        place.fail(
            f"odds to one are expected, above 0 and below 10000: a whole number, or decimal text with at most two "
            f"places, not {_plain(value)}"
        )
    return Fraction(str(value))


def _plain(value: object) -> str:
    """A value as YAML writes it."""
    return str(value).lower() if isinstance(value, bool) else repr(value) if isinstance(value, str) else str(value)


def load_paytables(paths: Iterable[Path]) -> Mapping[str, Paytable]:
    """Every paytable by its bet. Raises ConfigurationError where two describe the same bet."""
    tables: dict[str, Paytable] = {}
    for path in paths:
        table = load_paytable(path)
        if table.bet in tables:
            raise ConfigurationError(f"{path.name}: bet: the bet {table.bet!r} has a paytable already")
        tables[table.bet] = table
    return tables
