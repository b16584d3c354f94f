"""Lean imports: the same answers, the heavy modules left out, and nothing of it outside its own process."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

from audit.base.canonical import TABLES
from audit.base.lean_import import LAZY
from audit.gate.answers import GateResult
from audit.gate.gate_process import GateProcess
from audit.gate.validate import run_gate

pytestmark = pytest.mark.slow

WORDS = {"zh": "甲", "pt": "a", "en": "a"}

LEAN = """
import json, pickle, sys
from pathlib import Path
from audit.base import lean_import
from audit.gate.validate import import_library, run_gate
with lean_import.lean_imports():
    import_library()
question, suites = pickle.loads(Path(sys.argv[1]).read_bytes())
answers = run_gate(*question)
# A module that is to load later is of a subclass until it has.
is_loaded = lambda name: name in sys.modules and type(sys.modules[name]).__name__ != "_LazyModule"
loaded = [name for name in list(sys.modules) if is_loaded(name)]
touched = run_gate(*question, suites)
after = is_loaded("jsonschema")
left = [finder for finder in sys.meta_path if type(finder).__module__ == lean_import.__name__]
print(json.dumps([answers.to_json(), loaded, touched.to_json(), after, len(left)]))
"""

BROKEN = """
import pickle, sys
from pathlib import Path
from audit.gate import gate_process
sys.modules["marshmallow"] = None
question, suites = pickle.loads(Path(sys.argv[1]).read_bytes())
gate_process._get_ready(lean=True)
assert "great_expectations" not in sys.modules
sys.stdout.write(gate_process._answer((*question, None), lean=True).to_json())
"""


def expectation(kind: str, **kwargs: object) -> dict[str, object]:
    """One expectation as a file holds it."""
    return {"type": kind, "kwargs": kwargs, "meta": {"severity": "warning", "text": WORDS}}


Question = tuple[dict[str, pa.Table], dict[str, dict[str, object]]]


@pytest.fixture(scope="module")
def question() -> Question:
    """Rounds that lack nearly everything, whose ids are JSON for the schema to look at."""
    values = {"round_id": ['{"a": 1}', '{"a": 2}'], "table_id": ["T1", None], "round_no": [1, 2]}
    schema = TABLES["rounds"].schema
    columns = [pa.array(values.get(field.name, [None, None]), field.type) for field in schema]
    return {"rounds": pa.table(columns, schema=schema)}, {}


@pytest.fixture(scope="module")
def schema_suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A suite that looks into one of the lazy modules."""
    folder = tmp_path_factory.mktemp("suites")
    item = expectation("expect_column_values_to_match_json_schema", column="round_id", json_schema={"required": ["a"]})
    own = {"name": "own", "expectations": [item], "meta": {"role": "rounds", "of": "rows"}}
    (folder / "own.json").write_text(json.dumps(own), encoding="utf-8")
    return folder


def told(script: str, question: Question, suites: Path, folder: Path) -> str:
    """What a script of its own process prints about a question."""
    asked = folder / "question"
    asked.write_bytes(pickle.dumps((question, suites)))
    command = [sys.executable, "-c", script, str(asked)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_lean_gate_answers_as_the_whole_one(question: Question, schema_suite: Path, tmp_path: Path) -> None:
    """A gate without the heavy modules gives the same bytes, loads one where it is needed, and leaves no trace."""
    answers, loaded, touched, after, left = json.loads(told(LEAN, question, schema_suite, tmp_path))

    assert run_gate(*question).to_json() == answers  # type: ignore[arg-type]
    assert set() == {*LAZY, "rfc3987_syntax", "scipy.stats._stats_py", "altair.vegalite"} & set(loaded)
    assert {"great_expectations", "pandas"} <= set(loaded)
    assert run_gate(*question, schema_suite).to_json() == touched  # type: ignore[arg-type]
    assert [True] == [line["success"] for line in json.loads(touched)["results"]]
    assert after is True
    assert 0 == left


def test_whole_library_has_the_last_word(question: Question, schema_suite: Path, tmp_path: Path) -> None:
    """Where the library cannot be imported without what is left out, another helper with all of it answers."""
    assert run_gate(*question).to_json() == told(BROKEN, question, schema_suite, tmp_path)  # type: ignore[arg-type]


def test_what_could_not_run_is_asked_again(question: Question, tmp_path: Path) -> None:
    """An expectation that cannot be run, lean or not, is answered by the helper as by the gate itself."""
    item = expectation("expect_column_values_to_match_regex", column="round_id", regex="(")
    own = {"name": "own", "expectations": [item], "meta": {"role": "rounds", "of": "rows"}}
    (tmp_path / "own.json").write_text(json.dumps(own), encoding="utf-8")
    with GateProcess() as gate:
        answers: GateResult = gate.run(*question, tmp_path)  # type: ignore[arg-type]

    assert 1 == answers.errors
    assert run_gate(*question, tmp_path) == answers  # type: ignore[arg-type]


def test_a_helper_can_be_started_before_anything_heavy() -> None:
    """The module that starts the helper imports none of the large libraries."""
    script = "import sys, audit.gate.gate_process; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()

    assert set() == {"numpy", "pandas", "pyarrow", "pydantic", "yaml", "great_expectations"} & set(loaded)
