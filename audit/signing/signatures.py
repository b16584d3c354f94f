"""The electronic signatures that a PDF holds, each checked against the bytes that it covers."""

from __future__ import annotations

import datetime as dt
import io
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from audit.base.errors import MachineFailure

ROLES: Final = ("prepared", "reviewed", "approved")
"""Who signs, in the order of the signature page; each has a field of that name."""

REPORT: Final = "report.pdf"
SIGNED: Final = "report.signed.pdf"


@dataclass(frozen=True, slots=True)
class Signature:
    """One signature found in a file; `whole` says that nothing but further signatures was added after it.

    `fingerprint` is the SHA-256 of the signer's certificate. Whose certificate it is, is not judged here.
    """

    role: str
    signer: str
    fingerprint: str
    level: str
    signed_at: dt.datetime | None
    intact: bool
    whole: bool

    @property
    def good(self) -> bool:
        """Say whether what was signed is what stands there."""
        return self.intact and self.whole

    def to_json(self) -> dict[str, Any]:
        """The signature as data."""
        moment = self.signed_at.isoformat() if self.signed_at else None
        names = ("role", "signer", "fingerprint", "level", "intact", "whole")
        return {name: getattr(self, name) for name in names} | {"signed_at": moment}


def needs_pyhanko() -> None:
    """Raise MachineFailure where the optional extra for signatures is not installed."""
    try:
        import pyhanko.sign  # noqa: F401 - only to see whether it is there
    except ImportError as error:
        raise MachineFailure("signatures need the optional extra: pip install 'dicj-audit[sign]'") from error


def signatures(file: Path) -> tuple[Signature, ...]:
    """Every signature of a PDF, in the order made, each checked against the bytes that it covers.

    Raises MachineFailure without the optional extra, ValueError where the file cannot be read as a PDF.
    """
    needs_pyhanko()
    from pyhanko.pdf_utils.reader import PdfFileReader

    try:
        with quiet():
            reader = PdfFileReader(io.BytesIO(file.read_bytes()))
            embedded = reader.embedded_regular_signatures
            whole = bool(embedded) and _covered(reader) and _untouched(reader)
            return tuple(_checked(one, whole=whole) for one in embedded)
    except Exception as error:  # a damaged PDF breaks its reader anywhere
        raise ValueError(f"{file.name}: {type(error).__name__}") from error


def _covered(reader: Any) -> bool:
    """Whether every byte of the file is covered by a signature, and each signature covers all that came before it.

    After the last one, data for its later validation may follow, and nothing else.
    """
    from pyhanko.sign.validation.status import SignatureCoverageLevel

    found = reader.embedded_signatures
    levels = [one.evaluate_signature_coverage() for one in found]
    if any(level.value < SignatureCoverageLevel.ENTIRE_REVISION.value for level in levels):
        return False
    last = found[-1].signed_revision
    known = {reference for each in range(last + 1) for reference in reader.xrefs.explicit_refs_in_revision(each)}
    free = {reader.root_ref} | _dated(reader) | _validation(reader)
    signed = _raw(reader.get_historical_resolver(last)(reader.root_ref))
    for revision in range(last + 1, reader.xrefs.total_revisions):
        if reader.xrefs.explicit_refs_in_revision(revision) & known - free:
            return False
        now = _raw(reader.get_historical_resolver(revision)(reader.root_ref))
        if any(signed.get(key) != now.get(key) for key in (signed.keys() | now.keys()) - {"/DSS", "/Extensions"}):
            return False
    return True


def _validation(reader: Any) -> set[Any]:
    """Where the file keeps certificates and revocation lists for a later validation."""
    if "/DSS" not in reader.root:
        return set()
    store, found = reader.root["/DSS"], [reader.root.raw_get("/DSS")]
    found += [store.raw_get(name) for name in ("/VRI", "/Certs", "/OCSPs", "/CRLs") if name in store]
    found += [store["/VRI"].raw_get(name) for name in store.get("/VRI", {})]
    return {each.reference for each in found if hasattr(each, "idnum")}


def _dated(reader: Any) -> set[Any]:
    """The document's information and metadata, into which each revision writes the date of its making."""
    holders = ((reader.trailer_view, "/Info"), (reader.root, "/Metadata"))
    return {holder.raw_get(name).reference for holder, name in holders if name in holder}


_MAY_CHANGE: Final = {"/Catalog": {"/AcroForm", "/DSS", "/Perms", "/Extensions"}, "/Page": {"/Annots"}}
"""What a signature adds to objects of the file that it signs."""


def _untouched(reader: Any) -> bool:
    """Whether the revisions after the first changed nothing that a reader sees: only signatures may be added.

    The library's own comparison of revisions walks the whole tree of tags for each of them, which takes minutes.
    """
    first = reader.get_historical_resolver(0)
    original = reader.xrefs.explicit_refs_in_revision(0)
    root = reader.root_ref
    dated = _dated(reader)
    for revision in range(1, reader.xrefs.total_revisions):
        for reference in reader.xrefs.explicit_refs_in_revision(revision) & original:
            if reference in dated:
                continue
            before, now = first(reference), reader.get_historical_resolver(revision)(reference)
            kind = "/Catalog" if reference == root else str(getattr(now, "get", lambda _: None)("/Type"))
            if kind not in _MAY_CHANGE or not isinstance(before, dict) or not isinstance(now, dict):
                return False
            free = _MAY_CHANGE[kind]
            kept = [{key: value for key, value in _raw(item).items() if key not in free} for item in (before, now)]
            if kept[0] != kept[1]:
                return False
    return True


def _raw(item: Any) -> Any:
    """A value as written: a reference by its number, whichever revision it is read in."""
    if hasattr(item, "idnum"):
        return (item.idnum, item.generation)
    get = getattr(item, "raw_get", None)
    if get is None:
        return item
    if isinstance(item, dict):
        return {str(key): _raw(get(key)) for key in item}
    return [_raw(get(place)) for place in range(len(item))]


def _checked(embedded: Any, *, whole: bool) -> Signature:
    from pyhanko.sign.validation import validate_pdf_signature
    from pyhanko_certvalidator import ValidationContext

    nobody = ValidationContext(trust_roots=[], allow_fetching=False)
    certificate = embedded.signer_cert
    facts: dict[str, Any] = {
        "role": embedded.field_name,
        "signer": certificate.subject.human_friendly,
        "fingerprint": certificate.sha256.hex(),
        "signed_at": embedded.self_reported_timestamp,
    }
    try:
        status = validate_pdf_signature(
            embedded, signer_validation_context=nobody, ts_validation_context=nobody, skip_diff=True
        )
    except Exception:  # noqa: BLE001 - what cannot even be judged is not intact
        return Signature(**facts, level="B-B", intact=False, whole=False)
    level = "B-B" if status.timestamp_validity is None else "B-T"
    if level == "B-T" and "/DSS" in embedded.reader.root:
        level = "B-LTA"
    return Signature(**facts, level=level, intact=bool(status.intact and status.valid), whole=whole)


@contextmanager
def quiet() -> Iterator[None]:
    """Keep the library's own log lines off the terminal: what went wrong is said in one sentence instead."""
    loggers = [logging.getLogger(name) for name in ("pyhanko", "pyhanko_certvalidator")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
