"""What an investigation says, as data: every sentence in all languages, so that screen, JSON and PDF say the same."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from audit.base.columns import UNRECORDED
from audit.base.model import LANGUAGES, MACAU, Text
from audit.evidence.hand_evidence import of_round
from audit.games import game_of
from audit.investigate.scene import Scene
from audit.investigate.shoe_view import approvals_at, in_order, records_where, round_line, shoe_content, sums, verdict
from audit.investigate.wager_view import wagers_of
from audit.replay.codes import METHODS, OTHER_SCHEME, SCHEMES
from audit.replay.judging import BOTH_METHODS
from audit.rulebook.rules import GameRules, Provision

Json = dict[str, Any]

AROUND: Final = 3
"""Rounds shown before and after the one asked for."""


def words(text: Text) -> dict[str, str]:
    """A text as data."""
    return {language: text.in_language(language) for language in LANGUAGES}


def plain(value: object) -> object:
    """A cell as JSON and a reader take it: instants in Macau's time."""
    if isinstance(value, dt.datetime):
        return value.astimezone(MACAU).isoformat()
    return value


def round_content(scene: Scene, findings: pa.Table) -> Json:
    """Everything about one round (contract: README, `investigate`)."""
    i = scene.at
    if i is None:
        message = "the scene has no round of its own"
        raise ValueError(message)
    rounds, case = scene.rounds, scene.case
    subject = rounds.subject(i)
    ids = findings["round_id"]
    mine = records_where(findings, pc.fill_null(pc.equal(ids, subject["round_id"]), fill_value=False))
    wagers = wagers_of(scene, i)
    rules = case.found.rules_of(i)
    replay = of_round(case, i)
    articles = {step["article"] for step in replay["steps"]}
    articles |= {wager["article"] for wager in wagers if wager["article"]}
    articles |= {row["article"] for row in mine if row["article"]}
    return {
        "round": _recorded(scene, i),
        "other_rows": [
            {"file": file, "row": row} | {name: plain(value) for name, value in cells.items()}
            for file, row, cells in scene.conflicts
            if cells["round_id"] == subject["round_id"]
        ],
        "verdict": verdict(scene, i),
        "applied": _applied(scene, i),
        "replay": replay | {"departure": _departure(scene, i), "state": _state(scene, i)},
        "wagers": wagers,
        "money": sums(wagers),
        "findings": mine,
        "same_as_run": _same_findings(scene, i, mine),
        "related": _related(findings, subject),
        "law": _law(scene, rules, subject, articles),
        "approvals": approvals_at(scene, subject),
        "options": _options(scene, subject),
        "neighbours": _neighbours(scene, i, findings),
        "shoe": shoe_content(scene, findings, scene.asked) if subject["shoe_id"] is not None else None,
    }


def _recorded(scene: Scene, i: int) -> Json:
    """The row as the log has it, with its file and number; absent values are left out."""
    rounds = scene.rounds
    cells = scene.typed.slice(i, 1).to_pylist()[0]
    row = {name: plain(value) for name, value in cells.items() if value is not None}
    subject = rounds.subject(i)
    return row | {"casino": subject["casino"], "file": subject["source_file"], "row": subject["source_row"]}


def _state(scene: Scene, i: int) -> str:
    """What the replay could make of the round: complete, or the reason why not (a key of the catalogue's reasons)."""
    found = scene.case.found
    if found.rules_of(i) is None:
        return "before_coverage"
    if not found.has_cards[i]:
        return "cards_missing"
    if not found.complete[i]:
        return "card_count"
    return "draw_method_unknown" if found.undecided[i] else "complete"


def _departure(scene: Scene, i: int) -> Json | None:
    """The finding about drawing that the replay makes, by its code, side and article."""
    name = scene.rounds.subject(i)["round_id"]
    for row in scene.judged:
        if row["round_id"] == name and row["code"].startswith("DRW"):
            keys = ("code", "side", "instrument", "article", "expected", "observed")
            return {key: row[key] for key in keys} | {"text": _messages(row)}
    return None


def _messages(row: Mapping[str, Any]) -> dict[str, str]:
    return {language: row[f"message_{language}"] for language in LANGUAGES}


