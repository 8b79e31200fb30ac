"""Calls of the hook that come where nothing can be begun or ended, and what becomes of them.

Backward passes of the program, in which the hook begins and ends nothing.

A hook of a tensor or of a parameter may step an optimizer, and so the hook. But at the end of a pass torch
puts back the state that its thread had before: a profiler or a mode that began within would be lost, and the
process end in a segmentation fault.
"""

from __future__ import annotations

import contextlib
import functools
import logging
import sys
import threading
from collections.abc import Callable
from threading import get_ident
from time import monotonic, sleep
from types import FrameType
from typing import Any

import torch

from tbprof.hook.safety.compiled_code import frame_switch, is_being_traced
from tbprof.hook.safety.guard import Guard, drop_own_frames
from tbprof.hook.safety.modes import interrupts_torch, runs_in_mode_of_program, unseen_by_modes

Action = Callable[[], None]

_LOOK_AGAIN_S = 0.001
_MOST_WITHIN_EACH_OTHER = 3


class Turn:
    """Lets one call into the hook be at work at a time.

    A call that comes meanwhile from the same thread, out of a signal handler, is done when the first is over.
    One that comes within a backward pass is done after it, one within a mode of the program or a trace with
    the next call outside. So is one out of a signal handler that interrupts torch's own Python, where a
    profiler that begins or ends may never come to its end. One of another thread waits as long as it may.
    """

    def __init__(self, guard: Guard, thread: ThreadAffinity) -> None:
        self._guard = guard
        self._thread = thread
        self._put_off: dict[object, Action] = {}
        self._holder: dict[str, tuple[int]] = {}
        self._ends = BackwardEnds(self.catch_up)
        self._was_in_backward = False
        self._under_way: list[int] = []
        """The threads of the calls that are under way, those out of signal handlers among them."""

    def run(self, call: str, action: Action, *, is_step: bool = False, wait_s: float = 0.0) -> None:
        """Do `action` now, or as soon as it can be done; a fault of ours stays in it.

        Args:
            call: how the program wrote it, for a message.
            action: what is to be done.
            is_step: whether several put off come to the same as one.
            wait_s: how long it waits for another thread's call to be over.
        """
        if self._under_way.count(get_ident()) >= _MOST_WITHIN_EACH_OTHER and not wait_s:
            # Its timer is quicker than we are: each call is interrupted by the next, until Python gives up.
            self._put_off[call if is_step else object()] = action
            return
        try:
            self._under_way.append(get_ident())
            self._run(call, action, is_step=is_step, wait_s=wait_s)
        finally:
            with contextlib.suppress(ValueError):
                self._under_way.remove(get_ident())

    def _run(self, call: str, action: Action, *, is_step: bool, wait_s: float) -> None:
        # After what may wait, close(), a handler may end the process.
        is_within_torch = not wait_s and interrupts_torch()
        if is_being_traced() or runs_in_mode_of_program() or is_within_torch:
            # What begins or ends here would be part of the program's graph, or within a call of torch's.
            self._put_off[call if is_step else object()] = action
            return
        if in_backward():
            self._was_in_backward = True
            self._put_off[call if is_step else object()] = action
            self._ends.watch()
            return
        holder = self._take(monotonic() + wait_s)
        if holder is None:
            try:
                with unseen_by_modes():
                    self._do_what_was_put_off()
                    self._guard.run(action)
            finally:
                self._release()
        elif holder != get_ident():
            self._guard.run(functools.partial(self._thread.say_elsewhere, call))
        elif not is_step:
            # A step within a step is counted, and nothing more.
            self._put_off[object()] = action

    def catch_up(self) -> None:
        """Do what was put off, if there is anything and it can be done."""
        if not self._put_off:
            return
        has_to_wait = in_backward() or is_being_traced() or runs_in_mode_of_program() or interrupts_torch()
        if not has_to_wait and self._take(0.0) is None:
            try:
                with unseen_by_modes():
                    self._do_what_was_put_off()
            finally:
                self._release()

    def watch_backward(self, *, is_watching: bool) -> None:
        """Notice the ends of backward passes while something is recorded, or where steps end within them."""
        if is_watching or self._was_in_backward:
            self._ends.watch()
        else:
            self._ends.stop()

    def end(self) -> None:
        """Nothing is to be noticed any more."""
        self._put_off.clear()
        self._ends.stop()

    def _take(self, until: float) -> int | None:
        """None where the turn is this call's now, else the thread that has it."""
        mine = (get_ident(),)
        while True:
            # One operation of Python's: no signal and no thread comes in between.
            holder = self._holder.setdefault("thread", mine)
            if holder is mine:
                return None
            if holder == mine and not self._is_at_work():
                # An exception of the program's came just where the turn was to be given back.
                self._holder.pop("thread", None)
                continue
            if holder == mine or monotonic() >= until:
                return holder[0]
            sleep(_LOOK_AGAIN_S)

    def _is_at_work(self) -> bool:
        """Whether a call of this thread has the turn, and this one came out of it."""
        calls = 0
        frame: FrameType | None = sys._getframe()
        while frame is not None:
            if frame.f_code in _CALLS and frame.f_locals.get("self") is self:
                calls += 1
            frame = frame.f_back
        return calls > 1

    def _release(self) -> None:
        try:
            self._do_what_was_put_off()
        finally:
            self._holder.pop("thread", None)
        # A signal may have come between the two.
        self.catch_up()

    def _do_what_was_put_off(self) -> None:
        while self._put_off:
            self._guard.run(self._put_off.pop(next(iter(self._put_off))))


