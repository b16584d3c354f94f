"""The configuration of an audit: one YAML file, strictly read, with a default for every key."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import re
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from audit.base import strict
from audit.base.errors import ConfigurationError, UsageError
from audit.base.model import MONEY_SCALE, Severity, money_text
from audit.config.service import Clock, ServiceSettings

_SHARE: Final = re.compile(r"(\d+(?:\.\d+)?)\s*(%?)")


def share(text: object) -> Decimal:
    """A share written as a percentage or a fraction: `1%`, `0.1%`, `0.01`.

    >>> share("1%"), share("0.25")
    (Decimal('0.01'), Decimal('0.25'))

    Raises ValueError for anything else, and beyond 100%.
    """
    found = _SHARE.fullmatch(str(text).strip())
    if found is None:
        raise ValueError(f'a share such as "1%" or "0.01" is expected, not {text!r}')
    value = Decimal(found[1]) / (100 if found[2] else 1)
    if value > 1:
        raise ValueError(f"a share of at most 100% is expected, not {text!r}")
    return value


def money(text: object) -> int:
    """A sum of money in ten-thousandths, from decimal text.

    >>> money("0.50")
    5000

    Raises ValueError for anything that is not an exact, positive sum.
    """
    try:
        value = Decimal(str(text)).scaleb(MONEY_SCALE)
    except InvalidOperation:
        value = Decimal("NaN")
    if not value.is_finite() or value <= 0 or value != value.to_integral_value() or isinstance(text, float):
        raise ValueError(f'a positive sum such as "0.50" is expected, not {text!r}')
    return int(value)


Share = Annotated[Decimal, BeforeValidator(share)]
Money = Annotated[int, BeforeValidator(money)]


def _words(value: object) -> object:
    words = tuple(value.split()) if isinstance(value, str) else value
    if not words:
        raise ValueError('table ids with a space between are expected, or "*" for all')
    return words


def _each_once(value: tuple[str, ...]) -> tuple[str, ...]:
    if not value or len(set(value)) != len(value):
        raise ValueError("at least one language, each once, is expected")
    return value


class _ConfigSection(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Limit(_ConfigSection):
    """Stake limits at some tables: for one bet or all (`*`), and the differential limit of a round.

    `differential` bounds the difference between the player and the banker stakes of a round (arts 13 and 14).
    """

    casino: str | None = None
    tables: Annotated[tuple[str, ...], BeforeValidator(_words)] = ("*",)
    bet: str = "*"
    currency: str | None = None
    min: Money | None = None
    max: Money | None = None
    differential: Money | None = None

    def model_post_init(self, _context: Any, /) -> None:
        """Refuse a limit that says nothing, and one that no stake could meet."""
        if self.min is None and self.max is None and self.differential is None:
            raise ValueError("at least one of min, max and differential is expected")
        if self.min is not None and self.max is not None and self.min > self.max:
            raise ValueError("min lies above max")


class ReportSettings(_ConfigSection):
    """What the report prints: its languages, and how many findings of each check in full."""

    languages: Annotated[tuple[Literal["zh", "pt", "en"], ...], AfterValidator(_each_once)] = ("zh", "pt")
    findings_per_check: int = Field(default=10, ge=1, le=500)


class Settings(_ConfigSection):
    """Every key of the configuration file; see ``config/audit.yaml`` for what each means."""

    casino: str | None = Field(default=None, min_length=1)
    cutoff: Clock = dt.time(6)
    max_quarantine: Share = Decimal("0.01")
    notice: Literal["standard", "clear_days"] = "standard"
    rounding_unit: Money = 100
    fail_on: Severity = Severity.MEDIUM
    paytables: tuple[Path, ...] = ()
    limits: tuple[Limit, ...] = ()
    report: ReportSettings = ReportSettings()
    service: ServiceSettings = ServiceSettings()

    @property
    def digest(self) -> str:
        """SHA-256 of every setting that can change an audit (the service's are its own business)."""
        return hashlib.sha256(json.dumps(self.printed(), sort_keys=True).encode()).hexdigest()

    def printed(self) -> dict[str, Any]:
        """The settings that can change an audit, as the manifest and the report print them."""
        plain = self.model_dump(mode="json", exclude={"service", "paytables"})
        plain["paytables"] = [path.name for path in self.paytables]
        for limit in plain["limits"]:
            limit |= {k: None if limit[k] is None else money_text(limit[k]) for k in ("min", "max", "differential")}
        plain["rounding_unit"] = str(Decimal(self.rounding_unit).scaleb(-MONEY_SCALE).normalize())
        return plain


def load_settings(path: Path | None) -> Settings:
    """The settings of a file, or the defaults where there is none.

    Paths in the file are relative to it. Raises UsageError where it does not exist, ConfigurationError naming the file
    and the key for anything else that is wrong.
    """
    if path is None:
        return Settings()
    if not path.is_file():
        raise UsageError(f"{path}: the configuration file does not exist")
    content, _ = strict.load(path)
    if content is None:
        return Settings()
    if not isinstance(content, dict):
        raise ConfigurationError(f"{path.name}: keys and values are expected")
    try:
        settings = Settings.model_validate(content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(str(part) for part in first["loc"]) or "(top level)"
        words = first["msg"].removeprefix("Value error, ")
        if first["type"] == "extra_forbidden":
            words = f"the key is unknown; known are {', '.join(_known_keys(first['loc'][:-1]))}"
        raise ConfigurationError(f"{path.name}: {key}: {words}") from None
    tables = tuple(path.parent / table for table in settings.paytables)
    return settings.model_copy(update={"paytables": tables, "service": settings.service.within(path.parent)})


def _known_keys(place: tuple[int | str, ...]) -> list[str]:
    section: Any = Settings
    for part in place:
        if isinstance(part, str) and part in section.model_fields:
            inner = section.model_fields[part].annotation
            arguments = [a for a in getattr(inner, "__args__", ()) if hasattr(a, "model_fields")]
            section = inner if hasattr(inner, "model_fields") else (arguments or [section])[0]
    return sorted(section.model_fields)
