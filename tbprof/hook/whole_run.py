"""Where a run's time goes, from the start of its process to its end, in one small file in the run's folder.

It is optional: what goes wrong here ends it, and neither the profiling nor the training.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import logging
import os
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import perf_counter_ns
from typing import Literal

from tbprof.file_names import RUN_TIME_SUFFIX
from tbprof.hook.memory.memory_step import leave_file
from tbprof.hook.pause_watcher import PauseWatcher
from tbprof.hook.processes import start_ticks
from tbprof.hook.run_ledger import OUTSIDE, RunLedger
from tbprof.hook.safety.cuda_device import device_in_use
from tbprof.hook.safety.guard import let_through
from tbprof.hook.step_clock import StepClock
from tbprof.model.run_time import RunTime
from tbprof.process.beside import BoundedCalls, within
from tbprof.safe_open import replace_whole

logger = logging.getLogger("tbprof")

LOOK_STEPS = 1000
"""Steps between two looks at what has become of the time: the length of each is kept until then."""

_SCHEMA = 1
_LOOK_NS = 1_000_000_000
_FIRST_STEPS, _FIRST_NS = 20, 30_000_000_000
"""Until so many steps are over, or so much time, nobody knows how long a step takes."""
_WRITE_NS = 10_000_000_000
_PATIENCE_S = 2.0
_MOST_FILES = 200
"""A run that starts again and again leaves one file each time."""

_last_end_ns = 0
"""When the last run of this process ended: the next one began no earlier."""


class WholeRun:
    """All calls but `forget` come from the training's thread."""

    def __init__(self, clock: StepClock, logdir: Path | None) -> None:
        """`logdir` is the run's folder; None: nothing is followed."""
        self._clock = clock
        self._logdir = logdir
        self._watcher = PauseWatcher(clock)
        self._ledger: RunLedger | None = None
        self._looked_ns = self._written_ns = self._looked_steps = 0
        self._path: Path | None = None
        self._writing = BoundedCalls()
        self.has_failed = False
        """Whether the training ended with an error."""

    def begin(self) -> None:
        """The training begins."""
        if self._logdir is not None and self._ledger is None:
            self._guarded(self._begin)

    def after_step(self, worker: str, rank: int | None, steps_taken: int) -> None:
        """Take what has happened since the last look, and have it written now and then."""
        now_ns = perf_counter_ns()
        is_due = now_ns - self._looked_ns >= _LOOK_NS or self._unread_steps >= LOOK_STEPS
        if self._ledger is not None and is_due:
            self._guarded(partial(self._look, now_ns, worker, rank, steps_taken))

    def end(self, worker: str, rank: int | None, steps_taken: int) -> None:
        """The training is over: leave the file as it is to stay."""
        self._guarded(partial(self._end, worker, rank, steps_taken))
        self.forget()

    def forget(self) -> None:
        """Follow nothing more."""
        self._ledger = None
        self._watcher.stop()
        self._clock.keep_marks(are_kept=False)

    def _begin(self) -> None:
        now_ns = perf_counter_ns()
        self._clock.keep_marks(are_kept=True)
        self._ledger = RunLedger(max(now_ns - _age_ns(), _last_end_ns), self._watcher.samples_until)
        self._looked_ns = self._written_ns = now_ns
        self._looked_steps = self._clock.steps
        self._watcher.start()

    @property
    def _unread_steps(self) -> int:
        return self._clock.steps - self._looked_steps

    def _look(self, now_ns: int, worker: str, rank: int | None, steps_taken: int) -> None:
        ledger = self._ledger
        assert ledger is not None, "the caller has looked"
        is_early = ledger.steps == 0 and now_ns - self._written_ns < _FIRST_NS
        if is_early and self._unread_steps < _FIRST_STEPS:
            return
        self._looked_ns = now_ns
        ledger.places.note_step()
        self._take(ledger)
        if now_ns - self._written_ns >= _WRITE_NS:
            self._written_ns = now_ns
            path, content = self._written(ledger, worker, rank, steps_taken, "")
            # Nobody waits for it: where a file system does not answer, the next one is written once it does.
            with contextlib.suppress(OSError):
                self._writing.call(0.0, partial(replace_whole, path, content))

    def _take(self, ledger: RunLedger) -> None:
        marks, self._looked_steps = self._clock.marks, self._clock.steps
        # Another thread may call step() meanwhile.
        ledger.take([marks.popleft() for _ in range(len(marks))])
        self._watcher.usual_ns = ledger.usual_ns

    def _end(self, worker: str, rank: int | None, steps_taken: int) -> None:
        global _last_end_ns
        ledger = self._ledger
        if ledger is None:
            return
        self._clock.note(OUTSIDE)
        self._take(ledger)
        _last_end_ns = perf_counter_ns()
        ledger.end(_last_end_ns)
        if ledger.steps:
            path, content = self._written(
                ledger, worker, rank, steps_taken, "error" if self.has_failed else "closed"
            )
            within(_PATIENCE_S, partial(leave_file, content, path, _MOST_FILES, of_all_workers=True))

    def _written(
        self,
        ledger: RunLedger,
        worker: str,
        rank: int | None,
        steps_taken: int,
        end: Literal["", "closed", "error"],
    ) -> tuple[Path, bytes]:
        wall_ns = ledger.at_ns - ledger.began_ns
        found = RunTime(
            schema=_SCHEMA,
            worker=worker,
            rank=rank,
            began_ns=time.time_ns() - (perf_counter_ns() - ledger.began_ns),
            wall_ns=wall_ns,
            end=end,
            # A step of which nobody saw the beginning is in the trainer's count alone.
            first_step=before if (before := steps_taken - ledger.steps) > 1 else 0,
            steps=ledger.steps,
            step_ns=ledger.usual_ns or None,
            has_gpu=device_in_use() is not None,
            parts=ledger.parts,
            lengths=ledger.lengths,
            pauses=ledger.pauses,
        )
        if self._path is None:
            assert self._logdir is not None, "what is followed has a folder"
            self._path = self._logdir / f"{worker}.{found.began_ns}{RUN_TIME_SUFFIX}"
        return self._path, json.dumps(dataclasses.asdict(found)).encode()

    def _guarded(self, action: Callable[[], None]) -> None:
        try:
            action()
        except Exception as error:  # noqa: BLE001 - what is optional ends nothing else
            let_through(error)
            self.forget()
            logger.debug("Where the time of the run goes is not recorded any more: %s", error)


def _age_ns() -> int:
    """How long ago this process began; 0 where that is not known, or says nothing of the training."""
    if hasattr(sys, "ps1") or "ipykernel" in sys.modules or not hasattr(time, "CLOCK_BOOTTIME"):
        return 0
    ticks = start_ticks(os.getpid())
    if ticks is None:
        return 0
    began_ns = ticks * 1_000_000_000 // os.sysconf("SC_CLK_TCK")
    return max(0, time.clock_gettime_ns(time.CLOCK_BOOTTIME) - began_ns)
