"""Torch's profiler as a window uses it."""

from __future__ import annotations

import dataclasses
import importlib
import logging
import re
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any, cast

import torch
from torch.profiler import ProfilerAction, ProfilerActivity, profile

from tbprof.hook.options import RecordOptions
from tbprof.hook.safety.cuda_device import (
    PREPARED_SESSIONS_END,
    WITH_MODULES_WARNS,
    crashes_with_stack,
    is_torch_since,
)
from tbprof.hook.safety.guard import MissingFacts
from tbprof.hook.schedule import Schedule
from tbprof.process.beside import within

logger = logging.getLogger("tbprof")

_ON_HOST = [ProfilerActivity.CPU]


def is_stopped_by_device() -> bool:
    """Whether CUPTI has ended the recording by itself."""
    asked = getattr(torch.autograd, "_is_kineto_stopped", None)
    return asked is not None and bool(asked())


def supported_options(options: RecordOptions) -> RecordOptions:
    """The same request in this torch's terms; what becomes of it is logged."""
    if options.with_modules and is_torch_since(WITH_MODULES_WARNS):
        logger.warning(
            "with_modules: torch %s deprecates it; call stacks are recorded instead, which name the modules.",
            torch.__version__,
        )
        options = dataclasses.replace(options, with_modules=False, with_stack=True)
    if options.with_stack and crashes_with_stack():
        logger.warning(
            "No call stacks are recorded: torch %s crashes at them on Python 3.13 or later (2.8 is fixed).",
            torch.__version__,
        )
        options = dataclasses.replace(options, with_stack=False)
    return options


class _Profiler(profile):  # type: ignore[misc]
    """Torch's, without a warning to the program that no events are kept for a second cycle.

    Torch 2.11, for one, gives it where the first profiler of a process begins, and `-W error` would raise it.
    """

    def prepare_trace(self) -> None:
        """Torch is silent where events are to be kept; to keep them would be to read them as it ends."""
        self.acc_events = True
        super().prepare_trace()
        if self.profiler is not None:
            self.profiler.acc_events = False


class TracerWarnings:
    """Keeps a warning from the program that torch's tracer of Python causes, which is recorded for stacks.

    It asks each weight of a module that is called for its gradient; one that was computed has none, and torch
    says so, in the name of the line at which the module's call begins.
    """

    def __init__(self) -> None:
        call = torch.nn.Module._wrapped_call_impl.__code__
        module = re.compile(re.escape(torch.nn.Module.__module__) + "$")
        self._filter = ("ignore", _NO_LEAF, UserWarning, module, call.co_firstlineno)
        self._held_by: list[Any] = []
        """The list of filters that ours was put into: within `catch_warnings` the program has another one."""

    def begin(self) -> None:
        """Let the warning pass silently from now on: a recording may begin."""
        # Not by `warnings.filterwarnings`: it has Python forget which warnings it has shown once.
        self._held_by = cast("list[Any]", warnings.filters)
        self._held_by.insert(0, self._filter)

    def close(self, *, is_recorded: bool = True) -> None:
        """Do nothing: there are no open calls to close, as `ModuleMarks` has them."""

    def end(self, *, is_recorded: bool = True) -> None:  # noqa: ARG002 - as it ends the marks of modules
        """Take the filter out of the list that it was put into, and out of a copy that is in use now."""
        for filters in (self._held_by, cast("list[Any]", warnings.filters)):
            for at in reversed(range(len(filters))):
                if filters[at] is self._filter:
                    del filters[at]


_NO_LEAF = re.compile(r"The \.grad attribute of a Tensor that is not a leaf Tensor is being accessed")


def make_profiler(
    schedule: Schedule,
    options: RecordOptions,
    export: Callable[[profile], None],
    missing: MissingFacts,
    between_steps: Callable[[], None],
    *,
    first_step: int = 0,
    with_device: bool = True,
) -> profile:
    """One that records a single cycle of this schedule, and calls `export` at its end.

    Its `ProfilerStep#` are counted from `first_step` on, the first of the warm-up.

    It calls `between_steps` before the first step, and where one has ended and the next one not yet begun.

    Where torch does not tell what it can record, it records the CPU, and that is noted in `missing`.
    """
    steps = _torch_schedule(schedule, between_steps, first_step)
    profiler = _Profiler(
        activities=missing.ask("cuda_activity", _activities, _ON_HOST) if with_device else _ON_HOST,
        schedule=steps,
        on_trace_ready=export,
        experimental_config=torch._C._profiler._ExperimentalConfig(enable_cuda_sync_events=True),
        **dataclasses.asdict(options),
    )
    profiler.step_num = first_step
    return profiler


def import_for_start() -> None:
    """Import what torch's profiler else imports as it starts: the compiler, for one of its settings.

    The import leaves frames to the garbage collector. On a thread of its own these are none of the program's,
    with all that its functions hold at that moment.
    """
    if _SETTINGS not in sys.modules:
        with suppress(OSError):
            within(_IMPORT_S, _import_settings)


def _import_settings() -> None:
    # The profiler imports it as well, and says what is wrong.
    with suppress(ImportError, AttributeError, OSError, RuntimeError):
        if hasattr(torch, "_inductor"):
            importlib.import_module(_SETTINGS)


_SETTINGS = "torch._inductor.config"
_IMPORT_S = 60.0


def end_prepared_session(profiler: profile) -> None:
    """End a session that may have been prepared, and was not enabled, where no other could follow it.

    torch does not tell whether it was prepared, and crashes when one is enabled that was not.
    """
    session = profiler.profiler
    if session is None or is_torch_since(PREPARED_SESSIONS_END):
        return
    with suppress(RuntimeError):
        torch.autograd._prepare_profiler(session.config(), session.kineto_activities)
    torch.autograd._enable_profiler(session.config(), session.kineto_activities)
    torch.autograd._disable_profiler()


def _torch_schedule(
    schedule: Schedule, between_steps: Callable[[], None], first_step: int
) -> Callable[[int], ProfilerAction]:
    """One cycle, whose warm-up torch's profiler waits for. It is asked when no step is open.

    A session that it prepared would be cancelled by any other profiler that begins. Before torch 2.12 that
    one fails; since then it is ours that ends the process when it starts, and torch tells nobody of it.
    """
    last = schedule.warmup + schedule.active - 1

    def action_of(step: int) -> ProfilerAction:
        # As torch's own schedule has it. That one warns where it has no warm-up, and to silence a warning is
        # to have Python forget which ones it has shown.
        if schedule.warmup <= step < last:
            return ProfilerAction.RECORD
        return ProfilerAction.RECORD_AND_SAVE if step == last else ProfilerAction.NONE

    def next_action(step: int) -> ProfilerAction:
        between_steps()
        # As it is made, the profiler asks for its step 0.
        return action_of(max(0, step - first_step))

    return next_action


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
