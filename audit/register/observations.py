"""What strikes a reader of the register though no regulation speaks of it: slips, overlaps, words nobody knows.

Observations are advice of `approvals check`; they never become findings.
"""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from typing import TYPE_CHECKING, Final, TypedDict

from audit.base.model import Game, Text
from audit.register.approval import ALL_TABLES, Approval, Decision
from audit.register.calendar_file import shipped_calendar
from audit.rulebook import Rulebook
from audit.rulebook.options import Availability, find_option, load_options

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from audit.rulebook.options import OptionValue


class Observation(TypedDict):
    """One remark on one entry, with its sentence in each language; ready for JSON."""

    kind: str
    approval_id: str
    source_file: str
    source_row: int
    message_zh: str
    message_pt: str
    message_en: str


LISTED_BETS: Final = frozenset({"player", "banker", "tie", "player_pair", "banker_pair"})
"""Bets that every wording of 55/2004 art. 13 lists, so that no entry is needed for them."""

EXCLUSIVE: Final = frozenset({"burn", "last_round", "draw_method", "commission"})
"""Options of which a table follows one value at a time."""

_TEXTS: Final[Mapping[str, Text]] = {
    "ends_before_start": Text(
        "記錄{approval_id}的終止日{ends_on}早於首日{start}，因此不具任何效力。",
        "A entrada {approval_id} termina em {ends_on}, antes do seu primeiro dia {start}, e nada abrange.",
        "Entry {approval_id} ends on {ends_on}, before its first day {start}, and covers nothing.",
    ),
    "authorised_before_application": Text(
        "記錄{approval_id}的許可日{authorised_at}早於申請日{applied_on}。",
        "A autorização da entrada {approval_id}, de {authorised_at}, é anterior à solicitação, de {applied_on}.",
        "Entry {approval_id} was authorised on {authorised_at}, before it was applied for on {applied_on}.",
    ),
    "authorised_after_planned": Text(
        "記錄{approval_id}的許可日{authorised_at}遲於預定採用日期{planned_from}。",
        "A autorização da entrada {approval_id}, de {authorised_at}, é posterior à data prevista para a sua adopção, "
        "{planned_from}.",
        "Entry {approval_id} was authorised on {authorised_at}, after its planned day of adoption {planned_from}.",
    ),
    "decision_without_date": Text(
        "記錄{approval_id}註明已獲許可，但沒有許可日期。",
        "A entrada {approval_id} consta como autorizada, sem a data da autorização.",
        "Entry {approval_id} is marked as granted without the day of the authorisation.",
    ),
    "date_without_decision": Text(
        "記錄{approval_id}的決定為{decision}，卻有許可日期{authorised_at}。",
        "A entrada {approval_id} tem a decisão {decision} e, contudo, a data de autorização {authorised_at}.",
        "Entry {approval_id} is {decision} and yet has a day of authorisation, {authorised_at}.",
    ),
    "no_first_day": Text(
        "記錄{approval_id}已獲許可，但既無許可日期亦無預定採用日期，因此不具任何效力。",
        "A entrada {approval_id}, autorizada, não tem data de autorização nem data prevista, e nada abrange.",
        "Entry {approval_id} is granted with neither a day of authorisation nor a planned day, and covers nothing.",
    ),
    "application_time_missing": Text(
        "記錄{approval_id}只有申請日期而無時間，視為當日{opens}提交。",
        "A entrada {approval_id} indica só o dia da solicitação; toma-se a abertura dos serviços, às {opens}.",
        "Entry {approval_id} gives only the day of the application; the opening of the offices at {opens} is assumed.",
    ),
    "calendar_unknown": Text(
        "記錄{approval_id}的日期超出工作天日曆的範圍（{first}至{last}），未能評定其預先申請期。",
        "As datas da entrada {approval_id} excedem o calendário de dias úteis ({first} a {last}); a antecedência não "
        "foi avaliada.",
        "The dates of entry {approval_id} leave the calendar of working days ({first} to {last}); its notice was not "
        "evaluated.",
    ),
    "planned_on_first_day": Text(
        "記錄{approval_id}的預定採用日期{planned_from}為規章生效首日，無法按該規章預先申請，故不評定其預先申請期。",
        "A entrada {approval_id} prevê a adopção em {planned_from}, primeiro dia do regulamento: não se lhe exige a "
        "antecedência, que não podia ter sido observada.",
        "Entry {approval_id} is planned for {planned_from}, the first day of the regulation: no notice is asked of it, "
        "for none could be given under it.",
    ),
    "unknown_option": Text(
        "記錄{approval_id}的選項「{option}」在此博彩中並不存在。",
        "A opção «{option}» da entrada {approval_id} não existe neste jogo.",
        "The option '{option}' of entry {approval_id} does not exist in this game.",
    ),
    "unknown_value": Text(
        "記錄{approval_id}中選項「{option}」的值「{value}」不屬已知的值（{known}）。",
        "O valor «{value}» da opção «{option}», na entrada {approval_id}, não é conhecido ({known}).",
        "The value '{value}' of option '{option}' in entry {approval_id} is not known ({known}).",
    ),
    "option_needs_none": Text(
        "記錄{approval_id}：規章本身已訂明{option}={value}，無需許可。",
        "Entrada {approval_id}: {option}={value} é a própria regra do regulamento e não carece de autorização.",
        "Entry {approval_id}: {option}={value} is the rule of the regulation itself and needs no authorisation.",
    ),
    "value_before_law": Text(
        "記錄{approval_id}自{start}起生效，但已知的規章文本自{since}起方容許{option}={value}。",
        "A entrada {approval_id} vale desde {start}, mas o texto conhecido só admite {option}={value} desde {since}.",
        "Entry {approval_id} holds from {start}, but the text that is known allows {option}={value} only from {since}.",
    ),
    "unknown_table": Text(
        "記錄{approval_id}所指的博彩檯{table}並不在已知的博彩檯之列。",
        "A mesa de jogo {table} da entrada {approval_id} não é conhecida.",
        "The gaming table {table} of entry {approval_id} is not among the known tables.",
    ),
    "overlap": Text(
        "記錄{approval_id}與記錄{other}就同一選項和值在相同的博彩檯上時段重疊。",
        "As entradas {approval_id} e {other} sobrepõem-se: mesma opção e valor, nas mesmas mesas e dias.",
        "Entries {approval_id} and {other} overlap: the same option and value at the same tables on the same days.",
    ),
    "exclusive_values_clash": Text(
        "記錄{approval_id}（{option}={value}）與記錄{other}（{option}={other_value}）在相同的博彩檯上同時有效。",
        "As entradas {approval_id} ({option}={value}) e {other} ({option}={other_value}) vigoram ao mesmo tempo nas "
        "mesmas mesas.",
        "Entries {approval_id} ({option}={value}) and {other} ({option}={other_value}) hold at the same tables on the "
        "same days.",
    ),
}

