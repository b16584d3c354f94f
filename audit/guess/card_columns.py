"""Which columns hold cards, how they are written and in which order they stand: tried, and counted."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import pyarrow as pa

from audit.source.notations import LISTED, NOTATIONS, ORDERS, Notation, both_hands
from audit.source.proof import ENOUGH, Records

_SINGLE: Final = re.compile(
    r"^(?P<side>p|b|player|banker|閒|莊|闲|庄|jogador|banca)"
    r"(?:[ _.-]*(?:card|hand|carta|牌))?[ _.-]*\[?(?P<place>[1-3])\]?$",
    re.IGNORECASE,
)
_BANKERS: Final = frozenset({"b", "banker", "莊", "庄", "banca"})
_SEPARATORS: Final = ("", " ", ",", "-", "/", ";", "|")
_MARKS: Final = ("", "0", "-1", "NA", "-", "null")
_NEARLY_ALL: Final = 0.98
_MOSTLY: Final = 0.9
_NUMBERED: Final = frozenset({"number_1_52", "number_0_51", "number_in_shoe"})
_TRIED: Final = tuple(name for name in NOTATIONS if name != "pair")
_PLACES: Final = 6
Cells = Sequence["str | None"]


@dataclass(slots=True)
class CardGuess:
    """The section `cards` of a profile, the columns it uses, and how sure it is."""

    layout: dict[str, Any]
    sources: list[str]
    evidence: list[str] = field(default_factory=list)
    undecided: list[str] = field(default_factory=list)


def guess_cards(
    columns: Mapping[str, Cells], found: Mapping[str, str], nulls: frozenset[str], said: Records
) -> CardGuess | None:
    """The cards among the columns, their order by what is `said` beside them; None where nothing looks like cards."""
    single = _single_columns(columns)
    if single:
        guess = _of_singles(columns, single, nulls)
        if guess is not None:
            return guess
    if {"player_cards", "banker_cards"} <= found.keys():
        guess = _of_sides(columns, found["player_cards"], found["banker_cards"], nulls)
        if guess is not None:
            return guess
    named = found.get("both_cards")
    for source in [*([named] if named else []), *columns]:
        guess = _of_both(columns, source, said, nulls)
        if guess is not None:
            return guess
    return None


def _single_columns(columns: Mapping[str, Cells]) -> dict[str, list[str]]:
    places: dict[tuple[str, int], str] = {}
    for name in columns:
        match = _SINGLE.fullmatch(name.strip())
        if match:
            side = "banker" if match["side"].casefold() in _BANKERS else "player"
            places.setdefault((side, int(match["place"])), name)
    if not all((side, place) in places for side in ("player", "banker") for place in (1, 2)):
        return {}
    return {
        side: [places[side, place] for place in (1, 2, 3) if (side, place) in places] for side in ("player", "banker")
    }


def _notation(tokens: Cells, nulls: frozenset[str]) -> tuple[str, tuple[str, ...]] | None:
    """The notation that reads the most tokens, and the marks for no card among them."""
    texts = [token.strip() for token in tokens if token and token.strip() and token.strip() not in nulls]
    best: tuple[float, str, tuple[str, ...]] | None = None
    for name in _TRIED:
        reader = Notation(name, "SHDC")
        none = tuple(mark for mark in _MARKS if mark in texts and reader.decode(mark) == mark)
        known = [text for text in texts if text not in none]
        if not known:
            continue
        share = sum(reader.decode(text) != text or (name == "rank_suit" and _plain_card(text)) for text in known)
        rate = share / len(known)
        if rate >= _NEARLY_ALL and (best is None or rate > best[0]):
            best = (rate, name, none)
    return None if best is None else (best[1], best[2])


def _plain_card(text: str) -> bool:
    return re.fullmatch("(?:10|[A2-9JQKT])[SHDC]?", text.upper()) is not None


def _of_singles(
    columns: Mapping[str, Cells], single: Mapping[str, list[str]], nulls: frozenset[str]
) -> CardGuess | None:
    names = [name for side in single.values() for name in side]
    read = _notation([cell for name in names for cell in columns[name]], nulls)
    if read is None:
        return None
    layout: dict[str, Any] = {"notation": read[0], "player": single["player"], "banker": single["banker"]}
    if read[1]:
        layout["none"] = list(read[1])
    guess = CardGuess(layout, names, [f"one column for each card ({', '.join(names)}), written as {read[0]}"])
    _doubt_numbers(guess, read[0])
    return guess


def _of_sides(columns: Mapping[str, Cells], player: str, banker: str, nulls: frozenset[str]) -> CardGuess | None:
    form = _form([*columns[player], *columns[banker]], nulls)
    if form is None:
        return None
    layout = {**form, "player": player, "banker": banker}
    evidence = [f"one column for each side ({player}, {banker}), written as {form['notation']}"]
    guess = CardGuess(layout, [player, banker], evidence)
    _doubt_numbers(guess, form["notation"])
    return guess


def _form(cells: Cells, nulls: frozenset[str]) -> dict[str, Any] | None:
    """Notation and separator with which nearly every text is two to six cards."""
    texts = [cell for cell in cells if cell and cell.strip() and cell.strip() not in nulls]
    if not texts:
        return None
    if any(LISTED in text for text in texts):
        read = _notation([token for text in texts for token in text.split(LISTED)], nulls)
        return None if read is None else _plain_form(read, "")
    for separator in _SEPARATORS:
        tokens = [token for text in texts for token in _tokens(text, separator)]
        if len(tokens) < 2 * len(texts):
            continue
        read = _notation(tokens, nulls)
        if read is not None:
            return _plain_form(read, separator)
    return None


def _plain_form(read: tuple[str, tuple[str, ...]], separator: str) -> dict[str, Any]:
    form: dict[str, Any] = {"notation": read[0]}
    if separator:
        form["separator"] = separator
    if read[1]:
        form["none"] = [mark for mark in read[1] if mark]
    return form


def _tokens(text: str, separator: str) -> list[str]:
    if separator:
        return text.split(separator)
    spaced = Notation("suit_rank").spaced(pa.array([text]), "")[0].as_py()
    return [token for token in str(spaced).split(" ") if token]


def _of_both(columns: Mapping[str, Cells], source: str, said: Records, nulls: frozenset[str]) -> CardGuess | None:
    """Both sides in one text, if four to six cards are in nearly every one."""
    form = _form(columns[source], nulls)
    if form is None:
        return None
    separator = LISTED if any(LISTED in (cell or "") for cell in columns[source]) else form.get("separator", "")
    counts = [len(_tokens(cell, separator)) for cell in columns[source] if cell and cell.strip() not in nulls]
    if not counts or sum(4 <= count <= _PLACES + 1 for count in counts) < _MOSTLY * len(counts):
        return None
    order, evidence, undecided = _order(columns, source, said, form, separator)
    guess = CardGuess({**form, "both": source, "order": order}, [source], evidence, undecided)
    guess.evidence.insert(0, f"both sides in the column {source!r}, written as {form['notation']}")
    _doubt_numbers(guess, form["notation"])
    return guess


def _order(
    columns: Mapping[str, Cells], source: str, said: Records, form: Mapping[str, Any], separator: str
) -> tuple[str, list[str], list[str]]:
    """The order that the recorded totals or winners agree with."""
    notation = Notation(form["notation"], none=tuple(form.get("none", ())))
    texts = pa.array(list(columns[source]), pa.string())
    results: dict[str, tuple[int, int]] = {}
    for order in ORDERS:
        telling, agree = said.judge(both_hands(texts, notation, separator, order))
        results[order] = int(agree.sum()), int(telling.sum())
    best = max(results, key=lambda order: results[order][0])
    agreeing, told = results[best]
    if not told:
        return "player_first", [], ["the order of the cards: nothing recorded tells it; player first is assumed"]
    counted = ", ".join(f"{order} {good} of {count}" for order, (good, count) in results.items())
    evidence = [f"rounds whose {said.basis} agrees, by order of the cards: {counted}"]
    rivals = [order for order, (good, _) in results.items() if order != best and good == agreeing]
    doubt = told < ENOUGH or agreeing < _NEARLY_ALL * told or rivals
    return best, evidence, [f"the order of the cards: {best} is not proved by what is recorded"] if doubt else []


def _doubt_numbers(guess: CardGuess, notation: str) -> None:
    if notation in _NUMBERED:
        guess.undecided.append("the order of the suits in the numbers of the cards: S, H, D, C is assumed")
        guess.undecided.append("whether cards are numbered from 0 or from 1, unless both 0 and 52 occur")
    if notation == "points":
        guess.undecided.append("only points are recorded: pairs and copies of a card cannot be judged")
