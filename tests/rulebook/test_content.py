"""What the shipped rulebook says: values, sources, languages."""

from __future__ import annotations

import dataclasses
import datetime as dt
import re

import pytest

from audit.base.known_games import GAMES
from audit.base.model import LANGUAGES, Game, Text
from audit.rulebook import Provision, Rulebook
from audit.rulebook.coverage import CoverageStatus, coverage_table
from audit.rulebook.options import ANY_VALUE, Availability, find_option, load_alternatives, load_options
from audit.rulebook.reference import article_text
from audit.rulebook.terms import FORMS, Bets, DrawRules, NoticeRules, stated

CODES = {
    *(f"DRW-00{n}" for n in range(1, 5)),
    *(f"RES-00{n}" for n in range(1, 5)),
    *(f"PAY-00{n}" for n in range(1, 6)),
    *(f"OPT-00{n}" for n in range(1, 5)),
    *(f"APR-00{n}" for n in range(1, 4)),
    *(f"SHO-00{n}" for n in range(1, 8)),
    *(f"LOG-00{n}" for n in range(1, 6)),
    "LIM-001",
}
RULES = {
    Game("baccarat"): [f"BAC-{n:02}" for n in range(1, 45)],
    Game("makccarat"): [f"MAK-{n:02}" for n in range(1, 40)],
}


def day(text: str) -> dt.date:
    """A day from its ISO text."""
    return dt.date.fromisoformat(text)


def wordings(rulebook: Rulebook, game: Game) -> list[Provision]:
    """Every wording of every provision of a game."""
    timelines = rulebook.games[game].provisions.values()
    return [wording for timeline in timelines for wording in timeline.entries if wording is not None]


@pytest.mark.parametrize(
    ("game", "text", "key", "name", "expected"),
    [
        (Game("baccarat"), "2004-05-18", "equipment.decks", "max", 12),
        (Game("baccarat"), "2004-05-18", "odds.tie", "tie", 8),
        (Game("baccarat"), "2026-01-01", "odds.tie", "tie", 8),
        (Game("baccarat"), "2004-05-18", "opening.burn", "formulas", ("decks", "first_card")),
        (Game("baccarat"), "2011-10-04", "opening.burn", "formulas", ("decks", "first_card", "fixed")),
        (Game("baccarat"), "2005-11-28", "authorisation", "articles", (2, 3, 7, 12)),
        (Game("baccarat"), "2005-11-29", "authorisation", "articles", (2, 3, 7, 12, 18)),
        (Game("baccarat"), "2026-01-01", "authorisation", "notice_working_days", 3),
        (Game("baccarat"), "2008-12-31", "bets.other", "director_may_authorise", False),
        (Game("baccarat"), "2009-06-23", "bets.other", "director_may_authorise", True),
        (Game("baccarat"), "2009-01-01", "commission.none", "unread_push", {"points": 7, "cards": 3}),
        (Game("baccarat"), "2009-01-01", "bets", "unread", ("dragon_seven",)),
        (Game("baccarat"), "2026-01-01", "bets", "unread", ("dragon_seven",)),
        (Game("baccarat"), "2018-04-24", "odds.lucky_six", "two_cards", 12),
        (Game("baccarat"), "2018-04-24", "odds.lucky_six", "three_cards", 20),
        (Game("makccarat"), "2007-07-10", "odds.tie", "method_1", 14),
        (Game("makccarat"), "2007-07-10", "odds.tie", "method_2", 9),
        (Game("makccarat"), "2007-07-10", "commission.standard", "points", (7, 8, 9)),
        (Game("makccarat"), "2007-07-10", "commission.standard", "sides", ("player", "banker")),
        (Game("makccarat"), "2007-07-10", "commission.none", "half_points", (4,)),
        (Game("makccarat"), "2007-07-10", "authorisation", "articles", (2, 3, 7, 9, 11, 16, 17)),
        (Game("makccarat"), "2026-01-01", "bets.other", "director_may_authorise", False),
    ],
)
def test_values_of_the_gazette(
    rulebook: Rulebook, game: Game, text: str, key: str, name: str, expected: object
) -> None:
    """A value is the one that the gazette gives for the day."""
    assert expected == rulebook.on(game, day(text)).provision(key).parameters[name]


def test_55_2004_art_9_drawing_table(rulebook: Rulebook) -> None:
    """What art. 9(3) lets the banker draw on and what art. 9(4) forbids share out every third card."""
    table = stated(rulebook.on(Game("baccarat"), day("2020-01-01")).terms(DrawRules).banker_draws_on_third, "the table")
    forbidden = {3: {8}, 4: {0, 1, 8, 9}, 5: {0, 1, 2, 3, 8, 9}, 6: {0, 1, 2, 3, 4, 5, 8, 9}, 7: set(range(10))}

    for total, draws in table.items():
        assert set(range(10)) == set(draws) | forbidden.get(total, set())
        assert not set(draws) & forbidden.get(total, set())
    assert set(range(8)) == set(table)


