"""What makes the steps of a job long, from the table of its operations."""

from __future__ import annotations

from dataclasses import dataclass

from tbprof.job.operations.operation_table import OperationTable
from tbprof.job.operations.straggler_analysis import Contribution, Explained, StragglerAnalysis
from tbprof.texts.stragglers import (
    STRAGGLES_FROM,
    even_sentence,
    fewer_layers_sentence,
    kind_sentence,
    last_stage_sentence,
    steps_sentence,
    uneven_work_sentence,
    worst_ranks_sentence,
)

_S_IN_US = 1e6

_EXPLAINS = 0.5
"""Of a slowdown: who explains more of it is named first."""

_UNEVEN = 0.1
"""Of its mean: durations of one kind on one stage that differ by more are not noise."""


@dataclass(frozen=True, slots=True)
class ContributionRow:
    name: str
    slowdown: float
    """The mean step over the ideal one, with the recorded durations of these operations alone."""


@dataclass(frozen=True, slots=True)
class ExplainedRow:
    ranks: tuple[int, ...]
    without_us: float
    """The mean step with these ranks as they should be."""
    alone_us: float
    """The mean step with only these as recorded."""
    removed_share: float
    """Of the slowdown, what is gone without them."""
    added_share: float


@dataclass(frozen=True, slots=True)
class StepRow:
    step: int
    recorded_us: float
    replayed_us: float
    ideal_us: float


@dataclass(frozen=True, slots=True)
class StragglersView:
    schema: int
    path: str
    sentences: tuple[str, ...]
    """The most important first."""
    ranks: int
    stages: int
    replicas: int
    slowdown: float
    recorded_us: float
    """Of the mean step, as the next ones."""
    replayed_us: float
    ideal_us: float
    by_kind: tuple[ContributionRow, ...]
    """Largest slowdown first, as the next ones."""
    by_stage: tuple[ContributionRow, ...]
    by_replica: tuple[ContributionRow, ...]
    worst_ranks: ExplainedRow
    last_stage: ExplainedRow
    steps: tuple[StepRow, ...]


def stragglers_view(path: str, table: OperationTable, analysis: StragglerAnalysis) -> StragglersView:
    """The view of one table."""
    rows = zip(analysis.steps, analysis.recorded, analysis.replayed, analysis.ideal, strict=True)
    last = tuple(int(rank) for rank in table.ranks[-1])
    return StragglersView(
        schema=1,
        path=path,
        sentences=_sentences(table, analysis),
        ranks=table.ranks.size,
        stages=table.stages,
        replicas=table.replicas,
        slowdown=analysis.slowdown,
        recorded_us=float(analysis.recorded.mean()) * _S_IN_US,
        replayed_us=float(analysis.replayed.mean()) * _S_IN_US,
        ideal_us=float(analysis.ideal.mean()) * _S_IN_US,
        by_kind=_rows(dict(analysis.by_kind)),
        by_stage=_rows({f"stage {stage}": one for stage, one in analysis.by_stage.items()}),
        by_replica=_rows({f"replica {replica}": one for replica, one in analysis.by_replica.items()}),
        worst_ranks=_explained(analysis.worst_ranks, analysis.of_worst_ranks),
        last_stage=_explained(last, analysis.of_last_stage),
        steps=tuple(
            StepRow(step, *(float(seconds) * _S_IN_US for seconds in times)) for step, *times in rows
        ),
    )


def _sentences(table: OperationTable, analysis: StragglerAnalysis) -> tuple[str, ...]:
    steps = steps_sentence(
        len(analysis.steps), table.ranks.size, float(analysis.replayed.mean()) * _S_IN_US, analysis.slowdown
    )
    if analysis.slowdown < STRAGGLES_FROM:
        return (even_sentence(analysis.slowdown), steps)
    kind, most = max(analysis.by_kind.items(), key=lambda one: one[1].slowdown)
    return (*_where(table, analysis), kind_sentence(kind, most.slowdown), steps)


def _where(table: OperationTable, analysis: StragglerAnalysis) -> tuple[str, ...]:
    """Who is slow, or that the work is uneven, the one that explains more first."""
    ranks, stage = analysis.of_worst_ranks, analysis.of_last_stage
    now_us = float(analysis.replayed.mean()) * _S_IN_US
    if ranks.removed_share >= max(_EXPLAINS, stage.removed_share):
        return (worst_ranks_sentence(analysis.worst_ranks, ranks.without * _S_IN_US, now_us),)
    is_stage = table.stages > 1 and stage.removed_share >= _EXPLAINS
    of_stage = (last_stage_sentence(table.stages - 1, stage.without * _S_IN_US, now_us),) if is_stage else ()
    kind, spread = max(analysis.spread_by_kind.items(), key=lambda one: one[1])
    if spread < _UNEVEN:
        return (*of_stage, fewer_layers_sentence()) if is_stage else ()
    return (uneven_work_sentence(kind, spread, float(analysis.ideal.mean()) * _S_IN_US, now_us), *of_stage)


def _rows(some: dict[str, Contribution]) -> tuple[ContributionRow, ...]:
    rows = (ContributionRow(name, one.slowdown) for name, one in some.items())
    return tuple(sorted(rows, key=lambda row: -row.slowdown))


def _explained(ranks: tuple[int, ...], one: Explained) -> ExplainedRow:
    return ExplainedRow(
        ranks, one.without * _S_IN_US, one.alone * _S_IN_US, one.removed_share, one.added_share
    )
