"""Figures of a window as TensorBoard's own scalars, so that its charts and its exports know them.

They are in a sub-run, `<run>/tbprof`: a second event file in the trainer's own folder would
freeze the trainer's scalars under TensorBoard's Python loader.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from statistics import mean, median

from tbprof.model import HookFacts, Report
from tbprof.store.files import appearing
from tbprof.window_names import parse_window_name

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
    steps_ns = sum(step.length_ns for step in report.steps) * len(report.idle.by_device)
    spoken = report.communication
    exposed_ns = None if spoken is None else spoken.exposed_ns
    # A kernel that waits for another rank looks busy and is not.
    yield "gpu_busy_share", 1 - (report.idle.total.device_ns + (exposed_ns or 0)) / max(steps_ns, 1)
    if exposed_ns is not None:
        yield "exposed_communication_share", exposed_ns / max(steps_ns, 1)
    if report.savings is not None:
        yield "ceiling_ms_per_step", report.savings.ceiling_ns / len(report.steps) / _NS_PER_MS
