"""A certificate authority, a signer and a timestamp authority, made up on the fly; never used outside the tests."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import pkcs12
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

PASSPHRASE = "correct horse"


@dataclass(frozen=True)
class Pair:
    """A certificate and its key."""

    certificate: x509.Certificate
    key: rsa.RSAPrivateKey

    def der(self) -> bytes:
        """The certificate as DER."""
        return self.certificate.public_bytes(serialization.Encoding.DER)

    def key_der(self) -> bytes:
        """The key as DER."""
        return self.key.private_bytes(
            serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )


def make(name: str, issuer: Pair | None = None, *, days: int = 30, stamping: bool = False) -> Pair:
    """A pair named `name`, signed by `issuer` or by itself; `days` below 0 makes one that has expired."""
    key = rsa.generate_private_key(65537, 2048)
    now = dt.datetime.now(dt.UTC).replace(microsecond=0)
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name), x509.NameAttribute(NameOID.COUNTRY_NAME, "MO")])
    usage = x509.KeyUsage(
        digital_signature=True, content_commitment=issuer is not None, key_encipherment=False, data_encipherment=False,
        key_agreement=False, key_cert_sign=issuer is None, crl_sign=issuer is None, encipher_only=False,
        decipher_only=False,
    )  # fmt: skip
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer.certificate.subject if issuer else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=60))
        .not_valid_after(now + dt.timedelta(days=days))
        .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )
    if stamping:
        builder = builder.add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.TIME_STAMPING]), critical=True)
    signing = issuer.key if issuer else key
    return Pair(builder.sign(signing, hashes.SHA256()), key)


def write_pkcs12(pair: Pair, authority: Pair, file: Path) -> Path:
    """A PKCS#12 file with the pair and its issuer, under `PASSPHRASE`."""
    content = pkcs12.serialize_key_and_certificates(
        b"test",
        pair.key,
        pair.certificate,
        [authority.certificate],
        serialization.BestAvailableEncryption(PASSPHRASE.encode()),
    )
    file.write_bytes(content)
    return file
