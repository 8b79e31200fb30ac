"""Why a device was idle: every moment of it has exactly one cause.

`queued` comes first (recorded work was queued), then those of `host_states.EMPTY_CAUSES`; what
none of them holds is `unknown` (no host rows there).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from tbprof.analysis.arrays.intervals import Intervals, intersect, overlap_ns, subtract
from tbprof.analysis.events.steps import Steps
from tbprof.analysis.idle.device_idle import IdlePieces
from tbprof.analysis.idle.host_states import EMPTY_CAUSES
from tbprof.trace.columns.columns import Int64s

__all__ = ["CAUSES", "IdleCauses"]

CAUSES = ("queued", *EMPTY_CAUSES, "unknown")


@dataclass(frozen=True, eq=False)
class IdleCauses:
    idle: IdlePieces
    steps: Steps
    states: dict[str, Intervals]

    @cached_property
    def empty(self) -> dict[int, dict[str, Intervals]]:
        """By device and cause: the idle with an empty queue, without overlap and without rest."""
        return {device: self._divided(pieces) for device, pieces in self.idle.empty.items()}

    def per_step_ns(self, device: int) -> dict[str, Int64s]:
        """By cause, one entry a step; together they are the idle of the step."""
        start, end = self.steps.gpu_start_ns, self.steps.gpu_end_ns
        parts = {cause: overlap_ns(pieces, start, end) for cause, pieces in self.empty[device].items()}
        return {"queued": self.idle.by_device[device].queued_ns, **parts}

    def total_ns(self, device: int) -> dict[str, int]:
        """By cause, over all steps; causes that took nothing are left out."""
        totals = {cause: int(ns.sum()) for cause, ns in self.per_step_ns(device).items()}
        return {cause: ns for cause, ns in totals.items() if ns}

    def _divided(self, pieces: Intervals) -> dict[str, Intervals]:
        divided, rest = {}, pieces
        for cause in EMPTY_CAUSES:
            divided[cause] = intersect(rest, self.states[cause])
            rest = subtract(rest, self.states[cause])
        return {**divided, "unknown": rest}
