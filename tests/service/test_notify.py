from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from email import message_from_bytes, policy
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from audit.base.model import LANGUAGES
from audit.config.service import NotifySettings
from audit.service.notify import Message, Notifier, words
from audit.service.words import BODIES, SUBJECTS


@pytest.fixture
def mail_server() -> Iterator[Any]:
    """A mail server on this machine; what it has taken."""
    controller = pytest.importorskip("aiosmtpd.controller")

    class Keep:
        def __init__(self) -> None:
            self.mails: list[Any] = []
            with socket.create_server(("127.0.0.1", 0)) as free:
                self.port = free.getsockname()[1]

        async def handle_DATA(self, _server: object, _session: object, envelope: object) -> str:  # noqa: N802
            self.mails.append(envelope)
            return "250 OK"

    keep = Keep()
    server = controller.Controller(keep, hostname="127.0.0.1", port=keep.port)
    server.start()
    yield keep
    server.stop()


@pytest.fixture
def web_server() -> Iterator[Any]:
    """A web server on this machine; what was posted to it, and the status it answers with."""

    class Keep(BaseHTTPRequestHandler):
        posts: list[dict[str, Any]] = []  # noqa: RUF012
        status = 200

        def do_POST(self) -> None:
            Keep.posts.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(Keep.status)
            self.send_header("Location", "/elsewhere")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Keep)
    Keep.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    yield Keep
    server.shutdown()
    thread.join()
    server.server_close()


def smtp(port: int) -> dict:
    """Settings for the local mail server."""
    return {"host": "127.0.0.1", "port": port, "tls": "none", "from": "audit@example.org", "to": "team@example.org"}


def test_refusal_reaches_people_by_mail_in_three_languages(
    fakes: Any, one_pass: Any, tmp_path: Path, mail_server: Any
) -> None:
    """A refused delivery is told by mail, once, in Chinese, Portuguese and English, without what it quotes."""
    fakes.deliver(tmp_path, "2024-03-04")
    runner = fakes.Runner(refuse="rounds.csv: row 1, column seat: 'Chan Tai Man' is not a seat")
    notify = {"smtp": smtp(mail_server.port)}

    one_pass(runner, notify=notify)
    one_pass(runner, notify=notify)

    (envelope,) = mail_server.mails
    mail = message_from_bytes(envelope.content, policy=policy.default)
    body = mail.get_content()
    assert envelope.rcpt_tos == ["team@example.org"]
    assert "資料不獲接受" in mail["Subject"]
    for language in ("資料未能使用", "não pode ser usada", "cannot be used"):
        assert language in body
    assert "Chan" not in body
    assert list((tmp_path / "audits" / "ledger.sqlite.outbox").iterdir()) == []


@pytest.mark.parametrize(("threshold", "mails"), [("critical", 0), ("high", 1), ("info", 1)])
def test_findings_are_told_from_the_threshold_on(
    fakes: Any, one_pass: Any, tmp_path: Path, mail_server: Any, threshold: str, mails: int
) -> None:
    """A run whose gravest finding is high is told unless the threshold lies above."""
    fakes.deliver(tmp_path, "2024-03-04")

    one_pass(fakes.Runner(), notify={"smtp": smtp(mail_server.port), "threshold": threshold})

    assert len(mail_server.mails) == mails


def test_missing_day_is_told(fakes: Any, one_pass: Any, mail_server: Any) -> None:
    """The run that did not happen is told by mail."""
    one_pass(fakes.Runner(), casinos=("palace",), notify={"smtp": smtp(mail_server.port)})

    (envelope,) = mail_server.mails
    assert "2024-03-03" in message_from_bytes(envelope.content, policy=policy.default).get_content()


def test_mail_waits_for_a_server_that_is_down(fakes: Any, one_pass: Any, tmp_path: Path, mail_server: Any) -> None:
    """A message that could not be sent stays in the outbox and is sent by a later pass; the audit is not affected."""
    fakes.deliver(tmp_path, "2024-03-04")
    down = smtp(mail_server.port) | {"port": 1}

    assert one_pass(fakes.Runner(), notify={"smtp": down}) == 0
    assert len(list((tmp_path / "audits" / "ledger.sqlite.outbox").iterdir())) == 1

    one_pass(fakes.Runner(), notify={"smtp": smtp(mail_server.port)})

    assert len(mail_server.mails) == 1
    assert list((tmp_path / "audits" / "ledger.sqlite.outbox").iterdir()) == []


