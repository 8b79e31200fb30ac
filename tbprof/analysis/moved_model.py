"""The uploads that move a model to the device, in a window without marked steps.

It has dozens of tensors, and all that the window uploads by its bytes goes up before the first kernel. That
happens once in a process, so that no change of a step makes it shorter.
"""

from __future__ import annotations

import numpy as np

from tbprof.analysis.copy_kinds import DIRECTIONS
from tbprof.analysis.device_work import DeviceWork
from tbprof.analysis.episodes import Episodes
from tbprof.analysis.steps import Steps
from tbprof.trace.columns.arrays import Int64s

_TENSORS = 32
"""Fewer may be the tensors of a batch."""

_NEARLY_ALL = 0.9


def moved_model(episodes: Episodes, work: DeviceWork, steps: Steps) -> Int64s:
    """Positions in `episodes`, none where no model is moved."""
    launched_ns = work.launch_start_ns[work.launched_kernels]
    uploads = np.flatnonzero(episodes.direction == DIRECTIONS.index("HtoD"))
    first = uploads[episodes.start_ns[uploads] < launched_ns.min(initial=np.iinfo(np.int64).max)]
    is_model = (
        not steps.recorded
        and bool(len(launched_ns))
        and len(first) >= _TENSORS
        and int(episodes.bytes[first].sum()) >= _NEARLY_ALL * int(episodes.bytes[uploads].sum())
    )
    moved: Int64s = first if is_model else first[:0]
    return moved
