"""APR-001, APR-002 and APR-003, and what `approvals check` observes besides."""

from __future__ import annotations

import datetime as dt
import json

import pytest

from audit.base.model import MACAU, Game, Text
from audit.catalogue.catalogue import load, message
from audit.checks.applications import check_register, judge_register
from audit.findings.table import SCHEMA
from audit.register.observations import KINDS, observe
from audit.register.register import Approval, Decision
from audit.rulebook import Rulebook

RULEBOOK = Rulebook.load()


def day(text: str | None) -> dt.date | None:
    """Read a day."""
    return None if text is None else dt.date.fromisoformat(text)


def entry(approval_id: str = "A1", **changes: object) -> Approval:
    """Make an entry of the register."""
    fields: dict[str, object] = {
        "approval_id": approval_id,
        "casino": "GAL",
        "game": Game("baccarat"),
        "option": "commission",
        "value": "none",
        "tables": ("T1",),
        "applied_at": dt.datetime(2026, 3, 9, 10, tzinfo=MACAU),
        "decision": Decision.GRANTED,
        "authorised_at": day("2026-03-11"),
        "planned_from": day("2026-03-13"),
        "ends_on": None,
        "row": 1,
        "file": "register.csv",
    }
    return Approval(**{**fields, **changes})  # type: ignore[arg-type]


def at(text: str) -> dt.datetime:
    """Read a time of Macau."""
    return dt.datetime.fromisoformat(text).replace(tzinfo=MACAU)


def closure(applied: str, planned: str) -> dict[str, object]:
    """Change the days of an entry to days around a closure."""
    return {"applied_at": at(applied), "authorised_at": day(planned), "planned_from": day(planned)}


@pytest.mark.parametrize(
    ("changes", "reading", "expected"),
    [
        ({}, "standard", None),
        ({"applied_at": at("2026-03-10T10:00:00")}, "standard", ("APR-003", "info", "2")),
        ({"applied_at": at("2026-03-10T10:00:00")}, "clear_days", ("APR-001", "high", "2")),
        ({"applied_at": at("2026-03-11T10:00:00")}, "standard", ("APR-001", "high", "2")),
        (closure("2018-09-12T10:00:00", "2018-09-18"), "standard", ("APR-003", "info", "2")),
        (closure("2018-09-12T10:00:00", "2018-09-18"), "clear_days", ("APR-003", "info", "2")),
        (closure("2022-06-17T10:00:00", "2022-06-23"), "standard", ("APR-003", "info", "1")),
        ({"applied_at": at("2026-03-10T17:45:01")}, "standard", ("APR-001", "medium", "2")),
        ({"applied_at": at("2026-03-14T10:00:00")}, "standard", ("APR-001", "high", "0")),
        ({"applied_at": at("2026-03-11T10:00:00"), "decision": Decision.REFUSED}, "standard", ("APR-001", "high", "2")),
        ({"applied_at": at("2026-03-11T10:00:00"), "decision": Decision.PENDING}, "standard", ("APR-001", "high", "2")),
        ({"applied_at": None}, "standard", ("APR-002", "medium", "missing")),
        ({"planned_from": None}, "standard", ("APR-002", "medium", "missing")),
        ({"applied_at": None, "decision": Decision.PENDING}, "standard", None),
        ({"applied_at": at("2004-05-14T10:00:00"), "planned_from": day("2004-05-17")}, "standard", None),
        ({"applied_at": None, "planned_from": day("2004-05-17")}, "standard", None),
        # The regulation's own first day needs no notice; the next one does.
        ({"applied_at": at("2004-05-17T10:00:00"), "planned_from": day("2004-05-18")}, "standard", None),
        ({"applied_at": at("2004-05-17T10:00:00"), "planned_from": day("2004-05-18")}, "clear_days", None),
        ({"applied_at": at("2004-05-13T10:00:00"), "planned_from": day("2004-05-18")}, "standard", None),
        (
            {"applied_at": at("2004-05-18T10:00:00"), "planned_from": day("2004-05-19")},
            "standard",
            ("APR-001", "high", "1"),
        ),
        ({"applied_at": None, "planned_from": day("2004-05-18")}, "standard", ("APR-002", "medium", "missing")),
        (
            {"game": Game("makccarat"), "applied_at": at("2007-07-09T10:00:00"), "planned_from": day("2007-07-10")},
            "standard",
            None,
        ),
        (
            {"game": Game("makccarat"), "applied_at": at("2007-07-10T10:00:00"), "planned_from": day("2007-07-11")},
            "standard",
            ("APR-001", "high", "1"),
        ),
        ({"game": Game("makccarat"), "applied_at": None, "planned_from": day("2007-07-09")}, "standard", None),
        ({"applied_at": at("2003-05-17T10:00:00"), "planned_from": day("2004-05-18")}, "standard", None),
    ],
)
def test_notice_of_an_entry(changes: dict[str, object], reading: str, expected: tuple[str, str, str] | None) -> None:
    """An entry gets the finding, the gravity and the number that its notice deserves, or none."""
    findings, rows = judge_register([entry(**changes)], RULEBOOK, reading)

    assert len(rows) == 1
    found = [(finding["code"], finding["severity"], finding["observed"]) for finding in findings]
    assert found == ([] if expected is None else [expected])
    assert rows[0]["code"] == (expected[0] if expected else None)


