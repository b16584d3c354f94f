"""A third game, made up, is known to everything from its regulation and its walk alone, and forgotten afterwards."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from audit.base.known_games import GAMES, spoken_words
from audit.base.model import DrawMethod, Game, Side, Text
from audit.cli import call
from audit.games import Act, GameSpec, Points, Step, added, game_of
from audit.rulebook import Rulebook
from audit.rulebook.terms import DrawRules, stated

TREFOIL = Game("trefoil")


def walk(points: Points, draw: DrawRules, _method: DrawMethod | None) -> Iterator[Step]:
    """The player draws when low, the banker when behind: no table of third cards, and 8 is no natural."""
    ends = points.player in draw.natural or points.banker in draw.natural
    low = points.player in stated(draw.player_draws_on, "when the player draws")
    behind = points.banker < points.player_total
    for side, draws, yes, no, holds, faces in (
        (Side.PLAYER, low, "low", "enough", points.player, points.banker),
        (Side.BANKER, behind, "behind", "ahead", points.banker, points.player_total),
    ):
        rule = "ends" if ends else yes if draws else no
        required = Act.DRAW if draws and not ends else Act.STAND
        done = Act.DRAW if points.drew(side) else Act.STAND
        yield (step := Step(side, required, done, rule, draw.step(rule), holds, faces))
        if step.departs:
            return


SPEC = GameSpec(
    code=TREFOIL,
    names=Text("三葉", "Trevo", "Trefoil"),
    regulation=Path(__file__).with_name("trefoil.yaml"),
    item_prefix="TRE",
    walk=walk,
    steps={"low": Text("點數偏低", "tem pouco", "it is low")},
)

HANDS = [  # each with its cards, order and outcome, and a wager: bet, stake, payout and commission
    ("T1", "2H 2D", "KD 7C", "PBPB", "banker", ("banker", "1000", "960", "40")),  # 4 would draw in baccarat
    ("T2", "2H AD 5S", "KD 6C 2H", "PBPBPB", "tie", ("tie", "100", "900", "0")),
    ("T3", "2H AC", "KD 7C", "PBPB", "banker", ("player", "100", "0", "0")),  # 3 must draw
    ("T4", "5H 5D KH", "3C 4D", "PBPBP", "banker", ("player_pair", "100", "1100", "0")),  # 12 to 1, not 11
    ("T5", "KH 8D", "2C 3D 4S", "PBPBB", "banker", ("banker", "50", "48", "2")),  # 8 is no natural here
    ("T6", "AH KD 6S", "2C 3D 5S", "PBPBBP", "player", ("player", "50", "50", "0")),  # the banker was first
]


@pytest.fixture
def game() -> Iterator[GameSpec]:
    """The game, known for one test."""
    with added(SPEC):
        yield SPEC


def write(path: Path, rows: list[dict[str, str]]) -> str:
    """A CSV file, and where it is."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return str(path)


def inputs(folder: Path) -> list[str]:
    """The arguments that name a log of the hands, with a register whose one entry came too late."""
    rounds = [
        {
            "round_id": name, "table_id": "TR1", "shoe_id": "S1", "round_no": str(number), "game": TREFOIL,
            "status": "settled", "started_at": f"2024-03-01T20:{number:02}:00+08:00", "player_cards": player,
            "banker_cards": banker, "deal_sequence": order, "outcome": outcome, "decks": "8",
        }
        for number, (name, player, banker, order, outcome, _) in enumerate(HANDS, 1)
    ]  # fmt: skip
    wagers = [
        {
            "wager_id": f"W-{name}", "round_id": name, "bet": bet, "stake": stake, "payout": payout,
            "commission": commission, "currency": "HKD",
        }
        for name, *_, (bet, stake, payout, commission) in HANDS
    ]  # fmt: skip
    entry = {
        "approval_id": "A1", "game": "Trevo", "option": "burn", "value": "first_card", "tables": "TR1",
        "applied_at": "2024-02-28T10:00:00+08:00", "decision": "granted", "authorised_at": "2024-02-28",
        "planned_from": "2024-03-01",
    }  # fmt: skip
    return [
        "--rounds", write(folder / "rounds.csv", rounds),
        "--wagers", write(folder / "wagers.csv", wagers),
        "--approvals", write(folder / "register.csv", [entry]),
    ]  # fmt: skip


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    """What a command says as JSON."""
    call([*arguments, "--json"])
    return json.loads(capsys.readouterr().out)


