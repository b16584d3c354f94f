from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Self

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from audit.cli import call
from audit.gate import gate_process
from audit.source import profiles
from audit.source.checking import check_source
from audit.stores.files import resolve
from tests.finished import NoGate

SAMPLES = Path(__file__).with_name("samples")
WRONG = "order: player_first"


def _run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = call([str(each) for each in arguments])
    said = capsys.readouterr()
    return code, said.out, said.err


class NoProcess(NoGate):
    """The gate that expects nothing, as the process that it would be."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return None


@pytest.fixture(autouse=True)
def _without_gate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate_process, "GateProcess", NoProcess)


@pytest.fixture
def wrong_order(tmp_path: Path) -> Path:
    """The profile of a source that deals in turn, with the order of another."""
    text = profiles.shipped()["bbin"].read_text(encoding="utf-8")
    (tmp_path / "wrong.yaml").write_text(text.replace("order: alternating", WRONG), encoding="utf-8")
    return tmp_path / "wrong.yaml"


def test_check_shows_rows_before_and_after(capsys: pytest.CaptureFixture[str]) -> None:
    """Each canonical column stands beside the cells it was made of, with the counts of all orders of the cards."""
    code, out, _ = _run(capsys, "sources", "check", SAMPLES / "bbin.csv", "--source", "bbin", "--rows", "1", "--json")
    found = json.loads(out)
    table = found["tables"][0]

    assert (0, 12, 11, 1) == (code, table["read"], table["accepted"], table["quarantined"])
    cells = {cell["column"]: cell for cell in table["rows"][0]["cells"]}
    assert ({"pk": "D.1,H.10,S.10,C.7,S.1,"}, "AD 10S AS") == (
        cells["player_cards"]["before"],
        cells["player_cards"]["after"],
    )
    assert ({"time": "2023-05-01 08:00:00"}, "2023-05-01T12:00:00+00:00") == (
        cells["started_at"]["before"],
        cells["started_at"]["after"],
    )
    assert [("alternating", 11), ("player_first", 1), ("banker_first", 1)] == [
        (order["order"], order["agree"]) for order in table["orders"]
    ]
    assert "proved on 11 rounds" in table["proof"]["text"]["en"]


def test_check_shows_why_a_row_is_rejected(capsys: pytest.CaptureFixture[str]) -> None:
    """A rejected row is shown with its cells and the sentence of its rejection, in the language asked for."""
    profile = profiles.load_profile("house_pt")
    row = check_source(resolve([str(SAMPLES / "house_pt.csv")], "wagers"), profile, ["wagers"], 3)["tables"][0]["rows"][
        2
    ]

    assert "plain decimal amount" in row["rejected"]["en"]
    assert None is next(cell["after"] for cell in row["cells"] if cell["column"] == "stake")
    code, out, _ = _run(capsys, "sources", "check", SAMPLES / "house_pt.csv", "--source", "house_pt", "--lang", "pt")
    assert 0 == code
    assert "! O valor «?10.0» do campo stake" in out


def test_an_order_that_the_records_contradict_is_refused_with_the_one_that_fits(
    capsys: pytest.CaptureFixture[str], wrong_order: Path, tmp_path: Path
) -> None:
    """Both the check and a run refuse such a profile, and name the order that would fit."""
    said = "the order that would fit: alternating (agrees in 11 of 11)"

    code, out, err = _run(capsys, "sources", "check", SAMPLES / "bbin.csv", "--source", wrong_order)
    assert (3, "") == (code, out)
    assert said in err
    more = ("--source", wrong_order, "--no-report", "--out", tmp_path / "run")
    code, _, err = _run(capsys, "run", "--rounds", SAMPLES / "bbin.csv", *more)
    assert 3 == code
    assert said in err
    assert not (tmp_path / "run" / "manifest.json").exists()


def test_a_run_states_the_proof_and_reads_embedded_wagers(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The manifest says on how many rounds the order is proved; wagers in the same file need not be named."""
    run = tmp_path / "run"
    more = ("--source", "house_pt", "--no-report", "--out", run, "--max-quarantine", "50%")
    code, _, err = _run(capsys, "run", "--rounds", SAMPLES / "house_pt.csv", *more)
    manifest = json.loads((run / "manifest.json").read_text(encoding="utf-8"))

    assert (0, "") == (code, err)
    assert ("house_pt", "few", 2) == (
        manifest["sources"]["profile"],
        manifest["sources"]["proof"]["state"],
        manifest["sources"]["proof"]["rounds"],
    )
    assert set(manifest["sources"]["proof"]["text"]) == {"zh", "pt", "en"}
    assert (2, 1) == (manifest["totals"]["wagers"]["accepted"], manifest["totals"]["wagers"]["quarantined"])
    assert {"rounds": 1, "wagers": 1} == manifest["sources"]["rows_of_other_tables"]


