"""What the regulation requires of one hand, step by step, with the article behind each step."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from audit.base import strict
from audit.base.errors import UsageError
from audit.base.model import LANGUAGES, Card, DrawMethod, Game, Scheme, Side, Text, money_text, parse_hand, total
from audit.games import Departure, Points, Step, departure_of, game_of, walk
from audit.games.hand_facts import HandFacts
from audit.games.paytable import Paytable, judged_paytables
from audit.games.settlement import amounts, due
from audit.rulebook import Rulebook
from audit.rulebook.rules import GameRules, NotInForce
from audit.rulebook.terms import TWO_CARDS, DrawRules, NoCommission


@cache
def _sentences() -> Mapping[str, Any]:
    content, place = strict.load(Path(__file__).with_name("explain.yaml"))
    keys = ("sides", "acts", "done", "frame", "steps", "none", "by_article", "dues", "labels")
    parts = strict.mapping(content, place, required=keys)
    out: dict[str, Any] = {"frame": strict.text(parts["frame"], place / "frame")}
    out |= {name: strict.text(parts[name], place / name) for name in ("none", "by_article")}
    for name in ("sides", "acts", "done", "steps", "dues", "labels"):
        section = parts[name]
        if not isinstance(section, dict):
            (place / name).fail("keys and texts are expected")
        out[name] = {str(key): strict.text(value, place / name / key) for key, value in section.items()}
    return out


def step_text(step: Step, game: Game) -> Text:
    """One step of a walk in words; a rule that nobody has words for is told by its article."""
    words = _sentences()
    parts = {}
    why = {**words["steps"], **game_of(game).steps}
    reason = why.get(step.sentence or step.rule, words["by_article"])
    for language in LANGUAGES:
        faces = words["none"].in_language(language) if step.faces is None else str(step.faces)
        side = words["sides"][step.side.value].in_language(language)
        parts[language] = (
            words["frame"]
            .in_language(language)
            .format(
                side=side[:1].upper() + side[1:],
                holds=step.holds,
                why=reason.in_language(language).format(faces=faces, article=step.article),
                act=words["acts"][step.required.value].in_language(language),
                done=words["done"][step.done.value].in_language(language),
            )
        )
    return Text(**parts)


def label(name: str, language: str, **values: object) -> str:
    """A heading of an explanation."""
    text: str = _sentences()["labels"][name].in_language(language)
    return text.format(**values)


def steps_of(steps: Sequence[Step], game: Game) -> list[dict[str, Any]]:
    """The steps of a hand of `game` as data, each with its text in every language."""
    return [
        {
            "side": step.side.value,
            "required": step.required.value,
            "done": step.done.value,
            "article": step.article,
            "rule": step.rule,
            "text": _plain(step_text(step, game)),
        }
        for step in steps
    ]


def _plain(text: Text) -> dict[str, str]:
    return {language: text.in_language(language) for language in LANGUAGES}


def points_of(player: tuple[Card, ...], banker: tuple[Card, ...]) -> Points | None:
    """The points of two hands of two or three cards; None for any other number of cards."""
    if not (2 <= len(player) <= 3 and 2 <= len(banker) <= 3):
        return None
    third = [hand[2].points if len(hand) == 3 else None for hand in (player, banker)]
    return Points(total(player[:2]), total(banker[:2]), third[0], third[1])


def rules_on(rulebook: Rulebook, game: Game, day: dt.date) -> GameRules:
    """The rules of a day; UsageError, in one sentence, before the first that is known."""
    try:
        return rulebook.on(game, day)
    except NotInForce as error:
        raise UsageError(f"not evaluated: {error}") from None


def read_hand(side: str, text: str) -> tuple[Card, ...]:
    """The cards of one side from the command line; UsageError naming what is not a card."""
    try:
        return parse_hand(text)
    except ValueError as error:
        raise UsageError(f"--{side}: {error}; write rank and suit, as in 9H KD 10S") from None


def explain(
    rules: GameRules,
    day: dt.date,
    player: tuple[Card, ...],
    banker: tuple[Card, ...],
    method: DrawMethod | None = None,
    language: str = "en",
) -> dict[str, Any]:
    """What `rules` require of a hand (contract: README, `explain`); `text` of each step is in `language`.

    Raises UsageError for a game that leaves a choice of drawing, without its method.
    """
    game = game_of(rules.game)
    if game.methods and method is None:
        raise UsageError(f"a {game.names.en} hand needs --draw-method {' or '.join(game.methods)}")
    points = points_of(player, banker)
    answer: dict[str, Any] = {
        "game": rules.game,
        "day": day.isoformat(),
        "version": rules.version,
        "instrument": rules.instrument,
        "draw_method": method.value if method and game.methods else None,
        "player_cards": " ".join(map(str, player)),
        "banker_cards": " ".join(map(str, banker)),
        "player_points": total(player),
        "banker_points": total(banker),
        "outcome": points.outcome.value if points else None,
        "departure": None,
        "steps": [],
    }
    most = rules.terms(DrawRules).most_cards
    wrong = [side for side, hand in zip(Side, (player, banker), strict=True) if not TWO_CARDS <= len(hand) <= most]
    if points is None or wrong:
        cite = rules.cite(DrawRules.key)
        answer["departure"] = {"code": "DRW-004", "side": wrong[0].value, "article": cite.article}
        return answer
    steps = walk(points, rules, method)
    found: Departure | None = departure_of(steps)
    if found:
        answer["departure"] = {"code": found.code, "side": found.side.value, "article": found.article}
    answer["steps"] = [step | {"text": step["text"][language]} for step in steps_of(steps, rules.game)]
    return answer


def facts_of(player: tuple[Card, ...], banker: tuple[Card, ...]) -> HandFacts:
    """What settlement looks at in two hands of two or three cards."""

    def pair(hand: tuple[Card, ...]) -> tuple[bool, bool | None]:
        if hand[0].rank != hand[1].rank:
            return False, False
        suits = (hand[0].suit, hand[1].suit)
        return True, None if None in suits else suits[0] == suits[1]

    (player_pair, player_perfect), (banker_pair, banker_perfect) = pair(player), pair(banker)
    return HandFacts(
        total(player),
        total(banker),
        len(player),
        len(banker),
        player_pair,
        banker_pair,
        player_perfect,
        banker_perfect,
    )


def explain_wager(
    rulebook: Rulebook,
    rules: GameRules,
    facts: HandFacts,
    bet: str,
    stake: int,
    *,
    scheme: Scheme,
    method: DrawMethod | None,
    unit: int,
    paytables: Mapping[str, Paytable] | None = None,
    language: str = "en",
) -> dict[str, Any]:
    """What one wager is due and why, in `language`; `stake` and `unit` in ten-thousandths."""
    without = rulebook.first_wording(rules.game, NoCommission.key)
    judged = judged_paytables(rules, paytables or {})
    what = due(bet, facts, rules, scheme=scheme, method=method, without_commission=without, paytables=judged)
    words = _sentences()["dues"][what.kind.value].in_language(language)
    answer: dict[str, Any] = {
        "bet": bet,
        "stake": money_text(stake),
        "scheme": scheme.value,
        "kind": what.kind.value,
        "instrument": what.citation.instrument,
        "article": what.citation.article,
        "payout": None,
        "commission": None,
        "stake_returned": None,
    }
    if what.reason is not None:
        from audit.catalogue.catalogue import load

        reason = load().reasons[what.reason].in_language(language)
        return answer | {"reason": what.reason, "text": words.format(reason=reason)}
    owed = amounts(what, stake, unit)
    commission = " / ".join(money_text(c) for c in sorted(owed.commission))
    answer |= {
        "payout": money_text(owed.payout),
        "commission": commission,
        "stake_returned": money_text(owed.returned),
    }
    odds = what.odds
    shown = f"{(Decimal(odds.numerator) / odds.denominator).normalize():f}"
    text = words.format(payout=answer["payout"], commission=commission, returned=answer["stake_returned"], odds=shown)
    return answer | {"text": text}
