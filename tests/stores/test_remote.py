from __future__ import annotations

import json
import pickle
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from audit.base.errors import InputRefused, UsageError
from audit.cli import call
from audit.pipeline import RunRequest, run_audit
from audit.runs import locations
from audit.source.file_reading import open_file
from audit.stores import connections, files, remote
from tests.finished import NoGate, demonstration

SERVER = """
import sys
from moto.server import ThreadedMotoServer
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
print(server.get_host_and_port()[1], flush=True)
sys.stdin.read()
"""

HEAD = "round_id,table_id,shoe_id,round_no,game,status,started_at,player_cards,banker_cards,outcome\n"
ROW = "{},T1,S1,1,baccarat,settled,2024-03-01T21:00:00+08:00,9H KD,3C 4S,player\n"


class Bucket:
    """A bucket of a server on this machine that speaks S3."""

    name = "logs"

    def __init__(self, port: int) -> None:
        from pyarrow import fs

        self.options = f"endpoint_override=127.0.0.1:{port}&scheme=http&region=us-east-1"
        self.store = fs.S3FileSystem(
            endpoint_override=f"127.0.0.1:{port}", scheme="http", region="us-east-1", allow_bucket_creation=True
        )
        self.store.create_dir(self.name)

    def put(self, key: str, content: bytes | Path) -> str:
        """Store an object and give its address."""
        with self.store.open_output_stream(f"{self.name}/{key}", compression=None) as stream:
            stream.write(content if isinstance(content, bytes) else content.read_bytes())
        return self.url(key)

    def url(self, key: str = "", user: str = "") -> str:
        """The address of an object, a folder or a glob."""
        return f"s3://{user}{self.name}/{key}?{self.options}"


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """The port of a server on this machine that speaks S3."""
    with subprocess.Popen(
        [sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as server:
        assert server.stdout is not None
        assert server.stdin is not None
        yield int(server.stdout.readline())
        server.stdin.close()
        server.wait(20)


@pytest.fixture(scope="module")
def credentials() -> Iterator[None]:
    """Credentials as the environment of a worker has them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ACCESS_KEY_ID", "key")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
        patch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        yield


@pytest.fixture(scope="module")
def bucket(port: int, credentials: None) -> Bucket:
    """A bucket on the server."""
    del credentials
    return Bucket(port)


def told(manifest: dict[str, Any]) -> dict[str, Any]:
    """What a manifest says of the data: inputs, totals, verdicts, findings."""
    return {key: manifest[key] for key in ("inputs", "totals", "verdicts", "findings", "by_game", "outputs")}


def test_a_run_over_a_bucket_is_the_run_over_the_same_files(
    bucket: Bucket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rounds, wagers and events in S3 give byte for byte what the local files give, and findings name no address."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    demo = demonstration().files
    given: dict[str, tuple[list[str], list[str]]] = {}
    for role, paths in {"rounds": demo.rounds, "wagers": demo.wagers, "events": demo.events}.items():
        local = [Path(path) for path in (paths if isinstance(paths, (list, tuple)) else [paths])]
        given[role] = ([str(path) for path in local], [bucket.put(f"run/{path.name}", path) for path in local])
    here, there = (
        run_audit(
            RunRequest(
                rounds=given["rounds"][which],
                wagers=given["wagers"][which],
                events=given["events"][which],
                out=tmp_path / f"run{which}",
                report=False,
            ),
            gate=NoGate(),
        ).manifest
        for which in (0, 1)
    )

    assert told(here) == told(there)
    assert there["findings"]["total"] > 0
    for file in (tmp_path / "run1").iterdir():
        assert b"endpoint_override" not in file.read_bytes()
        assert b"s3:" not in file.read_bytes()


@pytest.mark.parametrize("ending", [".parquet", ".csv", ".csv.gz", ".csv.zst", ".jsonl", ".jsonl.gz", ".json", ".xlsx"])
def test_every_kind_of_file_is_read_from_a_bucket(bucket: Bucket, tmp_path: Path, ending: str) -> None:
    """Whatever the kind and the compression, an object gives the rows of the file."""
    local = _written(tmp_path / f"rounds{ending}")
    (here,) = files.resolve([str(local)], "rounds")
    (there,) = files.resolve([bucket.put(f"kinds/{local.name}", local)], "rounds")

    assert (here.name, here.kind, here.bytes, here.sha256()) == (there.name, there.kind, there.bytes, there.sha256())
    assert _rows(here) == _rows(there)
    assert 3 == len(_rows(there))


def _written(path: Path) -> Path:
    rows = [{"round_id": f"r{number}", "table_id": "T1"} for number in range(3)]
    plain = path.name.removesuffix(".gz").removesuffix(".zst")
    if plain.endswith(".parquet"):
        pq.write_table(pa.Table.from_pylist(rows), path)
        return path
    if plain.endswith(".xlsx"):
        import openpyxl

        book = openpyxl.Workbook()
        for line in (list(rows[0]), *(list(row.values()) for row in rows)):
            book.active.append(line)
        book.save(path)
        return path
    if plain.endswith(".csv"):
        text = "round_id,table_id\n" + "".join(f"{row['round_id']},T1\n" for row in rows)
    elif plain.endswith(".json"):
        text = json.dumps(rows)
    else:
        text = "".join(json.dumps(row) + "\n" for row in rows)
    compression = {".gz": "gzip", ".zst": "zstd"}.get(path.suffix)
    with pa.output_stream(str(path), compression=compression) as stream:
        stream.write(text.encode())
    return path


def _rows(file: files.SourceFile) -> list[Any]:
    reader = open_file(file)
    rows: list[Any] = []
    for raw in reader.batches(reader.names, reader.names):
        if raw.records is not None:
            rows += raw.records
        else:
            rows += pa.table(dict(raw.columns)).to_pylist()
    return rows


def test_folders_and_globs_of_a_bucket_are_those_of_a_disk(bucket: Bucket, tmp_path: Path) -> None:
    """A folder, with or without its slash, and a glob name the same files in a bucket as on a disk."""
    for name in (
        *("day=1/part.parquet", "day=2/part.parquet", "b.csv.gz", "a.CSV", "x.txt", "note.json", "_SUCCESS"),
        *("_temporary/part.csv", ".hidden/part.csv", "deep/er/part.csv"),
    ):
        bucket.put(f"tree/{name}", name.encode())
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)

    def here(pattern: str) -> list[str]:
        return [file.name for file in files.resolve([f"{tmp_path}/{pattern}"], "rounds")]

    def there(pattern: str) -> list[str]:
        return [file.name for file in files.resolve([bucket.url(f"tree/{pattern}")], "rounds")]

    assert 5 == len(there(""))
    for pattern in ("", "day=*", "day=*/", "day=[2]/*.parquet", "**/*.parquet", "**/part.*", "*.CSV", "*", "deep"):
        assert here(pattern) == there(pattern), pattern
    assert here("")[0] == files.resolve([bucket.url("tree")], "rounds")[0].name
    assert 5 == len(files.resolve([bucket.url("tree/"), bucket.url("tree/day=*"), bucket.url("tree/a.CSV")], "x"))


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("none.csv", "the rounds address s3://logs/none.csv does not exist"),
        ("none/", "does not exist"),
        ("none-*.csv", "the rounds pattern s3://logs/none-.*matches no file"),
        ("odd/x.txt", "s3://logs/odd/x.txt is not a kind of file"),
        ("odd/", "the folder s3://logs/odd/ has no rounds file"),
    ],
)
def test_an_address_that_names_nothing_is_wrong_usage(bucket: Bucket, key: str, said: str) -> None:
    """A missing object, a glob without match, an unknown ending and a folder without data are usage errors."""
    bucket.put("odd/x.txt", b"x")

    with pytest.raises(UsageError, match=said):
        files.resolve([bucket.url(key)], "rounds")


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("nowhere://user:pa55@host/x.csv", "nowhere://host/x.csv: the scheme nowhere is not known"),
        ("s3://key:pa55@logs/x.csv?region=x&colour=pa55", "s3://logs has the unknown option colour"),
        ("s3://key:pa/55@logs/x.csv?region=x", "s3://logs/x.csv is not|s3://logs/x.csv names|is not an address"),
        ("s3://logs/day=?/x.csv", "after the . of an address stand options"),
        ("s3:///x.csv", "names no bucket"),
        ("s3://lo*/x.csv?region=x", "bucket can have no wildcard|not an address"),
        ("file://elsewhere/x.csv", "names no file of this machine"),
    ],
)
def test_an_address_that_cannot_be_understood_is_wrong_usage(address: str, said: str) -> None:
    """An unknown scheme, an unknown option, a wildcard that is none and a host that is not ours are told apart."""
    with pytest.raises(UsageError, match=said) as error:
        files.resolve([address], "rounds")
    assert "pa55" not in str(error.value)
    assert "pa/55" not in str(error.value)


def test_file_addresses_are_paths(tmp_path: Path) -> None:
    """`file:` names what the path names, with its blanks encoded, and the name stays the path's."""
    (tmp_path / "a b").mkdir()
    (tmp_path / "a b" / "log.csv").write_text(HEAD)

    by_path = files.resolve([str(tmp_path / "a b" / "log.csv")], "rounds")
    assert by_path == files.resolve([f"file://{tmp_path}/a%20b/log.csv"], "rounds")
    assert by_path == files.resolve([f"file://localhost{tmp_path}/a%20b/*.csv", str(by_path[0].path)], "rounds")


def test_a_store_that_cannot_be_reached_is_refused_soon(credentials: None) -> None:
    """A port where nobody listens is one sentence, without the credentials of the address."""
    del credentials
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"s3://key:pa55word@logs/x.csv?endpoint_override=127.0.0.1:{port}&scheme=http"

    with pytest.raises(InputRefused) as error:
        files.resolve([address], "rounds")
    assert "s3://logs/x.csv: cannot be read (there is no connection to the store)" == str(error.value)


def test_an_object_that_went_away_is_refused(bucket: Bucket) -> None:
    """An object deleted between listing and reading is refused as absent, not as damaged."""
    found = [
        files.resolve([bucket.put(f"gone/x{ending}", b"x" * 30)], "rounds")[0]
        for ending in (".csv", ".parquet", ".jsonl")
    ]
    bucket.store.delete_dir(f"{bucket.name}/gone")

    for file in found:
        with pytest.raises(InputRefused, match="it is not there, or no longer"):
            open_file(file)
        with pytest.raises(InputRefused, match="it is not there, or no longer"):
            file.sha256()


def test_a_damaged_object_is_refused_as_damaged(bucket: Bucket) -> None:
    """A truncated Parquet file in a bucket is said to be damaged."""
    (file,) = files.resolve([bucket.put("damaged.parquet", b"PAR1" + b"x" * 40)], "rounds")

    with pytest.raises(InputRefused, match=r"damaged.parquet: is not a whole Parquet file"):
        open_file(file)


def test_credentials_of_an_address_open_it_and_are_not_told(bucket: Bucket) -> None:
    """Name, path, printed form and the noted address have no credentials, while a pickled file can still be read."""
    bucket.put("own/log.csv", (HEAD + ROW.format("r1")).encode())
    (file,) = files.resolve([bucket.url("own/log.csv", user="somebody:pa55word@")], "rounds")

    assert file.remote is not None
    (other,) = files.resolve([bucket.url("own/log.csv") + "&allow_bucket_creation=false"], "rounds")
    assert other.remote is not None
    assert other.remote.url == file.remote.url
    for text in (file.name, str(file.path), repr(file), str(file.remote.url)):
        assert "pa55word" not in text
        assert "somebody" not in text
    assert "s3://logs/own/log.csv?endpoint_override" in str(file.remote.url).replace("%3A", ":")
    pickled = pickle.dumps(file)
    assert 1000 > len(pickled)
    assert 1 == len(_rows(pickle.loads(pickled)))  # noqa: S301 - our own


def test_a_digest_is_computed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The content is read once however often its digest is asked for, and again when the file has changed."""
    (tmp_path / "a.csv").write_text("one")
    (file,) = files.resolve([str(tmp_path / "a.csv")], "rounds")
    reads = []
    compute = files.SourceFile._digest
    monkeypatch.setattr(files.SourceFile, "_digest", lambda self: reads.append(1) or compute(self))

    assert file.sha256() == file.sha256()
    assert [1] == reads
    (tmp_path / "a.csv").write_text("another")
    assert files.resolve([str(tmp_path / "a.csv")], "rounds")[0].sha256() == file.sha256()


def test_an_input_in_a_bucket_is_found_again(bucket: Bucket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run notes where its inputs are, without credentials, and the file is found there by its digest."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    bucket.put("again/log.csv", (HEAD + ROW.format("r9")).encode())
    (file,) = files.resolve([bucket.url("again/log.csv", user="somebody:pa55word@")], "rounds")
    locations.remember([file])

    assert "pa55word" not in (tmp_path / "dicj-audit" / "inputs.json").read_text()
    found = locations.find_file(file.sha256(), "log.csv")
    assert found is not None
    assert file.sha256() == found.sha256()
    assert locations.find(file.sha256()) is None
    assert locations.find_file("0" * 64, "log.csv") is None


def test_any_other_scheme_goes_through_fsspec() -> None:
    """A store that only fsspec knows is read as Arrow's own are."""
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    memory.pipe("/box/deep/log.csv", (HEAD + ROW.format("r1")).encode())
    memory.pipe("/box/deep/_SUCCESS", b"")

    for address in ("memory://box/deep/log.csv", "memory://box/", "memory://box/**/*.csv"):
        (file,) = files.resolve([address], "rounds")
        assert "log.csv" == file.name
        assert 1 == len(_rows(pickle.loads(pickle.dumps(file))))  # noqa: S301 - our own
    with pytest.raises(UsageError, match=r"the rounds address memory://box/none\.csv does not exist"):
        files.resolve(["memory://box/none.csv"], "rounds")


def test_without_fsspec_other_schemes_are_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where fsspec is not installed, the sentence says so; S3 needs nothing of it."""
    monkeypatch.setitem(sys.modules, "fsspec.core", None)

    with pytest.raises(UsageError, match=r"^https://host/x\.csv: the scheme https is not known; .* not installed"):
        files.resolve(["https://user:pa55@host/x.csv?token=pa55"], "rounds")


def test_options_of_a_web_address_are_no_part_of_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """A signed address opens its file, and neither name nor path has the signature or the user."""
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    address = "web://user:pa55@host/deep/log.csv?token=pa55word"
    memory.pipe(address, HEAD.encode())
    monkeypatch.setattr(connections, "fsspec_path", lambda url: (memory, url))
    monkeypatch.setattr(memory, "info", lambda path: {"name": path, "type": "file", "size": len(HEAD)})
    connections.open_store.cache_clear()

    (file,) = files.resolve([address], "rounds")
    assert ("log.csv", Path("web:/host/deep/log.csv"), "csv") == (file.name, file.path, file.kind)
    assert "pa55" not in repr(file)


def test_a_bucket_may_be_a_partitioned_dataset(bucket: Bucket) -> None:
    """What an object lacks is given by the folders of its key."""
    bucket.put("set/casino=MGM%20Macau/day=2024-03-01/part-0.csv", (HEAD + ROW.format("r1")).encode())
    (file,) = files.resolve([bucket.url("set/")], "rounds")

    assert {"casino": "MGM Macau", "day": "2024-03-01"} == file.partition
    (row,) = _rows(file)
    assert ("MGM Macau", "T1") == (row["casino"], row["table_id"])


def test_local_files_need_nothing_of_stores(tmp_path: Path) -> None:
    """Finding and reading files of this machine imports no library of stores."""
    (tmp_path / "log.csv").write_text(HEAD)
    script = (
        "import sys; from audit.stores.files import resolve; file, = resolve(sys.argv[1:], 'rounds'); file.sha256();"
        "heavy = {'fsspec', 'pyarrow', 'audit.stores.remote', 'audit.stores.connections'};"
        "print([name for name in sys.modules if name in heavy or name.split('.')[0] in heavy])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert "[]\n" == done.stdout


def test_errors_of_a_store_are_oserrors() -> None:
    """Whatever a file of fsspec raises reaches a reader as the error of a file."""

    class Broken:
        def read(self, size: int) -> bytes:
            raise RuntimeError(f"404, message='no {size}'")

    with pytest.raises(OSError, match="404") as error:
        connections.Careful(Broken()).read(7)
    assert "it is not there, or no longer" == connections.why(error.value)


def test_the_command_takes_addresses(bucket: Bucket, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command line answers an address that names nothing with 2 and one that cannot be read with 3."""
    wrong = ["run", "--rounds", bucket.url("none.csv", user="k:pa55@"), "--out", str(tmp_path / "a"), "--quiet"]
    assert 2 == call(wrong)
    refused = ["run", "--rounds", bucket.put("bad.parquet", b"no"), "--out", str(tmp_path / "b"), "--quiet"]
    assert 3 == call(refused)

    said = capsys.readouterr().err
    assert "s3://logs/none.csv does not exist" in said
    assert "bad.parquet: is not a whole Parquet file" in said
    assert "Traceback" not in said
    assert "pa55" not in said


def test_an_address_is_told_from_a_path() -> None:
    """Only what begins with a scheme and two slashes is an address."""
    assert remote.is_url("s3://logs/x")
    assert not remote.is_url("logs/s3://x")
    assert not remote.is_url("2024:/x")
