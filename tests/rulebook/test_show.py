"""The regulation as data and as text: what is in force, and what changed between two days."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any

import pytest

from audit.base.errors import UsageError
from audit.base.model import LANGUAGES, Game
from audit.cli import call
from audit.rulebook import Rulebook, law_data, law_pages
from audit.rulebook.coverage import coverage_table


def day(text: str) -> dt.date:
    """A day from its ISO text."""
    return dt.date.fromisoformat(text)


def diff(rulebook: Rulebook, before: str, after: str) -> Any:
    """The difference of baccarat between two days."""
    return law_data.rules_diff(rulebook, Game("baccarat"), day(before), day(after))


def keys(provisions: list[dict[str, Any]]) -> set[str]:
    """The keys of provisions."""
    return {str(provision["key"]) for provision in provisions}


def test_rules_show_has_the_contract_shape(rulebook: Rulebook) -> None:
    """The data has game, day, version and provisions, days as ISO text, and survives a round trip through JSON."""
    data: Any = law_data.rules_show(rulebook, Game("makccarat"), day("2024-03-01"))

    assert data == json.loads(json.dumps(data))
    assert ("makccarat", "2024-03-01", "MAK-2007-07-10") == (data["game"], data["day"], data["version"])
    tie = next(item for item in data["provisions"] if item["key"] == "odds.tie")
    assert ("67/2007", "16", "28/2007, p. 1227") == (tie["instrument"], tie["article"], tie["bo"])
    assert 14 == tie["parameters"]["method_1"]
    assert set(LANGUAGES) == set(tie["summary"])


def test_rules_list_without_a_day_lists_every_version(rulebook: Rulebook) -> None:
    """Without a day every version of both games is listed, the mostly unread ones included."""
    data: Any = law_data.rules_list(rulebook)

    assert 11 == len([item for item in data if item["in_force_from"] <= "2026-11-29"])
    assert ["BAC-1996", "BAC-2000"] == [item["version"] for item in data if not item["known"]]


@pytest.mark.parametrize(
    ("text", "baccarat", "makccarat"),
    [
        ("1996-11-03", None, None),
        ("1996-11-04", "BAC-1996", None),
        ("2000-12-30", "BAC-2000", None),
        ("2004-05-17", "BAC-2000", None),
        ("2004-05-18", "BAC-2004", None),
        ("2007-07-10", "BAC-2007b", "MAK-2007-07-10"),
        ("2026-01-01", "BAC-2018", "MAK-2007-07-10"),
    ],
)
def test_rules_list_on_any_day(rulebook: Rulebook, text: str, baccarat: str | None, makccarat: str | None) -> None:
    """On any day the list names the version in force, or says in each language that none is on record."""
    data: Any = law_data.rules_list(rulebook, day(text))

    assert [baccarat, makccarat] == [item["version"] for item in data]
    for item in data:
        if item["version"] is None:
            assert all(text in item["note"][language] for language in LANGUAGES)


def test_rules_show_of_a_mostly_unread_version(rulebook: Rulebook) -> None:
    """A day of a version whose text is unread has no provisions and a note of what is known."""
    data: Any = law_data.rules_show(rulebook, Game("baccarat"), day("2001-06-01"))

    assert [] == data["provisions"]
    assert "8 to 1" in data["note"]["en"]


def test_rules_show_before_everything(rulebook: Rulebook) -> None:
    """A day before the first version on record is refused in one sentence that names that version's first day."""
    with pytest.raises(UsageError, match="the first version begins on 2007-07-10"):
        law_data.rules_show(rulebook, Game("makccarat"), day("2007-07-09"))


def test_56_2018_adds_lucky_six(rulebook: Rulebook) -> None:
    """From 2018-04-23 to 04-24 Lucky Six and its odds come in, by 56/2018 alone."""
    data = diff(rulebook, "2018-04-23", "2018-04-24")

    assert ["56/2018"] == [act["id"] for act in data["acts"]]
    assert {"bets.lucky_six", "odds.lucky_six"} == keys(data["added"])
    assert {"56/2018"} == {item["act"] for item in data["added"]}
    assert [] == data["removed"]
    bets = next(item for item in data["changed"] if item["key"] == "bets")
    before, after = bets["parameters_changed"]["gazetted"]
    assert ["lucky_six"] == [bet for bet in after if bet not in before]