@pytest.mark.usefixtures("game")
def test_its_law_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    """`rules list` and `rules show` know its versions, provisions and the act of its own file."""
    listed = answer(capsys, "rules", "list")
    shown = answer(capsys, "rules", "show", TREFOIL, "--on", "2024-03-01")
    call(["rules", "show", TREFOIL, "--on", "2024-03-01", "--lang", "pt"])
    text = capsys.readouterr().out

    assert ["baccarat", "makccarat", TREFOIL] == list(dict.fromkeys(line["game"] for line in listed))
    assert "7/2023" == shown["acts"][0]["id"]
    assert {"tie": 9} == next(each for each in shown["provisions"] if each["key"] == "odds.tie")["parameters"]
    assert "Trevo TRE-2024" in text


@pytest.mark.usefixtures("game")
def test_a_hand_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    """`explain` walks its own rules, settles at its own odds, and tells a rule without words by its article."""
    hand = ("explain", "--game", TREFOIL, "--on", "2024-03-01", "--player", "2H 2D", "--banker", "KD 3C 2S")
    told = answer(capsys, *hand, "--wager", "banker=1000", "--wager", "player_pair=100")
    call([*hand, "--lang", "zh"])
    text = capsys.readouterr().out

    assert [("enough", "9(3)"), ("behind", "9(4)")] == [(step["rule"], step["article"]) for step in told["steps"]]
    assert (None, None) == (told["departure"], told["draw_method"])
    assert [("960.00", "40.00"), ("1200.00", "0.00")] == [(w["payout"], w["commission"]) for w in told["wagers"]]
    assert "article 9(4) says so" in told["steps"][1]["text"]
    assert "三葉，2024-03-01：第7/2023號批示" in text


@pytest.mark.slow
@pytest.mark.usefixtures("game")
def test_a_log_is_audited(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`run` finds the planted faults under its articles and nothing else; report and investigation are made."""
    out, pdf = tmp_path / "run", tmp_path / "round.pdf"
    assert 1 == call(["run", *inputs(tmp_path), "--quiet", "--out", str(out)])
    capsys.readouterr()
    manifest = json.loads((out / "manifest.json").read_text("utf-8"))
    found = json.loads((out / "findings.json").read_text("utf-8"))
    seen = answer(capsys, "investigate", "--run", str(out), "--round", "T3", "--pdf", str(pdf))

    assert {
        ("DRW-001", "T3", "7/2023", "9(2)"),
        ("DRW-003", "T6", "7/2023", "9"),
        ("PAY-002", "T4", "7/2023", "17(3)"),
        ("APR-001", None, "7/2023", "20"),
    } == {(row["code"], row["round_id"], row["instrument"], row["article"]) for row in found}
    assert {"conforming": 3, "violation": 3, "not_evaluated": 0} == manifest["verdicts"]
    assert [TREFOIL] == [line["game"] for line in manifest["rules"]]
    assert Rulebook.load().digest == manifest["rulebook"]["digest"]
    assert b"%PDF" == (out / "report.pdf").read_bytes()[:4] == pdf.read_bytes()[:4]
    assert "it is low" in seen["replay"]["steps"][0]["text"]["en"]
    assert "draw_method" not in seen["applied"]


def test_nothing_of_it_remains(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Outside the block the game is unknown again: to the command line, the law, the words and the readers."""
    before = Rulebook.load().digest
    with added(SPEC):
        during = Rulebook.load()
    logs = inputs(tmp_path)[:4]
    with pytest.raises(SystemExit):
        call(["rules", "show", TREFOIL])
    code = call(["run", *logs, "--quiet", "--no-report", "--out", str(tmp_path / "run")])

    assert (["baccarat", "makccarat"], before) == (list(GAMES), Rulebook.load().digest)
    assert TREFOIL in during.games
    assert before != during.digest
    assert TREFOIL not in {*Rulebook.load().games, *spoken_words()}
    assert "7/2023" not in Rulebook.load().instruments
    assert 3 == code
    assert "invalid choice: 'trefoil'" in capsys.readouterr().err
    with pytest.raises(KeyError):
        game_of(TREFOIL)


@pytest.mark.parametrize(("code", "prefix"), [("baccarat", "TRE"), ("trefoil", "MAK")])
def test_a_code_or_prefix_that_is_taken(code: str, prefix: str) -> None:
    """A game whose code or whose rules' prefix another game has is refused."""
    spec = GameSpec(code=Game(code), names=SPEC.names, regulation=SPEC.regulation, item_prefix=prefix, walk=walk)

    with pytest.raises(ValueError, match="already"), added(spec):
        pass


def test_a_choice_of_one_method() -> None:
    """A game leaves a choice between all methods that logs can name, or none."""
    with pytest.raises(ValueError, match="trefoil"):
        GameSpec(
            code=TREFOIL, names=SPEC.names, regulation=SPEC.regulation, item_prefix="TRE", walk=walk,
            methods=(DrawMethod.METHOD_1,),
        )  # fmt: skip
