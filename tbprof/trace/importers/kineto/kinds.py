"""Whether what a file holds is what torch's profiler writes."""

from __future__ import annotations

import numpy as np

from tbprof.errors import NotATrace
from tbprof.trace.columns.arrays import distinct
from tbprof.trace.columns.columns import Category
from tbprof.trace.columns.eras import STEP_PREFIX
from tbprof.trace.importers.kineto.events.decode import Losses
from tbprof.trace.importers.kineto.events.lenient import Loss
from tbprof.trace.importers.kineto.rows import Rows

_NPU_PROCESS = "Ascend Hardware"
"""To which torch_npu's `trace_view.json` gives the rows of a device, without a category."""

_PROFILERS_OWN = "PyTorch Profiler"
"""How the name of the profiler's own span begins, which is of no category either."""

_LEGACY_PROCESSES = frozenset({"CPU functions", "CUDA functions"})
"""Of `torch.autograd.profiler` without Kineto; its rows have no category."""

_XLA_PROCESSES = ("/host:", "/device:")


def name_npu_rows(rows: Rows) -> None:
    """Give the rows of an Ascend NPU their category."""
    on_npu = [rows.process_names.get(process) == _NPU_PROCESS for process, _ in rows.places]
    if any(on_npu):
        category = rows.slices.category
        category[np.array(on_npu)[rows.slices.lane] & (category == Category.OTHER)] = Category.NPU


def check_kinds(path: str, rows: Rows, losses: Losses) -> None:
    """Refuse a file without a row of any category that is known.

    Raises:
        NotATrace: The message says what the file may be, and what to do.
    """
    slices = rows.slices
    if not len(slices):
        raise NotATrace(f"{path} {_without_rows(rows, losses)}.")
    if (slices.category != Category.OTHER).any():
        return
    is_own = np.array([name.startswith(_PROFILERS_OWN) for name in rows.names], bool)
    foreign = int((~is_own[slices.name]).sum())
    if foreign:
        what = f"holds {foreign:,} timed events, and none is torch.profiler's"
        raise NotATrace(f"{path} {what}: {_advice(rows)}.")


def mostly_lost(path: str, losses: Losses) -> NotATrace:
    """The error of a file most of whose events give no record, with the reason of most of them."""
    ((reason, count),) = losses.events.most_common(1)
    return NotATrace(f"{path} is damaged for the most part: {count:,} events {_LOST[reason]}. Record again.")


_LOST: dict[Loss, str] = {
    "damaged": "are no valid JSON",
    "no_time": "have no number as their time",
    "out_of_range": "have times that are too large for microseconds, as torch.profiler writes them",
    "not_an_object": "are no JSON objects",
}


def check_processes(path: str, rows: Rows) -> None:
    """Refuse the files of several processes in one: the steps and calls of all would be taken for one's.

    Raises:
        NotATrace: The message says how many there are, and what to do.
    """
    is_step = np.array([name.startswith(STEP_PREFIX) for name in rows.names], bool)
    if is_step.any():
        slices = rows.slices
        marks = is_step[slices.name] & (slices.category == Category.USER_ANNOTATION)
        processes = {rows.places[lane][0] for lane in distinct(slices.lane[marks]).tolist()}
        if len(processes) > 1:
            what = f"holds the steps of {len(processes)} processes, as of ranks that were put into one file"
            raise NotATrace(f"{path} {what}: read the file of each by itself.")


def _without_rows(rows: Rows, losses: Losses) -> str:
    if lost := losses.events["no_time"] + losses.events["out_of_range"]:
        return (
            f"holds no event whose time can be read, of {lost:,}: torch.profiler writes times as "
            "numbers of microseconds"
        )
    if rows.num_events:
        return (
            f"holds {rows.num_events:,} events, and none with a duration: pairs of begin and end (B and E, "
            "b and e) are not read. Record at least one step with torch.profiler"
        )
    return "holds no timed events: record at least one step"


def _advice(rows: Rows) -> str:
    if not _LEGACY_PROCESSES.isdisjoint(process for process, _ in rows.places):
        return "they are of torch.autograd.profiler without Kineto. Record with torch.profiler"
    if any(name.startswith(_XLA_PROCESSES) for name in rows.process_names.values()):
        return "they look like those of JAX or TensorFlow, which tbprof does not read"
    return (
        'their categories ("cat") are unknown or missing. Record with torch.profiler, or keep what it wrote'
    )
