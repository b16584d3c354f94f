from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from audit.base.canonical import EVENTS, ROUNDS, WAGERS
from audit.base.errors import InputRefused
from audit.source.convert import Converter

ROWS = 2


def _rounds(**columns: Any) -> dict[str, pa.Array]:
    base = {
        "round_id": ["R1", "R2"],
        "table_id": ["T", "T"],
        "round_no": ["1", "2"],
        "game": ["baccarat", "baccarat"],
        "status": ["settled", "settled"],
        "started_at": ["2024-03-01T21:04:05Z", "2024-03-01T21:05:05Z"],
        "player_cards": ["9H KD", "T 2"],
        "banker_cards": ["3C 4S", "5 6"],
    }
    return {name: pa.array(values) for name, values in (base | columns).items()}


def _faults(converter: Converter, columns: dict[str, pa.Array]) -> list[tuple[str, str, list[int]]]:
    _, faults = converter.convert(columns, ROWS)
    return [(fault.column, fault.reason, np.flatnonzero(fault.mask).tolist()) for fault in faults]


def test_columns_that_are_absent_are_null_and_missing_ones_are_faults() -> None:
    """An absent nullable column is null; a required one that no source gives rejects every row."""
    columns = _rounds()
    del columns["table_id"]
    converter = Converter(ROUNDS, "log.csv", zone="UTC", origins={})
    rows, _ = converter.convert(columns, ROWS)

    assert ROUNDS.schema == rows.schema
    assert 2 == rows["outcome"].null_count
    assert [("table_id", "missing_value", [0, 1])] == _faults(converter, columns)


def test_a_hand_is_decoded_again_when_the_dictionary_changes() -> None:
    """The hands remembered from one batch are not taken for those of another dictionary."""
    converter = Converter(ROUNDS, "log.csv", zone="UTC", origins={})
    first = converter.convert(_rounds(), ROWS)[0]
    again = converter.convert(_rounds(), ROWS)[0]
    other = converter.convert(_rounds(player_cards=["t 3", "9H KD"]), ROWS)[0]

    assert ["9H KD", "10 2"] == first["player_cards"].to_pylist() == again["player_cards"].to_pylist()
    assert ["10 3", "9H KD"] == other["player_cards"].to_pylist()


def test_a_card_that_could_not_be_read_is_not_a_missing_card() -> None:
    """A side with an unknown card is faulty for that and not for having no cards; the other side is not blamed."""
    converter = Converter(ROUNDS, "log.csv", zone="UTC", origins={})
    columns = _rounds(player_cards=["1S", None], banker_cards=["3C 4S", "5 6"])

    assert [("player_cards", "unknown_card", [0]), ("player_cards", "one_side_without_cards", [1])] == _faults(
        converter, columns
    )


def test_a_missing_value_is_not_also_a_wrong_one() -> None:
    """A required cell that is empty is missing; one that is there and wrong is wrong."""
    columns = {name: pa.array(["x", "y"]) for name in ("wager_id", "round_id", "bet")}
    columns |= {"stake": pa.array([None, "a"]), "payout": pa.array(["-1", "0"])}
    converter = Converter(WAGERS, "log.csv", zone="UTC", origins={})

    assert [
        ("stake", "missing_value", [0]),
        ("stake", "not_money", [1]),
        ("payout", "negative_amount", [0]),
    ] == _faults(converter, columns)


def test_events_are_read_with_their_cards_and_counts() -> None:
    """Events have their words, cards and counts checked like the other tables."""
    columns = {
        "table_id": pa.array(["T", "T"]),
        "at": pa.array(["2024-03-01T21:04:05Z"] * 2),
        "event": pa.array(["burn", "burnt"]),
        "cards": pa.array(["th", None]),
        "count": pa.array(["10", "-1"]),
        "burn_rule": pa.array(["first_card", "decks"]),
    }
    converter = Converter(EVENTS, "events.csv", zone="UTC", origins={})
    rows, _ = converter.convert(columns, ROWS)

    assert {"event": "burn", "cards": "10H", "count": 10}.items() <= rows.to_pylist()[0].items()
    assert [("event", "unknown_word", [1]), ("count", "negative_count", [1])] == _faults(converter, columns)


def test_a_refusal_names_the_column_as_the_source_calls_it() -> None:
    """The column in a refusal is the one that is in the file."""
    converter = Converter(ROUNDS, "log.parquet", zone="UTC", origins={"round_no": "Coup"})

    with pytest.raises(InputRefused, match=r"^log\.parquet: column Coup is bool"):
        converter.convert(_rounds(round_no=[True, False]), ROWS)
