"""`tbprof.Preflight`: what surrounds a program to predict its syncs and copies."""

from __future__ import annotations

import gc
import os
import shutil
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from tempfile import mkdtemp
from types import TracebackType
from typing import Any

import torch

from tbprof.errors import NotSupported, SelfTestFailed, UsageError
from tbprof.preflight.child_runs import ChildRun, add_child_runs, steps_taken, write_child_run
from tbprof.preflight.children import ACTIVE, ChildPlan, Children, child_run, forget_parents
from tbprof.preflight.device_marks import FOLLOWERS, Place
from tbprof.preflight.ending import Interruption, OutOfTime, ending_of, ending_with_children
from tbprof.preflight.patches import unwatched_processes
from tbprof.preflight.patches.all_patches import installed, installed_stubs
from tbprof.preflight.predicting import predict
from tbprof.preflight.prediction import (
    ENDED_WELL,
    Ending,
    PredictedFinding,
    PredictedSite,
    Prediction,
)
from tbprof.preflight.program_steps import Steps, StepsTaken
from tbprof.preflight.text import text
from tbprof.preflight.watching import copies
from tbprof.preflight.watching.mode import Watch
from tbprof.preflight.watching.recording import RECORDERS, Recorder
from tbprof.program.main_program import Decorated
from tbprof.program.predicting import predicting

_IDLE_SECONDS = 1.0
"""Until the program is first asked whether it waits for children that have been stopped."""

_OF_A_CHILD: list[Preflight] = []
"""What it has patched stays so as long as the child lives."""


class Preflight:
    """Runs what is inside its `with` as if there were a GPU, and notes where that would be waited for.

        with tbprof.Preflight(steps=3) as preflight:
            train()
        print(preflight.text())

    Tensors keep their values and stay the CPU's. After `warmup` and `steps` optimizer steps the
    block is left by an exception that ends with it. Tensors that were made before it are neutral:
    make the model inside. Processes that `multiprocessing` starts are watched as well.

    Args:
        steps: Steps to look at; None never stops.
        warmup: Steps before them, whose waits are those of the set-up as well.
        step_on: The function whose every return ends a step, as `package.module:Class.method`;
            None for the optimizer that leads.
        time_limit: Seconds after which the block is left; None for no limit.
        stub: By full name, what is put in place of functions that only a GPU can run.
        force: Run on a machine with a GPU, too.

    Raises:
        UsageError: A number makes no sense, or `step_on` is no name.
    """

    def __init__(
        self,
        steps: int | None = 3,
        *,
        warmup: int = 1,
        step_on: str | None = None,
        time_limit: float | None = None,
        stub: Mapping[str, Callable[..., Any]] | None = None,
        force: bool = False,
        program: str = "",
    ) -> None:
        if (steps is not None and steps < 1) or warmup < 0:
            raise UsageError(f"preflight can't look at {steps} steps after {warmup}: give 1 or more")
        if time_limit is not None and time_limit <= 0:
            raise UsageError(f"preflight can't end after {time_limit} seconds: give more than 0")
        self.signal = ""
        """The signal that asked the program to end, whatever the program made of it; "" for none."""
        self._warmup = warmup
        self._last_step = None if steps is None else warmup + steps
        self._step_on = step_on
        self._time_limit = time_limit
        self._stub = stub or {}
        self._force = force
        self._program = program
        self._recorder = Recorder()
        self._steps = Steps(self._recorder, self._last_step, step_on)
        self._stack = ExitStack()
        self._process = os.getpid()
        self._plan: ChildPlan | None = None
        self._folder: Path | None = None
        self._children: Children | None = None
        self._prediction: Prediction | None = None

    @classmethod
    def in_child(cls, plan: ChildPlan) -> Preflight:
        """For a process that a watched one has spawned; what is found goes to the plan's folder."""
        preflight = cls(None, step_on=plan.step_on, stub=plan.stub, force=True)
        preflight._plan = plan
        return preflight

    def __enter__(self) -> Preflight:
        with ExitStack() as stack:
            if not RECORDERS:
                _refuse_a_gpu(force=self._force)
                stack.enter_context(installed())
                stack.callback(copies.forget_all)
                forget_parents()
                unwatched_processes.forget_unwatched()
                self._watch_children(stack)
            stack.enter_context(installed_stubs(self._stub))
            stack.enter_context(Watch())
            self_test()
            stack.enter_context(predicting())
            RECORDERS.append(self._recorder)
            stack.callback(RECORDERS.remove, self._recorder)
            FOLLOWERS.append(self._note_device)
            stack.callback(FOLLOWERS.remove, self._note_device)
            self._steps.start()
            stack.callback(self._steps.stop)
            self._start_interruption(stack)
            self._stack = stack.pop_all()
        return self

    def _note_device(self, _storage: Any, place: Place) -> None:
        if place.is_device:
            self._recorder.used_device = True

    def _start_interruption(self, stack: ExitStack) -> None:
        interruption = Interruption()
        if self._time_limit is not None:
            interruption.after(self._time_limit, OutOfTime)
        if self._children is not None:
            interruption.after(_IDLE_SECONDS, self._children.stop_of_parent)
        interruption.start()
        stack.callback(interruption.stop)

    def _watch_children(self, stack: ExitStack) -> None:
        if self._plan is None:
            self._folder = Path(mkdtemp(prefix="tbprof-preflight-"))
            self._plan = ChildPlan(self._folder, self._last_step, self._step_on, self._stub)
        self._children = Children(self._plan, self._steps, begin_in_child)
        ACTIVE.append(self._children)
        stack.callback(ACTIVE.clear)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        self._stack.close()
        if os.getpid() != self._process:
            self._leave_to_parent(error)
        is_own_stop = isinstance(error, StepsTaken) and error.steps is self._steps
        self._prediction = self._predicted(error, is_own_stop=is_own_stop)
        return is_own_stop or isinstance(error, OutOfTime)

    def give_up(self, error: BaseException) -> Prediction:
        """What was found until now by a program that does not end; torch stays patched.

        Args:
            error: what it did not end by.
        """
        if self._recorder in RECORDERS:
            # It goes on meanwhile.
            RECORDERS.remove(self._recorder)
        return self._predicted(error, is_own_stop=False)

    def _predicted(self, error: BaseException | None, *, is_own_stop: bool) -> Prediction:
        ending: Ending
        ending, sentence = ("stopped", "") if is_own_stop else ending_of(error, signal=self.signal)
        runs = self._child_runs(was_stopped=error is not None)
        ending, sentence = ending_with_children(ending, sentence, runs)
        failed = unwatched_processes.failed_unwatched() if self._folder is not None else ""
        if failed and ending in ENDED_WELL:
            ending, sentence = "failed", failed
        return predict(
            add_child_runs(self._recorder, self._steps.taken, runs) if runs else self._recorder,
            program=self._program,
            warmup=self._warmup,
            taken=steps_taken(self._steps.taken, runs),
            ending=ending,
            error=sentence,
        )

    def _leave_to_parent(self, error: BaseException | None) -> None:
        """In a child that `os.fork` made: the end here is that of a child."""
        if self._plan is not None:
            write_child_run(self._plan.folder, child_run("a fork", self._recorder, self._steps, error))
        self._children = self._folder = None

    def _child_runs(self, *, was_stopped: bool) -> list[ChildRun]:
        runs = [] if self._children is None else self._children.collect(was_stopped=was_stopped)
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
        return runs

    def decoration(self) -> Decorated | None:
        """What counts `step_on` where that is a function of the script that is about to be run."""
        return self._steps.decoration()

    def look_at_steps(self, look: Callable[[], object]) -> None:
        """Call `look` at the end of each step of this process."""
        self._steps.looks.append(look)

    def step(self) -> None:
        """A step is over, where no optimizer says so."""
        self._steps.step()

    @property
    def has_ended(self) -> bool:
        """Whether the block has ended, however it did."""
        return self._prediction is not None

    @property
    def prediction(self) -> Prediction:
        """What was predicted.

        Raises:
            UsageError: the block has not ended yet.
        """
        if self._prediction is None:
            raise UsageError("the prediction is ready once the with block has ended: read it after that")
        return self._prediction

    @property
    def sites(self) -> tuple[PredictedSite, ...]:
        return self.prediction.sites

    @property
    def findings(self) -> tuple[PredictedFinding, ...]:
        return self.prediction.findings

    def text(self) -> str:
        """The report, as the command prints it."""
        return text(self.prediction)

    def assert_max_syncs(self, per_step: int) -> None:
        """Fail if more lines than that make the host wait in a step.

        Raises:
            AssertionError: with the report.
        """
        if self.prediction.syncs_per_step > per_step:
            raise AssertionError(f"more than {per_step} predicted sync points in a step\n{self.text()}")


