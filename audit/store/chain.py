"""How an entry of the ledger is digested, so that a later change of anything it says shows."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Final, TypeAlias

from audit.base.errors import MachineFailure
from audit.base.model import MONEY_SCALE
from audit.store.models import FINDING_COLUMNS

GENESIS: Final = "0" * 64
"""What the first entry names as the digest before it."""

FORMAT: Final = 1
"""Version of the way entries are digested; part of every digest."""

Cell: TypeAlias = str | int | None


def canonical(value: object) -> bytes:
    """`value` as the one JSON text that digests are made of: sorted keys, no spaces, UTF-8.

    >>> canonical({"b": None, "a": "莊"}).decode()
    '{"a":"莊","b":null}'
    """
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()


def entry_digest(
    entry: Mapping[str, Cell],
    inputs: Sequence[Mapping[str, Cell]],
    verdicts: Sequence[Mapping[str, Cell]],
    approvals: Sequence[Mapping[str, Cell]] = (),
) -> str:
    """SHA-256 of an entry: its columns but `digest` itself (so also the digest before it), and what belongs to it.

    That is its inputs, its verdicts and the register; the findings take part through the column `findings_digest`.
    """
    content: dict[str, object] = {
        "format": FORMAT,
        "entry": {name: value for name, value in entry.items() if name != "digest"},
        "inputs": [{name: value for name, value in row.items() if name != "entry"} for row in inputs],
        "verdicts": sorted(
            ({name: value for name, value in row.items() if name != "entry"} for row in verdicts),
            key=lambda row: (str(row["game"]), str(row["verdict"])),
        ),
    }
    # Ledgers of the first revision have no snapshots, and their digests hold.
    if approvals:
        content["approvals"] = [{name: value for name, value in row.items() if name != "entry"} for row in approvals]
    return hashlib.sha256(canonical(content)).hexdigest()


def findings_digest(rows: Iterable[Mapping[str, Cell]]) -> tuple[str, int]:
    """SHA-256 over the findings in their order, and how many there are."""
    digest = hashlib.sha256()
    count = 0
    for row in rows:
        digest.update(canonical([row[name] for name in FINDING_COLUMNS]))
        digest.update(b"\n")
        count += 1
    return digest.hexdigest(), count


def read_findings(path: Path) -> Iterator[dict[str, Cell]]:
    """The findings of a run's findings.parquet as the ledger keeps them, a few thousand in memory at a time.

    Raises MachineFailure where the file is not what a run writes.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=5_000, columns=list(FINDING_COLUMNS)):
                for row in batch.to_pylist():
                    yield {name: _cell(row[name]) for name in FINDING_COLUMNS}
    except (OSError, KeyError, pa.ArrowException) as error:
        raise MachineFailure(f"{path.name} of the run just made cannot be read ({type(error).__name__})") from error


def _cell(value: object) -> Cell:
    match value:
        case None | int():
            return value
        case Decimal():
            return int(value.scaleb(MONEY_SCALE))
        case dt.datetime() | dt.date():
            return value.isoformat()
        case _:
            # PostgreSQL holds no NUL in text; the file beside the ledger still has the original.
            return str(value).replace("\0", "\ufffd")
