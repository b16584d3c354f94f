"""SHO-004 to SHO-008 at their edges: burning, the cut card, the change of a shoe, the automatic shuffler."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from tests.audited import audited

NOON = "2024-03-01T12:{:02}:{:02}+08:00"


def shoe(number: int, **more: object) -> dict[str, object]:
    """Rounds of one shoe, a minute each from noon, forty seconds long."""
    minutes = range(number)
    times = {"started_at": [NOON.format(n, 0) for n in minutes], "ended_at": [NOON.format(n, 40) for n in minutes]}
    return {"round_no": [n + 1 for n in minutes], **times, **more}


BURNS = [
    ("decks", 8, None, None),
    ("decks", 7, None, "8"),
    ("decks", 9, None, "8"),
    ("first_card", 7, "7D", None),
    ("first_card", 8, "7D", None),
    ("first_card", 6, "7D", "7,8"),
    ("first_card", 9, "7D", "7,8"),
    ("first_card", 0, "KD", None),
    ("first_card", 1, "KD", None),
    ("first_card", 2, "KD", "0,1,10,11"),
    ("first_card", 9, "10D", "0,1,10,11"),
    ("first_card", 10, "10D", None),
    ("first_card", 11, "10D", None),
    ("first_card", 12, "10D", "0,1,10,11"),
    ("first_card", 8, "7D KD", None),
    ("fixed", 1, None, None),
    ("fixed", 8, None, None),
    ("fixed", 0, None, "1..8"),
    ("fixed", 9, None, "1..8"),
]


@pytest.mark.parametrize(("rule", "count", "cards", "expected"), BURNS)
def test_burn(rule: str, count: int, cards: str | None, expected: str | None, tmp_path: Path) -> None:
    """Each rule of burning at its bounds."""
    burn = {"event": "burn", "burn_rule": rule, "count": count, "cards": cards}
    done = audited(shoe(2, **burn), tmp_path)
    found = [("SHO-005", expected, str(count), "2(1)", "events.csv", 1)] if expected else []

    assert found == done.told("expected", "observed", "article", "source_file", "source_row")


@pytest.mark.parametrize(
    ("burn", "reason"),
    [
        ({"burn_rule": "decks", "count": None}, "no_events"),
        ({"burn_rule": None, "count": 8}, "no_events"),
        ({"burn_rule": "first_card", "count": 8}, "cards_missing"),
        ({"burn_rule": "decks", "count": 8, "decks": None}, "decks_unknown"),
    ],
)
def test_burn_that_does_not_tell(burn: dict[str, object], reason: str, tmp_path: Path) -> None:
    """A burn without rule, number, first card or decks is open, with the reason."""
    done = audited(shoe(1, event="burn", **burn), tmp_path)

    assert [] == done.codes
    assert done.counted["SHO-005", reason] == 1


@pytest.mark.parametrize(
    ("seconds", "counts", "found"),
    [((0,), (7,), "7"), ((1,), (7,), None), ((-5, 0), (4, 4), None), ((-5, 0), (4, 3), "7"), ((-5, 1), (8, 1), None)],
)
def test_burns_before_the_first_round(
    seconds: tuple[int, ...], counts: tuple[int, ...], found: str | None, tmp_path: Path
) -> None:
    """Burns up to the start of the first round are added up; later ones follow no rule."""
    noon = dt.datetime.fromisoformat(NOON.format(0, 0))
    events = [
        {"event": "burn", "at": (noon + dt.timedelta(seconds=s)).isoformat(), "burn_rule": "decks", "count": n}
        for s, n in zip(seconds, counts, strict=True)
    ]
    done = audited(shoe(2, shoe_id="S1", events=events), tmp_path)

    assert ([("SHO-005", found)] if found else []) == done.told("observed")


@pytest.mark.parametrize(
    ("day", "count", "expected", "open_"),
    [
        ("2011-09-26", 5, "decks,first_card", False),
        ("2011-09-27", 5, None, True),
        ("2011-10-03", 9, None, True),
        ("2011-10-04", 5, None, False),
        ("2011-10-04", 9, "1..8", False),
    ],
)
def test_fixed_number_by_day(day: str, count: int, expected: str | None, open_: bool, tmp_path: Path) -> None:
    """The fixed number came with 83/2011, whose first day is not certain."""
    burn = {"event": "burn", "burn_rule": "fixed", "count": count, "at": f"{day}T11:00:00+08:00"}
    done = audited({"started_at": f"{day}T12:00:00+08:00", **burn}, tmp_path)
    found = [row for row in done.told("expected") if row[0] == "SHO-005"]

    assert ([("SHO-005", expected)] if expected else []) == found
    assert open_ == (("SHO-005", "commencement_uncertain") in done.open)


@pytest.mark.parametrize(("count", "found"), [(9, True), (10, False), (12, False), (0, True), (None, False)])
def test_place_of_the_cut_card(count: int | None, found: bool, tmp_path: Path) -> None:
    """Fewer than ten cards behind the cut card are noted; a number that is not recorded is not."""
    done = audited(shoe(1, event="cut_card_placed", count=count), tmp_path)

    assert ([("SHO-006", "~12", str(count), "2(1)")] if found else []) == done.told("expected", "observed", "article")


def test_cut_card_placed_twice(tmp_path: Path) -> None:
    """One finding for the shoe, by the first placing that is too near."""
    events = [{"event": "cut_card_placed", "count": n, "at": NOON.format(0, n)} for n in (12, 9, 8)]
    done = audited(shoe(1, shoe_id="S1", events=[{**e, "shoe_id": "S1"} for e in events]), tmp_path)

    assert [("SHO-006", "8", 3)] == done.told("observed", "source_row")


@pytest.mark.parametrize(
    ("second", "played", "found"),
    [
        # During round 2 it is the last, one more is allowed without a register.
        ((1, 0), 2, None),
        ((1, 0), 3, None),
        ((1, 0), 4, "2"),
        ((1, 40), 4, "2"),
        # Between rounds 2 and 3 the next is the last.
        ((1, 41), 4, None),
        ((1, 41), 5, "2"),
        ((1, 59), 5, "2"),
        # Before the first and after the last round.
        ((0, 0), 3, "2"),
        ((4, 0), 4, None),
    ],
)
def test_rounds_after_the_cut_card(second: tuple[int, int], played: int, found: str | None, tmp_path: Path) -> None:
    """The round in progress when the cut card comes out, else the next one, is the last; one more may follow."""
    done = audited(shoe(played, event="cut_card_out", at=NOON.format(*second)), tmp_path)

    assert ([("SHO-004", "0..1", found, "3(1)")] if found else []) == done.told("expected", "observed", "article")


def test_the_first_cut_card_counts(tmp_path: Path) -> None:
    """Out twice, the first time counts."""
    events = [{"event": "cut_card_out", "shoe_id": "S1", "at": NOON.format(n, 10)} for n in (3, 0)]
    done = audited(shoe(4, shoe_id="S1", events=events), tmp_path)

    assert [("SHO-004", "3", "R2", "R4", 2)] == done.told("observed", "first_round_id", "last_round_id", "source_row")


def test_rounds_without_an_end_run_to_the_next(tmp_path: Path) -> None:
    """A round whose end is not recorded is in progress until the next begins; the last one, for ever."""
    rounds = shoe(4, shoe_id="S1") | {"ended_at": None}
    done = audited(rounds | {"events": [{"event": "cut_card_out", "at": NOON.format(1, 59)}]}, tmp_path)
    other = tmp_path / "other"
    other.mkdir()
    late = audited(rounds | {"events": [{"event": "cut_card_out", "at": NOON.format(9, 0)}]}, other)

    assert [("SHO-004", "2")] == done.told("observed")
    assert [] == late.codes


@pytest.mark.parametrize(
    ("approvals", "played", "expected"),
    [
        ([{"option": "last_round", "value": "one_more"}], 3, []),
        ([{"option": "last_round", "value": "one_more"}], 4, [("SHO-004", "0..1", "2")]),
        ([{"option": "last_round", "value": "one_more", "tables": "T9"}], 2, []),
        (
            [{"option": "last_round", "value": "one_more", "tables": "T9"}],
            3,
            [("OPT-001", "authorised", "unauthorised"), ("SHO-004", "0", "1")],
        ),
    ],
)
def test_one_more_round_by_the_register(
    approvals: list[dict[str, str]], played: int, expected: list[tuple[str, ...]], tmp_path: Path
) -> None:
    """With a register one more round is for the tables that have it."""
    events = [{"event": "cut_card_out", "at": NOON.format(1, 10)}]
    done = audited(shoe(played, shoe_id="S1", events=events, approvals=approvals), tmp_path)

    assert expected == sorted(done.told("expected", "observed"))


@pytest.mark.parametrize(
    ("at", "more", "found"),
    [
        ((0, 0), {}, None),
        ((0, 1), {}, "R1"),
        ((0, 39), {}, "R1"),
        ((0, 40), {}, None),
        ((0, 50), {}, None),
        ((1, 0), {}, None),
        ((1, 20), {}, "R2"),
        ((1, 20), {"dealing": "auto_shuffler"}, None),
        ((1, 20), {"shoe_id": ""}, None),
        ((1, 20), {"ended_at": None}, None),
    ],
)
def test_shoe_changed_in_a_round(
    at: tuple[int, int], more: dict[str, object], found: str | None, tmp_path: Path
) -> None:
    """At the very start and end of a round the shoe may change; between them it may not."""
    events = [{"event": "shoe_change", "at": NOON.format(*at), "shoe_id": ""}]
    done = audited(shoe(2) | {**more, "events": events}, tmp_path)

    assert ([("SHO-007", found, "3(2)")] if found else []) == done.told("round_id", "article")
    assert {"conforming": 2} == done.verdicts


def test_other_events_within_a_round(tmp_path: Path) -> None:
    """Only the change of a shoe is out of place within a round; the change at another table is not."""
    events = [
        {"event": "shuffle", "at": NOON.format(0, 20)},
        {"event": "shoe_change", "at": NOON.format(0, 20), "table_id": "T2"},
    ]
    rows = {"table_id": ["T1", "T2"], "shoe_id": "", "started_at": [NOON.format(0, 0), NOON.format(0, 30)]}
    done = audited(rows | {"ended_at": NOON.format(0, 40), "events": events}, tmp_path)

    assert [] == done.codes


@pytest.mark.parametrize("kind", ["burn", "cut_card_placed", "cut_card_out", "shuffle", "shoe_change"])
@pytest.mark.parametrize("mixed", [False, True])
def test_events_at_a_shuffler(kind: str, mixed: bool, tmp_path: Path) -> None:
    """A shoe's events are odd at a table where every round is dealt by the machine; two of them are one finding."""
    dealing = ["auto_shuffler", "shoe" if mixed else "auto_shuffler"]
    events = [{"event": kind, "at": NOON.format(5, n), "shoe_id": ""} for n in (1, 2)]
    done = audited({"round_no": [1, 2], "dealing": dealing, "shoe_id": "", "events": events}, tmp_path)
    odd = kind in {"burn", "cut_card_placed", "cut_card_out"} and not mixed

    assert ([("SHO-008", "0", "2", "T1", None, 1, "2(3)")] if odd else []) == done.told(
        "expected", "observed", "table_id", "round_id", "source_row", "article"
    )


