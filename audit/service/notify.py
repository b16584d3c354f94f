"""Tell people: by mail, by webhook, through an outbox on disk, so that a server that is down loses no message.

A message is written to the outbox before the event is recorded in the ledger and leaves it when every channel has
taken it: people may be told twice after a crash, never not at all.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import http.client
import json
import os
import smtplib
import ssl
import urllib.error
import urllib.request
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path
from threading import Lock
from typing import Any, Final

from audit.base.errors import ConfigurationError, MachineFailure
from audit.base.model import LANGUAGES
from audit.config.service import NotifySettings, SmtpSettings
from audit.service.health import moment, write_whole
from audit.service.log import EventLog
from audit.service.words import BODIES, CLOSING, SUBJECTS

TIMEOUT: Final = 20
"""Seconds that a mail or web server may take for each step."""

_DELIVERY_ERRORS: Final = (OSError, smtplib.SMTPException, http.client.HTTPException, ConfigurationError, ValueError)


@dataclass(frozen=True, slots=True)
class Message:
    """One message: its kind, when it arose, and the values that its words name."""

    kind: str
    at: dt.datetime
    facts: Mapping[str, str | int]

    @property
    def name(self) -> str:
        """What the message is filed under: the same event gives the same name, so that it is filed once."""
        subject = json.dumps([self.kind, dict(self.facts)], sort_keys=True).encode()
        return hashlib.sha256(subject).hexdigest()[:32]


class Notifier:
    """The outbox of one service and its channels."""

    def __init__(self, settings: NotifySettings, outbox: Path) -> None:
        self._settings = settings
        self._outbox = outbox
        self._guard = Lock()
        self._log = EventLog()
        self._channels: dict[str, Callable[[Mapping[str, Any]], None]] = {}
        if settings.smtp:
            smtp = settings.smtp
            self._channels["smtp"] = lambda message: send_mail(smtp, message, settings.ca_file)
        if settings.webhook or settings.webhook_env or settings.webhook_file:
            self._channels["webhook"] = lambda message: post(webhook_of(settings), message, settings.ca_file)

    def file(self, notice: Message) -> None:
        """Put a message into the outbox. Never raises: what cannot be filed is in the log."""
        if not self._channels:
            return
        message = {
            "kind": notice.kind,
            "at": moment(notice.at),
            "id": notice.name,
            "facts": dict(notice.facts),
            "pending": sorted(self._channels),
        }
        try:
            self._write(notice.name, message)
        except MachineFailure as error:
            self._log.fault("notice.lost", reason=str(error))

    def flush(self) -> int:
        """Try to deliver what the outbox holds; the number of messages that remain. Never raises."""
        remaining = 0
        down: set[str] = set()
        with self._guard:
            for path in sorted(self._outbox.glob("*.json")):
                try:
                    remaining += self._deliver(path, down)
                except (OSError, ValueError, KeyError, TypeError, MachineFailure) as error:
                    remaining += 1
                    self._log.fault("notice.unreadable", file=path.name, error=type(error).__name__)
        return remaining

    def _deliver(self, path: Path, down: set[str]) -> bool:
        """Deliver one message; whether it must wait. A channel that failed is not asked again in the same flush."""
        message = json.loads(path.read_bytes())
        waiting = [channel for channel in message["pending"] if channel in self._channels]
        left = []
        for channel in waiting:
            if channel in down:
                left.append(channel)
                continue
            try:
                self._channels[channel](message)
                self._log.info("notice.sent", channel=channel)
            except _DELIVERY_ERRORS as error:
                left.append(channel)
                down.add(channel)
                self._log.warning("notice.deferred", channel=channel, error=type(error).__name__)
        if not left:
            path.unlink()
        elif left != message["pending"]:
            self._write(path.stem, message | {"pending": left})
        return bool(left)

    def _write(self, name: str, message: Mapping[str, Any]) -> None:
        write_whole(self._outbox / f"{name}.json", json.dumps(message, ensure_ascii=False, sort_keys=True).encode())


def words(message: Mapping[str, Any]) -> tuple[str, str]:
    """Subject and body of a message, in the three languages; a value that is not known shows as a dash."""
    facts: defaultdict[str, object] = defaultdict(lambda: "—", message["facts"])
    subject = " · ".join(SUBJECTS[message["kind"]].in_language(each).format_map(facts) for each in LANGUAGES)
    paragraphs = [
        BODIES[message["kind"]].in_language(each).format_map(facts) + "\n" + CLOSING.in_language(each).format_map(facts)
        for each in LANGUAGES
    ]
    return subject.replace("\n", " ").replace("\r", " "), "\n\n".join(paragraphs) + "\n"


def send_mail(settings: SmtpSettings, message: Mapping[str, Any], authority: Path | None = None) -> None:
    """Send one message by SMTP; raises OSError, SMTPException or ConfigurationError where it is not taken."""
    mail = EmailMessage()
    subject, body = words(message)
    mail["Subject"] = subject
    mail["From"] = settings.sender
    mail["To"] = ", ".join(settings.to)
    mail["Date"] = format_datetime(dt.datetime.fromisoformat(message["at"]))
    # The same message sent twice has the same id, so that a mail program can show it once.
    mail["Message-ID"] = f"<{message['id']}@{settings.sender.rsplit('@', 1)[1]}>"
    mail["Auto-Submitted"] = "auto-generated"
    mail.set_content(body)
    user = secret(settings.user_env, settings.user_file)
    password = secret(settings.password_env, settings.password_file)
    server: smtplib.SMTP
    if settings.tls == "implicit":
        server = smtplib.SMTP_SSL(settings.host, settings.port, timeout=TIMEOUT, context=trust(authority))
    else:
        server = smtplib.SMTP(settings.host, settings.port, timeout=TIMEOUT)
    with server:
        if settings.tls == "starttls":
            server.starttls(context=trust(authority))
        if user is not None and password is not None:
            server.login(user, password)
        server.send_message(mail)


def post(address: str, message: Mapping[str, Any], authority: Path | None = None) -> None:
    """Post one message as JSON; redirects are not followed. Raises OSError where it is not taken."""
    subject, body = words(message)
    content = {name: message[name] for name in ("kind", "at", "id", "facts")} | {"subject": subject, "body": body}
    request = urllib.request.Request(  # noqa: S310  the settings allow http and https only
        address,
        data=json.dumps(content, ensure_ascii=False).encode(),
        headers={"Content-Type": "application/json; charset=utf-8", "User-Agent": "dicj-audit"},
        method="POST",
    )
    handlers: list[Any] = [_NoRedirect]
    if address.startswith("https:"):
        handlers.append(urllib.request.HTTPSHandler(context=trust(authority)))
    with urllib.request.build_opener(*handlers).open(request, timeout=TIMEOUT):
        pass


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        """Follow nothing: the error of the first answer is then raised."""


def trust(authority: Path | None) -> ssl.SSLContext:
    """The machine's certificates, and those of the house's own authority.

    Raises ConfigurationError where these cannot be read.
    """
    context = ssl.create_default_context()
    if authority is not None:
        try:
            context.load_verify_locations(authority)
        except (OSError, ssl.SSLError) as error:
            raise ConfigurationError(f"service.notify.ca_file: {authority.name} holds no certificates") from error
    return context


def webhook_of(settings: NotifySettings) -> str:
    """The webhook's address, wherever it stands.

    Raises ConfigurationError where it cannot be read or is no web address.
    """
    address = settings.webhook or secret(settings.webhook_env, settings.webhook_file) or ""
    if not address.startswith(("https://", "http://")):
        raise ConfigurationError("service.notify.webhook: an address that starts with https:// or http:// is expected")
    return address


def secret(variable: str | None, file: Path | None) -> str | None:
    """What an environment variable or a file holds, None where neither is named.

    Raises ConfigurationError, which never quotes the secret, where it is missing.
    """
    if variable is not None:
        try:
            return os.environ[variable]
        except KeyError as error:
            raise ConfigurationError(f"service.notify: the environment variable {variable} is not set") from error
    if file is None:
        return None
    try:
        return file.read_text(encoding="utf-8").strip()
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"service.notify: the file {file.name} cannot be read") from error
