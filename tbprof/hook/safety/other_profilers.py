"""Is another profiler at work in this process? torch has room for one.

Two that overlap end in a segmentation fault that no `try` can catch (seen with torch
2.13): the one that was pushed aside crashes when it stops or exports. So the hook asks
before each start, and gives way.
"""

from __future__ import annotations

import gc
import sys
import threading
from contextlib import suppress
from functools import wraps
from typing import Any
from weakref import ref

import torch
from torch.autograd.profiler import KinetoStepTracker
from torch.autograd.profiler import profile as session_of_torch
from torch.profiler import profile

_ANNOUNCEMENT = "ProfilerStep"
"""The name under which every `torch.profiler.profile` counts its steps until its `with` ends."""

_OWN = 1
"""Stands in torch's flag while the hook records: true, as the True that a profiler's start writes there."""

_session = threading.Lock()


def is_recording() -> bool:
    """Whether a profiler records on this thread, whoever started it."""
    return bool(torch.autograd._profiler_enabled())


def claim_recording() -> None:
    """The recording that has just begun is the hook's; a profiler that begins after it undoes the claim."""
    torch.autograd.profiler._is_profiler_enabled = _OWN


def is_own_recording() -> bool:
    """Whether what records on this thread is still what was claimed."""
    return is_recording() and torch.autograd.profiler._is_profiler_enabled is _OWN


def end_orphaned_recording(own: profile) -> None:
    """End what is left of `own` on this thread where one of another thread took its session and has ended.

    Else no other could ever begin on this thread. While the other one records, nothing can be done: Kineto's
    session is its. When it has ended, there is none, and torch crashes without one: so one is prepared.
    """
    session = own.profiler
    if session is not None and is_recording() and not torch.autograd.profiler._is_profiler_enabled:
        torch.autograd._prepare_profiler(session.config(), session.kineto_activities)
        torch.autograd._disable_profiler()


def watch_profilers() -> None:
    """Know each session that is prepared from now on, and those that may be already.

    A profiler that warms up shows in no flag of torch. To find one among all objects takes some 60 ms per
    million, and finds none of those that `gc.freeze` has set aside.
    """
    if _watching:
        return
    _watching.append(None)
    prepare = session_of_torch._prepare_trace

    @wraps(prepare)
    def _prepare_trace(self: Any) -> None:
        _prepared[:] = [session for session in _prepared if session() is not None]
        _prepared.append(ref(self))
        prepare(self)

    session_of_torch._prepare_trace = _prepare_trace
    if _ANNOUNCEMENT in KinetoStepTracker._step_dict:
        # type() and not isinstance(): a proxy's __class__ may run code of its own.
        objects = (one for one in gc.get_objects() if issubclass(type(one), session_of_torch))
        _prepared.extend(ref(one) for one in objects if one.entered)


_watching: list[None] = []
_prepared: list[ref[Any]] = []


def other_profiler_at_work(own: profile | None) -> bool:
    """Whether any profiler but `own` records or warms up, on whatever thread.

    Call it only while `own` itself does not record.
    """
    watch_profilers()
    if is_recording() or torch.autograd.profiler._is_profiler_enabled:
        return True
    sessions = (session() for session in tuple(_prepared))
    return any(
        session is not None
        and session.kineto_results is None
        and (own is None or session is not own.profiler)
        for session in sessions
    )


class OnlySession:
    """The right to torch's only session in a process, which each hook asks for before a window.

    Hooks of two threads could else both find nobody at work, and begin.
    """

    def __init__(self) -> None:
        self._is_held = False

    def take(self) -> bool:
        """Whether a window may begin now: no profiler is at work, and no other hook has a window."""
        if not self._is_held:
            self._is_held = _session.acquire(blocking=False)
        if self._is_held and other_profiler_at_work(None):
            self.give_back()
        return self._is_held

    def give_back(self) -> None:
        """The window is over; harmless where there was none."""
        if self._is_held:
            self._is_held = False
            _session.release()


def leave_recording_of_parent() -> None:
    """In a forked child: each operator would go on to add a kilobyte to a recording that nobody reads.

    To end it is Kineto's work, whose thread and locks are the parent's; torch can also forget who listens.
    """
    with suppress(AttributeError):
        torch._C._autograd._clear_callbacks()
        torch.autograd.profiler._run_on_profiler_stop()


class PythonProfiler:
    """Keeps it while call stacks are recorded; both calls come from the thread that is recorded."""

    def __init__(self) -> None:
        self._function: Any = None

    def keep(self) -> None:
        """A recording may begin."""
        self._function = sys.getprofile()

    def give_back(self) -> None:
        """The recording is over. One that is written in C, as cProfile's is, can't be given back."""
        if callable(self._function) and sys.getprofile() is None:
            sys.setprofile(self._function)
        self._function = None

    def take_back(self) -> None:
        """In a forked child: torch's tracer of Python has nothing to do there."""
        sys.setprofile(self._function if callable(self._function) else None)
