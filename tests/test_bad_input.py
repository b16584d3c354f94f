"""What bad input gets on the command line: one sentence, the documented exit code, nothing that looks finished."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from audit import pipeline
from audit.cli import call
from audit.engines.assignment import Inputs
from audit.engines.local import Audited

HEADER = "round_id,table_id,shoe_id,round_no,game,status,started_at,player_cards,banker_cards,outcome,decks"
ROUND = "R{n},T1,S{shoe},{no},baccarat,settled,2024-03-01T12:{n:02d}:00+08:00,9H KD,3C 4S,player,8"
WAGER_HEADER = "wager_id,round_id,bet,stake,payout"
WAGER = "W1,R1,player,100,100"

Write = Callable[[str, str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a text file and answer its path."""

    def to(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_bytes(text.encode("utf-8"))
        return path

    return to


def good_rounds(count: int = 3) -> str:
    """A log of lawful rounds."""
    rows = [ROUND.format(n=n, shoe=(n + 2) // 3, no=(n + 2) % 3 + 1) for n in range(1, count + 1)]
    return "\n".join([HEADER, *rows]) + "\n"


def refused(capsys: pytest.CaptureFixture[str], out: Path, *arguments: str) -> tuple[int, str]:
    """Run the command; its exit code and the one sentence that it printed."""
    code = call(["run", "--no-report", "--quiet", "--out", str(out), *arguments])
    captured = capsys.readouterr()

    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert captured.err.startswith("dicj-audit: ")
    assert "Traceback" not in captured.err
    assert not (out / "manifest.json").exists()
    return code, captured.err


BAD_ROUNDS = {
    "empty file": ("", 3, "rounds.csv"),
    "header only": (HEADER + "\n", 3, "no row"),
    "wrong delimiter": (good_rounds().replace(",", ";"), 3, ";"),
    "missing column": (good_rounds().replace("table_id", "tabel"), 3, "table_id"),
    "two columns of one name": (good_rounds().replace("shoe_id", "table_id"), 3, "table_id"),
    "unknown game": (good_rounds().replace("baccarat", "poker"), 3, "poker"),
    "unknown status": (good_rounds().replace("settled", "done"), 3, "done"),
    "impossible suit": (good_rounds().replace("9H KD", "9X KD"), 3, "9X"),
    "impossible rank": (good_rounds().replace("9H KD", "11H KD"), 3, "11H"),
    "not a card": (good_rounds().replace("9H KD", "1S KD"), 3, "1S"),
    "no cards": (good_rounds().replace("9H KD,3C 4S", ","), 3, "player_cards"),
    "wrong century": (good_rounds().replace("2024-", "1924-"), 3, "1924"),
    "no time": (good_rounds().replace("T12:", "T25:"), 3, "started_at"),
    "round number zero": (
        good_rounds().replace("S1,1", "S1,0").replace("S1,2", "S1,0").replace("S1,3", "S1,0"),
        3,
        "round_no",
    ),
}


@pytest.mark.parametrize("name", BAD_ROUNDS)
def test_bad_rounds(name: str, write: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A log of rounds that cannot be read is refused in one sentence that says what is wrong."""
    text, code, words = BAD_ROUNDS[name]

    found, sentence = refused(capsys, tmp_path / "out", "--rounds", str(write("rounds.csv", text)))

    assert code == found
    assert words in sentence


BAD_WAGERS = {
    "stake zero": (WAGER.replace("100,100", "0,0"), "stake"),
    "stake negative": (WAGER.replace("100,100", "-5,0"), "stake"),
    "stake text": (WAGER.replace("100,100", "many,0"), "stake"),
    "stake not a number": (WAGER.replace("100,100", "NaN,0"), "stake"),
    "thousands separator": (WAGER.replace("100,100", '100,"1,500.00"'), "payout"),
    "exponent": (WAGER.replace("100,100", "100,1e2"), "payout"),
}


@pytest.mark.parametrize("name", BAD_WAGERS)
def test_bad_wagers(name: str, write: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A log of wagers that cannot be read is refused; the rejected rows are left in the quarantine."""
    row, column = BAD_WAGERS[name]
    rounds = write("rounds.csv", good_rounds())
    wagers = write("wagers.csv", f"{WAGER_HEADER}\n{row}\n")

    code, sentence = refused(capsys, tmp_path / "out", "--rounds", str(rounds), "--wagers", str(wagers))

    assert code == 3
    assert column in sentence
    assert "row 1" in sentence
    assert ["quarantine.parquet"] == [p.name for p in (tmp_path / "out").iterdir()]
    assert [column] == pq.read_table(tmp_path / "out" / "quarantine.parquet")["column"].to_pylist()


def test_bad_bytes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file in another encoding is refused by name."""
    path = tmp_path / "rounds.csv"
    path.write_bytes(good_rounds().replace("R1", "局1").encode("big5"))

    code, sentence = refused(capsys, tmp_path / "out", "--rounds", str(path))

    assert code == 3
    assert "rounds.csv" in sentence
    assert "UTF-8" in sentence


@pytest.mark.parametrize(
    ("column", "words"),
    [
        (pa.array([10_000], pa.int64()), "int64"),
        (pa.array([100.0], pa.float64()), "double"),
    ],
)
def test_parquet_money_of_another_type(
    column: pa.Array, words: str, write: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whole cents and binary floats are refused, with the reason."""
    table = pa.table({"wager_id": ["W1"], "round_id": ["R1"], "bet": ["player"], "stake": column, "payout": column})
    pq.write_table(table, tmp_path / "wagers.parquet")
    rounds = write("rounds.csv", good_rounds())

    code, sentence = refused(
        capsys, tmp_path / "out", "--rounds", str(rounds), "--wagers", str(tmp_path / "wagers.parquet")
    )

    assert code == 3
    assert "stake" in sentence
    assert words in sentence


def test_truncated_parquet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A Parquet file that was cut short is refused by name."""
    pq.write_table(pa.table({"round_id": ["R1"]}), tmp_path / "rounds.parquet")
    whole = (tmp_path / "rounds.parquet").read_bytes()
    (tmp_path / "rounds.parquet").write_bytes(whole[: len(whole) // 2])

    code, sentence = refused(capsys, tmp_path / "out", "--rounds", str(tmp_path / "rounds.parquet"))

    assert code == 3
    assert "rounds.parquet" in sentence


@pytest.mark.parametrize("added", ["", "R4,T1,S2,1"])
def test_a_file_that_changes_while_it_is_read(
    write: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, added: str
) -> None:
    """The digest of a file in the manifest is that of the rows audited, or there is no run; a touch is no change."""
    rounds = write("rounds.csv", good_rounds())
    audit_all = pipeline.audit_all

    def audited(inputs: Inputs, *given: Any) -> Audited:
        before = [file.sha256() for file in inputs.rounds]
        found = audit_all(inputs, *given)
        rounds.write_text(good_rounds() + added, encoding="utf-8")
        os.utime(rounds, (1, 1))
        assert ([file.sha256() for file in inputs.rounds] == before) is (not added)
        return found

    monkeypatch.setattr(pipeline, "audit_all", audited)
    if not added:
        assert 0 == call(["run", "--no-report", "--quiet", "--out", str(tmp_path / "out"), "--rounds", str(rounds)])
        return
    code, sentence = refused(capsys, tmp_path / "out", "--rounds", str(rounds))

    assert code == 3
    assert "rounds.csv: was changed while it was read" in sentence


def test_wrong_usage(write: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Paths that do not exist, output places that cannot be used and bad settings are wrong usage."""
    rounds = str(write("rounds.csv", good_rounds()))
    bad_config = str(write("audit.yaml", "notise: standard\n"))
    taken = tmp_path / "taken"
    taken.mkdir()
    (taken / "holiday.jpg").write_bytes(b"")
    cases = [
        ((tmp_path / "a"), ("--rounds", str(tmp_path / "absent.csv")), "absent.csv"),
        ((tmp_path / "b"), ("--rounds", str(tmp_path / "*.parquet")), "*.parquet"),
        (Path(rounds), ("--rounds", rounds), "directory"),
        (Path("/proc/nowhere"), ("--rounds", rounds), "cannot be written"),
        (taken, ("--rounds", rounds), "holiday.jpg"),
        ((tmp_path / "c"), ("--rounds", rounds, "--config", bad_config), "notise"),
        ((tmp_path / "d"), ("--rounds", rounds, "--config", str(tmp_path / "no.yaml")), "no.yaml"),
        ((tmp_path / "e"), ("--rounds", rounds, "--source", "nobody"), "nobody"),
        ((tmp_path / "f"), ("--rounds", rounds, "--day", "2024-03-01", "--to", "2024-03-02"), "--day"),
        ((tmp_path / "g"), ("--rounds", rounds, "--from", "2024-03-02", "--to", "2024-03-01"), "--to"),
    ]

    for out, arguments, words in cases:
        code, sentence = refused(capsys, out, *arguments)

        assert code == 2
        assert words in sentence


@pytest.mark.parametrize("arguments", [["run"], ["run", "--rounds"], ["fly"], ["run", "--day", "1 March"], []])
def test_unknown_options(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """What the command line does not know ends with code 2."""
    with pytest.raises(SystemExit) as ended:
        call(arguments)

    assert ended.value.code == 2
    assert "usage:" in capsys.readouterr().err


BAD_REGISTERS = {
    "missing column": ("approval_id,game,option,value,tables\nA1,baccarat,tie,kept,*\n", "decision"),
    "unknown game": ("approval_id,game,option,value,tables,decision\nA1,poker,tie,kept,*,granted\n", "poker"),
    "bad day": (
        "approval_id,game,option,value,tables,decision,planned_from\nA1,baccarat,tie,kept,*,granted,2024-02-30\n",
        "planned_from",
    ),
    "contradiction": (
        (
            "approval_id,game,option,value,tables,decision,planned_from\n"
            "A1,baccarat,tie,kept,*,granted,2024-02-20\nA1,baccarat,tie,kept,*,granted,2024-02-21\n"
        ),
        "row 2",
    ),
}


@pytest.mark.parametrize("name", BAD_REGISTERS)
def test_bad_register(name: str, write: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A register that cannot be trusted is refused as a whole."""
    text, words = BAD_REGISTERS[name]
    rounds, register = write("rounds.csv", good_rounds()), write("register.csv", text)

    code, sentence = refused(capsys, tmp_path / "out", "--rounds", str(rounds), "--approvals", str(register))

    assert code == 3
    assert "register.csv" in sentence
    assert words in sentence


def _mounted(folder: Path) -> bool:
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    return os.geteuid() == 0 and subprocess.run(command, check=False, capture_output=True).returncode == 0


def test_full_disk(write: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A disk that fills up ends the run with code 4 and nothing that looks finished."""
    rounds = write("rounds.csv", good_rounds(59).replace(",player,8", ",banker,8"))
    small = tmp_path / "small"
    if not _mounted(small):
        pytest.skip("a small file system can only be mounted by root")
    try:
        (small / "ballast").write_bytes(b"x" * 40_000)

        code, _ = refused(capsys, small / "out", "--rounds", str(rounds))

        assert code == 4
        assert not (small / "out").exists()
    finally:
        subprocess.run(["umount", str(small)], check=True)


def test_killed_run_never_looks_finished(write: Write, tmp_path: Path) -> None:
    """Killed at any moment, a run leaves no manifest or a whole run, and the same directory serves for the next try."""
    rounds = write("rounds.csv", good_rounds(59))
    program = [sys.executable, "-m", "audit.cli"]
    command = [*program, "run", "--no-report", "--rounds", str(rounds)]
    unfinished = []
    for number, seconds in enumerate((0.2, 0.5, 1.0, 2.0)):
        out = tmp_path / f"out{number}"
        with subprocess.Popen([*command, "--out", str(out)], stdout=subprocess.DEVNULL) as started:
            time.sleep(seconds)
            started.send_signal(signal.SIGKILL)
        if (out / "manifest.json").exists():  # it was through before it was killed
            assert subprocess.run([*program, "verify", str(out)], check=False, capture_output=True).returncode == 0
        else:
            unfinished.append(out)

    assert unfinished
    done = subprocess.run([*command, "--out", str(unfinished[-1])], check=False, capture_output=True)

    assert done.returncode == 0
    assert (unfinished[-1] / "manifest.json").exists()


def test_money_is_never_a_float(write: Write, tmp_path: Path) -> None:
    """Sums that binary floats cannot hold come out as they went in."""
    rounds = write("rounds.csv", good_rounds())
    wagers = write("wagers.csv", f"{WAGER_HEADER}\nW1,R1,player,0.10,0.30\nW2,R1,player,1234567890.12,1234567890.13\n")

    code = call(
        [
            "run",
            "--no-report",
            "--quiet",
            "--out",
            str(tmp_path / "out"),
            "--rounds",
            str(rounds),
            "--wagers",
            str(wagers),
        ]
    )

    assert code == 1
    amounts = pq.read_table(tmp_path / "out" / "findings.parquet")["amount"].to_pylist()
    assert [Decimal("0.2"), Decimal("0.01")] == amounts
