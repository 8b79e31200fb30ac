"""What waits for what in a step of a pipelined job, from the order in which its operations ran.

After the dependency model of "Understanding Stragglers in Large Model Training Using What-if Analysis"
(OSDI 2025, section 3): computing of a stage runs in the order recorded, each of the four kinds of sends and
receives on a stream of its own, a receive feeds the computing of the same number, a send follows it; then
the gradients are reduced, the optimizer steps, and all ranks meet once.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from operation_table import Operation, OperationTable

from tbprof.errors import JobError
from tbprof.job.replay import DependencyGraph, dependency_graph

FORWARD, BACKWARD = "forward-compute", "backward-compute"
COMPUTING = (FORWARD, BACKWARD)
PEER_KINDS = ("forward-send", "forward-recv", "backward-send", "backward-recv")
GATHER, SCATTER = "params-all-gather", "grads-reduce-scatter"
NORM, EMBEDDING = "layernorm-grads-all-reduce", "embedding-grads-all-reduce"
COLLECTION, CLIP, OPTIMIZER = "gc", "optimizer-clip-main-grad", "optimizer"
KINDS = frozenset({*COMPUTING, *PEER_KINDS, GATHER, SCATTER, NORM, EMBEDDING, COLLECTION, CLIP, OPTIMIZER})
"""Of operations that the schedule knows."""

_ACROSS_REPLICAS = (GATHER, SCATTER, CLIP)


def pipeline_graph(table: OperationTable) -> DependencyGraph:
    """The graph of one step.

    Raises:
        JobError: The table has operations that the schedule does not know, or too few sends or receives.
    """
    if unknown := {one.kind for one in table.operations} - KINDS:
        kinds = ", ".join(sorted(unknown))
        raise JobError(f"the table has operations of a kind that can't be replayed: {kinds}")
    after: list[list[int]] = [[] for _ in table.operations]
    for stage in range(table.stages):
        _computing_and_peers(table, stage, after)
        _gradients_and_optimizer(table, stage, after)
    across = frozenset(at for at, one in enumerate(table.operations) if one.kind in _ACROSS_REPLICAS)
    return dependency_graph(after, _together(table), across)


def _chain(after: list[list[int]], operations: Sequence[int]) -> None:
    for earlier, later in pairwise(operations):
        after[later].append(earlier)


def _computing_and_peers(table: OperationTable, stage: int, after: list[list[int]]) -> None:
    computing = table.of(stage, *COMPUTING)
    _chain(after, computing)
    for kind in PEER_KINDS:
        peers = table.of(stage, kind)
        _chain(after, peers)
        direction, _, way = kind.partition("-")
        same = table.of(stage, f"{direction}-compute")
        if len(peers) not in (0, len(same)):
            counts = f"{len(peers)} {kind} for {len(same)} {direction}-compute"
            raise JobError(f"stage {stage} has {counts} in a step: each computing needs its own")
        for number, peer in enumerate(peers):
            if way == "send":
                after[peer].append(same[number])
            else:
                after[same[number]].append(peer)
                after[peer] += same[number - 1 : number] if number else []
        if direction == "backward" and peers:
            after[peers[0]] += _second_before_backward(table, computing)


def _second_before_backward(table: OperationTable, computing: list[int]) -> list[int]:
    """Backward communication is posted with the last forward before the first backward."""
    kinds = [table.operations[at].kind for at in computing]
    first = kinds.index(BACKWARD)
    return computing[first - 2 : first - 1] if first >= 2 else []


def _gradients_and_optimizer(table: OperationTable, stage: int, after: list[list[int]]) -> None:
    computing = table.of(stage, *COMPUTING)
    gathers, scatters = table.of(stage, GATHER), table.of(stage, SCATTER)
    _chain(after, table.of(stage, GATHER, SCATTER))
    for chunk in {table.chunk[at] for at in gathers}:
        first = next(
            at for at in computing if table.operations[at].kind == FORWARD and table.chunk[at] == chunk
        )
        after[first].append([at for at in gathers if table.chunk[at] == chunk][-1])
    ends = table.start[computing, 0, 0] + table.duration[computing, 0, 0]
    tail = [computing[int(np.argmax(ends))]]
    for kind in (COLLECTION, NORM, EMBEDDING):
        tail += table.of(stage, kind)
    _chain(after, [*tail, *scatters, *table.of(stage, CLIP), *table.of(stage, OPTIMIZER)])


def _together(table: OperationTable) -> list[list[int]]:
    """Which operations of a replica are one: a send with its receive, and what stages do together."""
    index = {one: at for at, one in enumerate(table.operations)}
    units = [[at] for at, one in enumerate(table.operations) if one.kind in (GATHER, SCATTER)]
    units += [[at for one, at in index.items() if one.kind == kind] for kind in (EMBEDDING, CLIP)]
    for one, at in index.items():
        if one.kind.endswith("-send"):
            towards = 1 if one.kind.startswith("forward") else -1
            peer = Operation(one.stage + towards, one.kind.replace("send", "recv"), one.number)
            if peer not in index:
                raise JobError(f"{one} has no receive at stage {peer.stage}")
            units.append([at, index[peer]])
    return [unit for unit in units if unit]