def test_rejected_rows_are_summed_up_corrected_and_fed_again(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The summary has three examples a reason; the rows come back as a file, and corrected they complete the audit."""
    log = "wager_id,round_id,bet,stake,payout\nW1,R1,player,100,100\n" + "".join(
        f"W{n},R1,tie,x,0\n" for n in range(2, 7)
    )
    (tmp_path / "wagers.csv").write_text(log)
    (tmp_path / "rounds.csv").write_text(
        "round_id,table_id,round_no,game,status,started_at,player_cards,banker_cards\n"
        "R1,T,1,baccarat,settled,2024-03-01T12:00:00+08:00,9H KD,3C 4S\n"
    )
    files = ("--rounds", tmp_path / "rounds.csv", "--wagers", tmp_path / "wagers.csv")
    code, _, err = _run(capsys, "run", *files, "--no-report", "--out", tmp_path / "one")
    assert 3 == code
    assert "5 of 6 rows of wagers could not be read" in err

    code, out, _ = _run(capsys, "quarantine", "--run", tmp_path / "one", "--json")
    summary = json.loads(out)
    assert [("wagers", "not_money", 5, 3)] == [
        (each["table"], each["reason"], each["count"], len(each["examples"])) for each in summary
    ]
    fixed = tmp_path / "fixed.csv"
    assert 0 == _run(capsys, "quarantine", "--run", tmp_path / "one", "--table", "wagers", "--rows", fixed)[0]
    with fixed.open() as stream:
        rows = list(csv.DictReader(stream))
    assert ["x"] * 5 == [row["stake"] for row in rows]
    fixed.write_text(fixed.read_text().replace(",x,", ",10,"))

    more = ("--wagers", fixed, "--max-quarantine", "50%", "--no-report", "--out", tmp_path / "two")
    code, _, _ = _run(capsys, "run", *files, *more)
    totals = json.loads((tmp_path / "two" / "manifest.json").read_text())["totals"]["wagers"]
    assert (11, 6, 5, 0) == (totals["read"], totals["accepted"], totals["quarantined"], totals["repeats"])


def test_corrections_do_not_count_as_unreadable(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A run goes on though more rows than allowed are set aside, because the source took them back."""
    more = ("--source", "wm_casino", "--no-report", "--max-quarantine", "0%", "--out", tmp_path / "run")
    code, _, err = _run(capsys, "run", "--rounds", SAMPLES / "wm_casino.csv", *more)
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text(encoding="utf-8"))

    assert "" == err
    assert code in {0, 1}
    assert 1 == manifest["totals"]["wagers"]["quarantined"]
    assert {"superseded"} == {entry["reason"] for entry in manifest["quarantine"]["by_reason"]}


def test_the_gate_judges_files_without_an_audit(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Every suite answers about rows and whole files; the last answers are listed beside the expectations."""
    rounds = SAMPLES / "mt_live.jsonl"
    code, out, _ = _run(capsys, "expectations", "run", "--rounds", rounds, "--source", "mt_live", "--json")
    answers = json.loads(out)["results"]

    assert {"rounds", "profile_rounds"} <= {answer["suite"] for answer in answers}
    assert code == int(any(answer["success"] is False for answer in answers))
    (tmp_path / "expectations.json").write_text(out, encoding="utf-8")
    code, out, _ = _run(capsys, "expectations", "list", "--run", tmp_path, "--json")
    listed = {(row["suite"], row["text"]): row["success"] for row in json.loads(out)}
    assert 0 == code
    assert {(a["suite"], a["text"]["en"]): a["success"] for a in answers}.items() <= listed.items()


def test_every_shipped_profile_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    """The list names each profile with its tables and a description."""
    code, out, _ = _run(capsys, "sources", "list", "--json")

    rows = json.loads(out)
    assert (0, list(profiles.shipped())) == (code, [row["name"] for row in rows])
    assert all(row["description"] and row["tables"] for row in rows)


def test_many_overlapping_files_are_one_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Files of several kinds that repeat rows of one another give each row once, and the totals say so."""
    head = "round_id,table_id,round_no,game,status,started_at,player_cards,banker_cards"
    rows = [f"R{n},T,{n},baccarat,settled,2024-03-01T12:{n:02}:00+08:00,9H KD,3C 4S" for n in range(1, 9)]
    (tmp_path / "a.csv").write_text("\n".join([head, *rows[:5]]))
    records = [dict(zip(head.split(","), row.split(","), strict=True)) for row in rows]
    (tmp_path / "b.jsonl").write_text("\n".join(json.dumps(record) for record in records[3:7]))
    pq.write_table(
        pa.Table.from_pylist([r | {"round_no": int(r["round_no"])} for r in records[6:]]), tmp_path / "c.parquet"
    )

    _run(capsys, "run", "--rounds", tmp_path, "--no-report", "--out", tmp_path / "run")
    totals = json.loads((tmp_path / "run" / "manifest.json").read_text())["totals"]["rounds"]

    assert (11, 8, 0, 3) == (totals["read"], totals["accepted"], totals["quarantined"], totals["repeats"])
