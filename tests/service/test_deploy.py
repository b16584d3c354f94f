"""What `deploy/` holds works as far as it can be tried without an installation."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
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
