"""A profile proposed for a file that nobody has described yet, with its evidence and what remains to be decided."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from audit.base import strict
from audit.base.canonical import ROUNDS, WAGERS, CanonicalTable, CellKind
from audit.base.known_games import GAMES, known_games
from audit.guess.card_columns import CardGuess, guess_cards
from audit.guess.money_columns import guess_money
from audit.guess.sniff import Sample, sample
from audit.source.proof import NO_SIGN, SIGNS, Records
from audit.stores.files import SourceFile

Json = dict[str, Any]

_NULLS: Final = ("NA", "N/A", "NULL", "null", "None", "-", "--", "n/d")
_TIMES: Final = {
    "iso": r"^\d{4}-\d\d-\d\d[T ]\d\d:\d\d",
    "compact": r"^(?:19|20)\d{12}$",
    "epoch_ms": r"^1\d{12}$",
    "epoch_s": r"^1\d{9}$",
    "year_first": r"^\d{4}[/.]\d{1,2}[/.]\d{1,2}",
    "numbers": r"^(\d{1,2})[/.-](\d{1,2})[/.-]\d{4}",
}
_ZONED: Final = r"(?:Z|[+-]\d\d:?\d\d)$"
_MOSTLY: Final = 0.9
_TWELVE: Final = 12
_FEW: Final = 3


@dataclass(slots=True)
class Guess:
    """A proposal: the profile as plain data, why, and what could not be decided."""

    profile: Json
    evidence: list[str] = field(default_factory=list)
    undecided: list[str] = field(default_factory=list)

    def as_json(self) -> Json:
        """The proposal as plain data."""
        return {"profile": self.profile, "evidence": self.evidence, "undecided": self.undecided}

    def as_yaml(self) -> str:
        """The proposal as the YAML of a profile, with evidence and open questions as comments."""
        import yaml

        lines = ["# A proposal, to be checked by somebody who knows the source. What it rests on:"]
        lines += [f"#   {line}" for line in self.evidence]
        lines += ["# What could not be decided:", *(f"#   {line}" for line in self.undecided or ["nothing"])]
        text = yaml.safe_dump(self.profile, allow_unicode=True, sort_keys=False, width=110, default_flow_style=None)
        return "\n".join(lines) + "\n" + text


def _vocabulary() -> tuple[Mapping[str, str], Mapping[str, Mapping[str, str]]]:
    """As :func:`_written`, with the games there are: their codes and names in each language."""
    names, meanings = _written()
    games = {
        plain(word): game.code
        for game in known_games()
        for word in (game.code, game.names.zh, game.names.pt, game.names.en)
    }
    return names, {**meanings, "game": {**games, **meanings.get("game", {})}}


@cache
def _written() -> tuple[Mapping[str, str], Mapping[str, Mapping[str, str]]]:
    """Canonical column by the plain form of a name; and for each closed column the canonical word by a plain word."""
    content, place = strict.load(Path(__file__).with_name("vocabulary.yaml"))
    parts = strict.mapping(content, place, required=("columns", "words"))
    columns = parts["columns"] if isinstance(parts["columns"], dict) else {}
    words = parts["words"] if isinstance(parts["words"], dict) else {}
    names = {
        plain(name): str(column)
        for column, listed in columns.items()
        for name in strict.words(listed, place / "columns" / str(column))
    }
    meanings: dict[str, dict[str, str]] = {}
    for column, known in words.items():
        listed = known if isinstance(known, dict) else {}
        meanings[str(column)] = {
            plain(word): str(meaning)
            for meaning, spelt in listed.items()
            for word in strict.words(spelt, place / "words" / str(column) / str(meaning))
        }
    return names, meanings


def plain(text: str) -> str:
    """A name or word without case, accents of width, space and punctuation."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(character for character in folded if character.isalnum())


def guess_profile(file: SourceFile) -> Guess:
    """Look at the first rows of a file and propose a profile; InputRefused where it cannot be read at all."""
    seen = sample(file)
    name = re.sub(r"[^a-z0-9]+", "_", file.path.name.split(".")[0].casefold()).strip("_") or "source"
    guess = Guess({"name": name, "description": f"Proposed from {file.name}.", "zone": "Asia/Macau"})
    guess.evidence.append(f"{file.name}: {seen.rows} rows and {len(seen.columns)} columns looked at")
    _dialect(seen, guess)
    nulls = _nulls(seen, guess)
    found = _columns(seen)
    said = _said(seen, found)
    cards = guess_cards(seen.columns, found, nulls, said)
    used = set(cards.sources) if cards else set()
    has_wagers = {"stake", "bet"} <= found.keys()
    wager_columns = {each.name for each in WAGERS.columns} if has_wagers else set()
    rounds = {n: s for n, s in found.items() if s not in used and n in set(ROUNDS.names) - {"commission"}}
    if cards or {"player_points", "outcome"} & found.keys() or not has_wagers:
        guess.profile["rounds"] = _rounds(seen, guess, rounds, cards, said)
    if has_wagers:
        wagers = {n: s for n, s in found.items() if n in wager_columns and s not in used}
        guess.profile["wagers"] = _wagers(seen, guess, wagers)
    left = [n for n in seen.columns if n not in {*found.values(), *used} and not n.endswith("[]")]
    if left:
        guess.undecided.append("columns without a known meaning: " + ", ".join(left[:20]))
    return guess


