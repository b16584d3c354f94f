"""The way to the workers: a scheduler that somebody runs, or processes of this machine for the time of one audit."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from audit.base.errors import AuditError, MachineFailure, UsageError
from audit.engines.cluster import processors
from audit.engines.cluster.worker_law import Build

if TYPE_CHECKING:
    from distributed import Client

WAIT: Final = 6
"""Seconds that a scheduler has to answer."""

JOIN: Final = 30
"""Seconds that it has to get a worker."""

_ADDRESS: Final = re.compile(r"(?:tcp|tls)://(?:\[[0-9A-Fa-f:.]+\]|[^\s:/\[\]]+):[0-9]{1,5}/?")
_SETTINGS: Final = {
    # Frames come with the dtypes they are to have.
    "dataframe.convert-string": False,
    # The deaths of its worker that a task outlives, where the scheduler is started here.
    "distributed.scheduler.allowed-failures": 3,
}


@dataclass(frozen=True)
class Cluster:
    """Where the workers are: at a scheduler's `address` (None: processes of this machine), with TLS if `ca` is given.

    `ca`, `cert` and `key` are PEM files: who signs, who we are, and our key.
    """

    address: str | None = None
    ca: Path | None = None
    cert: Path | None = None
    key: Path | None = None

    def check(self, *, used: bool = True) -> None:
        """Raise UsageError for an address or files that cannot be meant, or that no engine of the run uses."""
        if self != Cluster() and not used:
            raise UsageError("--scheduler and --tls-* are for --engine dask")
        files = {"--tls-ca": self.ca, "--tls-cert": self.cert, "--tls-key": self.key}
        given = {option: path for option, path in files.items() if path is not None}
        if self.address is None:
            if given:
                raise UsageError(f"{next(iter(given))} is for a scheduler; name it with --scheduler tls://HOST:PORT")
            return
        if not _ADDRESS.fullmatch(self.address):
            raise UsageError(
                f"--scheduler {self.address!r} is not an address; write tcp://HOST:PORT or tls://HOST:PORT"
            )
        if self.address.startswith("tcp:") and given:
            raise UsageError(f"{next(iter(given))} is for a scheduler at tls://HOST:PORT")
        if self.address.startswith("tls:") and len(given) < len(files):
            missing = next(option for option in files if option not in given)
            raise UsageError(f"a scheduler at tls:// needs --tls-ca, --tls-cert and --tls-key; {missing} is missing")
        for option, path in given.items():
            if not path.is_file():
                raise UsageError(f"{option} {path} is not a file")


@contextmanager
def connected(where: Cluster) -> Iterator[Client]:
    """A client of the workers, which are of our build; at the end it is closed, with the workers started for it.

    Raises UsageError without the library, or for an address that cannot be meant; MachineFailure for a scheduler that
    does not answer, has no worker, or has one of another build.
    """
    where.check()
    try:
        import dask
        import dask.dataframe
        import distributed  # noqa: F401 - asked for here, so that what is missing is said once
    except ImportError as error:
        raise UsageError(
            f"--engine dask needs the extra `dask` (pip install 'dicj-audit[dask]'); {error.name or error} is missing"
        ) from error
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    with dask.config.set(_SETTINGS), ExitStack() as stack:
        client = stack.enter_context(_local(stack) if where.address is None else _remote(where, where.address))
        _check_workers(client)
        yield client


def _local(stack: ExitStack) -> Any:
    """A client of processes of this machine, one a core, which only this machine can reach."""
    from distributed import Client, LocalCluster

    cluster = LocalCluster(
        n_workers=processors(),
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        scheduler_port=0,
        dashboard_address=None,
        worker_dashboard_address=None,
        silence_logs=logging.CRITICAL,
    )
    stack.enter_context(cluster)
    return Client(cluster)


def _remote(where: Cluster, address: str) -> Any:
    from distributed import Client
    from distributed.security import Security

    security = None
    if where.ca is not None:
        security = Security(
            tls_ca_file=str(where.ca),
            tls_client_cert=str(where.cert),
            tls_client_key=str(where.key),
            require_encryption=True,
        )
    try:
        return Client(address, security=security, timeout=WAIT)
    except (OSError, TimeoutError, ValueError) as error:
        raise MachineFailure(f"the scheduler {address} does not answer ({_first_line(error)})") from error


def _check_workers(client: Client) -> None:
    try:
        client.wait_for_workers(1, timeout=JOIN)
    except TimeoutError as error:
        raise MachineFailure("the scheduler has no workers") from error
    try:
        client.run(Build.here().check)
    except AuditError:
        raise
    except Exception as error:
        raise MachineFailure(f"the workers cannot run dicj-audit ({_first_line(error)})") from error


def _first_line(error: BaseException) -> str:
    text = str(error).strip().splitlines()
    return (text[0] if text else type(error).__name__)[:200]


@contextmanager
def failures() -> Iterator[None]:
    """Say in a sentence what became of workers that are gone; our own errors pass, and so does every defect."""
    from concurrent.futures import CancelledError

    from distributed import KilledWorker
    from distributed.client import FutureCancelledError
    from distributed.comm.core import CommClosedError

    try:
        yield
    except KilledWorker as error:
        raise MachineFailure("workers died again and again over the same piece of work (out of memory?)") from error
    except (CancelledError, FutureCancelledError, CommClosedError, TimeoutError) as error:
        raise MachineFailure(f"the workers or their scheduler were lost ({_first_line(error)})") from error
