"""What a failing disk does to a training that is profiled: `python tests/bench/faults.py`.

Each operation by which a small training and its publishing process change the disk is made to
fail, with six errors, once and from there on; and both are killed at each; and each call of
torch.cuda that the hook makes raises, against a stand-in. The same with torch's
own `tensorboard_trace_handler`. Needs a C compiler; takes a quarter of an hour. Prints the table
of `faults.md`.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [
    str(ROOT),
    str(ROOT / "tests" / "support"),
    str(ROOT / "tests"),
    str(ROOT / "tests" / "hook" / "faults"),
]

from failing_cuda import CudaFault, cuda_faults  # noqa: E402
from failing_disk import Fault, build  # noqa: E402
from script_runner import Ended, script_runner, side_by_side  # noqa: E402
from trials import WINDOWS, Laboratory, Trial, faults, kills  # noqa: E402

HEADER = """| handler, and what fails | trials | training ended | windows lost in silence | lost and told | \
wait for the next start | corrupt under a published name | half-written files, and after the next start | \
trials with a broken promise |
|---|---|---|---|---|---|---|---|---|"""


@dataclass(frozen=True)
class Row:
    """Trials of one kind."""

    name: str
    how: str
    in_child: bool
    plan: Callable[..., Iterator[Fault | CudaFault]]

    @property
    def is_stock(self) -> bool:
        return self.how.startswith("stock")

    @property
    def has_later_start(self) -> bool:
        """Whether another training starts after each trial, which has to clear up after a kill."""
        return self.plan is kills and not self.is_stock


def each_cuda_call(count: int, *, in_child: bool) -> Iterator[CudaFault]:
    assert not in_child
    return cuda_faults(count)


ROWS = (
    Row("stock, `.json`", "stock", False, faults),
    Row("stock, `.json.gz`", "stock-gz", False, faults),
    Row("tbprof: the training's operations", "window", False, faults),
    Row("tbprof: those of the publishing process", "window", True, faults),
    Row("tbprof: calls of `torch.cuda`, of a GPU that is played", "cuda", False, each_cuda_call),
    Row("tbprof: taking over what an earlier run left", "adopts", False, faults),
    Row("stock, `.json`: SIGKILL", "stock", False, kills),
    Row("stock, `.json.gz`: SIGKILL", "stock-gz", False, kills),
    Row("tbprof: SIGKILL of the training", "window", False, kills),
    Row("tbprof: SIGKILL of the publishing process", "window", True, kills),
    Row("tbprof: SIGKILL while taking over", "adopts", False, kills),
)


class Tally:
    """Counts what became of trials."""

    def __init__(self, row: Row, bare: Ended) -> None:
        self._row = row
        self._bare = bare
        self.trials = self.ended = self.silent = self.told = self.waiting = self.corrupt = 0
        self.left = self.left_later = self.broken = 0

    def add(self, trial: Trial, later: Trial | None) -> None:
        """A trial, and the start after it where one was made; a broken promise is said on stderr."""
        self._count(trial)
        broken = [] if self._row.is_stock else list(trial.broken_promises(self._bare))
        if later is not None:
            self.left_later += len(later.seen.leftovers)
            broken += later.not_in_order(trial)
        if broken:
            self.broken += 1
            sys.stderr.write(f"{self._row.name}: {trial.fault}: {trial.operation}: {broken}\n")

    def _count(self, trial: Trial) -> None:
        present = trial.seen.traces if self._row.is_stock else trial.seen.published | trial.seen.waiting
        lost = 0 if trial.is_killed else WINDOWS[trial.how] - len(present)
        has_ended = trial.ended.exit_code != self._bare.exit_code
        has_told = has_ended if self._row.is_stock else "WARNING" in trial.ended.stderr
        self.trials += 1
        self.ended += has_ended and not trial.is_killed
        self.silent += 0 if has_told else lost
        self.told += lost if has_told else 0
        self.waiting += len(trial.seen.waiting - trial.seen.published)
        self.corrupt += len(trial.seen.corrupt)
        self.left += len(trial.seen.leftovers)

    def line(self) -> str:
        """A row of the table."""
        left = f"{self.left}, {self.left_later}" if self._row.has_later_start else self.left
        broken = "" if self._row.is_stock else self.broken
        counts = (self.trials, self.ended, self.silent, self.told, self.waiting, self.corrupt, left, broken)
        return f"| {' | '.join([self._row.name, *map(str, counts)])} |"


def tally(laboratory: Laboratory, row: Row) -> Tally:
    """Make the trials of a row."""

    def attempt(fault: Fault | CudaFault) -> tuple[Trial, Trial | None]:
        trial = laboratory.trial(row.how, fault)
        later = laboratory.next_start(trial) if row.has_later_start else None
        shutil.rmtree(trial.folder)
        return trial, later

    operations = laboratory.operations(row.how, in_child=row.in_child)
    counts = Tally(row, laboratory.bare)
    for trial, later in side_by_side(attempt, row.plan(operations, in_child=row.in_child)):
        counts.add(trial, later)
    return counts


def main() -> None:
    lines = [f"{date.today()}, 2 cores x86-64, Python {sys.version.split()[0]}, torch {version('torch')}.\n"]
    lines.append(HEADER)
    began_s = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, script_runner(build(Path(folder))) as processes:
        laboratory = Laboratory(processes, Path(folder))
        for row in ROWS:
            lines.append(tally(laboratory, row).line())
            sys.stderr.write(f"{lines[-1]}\n")
    lines.append(f"\nIt took {(time.monotonic() - began_s) / 60:.0f} minutes.")
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
