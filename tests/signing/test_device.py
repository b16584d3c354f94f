from __future__ import annotations

import datetime as dt
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization

from audit.base.errors import UsageError
from audit.report.pdf import write_pdf
from audit.signing.sign import Token, from_pkcs11, sign_report
from tests.signing.keys import make
from tests.signing.test_signing import HTML

LIBRARY = next((path for path in Path("/usr/lib").glob("**/libsofthsm2.so")), None)
PIN = "1234"


@pytest.fixture(scope="module")
def device(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A software token with a made-up signer's key and certificate; the library that drives it."""
    if LIBRARY is None or shutil.which("softhsm2-util") is None:
        pytest.skip("SoftHSM is not installed")
    folder = tmp_path_factory.mktemp("token")
    (folder / "tokens").mkdir()
    (folder / "softhsm2.conf").write_text(f"directories.tokendir = {folder / 'tokens'}\n", "utf-8")
    patch = pytest.MonkeyPatch()
    patch.setenv("SOFTHSM2_CONF", str(folder / "softhsm2.conf"))
    authority = make("Autoridade de teste")
    pair = make("Rui Exemplo", authority)
    (folder / "key.pem").write_bytes(
        pair.key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    softhsm = ["softhsm2-util", "--pin", PIN, "--label"]
    subprocess.run([*softhsm, "audit", "--init-token", "--free", "--so-pin", PIN], check=True, capture_output=True)
    subprocess.run(
        [*softhsm, "rui", "--import", str(folder / "key.pem"), "--token", "audit", "--id", "01"],
        check=True,
        capture_output=True,
    )
    import pkcs11
    from pkcs11.util.x509 import decode_x509_certificate

    with pkcs11.lib(str(LIBRARY)).get_token(token_label="audit").open(rw=True, user_pin=PIN) as session:
        session.create_object(
            decode_x509_certificate(pair.der())
            | {pkcs11.Attribute.TOKEN: True, pkcs11.Attribute.LABEL: "rui", pkcs11.Attribute.ID: b"\x01"}
        )
    yield LIBRARY
    patch.undo()


def test_a_key_on_a_device_signs(device: Path, tmp_path: Path) -> None:
    """The key stays on the device, and the signature is as good as any."""
    write_pdf(
        HTML,
        tmp_path / "report.pdf",
        templates=tmp_path,
        moment=dt.datetime(2024, 3, 1, tzinfo=dt.UTC),
        parts={"pt-0": "pt"},
    )
    with from_pkcs11(Token(device, "audit", "rui", PIN)) as signer:
        made = sign_report(tmp_path, signer)

    assert made.good
    assert "Rui Exemplo" in made.signer


@pytest.mark.parametrize(
    ("token", "certificate", "pin"), [("other", "rui", PIN), ("audit", "nobody", PIN), ("audit", "rui", "0000")]
)
def test_a_device_that_does_not_answer_is_refused(device: Path, token: str, certificate: str, pin: str) -> None:
    """Another token, another certificate or a wrong PIN is a sentence, not a trace."""
    with pytest.raises(UsageError, match="token"), from_pkcs11(Token(device, token, certificate, pin)):
        pass
