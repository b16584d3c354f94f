"""Which files an argument names: a file, a folder with everything below it, or a glob; a path or an address (URL)."""

from __future__ import annotations

import builtins
import glob
import hashlib
import io
import os
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NoReturn

from audit.base.errors import InputRefused, UsageError
from audit.stores.partition import keys_of

if TYPE_CHECKING:
    import pyarrow as pa

    from audit.stores.remote import Remote

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
class Digest:
    """SHA-256 of a file's whole content in hexadecimal, and the `state` (size, times) that the file had then."""

    state: Hashable
    sha256: str


@dataclass(frozen=True, slots=True)
class RowSpan:
    """Some rows of a CSV file: its bytes from `start` to before `end`, with `rows` rows of data before them.

    The first `head` bytes of the file are its header and what stands before it.
    """

    head: int
    start: int
    end: int
    rows: int


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One input file: `path` to open, `name` as findings and manifest print it (no folder unless needed).

    A file in a store has `remote`; its `path` is then to look at and names nothing on this machine. `groups` are the
    row groups of a Parquet file that are read, from the first to before the last, `lines` the rows of a CSV file; None
    is all. Small and picklable.
    """

    path: Path
    name: str
    groups: tuple[int, int] | None = None
    remote: Remote | None = None
    lines: RowSpan | None = None
    _digests: dict[Hashable, str] = field(default_factory=dict, repr=False, compare=False)

    @property
    def bytes(self) -> int:
        """Size in bytes, of the whole file."""
        return self.path.stat().st_size if self.remote is None else self.remote.bytes

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

    @property
    def partition(self) -> Mapping[str, str | None]:
        """What the folders of a partitioned dataset say of the file, by `casino`, `day`, `table_id`."""
        return keys_of(self.path.parts[:-1])

    def source(self) -> Path | pa.NativeFile:
        """What Arrow's readers of whole files take; OSError if it cannot be opened."""
        return self.path if self.remote is None else self.remote.open()

    def stream(self) -> pa.NativeFile:
        """The content from its begin, decompressed; OSError if it cannot be opened."""
        import pyarrow as pa

        if self.remote is None:
            return pa.input_stream(str(self.path), compression=self.compression)
        return self.remote.stream(self.compression)

    def stored(self) -> Any:
        """The content as it is stored, for reading anywhere in it; OSError if it cannot be opened."""
        return self.path.open("rb", buffering=0) if self.remote is None else self.remote.open()

    def content(self, most: int) -> Path | BinaryIO:
        """The path of a file, or the whole of one in a store; InputRefused beyond `most` bytes there."""
        if self.remote is None:
            return self.path
        if self.bytes > most:
            raise InputRefused(f"{self.name}: is longer than {most >> 20} MiB")
        with self.remote.open() as file:
            return io.BytesIO(file.read())

    def trouble(self, error: BaseException) -> str | None:
        """In words, what an error of the store means; None for an error of the content, or of a file at hand."""
        if self.remote is None:
            return None
        from audit.stores.connections import why

        said = why(error)
        return None if said is None else f"cannot be read ({said})"

    def unread(self, error: Exception) -> InputRefused:
        """The refusal of a file whose content cannot be read."""
        said = self.trouble(error) or f"cannot be read ({getattr(error, 'strerror', None) or error})"
        return InputRefused(f"{self.name}: {said}")

    def sha256(self) -> str:
        """SHA-256 of the content, of the whole file, in hexadecimal; InputRefused if the file cannot be read.

        It is computed once as long as the file stays as it is.
        """
        return self.digest().sha256

    def digest(self) -> Digest:
        """The same with the state of the file, for :meth:`learn` in another process that has this file."""
        try:
            state = self._state()
            if state not in self._digests:
                self._digests[state] = self._digest()
        except OSError as error:
            raise self.unread(error) from error
        return Digest(state, self._digests[state])

    def learn(self, digest: Digest) -> None:
        """Take a digest that was worked out elsewhere; it holds as long as the file has that state here."""
        self._digests[digest.state] = digest.sha256

    def whole(self) -> builtins.bytes:
        """The whole content, of which the digest is then known; OSError if it cannot be read."""
        state = self._state()
        with self.stored() as stream:
            content: builtins.bytes = stream.read()
        self._digests[state] = hashlib.sha256(content).hexdigest()
        return content

    def untouched(self) -> bool:
        """Whether the file is as it was when its digest was worked out; OSError if it is gone."""
        return self._state() in self._digests

    @property
    def changed(self) -> bool:
        """Whether two different contents of it were seen, by their digests."""
        return len(set(self._digests.values())) > 1

    def _state(self) -> Hashable:
        """What tells whether the file was changed since."""
        if self.remote is not None:
            return self.remote.bytes, self.remote.modified
        seen = self.path.stat()
        return seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns, seen.st_ino

    def _digest(self) -> str:
        digest = hashlib.sha256()
        with self.path.open("rb") if self.remote is None else self.remote.stream(None) as stream:
            while chunk := stream.read(_CHUNK):
                digest.update(chunk)
        return digest.hexdigest()