def test_a_finding_has_every_column_and_its_facts() -> None:
    """A finding has the columns of the table but identity and words, cites the article, and brings its facts."""
    late = entry(game=Game("makccarat"), option="tie", value="kept", applied_at=at("2026-03-11T10:00:00"), row=7)
    (finding,), _ = judge_register([late], RULEBOOK)

    missing = {"finding_id", "message_zh", "message_pt", "message_en"}
    assert set(finding) == set(SCHEMA.names) - missing | {"facts"}
    assert (finding["instrument"], finding["article"]) == ("67/2007", "18")
    assert (finding["code"], finding["expected"], finding["observed"]) == ("APR-001", "3", "2")
    assert (finding["occurred_at"], finding["legal_day"]) == (late.applied_at, late.planned_from)
    assert (finding["approval_id"], finding["option"], finding["value"]) == ("A1", "tie", "kept")
    assert (finding["casino"], finding["table_id"]) == ("GAL", None)
    assert (finding["source_file"], finding["source_row"]) == ("register.csv", 7)


def test_the_facts_say_how_it_was_counted() -> None:
    """The facts of a short notice name the deemed day, the days counted and the days needed."""
    (finding,), (row,) = judge_register([entry(applied_at=at("2026-03-10T18:05:00"))], RULEBOOK)

    facts = finding["facts"]
    assert isinstance(facts, dict)
    assert (facts["deemed_day"], facts["planned_from"]) == ("2026-03-11", "2026-03-13")
    assert (facts["applied_at"], facts["working_days"], facts["needed"]) == ("2026-03-10 18:05:00", 2, 3)
    assert (row["state"], row["severity"], row["hinges"]) == ("short", "medium", ["after_hours"])


@pytest.mark.parametrize(
    ("changes", "state", "reason"),
    [
        ({}, "ok", None),
        ({"applied_at": at("2026-03-10T10:00:00")}, "doubt", None),
        ({"applied_at": at("2026-03-12T10:00:00")}, "short", None),
        ({"applied_at": None}, "missing", None),
        ({"applied_at": None, "decision": Decision.REFUSED}, "not_evaluated", "register_entry_undated"),
        ({"planned_from": day("2031-03-13")}, "not_evaluated", "calendar_unknown"),
        ({"applied_at": at("2004-05-17T10:00:00"), "planned_from": day("2004-05-18")}, "ok", None),
        ({"planned_from": day("2004-01-13")}, "not_evaluated", "before_coverage"),
    ],
)
def test_the_summary_has_one_row_per_entry(changes: dict[str, object], state: str, reason: str | None) -> None:
    """The summary says of every entry what its notice came to, or why nothing could be said."""
    _, (row,) = judge_register([entry(**changes)], RULEBOOK)

    assert (row["state"], row["reason"]) == (state, reason)
    assert json.loads(json.dumps(row)) == row


