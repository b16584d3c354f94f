"""55/2004 with its amendments, and 67/2007, resolve on every day from their first."""

from __future__ import annotations

import datetime as dt

import pytest

from audit.base.known_games import GAMES
from audit.base.model import Game
from audit.rulebook import NotInForce, Rulebook, TextUnknown
from audit.rulebook.terms import LuckySixOdds, OtherBets
from audit.rulebook.timeline import Timeline

DAY = dt.timedelta(days=1)

BOUNDARIES = [
    ("BAC-2004", "2004-05-18"),
    ("BAC-2005", "2005-11-29"),
    ("BAC-2007a", "2007-02-23"),
    ("BAC-2007b", "2007-06-26"),
    ("BAC-2009a", "2009-01-01"),
    ("BAC-2009b", "2009-06-23"),
    ("BAC-2011", "2011-09-27"),
    ("BAC-2018", "2018-04-24"),
]


def day(text: str) -> dt.date:
    """A day from its ISO text."""
    return dt.date.fromisoformat(text)


@pytest.mark.parametrize(("version", "first"), BOUNDARIES)
def test_each_baccarat_version_holds_from_its_first_day(rulebook: Rulebook, version: str, first: str) -> None:
    """A version is in force on its first day and the day after, and not the day before."""
    start = day(first)

    assert version == rulebook.on(Game("baccarat"), start).version
    assert version == rulebook.on(Game("baccarat"), start + DAY).version
    if version != "BAC-2004":
        assert version != rulebook.on(Game("baccarat"), start - DAY).version


def test_the_versions_are_those_of_the_law(rulebook: Rulebook) -> None:
    """Up to the day of the sources there is no version beyond the ones whose boundaries are tested."""
    known = {
        game: [rules.version for rules in rulebook.rules(game) if rules.in_force_from <= day("2026-11-29")]
        for game in GAMES
    }

    assert {"baccarat": [name for name, _ in BOUNDARIES], "makccarat": ["MAK-2007-07-10"]} == known


@pytest.mark.parametrize(
    ("game", "first"),
    [(Game("baccarat"), "2004-05-18"), (Game("makccarat"), "2007-07-10")],
)
def test_no_rules_before_the_first_known_text(rulebook: Rulebook, game: Game, first: str) -> None:
    """The day before the first known text is refused in words that name that text's first day."""
    assert day(first) == rulebook.first_day(game)
    assert rulebook.on(game, day(first)).in_force_from == day(first)
    for early in (day(first) - DAY, day("1999-12-31"), day("1950-01-01")):
        with pytest.raises(NotInForce, match=f"known from {first}"):
            rulebook.on(game, early)


def test_the_rules_of_a_version_are_one_object(rulebook: Rulebook) -> None:
    """Callers may keep things by version, because its rules are the identical object on each of its days."""
    first, last = day("2011-09-27"), day("2018-04-23")

    assert rulebook.on(Game("baccarat"), first) is rulebook.on(Game("baccarat"), last)
    assert rulebook is Rulebook.load()


@pytest.mark.parametrize("game", list(GAMES))
def test_every_provision_resolves_around_every_boundary(rulebook: Rulebook, game: Game) -> None:
    """Around each first day of each provision the wording in force is the latest that has begun."""
    for key, wordings in rulebook.games[game].provisions.items():
        for index, start in enumerate(wordings.days):
            wording = wordings.entries[index]
            assert wording is not None
            for later in (start, start + DAY):
                assert wording is rulebook.on(game, later).provision(key)
            before = start - DAY
            if before < rulebook.first_day(game):
                continue
            if index == 0:
                assert not rulebook.on(game, before).has(key)
            else:
                assert wordings.entries[index - 1] is rulebook.on(game, before).provision(key)


@pytest.mark.parametrize(
    ("key", "text", "expected"),
    [
        ("opening.burn", "2011-09-26", False),
        ("opening.burn", "2011-09-27", True),
        ("opening.burn", "2011-10-03", True),
        ("opening.burn", "2011-10-04", False),
        ("opening.cut_card", "2011-09-28", False),
        ("bets.other", "2008-12-31", False),
        ("bets.other", "2009-01-01", True),
        ("bets.other", "2009-06-22", True),
        ("bets.other", "2009-06-23", False),
        ("commission.standard", "2009-03-01", False),
        ("no.such.provision", "2009-03-01", False),
    ],
)
def test_windows_of_uncertain_commencement(rulebook: Rulebook, key: str, text: str, expected: bool) -> None:
    """Only what an act may have changed is in doubt, and only on the days on which it may have begun."""
    assert expected is rulebook.in_window(Game("baccarat"), key, day(text))


def test_what_is_unread_is_not_answered(rulebook: Rulebook) -> None:
    """A parameter whose text is unread raises TextUnknown, and a provision of another time NotInForce."""
    in_window = rulebook.on(Game("baccarat"), day("2009-03-01"))
    with pytest.raises(TextUnknown, match="director_may_authorise"):
        in_window.terms(OtherBets)
    with pytest.raises(NotInForce, match="lucky_six"):
        in_window.provision("odds.lucky_six")
    assert in_window.known_terms(OtherBets) is in_window.known_terms(LuckySixOdds) is None


def test_a_timeline_refuses_days_out_of_order() -> None:
    """Two entries of one day, or an earlier one after a later one, are refused."""
    first = day("2020-01-01")
    for second in (first, first - DAY):
        with pytest.raises(ValueError, match="does not come after"):
            Timeline.of([(first, "a"), (second, "b")])
