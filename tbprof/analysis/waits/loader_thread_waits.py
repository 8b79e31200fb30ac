"""Waits of threads that make the batches: a training that takes them from a queue waits along.

Such a thread does not train, and copies to the device from time to time: a pin thread never does, and a
checkpoint writer copies from it. No trace says when the training stood at the queue. It has then nothing
on record, so that what such waits win is at most the time in which no op and no call of the training ran.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tbprof.analysis.arrays.intervals import Intervals, overlap_ns, union
from tbprof.analysis.device.copy_kinds import DIRECTIONS
from tbprof.analysis.events.episodes import Episodes
from tbprof.analysis.events.steps import Steps
from tbprof.trace.columns.arrays import NONE, distinct, is_among


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