OBSERVED = [
    ("nothing to remark", [entry()], []),
    ("ends before it starts", [entry(ends_on=day("2026-03-12"))], ["ends_before_start"]),
    ("authorised before applied", [entry(authorised_at=day("2026-03-08"))], ["authorised_before_application"]),
    ("authorised after planned", [entry(authorised_at=day("2026-03-14"))], ["authorised_after_planned"]),
    ("granted without date", [entry(authorised_at=None)], ["decision_without_date"]),
    ("granted without any day", [entry(authorised_at=None, planned_from=None)], ["no_first_day"]),
    ("pending with date", [entry(decision=Decision.PENDING)], ["date_without_decision"]),
    ("time missing", [entry(applied_day_only=True)], ["application_time_missing"]),
    ("outside the calendar", [entry(planned_from=day("2031-01-01"))], ["calendar_unknown"]),
    ("the regulation's own first day", [entry(option="tie", value="kept", applied_at=at("2004-05-17T10:00:00"),
                                              authorised_at=day("2004-05-18"), planned_from=day("2004-05-18"))],
     ["planned_on_first_day"]),
    ("the day after it", [entry(option="tie", value="kept", applied_at=at("2004-05-17T10:00:00"),
                                authorised_at=day("2004-05-18"), planned_from=day("2004-05-19"))], []),
    ("the other game's first day", [entry(option="tie", value="kept", applied_at=at("2007-07-09T10:00:00"),
                                          authorised_at=day("2007-07-10"), planned_from=day("2007-07-10"))], []),
    ("unknown option", [entry(option="colour")], ["unknown_option"]),
    ("an option of the other game", [entry(option="draw_method", value="method_1")], ["unknown_option"]),
    ("unknown value", [entry(value="half")], ["unknown_value"]),
    ("fixed burn of baccarat", [entry(option="burn", value="fixed_8")], []),
    ("no such fixed burn", [entry(option="burn", value="fixed_9")], ["unknown_value"]),
    ("fixed burn of Makccarat", [entry(game=Game("makccarat"), option="burn", value="fixed_1")], ["unknown_value"]),
    ("any bet code", [entry(option="bet", value="panda_eight")], []),
    ("a listed bet", [entry(option="bet", value="tie")], ["option_needs_none"]),
    ("the rule itself", [entry(value="standard")], ["option_needs_none"]),
    (
        "a scheme before its law",
        [entry(applied_at=None, authorised_at=day("2004-06-01"), planned_from=day("2004-06-01"))],
        ["value_before_law"],
    ),
    ("unknown table", [entry(tables=("T1", "T9"))], ["unknown_table"]),
    ("overlap", [entry(), entry("A2", tables=("*",))], ["overlap"]),
    ("all tables first", [entry(tables=("*",)), entry("A2")], ["overlap"]),
    ("one after the other", [entry(ends_on=day("2026-03-20")), entry("A2", authorised_at=day("2026-03-21"))],
     ["authorised_after_planned"]),
    ("other tables", [entry(), entry("A2", tables=("T2",))], []),
    ("other casino", [entry(), entry("A2", casino="SJM")], []),
    ("values that exclude each other", [entry(option="last_round", value="one_more"),
                                        entry("A2", option="last_round", value="at_cut_card")],
     ["option_needs_none", "exclusive_values_clash"]),
    ("values that may stand together", [entry(option="tie", value="kept"),
                                        entry("A2", option="tie", value="cancelled")], []),
    ("a refused entry overlaps nothing", [entry(), entry("A2", decision=Decision.REFUSED, authorised_at=None)], []),
]  # fmt: skip


