from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from audit.catalogue import catalogue
from audit.report import annex
from audit.report.contents import ReportData, gather
from audit.report.i18n import load_messages
from audit.report.table_day_pictures import TableDayPictures
from audit.report.timeline_and_road import Legend, big_road, road_svg
from audit.report.wording import Wording
from audit.rulebook import Rulebook
from audit.rulebook.coverage import coverage_table
from tests.finished import demonstration
from tests.report.sample import surroundings


def _wording(language: str = "pt") -> Wording:
    return Wording(language, load_messages()[language], catalogue.load().words)


def _scenery(language: str = "pt") -> TableDayPictures:
    data = surroundings()
    return TableDayPictures(_wording(language), data["_timeline"], data["_roads"])


@pytest.fixture(scope="module")
def data(run_dir: Path) -> ReportData:
    """The made-up run as the report sees it."""
    return gather(run_dir, None, catalogue.load(), limit=10)


@pytest.mark.parametrize(
    ("results", "places"),
    [
        ("PPB", [(0, 0, "P", 0), (0, 1, "P", 0), (1, 0, "B", 0)]),
        ("TTB", [(0, 0, "B", 2)]),
        ("P-TP", [(0, 0, "P", 1), (0, 1, "P", 0)]),
        ("", []),
    ],
)
def test_a_big_road_turns_at_each_change_of_winner(results: str, places: list[tuple[int, int, str, int]]) -> None:
    """Ties mark the place before them, rounds without a result have none, a new winner begins a column."""
    found = big_road(results, "c" * len(results))

    assert places == [(cell.column, cell.row, cell.winner, cell.ties) for cell in found]


def test_a_long_run_turns_to_the_right_and_no_place_is_used_twice() -> None:
    """The seventh win in a row, and what meets it, go on along the last free row."""
    cells = big_road("PPPPPPPPBBBBBBBP", "c" * 16)
    places = [(cell.column, cell.row) for cell in cells]

    assert [(0, 5), (1, 5), (2, 5)] == places[5:8]
    assert len(places) == len(set(places))
    assert all(row < 6 for _, row in places)


def test_a_road_marks_each_state_by_shape() -> None:
    """A non-compliant round has a thick frame, one not evaluated a dashed frame, and the legend names both."""
    svg = road_svg("PBPB", "cvnc", Legend(("a", "b", "c", "d", "e", "f")))
    frames = list(ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}rect"))  # noqa: S314 - our own

    assert 2 + 2 == len(frames)
    assert 2 == sum("stroke-dasharray" in frame.attrib for frame in frames)


def test_the_tables_have_the_numbers_of_the_pictures() -> None:
    """What is drawn stands in words beside it: the pause with its hours, the rounds at fault by number."""
    scenery = _scenery()
    (day,) = scenery.day_rows()
    (road,) = scenery.road_rows()

    assert ("130", "2", "1", "12:00–13:05", "1") == (day.rounds, day.shoes, day.voids, day.pauses, day.findings)
    assert ("9", "3", "3", "2", "1") == (road.rounds, road.player, road.banker, road.tie, road.other)
    assert ("3", "2") == (road.wrong, road.unanswered)


def test_the_day_is_one_axis_of_hours_past_midnight() -> None:
    """The gaming day runs on to the next morning; every mark of the strip lies within the picture."""
    svg = _scenery("zh").day_svg()
    root = ET.fromstring(svg)  # noqa: S314 - our own text
    rects = [item.attrib for item in root.iter("{http://www.w3.org/2000/svg}rect")]

    assert "停頓" in svg
    assert all(0 <= float(rect["x"]) <= 660 for rect in rects)
    assert "" == TableDayPictures(_wording(), (), ()).day_svg()


