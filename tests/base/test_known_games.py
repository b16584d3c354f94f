"""The games that ship: known from one place, with words, law and procedure of each, and named nowhere else."""

from __future__ import annotations

import ast
import pickle
import re
from pathlib import Path

import pytest

import audit
from audit.base import known_games
from audit.base.errors import ConfigurationError
from audit.base.known_games import GAMES, REGULATIONS, known_game
from audit.catalogue.catalogue import load
from audit.games import game_of
from audit.rulebook import Rulebook

PACKAGE = Path(audit.__file__).resolve().parent

AT_HOME = ("games", "demo")
"""Rooms that may name a game: each game's own modules and the registry, and the made-up day."""


def named_in(path: Path) -> list[str]:
    """The places of a module at which the code of a game stands as a word of its own."""
    return [
        f"{path.relative_to(PACKAGE)}:{node.lineno}"
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and node.value in GAMES
    ]


def test_no_other_code_asks_which_game_it_is() -> None:
    """Outside the games themselves and the demonstration, no module has the code of a game in it, so none compares one.

    What differs from game to game is a field of the specification or stands in the law.
    """
    elsewhere = [path for path in PACKAGE.rglob("*.py") if path.relative_to(PACKAGE).parts[0] not in AT_HOME]

    assert [] == [place for path in sorted(elsewhere) for place in named_in(path)]
    assert named_in(PACKAGE / "demo" / "day.py")


def test_within_the_games_each_is_named_at_home() -> None:
    """Even in `games/`, a code stands in the game's own module alone."""
    found = {path.stem for path in (PACKAGE / "games").glob("*.py") if named_in(path)}

    assert set(GAMES) == found


def test_every_regulation_has_its_game() -> None:
    """The files that describe a game, the games known, the specifications and the rulebook are the same games."""
    described = [path.stem for path in REGULATIONS.glob("*.yaml") if re.search("(?m)^game: ", path.read_text("utf-8"))]

    assert sorted(described) == sorted(GAMES) == sorted(Rulebook.load().games)
    assert [str(code) for code in GAMES] == [game_of(code).code for code in GAMES]


@pytest.mark.parametrize("code", GAMES)
def test_names_and_prefix(code: str) -> None:
    """The catalogue, which reports carry along, says the names too; the rules of the law begin with the prefix."""
    known, rulebook = known_game(code), Rulebook.load()
    rules = [
        rule for version in rulebook.rules(known.code) for each in version.provisions.values() for rule in each.rule_ids
    ]

    assert known.names == load().own_words[code]
    assert {known.item_prefix} == {rule.partition("-")[0] for rule in rules}


def test_codes_in_another_process() -> None:
    """The list of games is the other process's own."""
    assert GAMES is pickle.loads(pickle.dumps(GAMES))  # noqa: S301 - our own bytes


def test_a_malformed_prefix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A prefix that no rule's id could begin with is an error of the file."""
    content = Path(known_games.__file__).with_suffix(".yaml").read_text("utf-8")
    (tmp_path / "known_games.yaml").write_text(content.replace("item_prefix: MAK", "item_prefix: Mak"), "utf-8")
    monkeypatch.setattr(known_games, "__file__", str(tmp_path / "known_games.py"))

    with pytest.raises(ConfigurationError, match=r"known_games.yaml: games.makccarat.item_prefix: three capital"):
        known_games._shipped.__wrapped__()
