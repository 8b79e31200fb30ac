"""The start of a program that a window without marked steps holds: a model is moved to the device.

It has dozens of tensors, which go up with no kernel launched between them, hardly any before, and little
is uploaded later. Where several ranks train it, one of them then sends it to the others, tensor by tensor.
Both happen once in a process, so that no change of a step makes it shorter.
"""

from __future__ import annotations

import numpy as np

from tbprof.analysis.collectives import Collectives
from tbprof.analysis.copy_kinds import DIRECTIONS
from tbprof.analysis.device_work import DeviceWork
from tbprof.analysis.episodes import Episodes
from tbprof.analysis.steps import Steps
from tbprof.trace.columns.arrays import Int64s, is_among

_TENSORS = 32
"""Fewer may be the tensors of a batch."""

_NEARLY_ALL = 0.9

_HARDLY_ANY = 0.01
"""Setting up ranks and random numbers launches a few kernels."""


def moved_model(episodes: Episodes, work: DeviceWork, steps: Steps) -> Int64s:
    """Positions in `episodes`, none where no model is moved."""
    launched_ns = np.sort(work.launch_start_ns[work.launched_kernels])
    uploads = np.flatnonzero(episodes.direction == DIRECTIONS.index("HtoD"))
    if steps.recorded or not len(launched_ns) or len(uploads) < _TENSORS:
        return uploads[:0]
    # Uploads between which nothing was launched have as many kernels before them.
    kernels_before = np.searchsorted(launched_ns, episodes.start_ns[uploads])
    total_bytes = np.bincount(kernels_before, episodes.bytes[uploads])
    largest = int(total_bytes.argmax())
    moved: Int64s = uploads[kernels_before == largest]
    is_model = (
        largest <= _HARDLY_ANY * len(launched_ns)
        and len(moved) >= _TENSORS
        and total_bytes[largest] >= _NEARLY_ALL * total_bytes.sum()
    )
    return moved if is_model else moved[:0]


def sending_model(moved: Int64s, episodes: Episodes, collectives: Collectives, work: DeviceWork) -> Int64s:
    """Positions in `collectives` of those that follow the moved model, before anything is computed."""
    if not len(moved):
        return moved
    moved_ns = int(episodes.end_ns[moved].max())
    launched = work.launched_kernels
    computed_ns = work.launch_start_ns[launched[~is_among(launched, collectives.at)]]
    first_ns = computed_ns[computed_ns >= moved_ns].min(initial=np.iinfo(np.int64).max)
    launch_ns = work.launch_start_ns[collectives.at]
    found: Int64s = np.flatnonzero((launch_ns >= moved_ns) & (launch_ns < first_ns))
    return found
