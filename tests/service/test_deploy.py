"""What `deploy/` holds works as far as it can be tried without an installation."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from audit.cli import build_parser, call

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
ROOT = DEPLOY.parent


def test_unit_is_accepted_by_systemd(tmp_path: Path) -> None:
    """Systemd finds nothing wrong with the unit, its program apart, which is not installed here."""
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd is not installed")
    text = (DEPLOY / "dicj-audit.service").read_text("utf-8")
    program = re.search(r"ExecStart=(\S+)", text)
    assert program is not None
    unit = tmp_path / "dicj-audit.service"
    unit.write_text(text.replace(program[1], sys.executable))
    done = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False)

    assert "dicj-audit.service" not in done.stderr
    assert done.returncode == 0, done.stderr


def test_head_of_the_unit_makes_what_the_unit_needs() -> None:
    """The user, the configuration folder and the inbox are made before the unit is first started."""
    head, body = (DEPLOY / "dicj-audit.service").read_text("utf-8").split("[Unit]")
    user = re.search(r"^User=(\S+)$", body, re.MULTILINE)
    folder = re.search(r"^ExecStart=.* --config (\S+)/audit.yaml$", body, re.MULTILINE)
    assert user is not None
    assert folder is not None

    assert re.search(rf"useradd .* {user[1]}$", head, re.MULTILINE)
    assert f"/config {folder[1]}" in head
    assert "install -d /var/lib/dicj-audit/inbox" in head
    assert head.index("useradd") < head.index("systemctl")


def test_command_of_the_unit_is_one_of_ours() -> None:
    """What the unit starts is understood by the command line."""
    text = (DEPLOY / "dicj-audit.service").read_text("utf-8")
    words = re.findall(r"^ExecStart=\S+ (.*)$", text, re.MULTILINE)[0].split()

    assert build_parser().parse_args(words).command == "serve"


def test_container_starts_a_site_of_its_own_and_passes_its_health_check(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In an empty volume the entry point lays out a site and serves it; stopped, the health check says so."""
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "dicj-audit"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m audit.cli "$@"\n')
    program.chmod(0o755)
    (tmp_path / "volume").mkdir()
    path = f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
    for _ in range(2):
        done = subprocess.run(
            [DEPLOY / "container-start", "serve", "--once"],
            cwd=tmp_path / "volume",
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "volume" / "site" / "audits" / "ledger.sqlite").is_file()

    assert call(["health", "--config", str(tmp_path / "volume" / "site" / "config" / "audit.yaml")]) == 4
    assert "stopped" in capsys.readouterr().out


def commands(parser: argparse.ArgumentParser, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], bool]]:
    """Each command of the program and whether it takes a configuration."""
    inner = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if words and not inner:
        yield words, any("--config" in action.option_strings for action in parser._actions)
    for choices in inner:
        for name, command in choices.choices.items():
            yield from commands(command, (*words, name))


def test_container_gives_the_site_to_each_command_that_takes_a_configuration(tmp_path: Path) -> None:
    """Commands of one and of two words get the volume's configuration, the others and a given one are left alone."""
    program = tmp_path / "dicj-audit"
    program.write_text('#!/bin/sh\necho "$@"\n')
    program.chmod(0o755)
    (tmp_path / "site" / "config").mkdir(parents=True)
    (tmp_path / "site" / "config" / "audit.yaml").touch()
    site = "--config site/config/audit.yaml"

    def started(*words: str) -> str:
        path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
        return subprocess.run(
            [DEPLOY / "container-start", *words],
            cwd=tmp_path,
            env=os.environ | {"PATH": path},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()

    for words, configured in commands(build_parser()):
        assert started(*words) == " ".join([*words, site] if configured else words)
    assert started() == f"serve {site}"
    assert started("--version") == "--version"
    assert started("runs", "list", "--ledger", "other") == "runs list --ledger other"
    assert started("verify", "--config", "other") == "verify --config other"


def test_container_file_copies_what_there_is_and_checks_with_a_command_of_ours() -> None:
    """Each source of a COPY exists, each system package of the PDF is installed, the health check is a command."""
    text = (DEPLOY / "Containerfile").read_text("utf-8")
    instructions = re.findall(r"^[A-Z]+", text, re.MULTILINE)
    copies = [line.split()[1:-1] for line in re.findall(r"^COPY (?!--from).*$", text, re.MULTILINE)]

    assert {"FROM", "RUN", "COPY", "USER", "HEALTHCHECK", "ENTRYPOINT", "CMD"} <= set(instructions)
    assert [] == [source for sources in copies for source in sources if not (ROOT / source).exists()]
    needed = re.search(r'^packages="([^"$]+)"', (ROOT / "script" / "setup").read_text("utf-8"), re.MULTILINE)
    assert needed is not None
    # Those that only check PDFs are not needed to run.
    assert set() == set(needed[1].split()) - {"poppler-utils", "qpdf"} - set(text.split())
    # The runtime gives a tmpfs the mode of the folder that it covers, and root as its owner.
    assert re.search(r"^RUN install -d -m 1777 /var/cache/dicj-audit$", text, re.MULTILINE)
    check = re.search(r"^HEALTHCHECK .*CMD (\[.*\])$", text, re.MULTILINE)
    assert check is not None
    words = re.findall(r'"([^"]+)"', check[1])
    assert build_parser().parse_args(words[1:]).command == "health"


def test_operations_page_names_commands_and_keys_that_exist() -> None:
    """Each command and each dotted key of the page on operations is one that there is."""
    page = (ROOT / "docs" / "operations.md").read_text("utf-8")
    documented = (ROOT / "config" / "audit.yaml").read_text("utf-8")

    for key in re.findall(r"`(?:service|notify)\.([a-z_]+)`", page):
        assert re.search(rf"^ +{key}:", documented, re.MULTILINE), key
    for key in ("user_env", "password_env", "user_file", "password_file", "webhook_env", "webhook_file"):
        assert key in documented