KINDS: Final = tuple(_TEXTS)
"""Every kind of observation."""


def observe(
    approvals: Iterable[Approval],
    *,
    known_tables: Collection[str] | None = None,
    options: tuple[OptionValue, ...] | None = None,
    rulebook: Rulebook | None = None,
) -> list[Observation]:
    """Every observation on the register, in the order of its entries.

    `known_tables`, where given, are the ids that `tables` may name; `options` replaces those of the
    rulebook, `rulebook` the one that ships with the package.
    """
    entries = tuple(approvals)
    known = load_options() if options is None else options
    law = rulebook or Rulebook.load()
    remarks = [
        remark
        for entry in entries
        for remark in (*_dates(entry, law.first_day(entry.game)), *_words(entry, known, known_tables))
    ]
    remarks.extend(_pairs(entries))
    place = {entry.approval_id: index for index, entry in enumerate(entries)}
    return sorted(remarks, key=lambda remark: place[remark["approval_id"]])


def _remark(entry: Approval, kind: str, **values: object) -> Observation:
    text = _TEXTS[kind].format(approval_id=entry.approval_id, **values)
    return Observation(
        kind=kind,
        approval_id=entry.approval_id,
        source_file=entry.file,
        source_row=entry.row,
        message_zh=text.zh,
        message_pt=text.pt,
        message_en=text.en,
    )


