"""Which shoe an event speaks of, what burning is an option, and what is left open by name."""

from __future__ import annotations

import json
from pathlib import Path

from audit.config.settings import Settings
from audit.findings.table import read_findings
from audit.pipeline import RunRequest, run_audit
from tests.finished import NoGate

ROUNDS = "round_id,casino,table_id,shoe_id,round_no,game,status,started_at,ended_at,player_cards,banker_cards,decks\n"
HANDS = ("9H KD,3C 4S", "8H KC,2C 4D", "9S KS,3D 4H", "8S QD,2D 4C")


def rounds(casino: str, table: str, shoe: str, day: str = "2024-03-01", game: str = "baccarat") -> str:
    """Four lawful rounds of one shoe, a minute each."""
    return "".join(
        f"{casino}{table}{shoe}{n},{casino},{table},{shoe},{n},{game},settled,"
        f"{day}T12:0{n}:00+08:00,{day}T12:0{n}:40+08:00,{hand},8\n"
        for n, hand in enumerate(HANDS, 1)
    )


def audited(folder: Path, log: str, events: str, casino: str | None = None) -> tuple[list[tuple[str, str, str]], dict]:  # type: ignore[type-arg]
    """Codes with house and table found, and the manifest."""
    (folder / "rounds.csv").write_text(ROUNDS + log, encoding="utf-8")
    (folder / "events.csv").write_text(events, encoding="utf-8")
    request = RunRequest(
        [folder / "rounds.csv"],
        folder / "out",
        events=[folder / "events.csv"],
        config=Settings(casino=casino),
        report=False,
    )
    run_audit(request, gate=NoGate())
    manifest = json.loads((folder / "out" / "manifest.json").read_text(encoding="utf-8"))
    rows = read_findings(folder / "out").to_pylist()
    return [(row["code"], row["casino"], row["table_id"]) for row in rows], manifest


OUT = "table_id,shoe_id,at,event,count,burn_rule\n{table},{shoe},2024-03-01T12:01:10+08:00,cut_card_out,,\n"


def test_an_event_belongs_to_the_house_that_has_the_table(tmp_path: Path) -> None:
    """Events name no house: the table finds it, whatever house the configuration names as the default."""
    found, _ = audited(tmp_path, rounds("X", "T1", "S1"), OUT.format(table="T1", shoe="S1"), casino="HOUSE")

    assert [("SHO-004", "X", "T1")] == found


def test_the_shoe_tells_two_tables_of_one_name_apart(tmp_path: Path) -> None:
    """Where two houses have the table, the one that has the shoe is meant."""
    log = rounds("X", "T1", "S1") + rounds("Y", "T1", "S2")

    found, _ = audited(tmp_path, log, OUT.format(table="T1", shoe="S2"))

    assert [("SHO-004", "Y", "T1")] == found


def test_an_event_without_a_shoe_speaks_of_the_one_in_play(tmp_path: Path) -> None:
    """A cut card that came out during a round came out of that round's shoe."""
    found, _ = audited(tmp_path, rounds("X", "T1", "S1"), OUT.format(table="T1", shoe=""))

    assert [("SHO-004", "X", "T1")] == found


def test_an_event_that_fits_nowhere_is_counted(tmp_path: Path) -> None:
    """An event of no table in the log is not evaluated, and the shoes without events are counted one by one."""
    found, manifest = audited(tmp_path, rounds("X", "T1", "S1"), OUT.format(table="T9", shoe="S1"))

    assert [] == found
    counts = {(row["code"], row["reason"]): row["count"] for row in manifest["not_evaluated"]}
    assert counts["SHO-004", "event_not_placed"] == 1
    assert [1] * 4 == [counts[f"SHO-00{n}", "no_events"] for n in (4, 5, 6, 7)]


def test_a_number_that_no_formula_knows_is_a_wrong_burn_and_no_option(tmp_path: Path) -> None:
    """Nine cards fixed beforehand are outside 1 to 8; in Makccarat and before 83/2011 there is no such formula."""
    burn = "table_id,shoe_id,at,event,count,burn_rule\n"
    burn += "T1,S1,2024-03-01T12:00:10+08:00,burn,9,fixed\nT2,S1,2011-09-26T12:00:10+08:00,burn,5,fixed\n"
    burn += "T3,S1,2024-03-01T12:00:10+08:00,burn,5,fixed\n"
    log = rounds("X", "T1", "S1") + rounds("X", "T2", "S1", "2011-09-26")
    log += rounds("X", "T3", "S1", game="makccarat").replace("9H KD,3C 4S", "9H KD,3C 5S")

    found, _ = audited(tmp_path, log, burn)

    assert [("SHO-005", "X", f"T{n}") for n in (1, 2, 3)] == [row for row in found if row[0] in {"SHO-005", "OPT-001"}]


def test_options_that_the_input_cannot_show_are_named(tmp_path: Path) -> None:
    """Without the columns and events that would show an option, it stands in the table as not evaluated."""
    _, manifest = audited(tmp_path, rounds("X", "T1", "S1"), OUT.format(table="T1", shoe="S1"))

    open_ones = {row["option"] for row in manifest["options"] if row["state"] == "not_evaluated" and not row["rounds"]}
    assert {"burn", "commission", "dealing", "tie"} == open_ones
