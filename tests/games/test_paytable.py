"""Paytables: read strictly, compiled exactly, and settled in bulk as one by one."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.base.errors import ConfigurationError
from audit.base.model import CENT, Game, Scheme, Text
from audit.base.resources import resource_dir
from audit.cli import call
from audit.games.due import Due, WagerEnd
from audit.games.hand_facts import HandFacts
from audit.games.paytable import CONDITIONS, Paytable, Tier
from audit.games.paytable_files import load_paytable, load_paytables
from audit.games.settlement import amounts, due
from audit.odds.enumeration import MOST_DECKS, edge, edge_of, facts_counts
from audit.replay.dues import DueTable
from audit.rulebook import Rulebook
from audit.rulebook.rules import Citation

SHIPPED = sorted((resource_dir("config") / "paytables").glob("*.yaml"))
RULEBOOK = Rulebook.load()
RULES = RULEBOOK.on(Game("baccarat"), dt.date(2024, 3, 1))
TITLE = Text("甲", "A", "A")

WELL_FORMED = """\
bet: tiger_tie
title: {zh: 虎和, pt: empate do tigre, en: Tiger tie}
source: a letter of the house
tiers:
  - when: {winner: tie, player_points: 6}
    pays: 45
"""

Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a paytable and return its path."""

    def into(content: str) -> Path:
        path = tmp_path / "table.yaml"
        path.write_text(content, encoding="utf-8")
        return path

    return into


def facts(
    player: int,
    banker: int,
    player_cards: int = 2,
    banker_cards: int = 2,
    *,
    player_pair: bool = False,
    banker_pair: bool = False,
    player_perfect: bool | None = False,
    banker_perfect: bool | None = False,
) -> HandFacts:
    """HandFacts of a hand."""
    return HandFacts(
        player, banker, player_cards, banker_cards, player_pair, banker_pair, player_perfect, banker_perfect
    )


def percent(value: Fraction, digits: int) -> str:
    """A share as a percentage with so many digits."""
    scaled = round(value * 100 * 10**digits)
    return f"{scaled // 10**digits}.{scaled % 10**digits:0{digits}d}"


# --- reading


