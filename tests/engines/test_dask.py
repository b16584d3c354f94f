"""The audit at the workers of a cluster writes what the audit in one process writes, byte for byte."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
import trustme

from audit.base.errors import InputRefused, MachineFailure, UsageError
from audit.cli import call
from audit.config.settings import load_settings
from audit.demo import DemoFiles, make_demo
from audit.engines.cluster import digests, layouts, pieces, tasks
from audit.engines.cluster.connect import Cluster
from audit.formats import csv_cuts
from audit.gate.answers import Answer, GateResult
from audit.pipeline import RunRequest, run_audit
from audit.source.profiles import SourceProfile
from audit.source.table_layout import Corrections, TableLayout
from audit.stores.files import SourceFile
from tests.engines import clusters
from tests.finished import NoGate

pytestmark = pytest.mark.slow

OUTPUTS = ("findings.parquet", "findings.csv", "findings.json", "quarantine.parquet", "evidence.json", "manifest.json")


class Witness(NoGate):
    """Stands for the data gate and keeps what it is asked."""

    def __init__(self) -> None:
        self.asked: Any = None

    def ask(self, samples: Any, profiles: Any) -> Answer:
        """No expectation, no answer."""
        self.asked = ({role: table.to_pylist() for role, table in samples.items()}, profiles)
        return lambda: GateResult(())


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> DemoFiles:
    """The made-up day with every fault."""
    return make_demo(tmp_path_factory.mktemp("demo"))


@pytest.fixture(scope="module")
def two_workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A scheduler with two workers."""
    with clusters.processes(tmp_path_factory.mktemp("cluster")) as started:
        yield Cluster(started.address)


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces and partitions so small that a made-up day has several of them."""
    monkeypatch.setattr(pieces, "ROWS", 150)
    monkeypatch.setattr(layouts, "ROUNDS", 100)
    monkeypatch.setattr(layouts, "WAGERS", 300)
    monkeypatch.setattr(layouts, "PRINTS", 500)


def audited(files: DemoFiles, out: Path, where: Cluster | None = None, **other: Any) -> tuple[dict[str, bytes], Any]:
    """Run the audit, at a cluster if it is given; the bytes of every output, and what the data gate was asked."""
    witness = Witness()
    request = RunRequest(
        rounds=[other.pop("rounds", files.rounds)],
        wagers=[each for each in [other.pop("wagers", files.wagers)] if each],
        approvals=files.approvals,
        events=[files.events],
        config=load_settings(files.config),
        out=out,
        report=False,
        max_quarantine=Decimal("0.5"),
        engine="local" if where is None else "dask",
        cluster=where or Cluster(),
        **other,
    )
    run_audit(request, gate=witness)
    return {name: (out / name).read_bytes() for name in OUTPUTS}, witness.asked


def test_processes_of_this_machine_write_the_same_bytes(demo: DemoFiles, tmp_path: Path) -> None:
    """Without a scheduler, processes of this machine audit CSV files as one process does."""
    expected = audited(demo, tmp_path / "local")

    assert audited(demo, tmp_path / "dask", Cluster()) == expected


@pytest.mark.usefixtures("small_pieces")
def test_rows_in_any_files_and_order_give_the_same_bytes(
    demo: DemoFiles, tmp_path: Path, two_workers: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tables mixed over row groups and files, repeats, conflicts, unreadable rows and stray wagers change nothing."""
    monkeypatch.setattr(tasks, "read_beside", None)
    rounds, wagers = clusters.faulty(demo)
    given = {
        "rounds": clusters.several(rounds, tmp_path / "rounds", 3),
        "wagers": clusters.several(wagers, tmp_path / "wagers", 4),
    }
    expected = audited(demo, tmp_path / "local", **given)

    assert b'"LOG-001"' in expected[0]["findings.json"]
    assert b'"LOG-004"' in expected[0]["findings.json"]
    assert b'"LOG-005"' in expected[0]["findings.json"]
    assert b'"round_quarantined"' in expected[0]["manifest.json"]
    assert audited(demo, tmp_path / "dask", two_workers, **given) == expected


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("quoting", ["needed", "none"])
def test_workers_share_csv_files(
    demo: DemoFiles, tmp_path: Path, two_workers: Cluster, monkeypatch: pytest.MonkeyPatch, quoting: str
) -> None:
    """Parts of one CSV file are read apart, with repeats, conflicts and unreadable rows on both sides of a cut."""
    given = {}
    for role, table in zip(("rounds", "wagers"), clusters.faulty(demo), strict=True):
        path = tmp_path / f"{role}.csv"
        pacsv.write_csv(table, path, pacsv.WriteOptions(quoting_style=quoting))
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join(line + b"no,row\n\n" * (n % 37 == 36) for n, line in enumerate(lines)))
        given[role] = path
    expected = audited(demo, tmp_path / "local", **given)
    monkeypatch.setattr(csv_cuts, "STRETCH", 10_000)
    seen: dict[str, list[int]] = {}
    inner = pieces.pieces_of

    def listed(role: str, *others: Any) -> list[pieces.InputPiece]:
        found = inner(role, *others)
        seen[role] = [piece.file.lines.rows for piece in found if piece.file.lines]
        return found

    monkeypatch.setattr(pieces, "pieces_of", listed)

    assert audited(demo, tmp_path / "dask", two_workers, **given) == expected
    assert min(map(len, seen.values())) > 5
    assert all(rows == sorted(set(rows)) for rows in seen.values())


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_a_log_in_order_gives_the_same_bytes_without_a_merge(
    demo: DemoFiles, tmp_path: Path, two_workers: Cluster, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """Where the ids rise, each piece of wagers is handed the rounds that it can name."""
    monkeypatch.setattr(tasks, "bundle_frame", None)
    rounds, wagers = clusters.faulty(demo)
    given = {
        "rounds": clusters.in_order(rounds, "round_id", tmp_path / "rounds"),
        "wagers": clusters.in_order(wagers, "round_id", tmp_path / "wagers"),
    }
    if kind == "csv":
        monkeypatch.setattr(csv_cuts, "STRETCH", 10_000)
        for role, folder in given.items():
            given[role] = tmp_path / f"{role}.csv"
            pacsv.write_csv(pq.read_table(folder), given[role])
    expected = audited(demo, tmp_path / "local", **given)

    assert b'"LOG-004"' in expected[0]["findings.json"]
    assert audited(demo, tmp_path / "dask", two_workers, **given) == expected


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("day", [None, dt.date(2024, 3, 2)])
def test_a_log_in_folders_by_table_gives_the_same_bytes(
    demo: DemoFiles, tmp_path: Path, two_workers: Cluster, monkeypatch: pytest.MonkeyPatch, day: dt.date | None
) -> None:
    """A partitioned dataset is audited file by file, without any shuffle, on all days and on one."""
    rounds, wagers = clusters.hive(*clusters.two_days(demo), tmp_path)
    given = {"rounds": rounds, "wagers": wagers, "day": day}
    expected = audited(demo, tmp_path / "local", **given)
    monkeypatch.setattr(layouts, "shuffled", None)

    assert audited(demo, tmp_path / "dask", two_workers, **given) == expected


@pytest.mark.usefixtures("small_pieces")
def test_a_wager_in_the_folder_of_another_table_is_found_out(
    demo: DemoFiles, tmp_path: Path, two_workers: Cluster
) -> None:
    """A wager that is not where its round is finds it all the same."""
    rounds, wagers = clusters.hive(*clusters.two_days(demo), tmp_path)
    clusters.move_one(wagers)
    given = {"rounds": rounds, "wagers": wagers}
    expected = audited(demo, tmp_path / "local", **given)

    assert audited(demo, tmp_path / "dask", two_workers, **given) == expected


def test_rounds_alone_give_the_same_bytes(demo: DemoFiles, tmp_path: Path, two_workers: Cluster) -> None:
    """A log without wagers is audited without them."""
    expected = audited(demo, tmp_path / "local", wagers=None)

    assert audited(demo, tmp_path / "dask", two_workers, wagers=None) == expected


def test_a_log_whose_rounds_are_all_unreadable_gives_the_same_bytes(
    demo: DemoFiles, tmp_path: Path, two_workers: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is left to audit, and both engines say the same of it."""
    monkeypatch.setattr("audit.pipeline._refuse_quarantine", lambda *_: None)
    rounds = clusters.several(clusters.put(clusters.texts(demo.rounds), "started_at", "now"), tmp_path / "rounds", 1)
    expected = audited(demo, tmp_path / "local", rounds=rounds)

    assert audited(demo, tmp_path / "dask", two_workers, rounds=rounds) == expected


KILLER = """
import os, signal
from audit.engines.cluster import tasks

def armed(inner):
    def once(*given):
        try:
            os.close(os.open({marker!r}, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return inner(*given)
        os.kill(os.getpid(), signal.SIGKILL)

    once.__module__, once.__qualname__, once.__name__ = inner.__module__, inner.__qualname__, inner.__name__
    return once

if not hasattr(tasks, "armed"):  # such a script may be run twice
    tasks.armed, tasks.{task} = True, armed(tasks.{task})
"""


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("task", ["audit_frames", "read_frame", "digests_of"])
def test_the_death_of_a_worker_changes_nothing(demo: DemoFiles, tmp_path: Path, task: str) -> None:
    """A worker that is killed at its work, in the middle of a run with TLS, has it done again by the other."""
    rounds, wagers = clusters.faulty(demo)
    given = {
        "rounds": clusters.several(rounds, tmp_path / "rounds", 3),
        "wagers": clusters.several(wagers, tmp_path / "wagers", 4),
    }
    expected = audited(demo, tmp_path / "local", **given)
    ca = trustme.CA()
    ours = ca.issue_cert("127.0.0.1", "localhost")
    paths = {name: tmp_path / f"{name}.pem" for name in ("ca", "cert", "key")}
    ca.cert_pem.write_to_path(paths["ca"])
    ours.cert_chain_pems[0].write_to_path(paths["cert"])
    ours.private_key_pem.write_to_path(paths["key"])
    tls = ["--tls-ca-file", str(paths["ca"]), "--tls-cert", str(paths["cert"]), "--tls-key", str(paths["key"])]
    preload, marker = tmp_path / "killer.py", tmp_path / "killed"
    preload.write_text(KILLER.format(task=task, marker=str(marker)))

    with clusters.processes(tmp_path / "cluster", tls=tls, preload=preload) as started:
        assert started.address.startswith("tls://")
        where = Cluster(started.address, **paths)
        assert audited(demo, tmp_path / "dask", where, **given) == expected
        assert marker.exists()
        assert [-9] == [worker.poll() for worker in started.workers if worker.poll() is not None]


def test_digests_are_worked_out_at_the_workers(
    demo: DemoFiles, tmp_path: Path, two_workers: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """This process reads no file of rounds or wagers for its digest; the manifest is the same."""
    rounds, wagers = clusters.faulty(demo)
    given = {
        "rounds": clusters.several(rounds, tmp_path / "rounds", 3),
        "wagers": clusters.several(wagers, tmp_path / "wagers", 4),
    }
    expected = audited(demo, tmp_path / "local", **given)
    monkeypatch.setattr(digests, "MANY", 2)
    here: list[str] = []
    inner = SourceFile._digest
    monkeypatch.setattr(SourceFile, "_digest", lambda file: here.append(file.name) or inner(file))

    assert audited(demo, tmp_path / "dask", two_workers, **given) == expected
    assert sorted(here) == sorted([demo.approvals.name, demo.events.name])


def test_a_file_changed_after_its_digest_at_a_worker_is_refused(
    demo: DemoFiles, tmp_path: Path, two_workers: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A digest that a worker told holds for the file as it was; another content seen here is a change."""
    rounds = clusters.several(clusters.texts(demo.rounds), tmp_path / "rounds", 1)
    changed, *_ = (tmp_path / "rounds").rglob("*.parquet")
    inner = digests.Digests.learn

    def learn_then_change(self: digests.Digests) -> None:
        inner(self)
        changed.write_bytes(changed.read_bytes() + b" ")

    monkeypatch.setattr(digests.Digests, "learn", learn_then_change)

    with pytest.raises(InputRefused, match=rf"{changed.name}: was changed while it was read"):
        audited(demo, tmp_path / "dask", two_workers, rounds=rounds)
    assert not (tmp_path / "dask" / "manifest.json").exists()


def test_a_file_that_no_worker_can_read_has_no_digest_from_there(tmp_path: Path) -> None:
    """What cannot be read is said where its rows are read, and keeps the other digests of its task from nobody."""
    there = tmp_path / "a.csv"
    there.write_bytes(b"a")
    files = [SourceFile(path, path.name) for path in (tmp_path / "gone.csv", there)]

    assert [files] == digests.grouped(files)
    gone, digest = tasks.digests_of(files)

    assert gone is None
    assert digest == files[1].digest()


def test_small_files_share_a_task_and_large_ones_have_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A task has so many bytes, or one file of more, and so many files at most."""
    monkeypatch.setattr(digests, "BYTES", 10)
    monkeypatch.setattr(digests, "MANY", 3)
    files = []
    for number, size in enumerate([4, 6, 1, 50, 0, 0, 0, 0, 9, 2]):
        path = tmp_path / f"{number}.csv"
        path.write_bytes(b"x" * size)
        files.append(SourceFile(path, path.name))

    sizes = [[file.bytes for file in group] for group in digests.grouped(files)]

    assert sizes == [[4, 6], [1], [50], [0, 0, 0], [0, 9], [2]]


def test_an_input_refused_at_a_worker_is_refused_in_its_sentence(
    demo: DemoFiles, tmp_path: Path, two_workers: Cluster
) -> None:
    """What is wrong with a file is said by the worker that reads it, and nothing of a run is left behind."""
    table = clusters.texts(demo.rounds).drop_columns(["outcome", "round_no"])
    rounds = clusters.several(table, tmp_path / "rounds", 1)

    with pytest.raises(InputRefused, match=r"part-[012]\.parquet: the rounds column 'round_no' is missing"):
        audited(demo, tmp_path / "dask", two_workers, rounds=rounds)
    assert not (tmp_path / "dask" / "manifest.json").exists()


def test_a_scheduler_that_does_not_answer_is_a_failure_of_the_machine(
    demo: DemoFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nobody at the address: one sentence and exit code 4."""
    monkeypatch.setattr("audit.engines.cluster.connect.WAIT", 1)
    command = ["run", "--rounds", str(demo.rounds), "--out", str(tmp_path / "out"), "--engine", "dask"]

    assert call([*command, "--scheduler", "tcp://127.0.0.1:9"]) == 4
    assert "the scheduler tcp://127.0.0.1:9 does not answer" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--scheduler", "here"], "is not an address"),
        (["--scheduler", "tls://here:8786"], "--tls-ca is missing"),
        (["--scheduler", "tcp://here:8786", "--tls-ca", "x"], "--tls-ca is for a scheduler at tls://"),
        (["--tls-key", "x"], "--tls-key is for a scheduler"),
        (
            ["--scheduler", "tls://h:1", "--tls-ca", "x", "--tls-cert", "x", "--tls-key", "x"],
            "--tls-ca x is not a file",
        ),
    ],
)
def test_an_address_that_cannot_be_meant_is_wrong_usage(
    demo: DemoFiles, tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], said: str
) -> None:
    """A malformed address, or TLS files that do not go with it, are refused before anything is done."""
    command = ["run", "--rounds", str(demo.rounds), "--out", str(tmp_path / "out"), "--engine", "dask", *options]

    assert call(command) == 2
    assert said in capsys.readouterr().err


def test_a_scheduler_without_the_engine_is_wrong_usage(demo: DemoFiles, tmp_path: Path) -> None:
    """A scheduler is named for the engine that has one."""
    command = ["run", "--rounds", str(demo.rounds), "--out", str(tmp_path / "out"), "--scheduler", "tcp://here:8786"]

    assert call(command) == 2


def test_without_the_library_the_extra_is_named(
    demo: DemoFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who has not installed the extra is told which one it is."""
    monkeypatch.setitem(__import__("sys").modules, "dask.dataframe", None)

    with pytest.raises(UsageError, match=r"pip install 'dicj-audit\[dask\]'"):
        audited(demo, tmp_path / "out", Cluster())


def test_a_worker_of_another_build_is_refused(
    demo: DemoFiles, tmp_path: Path, two_workers: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Workers judge by the same program and rulebook, or not at all."""
    monkeypatch.setattr("audit.__version__", "0.0.0")

    with pytest.raises(MachineFailure, match=r"another version of dicj-audit \(.*\) than this machine \(0\.0\.0\)"):
        audited(demo, tmp_path / "out", two_workers)


@pytest.mark.parametrize(
    ("rounds", "said"),
    [
        ({"running": True}, "numbers its rounds on from shoe to shoe"),
        ({"corrections": Corrections("flag", frozenset({"new"}))}, "has corrections that replace earlier rows"),
    ],
)
def test_a_profile_that_needs_one_reader_is_refused(rounds: dict[str, Any], said: str) -> None:
    """Where rows cannot be read without other files, the engine says so and names the one that can."""
    profile = SourceProfile("house", tables={"rounds": TableLayout(**rounds)})

    with pytest.raises(UsageError, match=f"the profile house {said}.*use --engine local"):
        pieces.refuse_stateful(profile)
