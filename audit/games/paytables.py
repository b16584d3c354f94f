"""Reading the house's paytables: one YAML file for each bet outside the gazetted list (55/2004 art. 13(4))."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from fractions import Fraction
from pathlib import Path

from audit.errors import ConfigurationError
from audit.games.paytable import CONDITIONS, Paytable, Tier
from audit.rulebook import strict


def load_paytable(path: Path) -> Paytable:
    """One paytable. Raises ConfigurationError naming file and key for anything malformed."""
    if not path.is_file():
        raise ConfigurationError(f"the paytable {path} does not exist")
    content, place = strict.load(path)
    parts = strict.mapping(content, place, required=("bet", "title", "tiers", "source"), optional=("note",))
    tiers = tuple(
        _tier(value, place / "tiers" / number)
        for number, value in enumerate(strict.sequence(parts["tiers"], place / "tiers"))
    )
    return Paytable(
        strict.word(parts["bet"], place / "bet"),
        strict.text(parts["title"], place / "title"),
        tiers,
        strict.word(parts["source"], place / "source"),
        hashlib.sha256(path.read_bytes()).hexdigest(),
    )


def _tier(value: strict.Value, place: strict.Place) -> Tier:
    parts = strict.mapping(value, place, required=("when", "pays"))
    when = strict.mapping(parts["when"], place / "when", required=(), optional=CONDITIONS)
    if not when:
        (place / "when").fail("at least one condition is expected")
    for name, wanted in when.items():
        allowed = CONDITIONS[name]
        if not any(wanted == word and type(wanted) is type(word) for word in allowed):
            (place / "when" / name).fail(f"one of {', '.join(map(str, allowed))} is expected, not {wanted!r}")
    pays = parts["pays"]
    if isinstance(pays, bool) or not isinstance(pays, int | str):
        (place / "pays").fail("odds to one are expected: a whole number, or decimal text")
    try:
        odds = Fraction(pays)
    except (ValueError, ZeroDivisionError):
        odds = Fraction(0)
    if odds <= 0:
        (place / "pays").fail("odds above zero are expected")
    return Tier(dict(when), odds)


def load_paytables(paths: Iterable[Path]) -> Mapping[str, Paytable]:
    """Every paytable by its bet. Raises ConfigurationError where two describe the same bet."""
    tables: dict[str, Paytable] = {}
    for path in paths:
        table = load_paytable(path)
        if table.bet in tables:
            raise ConfigurationError(f"{path.name}: the bet {table.bet!r} has a paytable already")
        tables[table.bet] = table
    return tables