def test_silence(tmp_path: Path) -> None:
    """Without events each shoe is open in four questions; with some, the shoes and tables that none speaks of."""
    rows = {"table_id": ["T1", "T1", "T2"], "shoe_id": ["S1", "S2", "S3"], "round_no": [1, 1, 1]}
    without = audited(rows, tmp_path)
    other = tmp_path / "other"
    other.mkdir()
    burn = {"event": "burn", "burn_rule": "decks", "count": 8, "table_id": "T1", "shoe_id": "S1"}
    some = audited(rows | {"events": [burn]}, other)
    codes = [f"SHO-00{n}" for n in (4, 5, 6, 7)]

    assert [3, 3, 3, 3] == [without.counted[code, "no_events"] for code in codes]
    assert [2, 2, 2, 1] == [some.counted.get((code, "no_events"), 0) for code in codes]


def test_exact_repeats_of_an_event_count_once(tmp_path: Path) -> None:
    """The same event twice is one event; another number is another event."""
    burn = {"event": "burn", "burn_rule": "decks", "count": 8}
    other = tmp_path / "other"
    other.mkdir()

    assert [] == audited(shoe(1, shoe_id="S1", events=[burn, burn]), tmp_path).codes
    assert ["SHO-005"] == audited(shoe(1, shoe_id="S1", events=[burn, {**burn, "count": 1}]), other).codes


