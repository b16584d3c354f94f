"""Stores that inputs are read from: opened by their address, with short patience, and their errors put in words.

S3, Google Cloud, Azure and HDFS are Arrow's own; any other scheme goes through fsspec where it is installed. What an
address has before its `@`, and its options after the `?`, open the store and are never printed.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final, TypeVar

import pyarrow as pa

from audit.base.errors import InputRefused, UsageError

T = TypeVar("T")

ARROW: Final = frozenset({"s3", "gs", "gcs", "abfs", "abfss", "hdfs", "viewfs"})
"""Schemes that Arrow opens itself."""

_SECONDS: Final = 10
_ATTEMPTS: Final = 3
_OPTION: Final = re.compile(r"[Uu]nexpected query parameter in \w+ URI: '(\w+)'")

_REFUSED: Final = "the store refuses access; are the credentials right?"
_ABSENT: Final = "it is not there, or no longer"
_UNREACHED: Final = "there is no connection to the store"
_SAID: Final = (
    (r"ACCESS_DENIED|INVALID_ACCESS_KEY|SIGNATURE|EXPIRED|UNRECOGNIZED_CLIENT|INVALID_CLIENT_TOKEN", _REFUSED),
    (r"HTTP status 40[13]|UNAUTHENTICATED|PERMISSION_DENIED|Authentication|Credential|\b40[13], message", _REFUSED),
    (r"NO_SUCH|NOT_FOUND|HTTP status 404|\b404, message", _ABSENT),
    (r"NETWORK_CONNECTION|REQUEST_TIMEOUT|UNAVAILABLE|DEADLINE|libjvm", _UNREACHED),
    (r"[Cc]url|[Tt]imed? ?out|[Cc]onnect|resolve host", _UNREACHED),
    (r"AWS Error|google::cloud|Azure|HTTP status|SLOW_DOWN|THROTTL", "the store answers with an error"),
)


def shown(url: str) -> str:
    """The address as it may be printed: no user, no password, no options.

    >>> shown("s3://KEY:se/cret@logs/2024/?region=ap-east-1"), shown("s3://logs/a@b/rounds.csv")
    ('s3://logs/2024/', 's3://logs/a@b/rounds.csv')
    """
    scheme, _, rest = url.partition("://")
    before, at, after = rest.rpartition("@")
    if at and (":" in before or "/" not in before):
        rest = after
    return f"{scheme}://{rest.partition('?')[0]}"


def why(error: BaseException) -> str | None:
    """What a store's error means, in our words since the library's may quote the address; None if it is no store's."""
    if isinstance(error, PermissionError):
        return _REFUSED
    if isinstance(error, FileNotFoundError):
        return _ABSENT
    if isinstance(error, TimeoutError | ConnectionError):
        return _UNREACHED
    text = str(error)
    return next((words for pattern, words in _SAID if re.search(pattern, text)), None)


def unreadable(url: str, error: BaseException) -> InputRefused:
    """The refusal of an address that cannot be read."""
    return InputRefused(f"{shown(url)}: cannot be read ({why(error) or 'the store answers with an error'})")


@lru_cache(maxsize=64)
def open_store(store: str) -> tuple[Any, str]:
    """Arrow's file system for a store (`scheme://user@host?options`), and what its paths begin with.

    UsageError for a scheme that is unknown or an option that the store does not have; InputRefused where it cannot be
    reached.
    """
    return _of_arrow(store) if store.partition("://")[0].lower() in ARROW else (_of_fsspec(store), "")


def _of_arrow(store: str) -> tuple[Any, str]:
    from pyarrow import fs

    scheme = store.partition("://")[0].lower()
    try:
        filesystem, base = fs.FileSystem.from_uri(_with_defaults(scheme, store))
        if scheme == "s3":
            # Arrow's address has no word for patience; the file system is made again with the same options and less.
            rebuild, (options,) = filesystem.__reduce__()
            filesystem = rebuild(
                options
                | {"connect_timeout": _SECONDS / 2, "request_timeout": _SECONDS}
                | {"retry_strategy": fs.AwsStandardS3RetryStrategy(max_attempts=_ATTEMPTS)}
            )
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, ValueError) as error:
        option = _OPTION.search(str(error))
        what = f"has the unknown option {option[1]}" if option else "is not an address that can be understood"
        raise UsageError(f"{shown(store)} {what}") from None
    except (pa.ArrowException, OSError) as error:
        raise unreadable(store, error) from None
    return filesystem, base


def _with_defaults(scheme: str, store: str) -> str:
    """The address with a region as the environment has it, so that none is looked for, and a limit to patience."""
    options = store.partition("?")[2]
    more = []
    if scheme == "s3" and "region=" not in options:
        region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
        other = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")
        if region or other or "endpoint_override=" in options:
            more.append(f"region={region or 'us-east-1'}")
    if scheme in {"gs", "gcs"} and "retry_limit_seconds=" not in options:
        more.append(f"retry_limit_seconds={_SECONDS}")
    if not more:
        return store
    return store + ("&" if options else "" if store.endswith("?") else "?") + "&".join(more)


def _of_fsspec(store: str) -> Any:
    filesystem, _ = fsspec_path(store)
    from pyarrow import fs

    return fs.PyFileSystem(fs.FSSpecHandler(filesystem))


def fsspec_path(url: str) -> tuple[Any, str]:
    """Fsspec's file system for an address, and the address as that file system has it."""
    scheme = url.partition("://")[0].lower()
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise UsageError(
            f"{shown(url)}: the scheme {scheme} is not known; fsspec, which may know it, is not installed"
        ) from None
    try:
        filesystem, path = url_to_fs(url)
    except ImportError:
        raise UsageError(f"{shown(url)}: the scheme {scheme} needs a further package for fsspec") from None
    except ValueError:
        raise UsageError(f"{shown(url)}: the scheme {scheme} is not known") from None
    except Exception as error:  # noqa: BLE001 - each file system of fsspec has exceptions of its own
        raise unreadable(url, error) from None
    return filesystem, str(path)


def careful(call: Callable[..., T], *arguments: Any) -> T:
    """What the call gives; whatever a file system of fsspec raises is an OSError, as readers expect of a file."""
    try:
        return call(*arguments)
    except OSError:
        raise
    except Exception as error:  # noqa: BLE001 - each file system of fsspec has exceptions of its own
        raise OSError(str(error)) from None


class Careful(io.RawIOBase):
    """A file of fsspec whose every error is an OSError, as readers expect of a file."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def readable(self) -> bool:
        """It is."""
        return True

    def seekable(self) -> bool:
        """It is."""
        return True

    def read(self, size: int | None = -1, /) -> bytes:
        """Bytes, no more than `size`."""
        return bytes(careful(self._file.read, -1 if size is None else size))

    def seek(self, offset: int, whence: int = 0, /) -> int:
        """Go to a place."""
        return int(careful(self._file.seek, offset, whence))

    def tell(self) -> int:
        """The place."""
        return int(self._file.tell())

    def close(self) -> None:
        """Let the file go."""
        if not self.closed:
            self._file.close()
        super().close()