@pytest.mark.parametrize(
    ("text", "extra"),
    [
        ("2007-02-22", set()),
        ("2007-02-23", {"jackpot"}),
        ("2018-04-23", {"jackpot"}),
        ("2018-04-24", {"jackpot", "lucky_six"}),
    ],
)
def test_55_2004_art_13_gazetted_bets(rulebook: Rulebook, text: str, extra: set[str]) -> None:
    """The gazetted list is the five bets of 2004, the jackpot from 2007 and Lucky Six from 2018."""
    gazetted = rulebook.on(Game("baccarat"), day(text)).terms(Bets).gazetted

    assert {"player", "banker", "tie", "player_pair", "banker_pair"} | extra == set(gazetted)


@pytest.mark.parametrize("game", list(GAMES))
def test_every_rule_has_its_provision(rulebook: Rulebook, game: Game) -> None:
    """Each rule of the law's list belongs to a provision, and no provision names a rule that is not in the list."""
    assert set(RULES[game]) == {rule for wording in wordings(rulebook, game) for rule in wording.rule_ids}


@pytest.mark.parametrize("game", list(GAMES))
def test_every_wording_states_its_values_or_what_is_unread(rulebook: Rulebook, game: Game) -> None:
    """A wording gives every parameter of its provision, or says in words what has not been read."""
    for wording in wordings(rulebook, game):
        assert wording.unknown is not None or wording.terms is not None, wording.key
        assert wording.terms is None or isinstance(wording.terms, FORMS[wording.key])


@pytest.mark.parametrize("game", list(GAMES))
def test_every_citation_resolves(rulebook: Rulebook, game: Game) -> None:
    """Each article cited anywhere belongs to a provision on that day and can be written out in both languages."""
    for rules in rulebook.rules(game):
        for provision in rules.provisions.values():
            assert provision.act in rulebook.instruments
            assert provision.instrument == rules.instrument
            found = rules.cited(provision.article)
            assert found is not None
            assert provision.article == found.article
            for article in set(provision.articles()) - {provision.article}:
                assert provision is rules.cited(article)
                assert rulebook.reference(game, rules.in_force_from, article).zh.startswith("第")


@pytest.mark.parametrize("game", list(GAMES))
def test_written_references_agree_with_the_compact_form(rulebook: Rulebook, game: Game) -> None:
    """The Chinese and Portuguese references of a provision say the same article as its compact form."""
    first_paragraphs = re.compile(r"13\([1-4]\)")
    for wording in wordings(rulebook, game):
        if "-" in wording.article:
            continue
        items = set(rulebook.games[game].item_articles)
        if first_paragraphs.fullmatch(wording.article) and wording.article_zh.endswith("）"):
            items.add(13)
        written = article_text(wording.article, frozenset(items))
        assert (written.zh, written.pt) == (wording.article_zh, wording.article_pt)


def test_every_text_has_three_different_languages(rulebook: Rulebook) -> None:
    """No text repeats another language's, Chinese is in Chinese characters, and no placeholder is left."""
    holders: list[object] = [wording for game in GAMES for wording in wordings(rulebook, game)]
    holders += [*rulebook.instruments.values(), *load_alternatives(), *coverage_table()]
    texts = [
        value
        for holder in holders
        for field in dataclasses.fields(holder)  # type: ignore[arg-type]
        if isinstance(value := getattr(holder, field.name), Text) and field.name not in {"title", "kind"}
    ]

    assert texts
    for text in texts:
        assert len(LANGUAGES) == len({text.in_language(language) for language in LANGUAGES})
        assert re.search(r"[\u4e00-\u9fff]", text.zh)
        assert not re.search(r"[\u4e00-\u9fff]", text.pt + text.en)
        assert "{" not in text.zh + text.pt + text.en


def test_portuguese_keeps_the_spelling_of_the_gazette(rulebook: Rulebook) -> None:
    """The Portuguese texts do not follow the orthography of 1990, which Macau's gazette does not use."""
    modern = re.compile(
        r"\b(direção|inspeção|redação|ação|ato|atos|exato|exata|diretor|diretamente|atual|infração)\b", re.IGNORECASE
    )
    for game in GAMES:
        for wording in wordings(rulebook, game):
            for text in (wording.summary, wording.interpretation, wording.unknown):
                assert text is None or not modern.search(text.pt), wording.key


def test_acts_run_in_step_with_the_versions(rulebook: Rulebook) -> None:
    """A version begins when its act does, or within the act's window, and later than the gazette's day."""
    for game in GAMES:
        for version in rulebook.versions(game):
            act = rulebook.instruments[version.acts[-1]]
            if act.in_force_from is not None:
                assert act.in_force_from == version.span.first
                assert act.window == version.span.window
                assert act.in_force_certain == version.span.certain
            if act.published is not None and act.in_force_from is not None:
                assert dt.timedelta(days=1) == act.in_force_from - act.published


