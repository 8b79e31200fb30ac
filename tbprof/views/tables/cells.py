"""Lists in cells as people read them: a grid by its three sizes, shapes by those of each tensor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from functools import lru_cache
from typing import Any, Literal, TypeAlias

from tbprof.records import dataclass
from tbprof.trace.columns.arrays import listed


@lru_cache(maxsize=4096)
def shown_list(text: str) -> str:
    """Of a list that is written as JSON; what is none stays as it is."""
    found = recorded_list(text)
    return text if found is None else written_list(found)


@lru_cache(maxsize=4096)
def recorded_list(text: str) -> list[Any] | None:
    """A list that is written as JSON; None where a recording holds something else in its place."""
    try:
        return list(listed(text))
    except ValueError:
        return None


def written_list(values: list[Any]) -> str:
    """A list of numbers is a size, one of lists the sizes of tensors; others are written one by one."""
    if values and all(isinstance(value, int | float) for value in values):
        return "\u00d7".join(map(str, values))
    return ", ".join(_element(value) for value in values)


def _element(value: Any) -> str:
    if not isinstance(value, list):
        return str(value)
    if not value:
        return "()"
    text = written_list(value)
    return f"[{text}]" if any(isinstance(inner, list) for inner in value) else text


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
