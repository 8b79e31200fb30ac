"""The step of a job without its stragglers, and who and what makes the difference.

Definitions of "Understanding Stragglers in Large Model Training Using What-if Analysis" (OSDI 2025): the step
is replayed with every operation as long as its kind is on average (computing) or in the median (transfers).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from operation_table import OperationTable
from pipeline_schedule import COMPUTING, PEER_KINDS, pipeline_graph
from straggler_analysis import Contribution, Explained, StragglerAnalysis

from tbprof.errors import JobError
from tbprof.job.replay import DependencyGraph, Floats, replay

WORST_SHARE = 0.03
"""Of the ranks: those whose part in the slowdown is M_W."""

MOST_REPLAY_ERROR = 0.05
"""Of a step: where the replay of what was recorded is further off, nothing is concluded from it."""

MOST_CLOCK_ERROR_S = 0.01

_AVERAGED = ("forward-compute", "backward-compute", "gc", "optimizer")
"""Of these kinds the ideal is the mean, as the work is to be divided anew; of the others the median."""

_KIND_NAMES = {kind: f"{kind.partition('-')[0]}-pp-comm" for kind in PEER_KINDS}


def analyze_stragglers(table: OperationTable) -> StragglerAnalysis:
    """Replay the steps of a job.

    Raises:
        JobError: Its operations do not form the schedule of a pipeline, or the replay does not give the
            recorded steps.
    """
    graph = pipeline_graph(table)
    recorded = _transfers_alone(table, graph)
    base = replay(graph, recorded)
    ideal = _idealized(table, base.end - base.ready, recorded)
    ideal_step = replay(graph, ideal).step_time
    end = table.start + table.duration
    recorded_step = (end.max(axis=(0, 1)) - table.start.min(axis=(0, 1))).astype(np.float64)
    _check(recorded_step, base.step_time)
    compare = _Comparison(graph, recorded, ideal, base.step_time, ideal_step)
    kinds = np.array([_KIND_NAMES.get(one.kind, one.kind) for one in table.operations])
    stages = np.array([one.stage for one in table.operations])
    by_stage = {stage: compare.with_recorded((stages == stage)[:, None]) for stage in range(table.stages)}
    replicas = np.arange(table.replicas)
    by_replica = {one: compare.with_recorded(replicas[None] == one) for one in range(table.replicas)}
    worst = _worst(table, by_stage, by_replica)
    return StragglerAnalysis(
        steps=table.steps,
        recorded=recorded_step,
        replayed=base.step_time,
        ideal=ideal_step,
        by_kind={kind: compare.with_recorded((kinds == kind)[:, None]) for kind in np.unique(kinds).tolist()},
        by_stage=by_stage,
        by_replica=by_replica,
        spread_by_kind={kind: _spread(table, kind) for kind in COMPUTING},
        worst_ranks=tuple(worst),
        of_worst_ranks=compare.explained(np.isin(table.ranks, worst)[stages]),
        of_last_stage=compare.explained((stages == table.stages - 1)[:, None]),
    )


def _transfers_alone(table: OperationTable, graph: DependencyGraph) -> Floats:
    """Durations as recorded, those of transfers without the wait for the last rank to be ready."""
    duration = table.duration.copy()
    end = table.start + table.duration
    for unit in graph.units:
        members = list(unit)
        if len(unit) == 1 and unit[0] not in graph.across:
            continue
        last = table.start[members].max(axis=0)
        if unit[0] in graph.across:
            last = last.max(axis=0)
        duration[members] = end[members] - last
        # One that ended before its partner began: clocks differ, or a send was buffered.
        duration[members] = np.where(duration[members] <= -MOST_CLOCK_ERROR_S, 0, duration[members])
    return np.asarray(duration, np.float64)


def _idealized(table: OperationTable, replayed: Floats, recorded: Floats) -> Floats:
    """Every operation as long as those of its kind, over all ranks and steps."""
    ideal: Floats = recorded.copy()
    kinds = np.array([one.kind for one in table.operations])
    for kind in np.unique(kinds).tolist():
        of_kind = kinds == kind
        # Single precision, as the table's: the published figures stand on it.
        median = np.median(recorded[of_kind].astype(np.float32))
        ideal[of_kind] = replayed[of_kind].mean() if kind in _AVERAGED else median
    return ideal


def _spread(table: OperationTable, kind: str) -> float:
    by_stage = [table.duration[table.of(stage, kind)] for stage in range(table.stages)]
    return float(np.mean([durations.std() / durations.mean() for durations in by_stage]))


def _check(recorded: Floats, replayed: Floats) -> None:
    error = float(np.abs(replayed.mean() / recorded.mean() - 1))
    if error > MOST_REPLAY_ERROR:
        raise JobError(
            f"the replay of what was recorded gives a step that is {error:.0%} off: the operations do not "
            "form the schedule that is known, and nothing can be concluded from them"
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Comparison:
    graph: DependencyGraph
    recorded: Floats
    ideal: Floats
    recorded_step: Floats
    ideal_step: Floats

    def with_recorded(self, chosen: npt.NDArray[np.bool_]) -> Contribution:
        """`chosen` has the shape (operations, replicas), or one that extends to it."""
        step = self._step_time(chosen)
        return Contribution(float(step.mean() / self.ideal_step.mean()), step / self.ideal_step)

    def explained(self, chosen: npt.NDArray[np.bool_]) -> Explained:
        return Explained(
            without=float(self._step_time(~chosen).mean()),
            alone=float(self._step_time(chosen).mean()),
            recorded=float(self.recorded_step.mean()),
            ideal=float(self.ideal_step.mean()),
        )

    def _step_time(self, is_recorded: npt.NDArray[np.bool_]) -> Floats:
        duration = np.where(is_recorded[..., None], self.recorded, self.ideal)
        return replay(self.graph, duration).step_time


def _worst(
    table: OperationTable, by_stage: Mapping[int, Contribution], by_replica: Mapping[int, Contribution]
) -> list[int]:
    """A rank counts as much as the lesser of its stage and its replica."""
    score = {
        int(table.ranks[stage, replica]): min(by_stage[stage].slowdown, by_replica[replica].slowdown)
        for stage in by_stage
        for replica in by_replica
    }
    ordered = sorted(score, key=lambda rank: (-score[rank], rank))
    return ordered[: math.ceil(len(score) * WORST_SHARE)]
