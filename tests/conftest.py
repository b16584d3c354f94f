"""What tests of several rooms share: how hypothesis runs, and small files of rounds and wagers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

from audit.source import read
from audit.source.profiles import CANONICAL, SourceProfile
from audit.source.quarantine import Quarantine
from audit.stores import files

# No example is judged by the clock: on a busy machine the same code takes ten times as long. A fixture of a function
# that gives folders or readers may serve all its examples.
hypothesis_settings.register_profile(
    "dicj-audit",
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)
hypothesis_settings.load_profile("dicj-audit")

ROUND = {
    "round_id": "R1",
    "table_id": "T1",
    "shoe_id": "S1",
    "round_no": "1",
    "game": "baccarat",
    "status": "settled",
    "started_at": "2024-03-01T21:04:05+08:00",
    "player_cards": "9H KD",
    "banker_cards": "3C 4S",
    "outcome": "player",
    "player_points": "9",
    "banker_points": "7",
}
WAGER = {"wager_id": "W1", "round_id": "R1", "bet": "player", "stake": "100", "payout": "100.00", "currency": "HKD"}

_OPEN = {"rounds": read.open_rounds, "wagers": read.open_wagers, "events": read.open_events}


class Reading:
    """What came out of reading some files: accepted rows as dicts, their numbers, and the quarantine."""

    def __init__(self, rows: list[dict[str, Any]], numbers: list[int], quarantine: Quarantine) -> None:
        self.rows = rows
        self.numbers = numbers
        self.quarantine = quarantine

    def rejects(self, folder: Path) -> list[dict[str, Any]]:
        """The quarantine file as it is written."""
        import pyarrow.parquet as pq

        self.quarantine.write_parquet(folder / "quarantine.parquet")
        return list(pq.read_table(folder / "quarantine.parquet").to_pylist())

    @property
    def reasons(self) -> list[tuple[str, int]]:
        """Reasons and how often each occurs."""
        return [(each.reason, each.count) for each in self.quarantine.by_reason()]


Read = Callable[..., Reading]


@pytest.fixture
def read_files() -> Iterator[Read]:
    """Read paths as one table to the end."""
    quarantines: list[Quarantine] = []

    def run(*paths: Path, table: str = "rounds", profile: SourceProfile = CANONICAL, **more: Any) -> Reading:
        quarantine = Quarantine()
        quarantines.append(quarantine)
        rows: list[dict[str, Any]] = []
        numbers: list[int] = []
        found = files.resolve([str(path) for path in paths], table)
        for batch in _OPEN[table](found, profile=profile, quarantine=quarantine, **more):
            rows += batch.rows.to_pylist()
            numbers += batch.source_row.tolist()
        return Reading(rows, numbers, quarantine)

    yield run
    for each in quarantines:
        each.close()


@pytest.fixture
def read_text(tmp_path: Path, read_files: Read) -> Read:
    """Read one CSV file with the given content."""

    def run(content: str | bytes, **more: Any) -> Reading:
        path = tmp_path / "log.csv"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return read_files(path, **more)

    return run


def csv_of(rows: Sequence[dict[str, str]]) -> str:
    """Rows of text as CSV with a header; nothing is quoted."""
    lines = [",".join(rows[0]), *(",".join(row.values()) for row in rows)]
    return "\n".join(lines) + "\n"


@pytest.fixture
def read_rows(read_text: Read) -> Read:
    """Read rows given as dicts of text, as CSV."""

    def run(*rows: dict[str, str], **more: Any) -> Reading:
        return read_text(csv_of(rows), **more)

    return run


@pytest.fixture
def a_round() -> Callable[..., dict[str, str]]:
    """A good round with some of its cells replaced."""
    return lambda **cells: ROUND | cells


@pytest.fixture
def a_wager() -> Callable[..., dict[str, str]]:
    """A good wager with some of its cells replaced."""
    return lambda **cells: WAGER | cells
