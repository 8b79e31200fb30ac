"""The report of a window, wherever it comes from: stored, kept, or read now."""

from __future__ import annotations

from tbprof.errors import Busy, TraceError
from tbprof.model import Report, Window
from tbprof.plugin.worker.analyses import Analyses, Failed, Reading, State
from tbprof.store.lookup.windows import stored_report

__all__ = ["report_of_one_of_many", "report_of_window"]


def report_of_window(window: Window, analyses: Analyses) -> Report | None:
    """None while its trace is being read, or waits for its turn.

    Raises:
        TbprofError: The window gives nothing.
    """
    report = stored_report(window)
    if report is not None:
        return report
    try:
        state, _ = analyses.ask(_trace(window))
    except Busy:
        # It is asked again, and has room in the queue then.
        return None
    return _report(state)


def report_of_one_of_many(window: Window, analyses: Analyses) -> Report | None:
    """The same where a whole run is looked at: the rest of it is read behind what others look at alone.

    What only a window's own pages show may be left out.

    Raises:
        TbprofError: The window gives nothing.
    """
    state = analyses.state_of(window.trace_path) if window.report_path is None and window.trace_path else None
    if state is not None:
        return _report(state)
    report = stored_report(window, is_one_of_many=True)
    if report is None:
        analyses.read_later(_trace(window))
    return report


def _trace(window: Window) -> str:
    assert window.trace_path is not None, "a window without a report has a trace"
    return window.trace_path


def _report(state: State) -> Report | None:
    if isinstance(state, Reading):
        return None
    if isinstance(state, Failed):
        raise TraceError(state.sentence)
    return state