def test_a_run_keeps_the_surroundings_of_its_findings() -> None:
    """The evidence of a run has the day of tables and the results of shoes with findings, the planted rounds marked."""
    demo = demonstration()
    evidence = json.loads((demo.run / "evidence.json").read_text("utf-8"))
    roads = {road["shoe_id"]: road for road in evidence["_roads"]}
    fault = next(one for one in demo.planted if one.code == "DRW-001")
    road = next(r for r in roads.values() if fault.subject["round_id"].startswith(str(r["table_id"])))
    number = int(fault.subject["round_id"].rpartition("-")[2])

    assert len(evidence["_timeline"]) > 3
    assert road["states"][road["numbers"].index(number)] == "v"
    assert all(len(r["numbers"]) == len(r["results"]) == len(r["states"]) for r in roads.values())
    assert sum(day["totals"]["voids"] for day in evidence["_timeline"]) > 0


def test_every_rule_of_the_games_audited_is_in_the_annex(data: ReportData) -> None:
    """The coverage annex has a line for each rule, with the number of findings of the checks that judge it."""
    rows = {row.subject: row for row in annex.coverage(data, _wording())}

    assert [row.subject for row in coverage_table()] == list(rows)
    assert "DRW-001 (1)" in rows["BAC-16"].checks
    assert "não verificável pelo registo" == rows["BAC-02"].status
    assert rows["BAC-16"].title == "Cartas adicionais"


def test_a_game_that_was_not_audited_is_left_out(data: ReportData) -> None:
    """A run of baccarat alone has no rules of Makccarat in its annex."""
    only = ReportData(
        **{n: getattr(data, n) for n in ReportData.__slots__} | {"manifest": {**data.manifest, "games": ["baccarat"]}}
    )

    assert not [row for row in annex.coverage(only, _wording()) if row.subject.startswith("MAK-")]


def test_a_supplement_says_what_it_supersedes() -> None:
    """A run that supersedes another is no original: the cover and the follow-up say so, with the counts."""
    manifest = {"supplement": {"supersedes": "ab" * 32, "new": 3, "unchanged": 40, "gone": 1, "lists": {}}}

    assert "Original" == annex.edition({}, _wording())
    assert "" == annex.compared({"supplement": None}, _wording())
    assert "Suplementar (substitui a execução abababababababab…)" == annex.edition(manifest, _wording())
    assert "3 constatações novas, 40 iguais e 1 desaparecidas" in annex.compared(manifest, _wording())


def test_the_proof_of_order_is_printed_once() -> None:
    """The sentence on the order of the cards is printed in the language, whatever shape the sources have."""
    text = {"zh": "次序已證明", "pt": "ordem provada", "en": "order proved"}

    assert ["ordem provada"] == annex.order_of_cards({"sources": {"proof": {"text": text}}}, _wording())
    assert ["ordem provada"] == annex.order_of_cards({"sources": [{"text": text}, {"text": text}]}, _wording())
    assert [] == annex.order_of_cards({"sources": {"profile": "canonical"}}, _wording())


def test_the_calendar_marks_authorisation_and_first_use() -> None:
    """The picture of a notice names the day of the authorisation and the first day that the data shows the option."""
    entry = {
        "applied_at": "2024-02-27T10:00:00+08:00", "planned_from": "2024-03-01", "authorised_at": "2024-02-29",
        "game": "baccarat", "option": "burn", "value": "first_card", "tables": ["B-10"], "casino": None,
    }  # fmt: skip
    use = {"game": "baccarat", "option": "burn", "value": "first_card", "casino": "X", "first_day": "2024-03-02"}
    manifest = {"options": [{**use, "table_id": "B-10"}, {**use, "table_id": "B-11", "first_day": "2024-02-28"}]}
    svg = annex.notice_svg(Rulebook.load(), manifest, entry, "en")

    assert "authorised on 2024-02-29; first used on 2024-03-02" in svg
    assert 4 == len(re.findall("<polygon[^>]*#000000", svg))
    assert "" == annex.notice_svg(Rulebook.load(), manifest, entry | {"applied_at": None}, "en")
