"""A table in one form for all: text, CSV and JSON are written from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal, TypeAlias

from tbprof.records import dataclass

SCHEMA = 1

Json: TypeAlias = dict[str, Any]
Cell: TypeAlias = Any
"""A string, number, truth value, list of these, or None for what is not known."""
Kind: TypeAlias = Literal["text", "count", "us", "share", "number", "bytes"]


@dataclass(frozen=True, slots=True)
class Column:
    key: str
    """In JSON and CSV; what ends in `_us` is a time."""
    head: str = ""
    """In text; "" for a column that text leaves out."""
    kind: Kind = "text"


@dataclass(frozen=True, slots=True)
class Table:
    name: str
    by: str
    sentence: str
    """What it is a table of; text begins with it."""
    in_steps: bool
    steps: tuple[str, ...]
    """Those of the window."""
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    """One cell a column, the most important row first."""
    beside: Mapping[str, Any] = field(default_factory=dict)
    """More keys of the JSON object: figures of the whole."""


def table_document(table: Table) -> Json:
    """The object of `--format json`. Keys may be added, never changed without raising `SCHEMA`."""
    keys = [column.key for column in table.columns]
    return {
        "schema": SCHEMA,
        "table": table.name,
        "by": table.by,
        "scope": "steps" if table.in_steps else "trace",
        "steps": list(table.steps),
        **table.beside,
        "rows": [dict(zip(keys, row, strict=True)) for row in table.rows],
    }
