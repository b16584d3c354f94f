"""Where inputs were last seen, by digest, in the operator's own state folder.

A manifest names its inputs and their digests but no path, so that it is the same on every machine. `investigate` reads
the inputs again; this note, which is no part of a run, spares the operator naming them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from audit.base.errors import AuditError
from audit.stores.files import SourceFile

_MOST: Final = 2_000


def _note() -> Path:
    base = os.environ.get("XDG_STATE_HOME")
    folder = Path(base) if base else Path.home() / ".local" / "state"
    return folder / "dicj-audit" / "inputs.json"


def remember(files: Iterable[SourceFile]) -> None:
    """Note where each file is; a state folder that cannot be written is no reason to fail."""
    try:
        known = _read()
        for file in list(files)[-_MOST:]:
            digest = file.sha256()
            known.pop(digest, None)
            if file.remote is None:
                known[digest] = str(file.path.absolute())
            elif file.remote.url is not None:
                known[digest] = file.remote.url
        kept = dict(list(known.items())[-_MOST:])
        note = _note()
        note.parent.mkdir(parents=True, exist_ok=True)
        fresh = note.with_suffix(f".{os.getpid()}")
        fresh.write_text(json.dumps(kept, indent=1), encoding="utf-8")
        fresh.replace(note)
    except (OSError, RuntimeError):
        return


def _read() -> dict[str, str]:
    try:
        content = json.loads(_note().read_text(encoding="utf-8"))
    except (OSError, RuntimeError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def find(digest: str) -> Path | None:
    """The file at hand last seen with this digest, if it is still there; the caller checks the digest."""
    path = _read().get(digest)
    return Path(path) if path and Path(path).is_file() else None


def find_file(digest: str, name: str) -> SourceFile | None:
    """The same, in a store too, as a file of that name; the caller checks the digest."""
    place = _read().get(digest, "")
    if "://" not in place:
        path = find(digest)
        return None if path is None else SourceFile(path, name)
    from audit.stores.remote import look

    try:
        files = look(place).files
    except AuditError:
        return None
    return SourceFile(files[0][0].path, name, remote=files[0][0]) if files else None
