"""How commands speak: data to standard output, progress and remarks to standard error."""

from __future__ import annotations

import json
import sys
from typing import Any


def say_json(value: Any) -> None:
    """Print data as JSON."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=1, default=str) + "\n")


def say(text: str) -> None:
    """Print text for a reader."""
    sys.stdout.write(text.rstrip("\n") + "\n")


def remark(text: str) -> None:
    """A line for the operator, beside the data."""
    sys.stderr.write(text.rstrip("\n") + "\n")
