"""What each operation of a step waits for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from tbprof.errors import JobError


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
