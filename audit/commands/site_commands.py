"""The commands about the site: its configuration, its lay-out, and a look at its ledger in a browser."""

from __future__ import annotations

import argparse

from audit.base.errors import ExitCode
from audit.commands.output import remark, say, say_json


def check(arguments: argparse.Namespace) -> int:
    """Is the configuration sound, and is what it names there; 2 where not."""
    from audit.config.settings import load_settings
    from audit.service.site import look_over

    points = list(look_over(load_settings(arguments.config)))
    wrong = [point for point in points if point.problem]
    if arguments.json:
        say_json({"sound": not wrong, "points": [{"key": p.key, "problem": p.problem} for p in points]})
    else:
        for point in points:
            say(f"{'!' if point.problem else ' '} {point.key}: {point.problem or 'ok'}")
    return int(ExitCode.USAGE if wrong else ExitCode.CLEAN)


def show(arguments: argparse.Namespace) -> int:
    """Every setting as it applies, secrets masked."""
    import yaml

    from audit.config.settings import load_settings
    from audit.service.site import shown

    plain = shown(load_settings(arguments.config))
    if arguments.json:
        say_json(plain)
    else:
        say(yaml.safe_dump(plain, allow_unicode=True, sort_keys=False))
    return int(ExitCode.CLEAN)


def health(arguments: argparse.Namespace) -> int:
    """Is the service well, by its health file; 4 where a monitor should raise an alarm."""
    from audit.config.settings import load_settings
    from audit.service.health import problem, read_health
    from audit.service.schedule import now_in_macau

    path = load_settings(arguments.config).service.beside_ledger("health.json")
    wrong = problem(path, now_in_macau())
    if arguments.json:
        say_json({"well": wrong is None, "problem": wrong, **(read_health(path) or {})})
    else:
        say(wrong or "the service is well")
    return int(ExitCode.MACHINE if wrong else ExitCode.CLEAN)


def init(arguments: argparse.Namespace) -> int:
    """Lay out a new site."""
    from audit.service.site import CONFIGURATION, lay_out

    made = lay_out(arguments.folder, sample=arguments.sample)
    if arguments.json:
        say_json({"folder": str(arguments.folder), "files": [str(p.relative_to(arguments.folder)) for p in made]})
    else:
        say(f"made a site in {arguments.folder}; its README.md says what each part is for")
        say(f"try it: dicj-audit serve --once --config {arguments.folder / CONFIGURATION}")
    return int(ExitCode.CLEAN)


def browse(arguments: argparse.Namespace) -> int:
    """Show the ledger in a local web view until it is stopped."""
    from audit.browse import serve
    from audit.commands.ledger_commands import place_of

    place = place_of(arguments)
    remark(f"the ledger is at http://127.0.0.1:{arguments.port}/ for this machine only; Ctrl-C ends it")
    return serve(place.url, place.outputs, arguments.port)
