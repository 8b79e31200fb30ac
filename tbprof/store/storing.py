"""Reports of traces that somebody asked to be left beside them."""

from __future__ import annotations

from pathlib import Path

from tbprof.errors import UsageError
from tbprof.file_names import REPORT_SUFFIX
from tbprof.model import Report, Window
from tbprof.remote.placeholders import is_mirrored
from tbprof.safe_open import content_of, content_within, status_of_regular
from tbprof.store.codec import MAX_REPORT_BYTES, encode_report, noted_content
from tbprof.store.files import write_whole
from tbprof.version import __version__
from tbprof.window_names import parse_window_name


def store_beside(window: Window, report: Report, *, read_after_ns: int) -> str:
    """Leave the report of a trace beside it, where the tab and all commands find it; one that is there stays.

    Args:
        window: That of the trace.
        report: What was made of it.
        read_after_ns: An instant before the trace was read, since the epoch.

    Returns:
        Why none was left, as a sentence; "" where there is one.

    Raises:
        UsageError: The folder can't be written to, or is remote.
    """
    if window.trace_path is None or window.report_path is not None:
        return ""
    trace = Path(window.trace_path)
    if is_mirrored(trace):
        raise UsageError(f"{trace} is on another host, where no report is left: leave out --store")
    path = trace.with_name(parse_window_name(trace.name).stem + REPORT_SUFFIX)
    try:
        made_of = content_of(trace)
        if path.exists():
            is_its_own = noted_content(content_within(path, MAX_REPORT_BYTES)) == made_of
            return "" if is_its_own else f"{path} is there and not of {trace.name}: rename one of the two"
        status = status_of_regular(trace)
        if max(status.st_mtime_ns, status.st_ctime_ns) >= read_after_ns:
            return f"{trace} changed while it was read, so no report of it was left: run the command again"
        write_whole(path, encode_report(report, written_by=__version__, made_of=made_of))
    except OSError as error:
        raise UsageError(f"{path} can't be written ({error.strerror}): check the folder") from error
    return ""