def test_73_2005_adds_the_form_without_commission(rulebook: Rulebook) -> None:
    """From 2005-11-28 to 11-29 the form without commission comes in and art. 18 joins the list of art. 19."""
    data = diff(rulebook, "2005-11-28", "2005-11-29")

    assert {"commission.none"} == keys(data["added"])
    assert {"commission.standard", "authorisation"} == keys(data["changed"])
    lists = next(item for item in data["changed"] if item["key"] == "authorisation")
    assert [[2, 3, 7, 12], [2, 3, 7, 12, 18]] == lists["parameters_changed"]["articles"]


def test_83_2011_adds_the_third_burn_formula(rulebook: Rulebook) -> None:
    """Across the window of 2011 only art. 2(1) changes, and its burn has a third formula."""
    data = diff(rulebook, "2011-09-26", "2011-10-04")

    assert ["83/2011"] == [act["id"] for act in data["acts"]]
    assert {"opening.burn", "opening.cut_card"} == keys(data["changed"])
    burn = next(item for item in data["changed"] if item["key"] == "opening.burn")
    assert [None, 8] == burn["parameters_changed"]["fixed_max"]


def test_nothing_changes_within_a_version(rulebook: Rulebook) -> None:
    """Two days of one version have no difference and no act between them."""
    data = diff(rulebook, "2018-04-24", "2026-01-01")

    assert ([], [], [], []) == (data["acts"], data["added"], data["removed"], data["changed"])
    assert "No difference." in law_pages.render_diff(data, "en")


def test_a_difference_over_many_acts(rulebook: Rulebook) -> None:
    """From the first text to the last every amending act is named, in order."""
    data = diff(rulebook, "2004-05-18", "2018-04-24")

    acts = ["73/2005", "30/2007", "64/2007", "2/2009", "69/2009", "83/2011", "56/2018"]
    assert acts == [act["id"] for act in data["acts"]]


@pytest.mark.parametrize(("before", "after"), [("2018-04-24", "2018-04-23"), ("2004-05-17", "2018-04-24")])
def test_differences_that_cannot_be_told(rulebook: Rulebook, before: str, after: str) -> None:
    """Days in the wrong order and a day whose text is unread are refused."""
    with pytest.raises(UsageError):
        diff(rulebook, before, after)


@pytest.mark.parametrize("language", LANGUAGES)
def test_rendering_in_every_language(rulebook: Rulebook, language: str) -> None:
    """Each view renders in each language and mentions the version and the act."""
    listed = law_pages.render_list(law_data.rules_list(rulebook), language)
    shown = law_pages.render_show(law_data.rules_show(rulebook, Game("baccarat"), day("2011-09-28")), language)
    changed = law_pages.render_diff(diff(rulebook, "2018-04-23", "2018-04-24"), language)
    covered = law_pages.render_coverage(coverage_table(), language)

    assert "BAC-1996" in listed
    assert "MAK-2007-07-10" in listed
    assert "BAC-2011" in shown
    assert "83/2011" in shown
    assert "56/2018" in changed
    assert covered.count("\n") == len(coverage_table())


def test_the_window_is_said(rulebook: Rulebook) -> None:
    """On a day of the window the burn provision carries the warning, and on the day after it does not."""
    inside = law_pages.render_show(law_data.rules_show(rulebook, Game("baccarat"), day("2011-10-03")), "en")
    after = law_pages.render_show(law_data.rules_show(rulebook, Game("baccarat"), day("2011-10-04")), "en")

    assert "is not certain; what it changed" in inside
    assert "is not certain; what it changed" not in after


def test_plain_refuses_what_json_does_not_know() -> None:
    """A value that has no plain form is refused rather than printed as something else."""
    with pytest.raises(TypeError, match="set has no plain form"):
        law_data.plain({1, 2})


COMMANDS = ("list", "show baccarat", "coverage", "diff baccarat 2018-04-23 2018-04-24")


@pytest.mark.parametrize("command", COMMANDS)
def test_old_data_are_told(
    command: str, rulebook: Rulebook, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Beside its answer `rules` says so where the last comparison with the gazette is more than a year ago."""
    told = []
    for age in (365, 366):
        day = rulebook.verified_on + dt.timedelta(days=age)
        monkeypatch.setattr("audit.commands.law_commands._today", lambda day=day: day)
        assert 0 == call(["rules", *command.split()])
        told.append(capsys.readouterr().err)

    assert "" == told[0]
    assert f"last compared with the gazette on {rulebook.verified_on}" in told[1]
