"""Where the files that are data and not code live: in a wheel beside the package, in a checkout at the top level."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from audit.base.errors import MachineFailure

#: Resource name -> its folder in a checkout; the wheel carries it as `audit/_shipped/<name>` (pyproject.toml).
FOLDERS: Final = {"config": "config", "expectations": "expectations", "templates": "reports/templates"}

_PACKAGE: Final = Path(__file__).resolve().parents[1]


def resource_dir(name: str) -> Path:
    """Return the folder of one resource.

    `name` is a key of `FOLDERS`. The copy shipped in the wheel is preferred to the checkout's folder.
    Raises `KeyError` for another name, and `MachineFailure` where neither place has the folder: the installation is
    then incomplete.

    >>> sorted(FOLDERS)
    ['config', 'expectations', 'templates']
    """
    in_checkout = FOLDERS[name]
    for folder in (_PACKAGE / "_shipped" / name, _PACKAGE.parent / in_checkout):
        if folder.is_dir():
            return folder
    raise MachineFailure(f"the installation is incomplete: its folder {in_checkout!r} is missing")
