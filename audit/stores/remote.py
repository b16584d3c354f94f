"""Inputs in stores: the files that an address (URL) names, a file, a folder with everything below it, or a glob."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeVar
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

import pyarrow as pa

from audit.base.errors import InputRefused, UsageError
from audit.stores import connections

_URL: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://", re.ASCII)
_WILDCARDS: Final = frozenset("*[")
_BUFFER: Final = 4 << 20
_TOLD: Final = frozenset({"endpoint_override", "region", "scheme", "force_virtual_addressing"})

_BUCKETS: Final = frozenset({"s3", "gs", "gcs"})

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Remote:
    """One file in a store, small and picklable: whoever gets it opens the store anew, with what the environment has.

    `store` is the address of the store with all that opens it, and so no text to print; `address` the file's path in
    it; `path` the same to look at, beginning with the scheme; `bytes` the size; `modified` when it was last written,
    in nanoseconds, 0 where the store does not say.
    """

    store: str = field(repr=False)
    address: str = field(repr=False)
    path: Path
    bytes: int
    modified: int

    def open(self) -> pa.NativeFile:
        """The content, for reading anywhere in it; OSError if it cannot be opened."""
        filesystem, _ = connections.open_store(self.store)
        if filesystem.type_name.startswith("py::"):
            return self._careful(filesystem)
        return filesystem.open_input_file(self.address)

    def stream(self, compression: str | None) -> pa.NativeFile:
        """The content from its begin, decompressed; OSError if it cannot be opened."""
        filesystem, _ = connections.open_store(self.store)
        if filesystem.type_name.startswith("py::"):
            stream: pa.NativeFile = self._careful(filesystem)
            return stream if compression is None else pa.CompressedInputStream(stream, compression)
        return filesystem.open_input_stream(self.address, compression=compression, buffer_size=_BUFFER)

    def _careful(self, filesystem: Any) -> pa.NativeFile:
        file = connections.careful(filesystem.handler.fs.open, self.address, "rb")
        return pa.PythonFile(connections.Careful(file), mode="r")

    @property
    def home(self) -> str:
        """Which store it is, without credentials."""
        endpoint = dict(parse_qsl(urlsplit(self.store).query)).get("endpoint_override", "")
        return f"{connections.shown(self.store)} {endpoint}"

    @property
    def url(self) -> str | None:
        """The address without credentials, by which the file can be found again; None where none is told."""
        scheme = self.path.parts[0].removesuffix(":")
        if scheme not in _BUCKETS:
            return None
        options = {name: value for name, value in parse_qsl(urlsplit(self.store).query) if name in _TOLD}
        return f"{scheme}://{self.address}" + (f"?{urlencode(options)}" if options else "")


@dataclass(frozen=True, slots=True)
class Looked:
    """What an address names: `kind` is `file`, `folder`, `glob` or `nothing`.

    Each file comes with the names of the folders and the file below the folder that was named or matched, None where
    it was named or matched itself.
    """

    kind: str
    files: tuple[tuple[Remote, tuple[str, ...] | None], ...] = ()


def is_url(text: str) -> bool:
    """Whether an argument is an address and no path."""
    return _URL.match(text) is not None


def local_path(url: str) -> str | None:
    """The path that a `file:` address names, None for another scheme; UsageError for another machine's.

    >>> local_path("file:///data/March%202024/*.csv")
    '/data/March 2024/*.csv'
    """
    if not url.lower().startswith("file://"):
        return None
    host, slash, path = url[len("file://") :].partition("/")
    if host not in {"", "localhost"} or not slash:
        raise UsageError(f"{url} names no file of this machine; write file:///folder/file")
    return "/" + unquote(path)


def look(url: str) -> Looked:
    """The files that an address names, as the store lists them.

    UsageError for an unknown scheme or an address that cannot be understood, InputRefused for a store that cannot be
    reached or read.
    """
    place = _StoreAddress(url)
    if _WILDCARDS.intersection(place.address):
        matches = [*place.matching()]
        found = [(place.remote(each), None) for each in matches if each.is_file]
        below = [place.below(each.path) for each in matches if not each.is_file]
        return Looked("glob", (*found, *(file for files in below for file in files)))
    info = place.info(place.address)
    if info is None:
        return Looked("nothing")
    if info.is_file:
        return Looked("file", ((place.remote(info), None),))
    return Looked("folder", tuple(place.below(place.address)))


class _StoreAddress:
    """An address, split into the store and the path in it."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._scheme = url.partition("://")[0].lower()
        if self._scheme in connections.ARROW:
            main, sign, options = url.partition("?")
            if sign and not all("=" in option for option in options.split("&")):
                shown = connections.shown(url)
                raise UsageError(
                    f"{shown}: after the ? of an address stand options (name=value); a glob has * or [...]"
                )
            host, slash, path = main.partition("://")[2].partition("/")
            if not host.rpartition("@")[2] and self._scheme not in {"hdfs", "viewfs"}:
                raise UsageError(f"{connections.shown(url)} names no bucket")
            self._store = f"{self._scheme}://{host}" + (f"?{options}" if sign else "")
            self._filesystem, base = connections.open_store(self._store)
            self.address = (base.rstrip("/") + slash + path).rstrip("/")
        else:
            parts = urlsplit(url)
            _, self.address = connections.fsspec_path(url)
            self._store = f"{parts.scheme}://{parts.netloc}"
            self._filesystem, _ = connections.open_store(self._store)

    def _asked(self, call: Callable[..., T], *arguments: Any) -> T:
        try:
            return call(*arguments)
        except Exception as error:  # noqa: BLE001 - Arrow's stores raise OSError, those of fsspec whatever they like
            raise connections.unreadable(self._url, error) from None

    def info(self, address: str) -> Any | None:
        """What stands at an address in the store, if anything does."""
        info = self._asked(self._filesystem.get_file_info, address)
        return None if info.type.name == "NotFound" else info

    def _list(self, folder: str, *, recursive: bool) -> list[Any]:
        from pyarrow import fs

        listed = self._asked(
            self._filesystem.get_file_info, fs.FileSelector(folder, recursive=recursive, allow_not_found=True)
        )
        return sorted(listed, key=lambda info: info.path)

    def below(self, folder: str) -> Iterator[tuple[Remote, tuple[str, ...]]]:
        """The files below a folder, with their names from there."""
        for info in self._list(folder, recursive=True):
            if info.is_file:
                yield self.remote(info), tuple(info.path[len(folder) :].strip("/").split("/"))

    def matching(self) -> Iterator[Any]:
        """What matches the address, wildcard by wildcard: only folders that match are listed."""
        parts = self.address.split("/")
        first = next(place for place, part in enumerate(parts) if _WILDCARDS.intersection(part))
        if first == 0:
            raise UsageError(f"{connections.shown(self._url)}: the name of the bucket can have no wildcard")
        seen = set()
        for info in self._matching("/".join(parts[:first]), parts[first:]):
            if info.path not in seen:
                seen.add(info.path)
                yield info

    def _matching(self, folder: str, parts: list[str]) -> Iterator[Any]:
        head, *rest = parts
        if head == "**":
            for info in self._list(folder, recursive=True):
                inside = info.path[len(folder) :].strip("/").split("/")
                if not any(name.startswith(".") for name in inside) and _matches(inside, parts):
                    yield info
        elif not _WILDCARDS.intersection(head):
            if rest:
                yield from self._matching(f"{folder}/{head}", rest)
            elif (info := self.info(f"{folder}/{head}")) is not None:
                yield info
        else:
            for info in self._list(folder, recursive=False):
                name = info.path.rstrip("/").rpartition("/")[2]
                hidden = name.startswith(".") and not head.startswith(".")
                if hidden or not fnmatch.fnmatchcase(name, head):
                    continue
                yield from self._matching(info.path.rstrip("/"), rest) if rest else (info,)

    def remote(self, info: Any) -> Remote:
        """The file that the store told of."""
        address = info.path
        visible = address
        if "://" in address:  # the file systems for the web keep the whole address, options and all
            parts = urlsplit(connections.shown(address))
            visible = f"{parts.netloc}{parts.path}"
        size = -1 if info.size is None else int(info.size)
        if size < 0:
            raise InputRefused(f"{connections.shown(self._url)}: the store does not say how long the file is")
        path = Path(f"{self._scheme}:") / visible.lstrip("/")
        return Remote(self._store, address, path, size, int(info.mtime_ns or 0))


def _matches(names: Sequence[str], parts: Sequence[str]) -> bool:
    """Whether the names, in whole, match the parts of a pattern, of which `**` is any number of folders."""
    if not parts:
        return not names
    if parts[0] == "**":
        return any(_matches(names[skip:], parts[1:]) for skip in range(len(names) + 1))
    return bool(names) and fnmatch.fnmatchcase(names[0], parts[0]) and _matches(names[1:], parts[1:])
