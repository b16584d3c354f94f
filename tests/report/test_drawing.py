from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

from audit.base.model import Card, Side, parse_hand
from audit.report.card_pictures import CardRow, CardSlot, Mark, Panel, hand_svg, hand_words
from audit.report.charts import Balance, Bar, Grid, balance_svg, heat_svg, pareto_svg
from audit.report.hand_drawings import dealt_places, departure, required_places


def _step(side: str, required: str, done: str) -> dict[str, Any]:
    return {"side": side, "required": required, "done": done}


def _marks(places: tuple[CardSlot, ...]) -> list[str]:
    return [place.mark.value for place in places]


def test_missing_draw_is_an_empty_place() -> None:
    """A side that had to draw and did not shows an empty place in both rows; what follows is open."""
    steps = [_step("player", "draw", "stand"), _step("banker", "stand", "draw")]
    player, banker = parse_hand("2H 3S"), parse_hand("KD 5C 4H")

    assert departure(steps) == 0
    assert _marks(dealt_places(player, Side.PLAYER, steps)) == ["plain", "plain", "missing"]
    assert _marks(required_places(player, Side.PLAYER, steps)) == ["plain", "plain", "missing"]
    assert _marks(dealt_places(banker, Side.BANKER, steps)) == ["plain", "plain", "plain"]
    assert _marks(required_places(banker, Side.BANKER, steps)) == ["plain", "plain", "open"]


def test_forbidden_draw_is_crossed_out() -> None:
    """A third card that was not allowed is marked in what was dealt and absent from what was required."""
    steps = [_step("player", "draw", "draw"), _step("banker", "stand", "draw")]
    banker = parse_hand("KH 3C 5D")

    assert _marks(dealt_places(banker, Side.BANKER, steps)) == ["plain", "plain", "wrong"]
    assert [place.card for place in required_places(banker, Side.BANKER, steps)] == list(parse_hand("KH 3C"))
    assert _marks(required_places(parse_hand("2C 2D 8S"), Side.PLAYER, steps)) == ["plain"] * 3


def test_fourth_card_and_lone_card() -> None:
    """A fourth card is marked, and a hand of one card shows the place of the second."""
    assert _marks(dealt_places(parse_hand("AS 2S 3S 4S"), Side.PLAYER, [])) == ["plain"] * 3 + ["wrong"]
    assert _marks(dealt_places(parse_hand("AS"), Side.PLAYER, [])) == ["plain", "missing"]


def test_hand_is_well_formed_svg() -> None:
    """The drawing is one SVG document that escapes its words and refers to nothing outside."""
    row = CardRow("<閒家>", (CardSlot(Card("10", "H")), CardSlot(Card("K")), CardSlot(None, Mark.MISSING)), "0 & 1")
    svg = hand_svg([Panel("Cartas", (row, row)), Panel("Exigido", (row, row))])
    root = ET.fromstring(svg)  # noqa: S314 - our own drawing

    assert root.tag.endswith("svg")
    assert [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")].count("10") == 4
    assert "href" not in svg
    assert "<閒家>" in "".join(root.itertext())


def test_hand_in_words() -> None:
    """The same cards as text, for the alternative of the picture."""
    assert hand_words(parse_hand("9H KD 10S")) == "9♥ K♦ 10♠"


def test_pareto_bars_are_proportional() -> None:
    """A bar of half the count is half as long, and a count of one is still seen."""
    root = ET.fromstring(pareto_svg([Bar("a", 10, "10"), Bar("b", 5, "5"), Bar("c", 0, "0")]))  # noqa: S314
    widths = [float(rect.attrib["width"]) for rect in root.iter("{http://www.w3.org/2000/svg}rect")]

    assert widths[0] == 2 * widths[1] > 0
    assert widths[2] == 0


def test_heat_prints_every_number() -> None:
    """Each cell of the grid holds its number, and a period without rounds a dot."""
    svg = heat_svg(Grid(("T1", "T2"), ("06", "07"), ((3, None), (0, 12))))
    words = [text.text for text in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]  # noqa: S314

    assert words == ["06", "07", "T1", "3", "·", "T2", "0", "12"]


def test_balance_shows_both_directions() -> None:
    """Too much and too little stand on either side of the line, with their amounts."""
    svg = balance_svg([Balance("T1 (HKD)", 100, 50, "0.01", "0.005")], "menos", "mais")
    words = [text.text for text in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]  # noqa: S314

    assert words == ["menos", "mais", "T1 (HKD)", "0.005", "0.01"]


def test_names_from_the_log_cannot_break_a_chart() -> None:
    """A control character or markup in a table's name leaves the chart well-formed, and a long name is cut."""
    name = "T\x07<b>&" + "9" * 300
    for svg in (heat_svg(Grid((name,), ("06",), ((1,),))), balance_svg([Balance(name, 1, 1, "1", "1")], "-", "+")):
        words = [text.text or "" for text in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]  # noqa: S314

        assert any(word.startswith("T <b>&9") and word.endswith("…") for word in words)
