"""Traces whose operators are known, and tables of them by name."""

from __future__ import annotations

import tempfile
from pathlib import Path

from trace_builder import TraceBuilder

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.operator_grouping import Grouping
from tbprof.analysis.figures.operator_table import OperatorRow, operator_table
from tbprof.trace.columns.tables import ALL_TABLES
from tbprof.trace.importers.kineto.reader import read_trace


def facts_of(built: TraceBuilder) -> Facts:
    """With all that an optional table may hold."""
    with tempfile.TemporaryDirectory() as folder:
        return Facts(read_trace(built.write(Path(folder, "trace.json")), tables=ALL_TABLES))


def rows_of(built: TraceBuilder, by: Grouping = "name", *, in_steps: bool = False) -> dict[str, OperatorRow]:
    """By name, whatever else tells them apart."""
    return {row.name: row for row in operator_table(facts_of(built), by, in_steps=in_steps).rows}
