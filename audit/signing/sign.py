"""Electronic signatures of a finished report: PAdES, added to the file without changing what it says.

Up to three persons sign, as on the report's last page: who prepared, reviewed and approved it. The first signature
also certifies the file, so that from then on only the others may be added. The signed file stands beside the report and
begins with its very bytes. Signing needs the optional extra `sign`.
"""

from __future__ import annotations

import datetime as dt
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from audit.base.errors import MachineFailure, UsageError
from audit.signing.signatures import REPORT, ROLES, SIGNED, Signature, needs_pyhanko, quiet, signatures

if TYPE_CHECKING:
    from pyhanko.sign.signers.pdf_cms import Signer
    from pyhanko.sign.timestamps import TimeStamper

_REASONS: Final = {
    "prepared": "編製 / Elaborado / Prepared",
    "reviewed": "覆核 / Revisto / Reviewed",
    "approved": "核准 / Aprovado / Approved",
}


@dataclass(frozen=True, slots=True)
class Token:
    """A key on a PKCS#11 device: its library, the labels of token and certificate, the PIN if one is asked for."""

    library: Path
    token: str
    certificate: str
    pin: str | None = None


def from_pkcs12(file: Path, passphrase: str | None) -> Signer:
    """A signer from a PKCS#12 file.

    Raises UsageError where it cannot be opened with that passphrase, or its certificate is not valid now.
    """
    needs_pyhanko()
    from pyhanko.sign.signers import SimpleSigner

    if not file.is_file():
        raise UsageError(f"{file} does not exist")
    with quiet():
        load: Callable[..., Signer | None] = SimpleSigner.load_pkcs12
        signer = load(str(file), passphrase=passphrase.encode() if passphrase else None)
    if signer is None:
        raise UsageError(f"{file} is no PKCS#12 file that opens with the passphrase given")
    _valid_now(signer, file.name)
    return signer


@contextmanager
def from_pkcs11(token: Token) -> Iterator[Signer]:
    """A signer whose key stays on a PKCS#11 device, for as long as its session is open.

    Raises UsageError where the device, the token or the certificate is not there, MachineFailure without the library.
    """
    needs_pyhanko()
    try:
        from pyhanko.config.pkcs11 import TokenCriteria
        from pyhanko.sign.pkcs11 import PKCS11Signer, open_pkcs11_session
    except ImportError as error:
        raise MachineFailure("PKCS#11 needs the package python-pkcs11") from error
    try:
        criteria = TokenCriteria(label=token.token)
        session = open_pkcs11_session(str(token.library), token_criteria=criteria, user_pin=token.pin)
    except Exception as error:  # noqa: BLE001 - the device's own library raises whatever it likes
        raise UsageError(f"the token {token.token!r} cannot be opened: {type(error).__name__} {error}") from None
    with session:
        try:
            signer = PKCS11Signer(session, cert_label=token.certificate)
            _valid_now(signer, token.certificate)
        except UsageError:
            raise
        except Exception as error:  # noqa: BLE001 - as above
            raise UsageError(f"the token has no certificate {token.certificate!r}: {error}".strip()) from None
        yield signer


def load_certificates(file: Path) -> list[Any]:
    """Certificates of a PEM or DER file.

    Raises UsageError where it cannot be read or holds none.
    """
    needs_pyhanko()
    from pyhanko.keys import load_certs_from_pemder

    try:
        load: Callable[..., Iterable[Any]] = load_certs_from_pemder
        found = list(load([str(file)]))
    except (OSError, ValueError) as error:
        raise UsageError(f"{file} cannot be read as certificates ({type(error).__name__})") from None
    if not found:
        raise UsageError(f"{file} holds no certificate")
    return found


def _valid_now(signer: Signer, name: str) -> None:
    certificate = signer.signing_cert
    if certificate is None:
        raise UsageError(f"{name} holds no certificate")
    now = dt.datetime.now(dt.UTC)
    if not certificate.not_valid_before <= now <= certificate.not_valid_after:
        raise UsageError(
            f"the certificate of {name} is valid from {certificate.not_valid_before:%Y-%m-%d} to "
            f"{certificate.not_valid_after:%Y-%m-%d}, not now"
        )


def time_stamper(url: str | None) -> TimeStamper | None:
    """A client of a timestamp service (RFC 3161), or None without its address."""
    if url is None:
        return None
    needs_pyhanko()
    from pyhanko.sign.timestamps import HTTPTimeStamper

    return HTTPTimeStamper(url)


def sign_report(
    run_dir: Path,
    signer: Signer,
    *,
    role: str | None = None,
    stamper: TimeStamper | None = None,
    roots: Sequence[Any] | None = None,
) -> Signature:
    """Sign the report of a finished run into `report.signed.pdf` beside it, as the next person or as `role`.

    Without `stamper` the signature is PAdES B-B, with it B-T; with `roots` too (certificates that are trusted) the
    validation data is kept in the file and a document timestamp added, B-LTA. Raises UsageError where the run has no
    report or that person has signed already, MachineFailure where the timestamp or validation data cannot be had.
    """
    needs_pyhanko()
    report, signed = run_dir / REPORT, run_dir / SIGNED
    if not report.is_file():
        raise UsageError(f"{run_dir} has no {REPORT}; render it first with: dicj-audit report")
    source = signed if signed.is_file() else report
    done = [signature.role for signature in signatures(source)]
    chosen = role or next((each for each in ROLES if each not in done), None)
    if chosen is None or chosen in done:
        raise UsageError(f"{source.name} is signed already by who {chosen or 'prepared, reviewed and approved'} it")
    if role is None and not done:
        chosen = ROLES[0]
    content = _sign(source.read_bytes(), signer, chosen, first=not done, stamper=stamper, roots=roots)
    fresh = run_dir / f".{SIGNED}"
    fresh.write_bytes(content)
    fresh.replace(signed)
    return next(signature for signature in signatures(signed) if signature.role == chosen)


def _sign(
    content: bytes,
    signer: Signer,
    role: str,
    *,
    first: bool,
    stamper: TimeStamper | None,
    roots: Sequence[Any] | None,
) -> bytes:
    from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
    from pyhanko.sign import fields, signers
    from pyhanko_certvalidator import ValidationContext

    writer = IncrementalPdfFileWriter(io.BytesIO(content))
    if first:
        for name in ROLES:
            fields.append_signature_field(writer, fields.SigFieldSpec(name))
    archive = stamper is not None and roots is not None
    context = ValidationContext(trust_roots=list(roots), allow_fetching=True) if archive and roots is not None else None
    meta = signers.PdfSignatureMetadata(
        field_name=role,
        md_algorithm="sha256",
        reason=_REASONS[role],
        location="Macau",
        subfilter=fields.SigSeedSubFilter.PADES,
        certify=first,
        docmdp_permissions=fields.MDPPerm.FILL_FORMS,
        embed_validation_info=archive,
        use_pades_lta=archive,
        validation_context=context,
    )
    out = io.BytesIO()
    try:
        with quiet():
            signers.PdfSigner(meta, signer=signer, timestamper=stamper).sign_pdf(writer, output=out)
    except Exception as error:  # timestamp services and devices fail in ways of their own
        raise MachineFailure(f"the report could not be signed: {type(error).__name__}: {str(error)[:200]}") from error
    return out.getvalue()
