"""The rulebook: every version of every game's regulation, loaded once and asked by day."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

from audit.base.model import Game, Text
from audit.rulebook.gamefile import GameFile, Version, load_game
from audit.rulebook.instruments import Instrument, load_instruments
from audit.rulebook.reference import article_text
from audit.rulebook.rules import GameRules, NotInForce, Provision
from audit.rulebook.timeline import Timeline

REGULATIONS: Final = Path(__file__).resolve().parent.parent / "regulations"
"""Where the package keeps its dated data."""


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
        """The rulebook of `directory`, by default the one that ships with the package; read once.

        Raises ConfigurationError naming the file and the path in it for anything malformed.
        """
        return _load((directory or REGULATIONS).resolve())

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

    def stale_on(self, day: dt.date) -> bool:
        """Say whether on `day` more than a year has passed since the data was last compared with its sources."""
        return (day - self.verified_on).days > 365

    def provision_of(self, game: Game, day: dt.date, article: str) -> Provision | None:
        """The provision that an article in compact form belongs to on `day`; None where it belongs to none.

        An article that is a provision's own comes first, then the steps of drawing, then the nearest wider article.

        Raises NotInForce where the text of the day is not known.
        """
        provisions = self.on(game, day).provisions.values()
        wider = [article[:end] for end in range(len(article), 0, -1) if not article[end : end + 1].isdigit()]
        for candidate in wider:
            for provision in provisions:
                if candidate in _articles(provision):
                    return provision
        return None

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


def _articles(provision: Provision) -> frozenset[str]:
    """Every compact article that a provision cites, those of its steps and methods included."""
    cited = provision.parameters.get("articles", ())
    steps = cited.values() if isinstance(cited, Mapping) else ()
    forms = [str(step).format(method=method) for step in steps for method in ("method_1", "method_2")]
    return frozenset([provision.article, *forms])


@cache
def _load(directory: Path) -> Rulebook:
    instruments = load_instruments(directory / "instruments.yaml")
    games = {game: load_game(directory / f"{game}.yaml", instruments) for game in Game}
    return Rulebook(
        digest=_digest(directory),
        verified_on=min(file.verified_on for file in games.values()),
        instruments=instruments,
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


def _digest(directory: Path) -> str:
    """SHA-256 over the data files in the order of their names; a file is its name, its length and its content."""
    result = hashlib.sha256()
    for path in sorted(directory.glob("*.yaml"), key=lambda path: path.name):
        content = path.read_bytes().replace(b"\r\n", b"\n")
        result.update(f"{path.name}\0{len(content)}\0".encode())
        result.update(content)
    return result.hexdigest()
