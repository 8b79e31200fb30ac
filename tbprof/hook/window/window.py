"""One profiled window: torch's profiler from its warm-up to the exported file."""

from __future__ import annotations

import dataclasses
import logging
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import get_ident
from time import perf_counter_ns

import torch
from torch.profiler import ProfilerAction, profile, tensorboard_trace_handler

from tbprof.hook.audit.audit import Audited
from tbprof.hook.audit.source_text import import_folders
from tbprof.hook.options import RecordOptions
from tbprof.hook.safety.compiled_code import CallWatch
from tbprof.hook.safety.cuda_device import has_device_failed
from tbprof.hook.safety.guard import MissingFacts, let_through
from tbprof.hook.safety.other_profilers import (
    PythonProfiler,
    claim_recording,
    end_orphaned_recording,
    is_own_recording,
    is_recording,
    leave_recording_of_parent,
    other_profiler_at_work,
)
from tbprof.hook.schedule import Schedule
from tbprof.hook.spool import TRACE_SUFFIX, facts_path, inputs_path, remove_partial_files
from tbprof.hook.window.facts import write_facts
from tbprof.hook.window.garbage import CollectionWatch
from tbprof.hook.window.module_marks import ModuleMarks
from tbprof.hook.window.open_ranges import end_open_ranges, never_end, note_ranges
from tbprof.hook.window.torch_profiler import (
    TracerWarnings,
    end_prepared_session,
    import_for_start,
    is_stopped_by_device,
    make_profiler,
)
from tbprof.model import HookFacts


class RecordedWindow:
    """Writes the facts at once, so that a crash loses nothing, and again with all that is added.

    Raises:
        OSError: the facts could not be written at all.
    """

    def __init__(self, trace: Path, facts: HookFacts) -> None:
        self.trace = trace
        self.facts = facts
        write_facts(facts, facts_path(trace))

    def add_audit(self, audited: Audited) -> None:
        """Add the lines that wait and copy, or why nobody knows."""
        missing = (*self.facts.missing, *audited.missing)
        self.facts = dataclasses.replace(self.facts, audit=audited.audit, missing=missing)
        self._write_again("recorded lines")

    def add_after(self, step_ns: int) -> None:
        """How long the steps after the window take."""
        self.facts = dataclasses.replace(self.facts, after_step_ns=step_ns)
        self._write_again("later step times")

    def add_inputs(self, recording: Path) -> None:
        """The steps that have what operators are given, as torch wrote them."""
        try:
            recording.rename(inputs_path(self.trace))
        except OSError as error:
            logger.warning("Window %d lacks what operators are given: %s", self.facts.window, error)

    def _write_again(self, what: str) -> None:
        try:
            write_facts(self.facts, facts_path(self.trace))
        except OSError as error:
            # The facts as they were written first still stand, so that the window is not lost.
            logger.warning("Window %d lacks its %s: %s", self.facts.window, what, error)


logger = logging.getLogger("tbprof")


