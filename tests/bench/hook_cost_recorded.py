"""What the hook itself does within recorded steps, beside what torch's profiler does there."""

from __future__ import annotations

import sys
import tempfile
import types
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import thread_time
from unittest.mock import patch

import torch
from torch import Tensor

import tbprof

sys.path.append(str(Path(__file__).parents[1] / "hook"))

from stand_in_cuda import StandInCuda

SCHEDULE = tbprof.Schedule(skip_first=20, warmup=2, active=50)
FIRST = SCHEDULE.first_start + SCHEDULE.warmup - 1
"""The call of `step()` in which the first recorded step begins, counted from 0."""
LAST = SCHEDULE.steps_needed - 1
"""The call in which the last one ends."""

GRAPH_BREAKS = 200
"""Kinds of them that Dynamo has counted: more than a large program has."""


@dataclass
class StepTimes:
    """Of one call of the hook's `step()`, the CPU time on both sides of the profiler's own."""

    before_s: float = 0.0
    after_s: float = 0.0
    _resumed_s: float = field(default_factory=thread_time)

    def hand_over(self) -> None:
        self.before_s = thread_time() - self._resumed_s

    def take_back(self) -> None:
        self._resumed_s = thread_time()

    def end(self) -> None:
        self.after_s = thread_time() - self._resumed_s


def own_times_in_recorded_steps() -> list[float]:
    """Seconds of the hook's own code in each recorded step, without those in the profiler's `step()`."""
    times: list[StepTimes] = []
    torch_step = torch.profiler.profile.step

    def step(profiler: torch.profiler.profile) -> None:
        times[-1].hand_over()
        torch_step(profiler)
        times[-1].take_back()

    with tempfile.TemporaryDirectory() as folder, patch.object(torch.profiler.profile, "step", step):
        logdir, spool = Path(folder) / "logs", Path(folder) / "spool"
        with tbprof.TrainerHook(logdir, schedule=SCHEDULE, spool=spool) as hook:
            for _ in range(SCHEDULE.steps_needed):
                torch.ones(8).sum()
                times.append(StepTimes())
                hook.step()
                times[-1].end()
            hook.close(wait_s=120)
    # A step begins behind the profiler's call and ends before the next one.
    return [
        begun.after_s + ended.before_s
        for begun, ended in zip(times[FIRST:LAST], times[FIRST + 1 : LAST + 1], strict=True)
    ]


@contextmanager
def on_cpu() -> Iterator[None]:
    yield


@contextmanager
def with_gpu_that_is_played() -> Iterator[None]:
    """What the stand-in takes for its answers counts as the hook's."""
    replaced: list[tuple[object, str, object]] = []

    def put(target: object, name: str, value: object, *, raising: bool = True) -> None:
        assert not raising or hasattr(target, name)
        replaced.append((target, name, getattr(target, name, None)))
        setattr(target, name, value)

    StandInCuda().install(types.SimpleNamespace(setattr=put))
    try:
        yield
    finally:
        for target, name, value in reversed(replaced):
            setattr(target, name, value)


@contextmanager
def with_compiled_code() -> Iterator[None]:
    """A GPU that is played, and a program that has been compiled."""
    import torch._dynamo.utils

    @torch.compile(backend="eager")
    def double(x: Tensor) -> Tensor:
        return x * 2

    double(torch.ones(2))
    counted = torch._dynamo.utils.counters["graph_break"]
    counted.update({f"a reason ({number})": 1 for number in range(GRAPH_BREAKS)})
    with with_gpu_that_is_played():
        yield


SURROUNDINGS: dict[str, Callable[[], AbstractContextManager[None]]] = {
    "on a CPU": on_cpu,
    "with a GPU that is played": with_gpu_that_is_played,
    f"the same with torch.compile and {GRAPH_BREAKS} kinds of graph breaks": with_compiled_code,
}
