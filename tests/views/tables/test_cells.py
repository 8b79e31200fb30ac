"""Cells of lists, whatever a recording holds in their place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tbprof.report import open_facts
from tbprof.views.tables.cells import Column, recorded_list, shown_list
from tbprof.views.tables.kernels import kernels
from tbprof.views.tables.tables import TABLES


@pytest.mark.parametrize("text", ["x", "[1", "5", '{"a": 1}', "[NaN]", "[" * 100_000])
def test_what_is_no_list_stays_as_it_is(text: str) -> None:
    assert recorded_list(text) is None
    assert shown_list(text) == text


def test_lists_are_sizes() -> None:
    assert shown_list("[2,3]") == "2\u00d73"
    assert shown_list("[[2,3],[]]") == "2\u00d73, ()"


def test_a_kernel_whose_grid_is_no_list_has_none(tmp_path: Path) -> None:
    args = {"correlation": 1, "device": 0, "stream": 7, "grid": "x", "block": [1, 1, 1]}
    row = {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 0, "dur": 9, "args": args}
    path = tmp_path / "trace.json"
    path.write_text(json.dumps({"traceEvents": [row]}), encoding="utf-8")
    table = kernels(open_facts(path, tables=TABLES["kernels"].reads), "name", in_steps=False)
    cells = dict(zip((column.key for column in table.columns), table.rows[0], strict=True))
    assert (cells["grid"], cells["block"]) == (None, [1, 1, 1])


def test_an_occupancy_beyond_the_whole_is_none(tmp_path: Path) -> None:
    args = {"correlation": 1, "device": 0, "stream": 7, "est. achieved occupancy %": 5000}
    row = {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 0, "dur": 9, "args": args}
    path = tmp_path / "trace.json"
    path.write_text(json.dumps({"traceEvents": [row]}), encoding="utf-8")
    table = kernels(open_facts(path, tables=TABLES["kernels"].reads), "name", in_steps=False)
    assert "occupancy" not in {
        column.key for column, cell in zip(table.columns, table.rows[0], strict=True) if cell is not None
    }


def test_a_title_is_the_head_with_a_capital_and_keeps_its_units() -> None:
    titles = [Column("key", str, head=head).shown_title for head in ("called in", "bus GB/s", "")]
    assert titles == ["Called in", "Bus GB/s", "Key"]
