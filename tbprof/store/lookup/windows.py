"""The report of a window that discovery found."""

from __future__ import annotations

import dataclasses
import io
from pathlib import Path

from tbprof.errors import ReportNotReadable
from tbprof.model import Report, Window
from tbprof.opening import open_regular
from tbprof.store.codec import MAX_REPORT_BYTES, decode_report
from tbprof.store.lookup.cache import cached_report

__all__ = ["read_report", "stored_report", "window_of_report"]


def stored_report(window: Window, *, is_one_of_many: bool = False) -> Report | None:
    """The published report, else the cached one, else None: then its trace must be read.

    Of one of many a part may be left out, as `decode_report` says.

    Raises:
        ReportError: There is a published report, it can't be used, and there is no trace.
    """
    if window.report_path is not None:
        try:
            return read_report(window.report_path, is_one_of_many=is_one_of_many)
        except ReportNotReadable:
            if window.trace_path is None:
                raise
    if window.trace_path is None:
        return None
    return cached_report(window.trace_path, is_one_of_many=is_one_of_many)


def read_report(path: str, *, is_one_of_many: bool = False) -> Report:
    """Read a published report; of one of many a part.

    Raises:
        ReportError: It can't be opened, is damaged, or was written by a later version.
    """
    try:
        with io.BufferedReader(open_regular(path)) as file:
            # It may grow while it is read.
            data = file.read(MAX_REPORT_BYTES + 1)
    except OSError as error:
        raise ReportNotReadable(f"{path} can't be read ({error.strerror}): check its permissions") from error
    if len(data) > MAX_REPORT_BYTES:
        raise ReportNotReadable(f"{path} is larger than any report: it is not one of tbprof's")
    report = decode_report(data, name=path, is_one_of_many=is_one_of_many)
    return dataclasses.replace(report, trace=dataclasses.replace(report.trace, path=path))


def window_of_report(report: Report) -> Window:
    """The place of a report that is shown alone."""
    name = Path(report.trace.path).name
    return Window("", report.trace.worker, name, 0, report.trace.path, report.trace.path, 0)
