"""A compiled paytable as it is shown: vectors that settle as they say, doubts, and text in each language."""

from __future__ import annotations

import datetime as dt
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from audit.base.model import LANGUAGES, Game, Scheme, Text, parse_hand
from audit.base.resources import resource_dir
from audit.cli import call
from audit.explanation.explain import facts_of, points_of
from audit.games import departure_of, walk
from audit.games.paytable import Paytable, Tier
from audit.games.paytable_files import load_paytable
from audit.games.settlement import amounts, due
from audit.odds.enumeration import endings
from audit.odds.paytable_pages import condition_text, doubts, paytable_data, paytable_text
from audit.odds.vectors import STAKE, cards_of, vectors
from audit.rulebook import Rulebook

SHIPPED = sorted((resource_dir("config") / "paytables").glob("*.yaml"))
RULES = Rulebook.load().on(Game("baccarat"), dt.date(2024, 3, 1))


def table(*tiers: tuple[dict[str, object], str]) -> Paytable:
    """A paytable of these tiers."""
    return Paytable("a", Text("甲", "A", "A"), tuple(Tier(when, Fraction(pays)) for when, pays in tiers), "s")


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
@pytest.mark.parametrize("decks", [1, 2, 8])
def test_vectors_settle_as_they_say(path: Path, decks: int) -> None:
    """Each vector is a lawful hand; the settlement pays what it says: the tier on a hit, nothing on a near miss."""
    paytable = load_paytable(path)
    for tier, examples in zip(paytable.tiers, vectors(paytable, RULES, decks), strict=True):
        if "perfect" in "".join(tier.when) and decks == 1:
            assert () == examples
            continue
        hit, miss = examples
        for example in examples:
            points = points_of(example.player, example.banker)
            assert points is not None
            assert departure_of(walk(points, RULES)) is None
            every = [*example.player, *example.banker]
            assert all(every.count(card) <= decks for card in every)
            hand = facts_of(example.player, example.banker)
            owed = due(paytable.bet, hand, RULES, scheme=Scheme.STANDARD, paytables={paytable.bet: paytable})
            assert example.winnings == amounts(owed, STAKE).payout
            assert example.unmet == tier.failing(hand)
        assert (tier.pays * STAKE, ()) == (hit.winnings, hit.unmet)
        assert (0, 1) == (miss.winnings, len(miss.unmet))


@pytest.mark.parametrize("decks", [1, 2, 8])
def test_cards_of_every_ending(decks: int) -> None:
    """For every ending that can occur there are cards that make it, no oftener than there are decks."""
    for ending in endings(RULES, None, decks):
        player, banker = cards_of(ending, decks)
        every = [*player, *banker]

        assert (ending.points, ending.facts) == (points_of(player, banker), facts_of(player, banker))
        assert all(every.count(card) <= decks for card in set(every))


def test_tier_that_never_pays_has_no_vector_and_is_doubted() -> None:
    """A tier that no hand meets, or that an earlier one takes, is reported by its number."""
    paytable = table(({"winner": "tie"}, "8"), ({"winner": "tie", "cards": 6}, "20"), ({"banker_points": 0}, "0.5"))

    assert [True, False, True] == [bool(examples) for examples in vectors(paytable, RULES, 8)]
    assert ["Tier 2 of a never pays, since no hand meets it or an earlier tier pays first."] == [
        text.en for text in doubts(paytable, RULES)
    ]


@pytest.mark.parametrize(
    ("pays", "words"),
    [
        ("9", []),
        ("9.50", []),
        ("10", ["-4.6716%, below zero"]),
        ("5.84", []),
        ("5.83", ["35.0085%, above 35%"]),
        ("3", ["61.9376%, above 35%"]),
    ],
)
def test_edge_in_doubt(pays: str, words: list[str]) -> None:
    """An edge below zero or above 35 per cent is reported, in every language; one between is not."""
    found = doubts(table(({"winner": "tie"}, pays)), RULES)

    assert len(words) == len(found)
    for word, text in zip(words, found, strict=True):
        assert word in text.en
        assert all(word.partition("%")[0] in text.in_language(language) for language in LANGUAGES)


def test_data_of_a_paytable() -> None:
    """The data have the exact counts as text, the edge as a fraction and in percent, and can be written as JSON."""
    data = paytable_data(resource_dir("config") / "paytables" / "big_six.yaml", 8)
    (tier,) = data["tiers"]

    assert ("big_six", "baccarat", 8, "4998398275503360") == tuple(
        data[key] for key in ("bet", "game", "decks", "combinations")
    )
    assert ("83058367551488", "0.0166169967", "60.18", "50") == tuple(
        tier[key] for key in ("combinations", "probability", "one_in", "pays")
    )
    assert int(data["combinations"]) == int(tier["combinations"]) + int(data["loses"]["combinations"])
    assert data["edge"]["percent"].startswith("15.25")
    assert Fraction(data["edge"]["fraction"]) == 1 - 51 * Fraction(int(tier["combinations"]), int(data["combinations"]))
    assert [] == data["doubts"]
    assert data == json.loads(json.dumps(data))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
@pytest.mark.parametrize("language", LANGUAGES)
def test_text_of_a_paytable(path: Path, language: str) -> None:
    """The text names the bet, its source, each tier with odds and hands, and the edge, in the language asked for."""
    data = paytable_data(path, 8)
    said = paytable_text(data, language)

    assert "{" not in said
    for words in (data["title"][language], data["source"], data["edge"]["percent"], data["edge"]["fraction"]):
        assert words in said
    for tier in data["tiers"]:
        assert tier["text"][language] in said
        for example in tier["vectors"]:
            assert example["player"] in said
            assert parse_hand(example["banker"])


def test_every_condition_has_words() -> None:
    """Each condition reads as a sentence of each language, with its value."""
    assert "莊家6點" == condition_text("banker_points", 6).zh
    assert "there are 5 cards in all" == condition_text("cards", 5).en
    assert "não há par de banca" == condition_text("banker_pair", wanted=False).pt
    assert "há empate" == condition_text("winner", "tie").pt


def _show(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = call(["paytable", "show", *arguments])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_command_reports_a_doubt_and_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command prints the paytable, and on standard error what speaks against it; it still ends well."""
    path = tmp_path / "rich.yaml"
    path.write_text(
        "bet: rich\ntitle: {zh: 甲, pt: A, en: A}\nsource: s\ntiers:\n  - {when: {winner: tie}, pays: 12}\n",
        encoding="utf-8",
    )
    code, out, err = _show(capsys, str(path), "--json")
    data: dict[str, Any] = json.loads(out)

    assert 0 == code
    assert "below zero" in err
    assert "below zero" in data["doubts"][0]["en"]
    assert data["edge"]["percent"].startswith("-23.7")

    code, out, _ = _show(capsys, str(path), "--lang", "pt", "--decks", "6")
    assert 0 == code
    assert "Atenção: A vantagem da casa da aposta rich com 6 baralhos" in out
