"""The worked example of docs/law-changes.md does what the page says."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from audit.base.model import Game
from audit.rulebook import NotInForce, Rulebook, law_data
from audit.rulebook.terms import TieOdds
from tests.audited import audited

Edit = Callable[[str, str, str], Path]

PAGE = Path(__file__).resolve().parents[2] / "docs" / "law-changes.md"
BEFORE, FIRST = dt.date(2027, 3, 1), dt.date(2027, 3, 2)


def block(name: str) -> str:
    """The content of the page's code block that is marked for one place."""
    found = re.search(rf"```yaml {re.escape(name)}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert found, name
    return found[1]


@pytest.fixture
def amended(edit: Edit) -> Path:
    """The regulations with the example's three blocks put where the page says."""
    folder = edit("baccarat.yaml", "\nprovisions:\n", f"{block('baccarat.yaml versions')}\nprovisions:\n")
    edit("baccarat.yaml", "\n  - key: odds.pairs\n", f"{block('baccarat.yaml odds.tie')}\n  - key: odds.pairs\n")
    with (folder / "instruments.yaml").open("a", encoding="utf-8") as file:
        file.write(block("instruments.yaml"))
    return folder


def test_the_example_amendment_holds_from_its_first_day(amended: Path) -> None:
    """The tie pays 8 to 1 on the day before the made-up act and 9 to 1 from its first day."""
    rulebook = Rulebook.load(amended)

    assert 8 == rulebook.on(Game("baccarat"), BEFORE).terms(TieOdds).of(None)
    assert 9 == rulebook.on(Game("baccarat"), FIRST).terms(TieOdds).of(None)
    assert "1/2027" == rulebook.on(Game("baccarat"), FIRST).provision("odds.tie").act
    assert "55/2004" == rulebook.on(Game("baccarat"), FIRST).instrument


def test_the_example_amendment_changes_nothing_else(amended: Path) -> None:
    """The difference between the two days is the one provision, by the one act, and the digest tells."""
    rulebook = Rulebook.load(amended)
    data: Any = law_data.rules_diff(rulebook, Game("baccarat"), BEFORE, FIRST)

    assert ["1/2027"] == [act["id"] for act in data["acts"]]
    assert ["odds.tie"] == [item["key"] for item in data["changed"]]
    assert [] == data["added"] + data["removed"]
    assert rulebook.digest != Rulebook.load().digest


def test_a_provision_can_end(amended: Path) -> None:
    """An entry `repealed: true` ends a provision from its day on, and it stays on the day before."""
    path = amended / "baccarat.yaml"
    ended = "      - {from: 2027-03-02, certain: true, repealed: true, act: 1/2027, mark: O}\n"
    content = path.read_text(encoding="utf-8")
    path.write_text(
        content.replace("\n  - key: odds.additional_prizes\n", f"{ended}\n  - key: odds.additional_prizes\n"), "utf-8"
    )
    rulebook = Rulebook.load(amended)

    assert rulebook.on(Game("baccarat"), BEFORE).has("odds.lucky_six")
    assert not rulebook.on(Game("baccarat"), FIRST).has("odds.lucky_six")
    with pytest.raises(NotInForce):
        rulebook.on(Game("baccarat"), FIRST).provision("odds.lucky_six")
    data: Any = law_data.rules_diff(rulebook, Game("baccarat"), BEFORE, FIRST)
    assert ["odds.lucky_six"] == [item["key"] for item in data["removed"]]


ACT = """  - id: {number}/2026
    kind: secretary_order
    games: [baccarat]
    signed: 2026-12-21
    published: 2026-12-28
    published_certain: true
    gazette: 52/2026
    in_force: 2027-01-01
    certain: true
    mark: O
    title: {{zh: 修改, pt: Altera o regulamento, en: Amends the regulation}}
    changed: {{zh: 修改, pt: Alterou uma regra., en: Changed one rule.}}
"""
WORDING = """      - from: 2027-01-01
        certain: true
        act: {act}
        article: "{article}"
        article_zh: 條
        article_pt: art.
        mark: O
        parameters: {parameters}
        summary: {{zh: 修改, pt: Outra regra., en: Another rule.}}
"""
AMENDMENTS = {
    # provision: the provision that follows in the file, article, parameters
    "odds.tie": ("odds.pairs", "17(2)", "{tie: 9}"),
    "opening.burn": (
        "opening.demonstration",
        "2(1)",
        "{formulas: [decks, fixed], fixed_min: 9, fixed_max: 9, court_card_counts: [10], first_card_itself: [0]}",
    ),
}
LAST, NEW_YEAR = dt.date(2026, 12, 31), dt.date(2027, 1, 1)


@pytest.fixture
def three_acts(edit: Edit) -> Path:
    """The regulations with three made-up acts of one day: another tie, another burn, and a longer notice."""
    version = "  - {id: BAC-2027, from: 2027-01-01, certain: true, known: true, acts: [81/2026, 82/2026, 83/2026]}\n"
    folder = edit("baccarat.yaml", "\nprovisions:\n", f"{version}\nprovisions:\n")
    for number, (following, article, parameters) in enumerate(AMENDMENTS.values(), 81):
        wording = WORDING.format(act=f"{number}/2026", article=article, parameters=parameters)
        edit("baccarat.yaml", f"\n  - key: {following}\n", f"{wording}\n  - key: {following}\n")
    notice = "{articles: [2, 3, 7, 12, 18], notice_working_days: 5}"
    with (folder / "baccarat.yaml").open("a", encoding="utf-8") as file:
        file.write(WORDING.format(act="83/2026", article="19", parameters=notice))
    with (folder / "instruments.yaml").open("a", encoding="utf-8") as file:
        file.writelines(ACT.format(number=number) for number in (81, 82, 83))
    return folder


def told_on(day: dt.date, folder: Path) -> list[tuple[Any, ...]]:
    """The findings about one log played on `day`: a tie paid 8 to 1, nine cards burnt, four days of notice."""
    folder.mkdir()
    entry = {
        "option": "burn", "value": "fixed_9", "tables": "*", "decision": "granted", "authorised_at": "2026-12-24",
        "applied_at": f"{day - dt.timedelta(days=8)}T10:00:00+08:00", "planned_from": str(day),
    }  # fmt: skip
    done = audited(
        {
            "started_at": f"{day}T12:00:00+08:00", "player_cards": "KH 7D", "banker_cards": "QC 7S", "shoe_id": "S1",
            "bet": "tie", "stake": "100", "payout": "800", "approvals": [entry],
            "events": [{"event": "burn", "burn_rule": "fixed", "count": "9", "at": f"{day}T11:00:00+08:00"}],
        },
        folder,
    )  # fmt: skip
    return done.told("article", "expected", "observed")


def test_three_acts_at_once(three_acts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Odds, burn rule and notice of three acts hold from their one first day, in what is found, without any code."""
    law = Rulebook.load(three_acts)
    monkeypatch.setattr(Rulebook, "load", staticmethod(lambda _directory=None: law))

    assert [("SHO-005", "2(1)", "1..8", "9")] == told_on(LAST, tmp_path / "before")
    assert [("APR-001", "19", "5", "4"), ("PAY-002", "17(2)", "900.00", "800.00")] == told_on(
        NEW_YEAR, tmp_path / "after"
    )
