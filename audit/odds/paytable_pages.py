"""A compiled paytable as data and as text: odds, exact frequencies and house edge, doubts, test vectors."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, Final

from audit.base import strict
from audit.base.errors import UsageError
from audit.base.known_games import GAMES
from audit.base.model import LANGUAGES, Text, money_text
from audit.games.paytable import CONDITIONS, Paytable, Tier
from audit.games.paytable_files import load_paytable
from audit.odds.enumeration import MOST_DECKS, edge, tier_ways, total_ways
from audit.odds.vectors import STAKE, Vector, vectors
from audit.rulebook import Rulebook
from audit.rulebook.rules import GameRules

HIGHEST_EDGE: Final = Fraction(35, 100)
"""Above this house edge, as below zero, a paytable is more likely mistyped than authorised."""


@cache
def _sentences() -> Mapping[str, Any]:
    content, place = strict.load(Path(__file__).with_name("paytable_pages.yaml"))
    parts = strict.mapping(content, place, required=("conditions", "join", "lines", "doubts"))
    out: dict[str, Any] = {"join": strict.mapping(parts["join"], place / "join", required=LANGUAGES)}
    for name in ("lines", "doubts"):
        out[name] = _texts(parts[name], place / name)
    phrases = strict.mapping(parts["conditions"], place / "conditions", required=CONDITIONS)
    out["conditions"] = {name: _texts(value, place / "conditions" / name) for name, value in phrases.items()}
    return out


def _texts(value: strict.Value, place: strict.YamlPath) -> dict[str, Text]:
    if not isinstance(value, dict):
        place.fail("keys and texts are expected")
    return {str(key): strict.text(item, place / str(key)) for key, item in value.items()}


def condition_text(name: str, wanted: object) -> Text:
    """One condition of a tier in words.

    >>> condition_text("banker_points", 6).en, condition_text("either_pair", True).pt
    ('the banker has 6', 'há par num dos grupos')
    """
    phrases = _sentences()["conditions"][name]
    phrase: Text = phrases["any"] if "any" in phrases else phrases[str(wanted).lower()]
    return phrase.format(value=wanted)


def _joined(texts: list[Text]) -> Text:
    join = _sentences()["join"]
    return Text(**{each: str(join[each]).join(text.in_language(each) for text in texts) for each in LANGUAGES})


def _when(tier: Tier, names: tuple[str, ...] | None = None) -> Text:
    return _joined([condition_text(name, tier.when[name]) for name in names or tier.when])


def doubts(paytable: Paytable, rules: GameRules, decks: int = 8) -> list[Text]:
    """What speaks against a paytable that is well formed: an edge below zero or above 35%, a tier that never pays.

    Each is to be reported before the paytable is accepted; none refuses it.

    Raises ValueError for a number of decks outside 1 to MOST_DECKS.
    """
    words = _sentences()["doubts"]
    value = edge(paytable, rules, decks)
    shown = {"bet": paytable.bet, "decks": decks, "edge": decimal_text(value * 100, 4), "most": int(HIGHEST_EDGE * 100)}
    found = []
    if value < 0:
        found.append(words["edge_negative"].format(**shown))
    if value > HIGHEST_EDGE:
        found.append(words["edge_high"].format(**shown))
    *ways, _ = tier_ways(paytable, rules, decks)
    found += [words["never_pays"].format(bet=paytable.bet, number=n) for n, count in enumerate(ways, 1) if not count]
    return found


def paytable_rules(rulebook: Rulebook) -> GameRules:
    """The last version of the first game whose law lets the director authorise bets that a house proposes.

    Raises UsageError where there is no such game.
    """
    for game in GAMES:
        if rulebook.house_bets(game):
            return rulebook.rules(game)[-1]
    raise UsageError("no game's regulation lets a house have bets of its own")


def paytable_data(path: Path, decks: int) -> dict[str, Any]:
    """A paytable file compiled with `decks` decks, under the last version of :func:`paytable_rules`.

    ``{bet, title, source, note, digest, game, version, decks, combinations, tiers: [{when, text, pays, combinations,
    probability, one_in, vectors: [{kind, player, banker, stake, winnings, unmet}]}], loses: {combinations,
    probability}, edge: {fraction, percent}, doubts}``. Numbers that are not small are decimal text; texts are
    dictionaries of `zh`, `pt` and `en`.

    Raises UsageError for a number of decks that cannot be counted, ConfigurationError for a malformed paytable.
    """
    if not 1 <= decks <= MOST_DECKS:
        raise UsageError(f"--decks: 1 to {MOST_DECKS} decks can be counted, not {decks}")
    paytable = load_paytable(path)
    rules = paytable_rules(Rulebook.load())
    total = total_ways(decks)
    *ways, losing = tier_ways(paytable, rules, decks)
    value = edge(paytable, rules, decks)
    return {
        "bet": paytable.bet,
        "title": _plain(paytable.title),
        "source": paytable.source,
        "note": _plain(paytable.note) if paytable.note else None,
        "digest": paytable.digest,
        "game": rules.game,
        "version": rules.version,
        "decks": decks,
        "combinations": str(total),
        "tiers": [
            _tier(tier, count, total, examples)
            for tier, count, examples in zip(paytable.tiers, ways, vectors(paytable, rules, decks), strict=True)
        ],
        "loses": {"combinations": str(losing), "probability": decimal_text(Fraction(losing, total), 10)},
        "edge": {"fraction": str(value), "percent": decimal_text(value * 100, 8)},
        "doubts": [_plain(text) for text in doubts(paytable, rules, decks)],
    }


def _tier(tier: Tier, ways: int, total: int, examples: tuple[Vector, ...]) -> dict[str, Any]:
    return {
        "when": dict(tier.when),
        "text": _plain(_when(tier)),
        "pays": odds_text(tier.pays),
        "combinations": str(ways),
        "probability": decimal_text(Fraction(ways, total), 10),
        "one_in": decimal_text(Fraction(total, ways), 2) if ways else None,
        "vectors": [
            {
                "kind": "near_miss" if example.unmet else "win",
                "player": " ".join(map(str, example.player)),
                "banker": " ".join(map(str, example.banker)),
                "stake": money_text(STAKE),
                "winnings": money_text(example.winnings),
                "unmet": _plain(_when(tier, example.unmet)) if example.unmet else None,
            }
            for example in examples
        ],
    }


def _plain(text: Text) -> dict[str, str]:
    return {language: text.in_language(language) for language in LANGUAGES}


def decimal_text(value: Fraction, places: int) -> str:
    """A fraction as decimal text, rounded to so many places, halves to the even digit.

    >>> decimal_text(Fraction(31, 415), 10), decimal_text(Fraction(-1, 3), 2), decimal_text(Fraction(2), 1)
    ('0.0746987952', '-0.33', '2.0')
    """
    scaled = round(value * 10**places)
    whole, rest = divmod(abs(scaled), 10**places)
    return f"{'-' if scaled < 0 else ''}{whole}.{rest:0{places}d}"


def odds_text(odds: Fraction) -> str:
    """Odds to one as the shortest decimal text.

    >>> odds_text(Fraction(12)), odds_text(Fraction("0.95"))
    ('12', '0.95')
    """
    return str(odds.numerator) if odds.denominator == 1 else decimal_text(odds, 3).rstrip("0")


def paytable_text(data: Mapping[str, Any], language: str = "en") -> str:
    """The data of :func:`paytable_data` as text for a reader of `language`."""
    lines = {name: text.in_language(language) for name, text in _sentences()["lines"].items()}
    out = [lines["head"].format(bet=data["bet"], title=data["title"][language])]
    out.append(lines["source"].format(source=data["source"]))
    if data["note"]:
        out.append(lines["note"].format(note=data["note"][language]))
    out.append("")
    for number, tier in enumerate(data["tiers"], 1):
        words = lines["tier" if tier["vectors"] else "never"]
        shown = {name: tier[name] for name in ("pays", "probability", "one_in")}
        out.append(words.format(number=number, when=tier["text"][language], **shown))
        for example in tier["vectors"]:
            unmet = example["unmet"][language] if example["unmet"] else ""
            out.append("   " + lines[example["kind"]].format(**{**example, "unmet": unmet}))
    out.append(lines["loses"].format(probability=data["loses"]["probability"]))
    out += ["", lines["edge"].format(decks=data["decks"], **data["edge"])]
    out += [lines["doubt"].format(doubt=doubt[language]) for doubt in data["doubts"]]
    return "\n".join(out)
