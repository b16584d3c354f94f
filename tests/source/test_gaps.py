"""Whatever is missing of a record, its row is accepted or quarantined, and so is every other row."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from audit.source import profiles
from audit.source.profiles import SourceProfile
from tests.source.test_fuzz import SAMPLES, balance

pytestmark = pytest.mark.slow

NAMES = {kind: sorted(path.stem for path in SAMPLES.glob(f"*.{kind}")) for kind in ("csv", "jsonl")}


def balanced(path: Path, profile: SourceProfile) -> bool:
    """Read the file as every table that it holds; whether all could be read."""
    tables = ("rounds", *(each for each in ("wagers", "events") if profile.embeds(each)))
    read = [balance(path, profile, table) for table in tables]
    return all(read)


@pytest.mark.parametrize("name", [name for name in NAMES["csv"] if "cards_apart" not in name])
def test_cells_without_anything_in_them(tmp_path: Path, name: str) -> None:
    """Each cell of a row, and each run of two and of three: the cards of a side among them."""
    profile = profiles.load_profile(name)
    encoding = "utf-8-sig" if profile.dialect.utf8 else profile.dialect.encoding
    text = (SAMPLES / f"{name}.csv").read_bytes().decode(encoding)
    rows = list(csv.reader(io.StringIO(text), delimiter=profile.dialect.delimiter))
    path = tmp_path / f"{name}.csv"
    read = []

    for width in (1, 2, 3):
        for first in range(len(rows[1]) - width + 1):
            gap = [*rows[1][:first], *[""] * width, *rows[1][first + width :]]
            out = io.StringIO()
            csv.writer(out, delimiter=profile.dialect.delimiter).writerows([rows[0], gap, *rows[2:]])
            path.write_bytes(out.getvalue().encode(profile.dialect.encoding))
            read.append(balanced(path, profile))
    assert all(read)


def places(value: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value within a value, branch by branch."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inside:
        yield (*above, key)
        yield from places(each, (*above, key))


@pytest.mark.parametrize("name", NAMES["jsonl"])
@pytest.mark.parametrize("instead", [None, "", [], {}])
def test_branches_without_anything_in_them(tmp_path: Path, name: str, instead: Any) -> None:
    """Each value and each branch of the first record, with nothing of several kinds in its place."""
    profile = profiles.load_profile(name)
    first, *others = (SAMPLES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    path = tmp_path / f"{name}.jsonl"
    read = []

    for *way, last in places(json.loads(first)):
        record = branch = json.loads(first)
        for key in way:
            branch = branch[key]
        branch[last] = instead
        path.write_text("\n".join([json.dumps(record), *others]), encoding="utf-8")
        read.append(balanced(path, profile))
    assert any(read)
