"""A window from the spool to the log directory: checked, with the hook's facts, and its report.

Figures of a window as TensorBoard's own scalars, so that its charts and its exports know them.

They are in a sub-run, `<run>/tbprof`: a second event file in the trainer's own folder would
freeze the trainer's scalars under TensorBoard's Python loader.

The copies that torch-tb-profiler reads, in the folder `classic` of a run.

They can be made again at any time, so they are made last and go first.
"""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import importlib.util
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import mean, median
from typing import Literal, TypeAlias

from tbprof.errors import NotATrace, PublishError, ReportTooLarge, TraceError, TraceNotReadable
from tbprof.file_names import (
    BROKEN_SUFFIX,
    CLASSIC_SUFFIX,
    FACTS_SUFFIX,
    INPUTS_SUFFIX,
    RAW_SUFFIX,
    REPORT_SUFFIX,
)
from tbprof.model import HookFacts, Report
from tbprof.records import dataclass
from tbprof.report import build_report
from tbprof.safe_open import content_of, content_within
from tbprof.store.codec import encode_report
from tbprof.store.files import appearing, remove_abandoned_parts, write_whole
from tbprof.store.retention import CLASSIC_FOLDER, Limits, keep_within
from tbprof.trace.export.classic_mark import is_classic_copy
from tbprof.trace.export.classic_writer import write_classic
from tbprof.trace.export.published_trace import merge_facts, verify, with_inputs
from tbprof.trace.importers.sniffing import is_of_torch
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
        # The trace says why it has no report.
        with contextlib.suppress(ReportTooLarge):
            write_whole(report_path, encode_report(report, written_by=__version__, made_of=made_of))
    return report


def _facts_json(facts: Path, inputs: Path) -> bytes | None:
    """None where the hook wrote none; empty for what can't be read, which counts as damaged."""
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


SUB_RUN = "tbprof"

_NS_PER_MS = 1e6


def write_scalars(report: Report, run_folder: Path) -> None:
    """Add the figures at the trainer's step; of several ranks the first speaks.

    Each window has an event file of its own, which appears whole: TensorBoard goes on to the
    next file by its name, and would stop at a record that was cut off.

    Raises:
        OSError: The file can't be written.
    """
    facts = report.facts
    if facts is None or facts.rank not in (None, 0):
        return
    # Importing it takes 0.3 s, and no other command wants it.
    from tensorboard.summary.writer import event_file_writer

    now_s = time.time()
    version = event_file_writer.event_pb2.Event(wall_time=now_s, file_version="brain.Event:2")
    figures = event_file_writer.event_pb2.Event(wall_time=now_s, step=facts.first_step)
    for tag, value in scalars_of(report, facts).items():
        figures.summary.value.add(tag=tag, simple_value=value)
    folder = run_folder / SUB_RUN
    folder.mkdir(parents=True, exist_ok=True)
    stem = parse_window_name(Path(report.trace.path).name).stem
    name = f"events.out.tfevents.{int(now_s):010d}.{stem}.{facts.first_step:012d}"
    with appearing(folder / name) as file:
        records = event_file_writer.RecordWriter(file)
        for event in (version, figures):
            records.write(event.SerializeToString())


def scalars_of(report: Report, facts: HookFacts) -> dict[str, float]:
    """Figures a step by their tags; what was not recorded is left out."""
    return dict(_figures(report, facts))


def _figures(report: Report, facts: HookFacts) -> Iterator[tuple[str, float]]:
    warm = [step for step in report.steps if not step.cold]
    if facts.unprofiled_step_ns is not None:
        yield "step_time_ms", facts.unprofiled_step_ns / _NS_PER_MS
    if not warm:
        return
    yield "profiled_step_time_ms", median(step.length_ns for step in warm) / _NS_PER_MS
    if report.idle is None:
        # Without a device there is nothing to wait for, and no copy.
        return
    yield "sync_points_per_step", mean(step.sync_points for step in warm)
    yield "wait_ms_per_step", mean(step.wait_ns for step in warm) / _NS_PER_MS
    uploaded = sum(copy.bytes for copy in report.copies if copy.direction == "HtoD")
    yield "h2d_bytes_per_step", uploaded / len(report.steps)
    devices_ns = max(report.devices_ns, 1)
    spoken = report.communication
    exposed_ns = None if spoken is None else spoken.exposed_ns
    # A kernel that waits for another rank looks busy and is not.
    yield "gpu_busy_share", 1 - (report.idle.total.device_ns + (exposed_ns or 0)) / devices_ns
    if exposed_ns is not None:
        yield "exposed_communication_share", exposed_ns / devices_ns
    if report.savings is not None:
        yield "ceiling_ms_per_step", report.savings.ceiling_ns / len(report.steps) / _NS_PER_MS


ClassicChoice: TypeAlias = Literal["auto", "always", "never"]


def is_classic_wanted(choice: ClassicChoice) -> bool:
    """Whether to write copies; "auto": where torch-tb-profiler is installed."""
    if choice == "auto":
        return importlib.util.find_spec("torch_tb_profiler") is not None
    return choice == "always"


def copy_classic(trace: Path, folder: Path) -> Path:
    """Write the copy of a trace into `folder`, which is made if it is not there; its path.

    Raises:
        TraceError: the trace gives nothing, or is of another profiler than torch's.
        OSError: the folder can't be written to.
    """
    if not is_of_torch(trace):
        raise NotATrace(f"{trace} is not of torch.profiler: the standard tab reads no other format")
    is_new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{parse_window_name(trace.name).stem}{CLASSIC_SUFFIX}"
    try:
        with appearing(path) as file:
            write_classic(trace, file)
    except (OSError, TraceError):
        if is_new:
            with contextlib.suppress(OSError):
                folder.rmdir()
        raise
    return path


def remove_classic_copies(run_folder: Path) -> bool:
    """Remove the copies of a run; whether there was one."""
    named = (run_folder / CLASSIC_FOLDER).glob(f"*{CLASSIC_SUFFIX}")
    copies = [path for path in named if is_classic_copy(path)]
    for path in copies:
        path.unlink(missing_ok=True)
    return bool(copies)
