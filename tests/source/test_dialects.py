from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.base.errors import InputRefused
from audit.source import profiles
from audit.source.cells import SourceColumn
from audit.source.payout_meaning import PayoutMeaning

LOG = '局號;檯;時間;閒牌;莊牌\n1;"甲\n乙";2024-03-01 12:00:00;9H KD;3C 4S\n2;丙;2024-03-01 12:01:00;2H KD;3C 4S\n'
PROFILE = """\
name: v
csv: {delimiter: ";", encoding: ENCODING}
rounds:
  columns: {round_id: 局號, table_id: 檯, started_at: 時間}
  constants: {game: baccarat, status: settled, round_no: 1}
  cards: {player: 閒牌, banker: 莊牌}
"""


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "big5", "gb18030"])
@pytest.mark.parametrize("ending", ["csv", "csv.gz"])
def test_every_encoding_gives_the_same_rows(tmp_path: Path, read_files: Any, encoding: str, ending: str) -> None:
    """Chinese headings, quoted line ends and semicolons are read in each encoding, compressed or not."""
    (tmp_path / "v.yaml").write_text(PROFILE.replace("ENCODING", encoding), encoding="utf-8")
    data = (LOG.replace("號", "号").replace("莊", "庄") if encoding == "gb18030" else LOG).encode(encoding)
    if encoding == "gb18030":
        text = (tmp_path / "v.yaml").read_text(encoding="utf-8").replace("號", "号").replace("莊", "庄")
        (tmp_path / "v.yaml").write_text(text, encoding="utf-8")
    path = tmp_path / f"log.{ending}"
    path.write_bytes(gzip.compress(data) if ending.endswith("gz") else data)

    rows = read_files(path, profile=profiles.load_profile(str(tmp_path / "v.yaml"))).rows

    assert [("1", "甲\n乙"), ("2", "丙")] == [(row["round_id"], row["table_id"]) for row in rows]


def test_another_encoding_than_promised_is_refused(tmp_path: Path, read_files: Any) -> None:
    """A file that is not in the encoding of the profile is refused and not read wrongly."""
    (tmp_path / "v.yaml").write_text(PROFILE.replace("ENCODING", "utf-16"), encoding="utf-8")
    (tmp_path / "log.csv").write_bytes(LOG.encode("big5"))

    with pytest.raises(InputRefused, match=r"^log\.csv: "):
        read_files(tmp_path / "log.csv", profile=profiles.load_profile(str(tmp_path / "v.yaml")))


@given(st.integers(0, 10**12), st.sampled_from([".", " ", "'", ""]))
def test_marked_amounts_are_what_they_say(cents: int, grouping: str) -> None:
    """Any amount written with a decimal comma and groups is read as itself."""
    whole = f"{cents // 100:,}".replace(",", grouping)
    marks = PayoutMeaning(decimal=",", grouping=grouping)

    read = marks.marked(pa.array([f"{whole},{cents % 100:02}"]), SourceColumn("a", "x")).to_pylist()

    assert [f"{cents // 100}.{cents % 100:02}"] == read


@pytest.mark.parametrize("text", ["1.5", "1.2345,00", "1,5,5", "1..000", ",5", "1.00"])
def test_amounts_with_other_marks_are_not_guessed(text: str) -> None:
    """A point where the profile says comma is rejected, not taken for one or the other."""
    marks = PayoutMeaning(decimal=",", grouping=".")

    assert [f"?{text}"] == marks.marked(pa.array([text]), SourceColumn("a", "x")).to_pylist()


@pytest.mark.parametrize(
    ("push", "payout", "returned"),
    [
        ("stake", "0", 0),
        ("zero", "0", None),
        ("absent", "", None),
        ("stake", "150", 1_000_000),
        ("zero", "100", 1_000_000),
    ],
)
def test_a_push_is_read_as_the_source_shows_it(
    tmp_path: Path, read_text: Any, push: str, payout: str, returned: int | None
) -> None:
    """Where 0 or nothing may be a push, what became of the stake is left open and not called lost."""
    (tmp_path / "v.yaml").write_text(
        "name: v\nwagers:\n  columns: {wager_id: w, round_id: r, bet: b, stake: s, payout: p}\n"
        f"  money: {{payout: with_stake, push: {push}}}\n"
    )

    rows = read_text(
        f"w,r,b,s,p\n1,1,player,100,{payout}\n", profile=profiles.load_profile(str(tmp_path / "v.yaml")), table="wagers"
    ).rows

    assert [returned] == [row["stake_returned"] for row in rows]
