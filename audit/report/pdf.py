"""From HTML to PDF/A-3b: fonts by name, no network, attachments with fixed dates, the same bytes each time."""

from __future__ import annotations

import ctypes
import ctypes.util
import datetime as dt
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from audit.base.errors import MachineFailure

if TYPE_CHECKING:
    from weasyprint.urls import URLFetcher

FONTS: Final = {"Noto Sans": "fonts-noto-core", "Noto Sans CJK TC": "fonts-noto-cjk"}
"""Families that the style sheet names, and the Debian package that has each."""


@dataclass(frozen=True, slots=True)
class Enclosure:
    """A file attached to the PDF."""

    name: str
    description: str
    content: bytes


def _families() -> set[str]:
    """Names of the font families that fontconfig knows, in every language they are named in."""
    name = ctypes.util.find_library("fontconfig") or "libfontconfig.so.1"
    try:
        library = ctypes.CDLL(name)
    except OSError as error:
        raise MachineFailure("the PDF needs fontconfig; install the Debian package fontconfig") from error

    class FontSet(ctypes.Structure):
        _fields_ = (("nfont", ctypes.c_int), ("sfont", ctypes.c_int), ("fonts", ctypes.POINTER(ctypes.c_void_p)))

    library.FcInitLoadConfigAndFonts.restype = ctypes.c_void_p
    library.FcConfigGetFonts.restype = ctypes.POINTER(FontSet)
    library.FcConfigGetFonts.argtypes = (ctypes.c_void_p, ctypes.c_int)
    library.FcPatternGetString.argtypes = (
        ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.POINTER(ctypes.c_char_p),
    )  # fmt: skip
    library.FcConfigDestroy.argtypes = (ctypes.c_void_p,)
    config = library.FcInitLoadConfigAndFonts()
    found: set[str] = set()
    fonts = library.FcConfigGetFonts(config, 0)
    if fonts:
        for index in range(fonts.contents.nfont):
            number, value = 0, ctypes.c_char_p()
            while not library.FcPatternGetString(fonts.contents.fonts[index], b"family", number, ctypes.byref(value)):
                found.add((value.value or b"").decode("utf-8", "replace"))
                number += 1
    library.FcConfigDestroy(config)
    return found


def require_fonts() -> None:
    """Raise MachineFailure naming the Debian package where a family that the report needs is not installed."""
    known = _families()
    for family, package in FONTS.items():
        if family not in known:
            raise MachineFailure(f"the font family {family!r} is not installed; install the Debian package {package}")


def _fetcher(folder: Path) -> URLFetcher:
    """A fetcher that reads pictures within the document and files within `folder`, and refuses everything else."""
    from weasyprint.urls import FatalURLFetchingError, URLFetcher, URLFetcherResponse

    class Refused(FatalURLFetchingError):  # type: ignore[misc]
        """The document asked for something outside itself."""

    class Fetcher(URLFetcher):  # type: ignore[misc]
        """Never the network, never a file elsewhere."""

        def fetch(self, url: str, headers: dict[str, str] | None = None) -> URLFetcherResponse:
            inside = url.startswith("file://") and Path(url[7:]).resolve().is_relative_to(folder.resolve())
            if not (url.startswith("data:image/svg+xml;base64,") or inside):
                raise Refused(f"the report may not load {url[:60]!r}")
            return super().fetch(url, headers)

    return Fetcher(allowed_protocols={"data", "file"}, allow_redirects=False)


class _Faults(logging.Handler):
    """What the typesetter could not do, such as a picture that it left out; a report must not lack it in silence."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(record.getMessage())


def _scope_headings(pdf: Any) -> None:
    """Say of each heading cell whether it heads a column or, beside data cells, a row; PDF/UA asks for it."""
    for cell in pdf.objects:
        if not isinstance(cell, dict) or cell.get("S") != "/TH":
            continue
        row = pdf.objects[int(cell["P"].split()[0])]
        beside = {pdf.objects[int(kid.split()[0])].get("S") for kid in row["K"]}
        cell["A"]["Scope"] = "/Row" if "/TD" in beside else "/Column"


def _finisher(parts: Mapping[str, str]) -> Callable[[Any, Any], None]:
    """What the typesetter leaves undone: the language of each part in the tags, the scope of heading cells.

    Each attachment is listed once.
    """

    def finish(document: Any, pdf: Any) -> None:
        if "AF" in pdf.catalog:
            pdf.catalog["AF"] = type(pdf.catalog["AF"])(dict.fromkeys(pdf.catalog["AF"]))
        _scope_headings(pdf)
        root = next(item for item in pdf.objects if isinstance(item, dict) and item.get("S") == "/Document")
        # The typesetter makes one section a page, and a part always begins a page.
        if len(root["K"]) != len(document.pages):
            raise MachineFailure("the typesetter tagged the pages of the report in an unknown way")
        language = None
        for page, reference in zip(document.pages, root["K"], strict=True):
            language = next((parts[name] for name in parts if name in page.anchors), language)
            if language is not None:
                pdf.objects[int(reference.split()[0])]["Lang"] = f"({language})"

    return finish


def write_pdf(
    html: str,
    out: Path,
    *,
    templates: Path,
    moment: dt.datetime,
    parts: Mapping[str, str],
    enclosures: Sequence[Enclosure] = (),
) -> None:
    """Typeset `html` into a tagged PDF/A-3b file.

    `moment` dates the attachments; `parts` maps the anchor with which each part begins to its language. Raises
    MachineFailure where the typesetter or a font is missing, or the file cannot be written.
    """
    require_fonts()
    try:
        import weasyprint
    except OSError as error:
        raise MachineFailure(
            "the typesetter's libraries are missing; install the Debian packages libpango-1.0-0 and libpangoft2-1.0-0"
        ) from error
    logging.getLogger("fontTools").setLevel(logging.WARNING)
    fetcher = _fetcher(templates)
    when = moment.astimezone(dt.UTC).replace(tzinfo=None)
    attachments = [
        weasyprint.Attachment(
            string=item.content,
            name=item.name,
            description=item.description,
            relationship="Data",
            created=when,
            modified=when,
            url_fetcher=fetcher,
        )
        for item in sorted(enclosures, key=lambda item: item.name)
    ]
    document: Any = weasyprint.HTML(string=html, base_url=f"{templates.resolve().as_uri()}/", url_fetcher=fetcher)
    faults = _Faults()
    logger = logging.getLogger("weasyprint")
    logger.addHandler(faults)
    try:
        content: bytes = document.write_pdf(
            pdf_variant="pdf/a-3b", pdf_tags=True, attachments=attachments, finisher=_finisher(parts)
        )
    finally:
        logger.removeHandler(faults)
    if faults.said:
        raise MachineFailure(f"the report could not be typeset completely: {faults.said[0][:200]}")
    try:
        out.write_bytes(content)
    except OSError as error:
        raise MachineFailure(f"{out.name} cannot be written: {error.strerror}") from error
