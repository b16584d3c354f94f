"""The data gate: can this log be read and trusted as data? The only module that knows great-expectations.

The library takes seconds to import, so it is imported when the gate runs and not before. It is run in memory, tells
nobody about it, and no type of it leaves this module. Law is not judged here.
"""

from __future__ import annotations

import importlib
import logging
import os
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from audit.base.errors import ConfigurationError
from audit.gate.answers import GateLine, GateResult
from audit.gate.facts import Fact
from audit.gate.judged_columns import cut
from audit.gate.suites import Expectation, Suite, list_suites

if TYPE_CHECKING:
    import pandas as pd

SAMPLE_ROWS: Final = 100_000
"""So many first rows of each table are judged row by row."""

_EXAMPLES: Final = 3
_LIBRARY: Final = "great_expectations"


def run_gate(
    samples: Mapping[str, pa.Table],
    profiles: Mapping[str, Mapping[str, Fact]],
    suites_dir: Path | None = None,
) -> GateResult:
    """Judge the first rows of each table and the facts about all of them.

    `samples` are typed tables by role (`rounds`, `wagers`, `register`, `events`), cut here to `SAMPLE_ROWS` rows;
    `profiles` are the facts of :meth:`audit.gate.facts.TableFacts.facts` by role. A suite about a table that is in
    neither is passed over. Raises ConfigurationError for a suite that is malformed or names an unknown expectation.
    """
    suites = list_suites(suites_dir)
    tables = cut(samples, suites, SAMPLE_ROWS)
    lines: list[GateLine] = []
    with _quiet():
        runner = _Runner()
        for suite in suites:
            # One frame at a time: it is several times the size of its table.
            frame = _frame(suite, tables, profiles)
            if frame is not None:
                lines += runner.judge(suite, frame)
    return GateResult(tuple(lines))


def import_library() -> None:
    """Import the library, quietly; whatever is wrong with it shows again, and is told, when the gate runs."""
    with suppress(Exception), _quiet():
        importlib.import_module(_LIBRARY)


@contextmanager
def _quiet() -> Iterator[None]:
    """Nothing of the library reaches the operator: no warning, no log line, no progress bar, no message home."""
    os.environ["GX_ANALYTICS_ENABLED"] = "False"
    logger = logging.getLogger(_LIBRARY)
    before, logger.disabled = logger.level, False
    logger.setLevel(logging.CRITICAL + 1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(before)


def _frame(
    suite: Suite, tables: Mapping[str, pa.Table], profiles: Mapping[str, Mapping[str, Fact]]
) -> pd.DataFrame | None:
    """What the suite judges, or None where there is nothing of the kind."""
    import pandas as pd

    if suite.of == "profile":
        return pd.DataFrame([dict(profiles[suite.role])]) if suite.role in profiles else None
    return _encoded(tables[suite.role]).to_pandas() if suite.role in tables else None


def _encoded(table: pa.Table) -> pa.Table:
    """The table with each dictionary column encoded afresh, without unused or repeated texts.

    They become categoricals, which must be unique: the library is ten times slower on Arrow's own types.
    """
    for place, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):
            column = table.column(place).cast(pa.string()).dictionary_encode()
            table = table.set_column(place, field.name, column.unify_dictionaries())
    return table


class _Runner:
    """One context of the library, in memory."""

    def __init__(self) -> None:
        import great_expectations as gx
        from great_expectations.data_context.types.base import ProgressBarsConfig
        from great_expectations.expectations.registry import list_registered_expectation_implementations

        self._gx = gx
        self._types = frozenset(list_registered_expectation_implementations())
        self._context = gx.get_context(mode="ephemeral")
        self._context.enable_analytics(enable=False)
        self._context.variables.progress_bars = ProgressBarsConfig(globally=False)
        self._source = self._context.data_sources.add_pandas("frames")
        self._runs = 0

    def judge(self, suite: Suite, frame: pd.DataFrame) -> list[GateLine]:
        """The answers of one suite; what could not be run beside the others is tried once more on its own."""
        for place, item in enumerate(suite.expectations):
            if item.type not in self._types:
                raise ConfigurationError(f"{suite.file}: expectations[{place}].type: unknown expectation {item.type!r}")
        lines = self._run(suite, suite.expectations, frame)
        for place, line in enumerate(lines):
            if line.success is None:
                lines[place] = self._run(suite, (suite.expectations[place],), frame)[0]
        return lines

    def _run(self, suite: Suite, items: tuple[Expectation, ...], frame: pd.DataFrame) -> list[GateLine]:
        self._runs += 1
        name = f"{suite.name} {self._runs}"
        try:
            ours = self._gx.ExpectationSuite(
                name=name,
                expectations=[
                    {"type": item.type, "kwargs": dict(item.kwargs), "meta": {"place": place}}
                    for place, item in enumerate(items)
                ],
            )
        except Exception as error:  # the library has no base class for what a suite may be refused for
            reason = " ".join(str(error).split())[:300]
            raise ConfigurationError(f"{suite.file}: the suite is refused: {reason}") from error
        batch = self._source.add_dataframe_asset(name).add_batch_definition_whole_dataframe("all")
        definition = self._gx.ValidationDefinition(name=name, data=batch, suite=self._context.suites.add(ours))
        try:
            outcome = definition.run(batch_parameters={"dataframe": frame}, result_format="BASIC")
        except Exception as error:  # noqa: BLE001 - whatever goes wrong in the library says nothing of the data
            return [_line(suite, item, None, type(error).__name__) for item in items]
        results: Any = outcome.results
        answers = {result.expectation_config.meta["place"]: result for result in results}
        return [_answer(suite, item, answers.get(place)) for place, item in enumerate(items)]


def _answer(suite: Suite, item: Expectation, result: Any) -> GateLine:
    if result is None:
        return _line(suite, item, None, "no answer")
    if problem := _exception(result.exception_info):
        return _line(suite, item, None, problem)
    return _line(suite, item, bool(result.success), _observed(result.result or {}))


def _line(suite: Suite, item: Expectation, success: bool | None, observed: str) -> GateLine:
    return GateLine(suite.name, item.type, item.column, success, item.severity, observed, item.text)


def _exception(info: Mapping[str, Any] | None) -> str | None:
    """What was raised inside the expectation, if anything; the library nests it by metric or not."""
    if not info:
        return None
    for part in (info, *info.values()):
        if isinstance(part, Mapping) and part.get("raised_exception"):
            return " ".join(str(part.get("exception_message") or "exception").split())[:200]
    return None


def _observed(result: Mapping[str, Any]) -> str:
    """What was seen, in a few words: the value, or how many of how many and the first of them."""
    if "observed_value" in result:
        value = result["observed_value"]
        return ", ".join(sorted(map(_said, value))) if isinstance(value, list | set | tuple) else _said(value)
    unexpected, elements = result.get("unexpected_count"), result.get("element_count")
    if unexpected is None or elements is None:
        return ""
    if unexpected == 0:
        return f"0 / {elements}"
    examples: list[str] = []
    for value in result.get("partial_unexpected_list") or ():
        text = " / ".join(map(_said, value)) if isinstance(value, tuple | list) else _said(value)
        if text not in examples:
            examples.append(text)
    shown = ", ".join(examples[:_EXAMPLES])
    if elements == 1:
        return shown
    return f"{unexpected} / {elements}" + (f": {shown}" if shown else "")


def _said(value: Any) -> str:
    """A value in text; a share or a mean, which only says how things stand, with four digits."""
    return f"{value:.4g}" if isinstance(value, float) and not value.is_integer() else str(value)
