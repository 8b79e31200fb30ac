"""`tbprof.load(PATH)`: a report for a program or a notebook, where it shows itself."""

from __future__ import annotations

import html
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tbprof.errors import UsageError
from tbprof.html_report.html_page import html_page
from tbprof.model import Report, Window
from tbprof.store.lookup.discovery import Discovery
from tbprof.store.lookup.reports import report_of_file, report_of_window
from tbprof.store.lookup.windows import window_of_report
from tbprof.trace_files import looks_like_trace
from tbprof.views.export.report_document import report_document
from tbprof.views.overview.opening import opening_of

__all__ = ["LoadedReport", "load"]

_FRAME_HEIGHT_PX = 720


@dataclass(frozen=True, slots=True, repr=False)
class LoadedReport:
    """The report of one window."""

    report: Report
    """All figures, as records; times in ns."""

    @property
    def verdict(self) -> str:
        """The sentences that open the report, the first action among them."""
        opening = opening_of(self.report)
        return " ".join(text for text in (opening.verdict, opening.detail, opening.action) if text)

    def to_dict(self) -> dict[str, Any]:
        """What `tbprof report --format json` prints of it; times in us."""
        return dict(report_document(self.report))

    def to_html(self) -> str:
        """One page with everything inside, as of `tbprof report --format html`.

        Raises:
            UsageError: This installation has no built web page.
        """
        return html_page([(window_of_report(self.report), self.report)])

    def __repr__(self) -> str:
        return f"<tbprof report of {self.report.trace.path}: {self.verdict}>"

    def _repr_html_(self) -> str:
        """The verdict, which every viewer of a notebook shows, and the tab where scripts may run.

        The page stands in a frame that can reach neither the notebook nor a server.
        """
        summary = f"<p><b>{html.escape(self.verdict)}</b></p>"
        try:
            # A notebook keeps its outputs: without the timeline, which is most of the page.
            page = html.escape(html_page([(window_of_report(self.report), self.report)], timelines=0))
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
        return LoadedReport(report_of_file(place, use_cache=use_cache))
    return LoadedReport(report_of_window(_newest(place), use_cache=use_cache))


def _newest(folder: Path) -> Window:
    windows = Discovery(folder, looks_like_trace).find().windows
    if not windows:
        raise UsageError(f"there is no trace or report to read in {folder}: name another folder")
    return max(windows, key=lambda window: window.order_ns)
