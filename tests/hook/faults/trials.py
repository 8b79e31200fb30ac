"""One trial: a training on a disk that fails, what came of it, and what of that must not be."""

from __future__ import annotations

import gzip
import hashlib
import itertools
import json
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from failing_cuda import CudaFault, calls, variables
from failing_disk import ERRORS, KILLED, Fault, disk, hit, operations
from remains import Remains, look_at
from script_runner import Ended, ScriptRunner, wait_for_children

from tbprof.hook.processes import process_name

TRAINING = Path(__file__).with_name("watched_training.py")

WINDOWS = {"window": 1, "windows": 2, "cuda": 1, "adopts": 1, "stock": 2, "stock-gz": 2}
"""How many a run records, or finds."""

UNHARMED = Fault(0)


@dataclass(frozen=True)
class Trial:
    """A run with a fault; `how` is what `watched_training.py` was asked for."""

    how: str
    fault: Fault | CudaFault
    folder: Path
    operation: str | None
    """What the fault hit; None where the run had fewer operations."""
    ended: Ended
    seen: Remains

    @property
    def is_killed(self) -> bool:
        """Whether the training itself was killed."""
        return self.fault.error == KILLED and not self.fault.in_child and self.operation is not None

    @property
    def missing(self) -> int:
        """Windows that are not published."""
        return WINDOWS[self.how] - len(self.seen.published)

    @property
    def lost(self) -> int:
        """Windows that are nowhere."""
        return WINDOWS[self.how] - len(self.seen.published | self.seen.waiting)

    def broken_promises(self, bare: Ended) -> Iterator[str]:
        """What must not be, each in a few words."""
        yield from (f"corrupt: {name}" for name in self.seen.corrupt)
        if self.is_killed:
            return
        if (self.ended.exit_code, self.ended.stdout) != (bare.exit_code, bare.stdout):
            yield f"the training ended with {self.ended.exit_code}: {self.ended.stderr[-800:]}"
        if self.fault.error != KILLED and not self.fault.forever:
            yield from (f"left behind: {name}" for name in self.seen.leftovers)
        yield from self._silent_losses()
        if isinstance(self.fault, CudaFault):
            yield from self._unnamed_facts()

    def _unnamed_facts(self) -> Iterator[str]:
        """What is optional costs no window, and is missing by its name."""
        if self.missing:
            yield "a call of torch.cuda cost the window"
        # What fails behind the audit step is a fact of no window.
        is_within = any(name.endswith("sync_debug_mode") for name in calls(self.folder)[self.fault.at - 1 :])
        for trace in (self.folder / "watched" / "logs").glob("*.trace.json.gz"):
            if is_within and not json.loads(gzip.decompress(trace.read_bytes()))["tbprof"]["missing"]:
                yield f"{self.operation} failed, and nothing is missing by name"

    def not_in_order(self, killed: Trial) -> Iterator[str]:
        """What this run, which nothing happened to, left as an earlier one in its folders had."""
        yield from (f"left: {name}" for name in (*self.seen.leftovers, *self.seen.corrupt))
        yield from (f"still waiting: {name}" for name in self.seen.waiting)
        whole = killed.seen.published | killed.seen.waiting
        yield from (f"gone: {name}" for name in whole - self.seen.published)

    def _silent_losses(self) -> Iterator[str]:
        warnings = [line for line in self.ended.said if line.startswith("tbprof WARNING")]
        if self.missing and not warnings:
            yield f"{self.missing} windows are not published, and nothing was said"
        if self.how == "adopts" or any("Profiling ends here" in line for line in warnings):
            # Windows that never began are not counted.
            return
        waiting, lost = self._counted("Unpublished"), self._counted("Lost")
        # One that is published and could not be removed from the spool may be told as either.
        if lost != self.lost or not self.missing - lost <= waiting <= len(self.seen.waiting):
            yield f"{self.missing} are missing, {self.lost} lost; told were {lost} lost, {waiting} waiting"

    def _counted(self, word: str) -> int:
        found = re.search(rf"{word} windows: (\d+)", self.ended.stderr)
        return int(found[1]) if found else 0


class Laboratory:
    """Makes trials, each in a folder of its own; several threads may ask for them."""

    def __init__(self, script_runner: ScriptRunner, folder: Path) -> None:
        self._runner = script_runner
        self._folder = folder
        self._numbers = itertools.count()
        self.bare = self.trial("bare", UNHARMED).ended
        self._spooled = self._waiting_window()

    def trial(self, how: str, fault: Fault | CudaFault) -> Trial:
        """Run a training with a fault."""
        folder = self._folder / str(next(self._numbers))
        if how == "adopts":
            self._leave_window(folder)
        return self._run(how, fault, folder)

    def next_start(self, trial: Trial) -> Trial:
        """Run a training without a fault where one was that had some."""
        return self._run("window", UNHARMED, trial.folder)

    def operations(self, how: str, *, in_child: bool = False) -> int:
        """How many there are when nothing goes wrong."""
        if how == "cuda":
            return len(calls(self.trial(how, CudaFault(0)).folder))
        trial = self.trial(how, Fault(0, in_child=in_child))
        assert trial.seen.corrupt == []
        return max(number for number, _ in operations(trial.folder))

    def _run(self, how: str, fault: Fault | CudaFault, folder: Path) -> Trial:
        watched = folder / "watched"
        watched.mkdir(parents=True, exist_ok=True)
        for earlier in ("fired", "operations"):
            (folder / earlier).unlink(missing_ok=True)
        arguments = [TRAINING, how, watched / "logs", watched / "spool"]
        is_cuda = isinstance(fault, CudaFault)
        around = {**disk(UNHARMED, folder), **variables(fault, folder)} if is_cuda else disk(fault, folder)
        ended = self._runner.run(arguments, folder, around)
        wait_for_children(folder)
        if is_cuda:
            made = calls(folder)
            operation = made[fault.at - 1] if 0 < fault.at <= len(made) else None
        else:
            operation = hit(fault, folder)
        return Trial(how, fault, folder, operation, ended, look_at(watched))

    def _waiting_window(self) -> Path:
        """The spool of a training whose log directory is none."""
        folder = self._folder / "unpublished"
        (folder / "watched").mkdir(parents=True)
        (folder / "watched" / "logs").write_text("")
        self._run("window", UNHARMED, folder)
        (spool,) = (place for place in _spools(folder).iterdir() if place.is_dir())
        return spool

    def _leave_window(self, folder: Path) -> None:
        """Put a window where a process that was killed would have left it."""
        name, _, started = process_name().rpartition("-")
        shutil.copytree(
            self._spooled,
            _spools(folder) / f"{name}-{int(started) + 1}",
            ignore=shutil.ignore_patterns("*.log"),
        )


def _spools(folder: Path) -> Path:
    """Where the trial's trainings have their spools."""
    logdir = os.fsencode(folder / "watched" / "logs")
    return folder / "watched" / "spool" / hashlib.sha256(logdir).hexdigest()[:16]


def faults(count: int, *, in_child: bool = False) -> Iterator[Fault]:
    """Each operation with each error, once and from there on."""
    for at in range(1, count + 1):
        for error in ERRORS:
            yield from (Fault(at, error, forever, in_child) for forever in (False, True))


def kills(count: int, *, in_child: bool = False) -> Iterator[Fault]:
    """SIGKILL at each operation."""
    return (Fault(at, KILLED, in_child=in_child) for at in range(1, count + 1))
