"""The rounds around what is asked for, read again and judged by the very functions that judge a whole log."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from audit.base.columns import instants
from audit.base.days import DAY, MACAU_OFFSET, day_number, gaming_day
from audit.base.errors import UsageError
from audit.catalogue.catalogue import load as load_catalogue
from audit.checks.case import Case, Tally
from audit.checks.draws import check_draws
from audit.checks.events import ShoeEvent, read_events
from audit.checks.options_in_use import Uses
from audit.checks.payouts import Payouts
from audit.checks.results import check_results
from audit.checks.wager_columns import WagerBatch, WagerWords
from audit.config.settings import Settings, load_settings
from audit.findings.table import Sink, records
from audit.games.paytable_files import load_paytables
from audit.investigate.traced_inputs import TracedInputs
from audit.register.register import Register, load_register
from audit.replay.dues import DueTable
from audit.replay.identity import RoundIndex
from audit.replay.judging import judge
from audit.replay.rounds import Names, Rounds
from audit.replay.rounds_reader import RoundsReader
from audit.rulebook import Rulebook
from audit.source.quarantine import Quarantine
from audit.source.read import Batch, open_events, open_rounds, open_wagers

Mask = npt.NDArray[np.bool_]
Look = Callable[[pa.RecordBatch], Mask]


@dataclass(frozen=True)
class Target:
    """What is asked for: one round, or a table with or without a shoe; `casino` where several have such a table."""

    round_id: str | None = None
    table: str | None = None
    shoe: str | None = None
    casino: str | None = None


@dataclass
class Scene:
    """The rounds of the case with what the replay says of them.

    `at` is the position of the round asked for (None for a table or shoe), `asked` the rounds of its shoe, or of the
    shoe or table asked for. `typed` has the canonical columns of each round as they were read; `conflicts` are rows
    that share an id with an earlier one. `notes` are keys of the words that warn the reader.
    """

    manifest: Mapping[str, Any]
    case: Case
    payouts: Payouts
    dues: DueTable
    wagers: list[WagerBatch]
    typed: pa.Table
    events: list[ShoeEvent]
    judged: list[dict[str, Any]]
    at: int | None
    asked: npt.NDArray[np.int64]
    conflicts: list[tuple[str, int, dict[str, Any]]]
    notes: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    @property
    def rounds(self) -> Rounds:
        """The rounds of the case."""
        return self.case.rounds


def read_scene(manifest: Mapping[str, Any], inputs: TracedInputs, target: Target, config: Path | None) -> Scene:
    """Read and judge the rounds around `target`: the whole shoe, and its table on the days that it touches.

    Raises UsageError for a round, table or shoe that the input does not have, InputRefused for inputs that cannot be
    read.
    """
    notes: list[tuple[str, dict[str, str]]] = []
    settings = _settings(manifest, config, notes)
    rulebook = Rulebook.load()
    if rulebook.digest != manifest["rulebook"]["digest"]:
        notes.append(("rulebook_changed", {}))
    place = _Sought.find(inputs, target, settings.casino)
    rounds, typed, conflicts = _read(inputs, place, settings)
    entries = load_register([file.path for file in inputs.approvals]) if inputs.approvals else None
    register = None if entries is None else Register(entries)
    found = judge(rounds, rulebook, register)
    sink = Sink(load_catalogue())
    case = Case(rounds, found, rulebook, register, settings, sink, Tally(), _scope(rounds, manifest, settings))
    check_draws(case)
    check_results(case)
    paytables = load_paytables(settings.paytables)
    lacking = [p["bet"] for p in manifest["configuration"].get("paytables", ()) if p["bet"] not in paytables]
    notes += [("paytable_missing", {"bet": bet}) for bet in lacking]
    dues = DueTable(rulebook, found.rulesets, paytables, settings.rounding_unit)
    payouts = Payouts(case, dues, Uses())
    wagers = list(_wagers(inputs, rounds, dues))
    for batch in wagers:
        inside = case.scope[batch.at]
        payouts.add(batch if inside.all() else batch.take(np.flatnonzero(inside)))
        payouts.vote(batch.take(np.flatnonzero(~inside)))
    payouts.finish()
    at = None if target.round_id is None else _position(rounds, target.round_id)
    asked = np.flatnonzero(place.asked(typed))
    if not case.scope[asked if at is None else [at]].all():
        notes.append(("outside_days", {}))
    judged = list(records(sink.table()))
    events = _events(inputs, place)
    return Scene(manifest, case, payouts, dues, wagers, typed, events, judged, at, asked, conflicts, notes)


def _settings(manifest: Mapping[str, Any], config: Path | None, notes: list[tuple[str, dict[str, str]]]) -> Settings:
    """The settings of the run: from its configuration file where that is named, else what the manifest says of them."""
    printed = manifest["configuration"]
    if config is not None:
        settings = load_settings(config)
        if settings.digest != printed["digest"]:
            notes.append(("configuration_differs", {}))
        return settings
    cutoff, unit = printed["cutoff"][:5], printed["rounding_unit"]
    return Settings.model_validate({"casino": printed["casino"], "cutoff": cutoff, "rounding_unit": unit})


def _scope(rounds: Rounds, manifest: Mapping[str, Any], settings: Settings) -> Mask:
    """The rounds of the gaming days that the run was asked for."""
    scope: Mask = np.ones(len(rounds), np.bool_)
    business = gaming_day(rounds.start, settings.cutoff.hour * 60 + settings.cutoff.minute)
    first, last = (manifest["arguments"].get(name) for name in ("from", "to"))
    if first:
        scope &= business >= day_number(dt.date.fromisoformat(first))
    if last:
        scope &= business <= day_number(dt.date.fromisoformat(last))
    return scope


def _legal_days(rows: pa.RecordBatch) -> npt.NDArray[np.int64]:
    return np.asarray((instants(rows["started_at"]) + MACAU_OFFSET) // DAY, np.int64)


def _equal(column: pa.Array, word: str | None) -> Mask:
    if word is None:
        return np.asarray(column.is_null().to_numpy(zero_copy_only=False), np.bool_)
    flags = pc.fill_null(pc.equal(column.cast(pa.string()), word), fill_value=False)
    return np.asarray(flags.to_numpy(zero_copy_only=False), np.bool_)


def _of_house(rows: pa.RecordBatch, casino: str | None, default: str | None) -> Mask:
    mask = _equal(rows["casino"], casino)
    return mask | _equal(rows["casino"], None) if casino == default else mask


def _select(batches: Iterable[Batch], look: Look) -> Iterator[Batch]:
    """The rows of each batch that `look` marks, their dictionaries cut down to what is left."""
    for batch in batches:
        mask = look(batch.rows)
        if mask.any():
            kept = batch.where(mask)
            columns = [
                pc.dictionary_encode(c.dictionary_decode()) if pa.types.is_dictionary(c.type) else c
                for c in kept.rows.columns
            ]
            yield replace(kept, rows=pa.RecordBatch.from_arrays(columns, schema=kept.rows.schema))


@dataclass(frozen=True)
class _Sought:
    """Where to look: a table with its house, a shoe of it, the legal days to read whole.

    `default` is the house of rows that name none.
    """

    table: str
    casino: str | None
    default: str | None
    shoe: str | None
    days: frozenset[int] | None

    @classmethod
    def find(cls, inputs: TracedInputs, target: Target, default: str | None) -> _Sought:
        """One pass over the rounds for the round, table or shoe asked for."""
        if target.round_id is not None:
            wanted = target.round_id
            hit = next(_select(_rounds(inputs), lambda rows: _equal(rows["round_id"], wanted)), None)
            if hit is None:
                raise UsageError(f"round {wanted!r} is not in the input of the run")
            rows = hit.rows
            day = int(_legal_days(rows)[0])
            names = [rows[name][0].as_py() for name in ("table_id", "casino", "shoe_id")]
            return cls(names[0], names[1] or default, default, names[2], frozenset({day - 1, day, day + 1}))
        return cls._of_table(inputs, target, default)

    @classmethod
    def _of_table(cls, inputs: TracedInputs, target: Target, default: str | None) -> _Sought:
        table, shoe = str(target.table), target.shoe
        hits = list(_select(_rounds(inputs), lambda rows: _equal(rows["table_id"], table)))
        houses = {word or default for hit in hits for word in hit.rows["casino"].to_pylist()}
        if target.casino is not None:
            houses &= {target.casino}
        if not houses:
            where = f" of {target.casino}" if target.casino else ""
            raise UsageError(f"table {table!r}{where} is not in the input of the run")
        if len(houses) > 1:
            names = ", ".join(sorted(map(str, houses)))
            raise UsageError(f"several houses have a table {table!r} ({names}); name one with --casino")
        house = houses.pop()
        if shoe is None:
            return cls(table, house, default, None, None)
        days: set[int] = set()
        for hit in hits:
            here = _of_house(hit.rows, house, default) & _equal(hit.rows["shoe_id"], shoe)
            days |= set(_legal_days(hit.rows)[here].tolist())
        if not days:
            raise UsageError(f"table {table!r} has no shoe {shoe!r} in the input of the run")
        return cls(table, house, default, shoe, frozenset(days))

    def look(self, rows: pa.RecordBatch) -> Mask:
        """Mark the rounds to read."""
        mask = _equal(rows["table_id"], self.table) & _of_house(rows, self.casino, self.default)
        if self.days is None:
            return mask
        near = np.isin(_legal_days(rows), sorted(self.days))
        if self.shoe is not None:
            near |= _equal(rows["shoe_id"], self.shoe)
        return mask & near

    def asked(self, rows: pa.Table) -> Mask:
        """Mark the rounds of the shoe or table asked for."""
        if self.shoe is None:
            return np.ones(len(rows), np.bool_)
        return _equal(rows["shoe_id"].combine_chunks(), self.shoe)


def _rounds(inputs: TracedInputs) -> Iterator[Batch]:
    return open_rounds(inputs.rounds, profile=inputs.profile, quarantine=Quarantine())


def _read(
    inputs: TracedInputs, place: _Sought, settings: Settings
) -> tuple[Rounds, pa.Table, list[tuple[str, int, dict[str, Any]]]]:
    """The rounds of the place, the first row of each id only; later rows of an id come back as they are."""
    reader = RoundsReader(Names(), settings.casino)
    seen: set[str] = set()
    parts: list[pa.RecordBatch] = []
    again: list[tuple[str, int, dict[str, Any]]] = []
    for batch in _select(_rounds(inputs), place.look):
        fresh = _first_of_id(batch.rows["round_id"], seen)
        again += [
            (batch.file_at(i), int(batch.source_row[i]), batch.rows.slice(i, 1).to_pylist()[0])
            for i in np.flatnonzero(~fresh).tolist()
        ]
        kept = batch.where(fresh)
        reader.add(kept)
        parts.append(kept.rows)
    typed = pa.Table.from_batches(parts).unify_dictionaries().combine_chunks()
    return reader.finish(), typed, again


def _first_of_id(ids: pa.Array, seen: set[str]) -> Mask:
    """Mark the first row of each id; `seen` holds those of earlier batches and takes the new ones."""
    fresh = np.zeros(len(ids), np.bool_)
    for i, name in enumerate(ids.to_pylist()):
        fresh[i] = name not in seen
        seen.add(name)
    return fresh


def _position(rounds: Rounds, round_id: str) -> int:
    at = int(RoundIndex(rounds.ids).locate(pa.array([round_id]))[0])
    if at < 0:
        raise UsageError(f"round {round_id!r} is not in the input of the run")
    return at


def _wagers(inputs: TracedInputs, rounds: Rounds, dues: DueTable) -> Iterator[WagerBatch]:
    """The wagers of the rounds, the first row of each id only."""
    if not inputs.wagers:
        return
    index, words, seen = RoundIndex(rounds.ids), WagerWords(), set[str]()
    wanted = rounds.ids.combine_chunks()

    def look(rows: pa.RecordBatch) -> Mask:
        return np.asarray(pc.is_in(rows["round_id"], value_set=wanted).to_numpy(zero_copy_only=False), np.bool_)

    stream = open_wagers(inputs.wagers, profile=inputs.profile, quarantine=Quarantine())
    for batch in _select(stream, look):
        fresh = _first_of_id(batch.rows["wager_id"], seen)
        kept = batch.where(fresh)
        yield WagerBatch.read(kept, words, dues, index.locate(kept.rows["round_id"]))


def _events(inputs: TracedInputs, place: _Sought) -> list[ShoeEvent]:
    if not inputs.events:
        return []

    def look(rows: pa.RecordBatch) -> Mask:
        house = _equal(rows["casino"], place.casino) | _equal(rows["casino"], None)
        return _equal(rows["table_id"], place.table) & house

    stream = open_events(inputs.events, profile=inputs.profile, quarantine=Quarantine())
    return read_events(_select(stream, look))
