"""A second decoder of Parquet beside Arrow's, for what it reads in a fraction of the time.

Arrow turns each stored decimal into 128 bits, and makes a decompressor for every page of every file; DuckDB reads the
same pages with less ado. The values are the same and exact, as long as every file that it is told of has the schema of
the first: it would convert the others without a word. What it cannot read, or only after a loss, is left to Arrow, and
so is the judgement of a file that is damaged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

if TYPE_CHECKING:
    from audit.stores.files import SourceFile

_LEAST: Final = 10
_MOST: Final = 18
"""Digits of the decimals that it keeps in 64 bits; fewer are widened first."""

_GLOB: Final = frozenset("*?[]{}")
SETTINGS: Final = (
    "threads = 1",  # the rows come in their order, and other work is done beside
    "async_threads = 0",  # files at hand are not worth waking another thread for each of their pages
    "arrow_output_version = '1.5'",  # decimals in 64 bits, as it has them
    "preserve_insertion_order = true",
    "memory_limit = '128MB'",
    "enable_progress_bar = false",  # which would be drawn on the standard output of whoever runs us
    "temp_directory = ''",  # nothing beside the inputs, nothing from the network
    "autoinstall_known_extensions = false",
    "autoload_known_extensions = false",
)

Types = Mapping[str, pa.DataType]
"""Columns by name with the types in which they are handed over."""


class NoDecoderError(Exception):
    """The decoder is not installed, or not as it is known here."""


def connected() -> Any:
    """A connection to the decoder, one for each reading; raises NoDecoderError."""
    try:
        import duckdb
    except ImportError as error:
        raise NoDecoderError(str(error)) from error
    try:
        connection = duckdb.connect()
        for setting in SETTINGS:
            connection.execute(f"set {setting}")
    except duckdb.Error as error:
        raise NoDecoderError(str(error)) from error
    return connection


def failures() -> tuple[type[Exception], ...]:
    """What is raised where it cannot go on with a file."""
    try:
        import duckdb
    except ImportError:
        return (pa.ArrowException, OSError, ValueError)
    return (duckdb.Error, pa.ArrowException, OSError, ValueError)


def can_open(file: SourceFile) -> bool:
    """Whether the decoder can be told of a file: whole, at hand, its path no pattern."""
    return file.remote is None and file.groups is None and not _GLOB & set(str(file.path))


def decimals_of(schema: pa.Schema, names: Sequence[str]) -> dict[str, pa.DataType]:
    """Those of the columns that are decimals of up to 64 bits."""
    kinds = ((name, schema.field(name).type) for name in _unlike(schema, names))
    return {name: pa.decimal64(kind.precision, kind.scale) for name, kind in kinds if _is_decimal(kind)}


def columns_of(schema: pa.Schema, names: Sequence[str]) -> dict[str, pa.DataType]:
    """Those of the columns that are read without a loss: decimals, text, whole numbers, instants, truth values."""
    found = decimals_of(schema, names)
    for name in _unlike(schema, names):
        kind = schema.field(name).type
        if name not in found and _is_plain(kind):
            found[name] = kind
    return found


def _unlike(schema: pa.Schema, names: Sequence[str]) -> Sequence[str]:
    """The names, or none where two columns of the schema differ in case alone: the decoder would rename one of them."""
    return names if len({name.lower() for name in schema.names}) == len(schema.names) else ()


def _is_decimal(kind: pa.DataType) -> bool:
    return bool(pa.types.is_decimal128(kind) and kind.precision <= _MOST and 0 <= kind.scale <= kind.precision)


def _is_plain(kind: pa.DataType) -> bool:
    if pa.types.is_timestamp(kind):
        return kind.unit in {"ms", "us"}
    return bool(pa.types.is_string(kind) or pa.types.is_signed_integer(kind) or pa.types.is_boolean(kind))


def query(terms: Iterable[str]) -> str:
    """What is asked of the files `$files`, their rows one file after the other; `terms` have their names quoted."""
    return f"select {', '.join(terms)} from read_parquet($files, hive_partitioning = false)"  # noqa: S608 - names are quoted


def quoted(name: str) -> str:
    """A column's name as a query has it."""
    return '"' + name.replace('"', '""') + '"'


def term(name: str, kind: pa.DataType) -> str:
    """What is asked for of a column that is to be of the type `kind`."""
    narrow = pa.types.is_decimal(kind) and kind.precision < _LEAST
    return f"{quoted(name)}::decimal({_MOST}, {kind.scale})" if narrow else quoted(name)


def typed(column: pa.Array, kind: pa.DataType) -> pa.Array:
    """A column in the type asked for: decimals differ in the number of digits alone, instants in unit and zone.

    Raises ArrowInvalid where it is not the same values.
    """
    if column.type == kind:
        return column
    if not pa.types.is_decimal(kind):
        return column.cast(kind)
    if not pa.types.is_decimal64(column.type) or column.type.scale != kind.scale:
        raise pa.ArrowInvalid(f"{column.type} instead of {kind}")
    return column.view(kind)
