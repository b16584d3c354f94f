"""The `service` section of the configuration."""

from __future__ import annotations

import datetime as dt
import re
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator

from audit.base.model import Severity

_ADDRESS: Final = re.compile(r"[^\s@,;<>]+@[^\s@,;<>]+")
_CLOCK: Final = re.compile(r"([01][0-9]|2[0-3]):[0-5][0-9]")
_SQLITE_FILE: Final = re.compile(r"sqlite(?:\+\w+)?:///(?P<path>[^?]+)(?:\?.*)?")


def _clock(value: object) -> object:
    if not isinstance(value, dt.time) and not (isinstance(value, str) and _CLOCK.fullmatch(value)):
        raise ValueError('a time of day is expected, as "04:30"')
    return value


def _several(value: object) -> object:
    return [value] if isinstance(value, str | dt.time) else value


Clock = Annotated[dt.time, BeforeValidator(_clock)]


class _ServiceSection(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


def _one_source(section: _ServiceSection, name: str) -> None:
    if getattr(section, f"{name}_env") and getattr(section, f"{name}_file"):
        raise ValueError(f"{name}_env and {name}_file exclude each other")


class SmtpSettings(_ServiceSection):
    """How mail is sent; user and password come from the environment variables or the files named here."""

    host: str = Field(min_length=1)
    port: int = Field(default=587, ge=1, le=65535)
    tls: Literal["starttls", "implicit", "none"] = "starttls"
    sender: str = Field(alias="from")
    to: Annotated[tuple[str, ...], BeforeValidator(_several), Field(min_length=1)]
    user_env: str | None = None
    password_env: str | None = None
    user_file: Path | None = None
    password_file: Path | None = None

    def model_post_init(self, _context: Any, /) -> None:
        """Refuse two sources of one secret, half of a login, and a password that would travel in the clear."""
        for name in ("user", "password"):
            _one_source(self, name)
        given = [bool(getattr(self, f"{name}_env") or getattr(self, f"{name}_file")) for name in ("user", "password")]
        if given[0] != given[1]:
            raise ValueError("a login takes both a user and a password")
        if any(given) and self.tls == "none":
            raise ValueError("a login without TLS would send the password in the clear; set tls")

    @field_validator("sender", "to")
    @classmethod
    def _addresses(cls, value: str | tuple[str, ...]) -> str | tuple[str, ...]:
        for address in [value] if isinstance(value, str) else value:
            if not _ADDRESS.fullmatch(address):
                raise ValueError(f"{address!r} is not a mail address")
        return value


class NotifySettings(_ServiceSection):
    """Who is told: by mail, by webhook, by both or not at all (the log and the ledger have everything anyway).

    `threshold` is the severity from which the findings of a run are worth a message; refusals, failures and alarms
    always are. An address of a webhook that is itself a secret comes from `webhook_env` or `webhook_file`. `link` is
    where the output folder can be read, for the links in messages; `ca_file` the certificates of the house's own
    authority.
    """

    smtp: SmtpSettings | None = None
    webhook: str | None = None
    webhook_env: str | None = None
    webhook_file: Path | None = None
    threshold: Severity = Severity.HIGH
    link: str | None = None
    ca_file: Path | None = None

    @field_validator("webhook", "link")
    @classmethod
    def _web_only(cls, value: str | None) -> str | None:
        if value is not None and not re.match(r"https?://[^/\s]+", value):
            raise ValueError("an address that starts with https:// or http:// is expected")
        if value is not None and re.match(r"https?://[^/\s]*@", value):
            raise ValueError("a password does not belong in this file; see webhook_env and webhook_file")
        return value

    def model_post_init(self, _context: Any, /) -> None:
        """Refuse two sources of the webhook's address."""
        _one_source(self, "webhook")
        if self.webhook and (self.webhook_env or self.webhook_file):
            raise ValueError("webhook excludes webhook_env and webhook_file")

    def within(self, folder: Path) -> NotifySettings:
        """The same settings with relative paths taken from `folder`."""

        def place(section: _ServiceSection, *names: str) -> dict[str, Path]:
            found = {name: getattr(section, name) for name in names}
            return {name: folder / path for name, path in found.items() if path is not None}

        smtp = self.smtp and self.smtp.model_copy(update=place(self.smtp, "user_file", "password_file"))
        return self.model_copy(update={"smtp": smtp, **place(self, "webhook_file", "ca_file")})


class ServiceSettings(_ServiceSection):
    """Where the service finds gaming days, where it puts audits, when it looks, and whom it tells.

    `approvals` is the register used where a delivery brings none; `sources` names the source profile of a casino whose
    files are not in the layout `source`. `casinos` are the houses expected to deliver every day, beyond those already
    seen; a gaming day with no audit `deadline_hours` after its close is an alarm, and so is a pass that runs longer
    than `alarm_hours`. Only the last `lookback_days` are watched.
    """

    inbox: Path = Path("inbox")
    output: Path = Path("audits")
    ledger: str | None = None
    schedule: Annotated[tuple[Clock, ...], BeforeValidator(_several), Field(min_length=1)] = (dt.time(4, 30),)
    timezone: Literal["Asia/Macau"] = "Asia/Macau"
    notify: NotifySettings = NotifySettings()
    casinos: tuple[str, ...] = ()
    approvals: Path | None = None
    source: str = "canonical"
    sources: dict[str, str] = Field(default_factory=dict)
    deadline_hours: int = Field(default=24, ge=1)
    lookback_days: int = Field(default=14, ge=1, le=366)
    alarm_hours: int = Field(default=6, ge=1)

    @field_validator("ledger")
    @classmethod
    def _no_password(cls, value: str | None) -> str | None:
        if value is not None and (re.match(r"[^/]+://[^/@]*:[^/@]+@", value) or "password=" in value):
            raise ValueError("a password does not belong in this file; PGPASSWORD or the file of PGPASSFILE holds it")
        return value

    @property
    def ledger_url(self) -> str:
        """The SQLAlchemy URL of the ledger: a SQLite file in the output folder unless configured."""
        return self.ledger or f"sqlite:///{(self.output / 'ledger.sqlite').as_posix()}"

    def beside_ledger(self, suffix: str) -> Path:
        """A file of the service's own state: beside the ledger's file, or in the output folder for a database server.

        >>> ServiceSettings(ledger="sqlite:///state/ledger.sqlite").beside_ledger("lock").as_posix()
        'state/ledger.sqlite.lock'
        >>> ServiceSettings(ledger="postgresql://db/audit").beside_ledger("lock").as_posix()
        'audits/ledger.lock'
        """
        found = _SQLITE_FILE.fullmatch(self.ledger_url)
        base = Path(found["path"]) if found and found["path"] != ":memory:" else self.output / "ledger"
        return base.with_name(f"{base.name}.{suffix}")

    def profile_of(self, casino: str) -> str:
        """The source profile of a casino's files."""
        return self.sources.get(casino, self.source)

    def within(self, folder: Path) -> ServiceSettings:
        """The same settings with relative paths, that of a SQLite ledger too, taken from `folder`.

        >>> ServiceSettings(ledger="sqlite:///ledger.sqlite").within(Path("etc")).ledger
        'sqlite:///etc/ledger.sqlite'
        """
        found = _SQLITE_FILE.fullmatch(self.ledger or "")
        path = found["path"] if found else ""
        ledger = self.ledger
        if ledger and path and path != ":memory:":
            ledger = ledger.replace(f"///{path}", f"///{(folder / path).as_posix()}", 1)
        places: dict[str, Any] = {"inbox": folder / self.inbox, "output": folder / self.output, "ledger": ledger}
        places["notify"] = self.notify.within(folder)
        return self.model_copy(update={**places, "approvals": self.approvals and folder / self.approvals})

    def model_post_init(self, _context: Any, /) -> None:
        """Refuse two times of day that are the same, which would look like two passes and be one."""
        if len(set(self.schedule)) != len(self.schedule):
            raise ValueError("schedule: the same time stands twice")