class ProfiledWindow:
    """Drives one `torch.profiler.profile` over the warm-up and the recorded steps of one cycle.

    All calls must come from one thread: torch keeps a profiler's state for the thread
    that started it.
    """

    def __init__(
        self,
        schedule: Schedule,
        options: RecordOptions,
        folder: Path,
        worker: str,
        between_steps: Callable[[], None],
        *,
        first_step: int = 0,
        marks_modules: bool = False,
        with_device: bool = True,
    ) -> None:
        """`between_steps` is called where one step has ended and the next one has not begun.

        `first_step` is the number of the first step, counted from 0: it and those that follow are so named.
        """
        self._schedule = schedule
        self._folder = folder
        self._worker = worker
        self._write_trace = tensorboard_trace_handler(str(folder), worker_name=worker)
        self._python_profiler = PythonProfiler()
        self.missing = MissingFacts()
        """What could not be recorded."""
        self._profiler = make_profiler(
            schedule,
            options,
            self._export,
            self.missing,
            between_steps,
            first_step=first_step,
            with_device=with_device,
        )
        # Call stacks name the modules.
        marks = ModuleMarks(self.missing, of_window=with_device) if marks_modules else None
        self._marks = TracerWarnings() if options.with_stack else marks
        # With either, torch holds weak references to tensors, and it swaps none that have any.
        holds_tensors = options.record_shapes or options.with_stack
        swaps = ((torch._C, "_swap_tensor_impl"),) if holds_tensors else ()
        self._swaps = CallWatch(self._without_weak_references, *swaps)
        self._was_swapped = False
        self.collections = CollectionWatch() if with_device else None
        """None where nobody asks what holds the host up."""
        self._thread = 0
        self._steps = 0
        self.recorded_steps = 0
        """Whole training steps in the recording."""
        self.is_over = False
        """Nothing is recorded any more; `trace` is what came of it."""
        self.taken_away = False
        """Another profiler took torch's only session: nothing of this window can be saved."""
        self.trace: Path | None = None
        """The exported file; None where torch wrote none."""
        self.export_error = ""
        self.start_ns = 0
        """How long the profiler's start held the training up; the first of a process sets CUPTI up."""
        self._is_claimed = False
        self._is_stopped_by_device = False
        self._was_stopped_by_device = False
        self._has_device_failed = False

    @property
    def why_lost(self) -> str:
        """Why there is no file, in words."""
        if self._has_device_failed:
            return "CUDA failed before the window was over"
        if self._was_swapped:
            return "torch swaps no tensors (torch.utils.swap_tensors) while it records shapes or stacks"
        if self._was_stopped_by_device:
            return "the device's profiling library stopped by itself before the first recorded step"
        return self.export_error or "torch wrote no file, as it does when the disk is full"

    @property
    def active(self) -> int:
        """The steps that it is to record."""
        return self._schedule.active

    @property
    def is_recording(self) -> bool:
        """Whether the steps now are recorded, and not warm-up."""
        return not self.is_over and self._steps >= self._schedule.warmup

    def start(self) -> None:
        """Begin the warm-up. Take `OnlySession` first."""
        self.missing.ask("sources", import_folders, ())
        began_ns = perf_counter_ns()
        import_for_start()
        self._python_profiler.keep()
        self.missing.ask("open_ranges", note_ranges, None)
        self._end_open_ranges()
        try:
            self._thread = get_ident()
            self._swaps.begin()
            self._profiler.__enter__()
            self.start_ns = perf_counter_ns() - began_ns
            self._claim()
            if self._marks is not None:
                self.missing.ask("module_marks", self._marks.begin, None)
        except BaseException:
            self._let_go()
            raise

    def advance(self) -> None:
        """A training step is over: record it as one, and do what is due after it."""
        has_ended = self.is_over or self._lost_session()
        if has_ended:
            # What a handler of the program's raised may have come before.
            self._end_marks(is_recorded=False)
            return
        was_recording = self.is_recording
        self.recorded_steps += was_recording
        self._steps += 1
        began_ns = perf_counter_ns()
        if not was_recording:
            self._python_profiler.keep()
        # More, where a handler of the program's raised between a step's end and the profiler's.
        if self._steps >= self._schedule.warmup + self._schedule.active:
            self._step_out_of_marks()
        else:
            self._step()
        if not was_recording:
            self.start_ns += perf_counter_ns() - began_ns
            self._claim()
        if self.is_over:
            # Leaves the annotation that torch opened for the step after the window.
            self._profiler.__exit__(None, None, None)
            self._profiler.step_rec_fn = self._profiler.profiler = None
            self._python_profiler.give_back()
            self._end_open_ranges()

    def stop(self) -> None:
        """End the window early; a recording without a whole step is not exported."""
        if self.is_over or self._lost_session():
            self._end_marks(is_recorded=False)
            return
        if has_device_failed():
            # To stop the profiler is to wait for the device, while the training's error waits to be shown.
            self._has_device_failed = True
            self._let_go()
            return
        self._end_marks()
        step = self._profiler.step_rec_fn
        if step is not None and step.record is None:
            # Ctrl-C came before torch had opened this step's annotation, and it would fail to close it.
            self._profiler.step_rec_fn = None
        self._end()
        self._profiler.step_rec_fn = self._profiler.profiler = None
        self._python_profiler.give_back()
        self._end_open_ranges()
        self.is_over = True

    def abandon(self) -> None:
        """End the window and keep nothing of it."""
        self.recorded_steps = 0
        self.stop()

    def discard(self) -> None:
        """End the window from another thread than its own, when the process is about to exit.

        What it recorded is out of reach; but a profiler that nobody stops ends the exit of
        Python in a segmentation fault.
        """
        self.recorded_steps = 0
        self.is_over = True
        self._end_marks(is_recorded=False)
        self._end()

    def forget(self) -> None:
        """In a forked child: the recording is its parent's, and nothing of it is to stay in this process."""
        if self.is_recording and get_ident() == self._thread:
            leave_recording_of_parent()
            if isinstance(self._marks, TracerWarnings):
                self._python_profiler.take_back()
        self._end_marks(is_recorded=False)
        self._never_end_step()

    def _end_open_ranges(self) -> None:
        self.missing.ask("open_ranges", end_open_ranges, None)

    def _claim(self) -> None:
        if self.is_recording:
            claim_recording()
            self._is_claimed = True
            if self.collections is not None:
                self.missing.ask("collections", self.collections.begin, None)

    @contextmanager
    def _without_weak_references(self, *_: object) -> Iterator[None]:
        """End a window of which the program swaps tensors, where it can be ended."""
        is_within = torch._C._current_graph_task_id() != -1
        if not self.is_over and get_ident() == self._thread and not is_within:
            self._was_swapped = True
            if isinstance(self._marks, ModuleMarks):
                self._marks.make_way()
            self.missing.ask("shapes", self.abandon, None)
        yield

    def _end_marks(self, *, is_recorded: bool = True) -> None:
        self._swaps.end()
        self._end_collections()
        if self._marks is not None:
            self.missing.ask("module_marks", partial(self._marks.end, is_recorded=is_recorded), None)

    def _end_collections(self) -> None:
        if self.collections is not None:
            self.collections.end()

    def _step_out_of_marks(self) -> None:
        # The profiler's own, when it ends, are none of the steps'.
        self._end_collections()
        if self._marks is not None:
            self.missing.ask("module_marks", self._marks.close, None)
        try:
            self._step()
        finally:
            self._end_marks()

    def _end(self) -> None:
        # Ctrl-C may have come before it began, and torch fails to end a warm-up that has not.
        if self._profiler.profiler is not None or self._profiler.current_action is ProfilerAction.NONE:
            self._profiler.__exit__(None, None, None)
        if self._is_claimed and is_own_recording():
            # A handler of the program's raised after torch had noted the end, and before it ended.
            torch.autograd._disable_profiler()
            torch.autograd.profiler._run_on_profiler_stop()

    def _step(self) -> None:
        if not self._is_stopped_by_device:
            self._profiler.step()
            return
        # torch warns of it, and we say it in our own words; `-W error` would raise between its two halves.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._profiler.step()

    def _let_go(self) -> None:
        """Leave a profiler that Ctrl-C met while it began, or whose device has failed."""
        self._end_marks(is_recorded=False)
        if is_recording():
            torch.autograd._disable_profiler()
        else:
            end_prepared_session(self._profiler)
        torch.autograd.profiler._run_on_profiler_stop()
        self._leave_profiler()

    def _lost_session(self) -> bool:
        """Look whether torch's session is still ours; if not, let go without touching it.

        Stopping or exporting now would end the other profiler's session, or crash.
        """
        # Asked in the warm-up as well, so that the first recorded step finds everything in Python's caches.
        is_stopped, is_own = is_stopped_by_device(), is_own_recording()
        self._is_stopped_by_device = is_stopped and self.is_recording
        if self._is_stopped_by_device or self._action == "DEVICE_STOPPED":
            # The session has ended by itself, and nobody took it.
            return False
        if self.is_recording:
            # Ctrl-C may have come before it was claimed.
            self.taken_away = not (is_own if self._is_claimed else is_recording())
        elif self._steps + 1 >= self._schedule.warmup:
            self.taken_away = other_profiler_at_work(self._profiler)
        else:
            self.taken_away = is_recording()
        if self.taken_away:
            self._end_marks(is_recorded=False)
            if self._is_claimed:
                end_orphaned_recording(self._profiler)
            self._leave_profiler()
        return self.taken_away

    def _leave_profiler(self) -> None:
        """Have nobody take what is left of it for a profiler at work, and nobody end its open step."""
        self.is_over = True
        self._profiler.profiler = None
        self._never_end_step()

    def _never_end_step(self) -> None:
        """Its recording is over, or its parent's."""
        never_end(self._profiler.step_rec_fn)
        self._profiler.step_rec_fn = None

    def _export(self, profiler: profile) -> None:
        """Torch calls this once, when the recording is complete or stopped."""
        self.is_over = True
        self._note_if_stopped_by_device()
        if self.recorded_steps == 0:
            return
        try:
            earlier = set(self._traces())
            self._write_trace(profiler)
            # Kineto reports a full disk on its own log only: what counts is the file.
            written = [trace for trace in self._traces() if trace not in earlier and trace.stat().st_size > 0]
            self.trace = written[0] if written else None
        except (OSError, RuntimeError) as error:
            let_through(error)
            self.export_error = str(error)
        remove_partial_files(self._folder)

    @property
    def _action(self) -> str:
        return getattr(self._profiler.current_action, "name", "")

    def _note_if_stopped_by_device(self) -> None:
        """Since torch 2.13 CUPTI can end a recording, when its buffers are full."""
        if self._action == "DEVICE_STOPPED":
            self._was_stopped_by_device = True
            logger.warning(
                "The device's profiling library stopped by itself: a window has %d of %d steps.",
                self.recorded_steps,
                self._schedule.active,
            )

    def _traces(self) -> Iterable[Path]:
        return self._folder.glob(f"{self._worker}.*{TRACE_SUFFIX}")
