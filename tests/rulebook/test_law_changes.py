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

    assert 8 == rulebook.on(Game("baccarat"), BEFORE).parameter("odds.tie", "tie")
    assert 9 == rulebook.on(Game("baccarat"), FIRST).parameter("odds.tie", "tie")
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
