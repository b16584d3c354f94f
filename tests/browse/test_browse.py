"""The ledger in a web browser: only on this machine, only to be read, with links to the reports."""

from __future__ import annotations

import http.client
import json
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from audit.base.errors import MachineFailure, UsageError
from audit.base.resources import resource_dir
from audit.browse import command, serve
from audit.service.schedule import serve as serve_nightly
from audit.store.ledger import Ledger
from tests.service import fakes

pytestmark = pytest.mark.slow

pytest.importorskip("datasette", reason="the extra 'browse' is not installed")

QUERIES = json.loads((resource_dir("config") / "browse" / "metadata.json").read_text("utf-8"))["databases"]["ledger"]
PDF = b"%PDF-1.7 a report"
Get = Callable[..., tuple[int, str, bytes]]


class WithReport(fakes.Runner):
    """A made-up audit that leaves a report."""

    def __call__(self, delivery: Any, out: Path, previous: Path | None = None) -> Any:
        """Audit `delivery` into `out`."""
        finished = super().__call__(delivery, out, previous)
        (out / "report.pdf").write_bytes(PDF)
        return finished


@pytest.fixture(scope="module")
def audits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An output folder with a ledger of two runs, the first superseded, and one refusal."""
    base = tmp_path_factory.mktemp("browse")
    settings = fakes.settings(base)
    for content in ("a\n", "b\n"):
        fakes.deliver(base, "2024-03-03", content=content)
        serve_nightly(settings, once=True, runner=WithReport(findings=3), clock=lambda: fakes.NOW)
    fakes.deliver(base, "2024-03-04", sha256="0" * 64)
    serve_nightly(settings, once=True, runner=WithReport(), clock=lambda: fakes.NOW)
    return base / "audits"


def answers(port: int) -> bool:
    """Whether somebody listens."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture(scope="module")
def view(audits: Path) -> Iterator[int]:
    """The view as a user starts it; its port. Told to end, it ends with its server and leaves with 0."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    ask = ["browse", "--ledger", str(audits / "ledger.sqlite"), "--port", str(port)]
    process = subprocess.Popen([sys.executable, "-m", "audit.cli", *ask], stderr=subprocess.DEVNULL)
    for _ in range(600):
        if answers(port):
            break
        assert process.poll() is None
        time.sleep(0.1)
    else:
        pytest.fail("nobody listens after a minute")
    yield port
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=30) == 0
    assert not answers(port)


@pytest.fixture
def get(view: int) -> Get:
    """Ask the view for a page: status, type, content."""

    def ask(path: str, host: str = "127.0.0.1", method: str = "GET") -> tuple[int, str, bytes]:
        with closing(http.client.HTTPConnection("127.0.0.1", view, timeout=20)) as connection:
            connection.request(method, path, headers={"Host": f"{host}:{view}"})
            answer = connection.getresponse()
            return answer.status, answer.headers["content-type"] or "", answer.read()

    return ask


@pytest.mark.parametrize("name", QUERIES["queries"])
def test_every_canned_query_answers(get: Get, name: str) -> None:
    """Each question that is offered has an answer of this ledger."""
    status, _, content = get(f"/ledger/{name}.json?_shape=array&entry=2&table=T1")

    assert status == 200
    rows = json.loads(content)
    expected = {"runs": 1, "findings_by_check": 1, "findings_of_a_run": 3, "superseded": 1, "refused_failed_alarms": 1}
    assert len(rows) == expected.get(name, 0)


def test_report_is_linked_and_served(get: Get) -> None:
    """A run's row links to its PDF; other numbers and other files are not there."""
    assert b'<a href="/-/report/2.pdf">' in get("/ledger/runs")[2]
    status, kind, content = get("/-/report/2.pdf")
    assert (status, kind, content) == (200, "application/pdf", PDF)
    for path in ("/-/report/3.pdf", "/-/report/99.pdf", "/-/report/2.txt", "/-/report/..%2f2.pdf"):
        assert get(path)[0] in {302, 403, 404}


def test_report_outside_of_the_output_folder_is_not_served(audits: Path, tmp_path: Path, get: Get) -> None:
    """A link that leads out of the folder of the runs is not followed."""
    secret = tmp_path / "secret.pdf"
    secret.write_bytes(b"secret")
    report = audits / "grand" / "2024-03-03" / "1" / "report.pdf"
    report.unlink()
    report.symlink_to(secret)

    assert get("/-/report/1.pdf")[0] == 404


def test_foreign_page_gets_nothing(get: Get) -> None:
    """A request that names another host, as one that a foreign page provokes would, is refused."""
    assert get("/ledger/runs", host="evil.example")[0] == 403
    assert get("/ledger/runs", host="localhost")[0] == 200


def test_nothing_can_be_written(audits: Path, get: Get) -> None:
    """Neither a statement nor a POST changes the ledger."""
    before = (audits / "ledger.sqlite").read_bytes()
    for statement in ("DELETE+FROM+entries", "UPDATE+findings+SET+severity='low'", "DROP+TABLE+entries"):
        assert get(f"/ledger.json?sql={statement}")[0] == 400
    assert get("/ledger/entries", method="POST")[0] == 405

    assert before == (audits / "ledger.sqlite").read_bytes()
    with closing(Ledger.read(f"sqlite:///{audits}/ledger.sqlite")) as ledger:
        assert ledger.verify_chain() == ()


def test_it_listens_on_the_loopback_address_only() -> None:
    """The server is told the loopback address, whatever the port, and no file of the ledger is for download."""
    words = command(Path("ledger.sqlite"), 8001)

    assert words[words.index("--host") + 1] == "127.0.0.1"
    assert words[words.index("allow_download") + 1] == "off"


def test_view_in_a_browser(view: int, tmp_path: Path) -> None:
    """A real browser shows the run that stands, by its canned query, with the link to its report."""
    browser = next(
        (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
    )
    if browser is None:
        pytest.skip("there is no Chromium here")
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}", "--dump-dom"]
    done = subprocess.run(
        [browser, *options, f"http://127.0.0.1:{view}/ledger/runs"],
        capture_output=True,
        text=True,
        check=True,
        timeout=90,
    )

    assert "有效之審計" in done.stdout
    assert ">report 2</a>" in done.stdout
    assert "2024-03-03" in done.stdout


def test_ledger_that_cannot_be_browsed_is_told(tmp_path: Path) -> None:
    """A ledger on a server, none at all, and a port that is taken are told in words."""
    with pytest.raises(UsageError, match="SQLite"):
        serve("postgresql+psycopg://db/audit", None, 8001)
    with pytest.raises(UsageError, match="there is no ledger"):
        serve(f"sqlite:///{tmp_path}/none.sqlite", None, 8001)
    Ledger.open(f"sqlite:///{tmp_path}/ledger.sqlite").close()
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(MachineFailure, match="is taken"):
        serve(f"sqlite:///{tmp_path}/ledger.sqlite", None, taken.getsockname()[1])


def test_queries_name_no_person_and_run_on_an_empty_ledger(tmp_path: Path) -> None:
    """Each canned query is sound SQL over the ledger's tables."""
    Ledger.open(f"sqlite:///{tmp_path}/ledger.sqlite").close()
    with closing(sqlite3.connect(tmp_path / "ledger.sqlite")) as connection:
        assert connection
        for query in QUERIES["queries"].values():
            assert connection.execute(query["sql"], {"entry": 1, "table": "T"}).fetchall() == []
