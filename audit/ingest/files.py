"""Which files an argument names: a file, a folder with everything below it, or a glob."""

from __future__ import annotations

import glob
import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from audit.errors import InputRefused, UsageError

_CSV: Final = (".csv", ".csv.gz", ".csv.zst")
_JSON: Final = (
    *(".jsonl", ".jsonl.gz", ".jsonl.zst", ".ndjson", ".ndjson.gz", ".ndjson.zst"),
    *(".json", ".json.gz", ".json.zst"),
)

SUFFIXES: Final = (".parquet", *_CSV, *_JSON, ".xlsx")
"""Endings of the file names that can be read."""

_MARKERS: Final = (".json", ".json.gz", ".json.zst")
"""Endings that must be named: in a folder of logs, a single JSON document is a manifest or a setting."""

_COMPRESSION: Final = {".gz": "gzip", ".zst": "zstd"}

_WILDCARDS: Final = frozenset("*?[")
_CHUNK: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One input file: `path` to open, `name` as findings and manifest print it (no folder unless needed)."""

    path: Path
    name: str

    @property
    def bytes(self) -> int:
        """Size in bytes."""
        return self.path.stat().st_size

    @property
    def suffix(self) -> str:
        """The ending of `SUFFIXES` that the name has."""
        return next(suffix for suffix in SUFFIXES if self.path.name.lower().endswith(suffix))

    @property
    def kind(self) -> str:
        """What the file is: `parquet`, `csv`, `json` or `xlsx`."""
        suffix = self.suffix
        if suffix in _JSON:
            return "json"
        return "csv" if suffix in _CSV else suffix.removeprefix(".")

    @property
    def compression(self) -> str | None:
        """The compression that the ending of the name says, as Arrow calls it."""
        return _COMPRESSION.get(self.path.suffix.lower())

    def sha256(self) -> str:
        """SHA-256 of the content in hexadecimal; InputRefused if the file cannot be read."""
        digest = hashlib.sha256()
        try:
            with self.path.open("rb") as stream:
                while chunk := stream.read(_CHUNK):
                    digest.update(chunk)
        except OSError as error:
            raise InputRefused(f"{self.name}: cannot be read ({error.strerror})") from error
        return digest.hexdigest()


def resolve(patterns: Sequence[str], role: str) -> tuple[SourceFile, ...]:
    """The files that the arguments for `role` (rounds, wagers, events) name, sorted by name, each of them once.

    Raises UsageError for a path that does not exist, a glob or folder without any readable file, and a file whose
    ending is not one of `SUFFIXES`.
    """
    found: dict[Path, Path] = {}
    for pattern in patterns:
        for path in _expand(pattern, role):
            found.setdefault(path.resolve(), path)
    if not found:
        raise UsageError(f"no file is given for the {role}")
    names = _names(found)
    return tuple(sorted((SourceFile(path, names[path]) for path in found), key=lambda file: file.name))


def _expand(pattern: str, role: str) -> Iterable[Path]:
    path = Path(pattern)
    if path.is_dir():
        below = [each for each in path.rglob("*") if _offered(each, path)]
        if not below:
            raise UsageError(f"the folder {pattern} has no {role} file ({', '.join(SUFFIXES)})")
        return below
    if path.exists():
        if not _readable(path):
            raise UsageError(f"{pattern} is not a kind of file that can be read ({', '.join(SUFFIXES)})")
        return [path]
    if not _WILDCARDS.intersection(pattern):
        raise UsageError(f"the {role} path {pattern} does not exist")
    matches = [Path(each) for each in glob.glob(pattern, recursive=True)]  # noqa: PTH207 - absolute patterns too
    files = [each for each in matches if each.is_file() and _readable(each)]
    files += [each for folder in matches if folder.is_dir() for each in folder.rglob("*") if _offered(each, folder)]
    if not files:
        raise UsageError(f"the {role} pattern {pattern} matches no file that can be read")
    return files


def _readable(path: Path) -> bool:
    return path.name.lower().endswith(SUFFIXES)


def _offered(path: Path, folder: Path) -> bool:
    """Whether a file below a folder is data: not hidden, and no marker or unfinished file as other programs leave."""
    return (
        _readable(path)
        and not path.name.lower().endswith(_MARKERS)
        and path.is_file()
        and not any(part.startswith((".", "_", "~$")) for part in path.relative_to(folder).parts)
    )


def _names(paths: Iterable[Path]) -> dict[Path, str]:
    """The shortest ending of each path, in whole parts, that no other path has."""
    names = {}
    by_base: defaultdict[str, list[Path]] = defaultdict(list)
    for path in paths:
        by_base[path.name].append(path)
    for group in by_base.values():
        for path in group:
            length = 1
            while sum(each.parts[-length:] == path.parts[-length:] for each in group) > 1:
                length += 1
            names[path] = "/".join(path.parts[-length:])
    return names
