from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from audit.base.model import parse_hand, total
from audit.cli import call
from audit.guess.proposal import guess_profile
from audit.source import profiles
from audit.stores.files import SourceFile

SAMPLES = Path(__file__).parents[1] / "source" / "samples"
HANDED = Path(__file__).parents[3] / "shared" / "samples"
HANDS = [
    ("9H KD", "3C 4S"), ("2S 3D 10C", "QH 6H"), ("8S AD", "7C KS"), ("5C AH 9S", "2D 2S 3H"), ("4H 4C", "JS 8D"),
    ("KH 2C 5D", "9C QS"), ("7S 6D 5H", "10D 2H 6C"), ("3S 5S", "6S 3H"), ("QD AC 4D", "5D KC 2H"), ("6H 2D", "8C 10S"),
    ("JD 9D", "4S AS 7H"), ("10H 5H 8H", "3D 4D"),
]  # fmt: skip


def _winner(player: str, banker: str) -> int:
    first, second = total(parse_hand(player)), total(parse_hand(banker))
    return 0 if first == second else 1 if first > second else 2


def _log(folder: Path, *, order: str, delimiter: str = ",", encoding: str = "utf-8") -> Path:
    """Rounds with wagers, both hands in one text in the order named, times month first, amounts in decimal commas."""
    lines = ["GameCode;Table;Shoe;Hand;Time;Cards;Result;PlayerTotal;BankerTotal;BetId;BetType;BetAmount;WinAmount"]
    for number, (player, banker) in enumerate(HANDS, 1):
        first, second = ([*hand.split(), ""][:3] for hand in (player, banker))
        if order == "alternating":
            cards = [card for pair in zip(first, second, strict=True) for card in pair]
        else:
            cards = [*first, *second] if order == "player_first" else [*second, *first]
        winner = _winner(player, banker)
        paid = {0: "1.000,00", 1: "0,00", 2: "1.950,00"}[winner]
        totals = f"{total(parse_hand(player))};{total(parse_hand(banker))}"
        lines.append(
            f"G{number};T1;S1;{number};03/{number + 10}/2024 10:00:00 PM;{'-'.join(cards)};{'TPB'[winner]};{totals};"
            f"W{number};Banker;1.000,00;{paid}"
        )
    path = folder / "house.csv"
    path.write_bytes("\n".join(line.replace(";", delimiter) for line in lines).encode(encoding))
    return path


@pytest.mark.parametrize("order", ["alternating", "player_first", "banker_first"])
def test_a_guess_reads_the_file_it_was_made_from(tmp_path: Path, read_files: Any, order: str) -> None:
    """The proposal is a profile: with it the cards, times, words and amounts of the file are read right."""
    path = _log(tmp_path, order=order, delimiter="\t", encoding="utf-16")
    guess = guess_profile(SourceFile(path, path.name))
    (tmp_path / "guess.yaml").write_text(guess.as_yaml(), encoding="utf-8")
    profile = profiles.load_profile(str(tmp_path / "guess.yaml"))

    rounds = read_files(path, profile=profile)
    wagers = read_files(path, profile=profile, table="wagers").rows

    assert HANDS == [(row["player_cards"], row["banker_cards"]) for row in rounds.rows]
    assert "2024-03-11T14:00:00+00:00" == rounds.rows[0]["started_at"].isoformat()
    assert ["tie", "player", "banker"][_winner(*HANDS[1])] == rounds.rows[1]["outcome"]
    assert ("proved", 12) == (rounds.quarantine.proof.state, rounds.quarantine.proof.agree)
    won = next(row for row, hands in zip(wagers, HANDS, strict=True) if _winner(*hands) == 2)
    assert (10_000_000, 9_500_000) == (won["stake"], won["payout"])
    assert any(f"{order} 12 of 12" in line for line in guess.evidence)
    assert not any("order of the cards" in line for line in guess.undecided)
    assert any("zone" in line for line in guess.undecided)


def test_numbers_for_the_result_are_told_by_the_totals(tmp_path: Path) -> None:
    """Digits that mean another result in every source get the meaning that the recorded totals show."""
    lines = ["round_id,table_id,winner,player_total,banker_total,p1,p2,b1,b2"]
    lines += [
        f"{n},T,{code},{p},{b},{p},K,{b},Q" for n, (code, p, b) in enumerate([(1, 9, 3), (2, 4, 6), (0, 5, 5)] * 4)
    ]
    path = tmp_path / "log.csv"
    path.write_text("\n".join(lines))

    guess = guess_profile(SourceFile(path, path.name))

    assert {"0": "tie", "1": "player", "2": "banker"} == guess.profile["rounds"]["columns"]["outcome"]["words"]
    assert ["p1", "p2"] == guess.profile["rounds"]["cards"]["player"]


def test_losses_as_negative_amounts_are_recognised(tmp_path: Path) -> None:
    """Where a lost stake is a negative amount, the payout is what was won minus what was lost."""
    lines = ["round_id,bet_id,bet,stake,payout", "1,1,player,100,-100", "1,2,banker,100,95", "1,3,tie,10,-10"]
    path = tmp_path / "log.csv"
    path.write_text("\n".join(lines))

    assert "result" == guess_profile(SourceFile(path, path.name)).profile["wagers"]["money"]["payout"]


@pytest.mark.parametrize("path", sorted(SAMPLES.iterdir()), ids=lambda path: path.name)
def test_any_sample_gives_a_proposal_and_open_questions(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever the layout, the proposal is well-formed YAML and says what it could not decide."""
    assert 0 == call(["sources", "guess", str(path)])
    text = capsys.readouterr().out
    assert {"name", "zone"} <= yaml.safe_load(text).keys()
    assert call(["sources", "guess", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["undecided"]


@pytest.mark.skipif(not HANDED.is_dir(), reason="the handed samples are not part of the project")
def test_the_handed_table_of_outcomes_is_understood(tmp_path: Path, read_files: Any) -> None:
    """The independent sample is read whole with nothing but the proposal."""
    path = HANDED / "xsgu_sample_outcome_table_shoe.csv"
    (tmp_path / "guess.yaml").write_text(guess_profile(SourceFile(path, path.name)).as_yaml(), encoding="utf-8")

    reading = read_files(path, profile=profiles.load_profile(str(tmp_path / "guess.yaml")))

    assert (500, "proved", 500) == (len(reading.rows), reading.quarantine.proof.state, reading.quarantine.proof.agree)