def test_well_formed_paytable(write: Write) -> None:
    """A well-formed file is read with its odds exact, and its digest is that of its bytes."""
    table = load_paytable(write(WELL_FORMED))

    assert ("tiger_tie", "Tiger tie", None) == (table.bet, table.title.en, table.note)
    assert (Tier({"winner": "tie", "player_points": 6}, Fraction(45)),) == table.tiers
    assert len(table.digest) == 64
    assert table.digest != load_paytable(write(WELL_FORMED + "# remark\n")).digest


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("bet: tiger_tie\n", "", "table.yaml: top level: the key 'bet' is missing"),
        ("bet: tiger_tie", "bet: [a]", "table.yaml: bet: a non-empty text is expected"),
        ("bet: tiger_tie", "bet: tiger tie", "table.yaml: bet: the code of a bet has no space in it"),
        ("bet: tiger_tie", "bet: banker", "table.yaml: bet: the odds of 'banker' are the regulation's"),
        ("bet: tiger_tie", "bet: tie", "table.yaml: bet: the odds of 'tie' are the regulation's"),
        ("bet: tiger_tie", "bet: player_pair", "table.yaml: bet: the odds of 'player_pair' are the regulation's"),
        ("bet: tiger_tie", "bet: a\nbet: b", "table.yaml: top level: the key 'bet' stands twice"),
        ("bet: tiger_tie", "bet: tiger_tie\nodds: 3", "table.yaml: top level: unknown key 'odds'; allowed: bet"),
        (", en: Tiger tie", "", "table.yaml: title: the key 'en' is missing"),
        ("source: a letter of the house", "source: ''", "table.yaml: source: a non-empty text is expected"),
        ("tiers:", "note: {zh: 甲}\ntiers:", "table.yaml: note: the key 'pt' is missing"),
        ("tiers:", "note: text\ntiers:", "table.yaml: note: a mapping is expected"),
        ("tiers:\n  -", "tiers:\n   ", "table.yaml: tiers: a list is expected"),
        ("winner: tie, player_points: 6", "", "table.yaml: tiers[0].when: at least one condition is expected"),
        ("winner: tie", "victor: tie", "table.yaml: tiers[0].when: unknown key 'victor'; allowed: banker_cards"),
        ("winner: tie", "winner: house", "table.yaml: tiers[0].when.winner: one of 'player', 'banker', 'tie' is"),
        ("player_points: 6", "player_points: 10", "table.yaml: tiers[0].when.player_points: one of 0, 1, 2"),
        ("player_points: 6", "player_points: '6'", "table.yaml: tiers[0].when.player_points: one of 0, 1, 2"),
        ("player_points: 6", "player_cards: 4", "tiers[0].when.player_cards: one of 2, 3 is expected, not 4"),
        ("player_points: 6", "player_cards: true", "tiers[0].when.player_cards: one of 2, 3 is expected, not true"),
        ("player_points: 6", "either_pair: 1", "tiers[0].when.either_pair: one of true, false is expected, not 1"),
        ("player_points: 6", "either_pair: yes", "tiers[0].when.either_pair: 'yes' is ambiguous here"),
        ("    pays: 45\n", "", "table.yaml: tiers[0]: the key 'pays' is missing"),
        ("pays: 45", "pays: 45\n    commission: 1", "table.yaml: tiers[0]: unknown key 'commission'"),
        ("pays: 45", "pays: 4.5", "table.yaml: tiers[0].pays: 4.5 is a binary floating-point number"),
        ("pays: 45", "pays: 0", "table.yaml: tiers[0].pays: odds to one are expected"),
        ("pays: 45", "pays: -1", "table.yaml: tiers[0].pays: odds to one are expected"),
        ("pays: 45", "pays: true", "table.yaml: tiers[0].pays: odds to one are expected"),
        ("pays: 45", "pays: 45:1", "table.yaml: tiers[0].pays: "),
        ("pays: 45", "pays: '1/3'", "table.yaml: tiers[0].pays: odds to one are expected"),
        ("pays: 45", "pays: 10000", "table.yaml: tiers[0].pays: odds to one are expected"),
        ("pays: 45", "pays: '0.125'", "table.yaml: tiers[0].pays: odds to one are expected"),
        ("pays: 45", "pays: [45", "table.yaml: top level: not well-formed YAML in line 7"),
    ],
)
def test_malformed_paytable_is_refused(write: Write, old: str, new: str, words: str) -> None:
    """Whatever is wrong with a paytable is one sentence that names the file and the key or line."""
    assert old in WELL_FORMED

    with pytest.raises(ConfigurationError) as raised:
        load_paytable(write(WELL_FORMED.replace(old, new)))

    assert words in str(raised.value)
    assert "\n" not in str(raised.value)


def test_no_tier_is_refused(write: Write) -> None:
    """A paytable that pays nothing is none."""
    with pytest.raises(ConfigurationError, match="tiers: at least one tier is expected"):
        load_paytable(write(WELL_FORMED.partition("tiers:")[0] + "tiers: []\n"))


def test_empty_file_is_refused(write: Write) -> None:
    """An empty file is refused by name."""
    with pytest.raises(ConfigurationError, match=r"table\.yaml: top level: the file is empty"):
        load_paytable(write(""))


def test_missing_file_is_refused(tmp_path: Path) -> None:
    """A path that does not exist is refused by name."""
    with pytest.raises(ConfigurationError, match=r"nowhere\.yaml does not exist"):
        load_paytable(tmp_path / "nowhere.yaml")


def test_two_paytables_of_one_bet_are_refused(tmp_path: Path) -> None:
    """Two files for one bet would leave its odds to chance."""
    for name in ("one", "two"):
        (tmp_path / f"{name}.yaml").write_text(WELL_FORMED, encoding="utf-8")

    with pytest.raises(ConfigurationError, match=r"two\.yaml: bet: the bet 'tiger_tie' has a paytable already"):
        load_paytables([tmp_path / "one.yaml", tmp_path / "two.yaml"])


