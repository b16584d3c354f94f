"""Mail over TLS with a log-in, and the webhook over HTTPS, against real servers with certificates of the test's own."""

from __future__ import annotations

import json
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from email import message_from_bytes, policy
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
import trustme
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult

from audit.config.service import NotifySettings
from audit.service.notify import Message, Notifier

pytestmark = pytest.mark.filterwarnings("ignore:Requiring AUTH while not requiring TLS:UserWarning")

USER, PASSWORD = "auditor", "correct horse"


class Mailbox:
    """What a mail server took: envelopes, and whether each came over TLS and after a log-in."""

    def __init__(self) -> None:
        self.mails: list[tuple[Any, bool, bool]] = []

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        """Take one mail."""
        encrypted = session.ssl is not None or server.transport.get_extra_info("ssl_object") is not None
        self.mails.append((envelope, encrypted, session.authenticated))
        return "250 OK"


def authenticate(_server: Any, _session: Any, _envelope: Any, _mechanism: str, data: Any) -> AuthResult:
    """Accept one user."""
    return AuthResult(success=(data.login, data.password) == (USER.encode(), PASSWORD.encode()))


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ssl.SSLContext]:
    """The certificates of an authority that only the test trusts, and a server's context with one of its own."""
    ca = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    ca.issue_cert("127.0.0.1").configure_cert(context)
    path = tmp_path_factory.mktemp("ca") / "ca.pem"
    ca.cert_pem.write_to_path(str(path))
    return path, context


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


@pytest.fixture
def mail_server(authority: tuple[Path, ssl.SSLContext]) -> Iterator[Callable[[str], tuple[int, Mailbox]]]:
    """Start a mail server that insists on TLS, of either kind, and on a log-in; its port and its mailbox."""
    started = []

    def start(tls: str) -> tuple[int, Mailbox]:
        mailbox, port = Mailbox(), free_port()
        options: dict[str, Any] = {"authenticator": authenticate, "auth_required": True}
        if tls == "starttls":
            options |= {"tls_context": authority[1], "require_starttls": True}
        else:
            # The whole connection is encrypted, which aiosmtpd's rule for log-ins does not count.
            options |= {"ssl_context": authority[1], "auth_require_tls": False}
        controller = Controller(mailbox, hostname="127.0.0.1", port=port, **options)
        controller.start()
        started.append(controller)
        return port, mailbox

    yield start
    for controller in started:
        controller.stop()


def settings(port: int, tls: str, ca_file: Path | None, folder: Path, password: str = PASSWORD) -> NotifySettings:
    """Mail by this server, the log-in in two files."""
    (folder / "user").write_text(USER + "\n")
    (folder / "password").write_text(password + "\n")
    login = {"user_file": folder / "user", "password_file": folder / "password"}
    smtp = {"host": "127.0.0.1", "port": port, "tls": tls, "from": "audit@example.org", "to": "team@example.org"}
    return NotifySettings(smtp=smtp | login, ca_file=ca_file)


def notify(settings: NotifySettings, outbox: Path, at: Any) -> int:
    """Send one message; how many remain."""
    notifier = Notifier(settings, outbox)
    facts = {"casino": "grand", "gaming_day": "2024-03-04", "reason": "x"}
    notifier.file(Message("failed", at, facts))
    return notifier.flush()


@pytest.mark.parametrize("tls", ["starttls", "implicit"])
def test_mail_goes_over_tls_with_a_login(
    fakes: Any, tmp_path: Path, authority: Any, mail_server: Any, tls: str
) -> None:
    """With the house's own authority trusted, mail is taken by a server that insists on TLS and on a log-in."""
    port, mailbox = mail_server(tls)

    assert notify(settings(port, tls, authority[0], tmp_path), tmp_path / "outbox", fakes.NOW) == 0
    ((envelope, encrypted, authenticated),) = mailbox.mails
    assert (encrypted, authenticated) == (True, True)
    assert envelope.rcpt_tos == ["team@example.org"]


@pytest.mark.parametrize("tls", ["starttls", "implicit"])
def test_certificate_of_an_unknown_authority_is_not_accepted(
    fakes: Any, tmp_path: Path, mail_server: Any, tls: str
) -> None:
    """A server that cannot prove who it is gets neither password nor mail; the message waits."""
    port, mailbox = mail_server(tls)

    assert notify(settings(port, tls, None, tmp_path), tmp_path / "outbox", fakes.NOW) == 1
    assert mailbox.mails == []


