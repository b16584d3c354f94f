"""An investigation put into words: one document, which screen and PDF draw each in its own way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from audit.base import strict
from audit.base.model import SUITS, Text
from audit.catalogue.catalogue import load as load_catalogue
from audit.investigate.blocks import BlockTable, Document, Paragraphs, Section
from audit.report.i18n import load_messages
from audit.report.wording import DASH, Wording

Json = Mapping[str, Any]

MOST_ROUNDS = 250
"""Rounds of a table that are listed; of a longer list only those with findings."""


@cache
def _phrases() -> Mapping[str, Text]:
    content, place = strict.load(Path(__file__).with_name("words.yaml"))
    if not isinstance(content, dict):
        place.fail("keys and texts are expected")
    return {str(key): strict.text(value, place / key) for key, value in content.items()}


def document(data: Json, language: str) -> Document:
    """What `investigate` answered, in `language`."""
    return _Writer(data, language).write()


class _Writer:
    """Puts one investigation into words."""

    def __init__(self, data: Json, language: str) -> None:
        self.data = data
        self.language = language
        self.word = Wording(language, load_messages()[language], load_catalogue().words)

    def t(self, key: str, **values: object) -> str:
        """A phrase."""
        return _phrases()[key].in_language(self.language).format(**values)

    def write(self) -> Document:
        """Title, then section by section."""
        data, kind = self.data, self.data["kind"]
        subject = data["round"] if kind == "round" else data["table"]
        title = self.t(f"title_{kind}", **{n: subject.get(n) for n in ("round_id", "table_id", "shoe_id")})
        sections = list(self._round() if kind == "round" else self._table())
        if data["notes"]:
            sections.insert(0, self._section("notes", Paragraphs(tuple(self._note(note) for note in data["notes"]))))
        return Document(self.language, title, (self.t("run", run_id=data["run_id"]),), tuple(sections))

    def _section(self, key: str, *blocks: BlockTable | Paragraphs) -> Section:
        return Section(key, self.t(key), blocks)

    def _note(self, note: Json) -> str:
        return self.t(f"note_{note['note']}", **{k: v for k, v in note.items() if k != "note"})

    def _source(self, row: Json) -> str:
        return self.t("evidence_at", file=row["file"], row=row["row"])

    # --- one round

    def _round(self) -> Iterator[Section]:
        data = self.data
        yield self._section("recorded", self._recorded())
        if data["other_rows"]:
            rows = tuple((self._source(row), self._cells(row)) for row in data["other_rows"])
            yield self._section("other_rows", BlockTable((), rows))
        yield self._section("replay", self._replay())
        yield self._section("wagers", *self._wagers())
        yield self._section("findings", *self._findings(data["findings"]), *self._sameness())
        if data["related"]:
            yield self._section("related", *self._findings(data["related"]))
        yield self._section("neighbours", self._lines_of_rounds(data["neighbours"]))
        if data["shoe"]:
            yield self._section("shoe", *self._shoe(data["shoe"]))
        yield self._section("law", *self._law())
        yield self._section("approvals", *self._approvals())

    @staticmethod
    def _cells(row: Json) -> str:
        return "; ".join(f"{k} {v}" for k, v in row.items() if v is not None and k not in {"file", "row"})

    def _recorded(self) -> BlockTable:
        row, replay, applied = self.data["round"], self.data["replay"], self.data["applied"]
        casino = row["casino"] or DASH
        place = self.t("place_at", casino=casino, table_id=row["table_id"])
        if row.get("shoe_id") is not None:
            place += self.t("place_shoe", shoe_id=row["shoe_id"], round_no=row["round_no"])
        reason = f" ({row['void_reason']})" if row.get("void_reason") else ""
        ended = f" – {self.word.instant(row['ended_at'])[11:]}" if row.get("ended_at") else ""
        rows = [
            (self.t("evidence"), self._source(row)),
            (self.t("place"), place),
            (self.t("time"), self.word.instant(row["started_at"]) + ended),
            (self.t("status"), self.word.word(row["status"]) + reason),
        ]
        for side in ("player", "banker"):
            points = replay[f"{side}_points"]
            shown = "" if points is None else f"  {self.t('points', points=points)}"
            name = f"{self.t('cards')} ({self.word.word(side)})"
            rows.append((name, (replay[f"{side}_cards"] or DASH) + shown))
            recorded = replay[f"recorded_{side}_points"]
            if recorded is not None and points is not None and recorded != points:
                label = self.t("points_of", side=self.word.word(side))
                rows.append((label, self.t("points_pair", recorded=recorded, shown=points)))
        if row.get("deal_sequence"):
            rows.append((self.t("sequence"), row["deal_sequence"]))
        outcomes = {"recorded": replay["recorded_outcome"], "shown": replay["outcome"]}
        rows.append((self.t("outcome"), self.t("outcome_pair", **{k: self.word.word(v) for k, v in outcomes.items()})))
        if row.get("dealing"):
            rows.append((self.t("dealing"), self.word.word(row["dealing"])))
        rows.append((self.t("decks"), str(row.get("decks", DASH))))
        for name in ("draw_method", "commission"):
            if f"{name}_source" in applied:
                source = self.t(f"source_{applied[f'{name}_source']}")
                rows.append((self.t(name), f"{self.word.word(applied[name])} ({source})"))
        rows.append((self.t("verdict"), self.word.word(self.data["verdict"])))
        good = self.data["verdict"] == "conforming"
        return BlockTable((), tuple(rows), marked=frozenset() if good else frozenset({len(rows) - 1}))

    def _replay(self) -> Paragraphs:
        replay = self.data["replay"]
        if replay["state"] not in {"complete", "draw_method_unknown"}:
            reason = load_catalogue().reasons[replay["state"]].in_language(self.language)
            lines = [self.t("no_replay", reason=reason)]
            if replay["departure"]:
                lines.append(replay["departure"]["text"][self.language])
            return Paragraphs(tuple(lines), frozenset({len(lines) - 1}))
        instrument = self.data["law"]["instrument"]
        steps = replay["steps"]
        lines = [
            f"{number}. [{instrument} {step['article']}] {step['text'][self.language]}"
            for number, step in enumerate(steps, 1)
        ]
        marked = {place for place, step in enumerate(steps) if step["required"] != step["done"]}
        if replay["state"] == "draw_method_unknown":
            lines.append(load_catalogue().reasons["draw_method_unknown"].in_language(self.language))
        elif replay["departure"]:
            marked.add(len(lines))
            lines.append(f"{replay['departure']['code']}  {replay['departure']['text'][self.language]}")
        elif not marked:
            lines.append(self.t("no_departure"))
        return Paragraphs(tuple(lines), frozenset(marked))

    def _wagers(self) -> Iterator[BlockTable | Paragraphs]:
        wagers = self.data["wagers"]
        if not wagers:
            yield Paragraphs((self.t("no_wagers"),))
            return
        head = "wager bet stake paid due commission_pair returned_pair difference article answer".split()
        marked = frozenset(place for place, wager in enumerate(wagers) if wager["answer"] == "fault")
        rows = tuple(self._wager(wager) for wager in wagers)
        yield BlockTable(tuple(self.t(name) for name in head), rows, frozenset({2, 3, 4, 5, 6, 7}), marked)
        yield BlockTable((), tuple((wager["wager_id"], self._why(wager)) for wager in wagers), marked=marked)
        yield Paragraphs(tuple(self._sum(line) for line in self.data["money"]))

    def _wager(self, wager: Json) -> tuple[str, ...]:
        due = wager["due"] or {"payout": None, "commission": [], "stake_returned": None}
        amount = self.word.amount
        either = f" {self.t('or')} ".join(map(amount, due["commission"])) or DASH
        commission = f"{amount(wager['commission'])} / {either}"
        returned = f"{amount(wager['stake_returned'])} / {amount(due['stake_returned'])}"
        article = f"{wager['instrument']} {wager['article']}" if wager["article"] else DASH
        return (
            wager["wager_id"],
            self.word.word(wager["bet"]),
            self.word.money(wager["stake"], wager["currency"]),
            amount(wager["payout"]),
            amount(due["payout"]),
            commission,
            returned,
            amount(wager["difference"], sign=True),
            article,
            self.t(f"answer_{wager['answer']}", code=wager["explained_by"]),
        )

    def _why(self, wager: Json) -> str:
        parts = [fault["code"] + "  " + fault["text"][self.language] for fault in wager["faults"]]
        if wager["kind"] in {"void", "demonstration"}:
            parts.insert(0, self.t(f"unplayed_{wager['kind']}"))
        elif wager["text"]:
            parts.insert(0, wager["text"][self.language])
        if wager["reason"] and wager["kind"] != "unknown":
            parts.append(load_catalogue().reasons[wager["reason"]].in_language(self.language))
        return " — ".join([*parts, self._source(wager)])

    def _sum(self, line: Json) -> str:
        facts = {name: self.word.amount(line[name]) for name in ("stake", "payout")}
        text = self.t("sums", currency=line["currency"] or DASH, wagers=line["wagers"], **facts)
        if line.get("difference") not in {None, "0.00"}:
            text += self.t("sums_difference", difference=self.word.amount(line["difference"], sign=True))
        return text

    def _findings(self, rows: Sequence[Json]) -> Iterator[BlockTable | Paragraphs]:
        if not rows:
            yield Paragraphs((self.t("none_found"),))
            return
        head = (self.t("code"), self.t("severity"), self.t("text"))
        message = f"message_{self.language}"
        yield BlockTable(head, tuple((row["code"], self.word.word(row["severity"]), row[message]) for row in rows))

    def _sameness(self) -> Iterator[Paragraphs]:
        same = self.data["same_as_run"]
        if same is not None:
            yield Paragraphs((self.t("same" if same else "not_same"),), frozenset() if same else frozenset({0}))

    def _lines_of_rounds(self, lines: Sequence[Json], *, shoes: bool = False) -> BlockTable:
        head = [self.t(name) for name in ("number", "round", "start", "status", "cards", "outcome", "findings")]
        rows = []
        for line in lines:
            state = "" if line["verdict"] == "conforming" else self.word.word(line["verdict"])
            row = [
                str(line["round_no"]),
                line["round_id"],
                self.word.instant(line["started_at"]),
                self.word.word(line["status"]),
                f"{_hand(line, 'player')} : {_hand(line, 'banker')}",
                self.word.word(line["outcome"]),
                " ".join(line["findings"]) or state,
            ]
            if shoes:
                row.insert(0, line["shoe_id"] or DASH)
            rows.append(tuple(row))
        if shoes:
            head.insert(0, self.t("of_shoe"))
        marked = frozenset(n for n, line in enumerate(lines) if line.get("this", bool(line["findings"])))
        return BlockTable(tuple(head), tuple(rows), frozenset({1 if shoes else 0}), marked)

    # --- shoe and table

    def _shoe(self, shoe: Json) -> Iterator[BlockTable | Paragraphs]:
        seen = {"seen": shoe["cards_seen"], "rounds": shoe["rounds"]}
        if shoe["cards_in_shoe"] is None:
            counted = self.t("cards_seen_only", **seen)
        else:
            counted = self.t("cards_seen", whole=shoe["cards_in_shoe"], **seen)
        yield Paragraphs((counted, self.t("results", results=_grouped(shoe["results"]))))
        unknown = any(row["?"] for row in shoe["cards"])
        head = [self.t("rank"), *(self.t(f"suit_{suit}") for suit in SUITS), self.t("total"), self.t("limit")]
        if unknown:
            head.insert(5, self.t("suit_none"))
        rows = []
        for row in shoe["cards"]:
            counts = [f"{row[name]}{' !' if name in row['over'] else ''}" for name in (*SUITS, "total")]
            if unknown:
                counts.insert(4, str(row["?"]))
            rows.append((row["rank"], *counts, DASH if row["limit"] is None else str(row["limit"])))
        marked = frozenset(n for n, row in enumerate(shoe["cards"]) if row["over"])
        yield BlockTable(tuple(head), tuple(rows), frozenset(range(1, len(head))), marked)
        if shoe["events"]:
            head = [self.t(name) for name in ("at", "event", "count", "cards", "evidence")]
            yield BlockTable(tuple(head), tuple(self._event(event) for event in shoe["events"]), frozenset({2}))

    def _event(self, event: Json) -> tuple[str, ...]:
        rule = f" ({self.word.word(event['burn_rule'])})" if event["burn_rule"] else ""
        count = "" if event["count"] is None else str(event["count"])
        name = self.t(f"event_{event['event']}") + rule
        return self.word.instant(event["at"]), name, count, event["cards"] or "", self._source(event)

    def _table(self) -> Iterator[Section]:
        data = self.data
        counts = {name: data["verdicts"].get(name, 0) for name in ("conforming", "violation", "not_evaluated")}
        summary = [self.t("verdicts", **counts), *(self._sum(line) for line in data["money"])]
        rounds = data["rounds"]
        if len(rounds) > MOST_ROUNDS:
            summary.append(self.t("cut_short", rounds=len(rounds)))
            rounds = [line for line in rounds if line["findings"]][:MOST_ROUNDS]
        one_shoe = data["shoe"] is not None
        yield self._section("verdict", Paragraphs(tuple(summary)))
        yield self._section("findings", *self._findings(data["findings"]))
        if one_shoe:
            yield self._section("shoe", *self._shoe(data["shoe"]))
        yield self._section("rounds", self._lines_of_rounds(rounds, shoes=not one_shoe))
        yield self._section("approvals", *self._approvals())

    # --- law and register

    def _law(self) -> Iterator[BlockTable | Paragraphs]:
        law = self.data["law"]
        if law is None:
            yield Paragraphs((self.t("not_in_force"),))
            return
        version = self.t(
            "version_from", instrument=law["instrument"], version=law["version"], day=self.word.day(law["from"])
        )
        acts = "; ".join(f"{act['act']} {act['title'][self.language]}" for act in law["acts"])
        yield BlockTable((), ((self.t("version"), version), (self.t("acts"), acts or DASH)))
        rows = tuple(
            (p["reference"][self.language], p["title"][self.language], f"{p['summary'][self.language]} [{p['mark']}]")
            for p in law["provisions"]
        )
        if rows:
            yield BlockTable((self.t("article"), self.t("text"), self.t("summary")), rows)

    def _approvals(self) -> Iterator[BlockTable | Paragraphs]:
        entries = self.data["approvals"]
        if not entries:
            yield Paragraphs((self.t("no_register" if entries is None else "no_entries"),))
        else:
            head = tuple(self.t(name) for name in ("entry", "option", "from", "to", "state", "evidence"))
            rows = tuple(self._entry(entry) for entry in entries)
            marked = frozenset(n for n, e in enumerate(entries) if e["state"] in {"early", "expired"})
            yield BlockTable(head, rows, marked=marked)
        if self.data.get("options"):
            head = tuple(self.t(name) for name in ("in_use", "state", "entry"))
            rows = tuple(
                (self._choice(row), self.word.word(row["state"]), row["approval_id"] or DASH)
                for row in self.data["options"]
            )
            yield BlockTable(head, rows)

    def _choice(self, row: Json) -> str:
        return f"{self.word.word(row['option'])}: {self.word.word(row['value'])}"

    def _entry(self, entry: Json) -> tuple[str, ...]:
        first = max((day for day in (entry["authorised_at"], entry["planned_from"]) if day), default=None)
        return (
            entry["approval_id"],
            self._choice(entry),
            self.word.day(first),
            self.word.day(entry["ends_on"]),
            self.word.word(entry["state"]),
            self._source(entry),
        )


def _hand(line: Json, side: str) -> str:
    """Cards and points of one side."""
    points = line[f"{side}_points"]
    return f"{line[f'{side}_cards'] or DASH} ({DASH if points is None else points})"


def _grouped(letters: Iterable[str]) -> str:
    """Letters in groups of ten.

    >>> _grouped("PBPBPBPBPBT")
    'PBPBPBPBPB T'
    """
    text = "".join(letters)
    return " ".join(text[at : at + 10] for at in range(0, len(text), 10))