def test_webhook_gets_json(fakes: Any, one_pass: Any, tmp_path: Path, web_server: Any) -> None:
    """The webhook is posted the kind, the facts and the words."""
    web_server.posts.clear()
    fakes.deliver(tmp_path, "2024-03-04")

    one_pass(fakes.Runner(), notify={"webhook": f"http://127.0.0.1:{web_server.port}/hook"})

    (content,) = web_server.posts
    assert (content["kind"], content["facts"]["worst"]) == ("findings", "high")
    assert set(content) == {"kind", "at", "id", "facts", "subject", "body"}


@pytest.mark.parametrize("status", [302, 500])
def test_webhook_that_does_not_take_the_message_is_tried_again(
    fakes: Any, tmp_path: Path, web_server: Any, status: int
) -> None:
    """A redirect is not followed and an error of the server loses nothing."""
    web_server.posts.clear()
    web_server.status = status
    notifier = Notifier(NotifySettings(webhook=f"http://127.0.0.1:{web_server.port}/hook"), tmp_path / "outbox")
    notifier.file(Message("missed", fakes.NOW, {"reason": "2024-03-06T04:30:00+08:00"}))

    assert notifier.flush() == 1
    web_server.status = 200
    assert notifier.flush() == 0
    assert len(web_server.posts) == 2


def test_only_the_channel_that_failed_is_tried_again(
    fakes: Any, tmp_path: Path, mail_server: Any, web_server: Any
) -> None:
    """A message that mail took is not mailed again because the webhook did not take it."""
    web_server.posts.clear()
    web_server.status = 500
    settings = NotifySettings(smtp=smtp(mail_server.port), webhook=f"http://127.0.0.1:{web_server.port}/hook")
    notifier = Notifier(settings, tmp_path / "outbox")
    notifier.file(Message("missed", fakes.NOW, {"reason": "2024-03-06T04:30:00+08:00"}))

    assert [notifier.flush(), notifier.flush()] == [1, 1]
    web_server.status = 200

    assert len(mail_server.mails) == 1


def test_missing_secret_defers_the_mail(fakes: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A password that is not in the environment keeps the message in the outbox."""
    monkeypatch.delenv("AUDIT_MAIL_PASSWORD", raising=False)
    login = {"tls": "starttls", "user_env": "AUDIT_MAIL_PASSWORD", "password_env": "AUDIT_MAIL_PASSWORD"}
    settings = NotifySettings(smtp=smtp(1) | login)
    notifier = Notifier(settings, tmp_path / "outbox")
    notifier.file(Message("missed", fakes.NOW, {"reason": "x"}))

    assert notifier.flush() == 1


def test_damaged_message_in_the_outbox_hurts_no_other(fakes: Any, tmp_path: Path, web_server: Any) -> None:
    """A file in the outbox that is no message is left there; the others are sent."""
    web_server.posts.clear()
    web_server.status = 200
    notifier = Notifier(NotifySettings(webhook=f"http://127.0.0.1:{web_server.port}/hook"), tmp_path / "outbox")
    notifier.file(Message("missed", fakes.NOW, {"reason": "x"}))
    (tmp_path / "outbox" / "0.json").write_text("{")

    assert notifier.flush() == 1
    assert len(web_server.posts) == 1


@pytest.mark.parametrize("kind", sorted(SUBJECTS))
def test_every_kind_has_words_in_every_language(kind: str) -> None:
    """Subjects and bodies exist for the same kinds and name the same facts in each language."""
    message = {"kind": kind, "facts": {}}
    subject, body = words(message)

    assert "{" not in subject + body
    for catalogue in (SUBJECTS, BODIES):
        names = {
            frozenset(part.split("}")[0] for part in catalogue[kind].in_language(each).split("{")[1:])
            for each in LANGUAGES
        }
        assert len(names) == 1


def test_subject_cannot_be_split() -> None:
    """A fact with a line break adds no header."""
    subject, _ = words({"kind": "missing", "facts": {"casino": "a\nBcc: x@example.org"}})

    assert "\n" not in subject
