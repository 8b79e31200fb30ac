"""One window with the hook and with torch's own handler, an audit step, and steps that do nothing."""

from __future__ import annotations

import gc
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import thread_time

import torch
from torch.profiler import ProfilerActivity, profile, tensorboard_trace_handler

import tbprof
from tbprof.hook.audit.audit import AuditStep
from tbprof.hook.safety.guard import MissingFacts
from tbprof.hook.window import module_marks
from tbprof.hook.window.module_marks import ModuleMarks
from tbprof.hook.window.post_window import SETTLE_STEPS

SCHEDULE = tbprof.Schedule(skip_first=2, warmup=3, active=5)
FIRST_RECORDED = SCHEDULE.first_start + SCHEDULE.warmup
LAST_RECORDED = SCHEDULE.steps_needed - 1
AUDIT_STEPS = 2
STEPS = SCHEDULE.steps_needed + AUDIT_STEPS + SETTLE_STEPS + 1
IDLE_STEPS = 100_000
WARM_UP = 3
PAIRS = 23
"""20 of them count."""


def hook_window(training_step: Callable[[], None], folder: Path) -> dict[str, float]:
    """Seconds of all calls of `step()` from the first one to the publishing, and of a recorded step.

    Without marks on modules, which `marked_steps` measures.
    """
    with tbprof.TrainerHook(
        folder / "logs", schedule=SCHEDULE, spool=folder / "spool", mark_modules=False
    ) as hook:
        figures = _window(training_step, hook.step)
        # What follows is done by a process of its own; the next measure is not to be disturbed by it.
        hook.close(wait_s=120)
    return figures


def stock_window(
    training_step: Callable[[], None], folder: Path, *, use_gzip: bool, with_stack: bool = False
) -> dict[str, float]:
    """The same with torch's handler as its documentation has it."""
    steps = torch.profiler.schedule(
        wait=SCHEDULE.first_start, warmup=SCHEDULE.warmup, active=SCHEDULE.active, repeat=1
    )
    handler = tensorboard_trace_handler(str(folder), use_gzip=use_gzip)
    with profile(schedule=steps, on_trace_ready=handler, with_stack=with_stack) as profiler:
        return _window(training_step, profiler.step)


def _window(training_step: Callable[[], None], step: Callable[[], None]) -> dict[str, float]:
    stall_s, recorded_s = 0.0, []
    for number in range(STEPS):
        gc.disable()
        began = thread_time()
        training_step()
        trained = thread_time()
        step()
        ended = thread_time()
        gc.enable()
        stall_s += ended - trained
        # The call behind the last recorded step ends the window; all others belong to their steps.
        if FIRST_RECORDED <= number < LAST_RECORDED:
            recorded_s.append(ended - began)
    return {"stall": stall_s, "step": min(recorded_s)}


def audited_step(training_step: Callable[[], None]) -> float:
    """Seconds of a step whose lines are recorded, with the beginning and the end of recording."""
    # As in the other windows: what a window before this one left would be collected in this step.
    gc.collect()
    gc.disable()
    began = thread_time()
    audit = AuditStep(embed_source=True)
    audit.start()
    training_step()
    audit.finish()
    ended = thread_time()
    gc.enable()
    return ended - began


def marked_steps(training_step: Callable[[], None]) -> list[tuple[float, float]]:
    """Seconds of pairs of steps in one recording, the second of each with marks around its modules.

    Who measures them in windows of their own finds the machine more different than the steps. Marks that
    begin with each second step cost more than in a window, where they begin once.
    """
    module_marks.MOST_WINDOWS = sys.maxsize
    marks, pairs = ModuleMarks(MissingFacts()), []
    for _ in range(WARM_UP):
        training_step()
    gc.collect()
    gc.disable()
    with profile(activities=[ProfilerActivity.CPU]):
        for _ in range(PAIRS):
            without_s = _thread_seconds(training_step)
            marks.begin()
            pairs.append((without_s, _thread_seconds(training_step)))
            marks.end()
    gc.enable()
    return pairs[WARM_UP:]


def _thread_seconds(training_step: Callable[[], None]) -> float:
    began = thread_time()
    training_step()
    return thread_time() - began


def hook_idle_step() -> float:
    """Seconds of a `step()` long before the window, in a tight loop."""
    with tempfile.TemporaryDirectory() as folder:
        hook = tbprof.TrainerHook(
            Path(folder) / "logs",
            schedule=tbprof.Schedule(skip_first=10**9, slow_steps=tbprof.SlowSteps(factor=10**6)),
            spool=Path(folder) / "spool",
        )
        with hook:
            return _per_call(hook.step, IDLE_STEPS)


def stock_idle_step() -> float:
    steps = torch.profiler.schedule(wait=10**9, warmup=1, active=1)
    with profile(schedule=steps) as profiler:
        return _per_call(profiler.step, IDLE_STEPS // 10)


def _per_call(call: Callable[[], None], times: int) -> float:
    began = thread_time()
    for _ in range(times):
        call()
    return (thread_time() - began) / times