def test_coverage_names_every_rule_and_only_known_checks(rulebook: Rulebook) -> None:
    """Every rule, and every unread provision without a rule, is in the table with known checks or a reason."""
    table = {entry.subject: entry for entry in coverage_table()}
    orphans = {
        wording.key
        for game in GAMES
        for wording in wordings(rulebook, game)
        if not wording.rule_ids and wording.unknown
    }

    assert {*RULES[Game("baccarat")], *RULES[Game("makccarat")], *orphans} == set(table)
    for entry in table.values():
        assert CODES >= set(entry.codes)
        assert bool(entry.codes) == (entry.status is CoverageStatus.CHECKED)
        assert entry.codes or entry.limit
        assert bool(entry.data) == bool(entry.codes)


@pytest.mark.parametrize(
    ("game", "option", "values"),
    [
        (Game("baccarat"), "burn", ["decks", "first_card", *(f"fixed_{n}" for n in range(1, 9))]),
        (Game("makccarat"), "burn", ["decks", "first_card"]),
        (Game("baccarat"), "last_round", ["at_cut_card", "one_more"]),
        (Game("makccarat"), "draw_method", ["method_1", "method_2"]),
        (Game("baccarat"), "draw_method", []),
        (Game("baccarat"), "tie", ["cancelled", "kept", "changed"]),
        (Game("makccarat"), "commission", ["standard", "none"]),
        (Game("baccarat"), "bet", [ANY_VALUE]),
        (Game("makccarat"), "bet", []),
        (Game("baccarat"), "prize", [ANY_VALUE]),
    ],
)
def test_option_values(game: Game, option: str, values: list[str]) -> None:
    """The register's codes for an option are those of the contract."""
    assert values == [entry.value for entry in load_options() if entry.game == game and entry.option == option]


def test_only_the_rules_themselves_need_no_authorisation() -> None:
    """Commission standard, burn by decks and the last round at the cut card are the rule; all else needs a decision."""
    free = {(entry.option, entry.value) for entry in load_options() if entry.rule_itself}

    assert {("commission", "standard"), ("burn", "decks"), ("last_round", "at_cut_card")} == free
    assert all((entry.authorisation is None) == entry.rule_itself for entry in load_options())


@pytest.mark.parametrize(
    ("game", "option", "value", "text", "expected"),
    [
        (Game("baccarat"), "commission", "none", "2005-11-28", Availability.UNAVAILABLE),
        (Game("baccarat"), "commission", "none", "2005-11-29", Availability.AVAILABLE),
        (Game("baccarat"), "burn", "fixed_8", "2011-09-26", Availability.UNAVAILABLE),
        (Game("baccarat"), "burn", "fixed_8", "2011-10-03", Availability.UNCERTAIN),
        (Game("baccarat"), "burn", "fixed_8", "2011-10-04", Availability.AVAILABLE),
        (Game("baccarat"), "bet", "small_six", "2008-12-31", Availability.UNAVAILABLE),
        (Game("baccarat"), "bet", "small_six", "2009-01-01", Availability.UNCERTAIN),
        (Game("baccarat"), "bet", "small_six", "2009-06-23", Availability.AVAILABLE),
    ],
)
def test_options_by_day(game: Game, option: str, value: str, text: str, expected: Availability) -> None:
    """An option is unavailable before its act, uncertain in its window and available after."""
    entry = find_option(game, option, value, load_options())

    assert entry is not None
    assert expected is entry.on(day(text))


def test_an_option_that_no_regulation_knows() -> None:
    """A bet in Makccarat and a ninth fixed burn are no option at all."""
    assert find_option(Game("makccarat"), "bet", "lucky_six", load_options()) is None
    assert find_option(Game("baccarat"), "burn", "fixed_9", load_options()) is None


def test_options_agree_with_the_provisions(rulebook: Rulebook) -> None:
    """An option's article lies within its provision's, and is in the list of articles that need authorisation."""
    for entry in load_alternatives():
        rules = rulebook.on(entry.game, entry.since if entry.window is None else entry.window[1] + dt.timedelta(days=1))
        provision = rules.provision(entry.provision)
        assert entry.article.startswith(provision.article)
        listed = rules.terms(NoticeRules).articles
        if not entry.rule_itself and entry.option not in {"bet", "prize"}:
            assert int(re.split(r"\D", entry.article)[0]) in listed


def test_the_data_has_an_age(rulebook: Rulebook) -> None:
    """The rulebook is stale when more than a year has passed since it was compared with its sources."""
    assert not rulebook.stale_on(rulebook.verified_on + dt.timedelta(days=365))
    assert rulebook.stale_on(rulebook.verified_on + dt.timedelta(days=366))