def _dialect(seen: Sample, guess: Guess) -> None:
    dialect: Json = {}
    if seen.dialect.delimiter != ",":
        dialect["delimiter"] = seen.dialect.delimiter
    if seen.dialect.encoding != "utf-8":
        dialect["encoding"] = seen.dialect.encoding
        guess.evidence.append(f"the text reads as {seen.dialect.encoding}")
    if dialect:
        guess.profile["csv"] = dialect
    if seen.binary_floats:
        guess.undecided.append(f"binary floating point cannot carry money: {', '.join(sorted(seen.binary_floats))}")


def _nulls(seen: Sample, guess: Guess) -> frozenset[str]:
    used = {cell.strip() for cells in seen.columns.values() for cell in cells if cell and len(cell) <= 4}
    nulls = [text for text in _NULLS if text in used]
    if nulls:
        guess.profile["nulls"] = nulls
        guess.evidence.append(f"taken for no value: {', '.join(nulls)}")
    return frozenset(nulls)


def _columns(seen: Sample) -> dict[str, str]:
    """The source column of each canonical column whose name is recognised; whole names go before their ends."""
    names, _ = _vocabulary()
    found: dict[str, str] = {}
    for depth in (0, 2, 1):
        for path in seen.columns:
            parts = [part for part in re.split(r"[.\[\]\"]+", path) if part]
            key = plain("".join(parts[-depth:])) if depth else plain(path)
            column = names.get(key)
            if column is not None and path not in found.values():
                found.setdefault(column, path)
    return found


def _said(seen: Sample, found: Mapping[str, str]) -> Records:
    """What the rows record beside their cards, as far as its meaning is known."""

    def digits(name: str) -> Any:
        cells = seen.columns.get(found.get(name, ""), [None] * seen.rows)
        return np.array([int(c) if c and re.fullmatch("[0-9]", c.strip()) else -1 for c in cells], np.int64)

    meanings = _vocabulary()[1]["outcome"]
    winners = seen.columns.get(found.get("outcome", ""), [None] * seen.rows)
    signs = [SIGNS.get(meanings.get(plain(word or ""), ""), NO_SIGN) for word in winners]
    nothing = np.full(seen.rows, -1, np.int64)
    return Records(digits("player_points"), digits("banker_points"), nothing, np.array(signs, np.int64))


def _by_totals(said: Records, cells: Sequence[str | None], word: str) -> str | None:
    """What a word for the result must mean, if the recorded totals of all its rounds say the same."""
    at = np.array([(cell or "").strip() == word for cell in cells], np.bool_)
    at &= (said.player >= 0) & (said.banker >= 0)
    signs = np.sign(said.player - said.banker)[at]
    if len(signs) < _FEW:
        return None
    return next((name for name, sign in SIGNS.items() if (signs == sign).all()), None)


def _told_results(seen: Sample, guess: Guess, found: Mapping[str, str], said: Records, section: Json) -> None:
    """Add the words for the result that only the recorded totals explain."""
    outcome = section["columns"].get("outcome")
    if outcome is not None:
        source = found["outcome"]
        told = {w: m for w in set(seen.columns[source]) if w and (m := _by_totals(said, seen.columns[source], w))}
        known = outcome["words"] if isinstance(outcome, dict) else {}
        new = {word: meaning for word, meaning in sorted(told.items()) if word not in known and word != meaning}
        if new:
            section["columns"]["outcome"] = {"from": source, "words": {**known, **new}}
            guess.evidence.append(f"the totals tell the results {new}")
            guess.undecided[:] = [line for line in guess.undecided if not line.startswith("outcome:")]


