"""A window from the spool to the log directory: checked, with the hook's facts, and its report."""

from __future__ import annotations

import contextlib
import dataclasses
import errno
from dataclasses import dataclass
from pathlib import Path

from tbprof import __version__
from tbprof.errors import PublishError, TraceError
from tbprof.file_names import RAW_SUFFIX, REPORT_SUFFIX, parse_window_name
from tbprof.model import Report
from tbprof.report import build_report, merge_facts, verify
from tbprof.store.classic import (
    CLASSIC_FOLDER,
    ClassicChoice,
    copy_classic,
    is_classic_wanted,
    remove_classic_copies,
)
from tbprof.store.codec import encode_report
from tbprof.store.files import appearing, write_whole
from tbprof.store.retention import Limits, keep_within
from tbprof.store.scalars import write_scalars

__all__ = ["Published", "publish_window"]

_FACTS_SUFFIX = ".facts.json"


@dataclass(frozen=True, slots=True)
class Published:
    trace: Path
    report_path: Path
    report: Report


def publish_window(
    spooled: Path, logdir: Path, classic: ClassicChoice = "auto", limits: Limits | None = None
) -> Published:
    """Publish a trace as Kineto wrote it, with the facts beside it, and clear both away.

    The report appears first and the trace after it, each whole: a viewer that looks in
    between never starts to read a trace that has a report.

    Args:
        spooled: `X.pt.trace.json`; the facts are in `X.facts.json`, if there are any.
        logdir: The run's folder; made if it is not there.
        classic: Whether to add a copy for torch-tb-profiler; without room there is none.
        limits: What the run keeps of the windows before this one; None: all.

    Raises:
        TraceError: The trace is not whole; both files stay where they are.
        PublishError: The log directory can't be written to; both files stay.
    """
    verify(spooled)
    stem = parse_window_name(spooled.name).stem
    facts = spooled.with_name(stem + _FACTS_SUFFIX)
    trace_path, report_path = logdir / f"{stem}{RAW_SUFFIX}", logdir / f"{stem}{REPORT_SUFFIX}"
    try:
        logdir.mkdir(parents=True, exist_ok=True)
        try:
            report = _write(spooled, facts, trace_path, report_path)
        except OSError as error:
            if error.errno != errno.ENOSPC or not remove_classic_copies(logdir):
                raise
            report = _write(spooled, facts, trace_path, report_path)
    except OSError as error:
        raise PublishError(
            f"{logdir} can't be written to ({error.strerror}): the window stays at {spooled}"
        ) from error
    # The window is there and whole; its figures as scalars are an extra.
    with contextlib.suppress(OSError):
        write_scalars(report, logdir)
    for left in (spooled, facts):
        left.unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        spooled.parent.rmdir()
    if is_classic_wanted(classic):
        with contextlib.suppress(OSError, TraceError):
            copy_classic(trace_path, logdir / CLASSIC_FOLDER)
    if limits is not None:
        with contextlib.suppress(OSError):
            keep_within(limits, logdir)
    return Published(trace_path, report_path, report)


def _write(spooled: Path, facts: Path, trace_path: Path, report_path: Path) -> Report:
    with appearing(trace_path) as file:
        merge_facts(spooled, file, facts.read_bytes() if facts.exists() else None)
        file.flush()
        report = _report_of(Path(file.name), trace_path)
        write_whole(report_path, encode_report(report, written_by=__version__))
    return report


def _report_of(written: Path, named: Path) -> Report:
    """The report names the file as it will be called, without the folder that it lies in."""
    report = build_report(written)
    return dataclasses.replace(report, trace=dataclasses.replace(report.trace, path=named.name))
