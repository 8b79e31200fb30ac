"""The report of a window that discovery found: read, or left beside its trace."""

from __future__ import annotations

import dataclasses
import io
from pathlib import Path, PureWindowsPath

from tbprof.errors import ReportError, ReportNotReadable, ReportTooNew, UsageError
from tbprof.file_names import REPORT_SUFFIX
from tbprof.model import HealthFact, Report, Window
from tbprof.remote.placeholders import is_mirrored
from tbprof.safe_open import content_at_hand, content_of, content_within, open_regular, status_of_regular
from tbprof.store.codec import MAX_REPORT_BYTES, decode_report, encode_report, noted_content
from tbprof.store.files import write_whole
from tbprof.store.report_cache import cached_report
from tbprof.version import __version__
from tbprof.window_names import parse_window_name

_READ_BYTES = 64 * 1024
"""At once: of thousands of small files, a buffer for the largest one takes longer to get than to fill."""

_OF_OTHER_TRACE = HealthFact("report_of_other_trace", "warning", {})
_OF_LATER_VERSION = HealthFact("report_of_later_version", "warning", {})
_NOT_BOUND = HealthFact("report_not_bound", "info", {})


def stored_report(window: Window, *, is_one_of_many: bool = False) -> Report | None:
    """The published report, else the cached one, else None: then its trace must be read.

    A published report that a later version wrote, or that was made of another trace than the one beside it,
    by its content or, where that was not noted, by its name, is not used, and what is used in its place says
    so. Of one of many a part may be left out, as `decode_report` says.

    Raises:
        ReportError: There is a published report, it can't be used, and there is no trace.
    """
    published, doubt = None, None
    try:
        published, doubt = _published(window, is_one_of_many=is_one_of_many)
    except ReportNotReadable:
        if window.trace_path is None:
            raise
    if published is not None:
        return _with(published, doubt)
    if window.trace_path is None:
        return None
    cached = cached_report(window.trace_path, is_one_of_many=is_one_of_many)
    return None if cached is None else _with(cached, doubt)


def with_doubt(window: Window, report: Report) -> Report:
    """The report of the window's trace, which says so where another trace's report lies beside that."""
    try:
        published, doubt = _published(window, is_one_of_many=True)
    except ReportError:
        return report
    return _with(report, doubt) if published is None else report


def _published(window: Window, *, is_one_of_many: bool) -> tuple[Report | None, HealthFact | None]:
    """The published report where it is believed, and what to know of it, or of why it is not."""
    if window.report_path is None:
        return None, None
    data = _content(window.report_path)
    doubt = _doubt(data, window.trace_path)
    if doubt is _OF_OTHER_TRACE:
        return None, doubt
    try:
        report = decode_report(data, name=window.report_path, is_one_of_many=is_one_of_many)
    except ReportTooNew:
        if window.trace_path is None:
            raise
        return None, _OF_LATER_VERSION
    if doubt is None or _names_trace(report, window.trace_path):
        return _at(report, window.report_path), doubt
    return None, _OF_OTHER_TRACE


def read_report(path: str) -> Report:
    """Read a published report.

    Raises:
        ReportError: It can't be opened, is damaged, or was written by a later version.
    """
    return _at(decode_report(_content(path), name=path), path)


def _content(path: str) -> bytes:
    try:
        with open_regular(path) as file:
            data = _at_most(file, MAX_REPORT_BYTES + 1)
    except OSError as error:
        raise ReportNotReadable(f"{path} can't be read ({error.strerror}): check its permissions") from error
    if len(data) > MAX_REPORT_BYTES:
        raise ReportNotReadable(f"{path} is larger than any report: it is not one of tbprof's")
    return data


def _at_most(file: io.FileIO, num_bytes: int) -> bytes:
    """The content, or so much of it; the file may grow meanwhile."""
    data = b""
    while len(data) < num_bytes and (more := file.read(min(_READ_BYTES, num_bytes - len(data)))):
        data += more
    return data


def _at(report: Report, path: str) -> Report:
    return dataclasses.replace(report, trace=dataclasses.replace(report.trace, path=path))


def _names_trace(report: Report, trace_path: str | None) -> bool:
    """Whether a report that is bound to no file was made of one that is called like this trace."""
    recorded = PureWindowsPath(report.trace.path).name
    return trace_path is None or _stem(recorded) == _stem(Path(trace_path).name)


def _stem(name: str) -> str:
    return parse_window_name(name).stem


def _doubt(data: bytes, trace_path: str | None) -> HealthFact | None:
    """What to know of a stored report and the trace that lies beside it."""
    if trace_path is None:
        return None
    noted = noted_content(data)
    try:
        size, digest = content_at_hand(trace_path)
    except OSError:
        return _NOT_BOUND
    if noted is None:
        return _NOT_BOUND
    # To compare the rest of a remote trace would be to read it for each report that is shown.
    is_same = noted[0] == size and digest in (None, noted[1])
    return None if is_same else _OF_OTHER_TRACE


def _with(report: Report, doubt: HealthFact | None) -> Report:
    if doubt is None:
        return report
    health = (*report.trace.health, doubt)
    return dataclasses.replace(report, trace=dataclasses.replace(report.trace, health=health))


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
