from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from audit.service import inbox
from audit.service.inbox import DeliveryRefused


def refusal(tmp_path: Path) -> str:
    """Read the one delivery under the inbox, which must be refused; the reason."""
    (folder,) = inbox.find(tmp_path / "inbox").folders
    with pytest.raises(DeliveryRefused) as caught:
        inbox.verify(inbox.read(tmp_path / "inbox", folder))
    return str(caught.value)


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        ({"path": "../2024-03-03/rounds.csv"}, "leaves the folder"),
        ({"path": "/etc/hostname"}, "leaves the folder"),
        ({"path": "a/../../rounds.csv"}, "leaves the folder"),
        ({"path": "..\\rounds.csv"}, "not a relative path"),
        ({"path": "C:rounds.csv"}, "not a relative path"),
        ({"path": "a\0b"}, "not a relative path"),
        ({"path": ""}, "not a relative path"),
        ({"path": "."}, "not a regular file"),
        ({"path": "absent.csv"}, "cannot be read"),
        ({"role": "players"}, "the role is none of"),
        ({"role": None}, "the role is none of"),
        ({"role": "wagers"}, "no file has the role rounds"),
        ({"sha256": "f" * 64}, "SHA-256 differs"),
        ({"sha256": "f" * 63}, "64 hexadecimal digits"),
        ({"bytes": 3}, "bytes, the manifest says 3"),
        ({"rows": -1}, "not a whole number"),
        ({"rows": True}, "not a whole number"),
        ({"row": 1}, "unknown key 'row'"),
    ],
)
def test_item_is_refused(fakes: Any, tmp_path: Path, item: dict[str, object], reason: str) -> None:
    """What an item of the manifest may not say is refused in words."""
    fakes.deliver(tmp_path, "2024-03-04", **item)

    assert reason in refusal(tmp_path)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "not well-formed"),
        ("[]", "an object is expected"),
        ("{}", "a list 'files'"),
        ('{"files": []}', "a list 'files'"),
        ('{"files": ["rounds.csv"]}', "an object is expected"),
        ('{"files": [], "files": []}', "not well-formed"),
        ("[" * 100_000, "not well-formed"),
        ('{"casino": "palace", "files": []}', "casino is not that of the folder"),
        ('{"gaming_day": "2024-03-05", "files": []}', "gaming_day is not that of the folder"),
        (" " * (1 << 20) + "{}", "larger than"),
        (b"\xff\xfe{}", "not well-formed"),
    ],
)
def test_manifest_is_refused(fakes: Any, tmp_path: Path, content: str | bytes, reason: str) -> None:
    """A manifest that is no manifest is refused in words."""
    folder = fakes.deliver(tmp_path, "2024-03-04")
    (folder / "manifest.json").write_bytes(content if isinstance(content, bytes) else content.encode())

    assert reason in refusal(tmp_path)


def test_mark_without_manifest_is_refused(fakes: Any, tmp_path: Path) -> None:
    """A folder that says it is complete and has no manifest is broken."""
    folder = fakes.deliver(tmp_path, "2024-03-04")
    (folder / "manifest.json").unlink()

    assert refusal(tmp_path) == "manifest.json is missing"


def test_link_out_of_the_folder_is_refused(fakes: Any, tmp_path: Path) -> None:
    """A link is followed before it is judged where a path leads."""
    folder = fakes.deliver(tmp_path, "2024-03-04")
    (tmp_path / "secret.csv").write_text("secret")
    (folder / "rounds.csv").unlink()
    (folder / "rounds.csv").symlink_to(tmp_path / "secret.csv")

    assert "by a link" in refusal(tmp_path)


def test_linked_folder_is_refused(fakes: Any, tmp_path: Path) -> None:
    """A gaming day that is itself a link could lead anywhere."""
    folder = fakes.deliver(tmp_path, "2024-03-04")
    folder.rename(tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere")

    assert "a link that leads elsewhere" in refusal(tmp_path)


def test_pipe_is_refused(fakes: Any, tmp_path: Path) -> None:
    """A named pipe, which would never end, is not opened."""
    folder = fakes.deliver(tmp_path, "2024-03-04")
    (folder / "rounds.csv").unlink()
    os.mkfifo(folder / "rounds.csv")

    assert "not a regular file" in refusal(tmp_path)


def test_other_names_are_passed_over(fakes: Any, tmp_path: Path) -> None:
    """Only folders named like a gaming day of a casino are looked at."""
    for name in ("2024-02-30", "20240304", "lost+found", ".2024-03-04"):
        fakes.deliver(tmp_path, name)
    fakes.deliver(tmp_path, "2024-03-04", casino=".hidden")
    (tmp_path / "inbox" / "README.txt").write_text("drop here")

    assert inbox.find(tmp_path / "inbox") == inbox.Found((), ())


def test_digest_names_content_not_names(fakes: Any, tmp_path: Path) -> None:
    """The same files under other names are the same delivery; for another day they are another."""
    fakes.deliver(tmp_path, "2024-03-04")
    folder = fakes.deliver(tmp_path, "2024-03-05", content="x")
    (first, second) = [inbox.read(tmp_path / "inbox", each) for each in inbox.find(tmp_path / "inbox").folders]
    (folder / "rounds.csv").rename(folder / "other.csv")
    content = json.loads((folder / "manifest.json").read_text())
    content["files"][0]["path"] = "other.csv"
    (folder / "manifest.json").write_text(json.dumps(content))
    (_, renamed) = [inbox.read(tmp_path / "inbox", each) for each in inbox.find(tmp_path / "inbox").folders]

    assert first.digest != second.digest
    assert second.digest == renamed.digest


def test_refused_state_changes_with_the_folder(fakes: Any, tmp_path: Path) -> None:
    """Touching a file changes the state under which a refusal is remembered."""
    folder = fakes.deliver(tmp_path, "2024-03-04")
    (before,) = inbox.find(tmp_path / "inbox").folders
    state = before.state
    assert state == before.state

    (folder / "rounds.csv").write_text("longer than it was before")

    assert state != before.state
