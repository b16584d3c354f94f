from __future__ import annotations

from pathlib import Path

import pytest

from audit.report import render_report
from tests.report.sample import make_run


@pytest.fixture(scope="package")
def run_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run with findings of every family."""
    return make_run(tmp_path_factory.mktemp("run") / "run")


@pytest.fixture(scope="package")
def pdf_path(run_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of that run, in both official languages."""
    out = tmp_path_factory.mktemp("pdf") / "report.pdf"
    render_report(run_dir, out)
    return out
