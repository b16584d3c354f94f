"""The inputs of a finished run, found again and checked by digest before a single row of them is believed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from audit.base.errors import ConfigurationError, InputRefused, UsageError
from audit.register.sheets import register_files
from audit.runs.locations import find_file
from audit.source.profiles import CANONICAL, SourceProfile, load_profile
from audit.stores.files import SourceFile, resolve

ROLES: Final = ("rounds", "wagers", "approvals", "events")


@dataclass(frozen=True)
class TracedInputs:
    """The files of a run by role, in the order of its manifest, and how they are read."""

    rounds: tuple[SourceFile, ...]
    wagers: tuple[SourceFile, ...]
    approvals: tuple[SourceFile, ...]
    events: tuple[SourceFile, ...]
    profile: SourceProfile


def find_inputs(
    manifest: Mapping[str, Any], given: Mapping[str, Sequence[str | Path]] | None = None, source: str | None = None
) -> TracedInputs:
    """The inputs of a run: those `given` by role, else where they were last seen, else of that name in this folder.

    `source` says where the source profile is that the manifest names. Raises InputRefused naming the file or profile
    that is not there or whose content is not what the run read, UsageError for a path or profile that does not exist.
    """
    given = given or {}
    files = {role: tuple(_of_role(manifest, role, given.get(role, ()))) for role in ROLES}
    profile = _profile(source or manifest["arguments"].get("source", CANONICAL.name))
    read_with = manifest["configuration"].get("source_profile", {}).get("digest", profile.digest)
    if profile.digest != read_with:
        raise InputRefused(f"the source profile {profile.name} is not the one that the run was read with")
    return TracedInputs(**files, profile=profile)


def _profile(name: str) -> SourceProfile:
    if name == CANONICAL.name:
        return CANONICAL
    try:
        return load_profile(name)
    except ConfigurationError as error:
        raise UsageError(f"{error}; the run was read with the source profile {name}") from None


def _of_role(manifest: Mapping[str, Any], role: str, given: Sequence[str | Path]) -> Iterator[SourceFile]:
    listed = [item for item in manifest["inputs"] if item["role"] == role]
    if not listed:
        return
    at_hand = {file.sha256(): file for file in _given(role, given)} if given else None
    for item in listed:
        digest, name = item["sha256"], item["file"]
        file = _last_seen(name, digest, role) if at_hand is None else at_hand.get(digest)
        if file is None:
            raise InputRefused(
                f"{name}: none of the files named with --{role} has the content that the run read "
                f"(SHA-256 {digest[:12]}…)"
            )
        yield replace(file, name=name)


def _given(role: str, paths: Sequence[str | Path]) -> Sequence[SourceFile]:
    if role == "approvals":
        return [SourceFile(path, path.name) for path in register_files(paths)]
    return resolve([str(path) for path in paths], role)


def _last_seen(name: str, digest: str, role: str) -> SourceFile:
    """The file where it was last seen or in this folder, its digest checked."""
    changed = False
    here = (SourceFile(path, name) for path in (Path(name), Path(Path(name).name)) if path.is_file())
    for file in (find_file(digest, name), *here):
        if file is None:
            continue
        if file.sha256() == digest:
            return file
        changed = True
    what = "has other content than the run read" if changed else "is not where the run read it, nor in this folder"
    raise InputRefused(f"{name} {what}; name the file with --{role}")
