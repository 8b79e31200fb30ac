"""What a table is made of: columns, each declared once, and the cells that they make of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from functools import lru_cache
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from tbprof.records import dataclass
from tbprof.trace.columns.arrays import listed


@lru_cache(maxsize=4096)
def shown_list(text: str) -> str:
    """A list that is written as JSON; what is none stays as it is."""
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


_Row = TypeVar("_Row")


@dataclass(frozen=True, slots=True)
class Column(Generic[_Row]):
    """All that is to say of a column: what it holds, how that is written, and where."""

    key: str
    """In JSON and CSV; what ends in `_us` is a time."""
    cell: Callable[[_Row], Cell]
    """What a row has in it."""
    kind: Kind = "text"
    head: str = ""
    """In text; "" for a column that text leaves out."""
    title: str = ""
    """In the tab and in documents; "" where that is the head, or the key, with a capital."""
    about: str = ""
    """What it holds, as the tab says it; "" where the title says it all."""
    is_first: bool = False
    """Whether the tab shows it before anyone chose."""
    is_first_on_host: bool = False
    """The same in a table without work of a device."""
    is_in_tab: bool = True
    is_never_zero: bool = False
    """Whether a 0 is no figure in the tab."""

    @property
    def shown_title(self) -> str:
        words = self.head or self.key.removesuffix("_us").replace("_", " ")
        return self.title or words[:1].upper() + words[1:]


@dataclass(frozen=True, slots=True)
class Table:
    name: str
    by: str
    sentence: str
    """What it is a table of; text begins with it."""
    in_steps: bool
    steps: tuple[str, ...]
    """The steps of the window."""
    columns: tuple[Column[Any], ...]
    rows: tuple[tuple[Cell, ...], ...]
    """One cell a column, the most important row first."""
    beside: Mapping[str, Any] = field(default_factory=dict)
    """More keys of the JSON object: figures of the whole."""

    def cells(self, key: str) -> list[Cell]:
        """The cells of a column."""
        at = [column.key for column in self.columns].index(key)
        return [row[at] for row in self.rows]


def cells_of(columns: Sequence[Column[_Row]], rows: Iterable[_Row]) -> tuple[tuple[Cell, ...], ...]:
    """What each column makes of each row."""
    makers = [column.cell for column in columns]
    return tuple(tuple([cell(row) for cell in makers]) for row in rows)


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
