"""The host threads that make the training wait when they wait.

They are the threads that carry the steps, those that run autograd, and every thread with a real
share, `REAL_SHARE`, of the launches of kernels or of the optimizer's ranges. Where steps are marked, a
thread that launches only to streams of its own works beside the training (a prefetcher that prepares
batches on the GPU). Where none are, nothing else says who trains, so a real share of the data loader's
ranges or of the blocking copies makes a thread one of them as well.

They hand over to each other. Waits of all others (a pin thread, a checkpoint writer) hold up nobody.

Waits of threads that make the batches: a training that takes them from a queue waits along.

Such a thread does not train, and copies to the device from time to time: a pin thread never does, and a
checkpoint writer copies from it. No trace says when the training stood at the queue. It has then nothing
on record, so that what such waits win is at most the time in which no op and no call of the training ran.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tbprof.analysis.attribution.annotations import LOADER
from tbprof.analysis.copy_kinds import DIRECTIONS
from tbprof.analysis.device_work import DeviceWork
from tbprof.analysis.episodes import Episodes
from tbprof.analysis.intervals import Intervals, overlap_ns, union
from tbprof.analysis.names import matching_rows
from tbprof.analysis.steps import Steps
from tbprof.trace.columns.arrays import NONE, distinct, is_among
from tbprof.trace.columns.columns import Category, Trace

REAL_SHARE = 0.1
"""A forward pass launches about a third of a step's kernels, autograd the rest; what a side thread
launches (a copy of a batch, a checkpoint) is a few in a thousand."""

_AUTOGRAD = r"autograd::engine::evaluate_function"
_OPTIMIZER = r"Optimizer\.(?:step|zero_grad)"

_Lanes = npt.NDArray[np.integer]


def find_training_threads(
    trace: Trace, work: DeviceWork, steps: Steps, episodes: Episodes
) -> tuple[int, ...]:
    """Indices into `Trace.lanes`, ascending."""
    lane, ranges = trace.slices.lane, (Category.CPU_OP, Category.USER_ANNOTATION)
    sure = {*steps.lanes, *lane[matching_rows(trace, _AUTOGRAD, Category.CPU_OP)].tolist()}
    shares = [_launching(trace, work, sure if steps.recorded else set())]
    shares.append(lane[matching_rows(trace, _OPTIMIZER, *ranges)])
    if not steps.recorded:
        copies = episodes.blocking & episodes.is_copy
        shares += [lane[matching_rows(trace, LOADER, *ranges)], episodes.lane[copies]]
    return tuple(sorted(sure.union(*(_with_real_share(lanes) for lanes in shares))))


def _launching(trace: Trace, work: DeviceWork, sure: set[int]) -> _Lanes:
    """The lane of each launch of a kernel; where some lanes are sure, only of those to their streams."""
    launched, kernels = np.flatnonzero(work.launch != NONE), work.launched_kernels
    if not sure:
        lanes: _Lanes = trace.slices.lane[work.launch[kernels if len(kernels) else launched]]
        return lanes
    of_kernels = trace.slices.lane[work.launch[kernels]]
    shared = distinct(work.place[kernels[is_among(of_kernels, list(sure))]])
    to_shared: _Lanes = of_kernels[is_among(work.place[kernels], shared)]
    return to_shared


def _with_real_share(lanes: _Lanes) -> list[int]:
    """The lanes that had a real share of something, given one entry each time it happened."""
    found, count = np.unique(lanes, return_counts=True)
    real: list[int] = found[count >= REAL_SHARE * len(lanes)].tolist()
    return real


def loader_thread_waits(episodes: Episodes, lanes: tuple[int, ...]) -> npt.NDArray[np.bool_]:
    """For each episode whether it blocked, in a step, a thread that feeds those of the training (`lanes`)."""
    held_up = episodes.blocking & (episodes.step != NONE) & ~is_among(episodes.lane, lanes)
    uploads = held_up & (episodes.direction == DIRECTIONS.index("HtoD"))
    feeds: npt.NDArray[np.bool_] = held_up & is_among(episodes.lane, distinct(episodes.lane[uploads]))
    return feeds


def silent_ns(in_torch: Intervals, steps: Steps) -> int:
    """How long, in the steps, no training thread was in an operator or a call."""
    inside: Intervals = union(steps.start_ns, steps.end_ns)
    covered = overlap_ns(in_torch, inside.start_ns, inside.end_ns)
    return int((inside.end_ns - inside.start_ns - covered).sum())