def resolve(patterns: Sequence[str], role: str) -> tuple[SourceFile, ...]:
    """The files that the arguments for `role` (rounds, wagers, events) name, sorted by name, each of them once.

    An argument is a path or an address: `file:///…`, `s3://bucket/…`, or of any scheme that a store of fsspec has.
    Raises UsageError for a path that does not exist, a glob or folder without any readable file, a file whose ending is
    not one of `SUFFIXES`, and an address that cannot be understood; InputRefused for a store that cannot be reached
    or a folder that cannot be read.
    """
    found: dict[tuple[str, str], tuple[Path, Remote | None]] = {}
    for pattern in patterns:
        local: str | None = None
        if "://" in pattern:
            from audit.stores import remote

            if remote.is_url(pattern):
                local = remote.local_path(pattern)
                if local is None:
                    for each in _expand_address(pattern, role):
                        found.setdefault((each.home, str(each.path)), (each.path, each))
                    continue
        for path in _resolved(_expand(pattern if local is None else local, role)):
            found.setdefault(("", str(path)), (path, None))
    if not found:
        raise UsageError(f"no file is given for the {role}")
    return named([SourceFile(path, path.name, remote=each) for path, each in found.values()])


def _resolved(paths: Iterable[Path]) -> Iterator[Path]:
    """The paths as `Path.resolve` has them; the way to a folder is looked up once, not for each of its files."""
    folders: dict[Path, Path] = {}
    for path in paths:
        if path.is_symlink() or path.name in {"", ".."}:
            yield path.resolve()
            continue
        if path.parent not in folders:
            folders[path.parent] = path.parent.resolve()
        yield folders[path.parent] / path.name


def named(files: Sequence[SourceFile]) -> tuple[SourceFile, ...]:
    """The files under the shortest names that tell them apart, sorted by name."""
    names = _names([file.path for file in files])
    told = (file if file.name == name else replace(file, name=name) for file, name in zip(files, names, strict=True))
    return tuple(sorted(told, key=attrgetter("name")))


def _expand_address(url: str, role: str) -> Iterable[Remote]:
    from audit.stores.connections import shown
    from audit.stores.remote import look

    looked, what = look(url), shown(url)
    if looked.kind == "nothing":
        raise UsageError(f"the {role} address {what} does not exist")
    files = [each for each, below in looked.files if (_readable(each.path) if below is None else _is_data(below))]
    if files:
        return files
    match looked.kind:
        case "folder":
            raise UsageError(f"the folder {what} has no {role} file ({', '.join(SUFFIXES)})")
        case "glob":
            raise UsageError(f"the {role} pattern {what} matches no file that can be read")
        case _:
            raise UsageError(f"{what} is not a kind of file that can be read ({', '.join(SUFFIXES)})")


def _expand(pattern: str, role: str) -> Iterable[Path]:
    path = Path(pattern)
    if path.is_dir():
        below = list(_below(path))
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
    files += [each for folder in matches if folder.is_dir() for each in _below(folder)]
    if not files:
        raise UsageError(f"the {role} pattern {pattern} matches no file that can be read")
    return files


def _refuse_folder(error: OSError) -> NoReturn:
    """A folder that cannot be looked into may hold a part of the log."""
    raise InputRefused(f"the folder {error.filename} cannot be read ({error.strerror})") from error


def _readable(path: Path) -> bool:
    return path.name.lower().endswith(SUFFIXES)


def _below(folder: Path) -> Iterator[Path]:
    """The files of data below a folder; links to other folders are not followed."""
    for base, folders, names in os.walk(folder, onerror=_refuse_folder):
        folders[:] = [each for each in folders if _is_seen(each)]
        home = Path(base)
        yield from (path for path in (home / name for name in names if _is_data((name,))) if path.is_file())


def _is_data(parts: Sequence[str]) -> bool:
    """Whether a file below a folder is data: not hidden, and no marker or unfinished file as other programs leave."""
    name = parts[-1].lower()
    return name.endswith(SUFFIXES) and not name.endswith(_MARKERS) and all(map(_is_seen, parts))


def _is_seen(part: str) -> bool:
    """Whether a part of a path is neither hidden nor as other programs mark what is theirs."""
    return not part.startswith((".", "_", "~$"))


def _names(paths: Sequence[Path]) -> list[str]:
    """The shortest ending of each path, in whole parts, that no other path has."""
    names: dict[int, str] = {}
    left = list(range(len(paths)))
    length = 1
    while left:
        endings = [paths[place].parts[-length:] for place in left]
        times = Counter(endings)
        names |= {p: "/".join(ending) for p, ending in zip(left, endings, strict=True) if times[ending] == 1}
        left = [place for place in left if place not in names]
        if any(length > len(paths[place].parts) for place in left):
            raise UsageError(f"two stores have a file {paths[left[0]].name} under one address; audit them one by one")
        length += 1
    return [names[place] for place in range(len(paths))]
