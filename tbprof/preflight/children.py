"""The processes that a program starts by `multiprocessing`, until all have ended and reported."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from multiprocessing.process import BaseProcess
from pathlib import Path
from threading import get_ident
from typing import Any

from tbprof.preflight.child_runs import ChildRun, read_child_runs
from tbprof.preflight.ending import ending_of
from tbprof.preflight.prediction import Ending
from tbprof.preflight.program_steps import Steps, StepsTaken
from tbprof.preflight.watching import recording
from tbprof.preflight.watching.recording import Recorder

_GRACE_SECONDS = 5.0
"""For children to end by themselves, after preflight has ended the program."""


@dataclass(frozen=True, slots=True)
class ChildPlan:
    """How children are watched; it is sent to spawned ones."""

    folder: Path
    last_step: int | None
    step_on: str | None
    stub: Mapping[str, Callable[..., Any]]


@dataclass(slots=True)
class Children:
    """The children of one preflight."""

    plan: ChildPlan
    steps: Steps
    """The steps of this process."""
    begin: Callable[[ChildPlan], object]
    """What a spawned child calls first; found by its name there."""
    started: dict[int, BaseProcess] = field(default_factory=dict)
    """The processes by their numbers."""
    starting: bool = False
    """Whether a child is being started that is to be watched."""
    pool_workers: set[int] = field(default_factory=set)
    """The children that a `Pool` keeps until it is asked to end."""
    thread: int = field(default_factory=get_ident)
    """The one on which the program runs."""
    ended_by_program: set[int] = field(default_factory=set)
    _idle_rounds: int = 0

    def collect(self, *, was_stopped: bool) -> list[ChildRun]:
        """What they found, when all have ended; one that can't end without the program is ended."""
        for process in self.started.values():
            # The program may have closed it.
            with contextlib.suppress(ValueError):
                _wait_for(process, _GRACE_SECONDS if was_stopped else None)
        runs = list(read_child_runs(self.plan.folder))
        return [*runs, *self._lost({run.process for run in runs})]

    def _lost(self, known: set[int]) -> list[ChildRun]:
        """Children that ended badly without a word: by a signal, or before they were watched."""
        gone = self.started.keys() - known - self.ended_by_program
        codes = {number: _exit_code(self.started[number]) for number in sorted(gone)}
        return [
            ChildRun(number, self.started[number].name, (), (), 0, "failed", f"exit code {code}")
            for number, code in codes.items()
            if code
        ]

    def stop_of_parent(self) -> BaseException | None:
        """What ends a program that waits in vain: nothing comes any more of children that were stopped.

        It has some seconds to join them, and takes none of the steps itself.
        """
        if self.steps.taken or not self.started or not self.have_all_stopped():
            self._idle_rounds = 0
            return None
        self._idle_rounds += 1
        return StepsTaken(self.steps) if self._idle_rounds > _GRACE_SECONDS else None

    def have_all_stopped(self) -> bool:
        """Whether no child runs any more, and preflight has stopped one of them.

        Of a pool one stopped worker is enough: what it was given is never answered, and the others and
        those that take its place wait for more.
        """
        running = {number for number, process in list(self.started.items()) if _is_alive(process)}
        if running - self.pool_workers:
            return False
        stopped = {run.process for run in read_child_runs(self.plan.folder) if run.ending == "stopped"}
        return bool(stopped & self.pool_workers if running else stopped)


ACTIVE: list[Children] = []
"""The children of the outermost preflight; one inside another has none of its own."""


def _wait_for(process: BaseProcess, seconds: float | None) -> None:
    if not process.daemon:
        process.join(seconds)
    if process.is_alive():
        process.terminate()
        process.join(_GRACE_SECONDS)
    if process.is_alive():
        # Else Python itself would wait for it, without end.
        process.kill()
        process.join()


def _exit_code(process: BaseProcess) -> int | None:
    try:
        return process.exitcode
    except ValueError:
        # Only what has ended well can be closed.
        return None


def _is_alive(process: BaseProcess) -> bool:
    try:
        return process.is_alive()
    except ValueError:
        return False


def child_run(name: str, recorder: Recorder, steps: Steps, error: BaseException | None) -> ChildRun:
    """What a child found; `error` is what it raised."""
    ending: Ending
    if isinstance(error, StepsTaken):
        ending, sentence = "stopped", ""
    else:
        # `torch.multiprocessing.spawn` turns what a child raises into an exit.
        is_exit = isinstance(error, SystemExit) and error.code not in (None, 0)
        ending, sentence = ending_of((error.__context__ if is_exit and error else None) or error)
    found, notes = tuple(recorder.tallies.values()), tuple(recorder.notes)
    return ChildRun(
        os.getpid(),
        name,
        found,
        notes,
        steps.taken,
        ending,
        sentence,
        used_device=recorder.used_device,
        used_loader=recorder.used_loader,
    )


@cache
def forget_parents() -> None:
    """See to it, from now on, that a forked child has found nothing yet: that is its parent's."""

    def forget() -> None:
        for recorder in recording.RECORDERS:
            recorder.tallies.clear()

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=forget)