def _applied(scene: Scene, i: int) -> Json:
    """The scheme and the method by which the round is judged, and where they come from (judging rule 4)."""
    rounds, found = scene.rounds, scene.case.found
    scheme = int(found.scheme[i])
    word = rounds.names.scheme[int(rounds.scheme_word[i])]
    source = "recorded" if rounds.scheme[i] != UNRECORDED else _source(scene, i, "commission", SCHEMES[scheme].value)
    out: Json = {"commission": word if scheme == OTHER_SCHEME else SCHEMES[scheme].value, "commission_source": source}
    rules = found.rules_of(i)
    method = int(found.method[i])
    if rules is None or not game_of(rules.game).methods:
        return out
    if method == BOTH_METHODS:
        return out | {"draw_method": None, "draw_method_source": "unknown"}
    source = "recorded" if rounds.method[i] != UNRECORDED else "register"
    return out | {"draw_method": METHODS[method].value, "draw_method_source": source}


def _source(scene: Scene, i: int, option: str, value: str) -> str:
    subject, register = scene.rounds.subject(i), scene.case.register
    rules = scene.case.found.rules_of(i)
    if register is None or rules is None:
        return "default"
    known = register.authorised_values(subject["casino"], subject["table_id"], rules.game, option, subject["legal_day"])
    return "register" if known == {value} else "default"


def _same_findings(scene: Scene, i: int, mine: list[Json]) -> bool | None:
    """Whether the replay made here gives the findings that the run has; None where the run did not judge the round."""
    if not scene.case.scope[i]:
        return None
    name = scene.rounds.subject(i)["round_id"]
    families = ("DRW", "RES", "PAY")
    here = {row["finding_id"] for row in scene.judged if row["round_id"] == name and row["code"].startswith(families)}
    return here == {row["finding_id"] for row in mine if row["code"].startswith(families)}


def _related(findings: pa.Table, subject: Mapping[str, Any]) -> list[Json]:
    """Findings about the table, its shoe or its options that name no round: options by day, shoes by id."""
    mask = pc.and_(pc.is_null(findings["round_id"]), pc.equal(findings["table_id"], subject["table_id"]))
    rows = records_where(findings, pc.fill_null(mask, fill_value=False))
    return [
        row
        for row in rows
        if row["casino"] == subject["casino"]
        and row["shoe_id"] in {None, subject["shoe_id"]}
        and (row["code"] != "OPT-004" or row["legal_day"] == subject["legal_day"].isoformat())
    ]


def _law(scene: Scene, rules: GameRules | None, subject: Mapping[str, Any], articles: Iterable[str]) -> Json | None:
    """The version in force and the provisions that the round touches."""
    if rules is None:
        return None
    rulebook = scene.case.rulebook
    acts = [rulebook.instruments[name] for name in rules.acts if name in rulebook.instruments]
    provisions: dict[str, Provision] = {}
    for article in sorted(articles):
        provision = rules.cited(article)
        if provision is not None:
            provisions.setdefault(provision.key, provision)
    return {
        "game": rules.game,
        "version": rules.version,
        "instrument": rules.instrument,
        "from": rules.in_force_from.isoformat(),
        "acts": [{"act": act.identifier, "title": words(act.title), "gazette": act.gazette} for act in acts],
        "provisions": [
            {
                "article": provision.article,
                "reference": words(rulebook.reference(rules.game, subject["legal_day"], provision.article)),
                "title": words(provision.title),
                "summary": words(provision.summary),
                "mark": provision.mark,
            }
            for provision in provisions.values()
        ],
    }


def _options(scene: Scene, subject: Mapping[str, Any]) -> list[Json]:
    """The options that the run saw in use at the table on days around the round's."""
    day = subject["legal_day"].isoformat()
    return [
        row
        for row in scene.manifest.get("options", ())
        if (row["casino"], row["table_id"], row["game"]) == (subject["casino"], subject["table_id"], subject["game"])
        and row["first_day"] <= day <= row["last_day"]
    ]


def _neighbours(scene: Scene, i: int, findings: pa.Table) -> list[Json]:
    """The rounds before and after, in the shoe's order, or in the table's where there is no shoe."""
    rounds = scene.rounds
    places = scene.asked if rounds.shoe[i] != UNRECORDED else np.arange(len(rounds))
    order = in_order(scene, places)
    at = int(np.flatnonzero(order == i)[0])
    near = order[max(0, at - AROUND) : at + AROUND + 1]
    return [round_line(scene, int(j), findings) | {"this": int(j) == i} for j in near]
