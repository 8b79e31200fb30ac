"""The replay itself: over all steps and replicas at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tbprof.job.replay.dependency_graph import DependencyGraph

Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Replayed:
    """Times from the start of the step, shape (operations, replicas, steps), in the unit of the durations."""

    ready: Floats
    """When all that the operation waits for on its own rank had ended."""
    end: Floats

    @property
    def step_time(self) -> Floats:
        """Of each step, from its first operation to its last."""
        latest: Floats = self.end.max(axis=(0, 1)) - self.ready.min(axis=(0, 1))
        return latest


def replay(graph: DependencyGraph, duration: Floats) -> Replayed:
    """Run every step from its beginning.

    Args:
        graph: What waits for what.
        duration: Shape (operations, replicas, steps); of a transfer, how long it takes once all are there.
    """
    ready, end = np.zeros_like(duration), np.empty_like(duration)
    for unit in graph.units:
        for operation in unit:
            if before := graph.after[operation]:
                ready[operation] = end[list(before)].max(axis=0)
        begin = ready[list(unit)].max(axis=0)
        if unit[0] in graph.across:
            begin = np.broadcast_to(begin.max(axis=0), begin.shape)
        for operation in unit:
            end[operation] = begin + duration[operation]
    return Replayed(ready, end)