def test_wrong_password_keeps_the_message_and_stays_out_of_the_log(
    fakes: Any,
    tmp_path: Path,
    authority: Any,
    mail_server: Any,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A refused log-in loses nothing, and the log says neither user nor password."""
    # aiosmtpd leaves a client that tries a second way of logging in without an answer.
    monkeypatch.setattr("audit.service.notify.TIMEOUT", 1)
    port, mailbox = mail_server("starttls")

    with caplog.at_level("INFO"):
        wrong = settings(port, "starttls", authority[0], tmp_path, password="wrong secret")
        assert notify(wrong, tmp_path / "outbox", fakes.NOW) == 1
    assert mailbox.mails == []
    said = caplog.text + "".join(path.read_text() for path in (tmp_path / "outbox").iterdir())
    assert "wrong secret" not in said
    assert USER not in said

    assert notify(settings(port, "starttls", authority[0], tmp_path), tmp_path / "outbox", fakes.NOW) == 0


def test_server_without_tls_gets_no_mail(fakes: Any, tmp_path: Path) -> None:
    """Where STARTTLS is asked for and the server has none, nothing is sent in the clear."""
    mailbox, port = Mailbox(), free_port()
    controller = Controller(mailbox, hostname="127.0.0.1", port=port)
    controller.start()
    try:
        assert notify(settings(port, "starttls", None, tmp_path), tmp_path / "outbox", fakes.NOW) == 1
    finally:
        controller.stop()
    assert mailbox.mails == []


@pytest.mark.parametrize("trusted", [True, False])
def test_webhook_over_https_from_a_secret_file(fakes: Any, tmp_path: Path, authority: Any, *, trusted: bool) -> None:
    """The address may stand in a file; the server must be one whose certificate is trusted."""
    posts: list[Any] = []

    class Keep(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            posts.append((self.path, json.loads(self.rfile.read(int(self.headers["Content-Length"])))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Keep)
    server.socket = authority[1].wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    (tmp_path / "hook").write_text(f"https://127.0.0.1:{server.server_port}/T0/secret\n")
    ca_file = authority[0] if trusted else None
    try:
        left = notify(NotifySettings(webhook_file=tmp_path / "hook", ca_file=ca_file), tmp_path / "outbox", fakes.NOW)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()

    assert left == (0 if trusted else 1)
    assert [path for path, _ in posts] == (["/T0/secret"] if trusted else [])


def test_findings_are_told_in_chinese_and_portuguese_with_link_and_hash(
    fakes: Any, one_pass: Any, tmp_path: Path, authority: Any, mail_server: Any
) -> None:
    """The digest of a run names the report by its link and SHA-256, and counts the findings by severity."""
    port, mailbox = mail_server("starttls")

    class WithReport(fakes.Runner):
        def __call__(self, delivery: Any, out: Path, previous: Path | None = None) -> Any:
            finished = super().__call__(delivery, out, previous)
            (out / "report.pdf").write_bytes(b"%PDF-1.7")
            finished.manifest["findings"] = {"by_severity": {"high": 1}}
            return finished

    fakes.deliver(tmp_path, "2024-03-04")
    link = {"link": "https://audits.example.org/reports/"}
    assert (
        one_pass(WithReport(), notify=settings(port, "starttls", authority[0], tmp_path).model_copy(update=link)) == 0
    )

    ((envelope, _, _),) = mailbox.mails
    body = message_from_bytes(envelope.content, policy=policy.default).get_content()
    address = "https://audits.example.org/reports/grand/2024-03-04/1/report.pdf"
    sha256 = fakes.hashlib.sha256(b"%PDF-1.7").hexdigest()
    assert body.count(address) == body.count(sha256) == body.count("high 1") == 3
    assert body.index("報告") < body.index("Relatório") < body.index("Report:")
    assert (tmp_path / "audits" / "grand" / "2024-03-04" / "1" / "report.pdf").is_file()


@pytest.mark.parametrize(
    "wrong",
    [
        {"user_env": "A", "user_file": "a", "password_env": "B"},
        {"user_env": "A"},
        {"tls": "none", "user_env": "A", "password_env": "B"},
    ],
)
def test_login_that_cannot_be_meant_is_refused(wrong: dict[str, str]) -> None:
    """Two sources of one secret, half a log-in and a password in the clear are mistakes of the configuration."""
    plain = {"host": "mail", "from": "a@example.org", "to": "b@example.org"}

    NotifySettings(smtp=plain)
    with pytest.raises(ValueError, match=r"exclude each other|takes both|in the clear"):
        NotifySettings(smtp=plain | wrong)
