"""The replay itself: over all steps and replicas at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tbprof.errors import JobError

Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Replayed:
    """Times from the start of the step, shape (operations, replicas, steps), in the unit of the durations."""

    ready: Floats
    """When all that the operation waits for on its own rank had ended."""
    end: Floats

    @property
    def step_time(self) -> Floats:
        """The length of each step, from its first operation to its last."""
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


@dataclass(frozen=True, slots=True)
class DependencyGraph:
    """One entry an operation; the same graph holds in every step and every data-parallel replica."""

    after: tuple[tuple[int, ...], ...]
    """The operations whose ends each one waits for."""
    units: tuple[tuple[int, ...], ...]
    """Every operation once, in an order in which they can run. Those of one unit transfer together: none
    begins before all are ready."""
    across: frozenset[int]
    """Operations that are also one with the same operation of all other replicas."""


def dependency_graph(
    after: Sequence[Sequence[int]], together: Sequence[Sequence[int]], across: frozenset[int] = frozenset()
) -> DependencyGraph:
    """Put the operations in order.

    Args:
        after: Of each operation, those that it waits for.
        together: Sets of operations that transfer together; each operation is in at most one.
        across: Those that all replicas do together.

    Raises:
        JobError: Operations wait for each other in a ring.
    """
    unit_of = {operation: tuple(unit) for unit in together for operation in unit}
    sorter: TopologicalSorter[tuple[int, ...]] = TopologicalSorter()
    for operation, before in enumerate(after):
        sorter.add(
            unit_of.get(operation, (operation,)), *(unit_of.get(earlier, (earlier,)) for earlier in before)
        )
    try:
        units = tuple(sorter.static_order())
    except CycleError as error:
        ring = " -> ".join(str(unit) for unit in error.args[1])
        raise JobError(f"operations of the job wait for each other in a ring: {ring}") from error
    return DependencyGraph(tuple(tuple(before) for before in after), units, across)
