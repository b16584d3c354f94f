"""What can go wrong, as one small tree; each leaf knows its exit code (contract: README, "Exit codes").

::

    AuditError
    ├── UsageError          2  wrong command line, path or output directory
    ├── ConfigurationError  2  malformed configuration, profile or paytable
    ├── InputRefused        3  input that cannot be read or trusted
    ├── MachineFailure      4  disk full, internal error
    └── LockHeld            5  another run holds the lock

A fault *in the data* is never one of these: it is a finding or a quarantined row.
"""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """Exit codes of the command line; documented in the README and never changed."""

    CLEAN = 0
    FINDINGS = 1
    USAGE = 2
    INPUT_REFUSED = 3
    MACHINE = 4
    LOCKED = 5


class AuditError(Exception):
    """One clear sentence for the operator; `exit_code` is what the command returns."""

    exit_code = ExitCode.MACHINE


class UsageError(AuditError):
    """The command line asks for something that cannot be done."""

    exit_code = ExitCode.USAGE


class ConfigurationError(AuditError):
    """A configuration file, source profile or paytable is malformed."""

    exit_code = ExitCode.USAGE


class InputRefused(AuditError):
    """An input cannot be read, or cannot be trusted as data."""

    exit_code = ExitCode.INPUT_REFUSED


class MachineFailure(AuditError):
    """The machine or the program failed."""

    exit_code = ExitCode.MACHINE


class LockHeld(AuditError):
    """Another run holds the lock."""

    exit_code = ExitCode.LOCKED
