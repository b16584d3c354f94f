"""The wagers of one round: what each is due and why, against what was paid."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import numpy as np

from audit.base.model import LANGUAGES, MONEY_SCALE, money_text
from audit.catalogue.catalogue import load as load_catalogue
from audit.checks.wager_columns import WagerBatch
from audit.checks.wager_faults import faults
from audit.explanation.explain import explain_wager
from audit.games.due import Due, WagerEnd
from audit.games.settlement import amounts
from audit.investigate.scene import Scene
from audit.replay.codes import OTHER_SCHEME, SCHEMES
from audit.replay.dues import DEMONSTRATION, FATES, SETTLE, VOID, facts_of
from audit.replay.judging import BOTH_METHODS

Json = dict[str, Any]


def wagers_of(scene: Scene, i: int) -> list[Json]:
    """The wagers of round `i`, in the order of the log."""
    by_wager: dict[str, list[Mapping[str, Any]]] = {}
    for row in scene.judged:
        if row["wager_id"] is not None:
            by_wager.setdefault(row["wager_id"], []).append(row)
    return [
        _wager(scene, i, batch, int(place), by_wager.get(batch.wager_id(int(place)), []))
        for batch in scene.wagers
        for place in np.flatnonzero(batch.at == i)
    ]


def _wager(scene: Scene, i: int, batch: WagerBatch, place: int, found: list[Mapping[str, Any]]) -> Json:
    paid = batch.paid(place)
    subject = batch.subject(place)
    placed = batch.placed_at(place)
    line: Json = {
        "wager_id": subject["wager_id"],
        "bet": paid.bet,
        "stake": money_text(paid.stake),
        "currency": subject["currency"],
        "payout": money_text(paid.payout),
        "commission": _sum(paid.commission),
        "stake_returned": _sum(paid.returned),
        "tie_choice": paid.tie_choice,
        "placed_at": None if placed is None else placed.isoformat(),
        "file": subject["source_file"],
        "row": subject["source_row"],
        "faults": [
            {key: row[key] for key in ("finding_id", "code", "expected", "observed", "amount", "instrument", "article")}
            | {"text": {language: row[f"message_{language}"] for language in LANGUAGES}}
            for row in found
        ],
        "difference": _difference(found),
        "explained_by": None,
        "reason": None,
    }
    return line | _due(scene, i, batch, place, line)


def _sum(amount: int | None) -> str | None:
    return None if amount is None else money_text(amount)


def _difference(found: list[Mapping[str, Any]]) -> str | None:
    known = [Decimal(row["amount"]) for row in found if row["amount"] is not None]
    return money_text(int(sum(known, Decimal(0)).scaleb(MONEY_SCALE))) if known else None


def _due(scene: Scene, i: int, batch: WagerBatch, place: int, line: Json) -> Json:
    """What the wager is due, and how the answer stands: right, fault, explained or not_evaluated."""
    fate = int(scene.payouts.fate[i])
    if fate in {VOID, DEMONSTRATION}:
        return _unplayed(scene, i, line, demonstration=fate == DEMONSTRATION)
    if fate != SETTLE:
        return _open(line, FATES[fate])
    found, dues = scene.case.found, scene.dues
    method, scheme = int(found.method[i]), int(found.scheme[i])
    facts = facts_of(int(scene.payouts.facts[i]))
    what = dues.due((int(found.rules[i]), method, scheme), line["bet"], facts)
    cite = {"instrument": what.citation.instrument, "article": what.citation.article, "kind": what.kind.value}
    if what.kind is WagerEnd.UNKNOWN:
        return _open(line, str(what.reason)) | cite
    owed = amounts(what, batch.paid(place).stake, dues.unit)
    answer: Json = cite | {
        "due": {
            "payout": money_text(owed.payout),
            "commission": [money_text(c) for c in sorted(owed.commission)],
            "stake_returned": money_text(owed.returned),
        },
        "text": _text(scene, i, line, batch.paid(place).stake),
    }
    if method == BOTH_METHODS and dues.due((int(found.rules[i]), 1, scheme), line["bet"], facts) != what:
        state = "fault" if line["faults"] else "not_evaluated"
        return answer | {"due": None, "answer": state, "reason": "draw_method_unknown"}
    return answer | _answer(scene, i, batch, place, line, what)


def _answer(scene: Scene, i: int, batch: WagerBatch, place: int, line: Json, what: Due) -> Json:
    paid = batch.paid(place)
    if not scene.case.scope[i]:
        return {"answer": "not_evaluated", "reason": None}
    if line["faults"]:
        return {"answer": "fault"}
    if what.unread_push and paid.payout == 0:
        return {"answer": "not_evaluated", "reason": "unread_2_2009"}
    if not faults(paid, what, scene.dues.unit):
        return {"answer": "right"}
    if scene.payouts.unread_by_other(batch, place):
        return {"answer": "not_evaluated", "reason": "unread_2_2009"}
    day = scene.rounds.subject(i)["legal_day"].isoformat()
    if any(row["code"] == "OPT-004" and row["legal_day"] == day for row in scene.judged):
        return {"answer": "explained", "explained_by": "OPT-004"}
    return {"answer": "not_evaluated", "reason": "prize_authorised"}


def _unplayed(scene: Scene, i: int, line: Json, *, demonstration: bool) -> Json:
    """A wager on a round that was not played: all of it comes back (judging rule 7)."""
    rules = scene.case.found.rules_of(i)
    key = "opening.demonstration" if demonstration else "misdeal"
    citation = rules.cite(key) if rules is not None else None
    return {
        "instrument": citation.instrument if citation else None,
        "article": citation.article if citation else None,
        "kind": "demonstration" if demonstration else "void",
        "due": {"payout": "0.00", "commission": ["0.00"], "stake_returned": line["stake"]},
        "text": None,
        "answer": "fault" if line["faults"] else "right",
    }


def _open(line: Json, reason: str) -> Json:
    """A wager that could not be judged."""
    text = load_catalogue().reasons[reason]
    return {
        "instrument": None,
        "article": None,
        "kind": "unknown",
        "due": None,
        "text": {language: text.in_language(language) for language in LANGUAGES},
        "answer": "fault" if line["faults"] else "not_evaluated",
        "reason": reason,
    }


def _text(scene: Scene, i: int, line: Json, stake: int) -> dict[str, str] | None:
    """The sentence that explains the due, in every language."""
    found, case = scene.case.found, scene.case
    rules, scheme = found.rules_of(i), int(found.scheme[i])
    if rules is None or scheme == OTHER_SCHEME:
        return None
    facts = facts_of(int(scene.payouts.facts[i]))
    return {
        language: explain_wager(
            case.rulebook,
            rules,
            facts,
            line["bet"],
            stake,
            scheme=SCHEMES[scheme],
            method=found.methods(i)[0],
            unit=scene.dues.unit,
            paytables=scene.dues.paytables,
            language=language,
        )["text"]
        for language in LANGUAGES
    }
