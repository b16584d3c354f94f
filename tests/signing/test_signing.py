from __future__ import annotations

import datetime as dt
import json
import shutil
from pathlib import Path
from typing import Any

import pikepdf
import pytest
from asn1crypto import keys as asn1_keys
from asn1crypto import x509 as asn1_x509
from pyhanko.sign.timestamps import DummyTimeStamper

from audit.base.errors import UsageError
from audit.cli import call
from audit.report.pdf import write_pdf
from audit.runs.run_directory import add_supplement
from audit.runs.staging import sha256
from audit.signing.sign import from_pkcs12, sign_report
from audit.signing.signatures import ROLES, SIGNED, signatures
from audit.verify.verification import examine
from tests.finished import demonstration
from tests.signing.keys import PASSPHRASE, Pair, make, write_pkcs12

pytestmark = pytest.mark.slow

HTML = """<html lang="pt"><title>Relatório</title><section id="pt-0"><h1>Relatório</h1><p>Texto.</p></section></html>"""


@pytest.fixture(scope="module")
def authority() -> Pair:
    """A made-up certificate authority."""
    return make("Autoridade de teste")


@pytest.fixture(scope="module")
def key(authority: Pair, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A PKCS#12 file of a made-up signer."""
    return write_pkcs12(make("Ana Exemplo", authority), authority, tmp_path_factory.mktemp("key") / "ana.p12")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run with a small report in it, noted in its manifest as if the run had written it."""
    demo = demonstration()
    folder = tmp_path_factory.mktemp("signing") / "run"
    shutil.copytree(demo.run, folder)
    write_pdf(
        HTML,
        folder / "report.pdf",
        templates=folder,
        moment=dt.datetime(2024, 3, 1, tzinfo=dt.UTC),
        parts={"pt-0": "pt"},
    )
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    entry = {"file": "report.pdf", "sha256": sha256(folder / "report.pdf")}
    manifest["outputs"].append(entry | {"bytes": (folder / "report.pdf").stat().st_size})
    (folder / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    return folder


@pytest.fixture
def run(finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the run for one test, and the passphrase in the environment."""
    shutil.copytree(finished, tmp_path / "run")
    monkeypatch.setenv("TEST_PASSPHRASE", PASSPHRASE)
    return tmp_path / "run"


def _sign(run: Path, key: Path, *more: str) -> int:
    return call(
        ["report", "sign", "--run", str(run), "--pkcs12", str(key), "--passphrase-env", "TEST_PASSPHRASE", *more]
    )


def _verified(run: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    capsys.readouterr()
    call(["verify", str(run), "--json"])
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_a_signature_leaves_the_report_as_it_is(run: Path, key: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The signed file begins with the report's bytes, still claims PDF/A-3b, and `verify` finds it intact."""
    assert 0 == _sign(run, key)

    report, signed = (run / "report.pdf").read_bytes(), (run / SIGNED).read_bytes()
    said = _verified(run, capsys)

    assert signed.startswith(report)
    assert len(report) < len(signed)
    assert said["intact"]
    assert [("prepared", "B-B", "intact")] == [(s["role"], s["level"], s["state"]) for s in said["signatures"]]
    assert "Ana Exemplo" in said["signatures"][0]["signer"]
    with pikepdf.open(run / SIGNED) as document:
        assert "3" == document.open_metadata()["pdfaid:part"]


def test_three_persons_sign_and_no_fourth(run: Path, key: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each signature takes the next role, the earlier ones stay good, a fourth or a repeated one is refused."""
    assert [0, 0, 0] == [_sign(run, key) for _ in ROLES]

    assert ROLES == tuple(s["role"] for s in _verified(run, capsys)["signatures"] if s["state"] == "intact")
    assert 2 == _sign(run, key)
    assert 2 == _sign(run, key, "--role", "reviewed")
    assert "signed already" in capsys.readouterr().err


def test_one_flipped_byte_is_seen(run: Path, key: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whichever byte of the signed file changes, `verify` says so: by digest and by the signature itself."""
    assert 0 == _sign(run, key)
    content = bytearray((run / SIGNED).read_bytes())
    content[len((run / "report.pdf").read_bytes()) // 2] ^= 1
    (run / SIGNED).write_bytes(content)
    kinds = {problem["kind"] for problem in _verified(run, capsys)["problems"]}

    assert {"output_changed", "signature", "signature_of_other"} == kinds
    # Even if the digest is noted anew, the signature tells.
    add_supplement(run, SIGNED)
    assert "signature" in {problem.kind for problem in examine(run).problems}
    assert 1 == call(["verify", str(run)])


def test_what_is_added_after_the_signature_is_seen(run: Path, key: Path) -> None:
    """A page changed by a later revision of the file does not pass as part of what was signed."""
    from pyhanko.pdf_utils.generic import NameObject, NumberObject
    from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter

    assert 0 == _sign(run, key)
    with (run / SIGNED).open("rb+") as stream:
        writer = IncrementalPdfFileWriter(stream)
        page = writer.root["/Pages"]["/Kids"][0]
        page[NameObject("/Rotate")] = NumberObject(90)
        writer.update_container(page)
        writer.write_in_place()
    (found,) = signatures(run / SIGNED)

    assert found.intact
    assert not found.whole
    assert not found.good


def _stamper(authority: Pair) -> DummyTimeStamper:
    pair = make("Selo", authority, stamping=True)
    return DummyTimeStamper(
        asn1_x509.Certificate.load(pair.der()),
        asn1_keys.PrivateKeyInfo.load(pair.key_der()),
        certs_to_embed=[asn1_x509.Certificate.load(authority.der())],
    )


@pytest.mark.parametrize(("trusted", "level"), [(False, "B-T"), (True, "B-LTA")])
def test_a_timestamp_raises_the_level(run: Path, key: Path, authority: Pair, *, trusted: bool, level: str) -> None:
    """With a timestamp the signature is B-T; with trusted roots too, the validation data is kept: B-LTA."""
    roots = [asn1_x509.Certificate.load(authority.der())] if trusted else None
    made = sign_report(run, from_pkcs12(key, PASSPHRASE), stamper=_stamper(authority), roots=roots)

    assert (level, True) == (made.level, made.good)


def test_a_key_that_cannot_be_used_is_refused(run: Path, key: Path, authority: Pair, tmp_path: Path) -> None:
    """A wrong passphrase, a file that is no key and an expired certificate each get a sentence; nothing is written."""
    old = write_pkcs12(make("Velha", authority, days=-1), authority, tmp_path / "old.p12")
    (tmp_path / "none.p12").write_text("x", "utf-8")

    for file, secret, said in (
        (key, "wrong", "opens with the passphrase"),
        (tmp_path / "none.p12", PASSPHRASE, "no PKCS#12 file"),
        (tmp_path / "absent.p12", None, "does not exist"),
        (old, PASSPHRASE, "not now"),
    ):
        with pytest.raises(UsageError, match=said):
            from_pkcs12(file, secret)
    assert not (run / SIGNED).exists()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ([], "--pkcs12 or with --pkcs11"),
        (["--pkcs12", "KEY", "--passphrase-env", "NOT_THERE"], "no variable NOT_THERE"),
        (["--pkcs12", "KEY", "--trust", "KEY"], "--trust needs --timestamp-url"),
        (["--pkcs12", "KEY", "--out", "x.pdf"], "--out does not go with it"),
        (["--pkcs11", "lib.so"], "--pkcs11 needs --token and --certificate"),
    ],
)
def test_wrong_usage_is_refused(
    run: Path, key: Path, more: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Options that do not fit together are refused with a sentence."""
    words = [str(key) if word == "KEY" else word for word in more]

    assert 2 == call(["report", "sign", "--run", str(run), *words])
    assert said in capsys.readouterr().err


def test_a_changed_run_is_not_signed(run: Path, key: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nobody signs a report whose run is no longer what it was."""
    with (run / "findings.csv").open("a", encoding="utf-8") as stream:
        stream.write("x\n")

    assert 2 == _sign(run, key)
    assert "has changed" in capsys.readouterr().err
    assert not (run / SIGNED).exists()
