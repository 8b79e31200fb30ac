"""`tbprof.load(PATH)`: a report for a program or a notebook, where it shows itself."""

from __future__ import annotations

import dataclasses
import html
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, overload

from tbprof.errors import UsageError
from tbprof.file_names import REPORT_SUFFIX
from tbprof.html_report.html_page import html_page
from tbprof.html_report.page_windows import PageWindows, choose_windows
from tbprof.html_report.table_markup import table_html, table_markdown
from tbprof.model import Report, Window
from tbprof.report import open_facts
from tbprof.store.discovery import Discovery, nothing_to_read
from tbprof.store.report_cache import report_of_file, report_of_window, window_of_report
from tbprof.trace.importers.sniffing import looks_like_trace
from tbprof.views.opening import opening_of
from tbprof.views.report_document import report_document
from tbprof.views.tables.cells import Table, table_document
from tbprof.views.tables.tables import TABLES

Grouping: TypeAlias = Literal["name", "shapes", "stack", "module", "label", "step"]
Scope: TypeAlias = Literal["trace", "steps"]

_FRAME_HEIGHT_PX = 720


@dataclass(frozen=True, slots=True, repr=False)
class LoadedReport:
    """The report of one window."""

    report: Report
    """All figures, as records; times in ns."""
    trace_path: str | None = None
    """The path of the trace, where there is one: tables are counted from it."""
    use_cache: bool = True

    @property
    def verdict(self) -> str:
        """The sentences that open the report, the first action among them."""
        opening = opening_of(self.report)
        return " ".join(text for text in (opening.verdict, opening.detail, opening.action) if text)

    def to_dict(self) -> dict[str, Any]:
        """What `tbprof report --format json` prints of it; times in us."""
        return dict(report_document(self.report))

    def operators(self, by: Grouping = "name", *, scope: Scope = "trace") -> LoadedTable:
        """Calls, host and device time, launches, idle and waits of each operator.

        Args:
            by: What makes one row: `name`, `shapes`, `stack`, `module`, `label` or `step`.
            scope: The whole trace, or only what belongs to its steps.

        Raises:
            TbprofError: There is no trace, or it does not hold what to group by.
        """
        return self._table("operators", by, scope)

    def kernels(self, *, scope: Scope = "trace") -> LoadedTable:
        """Times, grids and occupancy of each kernel; `to_dict()` has a histogram and repeated sequences.

        Raises:
            TbprofError: There is no trace.
        """
        return self._table("kernels", "name", scope)

    def modules(self, *, scope: Scope = "trace") -> LoadedTable:
        """Forward and backward time of each module, as a tree; equal layers are one row.

        Raises:
            TbprofError: There is no trace, or it names no modules.
        """
        return self._table("modules", "name", scope)

    def collectives(self) -> LoadedTable:
        """Sizes, times and bandwidths of what the rank says to others.

        Raises:
            TbprofError: There is no trace.
        """
        return self._table("collectives", "name", "trace")

    def memory(self, *, by: str = "name", scope: str = "trace") -> LoadedTable:
        """What operators allocated, device by device, with the peak of each in `to_dict()`.

        Raises:
            TbprofError: There is no trace, or it has no allocations.
        """
        return self._table("memory", by, scope)

    def _table(self, name: str, by: str, scope: str) -> LoadedTable:
        # What analyzes a trace takes longer to import than a report to be read.

        return load_table(self.trace_path, name, by, scope, use_cache=self.use_cache)

    def to_html(self) -> str:
        """One page with everything inside, as of `tbprof report --format html`.

        Raises:
            UsageError: This installation has no built web page.
        """
        return html_page(self._windows())

    def _windows(self) -> PageWindows:
        return choose_windows([(window_of_report(self.report), self.report)], most=1)

    def __repr__(self) -> str:
        return f"<tbprof report of {self.report.trace.path}: {self.verdict}>"

    def _repr_html_(self) -> str:
        """The verdict, which every viewer of a notebook shows, and the tab where scripts may run.

        The page stands in a frame that can reach neither the notebook nor a server.
        """
        summary = f"<p><b>{html.escape(self.verdict)}</b></p>"
        try:
            # A notebook keeps its outputs: without the timeline, which is most of the page.
            page = html.escape(html_page(self._windows(), timelines=0))
        except UsageError as error:
            return f"{summary}<p>{html.escape(str(error))}</p>"
        frame = f'sandbox="allow-scripts" srcdoc="{page}" width="100%" height="{_FRAME_HEIGHT_PX}"'
        return f'{summary}<iframe title="tbprof report" {frame} style="border: 0"></iframe>'


def load(path: str | os.PathLike[str], *, use_cache: bool = True) -> LoadedReport:
    """Read a trace, a stored report (`*.tbprof.pb`), or the newest window of a folder.

    Args:
        path: The file or folder.
        use_cache: Whether reports of traces may be kept in the user's cache folder, and taken from it.

    Raises:
        TbprofError: There is nothing to read; the message says why and what to do.
    """
    place = Path(path)
    if not place.is_dir():
        return LoadedReport(report_of_file(place, use_cache=use_cache), _trace_of(place), use_cache)
    window = _newest(place)
    return LoadedReport(report_of_window(window, use_cache=use_cache), window.trace_path, use_cache)


def _trace_of(file: Path) -> str | None:
    """The file itself, or of a report the trace beside it."""
    if not file.name.endswith(REPORT_SUFFIX):
        return str(file)
    windows = Discovery(file.absolute().parent, looks_like_trace).find().windows
    same = (window.trace_path for window in windows if window.report_path == str(file.absolute()))
    return next(same, None)


def _newest(folder: Path) -> Window:
    windows = Discovery(folder, looks_like_trace).find().windows
    if not windows:
        raise nothing_to_read(folder)
    return max(windows, key=lambda window: window.order_ns)


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