@pytest.mark.parametrize(("entries", "kinds"), [case[1:] for case in OBSERVED], ids=[case[0] for case in OBSERVED])
def test_observations(entries: list[Approval], kinds: list[str]) -> None:
    """Each slip of the register is observed once, in three languages, and a sound register is left in peace."""
    found = observe(entries, known_tables={"T1", "T2"})

    assert [remark["kind"] for remark in found] == kinds
    for remark in found:
        assert remark["approval_id"] == entries[-1].approval_id
        Text(remark["message_zh"], remark["message_pt"], remark["message_en"])
        assert all(remark["approval_id"] in remark[key] for key in ("message_zh", "message_pt", "message_en"))  # type: ignore[literal-required]


def test_every_kind_of_observation_is_tested() -> None:
    """No kind of observation is without a case above."""
    assert set(KINDS) == {kind for *_, kinds in OBSERVED for kind in kinds}


def test_the_whole_check_separates_findings_from_observations() -> None:
    """Findings carry only the contract's codes; every notice lists its working days by name."""
    entries = [entry(), entry("A2", value="half", tables=("T2",), applied_at=at("2026-03-12T10:00:00"))]
    result = check_register(entries, RULEBOOK)

    assert [finding["code"] for finding in result["findings"]] == ["APR-001"]
    assert [remark["kind"] for remark in result["observations"]] == ["authorised_before_application", "unknown_value"]
    first, second = result["notices"]
    assert [info["name_en"] for info in first["counted"]] == ["Monday", "Tuesday", "Wednesday", "Thursday"]
    assert (second["working_days"], [info["day"] for info in second["counted"]]) == (1, ["2026-03-12"])
    assert json.dumps([result["observations"], result["notices"]])


def test_findings_are_worded_by_the_catalogue() -> None:
    """Columns and facts of each finding fill the catalogue's sentences without a gap, in three languages."""
    entries = [
        entry(applied_at=at("2026-03-12T10:00:00")),
        entry("A2", applied_at=None),
        entry("A3", applied_at=at("2026-03-10T10:00:00")),
    ]
    for finding in judge_register(entries, RULEBOOK)[0]:
        facts = finding["facts"]
        assert isinstance(facts, dict)
        said = message(str(finding["code"]), finding | facts)
        sentences = (said.zh, said.pt, said.en)

        assert all(str(finding["approval_id"]) in sentence for sentence in sentences)
        assert "clear_days" not in "".join(sentences)
        assert "–" not in "".join(sentences)


def test_reasons_are_those_of_the_catalogue() -> None:
    """Every reason why a notice is not evaluated has its words in the catalogue."""
    entries = [
        entry(applied_at=None, decision=Decision.REFUSED),
        entry("A2", planned_from=day("2031-03-13")),
        entry("A3", planned_from=day("2004-01-13")),
    ]
    _, rows = judge_register(entries, RULEBOOK)

    assert {row["reason"] for row in rows} <= set(load().reasons)


def test_days_are_counted_of_judged_notices_alone() -> None:
    """An entry planned before the first text has no days counted or passed over, though the calendar knows them."""
    early = entry(applied_at=at("2004-05-12T10:00:00"), authorised_at=None, planned_from=day("2004-05-17"))
    (notice,) = check_register([early], RULEBOOK)["notices"]

    assert ("not_evaluated", None, [], []) == (
        notice["state"],
        notice["deemed_day"],
        notice["counted"],
        notice["skipped"],
    )


def test_the_counts_of_every_reading_stand_in_the_summary() -> None:
    """Around a closure the four counts differ, and each stands under its own name."""
    around = entry(**closure("2018-09-11T10:00:00", "2018-09-18"))
    _, (row,) = judge_register([around], RULEBOOK)
    names = ("working_days", "clear_days", "working_days_closures_off", "clear_days_closures_off")

    assert [5, 4, 4, 3] == [row[name] for name in names]  # type: ignore[literal-required]
    assert ("2018-09-11", {"2018": row["grades"]["2018"]}) == (row["deemed_day"], row["grades"])
