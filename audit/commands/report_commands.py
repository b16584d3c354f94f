"""The commands that make papers of a finished run: their options, and what `report`, `report sign` and `export` do."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from audit.base.errors import ExitCode, UsageError
from audit.commands import inspect_commands
from audit.commands.output import say, say_json

if TYPE_CHECKING:
    from pyhanko.sign.signers.pdf_cms import Signer

FORMATS: Final = ("xlsx", "sarif", "html")
ROLES: Final = ("prepared", "reviewed", "approved")

_HELP: Final = (
    "With the word `sign` the report is signed (PAdES) into report.signed.pdf beside it, up to three times: by who "
    "prepared, who reviewed and who approved it."
)


def add_parsers(commands: Any, handler: Callable[[str, str], Any], language: Callable[[Any], None]) -> None:
    """Add `report` and `export` to the command line."""
    report = commands.add(
        "report", "render the PDF of a finished run again, or sign it", handler("report_commands", "report")
    )
    report.epilog = _HELP
    report.add_argument(
        "action", nargs="?", choices=("render", "sign"), default="render", help="what to do (default: render)"
    )
    report.add_argument("--run", type=Path, required=True, metavar="DIR", help="a finished run")
    report.add_argument("--out", type=Path, metavar="FILE", help="the PDF (default: report.pdf of the run)")
    report.add_argument("--lang", default="zh,pt", metavar="LIST", help="languages, of zh, pt and en (default: zh,pt)")
    sign = report.add_argument_group("sign")
    sign.add_argument("--pkcs12", type=Path, metavar="FILE", help="key and certificate in a PKCS#12 file")
    sign.add_argument("--passphrase-env", metavar="VAR", help="environment variable with the passphrase or PIN")
    sign.add_argument("--pkcs11", type=Path, metavar="LIB", help="library of a PKCS#11 device that holds the key")
    sign.add_argument("--token", metavar="LABEL", help="label of the device's token")
    sign.add_argument("--certificate", metavar="LABEL", help="label of the certificate on it")
    sign.add_argument("--role", choices=ROLES, help="who signs (default: the next who has not)")
    sign.add_argument("--timestamp-url", metavar="URL", help="timestamp service (RFC 3161): PAdES B-T")
    sign.add_argument(
        "--trust", type=Path, metavar="FILE", help="trusted root certificates: keep the validation data too, B-LTA"
    )

    out = commands.add(
        "export", "write a finished run as XLSX, SARIF or one HTML page", handler("report_commands", "export")
    )
    out.add_argument("--run", type=Path, required=True, metavar="DIR", help="a finished run")
    out.add_argument("--format", choices=FORMATS, required=True, help="the format")
    out.add_argument("--out", type=Path, required=True, metavar="FILE", help="the file to write")
    out.add_argument("--baseline", type=Path, metavar="DIR", help="an earlier run to compare with (SARIF)")
    language(out)


def export(arguments: argparse.Namespace) -> int:
    """Write a finished run in another format."""
    from audit.export import export as write

    inspect_commands.outside(arguments.out, arguments.run)
    if arguments.baseline is not None and arguments.format != "sarif":
        raise UsageError("--baseline belongs to --format sarif")
    number = write(arguments.run, arguments.format, arguments.out, language=arguments.lang, baseline=arguments.baseline)
    if arguments.json:
        say_json({"export": str(arguments.out), "format": arguments.format, "findings": number})
    else:
        say(f"wrote {arguments.out} ({number} findings)")
    return int(ExitCode.CLEAN)


def report(arguments: argparse.Namespace) -> int:
    """Render the report of a finished run again, or sign it."""
    return _sign(arguments) if arguments.action == "sign" else inspect_commands.report(arguments)


def _sign(arguments: argparse.Namespace) -> int:
    from audit.runs.run_directory import add_supplement
    from audit.signing.sign import sign_report, time_stamper
    from audit.signing.signatures import SIGNED
    from audit.verify.verification import examine

    if arguments.out is not None:
        raise UsageError(f"a signature is written to {SIGNED} of the run; --out does not go with it")
    if arguments.trust is not None and arguments.timestamp_url is None:
        raise UsageError("--trust needs --timestamp-url")
    found = examine(arguments.run)
    if found.problems:
        raise UsageError(f"{arguments.run} has changed since it was written: {found.problems[0].text.en}")
    roots = None if arguments.trust is None else _roots(arguments.trust)
    with _signer(arguments) as signer:
        signature = sign_report(
            arguments.run, signer, role=arguments.role, stamper=time_stamper(arguments.timestamp_url), roots=roots
        )
    add_supplement(arguments.run, SIGNED)
    if arguments.json:
        say_json({"report": str(arguments.run / SIGNED), **signature.to_json()})
    else:
        said = f"{signature.role} by {signature.signer}, PAdES {signature.level}"
        say(f"signed {arguments.run / SIGNED}: {said}, certificate {signature.fingerprint[:16]}…")
    return int(ExitCode.CLEAN)


@contextmanager
def _signer(arguments: argparse.Namespace) -> Iterator[Signer]:
    from audit.signing.sign import Token, from_pkcs11, from_pkcs12

    secret = None
    if arguments.passphrase_env is not None:
        secret = os.environ.get(arguments.passphrase_env)
        if secret is None:
            raise UsageError(f"the environment has no variable {arguments.passphrase_env}")
    if (arguments.pkcs12 is None) == (arguments.pkcs11 is None):
        raise UsageError("name the key with --pkcs12 or with --pkcs11, one of them")
    if arguments.pkcs12 is not None:
        yield from_pkcs12(arguments.pkcs12, secret)
        return
    if arguments.token is None or arguments.certificate is None:
        raise UsageError("--pkcs11 needs --token and --certificate")
    with from_pkcs11(Token(arguments.pkcs11, arguments.token, arguments.certificate, secret)) as signer:
        yield signer


def _roots(file: Path) -> list[Any]:
    from audit.signing.sign import load_certificates

    return load_certificates(file)
