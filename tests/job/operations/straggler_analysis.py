"""What a table of operations says of a job's stragglers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tbprof.job.replay import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Contribution:
    """The ideal step with the recorded durations of one kind, stage or replica put back."""

    slowdown: float
    """Mean step over the mean ideal one: S_t, S_w."""
    by_step: Floats


@dataclass(frozen=True, slots=True)
class Explained:
    """How much of the slowdown some ranks explain. Seconds of a mean step."""

    without: float
    """As recorded, with these ranks as they should be."""
    alone: float
    """As it should be, with these ranks as recorded."""
    recorded: float
    ideal: float

    @property
    def removed_share(self) -> float:
        """Of the slowdown, the part that is gone without them: M_W, M_S."""
        return (self.recorded - self.without) / (self.recorded - self.ideal)

    @property
    def added_share(self) -> float:
        return (self.alone - self.ideal) / (self.recorded - self.ideal)


@dataclass(frozen=True, slots=True, eq=False)
class StragglerAnalysis:
    """Steps as in `steps`; seconds."""

    steps: tuple[int, ...]
    recorded: Floats
    replayed: Floats
    """Without the delays between operations, which the table does not explain."""
    ideal: Floats
    by_kind: Mapping[str, Contribution]
    by_stage: Mapping[int, Contribution]
    by_replica: Mapping[int, Contribution]
    spread_by_kind: Mapping[str, float]
    """Of computing: the standard deviation of its durations on the same stage over their mean. Micro-batches
    of one size take equally long there."""
    worst_ranks: tuple[int, ...]
    """Those that slow the job most, a small share of all."""
    of_worst_ranks: Explained
    of_last_stage: Explained

    @property
    def slowdown(self) -> float:
        """S: the mean step over the mean ideal one."""
        return float(self.replayed.mean() / self.ideal.mean())
