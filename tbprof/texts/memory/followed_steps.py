"""What followed steps say, and several of one process together."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from tbprof.model import MemoryStep
from tbprof.texts.figures.quantities import count, size

NO_LINE = "before this step, or not by an operator"
"""Of what no line of the step allocated: a batch of a worker process comes as it is."""

_ENOUGH = 3
"""Two may differ by chance."""
_MIN_BYTES = 10_000
"""A step, as for MEM05."""


def growth_sentence(steps: Sequence[MemoryStep]) -> str:
    """That the peak grew from each to the next, and how fast; "" where it did not.

    Args:
        steps: Of one process, in their order.
    """
    pairs = itertools.pairwise(steps)
    if len(steps) < _ENOUGH or any(later.peak_bytes <= one.peak_bytes for one, later in pairs):
        return ""
    first, last = steps[0], steps[-1]
    per_step = (last.peak_bytes - first.peak_bytes) / max(last.step - first.step, 1)
    if per_step < _MIN_BYTES:
        return ""
    device = "the CPU" if last.device == "CPU" else last.device
    peaks = (
        f"{size(first.peak_bytes)} after {count(first.step, 'step')}, {size(last.peak_bytes)} after"
        f" {last.step:,}, and larger in each of the {len(steps)} followed steps of {last.worker}"
    )
    return (
        f"Memory of {device} grows by {size(int(per_step))} a step: the peak was {peaks}. Where what stays is"
        " made, a window with profile_memory=True says (MEM05)."
    )
