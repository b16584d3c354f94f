"""Investigations of the demonstration: what they say, what they refuse, and that they agree with the run."""

from __future__ import annotations

import io
import json
import shutil
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from audit.base.errors import InputRefused, UsageError
from audit.base.model import LANGUAGES
from audit.cli import call
from audit.investigate import Target, investigate
from audit.investigate.document import document
from audit.investigate.screen import show
from audit.pipeline import RunRequest, run_audit
from tests.finished import Demonstration, NoGate, remembered


@pytest.fixture
def demo(monkeypatch: pytest.MonkeyPatch) -> Demonstration:
    """The demonstration with faults, its inputs remembered."""
    return remembered(monkeypatch)


def _look(demo: Demonstration, round_id: str) -> dict[str, Any]:
    return investigate(demo.run, Target(round_id))


def test_a_missing_draw_is_replayed_step_by_step(demo: Demonstration) -> None:
    """The replay ends with the step that was not done as required, with its article and words in each language."""
    data = _look(demo, demo.round_of("DRW-001"))
    last = data["replay"]["steps"][-1]

    assert ("draw", "stand") == (last["required"], last["done"])
    assert ("DRW-001", last["side"], last["article"]) == tuple(
        data["replay"]["departure"][key] for key in ("code", "side", "article")
    )
    assert set(LANGUAGES) == last["text"].keys()
    assert data["verdict"] == "violation"
    assert [row["code"] for row in data["findings"]] == ["DRW-001"]


def test_every_planted_round_is_judged_as_the_run_judged_it(demo: Demonstration) -> None:
    """The replay gives the run's findings again for every round that has any."""
    rounds = {fault.subject["round_id"] for fault in demo.planted if "round_id" in fault.subject} - {"B09-0001"}

    assert len(rounds) > 20
    for name in sorted(rounds):
        assert _look(demo, name)["same_as_run"] is True, name


def test_wagers_state_due_and_paid(demo: Demonstration) -> None:
    """The wrong wager of a round has its fault, the due sum and the difference; the others are right."""
    fault = next(f for f in demo.planted_as("PAY-001") if f.subject["table_id"] == "M02")
    data = _look(demo, fault.subject["round_id"])
    by_id = {wager["wager_id"]: wager for wager in data["wagers"]}
    wrong = by_id.pop(fault.subject["wager_id"])
    stake = float(wrong["stake"])

    assert wrong["answer"] == "fault"
    assert stake == float(wrong["payout"]) == 2 * float(wrong["due"]["payout"])
    assert stake / 2 == float(wrong["difference"])
    assert (wrong["instrument"], wrong["article"]) == ("67/2007", "17(2)")
    assert {"right"} == {wager["answer"] for wager in by_id.values()} or not by_id
    assert data["applied"] == {
        "commission": "none",
        "commission_source": "recorded",
        "draw_method": "method_2",
        "draw_method_source": "recorded",
    }


def test_wagers_that_a_scheme_explains_are_no_fault(demo: Demonstration) -> None:
    """A wager that OPT-004 explains is said to be explained by it, and the round stays as the run judged it."""
    shown = next(row for row in demo.rows if row["code"] == "OPT-004")
    data = _look(demo, shown["first_round_id"])

    assert "explained" in {wager["answer"] for wager in data["wagers"]}
    assert data["verdict"] == "conforming"
    assert "OPT-004" in {row["code"] for row in data["related"]}
    assert data["shoe"] is None


def test_a_hand_of_four_cards_has_no_result(demo: Demonstration) -> None:
    """With DRW-004 the replay says why there is none, and the wagers are not evaluated."""
    data = _look(demo, demo.round_of("DRW-004"))

    assert data["replay"]["state"] == "card_count"
    assert data["replay"]["departure"]["code"] == "DRW-004"
    assert {("not_evaluated", "card_count")} == {(w["answer"], w["reason"]) for w in data["wagers"]}


def test_wagers_of_a_void_round_come_back(demo: Demonstration) -> None:
    """On a void round the whole stake is due back, and the one that was kept is the fault."""
    fault = next(f for f in demo.planted_as("PAY-005") if f.subject["table_id"] == "M01")
    data = _look(demo, fault.subject["round_id"])
    answers = {wager["wager_id"]: wager["answer"] for wager in data["wagers"]}

    assert answers.pop(fault.subject["wager_id"]) == "fault"
    assert {"right"} >= set(answers.values())
    assert all(wager["due"]["stake_returned"] == wager["stake"] for wager in data["wagers"])


def test_rows_that_share_the_id_are_shown(demo: Demonstration) -> None:
    """The row with other content under the same id is shown with its place."""
    round_id = demo.round_of("LOG-001")
    data = _look(demo, round_id)
    finding = next(row for row in demo.rows if row["code"] == "LOG-001")

    assert [(finding["source_file"], finding["source_row"])] == [(r["file"], r["row"]) for r in data["other_rows"]]
    assert data["round"]["outcome"] != data["other_rows"][0]["outcome"]


