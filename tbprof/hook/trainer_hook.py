"""What a training loop holds: the only class of the hook that users see."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Concatenate, ParamSpec

from tbprof.hook.annotation import annotate, label_text
from tbprof.hook.hook_config import HookConfig, checked_config
from tbprof.hook.options import HookArguments
from tbprof.hook.safety.compiled_code import untraced
from tbprof.hook.watched_run import WatchedRun

_Given = ParamSpec("_Given")
_Initializer = Callable[Concatenate["TrainerHook", _Given], None]


def _taking(
    record: Callable[_Given, HookArguments],
) -> Callable[[_Initializer[[HookArguments]]], _Initializer[_Given]]:
    """Let an `__init__` be called with what a record is made of: same names, types, defaults and help."""

    def taking(init: _Initializer[[HookArguments]]) -> _Initializer[_Given]:
        @functools.wraps(init)
        def initialize(self: TrainerHook, /, *args: _Given.args, **named: _Given.kwargs) -> None:
            init(self, record(*args, **named))

        own = inspect.signature(init)
        parameters = (own.parameters["self"], *inspect.signature(record).parameters.values())
        vars(initialize)["__signature__"] = own.replace(parameters=parameters)
        return initialize

    return taking


class TrainerHook:
    """Profiles a few steps of a training run and publishes them into a log directory.

        with tbprof.TrainerHook("logs/run1") as hook:
            for batch in loader:
                train_step(batch)
                hook.step()

    Without `with`, call `close()` after the training; a run that forgets it is closed when
    Python exits. Nothing that goes wrong in the hook reaches the training: the first fault
    is logged under the logger `tbprof`, profiling ends, and the training goes on.

    A running training is asked for a window by `echo 5 > logs/run1/tbprof.trigger`: one of 5
    steps begins a few seconds later. `5 ranks=0,3 at=12000` asks two of many processes, and for
    the same steps of both.

    Args:
        logdir: the run's folder beneath TensorBoard's log directory; made where missing.
        schedule: which steps are recorded.
        worker: name of this process on screen, instead of `<host>_<pid>`; the rank is added.
        with_stack, record_shapes, profile_memory, with_flops, with_modules: torch.profiler's
            own switches. Each makes the recorded steps slower, and so the waits in them.
        record_lines: record in the step after each window which lines sync or copy; that step
            is in no time. Where an upload is small, it takes a second step, to see whether the bytes
            are the same.
        mark_modules: mark each call of an `nn.Module` in the recorded steps, so that time has a module
            without call stacks; 2 to 6 us each. In a program that uses torch.compile there are none.
        record_inputs: record in two more steps, after each window and in no time, the shapes that operators
            are given: FLOPs and limits without `record_shapes`, which slows the recorded steps. Those calls
            have them that are given the same in both.
        memory: follow in one more step, after each window and in no time, every storage: what holds the peak
            of memory, by kind, module and line. `tbprof report` shows the file that it leaves. A schedule
            says other steps: each that a window of it would record is followed alone, and where one is due
            while a window is recorded, the first step after that. Nothing is followed in programs that use
            torch.compile.
        sync_callbacks: on CUDA, let torch call back at each wait in that step, which shows
            `torch.cuda.synchronize()` as well. Torch can't turn these callbacks off again, and
            allocations are slower from then on: for a run of its own.
        embed_source: keep the code around these lines with the window; whoever may read the
            log directory reads it.
        max_stall_ms: how long the end of a window may hold the training up; after the first
            window, the others record fewer steps where it took longer.
        keep_windows: windows of each worker that keep their raw trace; older ones keep the report.
        keep_bytes: what the run's published files may take in all; the oldest go first. A file
            `tbprof.pin` in the run's folder keeps everything.
        trackers: where the training has a run of W&B or MLflow under way, add the figures of each
            window, its verdict and its page, with the code that `embed_source` keeps.
        whole_run: note where the time of the whole run goes, in a file that `tbprof report` and the page Run
            show; a thread looks at what a step does that takes far longer than the others.
        spool: where windows wait until they are published, instead of the user's cache folder.

    Raises:
        UsageError: an argument can't be used. Nothing else of this class raises.
    """

    @_taking(HookArguments)
    def __init__(self, arguments: HookArguments) -> None:
        self._run = WatchedRun(checked_config(arguments.logdir, arguments))

    def __enter__(self) -> TrainerHook:
        self._run.begin()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if error is not None:
            self._run.look_at(error)
        # Who is leaving on an exception, or on Ctrl-C, is not made to wait.
        self.close() if error is None else self.close(wait_s=0.0)

    def __deepcopy__(self, _: object) -> TrainerHook:
        """A process records one training at a time: who copies a trainer copies no hook."""
        return self

    def __reduce__(self) -> tuple[object, ...]:
        """In another process it is a new hook that was asked for the same."""
        return _another, (self._run.config,)

    @untraced
    def step(self, steps_taken: int | None = None) -> None:
        """Call this at the end of every training step; outside windows it takes under 1 us.

        Args:
            steps_taken: the trainer's own count, this step among them, where it has one: windows
                follow it when a training goes on from a checkpoint. The same count again means
                that the step goes on, as it does while gradients accumulate. A count that goes
                back ends a window that is being recorded, and from there on steps are counted on.
        """
        run = self._run
        if run.in_phase:
            return
        if steps_taken is None:
            run.steps_taken += 1
        elif not run.goes_on_to(steps_taken):
            return
        clock = run.clock
        duration_ns = clock.lap()
        if run.steps_taken < run.next_event and duration_ns < clock.slow_ns:
            clock.unsettled_ns.append(duration_ns)
            return
        run.after_step(duration_ns)

    @contextmanager
    def phase(self, name: object) -> Iterator[None]:
        """Mark what is no training step, such as an evaluation; use it right after `step()`.

        It is left out of the measured step times and of the recorded lines, and `step()` inside
        it counts nothing. Inside a window it is recorded under its name, and in no step.
        `phase("inference")` is for programs that only infer: there, `step()` counts, and their
        windows say what they are.
        """
        outer, label = self._run.in_phase, label_text(name)
        self._run.begin_phase(label)
        try:
            with annotate(label):
                yield
        finally:
            self._run.end_phase(label, outer=outer)

    def pause(self) -> None:
        """Call this where a training ends that another may follow, such as at the end of a `fit`.

        A window that is being recorded ends with it and is published. The hook stays open: the steps of
        the next training are counted on, and with few of its steps recorded, the window is due again.
        """
        self._run.pause()

    def resume(self, steps_taken: int | None = None) -> None:
        """Call this where a training begins, the first one or one after a `pause()`.

        Args:
            steps_taken: how many steps it has taken by its own count, if it goes on from a checkpoint;
                give the count to `step()`, too. A count that is behind that of the steps so far is
                that of a new training, and steps are counted on.
        """
        self._run.resume(steps_taken)

    def close(self, wait_s: float = 5.0) -> None:
        """End the profiling, and wait at most `wait_s` seconds until the windows are published.

        What is not published by then goes on in a process of its own. Closing twice is harmless.
        """
        self._run.close(wait_s)


def _another(config: HookConfig) -> TrainerHook:
    hook = TrainerHook.__new__(TrainerHook)
    hook._run = WatchedRun(config)
    return hook