_CALLS = (Turn.run.__code__, Turn.catch_up.__code__)
"""What takes the turn; a frame of these may be asked for its variables, as it is ours."""


def in_backward() -> bool:
    """Whether a backward pass runs on this thread."""
    return bool(torch._C._current_graph_task_id() != -1)


class BackwardEnds:
    """Calls `notice` after each backward pass that begins from `watch` on, on the thread that began it."""

    def __init__(self, notice: Callable[[], None]) -> None:
        self.notice = notice

    def watch(self) -> None:
        """Watch from now on; what runs at present is not watched."""
        if not any(other is self for other in _watching):
            _watching.append(self)
            if len(_watching) == 1:
                _put_ours()

    def stop(self) -> None:
        """Watch no more; the last one puts torch's function back."""
        _watching[:] = [other for other in _watching if other is not self]
        if not _watching:
            _put_torchs_back()


_watching: list[BackwardEnds] = []
_replaced: list[tuple[Any, Callable[..., Any], Callable[..., Any]]] = []
"""Module, torch's function and ours."""


def _put_ours() -> None:
    run_backward = torch.autograd.graph._engine_run_backward

    @functools.wraps(run_backward)
    def ours(*args: Any, **kwargs: Any) -> Any:
        try:
            return run_backward(*args, **kwargs)
        except BaseException as error:
            drop_own_frames(error)
            raise
        finally:
            if not in_backward():
                for watching in tuple(_watching):
                    watching.notice()

    # Where the program's code is compiled, this is not to be.
    frame_switch(ours)
    for module in (torch.autograd, torch.autograd.graph):
        if module._engine_run_backward is run_backward:
            module._engine_run_backward = ours
            _replaced.append((module, run_backward, ours))


def _put_torchs_back() -> None:
    """Where another tool has put its own over ours, that stays, and ours calls nobody."""
    while _replaced:
        module, run_backward, ours = _replaced.pop()
        if module._engine_run_backward is ours:
            module._engine_run_backward = run_backward


logger = logging.getLogger("tbprof")


class ThreadAffinity:
    """Knows the thread that began the latest window, and says once that a call came from another."""

    def __init__(self) -> None:
        # The system's number of a thread is used again when it has ended.
        self._marks: threading.local | None = None
        self._thread: threading.Thread | None = None
        self.has_others = False
        """Whether a call came from a thread that can't touch the window."""

    def take(self) -> None:
        """Make the calling thread the one from now on."""
        self._thread = threading.current_thread()
        self._marks = threading.local()
        self._marks.is_this = True

    @property
    def is_this(self) -> bool:
        return hasattr(self._marks, "is_this")

    @property
    def is_alive(self) -> bool:
        """Whether it can still come."""
        return self._thread is not None and self._thread.is_alive()

    def say_elsewhere(self, call: str) -> None:
        """Log once that a call came from a thread that can't touch the window."""
        if not self.has_others:
            self.has_others = True
            logger.warning(
                "%s was called from a thread other than the one being recorded, and is ignored;"
                " call it from the training thread.",
                call,
            )
