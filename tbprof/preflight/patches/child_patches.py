"""Patches of `multiprocessing`, by which a program's processes are watched as the program itself is.

A forked child has the patches and starts with a recorder of its own. A spawned one is a new
interpreter: what Python sends it to prepare itself begins a preflight there, before the program's
main module is run for the second time. Workers of a DataLoader and servers of managers compute
nothing on a device and are left alone.
"""

from __future__ import annotations

import copyreg
import os
import pickle
import signal
from collections.abc import Callable
from contextlib import suppress
from functools import partial, wraps
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from threading import Thread, get_ident
from typing import Any

from tbprof.preflight.child_runs import write_child_run
from tbprof.preflight.children import ACTIVE, ChildPlan, Children, child_run
from tbprof.preflight.ending import Terminated, left_behind_by_a_fork, signals_heard
from tbprof.preflight.patch import Patch
from tbprof.preflight.program_steps import Steps, StepsTaken
from tbprof.preflight.watching import recording
from tbprof.preflight.watching.recording import Recorder

_LEFT_ALONE = ("torch.utils.data._utils.worker", "multiprocessing.managers")

_POOLS = ("multiprocessing.pool", "torch.multiprocessing.pool")


def _is_watched(process: BaseProcess) -> bool:
    return bool(ACTIVE) and not _module_of_target(process).startswith(_LEFT_ALONE)


def _module_of_target(process: BaseProcess) -> str:
    """Known until it is started."""
    return getattr(getattr(process, "_target", None), "__module__", None) or ""


def _start(original: Any) -> Any:
    @wraps(original)
    def start(self: BaseProcess) -> None:
        if not _is_watched(self):
            original(self)
            return
        children, module = ACTIVE[0], _module_of_target(self)
        children.starting = True
        try:
            original(self)
        finally:
            children.starting = False
        children.started[self.pid or 0] = self
        if module in _POOLS:
            children.pool_workers.add(self.pid or 0)

    return start


def _join(original: Any) -> Any:
    """When the last child has been stopped, so is the program: what it would go on with isn't there.

    A thread of its own, as a pool has for its workers, is not the place to stop it.
    """

    @wraps(original)
    def join(self: BaseProcess, timeout: float | None = None) -> None:
        original(self, timeout)
        if (
            ACTIVE
            and self.pid in ACTIVE[0].started
            and get_ident() == ACTIVE[0].thread
            and ACTIVE[0].have_all_stopped()
        ):
            raise StepsTaken(ACTIVE[0].steps)

    return join


def _end(original: Any) -> Any:
    """`terminate`, `kill`: a child that the program itself ends has not failed."""

    @wraps(original)
    def end(self: BaseProcess) -> None:
        is_watched = bool(ACTIVE) and self.pid in ACTIVE[0].started
        if is_watched:
            ACTIVE[0].ended_by_program.add(self.pid or 0)
        original(self)
        if is_watched and os.name == "posix":
            insist(self._popen)  # type: ignore[attr-defined]

    return end


def _fork(original: Any) -> Any:
    """`fork`, `forkpty`."""

    @wraps(original)
    def fork() -> Any:
        with left_behind_by_a_fork():
            return original()

    return fork


def _bootstrap(original: Any) -> Any:
    """In the child, forked or spawned, around all that it runs."""

    @wraps(original)
    def bootstrap(self: BaseProcess, *args: Any, **kwargs: Any) -> Any:
        if _is_watched(self):
            self.run = partial(_watched_run, self.name, self.run)  # type: ignore[method-assign]
        return original(self, *args, **kwargs)

    return bootstrap


def _watched_run(name: str, run: Callable[[], None]) -> None:
    """Run a child's target, and leave what was found; what it raises passes, but for our own stop."""
    (children,) = ACTIVE
    plan, recorder = children.plan, Recorder()
    children.steps.stop()
    children.started.clear()
    children.pool_workers.clear()
    children.thread = get_ident()
    children.starting = False
    steps = children.steps = Steps(recorder, plan.last_step, plan.step_on)
    recording.RECORDERS[:] = [recorder]
    steps.start()
    raised: BaseException | None = None
    with signals_heard() as signals:
        try:
            run()
        except BaseException as error:  # noqa: BLE001 - the border to the user's program
            raised = error
        signals.only_note()
        write_child_run(plan.folder, child_run(name, recorder, steps, raised))
    if isinstance(raised, Terminated):
        # Whoever ended it sees that it has been ended.
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTERM)
    if raised is not None and not isinstance(raised, StepsTaken):
        raise raised


def _stop_of_this_process() -> StepsTaken:
    return StepsTaken(ACTIVE[0].steps)


# An executor sends its parent whatever a call raised: there our stop is one of the parent itself.
copyreg.pickle(StepsTaken, lambda _: (_stop_of_this_process, ()))


class _Beginning:
    """Unpickled in a spawned child, begins a preflight there."""

    def __init__(self, children: Children) -> None:
        self._children = children

    def __reduce__(self) -> Any:
        return self._children.begin, (_sendable(self._children.plan),)


def _preparation_data(original: Any) -> Any:
    @wraps(original)
    def get_preparation_data(*args: Any, **kwargs: Any) -> dict[str, Any]:
        data: dict[str, Any] = original(*args, **kwargs)
        # Read first: the program's main module comes after it.
        is_ours = bool(ACTIVE) and ACTIVE[0].starting
        return {"tbprof": _Beginning(ACTIVE[0]), **data} if is_ours else data

    return get_preparation_data


def _sendable(plan: ChildPlan) -> ChildPlan:
    """Without what can't be found by its name in another process."""
    stub = {name: put for name, put in plan.stub.items() if _is_sendable(put)}
    return ChildPlan(plan.folder, plan.last_step, plan.step_on, stub)


def _is_sendable(value: Any) -> bool:
    try:
        pickle.dumps(value)
    except (pickle.PicklingError, AttributeError, TypeError):
        return False
    return True


PATCHES = (
    Patch("multiprocessing.process:BaseProcess", "start", _start),
    Patch("multiprocessing.process:BaseProcess", "join", _join),
    Patch("multiprocessing.process:BaseProcess", "terminate", _end),
    Patch("multiprocessing.process:BaseProcess", "kill", _end),
    Patch("os", "fork", _fork),
    Patch("os", "forkpty", _fork),
    Patch("multiprocessing.process:BaseProcess", "_bootstrap", _bootstrap),
    Patch("multiprocessing.spawn", "get_preparation_data", _preparation_data),
)


_WAITS = (1.0, 2.0, 7.0)
"""Seconds between one signal and the next."""


def insist(process: Any) -> None:
    """Send it again to what `multiprocessing` calls the `Popen` of a process, and SIGKILL in the end.

    A signal that comes just before the child begins to wait for a lock is heard when the lock comes, or
    never; what a handler raises inside a finalizer is lost; and what waits in C for good hears nothing.
    """
    # When Python shuts down there are no more threads.
    with suppress(RuntimeError):
        Thread(target=_insist, args=(process,), name="tbprof termination", daemon=True).start()


def _insist(process: Any) -> None:
    for number, seconds in enumerate(_WAITS, start=1):
        # The program may have closed it.
        with suppress(OSError, ValueError):
            if wait([process.sentinel], seconds):
                return
            process._send_signal(signal.SIGTERM if number < len(_WAITS) else signal.SIGKILL)
