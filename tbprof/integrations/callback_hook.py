"""The hook as a framework's callbacks drive it: they tell of beginnings and ends, and have no blocks."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, TypeVar, cast

from tbprof.hook.annotation import annotate
from tbprof.hook.options import AnyPath
from tbprof.hook.trainer_hook import TrainerHook

logger = logging.getLogger("tbprof")

EVALUATION = "evaluation"
CHECKPOINTING = "checkpointing"
LOGGING = "logging"
MICRO_BATCH = "micro-batch"


class CallbackHook:
    """One hook over all trainings of a process, driven by callbacks.

    An exception that leaves a training ends no window: no framework calls back for all of them. The next
    training ends it, or the end of the process.
    """

    def __init__(self, hook: TrainerHook | AnyPath) -> None:
        """`hook` may be a log directory: that of a hook with the default options."""
        self.hook = hook if isinstance(hook, TrainerHook) else TrainerHook(hook)
        self._open = ExitStack()
        self._has_given_way = False

    def begin(self, steps_taken: int | None = None) -> None:
        """A training begins, which has taken so many steps by its own count."""
        self.leave()
        self.hook.resume(steps_taken)

    def step(self, steps_taken: int | None = None) -> None:
        """A step is over, or with the same count as before, a part of one."""
        self.leave()
        self.hook.step(steps_taken)

    def enter(self, phase: str) -> None:
        """What comes now belongs to no step."""
        self._open.enter_context(self.hook.phase(phase))

    def label(self, name: str) -> None:
        """What comes now is a part of the step that has a name."""
        self._open.enter_context(annotate(name))

    def leave(self) -> None:
        """What was entered and labeled is over."""
        self._open.close()

    def end(self) -> None:
        """The training is over; another one may follow."""
        self.leave()
        self.hook.pause()

    def give_way(self, profiler: str) -> None:
        """The framework runs a profiler of its own, and torch has room for one."""
        if not self._has_given_way:
            self._has_given_way = True
            logger.warning(
                "Nothing is recorded: %s is at work, and torch allows one profiler at a time.", profiler
            )
            self.hook._run.is_explained = True
        self.hook.close()


Callback = TypeVar("Callback", bound=Callable[..., None])


def guarded(callback: Callback) -> Callback:
    """Keep what a callback raises, as of a framework that has changed, from the training: profiling ends.

    It is for methods of objects with a `callback_hook`.
    """

    @functools.wraps(callback)
    def call(self: Any, *args: Any, **kwargs: Any) -> None:
        guard = self.callback_hook.hook._run.guard
        if guard.fault is None:
            guard.run(callback, self, *args, **kwargs)

    return cast("Callback", call)
