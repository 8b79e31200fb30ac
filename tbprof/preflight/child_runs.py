"""What child processes of a program did under preflight, and how it is added to what the program did."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tbprof.preflight.prediction import Ending
from tbprof.preflight.watching.recording import Recorder, Tally


@dataclass(frozen=True, slots=True)
class ChildRun:
    """One child process, from its start to its end."""

    process: int
    name: str
    tallies: tuple[Tally, ...]
    notes: tuple[str, ...]
    taken: int
    """Steps."""
    ending: Ending
    error: str
    used_device: bool = False
    used_loader: bool = False


def write_child_run(folder: Path, run: ChildRun) -> None:
    """Leave it for the parent; it appears whole, or not at all."""
    aside = folder / f"{run.process}.part"
    aside.write_bytes(pickle.dumps(run))
    os.replace(aside, folder / f"{run.process}.run")  # noqa: PTH105 - the same file system


def read_child_runs(folder: Path) -> Iterator[ChildRun]:
    """The runs that have ended so far, in the order of their process numbers."""
    for path in sorted(folder.glob("*.run"), key=lambda path: int(path.stem)):
        # Only processes of this run write here: the folder is the user's alone.
        run: ChildRun = pickle.loads(path.read_bytes())
        yield run


def steps_taken(taken: int, runs: Iterable[ChildRun]) -> int:
    """Steps of the process that took most: the parent often takes none."""
    return max((taken, *(run.taken for run in runs)))


def add_child_runs(recorder: Recorder, taken: int, runs: Iterable[ChildRun]) -> Recorder:
    """All that was found, as of one process.

    Where children take the steps, what the parent does is set-up; where the parent does, a child
    without steps is. Of children that take steps at the same lines, as ranks do, the one that does most
    counts.
    """
    runs = list(runs)
    whole = Recorder()
    whole.notes = dict.fromkeys((*recorder.notes, *(note for run in runs for note in run.notes)))
    whole.used_device = recorder.used_device or any(run.used_device for run in runs)
    whole.used_loader = recorder.used_loader or any(run.used_loader for run in runs)
    has_steps = steps_taken(taken, runs) > 0
    for run in runs:
        for tally in run.tallies:
            if run.taken:
                _keep_larger(whole, tally)
            else:
                _add(whole, _as_set_up(tally) if has_steps else tally)
    for tally in recorder.tallies.values():
        _add(whole, _as_set_up(tally) if has_steps and taken == 0 else tally)
    return whole


def _as_set_up(tally: Tally) -> Tally:
    tally.per_step = type(tally.per_step)({0: sum(tally.per_step.values())})
    return tally


def _keep_larger(whole: Recorder, tally: Tally) -> None:
    other = whole.tallies.get(tally.key)
    if other is None or sum(other.per_step.values()) < sum(tally.per_step.values()):
        whole.tallies[tally.key] = tally


def _add(whole: Recorder, tally: Tally) -> None:
    other = whole.tallies.setdefault(tally.key, tally)
    if other is not tally:
        other.per_step += tally.per_step
        other.add_sizes(tally.bytes, tally.least_bytes or 0, tally.most_bytes)
        other.contents |= tally.contents
        other.hashed += tally.hashed
        other.makers |= tally.makers
        other.called_at += tally.called_at
        other.derivative_of += tally.derivative_of
        other.same_mask_as += tally.same_mask_as
