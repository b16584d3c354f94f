"""The commands that show the law and the checks: explain, rules, checks, paytable."""

from __future__ import annotations

import argparse
import datetime as dt
from typing import Any

from audit.base.errors import ExitCode, UsageError
from audit.base.model import MACAU, DrawMethod, Game, Scheme
from audit.commands.output import remark, say, say_json


def explain(arguments: argparse.Namespace) -> int:
    """What the regulation requires of a hand, and what its wagers are due."""
    from audit.explanation.explain import explain as explain_hand
    from audit.explanation.explain import read_hand, rules_on
    from audit.rulebook import Rulebook

    rulebook = Rulebook.load()
    rules = rules_on(rulebook, Game(arguments.game), arguments.on)
    player, banker = read_hand("player", arguments.player), read_hand("banker", arguments.banker)
    method = DrawMethod(arguments.draw_method) if arguments.draw_method else None
    answer = explain_hand(rules, arguments.on, player, banker, method, arguments.lang)
    if arguments.wager:
        answer["wagers"] = _wagers(arguments, rulebook, rules, player, banker, method)
    if arguments.json:
        say_json(answer)
    else:
        _print_hand(answer, arguments.lang)
    return int(ExitCode.CLEAN)


def _wagers(arguments: Any, rulebook: Any, rules: Any, player: Any, banker: Any, method: Any) -> list[dict[str, Any]]:
    from audit.config.settings import load_settings, money
    from audit.explanation.explain import explain_wager, facts_of, points_of
    from audit.games.paytable_files import load_paytables

    if points_of(player, banker) is None:
        raise UsageError("--wager: a hand with fewer than two or more than three cards a side settles nothing")
    settings = load_settings(arguments.config)
    out = []
    for text in arguments.wager:
        bet, _, stake = text.partition("=")
        try:
            amount = money(stake)
        except ValueError as error:
            raise UsageError(f"--wager {text}: {error}; write BET=STAKE, as in banker=1000") from None
        out.append(
            explain_wager(
                rulebook,
                rules,
                facts_of(player, banker),
                bet,
                amount,
                scheme=Scheme(arguments.commission),
                method=method,
                unit=settings.rounding_unit,
                paytables=load_paytables(settings.paytables),
                language=arguments.lang,
            )
        )
    return out


def _print_hand(answer: dict[str, Any], language: str) -> None:
    from audit.catalogue.catalogue import load
    from audit.explanation.explain import label

    word = load().word
    game, act = word(answer["game"], language), answer["instrument"]
    method = f", {word(answer['draw_method'], language)}" if answer["draw_method"] else ""
    say(label("headline", language, game=game, day=answer["day"], instrument=act, version=answer["version"]) + method)
    for side in ("player", "banker"):
        say(f"  {word(side, language)} {answer[f'{side}_cards']:<14} {answer[f'{side}_points']}")
    for number, step in enumerate(answer["steps"], 1):
        mark = " " if step["required"] == step["done"] else "!"
        say(f"{mark} {number}. [{act} {step['article']}] {step['text']}")
    found = answer["departure"]
    if found:
        side = word(found["side"], language)
        line = label("departure", language, code=found["code"], side=side, instrument=act, article=found["article"])
        say(f"  {line}")
    else:
        say(f"  {label('no_departure', language)}")
    outcome = word(answer["outcome"], language) if answer["outcome"] else "—"
    say(f"  {label('outcome', language, outcome=outcome)}")
    for wager in answer.get("wagers", ()):
        bet, citation = word(wager["bet"], language), f"{wager['instrument']} {wager['article']}"
        say(f"  {bet} {wager['stake']} [{citation}] {wager['text']}")


def _today() -> dt.date:
    return dt.datetime.now(MACAU).date()


def _rulebook() -> Any:
    """The rulebook; a remark says so where nobody compared it with the gazette for more than a year."""
    from audit.rulebook import Rulebook

    rulebook = Rulebook.load()
    if rulebook.stale_on(_today()):
        remark(
            f"dicj-audit: the regulations were last compared with the gazette on {rulebook.verified_on}, more than a"
            " year ago; what was published since is not in them"
        )
    return rulebook


def rules_list(arguments: argparse.Namespace) -> int:
    """The versions of every regulation, or what is in force on a day."""
    from audit.rulebook.law_data import rules_list as listed
    from audit.rulebook.law_pages import render_list

    data = listed(_rulebook(), arguments.on)
    _either(arguments, data, lambda: render_list(data, arguments.lang))
    return int(ExitCode.CLEAN)


def rules_show(arguments: argparse.Namespace) -> int:
    """The provisions of a game in force on a day."""
    from audit.rulebook.law_data import rules_show as shown
    from audit.rulebook.law_pages import render_show

    data = shown(_rulebook(), Game(arguments.game), arguments.on or _today())
    _either(arguments, data, lambda: render_show(data, arguments.lang))
    return int(ExitCode.CLEAN)


def rules_diff(arguments: argparse.Namespace) -> int:
    """What changed between two days, and by which act."""
    from audit.rulebook.law_data import rules_diff as compared
    from audit.rulebook.law_pages import render_diff

    data = compared(_rulebook(), Game(arguments.game), arguments.day_1, arguments.day_2)
    _either(arguments, data, lambda: render_diff(data, arguments.lang))
    return int(ExitCode.CLEAN)


def rules_coverage(arguments: argparse.Namespace) -> int:
    """Each numbered rule and the check that judges it, or why none can."""
    from dataclasses import asdict

    from audit.rulebook.coverage import coverage_table
    from audit.rulebook.law_pages import render_coverage

    _rulebook()
    table = coverage_table()
    _either(arguments, [asdict(row) for row in table], lambda: render_coverage(table, arguments.lang))
    return int(ExitCode.CLEAN)


def checks_list(arguments: argparse.Namespace) -> int:
    """The catalogue of checks."""
    from audit.catalogue.check_pages import table, table_text

    _either(arguments, table(arguments.lang), lambda: table_text(arguments.lang))
    return int(ExitCode.CLEAN)


def checks_show(arguments: argparse.Namespace) -> int:
    """One check in full."""
    from audit.catalogue.check_pages import show, show_text

    _either(arguments, show(arguments.code, arguments.lang), lambda: show_text(arguments.code, arguments.lang))
    return int(ExitCode.CLEAN)


def paytable_show(arguments: argparse.Namespace) -> int:
    """A paytable compiled: odds, exact edge, expected frequency, test vectors."""
    from audit.odds.paytable_pages import paytable_data, paytable_text

    data = paytable_data(arguments.file, arguments.decks)
    _either(arguments, data, lambda: paytable_text(data, arguments.lang))
    for doubt in data["doubts"]:
        remark(f"dicj-audit: {arguments.file.name}: {doubt[arguments.lang]}")
    return int(ExitCode.CLEAN)


def _either(arguments: argparse.Namespace, data: Any, text: Any) -> None:
    if arguments.json:
        say_json(data)
    else:
        say(text())
