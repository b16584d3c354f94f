"""The report in one language: the words, drawings and rows that the templates place on the page."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from audit.base.known_games import known_games
from audit.base.model import Card
from audit.report import annex
from audit.report.card_pictures import hand_words
from audit.report.charts import Balance, Bar, Grid, balance_svg, heat_svg, pareto_svg
from audit.report.contents import ROWS_SHOWN, TABLES_SHOWN, ReportData, units
from audit.report.hand_drawings import PathLine, draw, outcome, path
from audit.report.i18n import HTML_LANG
from audit.report.shown_findings import CheckResult, Finding
from audit.report.table_day_pictures import TableDayPictures
from audit.report.wording import DASH, Wording
from audit.rulebook import Instrument, Provision

HAND_CODES: Final = ("DRW", "RES", "PAY")
PARETO_ROWS: Final = 12
_LINE: Final = 640  # pixels of a line within a finding's frame
_DATE_LENGTH: Final = 10
_RUN: Final = 2


def data_uri(svg: str) -> str:
    """An SVG document as an address that needs no file and no network."""
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode("ascii")


@dataclass(frozen=True, slots=True)
class Picture:
    """An image with the text that replaces it for those who cannot see it."""

    src: str
    alt: str


@dataclass(frozen=True, slots=True)
class Hand:
    """The hand of a finding: its drawing, the path of decisions and the result in words.

    `share` is the part of the line, in per cent, that the drawing takes.
    """

    picture: Picture
    steps: tuple[PathLine, ...]
    outcome: str
    share: int


class View:
    """One language's view of the report's data."""

    def __init__(self, data: ReportData, wording: Wording) -> None:
        """Bind the data to a language."""
        self.data = data
        self.w = wording
        self.t = wording.messages
        self.language = wording.language
        self.lang = HTML_LANG[wording.language]
        self.scenery = TableDayPictures(wording, data.timeline, data.roads)

    def title(self, code: str) -> str:
        """Short name of a check."""
        key = f"check.{code}"
        if self.t.has(key):
            return self.t(key)
        check = self.data.catalogue.checks.get(code)
        return str(check.slug) if check is not None else code

    def games(self) -> str:
        """The games that the auditor knows, in a sentence."""
        return self._listed([self.w.text(game.names) for game in known_games()])

    def regulations(self) -> str:
        """The same as what a regulation is of."""
        return self._listed([self.t("scope.regulation_of", game=self.w.text(game.names)) for game in known_games()])

    def _listed(self, names: Sequence[str]) -> str:
        *others, last = names
        return self.t("list.and").join([self.t("list.comma").join(others), last] if others else [last])

    def family(self, key: str) -> str:
        """Name of a family of checks."""
        family = self.data.catalogue.families.get(key)
        return self.w.text(family.name) if family is not None else key

    def reason(self, key: str) -> str:
        """Why a check could not be answered."""
        found = self.data.reason(key)
        return self.w.text(found) if found is not None else key

    def article(self, provision: Provision) -> str:
        """A provision's reference in the form of the language."""
        if self.language == "zh":
            return provision.article_zh
        return provision.article_pt if self.language == "pt" else f"art. {provision.article}"

    def act(self, act: Instrument) -> str:
        """An act by its kind and number, in the order that the language has them."""
        return self.t("scope.act_name", kind=self.w.text(act.kind), number=act.identifier)

    def articles(self, act: Instrument) -> str:
        """The articles that an act changed, runs of whole articles drawn together."""
        found: list[str] = []
        run: list[int] = []
        for article in (*act.articles, ""):
            if article.isdigit() and (not run or int(article) == run[-1] + 1):
                run.append(int(article))
                continue
            if run:
                found += [f"{run[0]}–{run[-1]}"] if len(run) > _RUN else [str(number) for number in run]
            run = [int(article)] if article.isdigit() else []
            if article and not article.isdigit():
                found.append(article)
        return ", ".join(found) or DASH

    def citation(self, finding: Finding) -> str:
        """Instrument and article of a finding, with the provision's own reference and head where it is known."""
        row = finding.row
        if not row["instrument"]:
            return DASH
        compact = f"{row['instrument']}, {row['article']}" if row["article"] else str(row["instrument"])
        provision = self.data.provision(finding)
        if provision is None:
            return compact
        act = "" if provision.act == provision.instrument else f" ({provision.act})"
        mark = f" {self.grade(provision)}" if provision.mark == "I" or not provision.certain else ""
        return f"{compact}{act} — {self.w.text(provision.title)}, {self.article(provision)}{mark}"

    def subject(self, finding: Finding) -> list[tuple[str, str]]:
        """What a finding is about: the identifiers that it has, with their headings."""
        row = finding.row
        columns = (
            ("casino", "casino"), ("table_id", "table"), ("shoe_id", "shoe"), ("round_id", "round"),
            ("wager_id", "wager"), ("approval_id", "approval"),
        )  # fmt: skip
        found = [(self.t(f"col.{head}"), str(row[name])) for name, head in columns if row[name]]
        if row["side"]:
            found.append((self.t("col.side"), self.w.word(row["side"])))
        if row["option"] == "card":
            found.append((self.t("col.card"), hand_words([Card.parse(row["value"])])))
        elif row["option"]:
            found.append((self.t("col.option"), f"{self.w.word(row['option'])}: {self.w.word(row['value'])}"))
        return found

    def effect(self, finding: Finding) -> str:
        """Amount and direction in words."""
        amount: Decimal | None = finding.row["amount"]
        if not amount:
            return self.t("fin.no_amount")
        return self.t(
            "fin.over" if amount > 0 else "fin.under", amount=self.w.money(abs(amount), finding.row["currency"])
        )

    def period(self, finding: Finding) -> str:
        """The rounds that a finding about a period covers, or nothing."""
        row = finding.row
        if not row["rounds_affected"]:
            return ""
        return self.t(
            "fin.period",
            rounds=self.w.integer(row["rounds_affected"]),
            first=row["first_round_id"] or DASH,
            last=row["last_round_id"] or DASH,
        )

    def capped(self, check: CheckResult) -> str:
        """The sentence that says how many findings are not printed, or nothing."""
        rest = check.count - len(check.printed)
        if not rest:
            return ""
        return self.t(
            "fin.capped",
            count=self.w.integer(check.count),
            shown=len(check.printed),
            rest=self.w.integer(rest),
            digest=self.data.digests.get("findings.parquet", DASH)[:16] + "…",
        )

    def hand(self, finding: Finding) -> Hand | None:
        """The drawing of a finding about a hand, where the run kept its cards."""
        row = finding.row
        known = self.data.evidence.get(row["round_id"] or "")
        family = row["code"].partition("-")[0]
        if known is None or family not in HAND_CODES or not (known["player_cards"] or known["banker_cards"]):
            return None
        steps = known.get("steps") or []
        compared = row["code"] in {"DRW-001", "DRW-002"} and bool(steps)
        drawing = draw(known, self.t, steps=steps if family == "DRW" else (), compared=compared)
        return Hand(
            Picture(data_uri(drawing.svg), drawing.alt),
            path(steps, self.w) if family == "DRW" else (),
            outcome(known, self.w),
            share=min(drawing.width * 100 // _LINE + 2, 100),
        )

    def pareto(self) -> Picture | None:
        """Findings by check, most frequent first."""
        checks = sorted((check for check in self.data.checks if check.count), key=lambda c: (-c.count, c.code))
        if not checks:
            return None
        bars = [
            Bar(f"{check.code}  {self.title(check.code)}", check.count, self.w.integer(check.count))
            for check in checks[:PARETO_ROWS]
        ]
        return Picture(data_uri(pareto_svg(bars)), self.t("fin.pareto"))

    def heat(self) -> Picture | None:
        """Findings by table and period."""
        heat = self.data.heat
        if heat is None:
            return None
        days = {column[:_DATE_LENGTH] for column in heat.columns}
        clock = heat.unit == "hour" and len(days) == 1
        start = 11 if clock else 5 if heat.unit in {"hour", "day"} else 0
        names = [column[start:].replace("T", " ") for column in heat.columns]
        houses = {casino for casino, _ in heat.rows}
        rows = [table if len(houses) == 1 else f"{casino} {table}" for casino, table in heat.rows]
        return Picture(data_uri(heat_svg(Grid(tuple(rows), tuple(names), heat.cells))), self.t("fin.heat"))

    def balance(self) -> Picture | None:
        """Amounts by table, both directions."""
        if not self.data.balances:
            return None
        rows = [
            Balance(
                f"{table} ({amount.currency})" if amount.currency else table,
                units(amount.over),
                units(amount.under),
                self.w.amount(amount.over),
                self.w.amount(amount.under),
            )
            for (_, table), amount in self.data.balances
        ]
        svg = balance_svg(rows, self.t("fin.under_short"), self.t("fin.over_short"))
        return Picture(data_uri(svg), self.t("fin.balance"))

    def day_picture(self) -> Picture | None:
        """The day of each table that has findings, where the run kept it."""
        svg = self.scenery.day_svg()
        return Picture(data_uri(svg), self.t("pic.day")) if svg else None

    def road_pictures(self) -> list[tuple[str, Picture]]:
        """The shoes with most findings: name and big road."""
        label = self.t("pic.road")
        return [(name, Picture(data_uri(svg), f"{label}: {name}")) for name, svg in self.scenery.road_svgs()]

    def grade(self, provision: Provision) -> str:
        """The evidence mark of a provision, with a word where its first day is inferred."""
        return f"[{provision.mark}]" if provision.certain else f"[{provision.mark}] {self.t('scope.certain_no')}"

    def coverage(self) -> list[annex.Covered]:
        """The rules of the games audited and the checks that judge them."""
        return list(annex.coverage(self.data, self.w))

    def edition(self) -> str:
        """Whether the report is an original or supplements an earlier one."""
        return annex.edition(self.data.manifest, self.w)

    def compared(self) -> str:
        """How the findings compare with those of the run superseded; empty for an original."""
        return annex.compared(self.data.manifest, self.w)

    def order_of_cards(self) -> list[str]:
        """What proves the order in which the cards of the source were read."""
        return annex.order_of_cards(self.data.manifest, self.w)

    def house(self) -> str:
        """The casinos of the run, or that the data names none."""
        return "; ".join(self.data.manifest["casinos"]) or self.t("cover.entity_unknown")

    def span(self) -> str:
        """The gaming days asked for, or that everything received was audited."""
        period = self.data.manifest["period"]
        first, last = period.get("from"), period.get("to")
        if not first and not last:
            return self.t("cover.period_all")
        if first == last or not last:
            return self.w.day(first)
        return self.t("date.range", first=self.w.day(first), last=self.w.day(last))

    def known_day(self, day: object, certain: bool) -> str:
        """A day of the gazette, with a word where it is inferred."""
        if day is None:
            return DASH
        return str(day) if certain else f"{day} ({self.t('scope.certain_no')})"

    def role(self, key: str) -> str:
        """Name of a table of data; an expectation suite's name stands for its table."""
        name = f"role.{key.removeprefix('profile_')}"
        return self.t(name) if self.t.has(name) else key

    def gate_severity(self, key: str) -> str:
        """How grave an expectation of the data gate is."""
        name = f"gate.{key}"
        return self.t(name) if self.t.has(name) else key

    def note(self, note: Mapping[str, Any]) -> str:
        """A note of the manifest about the population: the catalogue's sentence and how often it applies."""
        return self.t("pop.note", text=self.reason(str(note["kind"])), count=self.w.integer(int(note["count"])))

    def settings(self) -> list[tuple[str, str]]:
        """The settings that the run printed into its manifest, by dotted name."""
        found: list[tuple[str, str]] = []

        def plain(value: object) -> str:
            if isinstance(value, Mapping):
                return ", ".join(f"{name}: {plain(value[name])}" for name in sorted(value))
            if isinstance(value, list | tuple):
                return "; ".join(plain(item) for item in value) or DASH
            return DASH if value is None else str(value)

        def walk(node: Mapping[str, Any], prefix: str) -> None:
            for name in sorted(node):
                value = node[name]
                if isinstance(value, Mapping):
                    walk(value, f"{prefix}{name}.")
                elif prefix or name != "digest":
                    found.append((f"{prefix}{name}", plain(value)))

        walk(self.data.manifest.get("configuration", {}), "")
        return found

    def criterion(self, code: str) -> str:
        """What the check holds the log against."""
        check = self.data.catalogue.checks.get(code)
        return self.w.text(check.criterion) if check is not None else DASH

    def step(self, family: str) -> str:
        """The corrective step that the catalogue proposes for a family."""
        known = self.data.catalogue.families.get(family)
        return self.w.text(known.corrective_step) if known is not None else DASH

    def options(self) -> list[Mapping[str, Any]]:
        """The options in use, irregular ones first, as many as are printed."""
        order = ("unauthorised", "expired", "early", "not_evaluated", "authorised", "rule")
        rows: list[Mapping[str, Any]] = list(self.data.manifest.get("options", []))
        rows.sort(key=lambda row: order.index(row["state"]) if row["state"] in order else 0)
        return rows[:ROWS_SHOWN]

    def register(self) -> list[Mapping[str, Any]]:
        """The entries of the register, irregular ones first, as many as are printed."""
        order = ("short", "short_after_hours_only", "missing", "doubt", "not_evaluated", "ok")
        rows: list[Mapping[str, Any]] = list(self.data.manifest.get("register", []))
        rows.sort(key=lambda row: order.index(row["state"]) if row["state"] in order else 0)
        return rows[:ROWS_SHOWN]

    def register_state(self, key: str) -> str:
        """The state of a register entry's notice."""
        name = f"opt.state.{'short' if key.startswith('short') else key}"
        return self.t(name) if self.t.has(name) else key

    def tables(self) -> list[Mapping[str, Any]]:
        """Results by table, most findings first, as many as are printed."""
        rows: list[Mapping[str, Any]] = list(self.data.manifest.get("tables_summary", []))
        rows.sort(key=lambda row: (-int(row["findings"]), str(row.get("casino")), str(row["table_id"])))
        return rows[:TABLES_SHOWN]

    def paid(self, row: Mapping[str, Any], side: str) -> str:
        """What a table `overpaid` or `underpaid`, one amount a currency."""
        amounts = [line for line in row.get("amounts", []) if Decimal(line[side])]
        return "; ".join(self.w.money(line[side], line["currency"]) for line in amounts) or DASH

    def calendar(self, finding: Finding) -> Picture | None:
        """The working days of the application that a finding is about, with its authorisation and first use."""
        row = finding.row
        if not str(row["code"]).startswith("APR") and row["code"] != "OPT-002":
            return None
        entries: list[Mapping[str, Any]] = list(self.data.manifest.get("register", []))
        entry = next((item for item in entries if item["approval_id"] == row["approval_id"]), None)
        drawing = annex.notice_svg(self.data.rulebook, self.data.manifest, entry, self.language) if entry else ""
        return Picture(data_uri(drawing), self.t("fin.calendar")) if drawing else None
