"""How the work is laid out: parts that are in files of their own, or rows brought together by the engine's shuffle."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from audit.engines.assignment import Inputs
from audit.engines.cluster import pieces, tasks
from audit.engines.cluster.connect import failures
from audit.engines.cluster.frames import KEY, bundled, numbers_frame, table_of, to_pandas
from audit.engines.cluster.pieces import Ids, InputPiece
from audit.engines.cluster.worker_law import Context
from audit.formats import csv_cuts
from audit.formats.csvfile import Dialect
from audit.source.file_reading import Batch
from audit.source.profiles import SourceProfile
from audit.stores.files import SourceFile

if TYPE_CHECKING:
    from distributed import Client

ROUNDS: Final = 250_000
"""Rounds of a partition, about; a table is in one partition whatever its size."""

WAGERS: Final = 1_000_000
"""Wagers of a partition, about."""

NEAR: Final = 4
"""Pieces of rounds that a piece of wagers can name, at most, for them to be handed to it."""

PRINTS: Final = 8_000_000
"""Fingerprints of a partition, about."""

FEW: Final = 8
"""Results that are taken at once."""

MANY: Final = 64
"""Pieces of which one task looks at the ids, at most."""

BYTES: Final = 64 << 20
"""Bytes of the files of a part, about, where tables are in files of their own."""


def threads(client: Client) -> int:
    """Tasks that the workers do at once."""
    return max(1, sum(int(each) for each in client.nthreads().values()))


def results(client: Client, work: Sequence[Any]) -> Iterator[Any]:
    """The results of delayed work as they are ready, each given once and then forgotten by the workers.

    A result waits at the workers until it is taken, with a few others, so that what is here does not grow with the
    input.
    """
    from distributed import as_completed

    with failures():
        for ready in as_completed(client.compute(list(work))).batches():
            futures = list(ready)
            while futures:
                few = [futures.pop() for _ in range(min(FEW, len(futures)))]
                taken = client.gather(few)
                for future in few:
                    future.release()
                yield from taken


def in_order(client: Client, work: Sequence[Any]) -> list[Any]:
    """The results of delayed work in its order, for results that are small."""
    with failures():
        return list(client.gather(client.compute(list(work))))


def grouped(listed: Sequence[InputPiece], least: int) -> list[Sequence[InputPiece]]:
    """Neighbouring pieces in groups for one task each, since small files are read faster than tasks are handed out."""
    size = max(1, min(MANY, len(listed) // (4 * least)))
    return [listed[start : start + size] for start in range(0, len(listed), size)]


def literal(value: Any) -> Any:
    """A value that many tasks take, sent once; it is part of the work, so that no worker's death loses it."""
    from dask.delayed import delayed

    return delayed(value, traverse=False)


def task(function: Any, *arguments: Any) -> Any:
    """A call at a worker."""
    from dask.delayed import delayed

    return delayed(function, pure=False, traverse=False)(*arguments)


# --- files that several workers share


def cut(client: Client, files: Sequence[SourceFile], dialect: Dialect) -> dict[SourceFile, tuple[SourceFile, ...]]:
    """The large CSV files, each in parts of whole rows: the workers look where its rows end."""
    wanted = [file for file in dict.fromkeys(files) if csv_cuts.can_be_cut(file, dialect)]
    spans = [csv_cuts.stretches(file) for file in wanted]
    work = [
        task(csv_cuts.look, file, *span, dialect.delimiter)
        for file, mine in zip(wanted, spans, strict=True)
        for span in mine
    ]
    looks = iter(in_order(client, work) if work else ())
    return {file: csv_cuts.cut(file, list(islice(looks, len(mine)))) for file, mine in zip(wanted, spans, strict=True)}


# --- parts in files of their own


def is_colocated(inputs: Inputs) -> bool:
    """Whether the folders of every file of rounds and of wagers name its table: then parts are made of whole files."""
    files = (*inputs.rounds, *inputs.wagers)
    return bool(files) and all(file.partition.get("table_id") is not None for file in files)