SHOES = {
    "shoe_id": ["S1", "S1", "S2", "S2"],
    "round_no": [1, 2, 1, 2],
    "started_at": [NOON.format(n, 0) for n in range(4)],
}


@pytest.mark.parametrize("kind", ["burn", "cut_card_placed"])
@pytest.mark.parametrize(
    ("minute", "second", "shoe_id"),
    [(0, 0, "S1"), (0, 30, "S1"), (1, 0, "S1"), (1, 1, "S2"), (2, 0, "S2"), (2, 30, "S2"), (9, 0, "S2")],
)
def test_an_event_without_a_shoe(kind: str, minute: int, second: int, shoe_id: str, tmp_path: Path) -> None:
    """An event of the opening is of the shoe whose next round is nearest, or of the last where none follows."""
    event = {"event": kind, "shoe_id": "", "at": NOON.format(minute, second), "count": 3, "burn_rule": "decks"}
    late = kind == "burn" and (minute, second) not in {(0, 0), (1, 1), (2, 0)}
    done = audited(SHOES | {"events": [event]}, tmp_path)

    assert ([] if late else [shoe_id]) == [row["shoe_id"] for row in done.rows]


def test_an_event_before_every_round(tmp_path: Path) -> None:
    """A cut card out before the first round is of the first shoe."""
    event = {"event": "cut_card_out", "shoe_id": "", "at": "2024-03-01T11:00:00+08:00"}
    rows = {"shoe_id": ["S1"] * 3 + ["S2"], "round_no": [1, 2, 3, 1], "started_at": SHOES["started_at"]}
    done = audited(rows | {"events": [event]}, tmp_path)

    assert [("SHO-004", "S1", "R2", "R3")] == done.told("shoe_id", "first_round_id", "last_round_id")


