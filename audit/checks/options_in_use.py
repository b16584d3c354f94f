"""OPT-001 to OPT-003: options in use against the register (contract, judging rules 9 and 11)."""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter, defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from audit.base.columns import UNRECORDED
from audit.base.days import day
from audit.base.known_games import GAMES
from audit.base.model import Dealing, Status
from audit.checks.case import Case
from audit.findings.table import Row
from audit.games import game_of
from audit.register.register import Cover
from audit.replay.codes import DEALINGS, METHODS, SCHEMES, STATUSES
from audit.replay.judging import with_methods
from audit.rulebook.rules import GameRules
from audit.rulebook.terms import Bets, NoticeRules, OtherBets, TieRules

Places = npt.NDArray[np.int64]

THE_RULE_ITSELF: Final = frozenset({("commission", "standard"), ("burn", "decks"), ("last_round", "at_cut_card")})
"""Choices that the articles state as the rule; they need no authorisation (judging rule 11)."""

PROVISION_OF: Final = {
    "burn": "opening.burn",
    "demonstration": "opening.demonstration",
    "dealing": "opening.auto_shuffler",
    "last_round": "last_round",
    "draw_method": "draw",
    "tie": "tie_option",
    "commission": "commission.none",
    "bet": "bets.other",
}
"""The provision whose citation a finding about an option carries."""

_CODES: Final = {Cover.NEVER: "OPT-001", Cover.EARLY: "OPT-002", Cover.EXPIRED: "OPT-003"}
_STATES: Final = {
    Cover.COVERED: "authorised",
    Cover.NEVER: "unauthorised",
    Cover.EARLY: "early",
    Cover.EXPIRED: "expired",
}


@dataclass
class Uses:
    """Where each option value was seen in use: positions of rounds by (option, value)."""

    seen: dict[tuple[str, str], list[Places]]

    def __init__(self) -> None:
        self.seen = defaultdict(list)

    def add(self, option: str, value: str, places: Places) -> None:
        """Note that the rounds at `places` used the option; a round may be noted more than once."""
        if len(places):
            self.seen[option, value].append(np.unique(places))

    def take(self) -> list[tuple[str, str, Places]]:
        """Every option value with its rounds, each once, in the order of the values."""
        return [(o, v, np.unique(np.concatenate(parts))) for (o, v), parts in sorted(self.seen.items())]


def uses_of_rounds(case: Case, uses: Uses) -> None:
    """Note the options that rounds themselves show, whatever their status (judging rule 11)."""
    rounds = case.rounds
    open_rounds = case.scope & case.covered
    choice = with_methods(rounds)
    demonstration = rounds.status == STATUSES.index(Status.DEMONSTRATION)
    uses.add("demonstration", "allowed", np.flatnonzero(open_rounds & demonstration))
    for code, dealing in enumerate(DEALINGS):
        if dealing is Dealing.AUTO_SHUFFLER:
            uses.add("dealing", dealing.value, np.flatnonzero(open_rounds & (rounds.dealing == code)))
    for code, method in enumerate(METHODS):
        uses.add("draw_method", method.value, np.flatnonzero(open_rounds & choice & (rounds.method == code)))
    for code, scheme in enumerate(SCHEMES):
        if ("commission", scheme.value) not in THE_RULE_ITSELF:
            uses.add("commission", scheme.value, np.flatnonzero(open_rounds & (rounds.scheme == code)))


def check_uses(case: Case, uses: Uses) -> list[dict[str, Any]]:
    """Judge every use against the register; answer the rows of the manifest's table of options."""
    table: list[dict[str, Any]] = []
    rounds = case.rounds
    for option, value, places in uses.take():
        for here in split(places, rounds.table[places], rounds.game[places]):
            table += _table_use(case, option, value, here)
    return table


Recorded = dict[str, set[str]]
"""Options that the rounds of a game record, by game; under `ANY_GAME` those that only wagers show."""

ANY_GAME: Final = ""


def recorded_options(case: Case, uses: Uses) -> Recorded:
    """The options whose value at least one round in scope records, by game, with an entry for every game audited."""
    rounds, found = case.rounds, Recorded()
    columns = {"dealing": rounds.dealing, "commission": rounds.scheme, "draw_method": rounds.method}
    for code, game in enumerate(GAMES):
        mine = case.scope & case.covered & (rounds.game == code)
        if mine.any():
            found[game] = {name for name, column in columns.items() if (column[mine] != UNRECORDED).any()}
    if any(option == "tie" for option, _ in uses.seen):
        found[ANY_GAME] = {"tie"}
    return found


def options_not_shown(recorded: Recorded, events: Collection[str], tally: Counter[tuple[str, str]]) -> list[Row]:
    """Count, by name, the options whose use the input cannot show (judging rule 11); rows for the table of options.

    `recorded` is what :func:`recorded_options` says of all rounds, `events` are the kinds of event in the input.
    """
    rows = []
    for game in GAMES:
        if game not in recorded:
            continue
        shown = recorded[game] | recorded.get(ANY_GAME, set())
        shown |= {name for name, kind in (("burn", "burn"), ("last_round", "cut_card_out")) if kind in events}
        silent = {"dealing", "commission", "draw_method", "burn", "last_round", "tie"} - shown
        if not game_of(game).methods:
            silent.discard("draw_method")
        for option in sorted(silent):
            tally["OPT-001", "option_not_shown"] += 1
            row: Row = dict.fromkeys(("casino", "value", "first_day", "last_day", "approval_id"))
            state = {"table_id": "*", "game": game, "option": option, "rounds": 0, "state": "not_evaluated"}
            rows.append(row | state)
    return rows