def file_parts(
    rounds: Sequence[InputPiece], wagers: Sequence[InputPiece], least: int
) -> list[tuple[list[InputPiece], list[InputPiece]]]:
    """The files by parts of about equal size, those of one table together; at least `least` parts if there can be."""
    sizes: dict[str, int] = defaultdict(int)
    for piece in (*rounds, *wagers):
        sizes[_table(piece.file)] += piece.file.bytes
    number = min(len(sizes), max(least, sum(sizes.values()) // BYTES))
    heap = [(0, part) for part in range(number)]
    part_of: dict[str, int] = {}
    for size, table in sorted(((size, table) for table, size in sizes.items()), key=lambda each: (-each[0], each[1])):
        held, part = heapq.heappop(heap)
        part_of[table] = part
        heapq.heappush(heap, (held + size, part))
    parts: list[tuple[list[InputPiece], list[InputPiece]]] = [([], []) for _ in range(number)]
    for role, listed in enumerate((rounds, wagers)):
        for piece in listed:
            parts[part_of[_table(piece.file)]][role].append(piece)
    return parts


def _table(file: SourceFile) -> str:
    return str(file.partition["table_id"])


def colocated(
    client: Client, rounds: Sequence[InputPiece], wagers: Sequence[InputPiece], context: Context
) -> list[Any]:
    """The work over parts in files of their own: an `Outcome` each."""
    law = literal(context)
    parts = file_parts(rounds, wagers, 4 * threads(client))
    return [task(tasks.audit_files, part_rounds, part_wagers, law) for part_rounds, part_wagers in parts]


# --- rows brought together


def shuffled(
    client: Client,
    rounds: Sequence[InputPiece],
    wagers: Sequence[InputPiece],
    context: Context,
    looks: dict[str, list[Ids]],
) -> list[Any]:
    """The work over rows in any files and order: an `Outcome` for each partition, and a `Seen` for each piece.

    `looks` say by role how the ids of the pieces stand.
    """
    sizes = {role: sum(look.rows for look in listed) for role, listed in looks.items()}
    number = max(threads(client), sizes["rounds"] // ROUNDS + 1, sizes.get("wagers", 0) // WAGERS + 1)
    law = literal(context)
    keys = literal(keys_of(number))
    empty = {role: table_of(role, []) for role in ("rounds", "wagers")}
    bundles = bundled(empty["rounds"], [0])
    read = [task(tasks.read_frame, piece, keys, law) for piece in rounds]
    work = [each[2] for each in read]
    by_table = _by_key(_frame([each[0] for each in read], bundles), number)
    of_wagers: list[Any] = [None] * len(by_table)
    if wagers:
        places = [each[1] for each in read]
        beside = _beside(looks["rounds"], looks["wagers"])
        if beside is None:
            read = [task(tasks.read_frame, piece, keys, law) for piece in wagers]
            work += [each[2] for each in read]
            bets = _frame([each[1] for each in read], to_pandas(empty["wagers"]))
            known = _frame(places, to_pandas(empty["rounds"].select(tasks.PLACES)))
            placed = bets.merge(known, on="round_id", how="left", npartitions=number, shuffle_method="p2p")
            packed = [task(tasks.bundle_frame, part, keys) for part in placed.to_delayed()]
        else:
            pairs_of = zip(wagers, beside, strict=True)
            read = [task(tasks.read_beside, piece, [places[n] for n in near], keys, law) for piece, near in pairs_of]
            work += [each[1] for each in read]
            packed = [each[0] for each in read]
        of_wagers = _by_key(_frame(packed, bundles), number)
    pairs = zip(by_table, of_wagers, strict=True)
    return work + [task(tasks.audit_frames, mine, bets, law) for mine, bets in pairs]


def _beside(rounds: Sequence[Ids], wagers: Sequence[Ids]) -> list[list[int]] | None:
    """For each piece of wagers the pieces of rounds that it can name, where these are few, as in a log in order.

    None where it must be looked for: then the engine merges all wagers with all rounds.
    """
    if not all(look.rising for look in rounds) or any(look.rows and look.named is None for look in wagers):
        return None
    spans = [(n, look.first, look.last) for n, look in enumerate(rounds) if look.first is not None and look.last]
    near: list[list[int]] = []
    for look in wagers:
        least, most = look.named or ("", "")
        near.append([n for n, first, last in spans if first <= most and least <= last] or [0])
    return near if max(map(len, near)) <= NEAR else None


def _frame(parts: Sequence[Any], meta: Any) -> Any:
    import dask.dataframe as dd

    return dd.from_delayed(list(parts), meta=meta, verify_meta=False)


def _by_key(bundles: Any, number: int) -> list[Any]:
    """The bundles brought together by their key, as `number` pieces of delayed work."""
    return list(bundles.shuffle(KEY, npartitions=number, shuffle_method="p2p").to_delayed())


def keys_of(number: int) -> tuple[int, ...]:
    """For each of so many partitions a key that the engine sends there.

    Were it otherwise, rows of a table would meet all the same, in partitions of less equal size.
    """
    import pandas as pd
    from dask.dataframe.shuffle import partitioning_index

    keys = np.arange(32 * number + 256, dtype=np.int64)
    sent = np.asarray(partitioning_index(pd.DataFrame({KEY: keys}), number))
    partitions, first = np.unique(sent, return_index=True)
    found = dict(zip(partitions.tolist(), keys[first].tolist(), strict=True))
    return tuple(found.get(partition, partition) for partition in range(number))


# --- repeated ids


def repeated(client: Client, listed: Sequence[InputPiece], profile: SourceProfile) -> tuple[list[Ids], list[Batch]]:
    """How the ids of each piece stand, and, in the order of reading, all rows whose id may occur more than once."""
    said = literal(profile)
    groups = grouped(listed, threads(client))
    found_ids = in_order(client, [task(pieces.look_at_ids, group, said) for group in groups])
    looks: list[Ids] = [look for ids in found_ids for look in ids]
    if all(look.rising for look in looks) and _apart(looks):
        return looks, []
    prints = _shared_prints(client, groups, said, sum(look.rows for look in looks))
    if not len(prints):
        return looks, []
    wanted = literal(prints)
    found = in_order(client, [task(pieces.suspects, group, said, wanted) for group in groups])
    return looks, [batch for batches in found for batch in batches]


def _apart(looks: Sequence[Ids]) -> bool:
    """Whether no two pieces can have an id in common, each of them rising."""
    ranges = sorted((look.first, look.last) for look in looks if look.first is not None and look.last is not None)
    return all(last < first for (_, last), (first, _) in pairwise(ranges))


def _shared_prints(
    client: Client, groups: Sequence[Sequence[InputPiece]], said: Any, rows: int
) -> npt.NDArray[np.uint64]:
    """The fingerprints of ids that occur more than once anywhere, ascending."""
    import dask.dataframe as dd

    nothing = np.zeros(0, np.uint64)
    meta = numbers_frame(tasks.PRINT, nothing)
    frames = [task(tasks.prints_frame, group, said) for group in groups]
    frame = dd.from_delayed(frames, meta=meta, verify_meta=False)
    number = max(threads(client), rows // PRINTS + 1)
    parts = frame.shuffle(tasks.PRINT, npartitions=number, shuffle_method="p2p").to_delayed()
    found = in_order(client, [task(tasks.shared_prints, part) for part in parts])
    return np.sort(np.concatenate([nothing, *found]))
