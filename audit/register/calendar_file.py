"""Read the working-day calendar from its data file, strictly: nothing unknown, twice or without source."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

from audit.base import strict
from audit.base.model import Text
from audit.base.strict import YamlPath
from audit.register.working_days import SATURDAY, Calendar, CalendarEntry, DayKind, OfficeHours, Source

FILE: Final = Path(__file__).resolve().parents[1] / "regulations" / "working_days.yaml"

_TOP: Final = (
    "verified_on",
    "covers",
    "sources",
    "grades",
    "hours",
    "names",
    "grounds",
    "closures",
    "part_days",
    "years",
)


class _DayList(NamedTuple):
    """How the days of one list of a year are read: their kind, and the sentence made of the name or names."""

    kind: DayKind
    joint: Text
    frame: Text


_PLAIN: Final = Text("及", " e ", " and ")
_SECTIONS: Final[Mapping[str, _DayList]] = {
    "holidays": _DayList(DayKind.HOLIDAY, _PLAIN, Text("{0}", "{0}", "{0}")),
    "substitutes": _DayList(
        DayKind.SUBSTITUTE, _PLAIN, Text("{0}補假", "descanso compensatório: {0}", "compensatory rest day: {0}")
    ),
    "first_days_after": _DayList(
        DayKind.SUBSTITUTE,
        _PLAIN,
        Text(
            "{0}後首個工作日（豁免上班）",
            "tolerância de ponto, primeiro dia útil após: {0}",
            "tolerância de ponto, first working day after: {0}",
        ),
    ),
    "tolerances": _DayList(
        DayKind.SUBSTITUTE,
        Text("與", " sobreposto a ", " overlapping "),
        Text("{0}（豁免上班）", "tolerância de ponto: {0}", "tolerância de ponto: {0}"),
    ),
    "half_days": _DayList(
        DayKind.HALF_DAY,
        _PLAIN,
        Text("{0}（下午豁免上班）", "{0} (tolerância de ponto da parte da tarde)", "{0} (afternoon off)"),
    ),
}


class _Words(NamedTuple):
    """What the years refer to by key."""

    names: Mapping[str, Text]
    grades: Mapping[str, Text]
    sources: Mapping[str, Source]


@cache
def shipped_calendar() -> Calendar:
    """The calendar that ships with the package, read once.

    Raises ConfigurationError naming the file and the place where the data is malformed.
    """
    return read_calendar(FILE)


def read_calendar(path: Path) -> Calendar:
    """The calendar of one data file.

    Raises ConfigurationError naming the file and the path of the value that is missing, unknown or contradictory.
    """
    value, place = strict.load(path)
    parts = strict.mapping(value, place, required=_TOP)
    covers = strict.mapping(parts["covers"], place / "covers", required=("from", "to"))
    first = strict.day(covers["from"], place / "covers" / "from")
    last = strict.day(covers["to"], place / "covers" / "to")
    words = _Words(
        _texts(parts["names"], place / "names"),
        _texts(parts["grades"], place / "grades"),
        _sources(parts["sources"], place / "sources"),
    )
    grounds = _texts(parts["grounds"], place / "grounds")
    days: dict[dt.date, CalendarEntry] = {}
    grades: dict[int, str] = {}
    years = parts["years"]
    if not isinstance(years, dict):
        (place / "years").fail("a mapping of years is expected")
    for year, content in years.items():
        if not isinstance(year, int):
            (place / "years").fail(f"{year!r} is not a year")
        grades[year] = _year(year, content, place / "years" / str(year), words, days)
    if sorted(grades) != list(range(first.year, last.year + 1)):
        (place / "years").fail(f"every year from {first.year} to {last.year} is expected, and no other")
    closures = _spans(parts["closures"], place / "closures", DayKind.CLOSURE, grounds, words.sources)
    for day, entry in closures.items():
        if day in days:
            (place / "closures").fail(f"{day} is already {days[day].kind.value}")
        days[day] = entry
    return Calendar(
        first=first,
        last=last,
        verified_on=strict.day(parts["verified_on"], place / "verified_on"),
        hours=_hours(parts["hours"], place / "hours", words.sources),
        grades=MappingProxyType(grades),
        grade_texts=words.grades,
        sources=words.sources,
        days=MappingProxyType(days),
        notes=_spans(parts["part_days"], place / "part_days", DayKind.WORKING, grounds, words.sources),
    )


def _texts(value: strict.Value, place: YamlPath) -> Mapping[str, Text]:
    if not isinstance(value, dict):
        place.fail("a mapping is expected")
    return MappingProxyType({str(key): strict.text(item, place / str(key)) for key, item in value.items()})


def _sources(value: strict.Value, place: YamlPath) -> Mapping[str, Source]:
    if not isinstance(value, dict):
        place.fail("a mapping is expected")
    result = {}
    for key, item in value.items():
        here = place / str(key)
        parts = strict.mapping(item, here, required=("title",), optional=("address",))
        address = strict.word(parts["address"], here / "address") if "address" in parts else None
        result[str(key)] = Source(strict.word(parts["title"], here / "title"), address)
    return MappingProxyType(result)


def _time(value: strict.Value, place: YamlPath) -> dt.time:
    written = strict.word(value, place)
    try:
        return dt.time.fromisoformat(written)
    except ValueError:
        place.fail(f"{written!r} is not a time of day written HH:MM:SS")


def _hours(value: strict.Value, place: YamlPath, sources: Mapping[str, Source]) -> OfficeHours:
    parts = strict.mapping(value, place, required=("source", "opens", "closes", "lunch"))
    closing = ("monday_to_thursday", "friday", "half_day")
    closes = strict.mapping(parts["closes"], place / "closes", required=closing)
    lunch = strict.mapping(parts["lunch"], place / "lunch", required=("from", "to"))
    ends = [_time(closes[key], place / "closes" / key) for key in closing]
    return OfficeHours(
        opens=_time(parts["opens"], place / "opens"),
        closes=ends[0],
        closes_friday=ends[1],
        closes_half_day=ends[2],
        lunch_from=_time(lunch["from"], place / "lunch" / "from"),
        lunch_to=_time(lunch["to"], place / "lunch" / "to"),
        source=strict.choice(parts["source"], place / "source", sources),
    )


def _year(year: int, value: strict.Value, place: YamlPath, words: _Words, days: dict[dt.date, CalendarEntry]) -> str:
    """Add the days of one year to `days`; the year's grade of evidence."""
    parts = strict.mapping(value, place, required=("grade", "sources"), optional=tuple(_SECTIONS))
    sources = strict.words(parts["sources"], place / "sources")
    for index, source in enumerate(sources):
        strict.choice(source, place / "sources" / index, words.sources)
    for key, section in _SECTIONS.items():
        listed = parts.get(key, {})
        here = place / key
        if not isinstance(listed, dict):
            here.fail("a mapping of days is expected")
        for written, names in listed.items():
            day = _weekday(year, str(written), here)
            if day in days:
                here.fail(f"{day} is already {days[day].kind.value}")
            keys = strict.words(names, here / str(written))
            if not keys:
                (here / str(written)).fail("a name is expected")
            texts = [words.names[strict.choice(name, here / str(written), words.names)] for name in keys]
            days[day] = CalendarEntry(section.kind, _sentence(section, texts), sources)
    return strict.choice(parts["grade"], place / "grade", words.grades)


