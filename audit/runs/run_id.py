"""The digest that names a run: everything that decides its content, and nothing else."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any


def run_id(manifest: Mapping[str, Any]) -> str:
    """SHA-256 over version, rulebook, configuration, inputs and arguments as a manifest states them."""
    identity = [
        manifest["software"]["version"],
        manifest["rulebook"]["digest"],
        manifest["configuration"],
        [(item["role"], item["sha256"]) for item in manifest["inputs"]],
        manifest["arguments"],
    ]
    return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()
