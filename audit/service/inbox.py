"""The inbox: `inbox/<casino>/<gaming_day>/` with the files of the day, `manifest.json` and, written last, `_SUCCESS`.

manifest.json is a JSON object with a list `files`; each item has `role` (`rounds`, `wagers`, `approvals` or
`events`), `path` (relative to the folder), `sha256` and, if the supplier wants them checked, `bytes` and `rows`.
`casino` and `gaming_day`, where given, must be those of the folder. Other keys of the object are ignored, other keys of
an item are not: a misspelt control total must not pass for one that was met.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final, NoReturn

from audit.base.errors import InputRefused, UsageError

MANIFEST: Final = "manifest.json"
MARK: Final = "_SUCCESS"
ROLES: Final = ("rounds", "wagers", "approvals", "events")

_CASINO: Final = re.compile(r"\w[\w .+-]{0,126}")
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_SHA256: Final = re.compile(r"[0-9a-fA-F]{64}")
_ITEM_KEYS: Final = frozenset({"role", "path", "sha256", "bytes", "rows"})
_MOST_BYTES: Final = 1 << 20
_MOST_FILES: Final = 10_000


class DeliveryRefused(InputRefused):
    """A delivery is complete and cannot be used; the sentence says why."""


@dataclass(frozen=True, slots=True)
class Item:
    """One file of a delivery; `rows` and `bytes` are what the supplier says, None where it does not."""

    role: str
    path: PurePosixPath
    sha256: str
    bytes: int | None
    rows: int | None


@dataclass(frozen=True, slots=True)
class Delivery:
    """A gaming day as its supplier's manifest describes it."""

    casino: str
    gaming_day: dt.date
    folder: Path
    items: tuple[Item, ...]

    @property
    def digest(self) -> str:
        """SHA-256 that names the delivery: casino, day, and role and digest of each file in any order."""
        content = [self.casino, self.gaming_day.isoformat(), sorted([item.role, item.sha256] for item in self.items)]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()

    def files(self, role: str) -> list[Path]:
        """The files of one role, in the manifest's order."""
        return [self.folder / item.path for item in self.items if item.role == role]


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of the inbox that is named like a gaming day of a casino."""

    casino: str
    gaming_day: dt.date
    path: Path

    @property
    def complete(self) -> bool:
        """Whether the supplier has written the mark that says it has finished."""
        return (self.path / MARK).is_file()

    @property
    def state(self) -> str:
        """SHA-256 of what the folder holds by name, size and time: a refusal is recorded once for each state."""
        digest = hashlib.sha256(f"{self.casino}/{self.gaming_day}".encode())
        for number, (name, status) in enumerate(sorted(_walk(self.path))):
            if number >= _MOST_FILES:
                break
            digest.update(
                f"\n{name}\t{status.st_mode}\t{status.st_size}\t{status.st_mtime_ns}".encode(errors="replace")
            )
        return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class Found:
    """What one look into the inbox saw: `folders`, oldest day first, and the casinos that could not be looked into."""

    folders: tuple[Folder, ...]
    unreadable: tuple[str, ...]


def find(inbox: Path) -> Found:
    """Look for the folders of gaming days; names that are not a casino or a day are passed over.

    Raises UsageError where the inbox itself cannot be read.
    """
    try:
        casinos = sorted(each for each in inbox.iterdir() if _CASINO.fullmatch(each.name) and each.is_dir())
    except OSError as error:
        raise UsageError(f"the inbox {inbox.name!r} cannot be read: {error.strerror}") from error
    folders: list[Folder] = []
    unreadable = []
    for casino in casinos:
        try:
            days = [day for day in casino.iterdir() if _is_day(day.name) and day.is_dir()]
        except OSError:
            unreadable.append(casino.name)
        else:
            folders += (Folder(casino.name, dt.date.fromisoformat(day.name), day) for day in days)
    folders.sort(key=lambda folder: (folder.gaming_day, folder.casino))
    return Found(tuple(folders), tuple(unreadable))


def read(inbox: Path, folder: Folder) -> Delivery:
    """The delivery in a complete folder, as its manifest describes it; the files themselves are not read yet.

    Raises DeliveryRefused for a manifest that is missing or malformed, and for a path that leaves the folder.
    """
    home = folder.path.resolve()
    if home != inbox.resolve() / folder.casino / folder.path.name:
        raise DeliveryRefused(f"{folder.path.name} is a link that leads elsewhere; deliver the folder itself")
    content = _manifest(folder.path / MANIFEST)
    for key, expected in (("casino", folder.casino), ("gaming_day", folder.gaming_day.isoformat())):
        if content.get(key, expected) != expected:
            raise DeliveryRefused(f"{MANIFEST}: {key} is not that of the folder, {expected}")
    files = content.get("files")
    if not isinstance(files, list) or not files:
        raise DeliveryRefused(f"{MANIFEST}: a list 'files' with at least one item is expected")
    if len(files) > _MOST_FILES:
        raise DeliveryRefused(f"{MANIFEST}: more than {_MOST_FILES} files")
    items = tuple(_item(home, entry, f"{MANIFEST}: files[{number}]") for number, entry in enumerate(files))
    delivery = Delivery(folder.casino, folder.gaming_day, home, items)
    if len({item.path for item in items}) < len(items):
        raise DeliveryRefused(f"{MANIFEST}: a file is listed twice")
    if not delivery.files("rounds"):
        raise DeliveryRefused(f"{MANIFEST}: no file has the role rounds")
    if len(delivery.files("approvals")) > 1:
        raise DeliveryRefused(f"{MANIFEST}: more than one file has the role approvals")
    return delivery


def verify(delivery: Delivery) -> None:
    """Read every file once and compare it with the manifest.

    Raises DeliveryRefused naming the first file that is missing, of another size or of another digest.
    """
    for item in delivery.items:
        path = delivery.folder / item.path
        try:
            with path.open("rb") as file:
                size = os.fstat(file.fileno()).st_size
                if item.bytes is not None and size != item.bytes:
                    raise DeliveryRefused(f"{item.path} has {size} bytes, the manifest says {item.bytes}")
                found = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise DeliveryRefused(f"{item.path} cannot be read: {error.strerror}") from error
        if found != item.sha256:
            raise DeliveryRefused(f"{item.path} is not the file that the manifest describes: its SHA-256 differs")


def _is_day(name: str) -> bool:
    try:
        return bool(_DAY.fullmatch(name)) and bool(dt.date.fromisoformat(name))
    except ValueError:
        return False


def _walk(folder: Path) -> Iterator[tuple[str, os.stat_result]]:
    for parent, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(parent) / name
            try:
                yield path.relative_to(folder).as_posix(), path.lstat()
            except OSError:
                # Gone since it was listed: the supplier is at work, the next look sees what became of it.
                continue


def _manifest(path: Path) -> dict[str, Any]:
    try:
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode):
            raise DeliveryRefused(f"{MANIFEST} is not a regular file")
        if status.st_size > _MOST_BYTES:
            raise DeliveryRefused(f"{MANIFEST} is larger than {_MOST_BYTES} bytes")
        content = json.loads(path.read_bytes().decode("utf-8-sig"), object_pairs_hook=_no_repeats)
    except FileNotFoundError as error:
        raise DeliveryRefused(f"{MANIFEST} is missing") from error
    except OSError as error:
        raise DeliveryRefused(f"{MANIFEST} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise DeliveryRefused(f"{MANIFEST} is not well-formed JSON in UTF-8") from error
    if not isinstance(content, dict):
        raise DeliveryRefused(f"{MANIFEST}: an object is expected")
    return content


def _no_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        raise ValueError("a key stands twice")
    return content


def _item(home: Path, entry: object, where: str) -> Item:
    def refuse(what: str) -> NoReturn:
        raise DeliveryRefused(f"{where}: {what}")

    if not isinstance(entry, dict):
        refuse("an object is expected")
    if unknown := sorted(set(entry) - _ITEM_KEYS):
        refuse(f"unknown key {unknown[0]!r}; allowed: {', '.join(sorted(_ITEM_KEYS))}")
    role, sha256 = entry.get("role"), entry.get("sha256")
    if role not in ROLES:
        refuse(f"the role is none of {', '.join(ROLES)}")
    if not isinstance(sha256, str) or not _SHA256.fullmatch(sha256):
        refuse("sha256 is not 64 hexadecimal digits")
    for key in ("bytes", "rows"):
        number = entry.get(key)
        if number is not None and (isinstance(number, bool) or not isinstance(number, int) or number < 0):
            refuse(f"{key} is not a whole number")
    return Item(role, _path(home, entry.get("path"), where), sha256.lower(), entry.get("bytes"), entry.get("rows"))


def _path(home: Path, name: object, where: str) -> PurePosixPath:
    """A path of the manifest, once it is sure that it stays within the folder, by name and by link."""
    if not isinstance(name, str) or not name or any(sign in name for sign in "\\\0:"):
        raise DeliveryRefused(f"{where}: path is not a relative path with / between its parts")
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        raise DeliveryRefused(f"{where}: path leaves the folder of the delivery")
    try:
        real = (home / path).resolve()
        inside, regular = real.is_relative_to(home), real.is_file() or not real.exists()
    except (OSError, RuntimeError) as error:
        raise DeliveryRefused(f"{where}: path cannot be followed") from error
    if not inside:
        raise DeliveryRefused(f"{where}: path leaves the folder of the delivery by a link")
    if not regular:
        raise DeliveryRefused(f"{where}: path is not a regular file")
    return path