def split(places: Places, *keys: npt.NDArray[Any]) -> list[Places]:
    """Rounds grouped by equal keys, the groups in the order of the keys."""
    order = np.lexsort(keys[::-1])
    changes = np.zeros(len(order), np.bool_)
    for key in keys:
        changes[1:] |= key[order][1:] != key[order][:-1]
    return np.split(places[order], np.flatnonzero(changes))


def _table_use(case: Case, option: str, value: str, places: Places) -> list[dict[str, Any]]:
    """Judge one option value at one table, day by day; one finding per entry of the register."""
    groups: dict[tuple[str, str | None], list[Places]] = defaultdict(list)
    closed: dict[tuple[str, str | None], bool] = {}
    for todays in split(places, case.rounds.legal_day[places]):
        state, approval, shut = _state(case, option, value, int(todays[0]))
        groups[state, approval].append(todays)
        closed[state, approval] = closed.get((state, approval), True) and shut
    rows = []
    for (state, approval), parts in groups.items():
        where = np.concatenate(parts)
        if state == "not_evaluated":
            case.tally.add("OPT-001", approval or "no_register", len(where))
        elif state in {"unauthorised", "early", "expired"}:
            code = {_STATES[c]: found for c, found in _CODES.items()}[state]
            _accuse(case, code, option, value, where, approval, closed=closed[state, approval])
        rows.append(_row(case, option, value, where, state, None if state == "not_evaluated" else approval))
    return rows


def _state(case: Case, option: str, value: str, i: int) -> tuple[str, str | None, bool]:
    """The state of one use on one day: its word, the register's entry (or the reason), whether none could allow it."""
    rounds, rules = case.rounds, case.found.rules_of(i)
    if rules is None:
        return "not_evaluated", "before_coverage", False
    if (option, value) in THE_RULE_ITSELF:
        return "rule", None, False
    today = day(int(rounds.legal_day[i]))
    answer = _by_law(rules, option, value, today)
    if answer is not None:
        return answer
    if case.register is None:
        return "not_evaluated", "no_register", False
    casino, table = rounds.names.place(int(rounds.table[i]))
    cover, approval = case.register.judge_use(casino, table, rules.game, option, value, today)
    return _STATES[cover], approval.approval_id if approval else None, False


def _by_law(rules: GameRules, option: str, value: str, today: dt.date) -> tuple[str, str | None, bool] | None:
    """The state of a use that the law itself answers, whatever the register says; None where that decides."""
    if option == "bet":
        if value in rules.terms(Bets).unread:
            return "not_evaluated", "unread_2_2009", False
        clause = rules.known_terms(OtherBets)
        if clause is None:
            return "not_evaluated", "commencement_uncertain", False
        return None if clause.director_may_authorise else ("unauthorised", None, True)
    unknown_scheme = option == "commission" and not rules.has("commission.none")
    if unknown_scheme or (option == "tie" and value not in rules.terms(TieRules).values):
        return "unauthorised", None, True
    if not _needs_authorisation(rules, option):
        return "rule", None, False
    if option == "burn" and value.startswith("fixed") and rules.in_window("opening.burn", today):
        return "not_evaluated", "commencement_uncertain", False
    return None


def _needs_authorisation(rules: GameRules, option: str) -> bool:
    """Say whether the article of the option is among those whose options need prior authorisation."""
    article = re.match(r"[0-9]+", rules.cite(PROVISION_OF[option]).article)
    return article is None or int(article[0]) in rules.terms(NoticeRules).articles


def _ordered(case: Case, places: Places) -> Places:
    """Rounds in their order at the table: by time, number, id (judging rule 13)."""
    rounds = case.rounds
    ids = [rounds.ids[int(i)].as_py() for i in places] if len(places) < _FEW else places
    return places[np.lexsort((ids, rounds.round_no[places], rounds.start[places]))]


_FEW: Final = 10_000
"""Up to so many rounds the id breaks a tie of time and number; beyond, the order read does."""


def _accuse(
    case: Case, code: str, option: str, value: str, places: Places, approval: str | None, *, closed: bool
) -> None:
    order = _ordered(case, places)
    first, last = int(order[0]), int(order[-1])
    subject = case.rounds.subject(first)
    rules = case.found.rules_of(first)
    key = PROVISION_OF[option]
    if rules is not None and not rules.has(key):
        key = "commission.standard" if option == "commission" else "bets"
    case.sink.add(
        code,
        subject
        | case.cite(first, key)
        | {
            "shoe_id": None,
            "round_id": None,
            "approval_id": approval,
            "option": option,
            "value": value,
            "expected": "not_permitted" if closed else "authorised",
            "observed": {"OPT-001": "unauthorised", "OPT-002": "early", "OPT-003": "expired"}[code],
            "rounds_affected": len(places),
            "first_round_id": subject["round_id"],
            "last_round_id": case.rounds.ids[last].as_py(),
        },
    )


def _row(case: Case, option: str, value: str, places: Places, state: str, approval: str | None) -> dict[str, Any]:
    rounds = case.rounds
    casino, table = rounds.names.place(int(rounds.table[places[0]]))
    days = rounds.legal_day[places]
    return {
        "casino": casino,
        "table_id": table,
        "game": GAMES[rounds.game[places[0]]],
        "option": option,
        "value": value,
        "first_day": day(int(days.min())).isoformat(),
        "last_day": day(int(days.max())).isoformat(),
        "rounds": len(places),
        "state": state,
        "approval_id": approval,
    }
