"""Tables of operations that are none, or too large: each is a sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from parquet_file import MOST_ROWS, read_operation_table

from tbprof.errors import JobError

pyarrow: Any = pytest.importorskip("pyarrow")
parquet: Any = pytest.importorskip("pyarrow.parquet")

ROWS = 4
WHOLE: dict[str, list[Any]] = {
    "dp_rank": [0, 1, 0, 1],
    "stage": [0, 0, 0, 0],
    "rank": [0, 1, 0, 1],
    "step": [0, 0, 1, 1],
    "optype": ["forward-compute"] * ROWS,
    "start_ts": [0.0] * ROWS,
    "duration": [1.0] * ROWS,
    "seq_id": [0] * ROWS,
    "mc": [0] * ROWS,
    "gmc": [0] * ROWS,
}


def written(folder: Path, **columns: list[Any]) -> Path:
    path = folder / "operations.parquet"
    parquet.write_table(pyarrow.table({**WHOLE, **columns}), path)
    return path


def test_a_whole_table_is_read(tmp_path: Path) -> None:
    assert read_operation_table(written(tmp_path)).replicas == 2


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("dp_rank", [None] * ROWS),
        ("duration", [1.0, None, 1.0, 1.0]),
        ("stage", ["a", "b", "c", "d"]),
        ("stage", [2**62] * ROWS),
        ("rank", [-1] * ROWS),
        ("duration", [float("nan")] * ROWS),
        ("start_ts", [1e300] * ROWS),
    ],
)
def test_what_no_job_has_is_named_with_its_column(tmp_path: Path, name: str, values: list[Any]) -> None:
    with pytest.raises(JobError, match=f"operations.parquet.*{name}"):
        read_operation_table(written(tmp_path, **{name: values}))


def test_rows_are_counted_before_they_are_read(tmp_path: Path) -> None:
    rows = MOST_ROWS + 1
    path = tmp_path / "operations.parquet"
    parquet.write_table(pyarrow.table({"step": pyarrow.nulls(rows, pyarrow.int8())}), path)
    with pytest.raises(JobError, match=f"holds {rows:,} operations"):
        read_operation_table(path)


def test_places_without_operations_are_not_made(tmp_path: Path) -> None:
    many = 3000
    columns = {name: values[:1] * many for name, values in WHOLE.items()}
    for name in ("dp_rank", "step"):
        columns[name] = list(range(many))
    with pytest.raises(JobError, match="places for operations"):
        read_operation_table(written(tmp_path, **columns))
