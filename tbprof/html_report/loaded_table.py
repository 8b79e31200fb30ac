"""Tables of a loaded trace: rows for a program, Markdown and HTML for people."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

from tbprof.errors import UsageError
from tbprof.html_report.table_markup import table_html, table_markdown
from tbprof.report import open_facts
from tbprof.views.tables.table import Table, table_document
from tbprof.views.tables.tables import TABLES

_MOST_SHOWN = 50
"""Rows of a notebook; a program gets all."""


@dataclass(frozen=True, slots=True, repr=False)
class LoadedTable(Sequence[dict[str, Any]]):
    """Rows with their figures by name, largest first; `pandas.DataFrame(table)` takes it as it is.

    Times end in `_us`, sizes in `_bytes`, shares are of 1; None is what is not recorded or not known.
    """

    table: Table

    @property
    def sentence(self) -> str:
        """What it is a table of."""
        return self.table.sentence

    @property
    def columns(self) -> tuple[str, ...]:
        """The keys of each row."""
        return tuple(column.key for column in self.table.columns)

    def to_dict(self) -> dict[str, Any]:
        """What `tbprof table --format json` prints: the rows with the figures of the whole."""
        return table_document(self.table)

    def to_markdown(self) -> str:
        """What `tbprof table --format markdown` prints."""
        return table_markdown(self.table)

    def __len__(self) -> int:
        return len(self.table.rows)

    @overload
    def __getitem__(self, at: int) -> dict[str, Any]: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[dict[str, Any]]: ...

    def __getitem__(self, at: int | slice) -> dict[str, Any] | Sequence[dict[str, Any]]:
        if isinstance(at, slice):
            return LoadedTable(dataclasses.replace(self.table, rows=self.table.rows[at]))
        return dict(zip(self.columns, self.table.rows[at], strict=True))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (dict(zip(self.columns, row, strict=True)) for row in self.table.rows)

    def __repr__(self) -> str:
        return f"<tbprof {self.table.name}, {len(self)} rows: {self.sentence}>"

    def _repr_html_(self) -> str:
        """The largest rows."""
        shown = dataclasses.replace(self.table, rows=self.table.rows[:_MOST_SHOWN])
        left = len(self) - len(shown.rows)
        return table_html(shown) + (f"<p>and {left:,} more rows</p>" if left > 0 else "")


def load_table(path: str | None, name: str, by: str, scope: str, *, use_cache: bool) -> LoadedTable:
    """One of `TABLES` of a trace.

    Raises:
        TbprofError: The trace is not there any more, or gives no such table.
    """
    if path is None:
        raise UsageError("a table needs the trace, and there is only a report: load the trace itself")
    if scope not in ("trace", "steps"):
        raise UsageError(f"scope must be trace or steps, not {scope!r}")
    source = TABLES[name]
    facts = open_facts(path, tables=source.reads, use_cache=use_cache)
    return LoadedTable(source.make(facts, by, in_steps=scope == "steps"))
