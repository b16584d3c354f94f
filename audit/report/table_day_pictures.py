"""The pictures of what surrounds the findings, in one language: the day of each table, the results of each shoe."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from audit.report.timeline_and_road import Legend, Strip, road_svg, timeline_svg
from audit.report.wording import DASH, Wording, as_day, as_instant

MENTIONED: Final = 6
"""Pauses or rounds named in one cell of a table; of more only the number is said."""

_HOUR: Final = 60


@dataclass(frozen=True, slots=True)
class DayRow:
    """A table's day in words, the numbers of the picture: all as printed."""

    table: str
    day: str
    span: str
    rounds: str
    shoes: str
    voids: str
    pauses: str
    findings: str


@dataclass(frozen=True, slots=True)
class RoadRow:
    """A shoe's results in words, the numbers of the picture: all as printed."""

    place: str
    rounds: str
    player: str
    banker: str
    tie: str
    other: str
    wrong: str
    unanswered: str


class TableDayPictures:
    """Puts the surroundings of a run into pictures and tables."""

    def __init__(
        self, wording: Wording, timeline: Sequence[Mapping[str, Any]], roads: Sequence[Mapping[str, Any]]
    ) -> None:
        """Bind the data to a language."""
        self.w = wording
        self.t = wording.messages
        self.timeline = timeline
        self.roads = roads

    def day_svg(self) -> str:
        """The strips of all tables on one axis of hours; empty where the run kept none."""
        if not self.timeline:
            return ""
        spans = [(_minutes(item, item["first"]), _minutes(item, item["last"])) for item in self.timeline]
        begin = int(min(first for first, _ in spans) // _HOUR) * _HOUR
        hours = range(begin // _HOUR, int(max(last for _, last in spans) // _HOUR) + 2)
        several = len({item["day"] for item in self.timeline}) > 1
        strips = [self._strip(item, begin, several=several) for item in self.timeline]
        legend = Legend((self.t("pic.shoes"), self.t("pic.pause"), self.t("pic.void"), self.t("pic.finding")))
        return timeline_svg(strips, [f"{hour % 24:02d}" for hour in hours], legend)

    @staticmethod
    def _strip(item: Mapping[str, Any], begin: int, *, several: bool) -> Strip:
        def at(moment: str) -> float:
            return _minutes(item, moment) - begin

        name = f"{item['table_id']} {str(item['day'])[5:]}" if several else str(item["table_id"])
        return Strip(
            name,
            tuple((at(shoe["from"]), at(shoe["to"]), str(shoe["shoe_id"] or "")) for shoe in item["shoes"]),
            tuple((at(pause["from"]), at(pause["to"])) for pause in item["pauses"]),
            tuple(at(moment) for moment in item["voids"]),
            tuple(at(moment) for moment in item["findings"]),
        )

    def day_rows(self) -> Iterator[DayRow]:
        """The numbers of the strips."""
        for item in self.timeline:
            totals = item["totals"]
            yield DayRow(
                " ".join(str(word) for word in (item["casino"], item["table_id"]) if word),
                str(item["day"]),
                f"{_clock(item['first'])}–{_clock(item['last'])}",
                self.w.integer(item["rounds"]),
                self.w.integer(totals["shoes"]),
                self.w.integer(totals["voids"]),
                self._pauses(item),
                self.w.integer(totals["findings"]),
            )

    def _pauses(self, item: Mapping[str, Any]) -> str:
        number = item["totals"]["pauses"]
        if not number:
            return DASH
        named = [f"{_clock(pause['from'])}–{_clock(pause['to'])}" for pause in item["pauses"][:MENTIONED]]
        return self._named(named, number)

    def _named(self, names: Sequence[str], number: int) -> str:
        more = [f"… ({self.w.integer(number)})"] if number > len(names) else []
        return self.t("list.separator").join([*names, *more])

    def road_svgs(self) -> Iterator[tuple[str, str]]:
        """The name and the big road of each shoe."""
        legend = Legend(
            (
                self.t("side.player"),
                self.t("side.banker"),
                self.w.word("tie"),
                self.t("sum.violation"),
                self.t("sum.not_evaluated"),
                self.t("col.outside"),
            )
        )
        for road in self.roads:
            yield self._place(road), road_svg(road["results"], road["states"], legend)

    @staticmethod
    def _place(road: Mapping[str, Any]) -> str:
        return " · ".join(str(word) for word in (road["casino"], road["table_id"], road["shoe_id"]) if word)

    def road_rows(self) -> Iterator[RoadRow]:
        """The numbers of the big roads."""
        for road in self.roads:
            results, states = road["results"], road["states"]
            rounds = self.w.integer(road["rounds"])
            if road["rounds"] > len(results):
                rounds = f"{self.w.integer(len(results))} / {rounds}"
            wrong = [str(n) for n, state in zip(road["numbers"], states, strict=True) if state == "v"]
            yield RoadRow(
                self._place(road),
                rounds,
                self.w.integer(results.count("P")),
                self.w.integer(results.count("B")),
                self.w.integer(results.count("T")),
                self.w.integer(results.count("-")),
                self._named(wrong[: 2 * MENTIONED], len(wrong)) if wrong else DASH,
                self.w.integer(states.count("n")),
            )


def _minutes(item: Mapping[str, Any], moment: str) -> float:
    """Minutes of a moment from the midnight with which the gaming day's date begins."""
    at, day = as_instant(moment), as_day(item["day"])
    if at is None or day is None:
        return 0.0
    midnight = dt.datetime.combine(day, dt.time(), at.tzinfo)
    return (at - midnight).total_seconds() / _HOUR


def _clock(moment: str) -> str:
    found = as_instant(moment)
    return f"{found:%H:%M}" if found else DASH
