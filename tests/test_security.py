"""What an audit must not do: talk to a network, let a cell become a formula, print a secret."""

from __future__ import annotations

import csv
import json
import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest

from audit.service.log import JsonLines, redact

pytestmark = pytest.mark.slow

GUARD = """
import os, socket, sys

FORBIDDEN = {"socket.connect", "socket.sendto", "socket.bind", "socket.getaddrinfo", "socket.gethostbyname"}

def guard(event, arguments):
    if event not in FORBIDDEN:
        return
    address = arguments[1] if event in {"socket.connect", "socket.sendto", "socket.bind"} else arguments[0]
    if isinstance(address, (str, bytes)) and event in {"socket.connect", "socket.sendto", "socket.bind"}:
        return  # a socket of the file system
    if event == "socket.bind" and address[0] == "::1":
        return  # urllib3 tries whether the machine knows IPv6, and lets go of it
    with open(os.environ["SEEN"], "a") as seen:
        seen.write(f"{event} {address!r} {sys.argv[:2]}\\n")
    raise OSError("no network during an audit")

sys.addaudithook(guard)
open(os.environ["SEEN"] + ".processes", "a").write("x")
"""


HEAD = "round_id,table_id,shoe_id,round_no,game,status,started_at,player_cards,banker_cards,outcome\n"
ROW = "{},{},S1,1,baccarat,settled,2024-03-01T21:00:00+08:00,9H KD,3C 4S,banker\n"


def guarded(tmp_path: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run Python with a guard in it, and in every Python process that it starts, that refuses all network."""
    (tmp_path / "guard").mkdir(exist_ok=True)
    (tmp_path / "guard" / "sitecustomize.py").write_text(GUARD)
    path = os.pathsep.join([str(tmp_path / "guard"), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"PYTHONPATH": path, "SEEN": str(tmp_path / "seen"), "XDG_STATE_HOME": str(tmp_path)}
    return subprocess.run(
        [sys.executable, *command], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )


def test_audit_uses_no_network(tmp_path: Path) -> None:
    """A whole run, gate and report included, in all its processes, opens no connection and asks for no name."""
    (tmp_path / "rounds.csv").write_text(HEAD + ROW.format("r1", "T1"))
    done = guarded(tmp_path, "-m", "audit.cli", "run", "--rounds", "rounds.csv", "--out", "run", "--quiet")

    assert done.returncode == 1, done.stderr
    assert (tmp_path / "run" / "report.pdf").is_file()
    assert not (tmp_path / "seen").exists(), (tmp_path / "seen").read_text()
    assert len((tmp_path / "seen.processes").read_text()) >= 1


def test_guard_would_see_a_connection(tmp_path: Path) -> None:
    """The guard of the test before is one: a connection is refused and noted."""
    done = guarded(tmp_path, "-c", "import socket; socket.create_connection(('127.0.0.1', 9))")

    assert "no network during an audit" in done.stderr
    assert "getaddrinfo" in (tmp_path / "seen").read_text()


@pytest.mark.parametrize("sign", ["=", "+", "-", "@"])
def test_cell_of_the_log_becomes_no_formula(tmp_path: Path, sign: str) -> None:
    """An id that a spreadsheet would compute is text in findings.csv, and as it was in the other files."""
    wicked = f"{sign}HYPERLINK(0)"
    (tmp_path / "rounds.csv").write_text(HEAD + ROW.format(wicked, f"{sign}1"))
    script = (
        "from pathlib import Path; from tests.finished import NoGate; from audit.pipeline import RunRequest, run_audit;"
        "run_audit(RunRequest(rounds=['rounds.csv'], out=Path('run'), report=False), gate=NoGate())"
    )
    root = str(Path(__file__).resolve().parents[1])
    environment = os.environ | {"XDG_STATE_HOME": str(tmp_path)}
    environment["PYTHONPATH"] = os.pathsep.join([*filter(None, [os.environ.get("PYTHONPATH")]), root])
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, env=environment, check=True)

    with (tmp_path / "run" / "findings.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows
    for row in rows:
        # A sum may be negative: that is a number and no formula.
        texts = [value for name, value in row.items() if name != "amount"]
        assert [value for value in texts if value.startswith(("=", "+", "-", "@"))] == []
    assert {row["round_id"] for row in json.loads((tmp_path / "run" / "findings.json").read_text())} == {wicked}


def test_library_that_logs_a_secret_does_not_get_it_out() -> None:
    """What a library quotes in its warnings is left out of the service's log."""
    record = logging.LogRecord("lib", logging.WARNING, "x", 1, "cannot log in as %r", ("topsecret",), None)

    assert "topsecret" not in JsonLines().format(record)
    assert redact('user "Chan Tai Man" at seat') == "user '…' at seat"