def test_the_register_says_what_held_on_the_day(demo: Demonstration) -> None:
    """Entries that name the table come with their state on the round's legal day."""
    early, later = _look(demo, "M02-0005"), _look(demo, "M02-0070")
    states = [{e["approval_id"]: e["state"] for e in data["approvals"]}["D-010"] for data in (early, later)]

    assert states == ["early", "authorised"]
    assert {"expired"} == {e["state"] for e in _look(demo, "B03-0030")["approvals"] if e["value"] == "fixed_5"}


def test_rounds_around_are_in_order(demo: Demonstration) -> None:
    """Three rounds before and three after, the round itself marked."""
    lines = _look(demo, "B02-0030")["neighbours"]

    assert [f"B02-{number:04d}" for number in range(27, 34)] == [line["round_id"] for line in lines]
    assert [False] * 3 + [True] + [False] * 3 == [line["this"] for line in lines]


def test_a_shoe_counts_its_cards(demo: Demonstration) -> None:
    """The grid marks the one card with more copies than decks; its sum is the cards that were dealt or burnt."""
    data = investigate(demo.run, Target(table="B03", shoe="B03-S1"))
    shoe = data["shoe"]
    over = {(row["rank"], suit) for row in shoe["cards"] for suit in row["over"]}
    dealt = sum(len((line[f"{s}_cards"] or "").split()) for line in data["rounds"] for s in ("player", "banker"))

    assert {("9", "H")} == over
    assert dealt == shoe["cards_seen"] == sum(row["total"] for row in shoe["cards"])
    assert ["SHO-002"] == [row["code"] for row in shoe["findings"]]
    assert len(data["rounds"]) == len(shoe["results"])
    assert {"burn", "cut_card_out", "cut_card_placed", "shoe_change", "shuffle"} == {e["event"] for e in shoe["events"]}


def test_tables_add_up_to_the_run(demo: Demonstration) -> None:
    """Rounds, wagers and verdicts of all tables together are those of the manifest."""
    tables = [investigate(demo.run, Target(table=row["table_id"])) for row in demo.manifest["tables_summary"]]
    verdicts = {name: sum(t["verdicts"].get(name, 0) for t in tables) for name in demo.manifest["verdicts"]}
    wagers = sum(line["wagers"] for t in tables for line in t["money"])

    assert demo.manifest["verdicts"] == verdicts
    assert demo.manifest["totals"]["wagers"]["accepted"] == wagers + 1  # the orphan belongs to no table
    assert [row["rounds"] for row in demo.manifest["tables_summary"]] == [len(t["rounds"]) for t in tables]


@pytest.mark.parametrize(
    ("target", "words"),
    [
        (Target("nothing"), "round 'nothing' is not in the input"),
        (Target(table="Z"), "table 'Z' is not in the input"),
        (Target(table="B01", casino="OTHER"), "table 'B01' of OTHER is not in the input"),
        (Target(table="B01", shoe="Z"), "has no shoe 'Z'"),
    ],
)
def test_what_is_not_there_is_wrong_usage(demo: Demonstration, target: Target, words: str) -> None:
    """A round, table or shoe that the input does not have is refused by name."""
    with pytest.raises(UsageError, match=words):
        investigate(demo.run, target)


def test_a_round_in_quarantine_is_said_to_be_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A round whose only row could not be read is refused with the row's place and the reason."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    rounds = tmp_path / "rounds.csv"
    head = "round_id,table_id,round_no,game,status,started_at,player_cards,banker_cards\n"
    good = "R1,T1,1,baccarat,settled,2024-03-01T10:00:00+08:00,9H KD,3C 4S\n"
    rounds.write_text(head + good + good.replace("R1", "R2").replace("KD", "ZD"), "utf-8")
    request = RunRequest([rounds], tmp_path / "run", report=False, max_quarantine=Decimal(1))
    run_audit(request, gate=NoGate())

    assert investigate(tmp_path / "run", Target("R1"))["wagers"] == []
    with pytest.raises(UsageError, match=r"'R2' was not audited: row 2 of rounds\.csv is in quarantine"):
        investigate(tmp_path / "run", Target("R2"))