def begin_in_child(plan: ChildPlan) -> None:
    """Begin in a spawned child, before the program's main module is run for the second time."""
    _OF_A_CHILD.append(Preflight.in_child(plan).__enter__())


def _refuse_a_gpu(*, force: bool) -> None:
    if torch.cuda.is_available() and not force:
        raise NotSupported(
            "this machine has a GPU, where a recording is better than a prediction: record the lines with "
            "tbprof run and its audit step, or give --force"
        )


_PROGRAM = """
import torch
base = torch.ones(4).to("cuda")
rows = base.view(2, 2)
del base
gc.collect()
total = (rows[1] * 2).sum()
total.item()
if total > 1:
    rows.cpu()
"""
_EXPECTED = [("upload", 3), ("scalar_read", 8), ("control_flow", 9), ("host_read", 10)]


def self_test() -> None:
    """Run a few lines whose events are known.

    Raises:
        SelfTestFailed: others were seen.
    """
    outer, recorder = RECORDERS[:], Recorder()
    RECORDERS[:] = [recorder]
    names: dict[str, Any] = {"gc": gc}
    try:
        exec(compile(_PROGRAM, "<stdin>", "exec", dont_inherit=True), names)
    finally:
        RECORDERS[:] = outer
    seen = [(tally.event.kind, tally.origin.source.line) for tally in recorder.tallies.values()]
    if seen != _EXPECTED or not names["rows"].is_cuda:
        raise SelfTestFailed(
            f"preflight does not understand torch {torch.__version__}: of {_EXPECTED} it saw {seen}; "
            "use another version of torch for this"
        )
