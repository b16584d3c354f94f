"""A working site: laid out for a new user, and looked over by `config check`."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from audit.base.errors import AuditError, UsageError
from audit.base.resources import resource_dir

if TYPE_CHECKING:
    from audit.config.settings import Settings

CONFIGURATION: Final = Path("config") / "audit.yaml"

_CHANGES: Final = (
    ("  inbox: inbox\n", "  inbox: ../inbox\n"),
    ("  output: audits\n", "  output: ../audits\n"),
    ("  approvals: null\n", "  approvals: register.csv\n"),
)
"""Where the documented configuration differs for a site, whose configuration has a folder of its own."""


def lay_out(folder: Path, *, sample: bool = False) -> list[Path]:
    """Make a site: configuration, sample register, paytables, inbox, output folder and a page that explains them.

    With `sample` the inbox gets a made-up gaming day with known faults. The answer is what was made. Raises UsageError
    where the folder is not empty or cannot be written.
    """
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise UsageError(f"{folder} is not empty; name a new folder")
        for name in ("config", "inbox", "audits"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        source = resource_dir("config")
        for name in ("paytables", "sources"):
            shutil.copytree(source / name, folder / "config" / name)
        shutil.copyfile(source / "register.csv", folder / "config" / "register.csv")
        shutil.copyfile(source / "site" / "README.md", folder / "README.md")
        (folder / CONFIGURATION).write_text(_configuration(source / "audit.yaml"), encoding="utf-8")
        if sample:
            _deliver_sample(folder / "inbox")
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error.strerror or error}") from None
    return sorted(path for path in folder.rglob("*") if path.is_file())


def _configuration(documented: Path) -> str:
    text = documented.read_text(encoding="utf-8")
    for before, after in _CHANGES:
        # A change of the documented file that this misses must not go by in silence.
        if text.count(before) != 1:
            raise LookupError(before)
        text = text.replace(before, after)
    return text


def _deliver_sample(inbox: Path) -> None:
    """Deliver the demonstration's gaming day as a supplier would: files, manifest, and the mark last."""
    from audit.demo import make_demo
    from audit.demo.day import CASINO, GAMING_DAY

    folder = inbox / CASINO / GAMING_DAY.isoformat()
    files = make_demo(folder)
    roles = {"rounds": files.rounds, "wagers": files.wagers, "approvals": files.approvals, "events": files.events}
    items = [
        {"role": role, "path": path.name, "sha256": _sha256(path), "bytes": path.stat().st_size}
        for role, path in roles.items()
    ]
    content = {"casino": CASINO, "gaming_day": GAMING_DAY.isoformat(), "files": items}
    (folder / "manifest.json").write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    (folder / "_SUCCESS").touch()


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@dataclass(frozen=True, slots=True)
class Point:
    """One thing that a configuration names, and what is wrong with it; None where nothing is."""

    key: str
    problem: str | None


def look_over(settings: Settings) -> Iterator[Point]:
    """Whether everything is there that the settings name: paytables, register, profiles, folders, ledger, secrets."""
    service = settings.service
    yield _point("paytables", lambda: _paytables(settings))
    yield _point("service.inbox", lambda: _folder(service.inbox, os.R_OK | os.X_OK))
    yield _point("service.output", lambda: _writable(service.output))
    yield _point("service.approvals", lambda: _register(service.approvals))
    yield _point("service.source", lambda: _profiles([service.source, *service.sources.values()]))
    yield _point("service.ledger", lambda: _ledger(service.ledger_url))
    yield _point("service.notify", lambda: _notify(settings))


def _point(key: str, look: Callable[[], None]) -> Point:
    try:
        look()
    except AuditError as error:
        return Point(key, str(error))
    return Point(key, None)


def _paytables(settings: Settings) -> None:
    from audit.games.paytable_files import load_paytables

    load_paytables(settings.paytables)


def _folder(path: Path, mode: int) -> None:
    if not path.is_dir():
        raise UsageError(f"the folder {path} does not exist")
    if not os.access(path, mode):
        raise UsageError(f"the folder {path} is not open to this user")


def _writable(path: Path) -> None:
    there = next(each for each in (path, *path.absolute().parents) if each.exists())
    _folder(there, os.W_OK | os.X_OK)


def _register(path: Path | None) -> None:
    from audit.register.register import load_register

    if path is not None:
        load_register(path)


def _profiles(names: list[str]) -> None:
    from audit.source.profiles import load_profile

    for name in names:
        if name != "canonical":
            load_profile(name)


def _ledger(url: str) -> None:
    from contextlib import closing

    from audit.store.ledger import Ledger
    from audit.store.opening import engine_for

    try:
        with closing(Ledger.read(url)):
            return
    except UsageError:
        # No ledger yet: the service will make it, if its place can be written.
        engine = engine_for(url)
        engine.dispose()


def _notify(settings: Settings) -> None:
    from audit.service.notify import secret, trust, webhook_of

    notify = settings.service.notify
    if notify.smtp is not None:
        secret(notify.smtp.user_env, notify.smtp.user_file)
        secret(notify.smtp.password_env, notify.smtp.password_file)
    if notify.webhook or notify.webhook_env or notify.webhook_file:
        webhook_of(notify)
    trust(notify.ca_file)


def shown(settings: Settings) -> dict[str, Any]:
    """Every setting as it applies, without anything secret: of a webhook the host only, of a URL no password."""
    import sqlalchemy as sa

    plain: dict[str, Any] = settings.model_dump(mode="json", by_alias=True)
    plain |= settings.printed() | {"service": plain["service"], "paytables": [str(p) for p in settings.paytables]}
    service = plain["service"]
    url = sa.make_url(settings.service.ledger_url)
    service["ledger"] = url.difference_update_query(["password"]).render_as_string(hide_password=True)
    webhook = service["notify"]["webhook"]
    if webhook is not None:
        scheme, _, rest = webhook.partition("://")
        host, slash, path = rest.partition("/")
        service["notify"]["webhook"] = f"{scheme}://{host}{slash}{'***' if path else ''}"
    return plain