def test_command_refuses_a_malformed_paytable(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    """The command ends with exit code 2 and one sentence on standard error."""
    code = call(["paytable", "show", str(write(WELL_FORMED.replace("pays: 45", "pays: no")))])
    said = capsys.readouterr()

    assert (2, "") == (code, said.out)
    assert said.err.startswith("dicj-audit: table.yaml: tiers[0].pays: ")
    assert said.err.count("\n") == 1


# --- conditions and odds


@pytest.mark.parametrize(
    ("when", "yes", "no"),
    [
        ({"winner": "banker"}, facts(5, 6), facts(6, 6)),
        ({"winner": "tie"}, facts(6, 6), facts(6, 5)),
        ({"player_points": 7}, facts(7, 6), facts(6, 7)),
        ({"banker_points": 7}, facts(6, 7), facts(7, 6)),
        ({"player_cards": 3}, facts(7, 6, 3), facts(7, 6, 2, 3)),
        ({"banker_cards": 2}, facts(7, 6, 3), facts(7, 6, 3, 3)),
        ({"cards": 5}, facts(7, 6, 3, 2), facts(7, 6, 3, 3)),
        ({"player_pair": True}, facts(6, 0, player_pair=True), facts(6, 0, banker_pair=True)),
        ({"banker_pair": False}, facts(6, 0, player_pair=True), facts(6, 0, banker_pair=True)),
        ({"either_pair": True}, facts(6, 0, banker_pair=True), facts(6, 0)),
        ({"player_perfect_pair": True}, facts(6, 0, player_pair=True, player_perfect=True), facts(6, 0)),
        ({"banker_perfect_pair": True}, facts(6, 0, banker_pair=True, banker_perfect=True), facts(6, 0)),
    ],
)
def test_each_condition(when: dict[str, object], yes: HandFacts, no: HandFacts) -> None:
    """Each condition holds for a hand that meets it and names itself where it fails."""
    tier = Tier(when, Fraction(1))

    assert (True, ()) == (tier.holds(yes), tier.failing(yes))
    assert (False, tuple(when)) == (tier.holds(no), tier.failing(no))


def test_every_condition_is_tested() -> None:
    """No condition is without its case above."""
    (marker,) = (mark for mark in test_each_condition.pytestmark if mark.name == "parametrize")

    assert set(CONDITIONS) == {name for when, *_ in marker.args[1] for name in when}


def test_first_tier_that_holds_pays() -> None:
    """Tiers are read from the top."""
    table = Paytable("a", TITLE, (Tier({"cards": 6}, Fraction(9)), Tier({"winner": "tie"}, Fraction(4))), "s")

    assert [9, 4, 0] == [table.odds(f) for f in (facts(6, 6, 3, 3), facts(6, 6), facts(6, 7))]
    assert [0, 1, 2] == [table.place(f) for f in (facts(6, 6, 3, 3), facts(6, 6), facts(6, 7))]


def test_missing_suits_are_unknown_only_where_they_decide() -> None:
    """A pair without suits leaves the odds open, unless every answer pays the same."""
    table = load_paytable(resource_dir("config") / "paytables" / "perfect_pair.yaml")
    open_pair = facts(6, 0, player_pair=True, player_perfect=None)
    settled = facts(6, 0, player_pair=True, banker_pair=True, player_perfect=None, banker_perfect=True)

    assert table.odds(open_pair) is None
    assert 25 == table.odds(settled)
    assert 0 == table.odds(facts(6, 0))

    found = due("perfect_pair", open_pair, RULES, scheme=Scheme.STANDARD, paytables={table.bet: table})
    assert (WagerEnd.UNKNOWN, "suits_missing") == (found.kind, found.reason)


# --- exact edges


@pytest.mark.parametrize(
    ("name", "decks", "value"),
    [
        ("small_six", 8, "14.33"),
        ("big_six", 8, "15.25"),
        ("lucky_seven", 8, "18.30"),
        ("super_lucky_seven", 8, "33.4"),
        ("dragon_seven", 8, "7.61133447"),
        ("dragon_seven", 6, "7.60619048"),
        ("panda_eight", 8, "10.18763217"),
        ("panda_eight", 6, "10.20738333"),
        ("perfect_pair", 8, "13.0294"),
        ("perfect_pair", 6, "17.0716"),
        ("either_pair", 8, "13.70987688"),
        ("either_pair", 6, "14.53648103"),
    ],
)
def test_shipped_paytables_have_the_published_edges(name: str, decks: int, value: str) -> None:
    """Each example that ships costs what its source says, in all digits given, and settles to the same edge."""
    table = load_paytable(resource_dir("config") / "paytables" / f"{name}.yaml")
    exact = edge(table, RULES, decks)

    assert value == percent(exact, len(value.partition(".")[2]))
    assert exact == edge_of(table.bet, RULES, Scheme.STANDARD, None, decks, paytables={table.bet: table})


def _one(when: dict[str, object], pays: int) -> Tier:
    return Tier(when, Fraction(pays))


SIX_TWO = {"winner": "banker", "banker_points": 6, "banker_cards": 2}
SIX_THREE = {"winner": "banker", "banker_points": 6, "banker_cards": 3}
ANY_SIX = {"winner": "banker", "banker_points": 6}
TIE_SIX = {"winner": "tie", "player_points": 6}


@pytest.mark.parametrize(
    ("tiers", "decks", "value"),
    [
        ((_one(SIX_TWO, 12), _one(SIX_THREE, 20)), 8, "16.68357204"),
        ((_one(SIX_TWO, 12), _one(SIX_THREE, 20)), 6, "16.71633330"),
        ((_one(SIX_TWO, 12), _one(SIX_THREE, 23)), 8, "11.69847304"),
        ((_one(ANY_SIX, 12),), 8, "29.97716938"),
        ((_one(ANY_SIX, 15),), 8, "13.81805463"),
        ((_one(TIE_SIX, 45),), 8, "11.4952"),
        ((_one(TIE_SIX, 35),), 8, "30.7354"),
        ((_one({"winner": "tie"}, 8),), 8, "14.35962878"),
        ((_one({"winner": "tie"}, 9),), 8, "4.84403198"),
        ((_one({"winner": "tie"}, 9),), 6, "4.93128866"),
        ((_one({"player_pair": True}, 11),), 8, "10.36144578"),
        ((_one({"banker_pair": True}, 11),), 6, "11.25401929"),
        ((_one({"player_pair": True}, 12),), 8, "2.89156627"),
    ],
)
def test_other_published_paytables(tiers: tuple[Tier, ...], decks: int, value: str) -> None:
    """Other published paytables, described by conditions, have their published edges in all digits given."""
    exact = edge(Paytable("a", TITLE, tiers, "s"), RULES, decks)

    assert value == percent(exact, len(value.partition(".")[2]))


def test_banker_without_commission_whose_three_card_seven_pushes() -> None:
    """The scheme that other markets use leaves its published edge on the same counts, with eight and with six decks."""
    for decks, value in ((8, "1.01830076"), (6, "1.01609265")):
        counts = facts_counts(RULES, None, decks)
        lost = sum(n for f, n in counts.items() if f.outcome.value == "player")
        won = sum(
            n for f, n in counts.items() if f.outcome.value == "banker" and (f.banker_points, f.banker_cards) != (7, 3)
        )

        assert value == percent(Fraction(lost - won, sum(counts.values())), 8)


def test_super_lucky_seven_by_the_other_reading() -> None:
    """If the case on which the press is silent paid as the other five-card case, the edge would be 14.8 per cent."""
    table = load_paytable(resource_dir("config") / "paytables" / "super_lucky_seven.yaml")
    silent = _one(
        {"winner": "player", "player_points": 7, "banker_points": 6, "player_cards": 2, "banker_cards": 3}, 40
    )
    other = Paytable(table.bet, TITLE, (*table.tiers, silent), "s")

    assert "14.8" == percent(edge(other, RULES, 8), 1)
    assert table.note is not None
    assert "14.8%" in table.note.en


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_paytables_say_that_they_are_unofficial(path: Path) -> None:
    """Each example is named after its bet and says in every language that it is unofficial."""
    table = load_paytable(path)

    assert path.stem == table.bet
    assert table.note is not None
    assert ("非官方", "não oficial", "Unofficial") == tuple(
        word
        for word, text in zip(
            ("非官方", "não oficial", "Unofficial"), (table.note.zh, table.note.pt, table.note.en), strict=True
        )
        if word in text
    )


@pytest.mark.parametrize("decks", [0, MOST_DECKS + 1])
def test_command_refuses_uncountable_decks(decks: int, capsys: pytest.CaptureFixture[str]) -> None:
    """A number of decks that cannot be counted is wrong usage."""
    assert 2 == call(["paytable", "show", str(SHIPPED[0]), "--decks", str(decks)])
    assert f"--decks: 1 to {MOST_DECKS} decks can be counted, not {decks}" in capsys.readouterr().err


# --- in bulk


ODDS = st.fractions(min_value=0, max_value=200, max_denominator=100)
RATES = st.sampled_from([Fraction(0), Fraction(1, 20), Fraction(1, 100), Fraction(1, 3), Fraction(17, 1000)])
STAKES = st.integers(1, 10_000_000_000_000)
UNITS = st.sampled_from([1, CENT, 500, 1_000, 5_000, 10_000, 50_000])


@st.composite
def specs(draw: st.DrawFn) -> Due:
    """What a winning wager may be due: any odds and commission, or a half payment."""
    if draw(st.booleans()):
        return Due(WagerEnd.WIN, Citation("a", "1"), odds=draw(ODDS), commission=draw(RATES))
    return Due(
        WagerEnd.WIN,
        Citation("a", "1"),
        odds=Fraction(1, 2),
        half=True,
        half_as_commission=Fraction(draw(st.integers(0, 1)), 2),
    )


@settings(max_examples=300)
@given(st.lists(st.tuples(specs(), STAKES), min_size=1, max_size=8), UNITS)
def test_bulk_settlement_is_the_scalar_one(wagers: list[tuple[Due, int]], unit: int) -> None:
    """The look-up table pays to the last ten-thousandth what the scalar settlement does, and takes its commission."""
    table = DueTable(RULEBOOK, [], {}, unit)
    table.dues = [what for what, _ in wagers]
    stakes = np.array([stake for _, stake in wagers], np.int64)
    payout, commission = table.payout(np.arange(len(wagers)), stakes)
    scalar = [amounts(what, stake, unit) for what, stake in wagers]

    assert [owed.payout for owed in scalar] == payout.tolist()
    assert all(taken in owed.commission for owed, taken in zip(scalar, commission.tolist(), strict=True))


@settings(max_examples=100)
@given(st.sampled_from(SHIPPED), st.integers(1, 400_000_000), UNITS)
def test_bulk_settlement_of_the_examples(path: Path, stake: int, unit: int) -> None:
    """Every example pays in bulk what it pays alone, at stakes up to hundreds of millions."""
    table = load_paytable(path)
    dues = [Due(WagerEnd.WIN, Citation("a", "1"), odds=tier.pays) for tier in table.tiers]
    bulk = DueTable(RULEBOOK, [], {}, unit)
    bulk.dues = dues
    money = stake * 10_000
    payout, _ = bulk.payout(np.arange(len(dues)), np.full(len(dues), money))

    assert [amounts(what, money, unit).payout for what in dues] == payout.tolist()
    assert [tier.pays * money for tier in table.tiers] == payout.tolist()
