"""The report of a window, wherever it comes from: stored, kept, or read now."""

from __future__ import annotations

from tbprof.errors import Busy, TraceError
from tbprof.model import Report, Window
from tbprof.plugin.worker.analyses import Analyses, Failed, Reading
from tbprof.store.lookup.windows import stored_report

__all__ = ["report_of_window"]


def report_of_window(window: Window, analyses: Analyses) -> Report | None:
    """None while its trace is being read, or waits for its turn.

    Raises:
        TbprofError: The window gives nothing.
    """
    report = stored_report(window)
    if report is not None:
        return report
    assert window.trace_path is not None, "a window without a report has a trace"
    try:
        state, _ = analyses.ask(window.trace_path)
    except Busy:
        # It is asked again, and has room in the queue then.
        return None
    if isinstance(state, Reading):
        return None
    if isinstance(state, Failed):
        raise TraceError(state.sentence)
    return state
