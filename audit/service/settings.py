"""The `service` section of the configuration."""

from __future__ import annotations

import datetime as dt
import re
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator

from audit.model import Severity

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


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class SmtpSettings(_Section):
    """How mail is sent; user and password are read from the environment variables named here, never from a file."""

    host: str = Field(min_length=1)
    port: int = Field(default=587, ge=1, le=65535)
    tls: Literal["starttls", "implicit", "none"] = "starttls"
    sender: str = Field(alias="from")
    to: Annotated[tuple[str, ...], BeforeValidator(_several), Field(min_length=1)]
    user_env: str | None = None
    password_env: str | None = None

    @field_validator("sender", "to")
    @classmethod
    def _addresses(cls, value: str | tuple[str, ...]) -> str | tuple[str, ...]:
        for address in [value] if isinstance(value, str) else value:
            if not _ADDRESS.fullmatch(address):
                raise ValueError(f"{address!r} is not a mail address")
        return value


class NotifySettings(_Section):
    """Who is told: by mail, by webhook, by both or not at all (the log and the ledger have everything anyway).

    `threshold` is the severity from which the findings of a run are worth a message; refusals, failures and alarms
    always are.
    """

    smtp: SmtpSettings | None = None
    webhook: str | None = None
    threshold: Severity = Severity.HIGH

    @field_validator("webhook")
    @classmethod
    def _web_only(cls, value: str | None) -> str | None:
        if value is not None and not re.match(r"https?://[^/\s]+", value):
            raise ValueError("an address that starts with https:// or http:// is expected")
        return value


class ServiceSettings(_Section):
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
        places = {"inbox": folder / self.inbox, "output": folder / self.output, "ledger": ledger}
        return self.model_copy(update={**places, "approvals": self.approvals and folder / self.approvals})

    def model_post_init(self, _context: Any, /) -> None:
        """Refuse two times of day that are the same, which would look like two passes and be one."""
        if len(set(self.schedule)) != len(self.schedule):
            raise ValueError("schedule: the same time stands twice")