def test_an_event_of_a_shoe_that_the_table_does_not_have(tmp_path: Path) -> None:
    """The event is at the table all the same, where only one has its name; of no shoe that was played."""
    event = {"event": "shoe_change", "shoe_id": "S9", "at": NOON.format(0, 20)}
    placed = {"event": "cut_card_placed", "shoe_id": "S9", "at": NOON.format(0, 0), "count": 1}
    done = audited(shoe(1, shoe_id="S1", events=[event, placed]), tmp_path)

    assert [("SHO-007", "S1")] == done.told("shoe_id")
    assert ("SHO-004", "event_not_placed") not in done.open


@pytest.mark.parametrize(("minute", "expected"), [(0, [("SHO-004", "S1", 2)]), (2, []), (9, [])])
def test_a_cut_card_without_a_shoe(minute: int, expected: list[tuple[str, str, int]], tmp_path: Path) -> None:
    """The cut card is of the shoe in play: that of the round begun last."""
    numbers = {"shoe_id": ["S1"] * 3 + ["S2"], "round_no": [1, 2, 3, 1], "started_at": SHOES["started_at"]}
    event = {"event": "cut_card_out", "shoe_id": "", "at": NOON.format(minute, 1)}
    done = audited(numbers | {"events": [event]}, tmp_path)

    assert expected == done.told("shoe_id", "rounds_affected")


def test_the_house_of_an_event(tmp_path: Path) -> None:
    """Of two tables of one name the event's house decides, then its shoe, then the house of the configuration."""
    rows = {"casino": ["Um", "Dois"], "shoe_id": ["S1", "S1"], "round_no": [1, 1]}
    near = {"event": "cut_card_placed", "count": 1, "shoe_id": "S1"}
    told = [
        ({"casino": "Um"}, {}, ["Um"]),
        ({"casino": ""}, {"casino": "Dois"}, ["Dois"]),
        ({"casino": ""}, {}, []),
        ({"casino": "Tres"}, {}, []),
    ]
    for number, (event, configuration, houses) in enumerate(told):
        folder = tmp_path / str(number)
        folder.mkdir()
        done = audited(rows | {"events": [near | event], "configuration": configuration}, folder)

        assert houses == [row["casino"] for row in done.rows]
        assert (not houses) == (("SHO-004", "event_not_placed") in done.open)


