"""What is measured and counted while a window is recorded."""

from __future__ import annotations

import gc
import sys
from collections.abc import Mapping
from itertools import pairwise

import torch

from tbprof.hook.safety.compiled_code import dynamo_counts
from tbprof.hook.safety.cuda_device import device_in_use
from tbprof.hook.safety.guard import MissingFacts
from tbprof.hook.step_clock import StepClock
from tbprof.hook.window.facts import WindowFacts
from tbprof.model import GarbageCollections, StepCounts


class WindowMeasurements:
    """The numbers of the window that is recorded now."""

    def __init__(self, clock: StepClock) -> None:
        self._clock = clock
        self.begun_by = ""
        """Why the window is recorded."""
        self.missing = MissingFacts()
        """What could not be had for this window."""
        self._counted: list[dict[str, int]] = []
        """Before the first recorded step, and at the end of each."""
        self._allocated_before: dict[str, int] = {}
        self._phases_left_out: dict[str, None] = {}

    def begin(self, begun_by: str) -> None:
        """A window begins, for this reason."""
        self.begun_by = begun_by
        self.missing.clear()
        self._clock.device.interrupt()
        self._phases_left_out.clear()
        self.count_from_here()

    def count_from_here(self) -> None:
        """What was counted until now belongs to the warm-up; `count` follows."""
        self._clock.profiled_ns.clear()
        self._counted.clear()
        self._allocated_before = allocated(self.missing)

    def count(self) -> None:
        """One step is over and the next has not begun."""
        self._counted.append(counted(self.missing))

    def end_step(self, duration_ns: int) -> None:
        """A recorded step is over, which took so long."""
        self._clock.profiled_ns.append(duration_ns)

    def leave_out(self, phase: str | None) -> None:
        """Something of this name comes that belongs to no step, or with None, it is over."""
        self._clock.device.interrupt()
        if phase is not None:
            self._phases_left_out[phase] = None

    def facts(
        self,
        window: int,
        recorded_steps: int,
        steps_taken: int,
        phase: str,
        profiler_start_ns: int | None,
        collections: GarbageCollections | None,
        *,
        is_undisturbed: bool,
    ) -> WindowFacts:
        """The numbers of a window that is over.

        Args:
            window: its number.
            recorded_steps: whole steps in it.
            steps_taken: steps of the training that are over.
            phase: what the steps are, "training" or "inference".
            profiler_start_ns: how long the profiler's start held the training up.
            collections: when garbage was collected meanwhile.
            is_undisturbed: whether no other profiler can have slowed down the steps outside it.
        """
        unprofiled, device = self._clock.unprofiled, self._clock.device
        device_step_ns = device.step_ns
        if device.fault is not None:
            self.missing.note("device_step_time", device.fault)
        counted_before = {**self._counted[0], **self._allocated_before}
        counted_last = {**self._counted[-1], **allocated(self.missing)}
        return WindowFacts(
            window=window,
            begun_by=self.begun_by,
            phase=phase,
            phases_left_out=tuple(self._phases_left_out),
            first_step=steps_taken - recorded_steps,
            recorded_steps=recorded_steps,
            unprofiled_step_ns=unprofiled.median_ns if is_undisturbed else None,
            unprofiled_quartiles_ns=unprofiled.quartiles_ns if is_undisturbed else (),
            unprofiled_device_step_ns=device_step_ns if is_undisturbed else None,
            cold_steps_ns=unprofiled.cold_ns,
            profiled_step_ns=self._clock.median_profiled_ns,
            counters=growth(counted_before, counted_last),
            step_counters=tuple(_step_counts(*ends) for ends in pairwise(self._counted)),
            profiler_start_ns=profiler_start_ns,
            collections=collections,
        )


def _step_counts(before: dict[str, int], after: dict[str, int]) -> StepCounts:
    """What has grown from the end of one step to that of the next."""
    return StepCounts({name: count for name, count in growth(before, after).items() if count})


_ALLOCATOR = ("num_alloc_retries", "num_ooms", "num_device_alloc", "num_device_free")


def counted(missing: MissingFacts) -> dict[str, int]:
    """What costs some us to ask for, as it is now: `gc.full`, and `dynamo.*` where it is loaded."""
    return {
        **missing.ask("gc_counts", _collections, {}),
        **missing.ask("compiler_counts", _compiled, {}),
    }


def allocated(missing: MissingFacts) -> dict[str, int]:
    """`allocator.*` on CUDA, as it is now; torch collects all of its statistics for it, so not in a step."""
    return missing.ask("allocator_counts", _allocations, {})


def growth(before: Mapping[str, int], after: Mapping[str, int]) -> dict[str, int]:
    """How much each count has grown; one that has just come up began at 0."""
    return {name: count - before.get(name, 0) for name, count in after.items()}


def _collections() -> dict[str, int]:
    return {"gc.full": gc.get_stats()[2]["collections"]}


def _compiled() -> dict[str, int]:
    # Only what is loaded is asked: importing the compiler takes seconds.
    if "torch._dynamo.utils" not in sys.modules:
        return {}
    return {
        "dynamo.graphs": dynamo_counts("stats")["unique_graphs"],
        "dynamo.frames": dynamo_counts("frames")["total"],
        "dynamo.graph_breaks": sum(dynamo_counts("graph_break").values()),
    }


def _allocations() -> dict[str, int]:
    device = device_in_use()
    if device is None:
        return {}
    # Not `memory_stats`, which sorts a hundred figures more in Python.
    statistics = torch.cuda.memory_stats_as_nested_dict(device)
    # Older versions of torch lack some of them.
    return {f"allocator.{name}": statistics[name] for name in _ALLOCATOR if name in statistics}
