"""Whatever bytes come in: no traceback, bounded memory, nothing lost."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from audit.base.errors import AuditError, InputRefused
from audit.source import profiles, read
from audit.source.quarantine import Quarantine
from audit.stores import files

pytestmark = pytest.mark.slow

SAMPLES = Path(__file__).with_name("samples")
OPEN = {"rounds": read.open_rounds, "wagers": read.open_wagers, "events": read.open_events}
MEGABYTES = 700


def balance(path: Path, profile: profiles.SourceProfile, table: str) -> bool:
    """Read a file to its end: rows read are accepted or quarantined, or the file is refused in one sentence.

    Whether it was read.
    """
    with Quarantine() as quarantine:
        accepted = 0
        try:
            for batch in OPEN[table](files.resolve([str(path)], table), profile=profile, quarantine=quarantine):
                accepted += len(batch)
                assert batch.rows.validate(full=True) is None
        except AuditError as error:
            refusal = error
        else:
            refusal = None
        if refusal is not None:
            assert "\n" not in str(refusal)
            return False
        found = quarantine.files(table).get(path.name)
        assert found is not None
        assert found.rows == accepted + quarantine.count(table)
        return True


def _changed(data: bytes, changes: list[tuple[int, int]], end: int) -> bytes:
    changed = bytearray(data)
    for place, value in changes:
        changed[place % len(changed)] = value
    return bytes(changed[: end % (len(changed) + 1)] if end else changed)


CHANGES = st.lists(st.tuples(st.integers(0, 1 << 20), st.integers(0, 255)), max_size=12)
NAMES = sorted(path.name for path in SAMPLES.iterdir() if "cards_apart" not in path.name)


@settings(max_examples=60)
@given(name=st.sampled_from(NAMES), changes=CHANGES, end=st.just(0) | st.integers(1, 1 << 14))
def test_damaged_samples_lose_nothing(name: str, changes: list[tuple[int, int]], end: int) -> None:
    """Samples with bytes changed or cut off are read with their profile: every row is accepted or quarantined."""
    profile = profiles.load_profile(name.partition(".")[0])
    data = _changed((SAMPLES / name).read_bytes(), changes, end)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(data)
        for table in ("rounds", *(each for each in ("wagers", "events") if profile.embeds(each))):
            balance(path, profile, table)


@settings(max_examples=40)
@given(
    data=st.binary(max_size=300) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")),
    ending=st.sampled_from([".csv", ".csv.gz", ".csv.zst", ".jsonl", ".json", ".ndjson.gz", ".parquet", ".xlsx"]),
    name=st.sampled_from(["canonical", "evolution", "house_zh", "points_only"]),
)
def test_any_bytes_are_read_or_refused(data: bytes, ending: str, name: str) -> None:
    """Bytes of no meaning in a file of any kind end in a refusal or in balanced totals."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"log{ending}"
        path.write_bytes(data)
        balance(path, profiles.load_profile(name), "rounds")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "cards", "bets"]), inner, max_size=3)
    ),
    max_leaves=6,
)


@settings(max_examples=50)
@given(
    rows=st.lists(
        st.dictionaries(
            st.sampled_from(["data", "gameInfo", "roundId", "gameCode", "result", "betDetail", "id"]),
            VALUES,
            max_size=5,
        ),
        min_size=1,
        max_size=4,
    ),
    name=st.sampled_from(["evolution", "awc_sexy", "dream_gaming", "replay_api", "sa_gaming", "stomp_feed"]),
)
def test_records_of_any_shape_are_read_or_rejected(rows: list[dict[str, Any]], name: str) -> None:
    """Records whose values are of other kinds than the profile thinks are rejected one by one."""
    import json

    profile = profiles.load_profile(name)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.jsonl"
        path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
        for table in ("rounds", "wagers"):
            if table in profile.tables:
                balance(path, profile, table)


@settings(max_examples=40)
@given(changes=CHANGES, end=st.just(0) | st.integers(1, 1 << 14))
@example(changes=[(16738, 1)], end=0)
@example(changes=[(813, 128)], end=0)
@example(changes=[(524, 128)], end=0)
def test_damaged_parquet_is_refused_or_read(changes: list[tuple[int, int]], end: int) -> None:
    """Parquet with bits flipped or its end cut off is refused, or its rows are all there."""
    round_ = {"round_id": "1", "table_id": "T", "round_no": 1, "game": "baccarat", "status": "settled"}
    row = round_ | {"started_at": "2024-03-01T12:00:00Z", "player_cards": "9H KD", "banker_cards": "3C 4S"}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.parquet"
        pq.write_table(pa.Table.from_pylist([row] * 50), path)
        path.write_bytes(_changed(path.read_bytes(), changes, end))
        balance(path, profiles.CANONICAL, "rounds")


def test_a_million_columns_are_refused(tmp_path: Path) -> None:
    """A header with a million names is refused at once."""
    path = tmp_path / "log.csv"
    path.write_text(",".join(f"c{number}" for number in range(1_000_000)) + "\n1\n")

    with pytest.raises(InputRefused, match=r"log\.csv: "):
        list(read.open_rounds(files.resolve([str(path)], "rounds"), quarantine=Quarantine()))


CHILD = """
import sys
from audit.base.errors import InputRefused
from audit.source import read
from audit.stores import files
from audit.source.quarantine import Quarantine
try:
    for batch in read.open_rounds(files.resolve([sys.argv[1]], "rounds"), quarantine=Quarantine()):
        pass
except InputRefused as error:
    print(error)
# Not getrusage, whose peak is that of the process that started this one where that had more.
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(int(peak.split()[1]) // 1024)
"""


@pytest.mark.parametrize("name", ["log.csv", "log.jsonl"])
def test_a_line_of_a_gigabyte_is_refused_in_bounded_memory(tmp_path: Path, name: str) -> None:
    """A line of 1 GB is refused in a sentence without being held in memory."""
    path = tmp_path / name
    header = "round_id,table_id,round_no,game,status,started_at,player_cards,banker_cards\n"
    with path.open("wb") as stream:
        stream.write(header.encode() if name.endswith("csv") else b"{}\n")
        stream.write(b'"a')
        stream.truncate(1 << 30)

    done = subprocess.run([sys.executable, "-c", CHILD, str(path)], check=True, capture_output=True, text=True)

    said, peak = done.stdout.strip().splitlines()
    assert said.startswith(f"{name}: ")
    assert int(peak) < MEGABYTES