def test_events_before_the_first_text(tmp_path: Path) -> None:
    """A shoe's rounds before the first text are left out: the first one after it is the shoe's first."""
    started = ["2004-05-17T23:59:00+08:00", "2004-05-18T00:01:00+08:00"]
    burn = {"event": "burn", "burn_rule": "decks", "count": 3, "at": "2004-05-18T00:00:30+08:00"}
    done = audited({"round_no": [1, 2], "started_at": started, **burn}, tmp_path)

    assert [("SHO-005", "R2")] == done.told("first_round_id")


@pytest.mark.parametrize(
    ("game", "day", "judged"),
    [
        ("baccarat", "2004-05-17", False),
        ("baccarat", "2004-05-18", True),
        ("makccarat", "2007-07-09", False),
        ("makccarat", "2007-07-10", True),
    ],
)
def test_only_events_from_the_first_text_on_are_judged(game: str, day: str, judged: bool, tmp_path: Path) -> None:
    """What was burnt, placed and seen before the law began is no breach of it, though the shoe is played on into it."""
    night = dt.date.fromisoformat(day) + dt.timedelta(days=1)
    started = [f"{night}T00:01:00+08:00", f"{night}T00:02:00+08:00", f"{night}T00:03:00+08:00"]
    events = [
        {"event": "burn", "burn_rule": "decks", "count": 3, "at": f"{day}T23:59:59+08:00"},
        {"event": "cut_card_placed", "count": 1, "at": f"{day}T23:59:59+08:00"},
        {"event": "cut_card_out", "at": f"{day}T23:59:59+08:00"},
    ]
    rows = {"game": game, "round_no": [1, 2, 3], "started_at": started, "draw_method": "method_1"}
    done = audited(rows | {"events": events}, tmp_path)

    assert (["SHO-004", "SHO-005", "SHO-006"] if judged else []) == [c for c in done.codes if c.startswith("SHO")]


@pytest.mark.parametrize(("at", "seen"), [("2004-05-17T23:59:59+08:00", []), ("2004-05-18T00:00:00+08:00", ["2"])])
def test_a_shuffler_s_events_before_the_first_text(at: str, seen: list[str], tmp_path: Path) -> None:
    """SHO-008 counts events from the first version's day on, and options that events show begin with it too."""
    started = "2004-05-18T00:01:00+08:00"
    events = [{"event": "burn", "shoe_id": "", "at": at}, {"event": "cut_card_out", "shoe_id": "", "at": at}]
    done = audited({"dealing": "auto_shuffler", "started_at": started, "events": events}, tmp_path)

    assert seen == [row["observed"] for row in done.rows if row["code"] == "SHO-008"]


def test_a_burn_before_the_first_text_is_no_option_in_use(tmp_path: Path) -> None:
    """A burn of 17 May 2004 shows no choice that any register had to allow; a card seen in it stays in the shoe."""
    burn = {"event": "burn", "burn_rule": "first_card", "cards": "7S", "count": 7, "at": "2004-05-17T23:59:59+08:00"}
    rows = {"player_cards": "7S 7S", "banker_cards": "7S 7S", "decks": 4, "started_at": "2004-05-18T00:01:00+08:00"}
    done = audited(rows | {"events": [burn], "approvals": [{"tables": "T9"}]}, tmp_path)

    said = [row for row in done.told("value", "observed") if row[0] in {"SHO-002", "OPT-001"}]
    assert [("SHO-002", "7S", "5")] == said


def test_the_day_asked_for(tmp_path: Path) -> None:
    """Shoes and rounds of other days are not accused."""
    rows = {
        "shoe_id": ["S1", "S2"],
        "round_no": [1, 1],
        "started_at": ["2024-03-01T12:00:00+08:00", "2024-03-02T12:00:00+08:00"],
        "ended_at": ["2024-03-01T12:00:40+08:00", "2024-03-02T12:00:40+08:00"],
    }
    events = [
        {"event": kind, "shoe_id": shoe_id, "at": f"2024-03-0{day}T12:00:20+08:00", "count": 1}
        for day, shoe_id in ((1, "S1"), (2, "S2"))
        for kind in ("cut_card_placed", "shoe_change")
    ]
    done = audited(rows | {"events": events}, tmp_path, day=dt.date(2024, 3, 2))

    assert {("SHO-006", "S2"), ("SHO-007", "S2")} == set(done.told("shoe_id"))