def _weekday(year: int, written: str, place: YamlPath) -> dt.date:
    try:
        day = dt.date.fromisoformat(f"{year}-{written}")
    except ValueError:
        place.fail(f"{written!r} is not a day of {year} written MM-DD")
    if day.weekday() >= SATURDAY:
        place.fail(f"{day} is a weekend day; only weekdays are listed")
    return day


def _sentence(section: _DayList, names: list[Text]) -> Text:
    def phrase(language: str) -> str:
        joined = section.joint.in_language(language).join(name.in_language(language) for name in names)
        return section.frame.in_language(language).format(joined)

    return Text(phrase("zh"), phrase("pt"), phrase("en"))


def _spans(
    value: strict.Value, place: YamlPath, kind: DayKind, grounds: Mapping[str, Text], sources: Mapping[str, Source]
) -> Mapping[dt.date, CalendarEntry]:
    """The weekdays of a list of spans, each with its ground and source."""
    result: dict[dt.date, CalendarEntry] = {}
    for index, item in enumerate(strict.sequence(value, place)):
        here = place / index
        parts = strict.mapping(item, here, required=("from", "to", "ground", "source"))
        first, last = strict.window([parts["from"], parts["to"]], here)
        ground = grounds[strict.choice(parts["ground"], here / "ground", grounds)]
        source = strict.choice(parts["source"], here / "source", sources)
        for offset in range((last - first).days + 1):
            day = first + dt.timedelta(days=offset)
            if day in result:
                here.fail(f"{day} is listed twice")
            if day.weekday() < SATURDAY:
                result[day] = CalendarEntry(kind, ground, (source,))
    return MappingProxyType(result)
