"""The dispute sheet: one round on one page, in both official languages, from the payload of an investigation.

The payload is data, so that the same sheet can be made from a run, from a demonstration or from a test::

    {"run_id": str, "software": {"name", "version"},
     "rounds": [{"round": {"round_id", "casino", "table_id", "shoe_id", "round_no", "game", "status", "started_at",
                           "draw_method", "commission", "source_file", "source_row"},
                 "evidence": the round's entry of evidence.json,
                 "wagers": [{"wager_id", "bet", "stake", "currency", "due", "payout", "commission_due", "commission",
                             "stake_returned", "article", "reason"}],
                 "findings": rows of the findings table,
                 "law": {"instrument", "version", "from", "acts", "provisions"} or None, "approvals": entries in force,
                 "more_wagers": int, "more_findings": int}]}

The last four may be absent. Amounts are decimal text, moments ISO text; `due` is None where the wager could not be
evaluated, for `reason`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from audit.base.errors import InputRefused
from audit.base.resources import resource_dir
from audit.catalogue import catalogue
from audit.report.hand_drawings import Drawing, PathLine, draw, outcome, path
from audit.report.i18n import HTML_LANG, load_messages
from audit.report.pdf import Enclosure, write_pdf
from audit.report.render import environment
from audit.report.view import data_uri
from audit.report.wording import DASH, Wording, as_instant, check_languages
from audit.rulebook import Rulebook

ROUNDS_SHOWN: Final = 50
"""Rounds of one investigation that are printed; the attached data has them all."""


@dataclass(frozen=True, slots=True)
class SheetWager:
    """One wager as printed; `difference` is paid minus due, `wrong` where they differ."""

    row: Mapping[str, Any]
    difference: Decimal | None
    wrong: bool


@dataclass(frozen=True, slots=True)
class Sheet:
    """One round: its facts, its hand, its wagers and the findings about it."""

    facts: Mapping[str, Any]
    drawing: Drawing | None
    paths: Mapping[str, tuple[PathLine, ...]]
    outcomes: Mapping[str, str]
    wagers: tuple[SheetWager, ...]
    findings: tuple[Mapping[str, Any], ...]
    law: Mapping[str, Any] | None = None
    approvals: tuple[Mapping[str, Any], ...] = ()
    more_wagers: int = 0
    more_findings: int = 0


class Bilingual:
    """Words in several languages at once, for headings and tables that stand only once."""

    def __init__(self, wordings: Sequence[Wording]) -> None:
        """Bind the languages, in the order in which they are printed."""
        self.wordings = tuple(wordings)

    def t(self, key: str, **values: object) -> str:
        """A fixed phrase in each language, with a stroke between."""
        return " / ".join(wording.messages(key, **values) for wording in self.wordings)

    def stacked(self, key: str, **values: object) -> str:
        """A fixed phrase in each language, one under the other where it is a label of the drawing."""
        joint = "\n" if key.startswith("side.") or key == "fin.points" else " / "
        return joint.join(wording.messages(key, **values) for wording in self.wordings)

    def word(self, token: object) -> str:
        """A machine token in each language, once where the words are the same."""
        return " / ".join(dict.fromkeys(wording.word(token) for wording in self.wordings))

    def amount(self, value: object) -> str:
        """An amount in the manner of the first language."""
        return self.wordings[0].amount(str(value)) if value is not None else DASH

    def instant(self, value: object) -> str:
        """A moment in Macau time."""
        return self.wordings[0].instant(value)


def _wager(row: Mapping[str, Any]) -> SheetWager:
    due, paid = row.get("due"), row.get("payout")
    difference = None if due is None or paid is None else Decimal(str(paid)) - Decimal(str(due))
    return SheetWager(row, difference, bool(difference))


def _sheet(item: Mapping[str, Any], says: Bilingual) -> Sheet:
    known = item.get("evidence") or {}
    steps = known.get("steps") or []
    broken = any(step["done"] != step["required"] for step in steps)
    drawing = draw(known, says.stacked, steps=steps, compared=broken) if known.get("player_cards") else None
    return Sheet(
        item["round"],
        drawing,
        {wording.language: path(steps, wording) for wording in says.wordings},
        {wording.language: outcome(known, wording) for wording in says.wordings} if known else {},
        tuple(_wager(row) for row in item.get("wagers", [])),
        tuple(item.get("findings", [])),
        item.get("law"),
        tuple(item.get("approvals") or ()),
        int(item.get("more_wagers", 0)),
        int(item.get("more_findings", 0)),
    )


def render_sheet_html(payload: Mapping[str, Any], languages: Sequence[str]) -> str:
    """The sheets of every round of an investigation as one HTML document.

    Raises InputRefused where the payload lacks a value.
    """
    import jinja2
    from markupsafe import Markup

    check_languages(tuple(languages))
    folder, messages, known = resource_dir("templates"), load_messages(), catalogue.load()
    says = Bilingual([Wording(language, messages[language], known.words) for language in languages])
    try:
        sheets = [_sheet(item, says) for item in payload["rounds"][:ROUNDS_SHOWN]]
        return (
            environment(folder)
            .get_template("sheet.html.j2")
            .render(
                sheets=sheets,
                says=says,
                lang=HTML_LANG,
                payload=payload,
                stamp=_moment(payload).isoformat(),
                data_uri=data_uri,
                reasons=known.reasons,
                verified=Rulebook.load().verified_on,
                style=Markup((folder / "style.css").read_text(encoding="utf-8")),  # noqa: S704 - our own style sheet
            )
        )
    except (jinja2.UndefinedError, KeyError) as error:
        raise InputRefused(f"the investigation lacks a value that its sheet needs ({error})") from error


def _moment(payload: Mapping[str, Any]) -> Any:
    moments = [as_instant(item["round"]["started_at"]) for item in payload["rounds"]]
    if not moments or None in moments:
        raise InputRefused("the investigation has no round with a time")
    return max(moment for moment in moments if moment)


def render_sheet(
    payload: Mapping[str, Any],
    out: Path,
    *,
    languages: Sequence[str] = ("zh", "pt"),
    attached: Mapping[str, Any] | None = None,
) -> None:
    """Write the dispute sheets of an investigation to `out`, with the payload attached; the same bytes each time.

    `attached` is more than the payload where there is more to attach.

    Raises InputRefused for a payload that lacks a value, MachineFailure where a font or library is missing.
    """
    html = render_sheet_html(payload, languages)
    content = (
        json.dumps(attached or payload, ensure_ascii=False, indent=1, sort_keys=True, default=str) + "\n"
    ).encode()
    description = " / ".join(load_messages()[language]("sheet.attached") for language in languages)
    write_pdf(
        html,
        out,
        templates=resource_dir("templates"),
        moment=_moment(payload),
        parts={"sheet": HTML_LANG[languages[0]]},
        enclosures=[Enclosure("investigation.json", description, content)],
    )