def _dates(entry: Approval, first_day: dt.date) -> Iterator[Observation]:
    granted = entry.decision is Decision.GRANTED
    given = [day for day in (entry.authorised_at, entry.planned_from) if day is not None]
    if entry.ends_on is not None and given and entry.ends_on < max(given):
        yield _remark(entry, "ends_before_start", ends_on=entry.ends_on, start=max(given))
    if entry.authorised_at is not None:
        if entry.applied_at is not None and entry.authorised_at < entry.applied_at.date():
            yield _remark(
                entry,
                "authorised_before_application",
                authorised_at=entry.authorised_at,
                applied_on=entry.applied_at.date(),
            )
        if granted and entry.planned_from is not None and entry.planned_from < entry.authorised_at:
            yield _remark(
                entry,
                "authorised_after_planned",
                authorised_at=entry.authorised_at,
                planned_from=entry.planned_from,
            )
        if not granted:
            yield _remark(
                entry, "date_without_decision", decision=entry.decision.value, authorised_at=entry.authorised_at
            )
    elif granted:
        yield _remark(entry, "decision_without_date" if given else "no_first_day")
    if entry.planned_from == first_day:
        yield _remark(entry, "planned_on_first_day", planned_from=first_day)
    calendar = shipped_calendar()
    if entry.applied_day_only:
        yield _remark(entry, "application_time_missing", opens=f"{calendar.hours.opens:%H:%M}")
    touched = [entry.planned_from, entry.applied_at.date() if entry.applied_at else None]
    if any(day is not None and not calendar.covers(day) for day in touched):
        yield _remark(entry, "calendar_unknown", first=calendar.first, last=calendar.last)


def _words(
    entry: Approval, options: tuple[OptionValue, ...], known_tables: Collection[str] | None
) -> Iterator[Observation]:
    named = {"option": entry.option, "value": entry.value}
    values = [each.value for each in options if (each.game, each.option) == (entry.game, entry.option)]
    found = find_option(entry.game, entry.option, entry.value, options)
    if not values:
        yield _remark(entry, "unknown_option", option=entry.option)
    elif found is None:
        yield _remark(entry, "unknown_value", **named, known=", ".join(sorted(values)))
    else:
        if found.rule_itself or (entry.option == "bet" and entry.value in LISTED_BETS):
            yield _remark(entry, "option_needs_none", **named)
        start = entry.start
        if start is not None and found.on(start) is Availability.UNAVAILABLE:
            yield _remark(entry, "value_before_law", **named, start=start, since=found.since)
    if known_tables is not None and entry.tables != ALL_TABLES:
        for table in entry.tables:
            if table not in known_tables:
                yield _remark(entry, "unknown_table", table=table)


def _pairs(entries: Iterable[Approval]) -> Iterator[Observation]:
    """Overlaps and clashes among the granted entries of one game and option; each pair once, told of the later row."""
    groups: dict[tuple[Game, str], list[Approval]] = defaultdict(list)
    for entry in entries:
        if entry.decision is Decision.GRANTED and entry.start is not None:
            groups[entry.game, entry.option].append(entry)
    for (_, option), group in groups.items():
        seen: dict[str, list[Approval]] = defaultdict(list)
        for index, entry in enumerate(group):
            earlier = group[:index] if entry.tables == ALL_TABLES else _at(seen, entry.tables)
            for other in earlier:
                if not _meet(entry, other):
                    continue
                if other.value == entry.value:
                    yield _remark(entry, "overlap", other=other.approval_id)
                elif option in EXCLUSIVE:
                    yield _remark(
                        entry,
                        "exclusive_values_clash",
                        other=other.approval_id,
                        option=option,
                        value=entry.value,
                        other_value=other.value,
                    )
            for table in entry.tables:
                seen[table].append(entry)


def _at(seen: Mapping[str, list[Approval]], tables: tuple[str, ...]) -> list[Approval]:
    """Earlier entries that name one of the tables, or all tables, each once and in the order of the register."""
    found = {entry.approval_id: entry for table in (*ALL_TABLES, *tables) for entry in seen.get(table, ())}
    return sorted(found.values(), key=lambda entry: (entry.file, entry.row))


def _meet(one: Approval, other: Approval) -> bool:
    """Say whether two entries with a table in common hold on a common day of a common casino."""
    if one.casino is not None and other.casino is not None and one.casino != other.casino:
        return False
    starts = [entry.start or dt.date.max for entry in (one, other)]
    ends = [entry.ends_on or dt.date.max for entry in (one, other)]
    return max(starts) <= min(ends)
