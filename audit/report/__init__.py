"""The report for DICJ: a bilingual PDF/A-3b made from a run directory and nothing else."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from audit.base.resources import resource_dir
from audit.catalogue import catalogue
from audit.report.contents import PRINTED_PER_CHECK, gather
from audit.report.i18n import HTML_LANG, load_messages

__all__ = ["PRINTED_PER_CHECK", "render_report"]


def render_report(
    run_dir: Path,
    out: Path,
    *,
    languages: Sequence[str] = ("zh", "pt"),
    manifest: Mapping[str, Any] | None = None,
    limit: int = PRINTED_PER_CHECK,
) -> None:
    """Write the report of a run to `out`.

    Reads manifest.json, findings.*, quarantine.parquet, expectations.json and evidence.json of `run_dir`; `manifest`
    stands in for the file where the run is not finished. `languages` are those of `audit.base.model.LANGUAGES`, a full
    part each; `limit` is how many findings of one check are printed in detail. The same run gives the same bytes.

    Raises InputRefused for a run directory that cannot be read, MachineFailure where a font or library is missing.
    """
    from audit.report.pdf import Enclosure, write_pdf
    from audit.report.render import ATTACHED, render_html

    data = gather(run_dir, manifest, catalogue.load(), limit=limit)
    html = render_html(data, languages)
    kept = {key: value for key, value in data.manifest.items() if key != "outputs"}
    contents = {
        "manifest.json": (json.dumps(kept, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode(),
        "catalogue.yaml": (Path(catalogue.__file__).parent / "catalogue.yaml").read_bytes(),
    }
    for name in ("findings.csv", "findings.json"):
        if (run_dir / name).exists():
            contents[name] = (run_dir / name).read_bytes()
    phrases = load_messages()
    enclosures = [
        Enclosure(name, " / ".join(phrases[language](f"attach.{key}") for language in languages), contents[name])
        for name, key in ATTACHED
        if name in contents
    ]
    write_pdf(
        html,
        out,
        templates=resource_dir("templates"),
        moment=data.last_moment,
        parts={f"{language}-0": HTML_LANG[language] for language in languages},
        enclosures=enclosures,
    )
