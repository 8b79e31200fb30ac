"""The table of operations in a Parquet file, through the optional package pyarrow."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from operation_table import COLUMNS, OperationTable, operation_table

from tbprof.errors import JobError

MOST_ROWS = 10_000_000
"""A small file can hold any number of equal rows; each takes some 300 bytes once it is read."""


def read_operation_table(path: Path) -> OperationTable:
    """Read a table.

    Raises:
        JobError: pyarrow is not there, the file is damaged or too large, or it is no table of operations.
    """
    try:
        parquet: Any = importlib.import_module("pyarrow.parquet")
    except ImportError as error:
        raise JobError(
            f"{path} is a Parquet file, and pyarrow is not installed: pip install 'tbprof[parquet]'"
        ) from error
    try:
        file = parquet.ParquetFile(path)
        names = set(file.schema_arrow.names)
        if file.metadata.num_rows > MOST_ROWS:
            rows = f"{file.metadata.num_rows:,} operations, more than {MOST_ROWS:,}"
            raise JobError(f"{path} holds {rows}: leave out steps")
        table = file.read(columns=[name for name in COLUMNS if name in names])
    except (OSError, ValueError, MemoryError) as error:
        # pyarrow's own errors are of these families.
        raise JobError(f"{path} can't be read as Parquet ({error}): copy it again") from error
    if lacking := [name for name in table.column_names if table.column(name).null_count]:
        raise JobError(f"{path}: column {', '.join(lacking)} has rows without a value: leave those out")
    columns = {name: table.column(name).to_numpy() for name in table.column_names}
    try:
        return operation_table(columns)
    except JobError as error:
        raise JobError(f"{path}: {error}") from error
