from __future__ import annotations

import errno
import hashlib
import os
from pathlib import Path
from typing import Any

import pytest

from audit.base.errors import InputRefused, UsageError
from audit.stores import files


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two partitions with a file of the same name, another file, and things that are no data."""
    for name in ("day=1/part.parquet", "day=2/part.parquet", "b.csv.gz", "a.CSV", "_SUCCESS", ".hidden.csv", "x.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / "_temporary").mkdir()
    (tmp_path / "_temporary" / "part.csv").write_text("unfinished")
    return tmp_path


def test_a_folder_gives_everything_readable_below_it(folder: Path) -> None:
    """A folder gives its files sorted by name, without markers and unfinished ones; equal names are told apart."""
    found = files.resolve([str(folder)], "rounds")

    assert ["a.CSV", "b.csv.gz", "day=1/part.parquet", "day=2/part.parquet"] == [file.name for file in found]
    assert [".csv", ".csv.gz", ".parquet", ".parquet"] == [file.suffix for file in found]


def test_links_below_a_folder(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A link to a file is an input; one to a folder, which might lead in circles, is not followed."""
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "linked.csv").write_text("linked")
    (elsewhere / "more.csv").write_text("more")
    (folder / "linked.csv").symlink_to(elsewhere / "linked.csv")
    (folder / "lost.csv").symlink_to(elsewhere / "lost.csv")
    (folder / "round").symlink_to(folder, target_is_directory=True)
    (folder / "aside").symlink_to(elsewhere, target_is_directory=True)

    found = files.resolve([str(folder)], "rounds")

    assert ["a.CSV", "b.csv.gz", "day=1/part.parquet", "day=2/part.parquet", "linked.csv"] == [f.name for f in found]


def test_a_folder_that_cannot_be_looked_into_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What lies in it might be a part of the log: nothing is passed over in silence."""
    scan = os.scandir

    def forbidden(path: str) -> Any:
        if str(path).endswith("day=2"):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", forbidden)

    with pytest.raises(InputRefused, match=r"^the folder .*day=2 cannot be read \(Permission denied\)$"):
        files.resolve([str(folder)], "rounds")


def test_a_file_named_twice_is_read_once(folder: Path) -> None:
    """A file that several arguments name, by whatever path, is one input."""
    arguments = [str(folder / "a.CSV"), str(folder / "day=1" / ".." / "a.CSV"), str(folder / "*.CSV")]

    assert ["a.CSV"] == [file.name for file in files.resolve(arguments, "rounds")]


def test_globs_find_files_and_folders(folder: Path) -> None:
    """A glob gives the readable files it matches and those below the folders it matches."""
    assert 2 == len(files.resolve([str(folder / "day=*")], "wagers"))
    assert 2 == len(files.resolve([str(folder / "**" / "*.parquet")], "wagers"))


@pytest.mark.parametrize(
    ("argument", "said"),
    [
        ("missing.csv", "the rounds path .*missing.csv does not exist"),
        ("nothing-*.csv", "matches no file"),
        ("empty", "has no rounds file"),
        ("x.txt", "not a kind of file"),
    ],
)
def test_an_argument_that_names_nothing_is_wrong_usage(folder: Path, argument: str, said: str) -> None:
    """A missing path, a glob without match, a folder without data and an unknown ending are usage errors."""
    (folder / "empty").mkdir()

    with pytest.raises(UsageError, match=said):
        files.resolve([str(folder / argument)], "rounds")


def test_no_argument_is_wrong_usage() -> None:
    """No file at all is a usage error."""
    with pytest.raises(UsageError, match="no file is given for the wagers"):
        files.resolve([], "wagers")


def test_size_and_digest_are_those_of_the_content(folder: Path) -> None:
    """The digest is SHA-256 of the bytes, and a file that went away is refused."""
    (file,) = files.resolve([str(folder / "a.CSV")], "rounds")

    assert (5, hashlib.sha256(b"a.CSV").hexdigest()) == (file.bytes, file.sha256())
    file.path.unlink()
    with pytest.raises(InputRefused, match=r"^a\.CSV: cannot be read"):
        file.sha256()


def test_the_digest_is_known_from_the_content_that_was_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that was read whole is not read again for its digest, unless it changed since."""
    (file,) = files.resolve([str(folder / "a.CSV")], "rounds")
    again = files.SourceFile._digest
    times = []

    def counted(self: files.SourceFile) -> str:
        times.append(self.name)
        return again(self)

    monkeypatch.setattr(files.SourceFile, "_digest", counted)

    assert file.whole() == b"a.CSV"
    assert (hashlib.sha256(b"a.CSV").hexdigest(), []) == (file.sha256(), times)
    file.path.write_bytes(b"changed")
    assert (hashlib.sha256(b"changed").hexdigest(), ["a.CSV"]) == (file.sha256(), times)
