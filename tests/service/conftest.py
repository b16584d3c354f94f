"""What the tests of the service share."""

from __future__ import annotations

import datetime as dt
import importlib.util
import logging
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from audit.service.schedule import serve
from audit.store.ledger import Ledger, LedgerEntry

FAKES = Path(__file__).with_name("fakes.py")


@pytest.fixture(scope="session")
def fakes() -> Any:
    """The module of made-up audits; test folders are no packages, so it is loaded by its path."""
    spec = importlib.util.spec_from_file_location("service_fakes", FAKES)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(autouse=True)
def _quiet_afterwards() -> Iterator[None]:
    """Undo what the service does to logging."""
    yield
    logging.captureWarnings(capture=False)
    root = logging.getLogger()
    for handler in list(root.handlers):
        if type(handler.formatter).__name__ == "JsonLines":
            root.removeHandler(handler)


@pytest.fixture
def one_pass(tmp_path: Path, fakes: Any) -> Any:
    """Make one pass over the inbox under the test's folder at the fixed time; its exit code."""

    def make(runner: Any, *, force: Sequence[str] = (), now: dt.datetime | None = None, **service: object) -> int:
        settings = fakes.settings(tmp_path, **service)
        return serve(settings, once=True, force=force, runner=runner, clock=lambda: now or fakes.NOW)

    return make


@pytest.fixture
def entries(tmp_path: Path) -> Any:
    """Read the entries of the ledger under the test's folder, and make sure that its chain is sound."""

    def read(kind: str | None = None) -> list[LedgerEntry]:
        with closing(Ledger.open(f"sqlite:///{tmp_path}/audits/ledger.sqlite")) as ledger:
            assert ledger.verify_chain(tmp_path / "audits") == ()
            return list(ledger.entries(kind))

    return read


@pytest.fixture
def child(tmp_path: Path) -> Any:
    """Start the service as a process of its own; killed at the end of the test if it still runs."""
    started = []

    def start(mode: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, str(FAKES), mode, str(tmp_path)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()
