"""A window from the spool to the log directory: checked, with the hook's facts, and its report."""

from __future__ import annotations

import contextlib
import dataclasses
import errno
from pathlib import Path
from typing import Literal, TypeAlias

from tbprof.errors import PublishError, ReportTooLarge, TraceError, TraceNotReadable
from tbprof.file_names import BROKEN_SUFFIX, FACTS_SUFFIX, INPUTS_SUFFIX, RAW_SUFFIX, REPORT_SUFFIX
from tbprof.model import Report
from tbprof.records import dataclass
from tbprof.report import build_report
from tbprof.safe_open import content_of, content_within
from tbprof.store.codec import encode_report
from tbprof.store.files import appearing, remove_abandoned_parts, write_whole
from tbprof.store.publishing.classic import (
    CLASSIC_FOLDER,
    ClassicChoice,
    copy_classic,
    is_classic_wanted,
    remove_classic_copies,
)
from tbprof.store.publishing.retention import Limits, keep_within
from tbprof.store.publishing.scalars import SUB_RUN, write_scalars
from tbprof.trace_writing import merge_facts, verify, with_inputs
from tbprof.version import __version__
from tbprof.window_names import parse_window_name

Source: TypeAlias = Literal["spool", "move", "keep"]
"""They are the hook's own, and go with the folder that they leave empty; they go; or they stay."""

_MOST_FACTS_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Published:
    trace: Path
    report_path: Path
    report: Report


def publish_window(
    spooled: Path,
    logdir: Path,
    classic: ClassicChoice = "auto",
    limits: Limits | None = None,
    source: Source = "spool",
) -> Published:
    """Publish a trace as Kineto wrote it, with the facts beside it.

    The report appears first and the trace after it, each whole: a viewer that looks in
    between never starts to read a trace that has a report.

    Args:
        spooled: `X.pt.trace.json`; the facts are in `X.facts.json`, if there are any.
        logdir: The run's folder; made if it is not there.
        classic: Whether to add a copy for torch-tb-profiler; without room there is none.
        limits: What the run keeps of the windows before this one; None: all.
        source: What becomes of these files: see `Source`.

    Raises:
        TraceError: The trace is not whole, and in the spool is called `X.broken` from now on; or it can't be
            read now, and both files stay.
        PublishError: The log directory can't be written to; both files stay.
    """
    stem = parse_window_name(spooled.name).stem
    facts, inputs = facts_of(spooled), spooled.with_name(stem + INPUTS_SUFFIX)
    trace_path, report_path = logdir / f"{stem}{RAW_SUFFIX}", logdir / f"{stem}{REPORT_SUFFIX}"
    _verify_or_set_aside(spooled, spooled.with_name(stem + BROKEN_SUFFIX) if source == "spool" else None)
    try:
        member = _facts_json(facts, inputs)
        report = _write_with_room(spooled, member, trace_path, report_path)
    except OSError as error:
        raise PublishError(
            f"{logdir} can't be written to ({error.strerror}): the window stays at {spooled}"
        ) from error
    if source != "keep":
        _clear_away((spooled, facts, inputs), is_spool=source == "spool")
    _finish(Published(trace_path, report_path, report), classic, limits)
    return Published(trace_path, report_path, report)


def facts_of(spooled: Path) -> Path:
    """Where the hook's facts of a spooled trace are, if it wrote any."""
    return spooled.with_name(parse_window_name(spooled.name).stem + FACTS_SUFFIX)


def _verify_or_set_aside(spooled: Path, aside: Path | None) -> None:
    """A broken trace is broken the next time as well: nobody is to try again."""
    try:
        verify(spooled)
    except TraceNotReadable:
        raise
    except TraceError:
        if aside is not None:
            with contextlib.suppress(OSError):
                spooled.rename(aside)
        raise


def _clear_away(files: tuple[Path, ...], *, is_spool: bool) -> None:
    """The window is there and whole; that its sources are gone may fail without it."""
    with contextlib.suppress(OSError):
        for left in files:
            left.unlink(missing_ok=True)
        if is_spool:
            files[0].parent.rmdir()


def _finish(published: Published, classic: ClassicChoice, limits: Limits | None) -> None:
    """What follows when the window is there and whole: each of it may fail without the others."""
    logdir = published.trace.parent
    with contextlib.suppress(OSError):
        write_scalars(published.report, logdir)
    if is_classic_wanted(classic):
        with contextlib.suppress(OSError, TraceError):
            copy_classic(published.trace, logdir / CLASSIC_FOLDER)
    if limits is not None:
        with contextlib.suppress(OSError):
            keep_within(limits, logdir)


def _write_with_room(spooled: Path, facts: bytes | None, trace_path: Path, report_path: Path) -> Report:
    """Write the window; on a full disk once more, without the copies that can be made again."""
    logdir = trace_path.parent
    logdir.mkdir(parents=True, exist_ok=True)
    for folder in (logdir, logdir / CLASSIC_FOLDER, logdir / SUB_RUN):
        remove_abandoned_parts(folder)
    try:
        return _write(spooled, facts, trace_path, report_path)
    except OSError as error:
        if error.errno != errno.ENOSPC or not remove_classic_copies(logdir):
            raise
        return _write(spooled, facts, trace_path, report_path)


def _write(spooled: Path, facts: bytes | None, trace_path: Path, report_path: Path) -> Report:
    with appearing(trace_path) as file:
        merge_facts(spooled, file, facts)
        file.flush()
        report = _report_of(Path(file.name), trace_path)
        made_of = content_of(file.name)
        # Whoever reads the trace is told why it has no report.
        with contextlib.suppress(ReportTooLarge):
            write_whole(report_path, encode_report(report, written_by=__version__, made_of=made_of))
    return report


def _facts_json(facts: Path, inputs: Path) -> bytes | None:
    """None where the hook wrote none; of what can't be read nothing, which is told as damaged."""
    try:
        written = content_within(facts, _MOST_FACTS_BYTES)
        return with_inputs(written, inputs) if inputs.exists() else written
    except FileNotFoundError:
        return None
    except OSError:
        return b""


def _report_of(written: Path, named: Path) -> Report:
    """The report names the file as it will be called, without the folder that it lies in."""
    report = build_report(written)
    return dataclasses.replace(report, trace=dataclasses.replace(report.trace, path=named.name))
