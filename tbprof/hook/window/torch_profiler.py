"""Torch's profiler as a window uses it."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable

import torch
from torch.profiler import ProfilerActivity, profile

from tbprof.hook.config.options import RecordOptions
from tbprof.hook.config.schedule import Schedule
from tbprof.hook.safety.missing_facts import MissingFacts
from tbprof.hook.safety.other_profilers import without_announcement

__all__ = ["is_stopped_by_device", "make_profiler"]


def is_stopped_by_device() -> bool:
    """Whether CUPTI has ended the recording by itself."""
    asked = getattr(torch.autograd, "_is_kineto_stopped", None)
    return asked is not None and bool(asked())


def make_profiler(
    schedule: Schedule, options: RecordOptions, export: Callable[[profile], None], missing: MissingFacts
) -> profile:
    """One that records a single cycle of this schedule, and calls `export` at its end.

    Where torch does not tell what it can record, it records the CPU, and that is noted in `missing`.
    """
    with warnings.catch_warnings():
        # torch warns when there is no warm-up; who sets warmup=0 has decided that.
        warnings.simplefilter("ignore")
        steps = torch.profiler.schedule(wait=0, warmup=schedule.warmup, active=schedule.active, repeat=1)
    with without_announcement():
        return profile(
            activities=missing.ask("cuda_activity", _activities, [ProfilerActivity.CPU]),
            schedule=steps,
            on_trace_ready=export,
            experimental_config=torch._C._profiler._ExperimentalConfig(enable_cuda_sync_events=True),
            **dataclasses.asdict(options),
        )


def _activities() -> list[ProfilerActivity]:
    """The CPU and the accelerator that the program uses.

    To ask torch for more would begin to use a device that is there, and processes forked
    afterwards could no longer use it.
    """
    used = []
    if torch.cuda.is_initialized():
        used.append(ProfilerActivity.CUDA)
    if torch.xpu.is_initialized():
        used.append(ProfilerActivity.XPU)
    supported = torch.profiler.supported_activities() if used else ()
    return [ProfilerActivity.CPU, *(activity for activity in used if activity in supported)]