def _rounds(seen: Sample, guess: Guess, found: Mapping[str, str], cards: CardGuess | None, said: Records) -> Json:
    section: Json = {"columns": _mapped(seen.columns, guess, found, ROUNDS)}
    _told_results(seen, guess, found, said, section)
    constants: Json = {}
    for name, value in (("game", str(GAMES[0])), ("status", "settled")):
        if name not in found:
            constants[name] = value
            guess.undecided.append(f"no column says the {name}: {value!r} is assumed for every round")
    if "round_no" not in found:
        constants["round_no"] = 1
        guess.undecided.append("no column numbers the rounds of a shoe")
    if "shoe_id" not in found:
        guess.undecided.append("no column names the shoe: checks about shoes will find nothing")
    if "round_id" not in found and {"shoe_id", "round_no"} <= found.keys():
        section["templates"] = {"round_id": f"{{{found['shoe_id']}}}-{{{found['round_no']}}}"}
        guess.undecided.append("no column identifies a round: shoe and number together are taken for it")
        found = {**found, "round_id": ""}
    for name, text in (("round_id", "id"), ("table_id", "table"), ("started_at", "time")):
        if name not in found:
            constants[name] = {"table_id": "table-1", "started_at": "2024-03-01T12:00:00+08:00"}.get(name, "unknown")
            guess.undecided.append(f"no column was recognised as the {text} of a round; a constant stands in its place")
    if constants:
        section["constants"] = constants
    if cards is None:
        guess.undecided.append("no column was recognised as cards; without them only totals and results are compared")
        return section
    section["cards"] = cards.layout
    guess.evidence += cards.evidence
    guess.undecided += cards.undecided
    return section


def _wagers(seen: Sample, guess: Guess, found: Mapping[str, str]) -> Json:
    inside = max((path for path in seen.members if found["stake"].startswith(path)), key=len, default=None)
    section: Json = {"in_rounds": True}
    columns: Mapping[str, list[str | None]] = seen.columns
    if inside:
        names = [source for source in found.values() if source.startswith(inside)]
        columns = {**columns, **{n: [member.get(n) for member in seen.members[inside]] for n in names}}
    if inside:
        section["each"] = inside
        guess.evidence.append(f"wagers are the members of {inside}")
    section["columns"] = _mapped(columns, guess, found, WAGERS)
    if "wager_id" not in found and "round_id" in found:
        section["templates"] = {"wager_id": f"{{{found['round_id']}}}-{{@index}}" if inside else "{@row}"}
        guess.undecided.append("no column identifies a wager; its place stands for it")
    if "round_id" not in found:
        guess.undecided.append("no column says which round a wager belongs to")
    cells = {name: columns[source] for name, source in found.items() if name in {"stake", "payout"}}
    money, marks, evidence, undecided = guess_money(cells, columns[found["bet"]])
    if marks:
        guess.profile["numbers"] = marks
    section["money"] = money
    guess.evidence += evidence
    guess.undecided += undecided
    return section


def _mapped(
    sampled: Mapping[str, Sequence[str | None]], guess: Guess, found: Mapping[str, str], table: CanonicalTable
) -> Json:
    columns: Json = {}
    for name in table.names:
        source = found.get(name)
        if source is None:
            continue
        cells = [cell for cell in sampled[source] if cell]
        kind = table.column(name).kind
        if kind is CellKind.INSTANT:
            columns[name] = _time(guess, source, cells)
        elif name in _vocabulary()[1]:
            columns[name] = _words(guess, name, source, cells)
        else:
            columns[name] = source
        guess.evidence.append(f"{name} from the column {source!r}")
    return columns


def _words(guess: Guess, name: str, source: str, cells: Sequence[str]) -> Any:
    """The column with a meaning for each of its words that is known."""
    meanings = _vocabulary()[1][name]
    words: Json = {}
    unknown = []
    for word in sorted({cell.strip() for cell in cells}):
        meaning = meanings.get(plain(word))
        if meaning is None:
            unknown.append(word)
        elif meaning != word:
            words[word] = meaning
    if unknown:
        guess.undecided.append(f"{name}: the meaning of {', '.join(map(repr, unknown[:10]))} in {source!r}")
    return {"from": source, "words": words} if words else source


def _share(pattern: str, cells: Iterable[str]) -> float:
    hits = [bool(re.search(pattern, cell)) for cell in cells]
    return sum(hits) / len(hits) if hits else 0.0


def _time(guess: Guess, source: str, cells: Sequence[str]) -> Any:
    form = next((name for name, pattern in _TIMES.items() if _share(pattern, cells) >= _MOSTLY), None)
    if form is None:
        guess.undecided.append(f"the form of the times in {source!r}")
        return source
    if form == "numbers":
        form = _day_and_month(guess, source, cells)
    if not form.startswith("epoch") and _share(_ZONED, cells) < _MOSTLY:
        guess.undecided.append(f"the zone of the times in {source!r}: Asia/Macau is assumed")
    return source if form == "iso" else {"from": source, "time": form}


def _day_and_month(guess: Guess, source: str, cells: Sequence[str]) -> str:
    """Which of two numbers is the day: the one that is ever above twelve."""
    pairs = [(int(m[1]), int(m[2])) for cell in cells if (m := re.search(_TIMES["numbers"], cell))]
    first, second = any(a > _TWELVE for a, _ in pairs), any(b > _TWELVE for _, b in pairs)
    if first == second:
        guess.undecided.append(f"whether day or month comes first in {source!r}: day first is assumed")
        return "day_first"
    guess.evidence.append(f"{'day' if first else 'month'} first in {source!r}: one of the numbers is above twelve")
    return "day_first" if first else "month_first"