def test_inputs_are_found_where_they_are_named(
    demo: Demonstration, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Forgotten inputs are refused with the option to name; named or in this folder, they are read."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputRefused, match=r"rounds\.csv is not where .* name the file with --rounds"):
        _look(demo, "B01-0010")
    moved = Path(shutil.copytree(demo.folder / "input", tmp_path / "moved"))
    given = {name: [moved / f"{name}.csv"] for name in ("rounds", "wagers", "approvals", "events")}
    data = investigate(demo.run, Target("B01-0010"), inputs=given)
    monkeypatch.chdir(moved)

    assert _look(demo, "B01-0010") == data


def test_an_input_with_other_content_is_refused(
    demo: Demonstration, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file whose digest is not the run's is refused, whether it was found or named."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    moved = Path(shutil.copytree(demo.folder / "input", tmp_path / "moved"))
    monkeypatch.chdir(moved)
    with (moved / "wagers.csv").open("a") as file:
        file.write("\n")
    with pytest.raises(InputRefused, match=r"wagers\.csv has other content"):
        _look(demo, "B01-0010")
    with pytest.raises(InputRefused, match="--wagers has the content that the run read"):
        investigate(demo.run, Target("B01-0010"), inputs={"wagers": [moved / "wagers.csv"]})


@pytest.mark.parametrize(
    "target", [Target("B01-0032"), Target("B04-0010"), Target(table="M02"), Target(table="M02", shoe="M02-S2")]
)
def test_every_language_says_the_same(demo: Demonstration, target: Target) -> None:
    """Each language has the same sections and rows, with nothing left unfilled."""
    data = investigate(demo.run, target)
    shapes = []
    for language in LANGUAGES:
        done = document(data, language)
        shapes.append(
            [
                (section.key, [len(getattr(block, "rows", getattr(block, "lines", ()))) for block in section.blocks])
                for section in done.sections
            ]
        )
        text = io.StringIO()
        show(done, text)
        assert "{" not in text.getvalue()
        assert "\x1b" not in text.getvalue()

    assert shapes[0] == shapes[1] == shapes[2]


class _Terminal(io.StringIO):
    """Text that says it is a terminal."""

    def isatty(self) -> bool:
        """Always."""
        return True


def test_a_narrow_terminal_has_a_wager_on_lines_of_its_own(
    demo: Demonstration, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the wagers do not fit side by side each is a list of labels and values, in colour."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    data = _look(demo, demo.round_of("DRW-001"))
    wide, narrow = io.StringIO(), _Terminal()
    show(document(data, "en"), wide)
    show(document(data, "en"), narrow)

    assert wide.getvalue().count("Commission (recorded / due)") == 1
    assert narrow.getvalue().count("Commission (recorded / due)") == len(data["wagers"]) > 1
    assert "\x1b[" in narrow.getvalue()


def test_command_prints_text_and_json(demo: Demonstration, capsys: pytest.CaptureFixture[str]) -> None:
    """The command answers 0 with text in the language asked for, or with JSON; a wrong question is 2."""
    arguments = ["investigate", "--run", str(demo.run)]
    assert call([*arguments, "--round", "B01-0010", "--lang", "zh"]) == 0
    assert "局號B01-0010之調查" in capsys.readouterr().out
    assert call([*arguments, "--round", "B01-0010", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["round"]["round_id"] == "B01-0010"
    assert call([*arguments, "--round", "B01-0010", "--shoe", "B01-S1"]) == 2
    assert call([*arguments, "--round", "nothing"]) == 2
    assert call([*arguments, "--round", "B01-0010", "--pdf", str(demo.run / "mine.pdf")]) == 2


def test_pdf_is_bilingual_and_reproducible(demo: Demonstration, tmp_path: Path) -> None:
    """The PDF has a Chinese and a Portuguese part, the data attached, and the same bytes each time."""
    import pypdf

    from audit.investigate.paper import ATTACHED, write

    data = _look(demo, demo.round_of("DRW-001"))
    for name in ("one.pdf", "two.pdf"):
        write(data, tmp_path / name)
    reader = pypdf.PdfReader(tmp_path / "one.pdf")
    text = "".join(page.extract_text() for page in reader.pages)

    assert (tmp_path / "one.pdf").read_bytes() == (tmp_path / "two.pdf").read_bytes()
    assert "之調查" in text
    assert "Reconstituição passo a passo" in text
    assert data["round"]["round_id"] == json.loads(reader.attachments[ATTACHED][0])["round"]["round_id"]


def test_report_is_rendered_again_beside_the_run(
    demo: Demonstration, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`report` writes a new file, inside the run only under a name of its own, which `verify` then knows."""
    rendered: list[tuple[str, ...]] = []

    def render(run_dir: Path, out: Path, *, languages: tuple[str, ...], limit: int) -> None:
        assert limit == 10
        rendered.append(languages)
        out.write_bytes(run_dir.name.encode())

    monkeypatch.setattr("audit.report.render_report", render)
    run = Path(shutil.copytree(demo.run, tmp_path / "run"))
    assert call(["report", "--run", str(run), "--out", str(tmp_path / "a.pdf"), "--lang", "pt, en"]) == 0
    assert call(["report", "--run", str(run), "--out", str(run / "again.pdf")]) == 0
    assert [("pt", "en"), ("zh", "pt")] == rendered
    assert call(["verify", str(run)]) == 0
    assert "again.pdf" in capsys.readouterr().out
    assert call(["report", "--run", str(run), "--out", str(run / "findings.csv")]) == 2
    assert call(["report", "--run", str(run), "--out", str(tmp_path / "b.pdf"), "--lang", "zh,zh"]) == 2
    assert not (tmp_path / "b.pdf").exists()
