"""The regulation as plain data for the commands and the report: which versions, which provisions, what changed.

Everything returned is made of dictionaries, lists, strings, whole numbers, booleans and None, so that it can be
written as JSON as it stands; days are ISO text, and texts are dictionaries of `zh`, `pt` and `en`.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Final, TypeAlias

from audit.base.errors import UsageError
from audit.base.known_games import GAMES
from audit.base.model import Game, Text
from audit.rulebook.gamefile import Version
from audit.rulebook.instruments import Instrument
from audit.rulebook.loader import Rulebook
from audit.rulebook.rules import GameRules, NotInForce, Provision

Json: TypeAlias = "bool | int | str | list[Json] | dict[str, Json] | None"

_UNCOVERED: Final = Text(
    "{day} 早於本系統所載的最早版本（{first}），當日的規章內容未能查閱，不作核實。",
    "{day} é anterior à primeira versão registada ({first}); o texto desse dia não foi lido e nada se verifica.",
    "{day} is before the first version on record ({first}); the text of that day is unread, so nothing is evaluated.",
)
_COMPARED: Final = tuple(field.name for field in fields(Provision) if field.name not in {"key", "terms", "verified_on"})


def rules_list(rulebook: Rulebook, day: dt.date | None = None) -> Json:
    """Every version of every game, or what is known of the one in force on `day`.

    A list of ``{game, version, in_force_from, window, certain, known, instrument, acts, note}``; the version is None,
    with a note that says so, for a game of which `day` lies before the first version.
    """
    if day is None:
        return [_version(rulebook, game, version) for game in GAMES for version in rulebook.versions(game)]
    result: list[Json] = []
    for game in GAMES:
        try:
            result.append(_version(rulebook, game, rulebook.games[game].versions.at(day)))
        except NotInForce:
            first = rulebook.versions(game)[0].span.first
            note = _text(_UNCOVERED.format(day=day.isoformat(), first=first.isoformat()))
            result.append({"game": game, "version": None, "known": False, "note": note})
    return result


def rules_show(rulebook: Rulebook, game: Game, day: dt.date) -> Json:
    """Every provision of `game` on `day`: ``{game, day, version, ..., provisions: [...]}``.

    `provisions` is empty where the text of the version is not known; `note` then says what is.

    Raises UsageError before the first version on record.
    """
    try:
        version = rulebook.games[game].versions.at(day)
    except NotInForce:
        first = rulebook.versions(game)[0].span.first
        message = f"no text of the {game} regulation is on record for {day}; the first version begins on {first}"
        raise UsageError(message) from None
    rules = rulebook.on(game, day) if version.known else None
    return {
        **_version(rulebook, game, version),
        "day": day.isoformat(),
        "verified_on": rulebook.games[game].verified_on.isoformat(),
        "provisions": [provision_data(rulebook, item, day) for item in rules.provisions.values()] if rules else [],
    }


def rules_diff(rulebook: Rulebook, game: Game, before: dt.date, after: dt.date) -> Json:
    """What the law of `after` says otherwise than that of `before`, and the acts that lie between.

    ``{game, from, to, acts, added, removed, changed}``; a changed provision names the fields that differ and, in
    `parameters`, each value before and after.

    Raises UsageError for a day of which the text is not known, and where `after` is the earlier day.
    """
    if after < before:
        message = f"the second day, {after}, is before the first, {before}"
        raise UsageError(message)
    old, new = _known(rulebook, game, before), _known(rulebook, game, after)
    between = [rules for rules in rulebook.rules(game) if old.in_force_from < rules.in_force_from <= new.in_force_from]
    changed = [
        _change(rulebook, old.provisions[key], provision)
        for key, provision in new.provisions.items()
        if key in old.provisions and old.provisions[key] != provision
    ]
    return {
        "game": game,
        "from": {"day": before.isoformat(), "version": old.version},
        "to": {"day": after.isoformat(), "version": new.version},
        "acts": [instrument_data(rulebook.instruments[act]) for rules in between for act in rules.acts],
        "added": [
            provision_data(rulebook, item, after) for key, item in new.provisions.items() if key not in old.provisions
        ],
        "removed": [
            provision_data(rulebook, item, before) for key, item in old.provisions.items() if key not in new.provisions
        ],
        "changed": list(changed),
    }


def provision_data(rulebook: Rulebook, provision: Provision, day: dt.date | None = None) -> dict[str, Json]:
    """One provision with the act that gave it its wording.

    `in_window` says that the wording may not have begun yet on `day`.
    """
    act = rulebook.instruments[provision.act]
    window = provision.window
    return {
        "key": provision.key,
        "rule_ids": list(provision.rule_ids),
        "instrument": provision.instrument,
        "act": provision.act,
        "act_published": act.published.isoformat() if act.published else None,
        "act_published_certain": act.published_certain,
        "bo": act.gazette,
        "article": provision.article,
        "article_zh": provision.article_zh,
        "article_pt": provision.article_pt,
        "in_force_from": provision.in_force_from.isoformat(),
        "window": [edge.isoformat() for edge in window] if window else None,
        "in_window": bool(day and window and window[0] <= day <= window[1]),
        "certain": provision.certain,
        "mark": provision.mark,
        "title": _text(provision.title),
        "summary": _text(provision.summary),
        "parameters": plain(provision.parameters),
        "interpretation": _text(provision.interpretation),
        "unknown": _text(provision.unknown),
        "verified_on": provision.verified_on.isoformat() if provision.verified_on else None,
    }


def instrument_data(act: Instrument) -> dict[str, Json]:
    """One act: its names, its days, and what it changed."""
    return {
        "id": act.identifier,
        "kind": _text(act.kind),
        "title": _text(act.title),
        "signed": act.signed.isoformat() if act.signed else None,
        "published": act.published.isoformat() if act.published else None,
        "published_certain": act.published_certain,
        "bo": act.gazette,
        "in_force_from": act.in_force_from.isoformat() if act.in_force_from else None,
        "in_force_certain": act.in_force_certain,
        "window": [edge.isoformat() for edge in act.window] if act.window else None,
        "articles": list(act.articles),
        "repeals": list(act.repeals),
        "mark": act.mark,
        "changed": _text(act.changed),
        "unread": _text(act.unread),
    }


def plain(value: object) -> Json:
    """A parameter's value as JSON knows it: mappings with text keys, lists, and scalars.

    Raises TypeError for anything else.
    """
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, dt.date):
        return value.isoformat()
    message = f"{type(value).__name__} has no plain form"
    raise TypeError(message)


def _version(rulebook: Rulebook, game: Game, version: Version) -> dict[str, Json]:
    span = version.span
    return {
        "game": game,
        "version": version.identifier,
        "in_force_from": span.first.isoformat(),
        "window": [edge.isoformat() for edge in span.window] if span.window else None,
        "certain": span.certain,
        "known": version.known,
        "instrument": version.instrument,
        "acts": [instrument_data(rulebook.instruments[act]) for act in version.acts],
        "note": _text(version.note),
    }


def _known(rulebook: Rulebook, game: Game, day: dt.date) -> GameRules:
    try:
        return rulebook.on(game, day)
    except NotInForce as error:
        raise UsageError(str(error)) from None


def _change(rulebook: Rulebook, old: Provision, new: Provision) -> Json:
    before, after = plain(old.parameters), plain(new.parameters)
    names = sorted({*old.parameters, *new.parameters})
    return {
        **provision_data(rulebook, new),
        "fields": [name for name in _COMPARED if getattr(old, name) != getattr(new, name)],
        "before": provision_data(rulebook, old),
        "parameters_changed": {
            name: [_get(before, name), _get(after, name)] for name in names if _get(before, name) != _get(after, name)
        },
    }


def _get(value: Json, name: str) -> Json:
    return value.get(name) if isinstance(value, dict) else None


def _text(text: Text | None) -> Json:
    return None if text is None else {language: str(words) for language, words in asdict(text).items()}
