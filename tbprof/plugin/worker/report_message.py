"""What a process is sent of a window, read as its report."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from tbprof.model import Report
from tbprof.store.codec import decode_report
from tbprof.store.windows import stored_report, with_doubt

if TYPE_CHECKING:
    pass
from tbprof.plugin.worker.window_messages import AskedWindow


def report_of(asked: AskedWindow, *, is_one_of_many: bool = False) -> Report | None:
    """The one that came with the question, else the one at hand; None where its trace must be read.

    Raises:
        TbprofError: It can't be used.
    """
    if asked.stored is None:
        return stored_report(asked.window, is_one_of_many=is_one_of_many)
    path = asked.window.trace_path or ""
    report = decode_report(asked.stored, name=path, is_one_of_many=is_one_of_many)
    named = dataclasses.replace(report, trace=dataclasses.replace(report.trace, path=path))
    return with_doubt(asked.window, named)
