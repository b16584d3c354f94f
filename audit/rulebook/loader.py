"""The rulebook: every version of every game's regulation, loaded once and asked by day."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

from audit.base.known_games import REGULATIONS, known_games
from audit.base.model import Game, Text
from audit.rulebook.gamefile import GameFile, Version, load_game
from audit.rulebook.instruments import Instrument, load_instruments
from audit.rulebook.reference import article_text
from audit.rulebook.rules import GameRules, NotInForce, Provision
from audit.rulebook.terms import NoticeRules, OtherBets
from audit.rulebook.timeline import Timeline


@dataclass(frozen=True, slots=True, eq=False)
class Rulebook:
    """The regulations as data.

    `digest` is the SHA-256 of the data files' names and contents (line ends apart), `verified_on` the earliest day on
    which one of the games was last compared with its sources. Rules of one version are one object, however often they
    are asked for.
    """

    digest: str
    verified_on: dt.date
    instruments: Mapping[str, Instrument]
    games: Mapping[Game, GameFile]
    _rules: Mapping[Game, Timeline[GameRules | None]]

    @staticmethod
    def load(directory: Path | None = None) -> Rulebook:
        """The rulebook of `directory` (default: the one that ships with the package), games added included; read once.

        Raises ConfigurationError naming the file and the path in it for anything malformed.
        """
        folder = (directory or REGULATIONS).resolve()
        return _load(folder, tuple(game.regulation_in(folder) for game in known_games()))

    def on(self, game: Game, day: dt.date) -> GameRules:
        """The rules of `game` on the calendar day `day` of Macau.

        Raises NotInForce before the first version whose text is known.
        """
        first = self.first_day(game)
        rules = self._rules[game].at(day) if day >= first else None
        if rules is None:
            message = f"the text of the {game} regulation in force on {day} is not known; it is known from {first}"
            raise NotInForce(message)
        return rules

    def first_day(self, game: Game) -> dt.date:
        """The first day of the first version of `game` whose text is known."""
        return next(version.span.first for version in self.versions(game) if version.known)

    def versions(self, game: Game) -> tuple[Version, ...]:
        """Every version of `game` in order, those whose text is mostly unknown included."""
        return self.games[game].versions.entries

    def rules(self, game: Game) -> tuple[GameRules, ...]:
        """The rules of every known version of `game`, in order."""
        return tuple(rules for rules in self._rules[game].entries if rules is not None)

    def first_wording(self, game: Game, key: str) -> Provision | None:
        """The first wording that a provision of `game` ever had; None where it never had one."""
        return next((rules.provision(key) for rules in self.rules(game) if rules.has(key)), None)

    def house_bets(self, game: Game) -> bool:
        """Say whether any version of `game` lets the director authorise bets that a house proposes."""
        clauses = [rules.known_terms(OtherBets) for rules in self.rules(game)]
        return any(clause is not None and clause.director_may_authorise for clause in clauses)

    def authorisation(self, game: Game, day: dt.date | None) -> Provision:
        """The duty to apply beforehand, as worded on `day`; without a day, or a known text of it, as worded last."""
        versions = self.rules(game)
        on = self._rules[game].at(day) if day is not None and day >= self.first_day(game) else None
        return (on or versions[-1]).provision("authorisation")

    def longest_notice(self, day: dt.date) -> int:
        """The most working days of notice that the regulation of any game asks for before an adoption on `day`."""
        return max(self.authorisation(game, day).stating(NoticeRules).notice_working_days for game in self.games)

    def stale_on(self, day: dt.date) -> bool:
        """Say whether on `day` more than a year has passed since the data was last compared with its sources."""
        return (day - self.verified_on).days > 365

    def reference(self, game: Game, day: dt.date, article: str) -> Text:
        """An article in compact form, written out in each language.

        Raises NotInForce where the text of the day is not known, ValueError for what is not a compact form.
        """
        written = article_text(article, self.games[game].item_articles)
        for provision in self.on(game, day).provisions.values():
            if provision.article == article:
                return Text(provision.article_zh, provision.article_pt, written.en)
        return written

    def in_window(self, game: Game, key: str, day: dt.date) -> bool:
        """Say whether the wording of a provision may or may not have begun on `day`."""
        return self.on(game, day).in_window(key, day)


@cache
def _load(directory: Path, files: tuple[Path, ...]) -> Rulebook:
    instruments = dict(load_instruments(directory / "instruments.yaml"))
    games: dict[Game, GameFile] = {}
    for path in files:
        read = load_game(path, instruments)
        games[read.game] = read
        instruments |= read.acts
    return Rulebook(
        digest=_digest([*directory.glob("*.yaml"), *(path for path in files if path.parent != directory)]),
        verified_on=min(file.verified_on for file in games.values()),
        instruments=MappingProxyType(instruments),
        games=MappingProxyType(games),
        _rules=MappingProxyType({game: _rules(file) for game, file in games.items()}),
    )


def _rules(file: GameFile) -> Timeline[GameRules | None]:
    return Timeline(file.versions.days, tuple(_rules_of(file, version) for version in file.versions.entries))


def _rules_of(file: GameFile, version: Version) -> GameRules | None:
    if not version.known:
        return None
    provisions: dict[str, Provision] = {}
    for key, wordings in file.provisions.items():
        if version.span.first < wordings.days[0]:
            continue
        wording = wordings.at(version.span.first)
        if wording is not None:
            provisions[key] = wording
    return GameRules(
        game=file.game,
        version=version.identifier,
        in_force_from=version.span.first,
        instrument=version.instrument,
        provisions=MappingProxyType(provisions),
        acts=version.acts,
        certain=version.span.certain,
        window=version.span.window,
    )


def _digest(files: Iterable[Path]) -> str:
    """SHA-256 over the data files in the order of their names; a file is its name, its length and its content."""
    result = hashlib.sha256()
    for path in sorted(files, key=lambda path: path.name):
        content = path.read_bytes().replace(b"\r\n", b"\n")
        result.update(f"{path.name}\0{len(content)}\0".encode())
        result.update(content)
    return result.hexdigest()
